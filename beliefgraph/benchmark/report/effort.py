"""The report's section on what answers took (time, tokens, cost), and answers that never vary."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from statistics import mean, median
from typing import Final

from beliefgraph.benchmark.report.layout import Cell, Row, Section, row, table
from beliefgraph.benchmark.report.report import Entry, Report
from beliefgraph.benchmark.run import Outcome

__all__ = ["constant_notes", "effort_section", "seconds_of"]

_NOT_TOLD: Final = "not told"
_KINDS: Final = {"bsi": "sign", "bdu_stance": "stance", "bdu_reason": "reason"}
_FEWEST: Final = 5
"""Items of a kind from which one and the same answer is worth a note."""


def effort_section(report: Report) -> Section | None:
    """Show seconds an item, and what a language model was asked and what it cost.

    None where no run kept any time.
    """
    twins = {each.strict for each in report.twins}
    entries = [entry for entry in report.entries if entry.number not in twins]
    if not any(outcome.seconds for entry in entries for outcome in entry.run.outcomes):
        return None
    return Section(
        key="effort",
        title="Time and cost",
        text=(
            "Wall time of a prediction on the machine that ran it; fitting on other people, and "
            "items whose answer came from a cache, are left out. A predictor that reads an "
            "interview once takes its time at the first item of it. Tokens and cost are "
            "what the answers took when they were paid, those in a cache included; strict twins "
            "are not counted here.",
        ),
        tables=(
            table(
                "Seconds, tokens and cost",
                ("Run", ">Items", ">Seconds an item", ">Calls", ">From a cache",
                 ">Prompt tokens", ">Answer tokens", ">Cost"),
                [_effort(entry) for entry in entries],
            ),
        ),
        notes=tuple(constant_notes(entries)),
    )  # fmt: skip


def seconds_of(outcomes: Sequence[Outcome]) -> tuple[float, float, int]:
    """Return mean and median seconds of the items that were timed, and their number."""
    timed = [o.seconds for o in outcomes if not o.details.get("from_cache")]
    if not timed:
        return nan, nan, 0
    return mean(timed), median(timed), len(timed)


def constant_notes(entries: Sequence[Entry]) -> list[str]:
    """Name the runs that give one and the same answer to all items of a kind and scale."""
    said: dict[str, list[str]] = {}
    for entry in entries:
        kinds: dict[tuple[str, int, int], list[int | None]] = {}
        for o in entry.run.outcomes:
            kinds.setdefault((o.task, o.scale.low, o.scale.high), []).append(o.value)
        for (task, low, high), values in kinds.items():
            if len(values) >= _FEWEST and len(set(values)) == 1 and values[0] is not None:
                scale = "" if task == "bsi" else f" from {low} to {high}"
                what = f"{values[0]:+d}" if task == "bsi" else f"{values[0]}"
                text = f"the answer is {what} to all {_KINDS[task]} items{scale} ({len(values)})"
                said.setdefault(text, []).append(str(entry.number))
    return [
        f"Run{'s' * (len(numbers) > 1)} {', '.join(numbers)}: {text}; such a run does not tell "
        "people apart there."
        for text, numbers in said.items()
    ]


def _effort(entry: Entry) -> Row:
    outcomes = entry.run.outcomes
    average, middle, n = seconds_of(outcomes)
    seconds = Cell(_short(average), f"median {_short(middle)}") if n else Cell("not timed")
    if 0 < n < len(outcomes):
        seconds = Cell(seconds.text, f"{seconds.below}, {n} timed")
    asked = [o.details for o in outcomes if "calls" in o.details]
    if not asked:
        return row(entry.label, str(len(outcomes)), seconds, "", "", "", "", "")
    counts = [
        _sum([details.get(name) for details in asked])
        for name in ("calls", "from_cache", "prompt_tokens", "completion_tokens")
    ]
    cost = _sum([details.get("cost") for details in asked])
    return row(
        entry.label,
        str(len(outcomes)),
        seconds,
        *(_NOT_TOLD if count is None else f"{count:,.0f}" for count in counts),
        Cell("no prices") if cost is None else Cell(f"{cost:.4g}", f"{cost / len(asked):.2g} each"),
    )


def _sum(values: Sequence[float | None]) -> float | None:
    """Add up; None where one is not known."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _short(seconds: float) -> str:
    """Write seconds with two figures below ten, and whole ones above.

    >>> _short(0.00041), _short(0.52), _short(3.25), _short(41.7)
    ('< 0.01', '0.52', '3.2', '42')
    """
    if seconds < 0.01:
        return "< 0.01"
    return f"{seconds:.2f}" if seconds < 1 else f"{seconds:.{1 if seconds < 10 else 0}f}"
