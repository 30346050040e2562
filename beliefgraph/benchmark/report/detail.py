"""The report's sections behind the main figures: people, calibration, controls, robustness."""

from __future__ import annotations

from math import isnan, nan
from typing import Final

from beliefgraph.benchmark.metrics import Metric
from beliefgraph.benchmark.report.figures import NOT_SCORED, Figure, number_text
from beliefgraph.benchmark.report.layout import Cell, Row, Section, Table, figure_cell, row, table
from beliefgraph.benchmark.report.plots import (
    Curve,
    Dots,
    participant_plot,
    reliability_plot,
)
from beliefgraph.benchmark.report.report import HEADLINE, Entry, Report, unit_of
from beliefgraph.benchmark.run import ControlResult

__all__ = [
    "control_section",
    "direction_section",
    "metric_section",
    "participant_section",
    "reliability_section",
    "robustness_section",
    "unanswered_section",
]

_PLOTTED: Final = ("bsi_acc", "bdu_acc", "bdu_mae", "bdu_dir_acc")
_SPANS: Final = {"bdu_mae": (0.0, 4.0)}
_EVENTS: Final = {
    "bsi": "BSI: the sign is positive",
    "bdu": "BDU: within the tolerance",
}
_WAYS: Final = {
    "mae=linear": "errors on ten points times 4/9, not halved",
    "previous=true": "predicted change from the true baseline",
    "unparsed=exclude": "items without an answer left out",
    "tolerance=0": "exact answers only",
    "tolerance=1": "one point off counts, on every scale",
    "items=without_experience": "without the experience questions",
    "items=stance": "stance items only",
    "average=pooled": "over all items, not the mean of domains",
}
_CHANGES: Final = ("down", "same", "up")


def participant_section(report: Report) -> Section:
    """Show every participant's figures: as dots, and as a table."""
    plots = []
    for metric in _PLOTTED:
        dots = []
        for entry in report.entries:
            values = [own[metric] for own in entry.participants.values()]
            mean = entry.figures["overall"][metric]
            dots.append(Dots(entry.number, tuple(v for v in values if not isnan(v)), mean))
        title = HEADLINE[metric] + (" (lower is better)" if metric == "bdu_mae" else "")
        plots.append(participant_plot(title, dots, _SPANS.get(metric, (0.0, 100.0))))
    rows = [
        row(
            f"{person}, {entry.label}",
            *(number_text(own[name], unit_of(name)) for name in HEADLINE),
            str(sum(o.participant == person for o in entry.run.outcomes)),
        )
        for entry in report.entries
        for person, own in entry.participants.items()
    ]
    columns = ("Participant, run", *(f">{name}" for name in HEADLINE.values()), ">Items")
    return Section(
        key="participants",
        title="By participant",
        text=(
            "One dot a participant; the line is the run's overall figure. A participant has few "
            "items, so single dots are coarse: look at the spread.",
        ),
        plots=tuple(plots),
        folded=(
            table("Figures over all items of a participant; not scored: too few", columns, rows),
        ),
        fold="Figures by participant",
        legend=True,
    )


def reliability_section(report: Report) -> Section | None:
    """Show whether probabilities mean what they say, for the runs that give any."""
    having = [entry for entry in report.entries if any(entry.reliability.values())]
    if not having:
        return Section(
            key="reliability",
            title="Reliability",
            text=("Not scored: no run gives a distribution over the answers.",),
        )
    plots, rows = [], []
    for event, title in _EVENTS.items():
        curves = [
            Curve(entry.number, entry.reliability[event])
            for entry in having
            if entry.reliability[event]
        ]
        if curves:
            plots.append(reliability_plot(title, curves))
        rows += [
            row(
                f"{title}, {entry.label}",
                number_text(each.predicted, "coefficient"),
                number_text(each.observed, "coefficient"),
                str(each.n),
            )
            for entry in having
            for each in entry.reliability[event]
        ]
    without = [str(e.number) for e in report.entries if e not in having]
    text = [
        "Predictions in ten bins by their probability, against the share that came true; on the "
        "broken line both are the same. Marks grow with the number of predictions."
    ]
    if without:
        text.append(f"Runs without distributions, not scored: {', '.join(without)}.")
    columns = ("Event, run", ">Predicted", ">Came true", ">Items")
    return Section(
        key="reliability",
        title="Reliability",
        text=tuple(text),
        plots=tuple(plots),
        folded=(table("The bins", columns, rows),),
        legend=True,
    )


def direction_section(report: Report) -> Section:
    """Show the true changes of stance against the predicted ones."""
    tables, empty = [], []
    for entry in report.entries:
        if any(n for counts in entry.confusion.values() for n in counts.values()):
            tables.append(_confusion(entry))
        else:
            empty.append(str(entry.number))
    text = [
        "Later stances against the same participant's baseline stance: rows are what the person "
        "did, columns what was predicted (from the predicted baseline). Counts of pairs, and the "
        "share of the row; darker is more."
    ]
    if empty:
        text.append(
            f"Not scored: no pair of stances in {'runs' if len(empty) > 1 else 'run'} "
            f"{', '.join(empty)}."
        )
    return Section(
        key="direction",
        title="Direction of change",
        text=tuple(text),
        tables=tuple(tables),
    )


def _confusion(entry: Entry) -> Table:
    columns = [*_CHANGES, "no answer"]
    if not any(entry.confusion[true]["no answer"] for true in _CHANGES):
        columns.remove("no answer")
    rows = []
    for true in _CHANGES:
        counts = entry.confusion[true]
        n = sum(counts.values())
        cells = [
            Cell(str(counts[name]), f"{counts[name] / n:.0%}" if n else "", counts[name] / (n or 1))
            for name in columns
        ]
        rows.append(Row((Cell(true), *cells)))
    names = ("Person", *(f">{name}" for name in columns))
    return table(f"{entry.label} ({entry.conditions})", names, rows, compact=True)


def unanswered_section(report: Report) -> Section:
    """Say how often there was no answer, and why."""
    rows = []
    for entry in report.entries:
        n = len(entry.run.outcomes)
        missing = sum(entry.unanswered.values())
        why = "; ".join(f"{reason} ({count})" for reason, count in entry.unanswered.items())
        rate = number_text(100 * missing / n, "percent") if n else NOT_SCORED
        rows.append(row(entry.label, f"{missing} of {n}", rate, why or "none"))
    return Section(
        key="unanswered",
        title="Items without an answer",
        text=(
            "An item without an answer (unparsed, or the predictor could not) counts as wrong "
            "with the greatest possible error. The published scorer leaves such items out in one "
            "place; the table of variants below shows what that would change.",
        ),
        tables=(table("Items without an answer, by reason", ("Run", ">Items", ">%", "Why"), rows),),
    )


def control_section(report: Report) -> Section:
    """Show what became of the figures when the interview was changed."""
    rows = []
    for entry in report.entries:
        if not entry.controls:
            continue
        cells = [figure_cell(entry.figures["overall"][name]) for name in HEADLINE]
        rows.append(row(Cell(entry.label, entry.conditions), *cells, "", ""))
        for control in entry.controls:
            name = control.control.replace(":", ": ").replace(">", " > ")
            own = entry.figures.get(control.control.rpartition(">")[2], {})
            cells = [_control_cell(control, metric, own.get(metric)) for metric in HEADLINE]
            rows.append(
                row(
                    Cell(name, f"{control.draws} draws" * (control.draws > 1)),
                    *cells,
                    f"{control.changed} of {control.items}",
                    control.note or "",
                    kind="quiet",
                )
            )
    if not rows:
        return Section(
            key="controls",
            title="Controls",
            text=(
                "Not scored: no run holds controls. Without them a good figure does not show that "
                "the predictor reads the interview.",
            ),
        )
    columns = ("Run, control", *(f">{name}" for name in HEADLINE.values()), ">Items changed",
               "Note")  # fmt: skip
    return Section(
        key="controls",
        title="Controls",
        text=(
            "What became of the overall figures when the interview was taken away, exchanged or "
            "cut. A predictor that reads the person falls; one that does not change does not use "
            "it. Where a control is drawn several times: mean, and in brackets the least and the "
            "greatest (a range over draws, no interval over participants). A control from one "
            "domain to another asks the second domain's items only: its figures stand above the "
            "run's own there.",
        ),
        tables=(table("Controls below the run they belong to", columns, rows),),
    )


def _control_cell(control: ControlResult, metric: str, own: Figure | None) -> Cell:
    """Show a control's figure, and below it what it is to be compared with, if not the run's."""
    unit = unit_of(metric)
    known = control.figures.get(metric) or (None, None, None)
    mean, least, most = (nan if x is None else x for x in known)
    if isnan(mean):
        return Cell(NOT_SCORED, "no such items")
    if least != most:
        return figure_cell(Figure(mean, least, most, unit))
    return Cell(number_text(mean, unit), f"own: {own.number}" if own is not None else "")


def robustness_section(report: Report) -> Section:
    """Show what single people, domains and choices of scoring change."""
    shown = [
        row(
            f"{report.entry(one.number).label}, {HEADLINE[one.metric]}",
            one.what,
            _without(one.least, one.without[0]),
            report.entry(one.number).figures["overall"][one.metric].number,
            _without(one.most, one.without[1]),
        )
        for one in report.stability
    ]
    columns = ("Run, figure", "Left out", ">Least", ">With all", ">Greatest")
    names = [f">Run {entry.number}" for entry in report.entries]
    ranks = [
        row(
            Cell(rank.variant, _WAYS.get(rank.variant, "")),
            *map(figure_cell, rank.figures),
            figure_cell(rank.tau),
        )
        for rank in report.ranks
    ]
    text = [
        "Each overall figure with one participant or one domain left out in turn, between the "
        "least and the greatest value that it takes; and the ATI under other ways of scoring, "
        "each changing one choice.",
    ]
    if len(report.entries) > 1:
        text.append(
            "Kendall's tau-b says how far a way of scoring ranks the runs as the published one "
            "does: 1 the same, \u22121 the reverse."
        )
    if report.ranking is not None:
        first = [
            f"run {entry.number} {share:.0%}"
            for entry, share in zip(report.entries, report.ranking.first, strict=True)
            if not isnan(share)
        ]
        text.append(
            "When participants are drawn anew, tau-b with the order as it is has the mean "
            f"{report.ranking.tau.text}; share of the draws in which a run is the best of those on "
            f"{report.entries[0].run.context} contexts: "
            f"{', '.join(first) or NOT_SCORED}."
        )
    return Section(
        key="robustness",
        title="Robustness",
        text=tuple(text),
        tables=(table("ATI by way of scoring", ("Way of scoring", *names, ">tau-b"), ranks),),
        folded=(table("One participant or one domain left out", columns, shown),),
        fold="Leave one participant or one domain out",
    )


def _without(figure: Figure, name: str) -> Cell:
    return Cell(figure.number, f"without {name}" if figure.scored else figure.reason)


def metric_section(report: Report) -> Section:
    """Show every registered metric."""
    rows = []
    for metric in report.metrics:
        if metric.name in HEADLINE:
            continue
        for scope in ("overall", "pooled"):
            figures = (entry.figures[scope][metric.name] for entry in report.entries)
            name = Cell(_metric_name(metric)) if scope == "overall" else Cell("pooled")
            rows.append(
                Row((name, *map(figure_cell, figures)), kind="" if scope == "overall" else "quiet")
            )
    columns = ("Metric", *(f">Run {entry.number}" for entry in report.entries))
    definitions = [
        row(metric.name, metric.title, metric.formula, metric.source) for metric in report.metrics
    ]
    return Section(
        key="metrics",
        title="Further metrics",
        folded=(
            table("Overall, and below it pooled", columns, rows),
            table("Definitions", ("Metric", "What it is", "Formula", "Source"), definitions),
        ),
        fold="All registered metrics, with their definitions",
    )


def _metric_name(metric: Metric) -> str:
    better = {"higher": "higher is better", "lower": "lower is better", "none": "best is "}
    said = better[metric.direction] + (f"{metric.best:g}" if metric.direction == "none" else "")
    return f"{metric.title} ({metric.unit}; {said})"
