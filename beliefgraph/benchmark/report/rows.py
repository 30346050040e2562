"""A report's figures as data: one row a figure (CSV), and rows in the leaderboard's form (JSON).

Numbers here are not rounded for reading; a figure that was not scored is empty (CSV) or null
(JSON), with the reason beside it.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from math import isnan
from typing import TYPE_CHECKING, Any, Final

from beliefgraph.benchmark.report.report import HEADLINE

if TYPE_CHECKING:
    from beliefgraph.benchmark.report.figures import Figure
    from beliefgraph.benchmark.report.report import Entry, Report

__all__ = ["CSV_COLUMNS", "report_csv", "report_leaderboard"]

CSV_COLUMNS: Final = (
    "run", "name", "predictor", "protocol", "context", "seed", "scope", "metric", "value", "low",
    "high", "reason",
)  # fmt: skip
_DIGITS: Final = 6
"""More than any reader needs, and few enough to be the same on every platform."""
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def report_csv(report: Report) -> str:
    """Write every figure as a row of comma-separated values.

    Scopes are overall, pooled, `domain: NAME`, `participant: NAME`, `difference from run N`, and
    `published` (rows without a run's number). The seed is the run's own.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for entry in report.entries:
        for scope, figures in entry.figures.items():
            shown = scope if scope in ("overall", "pooled") else f"domain: {scope}"
            for metric, figure in figures.items():
                writer.writerow((*_run(entry), _safe(shown), metric, *_figure(figure)))
        for person, own in entry.scores.per_participant.items():
            for metric, value in own.items():
                cells = (_number(value), "", "", "too few items" if isnan(value) else "")
                writer.writerow((*_run(entry), _safe(f"participant: {person}"), metric, *cells))
    for one in report.differences:
        scope = f"difference from run {one.against}"
        writer.writerow((*_run(report.entry(one.number)), scope, one.metric, *_figure(one.figure)))
    for row in report.published:
        for metric in HEADLINE:
            cells = (_number(getattr(row, metric)), "", "", f"as printed ({row.source})")
            writer.writerow(("", _safe(row.model), "", "", "", "", "published", metric, *cells))
    return out.getvalue()


def report_leaderboard(report: Report) -> str:
    """Write one JSON row a run in the form of the published leaderboard.

    Besides model, the five figures and source, a row holds the protocol, the context, the
    intervals, the pooled figures, the counts, and why a figure is not scored.
    """
    rows = [_row(entry, report) for entry in report.entries]
    return json.dumps(rows, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _row(entry: Entry, report: Report) -> dict[str, Any]:
    import beliefgraph

    overall = {name: entry.figures["overall"][name] for name in HEADLINE}
    pooled = {name: entry.figures["pooled"][name] for name in HEADLINE}
    return {
        "model": entry.run.predictor,
        **{name: _json(figure.value) for name, figure in overall.items()},
        "source": f"beliefgraph {entry.run.versions.get('beliefgraph', beliefgraph.__version__)}",
        "protocol": entry.run.protocol,
        "context": entry.run.context,
        "items": len(entry.run.outcomes),
        "participants": entry.people["overall"],
        "intervals": {
            name: [_json(figure.low), _json(figure.high)] if figure.has_interval else None
            for name, figure in overall.items()
        },
        "interval_level": report.level,
        "pooled": {name: _json(figure.value) for name, figure in pooled.items()},
        "not_scored": {
            name: figure.reason for name, figure in overall.items() if not figure.scored
        },
        "no_answer": sum(entry.unanswered.values()),
        "notes": list(entry.run.notes),
    }


def _run(entry: Entry) -> Iterator[str]:
    run = entry.run
    yield str(entry.number)
    yield from map(_safe, (entry.name, run.predictor, run.protocol, run.context))
    yield str(run.seed)


def _figure(figure: Figure) -> tuple[str, str, str, str]:
    return (
        _number(figure.value),
        _number(figure.low),
        _number(figure.high),
        _safe(figure.reason),
    )


def _number(value: float) -> str:
    return "" if isnan(value) else repr(round(value, _DIGITS))


def _json(value: float) -> float | None:
    return None if isnan(value) else round(value, _DIGITS)


def _safe(text: str) -> str:
    """Keep a spreadsheet from reading a text as a formula.

    >>> _safe("=1+1"), _safe("majority")
    ("'=1+1", 'majority')
    """
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
