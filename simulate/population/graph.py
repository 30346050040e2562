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

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from beliefgraph.errors import GraphError, MissingPackageError, UnknownConceptError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.population.concepts import (
    KeptApart,
    Placement,
    Polarity,
    align_concepts,
)
from beliefgraph.simulate.population.pooling import (
    Holdings,
    PooledConcept,
    PooledInfluence,
    pool_concepts,
    pool_graph,
    pool_holdings,
    pool_influences,
)
from beliefgraph.text import Encoder

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

__all__ = ["PopulationGraph", "as_population", "frame_of", "population_graph"]

Pair = tuple[str, str]

WORD_THRESHOLD: Final = 0.75
VECTOR_THRESHOLD: Final = 0.6


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
    for pair in keep_apart:
        if isinstance(pair, str) or len(pair) != 2:
            raise GraphError(f"keep_apart: give pairs of names, got {pair!r}")
    pairs_apart = tuple(tuple(pair) for pair in keep_apart)
    placement = align_concepts(
        members,
        stance=stance,
        encoder=encoder,
        word_threshold=word_threshold,
        vector_threshold=vector_threshold,
        keep_apart={frozenset(pair) for pair in pairs_apart},
    )
    holdings = pool_holdings(members, placement)
    concepts = pool_concepts(members, placement, level)
    order = {concept.name: place for place, concept in enumerate(concepts)}
    graph = pool_graph(holdings, concepts, placement.stance, members[0].topic, order)
    return PopulationGraph(
        graph=graph,
        members=members,
        participants=participants,
        influences=pool_influences(holdings, graph, level),
        concepts=concepts,
        kept_apart=tuple(placement.kept_apart),
        settings={
            "stance": stance,
            "word_threshold": word_threshold,
            "vector_threshold": vector_threshold,
            "keep_apart": pairs_apart,
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
    for name, threshold, low in (
        ("word_threshold", word_threshold, 0.0),
        ("vector_threshold", vector_threshold, -1.0),
    ):
        if not low < threshold <= 1:
            raise GraphError(f"{name}: must lie in ({low:g}, 1], got {threshold!r}")
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
