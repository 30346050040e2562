"""Draw what a synthetic person believes on a topic: a belief graph that follows from values.

**Concepts.** A person cares about what serves the own values: `log care = 0.7 sum(loading * value)
+ noise`, and the concepts used are drawn with odds by care (Gumbel maxima), so that two people with
other values speak of other things.

**Levels.** A concept's baseline is the level the person expects under the policy. Whether that is
for better or worse leans by the reasons that people give for and against it, and by how the values
lie towards the policy.

**Influences.** All lead towards the stance, without loops. The sign is that of the usual valence of
both ends, more rarely so where the values turn against the concept; the weight of an influence on
the stance grows with care.

**Stance.** `tanh(0.9 (sum of weight * confidence * level + disposition + noise))`. What the reasons
do not account for is the stance's bias in the simulation: habit, which a scenario may do away with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from beliefgraph.benchmark.synth.speaker import Strength, Topic, TrueEdge
from beliefgraph.benchmark.synth.values import push
from beliefgraph.graph import BeliefGraph, Concept, Influence

__all__ = ["draw_graph", "opening_level", "true_edges"]

_STRENGTHS: Final[tuple[tuple[float, Strength], ...]] = (
    (0.375, "weak"),
    (0.65, "unstated"),
    (1.01, "strong"),
)
"""Sizes below which an influence is spoken of as such (the middle of 0.25, 0.5 and 0.8)."""


@dataclass(frozen=True)
class _Idea:
    """A concept as one person has it."""

    label: str
    valence: int
    care: float
    level: float


def draw_graph(
    topic: Topic,
    loadings: Mapping[str, Any],
    values: Mapping[str, float],
    rng: np.random.Generator,
    participant: str | None = None,
) -> BeliefGraph:
    """Draw a person's belief graph on a topic.

    Parameters
    ----------
    topic : dict
        One of `load_topics`.
    loadings
        The topic's part of `load_loadings`: those of its stance and of every concept.
    values
        The person's values on this topic.
    rng
        The only source of randomness.
    participant
        Pseudonym, kept with the graph.

    Returns
    -------
    BeliefGraph
        Acyclic; every concept has a path to the stance.
    """
    disposition = push(loadings["stance"], values) + 0.4 * rng.normal()
    ideas = _draw_ideas(topic, loadings, values, disposition, rng)
    stance: str = topic["stance"]["label"]
    influences = _draw_influences(topic, loadings, values, ideas, rng)
    levels = {idea.label: idea.level for idea in ideas}
    reasons = sum(
        e.weight * e.confidence * levels[e.source] for e in influences if e.target == stance
    )
    level = np.tanh(0.9 * (reasons + 0.5 * disposition + 0.2 * rng.normal()))
    concepts = [Concept(name=idea.label, baseline=idea.level) for idea in ideas]
    return BeliefGraph(
        stance=stance,
        concepts=(*concepts, Concept(name=stance, baseline=round(float(level), 4))),
        influences=tuple(influences),
        participant=participant,
        topic=topic["id"],
    )


def true_edges(graph: BeliefGraph) -> list[TrueEdge]:
    """Return the influences of a graph as the renderer takes them.

    >>> g = BeliefGraph.from_edges([("a", "s", -0.7)], stance="s")
    >>> true_edges(g)
    [TrueEdge(source='a', target='s', sign=-1, strength='strong')]
    """
    return [
        TrueEdge(e.source, e.target, 1 if e.weight > 0 else -1, _strength(abs(e.weight)))
        for e in graph.influences
    ]


def opening_level(graph: BeliefGraph) -> int:
    """Return the stance from 1 to 10 as the person would state it in words."""
    level = graph.concept(graph.stance).baseline
    return int(np.clip(np.rint(5.5 + 4.5 * level), 1, 10))


def _strength(size: float) -> Strength:
    return next(name for most, name in _STRENGTHS if size < most)


def _draw_ideas(
    topic: Topic,
    loadings: Mapping[str, Any],
    values: Mapping[str, float],
    disposition: float,
    rng: np.random.Generator,
) -> list[_Idea]:
    concepts = topic["concepts"]
    pulls = np.array([push(loadings["concepts"][c["label"]], values) for c in concepts])
    log_care = 0.7 * pulls + 0.4 * rng.normal(size=len(concepts))
    count = min(int(rng.integers(8, 12)), len(concepts))
    ranked = np.argsort(-(log_care + rng.gumbel(size=len(concepts))), kind="stable")
    leanings = {reason["concept"]: reason["polarity"] for reason in topic["reasons"]}
    ideas = []
    for i in sorted(ranked[:count].tolist()):  # the topic lists causes before outcomes
        concept = concepts[i]
        usual = 0.45 * leanings.get(concept["label"], 0)
        benefit = np.tanh(usual + 0.3 * disposition + 0.35 * rng.normal())
        level = round(concept["valence"] * float(benefit), 2) + 0.0  # no minus zero
        ideas.append(_Idea(concept["label"], concept["valence"], float(np.exp(log_care[i])), level))
    return ideas


def _draw_influences(
    topic: Topic,
    loadings: Mapping[str, Any],
    values: Mapping[str, float],
    ideas: list[_Idea],
    rng: np.random.Generator,
) -> list[Influence]:
    stance = topic["stance"]
    nodes = [*ideas, _Idea(stance["label"], stance["valence"], 1.0, 0.0)]
    influences = []
    for i, j in _draw_pairs(topic, nodes, rng):
        source, target, last = nodes[i], nodes[j], j == len(nodes) - 1
        against = -push(loadings["concepts"][source.label], values)
        unusual = 1 / (1 + np.exp(1.9 - against)) if last else 0.12
        sign = source.valence * target.valence * (-1 if rng.random() < unusual else 1)
        mean = 0.5 * np.sqrt(source.care) if last else 0.45
        size = float(np.clip(mean * np.exp(0.35 * rng.normal()), 0.1, 0.95))
        influences.append(
            Influence(
                source=source.label,
                target=target.label,
                weight=round(sign * size, 3),
                confidence=round(float(rng.uniform(0.7, 1.0)), 3),
            )
        )
    return influences


def _draw_pairs(
    topic: Topic, nodes: list[_Idea], rng: np.random.Generator
) -> list[tuple[int, int]]:
    """Draw which concepts influence which: one way out of each towards the stance, then more."""
    last = len(nodes) - 1
    usual = {tuple(link) for link in topic["usual_links"]}

    def odds(i: int, j: int) -> float:
        if j == last:
            return 4.0
        return 1.0 if (nodes[i].label, nodes[j].label) in usual else 0.03

    def draw(pairs: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
        shares = np.array([odds(i, j) for i, j in pairs])
        drawn = rng.choice(len(pairs), size, replace=False, p=shares / shares.sum())
        return [pairs[int(k)] for k in drawn]

    first = [p for i in range(last) for p in draw([(i, j) for j in range(i + 1, last + 1)], 1)]
    rest = [(i, j) for i in range(last) for j in range(i + 1, last + 1) if (i, j) not in first]
    return sorted(first + draw(rest, min(int(rng.integers(3, 7)), len(rest))))
