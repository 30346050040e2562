r"""Concepts that a person has not mentioned: what they do to the stance, pooled over other people.

`topic_graph` makes one concept of everybody's wordings (`population_graph`) and takes each person's
own total effect of it on the stance, signs turned to the pooled concept. For a person who has not
spoken of it, the expected effect is

.. math:: \hat e = \frac{\sum_i a_i e_i + k\,\tilde e}{\sum_i a_i + k},

over those who hold it; a_i is 1, or where the pool is asked for people of a kind (`like=`) 1 for
those who are of it and 0 for the others; the group is pulled towards all holders' mean
:math:`\tilde e` and that towards 0, each as if k people (`prior_people`) had it. The standard
deviation is that of one more person: between people, and of not knowing the mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Final

import numpy as np

from beliefgraph.errors import InterventionError, UnknownConceptError
from beliefgraph.graph import BeliefGraph, Concept, Influence
from beliefgraph.simulate.population.graph import (
    VECTOR_THRESHOLD,
    WORD_THRESHOLD,
    PopulationGraph,
    as_population,
    population_graph,
)
from beliefgraph.simulate.standpoint import total_effects
from beliefgraph.text import Encoder, lexical_tie

__all__ = ["PooledEffect", "TopicGraph", "topic_graph"]

PRIOR_PEOPLE: Final = 1.0
"""People whose effects weigh as much as the prior does."""


@dataclass(frozen=True)
class PooledEffect:
    """What one unit of a concept does to the stance of a person who has not spoken of it."""

    concept: str
    """The pooled concept."""
    n_people: int
    """How many people hold it."""
    n_like: int
    """How many of those are of the kind asked for; `n_people` where none was."""
    mean: float
    """Expected effect per unit, shrunk as the module's page says."""
    sd: float
    """Standard deviation of one more person's effect."""
    share_positive: float
    """Share of the holders for whom it is above 0."""
    wordings: tuple[str, ...]
    """Every name for it."""


@dataclass(frozen=True)
class TopicGraph:
    """Expected effects on the stance of every concept of a topic; made by `topic_graph`."""

    effects: tuple[PooledEffect, ...]
    """One a concept, those that most people hold first."""
    n_people: int
    """People in the pool."""
    like: Mapping[str, str] = field(default_factory=dict)
    """The kind of people that the effects are of."""

    def effect(self, concept: str) -> PooledEffect:
        """Return the effect of one concept.

        Raises
        ------
        UnknownConceptError
            With the nearest names.
        """
        for each in self.effects:
            if each.concept == concept:
                return each
        raise UnknownConceptError(concept, [e.concept for e in self.effects], "topic graph")

    def lacking(
        self, graph: BeliefGraph, encoder: Encoder | None = None
    ) -> tuple[PooledEffect, ...]:
        """Return the effects of the concepts that a person's graph does not hold."""
        own = [
            label
            for concept in graph.concepts
            for label in (concept.name, *(alias.label for alias in concept.aliases))
        ]
        held = {label.casefold() for label in own}
        left = [
            each
            for each in self.effects
            if not any(label.casefold() in held for label in each.wordings)
            and not any(
                lexical_tie(label, mine).similarity >= WORD_THRESHOLD
                for label in each.wordings
                for mine in own
            )
        ]
        if encoder is None or not left:
            return tuple(left)
        vectors = np.asarray(encoder.encode([*(each.concept for each in left), *own]))
        cosines = vectors[: len(left)] @ vectors[len(left) :].T
        return tuple(
            each for each, row in zip(left, cosines, strict=True) if row.max() < VECTOR_THRESHOLD
        )

    def complete(self, graph: BeliefGraph, encoder: Encoder | None = None) -> BeliefGraph:
        """Return a person's graph with the concepts it lacks, each acting on the stance.

        The influences have the pooled effect as weight; they have no evidence, and the person's
        own concepts stay as they are.
        """
        new = self.lacking(graph, encoder)
        return graph.replace(
            concepts=(*graph.concepts, *(Concept(name=each.concept) for each in new)),
            influences=(
                *graph.influences,
                *(
                    Influence(
                        source=each.concept,
                        target=graph.stance,
                        weight=float(np.clip(each.mean, -1, 1)),
                    )
                    for each in new
                ),
            ),
        )


def topic_graph(
    graphs: PopulationGraph | Iterable[BeliefGraph],
    *,
    demographics: Sequence[Mapping[str, str]] | None = None,
    like: Mapping[str, str] | None = None,
    prior_people: float = PRIOR_PEOPLE,
    encoder: Encoder | None = None,
) -> TopicGraph:
    """Pool what concepts do to the stance over people, for those who have not spoken of them.

    Parameters
    ----------
    graphs
        Other people's graphs, one each and never the person's own where that is to be predicted;
        or a population made with settings of your own. Graphs of synthetic people will do.
    demographics
        What is known of each, in the order of the graphs.
    like
        Answers that a person must have given to count as of the kind; needs `demographics`.
    prior_people
        See the module's page; 0 takes means as they are.
    encoder
        Sentence vectors, to tie names that share no words.

    Raises
    ------
    InterventionError
        `like` without `demographics`, demographics of another number of people, or a negative
        `prior_people`.
    GraphError, StanceError
        As `population_graph`.

    Examples
    --------
    >>> people = [
    ...     BeliefGraph.from_edges([("noise", "support", w)], stance="support")
    ...     for w in (-0.5, -0.3, -0.4)
    ... ]
    >>> noise = topic_graph(people).effect("noise")
    >>> round(noise.mean, 3), noise.n_people  # three people at -0.4, and one at 0
    (-0.3, 3)
    """
    if isinstance(graphs, PopulationGraph) or encoder is None:
        population = as_population(graphs)
    else:
        population = population_graph(graphs, encoder=encoder)
    of_kind = _of_kind(population.n_people, demographics, like)
    if not prior_people >= 0:
        raise InterventionError(f"prior_people: must be 0 or more, got {prior_people!r}")
    held: dict[str, list[tuple[float, bool]]] = {}
    for person, graph in enumerate(population.members):
        own = total_effects(graph)
        _, stance_turned = population.place(person, graph.stance)
        for name in graph.names:
            if name != graph.stance:
                concept, turned = population.place(person, name)
                value = own.get(name, 0.0) * turned * stance_turned
                held.setdefault(concept, []).append((value, of_kind[person]))
    spread = _typical_spread(held)
    wordings = {each.name: tuple(w.label for w in each.wordings) for each in population.concepts}
    found = [
        _pool(concept, values, wordings[concept], prior_people, spread, kind_asked=bool(like))
        for concept, values in held.items()
    ]
    order = sorted(found, key=lambda each: (-each.n_people, each.concept))
    return TopicGraph(tuple(order), population.n_people, dict(like or {}))


def _of_kind(
    n: int, demographics: Sequence[Mapping[str, str]] | None, like: Mapping[str, str] | None
) -> list[bool]:
    if demographics is not None and len(demographics) != n:
        raise InterventionError(
            f"demographics: give one mapping a graph, got {len(demographics)} for {n} graphs"
        )
    if not like:
        return [True] * n
    if demographics is None:
        raise InterventionError("like: needs demographics=, one mapping a graph")
    known = sorted({key for each in demographics for key in each})
    for key in like:
        if key not in known:
            raise UnknownConceptError(key, known, "demographics")
    return [all(each.get(key) == value for key, value in like.items()) for each in demographics]


def _typical_spread(held: Mapping[str, list[tuple[float, bool]]]) -> float:
    """Return the root mean variance between people, over concepts that two or more hold."""
    sums = [
        (float(np.var([value for value, _ in values])) * len(values), len(values) - 1)
        for values in held.values()
        if len(values) > 1
    ]
    degrees = sum(n for _, n in sums)
    return sqrt(sum(total for total, _ in sums) / degrees) if degrees else 0.0


def _pool(
    concept: str,
    values: list[tuple[float, bool]],
    wordings: tuple[str, ...],
    prior_people: float,
    spread: float,
    *,
    kind_asked: bool,
) -> PooledEffect:
    everyone = np.array([value for value, _ in values])
    like = np.array([value for value, of_kind in values if of_kind])
    mean = float(everyone.sum() / (len(everyone) + prior_people))
    n = len(everyone) + prior_people
    if kind_asked and len(like) + prior_people > 0:
        mean = float((like.sum() + prior_people * mean) / (len(like) + prior_people))
        n = len(like) + prior_people
    sd = float(np.std(everyone, ddof=1)) if len(everyone) > 1 else spread
    return PooledEffect(
        concept=concept,
        n_people=len(everyone),
        n_like=len(like),
        mean=mean,
        sd=sd * sqrt(1 + 1 / n),
        share_positive=float((everyone > 0).mean()),
        wordings=wordings,
    )
