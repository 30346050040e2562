"""Answers as tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from beliefgraph.cli.base import console, plain
from beliefgraph.graph import BeliefGraph, Evidence, Influence

if TYPE_CHECKING:
    from rich.table import Table

    from beliefgraph.simulate import AnswerShift, Path, Result, ScenarioMatch

__all__ = [
    "print_answers",
    "print_graph",
    "print_intervenable",
    "print_notes",
    "print_result",
    "print_scenario",
    "print_stance",
    "signed",
    "table",
]

_SHOWN = 8
"""Concepts in the table of those that moved most."""
_SMALLEST = 0.005
"""Shifts below this show as 0.00 and are no movers."""

_SILENT = {
    "mixed": "mixed, or it depends",
    "no_effect": "no effect",
    "dont_know": "don't know",
    "not_understood": "the question made no sense",
    "off_topic": "off the topic",
    "unstated": "an effect, its direction not said",
    "nothing": "no effect spoken of",
}


def signed(value: float) -> str:
    """Show a number with its sign and two digits.

    >>> signed(0.394), signed(-0.001)
    ('+0.39', '0.00')
    """
    shown = f"{value:+.2f}"
    return "0.00" if shown in ("+0.00", "-0.00") else shown


def span(interval: tuple[float, float]) -> str:
    """Show an interval.

    >>> span((0.1, 0.5))
    '[+0.10, +0.50]'
    """
    return f"[{signed(interval[0])}, {signed(interval[1])}]"


def table(title: str, columns: Iterable[str]) -> Table:
    """Make a table: columns that start with ">" hold numbers."""
    from rich import box
    from rich.table import Table

    made = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        number = name.startswith(">")
        made.add_column(
            name.removeprefix(">"),
            justify="right" if number else "left",
            no_wrap=number,
            overflow="fold",
        )
    return made


def print_result(graph: BeliefGraph, result: Result, paths: int) -> None:
    """Print the stance, the survey's answers, the concepts that moved most and the paths."""
    print_stance(graph, result, shifted=True)
    print_answers(result, shifted=True)
    _print_movers(result)
    _print_paths(result, paths)


def print_stance(graph: BeliefGraph, result: Result, *, shifted: bool) -> None:
    """Print the stance now, or before and after."""
    percent = f"{100 * result.configuration['level']:g}% interval"
    stance = result.stance
    people = ", ".join(part for part in (graph.participant, graph.topic) if part)
    title = plain(f"{people}: stance" if people else "Stance")
    if shifted:
        shown = table(title, ["stance", ">before", ">after", ">shift", f">{percent}"])
        shown.add_row(
            plain(stance.name),
            signed(stance.before),
            signed(stance.after),
            signed(stance.shift),
            span(stance.interval),
            style="bold",
        )
    else:
        shown = table(title, ["stance", ">now", f">{percent}"])
        shown.add_row(
            plain(stance.name), signed(stance.before), span(stance.before_interval), style="bold"
        )
    out = console()
    if shifted:
        out.print(plain(f"Intervention: {result.intervention}"))
    out.print(shown)


def print_answers(result: Result, *, shifted: bool) -> None:
    """Print the stance and the reasons on the survey's scales; nothing without a survey."""
    if result.survey_stance is None or result.reasons is None:
        return
    percent = f"{100 * result.configuration['level']:g}%"
    numbers = [">before", ">after", ">shift", f">{percent} interval"] if shifted else [">now"]
    title = plain(f"Answers to the survey on {result.reasons.topic!r}, expected")
    shown = table(title, ["question", "speaks", *numbers, "tied to"])
    stance = result.survey_stance
    rows = [
        (f"stance, {_ends(stance)}", stance, "", "the stance"),
        *(
            (f"{row.code}, {_ends(row)}: {row.text}", row, row.speaks, row.tied_to or "nothing")
            for row in result.reasons
        ),
    ]
    for asked, row, speaks, tied in rows:
        values = [f"{row.before:.2f}"]
        if shifted:
            values += [f"{row.after:.2f}", signed(row.shift), _sampled_span(row.interval)]
        shown.add_row(plain(asked), speaks, *values, plain(tied))
    out = console()
    out.print(shown)
    for row in result.reasons:
        if row.note:
            out.print(plain(f"{row.code} {row.note}."))
    if not len(result.reasons):
        out.print("The survey names no reasons.")


def _ends(row: AnswerShift) -> str:
    return f"{row.scale.low} to {row.scale.high}"


def _sampled_span(interval: tuple[float, float]) -> str:
    return span(interval) if math.isfinite(interval[0]) else "not sampled"


def print_intervenable(graph: BeliefGraph, result: Result) -> None:
    """Print the concepts that one can intervene on, those that move the stance most first."""
    effects = _linear_effects(graph)
    turns = {concept.name: concept.frequency for concept in graph.concepts}
    shown = table("Concepts you can intervene on", ["concept", ">effect on the stance", ">turns"])
    ranked = sorted(result.intervenable, key=lambda name: -abs(effects[name]))
    for name in ranked:
        shown.add_row(plain(name), signed(effects[name]), str(turns[name]))
    out = console()
    out.print(shown)
    out.print("Effect: expected change of the stance for +1 on the concept, linear model.")
    out.print(plain(f'Try: --do "{ranked[0]}=0.8"'))


def _linear_effects(graph: BeliefGraph) -> dict[str, float]:
    """Total effects on the stance, (I - C*W)^-1, by concept."""
    names = graph.names
    expected = graph.confidence_matrix() * graph.weight_matrix()
    total = np.linalg.inv(np.eye(len(names)) - expected)[:, names.index(graph.stance)]
    return dict(zip(names, map(float, total), strict=True))


def _print_movers(result: Result) -> None:
    held = {*result.configuration["do"], *result.configuration["shift"]}
    movers = [
        shift
        for shift in result.concepts
        if shift.name != result.stance.name and abs(shift.shift) >= _SMALLEST
    ]
    movers.sort(key=lambda shift: (shift.name not in held, -abs(shift.shift)))
    if not movers:
        return
    shown = table(
        "Concepts that moved most", ["concept", ">before", ">after", ">shift", ">interval"]
    )
    for shift in movers[:_SHOWN]:
        shown.add_row(
            plain(shift.name) + (" (set)" if shift.name in held else ""),
            signed(shift.before),
            signed(shift.after),
            signed(shift.shift),
            span(shift.interval),
        )
    out = console()
    out.print(shown)
    if len(movers) > _SHOWN:
        out.print(f"and {len(movers) - _SHOWN} more (--json lists all)")


def _print_paths(result: Result, paths: int) -> None:
    explanation = result.explain(paths)
    out = console()
    if not explanation.paths:
        out.print(plain(explanation.text()))
        return
    shown = table(
        f"Paths that carried it, {explanation.share_shown:.0%} of what all paths carry",
        [">share", ">adds", "path, and the words behind it"],
    )
    for path in explanation.paths:
        shown.add_row(f"{path.share:.0%}", signed(path.contribution), _path(path))
    out.print(shown)


def _path(path: Path) -> str:
    lines = [plain(" -> ".join(path.concepts))]
    for step in path.steps:
        lines += [
            plain(
                f"  {step.source} -> {step.target}: weight {signed(step.weight)}, "
                f"confidence {step.confidence:.2f}"
            ),
            *(f"    {_quote(item)}" for item in step.evidence),
        ]
    return "\n".join(lines)


def _quote(item: Evidence) -> str:
    return plain(f'"{" ".join(item.quote.split())}" (turn {item.qa_id})')


def print_scenario(text: str, matches: Sequence[ScenarioMatch]) -> None:
    """Print which concepts a scenario was taken to mean, and in which direction."""
    shown = table(
        plain(f"Scenario {text!r} is taken to mean"),
        ["concept", "direction", ">value", "read from", ">similarity"],
    )
    for match in matches:
        shown.add_row(
            plain(match.concept) + ("" if match.reaches_stance else " (no path to the stance)"),
            "more" if match.direction > 0 else "less",
            signed(match.value),
            plain(match.words),
            f"{match.similarity:.2f}",
        )
    console().print(shown)


def print_graph(graph: BeliefGraph) -> None:
    """Print what a graph holds: its stance, its influences with their quotes, its loops."""
    out = console()
    out.print(plain(repr(graph)))
    stance = graph.concept(graph.stance)
    out.print(plain(f"Stance now: {signed(stance.baseline)} (sd {stance.baseline_sd:.2f})"))
    if graph.influences:
        out.print(_influences("Influences", graph.influences))
    if graph.feedback:
        out.print(
            _influences("Left out to break loops", [item.influence for item in graph.feedback])
        )
        for item in graph.feedback:
            out.print(plain(f"  {item.reason}"))
    silent = _silent_turns(graph)
    if silent:
        shown = table("Answers without a signed influence", ["what was said", ">answers"])
        for kind, count in silent.items():
            shown.add_row(kind, str(count))
        out.print(shown)


def _influences(title: str, edges: Iterable[Influence]) -> Table:
    shown = table(title, ["influence, and the words behind it", ">weight", ">confidence"])
    for edge in sorted(edges, key=lambda edge: -abs(edge.weight) * edge.confidence):
        quotes = "".join(f"\n  {_quote(item)}" for item in edge.evidence)
        shown.add_row(
            plain(f"{edge.source} -> {edge.target}") + quotes,
            signed(edge.weight),
            f"{edge.confidence:.2f}",
        )
    return shown


def _silent_turns(graph: BeliefGraph) -> dict[str, int]:
    counts: dict[str, int] = {}
    for reading in graph.readings:
        if reading.kind in _SILENT:
            said = _SILENT[reading.kind]
            counts[said] = counts.get(said, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def print_notes(notes: Iterable[str]) -> None:
    """Print what a reader of the numbers should know."""
    out = console()
    for note in dict.fromkeys(notes):
        out.print(plain(f"Note: {note}"))
