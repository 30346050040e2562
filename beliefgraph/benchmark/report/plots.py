"""The plots of a report as inline SVG: intervals by domain, people, calibration.

A run is told by its number and the shape of its mark; colour only repeats that. Every plot names
what it shows to a screen reader, and the numbers behind it stand in a table of the report.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from beliefgraph.benchmark.report.figures import Figure, number_text

__all__ = [
    "PLOT_STYLE",
    "Bin",
    "Curve",
    "Dots",
    "Group",
    "Mark",
    "interval_plot",
    "participant_plot",
    "reliability_plot",
    "run_mark",
]

_WIDTH: Final = 360.0
_LEFT, _RIGHT = 46.0, 14.0
_ROW, _GAP, _TITLE = 17.0, 10.0, 20.0
_AXIS: Final = 26.0
_SIDE: Final = 320.0
_STACK: Final = 5.0
_COLOURS: Final = 6
_LETTER: Final = 7.6
"""Width of a letter of a title, a little more than most fonts take."""

PLOT_STYLE: Final = """
.bp { font: 13px/1.3 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; max-width: 100%; height: auto }
.bp text { fill: var(--ink) } .bp .bp-quiet { fill: var(--muted) }
.bp .bp-title { font-weight: 600 } .bp .bp-end { text-anchor: end } .bp .bp-mid { text-anchor: middle }
.bp .bp-grid { stroke: var(--line) } .bp .bp-axis { stroke: var(--ink) }
.bp .bp-whole { stroke: var(--ink); stroke-dasharray: 4 3 }
.bp .bp-bar { stroke-width: 2 } .bp .bp-hollow { fill: var(--paper) !important; stroke-width: 1.5 }
.c0 { fill: var(--c0); stroke: var(--c0) } .c1 { fill: var(--c1); stroke: var(--c1) }
.c2 { fill: var(--c2); stroke: var(--c2) } .c3 { fill: var(--c3); stroke: var(--c3) }
.c4 { fill: var(--c4); stroke: var(--c4) } .c5 { fill: var(--c5); stroke: var(--c5) }
.bp polyline { fill: none; stroke-width: 1.5 }
""".strip()  # noqa: E501


@dataclass(frozen=True, slots=True)
class Mark:
    """A figure of one run in an interval plot."""

    run: int
    """Number of the run, from 1."""
    figure: Figure


@dataclass(frozen=True, slots=True)
class Group:
    """The runs' figures on one domain."""

    name: str
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Dots:
    """One value a participant, of one run."""

    run: int
    values: tuple[float, ...]
    mean: Figure


@dataclass(frozen=True, slots=True)
class Bin:
    """Predictions with about one probability, and how often they came true."""

    predicted: float
    observed: float
    n: int


@dataclass(frozen=True, slots=True)
class Curve:
    """The bins of one run."""

    run: int
    bins: tuple[Bin, ...]


def interval_plot(title: str, groups: Sequence[Group], span: tuple[float, float]) -> Markup:
    """Draw one metric by domain: a mark a run, with its interval.

    Parameters
    ----------
    title
        The metric, with its unit and direction.
    groups
        One a domain; the overall figure is one of them.
    span
        Ends of the axis; figures beyond them widen it.
    """
    figures = [mark.figure for group in groups for mark in group.marks]
    low, high, ticks = _axis(span, (x for f in figures for x in (f.value, f.low, f.high)))
    rows = sum(len(group.marks) for group in groups)
    height = _TITLE + rows * _ROW + len(groups) * (_TITLE + _GAP) + _AXIS
    scale = _Scale(low, high, _LEFT, _WIDTH - _RIGHT)
    body = [_text(0, 14, _shorten(title), "bp-title")]
    body += _ticks(scale, ticks, _TITLE + 4, height - _AXIS, height - 8)
    y = _TITLE
    for group in groups:
        y += _GAP
        body.append(_text(0, y + 13, _shorten(group.name), "bp-quiet"))
        y += _TITLE
        for mark in group.marks:
            body.append(_row(mark, scale, y + _ROW / 2))
            y += _ROW
    said = "; ".join(
        f"{group.name}: " + ", ".join(f"run {m.run} {m.figure.text}" for m in group.marks)
        for group in groups
    )
    return _svg(f"{title}. {said}", _WIDTH, height, body)


def participant_plot(title: str, runs: Sequence[Dots], span: tuple[float, float]) -> Markup:
    """Draw one dot a participant, stacked where they coincide, and the mean as a line."""
    low, high, ticks = _axis(span, (x for run in runs for x in run.values))
    scale = _Scale(low, high, _LEFT, _WIDTH - _RIGHT)
    stacks = [_stacks(run.values, scale) for run in runs]
    rooms = [max(2, max(map(len, stack.values()), default=0)) * _STACK + 14 for stack in stacks]
    height = _TITLE + sum(rooms) + 6 + _AXIS
    body = [_text(0, 14, _shorten(title), "bp-title")]
    body += _ticks(scale, ticks, _TITLE + 4, height - _AXIS, height - 8)
    y, said = _TITLE, []
    for run, stack, room in zip(runs, stacks, rooms, strict=True):
        y += room
        body.append(_text(_LEFT - 10, y + 1, str(run.run), "bp-end"))
        for x, values in stack.items():
            body += [
                run_mark(run.run, x, y - 2 - level * _STACK, 2.4) for level in range(len(values))
            ]
        if run.mean.scored:
            x = scale(run.mean.value)
            body.append(_line(x, x, y - room + 8, y + 4, "bp-axis"))
        said.append(f"run {run.run}: {_spread(run, unit=run.mean)}")
    return _svg(f"{title}, one dot a participant. {'; '.join(said)}", _WIDTH, height, body)


def reliability_plot(title: str, curves: Sequence[Curve]) -> Markup:
    """Draw how often predictions with one probability came true, against that probability."""
    side = _SIDE - _LEFT - _RIGHT
    height = _TITLE + side + _AXIS + 24
    across = _Scale(0, 1, _LEFT, _SIDE - _RIGHT)
    up = _Scale(0, 1, _TITLE + 8 + side, _TITLE + 8)
    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    body = [_text(0, 14, _shorten(title, _SIDE), "bp-title")]
    for tick in ticks:
        body += [
            _line(across(tick), across(tick), up(0), up(1), "bp-grid"),
            _line(across(0), across(1), up(tick), up(tick), "bp-grid"),
            _text(across(tick), up(0) + 16, f"{tick:g}", "bp-quiet bp-mid"),
            _text(_LEFT - 6, up(tick) + 4, f"{tick:g}", "bp-quiet bp-end"),
        ]
    body.append(_line(across(0), across(1), up(0), up(1), "bp-whole"))
    body.append(_text(across(0.5), up(0) + 34, "predicted probability", "bp-quiet bp-mid"))
    most = max((b.n for curve in curves for b in curve.bins), default=1)
    for curve in curves:
        points = " ".join(f"{_n(across(b.predicted))},{_n(up(b.observed))}" for b in curve.bins)
        colour = _colour(curve.run)
        body.append(
            Markup('<polyline class="{}" style="fill:none" points="{}"/>').format(colour, points)
        )
        for b in curve.bins:
            size = 2.5 + 4 * math.sqrt(b.n / most)
            body.append(run_mark(curve.run, across(b.predicted), up(b.observed), size))
    said = "; ".join(
        f"run {curve.run}: "
        + ", ".join(f"{b.predicted:.2f} came true {b.observed:.2f} (n {b.n})" for b in curve.bins)
        for curve in curves
    )
    return _svg(f"{title}: predicted probability and how often. {said}", _SIDE, height, body)


def run_mark(run: int, x: float, y: float, size: float, *, hollow: bool = False) -> Markup:
    """Draw the mark of a run: its shape is told by its number."""
    name = f"{_colour(run)} bp-hollow" if hollow else _colour(run)
    shape = (run - 1) % 6
    if shape == 0:
        return Markup('<circle class="{}" cx="{}" cy="{}" r="{}"/>').format(
            name, _n(x), _n(y), _n(size)
        )
    corners = {
        1: [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        2: [(0, -1.2), (1.1, 0.85), (-1.1, 0.85)],
        3: [(0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)],
        4: [(0, 1.2), (1.1, -0.85), (-1.1, -0.85)],
        5: [(-0.4, -1.1), (0.4, -1.1), (0.4, -0.4), (1.1, -0.4), (1.1, 0.4), (0.4, 0.4),
            (0.4, 1.1), (-0.4, 1.1), (-0.4, 0.4), (-1.1, 0.4), (-1.1, -0.4), (-0.4, -0.4)],
    }[shape]  # fmt: skip
    points = " ".join(f"{_n(x + size * dx)},{_n(y + size * dy)}" for dx, dy in corners)
    return Markup('<polygon class="{}" points="{}"/>').format(name, points)


@dataclass(frozen=True, slots=True)
class _Scale:
    """Map values onto pixels."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)


def _axis(
    span: tuple[float, float], values: Iterable[float]
) -> tuple[float, float, tuple[float, ...]]:
    """Widen the ends so that every value is inside, and place ticks on round numbers."""
    seen = [value for value in values if not math.isnan(value)]
    low, high = min([span[0], *seen]), max([span[1], *seen])
    raw = (high - low) / 4
    power = 10 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.99)
    low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
    count = round((high - low) / step)
    return low, high, tuple(low + i * step for i in range(count + 1))


def _ticks(
    scale: _Scale, ticks: Sequence[float], top: float, bottom: float, text_y: float
) -> list[Markup]:
    made = []
    for tick in ticks:
        x = scale(tick)
        made.append(_line(x, x, top, bottom, "bp-grid"))
        made.append(
            _text(x, text_y, f"{round(tick, 6):g}".replace("-", "\u2212"), "bp-quiet bp-mid")
        )
    return made


def _row(mark: Mark, scale: _Scale, y: float) -> Markup:
    figure = mark.figure
    made = _text(_LEFT - 10, y + 4.5, str(mark.run), "bp-end")
    if not figure.scored:
        return made + _text(_LEFT, y + 4.5, "not scored", "bp-quiet")
    if figure.has_interval:
        colour = f"{_colour(mark.run)} bp-bar"
        made += _line(scale(figure.low), scale(figure.high), y, y, colour)
    return made + run_mark(mark.run, scale(figure.value), y, 4.2, hollow=not figure.has_interval)


def _stacks(values: Sequence[float], scale: _Scale) -> dict[float, list[float]]:
    """Put values that would overlap into one column."""
    columns: dict[float, list[float]] = {}
    for value in sorted(values):
        x = round(scale(value) / (_STACK + 0.5)) * (_STACK + 0.5)
        columns.setdefault(x, []).append(value)
    return columns


def _spread(run: Dots, unit: Figure) -> str:
    if not run.values:
        return "no participant is scored"
    least, most = (number_text(x, unit.unit) for x in (min(run.values), max(run.values)))
    return f"{len(run.values)} participants from {least} to {most}, mean {unit.number}"


def _colour(run: int) -> str:
    return f"c{(run - 1) % _COLOURS}"


def _shorten(text: str, width: float = _WIDTH) -> str:
    most = int(width / _LETTER)
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _line(x: float, x2: float, y: float, y2: float, name: str) -> Markup:
    return Markup('<line class="{}" x1="{}" x2="{}" y1="{}" y2="{}"/>').format(
        name, _n(x), _n(x2), _n(y), _n(y2)
    )


def _text(x: float, y: float, text: str, name: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}">{}</text>').format(name, _n(x), _n(y), text)


def _svg(said: str, width: float, height: float, body: Iterable[Markup]) -> Markup:
    return Markup(
        '<svg class="bp" role="img" aria-label="{said}" viewBox="0 0 {w} {h}" width="{w}" '
        'height="{h}">{body}</svg>'
    ).format(said=said, w=math.ceil(width), h=math.ceil(height), body=Markup("").join(body))
