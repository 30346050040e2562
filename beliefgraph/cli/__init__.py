"""The command line: one command a file, one message an error."""

from __future__ import annotations

import click

import beliefgraph
from beliefgraph.cli.command_build_items import build_items_command
from beliefgraph.cli.command_compare import compare_command
from beliefgraph.cli.command_evaluate import evaluate_command
from beliefgraph.cli.command_evaluate_extraction import evaluate_extraction_command
from beliefgraph.cli.command_extract import extract_command
from beliefgraph.cli.command_quality import quality_command
from beliefgraph.cli.command_report import report_command
from beliefgraph.cli.command_serve_local import serve_local_command
from beliefgraph.cli.command_show import show_command
from beliefgraph.cli.command_simulate import simulate_command
from beliefgraph.cli.command_synth import synth_command

__all__ = ["main", "simulate_main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(beliefgraph.__version__, prog_name="beliefgraph")
def main() -> None:
    """Causal belief graphs: from an interview to a predicted shift of stance.

    For research on how individuals reason; not to persuade, profile or target anyone.
    """


main.add_command(simulate_command)
main.add_command(extract_command)
main.add_command(show_command)
main.add_command(quality_command)
main.add_command(evaluate_extraction_command)
main.add_command(build_items_command)
main.add_command(synth_command)
main.add_command(evaluate_command)
main.add_command(compare_command)
main.add_command(report_command)
main.add_command(serve_local_command)


def simulate_main() -> None:
    """Run `beliefgraph simulate` as `python -m beliefgraph.simulate`."""
    simulate_command(prog_name="python -m beliefgraph.simulate")
