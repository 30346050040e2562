"""One concept for one thing, however it was worded; opposite ends of a scale tied by sign.

Labels are taken in order of how often and how early they are said. Each joins the nearest concept
that is tied to it by words (or by sentence vectors, where a tie by words does not forbid it), and
the tie is recorded as an alias with its polarity and reason, so that a merge can be read and undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from beliefgraph.text import lexical_tie, read_label

__all__ = ["Canonical", "canonicalise"]

Place = tuple[str, Literal[-1, 1]]
"""Name of a concept, and -1 where a label names the other end of its scale."""

_TIED = 0.75
"""Least similarity by words that joins two labels."""


@dataclass
class Canonical:
    """Which concept every label belongs to."""

    places: dict[str, Place] = field(default_factory=dict)
    aliases: dict[str, dict[str, tuple[Literal[-1, 1], str]]] = field(default_factory=dict)
    """For every concept the other wordings, with polarity and reason."""


def canonicalise(
    labels: Sequence[str],
    *,
    fixed: Mapping[str, Iterable[str]],
    keep_apart: Iterable[frozenset[str]] = (),
) -> Canonical:
    """Group labels into concepts.

    Parameters
    ----------
    labels
        As said, most telling first; repeats count once.
    fixed
        Concepts that exist whatever is said (the stance, its topic) with the wordings that are
        theirs. Nothing is merged into them by similarity.
    keep_apart
        Pairs of labels that the user does not want merged.
    """
    result = Canonical()
    apart = set(keep_apart)
    for name, wordings in fixed.items():
        result.aliases[name] = {}
        for wording in (name, *wordings):
            result.places[wording] = (name, 1)
    fixed_names = {w.casefold(): name for name, ws in fixed.items() for w in (name, *ws)}
    open_names: list[str] = []
    for label in labels:
        if label in result.places:
            continue
        own = fixed_names.get(label.casefold())
        if own is not None:
            result.places[label] = (own, 1)
            continue
        _place(label, open_names, result, apart)
    return result


def _place(label: str, names: list[str], result: Canonical, apart: set[frozenset[str]]) -> None:
    best = max(
        ((lexical_tie(label, name), name) for name in names if frozenset((label, name)) not in apart),
        key=lambda pair: pair[0].similarity,
        default=None,
    )
    if best is not None and best[0].similarity >= _TIED:
        tie, name = best
        polarity: Literal[-1, 1] = -1 if tie.polarity < 0 else 1
        result.places[label] = (name, polarity)
        if label != name:
            result.aliases[name][label] = (polarity, tie.reason)
        return
    read = read_label(label)
    name = _title(read.base)
    taken = {existing.casefold(): existing for existing in (*result.aliases, *names)}
    if name.casefold() in taken:
        name = taken[name.casefold()]
    else:
        names.append(name)
        result.aliases[name] = {}
    direction: Literal[-1, 1] = -1 if read.direction < 0 else 1
    result.places[label] = (name, direction)
    if label.casefold() != name.casefold():
        result.aliases[name][label] = (direction, "words of direction")


def _title(base: str) -> str:
    """First letter in upper case, the rest as said."""
    return base[:1].upper() + base[1:]
