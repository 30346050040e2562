"""Clauses of a scenario, and the words in them that say which way and how much."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from beliefgraph.text import content_words
from beliefgraph.text.lexicon import DOWN, PREVENT, UP

__all__ = [
    "Clause",
    "Direction",
    "direction_near",
    "dose_of",
    "naming_words",
    "split_scenario",
]


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_JOINTS = r"(?:and|but|while|whereas|as|because|so|then|when|if|or|suppose)\b"
_BREAK = re.compile(
    rf"^\s*{_JOINTS}\s*|(?:[.;:!?]+(?=\s|$)|,(?!\d))\s*(?:{_JOINTS}\s*)?|\s{_JOINTS}\s*",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    r"(?P<low>\d+(?:[.,]\d+)?)(?:\s*(?:-|\u2013|to|or|and)\s*(?P<high>\d+(?:[.,]\d+)?))?"
    r"\s*(?:%|per ?cent\b)",
    re.IGNORECASE,
)
_PERCENTS, _PERCENT_DOSES = (0.0, 5.0, 15.0, 30.0, 50.0), (0.0, 0.25, 0.5, 0.8, 1.0)

_SIZES = (
    (1.0, "double doubles doubled triple triples tripled halve halves halved half completely "
          "entirely totally fully abolish abolished vanish vanishes disappear disappears"),
    (0.8, "sharp sharply strong strongly noticeable noticeably dramatic dramatically drastic "
          "drastically steep steeply huge hugely massive massively significant significantly "
          "substantial substantially considerably much lot greatly heavily soar soars soared "
          "plummet plummets plummeted skyrocket skyrockets skyrocketed"),
    (0.5, "moderate moderately fairly"),
    (0.25, "slight slightly little bit somewhat modest modestly mild mildly marginal marginally "
           "gently"),
)  # fmt: skip
_DOSES = {word: dose for dose, words in _SIZES for word in words.split()}
UNSTATED_DOSE = 0.5

_IRREGULAR = {
    "fell": "fall", "fallen": "fall", "rose": "rise", "risen": "rise", "lost": "lose",
    "grew": "grow", "grown": "grow", "shrank": "shrink", "shrunk": "shrink", "sank": "sink",
    "sunk": "sink", "built": "build", "fed": "feed", "drove": "drive",
}  # fmt: skip
_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"))
_MORE_THINGS = _word_set("introduce open start arrive double triple climb jump dearer pricier")
_LESS_THINGS = _word_set(
    "halve half abolish scrap vanish disappear close cancel tumble crash cheaper withdraw"
)
_JUDGED = {
    **dict.fromkeys(("better", "improve", "improvement"), 1),
    **dict.fromkeys(("worse", "worsen", "deteriorate"), -1),
}
_NOT_DIRECTIONS = _word_set("help enable drive save free fix address block bring chip eat add")
_FILLERS = _word_set(
    "percent per cent go goes going gone went get gets got getting become becomes became "
    "come comes came would will was were"
)
_UNCHANGED = _word_set("same unchanged constant steady stable")
_NEGATIONS = _word_set("not never cannot don't doesn't didn't won't isn't aren't")


@dataclass(frozen=True, eq=False)
class Clause:
    """One clause of a scenario."""

    text: str
    """As it stands in the scenario."""
    words: tuple[str, ...]
    """Its words, lower case."""
    lender: Clause | None = None
    """The clause it is joined to, whose direction and size it takes where it says none itself."""


def split_scenario(text: str) -> list[Clause]:
    """Cut a scenario into clauses.

    A piece that names nothing ("by 10-15%") belongs to the clause before it; a clause without a
    direction ("rents and prices fall") takes that of the next.

    >>> [clause.text for clause in split_scenario("rents drop, by 10-15%; buses get faster")]
    ['rents drop, by 10-15%', 'buses get faster']
    """
    pieces: list[tuple[int, int]] = []
    start = 0
    for cut in [*((m.start(), m.end()) for m in _BREAK.finditer(text)), (len(text), len(text))]:
        if text[start : cut[0]].strip():
            if pieces and not naming_words(_words(text[start : cut[0]])):
                pieces[-1] = (pieces[-1][0], cut[0])
            else:
                pieces.append((start, cut[0]))
        start = cut[1]
    clauses = [Clause(piece, _words(piece)) for a, b in pieces if (piece := text[a:b].strip())]
    for number in range(len(clauses) - 2, -1, -1):
        this, after = clauses[number], clauses[number + 1]
        if not any(map(_points, this.words)):
            lender = after if any(map(_points, after.words)) else after.lender
            clauses[number] = Clause(this.text, this.words, lender)
    return clauses


def _words(text: str) -> tuple[str, ...]:
    return tuple(
        word.removesuffix("'s").strip("'")
        for word in re.findall(r"[^\W\d_][\w'-]*", text.lower().replace("\u2019", "'"))
        if word.strip("'")
    )


def naming_words(words: tuple[str, ...]) -> list[str]:
    """Return the words that name things: neither direction nor size nor grammar."""
    rest = [
        word for word in words if word not in _DOSES and word not in _FILLERS and not _points(word)
    ]
    return content_words(" ".join(rest))


def _lemmas(word: str) -> Iterator[str]:
    yield word
    if word in _IRREGULAR:
        yield _IRREGULAR[word]
    for ending, put in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            cut = word[: -len(ending)] + put
            yield cut
            if len(cut) > 3 and cut[-1] == cut[-2]:
                yield cut[:-1]


def _points(word: str) -> int:
    """Return +1 for a word of more, -1 for one of less, 0 for any other."""
    for lemma in _lemmas(word):
        if lemma in _JUDGED:
            return _JUDGED[lemma]
        if lemma in _NOT_DIRECTIONS:
            continue
        if lemma in _LESS_THINGS or lemma in DOWN or lemma in PREVENT or lemma in ("no", "without"):
            return -1
        if lemma in _MORE_THINGS or lemma in UP:
            return 1
    return 0


@dataclass(frozen=True)
class Direction:
    """Which way a clause says that a concept goes, and by which word."""

    sign: int
    """+1, -1, or 0 for "no change"."""
    place: int | None = None
    """Number of the word that says it; None where none does, or the concept's own words do."""
    distance: int = 0
    """Words between."""


def direction_near(clause: Clause, start: int, end: int, label: str, valence: int) -> Direction:
    """Return the direction said of the words `start` to `end`.

    Parameters
    ----------
    clause, start, end
        The clause and the words in it that name the concept.
    label
        Name of the concept; its words of direction ("Parking loss") are part of the name.
    valence
        -1 where more of the concept is bad: "worse" is then more of it.
    """
    named = set(label.lower().split())
    if any(_points(word) and word not in named for word in clause.words[start:end]):
        return Direction(1, start)  # "lower rents": the tie to the concept holds the sign
    outside = [n for n in range(len(clause.words)) if not start <= n < end]
    said = [n for n in outside if _points(clause.words[n])]
    if not said and any(clause.words[n] in _UNCHANGED for n in outside):
        return Direction(0)
    if not said and clause.lender is not None:
        return Direction(next(filter(None, map(_points, clause.lender.words))))
    if not said:
        return Direction(1)
    # "rents go up by 10%": the verb after the name outranks an adjective of the next name
    place = min(said, key=lambda n: (_distance(n, start, end), -n))
    sign = _points(clause.words[place])
    if any(_negated(clause.words[n]) for n in outside if place - 3 <= n < place):
        sign = 0
    elif valence < 0 and any(lemma in _JUDGED for lemma in _lemmas(clause.words[place])):
        sign = -sign
    return Direction(sign, place, _distance(place, start, end))


def _distance(place: int, start: int, end: int) -> int:
    return start - place if place < start else place - end + 1


def _negated(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def dose_of(clause: Clause, label: str) -> float:
    """Return the size that a clause states, by the table of `beliefgraph.simulate.scenario`.

    Words of the concept's own label state none.
    """
    percent = _PERCENT.search(clause.text)
    if percent is not None:
        ends = [float(percent[key].replace(",", ".")) for key in ("low", "high") if percent[key]]
        dose = float(np.interp(sum(ends) / len(ends), _PERCENTS, _PERCENT_DOSES))
        return max(round(dose, 2), 0.01)
    own = set(content_words(label))
    for word in clause.words:
        if word in _DOSES and word not in own:
            return _DOSES[word]
    return UNSTATED_DOSE if clause.lender is None else dose_of(clause.lender, label)
