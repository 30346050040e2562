"""Where a belief graph's boxes and arrows stand: a layered (Sugiyama) drawing, causes to the left.

A concept's layer is its longest path to the stance, so that every arrow points to the right. In
interviews most concepts point straight at the stance, which would make one tall column: a layer
with too many boxes is spread over several columns, and an arrow that passes a column gets a lane
of its own there, between the boxes, as long arrows do in any layered drawing. The first order is
by the pull on the stance (raising it at the top, lowering it at the bottom); barycentre sweeps
change it only where that removes crossings. Nothing is random.

Sources: Sugiyama, Tagawa and Toda (1981), IEEE Trans. SMC 11(2), for layers, lanes and sweeps;
the heights solve a weighted least-squares problem in every column by pooling adjacent violators.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from beliefgraph.graph import BeliefGraph

__all__ = ["Box", "Layout", "Point", "lay_out"]

Point = tuple[float, float]
Pair = tuple[str, str]

_LANE, _BOX_GAP, _LANE_GAP = 11.0, 18.0, 6.0
_MIN_CHANNEL, _MAX_CHANNEL = 64.0, 150.0
_MANY_COLUMNS, _NARROW_CHANNEL = 6, 48.0
_MARGIN = 14.0
_SWEEPS = 16


@dataclass(frozen=True)
class Box:
    """The rectangle of one concept; `x`, `y` is its upper left corner, in pixels."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Layout:
    """A finished drawing: boxes by concept, way points by (source, target)."""

    width: float
    height: float
    boxes: Mapping[str, Box]
    routes: Mapping[Pair, tuple[Point, ...]]
    """From border to border; between two points of different height the arrow bends."""
    apart: tuple[str, ...]
    """Concepts without any influence, set below the drawing."""
    apart_y: float
    """Where their part begins."""


@dataclass(eq=False)
class _Item:
    """A box, or the lane of an arrow that passes a column."""

    name: str | None
    height: float
    pull: float
    y: float = 0.0
    left: list[_Item] = field(default_factory=list)
    right: list[_Item] = field(default_factory=list)


def lay_out(graph: BeliefGraph, heights: Mapping[str, float], width: float = 160.0) -> Layout:
    """Place every concept and route every influence, feedback too.

    Parameters
    ----------
    graph
        What to draw.
    heights
        Height of each concept's box, in pixels.
    width
        Width of all boxes.
    """
    pairs = [(edge.source, edge.target) for edge in graph.influences]
    back = [(item.influence.source, item.influence.target) for item in graph.feedback]
    tied = {name for pair in (*pairs, *back) for name in pair} | {graph.stance}
    apart = tuple(name for name in graph.names if name not in tied)
    pull = _pulls(graph)

    columns = _columns(graph, [name for name in graph.names if name in tied], pull)
    place = {name: c for c, column in enumerate(columns) for name in column}
    items = {name: _Item(name, heights[name], pull[name]) for name in place}
    grid = [[items[name] for name in column] for column in columns]
    chains: dict[Pair, list[_Item]] = {}
    for source, target in (*pairs, *back):
        # An arrow that runs to the left is laid out as if it ran to the right, then turned.
        a, b = sorted((source, target), key=place.__getitem__)
        lanes = [_Item(None, _LANE, pull[a]) for _ in range(place[a] + 1, place[b])]
        for c, lane in enumerate(lanes, start=place[a] + 1):
            grid[c].append(lane)
        chain = [items[a], *lanes, items[b]]
        chains[source, target] = chain
        if place[a] < place[b]:
            for here, there in pairwise(chain):
                here.right.append(there)
                there.left.append(here)

    grid = _ordered([sorted(column, key=lambda item: -item.pull) for column in grid])
    _set_heights(grid)
    return _draw(graph, grid, chains, heights, width, apart, place)


def _pulls(graph: BeliefGraph) -> dict[str, float]:
    """Return the expected total effect of each concept on the stance in the linear model."""
    pull = dict.fromkeys(graph.names, 0.0)
    pull[graph.stance] = 1.0
    for name in reversed(graph.topological_order):
        if name != graph.stance:
            pull[name] = sum(
                edge.weight * edge.confidence * pull[edge.target]
                for edge in graph.influences
                if edge.source == name
            )
    return pull


def _layers(graph: BeliefGraph, names: Sequence[str]) -> dict[str, int]:
    """Longest path to the stance; side branches stand one step after what they come from."""
    parents: dict[str, list[str]] = {name: [] for name in names}
    children: dict[str, list[str]] = {name: [] for name in names}
    for edge in graph.influences:
        parents[edge.target].append(edge.source)
        children[edge.source].append(edge.target)
    order = [name for name in graph.topological_order if name in parents]
    layer = {graph.stance: 0}
    for name in reversed(order):
        below = [layer[child] for child in children[name] if child in layer]
        if below and name != graph.stance:
            layer[name] = 1 + max(below)
    for name in order:
        above = [layer[parent] for parent in parents[name] if parent in layer]
        if name not in layer and above:
            layer[name] = min(above) - 1
    for name in reversed(order):
        if name not in layer:
            layer[name] = max((1 + layer[child] for child in children[name]), default=1)
    return layer


def _columns(
    graph: BeliefGraph, names: Sequence[str], pull: Mapping[str, float]
) -> list[list[str]]:
    """Columns from left to right; a layer with too many concepts is spread over several."""
    layer = _layers(graph, names)
    has_cause = {edge.target for edge in graph.influences}
    rows = max(5, math.ceil(1.7 * math.sqrt(len(names))))
    columns: list[list[str]] = []
    for level in sorted(set(layer.values()), reverse=True):
        members = sorted(
            (name for name in names if layer[name] == level), key=lambda name: -pull[name]
        )
        count = math.ceil(len(members) / rows)
        limit = math.ceil(len(members) / count)
        split: list[list[str]] = [[] for _ in range(count)]
        # Concepts with causes go to the left, so that their own arrows pass no further column;
        # the others are dealt out in turn, so that neighbouring columns are staggered.
        last = [name for name in members if name == graph.stance]
        middle = [name for name in members if name in has_cause and name not in last]
        first = [name for name in members if name not in has_cause and name not in last]
        for name in last:
            split[-1].append(name)
        for name in middle:
            next(column for column in split if len(column) < limit).append(name)
        for turn, name in enumerate(first):
            room = [column for column in split if len(column) < limit]
            room[turn % len(room)].append(name)
        columns.extend(column for column in split if column)
    return columns


def _ordered(grid: list[list[_Item]]) -> list[list[_Item]]:
    """Barycentre sweeps to and fro; the order with the fewest crossings, the first if equal."""
    best, fewest = grid, _crossings(grid)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        at = {item: (i + 0.5) / len(column) for column in grid for i, item in enumerate(column)}
        grid = [list(column) for column in grid]
        to_right = sweep % 2 == 0
        for column in grid if to_right else grid[::-1]:
            wish = {}
            for item in column:
                near = item.left if to_right else item.right
                wish[item] = sum(at[other] for other in near) / len(near) if near else at[item]
            column.sort(key=wish.__getitem__)
            at.update({item: (i + 0.5) / len(column) for i, item in enumerate(column)})
        found = _crossings(grid)
        if found < fewest:
            best, fewest = grid, found
    return best


def _crossings(grid: Sequence[Sequence[_Item]]) -> int:
    total = 0
    for column, after in pairwise(grid):
        at = {item: i for i, item in enumerate(after)}
        seen: list[int] = []
        for item in column:
            ends = sorted(at[other] for other in item.right)
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            seen = sorted((*seen, *ends))
    return total


def _set_heights(grid: Sequence[Sequence[_Item]]) -> None:
    """Give every item its middle height: near its neighbours', in order, never overlapping."""
    for column in grid:
        _pool(column, [0.0] * len(column))
    for sweep in range(_SWEEPS):
        for column in grid if sweep % 2 else grid[::-1]:
            wishes = []
            for item in column:
                near = [*item.left, *item.right]
                wishes.append(sum(o.y for o in near) / len(near) if near else item.y)
            _pool(column, wishes)


def _pool(column: Sequence[_Item], wishes: Sequence[float]) -> None:
    """Least squares under minimum distances (pool adjacent violators)."""
    offset, offsets = 0.0, []
    for i, item in enumerate(column):
        if i:
            before = column[i - 1]
            boxes = (before.name is not None) + (item.name is not None)
            gap = (0.0, _LANE_GAP, _BOX_GAP)[boxes]
            offset += (before.height + item.height) / 2 + gap
        offsets.append(offset)
    blocks: list[tuple[float, float, int]] = []  # mean, weight, number of items
    for item, wish, shift in zip(column, wishes, offsets, strict=True):
        mean, weight, count = wish - shift, (1.0 if item.name else 2.0), 1
        while blocks and blocks[-1][0] >= mean:
            other, more, n = blocks.pop()
            mean = (mean * weight + other * more) / (weight + more)
            weight, count = weight + more, count + n
        blocks.append((mean, weight, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    for item, mean, shift in zip(column, means, offsets, strict=True):
        item.y = mean + shift


def _draw(
    graph: BeliefGraph,
    grid: Sequence[Sequence[_Item]],
    chains: Mapping[Pair, Sequence[_Item]],
    heights: Mapping[str, float],
    width: float,
    apart: tuple[str, ...],
    place: Mapping[str, int],
) -> Layout:
    every = [item for column in grid for item in column]
    top = min(item.y - item.height / 2 for item in every) - _MARGIN
    for item in every:
        item.y -= top
    bottom = max(item.y + item.height / 2 for item in every) + _MARGIN

    x_of: dict[_Item, float] = {}
    x = _MARGIN
    least = _NARROW_CHANNEL if len(grid) >= _MANY_COLUMNS else _MIN_CHANNEL
    for column in grid:
        x_of.update(dict.fromkeys(column, x))
        steep = [abs(item.y - other.y) for item in column for other in item.right]
        x += width + min(max(0.3 * max(steep, default=0), least), _MAX_CHANNEL)
    total = max(x_of.values()) + width + _MARGIN
    if any(place[a] == place[b] for a, b in chains):
        total += _MIN_CHANNEL / 2  # room for an arrow that bulges out of the last column

    boxes = {
        item.name: Box(x_of[item], item.y - item.height / 2, width, item.height)
        for item in every
        if item.name is not None
    }
    apart_y = bottom
    if apart:
        across = max(1, int((total - 2 * _MARGIN + _BOX_GAP) // (width + _BOX_GAP)))
        y = bottom + 40.0
        for start in range(0, len(apart), across):
            row = apart[start : start + across]
            for i, name in enumerate(row):
                left = _MARGIN + i * (width + _BOX_GAP)
                boxes[name] = Box(left, y, width, heights[name])
            y += max(heights[name] for name in row) + _BOX_GAP
        bottom = y - _BOX_GAP + _MARGIN
    routes = _routes(chains, x_of, width, place)
    in_order = {name: boxes[name] for name in graph.names}
    return Layout(total, bottom, in_order, routes, apart, apart_y)


def _routes(
    chains: Mapping[Pair, Sequence[_Item]],
    x_of: Mapping[_Item, float],
    width: float,
    place: Mapping[str, int],
) -> dict[Pair, tuple[Point, ...]]:
    """Way points of every arrow; arrows on one side of a box share it evenly."""
    sides: dict[tuple[_Item, bool], list[tuple[float, Pair]]] = {}
    for pair, chain in chains.items():
        level = place[pair[0]] == place[pair[1]]
        sides.setdefault((chain[0], True), []).append((chain[1].y, pair))
        sides.setdefault((chain[-1], level), []).append((chain[-2].y, pair))
    port: dict[tuple[_Item, Pair], float] = {}
    for (item, _), ends in sides.items():
        step = min(16.0, (item.height - 14) / max(1, len(ends) - 1))
        for i, (_, pair) in enumerate(sorted(ends, key=lambda end: end[0])):
            port[item, pair] = item.y + (i - (len(ends) - 1) / 2) * step
    routes = {}
    for pair, chain in chains.items():
        first, last = chain[0], chain[-1]
        level = place[pair[0]] == place[pair[1]]
        points = [(x_of[first] + width, port[first, pair])]
        for lane in chain[1:-1]:
            points += [(x_of[lane], lane.y), (x_of[lane] + width, lane.y)]
        points.append((x_of[last] + (width if level else 0), port[last, pair]))
        forward = first.name == pair[0]
        routes[pair] = tuple(points if forward else points[::-1])
    return routes
