"""`python -m beliefgraph.simulate` is `beliefgraph simulate`."""

from beliefgraph.cli import simulate_main

simulate_main()
