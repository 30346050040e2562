"""Random numbers and compiled kernels: right, and the same numbers on every way."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from scipy import stats

from beliefgraph import BeliefGraph, Concept, InterventionError, MissingPackageError
from beliefgraph.simulate import intervene
from beliefgraph.simulate.block import compile_block, shared_noise, stance_samples
from beliefgraph.simulate.compile import compile_graph
from beliefgraph.simulate.exact import paired_moments
from beliefgraph.simulate.interventions import make_plan
from beliefgraph.simulate.noise import coins, normals, seed_sequence
from tests.strategies_graphs import SD_TOLERANCE, random_graph

ROUNDING = 3e-6


def test_normals_are_normal_and_independent() -> None:
    z = normals(seed_sequence(3), 20, 100_000)
    assert abs(z.mean()) < 4 / np.sqrt(z.size)
    assert abs(z.var() - 1) < 4 * np.sqrt(2 / z.size)
    assert abs(stats.skew(z.ravel())) < 4 * np.sqrt(6 / z.size)
    assert abs(stats.kurtosis(z.ravel())) < 4 * np.sqrt(24 / z.size)
    assert min(stats.kstest(row[:20_000], "norm").pvalue for row in z) > 1e-4
    apart = np.corrcoef(z) - np.eye(20)
    assert np.abs(apart).max() < 5 / np.sqrt(100_000)
    for lag in (1, 2, 511, 512, 513, 1024):
        for power in (1, 2):
            a, b = z[0, :-lag] ** power, z[0, lag:] ** power
            assert abs(np.corrcoef(a, b)[0, 1]) < 5 / np.sqrt(100_000)


def test_seeds_differ_and_coins_are_fair() -> None:
    a, b = (normals(seed_sequence(seed), 1, 50_000)[0] for seed in (0, 1))
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.03
    toss = coins(seed_sequence(1), 4, 100_000)
    for row in toss:
        assert stats.chisquare(np.bincount(row >> 8, minlength=256)).pvalue > 1e-4
    for bit in range(16):
        assert abs(((toss >> bit) & 1).mean() - 0.5) < 0.005


def test_more_samples_and_more_rows_leave_the_first_ones_as_they_are() -> None:
    seed = seed_sequence(5)
    assert np.array_equal(normals(seed, 3, 5000)[:2, :1300], normals(seed, 2, 1300))
    assert np.array_equal(normals(seed, 2, 3000, first=2048), normals(seed, 2, 5048)[:, 2048:])
    assert np.array_equal(coins(seed, 3, 5000)[:2, :1300], coins(seed, 2, 1300))
    assert np.array_equal(coins(seed, 2, 2000, first=1024), coins(seed, 2, 3024)[:, 1024:])


@pytest.mark.parametrize("n", [1, 7, 512, 1024, 2500])
def test_compiled_random_numbers_are_the_same(n: int) -> None:
    pytest.importorskip("numba")
    seed = seed_sequence(5)
    fast, slow = (normals(seed, 3, n, compiled=compiled) for compiled in (True, False))
    np.testing.assert_allclose(fast, slow, atol=ROUNDING)
    for first in (0, 1024):
        a, b = (coins(seed, 3, n, first=first, compiled=c) for c in (True, False))
        assert np.array_equal(a, b)


def test_compiled_tanh_is_tanh() -> None:
    pytest.importorskip("numba")
    import numba

    from beliefgraph.simulate import kernels

    @numba.njit  # type: ignore[untyped-decorator, unused-ignore]
    def all_of(x: Any) -> Any:
        out = np.empty_like(x)
        for i in range(len(x)):
            out[i] = kernels._tanh(x[i])
        return out

    x = np.linspace(-12, 12, 200_001).astype(np.float32)
    np.testing.assert_allclose(all_of(x), np.tanh(x.astype(float)), atol=2.5e-7)
    assert np.abs(all_of(x)).max() <= 1


@pytest.mark.parametrize("mechanism", ["linear", "tanh", "logistic"])
@pytest.mark.parametrize("seed", range(4))
def test_numba_gives_the_numbers_of_numpy(mechanism: str, seed: int) -> None:
    pytest.importorskip("numba")
    graph = random_graph(seed, 8, levels=True, mentions=True)
    options: dict[str, Any] = {
        "do": {graph.names[0]: 0.7, graph.names[4]: (-0.5, 0.5)},
        "shift": {graph.names[1]: 0.3},
        "noise": {graph.names[2]: 0.5},
        "mechanism": mechanism,
        "n_samples": 3000,
    }
    fast, slow = (intervene(graph, backend=backend, **options) for backend in ("numba", "numpy"))
    assert fast.configuration["backend"] == "numba"
    for name in graph.names:
        for a, b in zip(fast.samples(name), slow.samples(name), strict=True):
            np.testing.assert_allclose(a, b, atol=ROUNDING)


def test_numba_threshold_switches_where_numpy_does() -> None:
    pytest.importorskip("numba")
    graph = random_graph(3, 8)
    a, b = (
        intervene(graph, do={graph.names[0]: 1}, mechanism="threshold", backend=backend)
        for backend in ("numba", "numpy")
    )
    differ = np.mean(a.samples(graph.stance)[1] != b.samples(graph.stance)[1])
    assert differ < 1e-3  # a push within rounding of the threshold may fall on either side


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("mechanism", ["linear", "tanh"])
def test_stance_samples_are_those_of_intervene(backend: str, mechanism: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    models, n = [], 3000
    for seed in range(3):
        graph = random_graph(seed, 5 + seed, levels=seed > 0, mentions=True)
        models.append((graph, compile_graph(graph, mechanism=mechanism)))
    sequence = seed_sequence(9)
    block = shared_noise([model for _, model in models], sequence, n, backend)
    for graph, model in models:
        names = graph.names
        chosen: list[dict[str, Any]] = [
            {"do": {names[0]: 0.7}},
            {"shift": {names[1]: -0.2}, "noise": {names[1]: 0.4}},
            {"do": {names[2]: (0.1, 0.9)}},
        ]
        plans = [make_plan(names, c.get("do"), c.get("shift"), c.get("noise")) for c in chosen]
        for plan_set in (plans, plans[:2]):
            shared = stance_samples(model, plan_set, block, n, backend)
            fresh = stance_samples(model, plan_set, sequence, n, backend)
            np.testing.assert_allclose(shared, fresh, atol=ROUNDING)
            for k, scenario in enumerate(chosen[: len(plan_set)]):
                result = intervene(
                    graph, mechanism=mechanism, seed=9, n_samples=n, backend=backend, **scenario
                )
                before, after = result.samples(graph.stance)
                np.testing.assert_allclose(shared[0], before, atol=ROUNDING)
                np.testing.assert_allclose(shared[1 + k], after, atol=ROUNDING)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_block_answers_every_single_concept_of_every_person(backend: str) -> None:
    if backend == "numba":
        pytest.importorskip("numba")
    graphs = [random_graph(s, 3 + s % 8, levels=True, mentions=True) for s in range(20)]
    models = [compile_graph(graph, mechanism="linear") for graph in graphs]
    block = compile_block(models)
    mean, sd = block.exact(0.6, backend=backend)
    for person, model in enumerate(models):
        places = range(int(block.first[person]), int(block.first[person + 1]))
        for place in places:
            concept = int(block.concept[place])
            got = paired_moments(
                model, make_plan(model.names, {model.names[concept]: 0.6}, None, None)
            )
            assert mean[place] == pytest.approx(got.shift[model.stance], abs=1e-12)
            assert sd[place] == pytest.approx(got.shift_sd[model.stance], abs=SD_TOLERANCE)
    chosen = [len(model.names) // 2 for model in models]
    one, one_sd = block.exact(0.6, chosen, backend=backend)
    for person, model in enumerate(models):
        name = model.names[chosen[person]]
        got = paired_moments(model, make_plan(model.names, {name: 0.6}, None, None))
        assert one[person] == pytest.approx(got.shift[model.stance], abs=1e-12)
        assert one_sd[person] == pytest.approx(got.shift_sd[model.stance], abs=SD_TOLERANCE)
    with pytest.raises(InterventionError, match="person 0"):
        block.exact(0.6, [99] * len(models))
    with pytest.raises(InterventionError, match="linear"):
        compile_block([compile_graph(graphs[0])])


def test_the_backend_depends_on_the_sizes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    assert intervene(graph).configuration["backend"] == "numpy"
    monkeypatch.setattr("beliefgraph.simulate.sample.find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"beliefgraph\[fast\]"):
        intervene(graph, backend="numba")
    with pytest.raises(InterventionError, match="backend"):
        intervene(graph, backend="opencl")


def test_compiling_is_cached_by_content() -> None:
    a, b = (random_graph(4, 6) for _ in range(2))
    assert a is not b
    assert compile_graph(a) is compile_graph(b)
    assert compile_graph(a) is not compile_graph(a, mechanism="linear")
    changed = a.replace(concepts=(Concept(name=a.names[0], baseline=0.2), *a.concepts[1:]))
    assert compile_graph(changed) is not compile_graph(a)
    with pytest.raises(ValueError, match="read-only"):
        compile_graph(a).mean[0] = 3


def test_a_small_run_imports_neither_numba_nor_pandas() -> None:
    import subprocess

    code = (
        "import sys, beliefgraph as bg\n"
        "g = bg.BeliefGraph.from_edges([('a', 's', 0.5)], stance='s')\n"
        "bg.intervene(g, do={'a': 1}).explain()\n"
        "assert not {'numba', 'pandas', 'pgmpy', 'torch'} & set(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_shared_block_that_does_not_fit_is_refused() -> None:
    small = compile_graph(random_graph(1, 4))
    large = compile_graph(random_graph(1, 6))
    block = shared_noise([small], seed_sequence(1), 100)
    plan = make_plan(large.names, {large.names[0]: 0.5}, None, None)
    for model, n in ((large, 100), (small, 50), (small, 200)):
        with pytest.raises(InterventionError, match="shared block"):
            stance_samples(model, [plan], block, n)
