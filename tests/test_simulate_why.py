"""Paths, contributions, sensitivity, flips and leverage against enumeration."""

from __future__ import annotations

import json
from itertools import combinations, pairwise
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beliefgraph import BeliefGraph, Evidence, Feedback, Influence, InterventionError, Transcript
from beliefgraph.simulate import (
    best_interventions,
    contributions,
    effects,
    flips,
    intervene,
    path_effect,
    sensitivity,
)
from beliefgraph.simulate.shares import shapley
from tests.strategies_graphs import SD_TOLERANCE, graphs, random_graph

EXACT: dict[str, Any] = {"mechanism": "linear", "n_samples": 0}


def all_paths(graph: BeliefGraph, start: str, blocked: set[str]) -> list[tuple[str, ...]]:
    kept = nx.DiGraph()
    kept.add_nodes_from(graph.names)
    kept.add_edges_from((e.source, e.target) for e in graph.influences if e.target not in blocked)
    if start == graph.stance:
        return []
    return [tuple(path) for path in nx.all_simple_paths(kept, start, graph.stance)]


def without(graph: BeliefGraph, removed: set[tuple[str, str]]) -> BeliefGraph:
    kept = tuple(e for e in graph.influences if (e.source, e.target) not in removed)
    return graph.replace(influences=kept)


@given(graphs(levels=True), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_explained_paths_are_the_strongest_of_all_and_add_up(graph: BeliefGraph, pick: int) -> None:
    names = graph.names
    one, two = names[pick % len(names)], names[(pick // 7) % len(names)]
    result = intervene(graph, do={one: 0.8, two: -0.5}, **EXACT)
    expected = {}
    for start in {one, two} - {graph.stance}:
        change = result.concept(start).shift
        for path in all_paths(graph, start, {one, two}):
            expected[path] = change * path_effect(graph, path)
    expected = {path: amount for path, amount in expected.items() if amount != 0}
    shown = result.explain(k=3)
    everything = result.explain(k=1000)
    assert {p.concepts: p.contribution for p in everything.paths if len(p.concepts) > 1} == (
        pytest.approx(expected)
    )
    assert everything.total == pytest.approx(result.stance.shift, abs=1e-9)
    sizes = [abs(p.contribution) for p in everything.paths]
    assert sizes == sorted(sizes, reverse=True)
    assert shown.paths == everything.paths[:3]
    if everything.paths:
        assert sum(p.share for p in everything.paths) == pytest.approx(1)


def test_a_large_graph_is_explained_without_enumerating_its_paths() -> None:
    graph = random_graph(1, 60, density=0.9)  # about 1e16 paths
    result = intervene(graph, do={graph.topological_order[0]: 1.0}, **EXACT)
    paths = result.explain(k=20).paths
    assert len(paths) == 20
    assert all(a.share >= b.share for a, b in pairwise(paths))


def test_explanations_hold_the_quotes() -> None:
    answer = "Rents are killing us. Honestly, high rents make me back upzoning."
    quote = "high rents make me back upzoning"
    start = answer.index(quote)
    graph = BeliefGraph(
        stance="upzoning",
        concepts=BeliefGraph.from_edges([("rents", "upzoning", 0.5)], stance="upzoning").concepts,
        influences=(
            Influence(
                source="rents",
                target="upzoning",
                weight=0.5,
                confidence=0.8,
                evidence=(
                    Evidence(
                        qa_id="1", start=start, end=start + len(quote), quote=quote, sign=1,
                        strength=0.5,
                    ),
                ),
            ),
        ),
        transcript=Transcript.from_pairs([("Why?", answer)]),
    )  # fmt: skip
    explanation = intervene(graph, do={"rents": 0.5}).explain()
    assert explanation.paths[0].sign == "+"
    assert explanation.paths[0].steps[0].quotes == (quote,)
    text = str(explanation)
    assert f'"{quote}" (turn 1)' in text
    assert "shares computed in the linear model" in text
    assert "not linear" in text
    assert quote in json.dumps(explanation.to_dict())
    with pytest.raises(InterventionError, match="k: give"):
        intervene(graph, do={"rents": 0.5}).explain(k=0)


def test_effects_are_those_of_the_exact_shift() -> None:
    graph = random_graph(2, 7, mentions=True)
    for effect in effects(graph):
        one = intervene(graph, shift={effect.concept: 1.0}, **EXACT)
        assert effect.total == pytest.approx(one.stance.shift)
        assert effect.sd == pytest.approx(one.stance.sd, abs=SD_TOLERANCE)
        influence = graph.influence(effect.concept, graph.stance)
        direct = 0.0 if influence is None else influence.weight * influence.confidence
        assert effect.direct == pytest.approx(direct)
        assert effect.indirect + effect.direct == pytest.approx(effect.total)
    with pytest.raises(InterventionError, match="no influence"):
        path_effect(graph, [graph.stance, graph.names[0]])
    with pytest.raises(InterventionError, match="at least two"):
        path_effect(graph, [graph.stance])


def test_shapley_values_of_a_known_game() -> None:
    # the glove game: one left, two right gloves
    shares, nobody = shapley(lambda c: float(bool(c & 1) and bool(c & 6)), 3)
    assert nobody == 0
    assert shares == pytest.approx([2 / 3, 1 / 6, 1 / 6])


@given(graphs(levels=True, most=5), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_linear_contributions_add_up_and_are_shapley_values(graph: BeliefGraph, pick: int) -> None:
    concept = graph.names[pick % len(graph.names)]
    parts = contributions(graph, do={concept: 0.9}, mechanism="linear")
    shift = intervene(graph, do={concept: 0.9}, **EXACT).stance.shift
    assert parts.total == pytest.approx(shift, abs=1e-9)
    for items in (parts.paths, parts.influences):
        total = sum(item.amount for item in items) + parts.unattributed
        assert total == pytest.approx(shift, abs=1e-9)
    edges = [item.concepts for item in parts.influences]
    if concept == graph.stance or len(edges) > 7:
        return
    change = intervene(graph, do={concept: 0.9}, **EXACT).concept(concept).shift

    def game(coalition: int) -> float:
        absent = {(e[0], e[1]) for i, e in enumerate(edges) if not coalition >> i & 1}
        kept = without(graph, absent)
        return sum(change * path_effect(kept, path) for path in all_paths(kept, concept, {concept}))

    shares, _ = shapley(game, len(edges))
    assert [item.amount for item in parts.influences] == pytest.approx(shares, abs=1e-9)


@given(graphs(levels=True, most=5), st.integers(0, 99), st.sampled_from(["tanh", "threshold"]))
@settings(max_examples=20, deadline=None)
def test_sampled_contributions_add_up(graph: BeliefGraph, pick: int, mechanism: str) -> None:
    names = graph.names
    chosen = {names[pick % len(names)]: 0.9}
    pushed = {name: 0.4 for name in names[:1] if name not in chosen}
    parts = contributions(graph, do=chosen, shift=pushed, mechanism=mechanism, n_samples=200)
    result = intervene(graph, do=chosen, shift=pushed, mechanism=mechanism, n_samples=200)
    assert parts.total == pytest.approx(result.stance.shift, abs=1e-6)
    total = sum(item.amount for item in parts.paths) + parts.unattributed
    assert total == pytest.approx(parts.total, abs=1e-5)
    if graph.stance not in {*chosen, *pushed}:
        assert sum(i.amount for i in parts.influences) == pytest.approx(parts.total, abs=1e-5)
        assert parts.unattributed == pytest.approx(0, abs=1e-9)


def test_sampled_orders_come_near_the_exact_shapley_values(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(4, 5, density=0.9)
    options: dict[str, Any] = {"do": {graph.topological_order[0]: 0.9}, "n_samples": 300}
    exact = contributions(graph, **options)
    monkeypatch.setattr("beliefgraph.simulate.shares._MOST_INFLUENCES", 1)
    sampled = contributions(graph, **options)
    assert exact.exact
    assert not sampled.exact
    amounts = {item.concepts: item.amount for item in sampled.influences}
    for item in exact.influences:
        assert amounts[item.concepts] == pytest.approx(item.amount, abs=0.01)
    assert sum(amounts.values()) == pytest.approx(exact.total, abs=1e-5)


def test_more_paths_than_players_are_put_together() -> None:
    graph = random_graph(8, 8, density=1)
    first = graph.topological_order[0]
    parts = contributions(graph, do={first: 0.9}, n_samples=50)
    assert ("all other paths",) in [item.concepts for item in parts.paths]
    assert sum(item.amount for item in parts.paths) == pytest.approx(parts.total, abs=1e-5)


@pytest.mark.parametrize("mechanism", ["linear", "tanh"])
def test_sensitivity_is_the_shift_with_the_influence_absent_and_present(mechanism: str) -> None:
    graph = random_graph(3, 5, levels=True)
    graph = graph.replace(concepts=tuple(c.replace(baseline_sd=0.0) for c in graph.concepts))
    concept = graph.topological_order[0]
    options: dict[str, Any] = {"do": {concept: 0.9}, "mechanism": mechanism, "n_samples": 500}
    found = sensitivity(graph, **options)
    slopes = [abs(item.slope) for item in found]
    assert slopes == sorted(slopes, reverse=True)
    for item in found:
        for confidence, expected in ((0.0, item.absent), (1.0, item.present)):
            influences = tuple(
                e.replace(confidence=confidence)
                if (e.source, e.target) == (item.influence.source, item.influence.target)
                else e
                for e in graph.influences
            )
            changed = graph.replace(influences=influences)
            shift = intervene(changed, **options).stance.shift
            assert expected == pytest.approx(shift, abs=1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_flips_finds_the_smallest_set(seed: int) -> None:
    graph = random_graph(seed, 5, density=0.9)
    concept = graph.topological_order[0]
    shift = intervene(graph, do={concept: 1}, **EXACT).stance.shift
    edges = [(e.source, e.target) for e in graph.influences]
    smallest = None
    for size in range(1, 4):
        found = {}
        for removed in combinations(edges, size):
            after = intervene(without(graph, set(removed)), do={concept: 1}, **EXACT).stance.shift
            if np.sign(after) == -np.sign(shift) and abs(after) > 1e-9:
                found[frozenset(removed)] = after
        if found:
            smallest = size, max(abs(after) for after in found.values())
            break
    flip = flips(graph, do={concept: 1}, mechanism="linear", max_size=3)
    if smallest is None:
        assert flip is None
        return
    assert flip is not None
    assert len(flip.influences) == smallest[0]
    assert abs(flip.without) == pytest.approx(smallest[1])
    assert flip.smallest
    assert flip.shift == pytest.approx(shift)


def test_flips_with_tanh_are_checked_by_sampling() -> None:
    graph = BeliefGraph.from_edges(
        [("a", "s", 0.7), ("a", "b", 0.6), ("b", "s", -0.6), ("c", "s", 0.2)], stance="s"
    )
    flip = flips(graph, do={"a": 0.9}, n_samples=1000)
    assert flip is not None
    assert [(s.source, s.target) for s in flip.influences] == [("a", "s")]
    assert flip.smallest
    kept = without(graph, {("a", "s")})
    after = intervene(kept, do={"a": 0.9}, n_samples=1000).stance.shift
    assert flip.without == pytest.approx(after, abs=0.02)
    assert flips(graph, do={"c": 0.9}, n_samples=1000) is None
    with pytest.raises(InterventionError, match="max_size"):
        flips(graph, do={"a": 0.9}, max_size=0)


def test_best_interventions_rank_by_effect_per_unit() -> None:
    graph = random_graph(6, 7, levels=True)
    ranked = best_interventions(graph, k=None, mechanism="linear")
    per_unit = {effect.concept: effect.total for effect in effects(graph)}
    assert {item.concept: item.per_unit for item in ranked} == pytest.approx(per_unit)
    sizes = [abs(item.per_unit) for item in ranked]
    assert sizes == sorted(sizes, reverse=True)
    assert best_interventions(graph, k=2, mechanism="linear") == ranked[:2]
    tanh = best_interventions(graph, k=1)[0]
    assert tanh.path.concepts[0] == tanh.concept
    assert tanh.path.concepts[-1] == graph.stance
    assert tanh.interval[0] <= tanh.per_unit <= tanh.interval[1]


def test_loops_have_no_contributions() -> None:
    edge = Influence(source="s", target="a", weight=0.5)
    graph = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s").replace(
        feedback=(Feedback(influence=edge, reason="loop"),)
    )
    for call in (contributions, sensitivity, flips):
        call(graph, do={"a": 0.5}, n_samples=50)  # without its feedback
        with pytest.raises(InterventionError, match="have no end"):
            call(graph, do={"a": 0.5}, on_cycle="unroll")
    with pytest.raises(InterventionError, match="have no end"):
        best_interventions(graph, on_cycle="unroll")
