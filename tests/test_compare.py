"""Comparing graphs: hand-computed figures, brute force, and what must not change anything."""

from __future__ import annotations

import math
from dataclasses import fields
from itertools import combinations, permutations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beliefgraph as bg
from beliefgraph.compare import Comparison, Score, compare_graphs, count_motifs, match_influences
from beliefgraph.text import Tie

NODES = "abcde"
Edges = dict[tuple[str, str], tuple[float, float]]


def same_name(one: str, other: str) -> Tie:
    return Tie(float(one == other), 1, "the same name")


@st.composite
def edge_sets(draw: st.DrawFn) -> Edges:
    """Edges of a random DAG on five names, the last of a random order the stance `s`."""
    order = [*draw(st.permutations(NODES)), "s"]
    pairs = draw(st.lists(st.sampled_from(list(combinations(order, 2))), unique=True))
    weight = st.sampled_from((-0.8, -0.25, 0.25, 0.5))
    return {pair: (draw(weight), draw(st.sampled_from((0.2, 0.5, 1.0)))) for pair in pairs}


def graph_of(edges: Edges) -> bg.BeliefGraph:
    rows = [(a, b, weight, confidence) for (a, b), (weight, confidence) in edges.items()]
    return bg.BeliefGraph.from_edges(rows, stance="s", concepts=list(NODES))


def compare(a: Edges, b: Edges, *, one_to_one: bool = True) -> Comparison:
    return compare_graphs(graph_of(a), graph_of(b), similarity=same_name, one_to_one=one_to_one)


def scores(found: Comparison) -> dict[str, Score]:
    values = {f.name: getattr(found, f.name) for f in fields(found)}
    return {name: value for name, value in values.items() if isinstance(value, Score)}


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else math.nan


def assert_same(one: float, other: float) -> None:
    assert one == pytest.approx(other, nan_ok=True)


def hamming(a: Edges, b: Edges) -> int:
    """Count the unordered pairs of nodes that are joined otherwise in the two graphs."""
    between = [(x, y) for x, y in combinations([*NODES, "s"], 2)]
    return sum(((x, y) in a, (y, x) in a) != ((x, y) in b, (y, x) in b) for x, y in between)


def brute_force_motifs(edges: Edges) -> set[tuple[str, str, str, str, int]]:
    sign = {pair: 1 if weight > 0 else -1 for pair, (weight, _) in edges.items()}
    found = set()
    for x, m, y in permutations([*NODES, "s"], 3):
        if (x, m) in sign and (m, y) in sign:
            found.add(("chain", x, m, y, sign[x, m] * sign[m, y]))
        if x < y and (m, x) in sign and (m, y) in sign:
            found.add(("fork", x, m, y, sign[m, x] * sign[m, y]))
        if x < y and (x, m) in sign and (y, m) in sign:
            found.add(("collider", x, m, y, sign[x, m] * sign[y, m]))
    return found


@settings(deadline=None)
@given(edge_sets(), edge_sets())
def test_every_figure_by_brute_force(a: Edges, b: Edges) -> None:
    found = compare(a, b)
    both = set(a) & set(b)
    agree = {pair for pair in both if a[pair][0] * b[pair][0] > 0}
    assert found.concepts == Score(1.0, 1.0)
    for score, hits in ((found.influences, both), (found.signed_influences, agree)):
        assert_same(score.precision, ratio(len(hits), len(a)))
        assert_same(score.recall, ratio(len(hits), len(b)))
    weighted = found.weighted_influences
    assert_same(
        weighted.precision, ratio(sum(a[p][1] for p in agree), sum(c for _, c in a.values()))
    )
    assert_same(weighted.recall, ratio(sum(b[p][1] for p in agree), sum(c for _, c in b.values())))
    own, reference = brute_force_motifs(a), brute_force_motifs(b)
    assert_same(found.motifs.precision, ratio(len(own & reference), len(own)))
    assert_same(found.motifs.recall, ratio(len(own & reference), len(reference)))
    assert_same(found.sign_accuracy, ratio(len(agree), len(both)))
    assert found.structural_hamming_distance == hamming(a, b)
    assert match_influences(graph_of(a), graph_of(b), similarity=same_name) == agree


@settings(deadline=None)
@given(edge_sets())
def test_motifs_by_brute_force(edges: Edges) -> None:
    assert count_motifs(graph_of(edges)) == brute_force_motifs(edges)


@settings(deadline=None)
@given(edge_sets(), st.booleans())
def test_a_graph_is_itself(edges: Edges, one_to_one: bool) -> None:
    found = compare(edges, edges, one_to_one=one_to_one)
    assert found.structural_hamming_distance == 0
    for name, score in scores(found).items():
        for value in (score.precision, score.recall, score.f1):
            assert value == pytest.approx(1) or (math.isnan(value) and name != "concepts")
    assert math.isnan(found.influences.f1) == (not edges)


@settings(deadline=None)
@given(edge_sets(), edge_sets())
def test_swapping_the_graphs_swaps_precision_and_recall(a: Edges, b: Edges) -> None:
    there, back = compare(a, b), compare(b, a)
    for name, score in scores(there).items():
        assert_same(score.precision, scores(back)[name].recall)
        assert_same(score.recall, scores(back)[name].precision)
        assert_same(score.f1, scores(back)[name].f1)
    assert_same(there.sign_accuracy, back.sign_accuracy)
    assert there.structural_hamming_distance == back.structural_hamming_distance


@settings(deadline=None)
@given(edge_sets(), edge_sets(), edge_sets())
def test_the_hamming_distance_is_a_metric(a: Edges, b: Edges, c: Edges) -> None:
    def distance(x: Edges, y: Edges) -> int:
        return compare(x, y).structural_hamming_distance

    assert distance(a, c) <= distance(a, b) + distance(b, c)
    assert (distance(a, b) == 0) == (set(a) == set(b))


@settings(deadline=None)
@given(edge_sets(), edge_sets())
def test_a_flipped_sign_changes_signed_figures_only(a: Edges, b: Edges) -> None:
    flipped = {pair: (-weight, confidence) for pair, (weight, confidence) in a.items()}
    found, turned = compare(a, b), compare(flipped, b)
    assert str(found.influences) == str(turned.influences)
    assert found.structural_hamming_distance == turned.structural_hamming_distance
    assert str(found.motifs) == str(turned.motifs)  # a product of two signs
    if not math.isnan(found.sign_accuracy):
        assert found.sign_accuracy + turned.sign_accuracy == pytest.approx(1)


def test_by_hand() -> None:
    a = bg.BeliefGraph.from_edges(
        [
            ("rents", "moving", -0.5, 0.8),
            ("moving", "support", 0.5, 0.4),
            ("fog", "rents", 0.5, 0.8),
        ],
        stance="support",
    )
    b = bg.BeliefGraph.from_edges(
        [("rent levels", "moving", -0.2, 1.0), ("support", "moving", 0.5, 0.5),
         ("rent levels", "support", -0.9, 0.5), ("bees", "support", 0.1, 0.5)],
        stance="support",
    )  # fmt: skip
    found = compare_graphs(a, b)
    assert found.matches == (("support", "support", 1), ("rents", "rent levels", 1),
                             ("moving", "moving", 1))  # fmt: skip
    assert found.concepts == Score(3 / 4, 3 / 4)
    assert found.influences == found.signed_influences == Score(1 / 3, 1 / 4)
    assert found.influences.f1 == pytest.approx(2 / 7)
    assert found.weighted_influences.precision == pytest.approx(0.8 / 2.0)
    assert found.weighted_influences.recall == pytest.approx(1.0 / 2.5)
    assert found.sign_accuracy == 1.0
    # fog -> rents too many; rents -> support and bees -> support missing; one reversed
    assert found.structural_hamming_distance == 4
    flat = found.to_dict()
    assert flat["influences_recall"] == 1 / 4
    assert flat["structural_hamming_distance"] == 4
    assert len(flat) == 5 * 3 + 2


def test_opposite_ends_are_compared_after_turning() -> None:
    a = bg.BeliefGraph.from_edges(
        [("housing affordability", "support", 0.5), ("rain", "housing affordability", 0.3),
         ("housing affordability", "moving", 0.5)],
        stance="support",
    )  # fmt: skip
    b = bg.BeliefGraph.from_edges(
        [("housing costs", "support", -0.5), ("rain", "housing costs", -0.3),
         ("housing costs", "moving", 0.5)],
        stance="support",
    )  # fmt: skip
    found = compare_graphs(a, b)
    assert ("housing affordability", "housing costs", -1) in found.matches
    assert found.influences == Score(1, 1)
    assert found.signed_influences == Score(2 / 3, 2 / 3)
    # rain -> . -> support agrees in sign, rain -> . -> moving and the fork do not
    assert found.motifs == Score(1 / 3, 1 / 3)
    assert match_influences(a, b) == {
        ("housing affordability", "support"),
        ("rain", "housing affordability"),
    }


def test_aliases_match_with_their_sign() -> None:
    a = bg.BeliefGraph.from_edges([("calm nights", "s", 0.5)], stance="s")
    b = bg.BeliefGraph.from_edges([("street din", "s", -0.5)], stance="s")
    assert compare_graphs(a, b).concepts == Score(1 / 2, 1 / 2)
    named = b.replace(
        concepts=tuple(
            c.replace(aliases=(bg.Alias(label="calm nights", polarity=-1),))
            if c.name == "street din"
            else c
            for c in b.concepts
        )
    )
    found = compare_graphs(a, named)
    assert ("calm nights", "street din", -1) in found.matches
    assert found.signed_influences == Score(1, 1)


def test_the_stances_are_matched_whatever_their_names_and_with_nothing_else() -> None:
    a = bg.BeliefGraph.from_edges([("rents", "buy-in", 0.5)], stance="buy-in")
    b = bg.BeliefGraph.from_edges(
        [("rents", "support", 0.5)], stance="support", concepts=["buy-in"]
    )
    found = compare_graphs(a, b)
    assert ("buy-in", "support", 1) in found.matches
    assert found.concepts == Score(1, 2 / 3)
    assert found.influences == Score(1, 1)


def test_the_assignment_maximises_the_sum_and_not_each_step() -> None:
    table = {("x", "p"): 0.9, ("x", "q"): 0.8, ("y", "p"): 0.8, ("y", "q"): 0.3}

    def tie(one: str, other: str) -> Tie:
        return Tie(table.get((one, other), 0.0), 1, "")

    a = bg.BeliefGraph.from_edges([], stance="s", concepts=["x", "y"])
    b = bg.BeliefGraph.from_edges([], stance="s", concepts=["p", "q"])
    assert set(compare_graphs(a, b, similarity=tie).matches[1:]) == {("x", "q", 1), ("y", "p", 1)}
    strict = compare_graphs(a, b, similarity=tie, threshold=0.85)
    assert strict.matches[1:] == (("x", "p", 1),)
    loose = compare_graphs(a, b, similarity=tie, one_to_one=False)
    assert loose.matches[1:] == (("x", "p", 1), ("y", "p", 1))
    assert loose.concepts == Score(1.0, 2 / 3)


def test_two_wordings_of_one_edge_count_once_where_matching_is_many_to_one() -> None:
    a = bg.BeliefGraph.from_edges(
        [("rents", "s", 0.5, 0.9), ("rent levels", "s", -0.5, 0.4)], stance="s"
    )
    b = bg.BeliefGraph.from_edges([("rents", "s", 0.5)], stance="s")
    found = compare_graphs(a, b, one_to_one=False)
    assert found.influences == found.signed_influences == Score(1, 1)
    assert found.structural_hamming_distance == 0


def test_two_wordings_of_one_edge_are_two_where_matching_is_one_to_one() -> None:
    a = bg.BeliefGraph.from_edges([("rents", "s", 0.5), ("rent levels", "s", -0.5)], stance="s")
    b = bg.BeliefGraph.from_edges([("rents", "s", 0.5)], stance="s")
    found = compare_graphs(a, b)
    assert found.influences == Score(1 / 2, 1)
    assert found.structural_hamming_distance == 1


@pytest.mark.parametrize("other", [{}, {("a", "s"): (0.5, 1.0)}])
def test_not_scored_is_nan(other: Edges) -> None:
    found = compare({}, other)
    assert math.isnan(found.influences.precision)
    assert math.isnan(found.influences.recall) == (not other)
    assert math.isnan(found.influences.f1)
    assert math.isnan(found.sign_accuracy)
    assert math.isnan(found.motifs.f1)
    assert found.structural_hamming_distance == len(other)
    assert found.concepts.f1 == 1.0


def test_nothing_right_is_zero_and_not_nan() -> None:
    found = compare({("a", "b"): (0.5, 1.0)}, {("b", "a"): (0.5, 1.0)})
    assert found.influences == Score(0, 0)
    assert found.influences.f1 == 0.0
    assert math.isnan(found.sign_accuracy)
    assert found.structural_hamming_distance == 1


@settings(deadline=None)
@given(edge_sets(), edge_sets())
def test_inputs_are_not_changed(a: Edges, b: Edges) -> None:
    one, other = graph_of(a), graph_of(b)
    before = one.model_dump_json(), other.model_dump_json()
    compare_graphs(one, other)
    assert (one.model_dump_json(), other.model_dump_json()) == before
    assert nx.is_directed_acyclic_graph(one.to_networkx())
