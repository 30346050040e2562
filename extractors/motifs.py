"""How well an influence agrees with the causal motifs it stands in.

The motifs are those of HugAgent's appendix E: chain, fork, collider, mediator and feedback. They
are looked for in one first-pass graph of the same person, before loops are broken.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

__all__ = ["motif_scores"]

Pair = tuple[str, str]
_SUPPORT = {"chain": 0.25, "fork": 0.25, "collider": 0.25}
"""What standing in a motif adds, once for every kind of motif."""
_MEDIATOR = 0.5
"""What a mediated path adds where its sign agrees with the influence's, and takes where not."""
_FEEDBACK = 0.5
"""What the opposite influence takes."""


def motif_scores(signs: Mapping[Pair, int]) -> dict[Pair, float]:
    """Score every influence by its motifs, in [-1, 1.25].

    Parameters
    ----------
    signs
        (source, target) -> -1 or +1, of one person's first-pass graph; loops allowed.

    Returns
    -------
    dict
        For every pair, 0.25 for each of: chain (its source is caused, or its target causes), fork
        (its source causes something else), collider (something else causes its target); plus or
        minus 0.5 for mediators whose signs agree or disagree on the whole; minus 0.5 where the
        opposite influence is held as well.

    Examples
    --------
    >>> motif_scores({("a", "b"): 1, ("b", "c"): -1, ("a", "c"): -1})[("a", "c")]
    1.0
    """
    children: dict[str, set[str]] = defaultdict(set)
    parents: dict[str, set[str]] = defaultdict(set)
    for source, target in signs:
        children[source].add(target)
        parents[target].add(source)
    scores = {}
    for source, target in signs:
        score = 0.0
        if parents[source] - {target} or children[target] - {source}:
            score += _SUPPORT["chain"]
        if children[source] - {target}:
            score += _SUPPORT["fork"]
        if parents[target] - {source}:
            score += _SUPPORT["collider"]
        between = children[source] & parents[target]
        agreement = sum(
            signs[source, middle] * signs[middle, target] * signs[source, target]
            for middle in between
        )
        score += _MEDIATOR * ((agreement > 0) - (agreement < 0))
        if (target, source) in signs:
            score -= _FEEDBACK
        scores[source, target] = score
    return scores
