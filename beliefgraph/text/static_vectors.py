"""Static word vectors: a text's vector is the mean of its word pieces' vectors, without torch.

The table and the tokenizer are those of WordLlama (github.com/dleemiller/WordLlama): the word
pieces of Llama 2, with 256 dimensions trained on pairs of sentences. Both files lie in the wheel of
the PyPI package `wordllama` and are read from there; the package's own code, which looks for the
tokenizer in another folder, asks the network for it and sets up logging, is not run.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from beliefgraph.errors import MissingPackageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["STATIC_MODEL", "StaticEncoder", "has_static_vectors", "load_static_encoder"]

STATIC_MODEL: Final = "wordllama"
"""The name by which `load_encoder` knows the model, and the PyPI package that carries it."""

_WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
_TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
_NEEDED: Final = (STATIC_MODEL, "safetensors", "tokenizers")


class StaticEncoder:
    """A table of word pieces' vectors behind the `Encoder` protocol, each label encoded once.

    Texts are compared in lower case: the table holds other pieces for "Noise" than for "noise".
    """

    name = "wordllama l2_supercat_256"
    noise = 0.2
    """As many pairs of unrelated labels lie above it as above 0.3 with MiniLM."""

    def __init__(self, table: NDArray[np.float32], tokenizer: Any) -> None:
        self._table = table
        self._tokenizer = tokenizer
        self._known: dict[str, NDArray[np.float64]] = {}

    def encode(self, labels: Sequence[str]) -> NDArray[np.float64]:
        """Return unit vectors (zeros for a text without words), shape (labels, dimensions)."""
        for label in labels:
            if label not in self._known:
                self._known[label] = self._vector(label)
        return np.array([self._known[label] for label in labels]).reshape(
            len(labels), self._table.shape[1]
        )

    def _vector(self, label: str) -> NDArray[np.float64]:
        pieces = self._tokenizer.encode(label.lower(), add_special_tokens=False).ids
        if not pieces:
            return np.zeros(self._table.shape[1])
        mean = self._table[pieces].mean(axis=0, dtype=np.float64)
        length = float(np.linalg.norm(mean))
        vector: NDArray[np.float64] = mean / length if length else mean
        return vector


def has_static_vectors() -> bool:
    """Say whether the vectors and what reads their files are on this machine, without loading."""
    return all(find_spec(name) for name in _NEEDED)


@lru_cache(maxsize=1)
def load_static_encoder() -> StaticEncoder:
    """Load the vectors from the files inside the installed package.

    Raises
    ------
    MissingPackageError
        `wordllama`, or one of the two packages that read its files, is not installed.
    FileNotFoundError
        The installed `wordllama` does not hold the files.
    """
    found = find_spec(STATIC_MODEL)
    if not has_static_vectors() or found is None or found.origin is None:
        raise MissingPackageError(
            STATIC_MODEL, "comparing labels by static vectors", 'pip install "beliefgraph[static]"'
        )
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    weights, words = (Path(found.origin).parent / file for file in (_WEIGHTS, _TOKENIZER))
    for file in (weights, words):
        if not file.is_file():
            raise FileNotFoundError(
                f"{file}: the installed wordllama does not hold this file. "
                'pip install --force-reinstall "beliefgraph[static]" puts it back'
            )
    (table,) = load_file(weights).values()
    tokenizer = Tokenizer.from_file(str(words))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return StaticEncoder(table.astype(np.float32), tokenizer)
