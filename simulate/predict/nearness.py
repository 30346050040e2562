"""Which concepts of a graph a text means, how nearly, and which way.

Labels are compared by their words (`beliefgraph.text.lexical_tie`) and, with an encoder, by
sentence vectors as well; the greater of the two weights counts. Which way is told by words alone:
vectors do not know "cheaper" from "dearer".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from beliefgraph.graph import BeliefGraph, Concept
from beliefgraph.simulate.scenario import read_scenario
from beliefgraph.text import Encoder, label_valence, lexical_tie, read_label

__all__ = ["Near", "concepts_near", "concepts_said"]

_LEAST_TIE: Final = 0.5
"""Lexical similarity from which a label is taken to mean a concept."""
_LEAST_COSINE: Final = 0.3
"""Cosine below which two labels have nothing to do with each other (MiniLM's usual noise)."""


@dataclass(frozen=True)
class Near:
    """One concept that a text may mean."""

    concept: str
    """Its name."""
    weight: float
    """How nearly, in (0, 1]: the square of the similarity, so that near ones count most."""
    polarity: int
    """-1 where the text names, or says, less of the concept."""


def concepts_near(graph: BeliefGraph, label: str, encoder: Encoder | None = None) -> list[Near]:
    """Return the concepts that a label may mean, the nearest first; never the stance.

    Examples
    --------
    >>> g = BeliefGraph.from_edges(
    ...     [("Housing costs", "support", -0.5), ("Noise", "support", -0.2)], stance="support"
    ... )
    >>> concepts_near(g, "cheaper housing")
    [Near(concept='Housing costs', weight=1.0, polarity=-1)]
    """
    others = [concept for concept in graph.concepts if concept.name != graph.stance]
    cosines = _cosines(label, [concept.name for concept in others], encoder)
    found = []
    for concept, cosine in zip(others, cosines, strict=True):
        similarity, polarity = _tie(label, concept)
        weight = max(similarity**2, cosine**2)
        if weight > 0:
            if similarity == 0:
                polarity = read_label(label).direction * read_label(concept.name).direction
            found.append(Near(concept.name, round(weight, 6), polarity))
    return sorted(found, key=lambda near: (-near.weight, near.concept))


def concepts_said(graph: BeliefGraph, text: str, encoder: Encoder | None = None) -> list[Near]:
    """Return the concepts that a statement speaks of, with whether it says more or less of them.

    Where words alone say which way, they do; a concept found by vectors alone goes up, or down
    where the statement and the concept's name are of opposite valence.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("Crime", "support", -0.5)], stance="support")
    >>> concepts_said(g, "Cameras deter crime.")
    [Near(concept='Crime', weight=1.0, polarity=-1)]
    """
    said = {
        match.concept: Near(match.concept, round(match.similarity**2, 6), match.direction)
        for match in read_scenario(graph, text)
    }
    names = [name for name in graph.names if name != graph.stance]
    for name, cosine in zip(names, _cosines(text, names, encoder), strict=True):
        if cosine > 0 and (name not in said or cosine**2 > said[name].weight):
            way = said[name].polarity if name in said else 1
            if name not in said and label_valence(text) * label_valence(name) < 0:
                way = -1
            said[name] = Near(name, round(cosine**2, 6), way)
    return sorted(said.values(), key=lambda near: (-near.weight, near.concept))


def _tie(label: str, concept: Concept) -> tuple[float, int]:
    """Return the best lexical tie to the concept's name or to a wording of it."""
    wordings = [(concept.name, 1), *((alias.label, alias.polarity) for alias in concept.aliases)]
    similarity, polarity = max(
        ((tie.similarity, tie.polarity * own) for wording, own in wordings
         for tie in [lexical_tie(label, wording)]),
        key=lambda each: each[0],
    )  # fmt: skip
    return (similarity, polarity) if similarity >= _LEAST_TIE else (0.0, 1)


def _cosines(text: str, names: list[str], encoder: Encoder | None) -> list[float]:
    """Return cosines with what is noise cut off and the rest spread over [0, 1]."""
    if encoder is None or not names:
        return [0.0] * len(names)
    vectors = encoder.encode([text, *names])
    cosines = (vectors[1:] @ vectors[0] - _LEAST_COSINE) / (1 - _LEAST_COSINE)
    return [float(value) for value in np.clip(cosines, 0.0, 1.0)]
