"""Counterfactuals against identities, enumeration of worlds and numerical integration."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from beliefgraph import BeliefGraph, Concept, Influence, InterventionError, UnknownConceptError
from beliefgraph.simulate import counterfactual
from beliefgraph.simulate.compile import compile_graph
from tests.strategies_graphs import graphs, random_graph

FAST: dict[str, Any] = {"n_samples": 300}


def some_values(graph: BeliefGraph, seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return {name: float(rng.uniform(-0.4, 0.4)) for name in graph.names}


@given(
    graphs(levels=True, most=6), st.sampled_from(["linear", "tanh", "logistic"]), st.integers(0, 99)
)
@settings(max_examples=40, deadline=None)
def test_identities_of_abduction(graph: BeliefGraph, mechanism: str, seed: int) -> None:
    seen = some_values(graph, seed)
    names = graph.names
    concept = names[seed % len(names)]
    options: dict[str, Any] = {"observed": seen, "mechanism": mechanism, "noise_sd": 1.0, **FAST}
    nothing = counterfactual(graph, **options)
    same = counterfactual(graph, do={concept: seen[concept]}, **options)
    for result in (nothing, same):
        for name in names:
            shift = result.concept(name)
            assert shift.before == pytest.approx(seen[name], abs=1e-12)
            assert shift.after == pytest.approx(seen[name], abs=1e-9)
    moved = counterfactual(graph, do={concept: -0.8}, **options)
    assert moved.ess == pytest.approx(moved.configuration["drawn"])
    for name in names:
        if name != concept and name not in graph.descendants(concept):
            assert moved.concept(name).shift == 0
        if mechanism != "linear":
            assert np.abs(moved.samples(name)[1]).max() <= 1


@given(graphs(certain=True, levels=True, most=7), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_with_a_certain_graph_and_all_observed_the_answer_is_exact(
    graph: BeliefGraph, seed: int
) -> None:
    seen = some_values(graph, seed)
    concept = graph.names[seed % len(graph.names)]
    for mechanism, f, inverse in (
        ("linear", lambda x: x, lambda x: x),
        ("tanh", np.tanh, np.arctanh),
    ):
        result = counterfactual(
            graph, observed=seen, do={concept: 0.7}, mechanism=mechanism, noise_sd=1.0, **FAST
        )
        expected: dict[str, float] = {}
        for name in graph.topological_order:
            edges = [edge for edge in graph.influences if edge.target == name]
            push = inverse(seen[name]) - sum(e.weight * seen[e.source] for e in edges)
            total = push + sum(e.weight * expected[e.source] for e in edges)
            expected[name] = 0.7 if name == concept else float(f(total))
        for name in graph.names:
            shift = result.concept(name)
            assert shift.after == pytest.approx(expected[name], abs=1e-9)
            assert shift.interval[0] == pytest.approx(shift.interval[1], abs=1e-6)


@pytest.mark.parametrize("mechanism", ["linear", "tanh"])
@pytest.mark.parametrize("seed", range(5))
def test_influences_are_reweighted_by_what_was_observed(mechanism: str, seed: int) -> None:
    graph = random_graph(seed, 4, density=0.9, mentions=True)
    model = compile_graph(graph, mechanism=mechanism)
    seen = some_values(graph, seed)
    concept = graph.topological_order[0]
    x = np.array([seen[name] for name in graph.names])
    inverse, f = (np.arctanh, np.tanh) if mechanism == "tanh" else (np.array, np.array)
    choices = [
        [*((w, p * c) for w, p in mentions), (0.0, 1 - c)]
        for mentions, c in zip(model.mentions, model.confidence, strict=True)
    ]
    total, weighted, square = 0.0, 0.0, 0.0
    for world in itertools.product(*choices):
        w = np.zeros((4, 4))
        w[model.source, model.target] = [strength for strength, _ in world]
        noise = inverse(x) - w.T @ x - model.bias
        likelihood = np.prod([p for _, p in world]) * stats.norm.pdf(noise, scale=0.25).prod()
        after = x.copy()
        for j in model.order:
            pushed = f(model.bias[j] + noise[j] + w[:, j] @ after)
            after[j] = -0.9 if graph.names[j] == concept else pushed
        total += likelihood
        weighted += likelihood * after[model.stance]
        square += likelihood * after[model.stance] ** 2
    result = counterfactual(
        graph, observed=seen, do={concept: -0.9}, mechanism=mechanism, n_samples=40_000
    )
    mean = weighted / total
    sd = np.sqrt(max(square / total - mean**2, 0))
    assert result.stance.after == pytest.approx(mean, abs=5 * sd / np.sqrt(40_000) + 1e-9)
    assert result.stance.sd == pytest.approx(sd, rel=0.05, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_partial_observation_of_a_linear_graph_is_gaussian_conditioning(seed: int) -> None:
    graph = random_graph(seed, 4, density=0.9, mentions=True, levels=True)
    model = compile_graph(graph, mechanism="linear")
    order = graph.topological_order
    seen = {order[1]: 0.3, order[3]: -0.2}
    at = [graph.names.index(name) for name in seen]
    target = np.array(list(seen.values()))
    k = graph.names.index(order[2])
    choices = [
        [*((w, p * c) for w, p in mentions), (0.0, 1 - c)]
        for mentions, c in zip(model.mentions, model.confidence, strict=True)
    ]
    variance = model.noise_sd**2 + model.level_sd**2
    total, first, second = 0.0, 0.0, 0.0
    for world in itertools.product(*choices):
        w = np.zeros((4, 4))
        w[model.source, model.target] = [strength for strength, _ in world]
        load = np.linalg.inv(np.eye(4) - w).T  # x = load (b + e)
        cov = load * variance @ load.T
        s = cov[np.ix_(at, at)]
        gain = (load * variance)[at].T @ np.linalg.inv(s)
        mean_e = model.bias + gain @ (target - load[at] @ model.bias)
        cov_e = np.diag(variance) - gain @ (load * variance)[at]
        weight = np.prod([p for _, p in world]) * stats.multivariate_normal.pdf(
            target, load[at] @ model.bias, s
        )
        cut = w.copy()
        cut[:, k] = 0
        after = np.linalg.inv(np.eye(4) - cut).T
        # the held concept: its own push is the value
        row = after[model.stance].copy()
        held = row[k] * 0.8
        row[k] = 0
        mean = held + row @ mean_e
        total += weight
        first += weight * mean
        second += weight * (mean**2 + row @ cov_e @ row)
    result = counterfactual(
        graph, observed=seen, do={order[2]: 0.8}, mechanism="linear", n_samples=60_000
    )
    mean = first / total
    sd = np.sqrt(second / total - mean**2)
    assert result.ess is not None
    assert result.stance.after == pytest.approx(mean, abs=5 * sd / np.sqrt(result.ess))
    assert result._worlds is not None
    worlds = result._worlds()
    after = worlds.after(model.stance).astype(float)
    weights = np.ones(len(after)) if worlds.weights is None else worlds.weights
    spread = np.sqrt(weights @ (after - mean) ** 2 / weights.sum())
    assert spread == pytest.approx(sd, rel=0.06, abs=1e-6)


def test_partial_observation_of_tanh_agrees_with_integration() -> None:
    graph = BeliefGraph(
        stance="s",
        concepts=(Concept(name="a", baseline=0.2), Concept(name="m"), Concept(name="s")),
        influences=(
            Influence(source="a", target="m", weight=0.8, confidence=0.7),
            Influence(source="m", target="s", weight=0.6, confidence=0.8),
            Influence(source="a", target="s", weight=-0.5, confidence=0.6),
        ),
    )
    model = compile_graph(graph)
    seen = {"a": 0.5, "s": 0.3}
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    total, mean = 0.0, 0.0
    for am, ms, as_ in itertools.product((0, 1), repeat=3):
        p = (0.7 if am else 0.3) * (0.8 if ms else 0.2) * (0.6 if as_ else 0.4)
        push_m = model.bias[1] + 0.25 * nodes
        m = np.tanh(push_m + am * 0.8 * 0.5)
        noise = np.arctanh(0.3) - ms * 0.6 * m + as_ * 0.5 * 0.5 - model.bias[2]
        likelihood = p * weights * stats.norm.pdf(noise, scale=0.25)
        m_after = np.tanh(push_m + am * 0.8 * -0.6)
        s_after = np.tanh(model.bias[2] + noise + ms * 0.6 * m_after - as_ * 0.5 * -0.6)
        total += likelihood.sum()
        mean += (likelihood * s_after).sum()
    result = counterfactual(graph, observed=seen, do={"a": -0.6}, n_samples=100_000)
    assert result.stance.before == pytest.approx(0.3)
    assert result.stance.after == pytest.approx(mean / total, abs=5 * result.stance.se)
    assert result.ess is not None
    assert 10_000 < result.ess < 100_000


def test_many_parents_are_resampled() -> None:
    parents = [f"p{i}" for i in range(14)]
    graph = BeliefGraph.from_edges([(p, "s", 0.3, 0.5) for p in parents], stance="s")
    seen = {**dict.fromkeys(parents, 0.5), "s": 0.6}
    result = counterfactual(
        graph, observed=seen, do={"p0": -0.5}, mechanism="linear", n_samples=20_000
    )
    # by symmetry: the expected number of present influences over 14
    counts = np.arange(15)
    posterior = stats.binom.pmf(counts, 14, 0.5) * stats.norm.pdf(0.6 - 0.15 * counts, scale=0.25)
    present = posterior @ counts / posterior.sum() / 14
    assert result.stance.shift == pytest.approx(-1.0 * 0.3 * present, abs=0.01)


@pytest.mark.parametrize(
    ("observed", "options", "says"),
    [
        ({"a": 1.0}, {}, "endless push"),
        ({"a": 0.5}, {"mechanism": "threshold"}, "no inverse"),
        ({"a": 0.5}, {"noise_sd": 0}, "no noise"),
        ({"a": 1.5}, {}, r"\[-1, 1\]"),
        ({"a": float("nan")}, {}, r"\[-1, 1\]"),
        ({}, {}, "at least one"),
        ({"a": 0.5}, {"on_cycle": "unroll"}, "drop_weakest"),
        ({"a": 0.9, "s": -0.2}, {"noise_sd": {"s": 1e-7}}, "too unlikely"),
    ],
)
def test_where_nothing_can_be_said_it_says_so(
    observed: dict[str, float], options: dict[str, Any], says: str
) -> None:
    graph = BeliefGraph.from_edges([("a", "m", 0.9), ("m", "s", 0.9)], stance="s")
    with pytest.raises(InterventionError, match=says):
        counterfactual(graph, observed=observed, do={"a": 0.1}, **options, **FAST)


def test_values_that_the_graph_hardly_allows_are_flagged() -> None:
    graph = BeliefGraph.from_edges([("a", "s", 0.9)], stance="s")
    result = counterfactual(graph, observed={"a": 0.9, "s": -0.9}, do={"a": 0}, **FAST)
    assert any("'s'" in note and "standard deviations" in note for note in result.notes)
    assert counterfactual(graph, observed={"a": 0.3, "s": 0.3}, **FAST).notes == ()


def test_unknown_concepts_and_explanations() -> None:
    graph = BeliefGraph.from_edges([("rents", "s", 0.9)], stance="s")
    with pytest.raises(UnknownConceptError, match="Did you mean 'rents'"):
        counterfactual(graph, observed={"rent": 0.1})
    result = counterfactual(graph, observed={"rents": 0.3}, do={"rents": 0.1})
    path = result.explain().paths[0]
    assert path.contribution == pytest.approx(-0.2 * 0.9)
    assert "observed rents = 0.3" in repr(result)
    again = counterfactual(graph, observed={"rents": 0.3}, do={"rents": 0.1})
    assert again.to_dict() == result.to_dict()
