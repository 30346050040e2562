r"""Read a scenario in words ("rents drop by 15%") as values of a graph's concepts.

A lexical reading. A text is cut into clauses; in each, the words that name a concept are found by
`beliefgraph.text.lexical_tie`, so that the other end of a scale ("cheaper homes" for "Housing
costs") is tied by its sign. Two things are then read from the rest of the clause.

Direction: the word of more or less that stands nearest ("drop", "rise", "fewer"); it moves the
concept nearest to it, and no other. "Better" and "worse" point by whether the concept is good or
bad. A thing named without direction ("a bus lane on every street") counts as more of it; a negated
direction ("rents do not rise") is no change and gives no match.

Dose, the size of the value, by this table; a percentage between two rows is interpolated, a range
counts as its middle:

=============================================== =====
said                                            dose
=============================================== =====
a little, slightly, somewhat, modestly          0.25
nothing of size; moderately                     0.5
sharply, noticeably, strongly, a lot            0.8
doubles, halves, completely, entirely           1.0
5%                                              0.25
15%                                             0.5
30%                                             0.8
50% and more                                    1.0
=============================================== =====
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph, Concept
from beliefgraph.simulate.scenario_words import (
    Clause,
    Direction,
    direction_near,
    dose_of,
    naming_words,
    split_scenario,
)
from beliefgraph.text import (
    content_words,
    label_valence,
    lexical_tie,
    read_label,
    same_stem,
    scale_side,
    stem,
)

__all__ = ["ScenarioMatch", "nearest_concepts", "read_scenario", "scenario_do"]

_ENOUGH = 0.6
"""Similarity from which words are taken to mean a concept."""
_HEADLESS = 0.7
"""Factor where the words lack the concept's main word: "rents" is not "rent control"."""
_SCALE_ALONE = 0.5
"""Factor where only the scale is shared and the clause speaks of something else: "cheaper phones"
does not mean "Rents"."""
_LONGEST = 6
"""Words that a mention of a concept may span."""


@dataclass(frozen=True)
class ScenarioMatch:
    """One concept that a scenario was taken to mean."""

    concept: str
    """Name of the concept."""
    direction: int
    """+1 where the scenario has more of it, -1 where less."""
    dose: float
    """Size of the change, in (0, 1]; see the module's table."""
    words: str
    """The clause it was read from."""
    similarity: float
    """How near the words are to the concept's name, in [0, 1]."""
    reaches_stance: bool
    """Whether a path leads from it to the stance."""

    @property
    def value(self) -> float:
        """The value for `do`."""
        return self.direction * self.dose

    def __str__(self) -> str:
        way = "more" if self.direction > 0 else "less"
        return f"{self.concept}: {way} ({self.value:+.2f}), from {self.words!r}"


@dataclass(frozen=True)
class _Mention:
    """Words of a clause that may name a concept."""

    clause: Clause
    start: int
    end: int
    concept: str
    similarity: float
    polarity: int
    reaches: bool

    def overlaps(self, other: _Mention) -> bool:
        return self.clause is other.clause and self.start < other.end and other.start < self.end

    @property
    def rank(self) -> tuple[float, int, int]:
        return (-round(self.similarity, 3), -self.reaches, self.start - self.end)


def read_scenario(graph: BeliefGraph, text: str) -> list[ScenarioMatch]:
    """Say which concepts a text means, in which direction and by how much.

    Parameters
    ----------
    graph
        The person's graph; only its concepts can be meant.
    text
        The scenario, in English.

    Returns
    -------
    list of ScenarioMatch
        Concepts from which a path leads to the stance first, the surest first. Empty where nothing
        fits; `nearest_concepts` then says what comes closest. The stance itself is never matched.

    Examples
    --------
    >>> g = BeliefGraph.from_edges(
    ...     [("Housing costs", "support", 0.5), ("Bus speed", "support", 0.8)], stance="support"
    ... )
    >>> for match in read_scenario(g, "Cheaper housing, and the buses' speed falls by 15%"):
    ...     print(match)
    Housing costs: less (-0.50), from 'Cheaper housing'
    Bus speed: less (-0.50), from "the buses' speed falls by 15%"
    """
    clauses = split_scenario(text)
    mentions = sorted(
        (m for clause in clauses for m in _mentions(graph, clause) if m.similarity >= _ENOUGH),
        key=lambda m: m.rank,
    )
    chosen: dict[str, _Mention] = {}
    taken: list[_Mention] = []
    for mention in mentions:
        if any(mention.overlaps(other) for other in taken):
            continue
        taken.append(mention)
        if mention.concept not in chosen and not _ambiguous(mention, mentions):
            chosen[mention.concept] = mention
    matches = [_match(mention, way) for mention, way in _moved(list(chosen.values())) if way.sign]
    position = {clause.text: number for number, clause in enumerate(clauses)}
    return sorted(
        matches, key=lambda m: (not m.reaches_stance, -m.similarity, position.get(m.words, 0))
    )


def scenario_do(graph: BeliefGraph, text: str) -> dict[str, float]:
    """Return the values for `do` that a scenario stands for.

    Concepts that do not reach the stance are held too: what they do to others is worth a look.

    Raises
    ------
    InterventionError
        Nothing in the text fits a concept; the message lists the nearest.
    """
    matches = read_scenario(graph, text)
    if not matches:
        near = ", ".join(repr(name) for name in nearest_concepts(graph, text))
        raise InterventionError(
            f"scenario {text!r}: nothing in it fits a concept of this graph. "
            f"Nearest: {near or 'there are none'}. Name one with its direction, or use "
            '--do "CONCEPT=VALUE"'
        )
    return {match.concept: match.value for match in matches}


def nearest_concepts(graph: BeliefGraph, text: str, n: int = 5) -> list[str]:
    """Return the concepts that come nearest to a text, those that reach the stance first.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("Rent control", "support", 0.5)], stance="support")
    >>> read_scenario(g, "rents drop"), nearest_concepts(g, "rents drop")
    ([], ['Rent control'])
    """
    best: dict[str, float] = dict.fromkeys(graph.names, 0.0)
    for clause in split_scenario(text):
        for mention in _mentions(graph, clause):
            best[mention.concept] = max(best[mention.concept], mention.similarity)
    best.pop(graph.stance)
    reach = set(graph.intervenable)

    def order(name: str) -> tuple[float, bool, float]:
        letters = SequenceMatcher(None, text.casefold(), name.casefold()).ratio()
        return (-best[name], name not in reach, -letters)

    ranked = sorted(best, key=order)
    return ranked[:n]


def _mentions(graph: BeliefGraph, clause: Clause) -> Iterator[_Mention]:
    reach = set(graph.intervenable)
    says = [bool(content_words(word)) for word in clause.words]
    for concept in graph.concepts:
        if concept.name == graph.stance:
            continue
        labels = (concept.name, *(alias.label for alias in concept.aliases))
        meets = [any(_meet(word, label) for label in labels) for word in clause.words]
        for start in range(len(clause.words)):
            for end in range(start + 1, min(start + _LONGEST, len(clause.words)) + 1):
                if not (says[start] and says[end - 1] and any(meets[start:end])):
                    continue
                words = " ".join(clause.words[start:end])
                similarity, polarity = _tie(words, concept, clause)
                if similarity > 0:
                    yield _Mention(
                        clause, start, end, concept.name, similarity, polarity,
                        concept.name in reach,
                    )  # fmt: skip


@lru_cache(maxsize=65_536)
def _meet(word: str, label: str) -> bool:
    """Whether a word shares a stem or a scale with a label: no words tie that hold none such."""
    own, other = ({stem(part) for part in content_words(text)} for text in (word, label))
    if any(same_stem(a, b) for a in own for b in other):
        return True
    scales = [{side[0] for part in parts if (side := scale_side(part))} for parts in (own, other)]
    return bool(scales[0] & scales[1])


def _tie(words: str, concept: Concept, clause: Clause) -> tuple[float, int]:
    """Return the best (similarity, polarity) to the concept's name or a wording of it."""
    wordings = [(concept.name, 1), *((alias.label, alias.polarity) for alias in concept.aliases)]
    best = (0.0, 1)
    for wording, polarity in wordings:
        tie = lexical_tie(words, wording)
        similarity = tie.similarity
        if "scale" in tie.reason:
            if not _share_a_word(words, wording) and _says_more(clause, wording):
                similarity *= _SCALE_ALONE
        elif similarity < 1 and not _holds_head(words, wording):
            similarity *= _HEADLESS
        if similarity > best[0]:
            best = (similarity, tie.polarity * polarity)
    return best


def _holds_head(words: str, label: str) -> bool:
    """Whether the words hold the label's main word: "speed" of "Bus speed"."""
    base = read_label(label).base.lower()
    for joint in (" of ", " in ", " for ", " to ", " with ", " at ", " on "):
        base = base.split(joint)[0]
    heads = content_words(base)[-1:]
    return any(same_stem(word, head) for head in heads for word in content_words(words))


def _share_a_word(words: str, label: str) -> bool:
    return any(same_stem(a, b) for a in content_words(words) for b in content_words(label))


def _says_more(clause: Clause, label: str) -> bool:
    """Whether the clause names something that has nothing to do with the label."""
    return any(lexical_tie(word, label).similarity == 0 for word in naming_words(clause.words))


def _ambiguous(mention: _Mention, mentions: list[_Mention]) -> bool:
    """Whether other concepts fit the same words as well, and none fits exactly."""
    rivals = {
        other.concept
        for other in mentions
        if other.overlaps(mention) and other.rank == mention.rank
    }
    return len(rivals) > 1


def _moved(mentions: list[_Mention]) -> list[tuple[_Mention, Direction]]:
    """Give each word of direction to the concept nearest to it.

    A clause that says no direction means the concept it names best: the others are said in passing.
    """
    nearest: dict[tuple[int, int | None], tuple[_Mention, Direction]] = {}
    for mention in mentions:
        way = direction_near(
            mention.clause,
            mention.start,
            mention.end,
            mention.concept,
            label_valence(mention.concept),
        )
        key = (id(mention.clause), way.place)
        if key not in nearest or way.distance < nearest[key][1].distance:
            nearest[key] = (mention, way)
    return list(nearest.values())


def _match(mention: _Mention, way: Direction) -> ScenarioMatch:
    return ScenarioMatch(
        concept=mention.concept,
        direction=way.sign * mention.polarity,
        dose=dose_of(mention.clause, mention.concept),
        words=mention.clause.text,
        similarity=round(mention.similarity, 3),
        reaches_stance=mention.reaches,
    )
