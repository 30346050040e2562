"""One person's beliefs on one topic: concepts, signed influences and the words behind them.

An influence holds two numbers that are never multiplied away: `weight` in [-1, 1] (direction and
size of the effect, as the person puts it) and `confidence` in [0, 1] (how sure we are that the
person holds it). Several mentions of one influence are kept side by side: the weight is their
confidence-weighted mean, and a simulated world takes one mention, so that a contradiction widens
the interval instead of vanishing in an average.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from beliefgraph.errors import CycleError, GraphError, StanceError, UnknownConceptError
from beliefgraph.records import Record
from beliefgraph.transcript import Transcript

if TYPE_CHECKING:
    import networkx as nx
    from numpy.typing import NDArray

__all__ = [
    "SCHEMA_VERSION",
    "UNSTATED_STRENGTH",
    "Alias",
    "BeliefGraph",
    "Concept",
    "Evidence",
    "Feedback",
    "Influence",
    "Kind",
    "Mention",
    "Reading",
]

SCHEMA_VERSION = 1
UNSTATED_STRENGTH = 0.5
"""Size of an effect whose strength the person did not state (DESIGN: weak 0.25, strong 0.8)."""

Sign = Literal[-1, 0, 1]
Kind = Literal[
    "positive",
    "negative",
    "mixed",
    "no_effect",
    "dont_know",
    "not_understood",
    "off_topic",
    "unstated",
    "nothing",
]
"""What an answer says of an effect. `mixed`: both directions, or "it depends"; `unstated`: there
is an effect, its direction is not said; `nothing`: no effect is spoken of."""

Role = Literal["external_state", "internal_affect", "behavioural_intention"]
Status = Literal["candidate", "belief", "anchor"]
Mention = tuple[float, float]
"""Signed strength of one mention, and the probability with which a sampled world takes it."""


class Evidence(Record):
    """The words from which a concept or an influence was read."""

    qa_id: str
    """Turn that holds the quote."""
    start: int = Field(ge=0)
    """First character of the quote in the answer."""
    end: int = Field(ge=0)
    """One past the last character of the quote in the answer."""
    quote: str
    """`answer[start:end]`, verbatim."""
    sign: Sign | None = None
    """Direction of the effect; 0 is a stated "no effect"; None says nothing of a direction."""
    strength: float | None = Field(default=None, ge=0, le=1)
    """Size of the effect as stated; None where it is not stated."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    """How sure the reader is that these words say this."""
    extractor: str = "given"
    """Name of the reader."""

    @model_validator(mode="after")
    def _span(self) -> Self:
        if self.end - self.start != len(self.quote):
            raise GraphError(
                f"evidence in turn {self.qa_id!r}: the span {self.start}:{self.end} is "
                f"{self.end - self.start} characters long and the quote {len(self.quote)}; "
                "answer[start:end] must equal the quote"
            )
        return self

    @property
    def weight(self) -> float:
        """Signed strength of this mention; an unstated strength counts as 0.5."""
        if not self.sign:
            return 0.0
        return self.sign * (UNSTATED_STRENGTH if self.strength is None else self.strength)


class Reading(Record):
    """What one turn says about one pair of concepts, also where no influence came of it."""

    kind: Kind
    """What the words say of the effect."""
    source: str | None = None
    """Concept that would have the effect, as first read (before merging)."""
    target: str | None = None
    """Concept that would feel it, as first read."""
    evidence: Evidence
    """The words."""
    note: str = ""
    """Why no influence came of it, where none did."""


class Alias(Record):
    """Another wording that was read as a concept; recorded so that a merge can be undone."""

    label: str
    """The wording."""
    polarity: Literal[-1, 1] = 1
    """-1 where the wording names the other end of the concept's scale."""
    reason: str = ""
    """Why it was tied to the concept."""


class Concept(Record):
    """A node: something that can be more or less so."""

    name: str = Field(min_length=1)
    """Canonical name, unique in its graph."""
    baseline: float = Field(default=0.0, ge=-1, le=1)
    """Present level: 0 is "as things are now" (the stance: 0 is neutral)."""
    baseline_sd: float = Field(default=0.0, ge=0)
    """Standard deviation of our knowledge of the baseline."""
    evidence: tuple[Evidence, ...] = ()
    """Where the person speaks of it."""
    aliases: tuple[Alias, ...] = ()
    """Other wordings read as this concept."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    """How sure we are that the person thinks in this concept."""
    importance: float = Field(default=0.0, ge=0, le=1)
    """Weight in the interview: 1 is the concept spoken of most."""
    status: Status = "candidate"
    """How settled it is; `status_reason` says why."""
    status_reason: str = ""
    """The rule that gave the status."""
    role: Role | None = None
    """State of the world, feeling, or intention to act."""

    @property
    def frequency(self) -> int:
        """Number of distinct turns that speak of it."""
        return len({item.qa_id for item in self.evidence})


class Influence(Record):
    """A directed, signed edge of a belief graph."""

    source: str
    """Concept that has the effect."""
    target: str
    """Concept that feels it."""
    weight: float = Field(ge=-1, le=1)
    """Direction and size of the effect."""
    confidence: float = Field(default=1.0, ge=0, le=1)
    """Probability that the person holds this influence."""
    evidence: tuple[Evidence, ...] = ()
    """Every mention, agreeing or not."""

    @model_validator(mode="after")
    def _two_ends(self) -> Self:
        if self.source == self.target:
            raise GraphError(f"{self.source!r} cannot influence itself")
        return self

    @classmethod
    def from_evidence(
        cls, source: str, target: str, evidence: Sequence[Evidence], confidence: float
    ) -> Self:
        """Make an influence whose weight is the confidence-weighted mean of its mentions."""
        if not evidence:
            raise GraphError(f"{source!r} -> {target!r}: there is no evidence")
        total = sum(item.confidence for item in evidence)
        shares = [item.confidence / total if total else 1 / len(evidence) for item in evidence]
        weight = sum(share * item.weight for share, item in zip(shares, evidence, strict=True))
        return cls(
            source=source,
            target=target,
            weight=float(np.clip(weight, -1, 1)),
            confidence=confidence,
            evidence=tuple(evidence),
        )

    @property
    def n(self) -> int:
        """Number of mentions."""
        return len(self.evidence)

    @property
    def disagreement(self) -> float:
        """Share of the mentions whose sign is not the weight's (0 where there are none)."""
        if not self.evidence:
            return 0.0
        return float(sum(item.sign != np.sign(self.weight) for item in self.evidence) / self.n)

    def mentions(self) -> tuple[Mention, ...]:
        """Return the mentions that a sampled world chooses from, with their probabilities.

        Their mean is `weight`. A weight that was set by hand and is not the mean of its evidence
        is a single mention of its own.
        """
        total = sum(item.confidence for item in self.evidence)
        if total > 0:
            found = tuple((item.weight, item.confidence / total) for item in self.evidence)
            if abs(sum(w * p for w, p in found) - self.weight) < 1e-9:
                return found
        return ((self.weight, 1.0),)


class Feedback(Record):
    """An influence left out of the graph to keep it free of loops."""

    influence: Influence
    """The influence as it would have stood."""
    reason: str
    """The loop it closed and why this one was left out."""


class BeliefGraph(Record):
    """What one person believes on one topic: a signed, confidence-weighted DAG with its evidence.

    Examples
    --------
    >>> g = BeliefGraph.from_edges(
    ...     [("rents", "affordability", -0.8, 0.9), ("affordability", "support", 0.5, 0.8)],
    ...     stance="support",
    ... )
    >>> g
    <BeliefGraph: 3 concepts, 2 influences, stance 'support'>
    >>> g.parents("support")
    ('affordability',)
    """

    schema_version: Literal[1] = 1
    """Version of this record's form."""
    stance: str
    """Name of the concept that is the person's stance."""
    concepts: tuple[Concept, ...]
    """The nodes; their order is the order of every frame and matrix."""
    influences: tuple[Influence, ...] = ()
    """The edges; together they hold no loop."""
    feedback: tuple[Feedback, ...] = ()
    """Influences that would close a loop."""
    readings: tuple[Reading, ...] = ()
    """What each turn was read to say, also where no influence came of it."""
    transcript: Transcript | None = None
    """The interview that the evidence cites."""
    participant: str | None = None
    """Pseudonym of the person."""
    topic: str | None = None
    """What the interview is about."""
    extractor: str | None = None
    """Reader, package version and settings that made the graph."""

    @model_validator(mode="after")
    def _rules(self) -> Self:
        self._check_names()
        self._check_quotes()
        self._check_acyclic()
        return self

    def _check_names(self) -> None:
        names = self.names
        known = set(names)
        if len(known) < len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise GraphError(f"concept names must be unique; given twice: {twice}")
        if self.stance not in known:
            raise StanceError(str(UnknownConceptError(self.stance, names, "stance")))
        pairs = set()
        for edge in (*self.influences, *(item.influence for item in self.feedback)):
            for end in (edge.source, edge.target):
                if end not in known:
                    raise UnknownConceptError(
                        end, names, f"influence {edge.source!r} -> {edge.target!r}"
                    )
            if (edge.source, edge.target) in pairs:
                raise GraphError(
                    f"{edge.source!r} -> {edge.target!r} stands twice; put both mentions into one "
                    "influence's evidence"
                )
            pairs.add((edge.source, edge.target))

    def _check_quotes(self) -> None:
        answers = (
            {turn.qa_id: turn.answer for turn in self.transcript.turns} if self.transcript else {}
        )
        for where, item in self._all_evidence():
            if self.transcript is None:
                raise GraphError(
                    f"{where} has evidence and the graph has no transcript to check it against; "
                    "give the transcript, or leave the evidence out"
                )
            if item.qa_id not in answers:
                raise GraphError(
                    f"{where}: its evidence cites turn {item.qa_id!r}, which the transcript does "
                    "not have"
                )
            if answers[item.qa_id][item.start : item.end] != item.quote:
                raise GraphError(
                    f"{where}: the quote {item.quote!r} is not characters {item.start}:{item.end} "
                    f"of the answer in turn {item.qa_id!r}"
                )

    def _all_evidence(self) -> Iterable[tuple[str, Evidence]]:
        for concept in self.concepts:
            for item in concept.evidence:
                yield f"concept {concept.name!r}", item
        for edge in (*self.influences, *(item.influence for item in self.feedback)):
            for item in edge.evidence:
                yield f"influence {edge.source!r} -> {edge.target!r}", item
        for reading in self.readings:
            yield f"a reading of turn {reading.evidence.qa_id!r}", reading.evidence

    def _check_acyclic(self) -> None:
        order = self._topological_names()
        if len(order) < len(self.concepts):
            raise CycleError(
                self._find_cycle(set(self.names) - set(order)),
                "A belief graph has none: put one of them into feedback, or extract with "
                "`on_cycle='drop_weakest'`.",
            )

    def _topological_names(self) -> list[str]:
        """Kahn's algorithm in concept order; shorter than the concepts where there is a loop."""
        waiting = dict.fromkeys(self.names, 0)
        children: dict[str, list[str]] = {name: [] for name in self.names}
        for edge in self.influences:
            waiting[edge.target] += 1
            children[edge.source].append(edge.target)
        order = [name for name, count in waiting.items() if count == 0]
        for name in order:
            for child in children[name]:
                waiting[child] -= 1
                if waiting[child] == 0:
                    order.append(child)
        return order

    def _find_cycle(self, inside: set[str]) -> list[str]:
        """Walk backwards inside the nodes that Kahn's algorithm left until one comes twice."""
        parent = {
            edge.target: edge.source
            for edge in self.influences
            if edge.source in inside and edge.target in inside
        }
        walk = [next(name for name in self.names if name in parent)]
        while parent[walk[-1]] not in walk:
            walk.append(parent[walk[-1]])
        return walk[walk.index(parent[walk[-1]]) :][::-1]

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[str, str, float] | tuple[str, str, float, float]],
        *,
        stance: str,
        concepts: Iterable[str] = (),
        participant: str | None = None,
        topic: str | None = None,
    ) -> Self:
        """Make a graph by hand from (source, target, weight[, confidence]) tuples.

        Parameters
        ----------
        edges
            Confidence is 1 where it is not given.
        stance
            Name of the stance concept.
        concepts
            Further concepts, put first; the others follow in order of appearance.
        participant, topic
            Kept with the graph.
        """
        influences = tuple(
            Influence(source=edge[0], target=edge[1], weight=edge[2], confidence=(*edge, 1.0)[3])
            for edge in edges
        )
        names = dict.fromkeys(
            (*concepts, *(end for edge in influences for end in (edge.source, edge.target)), stance)
        )
        return cls(
            stance=stance,
            concepts=tuple(Concept(name=name) for name in names),
            influences=influences,
            participant=participant,
            topic=topic,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Concept names in graph order."""
        return tuple(concept.name for concept in self.concepts)

    @property
    def topological_order(self) -> tuple[str, ...]:
        """Concept names, causes before effects; otherwise in graph order."""
        return tuple(self._topological_names())

    def concept(self, name: str) -> Concept:
        """Return the concept of that name.

        Raises
        ------
        UnknownConceptError
            With the nearest names.
        """
        for concept in self.concepts:
            if concept.name == name:
                return concept
        raise UnknownConceptError(name, self.names, "concept")

    def influence(self, source: str, target: str) -> Influence | None:
        """Return the influence between two concepts, or None where there is none."""
        self.concept(source), self.concept(target)
        for edge in self.influences:
            if (edge.source, edge.target) == (source, target):
                return edge
        return None

    def parents(self, name: str) -> tuple[str, ...]:
        """Return the concepts with an influence on `name`, in graph order."""
        self.concept(name)
        found = {edge.source for edge in self.influences if edge.target == name}
        return tuple(other for other in self.names if other in found)

    def children(self, name: str) -> tuple[str, ...]:
        """Return the concepts that `name` has an influence on, in graph order."""
        self.concept(name)
        found = {edge.target for edge in self.influences if edge.source == name}
        return tuple(other for other in self.names if other in found)

    def ancestors(self, name: str) -> frozenset[str]:
        """Return all concepts from which a path leads to `name`."""
        return self._reach(name, self.parents)

    def descendants(self, name: str) -> frozenset[str]:
        """Return all concepts to which a path leads from `name`."""
        return self._reach(name, self.children)

    def _reach(self, name: str, step: Any) -> frozenset[str]:
        found: set[str] = set()
        waiting = [name]
        while waiting:
            for other in step(waiting.pop()):
                if other not in found:
                    found.add(other)
                    waiting.append(other)
        return frozenset(found)

    @property
    def intervenable(self) -> tuple[str, ...]:
        """Concepts from which a path leads to the stance, in graph order."""
        reach = self.ancestors(self.stance)
        return tuple(name for name in self.names if name in reach)

    def weight_matrix(self) -> NDArray[np.float64]:
        """Return the weights, shape (concepts, concepts); `W[i, j]` is the influence i -> j."""
        return self._matrix("weight")

    def confidence_matrix(self) -> NDArray[np.float64]:
        """Return the confidences, shape (concepts, concepts); 0 where there is no influence."""
        return self._matrix("confidence")

    def _matrix(self, field: str) -> NDArray[np.float64]:
        index = {name: i for i, name in enumerate(self.names)}
        matrix = np.zeros((len(index), len(index)))
        for edge in self.influences:
            matrix[index[edge.source], index[edge.target]] = getattr(edge, field)
        return matrix

    def to_networkx(self) -> nx.DiGraph:
        """Return a networkx graph that holds everything, evidence too (see `from_networkx`)."""
        from beliefgraph.formats.networkx import to_networkx

        return to_networkx(self)

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph, *, stance: str | None = None) -> BeliefGraph:
        """Make a belief graph of a networkx one: edges need `weight`, may have `confidence`."""
        from beliefgraph.formats.networkx import from_networkx

        return from_networkx(graph, stance=stance)

    def save(self, path: str | Path) -> None:
        """Write the graph to a JSON file, whole or not at all."""
        from beliefgraph.formats.json import save_graph

        save_graph(self, path)

    @classmethod
    def load(cls, path: str | Path) -> BeliefGraph:
        """Read a graph that `save` wrote."""
        from beliefgraph.formats.json import load_graph

        return load_graph(path)

    def plot(self, path: str | Path | None = None) -> str:
        """Draw the graph as one self-contained HTML page; write it to `path` where given."""
        from beliefgraph.formats.html import graph_page, write_page

        page = graph_page(self)
        if path is not None:
            write_page(page, path)
        return page

    def _repr_html_(self) -> str:
        from beliefgraph.formats.html import graph_figure

        return graph_figure(self)

    def __repr__(self) -> str:
        who = ", ".join(part for part in (self.participant, self.topic) if part)
        loops = f", {len(self.feedback)} in feedback" if self.feedback else ""
        return (
            f"<BeliefGraph{f' {who!r}' if who else ''}: {len(self.concepts)} concepts, "
            f"{len(self.influences)} influences{loops}, stance {self.stance!r}>"
        )

    __str__ = __repr__
