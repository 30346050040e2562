"""How near two labels are by their words alone, and whether they point the same way.

Two labels are tied where they name one scale: with the same content words ("bus speed", "speed of
the buses"), with neutral words added ("traffic", "road traffic"), or from its other end
("affordability", "costs"). The tie holds a polarity, so that opposite ends are joined by sign and
never merged as if they were one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from beliefgraph.text.labels import content_words, read_label, same_stem, scale_side, stem
from beliefgraph.text.lexicon import direction_of, valence_of

__all__ = ["Tie", "lexical_tie"]


@dataclass(frozen=True)
class Tie:
    """How one label stands to another."""

    similarity: float
    """1 for the same words, less for words added, 0 where nothing ties them."""
    polarity: int
    """-1 where more of the one is less of the other."""
    reason: str


_NONE = Tie(0.0, 1, "")


def lexical_tie(one: str, other: str) -> Tie:
    """Say how two labels are tied by their words.

    Examples
    --------
    >>> lexical_tie("Bus speed", "speed of the buses")
    Tie(similarity=1.0, polarity=1, reason='the same words')
    >>> lexical_tie("Housing affordability", "housing costs").polarity
    -1
    >>> lexical_tie("crime", "fear of crime").similarity
    0.0
    """
    return _tie(*sorted((one, other)))


@lru_cache(maxsize=65_536)
def _tie(one: str, other: str) -> Tie:
    a, b = read_label(one), read_label(other)
    if not a.stems or not b.stems:
        return _NONE
    pointing = a.direction * b.direction
    if a.stems == b.stems and a.head != b.head and len(a.stems) > 1:
        return Tie(
            0.5, pointing, "the same words about another thing"
        )  # "state school", "school state"
    if a.stems == b.stems:
        return Tie(1.0, pointing, "the same words")
    matched_a, matched_b, polarity, ends = _match(a.stems, b.stems)
    rest_a, rest_b = a.stems - matched_a, b.stems - matched_b
    if not matched_a:
        return _NONE
    words = {stem(w): w for w in (*content_words(one), *content_words(other))}
    if any(_charged(words.get(rest, rest)) for rest in rest_a | rest_b):
        return _NONE
    if ends and (rest_a or rest_b):
        return _NONE  # rents and the cost of insurance stand on one scale and are two things
    share = 2 * len(matched_a) / (len(a.stems) + len(b.stems))
    if rest_a and rest_b:
        return Tie(0.9 * share, pointing * polarity, "shared words")
    if ends:
        reason = "opposite ends of one scale" if polarity < 0 else "the same end of one scale"
    else:
        reason = "words added" if rest_a or rest_b else "the same words"
    return Tie(0.5 + 0.5 * share, pointing * polarity, reason)


def _match(
    one: frozenset[str], other: frozenset[str]
) -> tuple[frozenset[str], frozenset[str], int, bool]:
    """Pair stems that are the same or stand on one antonym scale."""
    if _marks(one).isdisjoint(_marks(other)):
        return frozenset(), frozenset(), 1, False
    pairs, polarity, ends = [], 1, False
    free = set(other)
    for a in sorted(one):
        same = next((b for b in sorted(free) if a == b or same_stem(a, b)), None)
        if same is None:
            side = scale_side(a)
            for b in sorted(free):
                across = scale_side(b)
                if side is not None and across is not None and side[0] == across[0]:
                    same = b
                    ends = True
                    polarity *= side[1] * across[1]
                    break
        if same is not None:
            pairs.append((a, same))
            free.discard(same)
    return frozenset(a for a, _ in pairs), frozenset(b for _, b in pairs), polarity, ends


@lru_cache(maxsize=65_536)
def _marks(stems: frozenset[str]) -> frozenset[str | int]:
    """What two stems must share to be paired: their opening letters or a scale."""
    marks: set[str | int] = set()
    for own in stems:
        marks |= {own[:4], stem(own)[:4]}
        side = scale_side(own)
        if side is not None:
            marks.add(side[0])
    return frozenset(marks)


def _charged(word: str) -> bool:
    """A word that makes the longer label another thing: "fear of crime" is not crime."""
    singular = word.rstrip("s")
    evaluated = valence_of(word) or valence_of(singular) or direction_of(word)
    return bool(evaluated) or stem(word) in _TELLING


_TELLING = frozenset(
    stem(word)
    for word in (
        "support opposition policy tax perception belief cost quality access need feeling "
        "protection prevention awareness education control"
    ).split()
)
"""Words that, added to a label, name something else: "water", "water quality"."""
