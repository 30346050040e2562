"""The report's sections in their order, and those that hold the main figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan
from pathlib import PurePath
from typing import Any, Final

from markupsafe import Markup

from beliefgraph.benchmark.report.detail import (
    control_section,
    direction_section,
    metric_section,
    participant_section,
    reliability_section,
    robustness_section,
    unanswered_section,
)
from beliefgraph.benchmark.report.effort import effort_section
from beliefgraph.benchmark.report.figures import Figure, p_text
from beliefgraph.benchmark.report.layout import Cell, Row, Section, figure_cell, row, table
from beliefgraph.benchmark.report.plots import Group, Mark, interval_plot
from beliefgraph.benchmark.report.published import COMPARABLE, PublishedRow
from beliefgraph.benchmark.report.report import HEADLINE, Difference, Entry, Report
from beliefgraph.benchmark.run import Run

__all__ = ["report_sections"]

_FEW_TAG: Final = "fewer than five people"
_SPANS: Final = {"bdu_mae": (0.0, 3.0)}
_SETTING_LENGTH: Final = 400


def report_sections(report: Report) -> tuple[Section, ...]:
    """Return the sections of a report; those that would say nothing are left out."""
    sections = (
        _what_was_run(report),
        _headline(report),
        _published(report),
        _twins(report),
        _differences(report),
        effort_section(report),
        _domains(report),
        participant_section(report),
        reliability_section(report),
        direction_section(report),
        unanswered_section(report),
        control_section(report),
        robustness_section(report),
        metric_section(report),
    )
    return tuple(section for section in sections if section is not None)


def _what_was_run(report: Report) -> Section:
    columns = ("Run", "Protocol", "Context", ">BSI items", ">BDU items", ">People", "Items from")
    rows, settings = [], []
    said: dict[str, list[str]] = {}
    for entry in report.entries:
        run, n = entry.run, entry.items
        rows.append(
            row(
                entry.label,
                run.protocol,
                run.context,
                str(n.get("bsi", 0)),
                str(sum(count for task, count in n.items() if task != "bsi")),
                str(entry.people["overall"]),
                _source(run),
            )
        )
        settings.append(
            row(entry.label, str(run.seed), _pairs(run.versions), _pairs(_settings(run)))
        )
        for note in (*run.notes, *_what_is_missing(run)):
            said.setdefault(note, []).append(str(entry.number))
    return Section(
        key="runs",
        title="What was run",
        tables=(table("One row a run; its number stands for it everywhere below", columns, rows),),
        notes=(*report.notes, *(f"{_runs(numbers)}: {note}" for note, numbers in said.items())),
        folded=(
            table("Seeds, versions and settings", ("Run", ">Seed", "Versions", "Settings"),
                   settings),
        ),
        fold="Seeds, versions and settings",
    )  # fmt: skip


def _headline(report: Report) -> Section:
    rows = []
    for entry in report.entries:
        rows.append(row(Cell(entry.label, entry.conditions), *_figures(entry, "overall")))
        rows.append(Row((Cell("pooled"), *_figures(entry, "pooled")), kind="quiet"))
    few = [f"{domain} ({counts})" for domain, counts in _few(report).items()]
    notes = []
    if few:
        notes.append(
            f"Domains with {_FEW_TAG}: {'; '.join(few)}. A mean of domains hangs on these people; "
            "look at the pooled figures too."
        )
    notes += _incomplete(report)
    return Section(
        key="headline",
        title="Headline figures",
        text=(
            "First the mean of the domains, as published; below it the figure pooled over all "
            "items. In brackets the interval. Lower is better for the MAE only.",
        ),
        tables=(
            table(
                f"Overall and pooled, with {report.level:.0%} intervals over participants",
                ("Run", *(f">{name}" for name in HEADLINE.values())),
                rows,
            ),
        ),
        notes=tuple(notes),
    )


def _incomplete(report: Report) -> Iterator[str]:
    """Say in how many draws a mean of domains lacks one, once for the runs that are alike."""
    alike: dict[str, list[str]] = {}
    for entry in report.entries:
        which = ", ".join(f"{HEADLINE[name]} {n}" for name, n in entry.incomplete.items())
        alike.setdefault(which, []).append(str(entry.number))
    for which, numbers in alike.items():
        if which:
            yield (
                f"{_runs(numbers)}: in some of the {report.n_resamples} draws nobody has items in "
                f"one of the domains; the mean is then over the rest ({which})."
            )


def _runs(numbers: Sequence[str]) -> str:
    return f"Run{'s' * (len(numbers) > 1)} {', '.join(numbers)}"


def _published(report: Report) -> Section | None:
    if not report.published:
        return None
    columns = ("Published row", *(f">{name}" for name in HEADLINE.values()), ">ATI recomputed",
               "Source")  # fmt: skip
    rows = [_published_row(each) for each in report.published]
    return Section(
        key="published",
        title="Published rows, as reference",
        notes=COMPARABLE,
        tables=(
            table(
                "As printed, rounded to two decimals; ATI also recomputed from the row's other "
                "four figures, from which some printed values do not follow",
                columns,
                rows,
            ),
        ),
        ruled=True,
    )


def _published_row(published: PublishedRow) -> Row:
    shown = [f"{getattr(published, name):.2f}" for name in HEADLINE]
    numbers = (*shown, f"{published.recomputed_ati:.2f}")
    return row(
        published.model, *(text.replace("-", "\u2212") for text in numbers), published.source
    )


def _twins(report: Report) -> Section | None:
    if not report.twins:
        return None
    rows = []
    for twins in report.twins:
        for number in (twins.released, twins.strict):
            entry = report.entry(number)
            name = Cell(entry.label, f"{entry.run.context} context")
            rows.append(row(name, *_figures(entry, "overall"), ""))
        changed = "not said" if twins.changed is None else f"{twins.changed} of {twins.n_items}"
        cells = (figure_cell(twins.differences[name], signed=True) for name in HEADLINE)
        rows.append(Row((Cell("released less strict"), *cells, Cell(changed)), kind="quiet"))
    return Section(
        key="strict",
        title="Released and strict contexts",
        text=(
            "The released contexts show some of the answers that the BSI items hide; the strict "
            "ones do not. A figure that falls on strict contexts was partly read off. The "
            "difference is paired: both runs are scored on the same draws of participants.",
        ),
        tables=(
            table(
                "Overall figures of the same predictor",
                ("Run", *(f">{name}" for name in HEADLINE.values()), ">Items that differ"),
                rows,
            ),
        ),
    )


def _differences(report: Report) -> Section | None:
    if not report.differences:
        return None
    pairs: dict[tuple[int, int], list[Difference]] = {}
    for one in report.differences:
        pairs.setdefault((one.number, one.against), []).append(one)
    rows = []
    for (number, against), group in pairs.items():
        entry = report.entry(number)
        cells = {one.metric: _difference_cell(one) for one in group}
        rows.append(
            row(
                Cell(entry.label, entry.conditions),
                f"run\u00a0{against}",
                *(cells[name] for name in HEADLINE),
                str(group[0].n_items),
            )
        )
    return Section(
        key="differences",
        title="Differences between runs",
        text=(
            f"Each run less the one it is compared with (run {report.against}, or its twin on the "
            "same context), paired: both are scored on the same items and the same draws of "
            "participants. p is two-sided; Holm's correction is over this whole table.",
        ),
        tables=(
            table(
                f"Paired differences of the overall figures, {report.level:.0%} intervals, p",
                ("Run", "Less", *(f">{name}" for name in HEADLINE.values()), ">Items"),
                rows,
            ),
        ),
    )


def _difference_cell(one: Difference) -> Cell:
    cell = figure_cell(one.figure, signed=True)
    if isnan(one.p):
        return cell
    said = f"{cell.below}\np {p_text(one.p)}, Holm {p_text(one.p_holm)}".strip()
    return replace(cell, below=said)


def _domains(report: Report) -> Section:
    few = _few(report)
    rows = [
        Row(
            (Cell(f"{domain}, {entry.label}"), *_figures(entry, domain),
             Cell(str(entry.people.get(domain, 0)))),
            tags=(_FEW_TAG,) if domain in entry.few else (),
        )
        for domain in report.domains
        for entry in report.entries
    ]  # fmt: skip
    columns = ("Domain, run", *(f">{name}" for name in HEADLINE.values()), ">People")
    return Section(
        key="domains",
        title="By domain",
        text=(
            "A mark is a run's figure, the bar its interval; a hollow mark has none. Compare "
            "runs by the differences above: intervals of two runs may overlap where their "
            "difference is clear.",
        ),
        plots=tuple(_domain_plot(report, name, few) for name in HEADLINE),
        folded=(table("Figures by domain", columns, rows),),
        legend=True,
    )


def _domain_plot(report: Report, metric: str, few: Mapping[str, str]) -> Markup:
    groups = [
        Group(
            f"{scope} ({_FEW_TAG})" if scope in few else scope,
            tuple(
                Mark(entry.number, _figure(entry, scope, metric)) for entry in report.entries
            ),
        )
        for scope in ("overall", "pooled", *report.domains)
    ]  # fmt: skip
    title = HEADLINE[metric] + (" (lower is better)" if metric == "bdu_mae" else "")
    return interval_plot(title, groups, _SPANS.get(metric, (0.0, 100.0)))


def _few(report: Report) -> dict[str, str]:
    """Domains with few people in any run, and how many."""
    few: dict[str, str] = {}
    for entry in report.entries:
        few = {**entry.few, **few}
    return few


def _figure(entry: Entry, scope: str, metric: str) -> Figure:
    figure = entry.figures.get(scope, {}).get(metric)
    return figure or Figure(nan, reason="no items in this domain")


def _figures(entry: Entry, scope: str) -> list[Cell]:
    return [figure_cell(_figure(entry, scope, name)) for name in HEADLINE]


def _source(run: Run) -> str:
    """Say where the items came from, without the folders of the machine."""
    given = run.configuration.get("items")
    return "/".join(PurePath(str(given)).parts[-2:]) if given else "not said"


def _what_is_missing(run: Run) -> Iterator[str]:
    if run.configuration.get("limit"):
        yield "only the first items were predicted"
    left_out = run.configuration.get("n_left_out")
    if left_out:
        yield f"parts of the files that could not be read as items, left out: {left_out}"
    if run.configuration.get("fitted_on_others"):
        yield (
            "fitted on other people; the intervals keep the fits as they were (beliefgraph "
            "evaluate --refit makes them anew in every draw)"
        )


def _settings(run: Run) -> dict[str, Any]:
    return {key: value for key, value in run.configuration.items() if key != "items"}


def _pairs(values: Mapping[str, Any]) -> str:
    shown = ", ".join(
        f"{key} {value if isinstance(value, str) else json.dumps(value, sort_keys=True)}"
        for key, value in values.items()
        if value is not None
    )
    return shown if len(shown) <= _SETTING_LENGTH else shown[:_SETTING_LENGTH] + "…"
