"""The figures of a population: who holds what, how common it is, and one graph of all graphs.

What the figures mean stands in `beliefgraph.simulate.population.graph`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beliefgraph.graph import Alias, BeliefGraph, Concept, Influence
from beliefgraph.loops import break_loops
from beliefgraph.simulate.population.concepts import Placement, Wording
from beliefgraph.simulate.population.statistics import sign_agreement, wilson_interval

__all__ = [
    "Holdings",
    "PooledConcept",
    "PooledInfluence",
    "pool_concepts",
    "pool_graph",
    "pool_holdings",
    "pool_influences",
]

Pair = tuple[str, str]


@dataclass(frozen=True)
class PooledInfluence:
    """One influence over all people."""

    source: str
    """Concept that has the effect."""
    target: str
    """Concept that feels it."""
    n_people: int
    """How many people hold it."""
    prevalence: float
    """Share of all people who hold it."""
    low: float
    """Lower end of the prevalence's interval (Wilson)."""
    high: float
    """Upper end."""
    share_positive: float
    """Share of those who hold it for whom its weight is above 0."""
    share_negative: float
    """Share of those who hold it for whom its weight is below 0."""
    agreement: float
    """Van der Eijk's A over -, 0, +: 1 one sign for all, -1 half against half."""
    weight: float
    """Mean weight among those who hold it, each person counted once."""
    weight_sd: float
    """Standard deviation of the weight among them (n - 1); NaN for one person."""
    confidence: float
    """Mean confidence among those who hold it."""
    in_graph: bool
    """False where the pooled graph leaves it out to stay free of loops."""


@dataclass(frozen=True)
class PooledConcept:
    """One concept over all people."""

    name: str
    """The most common name."""
    n_people: int
    """How many people have it in their graph."""
    prevalence: float
    """Share of all people who have it."""
    low: float
    """Lower end of the prevalence's interval (Wilson)."""
    high: float
    """Upper end."""
    baseline: float
    """Mean present level among those who have it."""
    baseline_sd: float
    """Standard deviation of a drawn person's level: spread over people and doubt of each."""
    wordings: tuple[Wording, ...]
    """Every name for it, the most common first."""


@dataclass(frozen=True, eq=False)
class Holdings:
    """Who holds which influence, one entry for each, signs turned to the population's concepts."""

    person: NDArray[np.int64]
    """(N,) number of the person."""
    influence: NDArray[np.int64]
    """(N,) number of the influence, in the order of `PopulationGraph.influences`."""
    weight: NDArray[np.float64]
    """(N,) its weight."""
    confidence: NDArray[np.float64]
    """(N,) its confidence."""
    pairs: tuple[Pair, ...]
    """Source and target of every influence."""
    n_people: int


def pool_holdings(members: Sequence[BeliefGraph], placement: Placement) -> Holdings:
    """Collect who holds which influence, the most common influence first."""
    entries: dict[Pair, list[tuple[int, float, float]]] = defaultdict(list)
    for person, graph in enumerate(members):
        for edge in (*graph.influences, *(item.influence for item in graph.feedback)):
            source, turned = placement.place(graph, edge.source)
            target, turned_too = placement.place(graph, edge.target)
            weight = edge.weight * turned * turned_too
            entries[source, target].append((person, weight, edge.confidence))
    pairs = sorted(entries, key=lambda pair: (-len(entries[pair]), pair))
    rows = [(person, at, w, c) for at, pair in enumerate(pairs) for person, w, c in entries[pair]]
    table = np.array(rows, dtype=float).reshape(-1, 4)
    return Holdings(
        person=table[:, 0].astype(np.int64),
        influence=table[:, 1].astype(np.int64),
        weight=table[:, 2],
        confidence=table[:, 3],
        pairs=tuple(pairs),
        n_people=len(members),
    )


def pool_concepts(
    members: Sequence[BeliefGraph], placement: Placement, level: float
) -> tuple[PooledConcept, ...]:
    """Describe every concept: the most common first, the stance last."""
    levels: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for graph in members:
        for concept in graph.concepts:
            name, polarity = placement.place(graph, concept.name)
            levels[name].append((polarity * concept.baseline, concept.baseline_sd))
    wordings: dict[str, list[Wording]] = defaultdict(list)
    for wording in (*placement.stances.values(), *placement.concepts.values()):
        wordings[wording.concept].append(wording)
    found = []
    for name in sorted(levels, key=lambda n: (n == placement.stance, -len(levels[n]), n)):
        baselines, doubts = np.array(levels[name]).T
        low, high = wilson_interval(len(baselines), len(members), level)
        found.append(
            PooledConcept(
                name=name,
                n_people=len(baselines),
                prevalence=len(baselines) / len(members),
                low=low,
                high=high,
                baseline=float(baselines.mean()),
                baseline_sd=float(np.sqrt(baselines.var() + (doubts**2).mean())),
                wordings=tuple(sorted(wordings[name], key=lambda w: (-w.n_people, w.label))),
            )
        )
    return tuple(found)


def pool_graph(
    holdings: Holdings,
    concepts: Sequence[PooledConcept],
    stance: str,
    topic: str | None,
    order: Mapping[str, int],
) -> BeliefGraph:
    """Make one acyclic graph whose confidence x weight is the mean of the people's."""
    n_pairs = len(holdings.pairs)
    sure = np.bincount(holdings.influence, holdings.confidence, n_pairs)
    strong = np.bincount(holdings.influence, holdings.confidence * holdings.weight, n_pairs)
    counts = np.bincount(holdings.influence, minlength=n_pairs)
    plain = np.bincount(holdings.influence, holdings.weight, n_pairs) / np.maximum(counts, 1)
    # where nobody is sure at all, the weight counts nowhere; the plain mean says what it was
    weight = np.divide(strong, sure, out=plain, where=sure > 0)
    pooled = [
        Influence(
            source=source,
            target=target,
            weight=float(np.clip(weight[at], -1, 1)),
            confidence=float(min(sure[at] / holdings.n_people, 1)),
        )
        for at, (source, target) in enumerate(holdings.pairs)
    ]
    kept, feedback = break_loops(pooled)
    return BeliefGraph(
        stance=stance,
        concepts=tuple(
            Concept(
                name=concept.name,
                baseline=float(np.clip(concept.baseline, -1, 1)),
                baseline_sd=concept.baseline_sd,
                confidence=concept.prevalence,
                aliases=tuple(
                    Alias(label=w.label, polarity=w.polarity, reason=w.reason)
                    for w in concept.wordings
                    if w.label != concept.name
                ),
            )
            for concept in concepts
        ),
        influences=tuple(sorted(kept, key=lambda e: (order[e.source], order[e.target]))),
        feedback=tuple(feedback),
        topic=topic,
        extractor=f"population_graph of {holdings.n_people} people",
    )


def pool_influences(
    holdings: Holdings, graph: BeliefGraph, level: float
) -> tuple[PooledInfluence, ...]:
    """Describe every influence, in the order of the holdings."""
    kept = {(edge.source, edge.target) for edge in graph.influences}
    starts = np.searchsorted(holdings.influence, np.arange(len(holdings.pairs) + 1))
    found = []
    for at, (source, target) in enumerate(holdings.pairs):
        mine = slice(int(starts[at]), int(starts[at + 1]))
        weights = holdings.weight[mine]
        count = len(weights)
        positive, negative = int((weights > 0).sum()), int((weights < 0).sum())
        low, high = wilson_interval(count, holdings.n_people, level)
        found.append(
            PooledInfluence(
                source=source,
                target=target,
                n_people=count,
                prevalence=count / holdings.n_people,
                low=low,
                high=high,
                share_positive=positive / count,
                share_negative=negative / count,
                agreement=sign_agreement(negative, count - positive - negative, positive),
                weight=float(weights.mean()),
                weight_sd=float(weights.std(ddof=1)) if count > 1 else float("nan"),
                confidence=float(holdings.confidence[mine].mean()),
                in_graph=(source, target) in kept,
            )
        )
    return tuple(found)
