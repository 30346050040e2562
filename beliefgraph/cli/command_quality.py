"""`beliefgraph quality`: quality control of interviews, one row a person, and the study's flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from beliefgraph.cli.base import BeliefCommand, note
from beliefgraph.cli.options import common_options

if TYPE_CHECKING:
    from beliefgraph.extractors.quality import Check, CheckName, QualityReport
    from beliefgraph.extractors.quality_flow import FlowTable
    from beliefgraph.transcript import Transcript

__all__ = ["quality_command"]

EXAMPLES = (
    "beliefgraph quality examples/interviews/bus_lanes_tyt.csv",
    "beliefgraph quality examples/interviews --min-words 8 --min-concepts 6",
    "beliefgraph quality examples/interviews --json",
)

_SHOWN: dict[CheckName, str] = {
    "words_per_answer": "words",
    "concepts": "concepts",
    "silent_turns": "silent",
    "redundant_answers": "repeats",
    "meta_questioning": "meta",
}
"""Checks with a column of their own; the last column names every check that failed."""
_SHARES = ("redundant_answers", "meta_questioning", "silent_turns")


@click.command("quality", cls=BeliefCommand, examples=EXAMPLES)
@click.argument("path", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print reports and flow as JSON on stdout.")
@click.option(
    "--similarity",
    type=click.FloatRange(0, 1),
    default=0.8,
    show_default=True,
    help="From this similarity on, a later answer repeats an earlier one.",
)
@click.option(
    "--max-redundant",
    type=click.FloatRange(0, 1),
    default=0.3,
    show_default=True,
    help="Largest share of answers that repeat an earlier one.",
)
@click.option(
    "--max-meta",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="Largest share of answers that question the question or the interviewer.",
)
@click.option(
    "--min-words",
    "min_words_per_answer",
    type=click.FloatRange(0),
    default=5.0,
    show_default=True,
    help="Least mean number of words an answer.",
)
@click.option(
    "--min-total-words",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="Least number of words of the interview.",
)
@click.option(
    "--min-concepts",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="Least number of concepts, the stance included.",
)
@click.option(
    "--max-silent",
    type=click.FloatRange(0, 1),
    default=0.8,
    show_default=True,
    help="Largest share of turns that gave no influence.",
)
@click.option(
    "--max-hallucinated",
    type=click.FloatRange(0, 1),
    default=0.2,
    show_default=True,
    help="Largest share of answers with a line that speech recognition made up.",
)
@common_options
def quality_command(
    path: str,
    as_json: bool,
    file_format: str | None,
    participant: str | None,
    topic: str | None,
    stance: str | None,
    **thresholds: Any,
) -> None:
    """Check interviews: repeats, meta-level questions, length, concepts, turns that gave nothing.

    PATH is one interview, or a folder or file that holds several.
    """  # fmt: skip
    from beliefgraph.cli.report import print_json
    from beliefgraph.cli.subjects import Selection, find_subjects
    from beliefgraph.errors import GraphError
    from beliefgraph.extractors.quality_flow import quality_flow

    subjects = find_subjects(path, Selection(participant, topic, file_format, stance))
    if subjects.graph is not None:
        raise GraphError(f"{path}: this is a saved graph; give the interview it was read from")
    reports, notes = [], []
    for transcript in subjects.transcripts:
        report, why = _report(transcript, stance, thresholds)
        reports.append(report)
        notes += why
    flow = quality_flow(reports, unreadable=len(subjects.failed))
    if as_json:
        print_json(
            {
                "reports": [_json(report) for report in reports],
                "flow": flow.to_dict(),
                "failed": [{"path": where, "error": error} for where, error in subjects.failed],
                "notes": notes,
                "configuration": _configuration(stance, thresholds),
            }
        )
    else:
        _print(reports, flow)
        for text in notes:
            note(text)
    for where, error in subjects.failed:
        note(f"not read: {error if error.startswith(where) else f'{where}: {error}'}")


def _report(
    transcript: Transcript, stance: str | None, thresholds: dict[str, Any]
) -> tuple[QualityReport, list[str]]:
    """Check one interview; where no graph can be read, what needs one is not scored."""
    from beliefgraph.errors import BeliefGraphError, MissingPackageError
    from beliefgraph.extractors import extract
    from beliefgraph.extractors.quality import quality_report

    try:
        graph = extract(transcript, stance=stance)
    except MissingPackageError:
        raise
    except BeliefGraphError as problem:
        why = f"concepts and silent turns are not scored: {problem}"
        return quality_report(transcript, **thresholds), [why]
    return quality_report(transcript, graph, **thresholds), []


def _json(report: QualityReport) -> dict[str, Any]:
    checks = [{**check.model_dump(), "passed": check.passed} for check in report.checks]
    return {
        **report.model_dump(exclude={"checks"}),
        "passed": report.passed,
        "failed": list(report.failed),
        "checks": checks,
    }


def _configuration(stance: str | None, thresholds: dict[str, Any]) -> dict[str, Any]:
    import beliefgraph

    return {**thresholds, "stance": stance, "version": beliefgraph.__version__}


def _print(reports: list[QualityReport], flow: FlowTable) -> None:
    from beliefgraph.cli.base import console, plain
    from beliefgraph.cli.tables import table

    shown = table(
        "Quality, one row a person and topic (! = fails)",
        ["person", "topic", ">turns", *(f">{name}" for name in _SHOWN.values()), "verdict"],
    )
    for report in reports:
        who = report.participant or (report.source or "").rsplit("/", 1)[-1]
        shown.add_row(
            plain(who),
            plain(report.topic or ""),
            str(report.n_turns),
            *(_cell(report.check(name)) for name in _SHOWN),
            "passes" if report.passed else ", ".join(report.failed).replace("_", " "),
        )
    out = console()
    out.print(shown)
    out.print(flow.text(), soft_wrap=True)


def _cell(check: Check) -> str:
    if check.value is None:
        return "n/a"
    value = f"{check.value:.0%}" if check.name in _SHARES else f"{check.value:.3g}"
    return value + ("" if check.passed else "!")
