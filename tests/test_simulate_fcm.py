"""Fuzzy cognitive maps: every rule against hand-computed and scalar references; regimes; graphs."""

from __future__ import annotations

import json
import math
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

import beliefgraph as bg
from beliefgraph import BeliefGraph, Concept, Feedback, Influence, InterventionError
from beliefgraph.cli import main
from beliefgraph.simulate import (
    FcmOptions,
    SimulationConfig,
    contributions,
    intervene,
    intervene_many,
    intervene_steps,
    run_fcm,
)
from beliefgraph.simulate.fcm import run as fcm
from tests.strategies_graphs import graphs

TRANSFERS = ("sigmoid", "tanh", "bivalent", "trivalent")
RULES = ("kosko", "modified_kosko", "rescaled")
EVERY = list(product(TRANSFERS, RULES))
CERTAIN: dict[str, Any] = {"on_cycle": "fcm", "noise_sd": 0.0, "n_samples": 2}
SEEDS = st.integers(0, 2**31)
# a city's health, from the literature on maps (7 concepts: people, migration, modernisation,
# garbage, sanitation, diseases, bacteria)
CITY = np.zeros((7, 7))
for _i, _j, _w in (
    (0, 2, 0.6), (0, 3, 0.9), (1, 0, 0.1), (2, 1, 0.7), (2, 4, 0.9), (3, 6, 0.9), (4, 5, -0.9),
    (4, 6, -0.9), (5, 0, -0.3), (6, 5, 0.8),
):  # fmt: skip
    CITY[_i, _j] = _w


def scalar_step(
    W: list[list[float]],  # noqa: N803
    a: list[float],
    o: FcmOptions,
    hold: dict[int, float],
    push: list[float],
) -> list[float]:
    """One iteration in plain Python, from the formulas on the module's page."""
    n, out = len(a), []
    for j in range(n):
        if j in hold:
            out.append(hold[j])
            continue
        unit = o.transfer in ("sigmoid", "bivalent")
        read = [2 * v - 1 if o.rule == "rescaled" and unit else v for v in a]
        z = push[j] + sum(W[i][j] * read[i] for i in range(n))
        if o.rule != "kosko":
            z += read[j]
        if o.transfer == "sigmoid":
            out.append(1 / (1 + math.exp(-o.steepness * z)))
        elif o.transfer == "tanh":
            out.append(math.tanh(o.steepness * z))
        elif o.transfer == "bivalent":
            out.append(1.0 if z > o.threshold else 0.0)
        else:
            out.append(1.0 if z > o.threshold else -1.0 if z < -o.threshold else 0.0)
    return out


def looped(weight: float, confidence: float = 1.0, stance: float = 0.6) -> BeliefGraph:
    """`a` raises `b`, which comes back to `a` with `weight`; `b` leads to the stance."""
    back = Influence(source="b", target="a", weight=weight, confidence=confidence)
    return BeliefGraph(
        stance="s",
        concepts=tuple(Concept(name=name) for name in ("a", "b", "s")),
        influences=(
            Influence(source="a", target="b", weight=0.9),
            Influence(source="b", target="s", weight=stance),
        ),
        feedback=(Feedback(influence=back, reason="closes a loop"),),
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        # first states 0.6 and 0.2: pushes -0.08 and 0.3; with memory 0.52 and 0.5; rescaled, the
        # states count 0.2 and -0.6 and the pushes are 0.44 and -0.5
        ({"transfer": "sigmoid", "rule": "kosko"}, (0.460085, 0.645656)),
        ({"transfer": "sigmoid", "rule": "modified_kosko"}, (0.738850, 0.731059)),
        ({"transfer": "sigmoid", "rule": "rescaled"}, (0.706822, 0.268941)),
        ({"transfer": "bivalent", "rule": "kosko"}, (0, 1)),
        ({"transfer": "bivalent", "rule": "modified_kosko"}, (1, 1)),
        ({"transfer": "bivalent", "rule": "modified_kosko", "threshold": 0.51}, (1, 0)),
        ({"transfer": "bivalent", "rule": "rescaled"}, (1, 0)),
        # first states 0.6 and -0.2: pushes 0.08 and 0.3; with memory 0.68 and 0.1
        ({"transfer": "tanh", "rule": "kosko"}, (0.119427, 0.421899)),
        ({"transfer": "tanh", "rule": "modified_kosko"}, (0.769867, 0.148885)),
        ({"transfer": "tanh", "rule": "rescaled"}, (0.769867, 0.148885)),
        ({"transfer": "trivalent", "rule": "kosko"}, (1, 1)),
        ({"transfer": "trivalent", "rule": "kosko", "threshold": 0.1}, (0, 1)),
        ({"transfer": "trivalent", "rule": "modified_kosko", "threshold": 0.2}, (1, 0)),
        ({"transfer": "trivalent", "rule": "rescaled", "threshold": 0.2}, (1, 0)),
    ],
)
def test_a_step_by_hand(options: dict[str, Any], expected: tuple[float, float]) -> None:
    unit = options["transfer"] in ("sigmoid", "bivalent")
    chosen = {**options, "steepness": 2.0 if unit else 1.5, "max_iterations": 1}
    run = run_fcm([[0, 0.5], [-0.4, 0]], [0.6, 0.2 if unit else -0.2], fcm=chosen)
    assert run.state == pytest.approx(expected, abs=1e-6)


@given(SEEDS, st.sampled_from(EVERY), st.sampled_from([0.0, 0.3]), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_batches_agree_with_a_scalar_reference(
    seed: int, kind: tuple[str, str], threshold: float, steps: int
) -> None:
    rng = np.random.default_rng(seed)
    n, samples = int(rng.integers(1, 6)), 4
    options = FcmOptions(
        transfer=kind[0], rule=kind[1], steepness=float(rng.uniform(0.3, 4)), threshold=threshold,
        max_iterations=1,
    )  # fmt: skip
    W = rng.uniform(-1, 1, (samples, n, n)) * (rng.random((n, n)) < 0.7)  # noqa: N806
    low = 0 if options.unit else -1
    state, push = rng.uniform(low, 1, (samples, n)), rng.uniform(-0.5, 0.5, (samples, n))
    hold = {0: rng.uniform(low, 1, samples)} if rng.random() < 0.5 else {}
    copies = W.copy(), state.copy(), push.copy()
    found = state
    for _ in range(steps):
        found = run_fcm(W, found, fcm=options, hold=hold, push=push).state
    for k in range(samples):
        held = {0: float(hold[0][k])} if hold else {}
        a = [held.get(j, value) for j, value in enumerate(state[k].tolist())]
        for _ in range(steps):
            a = scalar_step(W[k].tolist(), a, options, held, push[k].tolist())
        assert found[k] == pytest.approx(a, abs=1e-12)
        alone = run_fcm(W[k], state[k], fcm=options, hold=held, push=push[k])
        beside = run_fcm(W, state, fcm=options, hold=hold, push=push)
        assert alone.state == pytest.approx(beside.state[k], abs=1e-12)
        assert (int(alone.period), alone.regime) == (beside.period[k], beside.regime[k])
    for before, now in zip(copies, (W, state, push), strict=True):
        assert np.array_equal(before, now)


def test_known_fixed_points() -> None:
    # two concepts that raise one another: a = sigma(lambda w a)
    run = run_fcm([[0, 0.8], [0.8, 0]], [0.1, 0.9], fcm={"transfer": "sigmoid", "steepness": 1.5})
    root = optimize.brentq(lambda a: a - 1 / (1 + math.exp(-1.5 * 0.8 * a)), 0, 1, xtol=1e-14)
    assert run.regime == "fixed point"
    assert run.state == pytest.approx([root, root], abs=1e-5)
    # the city: below the bound lambda |W| < 4 of Knight, Lloyd and Penn (2014) one fixed point
    city = optimize.root(lambda a: a - 1 / (1 + np.exp(-(CITY.T @ a))), np.full(7, 0.5), tol=1e-13)
    for start in (np.zeros(7), np.ones(7), np.eye(7)[0]):
        run = run_fcm(CITY, start, fcm={"transfer": "sigmoid"})
        assert run.regime == "fixed point"
        assert run.state == pytest.approx(city.x, abs=1e-5)
    # more people, nothing else held: in the binary map modernisation, garbage, then everything
    # that they raise and nothing lowers; sanitation keeps diseases and bacteria off
    run = run_fcm(CITY, np.eye(7)[0], fcm={"transfer": "bivalent"}, hold={0: 1.0})
    assert run.regime == "fixed point"
    assert run.state.tolist() == [1, 1, 1, 1, 1, 0, 0]


def test_known_limit_cycles() -> None:
    # x <- tanh(-2 x): back and forth between +-x* with x* = tanh(2 x*)
    run = run_fcm([[-2.0]], [0.3])
    assert (run.regime, int(run.period)) == ("limit cycle", 2)
    assert run.state == pytest.approx([0], abs=1e-9)
    # a pair that turns by a quarter each time, states 1, 0, -1, 0
    run = run_fcm([[0, 1], [-1, 0]], [1, 0], fcm={"transfer": "trivalent"})
    assert (int(run.period), run.state.tolist()) == (4, [0, 0])
    # people, modernisation, migration go round in the binary city, one of three on at a time
    ring = CITY[:3, :3]
    run = run_fcm(ring, [1, 0, 0], fcm={"transfer": "bivalent"})
    assert (int(run.period), run.state.tolist()) == (3, pytest.approx([1 / 3] * 3))


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), SEEDS)
@settings(max_examples=40, deadline=None)
def test_planted_cycles_have_their_true_period_and_mean(lengths: list[int], seed: int) -> None:
    """Rings of concepts that pass one 1 on: the period is the least common multiple."""
    n = sum(lengths)
    W, state, mean = np.zeros((n, n)), np.zeros(n), np.zeros(n)  # noqa: N806
    first = 0
    for length in lengths:
        ring = first + np.arange(length)
        W[ring, np.roll(ring, -1)] = 1
        state[first], mean[ring] = 1, 1 / length
        first += length
    mixed = np.random.default_rng(seed).permutation(n)
    options = {"transfer": "bivalent", "max_iterations": 2000}
    run = run_fcm(W[np.ix_(mixed, mixed)], state[mixed], fcm=options)
    assert int(run.period) == math.lcm(*lengths)
    assert run.state == pytest.approx(mean[mixed], abs=1e-12)


def test_periods_of_continuous_maps_are_those_of_a_long_run() -> None:
    rng = np.random.default_rng(3)
    # the first 300, and some that near their cycle from alternating sides
    chosen = [*range(300), 407, 444, 898, 1560, 1936, 2142, 2242]
    samples, n, most = len(chosen), 3, 64
    W = rng.normal(0, 1.3, (6000, n, n))[chosen]  # noqa: N806
    state = rng.uniform(-1, 1, (6000, n))[chosen]
    run = run_fcm(W, state, fcm={"max_iterations": 1500})
    x = state
    for _ in range(6000):
        x = np.tanh(np.einsum("sij,si->sj", W, x))
    orbit = [x]
    for _ in range(2 * most):
        orbit.append(np.tanh(np.einsum("sij,si->sj", W, orbit[-1])))
    path = np.array(orbit)
    seen: list[int] = []
    for k in range(samples):
        gaps = [np.abs(path[p:, k] - path[:-p, k]).max() for p in range(1, most + 1)]
        true = next((p + 1 for p, gap in enumerate(gaps) if gap < 1e-10), 0)
        if true and run.period[k]:
            seen.append(true)
            assert run.period[k] == true
            assert run.state[k] == pytest.approx(path[:true, k].mean(axis=0), abs=1e-3)
        elif true == 0:
            assert run.period[k] == 0 or run.period[k] > most
    assert len(seen) > 200
    assert {1, 2, 3, 4, 6} <= set(seen)
    assert seen[-7:] == [2, 2, 2, 4, 2, 2, 2]


@given(SEEDS, st.sampled_from(EVERY))
@settings(max_examples=60, deadline=None)
def test_states_stay_in_range_held_ones_stay_and_names_do_not_matter(
    seed: int, kind: tuple[str, str]
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    options = FcmOptions(transfer=kind[0], rule=kind[1], steepness=float(rng.uniform(0.2, 1)))
    low = 0.0 if options.unit else -1.0
    # small weights: continuous maps then have one fixed point but for tanh with memory
    W = np.round(rng.uniform(-1, 1, (n, n)) / n, 3)  # noqa: N806
    state, value = rng.uniform(low, 1, n), float(rng.uniform(low, 1))
    run = run_fcm(W, state, fcm=options, hold={1: value})
    assert ((run.state >= low) & (run.state <= 1)).all()
    assert run.state[1] == value
    order = rng.permutation(n)
    other = run_fcm(
        W[np.ix_(order, order)], state[order], fcm=options, hold={int(np.argmax(order == 1)): value}
    )
    if run.regime == "fixed point":
        assert other.state == pytest.approx(run.state[order], abs=1e-4)
        again = run_fcm(W, run.state, fcm=options, hold={1: value})
        assert again.state == pytest.approx(run.state, abs=1e-4)


@given(SEEDS)
@settings(max_examples=30, deadline=None)
def test_a_flat_sigmoid_map_has_one_fixed_point_whatever_the_start(seed: int) -> None:
    rng = np.random.default_rng(seed)
    W = rng.uniform(-1, 1, (5, 5))  # noqa: N806
    steepness = float(rng.uniform(0.2, 0.9)) * 4 / float(np.linalg.norm(W, 2))
    starts = rng.uniform(0, 1, (6, 5))
    run = run_fcm(W, starts, fcm={"transfer": "sigmoid", "steepness": steepness})
    assert set(run.regime) == {"fixed point"}
    assert np.ptp(run.state, axis=0).max() < 1e-4


@given(graphs(levels=True), st.floats(-1, 1), st.integers(0, 99))
@settings(max_examples=12, deadline=None)
def test_without_loops_tanh_under_koskos_rule_is_the_tanh_mechanism(
    graph: BeliefGraph, value: float, pick: int
) -> None:
    """World by world, with uncertain influences and levels, and noise."""
    concept = graph.names[pick % len(graph.names)]
    chosen: list[dict[str, Any]] = [
        {"do": {concept: value}},
        {"shift": {concept: (0.0, value + 1)}},
        {"noise": {concept: 0.9}},
    ]
    for change in chosen:
        plain = intervene(graph, n_samples=100, **change)
        found = intervene(graph, n_samples=100, on_cycle="fcm", **change)
        assert found.regimes_after is not None
        assert found.regimes_after.counts["fixed point"] == 100
        for name in graph.names:
            for one, other in zip(plain.samples(name), found.samples(name), strict=True):
                assert other == pytest.approx(one, abs=2e-5)


@pytest.mark.parametrize(("transfer", "rule"), EVERY)
def test_present_levels_are_a_fixed_point_under_every_rule(transfer: str, rule: str) -> None:
    levels = {"a": 0.3, "b": -0.6, "s": 0.0}
    graph = looped(-0.4).replace(
        concepts=tuple(Concept(name=name, baseline=level) for name, level in levels.items())
    )
    options = {"transfer": transfer, "rule": rule}
    result = intervene(graph, do={"a": 0.7}, fcm=options, **CERTAIN)
    exact = {"bivalent": [1, -1, -1], "trivalent": [1, -1, 0]}.get(transfer, [0.3, -0.6, 0])
    assert [c.before for c in result.concepts] == pytest.approx(exact, abs=1e-5)
    assert result.concept("a").after == pytest.approx(0.7, abs=1e-7)
    assert result.regimes_before is not None
    assert result.regimes_before.iterations.tolist() == [1, 1]


@pytest.mark.parametrize("rule", RULES)
def test_a_loop_ends_where_its_equations_say(rule: str) -> None:
    result = intervene(looped(0.5), shift={"a": 0.2}, fcm={"rule": rule}, **CERTAIN)
    memory = rule != "kosko"

    def open_ends(x: Any) -> Any:
        pushes = np.array([0.2 + 0.5 * x[1], 0.9 * x[0], 0.6 * x[1]]) + memory * x
        return x - np.tanh(pushes)

    root = optimize.root(open_ends, np.full(3, 0.5), tol=1e-12).x
    assert [c.after for c in result.concepts] == pytest.approx(root, abs=2e-5)


def test_a_rescaled_sigmoid_map_is_a_modified_tanh_map_of_half_the_steepness() -> None:
    graph = looped(-0.7, 0.6)
    chosen: dict[str, Any] = {"do": {"a": -0.4}, "n_samples": 300, "on_cycle": "fcm"}
    one = intervene(graph, fcm={"transfer": "sigmoid", "rule": "rescaled"}, **chosen)
    two = intervene(graph, fcm={"rule": "modified_kosko", "steepness": 0.5}, **chosen)
    for name in graph.names:
        for x, y in zip(one.samples(name), two.samples(name), strict=True):
            assert x == pytest.approx(y, abs=1e-4)


def test_where_no_influence_is_present_nothing_moves_at_all() -> None:
    """The same numbers, not only nearly: else all of these worlds would count as shifted."""
    pairs = [("a", "b", 0.9, 1.0), ("a", "s", 0.5, 0.5), ("s", "c", 0.9, 1.0)]
    back = [
        Influence(source="b", target="a", weight=0.9),
        Influence(source="c", target="s", weight=0.9),
    ]
    graph = BeliefGraph.from_edges(pairs, stance="s").replace(
        feedback=tuple(Feedback(influence=edge, reason="closes a loop") for edge in back)
    )
    # holding `a` ends its own slow loop, so that worlds after take fewer iterations than before
    result = intervene(graph, do={"a": 0.9}, on_cycle="fcm", n_samples=4000)
    assert result.stance.p_positive + result.stance.p_negative == pytest.approx(0.5, abs=0.03)


def test_worlds_share_draws_and_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = looped(-0.9, 0.7)
    chosen: dict[str, Any] = {"on_cycle": "fcm", "n_samples": 500, "fcm": {"steepness": 1.8}}
    scenarios = [{"do": {"a": 0.5}}, {"shift": {"b": 0.2}}]
    many = intervene_many(graph, scenarios, **chosen)
    alone = intervene(graph, do={"a": 0.5}, **chosen)
    assert many[0].to_dict() == alone.to_dict()
    monkeypatch.setattr(fcm, "_NUMBERS_AT_ONCE", 1)
    assert fcm.worlds_at_once(3, 3) == 64
    assert intervene(graph, do={"a": 0.5}, **chosen).to_dict() == alone.to_dict()
    W = np.random.default_rng(1).uniform(-2, 2, (200, 3, 3))  # noqa: N806
    one = run_fcm(W, [0.1, 0.2, 0.3])
    monkeypatch.undo()
    two = run_fcm(W, [0.1, 0.2, 0.3])
    assert np.array_equal(one.state, two.state)
    assert np.array_equal(one.iterations, two.iterations)
    steps = intervene_steps(graph, [{"do": {"a": 0.5}}, {"do": {"b": 0.1}}], **chosen)
    whole = intervene(graph, do={"a": 0.5, "b": 0.1}, **chosen)
    total = sum(step.stance.shift for step in steps)
    assert total == pytest.approx(whole.stance.shift, abs=1e-6)
    for first, second in pairwise(steps):
        assert first.stance.after == pytest.approx(second.stance.before, abs=1e-6)


def test_results_say_how_the_worlds_ended() -> None:
    graph = looped(-1.0)
    turning = intervene(
        graph, shift={"a": 0.5}, fcm={"transfer": "trivalent"}, **{**CERTAIN, "n_samples": 5}
    )
    assert turning.regimes_after is not None
    assert turning.regimes_after.periods == {4: 5}
    assert turning.stance.after == 0  # the mean of 1, 1, -1, -1
    assert any("limit cycle (most often of period 4)" in note for note in turning.notes)
    shown = json.loads(json.dumps(turning.to_dict()))
    assert shown["regimes_after"]["limit_cycle"] == 5
    assert shown["regimes_before"]["fixed_point"] == 5
    assert shown["configuration"]["fcm"]["transfer"] == "trivalent"
    short = intervene(graph, shift={"a": 0.5}, fcm={"max_iterations": 2}, **CERTAIN)
    assert short.regimes_after is not None
    assert short.regimes_after.regime.tolist() == ["unresolved"] * 2
    assert any("2 of 2 worlds were unresolved after 2" in note for note in short.notes)
    noisy = intervene(graph, fcm={"transfer": "bivalent"}, on_cycle="fcm", n_samples=10)
    assert any("noise_sd=0" in note for note in noisy.notes)
    assert intervene(graph, n_samples=10).regimes_after is None


def test_notes_say_what_the_loops_decide() -> None:
    edge = Influence(source="a", target="s", weight=-0.9)
    graph = looped(0.0).replace(
        influences=(Influence(source="b", target="s", weight=0.1), looped(0.0).influences[0]),
        feedback=(Feedback(influence=edge, reason="closes a loop"),),
    )
    notes = intervene(graph, do={"a": 0.8}, on_cycle="fcm").notes
    assert any("the loops decide the sign" in note for note in notes)
    only = intervene(looped(0.0).replace(influences=(), feedback=graph.feedback), do={"a": 0.8},
                     on_cycle="fcm")  # fmt: skip
    assert any("only the loops carry" in note for note in only.notes)
    assert not intervene(looped(0.3), do={"a": 0.8}, on_cycle="fcm").notes


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"fcm": {"transfer": "tanh"}}, "need on_cycle='fcm', got 'drop_weakest'"),
        ({"on_cycle": "fcm", "mechanism": "linear"}, "takes its place"),
        ({"on_cycle": "fcm", "fcm": {"transfer": "sigmod"}}, "transfer: Input should be 'sigmoid'"),
        ({"on_cycle": "fcm", "fcm": {"lamda": 2}}, "lamda"),
        ({"on_cycle": "fcm", "fcm": {"steepness": 0}}, "greater than 0"),
        ({"on_cycle": "fcm", "fcm": {"tolerance": 0}}, "greater than 0"),
        ({"on_cycle": "fcm", "fcm": {"max_iterations": 0}}, "greater than or equal to 1"),
        ({"on_cycle": "fcm", "fcm": "sigmoid"}, "give FcmOptions or a mapping"),
        ({"on_cycle": "fcm", "method": "exact"}, "linear"),
        ({"on_cycle": "fcm", "backend": "gpu"}, "backend"),
    ],
)
def test_options_that_do_not_fit_say_why(options: dict[str, Any], says: str) -> None:
    with pytest.raises(InterventionError, match=says):
        intervene(looped(0.5), **options)


def test_what_is_defined_without_loops_refuses_a_map() -> None:
    with pytest.raises(InterventionError, match="got 'fcm'"):
        contributions(looped(0.5), do={"a": 1}, on_cycle="fcm")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([[0, 1]], [0]), "square"),
        (([[0.0]], [0, 0]), "one number for each of the 1"),
        (([[float("nan")]], [0]), "NaN"),
        (([["x"]], [0]), "give numbers"),
        (([[0.0]], [1.2]), r"lie in \[-1, 1\], got 1.2"),
        ((np.zeros((2, 1, 1)), np.zeros((3, 1))), "same number, got {'W': 2, 'state': 3}"),
        (([[0.0]], [0], {1: 0.5}), "concepts 0 to 0, got 1"),
        (([[0.0]], [0], {"a": 0.5}), "by number"),
        (([[0.0]], [0], {0: 7}), r"hold\[0\]: states of a tanh map"),
    ],
)
def test_matrices_that_do_not_fit_say_why(arguments: tuple[Any, ...], says: str) -> None:
    hold = arguments[2] if len(arguments) > 2 else None
    with pytest.raises(InterventionError, match=says):
        run_fcm(arguments[0], arguments[1], hold=hold)


def test_library_values_are_pointed_to_the_scale_of_a_sigmoid_map() -> None:
    with pytest.raises(InterventionError, match=r"\(x \+ 1\) / 2"):
        run_fcm([[0.0]], [-0.5], fcm={"transfer": "sigmoid"})


def test_the_command_line_and_a_file_run_maps(tmp_path: Path) -> None:
    graph, config = tmp_path / "graph.json", tmp_path / "config.json"
    looped(0.5).save(graph)
    config.write_text(
        json.dumps({"on_cycle": "fcm", "fcm": {"transfer": "sigmoid", "steepness": 2}}),
        encoding="utf-8",
    )
    common = ["simulate", str(graph), "--do", "a=0.5", "--samples", "50", "--json"]
    for extra, expected in (
        (["--on-cycle", "fcm"], FcmOptions()),
        (["--config", str(config)], FcmOptions(transfer="sigmoid", steepness=2)),
    ):
        done = CliRunner().invoke(main, [*common, *extra])
        assert done.exit_code == 0, done.output
        got = json.loads(done.stdout)
        assert got["configuration"]["fcm"] == expected.model_dump()
        same = bg.intervene(looped(0.5), do={"a": 0.5}, n_samples=50, on_cycle="fcm", fcm=expected)
        assert got["stance"] == json.loads(json.dumps(same.stance.to_dict()))
    kept = SimulationConfig.load(config)
    assert SimulationConfig(**json.loads(kept.model_dump_json())) == kept
