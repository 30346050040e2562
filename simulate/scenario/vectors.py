"""Clauses of a scenario that share no word with a concept, tied to one by sentence vectors.

A clause means at most one concept, the nearest, and only a clause that says a change: the others
tell where or when. Taking what all texts on a topic share out of the vectors, or words of direction
out of the clauses, was tried and changed nothing on the development labels (docs/scenarios.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.text import Encoder, content_words

__all__ = ["LEAST_COSINE", "nearest_by_vectors", "span_by_vectors"]

FloatArray = NDArray[np.float64]

LEAST_COSINE: Final = 0.3
"""Cosine from which a clause is taken to mean a concept."""
_LONGEST: Final = 4
"""Words of the span that stands for the concept in its clause."""


def nearest_by_vectors(
    clauses: Sequence[str], labels: Sequence[str], encoder: Encoder
) -> FloatArray:
    """Return the cosines of clauses and labels, shape (clauses, labels)."""
    if not clauses or not labels:
        return np.zeros((len(clauses), len(labels)))
    vectors = np.asarray(encoder.encode([*clauses, *labels]), dtype=np.float64)
    cosines: FloatArray = vectors[: len(clauses)] @ vectors[len(clauses) :].T
    return cosines


def span_by_vectors(
    words: Sequence[str], label: str, free: Sequence[bool], encoder: Encoder
) -> tuple[int, int]:
    """Return first and one past the last word of the span that comes nearest to a label.

    Parameters
    ----------
    words
        The clause's words.
    free
        Whether a word may belong to the span: words of direction do not.
    """
    spans = [
        (start, end)
        for start in range(len(words))
        for end in range(start + 1, min(start + _LONGEST, len(words)) + 1)
        if all(free[start:end]) and content_words(words[start]) and content_words(words[end - 1])
    ]
    if not spans:
        return 0, 0
    texts = [" ".join(words[start:end]) for start, end in spans]
    vectors = encoder.encode([label, *texts])
    return spans[int(np.argmax(vectors[1:] @ vectors[0]))]
