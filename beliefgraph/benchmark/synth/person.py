"""Draw synthetic people: a belief graph and a stance level on a topic."""

from __future__ import annotations

from typing import Final

import numpy as np

from beliefgraph.benchmark.synth.speaker import Strength, Topic, TrueEdge

_STRENGTHS: Final[tuple[Strength, ...]] = ("weak", "unstated", "strong")


def random_person(
    topic: Topic, rng: np.random.Generator, n_concepts: int = 8, n_edges: int = 11
) -> tuple[list[TrueEdge], int]:
    """Draw a person: influences that form a DAG into the stance, and a stance level.

    Every concept drawn has a path to the stance. A sign agrees with the usual valence of its
    two ends four times in five; links that people usually make are drawn ten times as often as
    others. The stance level leans the way of the influences on the stance.

    Parameters
    ----------
    topic : dict
        One of `load_topics`.
    rng : numpy.random.Generator
        The only source of randomness.
    n_concepts : int
        How many of the topic's concepts the person uses, the stance not counted.
    n_edges : int
        How many influences, at least `n_concepts`.

    Returns
    -------
    edges : list of TrueEdge
    stance_level : int
        From 1 to 10.
    """
    labels = [c["label"] for c in topic["concepts"]]
    if not 1 <= n_concepts <= len(labels):
        raise ValueError(f"n_concepts must lie in 1..{len(labels)}, got {n_concepts}")
    most = n_concepts * (n_concepts + 1) // 2
    if not n_concepts <= n_edges <= most:
        raise ValueError(f"n_edges must lie in {n_concepts}..{most}, got {n_edges}")
    chosen = sorted(int(i) for i in rng.choice(len(labels), n_concepts, replace=False))
    nodes = [*(topic["concepts"][i] for i in chosen), topic["stance"]]
    n, stance = n_concepts, topic["stance"]["label"]
    usual = {(a, b) for a, b in topic["usual_links"]}

    def draw(pairs: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
        names = [(nodes[i]["label"], nodes[j]["label"]) for i, j in pairs]
        odds = [1.0 if b == stance or (a, b) in usual else 0.1 for a, b in names]
        if size == 0:
            return []
        drawn = rng.choice(len(pairs), size, replace=False, p=np.array(odds) / sum(odds))
        return [pairs[int(k)] for k in drawn]

    pairs = [p for i in range(n) for p in draw([(i, j) for j in range(i + 1, n + 1)], 1)]
    rest = [(i, j) for i in range(n) for j in range(i + 1, n + 1) if (i, j) not in pairs]
    pairs += draw(rest, n_edges - n)
    edges, net = list[TrueEdge](), 0.0
    for i, j in sorted(pairs):
        sign = nodes[i]["valence"] * nodes[j]["valence"] * (1 if rng.random() < 0.8 else -1)
        strength = _STRENGTHS[int(rng.choice(3, p=(0.25, 0.4, 0.35)))]
        edges.append(TrueEdge(nodes[i]["label"], nodes[j]["label"], sign, strength))
        net += sign * (0.5, 1.0, 1.6)[_STRENGTHS.index(strength)] if j == n else 0.0
    return edges, int(np.clip(round(5.5 + net + rng.normal(0.0, 1.5)), 1, 10))
