"""What a simulation's result says, as rows for a page; it reads results by their field names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

from markupsafe import Markup

from beliefgraph.errors import InterventionError
from beliefgraph.formats.svg import signed
from beliefgraph.graph import BeliefGraph, Influence

__all__ = ["Row", "levels", "marks", "outcome"]

Row = dict[str, Any]

_MOVED, _SHOWN = 0.005, 8


def levels(result: Any) -> dict[str, tuple[float, float]]:
    """Return every concept's level before and after; empty without a result."""
    if result is None:
        return {}
    return {row.name: (float(row.before), float(row.after)) for row in _shifts(result)}


def marks(result: Any) -> dict[str, str]:
    """Return what was done to each concept, as a short text such as "do(+0.80)"."""
    found: dict[str, list[str]] = {}
    for part in _done(result):
        found.setdefault(part["name"], []).append(f"{part['kind']}({part['amount']})")
    return {name: ", ".join(parts) for name, parts in found.items()}


def outcome(
    graph: BeliefGraph, result: Any, done: Mapping[str, str], row: Callable[[Influence], Row]
) -> Row | None:
    """Return the tables of a result: the stance, the concepts that moved most, the paths.

    Parameters
    ----------
    graph
        The graph that was intervened on.
    result
        What `beliefgraph.intervene` returned; None gives None.
    done
        See `marks`.
    row
        Makes the row of an influence, with its quotes.
    """
    if result is None:
        return None
    stance = result.stance
    configuration = getattr(result, "configuration", {})
    paths, path_notes = _paths(result)
    moved = [
        item
        for item in _shifts(result)
        if item.name != stance.name and abs(item.shift) >= _MOVED and item.name not in done
    ]
    moved.sort(key=lambda item: -abs(item.shift))
    return {
        "stance_rows": [_shift(stance)],
        "answers": _answers(result),
        "asked_about": getattr(getattr(result, "reasons", None), "topic", ""),
        "movers": [_shift(item) for item in moved[:_SHOWN]],
        "done": _done(result),
        "compared": _parts(configuration.get("before") or {}),
        "level": f"{100 * configuration.get('level', 0.9):g}%",
        "notes": [str(note) for note in getattr(result, "notes", ())],
        "paths": [_path(graph, path, row) for path in paths],
        "path_notes": [str(note) for note in path_notes],
    }


def _done(result: Any) -> list[Row]:
    return _parts(getattr(result, "configuration", {}))


def _parts(chosen: Mapping[str, Any]) -> list[Row]:
    return [
        {
            "kind": kind,
            "name": name,
            "by": " by " if kind == "shift" else " = ",
            "amount": _amount(amount),
        }
        for kind in ("do", "shift", "noise")
        for name, amount in (chosen.get(kind) or {}).items()
    ]


def _shifts(result: Any) -> list[Any]:
    concepts = result.concepts
    rows = list(concepts.values() if isinstance(concepts, Mapping) else concepts)
    known = {row.name for row in rows}
    return rows if result.stance.name in known else [result.stance, *rows]


def _amount(value: Any) -> str:
    if isinstance(value, (int, float)):
        return signed(float(value))
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        return " to ".join(_amount(end) for end in value)
    return str(value)


def _span(interval: Any) -> str:
    if interval is None:
        return ""
    low, high = interval
    return f"[{signed(float(low))}, {signed(float(high))}]"


def _shift(item: Any) -> Row:
    return {
        "name": item.name,
        "before": signed(item.before),
        "after": signed(item.after),
        "shift": signed(item.shift),
        "interval": _span(item.interval),
        "strip": _strip(item),
    }


def _answers(result: Any) -> list[Row]:
    """Return the stance and the reasons on the survey's scales; empty without a survey."""
    stance = getattr(result, "survey_stance", None)
    if stance is None:
        return []
    rows = [("Stance", stance, "", "the stance", "")]
    for item in result.reasons:
        rows.append((item.code, item, item.speaks, item.tied_to or "nothing", item.note))
    return [
        {
            "name": f"{code}: {item.text}",
            "speaks": speaks,
            "scale": f"{item.scale.low} to {item.scale.high}",
            "before": f"{item.before:.2f}",
            "after": f"{item.after:.2f}",
            "shift": signed(item.shift),
            "interval": _span(item.interval) if isfinite(item.interval[0]) else "not sampled",
            "tied_to": tied,
            "note": note,
        }
        for code, item, speaks, tied, note in rows
    ]


def _strip(item: Any) -> Markup:
    """Draw before and after on [-1, 1], each a dot with its interval."""

    def at(value: float) -> str:
        return f"{90 + 82 * min(1.0, max(-1.0, value)):.1f}"

    parts = [
        Markup('<line x1="8" x2="172" y1="13" y2="13" stroke="#d5d9e0"/>'),
        Markup('<line x1="90" x2="90" y1="1" y2="25" stroke="#6b7280"/>'),
    ]
    for value, interval, colour, y in (
        (item.before, getattr(item, "before_interval", None), "#8b93a1", 8),
        (item.after, getattr(item, "after_interval", None), "#1a1a1a", 18),
    ):
        if interval is not None:
            parts.append(
                Markup(
                    '<line x1="{}" x2="{}" y1="{y}" y2="{y}" stroke="{c}" stroke-width="2"/>'
                ).format(at(interval[0]), at(interval[1]), y=y, c=colour)
            )
        parts.append(
            Markup('<circle cx="{}" cy="{}" r="4.5" fill="{}"/>').format(at(value), y, colour)
        )
    label = f"before {signed(item.before)} (grey), after {signed(item.after)} (black)"
    return Markup(
        '<svg role="img" aria-label="{}" viewBox="0 0 180 26" width="180" height="26">{}</svg>'
    ).format(label, Markup("").join(parts))


def _paths(result: Any) -> tuple[Sequence[Any], Sequence[str]]:
    try:
        explanation = result.explain()
    except (AttributeError, InterventionError) as problem:  # a result that holds no graph
        return (), (str(problem),) if isinstance(problem, InterventionError) else ()
    return explanation.paths, getattr(explanation, "notes", ())


def _path(graph: BeliefGraph, path: Any, row: Callable[[Influence], Row]) -> Row:
    amount = float(path.contribution)
    edges = [graph.influence(a, b) for a, b in pairwise(path.concepts)]
    return {
        "steps": path.concepts,
        "sign": "pos" if amount > 0 else "neg" if amount < 0 else "nil",
        "says": f"{signed(amount)}, {path.share:.0%} of what all paths carry",
        "edges": [row(edge) for edge in edges if edge is not None],
    }
