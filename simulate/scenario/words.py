"""Clauses of a scenario, and the words in them that say which way and how much."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from beliefgraph.simulate.scenario.doses import dose_of_percent, stated_percent
from beliefgraph.text import content_words, read_label
from beliefgraph.text.lexicon import DOWN, PREVENT, UP

__all__ = [
    "UNSTATED_DOSE",
    "Clause",
    "Direction",
    "direction_near",
    "dose_of",
    "inner_direction",
    "is_direction",
    "leaves_none",
    "naming_words",
    "says_change",
    "split_scenario",
    "worry_eased",
]


def _word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_JOINTS = (
    r"(?:(?:and|but|while|whereas|because|so|then|when|if|or|suppose)\b"
    r"|as\b(?! (?:many|much|often|few|little|long|well|far)\b))"  # not "twice as many"
)
_BREAK = re.compile(
    rf"^\s*{_JOINTS}\s*|(?:[.;:!?]+(?=\s|$)|,(?!\d))\s*(?:{_JOINTS}\s*)?|\s{_JOINTS}\s*",
    re.IGNORECASE,
)
_SIZES = (
    (1.0, "double doubles doubled triple triples tripled halve halves halved half completely "
          "entirely totally fully abolish abolished vanish vanishes disappear disappears twice "
          "none nobody altogether"),
    (0.8, "sharp sharply strong strongly noticeable noticeably dramatic dramatically drastic "
          "drastically steep steeply huge hugely massive massively significant significantly "
          "substantial substantially considerably much far lot greatly heavily soar soars soared "
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
    "sunk": "sink", "built": "build", "fed": "feed", "drove": "drive", "met": "meet",
}  # fmt: skip
_ENDINGS = (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"))
_MORE_THINGS = _word_set(
    "introduce open start arrive double triple climb jump dearer pricier stretch hire order "
    "recruit spread own twice"
)
_LESS_THINGS = _word_set(
    "halve half abolish scrap vanish disappear close cancel tumble crash cheaper withdraw delete "
    "erase wipe bar forbid prohibit waive rare rarely scarce slash trim hardly barely"
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
_UNCHANGED = _word_set(
    "same unchanged constant steady stable keep retain remain stay still unaffected"
)
_NEGATIONS = _word_set("not never cannot don't doesn't didn't won't isn't aren't")
_NONE_OF = _word_set("no none nobody nothing neither without")
"""Words that leave nothing of what they stand before, and undo a direction that follows."""
_TURNING = _word_set("less fewer unable without")
"""Words inside a label that name the other end of its scale."""
_WORRIES = _word_set("worry concern fear anxiety objection misgiving unease")
_EASING = _word_set(
    "address answer meet allay settle calm reassure dispel relieve ease soothe remove end resolve "
    "take rule reduce lower lessen fall drop shrink"
)
"""What can be done to a worry so that it is one no more."""
_LIMITS = _word_set("only merely")
_PHRASES = tuple(
    (re.compile(rf"\b{said}\b", re.IGNORECASE), words)
    for said, words in (
        ("no longer", "entirely stop"),
        ("free of charge|at no cost|for free", "abolished cost"),
        ("(?:is|are|be|been|was|were) ruled out", "be abolished"),
        ("(?:not|never) (?:be )?(?:allowed|permitted)", "banned"),
        ("all but", "entirely"),
    )
)
"""Sayings of several words, with words that mean the same."""


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
    for said, words in _PHRASES:
        text = said.sub(words, text)
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


def is_direction(word: str) -> bool:
    """Whether a word says more, less or none."""
    return _points(word) != 0


def worry_eased(text: str, label: str) -> bool | None:
    """Return whether a clause eases (True) or raises (False) a worry about a thing.

    None where it names no worry beside the label's own words.

    >>> worry_eased("worries about privacy are met", "Privacy")
    True
    >>> worry_eased("fears of crime grow", "Crime"), worry_eased("crime falls", "Crime")
    (False, None)
    """
    words = [word for word in _words(text) if word not in label.lower().split()]
    lemmas = {lemma for word in words for lemma in _lemmas(word)}
    if not lemmas & _WORRIES:
        return None
    return bool(lemmas & _EASING) or any(word in _NONE_OF or _negated(word) for word in words)


def says_change(clause: Clause) -> bool:
    """Whether a clause says that something changes, ends, is limited or stays as it is."""
    words = clause.words
    numbers = stated_percent(clause.text)
    return (
        any(_points(word) or _negated(word) or word in _LIMITS or word in _DOSES for word in words)
        or any(lemma in _UNCHANGED for word in words for lemma in _lemmas(word))
        or numbers is not None
    )


def leaves_none(word: str) -> bool:
    """Whether a word leaves nothing of what it stands before: "no", "without"."""
    return word in _NONE_OF


def inner_direction(label: str) -> int:
    """Return -1 where a label's own words turn its scale round in a way no leading word does.

    >>> inner_direction("Using less water"), inner_direction("Losing pay")
    (-1, -1)
    >>> inner_direction("Water use"), inner_direction("Lower rents")  # read_label reads "lower"
    (1, 1)
    """
    words = _words(read_label(label).base)
    sign = -1 if any(word in _TURNING or _negated(word) for word in words) else 1
    if len(words) > 1 and words[0].endswith("ing") and _points(words[0]) < 0:
        sign = -sign
    return sign


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
        if lemma in _LESS_THINGS or lemma in DOWN or lemma in PREVENT or lemma in _NONE_OF:
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
    words = clause.words
    named = set(label.lower().split())
    pointing = [n for n, word in enumerate(words) if _points(word) and word not in _NONE_OF]
    outside = [n for n in range(len(words)) if not start <= n < end]
    inside = [n for n in pointing if start <= n < end and words[n] not in named]
    if inside:  # "lower rents": the tie to the concept holds the sign
        return Direction(0 if _undone(words, inside[0]) else 1, start)
    said = [n for n in pointing if n in outside]
    if not said:
        return _without_a_word_of_direction(clause, start, end)
    # "rents go up by 10%": the verb after the name outranks an adjective of the next name
    place = min(said, key=lambda n: (_distance(n, start, end), -n))
    sign = _points(words[place])
    if _undone(words, place):
        sign = 0
    elif valence < 0 and any(lemma in _JUDGED for lemma in _lemmas(words[place])):
        sign = -sign
    return Direction(sign, place, _distance(place, start, end))


def _without_a_word_of_direction(clause: Clause, start: int, end: int) -> Direction:
    """Return the direction of a clause that says none in a word of its own."""
    words = clause.words
    nothing = [n for n, word in enumerate(words) if word in _NONE_OF or _negated(word)]
    if nothing:  # "no crime", "they could not pass it on"
        place = min(nothing, key=lambda n: max(_distance(n, start, end), 0))
        return Direction(-1, place, max(_distance(place, start, end), 0))
    if any(lemma in _UNCHANGED for word in words for lemma in _lemmas(word)):
        return Direction(0)
    numbers = stated_percent(clause.text)
    if numbers is not None and numbers[1]:
        return Direction(numbers[1])
    if any(word in _LIMITS for word in words):
        return Direction(-1)
    if clause.lender is not None:
        return Direction(next(filter(None, map(_points, clause.lender.words))))
    return Direction(1)


def _undone(words: tuple[str, ...], place: int) -> bool:
    """Whether the word of direction at a place is negated: "not rise", "no space is removed"."""
    if any(_negated(word) for word in words[max(place - 3, 0) : place]):
        return True
    for word in reversed(words[:place]):
        if word in _NONE_OF:
            return True
        if _points(word):
            return False
    return False


def _distance(place: int, start: int, end: int) -> int:
    return start - place if place < start else place - end + 1


def _negated(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def dose_of(clause: Clause, label: str) -> float:
    """Return the size that a clause states, by the table of `beliefgraph.simulate.scenario`.

    Words of the concept's own label state none.
    """
    numbers = stated_percent(clause.text)
    if numbers is not None:
        return dose_of_percent(numbers[0])
    own = set(content_words(label))
    for word in clause.words:
        if word in _DOSES and word not in own:
            return _DOSES[word]
    return UNSTATED_DOSE if clause.lender is None else dose_of(clause.lender, label)
