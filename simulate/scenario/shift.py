"""By how much a scenario moves a person's stance: own concepts, answered worries, and the pool's.

The person's part is the exact linear shift of `do`; what others' beliefs add for concepts that the
person lacks stands beside it (`beliefgraph.simulate.scenario.topic_graph`), never mixed into it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from beliefgraph.errors import UnknownConceptError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.engine import intervene
from beliefgraph.simulate.scenario.reading import ScenarioReading, map_scenario
from beliefgraph.simulate.scenario.topic_graph import PooledEffect, TopicGraph
from beliefgraph.text import Encoder

__all__ = ["ScenarioEffect", "effect_of", "scenario_effect"]


@dataclass(frozen=True)
class ScenarioEffect:
    """By how much a scenario moves a stance, on the scale [-1, 1], and through whose beliefs."""

    own: float
    """Through concepts that the person holds and the text moves."""
    answered: float
    """Through worries of the person that the text answers by a promise."""
    pooled: float
    """Through concepts that only other people have spoken of."""
    own_sd: float
    """Standard deviation of `own` and `answered` together: which influences are held, and where
    the concepts stand today (`bg.intervene`)."""
    pooled_sd: float
    """Standard deviation of `pooled`: people differ, and the mean is not known exactly."""
    parts: Mapping[str, float]
    """What each pooled concept adds to `pooled`."""
    reading: ScenarioReading
    """What the text was taken to mean; change it, and give it again."""

    @property
    def shift(self) -> float:
        """The whole shift; linear, so that it may leave [-1, 1]."""
        return self.own + self.answered + self.pooled

    @property
    def sd(self) -> float:
        """Standard deviation of the whole."""
        return sqrt(self.own_sd**2 + self.pooled_sd**2)


def scenario_effect(
    graph: BeliefGraph,
    scenario: str | ScenarioReading,
    *,
    topic_graph: TopicGraph | None = None,
    encoder: Encoder | None = None,
) -> ScenarioEffect:
    """Return the stance shift of a scenario, from the person's concepts and from the pool's.

    A part of the text that fits a pooled concept better than any of the person's own is read as
    that: the pool adds what the person lacks, and keeps the rest from being read into what the
    person has.

    Parameters
    ----------
    graph
        The person's graph.
    scenario
        A text, or a reading of one.
    topic_graph
        Other people's effects, for concepts that this person lacks.
    encoder
        Sentence vectors, for texts and names that share no words.

    Raises
    ------
    UnknownConceptError
        The reading names a concept that neither the graph nor the pool holds, or the stance.

    Examples
    --------
    >>> from beliefgraph.simulate.scenario.topic_graph import topic_graph
    >>> person = BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    >>> others = [
    ...     BeliefGraph.from_edges([("noise", "support", w)], stance="support")
    ...     for w in (-0.5, -0.3)
    ... ]
    >>> e = scenario_effect(
    ...     person, "Rents fall by 15% and noise rises.", topic_graph=topic_graph(others)
    ... )
    >>> round(e.own, 3), round(e.pooled, 3)
    (0.25, -0.133)
    """
    lacking = topic_graph.lacking(graph, encoder) if topic_graph else ()
    if isinstance(scenario, ScenarioReading):
        reading = scenario
    else:
        full = topic_graph.complete(graph, encoder) if topic_graph else graph
        reading = map_scenario(full, scenario, encoder=encoder)
    return effect_of(graph, reading, lacking)


def effect_of(
    graph: BeliefGraph, reading: ScenarioReading, lacking: Sequence[PooledEffect] = ()
) -> ScenarioEffect:
    """Return the stance shift of a scenario that is read, as `scenario_effect` does.

    Parameters
    ----------
    graph
        The person's graph.
    reading
        What the scenario means.
    lacking
        Effects of concepts that the person lacks (`TopicGraph.lacking`).

    Raises
    ------
    UnknownConceptError
        The reading names a concept that neither has, or the stance.
    """
    pool = {each.concept: each for each in lacking}
    known = [name for name in (*graph.names, *pool) if name != graph.stance]
    for name in reading.values:
        if name not in known:
            raise UnknownConceptError(name, known, "scenario")
    own_do = {name: value for name, value in reading.do.items() if name not in pool}
    own_all = {name: value for name, value in reading.values.items() if name not in pool}
    own, _ = _own_shift(graph, own_do)
    whole, own_sd = _own_shift(graph, own_all)
    parts = {
        name: value * pool[name].mean for name, value in reading.values.items() if name in pool
    }
    variance = sum(
        (value * pool[name].sd) ** 2 for name, value in reading.values.items() if name in pool
    )
    return ScenarioEffect(
        own=own,
        answered=whole - own,
        pooled=sum(parts.values()),
        own_sd=own_sd,
        pooled_sd=sqrt(variance),
        parts=parts,
        reading=reading,
    )


def _own_shift(graph: BeliefGraph, do: Mapping[str, float]) -> tuple[float, float]:
    """Return the exact linear shift of a do and its standard deviation."""
    reach = set(graph.intervenable)
    acting = {name: value for name, value in do.items() if name in reach}
    if not acting:
        return 0.0, 0.0
    stance = intervene(graph, do=acting, mechanism="linear", n_samples=0).stance
    return stance.shift, stance.sd
