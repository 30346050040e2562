"""`python -m beliefgraph` is `beliefgraph`."""

from beliefgraph.cli import main

main(prog_name="beliefgraph")
