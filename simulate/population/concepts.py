"""One concept for one thing over many people, however each of them worded it.

Every person's graph has one name for a thing already; here the names of different people are tied.
Names are taken by the number of people who hold them, most first, and each joins the concept whose
name it is tied to most closely: by words (`beliefgraph.text.lexical_tie`), or, where an encoder is
given, by sentence vectors. Four rules keep apart what is not one thing:

* opposite ends of one scale ("affordability", "costs") are tied with polarity -1, and the signs of
  their influences are turned; they are never joined as if they were the same end;
* vectors do not see direction, so they join nothing whose words point apart: opposite ends by the
  lexicon, one good and one bad, or one the other with a negating prefix ("trust", "distrust");
* two concepts that one person holds side by side are two concepts for everyone;
* the stances are one concept, and nothing else joins them.

Only concepts that share a stem, the start of one, or an antonym scale can be tied by words, so only
those are compared: thousands of names are aligned in seconds.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import GraphError, StanceError
from beliefgraph.graph import BeliefGraph
from beliefgraph.text import (
    Encoder,
    Tie,
    content_words,
    label_valence,
    lexical_tie,
    read_label,
    scale_side,
    stem,
)

__all__ = ["KeptApart", "Placement", "Wording", "align_concepts"]

Polarity = Literal[-1, 1]


@dataclass(frozen=True)
class Wording:
    """A name that some people have for a concept of the population."""

    label: str
    """The name, as it stands in their graphs."""
    concept: str
    """The population's concept."""
    polarity: Polarity
    """-1 where it names the other end of the concept's scale."""
    n_people: int
    """How many people have it."""
    reason: str
    """Why it was tied to the concept; empty for the concept's own name."""


@dataclass(frozen=True)
class KeptApart:
    """A tie that was not made."""

    label: str
    """The name."""
    concept: str
    """The concept that its words or its vector would have tied it to."""
    n_people: int
    """How many people hold both side by side; 0 where the caller kept them apart."""


@dataclass
class Placement:
    """Which concept of the population every name belongs to."""

    stance: str
    stances: dict[str, Wording] = field(default_factory=dict)
    """Wordings of the stance, by label."""
    concepts: dict[str, Wording] = field(default_factory=dict)
    """All other names, by label."""
    kept_apart: list[KeptApart] = field(default_factory=list)

    def place(self, graph: BeliefGraph, label: str) -> tuple[str, Polarity]:
        """Return the population's concept for a name in a person's graph, and its polarity."""
        wording = self.stances[label] if label == graph.stance else self.concepts[label]
        return wording.concept, wording.polarity


@dataclass
class _Cluster:
    """A concept in the making: everyone who holds it, under whatever name."""

    name: str
    people: set[int]
    labels: set[str]


def align_concepts(
    graphs: Sequence[BeliefGraph],
    *,
    stance: str | None,
    encoder: Encoder | None,
    word_threshold: float,
    vector_threshold: float,
    keep_apart: Collection[frozenset[str]],
) -> Placement:
    """Place every name of every graph; see `beliefgraph.simulate.population.population_graph`."""
    placement = _place_stances(graphs, stance, word_threshold)
    people: dict[str, set[int]] = defaultdict(set)
    for number, graph in enumerate(graphs):
        for name in graph.names:
            if name != graph.stance:
                people[name].add(number)
    _check_no_stance_among(people, graphs, placement)
    labels = sorted(people, key=lambda label: (-len(people[label]), label))
    vectors = None if encoder is None or not labels else np.asarray(encoder.encode(labels))
    clusters: list[_Cluster] = []
    words = _WordIndex()
    rows: list[int] = []
    for row, label in enumerate(labels):
        joined = None
        for at, tie in _candidates(
            label, clusters, words, word_threshold, vectors, rows, row, vector_threshold, encoder
        ):
            own = clusters[at]
            both = own.people & people[label]
            barred = any(frozenset((label, other)) in keep_apart for other in own.labels)
            if both or barred:
                placement.kept_apart.append(KeptApart(label, own.name, len(both)))
                continue
            joined = own
            polarity: Polarity = -1 if tie.polarity < 0 else 1
            placement.concepts[label] = Wording(
                label, own.name, polarity, len(people[label]), tie.reason
            )
            own.people |= people[label]
            own.labels.add(label)
            break
        if joined is None:
            clusters.append(_Cluster(label, set(people[label]), {label}))
            words.add(label, len(clusters) - 1)
            rows.append(row)
            placement.concepts[label] = Wording(label, label, 1, len(people[label]), "")
    return placement


def _place_stances(
    graphs: Sequence[BeliefGraph], stance: str | None, threshold: float
) -> Placement:
    counts = Counter(graph.stance for graph in graphs)
    name = stance or min(counts, key=lambda label: (-counts[label], label))
    placement = Placement(name)
    for label, count in sorted(counts.items()):
        tie = _tie_by_words(label, name)
        if tie.similarity < threshold and stance is None:
            who = next(g.participant or "one graph" for g in graphs if g.stance == label)
            raise StanceError(
                f"the stances of a population must be one: {name!r} is that of {counts[name]} "
                f"people and {label!r} that of {count} ({who!r} among them). Leave those graphs "
                "out, or give stance= to say that every graph's own stance is meant"
            )
        polarity: Polarity = -1 if tie.similarity >= threshold and tie.polarity < 0 else 1
        reason = "" if label == name else tie.reason or "each person's own stance"
        placement.stances[label] = Wording(label, name, polarity, count, reason)
    return placement


def _check_no_stance_among(
    people: dict[str, set[int]], graphs: Sequence[BeliefGraph], placement: Placement
) -> None:
    stances = {label.casefold() for label in (placement.stance, *placement.stances)}
    for label, holders in people.items():
        if label.casefold() in stances:
            who = graphs[min(holders)].participant or f"person {min(holders) + 1}"
            raise GraphError(
                f"graph of {who!r}: concept {label!r} is the stance of other people and a concept "
                "beside the stance in this one; rename it, or set the graph's stance to it"
            )


def _tie_by_words(label: str, name: str) -> Tie:
    if label.casefold() == name.casefold():
        return Tie(1.0, 1, "the same words")
    return lexical_tie(label, name)


class _WordIndex:
    """Concepts by what a lexical tie needs to find in common; misses no tie above 0."""

    def __init__(self) -> None:
        self._places: dict[Any, set[int]] = defaultdict(set)

    def add(self, name: str, at: int) -> None:
        for key in _keys(name):
            self._places[key].add(at)

    def near(self, label: str) -> list[int]:
        return sorted(set().union(*(self._places.get(key, ()) for key in _keys(label))))


def _keys(label: str) -> set[Any]:
    """Stems, starts of stems and antonym scales; a tie pairs stems by one of the three."""
    keys: set[Any] = {label.casefold()}
    for own in read_label(label).stems:
        again = stem(own)  # stems are compared by their own stems
        keys |= {("stem", own), ("stem", again), ("start", again[:4])}
        side = scale_side(own)
        if side is not None:
            keys.add(("scale", side[0]))
    return keys


def _candidates(
    label: str,
    clusters: Sequence[_Cluster],
    words: _WordIndex,
    word_threshold: float,
    vectors: NDArray[np.float64] | None,
    rows: Sequence[int],
    row: int,
    vector_threshold: float,
    encoder: Encoder | None,
) -> Iterable[tuple[int, Tie]]:
    """Yield concepts that a name may join: by words first, each kind from the nearest on."""
    ties = [(at, _tie_by_words(label, clusters[at].name)) for at in words.near(label)]
    by_words = [(at, tie) for at, tie in ties if tie.similarity >= word_threshold]
    yield from sorted(by_words, key=lambda pair: (-pair[1].similarity, pair[0]))
    if vectors is None or encoder is None or not rows:
        return
    cosines = vectors[list(rows)] @ vectors[row]
    known = {at for at, _ in by_words}
    for at in np.argsort(-cosines, kind="stable").tolist():
        if cosines[at] < vector_threshold:
            return
        name = clusters[at].name
        if at not in known and not _point_apart(label, name):
            turned = read_label(label).direction * read_label(name).direction
            reason = f"sentence vectors ({encoder.name}), cosine {cosines[at]:.2f}"
            yield at, Tie(float(cosines[at]), turned, reason)


_NEGATING = ("un", "in", "im", "il", "ir", "dis", "mis", "non", "anti")


def _point_apart(one: str, other: str) -> bool:
    """Say whether the words of two names tell that they are no two wordings of one end."""
    tie = lexical_tie(one, other)
    if tie.similarity > 0 and tie.polarity != read_label(one).direction * (
        read_label(other).direction
    ):
        return True
    if label_valence(one) * label_valence(other) < 0:
        return True
    a, b = set(content_words(one)), set(content_words(other))
    sides = [{scale_side(w) for w in words} - {None} for words in (a, b)]
    if any((number, -side) in sides[1] for number, side in (s for s in sides[0] if s)):
        return True
    return _negates(a, b) or _negates(b, a)


def _negates(longer: set[str], shorter: set[str]) -> bool:
    found = {word.replace("-", "") for word in longer}
    return any(prefix + word in found for prefix in _NEGATING for word in shorter)
