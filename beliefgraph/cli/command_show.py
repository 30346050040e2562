"""`beliefgraph show`: what a saved graph holds."""

from __future__ import annotations

import click

from beliefgraph.cli.base import BeliefCommand, check_output, note

__all__ = ["show_command"]

EXAMPLES = (
    "beliefgraph extract examples/interviews/bus_lanes_tyt.csv -o graph.json",
    "beliefgraph show graph.json",
    "beliefgraph show graph.json --html graph.html",
)


@click.command("show", cls=BeliefCommand, examples=EXAMPLES)
@click.argument("graph_file", metavar="GRAPH", type=click.Path())
@click.option("--html", metavar="FILE", type=click.Path(), help="Draw it as one page.")
@click.option("--json", "as_json", is_flag=True, help="Print the graph as JSON on stdout.")
def show_command(graph_file: str, html: str | None, as_json: bool) -> None:
    """Show a saved belief graph: its stance, influences, quotes and loops."""
    from beliefgraph.cli import tables
    from beliefgraph.errors import GraphError
    from beliefgraph.formats.files import write_text
    from beliefgraph.formats.html import graph_page
    from beliefgraph.formats.json import load_graph

    check_output(html, graph_file)
    graph = load_graph(graph_file)
    if html:
        write_text(html, graph_page(graph), error=GraphError)
    if as_json:
        click.echo(graph.model_dump_json(indent=2))
    else:
        tables.print_graph(graph)
    if html:
        note(f"wrote {html}")
