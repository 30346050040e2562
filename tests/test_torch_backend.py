"""The torch backend on the processor: the coins of numpy, and its sums to float32 rounding.

Tolerances: normals 3e-6 (two float32 functions, log and cos, of two libraries); values of concepts,
which sum a few of them, 5e-6; shares of worlds 2e-3, as a shift of rounding size may fall on either
side of 0 in a few of 1,100 worlds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import beliefgraph as bg
from beliefgraph import BeliefGraph, InterventionError
from beliefgraph.simulate.cohort.batched import NumpyArrays
from beliefgraph.simulate.noise import coins, keys, normals, seed_sequence
from tests.test_cohort import FIELDS, SCENARIOS, small_graph

pytest.importorskip("torch")

NORMALS, VALUES, SHARES = 3e-6, 5e-6, 2e-3


def arrays_of(name: str) -> Any:
    from beliefgraph.simulate.torch_backend import torch_arrays

    return torch_arrays("cpu") if name == "torch" else NumpyArrays()


@pytest.mark.parametrize("name", ["numpy", "torch"])
@pytest.mark.parametrize("n_samples", [1, 5, 1024, 2500])
@pytest.mark.parametrize("seed", [0, 9, 2**63 + 5])
def test_random_numbers_are_those_of_a_single_person(name: str, n_samples: int, seed: int) -> None:
    arrays, rows = arrays_of(name), np.array([0, 3, 70_000])
    own = np.array([keys(seed_sequence(seed), kind) for kind in (0, 1)], dtype=np.uint64)
    z = arrays.get(
        arrays.normals(arrays.put(np.repeat(own[:1], 3, axis=0)), arrays.put(rows), n_samples)
    )
    toss = arrays.get(
        arrays.coins(arrays.put(np.repeat(own[1:], 3, axis=0)), arrays.put(rows), n_samples)
    )
    sequence = seed_sequence(seed)
    np.testing.assert_allclose(z[:2], normals(sequence, 4, n_samples)[[0, 3]], atol=NORMALS)
    assert np.array_equal(toss[:2], coins(sequence, 4, n_samples)[[0, 3], :n_samples])


def test_a_far_row_has_numbers_of_its_own() -> None:
    arrays = arrays_of("torch")
    own = arrays.put(np.repeat(np.array([keys(seed_sequence(1), 0)], dtype=np.uint64), 2, axis=0))
    z = arrays.get(arrays.normals(own, arrays.put(np.array([2**20, 2**20 + 1])), 4000))
    assert abs(np.corrcoef(z)[0, 1]) < 0.1
    assert abs(z.std() - 1) < 0.05


@pytest.mark.parametrize("mechanism", ["linear", "tanh", "logistic", "threshold"])
@pytest.mark.parametrize("every", ["all", "stance"])
def test_cohorts_on_torch_are_those_on_numpy(mechanism: str, every: str) -> None:
    people = [small_graph(seed, 3 + seed % 5) for seed in range(8)]
    options: dict[str, Any] = {
        "mechanism": mechanism, "n_samples": 1100, "method": "sample", "concepts": every,
        "seed": 5, "progress": False,
    }  # fmt: skip
    torch, plain = (
        list(bg.simulate_cohort(people, SCENARIOS, backend=backend, **options).records())
        for backend in ("torch", "numpy")
    )
    worlds_differ = 1e-2 if mechanism == "threshold" else VALUES
    assert len(torch) == len(plain)
    for a, b in zip(torch, plain, strict=True):
        for name in a:
            if name == "p_positive" and a[name] is not None:
                assert a[name] == pytest.approx(b[name], abs=SHARES)
            elif name in FIELDS and a[name] is not None:
                # a push within rounding of a threshold may fall on either side of it
                assert a[name] == pytest.approx(b[name], abs=worlds_differ), name
            else:
                assert a[name] == b[name]


def test_exact_cohorts_on_torch_are_those_on_numpy() -> None:
    people = [small_graph(seed, 3 + seed % 5) for seed in range(8)]
    torch, plain = (
        bg.simulate_cohort(people, SCENARIOS, backend=backend, mechanism="linear", progress=False)
        for backend in ("torch", "numpy")
    )
    for a, b in zip(torch.records(), plain.records(), strict=True):
        for name in FIELDS:
            if a[name] is None:
                assert b[name] is None
            else:  # an sd is the root of a difference of moments
                assert a[name] == pytest.approx(b[name], abs=1e-6 if name != "shift" else 1e-12)
    assert torch.configuration["backend"] == "torch"
    assert torch.configuration["device"] == "cpu"


@pytest.mark.parametrize("mechanism", ["linear", "tanh", "logistic"])
@pytest.mark.parametrize("backend", ["torch", "torch:cpu"])
def test_intervene_on_torch_gives_the_worlds_of_numpy(mechanism: str, backend: str) -> None:
    graph = small_graph(3, 8)
    options: dict[str, Any] = {
        "do": {graph.names[0]: 0.7, graph.names[4]: (-0.5, 0.5)},
        "shift": {graph.names[1]: 0.3},
        "noise": {graph.names[2]: 0.5},
        "mechanism": mechanism,
        "n_samples": 3000,
    }
    torch, plain = (bg.intervene(graph, backend=name, **options) for name in (backend, "numpy"))
    assert torch.configuration["backend"] == backend
    for name in graph.names:
        for a, b in zip(torch.samples(name), plain.samples(name), strict=True):
            np.testing.assert_allclose(a, b, atol=VALUES)


def test_a_threshold_switches_where_numpy_does() -> None:
    graph = small_graph(3, 8)
    a, b = (
        bg.intervene(graph, do={graph.names[0]: 1}, mechanism="threshold", backend=backend)
        for backend in ("torch", "numpy")
    )
    differ = np.mean(a.samples(graph.stance)[1] != b.samples(graph.stance)[1])
    assert differ < 1e-3


def test_a_device_that_is_not_there_is_named() -> None:
    import torch

    g = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    wrong = ["abacus", *([] if torch.cuda.is_available() else ["cuda"])]
    for device in wrong:
        with pytest.raises(InterventionError, match=f"device: torch cannot compute on '{device}'"):
            bg.simulate_cohort([g], {"x": {"do": {"a": 1}}}, backend="torch", device=device)
        with pytest.raises(InterventionError, match="device"):
            bg.intervene(g, do={"a": 1}, backend=f"torch:{device}")
    with pytest.raises(InterventionError, match="torch:DEVICE"):
        bg.intervene(g, do={"a": 1}, backend="torch:")
