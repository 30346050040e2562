"""How far answers lean to one of two sides: by sentence vectors, or by words alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from beliefgraph.text import Encoder, content_words, stem
from beliefgraph.text.lexicon import BAD, DOWN, GOOD, NEGATIONS, OPPOSE, SUPPORT, UP

__all__ = ["Lean", "VectorLean", "WordLean"]

FloatArray = NDArray[np.float64]


class Lean(Protocol):
    """Reads a lean in -1..1 off answers, with statements for and against to compare with."""

    def judgement(self, answers: Sequence[str], what: str, pro: list[str], con: list[str]) -> float:
        """Return how far they judge something as good, or bad."""
        ...

    def effect(self, answers: Sequence[str], what: str, pro: list[str], con: list[str]) -> float:
        """Return how far they say that something raises, or lowers."""
        ...

    def mention(self, answers: Sequence[str], what: str, pro: list[str], con: list[str]) -> float:
        """Return how far they hold something to matter, or not."""
        ...

    def nearest(self, answers: Sequence[str], what: str, n: int) -> list[int]:
        """Return the places of the n answers nearest to a label, in their order."""
        ...


@dataclass(frozen=True)
class VectorLean:
    """Mean cosine with the statements for, less that with the statements against.

    The unit is what the statements themselves show, each compared with all the others: 1 is as
    clear as one of them. The mean over answers is cut at -1 and 1.
    """

    encoder: Encoder

    def judgement(self, answers: Sequence[str], what: str, pro: list[str], con: list[str]) -> float:
        """Return the mean lean."""
        said, a, b = (self.encoder.encode(texts) for texts in (list(answers), pro, con))
        unit = _own_lean(a, b)
        if unit <= 1e-6:  # these vectors do not tell the sides apart
            return 0.0
        lean = float(np.mean(said @ a.T) - np.mean(said @ b.T)) / unit
        return float(np.clip(lean, -1, 1))

    def effect(self, answers: Sequence[str], what: str, pro: list[str], con: list[str]) -> float:
        """Return the mean lean."""
        return self.judgement(answers, what, pro, con)

    def mention(self, answers: Sequence[str], what: str, pro: list[str], con: list[str]) -> float:
        """Return the mean lean."""
        return self.judgement(answers, what, pro, con)

    def nearest(self, answers: Sequence[str], what: str, n: int) -> list[int]:
        """Return the places with the greatest cosines."""
        cosines = self.encoder.encode(list(answers)) @ self.encoder.encode([what])[0]
        return sorted(np.argsort(-cosines, kind="stable")[:n].tolist())


def _own_lean(a: FloatArray, b: FloatArray) -> float:
    """Return the mean lean of the statements to their own side, each left out in turn."""
    across = np.mean(a @ b.T)
    within = [(np.sum(s @ s.T) - np.trace(s @ s.T)) / (len(s) * (len(s) - 1)) for s in (a, b)]
    return float(np.mean(within) - across)


_FOR: Final = frozenset(map(stem, SUPPORT | GOOD))
_AGAINST: Final = frozenset(map(stem, OPPOSE | BAD))
_RAISES: Final = _FOR | frozenset(map(stem, UP | {"positive"}))
_LOWERS: Final = _AGAINST | frozenset(map(stem, DOWN | {"negative"}))
_REACH: Final = 3
"""Words over which a negation reaches."""


class WordLean:
    """Balance of words for and against: `(for - against) / (for + against + 1)`.

    A word turns around where a negation stands among the three before it. The words of what it is
    about do not count: "cost" is no judgement where the cost is asked about.

    Examples
    --------
    >>> said = ["I support it.", "I do not support it.", "A good idea."]
    >>> WordLean().judgement(said, "trams", [], [])
    0.25
    """

    def judgement(self, answers: Sequence[str], what: str, pro: list[str], con: list[str]) -> float:
        """Count words of support and judgement."""
        return _balance(answers, what, _FOR, _AGAINST)

    def effect(self, answers: Sequence[str], what: str, pro: list[str], con: list[str]) -> float:
        """Count these and words of more and less."""
        return _balance(answers, what, _RAISES, _LOWERS)

    def mention(self, answers: Sequence[str], what: str, pro: list[str], con: list[str]) -> float:
        """Return the share of the label's words that the answers hold, from -1 (none) to 1."""
        wanted = {stem(word) for word in content_words(what)}
        said = {stem(word) for answer in answers for word in content_words(answer)}
        return 2 * len(wanted & said) / len(wanted) - 1 if wanted else 0.0

    def nearest(self, answers: Sequence[str], what: str, n: int) -> list[int]:
        """Return the places of the answers that hold most of the label's words, earlier first."""
        wanted = {stem(word) for word in content_words(what)}
        held = [len(wanted & {stem(word) for word in content_words(a)}) for a in answers]
        order = sorted(range(len(answers)), key=lambda place: (-held[place], place))
        return sorted(order[:n])


def _balance(answers: Sequence[str], what: str, pro: frozenset[str], con: frozenset[str]) -> float:
    own = {stem(word) for word in content_words(what)}
    counts = {1: 0, -1: 0}
    for answer in answers:
        words = re.findall(r"[a-z]+(?:['\u2019]t)?", answer.lower())
        for place, word in enumerate(words):
            root = stem(word)
            side = (root in pro) - (root in con)
            if side and root not in own:
                before = words[max(0, place - _REACH) : place]
                counts[-side if any(map(_negates, before)) else side] += 1
    return (counts[1] - counts[-1]) / (counts[1] + counts[-1] + 1)


def _negates(word: str) -> bool:
    return word in NEGATIONS or word.endswith(("n't", "n\u2019t"))
