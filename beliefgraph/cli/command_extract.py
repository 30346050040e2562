"""`beliefgraph extract`: an interview becomes a belief graph in a file."""

from __future__ import annotations

from typing import Any

import click

from beliefgraph.cli.base import BeliefCommand, check_output, note
from beliefgraph.cli.options import common_options, interview_argument
from beliefgraph.cli.subjects import notes_on

__all__ = ["extract_command"]

EXAMPLES = (
    "beliefgraph extract examples/interviews/school_phones.txt",
    "beliefgraph extract examples/interviews/bus_lanes_tyt.csv -o graph.json",
    "beliefgraph extract examples/interviews/remote_work.jsonl --html graph.html",
)


@click.command("extract", cls=BeliefCommand, examples=EXAMPLES)
@interview_argument
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Save the graph as JSON.")
@click.option("--html", metavar="FILE", type=click.Path(), help="Draw it as one page.")
@click.option("--json", "as_json", is_flag=True, help="Print the graph as JSON on stdout.")
@common_options
def extract_command(**options: Any) -> None:
    """Read an interview into a belief graph, every influence with the words behind it."""
    from beliefgraph.cli import tables
    from beliefgraph.errors import GraphError
    from beliefgraph.extractors import extract
    from beliefgraph.formats import read_transcript
    from beliefgraph.formats.files import write_text
    from beliefgraph.formats.html import graph_page

    path, output, html = options["interview"], options["output"], options["html"]
    check_output(output, path)
    check_output(html, path, output)
    transcript = read_transcript(
        path,
        format=options["file_format"],
        participant=options["participant"],
        topic=options["topic"],
    )
    graph = extract(transcript, stance=options["stance"])
    if html:
        write_text(html, graph_page(graph), error=GraphError)
    if output:
        graph.save(output)
    if options["as_json"]:
        click.echo(graph.model_dump_json(indent=2))
    else:
        tables.print_graph(graph)
    for text in notes_on(transcript):
        note(text)
    for written in (html, output):
        if written:
            note(f"wrote {written}")
