"""Exact answers against the closed form and against every world of a small graph."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from beliefgraph import BeliefGraph
from beliefgraph.simulate import intervene
from beliefgraph.simulate.compile import Model, compile_graph
from beliefgraph.simulate.exact import paired_moments, reverse_moments, total_effects
from beliefgraph.simulate.interventions import Plan, make_plan
from tests.strategies_graphs import SD_TOLERANCE, random_graph

Floats = NDArray[np.float64]
SEEDS = range(12)


def worlds(model: Model) -> list[tuple[float, Floats]]:
    """Every choice of mentions and absences with its probability and (n, n) weights."""
    choices = [
        [*((w, p * c) for w, p in mentions), (0.0, 1 - c)]
        for mentions, c in zip(model.mentions, model.confidence, strict=True)
    ]
    found = []
    for world in itertools.product(*choices):
        weights = np.zeros((model.n, model.n))
        weights[model.source, model.target] = [w for w, _ in world]
        found.append((float(np.prod([p for _, p in world])), weights))
    return found


def one_world(model: Model, weights: Floats, plan: Plan) -> tuple[Floats, Floats]:
    """Mean (n,) and loadings on (noise of n, level of n, drawn values of n) in one world."""
    n = model.n
    mean, load = np.zeros(n), np.zeros((n, 3 * n))
    for j in model.order.tolist():
        if j in plan.do:
            mean[j] = plan.do[j].mean
            load[j, 2 * n + j] = np.sqrt(plan.do[j].variance)
            continue
        mean[j] = model.bias[j] + weights[:, j] @ mean
        load[j] = weights[:, j] @ load
        load[j, j] += plan.noise[j].mean if j in plan.noise else model.noise_sd[j]
        load[j, n + j] += model.level_sd[j]
        if j in plan.shift:
            mean[j] += plan.shift[j].mean
            load[j, 2 * n + j] += np.sqrt(plan.shift[j].variance)
    return mean, load


def brute_force(model: Model, plan: Plan) -> dict[str, Floats]:
    """Moments before, after and of the shift by summing over all worlds."""
    nothing = Plan({}, {}, {})
    first: dict[str, Floats] = {key: np.zeros(model.n) for key in ("before", "after", "shift")}
    second = {key: np.zeros(model.n) for key in first}
    for probability, weights in worlds(model):
        a, load_a = one_world(model, weights, nothing)
        b, load_b = one_world(model, weights, plan)
        for key, mean, load in (
            ("before", a, load_a),
            ("after", b, load_b),
            ("shift", b - a, load_b - load_a),
        ):
            first[key] += probability * mean
            second[key] += probability * (mean**2 + (load**2).sum(axis=1))
    return {
        **first,
        **{f"{key}_sd": np.sqrt(np.maximum(second[key] - first[key] ** 2, 0)) for key in first},
    }


def some_plan(graph: BeliefGraph, seed: int) -> Plan:
    rng = np.random.default_rng(seed)
    names = list(rng.permutation(graph.names))
    do: dict[str, Any] = {names[0]: 0.7}
    shift: dict[str, Any] = {}
    noise: dict[str, Any] = {}
    if len(names) > 2:
        do[names[1]] = (-0.2, 0.8)
    if len(names) > 3:
        shift[names[2]] = (0.1, 0.5)
    if len(names) > 4:
        noise[names[3]] = 0.6
        shift[names[3]] = -0.3
    return make_plan(graph.names, do, shift, noise)


@pytest.mark.parametrize("seed", SEEDS)
def test_moments_are_those_of_all_worlds(seed: int) -> None:
    graph = random_graph(seed, 3 + seed % 3, levels=True, mentions=True, density=0.8)
    model = compile_graph(graph, mechanism="linear")
    plan = some_plan(graph, seed)
    expected = brute_force(model, plan)
    got = paired_moments(model, plan)
    for key, value in expected.items():
        np.testing.assert_allclose(getattr(got, key), value, atol=1e-7, err_msg=key)


@pytest.mark.parametrize("seed", SEEDS)
def test_single_do_is_the_closed_form(seed: int) -> None:
    graph = random_graph(seed, 8, levels=True)
    model = compile_graph(graph, mechanism="linear")
    effects = np.linalg.inv(np.eye(8) - graph.confidence_matrix() * graph.weight_matrix())
    np.testing.assert_allclose(total_effects(model), effects, atol=1e-12)
    for concept in graph.names:
        k = graph.names.index(concept)
        got = paired_moments(model, make_plan(graph.names, {concept: 0.9}, None, None))
        expected = effects[k] * (0.9 - model.level[k])
        np.testing.assert_allclose(got.shift, expected, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_joint_do_is_the_small_solve(seed: int) -> None:
    graph = random_graph(seed, 8, levels=True)
    model = compile_graph(graph, mechanism="linear")
    effects = total_effects(model)
    held = np.random.default_rng(seed).choice(8, 3, replace=False)
    values = np.array([0.5, -0.7, 0.2])
    plan = make_plan(
        graph.names, {graph.names[k]: v for k, v in zip(held, values, strict=True)}, None, None
    )
    change = values - model.level[held]
    expected = change @ np.linalg.inv(effects[np.ix_(held, held)]) @ effects[held]
    np.testing.assert_allclose(paired_moments(model, plan).shift, expected, atol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_one_reverse_pass_gives_all_single_concept_scenarios(seed: int) -> None:
    graph = random_graph(seed, 5, levels=True, mentions=True)
    model = compile_graph(graph, mechanism="linear")
    first, second = reverse_moments(model, model.stance)
    before = paired_moments(model, Plan({}, {}, {}))
    for k, name in enumerate(graph.names):
        got = paired_moments(model, make_plan(graph.names, {name: 0.4}, None, None))
        change = 0.4 - before.before[k]
        square = second[k, k] * (change**2 + before.before_sd[k] ** 2)
        sd = np.sqrt(max(square - (first[k] * change) ** 2, 0))
        assert got.shift[model.stance] == pytest.approx(first[k] * change, abs=1e-12)
        assert got.shift_sd[model.stance] == pytest.approx(sd, abs=SD_TOLERANCE)


def test_baseline_is_the_level() -> None:
    graph = random_graph(3, 9, levels=True, mentions=True)
    model = compile_graph(graph, mechanism="linear")
    np.testing.assert_allclose(paired_moments(model, Plan({}, {}, {})).before, model.level)


def test_drawn_values_of_two_worlds_are_coupled() -> None:
    graph = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    model = compile_graph(graph, mechanism="linear", noise_sd=0)
    wide = make_plan(graph.names, {"a": (-1.0, 1.0)}, None, None)
    narrow = make_plan(graph.names, {"a": stats.uniform(-0.5, 1.0)}, None, None)
    got = paired_moments(model, wide, narrow)
    # a = 2u - 1 and u - 0.5: the difference is u - 0.5
    assert got.shift_sd[0] == pytest.approx(np.sqrt(1 / 12), abs=1e-6)
    assert paired_moments(model, wide, wide).shift_sd[1] == 0


@pytest.mark.parametrize("seed", range(4))
def test_sampling_agrees_with_exact(seed: int) -> None:
    graph = random_graph(seed, 6, levels=True, mentions=True)
    chosen = {graph.names[0]: 0.8, graph.names[3]: -0.4}
    exact = intervene(graph, do=chosen, mechanism="linear", n_samples=0)
    sampled = intervene(graph, do=chosen, mechanism="linear", method="sample", n_samples=100_000)
    for a, b in zip(exact.concepts, sampled.concepts, strict=True):
        assert abs(a.shift - b.shift) <= 4.5 * b.se + 1e-6
        assert b.sd == pytest.approx(a.sd, rel=0.03, abs=1e-5)
        assert a.se == 0
