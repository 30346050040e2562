r"""What many people believe on one topic: a graph of their graphs, with who holds what.

For every influence that anyone holds: how many people hold it (with its interval), whether they
agree on its sign, and the mean weight and confidence among those who hold it. An influence in a
person's `feedback` is held too: it was left out of that graph for its loop, not for want of saying.

`PopulationGraph.graph` is one belief graph, fit for `bg.intervene`. Its confidences say how likely
it is that a person drawn from the population holds the influence, :math:`\bar c = \frac1n \sum_i
c_i` over all n people (0 for those without it; the prevalence where everyone's confidence is 1),
and its weights are those of the people who hold it, weighted by their confidence,
:math:`\bar w = \sum_i c_i w_i / \sum_i c_i`. So confidence x weight is the mean of the people's
confidence x weight, and its linear model has the mean of their matrices. Loops are opened by the
rule of single graphs: least confidence x \|weight\| first.

It is nobody's graph: it chains influences that no one holds together, and people of opposite signs
cancel in it. `simulate_population` says by how much that matters.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import GraphError, MissingPackageError, UnknownConceptError
from beliefgraph.graph import Alias, BeliefGraph, Concept, Influence
from beliefgraph.loops import break_loops
from beliefgraph.simulate.population_concepts import (
    KeptApart,
    Placement,
    Polarity,
    Wording,
    align_concepts,
)
from beliefgraph.simulate.population_statistics import sign_agreement, wilson_interval
from beliefgraph.text import Encoder

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

__all__ = ["Holdings", "PooledConcept", "PooledInfluence", "PopulationGraph", "population_graph"]

Pair = tuple[str, str]

WORD_THRESHOLD: Final = 0.75
VECTOR_THRESHOLD: Final = 0.6


@dataclass(frozen=True)
class PooledInfluence:
    """One influence over all people."""

    source: str
    """Concept that has the effect."""
    target: str
    """Concept that feels it."""
    n_people: int
    """How many people hold it."""
    prevalence: float
    """Share of all people who hold it."""
    low: float
    """Lower end of the prevalence's interval (Wilson)."""
    high: float
    """Upper end."""
    share_positive: float
    """Share of those who hold it for whom its weight is above 0."""
    share_negative: float
    """Share of those who hold it for whom its weight is below 0."""
    agreement: float
    """Van der Eijk's A over -, 0, +: 1 one sign for all, -1 half against half."""
    weight: float
    """Mean weight among those who hold it, each person counted once."""
    weight_sd: float
    """Standard deviation of the weight among them (n - 1); NaN for one person."""
    confidence: float
    """Mean confidence among those who hold it."""
    in_graph: bool
    """False where the pooled graph leaves it out to stay free of loops."""


@dataclass(frozen=True)
class PooledConcept:
    """One concept over all people."""

    name: str
    """The most common name."""
    n_people: int
    """How many people have it in their graph."""
    prevalence: float
    """Share of all people who have it."""
    low: float
    """Lower end of the prevalence's interval (Wilson)."""
    high: float
    """Upper end."""
    baseline: float
    """Mean present level among those who have it."""
    baseline_sd: float
    """Standard deviation of a drawn person's level: spread over people and doubt of each."""
    wordings: tuple[Wording, ...]
    """Every name for it, the most common first."""


@dataclass(frozen=True, eq=False)
class Holdings:
    """Who holds which influence, one entry for each, signs turned to the population's concepts."""

    person: NDArray[np.int64]
    """(N,) number of the person."""
    influence: NDArray[np.int64]
    """(N,) number of the influence, in the order of `PopulationGraph.influences`."""
    weight: NDArray[np.float64]
    """(N,) its weight."""
    confidence: NDArray[np.float64]
    """(N,) its confidence."""
    pairs: tuple[Pair, ...]
    """Source and target of every influence."""
    n_people: int


@dataclass(frozen=True, eq=False)
class PopulationGraph:
    """The beliefs of many people on one topic; made by `population_graph`."""

    graph: BeliefGraph
    """The pooled graph."""
    members: tuple[BeliefGraph, ...]
    """Every person's own graph, as given."""
    participants: tuple[str, ...]
    """Their pseudonyms; "person 1", ... where a graph has none."""
    influences: tuple[PooledInfluence, ...]
    """Every influence that anyone holds, the most common first."""
    concepts: tuple[PooledConcept, ...]
    """Every concept, in the order of `graph`."""
    kept_apart: tuple[KeptApart, ...]
    """Names that would have been tied to a concept and were not."""
    settings: Mapping[str, Any]
    """The arguments that made it."""
    holdings: Holdings = field(repr=False)
    """Who holds which influence."""
    _placement: Placement = field(repr=False)
    _encoder: Encoder | None = field(repr=False)

    @property
    def n_people(self) -> int:
        """Number of people."""
        return len(self.members)

    @property
    def stance(self) -> str:
        """Name of the stance."""
        return self.graph.stance

    def influence(self, source: str, target: str) -> PooledInfluence | None:
        """Return what is known of one influence, or None where nobody holds it.

        Raises
        ------
        UnknownConceptError
            With the nearest names.
        """
        self.graph.concept(source), self.graph.concept(target)
        return self._by_pair.get((source, target))

    @cached_property
    def _by_pair(self) -> dict[Pair, PooledInfluence]:
        return {(item.source, item.target): item for item in self.influences}

    def place(self, person: int, label: str) -> tuple[str, Polarity]:
        """Return the population's concept for a name in one person's graph, and its polarity."""
        return self._placement.place(self.members[person], label)

    def label(self, person: int, concept: str) -> tuple[str, Polarity] | None:
        """Return a person's own name for a concept and its polarity; None where there is none."""
        return self._own_labels[person].get(concept)

    @cached_property
    def _own_labels(self) -> tuple[dict[str, tuple[str, Polarity]], ...]:
        found = []
        for number, graph in enumerate(self.members):
            placed = ((name, self.place(number, name)) for name in graph.names)
            found.append({concept: (name, polarity) for name, (concept, polarity) in placed})
        return tuple(found)

    def unmerge(self, label: str) -> PopulationGraph:
        """Return the population with one wording kept apart from the others of its concept.

        Raises
        ------
        UnknownConceptError
            No concept has such a wording beside its own name.
        """
        wording = self._placement.concepts.get(label)
        merged = [w.label for w in self._placement.concepts.values() if w.label != w.concept]
        if wording is None or wording.label == wording.concept:
            raise UnknownConceptError(label, merged, "wordings that were made one with another")
        others = (
            other.label
            for other in self._placement.concepts.values()
            if other.concept == wording.concept and other.label != label
        )
        apart = [tuple(sorted((label, other))) for other in others]
        return population_graph(
            self.members,
            encoder=self._encoder,
            **{**self.settings, "keep_apart": (*self.settings["keep_apart"], *apart)},
        )

    def to_frame(self) -> pd.DataFrame:
        """Return one row an influence, the most common first: the fields of `PooledInfluence`.

        Raises
        ------
        MissingPackageError
            pandas is not installed.
        """
        return frame_of(self.influences, PooledInfluence, "PopulationGraph.to_frame()")

    def to_networkx(self) -> nx.DiGraph:
        """Return a networkx graph of every influence that anyone holds, loops and all.

        Nodes and edges carry the fields of `PooledConcept` and `PooledInfluence` as plain data;
        `PopulationGraph.graph.to_networkx()` is the pooled graph, free of loops.
        """
        import networkx as nx

        made = nx.DiGraph(stance=self.stance, n_people=self.n_people, topic=self.graph.topic)
        for concept in self.concepts:
            data = asdict(concept)
            made.add_node(data.pop("name"), **{**data, "wordings": list(data["wordings"])})
        for item in self.influences:
            data = asdict(item)
            made.add_edge(data.pop("source"), data.pop("target"), **data)
        return made

    def __repr__(self) -> str:
        topic = f" {self.graph.topic!r}" if self.graph.topic else ""
        return (
            f"<PopulationGraph{topic}: {self.n_people} people, {len(self.concepts)} concepts, "
            f"{len(self.influences)} influences, stance {self.stance!r}>"
        )


def population_graph(
    graphs: Iterable[BeliefGraph],
    *,
    stance: str | None = None,
    encoder: Encoder | None = None,
    word_threshold: float = WORD_THRESHOLD,
    vector_threshold: float = VECTOR_THRESHOLD,
    keep_apart: Collection[Sequence[str]] = (),
    level: float = 0.95,
) -> PopulationGraph:
    """Make one graph of what many people believe on one topic.

    Parameters
    ----------
    graphs
        One a person, all on one topic. They are not changed.
    stance
        Name for the stance of all, where their stances are worded so differently that words do
        not tie them; every graph's own stance is then taken for it.
    encoder
        Sentence vectors (`beliefgraph.text.load_encoder()`), for names that share no words; words
        alone without.
    word_threshold, vector_threshold
        Least similarity by words, and least cosine, that makes two names one; those of extraction.
    keep_apart
        Pairs of names that are not to be made one.
    level
        Of the intervals of prevalence.

    Returns
    -------
    PopulationGraph

    Raises
    ------
    GraphError
        No graphs, several topics, one person twice, or a number out of range.
    StanceError
        The stances are not one.

    Examples
    --------
    >>> a = BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    >>> b = BeliefGraph.from_edges([("rent levels", "support", 0.3)], stance="support")
    >>> p = population_graph([a, b])
    >>> p.influences[0].n_people, p.influences[0].agreement, round(p.influences[0].weight, 2)
    (2, -1.0, -0.1)
    """
    members = tuple(graphs)
    participants = _check(members, word_threshold, vector_threshold, level)
    pairs_apart = [tuple(pair) for pair in keep_apart]
    for pair in pairs_apart:
        if len(pair) != 2 or isinstance(pair, str):
            raise GraphError(f"keep_apart: give pairs of names, got {pair!r}")
    placement = align_concepts(
        members,
        stance=stance,
        encoder=encoder,
        word_threshold=word_threshold,
        vector_threshold=vector_threshold,
        keep_apart={frozenset(pair) for pair in pairs_apart},
    )
    holdings = _holdings(members, placement)
    concepts = _pool_concepts(members, placement, level)
    order = {concept.name: place for place, concept in enumerate(concepts)}
    graph = _pool_graph(holdings, concepts, placement.stance, members[0].topic, order)
    return PopulationGraph(
        graph=graph,
        members=members,
        participants=participants,
        influences=_pool_influences(holdings, graph, level),
        concepts=concepts,
        kept_apart=tuple(placement.kept_apart),
        settings={
            "stance": stance,
            "word_threshold": word_threshold,
            "vector_threshold": vector_threshold,
            "keep_apart": tuple(pairs_apart),
            "level": level,
        },
        holdings=holdings,
        _placement=placement,
        _encoder=encoder,
    )


def _check(
    members: Sequence[BeliefGraph], word_threshold: float, vector_threshold: float, level: float
) -> tuple[str, ...]:
    if not members:
        raise GraphError("a population needs at least one graph, got none")
    for number, graph in enumerate(members, start=1):
        if not isinstance(graph, BeliefGraph):
            raise GraphError(f"graph {number}: give BeliefGraphs, got {type(graph).__name__}")
    topics = Counter(graph.topic for graph in members if graph.topic is not None)
    if len(topics) > 1:
        raise GraphError(
            f"a population is about one topic, got {dict(topics)}; make one for each topic"
        )
    for name, number, low in (
        ("word_threshold", word_threshold, 0.0),
        ("vector_threshold", vector_threshold, -1.0),
    ):
        if not low < number <= 1:
            raise GraphError(f"{name}: must lie in ({low:g}, 1], got {number!r}")
    if not 0 < level < 1:
        raise GraphError(f"level: must lie between 0 and 1, got {level!r}")
    participants = tuple(
        graph.participant or f"person {number}" for number, graph in enumerate(members, start=1)
    )
    twice = sorted(name for name, count in Counter(participants).items() if count > 1)
    if twice:
        raise GraphError(
            f"each person has one graph in a population; given more than once: {twice[:5]}"
        )
    return participants


def _holdings(members: Sequence[BeliefGraph], placement: Placement) -> Holdings:
    entries: dict[Pair, list[tuple[int, float, float]]] = defaultdict(list)
    for person, graph in enumerate(members):
        for edge in (*graph.influences, *(item.influence for item in graph.feedback)):
            source, turned = placement.place(graph, edge.source)
            target, turned_too = placement.place(graph, edge.target)
            weight = edge.weight * turned * turned_too
            entries[source, target].append((person, weight, edge.confidence))
    pairs = sorted(entries, key=lambda pair: (-len(entries[pair]), pair))
    rows = [(person, at, w, c) for at, pair in enumerate(pairs) for person, w, c in entries[pair]]
    table = np.array(rows, dtype=float).reshape(-1, 4)
    return Holdings(
        person=table[:, 0].astype(np.int64),
        influence=table[:, 1].astype(np.int64),
        weight=table[:, 2],
        confidence=table[:, 3],
        pairs=tuple(pairs),
        n_people=len(members),
    )


def _pool_concepts(
    members: Sequence[BeliefGraph], placement: Placement, level: float
) -> tuple[PooledConcept, ...]:
    levels: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for graph in members:
        for concept in graph.concepts:
            name, polarity = placement.place(graph, concept.name)
            levels[name].append((polarity * concept.baseline, concept.baseline_sd))
    wordings: dict[str, list[Wording]] = defaultdict(list)
    for wording in (*placement.stances.values(), *placement.concepts.values()):
        wordings[wording.concept].append(wording)
    found = []
    for name in sorted(levels, key=lambda n: (n == placement.stance, -len(levels[n]), n)):
        baselines, doubts = np.array(levels[name]).T
        low, high = wilson_interval(len(baselines), len(members), level)
        found.append(
            PooledConcept(
                name=name,
                n_people=len(baselines),
                prevalence=len(baselines) / len(members),
                low=low,
                high=high,
                baseline=float(baselines.mean()),
                baseline_sd=float(np.sqrt(baselines.var() + (doubts**2).mean())),
                wordings=tuple(sorted(wordings[name], key=lambda w: (-w.n_people, w.label))),
            )
        )
    return tuple(found)


def _pool_graph(
    holdings: Holdings,
    concepts: Sequence[PooledConcept],
    stance: str,
    topic: str | None,
    order: Mapping[str, int],
) -> BeliefGraph:
    n_pairs = len(holdings.pairs)
    sure = np.bincount(holdings.influence, holdings.confidence, n_pairs)
    strong = np.bincount(holdings.influence, holdings.confidence * holdings.weight, n_pairs)
    counts = np.bincount(holdings.influence, minlength=n_pairs)
    plain = np.bincount(holdings.influence, holdings.weight, n_pairs) / np.maximum(counts, 1)
    # where nobody is sure at all, the weight counts nowhere; the plain mean says what it was
    weight = np.divide(strong, sure, out=plain, where=sure > 0)
    pooled = [
        Influence(
            source=source,
            target=target,
            weight=float(np.clip(weight[at], -1, 1)),
            confidence=float(min(sure[at] / holdings.n_people, 1)),
        )
        for at, (source, target) in enumerate(holdings.pairs)
    ]
    kept, feedback = break_loops(pooled)
    return BeliefGraph(
        stance=stance,
        concepts=tuple(
            Concept(
                name=concept.name,
                baseline=float(np.clip(concept.baseline, -1, 1)),
                baseline_sd=concept.baseline_sd,
                confidence=concept.prevalence,
                aliases=tuple(
                    Alias(label=w.label, polarity=w.polarity, reason=w.reason)
                    for w in concept.wordings
                    if w.label != concept.name
                ),
            )
            for concept in concepts
        ),
        influences=tuple(sorted(kept, key=lambda e: (order[e.source], order[e.target]))),
        feedback=tuple(feedback),
        topic=topic,
        extractor=f"population_graph of {holdings.n_people} people",
    )


def _pool_influences(
    holdings: Holdings, graph: BeliefGraph, level: float
) -> tuple[PooledInfluence, ...]:
    kept = {(edge.source, edge.target) for edge in graph.influences}
    starts = np.searchsorted(holdings.influence, np.arange(len(holdings.pairs) + 1))
    found = []
    for at, (source, target) in enumerate(holdings.pairs):
        mine = slice(int(starts[at]), int(starts[at + 1]))
        weights = holdings.weight[mine]
        count = len(weights)
        positive, negative = int((weights > 0).sum()), int((weights < 0).sum())
        low, high = wilson_interval(count, holdings.n_people, level)
        found.append(
            PooledInfluence(
                source=source,
                target=target,
                n_people=count,
                prevalence=count / holdings.n_people,
                low=low,
                high=high,
                share_positive=positive / count,
                share_negative=negative / count,
                agreement=sign_agreement(negative, count - positive - negative, positive),
                weight=float(weights.mean()),
                weight_sd=float(weights.std(ddof=1)) if count > 1 else float("nan"),
                confidence=float(holdings.confidence[mine].mean()),
                in_graph=(source, target) in kept,
            )
        )
    return tuple(found)


def frame_of(rows: Iterable[Any], record: type, purpose: str) -> pd.DataFrame:
    """Return dataclasses of one kind as a frame, one row each, one column a field."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingPackageError("pandas", purpose, 'pip install "beliefgraph[frames]"') from None
    columns = [item.name for item in fields(record)]
    return pd.DataFrame([asdict(row) for row in rows], columns=columns)


def as_population(population: PopulationGraph | Iterable[BeliefGraph]) -> PopulationGraph:
    """Return a population as it is, and graphs as one with the default settings."""
    if isinstance(population, PopulationGraph):
        return population
    return population_graph(population)
