"""The graph predictor: read-outs and decisions against brute force, fits, explanations, leaks."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import norm

import beliefgraph as bg
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.graph_variants import shuffle_signs
from beliefgraph.benchmark.predictors import make_predictor
from beliefgraph.errors import StanceError, SurveyError
from beliefgraph.simulate.predict.answer_model import Asked, forecast, group_asked
from beliefgraph.simulate.predict.fit_parameters import fit_answers, fit_signs, sign_log_odds
from beliefgraph.simulate.predict.graph_predictor import GraphPredictor
from beliefgraph.simulate.predict.nearness import concepts_near, concepts_said
from beliefgraph.simulate.predict.parameters import SignParameters, shipped_parameters
from beliefgraph.simulate.predict.readout import (
    LOSSES,
    answer_probabilities,
    decide,
    from_scale,
)
from beliefgraph.simulate.predict.traits import GraphReading, SignTraits, Traits
from beliefgraph.simulate.scenario.topic_graph import topic_graph
from beliefgraph.simulate.standpoint import read_standpoint
from beliefgraph.survey import SIGN_SCALE, Item, Person, Question, Scale
from tests.items_invented import ANSWERS, interview, invented_items

TEN, FIVE = Scale.between(1, 10), Scale.between(1, 5)
P = shipped_parameters().answers


def test_probabilities_are_those_of_a_rounded_normal() -> None:
    found = answer_probabilities(0.2, 0.6, TEN)
    mean, sd = 5.5 + 4.5 * 0.2, 4.5 * 0.6
    edges = [-np.inf, *np.arange(1.5, 10), np.inf]
    expected = [norm.cdf(b, mean, sd) - norm.cdf(a, mean, sd) for a, b in pairwise(edges)]
    assert found == pytest.approx(expected)
    draws = np.random.default_rng(0).normal(mean, sd, 200_000)
    counts = np.bincount(np.clip(np.rint(draws), 1, 10).astype(int), minlength=11)[1:]
    assert found == pytest.approx(counts / counts.sum(), abs=0.005)


@given(st.floats(-3, 3), st.floats(0.05, 3), st.sampled_from([TEN, FIVE, Scale.between(0, 100)]))
def test_probabilities_sum_to_one_and_rise_with_the_mean(
    mean: float, sd: float, scale: Scale
) -> None:
    found, more = answer_probabilities(np.array([mean, mean + 0.3]), sd, scale)
    assert found.sum() == pytest.approx(1)
    assert (np.cumsum(more) <= np.cumsum(found) + 1e-12).all()


@given(st.integers(1, 10))
def test_scales_map_there_and_back(value: int) -> None:
    assert 5.5 + 4.5 * from_scale(float(value), TEN) == pytest.approx(value)


probabilities = st.lists(st.floats(0.001, 1), min_size=10, max_size=10).map(
    lambda values: np.array(values) / sum(values)
)


@given(probabilities)
def test_decisions_are_best_by_brute_force(p: np.ndarray) -> None:
    points = np.arange(1, 11)
    within = [p[np.abs(points - v) <= 2].sum() for v in points]
    off = [(p * np.abs(points - v)).sum() for v in points]
    assert within[decide(p, TEN, "tolerance") - 1] == pytest.approx(max(within))
    assert off[decide(p, TEN, "absolute") - 1] == pytest.approx(min(off))
    assert decide(p, TEN, "blend") in points


def test_direction_names_a_change_only_where_it_is_likely_and_sure() -> None:
    p = answer_probabilities(0.0, 0.5, TEN)
    sure = np.array([0.9, 0.1, 0.0])
    assert decide(p, TEN, "direction", change=sure, previous=8) < 8
    torn = np.array([0.3, 0.45, 0.25])
    assert decide(p, TEN, "direction", change=torn, previous=8) == 8
    with pytest.raises(SurveyError, match="Did you mean 'absolute'"):
        decide(p, TEN, "absolut")  # type: ignore[arg-type]


def asked(kind: str, **options: object) -> Asked:
    traits = Traits(
        level=0.2, elsewhere=0.3, trust=-0.2, acquiescence=0.6, effect=0.4, pooled=-0.1,
        polarity=-1.0, known=0.5, size=0.6, valued=0.7, moved=-0.5,
    )  # fmt: skip
    scale = FIVE if kind.startswith("reason") else TEN
    return Asked(kind, traits, scale, TEN, **options)  # type: ignore[arg-type]


def sampled(kind: str, n: int = 400_000) -> tuple[np.ndarray, np.ndarray]:
    """Draw people by the formula of the model's docstring; return baseline stances and answers."""
    rng, t = np.random.default_rng(1), asked(kind).traits
    start = P.stance_start + P.stance_level * t.level + P.stance_elsewhere * t.elsewhere
    start += P.stance_trust * t.trust + P.acquiescence * t.acquiescence
    before = np.clip(np.rint(5.5 + 4.5 * rng.normal(start, P.stance_sd, n)), 1, 10)
    z = (before - 5.5) / 4.5
    anew = z + P.openness * (P.pull - z) + P.effect * t.effect + P.effect_pooled * t.pooled
    if kind == "after":
        drawn = np.clip(np.rint(5.5 + 4.5 * rng.normal(anew, P.after_sd)), 1, 10)
        return before, np.where(rng.random(n) < P.stay, before, drawn)
    if kind == "experience":
        mean = P.experience_start + P.experience_stance * t.polarity * z
        return before, np.clip(np.rint(5.5 + 4.5 * rng.normal(mean, P.experience_sd)), 1, 10)
    z = z + (1 - P.stay) * (anew - z) if kind == "reason_after" else z
    own = P.reason_start + P.reason_known * t.known + P.reason_size * t.size
    own += P.reason_valued * t.valued + P.acquiescence * t.acquiescence
    own += P.reason_moved * t.moved if kind == "reason_after" else 0.0
    weight = rng.normal(own + P.reason_stance * t.polarity * z, P.reason_sd)
    return before, np.clip(np.rint(3 + 2 * weight), 1, 5)


@pytest.mark.parametrize("kind", ["after", "experience", "reason", "reason_after"])
def test_forecasts_are_those_of_sampled_people(kind: str) -> None:
    before, answers = sampled(kind)
    found = forecast(P, asked(kind))
    points = asked(kind).scale.points
    shares = [(answers == point).mean() for point in points]
    assert found.probabilities == pytest.approx(shares, abs=0.005)
    if found.change is not None:
        way = np.sign(answers - before)
        assert found.change == pytest.approx([(way == s).mean() for s in (-1, 0, 1)], abs=0.005)


def test_a_known_stance_is_where_the_answer_starts() -> None:
    before, answers = sampled("after")
    found = forecast(P, asked("after", stance=3))
    shares = [(answers[before == 3] == point).mean() for point in TEN.points]
    assert found.probabilities == pytest.approx(shares, abs=0.01)
    assert found.change is not None
    assert found.change[1] == pytest.approx(found.probabilities[2])


def test_a_known_weight_is_repeated_or_evaluated_anew() -> None:
    found = forecast(P, asked("reason_after", start=5, stance=3)).probabilities
    assert found[4] > P.stay
    assert found.sum() == pytest.approx(1)
    free = forecast(P, asked("reason_after", stance=3)).probabilities
    assert found[4] > free[4]


def test_groups_keep_the_places_of_their_questions() -> None:
    mixed = [asked("after"), asked("reason"), asked("after", stance=4), asked("after")]
    alone = [forecast(P, each).probabilities for each in mixed]
    for group in group_asked(mixed):
        for place, row in zip(group.places, group.probabilities(P), strict=True):
            assert row == pytest.approx(alone[place])


def test_a_fit_finds_planted_parameters() -> None:
    rng = np.random.default_rng(5)
    truth = P.replace(stance_start=-0.2, stance_trust=1.1, stance_level=0.7, stance_sd=0.5)
    people = [
        replace(asked("stance"), traits=Traits(trust=float(t), level=float(level)))
        for t, level in rng.uniform(-1, 1, (1500, 2))
    ]
    (group,) = group_asked(people)
    values = [int(rng.choice(TEN.points, p=row)) for row in group.probabilities(truth)]
    fitted = fit_answers(people, values, start=P)
    for name in ("stance_start", "stance_trust", "stance_level", "stance_sd"):
        assert getattr(fitted, name) == pytest.approx(getattr(truth, name), abs=0.1), name
    assert fitted.reason_start == pytest.approx(P.reason_start, abs=1e-3)  # nothing bears on it
    shrunk = fit_answers(people[:3], values[:3], start=P, prior_sd=0.01)
    assert shrunk.stance_trust == pytest.approx(P.stance_trust, abs=0.01)


def test_signs_are_fitted_as_a_logistic_regression() -> None:
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(2)
    design = rng.normal(size=(500, 3))
    signs = np.where(rng.random(500) < 1 / (1 + np.exp(-(0.5 + design @ [2.0, -1.0, 0.7]))), 1, -1)
    traits = [SignTraits(near=float(a), net=float(b), crowd=float(c)) for a, b, c in design]
    start = SignParameters(start=0, near=0, net=0, crowd=0)
    found = fit_signs(traits, [int(s) for s in signs], start=start, prior_sd=1000.0)
    other = linear_model.LogisticRegression(C=1e9).fit(design, signs)
    assert [found.near, found.net, found.crowd] == pytest.approx(other.coef_[0], abs=1e-2)
    assert found.start == pytest.approx(other.intercept_[0], abs=1e-2)
    assert sign_log_odds(found, SignTraits(near=0, net=0)) == pytest.approx(found.start)


def test_one_parameter_of_signs_can_be_fitted_on_top_of_the_others() -> None:
    rng = np.random.default_rng(4)
    near, crowd = rng.normal(size=(2, 300))
    signs = np.where(rng.random(300) < 1 / (1 + np.exp(-(0.4 + near + 1.5 * crowd))), 1, -1)
    traits = [SignTraits(near=a, net=0.0, crowd=c) for a, c in zip(near, crowd, strict=True)]
    start = SignParameters(start=0.4, near=0.3, net=0.5, crowd=0.0)
    found = fit_signs(traits, [int(s) for s in signs], start=start, only=["crowd"], prior_sd=1000.0)

    def surprise(weight: float) -> float:
        odds = 0.4 + 0.3 * near + weight * crowd
        return float(np.log1p(np.exp(-signs * odds)).sum())

    assert found.crowd == pytest.approx(minimize_scalar(surprise).x, abs=1e-3)
    assert found.replace(crowd=0.0) == start


COSTS = bg.BeliefGraph.from_edges(
    [
        ("Housing costs", "support", -0.5, 0.9),
        ("Noise", "support", -0.8, 0.8),
        ("Shops", "support", 0.4, 0.7),
    ],
    stance="support",
)


def test_nearness_ties_polarity_and_never_names_the_stance() -> None:
    (near,) = concepts_near(COSTS, "cheaper housing")
    assert (near.concept, near.polarity) == ("Housing costs", -1)
    assert concepts_near(COSTS, "weather") == []
    assert {n.concept for n in concepts_said(COSTS, "There would be more noise.")} == {"Noise"}


def test_the_standpoint_by_hand() -> None:
    found = read_standpoint(COSTS)
    assert found.net == pytest.approx((-0.45 - 0.64 + 0.28) / (1 + 0.9 + 0.8 + 0.7))
    assert read_standpoint(bg.BeliefGraph.from_edges([], stance="s")).net == 0


def test_the_traits_of_a_scenario_by_hand() -> None:
    reading = GraphReading(COSTS)
    question = Question(
        question_id="2", topic="t", task="bdu_stance", role="scenario", scale=TEN,
        text="Noise falls sharply. And now?", scenario="Noise falls sharply.",
    )  # fmt: skip
    assert reading.scenario("Noise falls sharply.").values == {"Noise": -0.8}
    assert reading.traits(question).effect == pytest.approx(0.8 * 0.8 * 0.8)
    reason = Question(
        question_id="2r", topic="t", task="bdu_reason", role="scenario", scale=FIVE,
        text="How much?", scenario="Noise falls sharply.", reason_code="A",
        reason="There would be more noise.",
    )  # fmt: skip
    traits = reading.traits(reason)
    assert traits.polarity == -1
    assert traits.moved == pytest.approx(-0.8)


def test_a_pool_adds_what_others_believe_of_concepts_that_the_graph_lacks() -> None:
    others = [
        bg.BeliefGraph.from_edges([("Parking", "support", w)], stance="support")
        for w in (-0.6, -0.3)
    ]
    reading = GraphReading(COSTS).beside((), topic_graph(others))
    question = Question(
        question_id="2", topic="t", task="bdu_stance", role="scenario", scale=TEN,
        text="And now?", scenario="Noise falls sharply. Parking rises sharply.",
    )  # fmt: skip
    traits = reading.traits(question)
    assert traits.effect == pytest.approx(0.8 * 0.8 * 0.8)
    assert traits.pooled == pytest.approx(0.8 * (-0.6 - 0.3) / (2 + 1))
    assert GraphReading(COSTS).traits(question).pooled == 0
    less = reading.without(COSTS.influences[1])  # the person's own; what others believe stays
    assert (less.traits(question).effect, less.traits(question).pooled) == (0, traits.pooled)


def test_what_others_hold_of_a_factor_is_read_from_their_pool() -> None:
    others = [
        bg.BeliefGraph.from_edges([("Parking", "support", w)], stance="support")
        for w in (-0.6, -0.3)
    ]
    made = predictor(topic_graphs={"trams": topic_graph(others)})
    person = Person(participant="P1")
    traits = made._reading(
        sign_item("less parking").question, interview("P1", "trams"), person
    ).sign_traits("less parking")
    assert traits.near == 0
    assert traits.crowd == pytest.approx(np.tanh(3 * 0.3) / (1 + 0.1))  # -0.9 over 2 + 1 people
    found = made.predict(sign_item("parking"), person)
    assert "other people hold an effect of -0.65 on average" in found.explain()


def test_fitting_pools_the_graphs_of_others_only() -> None:
    graphs = {
        name: bg.BeliefGraph.from_edges([(f"Thing {name}", "support", 0.5)], stance="support")
        for name in ("P1", "P2", "P3")
    }
    people = [
        Person(participant=name, transcripts={"trams": interview(name, "trams")}) for name in graphs
    ]
    made = GraphPredictor(lambda t: graphs[str(t.participant)])
    pool = made.pool(people[1:])["trams"]
    assert {each.concept for each in pool.effects} == {"Thing P2", "Thing P3"}
    assert pool.n_people == 2


def stated(level: float) -> bg.BeliefGraph:
    graph = bg.BeliefGraph.from_edges([("Fares", "support", 0.5)], stance="support")
    stance = graph.concept("support").replace(baseline=level)
    return graph.replace(concepts=(graph.concept("Fares"), stance))


def stance_item(context_topic: str) -> Item:
    question = Question(
        question_id="1", topic="trams", task="bdu_stance", role="baseline", scale=TEN, text="?"
    )
    return Item(
        item_id="1", participant="P1", question=question, context=interview("P1", context_topic)
    )


@pytest.mark.parametrize("level", [-0.9, 0.9])
def test_an_interview_on_another_topic_speaks_through_the_profile_alone(level: float) -> None:
    made = GraphPredictor(lambda _: stated(level), profile=True)
    found = made.predict(stance_item("parks"), Person(participant="P1"))
    mean = P.stance_start + P.stance_elsewhere * level
    mean += P.acquiescence * 1 / (1 + 2)
    assert found.distribution == pytest.approx(answer_probabilities(mean, P.stance_sd, TEN))
    assert "on other topics the stated level is" in found.explain()
    assert "nothing that bears on it" in found.explain()
    plain = GraphPredictor(lambda _: stated(level))
    silent = plain.predict(stance_item("parks"), Person(participant="P1"))
    nothing = answer_probabilities(P.stance_start, P.stance_sd, TEN)
    assert silent.distribution == pytest.approx(nothing)


def test_whoever_speaks_on_a_topic_is_not_judged_by_others() -> None:
    told = {"parks": interview("P1", "parks")}
    made = GraphPredictor(lambda t: stated(0.9 if t.topic == "parks" else -0.5), profile=True)
    alone = made.predict(stance_item("trams"), Person(participant="P1"))
    assert made.predict(stance_item("trams"), Person(participant="P1", transcripts=told)) == alone


def test_a_sign_is_read_from_the_context_alone() -> None:
    person = Person(participant="P1", transcripts={"parks": interview("P1", "parks")})
    alone = predictor().predict(sign_item("noise"), Person(participant="P1"))
    assert predictor().predict(sign_item("noise"), person) == alone
    elsewhere = sign_item("noise").replace(context=interview("P1", "parks"))
    assert predictor().predict(elsewhere, person).value == 1  # the starting odds


def predictor(**options: object) -> GraphPredictor:
    return GraphPredictor(lambda _: COSTS, **options)  # type: ignore[arg-type]


def sign_item(factor: str) -> Item:
    question = Question(
        question_id="s", topic="trams", task="bsi", scale=SIGN_SCALE, text="?", factor=factor,
        outcome="support",
    )  # fmt: skip
    return Item(item_id="1", participant="P1", question=question, context=interview("P1", "trams"))


def test_signs_follow_the_graph() -> None:
    person = Person(participant="P1")
    noise, quiet = (predictor().predict(sign_item(f), person) for f in ("noise", "less noise"))
    assert (noise.value, quiet.value) == (-1, 1)
    assert noise.distribution is not None
    assert noise.distribution[0] > 0.5
    assert "'Noise' -> 'support' (-0.64)" in noise.explain()
    assert noise.explain().startswith("-1: rests on")


def test_the_named_change_changes_the_answer_as_said() -> None:
    person = Person(participant="P1")
    found = predictor().predict(sign_item("noise"), person)
    named = found.details["would_change"]
    left = tuple(
        e for e in COSTS.influences if (e.source, e.target) != (named["source"], named["target"])
    )
    changed = COSTS.replace(influences=left)
    again = GraphPredictor(lambda _: changed).predict(sign_item("noise"), person)
    assert again.value == named["value"] != found.value


def test_a_stance_rests_on_the_stated_level_and_would_change_without_it() -> None:
    graph = stated(-0.9)
    told = interview("P1", "trams")
    turn = told.turns[0]
    said = bg.Evidence(
        qa_id=turn.qa_id, start=0, end=len(turn.answer), quote=turn.answer, confidence=0.9
    )
    concepts = tuple(
        c.replace(evidence=(said,)) if c.name == "support" else c for c in graph.concepts
    )
    graph = graph.replace(concepts=concepts, transcript=told)
    item, person = stance_item("trams"), Person(participant="P1")
    found = GraphPredictor(lambda _: graph).predict(item, person)
    assert "rests on the stated level (-0.90)" in found.explain()
    assert found.evidence == (said,)  # no reason bears on a stance before any scenario
    assert found.details["would_change"] == {"level": 0.0, "value": 8}
    unstated = graph.replace(
        concepts=tuple(
            c.replace(baseline=0.0, baseline_sd=0.5) if c.name == "support" else c
            for c in graph.concepts
        )
    )
    again = GraphPredictor(lambda _: unstated).predict(item, person)
    assert again.value == 8 != found.value
    assert "nothing that bears on it" in again.explain()


def test_a_known_earlier_answer_is_what_a_later_one_rests_on() -> None:
    run = evaluate(GraphPredictor(lambda _: stated(-0.9)), invented_items(), protocol="state-given")
    for outcome in run.outcomes:
        assert "rests on the own earlier answer (" in (outcome.explanation or "")
        assert "the stated level" not in (outcome.explanation or "")


def test_after_a_scenario_what_carries_it_is_named() -> None:
    question = Question(
        question_id="2", topic="trams", task="bdu_stance", role="scenario", scale=TEN,
        text="And now?", scenario="Noise falls sharply.",
    )  # fmt: skip
    item = Item(item_id="2", participant="P1", question=question, context=interview("P1", "trams"))
    found = predictor().predict(item, Person(participant="P1")).explain()
    assert "'Noise' -> 'support' (-0.64)" in found
    assert "Shops" not in found


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("protocol", ["zero-shot", "population-informed", "state-given"])
def test_every_item_gets_an_answer_with_a_distribution(loss: str, protocol: str) -> None:
    run = evaluate(predictor(loss=loss), invented_items(), protocol=protocol)  # type: ignore[arg-type]
    for outcome in run.outcomes:
        assert outcome.value in outcome.scale.points
        assert outcome.distribution is not None


def test_the_targets_answers_change_nothing_outside_state_given() -> None:
    other = {**ANSWERS, "P1": (1, 1, 5, 2, 1)}
    for protocol in ("zero-shot", "population-informed"):
        runs = [
            evaluate(predictor(), invented_items(a), protocol=protocol) for a in (ANSWERS, other)
        ]
        own = [[o.value for o in run.outcomes if o.participant == "P1"] for run in runs]
        assert own[0] == own[1]


def test_an_interview_without_answers_is_an_empty_graph() -> None:
    item = sign_item("noise")
    silent = item.replace(context=item.context.replace(turns=()))
    found = predictor().predict(silent, Person(participant="P1"))
    assert found.value == 1
    assert "nothing that bears on it" in (found.explanation or "")


def test_an_interview_that_names_no_stance_is_an_empty_graph() -> None:
    def refuse(_: bg.Transcript) -> bg.BeliefGraph:
        raise StanceError("no stance is named")

    found = GraphPredictor(refuse).predict(sign_item("noise"), Person(participant="P1"))
    assert found.value == 1
    assert found.evidence == ()


def test_a_language_model_can_be_the_reader() -> None:
    pytest.importorskip("httpx2")
    made = make_predictor("graph-llm:tiny@http://127.0.0.1:9/v1")
    assert made.name == "graph-llm:tiny"
    assert made.settings["reader"].startswith("llm tiny")
    with pytest.raises(SurveyError, match="must be a URL"):
        make_predictor("graph-llm:tiny@nowhere")


def test_shuffled_signs_are_dealt_from_the_same_hand() -> None:
    shuffled = shuffle_signs(COSTS)
    assert shuffle_signs(COSTS) == shuffled
    assert sorted(np.sign(e.weight) for e in shuffled.influences) == [-1, -1, 1]
    assert [abs(e.weight) for e in shuffled.influences] == [0.5, 0.8, 0.4]
