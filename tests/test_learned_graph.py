"""Graphs learned over tables, what becomes of answers, and the predictor made of both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import beliefgraph as bg
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.items import table_items
from beliefgraph.errors import CycleError, GraphError, SurveyError, UnknownConceptError
from beliefgraph.simulate.predict.learned_graph import LearnedGraph, learn_graph
from beliefgraph.simulate.predict.panel import Panel, fit_panel, text_changes
from beliefgraph.simulate.predict.panel_predictor import PanelPredictor
from beliefgraph.simulate.predict.reevaluation import (
    Reevaluation,
    best_points,
    expected_change,
    fit_reevaluation,
)
from beliefgraph.survey import ItemSet, Person, Question, Role, Scale

Floats = NDArray[np.float64]
SEVEN = Scale.between(1, 7)
CAUSES = {"fear": ["news"], "support": ["news", "fear", "trust"]}


def people(n: int = 400, seed: int = 0) -> dict[str, Floats]:
    """People whose levels follow a known linear mechanism."""
    rng = np.random.default_rng(seed)
    news, trust = rng.uniform(-0.6, 0.6, (2, n))
    fear = 0.1 + 0.5 * news + rng.normal(0, 0.05, n)
    support = -0.1 + 0.2 * news - 0.6 * fear + 0.3 * trust + rng.normal(0, 0.05, n)
    return {"news": news, "fear": fear, "trust": trust, "support": support}


@pytest.fixture(scope="module")
def learned() -> LearnedGraph:
    return learn_graph(people(), CAUSES, stance="support", ridge=0)


def test_learns_the_mechanism_that_made_the_levels(learned: LearnedGraph) -> None:
    found = {(edge.source, edge.target): edge.weight for edge in learned.graph.influences}
    true = {
        ("news", "fear"): 0.5,
        ("news", "support"): 0.2,
        ("fear", "support"): -0.6,
        ("trust", "support"): 0.3,
    }
    assert found == pytest.approx(true, abs=0.1)
    assert learned.bias["support"] == pytest.approx(-0.1, abs=0.02)
    assert learned.noise_sd["support"] == pytest.approx(0.05, abs=0.005)
    assert learned.people == 400


@pytest.mark.parametrize("ridge", [0.0, 1.0, 50.0])
def test_weights_are_those_of_scikit_learn(ridge: float) -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    table = people(60)
    sources = CAUSES["support"]
    x = np.column_stack([table[name] for name in sources])
    oracle = linear.Ridge(alpha=ridge).fit((x - x.mean(0)) / x.std(0), table["support"])
    found = learn_graph(table, {"support": sources}, stance="support", ridge=ridge)
    weights = [edge.weight for edge in found.graph.influences]
    assert weights == pytest.approx(oracle.coef_ / x.std(0), abs=1e-9)


def test_a_cause_that_never_varies_has_no_weight_and_twins_share_theirs() -> None:
    a = np.array([-0.4, 0.0, 0.4])
    found = learn_graph(
        {"a": a, "twin": a, "same": [0.2] * 3, "s": 0.6 * a},
        {"s": ["a", "twin", "same"]},
        stance="s",
        ridge=0,
    )
    weights = [edge.weight for edge in found.graph.influences]
    assert weights == pytest.approx([0.3, 0.3, 0.0], abs=1e-9)


def test_everybody_at_once_is_intervene_on_every_own_graph(learned: LearnedGraph) -> None:
    levels = np.column_stack([people(5, seed=3)[name] for name in learned.names])
    do = {"news": np.linspace(-0.9, 0.9, 5), "fear": np.full(5, 0.25)}
    at_once, implied = learned.shifts(levels, do), learned.implied(levels)
    for n, row in enumerate(levels):
        own = dict(zip(learned.names, row.tolist(), strict=True))
        graph = learned.of_person(own, participant=f"P{n}")
        assert graph.participant == f"P{n}"
        held = {name: float(values[n]) for name, values in do.items()}
        r = bg.intervene(graph, do=held, mechanism="linear", n_samples=0)
        assert [r.concept(name).shift for name in learned.names] == pytest.approx(at_once[n])
        assert r.stance.before == pytest.approx(own["support"])
        causes = {name: own[name] for name in CAUSES["support"]}
        r = bg.intervene(graph, do=causes, bias=learned.bias, mechanism="linear", n_samples=0)
        assert r.stance.after == pytest.approx(implied[n, learned.names.index("support")])


def test_pushes_give_the_changes_they_are_solved_for(learned: LearnedGraph) -> None:
    changes = {"fear": 0.2, "news": 0.3, "trust": -0.1}
    pushes = learned.pushes(changes)
    r = bg.intervene(learned.graph, shift=pushes, mechanism="linear", n_samples=0)
    assert {name: r.concept(name).shift for name in changes} == pytest.approx(changes)
    total = sum(push * learned.effects_on_stance()[name] for name, push in pushes.items())
    assert r.stance.shift == pytest.approx(total)


def test_no_do_moves_nobody_and_nothing_is_changed(learned: LearnedGraph) -> None:
    levels = np.zeros((2, 4))
    assert not learned.shifts(levels, {}).any()
    table, before = people(9), people(9)
    learn_graph(table, CAUSES, stance="support")
    assert all((table[name] == before[name]).all() for name in table)
    assert not levels.any()


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"a": [0.0, 2.0]}, GraphError, "row 2"),
        ({"a": [0.0, np.nan]}, GraphError, "missing answers"),
        ({"a": [0.0]}, GraphError, "the same in all columns"),
        ({"a": [0.01, -0.01], "s": [0.9, -0.9]}, GraphError, "raise ridge"),
        ({"stance": "t"}, UnknownConceptError, "no concept is called 't'"),
        ({"causes": {"s": ["z"]}}, UnknownConceptError, "causes of 's'"),
        ({"causes": {"s": ["a"], "a": ["s"]}, "ridge": 9}, CycleError, "loop"),
        ({"ridge": -1}, GraphError, "at least 0"),
    ],
)
def test_bad_tables_are_refused(change: dict[str, Any], error: type[Exception], said: str) -> None:
    table: dict[str, Any] = {"a": [0.1, -0.1], "s": [0.1, 0.0]}
    options: dict[str, Any] = {"stance": "s", "ridge": 0, "causes": {"s": ["a"]}}
    for name, value in change.items():
        (table if name in table else options)[name] = value
    with pytest.raises(error, match=said):
        learn_graph(table, **options)


def test_wrong_shapes_names_and_values_of_people(learned: LearnedGraph) -> None:
    with pytest.raises(GraphError, match="4 columns"):
        learned.implied([[0.0, 0.0]])
    with pytest.raises(UnknownConceptError, match="levels"):
        learned.of_person({"newz": 0.1})
    with pytest.raises(UnknownConceptError, match="do"):
        learned.shifts(np.zeros((1, 4)), {"newz": 0.1})
    with pytest.raises(bg.InterventionError, match=r"\[-1, 1\], got 1.5"):
        learned.shifts(np.zeros((1, 4)), {"news": 1.5})


def test_probabilities_by_hand() -> None:
    # stands at 0 = the answer 4 of 1..7; a step is 1/3, so sd 1/3 is one point
    p = Reevaluation(openness=0.5, effect=2.0, sd=1 / 3, stay=0.25)
    found = p.probabilities([2], [0.0], [1 / 6], SEVEN)[0]
    # from -2/3: half way to 0, and 1/3 more: 0
    assert p.standpoint(-2 / 3, 0.0, 1 / 6) == pytest.approx(0)
    inner = 0.382925  # P(|N| < 1/2)
    assert found[3] == pytest.approx(0.75 * inner, abs=1e-5)
    assert found[1] == pytest.approx(0.25 + 0.75 * 0.060598, abs=1e-5)  # P(1.5 < N < 2.5)
    assert found.sum() == pytest.approx(1)


def drawn(
    n: int, seed: int, truth: Reevaluation
) -> tuple[NDArray[np.int64], Floats, Floats, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    before = rng.integers(1, 8, n)
    implied, shift = rng.uniform(-0.8, 0.8, n), rng.uniform(-0.5, 0.5, n)
    odds = truth.probabilities(before, implied, shift, SEVEN)
    after = (odds.cumsum(axis=1) < rng.random(n)[:, None]).sum(axis=1) + 1
    return before, implied, shift, after


def test_fit_finds_what_made_the_answers() -> None:
    truth = Reevaluation(openness=0.4, effect=0.7, sd=0.3, stay=0.2)
    found = fit_reevaluation(*drawn(6000, 1, truth), SEVEN)
    assert found.model_dump() == pytest.approx(truth.model_dump(), abs=0.04)


def test_the_fit_is_the_best_by_the_full_probabilities() -> None:
    truth = Reevaluation(openness=0.4, effect=0.7, sd=0.3, stay=0.2)
    before, implied, shift, after = drawn(300, 2, truth)

    def surprise(p: Reevaluation) -> float:
        odds = p.probabilities(before, implied, shift, SEVEN)
        return -float(np.log(odds[np.arange(300), after - 1]).sum())

    best = fit_reevaluation(before, implied, shift, after, SEVEN)
    for name, value in best.model_dump().items():
        for factor in (0.9, 1.1):
            assert surprise(best) < surprise(best.replace(**{name: value * factor}))


def test_what_nothing_bears_on_is_zero() -> None:
    before, implied, shift, after = drawn(
        100, 3, Reevaluation(openness=0.2, effect=1, sd=0.3, stay=0.1)
    )
    own = (before - 4) / 3
    assert fit_reevaluation(before, implied, 0 * shift, after, SEVEN).effect == 0
    assert fit_reevaluation(before, own, shift, after, SEVEN).openness == 0


def test_best_points_and_expected_change() -> None:
    odds = np.array([[0.5, 0.1, 0.4], [0.1, 0.2, 0.7]])
    scale = Scale.between(1, 3)
    assert best_points(odds, scale).tolist() == [1, 3]
    assert expected_change(odds, [2, 3], scale) == pytest.approx([-0.1, -0.4])


def test_answers_off_the_scale_are_refused() -> None:
    p = Reevaluation(openness=0, effect=0, sd=1, stay=0)
    with pytest.raises(SurveyError, match=r"before: .* 8"):
        p.probabilities([8], [0], [0], SEVEN)
    with pytest.raises(SurveyError, match="at least one person"):
        fit_reevaluation([], [], [], [], SEVEN)


def panel_of(n: int = 300, seed: int = 5) -> Panel:
    """Half of the people read a text that lowers fear and leaves trust alone."""
    rng = np.random.default_rng(seed)
    before = rng.uniform(-0.5, 0.5, (n, 3))
    before[:, 2] = -0.6 * before[:, 0] + 0.2 * before[:, 1] + rng.normal(0, 0.1, n)
    read = np.arange(n) % 2 == 0
    after = before + rng.normal(0, 0.05, (n, 3))
    after[:, 0] -= 0.3 * read
    after[:, 2] += 0.18 * read
    steps = np.rint(3 * np.clip(np.stack([before, after])[:, :, 2], -1, 1)) / 3
    before[:, 2], after[:, 2] = steps
    arms = tuple("leaflet" if r else "none" for r in read)
    names = ("fear", "trust", "support")
    return Panel(names, before, np.clip(after, -1, 1), arms, SEVEN, frozenset(["none"]))


def test_a_text_addresses_what_it_moves_and_controls_move_nobody() -> None:
    panel = panel_of()
    changes = text_changes(panel)
    assert set(changes) == {"leaflet"}
    assert set(changes["leaflet"]) == {"fear"}
    assert changes["leaflet"]["fear"] == pytest.approx(-0.3, abs=0.02)
    model = fit_panel(panel)
    shift = model.stance_shift(panel)
    weight = model.learned.effects_on_stance()["fear"]
    assert shift[::2] == pytest.approx(changes["leaflet"]["fear"] * weight)
    assert not shift[1::2].any()
    unknown = Panel(panel.names, panel.before, panel.after, ("other",) * 300, SEVEN)
    assert not model.stance_shift(unknown).any()


def test_given_changes_act_as_do_on_every_reason() -> None:
    panel = panel_of()
    model = fit_panel(panel, given=True)
    w = model.learned.effects_on_stance()
    change = panel.after - panel.before
    expected = change[:, 0] * w["fear"] + change[:, 1] * w["trust"]
    assert model.stance_shift(panel) == pytest.approx(expected)


def test_panels_are_checked() -> None:
    panel = panel_of(10)
    with pytest.raises(SurveyError, match="need the shape"):
        Panel(panel.names, panel.before[:3], panel.after, panel.arms, SEVEN)
    with pytest.raises(SurveyError, match="map the scale's ends"):
        Panel(panel.names, panel.before * 9, panel.after, panel.arms, SEVEN)
    with pytest.raises(SurveyError, match="control group"):
        text_changes(Panel(panel.names, panel.before, panel.after, panel.arms, SEVEN))
    part = panel.take(np.arange(10) < 4)
    assert part.arms == panel.arms[:4]
    assert (part.before == panel.before[:4]).all()


def question(name: str, role: Role, arm: str | None = None) -> Question:
    later = role == "scenario"
    return Question(
        question_id=f"{name}, {arm}" if later else name,
        topic="parks",
        task="bdu_stance" if name == "support" else "bdu_reason",
        role=role,
        text=name,
        scale=SEVEN if name == "support" else Scale.between(-10, 10),
        scenario_id=arm,
        reason_code=None if name == "support" else name,
    )


@pytest.fixture(scope="module")
def study() -> ItemSet:
    panel = panel_of(80)
    answers: dict[str, dict[str, int | None]] = {}
    questions: dict[str, Question] = {}
    for n, arm in enumerate(panel.arms):
        own = answers.setdefault(f"P{n:02d}", {})
        for j, name in enumerate(panel.names):
            for role, levels in (("baseline", panel.before), ("scenario", panel.after)):
                asked = question(name, role, arm if role == "scenario" else None)  # type: ignore[arg-type]
                questions[asked.question_id] = asked
                level = levels[n, j]
                own[asked.question_id] = int(
                    np.rint(4 + 3 * level if name == "support" else 10 * level)
                )
    return table_items(answers, list(questions.values()), demographics={"P00": {"age": "30"}})


def later_stances(items: ItemSet, new: Callable[[int], int] = lambda value: value) -> ItemSet:
    """Baselines and later stances only; the later ones rewritten."""
    kept = []
    for each in items.answered:
        asked = each.item.question
        if asked.role == "baseline":
            kept.append(each)
        elif asked.task == "bdu_stance":
            kept.append(each.replace(values=(new(each.values[0]),)))
    return items.replace_items(tuple(kept), items.context_policy)


def test_a_study_of_tables_runs_through_the_harness(study: ItemSet) -> None:
    predictor = PanelPredictor(controls=("none",))
    run = evaluate(predictor, later_stances(study), protocol="state-given", folds=4, fit_on=study)
    stances = [outcome for outcome in run.outcomes if outcome.task == "bdu_stance"]
    assert len(stances) == 80
    off = [abs((o.value or 0) - o.gold[0]) for o in stances]
    stay = [abs((o.previous or 0) - o.gold[0]) for o in stances]
    assert np.mean(off) < np.mean(stay)
    for n, outcome in enumerate(stances):
        assert (outcome.details["shift"] == 0) == (n % 2 == 1)  # controls
        assert "moves" in (outcome.explanation or "")
    # the answers asked for reach no prediction
    swapped = evaluate(
        predictor,
        later_stances(study, lambda value: 8 - value),
        protocol="state-given", folds=4, fit_on=study,
    )  # fmt: skip
    later = [outcome for outcome in swapped.outcomes if outcome.task == "bdu_stance"]
    assert [o.value for o in later] == [o.value for o in stances]


def test_what_the_predictor_cannot_do_it_says(study: ItemSet) -> None:
    blank = PanelPredictor(controls=("none",))
    asked = next(i for i in later_stances(study) if i.question.role == "scenario")
    person = study.answered_person(asked.participant)
    before = [r for r in person.responses if r.question.role == "baseline"]
    assert "not fitted" in (blank.predict(asked, person).could_not or "")
    fitted = blank.fit([study.answered_person(name) for name in study.people])
    assert fitted.left_out == 0
    assert blank.model is None
    known = person.replace(responses=tuple(before))
    assert fitted.predict(asked, known).value is not None
    first = asked.replace(question=question("support", "baseline"))
    assert "only the stance" in (fitted.predict(first, known).could_not or "")
    fewer = person.replace(responses=tuple(before[1:]))
    assert "not known from before" in (fitted.predict(asked, fewer).could_not or "")
    unread = asked.replace(question=question("support", "scenario", "a film"))
    assert "'a film'" in (fitted.predict(unread, known).could_not or "")
    with pytest.raises(SurveyError, match="nobody answered"):
        blank.fit([Person(participant="P1")])


def test_items_of_a_table_and_what_is_wrong_with_one(study: ItemSet) -> None:
    support = question("support", "baseline")
    items = table_items({"P1": {"support": 6}, "P2": {"support": None}}, [support])
    assert [item.item_id for item in items] == ["P1:support"]
    assert [part.where for part in items.left_out] == ["P2:support"]
    assert not items.answered[0].item.context.turns
    assert study.people["P00"].demographics == {"age": "30"}
    with pytest.raises(SurveyError, match="no question is called"):
        table_items({"P1": {"suport": 6}}, [support])
    with pytest.raises(SurveyError, match=r"one of 1\.\.7, got 9"):
        table_items({"P1": {"support": 9}}, [support])
    with pytest.raises(SurveyError, match="stands 2 times"):
        table_items({}, [support, support])
