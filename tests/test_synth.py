"""Synthetic people: the same for one seed, on scale, true to their graphs, and silent on it."""

from __future__ import annotations

import csv
import importlib.util
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import numpy as np
import pytest
from click.testing import CliRunner

import beliefgraph as bg
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.items import build_items, read_items
from beliefgraph.benchmark.synth import (
    RetestPredictor,
    SyntheticStudy,
    Truth,
    TruthPredictor,
    generate_people,
    write_study,
)
from beliefgraph.benchmark.synth.answers import (
    habit,
    latent_answers,
    noise_free_answers,
    noisy_answers,
)
from beliefgraph.benchmark.synth.beliefs import draw_graph, opening_level, true_edges
from beliefgraph.benchmark.synth.questionnaire import interventions, make_survey, reason_codes
from beliefgraph.benchmark.synth.render import load_bank, load_topics
from beliefgraph.benchmark.synth.speaker import Style, Topic
from beliefgraph.benchmark.synth.truth import topics_by_id
from beliefgraph.benchmark.synth.values import (
    ResponseStyle,
    draw_demographics,
    draw_response_style,
    draw_topic_values,
    draw_values,
    load_loadings,
)
from beliefgraph.benchmark.uncertainty import bootstrap
from beliefgraph.cli import main
from beliefgraph.errors import SurveyError
from beliefgraph.survey import Predictor, read_survey
from tests.conftest import ROOT

STEADY = ResponseStyle(
    stretch=1.0, acquiescence=0.0, sd=0.0, session_sd=0.0, heaping=0.0, inertia=0.0, openness=0.0
)


@pytest.fixture(scope="module")
def study() -> SyntheticStudy:
    return generate_people(12, 2, seed=3)


@pytest.fixture(scope="module")
def folder(study: SyntheticStudy, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_study(study, tmp_path_factory.mktemp("synth") / "study")


@pytest.fixture(scope="module")
def lynx() -> Topic:
    return topics_by_id()["lynx"]


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def asked_of(study: SyntheticStudy) -> dict[str, Any]:
    return {question.question_id: question for question in study.survey.questions()}


# the same for one seed


def test_one_seed_gives_the_same_bytes(study: SyntheticStudy, folder: Path, tmp_path: Path) -> None:
    again = write_study(generate_people(12, 2, seed=3), tmp_path / "again")
    assert files_of(again) == files_of(folder)


def test_another_seed_gives_other_people(study: SyntheticStudy) -> None:
    other = generate_people(12, 2, seed=4)
    assert other.first != study.first
    assert other.truth.people["S0001"].values != study.truth.people["S0001"].values


def test_a_person_stays_the_same_among_more_people(study: SyntheticStudy) -> None:
    few = generate_people(3, 2, seed=3)
    assert few.first == {name: study.first[name] for name in few.first}
    assert all(study.items.by_id[key] == each for key, each in few.items.by_id.items())


# nothing of the truth is in what a predictor may see


def test_the_items_hold_nothing_of_the_truth(
    study: SyntheticStudy, folder: Path, tmp_path: Path
) -> None:
    truth = study.truth
    marked = replace(
        truth,
        graphs={
            key: graph.replace(
                concepts=tuple(
                    concept.replace(status_reason="MARKER") for concept in graph.concepts
                ),
                influences=tuple(edge.replace(confidence=0.123454321) for edge in graph.influences),
            )
            for key, graph in truth.graphs.items()
        },
        people={
            name: person.replace(
                values=dict.fromkeys(person.values, 0.678987654),
                noise_free=dict.fromkeys(person.noise_free, 424242),
                second=dict.fromkeys(person.second, 535353),
            )
            for name, person in truth.people.items()
        },
        signs={key: sign.replace(qa_id="MARKER") for key, sign in truth.signs.items()},
    )
    home = write_study(replace(study, truth=marked), tmp_path / "marked")
    markers = (b"MARKER", b"0.123454321", b"0.678987654", b"424242", b"535353")
    found = {name: [m for m in markers if m in text] for name, text in files_of(home).items()}
    inside = {m for name, hits in found.items() if name.startswith("truth/") for m in hits}
    outside = {name for name, hits in found.items() if hits and not name.startswith("truth/")}
    assert inside == set(markers)
    assert not outside
    unmarked = files_of(folder)
    for name, text in files_of(home).items():
        assert name.startswith("truth/") or text == unmarked[name]


def test_no_item_names_values_or_manners(folder: Path) -> None:
    text = (folder / "items" / "items.jsonl").read_text(encoding="utf-8")
    keys = {key for line in text.splitlines() for key in json.loads(line)}
    assert not keys & {"held", "said", "second", "noise_free", "values", "graph", "kind", "truths"}
    for word in ("acquiescence", "openness", "speaking_style", "carry_over", "noise"):
        assert f'"{word}"' not in text


def test_a_sign_item_hides_its_turn_and_no_other(study: SyntheticStudy) -> None:
    signs = [each for each in study.items.answered if each.item.question.task == "bsi"]
    assert len(signs) > 50
    for each in signs:
        whole = study.items.people[each.item.participant].transcripts[each.item.topic]
        sign = study.truth.signs[each.item.item_id]
        assert each.source == whole.turn(sign.qa_id)
        shown = {turn.qa_id for turn in each.item.context.turns}
        assert {turn.qa_id for turn in whole.turns} - shown == {sign.qa_id}


def test_the_answer_to_a_sign_item_is_what_the_hidden_turn_says(study: SyntheticStudy) -> None:
    for each in study.items.answered:
        if each.item.question.task == "bsi":
            sign = study.truth.signs[each.item.item_id]
            rendered = study.truth.turns[sign.participant, sign.topic][int(sign.qa_id) - 1]
            assert rendered.truths == ((sign.source, sign.target, sign.said),)
            assert each.values == (sign.said,)
            edge = study.truth.graphs[sign.participant, sign.topic].influence(
                sign.source, sign.target
            )
            assert edge is not None
            assert np.sign(edge.weight) == sign.held


def test_every_item_has_its_own_context_version(study: SyntheticStudy) -> None:
    shown: dict[tuple[str, str], list[tuple[str, ...]]] = {}
    for item in study.items:
        if item.question.task == "bsi":
            key = (item.participant, item.topic)
            shown.setdefault(key, []).append(tuple(turn.qa_id for turn in item.context.turns))
    assert any(len(versions) > 2 for versions in shown.values())
    for versions in shown.values():
        assert len(set(versions)) == len(versions)


# formats


def test_the_items_are_read_back(study: SyntheticStudy, folder: Path) -> None:
    back = read_items(folder / "items")
    assert not back.left_out
    assert [each.item.item_id for each in back.answered] == [i.item_id for i in study.items]
    for own, read in zip(study.items.answered, back.answered, strict=True):
        assert read.values == own.values
        assert read.item.question == own.item.question
        assert read.item.context.turns == own.item.context.turns
    for name, person in study.items.people.items():
        assert back.people[name].demographics == person.demographics


def test_a_study_of_your_own_would_give_the_same_items(study: SyntheticStudy, folder: Path) -> None:
    built = build_items(
        folder / "survey.yaml",
        folder / "responses.csv",
        folder / "transcripts",
        folder / "demographics.csv",
        signs=folder / "signs.csv",
    )
    assert not built.left_out
    assert built.answered == study.items.answered
    assert {name: person.demographics for name, person in built.people.items()} == {
        name: person.demographics for name, person in study.items.people.items()
    }


def test_the_tables_hold_both_waves(study: SyntheticStudy, folder: Path) -> None:
    for name, wave in (
        ("responses.csv", study.first),
        ("responses_retest.csv", study.second),
    ):
        with (folder / name).open(newline="", encoding="utf-8") as file:
            rows = {row.pop("participant"): row for row in csv.DictReader(file)}
        assert {who: {k: int(v) for k, v in row.items()} for who, row in rows.items()} == wave


def test_the_transcripts_are_read_back(study: SyntheticStudy, folder: Path) -> None:
    path = folder / "transcripts" / "S0002_bus_lanes.json"
    person = study.items.people["S0002"]
    back = bg.read_transcript(path)
    assert back.turns == person.transcripts["bus_lanes"].turns
    assert (back.participant, back.topic) == ("S0002", "bus_lanes")
    assert back.demographics == person.demographics


def test_the_truth_is_read_back(study: SyntheticStudy, folder: Path) -> None:
    back = Truth.load(folder)
    assert back.graphs == study.truth.graphs
    assert back.people == study.truth.people
    assert back.signs == study.truth.signs


def test_the_truth_says_what_every_turn_says(study: SyntheticStudy, folder: Path) -> None:
    lines = (folder / "truth" / "turns.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == sum(len(turns) for turns in study.truth.turns.values())
    said = {(x["participant"], x["topic"], x["qa_id"]): x["says"] for x in map(json.loads, lines)}
    for sign in study.truth.signs.values():
        key = (sign.participant, sign.topic, sign.qa_id)
        assert said[key] == [[sign.source, sign.target, sign.said]]


def test_the_survey_is_read_back(study: SyntheticStudy, folder: Path) -> None:
    assert read_survey(folder / "survey.yaml") == study.survey


# answers


def test_every_answer_is_on_its_scale(study: SyntheticStudy) -> None:
    asked = asked_of(study)
    free = {name: person.noise_free for name, person in study.truth.people.items()}
    for wave in (study.first, study.second, free):
        for answers in wave.values():
            assert set(answers) == set(asked)
            for key, value in answers.items():
                assert value in asked[key].scale.points


def test_both_ends_of_both_scales_are_used(study: SyntheticStudy) -> None:
    asked = asked_of(study)
    for points in (10, 5):
        given = {
            value
            for answers in study.first.values()
            for key, value in answers.items()
            if len(asked[key].scale.points) == points
        }
        assert given == set(range(1, points + 1))


def test_without_noise_both_waves_are_the_truth() -> None:
    calm = generate_people(5, 2, seed=8, noise=0)
    for name, person in calm.truth.people.items():
        assert calm.first[name] == calm.second[name] == person.noise_free
    assert all(sign.said == sign.second == sign.held for sign in calm.truth.signs.values())


def test_heaping_goes_to_round_numbers(lynx: Topic) -> None:
    (part,) = make_survey([lynx]).topics
    asked = {question.question_id: question for question in part.questions()}
    rng = np.random.default_rng(0)
    heaper = STEADY.replace(heaping=1.0, sd=2.0)
    values = draw_values(rng)
    graph = draw_graph(lynx, load_loadings()["topics"]["lynx"], values, rng)
    given = noisy_answers(latent_answers(graph, lynx, part, heaper), asked, heaper, rng)
    for key, value in given.items():
        assert value in ((1, 5, 10) if len(asked[key].scale.points) == 10 else (1, 3, 5))


@pytest.mark.parametrize("seed", range(6))
def test_answers_agree_with_the_closed_form(lynx: Topic, seed: int) -> None:
    """Noise-free answers, by matrix inversion instead of the library's engine."""
    rng = np.random.default_rng(seed)
    graph = draw_graph(lynx, load_loadings()["topics"]["lynx"], draw_values(rng), rng)
    style = draw_response_style(rng, 1.0)
    (part,) = make_survey([lynx]).topics
    latent = latent_answers(graph, lynx, part, style)

    names, n = list(graph.names), len(graph.names)
    s = names.index(graph.stance)
    strengths = graph.weight_matrix() * graph.confidence_matrix()
    level = np.array([concept.baseline for concept in graph.concepts])
    bias = level - strengths.T @ level
    total = np.linalg.inv(np.eye(n) - strengths)[:, s]
    assert habit(graph) == pytest.approx(bias[s])

    def world(do: dict[str, float], openness: float) -> Any:
        cut, push = strengths.copy(), bias.copy()
        push[s] *= 1 - openness
        for name, value in do.items():
            cut[:, names.index(name)] = 0
            push[names.index(name)] = value
        return np.linalg.solve(np.eye(n) - cut.T, push)

    done = interventions(lynx, graph)
    reasons = {reason_codes(lynx)[reason["id"]]: reason for reason in lynx["reasons"]}
    for question in part.questions():
        values = level
        if question.scenario_id is not None:
            do = done[question.scenario_id]
            matters = any(total[names.index(name)] != 0 for name in do)
            after = world(do, style.openness if matters else 0.0)
            unmoved = abs(after[s] - level[s]) <= style.inertia
            assert latent[question.question_id].unmoved == unmoved
            values = level if unmoved else after
        if question.task == "bdu_stance":
            expected = 5.5 + style.acquiescence + 4.5 * style.stretch * values[s]
        else:
            reason = reasons[str(question.reason_code)]
            held = reason["concept"] in names
            pull = 0.3 * values[s]
            if held:
                i = names.index(reason["concept"])
                pull += 1.5 * total[i] * values[i]
            expected = 1.6 + 0.5 * held + style.acquiescence / 2 + 4 * reason["polarity"] * pull
        assert latent[question.question_id].value == pytest.approx(expected, abs=1e-9)
    asked = {question.question_id: question for question in part.questions()}
    for key, value in noise_free_answers(latent, asked).items():
        low, high = asked[key].scale.low, asked[key].scale.high
        assert value == min(max(round(latent[key].value), low), high)


def by_hand(level: float = 0.0) -> bg.BeliefGraph:
    """Sheep losses, expected at 0.5, count against the return of the lynx."""
    stance = "Support for the return of the lynx"
    return bg.BeliefGraph(
        stance=stance,
        concepts=(
            bg.Concept(name="Sheep Losses", baseline=0.5),
            bg.Concept(name="Farm Incomes", baseline=-0.25),
            bg.Concept(name=stance, baseline=level),
        ),
        influences=(
            bg.Influence(source="Sheep Losses", target="Farm Incomes", weight=-0.5),
            bg.Influence(source="Farm Incomes", target=stance, weight=0.8, confidence=0.5),
        ),
        topic="lynx",
    )


def test_a_scenario_by_hand(lynx: Topic) -> None:
    # Two flocks lose lambs: do(Sheep Losses = 0.6), 0.1 above what was expected; on Farm Incomes
    # -0.05, on the stance -0.05 * 0.8 * 0.5 = -0.02, on the answer 4.5 * -0.02.
    (part,) = make_survey([lynx]).topics
    latent = latent_answers(by_hand(), lynx, part, STEADY)
    assert latent["lynx_1"].value == pytest.approx(5.5)
    assert latent["lynx_5"].value == pytest.approx(5.5 - 0.09)


def test_openness_does_away_with_habit(lynx: Topic) -> None:
    # Incomes account for -0.25 * 0.4 = -0.1 of a stance of 0.3, so habit is 0.4.
    graph = by_hand(0.3)
    assert habit(graph) == pytest.approx(0.4)
    (part,) = make_survey([lynx]).topics
    latent = latent_answers(graph, lynx, part, STEADY.replace(openness=0.5))
    assert latent["lynx_5"].value == pytest.approx(5.5 + 4.5 * (0.3 - 0.02 - 0.2))
    # forty lynx rather than twelve: nothing that this person thinks in
    assert latent["lynx_3"].value == latent["lynx_1"].value


def test_a_scenario_that_answers_a_worry_takes_it_away(lynx: Topic) -> None:
    graph = by_hand()
    assert interventions(lynx, graph)["lynx_2"] == {"Farm Incomes": 0.0}
    hopeful = graph.replace(
        concepts=tuple(c.replace(baseline=abs(c.baseline)) for c in graph.concepts)
    )
    assert interventions(lynx, hopeful)["lynx_2"] == {}


def test_inertia_keeps_the_answer(lynx: Topic) -> None:
    (part,) = make_survey([lynx]).topics
    latent = latent_answers(by_hand(), lynx, part, STEADY.replace(inertia=0.03))
    assert latent["lynx_5"].unmoved
    assert latent["lynx_5"].value == latent["lynx_1"].value


def test_a_share_of_stances_stays_the_same() -> None:
    """Real people give the same answer after a third and more of the scenarios."""
    people = generate_people(25, 2, seed=5, signs_a_topic=0)
    same = [
        answers[f"{topic}_{number}"] == answers[f"{topic}_1"]
        for answers in people.first.values()
        for topic in ("bus_lanes", "phone_free_schools")
        for number in range(2, 7)
    ]
    assert 0.4 < np.mean(same) < 0.8


# values


def stances(carry_over: float, n: int = 200) -> tuple[Any, Any]:
    """Return stance levels (n, 2) and one value (n, 2) on two topics that load alike."""
    topics, loadings = topics_by_id(), load_loadings()["topics"]
    rng = np.random.default_rng(11)
    levels, trust = [], []
    for _ in range(n):
        values = draw_values(rng)
        own = [draw_topic_values(values, carry_over, rng) for _ in range(2)]
        graphs = [
            draw_graph(topics[key], loadings[key], there, rng)
            for key, there in zip(("bus_lanes", "wind_farm"), own, strict=True)
        ]
        levels.append([g.concept(g.stance).baseline for g in graphs])
        trust.append([there["trust"] for there in own])
    return np.array(levels), np.array(trust)


def test_values_carry_across_topics() -> None:
    levels, trust = stances(0.8)
    assert np.corrcoef(trust.T)[0, 1] == pytest.approx(0.8, abs=0.08)
    assert np.corrcoef(levels.T)[0, 1] > 0.2


def test_nothing_carries_where_it_should_not() -> None:
    levels, trust = stances(0.0)
    # 3 standard errors of a correlation of 0 among 200 people
    assert abs(np.corrcoef(trust.T)[0, 1]) < 3 / np.sqrt(200)
    assert abs(np.corrcoef(levels.T)[0, 1]) < 3 / np.sqrt(200)


def test_demographics_correlate_weakly_with_values() -> None:
    rng = np.random.default_rng(2)
    drawn = [(values, draw_demographics(values, rng)) for values in map(draw_values, [rng] * 2000)]
    owns = np.array([d["housing"] == "owns" for _, d in drawn])
    money = np.array([values["money"] for values, _ in drawn])
    assert owns.mean() == pytest.approx(0.55, abs=0.05)
    assert 0.05 < np.corrcoef(owns, money)[0, 1] < 0.35
    assert all(set(d) == set(drawn[0][1]) for _, d in drawn)


def test_loadings_name_the_concepts_of_every_topic() -> None:
    loadings = load_loadings()
    for topic in load_topics():
        own = loadings["topics"][topic["id"]]
        assert set(own["concepts"]) == {concept["label"] for concept in topic["concepts"]}
        for weights in (own["stance"], *own["concepts"].values()):
            assert weights
            assert set(weights) <= set(loadings["values"])


def test_graphs_are_those_of_people(lynx: Topic) -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        graph = draw_graph(lynx, load_loadings()["topics"]["lynx"], draw_values(rng), rng)
        assert graph.intervenable == tuple(name for name in graph.names if name != graph.stance)
        assert 8 <= len(graph.concepts) - 1 <= 11
        assert 1 <= opening_level(graph) <= 10
        pairs = zip(true_edges(graph), graph.influences, strict=True)
        sizes = {edge.strength: abs(influence.weight) for edge, influence in pairs}
        assert sizes.get("weak", 0.1) < sizes.get("unstated", 0.5) < sizes.get("strong", 0.9)


# speaking


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)


def test_the_two_banks_share_no_phrase() -> None:
    one, other = (set(leaves(load_bank(which))) for which in ("development", "held_out"))
    shared = len(one & other)  # a number: a failure must not show a held-out phrase
    assert shared == 0
    assert min(len(one), len(other)) > 100


def spoken(style: Style) -> list[str]:
    study = generate_people(6, 1, seed=2, styles={style: 1.0})
    assert {person.speaking_style for person in study.truth.people.values()} == {style}
    return [turn.answer for turns in study.truth.turns.values() for turn in turns]


def test_styles_differ_as_described() -> None:
    said = {style: spoken(style) for style in get_args(Style)}
    words = {style: np.mean([len(a.split()) for a in said[style]]) for style in said}
    assert words["terse"] < words["plain"] < words["talkative"]
    assert not any(mark in answer for answer in said["speech"] for mark in ".,?!")
    assert all(answer == answer.lower() for answer in said["speech"])
    assert all(answer.endswith((".", "?", "!")) for answer in said["clean"])
    assert words["hedged"] > words["clean"]


def test_contradictions_and_strays_stand_in_the_truth() -> None:
    def strays(style: Style) -> float:
        study = generate_people(8, 1, seed=2, styles={style: 1.0})
        turns = [turn for turns in study.truth.turns.values() for turn in turns]
        return float(np.mean([turn.kind == "off_topic" for turn in turns]))

    contradictory = generate_people(4, 1, seed=2, styles={"contradictory": 1.0})
    reversed_turns = [
        turn
        for turns in contradictory.truth.turns.values()
        for turn in turns
        if turn.kind != "open" and {truth[2] for truth in turn.truths} == {-1, 1}
    ]
    assert len(reversed_turns) >= 4
    hidden = {(s.participant, s.qa_id) for s in contradictory.truth.signs.values()}
    for (who, _), turns in contradictory.truth.turns.items():
        for number, turn in enumerate(turns, start=1):
            if turn in reversed_turns:
                assert (who, str(number)) not in hidden
    assert strays("off_topic") > 2 * strays("plain")


def test_the_mix_of_styles_is_kept() -> None:
    study = generate_people(40, 1, seed=1, styles={"plain": 3, "terse": 1}, signs_a_topic=0)
    styles = [person.speaking_style for person in study.truth.people.values()]
    assert set(styles) == {"plain", "terse"}
    # 30 of 40 are expected; 3 standard deviations are 8
    assert 22 <= styles.count("plain") <= 38


# who knows the truth


def test_own_graphs_reach_the_ceiling_and_shuffled_ones_do_not() -> None:
    people = generate_people(20, 2, seed=6)
    predictors: dict[str, Predictor] = {
        "own": TruthPredictor(people),
        "shuffled": TruthPredictor(people, "shuffled"),
        "retest": RetestPredictor(people),
    }
    figures = {
        name: bootstrap(evaluate(predictor, people.items).outcomes, n_resamples=200)
        for name, predictor in predictors.items()
    }
    for metric in ("bsi_acc", "bdu_acc", "bdu_dir_acc"):
        own, other, ceiling = (figures[n].interval(metric) for n in ("own", "shuffled", "retest"))
        assert own.value >= ceiling.value
        assert other.high < own.low
        # directions hang on one baseline answer a person: 20 people do not tell them from a retest
        assert other.high < ceiling.low or metric == "bdu_dir_acc"
    assert figures["own"].interval("bdu_mae").value <= figures["retest"].interval("bdu_mae").low
    assert figures["shuffled"].interval("bdu_mae").low > figures["retest"].interval("bdu_mae").high


def test_predictors_read_the_folder(study: SyntheticStudy, folder: Path) -> None:
    items = read_items(folder / "items")
    for given, read in (
        (TruthPredictor(study), TruthPredictor(folder)),
        (TruthPredictor(study, "shuffled", 5), TruthPredictor(folder, "shuffled", 5)),
        (RetestPredictor(study), RetestPredictor(folder)),
    ):
        for item in list(items)[::20]:
            person = items.people[item.participant]
            assert given.predict(item, person) == read.predict(item, person)


def test_the_own_graph_gives_the_noise_free_answers(study: SyntheticStudy) -> None:
    own, retest = TruthPredictor(study), RetestPredictor(study)
    for item in study.items:
        person = study.items.people[item.participant]
        truth = study.truth.people[item.participant]
        if item.question.task == "bsi":
            sign = study.truth.signs[item.item_id]
            expected: tuple[int, int] = (sign.held, sign.second)
        else:
            key = item.question.question_id
            expected = (truth.noise_free[key], study.second[item.participant][key])
        assert own.predict(item, person).value == expected[0]
        assert retest.predict(item, person).value == expected[1]


def test_a_shuffled_sign_that_no_graph_holds_has_no_answer(study: SyntheticStudy) -> None:
    shuffled = TruthPredictor(study, "shuffled")
    signs = [item for item in study.items if item.question.task == "bsi"]
    given = [shuffled.predict(item, study.items.people[item.participant]) for item in signs]
    without = [prediction for prediction in given if prediction.value is None]
    assert without
    assert len(without) < len(given)
    assert all("says nothing of" in str(prediction.could_not) for prediction in without)


def test_predictors_refuse_what_they_do_not_know(study: SyntheticStudy, tmp_path: Path) -> None:
    item = next(item for item in study.items if item.question.task == "bsi")
    person = study.items.people[item.participant]
    with pytest.raises(SurveyError, match="knows nobody called 'X9'"):
        TruthPredictor(study).predict(item.replace(participant="X9"), person)
    with pytest.raises(SurveyError, match="no sign of item 'other'"):
        TruthPredictor(study).predict(item.replace(item_id="other"), person)
    with pytest.raises(SurveyError, match=r"truth/people\.jsonl"):
        TruthPredictor(tmp_path).predict(item, person)
    with pytest.raises(SurveyError, match="graph must be one of"):
        TruthPredictor(study, "mixed")  # type: ignore[arg-type]
    alone = generate_people(1, 1)
    with pytest.raises(SurveyError, match="one person cannot be shuffled"):
        TruthPredictor(alone, "shuffled").predict(next(iter(alone.items)), person)


# selection


def test_selection_keeps_mostly_what_a_guess_misses() -> None:
    whole, kept = (generate_people(20, 1, seed=9, selection=on) for on in (False, True))
    ids = {item.item_id for item in kept.items}
    assert ids < {item.item_id for item in whole.items}
    assert kept.first == whole.first
    asked: dict[str, list[tuple[str, int]]] = {}
    for each in whole.items.answered:
        if each.item.question.task == "bdu_stance":
            found = asked.setdefault(each.item.question.question_id, [])
            found.append((each.item.item_id, each.values[0]))
    shares: dict[bool, list[bool]] = {True: [], False: []}
    for answers in asked.values():
        middle = sorted(value for _, value in answers)[(len(answers) - 1) // 2]
        for item_id, value in answers:
            shares[abs(value - middle) <= 2].append(item_id in ids)
    assert np.mean(shares[False]) > 2 * np.mean(shares[True])


# arguments and the command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_people": 0}, "n_people must be at least 1, got 0"),
        ({"n_topics": 7}, r"n_topics must be in 1\.\.6, got 7"),
        ({"noise": -1}, "noise must be"),
        ({"carry_over": 1.5}, "carry_over must be from 0 to 1"),
        ({"signs_a_topic": -1}, "signs_a_topic must be at least 0"),
        ({"bank": "other"}, "bank must be"),
        ({"styles": {"plane": 1}}, "Did you mean 'plain'"),
        ({"styles": {"plain": -1}}, "share of 'plain' must be >= 0"),
        ({"styles": {"plain": 0}}, "are all 0"),
    ],
)
def test_arguments_are_checked(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SurveyError, match=message):
        generate_people(**{"n_people": 1, **arguments})


def test_the_command_writes_the_study(tmp_path: Path) -> None:
    where = tmp_path / "made"
    options = ["--people", "2", "--topics", "1", "--seed", "7", "--styles", "speech=2,plain"]
    done = CliRunner().invoke(main, ["synth", *options, "-o", str(where)])
    assert done.exit_code == 0, done.output
    assert "2 people, 1 topic, " in done.output
    made = write_study(
        generate_people(2, 1, 7, styles={"speech": 2, "plain": 1}), tmp_path / "in Python"
    )
    assert files_of(where) == files_of(made)


def test_the_command_overwrites_nothing(tmp_path: Path) -> None:
    kept = tmp_path / "notes.txt"
    kept.write_text("mine")
    done = CliRunner().invoke(main, ["synth", "--people", "1", "-o", str(tmp_path)])
    assert done.exit_code == 2
    assert "new or empty folder" in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(SurveyError, match="new or empty folder"):
        write_study(generate_people(1, 1), tmp_path)


@pytest.mark.parametrize(
    ("styles", "message"),
    [("plane", "Did you mean 'plain'"), ("plain=much", "must be a number, got 'much'")],
)
def test_the_command_checks_styles(tmp_path: Path, styles: str, message: str) -> None:
    out = str(tmp_path / "x")
    done = CliRunner().invoke(main, ["synth", "--styles", styles, "-o", out])
    assert done.exit_code == 2
    assert message in done.output


# the benchmarks


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table(text: str) -> dict[str, list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ") and line[2:3] != "|"]
    return {line.split(" | ")[0][2:]: line.strip("| ").split(" | ")[1:] for line in lines}


def test_the_ceiling_in_small(capsys: pytest.CaptureFixture[str]) -> None:
    load("synthetic_ceiling").main(["--people", "6", "--topics", "1", "--draws", "9"])
    rows = table(capsys.readouterr().out)
    assert len(rows) == 6
    values = {name: [float(cell.split()[0]) for cell in row] for name, row in rows.items()}
    assert values["own graph"][0] == values["ceiling (median)"][0]
    assert values["shuffled graph"][1] < values["own graph"][1]


def test_realism_beside_real_items(hugagent: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load("synthetic_realism").main(["--items", str(hugagent), "--people", "6"])
    rows = table(capsys.readouterr().out)
    assert rows["people"][1:] == ["6", "6"]
    words = [float(cell) for cell in rows["words an answer, mean"]]
    assert words[0] / 2 < words[1] < words[0] * 2
    real, made, _ = (int(cell.split("%")[0]) for cell in rows["turns that probe one influence"])
    assert abs(real - made) < 10
    turns = [int(cell.split(", ")[1]) for cell in rows["turns an interview (10%, 50%, 90%)"]]
    assert abs(turns[0] - turns[1]) < 5
