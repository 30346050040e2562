"""One concept for one thing, however it was worded; opposite ends of a scale tied by sign.

Labels are taken in order of how telling they are. Each joins the concept that it is tied to most
closely: by its words (`beliefgraph.text.lexical_tie`), or by sentence vectors where an encoder is
given. Vectors do not see direction ("lower rents" and "higher rents" are neighbours), so they may
only join labels whose words do not point apart; two labels that the interviewer asked about are
never joined by vectors. Every merge is recorded as an alias with its polarity and reason.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from beliefgraph.text import Encoder, Tie, label_valence, lexical_tie, read_label

__all__ = ["VECTOR_THRESHOLD", "WORD_THRESHOLD", "Placement", "canonicalise"]

WORD_THRESHOLD = 0.75
"""Least similarity by words that joins two labels."""
VECTOR_THRESHOLD = 0.6
"""Least cosine that joins two labels."""

Place = tuple[str, Literal[-1, 1]]
"""Name of a concept, and -1 where a label names the other end of its scale."""


@dataclass
class Placement:
    """Which concept every label belongs to."""

    places: dict[str, Place] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    """Why a label was placed where it is, for those that are not the concept's own name."""

    def wordings(self, name: str) -> list[tuple[str, Literal[-1, 1], str]]:
        """Return the other wordings of a concept: label, polarity, reason, in order of label."""
        return [
            (label, polarity, self.reasons[label])
            for label, (concept, polarity) in sorted(self.places.items())
            if concept == name and label in self.reasons
        ]


def canonicalise(
    labels: Sequence[str],
    *,
    fixed: Mapping[str, Collection[str]],
    keep_apart: Collection[frozenset[str]] = (),
    encoder: Encoder | None = None,
) -> Placement:
    """Group labels into concepts.

    Parameters
    ----------
    labels
        As said, most telling first; repeats count once. A capital letter marks a label that the
        interviewer asked about.
    fixed
        Concepts that exist whatever is said (the stance, its topic) with the wordings that are
        theirs. Nothing is merged into them by similarity.
    keep_apart
        Pairs of labels that are not to be merged.
    encoder
        Sentence vectors; words alone without.
    """
    result = Placement()
    owners: dict[str, str] = {}
    for name, wordings in fixed.items():
        for wording in (name, *wordings):
            result.places[wording] = (name, 1)
            owners[wording.casefold()] = name
    names: dict[str, bool] = {}
    for label in dict.fromkeys(labels):
        if label in result.places:
            continue
        owner = owners.get(label.casefold())
        if owner is not None:
            result.places[label] = (owner, 1)
        else:
            _place(label, names, result, keep_apart, encoder)
    return result


def _place(
    label: str,
    names: dict[str, bool],
    result: Placement,
    keep_apart: Collection[frozenset[str]],
    encoder: Encoder | None,
) -> None:
    asked = label[:1].isupper()
    apart = {other for pair in keep_apart if label in pair for other in pair - {label}}
    taken = {result.places[other][0] for other in apart if other in result.places} | apart
    near = {n: also for n, also in names.items() if n not in taken}
    by_vectors = [] if encoder is None else [n for n, also in near.items() if not (asked and also)]
    tie, name = _nearest(label, list(near), by_vectors, encoder)
    if name is not None:
        result.places[label] = (name, -1 if tie.polarity < 0 else 1)
        result.reasons[label] = tie.reason
        return
    read = read_label(label)
    new = read.base[:1].upper() + read.base[1:]
    given = {name.casefold() for name, _ in result.places.values()}
    if new.casefold() in given:
        new = label[:1].upper() + label[1:]  # kept apart by the user, so under its full wording
        read = read_label("")
    names[new] = asked
    result.places[label] = (new, -1 if read.direction < 0 else 1)
    if label.casefold() != new.casefold():
        result.reasons[label] = "words of direction"


def _nearest(
    label: str, names: Sequence[str], by_vectors: Sequence[str], encoder: Encoder | None
) -> tuple[Tie, str | None]:
    ties = [(lexical_tie(label, name), name) for name in names]
    best, name = max(ties, key=lambda pair: pair[0].similarity, default=(Tie(0.0, 1, ""), None))
    if best.similarity >= WORD_THRESHOLD:
        return best, name
    candidates = [n for n in by_vectors if label_valence(label) * label_valence(n) >= 0]
    if encoder is None or not candidates:
        return best, None
    vectors = encoder.encode([label, *candidates])
    cosines = vectors[1:] @ vectors[0]
    at = int(cosines.argmax())
    if cosines[at] < VECTOR_THRESHOLD:
        return best, None
    polarity = read_label(label).direction * read_label(candidates[at]).direction
    reason = f"sentence vectors ({encoder.name}), cosine {cosines[at]:.2f}"
    return Tie(float(cosines[at]), polarity, reason), candidates[at]
