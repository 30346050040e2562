"""How probable it is that a person holds an influence, given all that was read of it."""

from __future__ import annotations

from collections.abc import Sequence

from beliefgraph.graph import Evidence

__all__ = ["edge_confidence"]


def edge_confidence(evidence: Sequence[Evidence]) -> float:
    """Combine the mentions of one influence: agreement raises confidence, conflict lowers it.

    The mentions that agree with the majority (by confidence) are combined by noisy-or, and the
    result is multiplied by the majority's share of the confidence.
    """
    signs = {sign: [e.confidence for e in evidence if e.sign == sign] for sign in (-1, 0, 1)}
    totals = {sign: sum(values) for sign, values in signs.items()}
    majority = max((1, -1, 0), key=lambda sign: totals[sign])
    missing = 1.0
    for confidence in signs[majority]:
        missing *= 1 - confidence
    share = totals[majority] / (sum(totals.values()) or 1.0)
    return round((1 - missing) * share, 6)
