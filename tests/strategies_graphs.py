"""Random belief graphs for hypothesis and for plain loops."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from beliefgraph import BeliefGraph, Concept, Evidence, Influence, Transcript

SD_TOLERANCE = 1e-6
"""An exact sd is the root of a difference of moments of size 1: 2e-16 there is up to 3e-7 here."""


def random_graph(
    seed: int,
    n: int,
    density: float = 0.6,
    *,
    certain: bool = False,
    levels: bool = False,
    mentions: bool = False,
) -> BeliefGraph:
    """A graph of n concepts, the last in topological order the stance, names in shuffled order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    names = [f"c{i}" for i in range(n)]
    influences = []
    spoken = "aaaa bbbb cccc"
    transcript = Transcript.from_pairs([("q", spoken)]) if mentions else None
    for b in range(n):
        for a in range(b):
            if rng.random() >= density:
                continue
            weight = float(np.round(rng.uniform(-1, 1), 3))
            confidence = 1.0 if certain else float(np.round(rng.uniform(0.1, 1), 3))
            ends = {"source": names[order[a]], "target": names[order[b]]}
            if mentions and rng.random() < 0.4:
                evidence = [
                    Evidence(
                        qa_id="1",
                        start=5 * k,
                        end=5 * k + 4,
                        quote=spoken[5 * k : 5 * k + 4],
                        sign=int(rng.choice([-1, 1])),
                        strength=float(np.round(rng.uniform(0.1, 0.9), 2)),
                        confidence=float(np.round(rng.uniform(0.2, 1), 2)),
                    )
                    for k in range(2)
                ]
                influences.append(
                    Influence.from_evidence(
                        ends["source"], ends["target"], evidence, confidence=confidence
                    )
                )
            else:
                influences.append(Influence(**ends, weight=weight, confidence=confidence))
    concepts = tuple(
        Concept(
            name=name,
            baseline=float(np.round(rng.uniform(-0.6, 0.6), 2)) if levels else 0.0,
            baseline_sd=float(np.round(rng.uniform(0, 0.3), 2)) if levels else 0.0,
        )
        for name in names
    )
    return BeliefGraph(
        stance=names[order[-1]],
        concepts=concepts,
        influences=tuple(influences),
        transcript=transcript,
    )


@st.composite
def graphs(
    draw: st.DrawFn, *, most: int = 7, certain: bool = False, levels: bool = False
) -> BeliefGraph:
    """Random graphs of 2 to `most` concepts."""
    n = draw(st.integers(2, most))
    return random_graph(
        draw(st.integers(0, 2**31)),
        n,
        draw(st.sampled_from([0.3, 0.6, 1.0])),
        certain=certain,
        levels=levels,
    )
