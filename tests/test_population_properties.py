"""Populations: what must not matter, and loops opened by their rule, over random people."""

from __future__ import annotations

from itertools import pairwise, permutations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beliefgraph as bg
from beliefgraph.loops import break_loops
from beliefgraph.simulate.population import (
    cluster_people,
    compare_groups,
    population_graph,
    simulate_population,
)
from beliefgraph.simulate.population.concepts import _keys
from beliefgraph.text import lexical_tie
from tests.test_population import random_people

WORDS = (
    "bus buses speed fast delay housing house rents rent cost affordability cheap safety crime "
    "reliable reliability quality noise quiet support opposition jobs unemployment the of traffic "
    "lower higher control controlled tax taxes car cars trust distrust"
).split()
labels = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)


@given(labels, labels)
def test_names_that_words_tie_share_a_key(one: str, other: str) -> None:
    """So looking up keys misses no tie that comparing all pairs would find."""
    if lexical_tie(one, other).similarity > 0:
        assert _keys(one) & _keys(other)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.randoms(use_true_random=False))
def test_the_order_of_people_changes_nothing(seed: int, shuffler: object) -> None:
    people = random_people(seed, 10)
    shuffled = [people[i] for i in np.random.default_rng(seed).permutation(10)]
    before = [graph.model_dump() for graph in people]
    one, other = population_graph(people), population_graph(shuffled)
    assert one.graph.names == other.graph.names
    assert [(i.source, i.target, i.n_people, i.agreement) for i in one.influences] == [
        (i.source, i.target, i.n_people, i.agreement) for i in other.influences
    ]
    groups = {g.participant or "": "ab"[i % 2] for i, g in enumerate(people)}
    found = [compare_groups(p, groups, n_permutations=50, min_people=3) for p in (one, other)]
    key = [
        {(d.kind, d.source, d.target): (d.p_value, d.p_corrected) for d in f.differences}
        for f in found
    ]
    assert key[0].keys() == key[1].keys()
    for test, p_values in key[0].items():
        assert p_values == pytest.approx(key[1][test], nan_ok=True)
    clusters = [cluster_people(p, n_permutations=5, n_bootstrap=3) for p in (one, other)]
    labelled = [dict(zip(c.participants, c.labels.tolist(), strict=True)) for c in clusters]
    assert labelled[0] == labelled[1]
    name = one.concepts[0].name
    shifts = [
        {m.participant: m.shift for m in simulate_population(p, do={name: 0.5}).members}
        for p in (one, other)
    ]
    assert shifts[0] == pytest.approx(shifts[1], nan_ok=True)
    assert [graph.model_dump() for graph in people] == before


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 100_000))
def test_figures_stay_in_their_ranges(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p = population_graph(random_people(seed, int(rng.integers(1, 9))))
    for item in p.influences:
        assert 0 <= item.low <= item.prevalence <= item.high <= 1
        assert item.share_positive + item.share_negative <= 1 + 1e-12
        assert -1 <= item.agreement <= 1
        assert -1 <= item.weight <= 1
        assert 0 < item.confidence <= 1
    assert nx.is_directed_acyclic_graph(p.graph.to_networkx())
    assert p.graph.names[-1] == "Support"


@settings(max_examples=60, deadline=None)
@given(st.sets(st.sampled_from(list(permutations("abcdef", 2))), min_size=1), st.integers(0, 999))
def test_loops_are_opened_by_length_and_name(pairs: set[tuple[str, str]], seed: int) -> None:
    """Against listing every loop anew after each influence left out."""
    rng = np.random.default_rng(seed)
    held = {
        (a, b): bg.Influence(source=a, target=b, weight=float(rng.choice([-0.5, 0.25, 0.8])))
        for a, b in sorted(pairs)
    }
    graph, expected = nx.DiGraph(list(held)), []
    while loops := [min(_turns(loop)) for loop in nx.simple_cycles(graph)]:
        loop = min(loops, key=lambda names: (len(names), names))
        around = [held[pair] for pair in pairwise((*loop, loop[0]))]
        weakest = min(around, key=lambda e: (abs(e.weight), e.source, e.target))
        graph.remove_edge(weakest.source, weakest.target)
        expected.append(weakest)
    kept, feedback = break_loops(list(held.values()))
    assert [item.influence for item in feedback] == expected
    assert {(e.source, e.target) for e in kept} == set(graph.edges)


def _turns(loop: list[str]) -> list[tuple[str, ...]]:
    return [tuple(loop[i:] + loop[:i]) for i in range(len(loop))]
