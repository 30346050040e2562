"""Why a graph gives an answer: what it rests on, with quotes, and what would have changed it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from beliefgraph.graph import Evidence, Influence
from beliefgraph.simulate.predict.traits import GraphReading
from beliefgraph.survey import Prediction, Question

__all__ = ["explain_answer"]

_SHOWN = 3
"""Influences that an explanation names."""
_TRIED = 8
"""Influences that are taken away, one at a time, to find what would change the answer."""


def explain_answer(
    reading: GraphReading,
    question: Question,
    value: int,
    probabilities: NDArray[np.float64],
    *,
    again: Callable[[GraphReading], int],
    earlier: int | None = None,
) -> Prediction:
    """Return the prediction with what it rests on.

    Parameters
    ----------
    reading
        The person's graph.
    question
        What was asked.
    value, probabilities
        The answer, and its distribution.
    again
        Answers the same question from another graph.
    earlier
        The person's own earlier answer that the prediction starts from, where it is known.
    """
    behind = _behind(reading, question)
    parts = [_name(edge) for edge in behind[:_SHOWN]]
    level = question.task != "bsi" and earlier is None and reading.standpoint.stated
    if earlier is not None:
        parts.insert(0, f"the own earlier answer ({earlier})")
    if level:
        parts.insert(0, f"the stated level ({reading.standpoint.level:+.2f})")
    lines = [f"rests on {', '.join(parts)}" if parts else "the graph says nothing that bears on it"]
    if question.task == "bsi" and reading.crowd:
        crowd = reading.sign_traits(question.factor or "").crowd
        lines.append(f"other people hold an effect of {crowd:+.2f} on average")
    if question.scenario:
        lines += _scenario(reading, question.scenario)
    if reading.profile.topics and question.task != "bsi":
        lines.append(f"on other topics the stated level is {reading.profile.level:+.2f}")
    named, details = _what_would_change(reading, behind, value, again, level=level)
    if named:
        lines.append(f"without {named} the answer would be {details['value']}")
    return Prediction(
        value=value,
        distribution=tuple(float(p) for p in probabilities / probabilities.sum()),
        evidence=(*(_level_quote(reading) if level else ()), *_quotes(behind)),
        explanation="; ".join(lines) + ".",
        details={"would_change": details} if named else {},
    )


def _scenario(reading: GraphReading, text: str) -> list[str]:
    """Say what a scenario holds in this graph, and what other people's beliefs add to it."""
    effect = reading.scenario_effect(text)
    own = {k: v for k, v in effect.reading.values.items() if k not in effect.parts}
    held = ", ".join(f"{name} = {value:+.2f}" for name, value in own.items())
    lines = [f"the scenario holds {held or 'no concept of this graph'}"]
    if effect.parts:
        parts = ", ".join(f"{name} ({value:+.2f})" for name, value in effect.parts.items())
        lines.append(f"other people's beliefs add {parts}")
    return lines


def _behind(reading: GraphReading, question: Question) -> list[Influence]:
    """Return the influences that bear on a question, those that count most first.

    A stance rests on its stated level; after a scenario, also on what carries the scenario to it.
    """
    graph = reading.graph
    weights: dict[str, float] = {}
    if question.task == "bsi":
        weights = {n.concept: n.weight for n in reading.sign_traits(question.factor or "").concepts}
    elif question.reason:
        weights = {near.concept: near.weight for near in reading.said(question.reason)}
    if question.scenario and question.task == "bdu_stance":
        moved = [name for name in reading.scenario(question.scenario).values if name in graph.names]
        digraph = graph.to_networkx()
        reached = set(moved).union(*(nx.descendants(digraph, name) for name in moved))
        weights |= dict.fromkeys(reached, 1.0)
    about = [edge for edge in graph.influences if edge.source in weights]
    rest: list[Influence] = []
    if question.task == "bsi":  # the balance of the person's reasons counts for signs
        rest = [e for e in graph.influences if e.target == graph.stance and e not in about]

    def counts(edge: Influence) -> float:
        return abs(edge.weight) * edge.confidence * weights.get(edge.source, 1.0)

    return [*sorted(about, key=counts, reverse=True), *sorted(rest, key=counts, reverse=True)]


def _what_would_change(
    reading: GraphReading,
    behind: Sequence[Influence],
    value: int,
    again: Callable[[GraphReading], int],
    *,
    level: bool,
) -> tuple[str, dict[str, Any]]:
    """Name the first thing without which the answer would be another, and say which; "" if none."""
    if level:
        other = again(reading.without_level())
        if other != value:
            return "the stated level", {"level": 0.0, "value": other}
    for edge in behind[:_TRIED]:
        other = again(reading.without(edge))
        if other != value:
            return _name(edge), {"source": edge.source, "target": edge.target, "value": other}
    return "", {}


def _level_quote(reading: GraphReading) -> tuple[Evidence, ...]:
    """Return the first words that the level was read from."""
    return reading.graph.concept(reading.graph.stance).evidence[:1]


def _name(edge: Influence) -> str:
    return f"{edge.source!r} -> {edge.target!r} ({edge.weight * edge.confidence:+.2f})"


def _quotes(behind: Sequence[Influence]) -> tuple[Evidence, ...]:
    return tuple(evidence for edge in behind[:_SHOWN] for evidence in edge.evidence[:1])
