"""Clauses of a scenario that name no concept, tied to one by sentence vectors.

A clause means at most one concept, the nearest, and only a clause that says a change: the others
tell where or when. Where clause and label share a word, the words have been weighed and found to
name another thing ("a meter" is not "Jobs for meter readers"): the cosine, which that word lifts,
has to be greater then. How high it must be in any case hangs on the encoder (`noise_floor`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.simulate.scenario.names import same_word
from beliefgraph.simulate.scenario.words import Clause, is_direction
from beliefgraph.text import Encoder, content_words

__all__ = ["nearest_by_vectors", "span_by_vectors"]

FloatArray = NDArray[np.float64]

_SHARED: Final = 0.2
"""Taken off a cosine where clause and label share a word that did not tie them."""
_LONGEST: Final = 4
"""Words of the span that stands for the concept in its clause."""


def nearest_by_vectors(
    clauses: Sequence[Clause], labels: Sequence[str], encoder: Encoder
) -> FloatArray:
    """Return how near clauses are to labels, shape (clauses, labels).

    The cosine, less 0.2 where the two share a word: one that names a thing and not a direction.
    """
    if not clauses or not labels:
        return np.zeros((len(clauses), len(labels)))
    vectors = np.asarray(encoder.encode([*(c.text for c in clauses), *labels]), dtype=np.float64)
    cosines: FloatArray = vectors[: len(clauses)] @ vectors[len(clauses) :].T
    shared = [[_share_a_word(clause, label) for label in labels] for clause in clauses]
    return cosines - _SHARED * np.array(shared)


def _share_a_word(clause: Clause, label: str) -> bool:
    said = content_words(" ".join(clause.words))
    own = [word for word in content_words(label) if not is_direction(word)]
    return any(same_word(a, b) for a in own for b in said)


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
