r"""Many people's graphs as columns: the graph table that cohorts are simulated from.

Concepts stand in causal order, so that an influence always leads to a later place of its person and
no sorting is needed when a table is read. What a simulation needs is kept (levels, influences with
their mentions and confidences, names); quotes, transcripts and feedback are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import BeliefGraphError, GraphError
from beliefgraph.graph import BeliefGraph

__all__ = ["GraphTable", "make_table"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GraphTable:
    """The graphs of P people with N concepts, E influences and M mentions in all."""

    person: Sequence[str | None]
    """(P,) participants; None where a graph names none."""
    group: Sequence[str | None]
    """(P,) group of each person."""
    names: Sequence[str]
    """Vocabulary: every concept name once."""
    stance: Ints
    """(P,) place of the stance within its person."""
    first: Ints
    """(P + 1,) where a person's concepts begin."""
    name: NDArray[np.int32]
    """(N,) place of the concept's name in `names`."""
    position: NDArray[np.int32]
    """(N,) number of the concept in its graph's own order."""
    baseline: Floats
    """(N,) present level."""
    baseline_sd: Floats
    """(N,) our uncertainty of it."""
    edges: Ints
    """(P + 1,) where a person's influences begin; sorted by target within a person."""
    source: NDArray[np.int32]
    """(E,) place, within its person, of the concept that has the effect."""
    target: NDArray[np.int32]
    """(E,) place, within its person, of the concept that feels it: after its source."""
    confidence: Floats
    """(E,) probability that the person holds it."""
    mentions: Ints
    """(E + 1,) where an influence's mentions begin."""
    weight: Floats
    """(M,) signed strength of a mention."""
    probability: Floats
    """(M,) with which a sampled world takes it."""
    problems: dict[int, str] = field(default_factory=dict)
    """People that cannot be simulated, with the reason."""

    def __len__(self) -> int:
        return len(self.first) - 1

    @cached_property
    def owner(self) -> Ints:
        """(N,) person of each concept."""
        return np.repeat(np.arange(len(self)), np.diff(self.first))

    @cached_property
    def edge_owner(self) -> Ints:
        """(E,) person of each influence."""
        return np.repeat(np.arange(len(self)), np.diff(self.edges))

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """(P,) whether the person can be simulated."""
        good = np.ones(len(self), dtype=bool)
        good[list(self.problems)] = False
        return good

    def people(self, begin: int, end: int) -> GraphTable:
        """Return the table of the people from `begin` up to, not including, `end`."""
        c = slice(int(self.first[begin]), int(self.first[end]))
        e = slice(int(self.edges[begin]), int(self.edges[end]))
        m = slice(int(self.mentions[e.start]), int(self.mentions[e.stop]))
        return GraphTable(
            person=self.person[begin:end],
            group=self.group[begin:end],
            names=self.names,
            stance=self.stance[begin:end],
            first=self.first[begin : end + 1] - c.start,
            name=self.name[c],
            position=self.position[c],
            baseline=self.baseline[c],
            baseline_sd=self.baseline_sd[c],
            edges=self.edges[begin : end + 1] - e.start,
            source=self.source[e],
            target=self.target[e],
            confidence=self.confidence[e],
            mentions=self.mentions[e.start : e.stop + 1] - m.start,
            weight=self.weight[m],
            probability=self.probability[m],
            problems={k - begin: reason for k, reason in self.problems.items() if begin <= k < end},
        )

    def checked(self) -> GraphTable:
        """Return the table with people that break a rule listed in `problems`.

        A table read from a file was perhaps not written by this package: numbers out of range would
        be read as memory.
        """
        found = dict(self.problems)
        size, count = np.diff(self.first), np.diff(self.edges)
        ends = size[self.edge_owner]
        a, b = self.source, self.target
        n_mentions = np.diff(self.mentions)
        total = np.zeros(len(a))
        np.add.at(total, np.repeat(np.arange(len(a)), n_mentions), self.probability)
        within = np.zeros(len(a), dtype=bool)
        if len(a):
            same = self.edge_owner[1:] == self.edge_owner[:-1]
            back = (b[1:] < b[:-1]) | ((b[1:] == b[:-1]) & (a[1:] == a[:-1]))
            within[1:] = same & back
        in_mention = np.repeat(self.edge_owner, n_mentions)
        rules: list[tuple[str, Any, Any]] = [
            ("an influence must lead from an earlier to a later concept of the table (write it "
             "with write_graph_table)", self.edge_owner, (a < 0) | (a >= b) | (b >= ends)),
            ("influences must be sorted by target and stand once", self.edge_owner, within),
            ("a confidence must lie in [0, 1]", self.edge_owner, _outside(self.confidence, 0, 1)),
            ("an influence needs mentions whose probabilities add up to 1", self.edge_owner,
             ~(np.abs(total - 1) < 1e-6)),
            ("a weight must lie in [-1, 1]", in_mention, _outside(self.weight, -1, 1)),
            ("a probability must lie in [0, 1]", in_mention, _outside(self.probability, 0, 1)),
            ("a baseline must lie in [-1, 1]", self.owner, _outside(self.baseline, -1, 1)),
            ("a baseline_sd must be a finite number >= 0", self.owner,
             _outside(self.baseline_sd, 0, np.finfo(float).max)),
            ("concepts need the positions 0 to n - 1", self.owner,
             self._doubled()),
            ("the stance must be one of the concepts", np.arange(len(self)),
             (self.stance < 0) | (self.stance >= size)),
        ]  # fmt: skip
        for rule, owner, broken in rules:
            for person in np.unique(owner[broken]).tolist():
                found.setdefault(person, f"the graph table breaks a rule: {rule}")
        if len(found) == len(self.problems):
            return self
        gone = np.zeros(len(self), dtype=bool)
        gone[list(found)] = True
        size[gone] = count[gone] = 0
        keep_c, keep_e = ~gone[self.owner], ~gone[self.edge_owner]
        keep_m = np.repeat(keep_e, n_mentions)
        return GraphTable(
            person=self.person,
            group=self.group,
            names=self.names,
            stance=np.where(gone, 0, self.stance),
            first=_starts(size),
            name=self.name[keep_c],
            position=self.position[keep_c],
            baseline=self.baseline[keep_c],
            baseline_sd=self.baseline_sd[keep_c],
            edges=_starts(count),
            source=self.source[keep_e],
            target=self.target[keep_e],
            confidence=self.confidence[keep_e],
            mentions=_starts(n_mentions[keep_e]),
            weight=self.weight[keep_m],
            probability=self.probability[keep_m],
            problems=found,
        )

    def _doubled(self) -> NDArray[np.bool_]:
        """(N,) whether a concept's position is out of range or another's of its person."""
        size = np.diff(self.first)[self.owner]
        bad = (self.position < 0) | (self.position >= size)
        seen = np.zeros(len(self.owner), dtype=bool)
        seen[(self.first[:-1][self.owner] + np.where(bad, 0, self.position))[~bad]] = True
        bad |= ~seen  # a position that nobody has means that another is there twice
        return bad


def _outside(values: Floats, low: float, high: float) -> NDArray[np.bool_]:
    return ~((values >= low) & (values <= high))


def _starts(sizes: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def make_table(
    graphs: Iterable[BeliefGraph | BeliefGraphError], groups: Sequence[Any] | None = None
) -> GraphTable:
    """Put belief graphs into a table.

    Parameters
    ----------
    graphs
        One a person; an error stands for a graph that could not be read.
    groups
        (P,) group of each person; None: no groups.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("rents", "support", -0.5, 0.8)], stance="support")
    >>> table = make_table([g, g])
    >>> len(table), list(table.names), table.target.tolist()
    (2, ['rents', 'support'], [1, 1])
    """
    vocabulary: dict[str, int] = {}
    person: list[str | None] = []
    stance: list[int] = []
    sizes: list[tuple[int, int]] = []
    concepts: list[tuple[int, int, float, float]] = []
    edges: list[tuple[int, int, float, int]] = []
    mentions: list[tuple[float, float]] = []
    problems: dict[int, str] = {}
    for number, graph in enumerate(graphs):
        if isinstance(graph, BeliefGraphError):
            problems[number] = str(graph)
            person.append(None)
            stance.append(0)
            sizes.append((0, 0))
            continue
        if not isinstance(graph, BeliefGraph):
            raise GraphError(
                f"graphs: number {number} is a {type(graph).__name__}; give BeliefGraphs, or the "
                "path of a file of JSON lines or of a graph table (.parquet)"
            )
        own = {name: k for k, name in enumerate(graph.names)}
        order = graph.topological_order
        place = {name: k for k, name in enumerate(order)}
        for name in order:
            concept = graph.concepts[own[name]]
            code = vocabulary.setdefault(name, len(vocabulary))
            concepts.append((code, own[name], concept.baseline, concept.baseline_sd))
        # within a target by the graph's own order: sums then run as they do for a single graph
        for edge in sorted(graph.influences, key=lambda e: (place[e.target], own[e.source])):
            found = edge.mentions()
            edges.append((place[edge.source], place[edge.target], edge.confidence, len(found)))
            mentions.extend(found)
        person.append(graph.participant)
        stance.append(place[graph.stance])
        sizes.append((len(order), len(graph.influences)))
    columns = _columns(concepts, 4), _columns(edges, 4), _columns(mentions, 2)
    counts = np.array(sizes, dtype=np.int64).reshape(-1, 2)
    return GraphTable(
        person=person,
        group=[None] * len(person) if groups is None else [_label(item) for item in groups],
        names=list(vocabulary),
        stance=np.array(stance, dtype=np.int64),
        first=_starts(counts[:, 0]),
        name=columns[0][0].astype(np.int32),
        position=columns[0][1].astype(np.int32),
        baseline=columns[0][2],
        baseline_sd=columns[0][3],
        edges=_starts(counts[:, 1]),
        source=columns[1][0].astype(np.int32),
        target=columns[1][1].astype(np.int32),
        confidence=columns[1][2],
        mentions=_starts(columns[1][3].astype(np.int64)),
        weight=columns[2][0],
        probability=columns[2][1],
        problems=problems,
    )


def _columns(rows: list[Any], width: int) -> list[Floats]:
    array = np.array(rows, dtype=float).reshape(-1, width)
    return [np.ascontiguousarray(array[:, k]) for k in range(width)]


def _label(group: Any) -> str | None:
    return None if group is None else str(group)
