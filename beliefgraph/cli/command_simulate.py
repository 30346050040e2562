"""`beliefgraph simulate`: what an intervention would do to a person's stance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from beliefgraph.cli.base import BeliefCommand, check_output, note, usage
from beliefgraph.cli.options import amounts, common_options, interview_argument
from beliefgraph.cli.subjects import Selection, find_subjects, graph_of, notes_on
from beliefgraph.errors import StanceError

if TYPE_CHECKING:
    from beliefgraph.graph import BeliefGraph
    from beliefgraph.simulate import SimulationConfig

__all__ = ["simulate_command"]

EXAMPLES = (
    "beliefgraph simulate examples/interviews/bus_lanes_tyt.csv",
    'beliefgraph simulate examples/interviews/bus_lanes_tyt.csv --do "Bus speed=0.8"',
    'beliefgraph simulate examples/interviews/bus_lanes_tyt.csv --shift "bus speed=0.3" --json',
    'beliefgraph simulate examples/interviews/bus_lanes_tyt.csv --scenario "buses get faster"',
    'beliefgraph simulate examples/interviews/bus_lanes_tyt.csv --do "Bus speed=0.8" '
    "--html page.html",
    'beliefgraph simulate examples/interviews/bus_lanes_tyt.csv --do "Bus speed=0.8" '
    "--survey examples/surveys/bus_lanes.yaml",
    "beliefgraph simulate examples/interviews",
)


@click.command("simulate", cls=BeliefCommand, examples=EXAMPLES)
@interview_argument
@click.option(
    "--do",
    "do",
    multiple=True,
    metavar="CONCEPT=VALUE",
    help="Hold a concept at a value in [-1, 1]; 0 is as things are now. Repeatable.",
)
@click.option(
    "--shift",
    "shift",
    multiple=True,
    metavar="CONCEPT=AMOUNT",
    help="Add to the push on a concept; what moves it now still does. Repeatable.",
)
@click.option(
    "--scenario",
    metavar="TEXT",
    help='Read the interventions from words, such as "rents drop by 15%".',
)
@click.option(
    "--survey",
    metavar="FILE",
    type=click.Path(),
    help="Survey file (YAML or JSON): also give the stance and every reason on its scales.",
)
@click.option(
    "--config",
    "config_file",
    metavar="FILE",
    type=click.Path(),
    help="JSON file with any of these options; those given here win.",
)
@click.option(
    "--mechanism",
    type=click.Choice(["tanh", "linear", "logistic", "threshold"]),
    default="tanh",
    show_default=True,
    help="How pushes become a concept's value.",
)
@click.option(
    "--samples", "n_samples", type=int, default=10_000, show_default=True, help="Sampled worlds."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random numbers.")
@click.option(
    "--level",
    type=float,
    default=0.9,
    show_default=True,
    help="Share of the worlds that an interval holds.",
)
@click.option(
    "--on-cycle",
    type=click.Choice(["drop_weakest", "raise", "unroll", "fcm"]),
    default="drop_weakest",
    show_default=True,
    help="What to do with influences that close a loop.",
)
@click.option(
    "--paths",
    type=click.IntRange(min=1),
    default=5,
    show_default=True,
    help="How many of the strongest paths to show.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(),
    help="Also draw the graph and the outcome as one self-contained page.",
)
@common_options
@click.pass_context
def simulate_command(context: click.Context, /, **options: Any) -> None:
    """Predict how a person's stance would move.

    INTERVIEW is an interview (CSV, JSON, JSON lines or text), a saved graph, or a folder of
    interviews, which gives one row a person and topic. Without --do, --shift or --scenario it
    shows the stance now, and the concepts you can intervene on.
    """  # fmt: skip
    config = _configuration(context, options)
    config.check()
    chosen = Selection(
        options["participant"], options["topic"], options["file_format"], options["stance"]
    )
    path, html = options["interview"], options["html"]
    check_output(html, path)
    subjects = find_subjects(path, chosen)
    if subjects.several:
        from beliefgraph.cli.batch import run_batch

        if html:
            raise usage(
                "--html draws one graph, and this holds several interviews; choose one with "
                "--participant and --topic"
            )
        context.exit(run_batch(subjects, chosen, config, as_json=options["as_json"]))
    graph = graph_of(subjects, chosen)
    _simulate(graph, config, options["paths"], as_json=options["as_json"], html=html)


def _configuration(context: click.Context, options: dict[str, Any]) -> SimulationConfig:
    """Merge the options given with those of the file; the given ones win."""
    from beliefgraph.simulate import SimulationConfig

    base = (
        SimulationConfig.load(options["config_file"])
        if options["config_file"]
        else SimulationConfig()
    )
    scalars = ("scenario", "mechanism", "n_samples", "seed", "level", "on_cycle", "survey")
    given = {
        name: options[name]
        for name in scalars
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    return base.replace(
        do={**base.do, **amounts(options["do"], "--do")},
        shift={**base.shift, **amounts(options["shift"], "--shift")},
        **given,
    )


def _simulate(
    graph: BeliefGraph, config: SimulationConfig, paths: int, *, as_json: bool, html: str | None
) -> None:
    from beliefgraph.cli import report, tables
    from beliefgraph.simulate import read_scenario

    if not graph.intervenable:
        raise StanceError(
            f"{graph.stance!r}: no influence leads to the stance, so nothing can move it. Name "
            "another stance with --stance, or see what was read with: beliefgraph extract"
        )
    matches = read_scenario(graph, config.scenario) if config.scenario is not None else []
    chosen = config.resolve(graph)
    result = chosen.run(graph)
    notes = notes_on(graph.transcript)
    if html:
        _write_page(graph, result, html)
    if as_json:
        scenario = report.scenario_json(config.scenario, matches) if config.scenario else None
        report.print_json(report.result_json(graph, result, chosen, scenario, notes, paths))
        return
    if config.scenario is not None:
        tables.print_scenario(config.scenario, matches)
    if config.acts:
        tables.print_result(graph, result, paths)
        notes += [*result.notes, *result.explain(paths).notes]
    else:
        tables.print_stance(graph, result, shifted=False)
        tables.print_answers(result, shifted=False)
        tables.print_intervenable(graph, result)
    tables.print_notes(notes)
    if html:
        note(f"wrote {html}")


def _write_page(graph: BeliefGraph, result: Any, html: str) -> None:
    from beliefgraph.errors import GraphError
    from beliefgraph.formats.files import write_text
    from beliefgraph.formats.html import graph_page

    write_text(html, graph_page(graph, result), error=GraphError)
