"""Words of a clause that name a concept: how nearly, and which end of its scale.

Words and labels are compared by `beliefgraph.text.lexical_tie`; what a bag of words cannot see is
taken off here: a name without its main word ("rents" for "rent control"), another kind of the thing
("tax bills" for "water bills"), a thing without its scale ("buses" for "Faster buses"), words that
share only numbers ("four days"), a thing without the act that a label names ("meters" for "Paying
for the meter"), and a verb with another object ("pay the wages" for "Sick pay"). What it leaves out
is put back by `beliefgraph.simulate.scenario.names`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from beliefgraph.graph import BeliefGraph, Concept
from beliefgraph.simulate.scenario.doses import NUMBER_WORDS
from beliefgraph.simulate.scenario.names import (
    act_said,
    acts_on_another,
    before_preposition,
    measured,
    names_another,
    names_main,
    quality_of,
    same_word,
    vague,
    with_plurals_of,
    without_compounds,
)
from beliefgraph.simulate.scenario.words import (
    Clause,
    inner_direction,
    is_direction,
    leaves_none,
    naming_words,
)
from beliefgraph.text import Tie, content_words, lexical_tie, read_label, scale_side, stem

__all__ = ["Mention", "end_named", "find_mentions"]

_HEADLESS = 0.7
"""Factor where the words lack the concept's main word: "rents" is not "rent control"."""
_SCALE_ALONE = 0.5
"""Factor where only the scale is shared and the clause speaks of something else: "cheaper phones"
does not mean "Rents"."""
_OTHER_KIND = 0.7
"""Factor where the words name another kind of the thing, or leave out the label's scale."""
_SCALES = {
    word: frozenset(stem(other) for other in f"{names} {more}".split())
    for names, more in (
        ("faster quicker slower", "fast quick slow speed delay pace"),
        ("longer shorter", "long short length stretch extend lengthen shorten prolong"),
        ("cheaper dearer", "cheap dear price cost expensive"),
        ("easier harder", "easy hard difficult"),
        ("safer", "safe danger unsafe"),
    )
    for word in names.split()
}
"""Words before a thing's name that make a label one scale of it, with others of that scale."""
_BY_MAIN_NAME = 0.7
"""Similarity of the part of a name that stands for the whole: "fines" of "Fines for speeding"."""
_BY_MEASURE = 0.75
"""Similarity of a thing measured as a name says: "a bus every hour" for "How often buses come"."""
_UNITS = frozenset(stem(word) for word in "day week month year hour minute time".split())
_GERUND = re.compile(r"^[a-z]{2,}ing (?:for |of |on )?(?=\w)")
"""Start of a label that names an act: "Paying for the meter" is about the meter."""
_LONGEST = 6
"""Words that a mention of a concept may span."""


@dataclass(frozen=True)
class Mention:
    """Words of a clause that may name a concept."""

    clause: Clause
    start: int
    end: int
    concept: str
    similarity: float
    polarity: int
    reaches: bool

    def overlaps(self, other: Mention) -> bool:
        """Whether both take a word of one clause."""
        return self.clause is other.clause and self.start < other.end and other.start < self.end

    @property
    def rank(self) -> tuple[float, int, int]:
        """Sorts the surest first: near, reaching the stance, long."""
        return (-round(self.similarity, 3), -self.reaches, self.start - self.end)


def find_mentions(graph: BeliefGraph, clause: Clause) -> Iterator[Mention]:
    """Yield every span of a clause that may name a concept other than the stance."""
    reach = set(graph.intervenable)
    says = [bool(content_words(word)) and not leaves_none(word) for word in clause.words]
    after_none = [n for n, word in enumerate(clause.words) if leaves_none(word)]
    for concept in graph.concepts:
        if concept.name == graph.stance:
            continue
        labels = (concept.name, *(alias.label for alias in concept.aliases))
        meets = [any(_meet(word, label) for label in labels) for word in clause.words]
        for start in range(len(clause.words)):
            for end in range(start + 1, min(start + _LONGEST, len(clause.words)) + 1):
                if not (says[start] and says[end - 1] and any(meets[start:end])):
                    continue
                if any(start < n < end for n in after_none):
                    continue
                similarity, polarity = _tie(clause, start, end, concept, graph.stance)
                if similarity > 0:
                    yield Mention(
                        clause, start, end, concept.name, similarity, polarity,
                        concept.name in reach,
                    )  # fmt: skip


@lru_cache(maxsize=65_536)
def _meet(word: str, label: str) -> bool:
    """Whether a word shares a stem or a scale with a label: no words tie that hold none such."""
    own, other = (content_words(text) for text in (word, label))
    if any(same_word(a, b) for a in own for b in other):
        return True
    scales = [{side[0] for part in parts if (side := scale_side(part))} for parts in (own, other)]
    return bool(scales[0] & scales[1])


def _tie(clause: Clause, start: int, end: int, concept: Concept, topic: str) -> tuple[float, int]:
    """Return the best (similarity, polarity) to the concept's name or a wording of it."""
    words = " ".join(clause.words[start:end])
    wordings = [(concept.name, 1), *((alias.label, alias.polarity) for alias in concept.aliases)]
    best = (0.0, 1)
    for wording, polarity in wordings:
        tie = lexical_tie(words, with_plurals_of(without_compounds(wording), words.split()))
        similarity = tie.similarity
        if "scale" in tie.reason:
            if not (
                _share_a_word(words, wording) or quality_of(wording, clause, topic)
            ) and _says_more(clause, wording):
                similarity *= _SCALE_ALONE
        elif similarity < 1 and not _holds_head(words, wording):
            similarity *= _HEADLESS
        if similarity < 1 and _shares_only_numbers(words, wording):
            similarity = 0.0
        if similarity < _BY_MAIN_NAME and names_main(words, wording):
            tie = _directions(words, wording)
            similarity = _BY_MAIN_NAME
        side = _side_said(words, wording, clause)
        if side == 0 or (similarity < 1 and _other_kind(words, wording, clause)):
            similarity *= _OTHER_KIND if side else _SCALE_ALONE
        if (
            not act_said(clause, wording)
            or acts_on_another(clause, start, end, wording)
            or (similarity < 1 and names_another(clause, end, wording))
        ):
            similarity *= _OTHER_KIND
        if similarity < _BY_MEASURE and measured(clause, clause.words[start:end], wording):
            tie, similarity = _directions(words, wording), _BY_MEASURE
        if similarity > best[0]:
            turned = inner_direction(words) * inner_direction(wording) * (side or 1)
            best = (similarity, tie.polarity * polarity * turned)
    return best


def _directions(words: str, label: str) -> Tie:
    return Tie(0.0, read_label(words).direction * read_label(label).direction, "")


def _holds_head(words: str, label: str) -> bool:
    """Whether the words hold the label's main word: "speed" of "Bus speed"."""
    base = _GERUND.sub("", read_label(label).base.lower())
    heads = content_words(before_preposition(base))[-1:]
    return any(same_word(word, head) for head in heads for word in content_words(words))


def _shares_only_numbers(words: str, label: str) -> bool:
    """Whether all that words and label share is "four", "days" or "down": those tie nothing."""
    shared = [
        word
        for word in content_words(words)
        if any(same_word(word, other) for other in content_words(label))
    ]
    return bool(shared) and all(
        word in NUMBER_WORDS or stem(word) in _UNITS or is_direction(word) for word in shared
    )


def _side_said(words: str, label: str, clause: Clause) -> int:
    """Return where words stand on the scale that a label such as "Faster buses" names.

    +1 for the end that it names, -1 for the other, 0 where they say nothing of it ("buses"); +1
    for a label that names no such scale.
    """
    first, *rest = label.lower().split() or [""]
    if first not in _SCALES or not rest:
        return 1
    own = scale_side(first)
    sides = [
        side
        for word in words.split()
        if (side := scale_side(word)) and stem(word) in _SCALES[first]
    ]
    if (
        own
        and sides
        and sides[0][0] == own[0]
        and not any(same_word(w, first) for w in words.split())
    ):
        return own[1] * sides[0][1]
    return int(any(stem(word) in _SCALES[first] for word in clause.words))


def _other_kind(words: str, label: str, clause: Clause) -> bool:
    """Whether a word beside them makes words another kind of thing than the label.

    "Tax bills" and "the water company" for "Water bills".
    """
    own, whole = set(content_words(words)), content_words(read_label(label).base)
    if all(any(same_word(a, b) for b in own) for a in whole):
        return False
    said = tuple(words.split())
    size = len(said)
    beside = [
        place
        for n in range(len(clause.words) - size + 1)
        if clause.words[n : n + size] == said
        for place in (n - 1, n + size)
        if 0 <= place < len(clause.words)
    ]
    return any(
        naming_words((clause.words[place],)) and not vague(clause.words[place]) for place in beside
    )


def _share_a_word(words: str, label: str) -> bool:
    return any(same_word(a, b) for a in content_words(words) for b in content_words(label))


def _says_more(clause: Clause, label: str) -> bool:
    """Whether the clause names something that has nothing to do with the label."""
    return any(lexical_tie(word, label).similarity == 0 for word in naming_words(clause.words))


def end_named(words: str, label: str) -> int:
    """Return -1 where words and a label name opposite ends of a scale, as far as words tell."""
    sign = 1
    for text in (words, label):
        sign *= read_label(text).direction * inner_direction(text)
    ties = [lexical_tie(a, b) for a in content_words(words) for b in content_words(label)]
    if any(tie.polarity < 0 for tie in ties):
        return -sign
    return sign
