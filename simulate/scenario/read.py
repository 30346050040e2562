r"""Read a scenario in words ("rents drop by 15%") as values of a graph's concepts.

A text is cut into clauses; in each, the words that name a concept are found by
`beliefgraph.text.lexical_tie`, so that the other end of a scale ("cheaper homes" for "Housing
costs") is tied by its sign, and by what a name is about ("the fine" for "Fines for driving in the
lane", `beliefgraph.simulate.scenario.names`). With an encoder, a clause that says a change and
names no concept means the nearest by sentence vectors. Two things are then read from the rest of
the clause.

Direction: the word of more or less that stands nearest ("drop", "rise", "fewer"); it moves the
concept nearest to it, and no other. "Better" and "worse" point by whether the concept is good or
bad. A thing named without direction ("a bus lane on every street") counts as more of it, a thing of
which there is none ("no lorries", "only for two days") as less; a negated direction ("rents do not
rise", "no space is lost") is no change and gives no match.

Dose, the size of the value, by this table; a percentage between two rows is interpolated, a range
counts as its middle, and parts ("a fifth") and numbers before and after are percentages too:

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

from dataclasses import dataclass
from difflib import SequenceMatcher

from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.scenario.mentions import Mention, end_named, find_mentions
from beliefgraph.simulate.scenario.vectors import nearest_by_vectors, span_by_vectors
from beliefgraph.simulate.scenario.words import (
    Clause,
    Direction,
    direction_near,
    dose_of,
    is_direction,
    says_change,
    split_scenario,
)
from beliefgraph.text import Encoder, label_valence, noise_floor

__all__ = ["ScenarioMatch", "all_matches", "nearest_concepts", "read_scenario", "scenario_do"]

_ENOUGH = 0.6
"""Similarity from which words are taken to mean a concept."""


@dataclass(frozen=True)
class ScenarioMatch:
    """One concept that a scenario was taken to mean."""

    concept: str
    """Name of the concept."""
    direction: int
    """+1 where the scenario has more of it, -1 where less, 0 where it stays as it is."""
    dose: float
    """Size of the change, in [0, 1]; see the module's table."""
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
        way = {1: "more", -1: "less", 0: "as it is"}[self.direction]
        return f"{self.concept}: {way} ({self.value:+.2f}), from {self.words!r}"


def read_scenario(
    graph: BeliefGraph, text: str, *, encoder: Encoder | None = None
) -> list[ScenarioMatch]:
    """Say which concepts a text means, in which direction and by how much.

    Parameters
    ----------
    graph
        The person's graph; only its concepts can be meant.
    text
        The scenario, in English.
    encoder
        Sentence vectors (`beliefgraph.text.load_encoder()`), for clauses that share no word with a
        concept; words alone without.

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
    return [match for match in all_matches(graph, text, encoder) if match.direction]


def all_matches(
    graph: BeliefGraph, text: str, encoder: Encoder | None = None
) -> list[ScenarioMatch]:
    """Return what `read_scenario` does, and concepts that the text says stay as they are.

    Those have direction and dose 0.
    """
    clauses = split_scenario(text)
    chosen = _by_words(graph, clauses)
    if encoder is not None:
        chosen += _by_vectors(graph, clauses, chosen, encoder)
    matches = [_match(mention, way) for mention, way in _moved(chosen)]
    position = {clause.text: number for number, clause in enumerate(clauses)}
    return sorted(
        matches, key=lambda m: (not m.reaches_stance, -m.similarity, position.get(m.words, 0))
    )


def _by_words(graph: BeliefGraph, clauses: list[Clause]) -> list[Mention]:
    """Return the mentions that name a concept, one a concept and none over another."""
    mentions = sorted(
        (m for clause in clauses for m in find_mentions(graph, clause) if m.similarity >= _ENOUGH),
        key=lambda m: m.rank,
    )
    chosen: dict[str, Mention] = {}
    taken: list[Mention] = []
    for mention in mentions:
        if any(mention.overlaps(other) for other in taken):
            continue
        taken.append(mention)
        if mention.concept not in chosen and not _ambiguous(mention, mentions):
            chosen[mention.concept] = mention
    return list(chosen.values())


def _by_vectors(
    graph: BeliefGraph, clauses: list[Clause], chosen: list[Mention], encoder: Encoder
) -> list[Mention]:
    """Return at most one mention for every clause that says a change and names no concept."""
    known = {mention.concept for mention in chosen}
    named = {id(mention.clause) for mention in chosen}
    names = [name for name in graph.names if name != graph.stance]
    open_ = [clause for clause in clauses if id(clause) not in named and says_change(clause)]
    cosines = nearest_by_vectors(open_, names, encoder)
    reach = set(graph.intervenable)
    least = noise_floor(encoder)
    best: dict[str, Mention] = {}
    for clause, row in zip(open_, cosines, strict=True):
        if not len(row) or row.max() < least:
            continue
        name = names[int(row.argmax())]
        if name in known:
            continue
        free = [not is_direction(word) for word in clause.words]
        start, end = span_by_vectors(clause.words, name, free, encoder)
        words = " ".join(clause.words[start:end])
        mention = Mention(
            clause, start, end, name, float(row.max()), end_named(words, name), name in reach
        )
        if name not in best or best[name].similarity < mention.similarity:
            best[name] = mention
    return list(best.values())


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
        for mention in find_mentions(graph, clause):
            best[mention.concept] = max(best[mention.concept], mention.similarity)
    best.pop(graph.stance)
    reach = set(graph.intervenable)

    def order(name: str) -> tuple[float, bool, float]:
        letters = SequenceMatcher(None, text.casefold(), name.casefold()).ratio()
        return (-best[name], name not in reach, -letters)

    ranked = sorted(best, key=order)
    return ranked[:n]


def _ambiguous(mention: Mention, mentions: list[Mention]) -> bool:
    """Whether other concepts fit the same words as well, and none fits exactly."""
    rivals = {
        other.concept
        for other in mentions
        if other.overlaps(mention) and other.rank == mention.rank
    }
    return len(rivals) > 1


def _moved(mentions: list[Mention]) -> list[tuple[Mention, Direction]]:
    """Give each word of direction to the concept nearest to it.

    A clause that says no direction means the concept it names best: the others are said in passing.
    """
    nearest: dict[tuple[int, int | None], tuple[Mention, Direction]] = {}
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


def _match(mention: Mention, way: Direction) -> ScenarioMatch:
    return ScenarioMatch(
        concept=mention.concept,
        direction=way.sign * mention.polarity,
        dose=dose_of(mention.clause, mention.concept) if way.sign else 0.0,
        words=mention.clause.text,
        similarity=round(mention.similarity, 3),
        reaches_stance=mention.reaches,
    )
