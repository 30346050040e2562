"""Scenario effects: own concepts by hand, others' beliefs for those a person lacks."""

from __future__ import annotations

from math import sqrt
from statistics import mean, stdev

import pytest

import beliefgraph as bg
from beliefgraph.errors import InterventionError, UnknownConceptError
from beliefgraph.simulate.population.graph import population_graph
from beliefgraph.simulate.scenario.reading import ScenarioReading
from beliefgraph.simulate.scenario.shift import scenario_effect
from beliefgraph.simulate.scenario.topic_graph import topic_graph

STANCE = "Support for the ring road"


def person(*edges: tuple[str, str, float] | tuple[str, str, float, float]) -> bg.BeliefGraph:
    return bg.BeliefGraph.from_edges(edges, stance=STANCE)


@pytest.fixture
def others() -> list[bg.BeliefGraph]:
    return [
        person(("noise", STANCE, -0.6), ("rents", STANCE, -0.2)),
        person(("noise", "stress", 0.5), ("stress", STANCE, -0.8)),
        person(("less noise", STANCE, 0.2, 0.5)),
        person(("trust", STANCE, 0.7)),
    ]


def test_effects_are_those_of_the_holders_by_hand(others: list[bg.BeliefGraph]) -> None:
    pool = topic_graph(others)
    noise = pool.effect("noise")
    held = [-0.6, 0.5 * -0.8, -0.2 * 0.5]  # the third names the other end
    assert (noise.n_people, noise.n_like, noise.share_positive) == (3, 3, 0.0)
    assert noise.mean == pytest.approx(sum(held) / 4)
    assert noise.sd == pytest.approx(stdev(held) * sqrt(1 + 1 / 4))
    assert set(noise.wordings) == {"noise", "less noise"}
    plain = topic_graph(others, prior_people=0).effect("noise")
    assert plain.mean == pytest.approx(mean(held))
    # one holder says nothing of how people differ: the spread is that of the other concepts
    assert pool.effect("trust").sd == pytest.approx(stdev(held) * sqrt(1 + 1 / 2))
    assert pool.effects[0].concept == "noise"


def test_people_of_a_kind_are_pulled_towards_all(others: list[bg.BeliefGraph]) -> None:
    people = [{"age": "old"}, {"age": "young"}, {"age": "young"}, {}]
    noise = topic_graph(others, demographics=people, like={"age": "young"}).effect("noise")
    everyone = -1.1 / 4
    assert noise.mean == pytest.approx((-0.4 - 0.1 + everyone) / 3)
    assert noise.n_like == 2
    none = topic_graph(others, demographics=people, like={"age": "middle"}).effect("noise")
    assert none.mean == pytest.approx(everyone)
    assert none.n_like == 0


def test_what_the_pool_refuses(others: list[bg.BeliefGraph]) -> None:
    with pytest.raises(InterventionError, match="needs demographics"):
        topic_graph(others, like={"age": "old"})
    with pytest.raises(InterventionError, match="got 1 for 4"):
        topic_graph(others, demographics=[{}])
    with pytest.raises(UnknownConceptError, match="age"):
        topic_graph(others, demographics=[{"age": "old"}] * 4, like={"aeg": "old"})
    with pytest.raises(InterventionError, match="prior_people"):
        topic_graph(others, prior_people=-1)
    with pytest.raises(UnknownConceptError, match="noise"):
        topic_graph(others).effect("noises")


def test_a_person_lacks_only_what_no_wording_of_theirs_names(
    others: list[bg.BeliefGraph],
) -> None:
    pool = topic_graph(population_graph(others))
    own = person(("Noise levels", STANCE, -0.1), ("Trust", STANCE, 0.1))
    assert {each.concept for each in pool.lacking(own)} == {"rents", "stress"}
    full = pool.complete(own)
    assert full.names == (*own.names, "rents", "stress")
    assert full.influences[:2] == own.influences
    assert set(own.names) == {"Noise levels", "Trust", STANCE}


def test_own_concepts_answered_worries_and_the_pool_are_said_apart(
    others: list[bg.BeliefGraph],
) -> None:
    own = person(("parking loss", STANCE, -0.4, 0.5), ("jams", STANCE, -0.5))
    pool = topic_graph(others)
    text = "Jams fall by 15%, parking loss does not rise, and noise rises sharply."
    alone, both = scenario_effect(own, text), scenario_effect(own, text, topic_graph=pool)
    assert alone.own == both.own == pytest.approx(-0.5 * -0.5)
    assert alone.answered == both.answered == pytest.approx(-0.5 * -0.4 * 0.5)
    assert (alone.pooled, alone.pooled_sd) == (0.0, 0.0)
    noise = pool.effect("noise")
    assert both.pooled == pytest.approx(0.8 * noise.mean)
    assert both.pooled_sd == pytest.approx(0.8 * noise.sd)
    assert both.parts == pytest.approx({"noise": both.pooled})
    assert both.shift == pytest.approx(both.own + both.answered + both.pooled)
    # parking's influence is held with probability 1/2; both concepts lose their noise of 0.25
    held = (0.5 * 0.4) ** 2 * 0.25
    noise_lost = 0.25**2 * (0.5**2 + 0.5 * 0.4**2)
    assert both.own_sd == pytest.approx(sqrt(held + noise_lost))
    assert both.sd == pytest.approx(sqrt(both.own_sd**2 + both.pooled_sd**2))


def test_what_a_person_holds_is_not_taken_from_the_pool(others: list[bg.BeliefGraph]) -> None:
    own = person(("noise", STANCE, 0.3))
    effect = scenario_effect(own, "Noise rises.", topic_graph=topic_graph(others))
    assert effect.own == pytest.approx(0.15)
    assert effect.pooled == 0.0


def test_an_edited_reading_is_what_counts(others: list[bg.BeliefGraph]) -> None:
    own = person(("jams", STANCE, -0.5))
    pool = topic_graph(others)
    first = scenario_effect(own, "Jams fall.", topic_graph=pool)
    edited = first.reading.moving("jams", -1.0).moving("trust", 0.2)
    again = scenario_effect(own, edited, topic_graph=pool)
    assert again.own == pytest.approx(2 * first.own)
    assert again.pooled == pytest.approx(0.2 * 0.7 / 2)
    nothing = scenario_effect(own, edited.leaving_out("jams").leaving_out("trust"))
    assert (nothing.shift, nothing.sd) == (0.0, 0.0)
    for name in ("trust", STANCE):
        with pytest.raises(UnknownConceptError, match="jams"):
            scenario_effect(own, ScenarioReading(text="", do={name: 0.2}))


def test_the_same_again_and_nothing_changed(others: list[bg.BeliefGraph]) -> None:
    own = person(("jams", STANCE, -0.5))
    before = [graph.model_dump_json() for graph in (own, *others)]
    results = [
        scenario_effect(own, "Jams fall and trust grows.", topic_graph=topic_graph(others))
        for _ in range(2)
    ]
    assert results[0] == results[1]
    assert [graph.model_dump_json() for graph in (own, *others)] == before
    # the order of people does not matter
    assert topic_graph(others[::-1]).effect("noise").mean == pytest.approx(
        topic_graph(others).effect("noise").mean
    )
