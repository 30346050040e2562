r"""Why the shift of a pooled graph is not the mean of its members' shifts.

The mean of the people's shifts is not the shift of the mean graph. Exactly, counting a person whose
graph has none of the concepts as unmoved,

    pooled shift - mean of members = mixing + levels + loops + mechanism.

In the linear model a shift is a sum over paths of products of confidence x weight, and every single
influence of the pooled graph is the people's mean.

* **mixing**: a product of means is not the mean of products. The pooled graph chains a -> b of
  some people with b -> c of others, and misses that strong and weak links, or signs, go together in
  the same people. Paths of one influence have no such term.
* **levels**: `do` moves everyone to one value, from different present levels; where the effect goes
  with the level, moving the mean person is something else.
* **loops**: members open their own loops, the pooled graph opens other ones.
* **mechanism**: what is left where the mechanism is not linear, the doubt about single influences
  included; 0 for the linear one, which is exact.

The first three are computed exactly from the same members with the pooled levels, with their own
levels, and with their own loops opened, one after the other in that order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.population.graph import PopulationGraph
from beliefgraph.simulate.result import Result

__all__ = ["Chain", "Difference", "columns_of", "split_difference", "strongest_chains"]

Floats = NDArray[np.float64]
Column = tuple[NDArray[np.int64], Floats]
"""Who holds an influence, and their confidence x weight."""
Columns = Mapping[tuple[str, str], Column]


@dataclass(frozen=True)
class Chain:
    """A path of the pooled graph, beside the people who hold all of it (linear model)."""

    concepts: tuple[str, ...]
    """From the intervened concept to the stance."""
    pooled: float
    """What it adds to the shift of the pooled graph."""
    members: float
    """What it adds to the mean of the members' shifts, by those who hold all of it."""
    n_people: int
    """How many people do."""

    def __str__(self) -> str:
        return (
            f"{' -> '.join(self.concepts)}: {self.pooled:+.3f} pooled, {self.members:+.3f} in the "
            f"mean of members; held whole by {self.n_people}"
        )


@dataclass(frozen=True)
class Difference:
    """The pooled shift less the mean of the members' (the unreached unmoved), and its parts."""

    total: float
    mixing: float
    """Influences of different people chained, and links that go together in the same people."""
    levels: float
    """Effects that go with the present level."""
    loops: float
    """Loops opened elsewhere."""
    mechanism: float
    """Departure from the linear model."""


def _own_linear_shifts(population: PopulationGraph, plan: Plan) -> Floats:
    """Return every person's stance shift in the linear model of the own graph, 0 where absent."""
    names = population.graph.names
    shifts = np.zeros(population.n_people)
    for person, graph in enumerate(population.members):
        own: tuple[dict[str, float], dict[str, float]] = {}, {}
        for amounts, values in zip(own, (plan.do, plan.shift), strict=True):
            for at, value in values.items():
                found = population.label(person, names[at])
                if found is not None:
                    amounts[found[0]] = found[1] * value.mean
        _, turned = population.place(person, graph.stance)
        shifts[person] = turned * _linear_shift(graph, *own)
    return shifts


def _linear_shift(graph: BeliefGraph, do: Mapping[str, float], shift: Mapping[str, float]) -> float:
    """Return the expected shift of a graph's stance in the linear model."""
    change = dict.fromkeys(graph.names, 0.0) | dict(shift)
    change |= {name: value - graph.concept(name).baseline for name, value in do.items()}
    outgoing: dict[str, list[tuple[str, float]]] = {name: [] for name in graph.names}
    for edge in graph.influences:
        if edge.target not in do:
            outgoing[edge.source].append((edge.target, edge.weight * edge.confidence))
    for name in graph.topological_order:
        for target, strength in outgoing[name]:
            change[target] += strength * change[name]
    return change[graph.stance]


def columns_of(population: PopulationGraph) -> dict[tuple[str, str], Column]:
    """Return, for every pooled influence, who holds it and their confidence x weight."""
    held = population.holdings
    starts = np.searchsorted(held.influence, np.arange(len(held.pairs) + 1)).tolist()
    strength = held.confidence * held.weight
    return {
        pair: (held.person[first:last], strength[first:last])
        for pair, first, last in zip(held.pairs, starts, starts[1:], strict=False)
    }


def _levels(population: PopulationGraph, concept: str, *, pooled: bool) -> Floats:
    """Return everyone's present level of a concept; the pooled one, or the own where it is held."""
    base = population.graph.concept(concept).baseline
    levels = np.full(population.n_people, base)
    if not pooled:
        for person, graph in enumerate(population.members):
            found = population.label(person, concept)
            if found is not None:
                levels[person] = found[1] * graph.concept(found[0]).baseline
    return levels


def _shifts_on_pooled_edges(
    population: PopulationGraph,
    plan: Plan,
    columns: Columns,
    *,
    pooled_levels: bool,
) -> Floats:
    """Return everyone's linear shift over the influences of the pooled graph that they hold."""
    graph = population.graph
    names = graph.names
    change: dict[str, Floats] = {}
    for at, value in plan.do.items():
        levels = _levels(population, names[at], pooled=pooled_levels)
        change[names[at]] = value.mean - levels
    for at, value in plan.shift.items():
        change[names[at]] = np.full(population.n_people, value.mean)
    cut = {names[at] for at in plan.do}
    out: dict[str, list[str]] = {name: [] for name in names}
    for edge in graph.influences:
        if edge.target not in cut:
            out[edge.source].append(edge.target)
    for name in graph.topological_order:
        if name in change:
            for target in out[name]:
                people, strength = columns[name, target]
                felt = change.setdefault(target, np.zeros(population.n_people))
                felt[people] += strength * change[name][people]
    return change.get(graph.stance, np.zeros(population.n_people))


def split_difference(
    population: PopulationGraph,
    plan: Plan,
    columns: Columns,
    pooled: Result,
    mean_of_all: float,
) -> Difference:
    """Split the pooled shift less the mean of the members' into its parts."""
    with_pooled = _shifts_on_pooled_edges(population, plan, columns, pooled_levels=True)
    with_own = _shifts_on_pooled_edges(population, plan, columns, pooled_levels=False)
    names = population.graph.names
    exact = _linear_shift(
        population.graph,
        {names[at]: value.mean for at, value in plan.do.items()},
        {names[at]: value.mean for at, value in plan.shift.items()},
    )
    total = pooled.stance.shift - mean_of_all
    mixing = exact - float(with_pooled.mean())
    levels = float(with_pooled.mean() - with_own.mean())
    loops = float(with_own.mean() - _own_linear_shifts(population, plan).mean())
    return Difference(total, mixing, levels, loops, total - mixing - levels - loops)


def strongest_chains(
    population: PopulationGraph,
    plan: Plan,
    columns: Columns,
    pooled: Result,
    n_chains: int,
) -> tuple[Chain, ...]:
    """Return the strongest paths of the pooled graph, and who holds them whole."""
    if n_chains < 1:
        return ()
    names = population.graph.names
    found = []
    for path in pooled.explain(n_chains).paths:
        start = path.concepts[0]
        at = names.index(start)
        if at in plan.do:
            product = plan.do[at].mean - _levels(population, start, pooled=False)
            in_pooled = plan.do[at].mean - population.graph.concept(start).baseline
        else:
            product = np.full(population.n_people, plan.shift[at].mean)
            in_pooled = plan.shift[at].mean
        held_whole = np.ones(population.n_people, dtype=bool)
        for pair in pairwise(path.concepts):
            people, strength = columns[pair]
            link = np.zeros(population.n_people)
            link[people] = strength
            product = product * link
            in_pooled *= float(strength.sum()) / population.n_people
            holds = np.zeros(population.n_people, dtype=bool)
            holds[people] = True
            held_whole &= holds
        found.append(Chain(path.concepts, in_pooled, float(product.mean()), int(held_whole.sum())))
    return tuple(found)
