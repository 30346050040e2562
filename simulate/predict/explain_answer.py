"""Why a graph gives an answer: what it rests on, with quotes, and what would have changed it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
    """
    behind = _behind(reading, question)
    parts = [_name(edge) for edge in behind[:_SHOWN]]
    lines = [f"rests on {', '.join(parts)}" if parts else "the graph says nothing that bears on it"]
    if question.task == "bsi" and reading.crowd:
        crowd = reading.sign_traits(question.factor or "").crowd
        lines.append(f"other people hold an effect of {crowd:+.2f} on average")
    if question.scenario:
        lines += _scenario(reading, question.scenario)
    if reading.profile.topics and question.task != "bsi":
        lines.append(f"on other topics the stated level is {reading.profile.level:+.2f}")
    change = _what_would_change(reading, behind, value, again)
    details = {}
    if change is not None:
        edge, other = change
        lines.append(f"without {_name(edge)} the answer would be {other}")
        details = {"would_change": {"source": edge.source, "target": edge.target, "value": other}}
    return Prediction(
        value=value,
        distribution=tuple(float(p) for p in probabilities / probabilities.sum()),
        evidence=_quotes(behind),
        explanation="; ".join(lines) + ".",
        details=details,
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
    """Return the influences that bear on a question, those that count most first."""
    graph = reading.graph
    into = [edge for edge in graph.influences if edge.target == graph.stance]
    if question.task == "bsi":
        weights = {n.concept: n.weight for n in reading.sign_traits(question.factor or "").concepts}
    elif question.reason:
        weights = {near.concept: near.weight for near in reading.said(question.reason)}
    else:
        weights = {}
    about = [edge for edge in graph.influences if edge.source in weights]
    rest = [edge for edge in into if edge not in about]

    def counts(edge: Influence) -> float:
        return abs(edge.weight) * edge.confidence * weights.get(edge.source, 1.0)

    return [*sorted(about, key=counts, reverse=True), *sorted(rest, key=counts, reverse=True)]


def _what_would_change(
    reading: GraphReading,
    behind: Sequence[Influence],
    value: int,
    again: Callable[[GraphReading], int],
) -> tuple[Influence, int] | None:
    """Return the first influence without which the answer would be another, and that answer."""
    for edge in behind[:_TRIED]:
        other = again(reading.without(edge))
        if other != value:
            return edge, other
    return None


def _name(edge: Influence) -> str:
    return f"{edge.source!r} -> {edge.target!r} ({edge.weight * edge.confidence:+.2f})"


def _quotes(behind: Sequence[Influence]) -> tuple[Evidence, ...]:
    return tuple(evidence for edge in behind[:_SHOWN] for evidence in edge.evidence[:1])
