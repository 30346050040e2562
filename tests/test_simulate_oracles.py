"""Second opinions: pgmpy and sempler on the same models."""

from __future__ import annotations

import warnings
from typing import Any

import networkx as nx
import numpy as np
import pytest

from beliefgraph import BeliefGraph, GraphError, InterventionError, MissingPackageError, StanceError
from beliefgraph.simulate import from_weighted_dag, intervene, threshold, to_pgmpy
from beliefgraph.simulate.compile import compile_graph
from beliefgraph.simulate.exact import paired_moments
from beliefgraph.simulate.interventions import Plan, make_plan
from tests.strategies_graphs import random_graph


@pytest.fixture(scope="module")
def pgmpy() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("pgmpy.inference", exc_type=ImportError)


@pytest.fixture(scope="module")
def sempler() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("sempler")


def query(pgmpy: Any, network: Any, target: str, held: dict[str, str]) -> dict[str, float]:
    """P(target) after do(held), by cutting and variable elimination (not the causal query)."""
    cut = network.do(list(held)) if held else network
    engine = pgmpy.VariableElimination(cut)
    answer = engine.query([target], evidence=held or None, show_progress=False)
    return dict(zip(answer.state_names[target], answer.values.tolist(), strict=True))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("theta", [1e-9, 0.4])
def test_threshold_graphs_agree_with_pgmpy_do_and_variable_elimination(
    pgmpy: Any, seed: int, theta: float
) -> None:
    graph = random_graph(seed, 5, density=0.8, mentions=True)
    network = to_pgmpy(graph, mechanism=threshold(theta))
    assert network.check_model()
    one, two = graph.topological_order[0], graph.topological_order[2]
    options: dict[str, Any] = {"mechanism": threshold(theta), "n_samples": 100_000}
    for held in ({}, {one: 1}, {one: -1, two: 1}):
        asked = {name: f"{value}" for name, value in held.items()}
        found = query(pgmpy, network, graph.stance, asked)
        values = intervene(graph, do=held, **options).samples(graph.stance)[1]
        for state, probability in found.items():
            share = float((values == float(state)).mean())
            error = 5 * np.sqrt(probability * (1 - probability) / 100_000) + 1e-4
            assert share == pytest.approx(probability, abs=error)


@pytest.mark.filterwarnings("ignore")
def test_binary_tables_follow_their_rule(pgmpy: Any) -> None:
    graph = BeliefGraph.from_edges([("a", "s", 0.8, 0.5)], stance="s")
    network = to_pgmpy(graph, states=2)
    table = network.get_cpds("s").get_values()
    # present or absent; the cause at -0.5 or 0.5; noise sd 0.25
    from scipy.stats import norm

    high = [0.5 * norm.cdf(0.8 * c / 0.25) + 0.5 * 0.5 for c in (-0.5, 0.5)]
    np.testing.assert_allclose(table, [[1 - high[0], 1 - high[1]], high])
    finer = query(pgmpy, to_pgmpy(graph, states=41), "s", {"a": "0.780488"})
    mean = sum(float(state) * p for state, p in finer.items())
    sampled = intervene(graph, do={"a": 0.780488}, n_samples=100_000).stance.after
    assert mean == pytest.approx(sampled, abs=0.005)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(3))
def test_linear_gaussian_network_has_the_exact_moments(pgmpy: Any, seed: int) -> None:
    graph = random_graph(seed, 6, levels=True, mentions=True)
    network = to_pgmpy(graph, kind="linear")
    mean, cov = network.to_joint_gaussian()
    model = compile_graph(graph, mechanism="linear")
    now = paired_moments(model, Plan({}, {}, {}))
    order = [graph.names.index(name) for name in nx.topological_sort(network)]
    np.testing.assert_allclose(np.ravel(mean), now.before[order], atol=2e-3)
    np.testing.assert_allclose(np.sqrt(np.diag(cov)), now.before_sd[order], atol=2e-3)


@pytest.mark.filterwarnings("ignore")
def test_means_and_sds_of_pgmpy_at_large_n(pgmpy: Any) -> None:
    graph = random_graph(5, 8, certain=True)
    network = to_pgmpy(graph, kind="linear")
    held = {graph.topological_order[0]: 0.8, graph.topological_order[3]: -0.4}
    frame = network.simulate(n_samples=100_000, do=held, seed=1)
    model = compile_graph(graph, mechanism="linear")
    exact = paired_moments(model, make_plan(graph.names, held, None, None))
    sampled = intervene(graph, do=held, mechanism="linear", method="sample", n_samples=100_000)
    for i, name in enumerate(graph.names):
        sd = exact.after_sd[i]
        error = 5 * sd / np.sqrt(100_000) + 1e-6
        assert frame[name].mean() == pytest.approx(exact.after[i], abs=error)
        assert frame[name].std() == pytest.approx(sd, rel=0.02, abs=1e-6)
        assert sampled.concept(name).after == pytest.approx(exact.after[i], abs=error)
        assert sampled.samples(name)[1].std() == pytest.approx(sd, rel=0.02, abs=1e-6)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
def test_sempler_population_moments(sempler: Any, seed: int) -> None:
    graph = random_graph(seed, 8, certain=True)
    n = len(graph.names)
    other = sempler.LGANM(graph.weight_matrix(), np.zeros(n), np.full(n, 0.25**2))
    order = graph.topological_order
    do, shift, noise = {order[1]: 0.7}, {order[2]: 0.3}, {order[4]: 0.6}
    index = {name: i for i, name in enumerate(graph.names)}
    population = other.sample(
        population=True,
        do_interventions={index[name]: value for name, value in do.items()},
        # mean and variance of what is added
        shift_interventions={index[name]: (value, 0) for name, value in shift.items()},
        noise_interventions={index[name]: (0, value**2) for name, value in noise.items()},
    )
    model = compile_graph(graph, mechanism="linear")
    exact = paired_moments(model, make_plan(graph.names, do, shift, noise))
    np.testing.assert_allclose(population.mean, exact.after, atol=1e-9)
    np.testing.assert_allclose(np.diag(population.covariance), exact.after_sd**2, atol=1e-9)


@pytest.mark.filterwarnings("ignore")
def test_networks_come_back_as_belief_graphs(pgmpy: Any) -> None:
    graph = random_graph(2, 5, certain=True)
    again = from_weighted_dag(to_pgmpy(graph, kind="linear"), stance=graph.stance)
    for edge in graph.influences:
        found = again.influence(edge.source, edge.target)
        assert found is not None
        assert found.weight == pytest.approx(edge.weight)


def test_what_pgmpy_cannot_hold_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = BeliefGraph.from_edges([(f"p{i}", "s", 0.1) for i in range(15)], stance="s")
    with pytest.raises(InterventionError, match="kind"):
        to_pgmpy(graph, kind="gaussian")
    with pytest.raises(InterventionError, match="states"):
        to_pgmpy(graph, states=1)
    import sys

    monkeypatch.setitem(sys.modules, "pgmpy", None)
    monkeypatch.setitem(sys.modules, "pgmpy.factors.continuous", None)
    with pytest.raises(MissingPackageError, match=r"beliefgraph\[pgmpy\]"):
        to_pgmpy(graph)


@pytest.mark.filterwarnings("ignore")
def test_a_table_that_would_be_too_large_is_refused(pgmpy: Any) -> None:
    graph = BeliefGraph.from_edges([(f"p{i}", "s", 0.1) for i in range(15)], stance="s")
    with pytest.raises(InterventionError, match="15 causes"):
        to_pgmpy(graph)


def test_weighted_dags_become_belief_graphs() -> None:
    dag = nx.DiGraph()
    dag.add_edge("a", "s", weight=0.5, confidence=0.7)
    dag.add_edge("b", "s", weight=-3.0)
    with pytest.raises(GraphError, match=r"outside \[-1, 1\]"):
        from_weighted_dag(dag, stance="s")
    graph = from_weighted_dag(dag, stance="s", scale=4, confidence=0.9)
    edges = {e.source: (e.weight, e.confidence) for e in graph.influences}
    assert edges == {"a": (0.125, 0.7), "b": (-0.75, 0.9)}
    with pytest.raises(StanceError):
        from_weighted_dag(dag, stance="t", scale="max")
    bare = nx.DiGraph([("a", "s")])
    with pytest.raises(GraphError, match="no weight is known of 'a' -> 's'"):
        from_weighted_dag(bare, stance="s")
    given = from_weighted_dag(bare, stance="s", weights={("a", "s"): 0.3})
    assert given.influences[0].weight == 0.3
    with pytest.raises(GraphError, match="got int"):
        from_weighted_dag(3, stance="s")


def test_a_dowhy_model_is_read_by_its_parts() -> None:
    class Fitted:
        def __init__(self, coefficients: list[float]) -> None:
            self.sklearn_model = type("Linear", (), {"coef_": np.array([coefficients])})()

    class Noisy:
        def __init__(self, coefficients: list[float]) -> None:
            self.prediction_model = Fitted(coefficients)

    dag = nx.DiGraph([("b", "s"), ("a", "s")])
    dag.nodes["s"]["causal_mechanism"] = Noisy([0.25, -0.5])
    model = type("StructuralCausalModel", (), {"graph": dag})()
    graph = from_weighted_dag(model, stance="s")
    assert {e.source: e.weight for e in graph.influences} == {"a": 0.25, "b": -0.5}
