"""Which turns of an interview are nearest to a question: by words (TF-IDF) or sentence vectors."""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from beliefgraph.survey import Question
from beliefgraph.text import Encoder
from beliefgraph.transcript import Turn

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Similarity", "TfIdf", "Vectors", "query_of", "tfidf_similarity", "top_turns"]

_WORD: Final = re.compile(r"\w\w+")


class Similarity(Protocol):
    """Says how near texts are to a query."""

    @property
    def name(self) -> str:
        """What the run calls it."""
        ...

    def __call__(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return one number a text; greater is nearer."""
        ...


def query_of(question: Question) -> str:
    """Return the words that are searched for: the question and what it is about."""
    about = (question.factor, question.outcome, question.reason)
    return " ".join((question.text, *filter(None, about)))


def top_turns(
    turns: Sequence[Turn], query: str, similarity: Similarity, top: int
) -> tuple[Turn, ...]:
    """Return the nearest turns, in the order they were spoken; of equals the earlier ones."""
    if not turns:
        return ()
    scores = similarity(query, [f"{turn.question} {turn.answer}" for turn in turns])
    best = sorted(range(len(turns)), key=lambda n: (-scores[n], n))[:top]
    return tuple(turns[n] for n in sorted(best))


def tfidf_similarity(query: str, texts: Sequence[str]) -> NDArray[np.float64]:
    """Return the cosine between the TF-IDF vectors of a query and of texts, shape (texts,).

    Words are runs of two or more letters or digits, case aside. A word counts as often as it
    stands, times `ln((1 + n) / (1 + df)) + 1`, where df of the n texts hold it; this is
    scikit-learn's `TfidfVectorizer` as it comes. Words of the query that no text holds count for
    nothing.

    Examples
    --------
    >>> [round(float(s), 2) for s in tfidf_similarity("late buses", ["The buses", "A park"])]
    [0.71, 0.0]
    """
    counts = [Counter(_WORD.findall(text.casefold())) for text in texts]
    known = sorted({word for count in counts for word in count})
    column = {word: n for n, word in enumerate(known)}
    frequency = np.zeros((len(texts) + 1, len(known)))
    for row, count in enumerate((*counts, Counter(_WORD.findall(query.casefold())))):
        for word, n in count.items():
            if word in column:
                frequency[row, column[word]] = n
    holding = (frequency[:-1] > 0).sum(axis=0)
    weighted = frequency * (np.log((1 + len(texts)) / (1 + holding)) + 1)
    lengths = np.linalg.norm(weighted, axis=1, keepdims=True)
    unit = weighted / np.where(lengths > 0, lengths, 1)
    found: NDArray[np.float64] = unit[:-1] @ unit[-1]
    return found


class TfIdf:
    """Nearness by the words that two texts share."""

    name = "tfidf"

    def __call__(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return cosines of TF-IDF vectors."""
        return tfidf_similarity(query, texts)


class Vectors:
    """Nearness by sentence vectors."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._one_at_a_time = threading.Lock()

    @property
    def name(self) -> str:
        """The encoder's model."""
        return f"vectors of {self._encoder.name}"

    def __call__(self, query: str, texts: Sequence[str]) -> NDArray[np.float64]:
        """Return cosines of unit vectors."""
        with self._one_at_a_time:
            vectors = self._encoder.encode([*texts, query])
        found: NDArray[np.float64] = vectors[:-1] @ vectors[-1]
        return found
