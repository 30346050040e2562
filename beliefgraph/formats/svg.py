"""A belief graph as one inline SVG: sign by colour and dash, confidence by width."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping, Sequence

from markupsafe import Markup

from beliefgraph.formats.layout import Box, Layout, Point, lay_out
from beliefgraph.graph import BeliefGraph, Concept, Evidence, Feedback, Influence

__all__ = ["STYLE", "draw", "signed", "wrap"]

_WIDTH, _PAD, _FONT, _LINE = 164.0, 10.0, 14.0, 18.0
_HEAD = 10.0
_VALUE_ROOM, _MARK_ROOM = 35.0, 20.0

STYLE = """
.bg-svg { font: 14px/1.3 system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; background: #fff }
.bg-svg a { cursor: pointer; text-decoration: none }
.bg-svg a:focus { outline: none }
.bg-svg text { fill: #1a1a1a; unicode-bidi: isolate }
.bg-node rect { fill: #fff; stroke: #6b7280; stroke-width: 1.25 }
.bg-stance > rect { fill: #fff3c4; stroke: #1a1a1a; stroke-width: 2.5 }
.bg-stance > rect.bg-inner { fill: none; stroke-width: 1 }
.bg-stance text.bg-label { font-weight: 700 }
.bg-done > rect { fill: #eef0f3; stroke: #1a1a1a; stroke-width: 2 }
.bg-apart > rect { stroke-dasharray: 2 3 }
.bg-node text.bg-mark { font-weight: 700 }
.bg-node text.bg-number { font-size: 14px; font-variant-numeric: tabular-nums }
.bg-node rect.bg-rail { fill: #e5e7eb; stroke: none }
.bg-node rect.bg-before { fill: #8b93a1; stroke: none }
.bg-node rect.bg-after { fill: #1a1a1a; stroke: none }
.bg-node line { stroke: #1a1a1a; stroke-width: 1 }
.bg-edge path { fill: none; stroke-linecap: butt }
.bg-edge path.bg-hit { stroke: #000; stroke-opacity: 0; stroke-width: 13; pointer-events: stroke }
.bg-pos path.bg-line { stroke: #0062a3 }
.bg-neg path.bg-line { stroke: #c44601; stroke-dasharray: 8 4 }
.bg-nil path.bg-line, .bg-back path.bg-line { stroke: #6b7280; stroke-dasharray: 1.5 4 }
.bg-pos polygon { fill: #0062a3 } .bg-neg polygon { fill: #c44601 }
.bg-nil polygon, .bg-back polygon { fill: #6b7280 }
.bg-edge circle { fill: #fff; stroke: #1a1a1a; stroke-width: 1.25 }
.bg-edge text { font-size: 14px; font-weight: 700; text-anchor: middle }
.bg-edge:hover path.bg-line, .bg-edge:focus path.bg-line, .bg-edge.bg-on path.bg-line
  { stroke-opacity: 1; filter: drop-shadow(0 0 2px #1a1a1a) }
.bg-node:hover > rect:first-of-type, .bg-node:focus > rect:first-of-type,
.bg-node.bg-on > rect:first-of-type { stroke: #1a1a1a; stroke-width: 3.5 }
.bg-picked .bg-edge:not(.bg-on) { opacity: .16 }
""".strip()


def draw(
    graph: BeliefGraph,
    values: Mapping[str, tuple[float, float]],
    marks: Mapping[str, str],
    anchors: Mapping[str | tuple[str, str], str] | None = None,
) -> tuple[Markup, Layout]:
    """Draw the graph.

    Parameters
    ----------
    graph
        What to draw.
    values
        Level of concepts before and after an intervention; those that move show it as bars.
    marks
        What was done to concepts, as a short text.
    anchors
        Ids of the places that boxes and arrows link to; without them there are no links, and
        the quotes stand in the tool tips.
    """
    values = {
        name: pair
        for name, pair in values.items()
        if name == graph.stance or name in marks or signed(pair[0]) != signed(pair[1])
    }
    lines = {name: wrap(name) for name in graph.names}
    busiest = {
        name: max(
            sum(edge.target == name for edge in graph.influences),
            sum(edge.source == name for edge in graph.influences),
        )
        for name in graph.names
    }
    heights = {
        name: max(
            len(lines[name]) * _LINE
            + 16
            + (_VALUE_ROOM if name in values else 0)
            + (_MARK_ROOM if name in marks else 0),
            (12.0 if name == graph.stance else 9.0) * busiest[name] + 14,
        )
        for name in graph.names
    }
    layout = lay_out(graph, heights, _WIDTH)
    parts = []
    for item in graph.feedback:
        parts.append(_edge(item.influence, layout, anchors, item))
    # Strong arrows last, so that they lie on top.
    for edge in sorted(graph.influences, key=lambda edge: abs(edge.weight) * edge.confidence):
        parts.append(_edge(edge, layout, anchors, None))
    if layout.apart:
        y = layout.apart_y
        parts.append(
            Markup(
                '<line x1="14" x2="{x}" y1="{y}" y2="{y}" stroke="#c3c8d0"/>'
                '<text x="14" y="{t}">Spoken of, tied to nothing:</text>'
            ).format(x=_n(layout.width - 14), y=_n(y + 4), t=_n(y + 26))
        )
    for concept in graph.concepts:
        parts.append(_node(concept, graph, layout, lines[concept.name], values, marks, anchors))
    count, edges = len(graph.concepts), len(graph.influences)
    title = (
        f"Belief graph: {count} concept{'s' * (count != 1)}, {edges} "
        f"influence{'s' * (edges != 1)}, stance: {graph.stance}"
    )
    picture = Markup(
        '<svg class="bg-svg" role="{role}" aria-label="{title}" viewBox="0 0 {w} {h}" '
        'width="{w}" height="{h}">{body}</svg>'
    ).format(
        role="group" if anchors else "img",
        title=title,
        w=math.ceil(layout.width),
        h=math.ceil(layout.height),
        body=Markup("\n").join(parts),
    )
    return picture, layout


def wrap(text: str, width: float = _WIDTH - 2 * _PAD, most: int = 3) -> list[str]:
    """Break a label into lines that fit a box; what does not fit ends in an ellipsis.

    >>> wrap("availability of affordable family housing")
    ['availability of', 'affordable family', 'housing']
    """
    lines: list[str] = []
    for word in text.split():
        if lines and _measure(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
            continue
        lines.append("")
        for letter in word:
            if lines[-1] and _measure(lines[-1] + letter) > width:
                lines.append("")
            lines[-1] += letter
    if len(lines) > most:
        last = lines[most - 1]
        while last and _measure(last + "…") > width:
            last = last[:-1]
        lines = [*lines[: most - 1], last + "…"]
    return lines or ["(blank)"]


def _measure(text: str) -> float:
    """Width in pixels, a little more than most sans-serif fonts take."""
    total = 0.0
    for letter in text:
        if unicodedata.combining(letter):
            continue
        if unicodedata.east_asian_width(letter) in "WF":
            total += 1.0
        elif letter in "ijl.,;:'|!()[] ":
            total += 0.34
        elif letter in "mwMW%@" or letter.isupper():
            total += 0.78
        else:
            total += 0.58
    return total * _FONT


def signed(value: float) -> str:
    """Write a number with its sign and two decimals.

    >>> signed(-0.004), signed(0.5), signed(-0.25)
    ('0.00', '+0.50', '\u22120.25')
    """
    rounded = round(value, 2)
    if rounded == 0:
        return "0.00"
    minus = "\u2212"  # the sign, not a hyphen: it is as wide as the plus
    return f"{'+' if rounded > 0 else minus}{abs(rounded):.2f}"


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _linked(
    name: str, label: str, tip: str, href: str | None, inside: Markup, data: Markup
) -> Markup:
    """Wrap a shape in a link where there is something to link to, else in a focusable group."""
    if href is not None:
        form = '<a class="{name}" href="#{href}" aria-label="{label}"{data}>{tip}{inside}</a>'
    else:
        form = '<g class="{name}" role="img" aria-label="{label}"{data}>{tip}{inside}</g>'
    title = Markup("<title>{}</title>").format(tip) if tip else Markup("")
    return Markup(form).format(
        name=name, label=label, tip=title, href=href, inside=inside, data=data
    )


def _edge(
    edge: Influence,
    layout: Layout,
    anchors: Mapping[str | tuple[str, str], str] | None,
    left_out: Feedback | None,
) -> Markup:
    points = layout.routes[edge.source, edge.target]
    (x0, _), (x, y) = points[-2:]
    # An arrow arrives level with the page: on a box's left side from the left, else from the right.
    box = layout.boxes[edge.target]
    ahead = 1 if x < box.x + box.width / 2 else -1
    tail = (x - ahead * _HEAD * 0.8, y)
    path = _path((*points[:-1], tail), bulge=x0 == x)
    size = 4.0 + 1.5 * edge.confidence
    head = Markup('<polygon points="{} {} {}"/>').format(
        f"{_n(x)},{_n(y)}",
        f"{_n(x - ahead * _HEAD)},{_n(y - size)}",
        f"{_n(x - ahead * _HEAD)},{_n(y + size)}",
    )
    sign = "pos" if edge.weight > 0 else "neg" if edge.weight < 0 else "nil"
    name = f"bg-edge bg-{'back' if left_out else sign}"
    wide = 1.2 if left_out else 1.0 + 4.0 * edge.confidence
    opacity = 0.75 if left_out else 0.5 + 0.5 * min(1.0, abs(edge.weight) / 0.8)
    inside = Markup(
        '<path class="bg-hit" d="{d}"/><path class="bg-line" d="{d}" '
        'stroke-width="{w}" stroke-opacity="{o}"/>{head}'
    ).format(d=path, w=f"{wide:.1f}", o=f"{opacity:.2f}", head=head)
    if edge.disagreement > 0 and not left_out:
        inside += _conflict(points)
    verb = {"pos": "raises", "neg": "lowers", "nil": "has no net effect on"}[sign]
    label = (
        f"{edge.source} {verb} {edge.target}: weight {signed(edge.weight)}, confidence "
        f"{edge.confidence:.2f}, {edge.n} mention{'s' * (edge.n != 1)}"
    )
    if edge.disagreement > 0:
        label += f", {edge.disagreement:.0%} disagree"
    if left_out:
        label = f"Left out (feedback): {label}. {left_out.reason}"
    href = anchors[edge.source, edge.target] if anchors else None
    tip = label if anchors else _tip(label, edge.evidence)
    data = Markup(' data-from="{}" data-to="{}"').format(edge.source, edge.target)
    return _linked(name, label, tip, href, inside, data)


def _path(points: Sequence[Point], *, bulge: bool) -> str:
    """Join way points by curves that leave and arrive level, so that they stay in their lanes."""
    (x, y), *rest = points
    parts = [f"M{_n(x)} {_n(y)}"]
    for x2, y2 in rest:
        if bulge:
            out = max(x, x2) + 30
            parts.append(f"C{_n(out)} {_n(y)} {_n(out)} {_n(y2)} {_n(x2)} {_n(y2)}")
        elif abs(y - y2) < 0.05:
            parts.append(f"H{_n(x2)}")
        else:
            middle = (x + x2) / 2
            parts.append(f"C{_n(middle)} {_n(y)} {_n(middle)} {_n(y2)} {_n(x2)} {_n(y2)}")
        x, y = x2, y2
    return "".join(parts)


def _conflict(points: Sequence[Point]) -> Markup:
    """Mark an influence whose mentions disagree, one third along its first stretch."""
    (x, y), (x2, y2) = points[:2]
    t = 0.3
    at = (1 - t) ** 3 + 3 * (
        1 - t
    ) ** 2 * t  # the curve's level end points have weight (1, 1, 0, 0)
    middle = (x + x2) / 2
    cx = (1 - t) ** 3 * x + 3 * (1 - t) * t * middle + t**3 * x2
    cy = at * y + (1 - at) * y2
    return Markup('<circle cx="{x}" cy="{y}" r="8.5"/><text x="{x}" y="{t}">≠</text>').format(
        x=_n(cx), y=_n(cy), t=_n(cy + 5)
    )


def _node(
    concept: Concept,
    graph: BeliefGraph,
    layout: Layout,
    lines: Sequence[str],
    values: Mapping[str, tuple[float, float]],
    marks: Mapping[str, str],
    anchors: Mapping[str | tuple[str, str], str] | None,
) -> Markup:
    name = concept.name
    box = layout.boxes[name]
    is_stance = name == graph.stance
    classes = ["bg-node"]
    classes += ["bg-stance"] * is_stance
    classes += ["bg-done"] * (name in marks) + ["bg-apart"] * (name in layout.apart)
    corner = 10 if is_stance else 5
    inside = _rect(box, corner)
    if is_stance:
        shrunk = Box(box.x + 4, box.y + 4, box.width - 8, box.height - 8)
        inside += _rect(shrunk, corner - 3, "bg-inner")
    middle = box.x + box.width / 2
    content = (
        len(lines) * _LINE
        + (_VALUE_ROOM if name in values else 0)
        + (_MARK_ROOM if name in marks else 0)
    )
    y = box.y + (box.height - content) / 2
    if name in marks:
        inside += _text(middle, y + 14, marks[name], "bg-mark")
        y += _MARK_ROOM
    for line in lines:
        inside += _text(middle, y + 13.5, line, "bg-label")
        y += _LINE
    label = f"{'Stance: ' if is_stance else ''}{name}"
    if name in marks:
        label += f", {marks[name]}"
    if name in values:
        before, after = values[name]
        inside += _bars(box, y + 3, before, after)
        label += f", before {signed(before)}, after {signed(after)}"
    href = anchors[name] if anchors else None
    tip = label if anchors else _tip(label, concept.evidence)
    data = Markup(' data-name="{}"').format(name)
    return _linked(" ".join(classes), label, tip, href, inside, data)


def _rect(box: Box, corner: float, name: str | None = None) -> Markup:
    return Markup('<rect{c} x="{x}" y="{y}" width="{w}" height="{h}" rx="{r}"/>').format(
        c=Markup(' class="{}"').format(name) if name else "",
        x=_n(box.x),
        y=_n(box.y),
        w=_n(box.width),
        h=_n(box.height),
        r=corner,
    )


def _text(x: float, y: float, text: str, name: str) -> Markup:
    return Markup('<text class="{}" x="{}" y="{}" text-anchor="middle">{}</text>').format(
        name, _n(x), _n(y), text
    )


def _bars(box: Box, y: float, before: float, after: float) -> Markup:
    """Two bars from the middle of a rail that spans [-1, 1], and the two numbers."""
    half = (box.width - 2 * _PAD - 8) / 2
    middle = box.x + box.width / 2
    out = _rect(Box(middle - half, y, 2 * half, 12), 0, "bg-rail")
    for value, name, top in ((before, "bg-before", y), (after, "bg-after", y + 6)):
        length = half * min(1.0, abs(value))
        left = middle if value >= 0 else middle - length
        out += _rect(Box(left, top + 0.5, max(length, 0.5), 5), 0, name)
    out += Markup('<line x1="{x}" x2="{x}" y1="{a}" y2="{b}"/>').format(
        x=_n(middle), a=_n(y - 1.5), b=_n(y + 13.5)
    )
    numbers = f"{signed(before)} → {signed(after)}"
    return out + _text(middle, y + 28, numbers, "bg-number")


def _tip(label: str, evidence: Sequence[Evidence]) -> str:
    quotes = [f"“{item.quote}” (turn {item.qa_id})" for item in evidence]
    return "\n".join([label, *quotes])
