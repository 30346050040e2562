"""What the verb promises: do cuts, only descendants move, errors say what to do, runs repeat."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import beliefgraph as bg
from beliefgraph import (
    BeliefGraph,
    Concept,
    CycleError,
    Feedback,
    Influence,
    InterventionError,
    UnknownConceptError,
)
from beliefgraph.simulate import (
    Scenario,
    intervene,
    intervene_many,
    intervene_steps,
    threshold,
)
from tests.strategies import belief_graphs
from tests.strategies_graphs import SD_TOLERANCE, graphs, random_graph

FAST: dict[str, Any] = {"n_samples": 400}
MECHANISMS = ["linear", "tanh", "logistic", "threshold"]


@pytest.fixture
def housing() -> BeliefGraph:
    return BeliefGraph.from_edges(
        [
            ("rents", "affordability", -0.8, 0.9),
            ("affordability", "support", 0.5, 0.8),
            ("trust", "support", 0.3, 0.7),
            ("support", "turnout", 0.4),
        ],
        stance="support",
    )


@given(graphs(levels=True), st.sampled_from(MECHANISMS), st.floats(-1, 1), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_do_holds_the_value_and_only_descendants_move(
    graph: BeliefGraph, mechanism: str, value: float, pick: int
) -> None:
    concept = graph.names[pick % len(graph.names)]
    result = intervene(graph, do={concept: value}, mechanism=mechanism, **FAST)
    assert result.concept(concept).after == pytest.approx(value, abs=1e-6)
    moving = {concept, *graph.descendants(concept)}
    for name in graph.names:
        before, after = result.samples(name)
        if name == concept:
            assert np.all(after == np.float32(value))
        elif name not in moving:
            assert np.array_equal(before, after)
            shift = result.concept(name)
            assert (shift.shift, shift.interval, shift.p_positive) == (0, (0, 0), 0)
            assert shift.before == shift.after


@given(graphs(levels=True), st.sampled_from(MECHANISMS), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_one_scenario_does_not_feel_the_others(
    graph: BeliefGraph, mechanism: str, pick: int
) -> None:
    names = graph.names
    concept = names[pick % len(names)]
    mine = Scenario(do={concept: (-0.5, 0.9)})
    others = [Scenario(shift={name: 0.3}, noise={name: 0.1}) for name in names]
    alone = intervene_many(graph, [mine], mechanism=mechanism, seed=5, **FAST)[0]
    among = intervene_many(graph, [*others, mine], mechanism=mechanism, seed=5, **FAST)[-1]
    assert alone.to_dict() == among.to_dict()


@given(graphs(levels=True), st.randoms(use_true_random=False), st.sampled_from(MECHANISMS))
@settings(max_examples=25, deadline=None)
def test_names_and_the_order_of_influences_do_not_matter(
    graph: BeliefGraph, random: Any, mechanism: str
) -> None:
    influences = list(graph.influences)
    random.shuffle(influences)
    renamed = {name: f"z{i}" for i, name in enumerate(reversed(graph.names))}
    other = graph.replace(
        stance=renamed[graph.stance],
        concepts=tuple(c.replace(name=renamed[c.name]) for c in graph.concepts),
        influences=tuple(
            e.replace(source=renamed[e.source], target=renamed[e.target]) for e in influences
        ),
    )
    a = intervene(graph, do={graph.names[0]: 0.6}, mechanism=mechanism, **FAST)
    b = intervene(other, do={renamed[graph.names[0]]: 0.6}, mechanism=mechanism, **FAST)
    for x, y in zip(a.concepts, b.concepts, strict=True):
        assert renamed[x.name] == y.name
        assert x.shift == pytest.approx(y.shift, abs=1e-6)
        assert x.interval == pytest.approx(y.interval, abs=1e-6)


@given(graphs(levels=True), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_the_order_of_concepts_does_not_matter_to_exact_answers(
    graph: BeliefGraph, random: Any
) -> None:
    concepts = list(graph.concepts)
    random.shuffle(concepts)
    other = graph.replace(concepts=tuple(concepts))
    options: dict[str, Any] = {"do": {graph.names[0]: 0.6}, "mechanism": "linear", "n_samples": 0}
    a, b = intervene(graph, **options), intervene(other, **options)
    for name in graph.names:
        x, y = a.concept(name), b.concept(name)
        assert x.shift == pytest.approx(y.shift, abs=1e-12)
        assert x.sd == pytest.approx(y.sd, abs=SD_TOLERANCE)


@given(graphs(levels=True), st.floats(-0.5, 0.5), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_linear_shift_is_linear_in_the_dose(graph: BeliefGraph, dose: float, pick: int) -> None:
    concept = graph.names[pick % len(graph.names)]
    one, two = intervene_many(
        graph,
        [{"shift": {concept: dose}}, {"shift": {concept: 2 * dose}}],
        mechanism="linear",
        n_samples=0,
    )
    assert two.stance.shift == pytest.approx(2 * one.stance.shift, abs=1e-12)
    assert two.stance.sd == pytest.approx(2 * one.stance.sd, abs=SD_TOLERANCE)


@given(graphs(), st.floats(-1, 1), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_turning_a_scale_round_mirrors_the_answer(
    graph: BeliefGraph, value: float, pick: int
) -> None:
    concept = graph.names[pick % len(graph.names)]
    turned = graph.replace(
        influences=tuple(
            e.replace(weight=-e.weight) if concept in (e.source, e.target) else e
            for e in graph.influences
        )
    )
    a = intervene(graph, do={concept: value}, mechanism="linear", n_samples=0)
    b = intervene(turned, do={concept: -value}, mechanism="linear", n_samples=0)
    sign = -1 if concept == graph.stance else 1
    assert a.stance.shift == pytest.approx(sign * b.stance.shift, abs=1e-12)
    assert a.stance.sd == pytest.approx(b.stance.sd, abs=SD_TOLERANCE)
    # tanh is odd and the noise symmetric: mirrored up to the draws
    a = intervene(graph, do={concept: value}, n_samples=4000)
    b = intervene(turned, do={concept: -value}, n_samples=4000)
    apart = abs(a.stance.shift - sign * b.stance.shift)
    assert apart <= 5 * np.hypot(a.stance.se, b.stance.se) + 1e-6


def test_do_cuts_incoming_influences_and_shift_does_not(housing: BeliefGraph) -> None:
    both = {"rents": 0.9}
    cut = intervene(housing, do={**both, "affordability": 0.2}, mechanism="linear")
    assert cut.stance.shift == pytest.approx(0.2 * 0.5 * 0.8)
    moved = intervene(housing, do=both, shift={"affordability": 0.2}, mechanism="linear")
    assert moved.stance.shift == pytest.approx((0.2 - 0.9 * 0.8 * 0.9) * 0.5 * 0.8)


def test_noise_changes_the_spread_alone(housing: BeliefGraph) -> None:
    result = intervene(housing, noise={"support": 1.0}, mechanism="linear")
    assert result.stance.shift == 0
    low, high = result.stance.after_interval
    assert high - low > 2 * (result.stance.before_interval[1] - result.stance.before_interval[0])


def test_without_intervention_the_present_stance_is_given() -> None:
    graph = BeliefGraph(
        stance="s",
        concepts=(Concept(name="a"), Concept(name="s", baseline=0.6, baseline_sd=0.1)),
        influences=(Influence(source="a", target="s", weight=0.5),),
    )
    result = intervene(graph)
    assert result.stance.before == result.stance.after
    assert result.stance.before == pytest.approx(0.55, abs=0.05)
    assert intervene(graph, mechanism="linear").stance.before == pytest.approx(0.6)
    assert result.intervention == "no intervention"
    assert result.intervenable == ("a",)
    assert result.explain().paths == ()


def test_a_concept_without_a_path_moves_nothing_and_the_result_says_so(
    housing: BeliefGraph,
) -> None:
    result = intervene(housing, do={"turnout": 1})
    assert result.stance.shift == 0
    assert result.stance.interval == (0, 0)
    assert "no path leads from it" in result.notes[0]
    assert "every path from it enters a held concept" in " ".join(
        intervene(housing, do={"rents": 1, "affordability": 0}).notes
    )


def test_values_stay_in_range_but_for_the_linear_mechanism_which_is_flagged() -> None:
    graph = random_graph(5, 7, density=1)
    chosen = dict.fromkeys(graph.names[:3], 1.0)
    for mechanism in ("tanh", "logistic", "threshold"):
        result = intervene(graph, do=chosen, mechanism=mechanism, **FAST)
        for name in graph.names:
            assert np.abs(result.samples(name)[1]).max() <= 1
        assert not any("left [-1, 1]" in note for note in result.notes)
    notes = intervene(graph, do=chosen, mechanism="linear", noise_sd=1.0, **FAST).notes
    assert any("left [-1, 1]" in note for note in notes)


@pytest.mark.parametrize("value", [1.2, -1.0001, float("nan"), float("inf"), "high", None, True])
def test_do_outside_the_scale_is_an_error_that_names_it(housing: BeliefGraph, value: Any) -> None:
    with pytest.raises(InterventionError, match=r"'rents'.*\[-1, 1\].*got"):
        intervene(housing, do={"rents": value})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"do": {"rents": (0.5, -0.5)}}, "range is"),
        ({"do": {"rents": (0.5, 1.5)}}, r"\[-1, 1\]"),
        ({"do": {"rents": stats.norm(0, 0.1)}}, "truncnorm"),
        ({"shift": {"rents": float("nan")}}, "finite"),
        ({"noise": {"rents": -1}}, ">= 0"),
        ({"do": {"rents": 0.5}, "shift": {"rents": 0.1}}, "do and shift on one concept"),
        ({"do": {"rents": 0.5}, "noise": {"rents": 0.1}}, "do and noise on one concept"),
        ({"do": ["rents"]}, "mapping"),
        ({"mechanism": "tan"}, "Did you mean 'tanh'"),
        ({"n_samples": 0}, "at least 2"),
        ({"n_samples": 10.5}, "whole number"),
        ({"seed": -1}, "seed"),
        ({"seed": "a"}, "seed"),
        ({"level": 1.0}, "level"),
        ({"noise_sd": -0.1}, "noise_sd"),
        ({"noise_sd": float("nan")}, "noise_sd"),
        ({"on_cycle": "drop_weekest"}, "Did you mean 'drop_weakest'"),
        ({"method": "exact"}, "linear"),
        ({"passes": 0}, "passes"),
        ({"target_se": 0}, "target_se"),
    ],
)
def test_what_is_not_allowed_says_why(
    housing: BeliefGraph, options: dict[str, Any], says: str
) -> None:
    with pytest.raises(InterventionError, match=says):
        intervene(housing, **options)


def test_an_unknown_concept_comes_with_suggestions(housing: BeliefGraph) -> None:
    for kind in ("do", "shift", "noise", "noise_sd", "mechanism", "bias"):
        chosen: Any = {"rent": "tanh" if kind == "mechanism" else 0.5}
        with pytest.raises(UnknownConceptError, match="Did you mean 'rents'"):
            intervene(housing, **{kind: chosen})


def test_same_seed_same_numbers_and_a_generator_is_recorded(housing: BeliefGraph) -> None:
    chosen = {"rents": 0.5}
    a = intervene(housing, do=chosen, seed=3, **FAST)
    assert a.to_dict() == intervene(housing, do=chosen, seed=3, **FAST).to_dict()
    assert a.stance != intervene(housing, do=chosen, seed=4, **FAST).stance
    for seed in (np.random.default_rng(1), None):
        drawn = intervene(housing, do=chosen, seed=seed, **FAST)
        again = intervene(housing, do=chosen, seed=drawn.configuration["seed"], **FAST)
        assert drawn.to_dict() == again.to_dict()


def test_global_random_state_is_untouched(housing: BeliefGraph) -> None:
    state = np.random.get_state()  # noqa: NPY002
    intervene(housing, do={"rents": 0.5}, **FAST)
    after = np.random.get_state()  # noqa: NPY002
    assert all(np.array_equal(x, y) for x, y in zip(state, after, strict=True))


def test_inputs_are_not_changed(housing: BeliefGraph) -> None:
    copy = housing.model_copy(deep=True)
    chosen, options = {"rents": (0.1, 0.5)}, {"rents": 0.1}
    intervene(housing, do=chosen, noise_sd=options, **FAST)
    assert housing == copy
    assert (chosen, options) == ({"rents": (0.1, 0.5)}, {"rents": 0.1})


def test_ranges_and_distributions_are_drawn_once_a_world(housing: BeliefGraph) -> None:
    result = intervene(housing, do={"rents": (0.2, 0.6)}, n_samples=20_000)
    values = result.samples("rents")[1]
    assert 0.2 <= values.min() < 0.21 < 0.59 < values.max() <= 0.6
    beta = stats.beta(2, 3)
    drawn = intervene(housing, do={"rents": beta}, n_samples=20_000).samples("rents")[1]
    assert stats.kstest(drawn, beta.cdf).pvalue > 1e-3
    moved = intervene(housing, shift={"rents": stats.norm(0.1, 0.2)}, mechanism="linear")
    assert moved.concept("rents").shift == pytest.approx(0.1)
    assert moved.concept("rents").sd == pytest.approx(0.2)


def test_target_se_stops_by_precision(housing: BeliefGraph) -> None:
    result = intervene(housing, do={"rents": 0.5}, n_samples=100, target_se=0.001)
    assert 0 < result.stance.se <= 0.001
    again = intervene(housing, do={"rents": 0.5}, n_samples=result.configuration["n_samples"])
    assert again.stance == result.stance
    capped = intervene(housing, do={"rents": 0.5}, n_samples=100, target_se=1e-6, max_samples=500)
    assert "max_samples" in capped.notes[-1]


def test_steps_add_up(housing: BeliefGraph) -> None:
    steps: list[dict[str, dict[str, Any]]] = [
        {"do": {"rents": 0.5}},
        {"do": {"trust": (-0.9, 0)}},
        {"shift": {"rents": 0.1}},
        {"do": {"trust": None}},
    ]
    for mechanism in ("tanh", "linear"):
        found = intervene_steps(housing, steps, mechanism=mechanism, n_samples=2000)
        whole = intervene(housing, shift={"rents": 0.1}, mechanism=mechanism, n_samples=2000)
        assert sum(r.stance.shift for r in found) == pytest.approx(whole.stance.shift, abs=1e-6)
        for one, two in pairwise(found):
            assert one.stance.after == pytest.approx(two.stance.before, abs=1e-6)
    with pytest.raises(TypeError, match="no such option"):
        intervene_steps(housing, steps, samples=3)


def test_mechanisms_and_parameters_by_concept(housing: BeliefGraph) -> None:
    result = intervene(
        housing,
        do={"rents": 1},
        mechanism={"affordability": threshold(0.3), "support": "linear"},
        noise_sd={"affordability": 0.0, "support": 0.0},
        bias={"support": 0.1},
        **FAST,
    )
    assert set(result.samples("affordability")[1]) <= {-1.0, 0.0, 1.0}
    assert result.configuration["mechanism"]["affordability"] == "threshold(0.3)"
    assert result.stance.before == pytest.approx(0.1, abs=0.02)


def loop(weight: float) -> BeliefGraph:
    """Rents lower the stance directly; round a loop with `weight` they come back."""
    return BeliefGraph(
        stance="s",
        concepts=tuple(Concept(name=name) for name in ("a", "b", "s")),
        influences=(
            Influence(source="a", target="s", weight=-0.1),
            Influence(source="a", target="b", weight=0.9),
        ),
        feedback=(
            Feedback(
                influence=Influence(source="b", target="a", weight=weight), reason="closes a loop"
            ),
        ),
    )


def test_loops_raise_drop_or_unroll() -> None:
    graph = loop(0.4)
    with pytest.raises(CycleError, match=r"a -> b -> a|b -> a -> b"):
        intervene(graph, shift={"a": 0.1}, on_cycle="raise")
    plain = graph.replace(feedback=())
    dropped = intervene(graph, shift={"a": 0.1}, **FAST)
    assert dropped.stance == intervene(plain, shift={"a": 0.1}, **FAST).stance
    for on_cycle in ("unroll", "raise"):
        same = intervene(plain, shift={"a": 0.1}, on_cycle=on_cycle, **FAST)
        assert same.stance == dropped.stance
    unrolled = intervene(
        graph, shift={"a": 0.1}, on_cycle="unroll", mechanism="linear", passes=60, noise_sd=0
    )
    # the fixed point: a = 0.1 + 0.4 * 0.9 a
    assert unrolled.concept("a").after == pytest.approx(0.1 / (1 - 0.36), abs=1e-5)
    one = intervene(graph, shift={"a": 0.1}, on_cycle="unroll", passes=1, **FAST)
    assert one.stance == dropped.stance
    held = intervene(graph, do={"a": 0.5}, on_cycle="unroll", **FAST)
    assert held.concept("a").after == pytest.approx(0.5, abs=1e-6)


def test_feedback_that_closes_no_loop_is_an_influence_like_any_other() -> None:
    edge = Influence(source="b", target="s", weight=0.5, confidence=0.8)
    graph = loop(0.4).replace(feedback=(Feedback(influence=edge, reason="after an edit"),))
    whole = graph.replace(influences=(*graph.influences, edge), feedback=())
    expected = intervene(whole, do={"a": 0.7}, mechanism="linear", n_samples=0)
    for on_cycle in ("raise", "unroll"):
        found = intervene(graph, do={"a": 0.7}, mechanism="linear", n_samples=0, on_cycle=on_cycle)
        assert found.stance.shift == pytest.approx(expected.stance.shift)
        assert found.configuration["method"] == "exact"
        assert len(found.explain().paths) == 2


def test_a_loop_that_does_not_settle_is_flagged() -> None:
    notes = intervene(loop(1.0).replace(), shift={"a": 0.5}, on_cycle="unroll", passes=3).notes
    assert any("not settled" in note for note in notes)


def test_a_sign_that_the_loops_decide_is_flagged() -> None:
    graph = BeliefGraph(
        stance="s",
        concepts=tuple(Concept(name=name) for name in ("a", "b", "s")),
        influences=(
            Influence(source="a", target="s", weight=0.2),
            Influence(source="s", target="b", weight=0.9),
        ),
        feedback=(
            Feedback(influence=Influence(source="b", target="a", weight=-0.9), reason="loop"),
        ),
    )
    # no flag: going round damps the shift and keeps its sign
    assert not any("decide the sign" in note for note in intervene(graph, do={"a": 0.5}).notes)
    flips = BeliefGraph(
        stance="s",
        concepts=tuple(Concept(name=name) for name in ("a", "c", "s")),
        influences=(
            Influence(source="c", target="a", weight=0.2),
            Influence(source="c", target="s", weight=0.1),
        ),
        feedback=(
            Feedback(influence=Influence(source="s", target="c", weight=0.05), reason="loop"),
            Feedback(influence=Influence(source="a", target="s", weight=-0.9), reason="loop"),
        ),
    )
    for on_cycle in ("drop_weakest", "unroll"):
        notes = intervene(flips, do={"c": 0.8}, on_cycle=on_cycle).notes
        assert any("decide the sign" in note for note in notes), on_cycle
    stronger = intervene(loop(1.0), shift={"a": 0.1}).notes
    assert any("stronger than" in note for note in stronger)


def test_results_show_convert_and_explain(housing: BeliefGraph) -> None:
    result = bg.intervene(housing, do={"rents": -0.8, "trust": 0.5}, seed=7)
    shown = json.loads(json.dumps(result.to_dict()))
    assert set(shown["stance"]) >= {"before", "after", "shift", "interval"}
    assert shown["configuration"]["seed"] == 7
    assert shown["configuration"]["do"] == {"rents": -0.8, "trust": 0.5}
    assert shown["package_version"] == bg.__version__
    assert shown["intervenable"] == ["rents", "affordability", "trust"]
    assert "support" in repr(result)
    assert next(s.name for s in result.moved) == "rents"
    with pytest.raises(UnknownConceptError):
        result.concept("rent")
    pytest.importorskip("pandas")
    frame = result.to_frame()
    assert list(frame.index) == list(housing.names)
    assert frame.loc["support", "shift"] == result.stance.shift


@given(belief_graphs(), st.data(), st.sampled_from(MECHANISMS))
@settings(max_examples=40, deadline=None)
def test_every_valid_graph_can_be_simulated(
    graph: BeliefGraph, data: st.DataObject, mechanism: str
) -> None:
    """Graphs with evidence, mentions that conflict, uncertain levels and feedback."""
    concept = data.draw(st.sampled_from(graph.names))
    for on_cycle in ("drop_weakest", "unroll"):
        result = intervene(
            graph, do={concept: 0.5}, mechanism=mechanism, on_cycle=on_cycle, n_samples=50
        )
        shown = json.dumps(result.to_dict(), allow_nan=False)
        assert json.loads(shown)["stance"]["name"] == graph.stance
        assert str(result.explain())
        for shift in result.concepts:
            assert shift.after - shift.before == pytest.approx(shift.shift, abs=1e-5)
            assert 0 <= shift.p_positive + shift.p_negative <= 1 + 1e-9
            low, high = shift.interval
            assert low <= high
