"""Belief graphs: the rules they keep, what they answer, and that nothing changes them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from beliefgraph import (
    BeliefGraph,
    BeliefGraphError,
    Concept,
    CycleError,
    Evidence,
    Feedback,
    GraphError,
    Influence,
    StanceError,
    Transcript,
    UnknownConceptError,
)
from tests.strategies import belief_graphs, probabilities

EDGES = [
    ("rents", "affordability", -0.8, 0.9),
    ("supply", "rents", -0.5, 0.7),
    ("affordability", "support", 0.5, 0.8),
    ("noise", "mood", -0.3, 1.0),
]


@pytest.fixture
def graph() -> BeliefGraph:
    return BeliefGraph.from_edges(EDGES, stance="support", concepts=["noise"])


def said(confidence: float = 1.0, **fields: Any) -> Evidence:
    start = {"qa_id": "1", "start": 0, "end": 2, "quote": "So"}
    return Evidence(**{**start, "confidence": confidence, **fields})


def test_concepts_keep_their_order(graph: BeliefGraph) -> None:
    assert graph.names == ("noise", "rents", "affordability", "supply", "support", "mood")
    assert graph.topological_order.index("supply") < graph.topological_order.index("rents")


def test_matrices(graph: BeliefGraph) -> None:
    at = {name: i for i, name in enumerate(graph.names)}
    for matrix, field in ((graph.weight_matrix(), 2), (graph.confidence_matrix(), 3)):
        expected = np.zeros((6, 6))
        for edge in EDGES:
            expected[at[edge[0]], at[edge[1]]] = edge[field]
        np.testing.assert_array_equal(matrix, expected)


def test_neighbours(graph: BeliefGraph) -> None:
    assert graph.parents("rents") == ("supply",)
    assert graph.children("rents") == ("affordability",)
    assert graph.ancestors("support") == {"affordability", "rents", "supply"}
    assert graph.descendants("supply") == {"rents", "affordability", "support"}
    assert graph.intervenable == ("rents", "affordability", "supply")
    edge = graph.influence("supply", "rents")
    assert edge is not None
    assert edge.weight == -0.5
    assert graph.influence("rents", "supply") is None


@given(graph=belief_graphs())
def test_networkx_agrees_on_paths_and_order(graph: BeliefGraph) -> None:
    made = graph.to_networkx()
    place = {name: n for n, name in enumerate(graph.topological_order)}
    assert all(place[edge.source] < place[edge.target] for edge in graph.influences)
    for name in graph.names:
        assert graph.ancestors(name) == nx.ancestors(made, name)
        assert graph.descendants(name) == nx.descendants(made, name)
        assert set(graph.parents(name)) == set(made.predecessors(name))


def test_an_unknown_concept_comes_with_suggestions(graph: BeliefGraph) -> None:
    for ask in (graph.concept, graph.parents, graph.ancestors):
        with pytest.raises(UnknownConceptError, match="Did you mean 'rents'"):
            ask("rent")


def test_a_cycle_is_printed() -> None:
    with pytest.raises(CycleError, match=r"form a loop: .*->.*put one of them into feedback") as e:
        BeliefGraph.from_edges(
            [("a", "b", 1), ("b", "c", 1), ("c", "a", 1), ("c", "s", 1)], stance="s"
        )
    cycle = e.value.cycle
    assert sorted(cycle) == ["a", "b", "c"]
    steps = {("a", "b"), ("b", "c"), ("c", "a")}
    assert set(zip(cycle, (*cycle[1:], cycle[0]), strict=True)) == steps


def test_feedback_may_close_a_loop(graph: BeliefGraph) -> None:
    back = Influence(source="support", target="rents", weight=0.1)
    looped = graph.replace(feedback=(Feedback(influence=back, reason="weakest"),))
    assert looped.names == graph.names
    assert "1 in feedback" in repr(looped)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"stance": "suport"}, StanceError, "Did you mean 'support'"),
        ({"concepts": (Concept(name="support"),) * 2}, GraphError, r"given twice: \['support'\]"),
        (
            {"influences": (Influence(source="rents", target="x", weight=0.1),)},
            UnknownConceptError,
            "influence 'rents' -> 'x': no concept is called 'x'",
        ),
        (
            {"influences": (Influence(source="rents", target="mood", weight=0.1),) * 2},
            GraphError,
            "'rents' -> 'mood' stands twice",
        ),
        (
            {"concepts": (Concept(name="support", evidence=(said(),)),), "influences": ()},
            GraphError,
            "has no transcript to check it against",
        ),
        ({"schema_version": 2}, GraphError, "schema_version"),
    ],
)
def test_rules_of_a_graph(
    graph: BeliefGraph, changes: dict[str, object], error: type[BeliefGraphError], message: str
) -> None:
    with pytest.raises(error, match=message):
        graph.replace(**changes)


def test_quotes_are_spans_of_the_answer(graph: BeliefGraph) -> None:
    transcript = Transcript.from_pairs([("Why?", "So it is.")])

    def with_evidence(evidence: Evidence) -> BeliefGraph:
        edge = Influence(source="rents", target="mood", weight=0.1, evidence=(evidence,))
        return graph.replace(influences=(edge,), transcript=transcript)

    assert with_evidence(said()).influences[0].n == 1
    with pytest.raises(GraphError, match=r"'So' is not characters 1:3"):
        with_evidence(said(start=1, end=3))
    with pytest.raises(GraphError, match="cites turn '2'"):
        with_evidence(said(qa_id="2"))
    with pytest.raises(GraphError, match="span 0:3 is 3 characters long"):
        said(end=3)


@pytest.mark.parametrize("weight", [1.01, -1.01, float("nan"), float("inf"), "strong", None])
def test_a_weight_lies_in_its_range(weight: object) -> None:
    with pytest.raises(GraphError, match="weight"):
        Influence(source="a", target="b", weight=0.5).replace(weight=weight)


def test_an_influence_has_two_ends() -> None:
    with pytest.raises(GraphError, match="'a' cannot influence itself"):
        Influence(source="a", target="a", weight=0.5)


@pytest.mark.parametrize(
    ("sign", "strength", "weight"),
    [(1, None, 0.5), (-1, None, -0.5), (-1, 0.8, -0.8), (0, 0.8, 0.0), (None, 0.8, 0.0), (1, 0, 0)],
)
def test_weight_of_one_mention(sign: int | None, strength: float | None, weight: float) -> None:
    assert said(sign=sign, strength=strength).weight == weight


def test_conflicting_mentions_stay_side_by_side() -> None:
    mentions = (said(0.9, sign=1, strength=0.8), said(0.3, sign=-1, strength=0.4))
    edge = Influence.from_evidence("a", "b", mentions, confidence=0.7)
    assert edge.weight == pytest.approx((0.9 * 0.8 - 0.3 * 0.4) / 1.2)
    assert (edge.n, edge.disagreement, edge.confidence) == (2, 0.5, 0.7)
    assert [weight for weight, _ in edge.mentions()] == [0.8, -0.4]
    assert [share for _, share in edge.mentions()] == pytest.approx([0.75, 0.25])
    assert edge.replace(weight=0.1).mentions() == ((0.1, 1.0),)
    with pytest.raises(GraphError, match="no evidence"):
        Influence.from_evidence("a", "b", (), confidence=0.7)


@given(
    mentions=st.lists(
        st.builds(said, probabilities, sign=st.sampled_from((-1, 0, 1)), strength=probabilities),
        min_size=1,
        max_size=6,
    )
)
def test_mentions_have_the_weight_as_their_mean(mentions: list[Evidence]) -> None:
    edge = Influence.from_evidence("a", "b", mentions, confidence=1)
    assert sum(p for _, p in edge.mentions()) == pytest.approx(1)
    assert sum(w * p for w, p in edge.mentions()) == pytest.approx(edge.weight)


@given(graph=belief_graphs())
def test_no_operation_changes_a_graph(graph: BeliefGraph) -> None:
    before = graph.model_dump_json()
    graph.weight_matrix().fill(9)
    graph.confidence_matrix().fill(9)
    made = graph.to_networkx()
    for _, attributes in made.nodes(data=True):
        attributes.clear()
    made.clear()
    for name in graph.names:
        graph.parents(name), graph.children(name), graph.ancestors(name), graph.concept(name)
    for edge in graph.influences:
        edge.mentions(), edge.replace(weight=0.0)
    graph.replace(influences=(), feedback=())
    repr(graph), graph.intervenable, graph.topological_order
    with tempfile.TemporaryDirectory() as folder:
        graph.save(Path(folder, "g.json"))
    assert graph.model_dump_json() == before


def test_a_graph_is_frozen(graph: BeliefGraph) -> None:
    with pytest.raises(ValidationError):
        graph.stance = "rents"  # type: ignore[misc]  # wrong on purpose
    with pytest.raises(ValidationError):
        graph.influences[0].weight = 1.0  # type: ignore[misc]  # wrong on purpose


def test_repr_is_short(graph: BeliefGraph) -> None:
    named = graph.replace(participant="P1", topic="buses")
    assert (
        str(named)
        == repr(named)
        == ("<BeliefGraph 'P1, buses': 6 concepts, 4 influences, stance 'support'>")
    )
