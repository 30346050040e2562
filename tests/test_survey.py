"""Scales, questions, people, and survey files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import beliefgraph as bg
from beliefgraph.survey import (
    SIGN_SCALE,
    Item,
    Person,
    Prediction,
    Question,
    Response,
    Scale,
    Survey,
    read_survey,
    write_survey,
)
from beliefgraph.transcript import Transcript

FULL = """
name: Trams
topics:
  - topic: trams
    stance:
      id: 1.10
      text: How far do you support trams?
      scale: [1, 7]
    reasons:
      NO: They are loud.
      Y: They are fast.
    reason_scale: [0, 4]
    reason_text: How much does it count?
    baseline_reasons: [Y]
    experience:
      - {id: 007, text: "How often do you ride?"}
    scenarios:
      - id: free
        scenario: Trams are free.
        text: And now?
        reasons: [NO, Y]
"""


@pytest.fixture
def survey_file(tmp_path: Path) -> Any:
    def write(text: str, name: str = "survey.yaml") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_survey_file_gives_every_question_once(survey_file: Any) -> None:
    survey = read_survey(survey_file(FULL))
    asked = {q.question_id: q for q in survey.questions()}
    assert list(asked) == ["1.10", "1.10r_Y", "007", "free", "freer_NO", "freer_Y"]
    assert [q.role for q in asked.values()] == [
        "baseline",
        "baseline",
        "experience",
        "scenario",
        "scenario",
        "scenario",
    ]
    assert asked["1.10"].scale == Scale.between(1, 7)
    assert asked["007"].scale == Scale.between(1, 10)
    assert asked["freer_NO"].scale == Scale.between(0, 4)
    assert asked["freer_NO"].text == "Trams are free. How much does it count? They are loud."
    assert asked["freer_NO"].reason_code == "NO"  # not False, as YAML has it
    assert asked["free"].scenario == "Trams are free."


def test_json_and_yaml_are_the_same_survey(survey_file: Any, tmp_path: Path) -> None:
    survey = read_survey(survey_file(FULL))
    text = json.dumps(survey.model_dump(mode="json"), indent=1)
    assert read_survey(survey_file(text, "survey.json")) == survey
    write_survey(survey, tmp_path / "again.yaml")
    assert read_survey(tmp_path / "again.yaml") == survey


def test_fields_left_empty_are_as_if_they_were_not_there(survey_file: Any) -> None:
    text = "topics:\n - topic: t\n   stance: {id: a, text: b}\n   scenarios:\n   experience: null\n"
    (topic,) = read_survey(survey_file(text)).topics
    assert (topic.scenarios, topic.experience) == ((), ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FULL.replace("reason_scale", "reason_scales"), "topics 1: there is no field "
         "'reason_scales'. Did you mean 'reason_scale'"),
        (FULL.replace("text: And", "texts: And"), "scenarios 1: there is no field 'texts'"),
        (FULL.replace("[NO, Y]", "[NA]"), "scenario 'free': no reason has the code 'NA'"),
        (FULL.replace("007", "1.10"), "two questions have the id '1.10'"),
        (FULL.replace("[1, 7]", "[7, 1]"), "a scale must ascend, got 7 to 1"),
        (FULL.replace("[1, 7]", "[1, high]"), "valid integer.*got 'high'"),
        (FULL.replace("Y: They", "NO: They"), "line 11: the key 'NO' stands twice"),
        (FULL.replace("topics:", "topics: ["), "survey.yaml, line .*not YAML"),
        ("{'topics': 1}", "survey.yaml, line 1, column 2: not JSON"),
        ("trams", "a survey is a mapping with 'topics'"),
        ("name: x", "topics: Field required"),
        ("topics: []", "at least 1 item"),
    ],
)  # fmt: skip
def test_a_broken_survey_says_where(survey_file: Any, text: str, message: str) -> None:
    path = survey_file(text)
    with pytest.raises(bg.SurveyError, match=message) as error:
        read_survey(path)
    assert str(path) in str(error.value)


def test_a_missing_survey_file_suggests_the_nearest(survey_file: Any, tmp_path: Path) -> None:
    survey_file(FULL)
    with pytest.raises(bg.SurveyError, match=r"Did you mean 'survey\.yaml'"):
        read_survey(tmp_path / "survy.yaml")


def test_a_topic_by_name() -> None:
    survey = Survey.model_validate(
        {"topics": [{"topic": "trams", "stance": {"id": "1", "text": "?"}}]}
    )
    assert survey.topic("trams").topic == "trams"
    with pytest.raises(bg.SurveyError, match="Did you mean 'trams'"):
        survey.topic("tram")


@pytest.mark.parametrize(
    ("scale", "tolerance", "middle"),
    [
        (SIGN_SCALE, 0, -1),
        (Scale.between(1, 3), 0, 2),
        (Scale.between(1, 5), 1, 3),
        (Scale.between(1, 7), 1, 4),
        (Scale.between(1, 10), 2, 5),
        (Scale.between(0, 10), 2, 5),
        (Scale.between(0, 100), 20, 50),
    ],
)
def test_tolerances_go_with_the_number_of_points(scale: Scale, tolerance: int, middle: int) -> None:
    assert (scale.tolerance, scale.middle) == (tolerance, middle)
    assert (scale.in_five(scale.low), scale.in_five(scale.high)) == (1, 5)


@pytest.mark.parametrize("value", [0, 11, 1.0, True, "5", None])
def test_answers_off_their_scale_are_refused(value: object) -> None:
    with pytest.raises(bg.SurveyError, match=r"here: must be one of 1\.\.10, got"):
        Scale.between(1, 10).check(value, "here")


def test_broken_scales_are_refused() -> None:
    with pytest.raises(bg.SurveyError, match="must ascend"):
        Scale(points=(1, 1, 2))
    with pytest.raises(bg.SurveyError, match="3 points has 1 labels"):
        Scale(points=(1, 2, 3), labels=("a",))


def question(**changes: Any) -> Question:
    given = {"question_id": "1", "topic": "t", "task": "bdu_stance", "text": "?"}
    return Question(**{**given, "scale": Scale.between(1, 10), **changes})


def test_questions_are_complete() -> None:
    with pytest.raises(bg.SurveyError, match="a sign is asked on"):
        question(task="bsi")
    with pytest.raises(bg.SurveyError, match="weighs a reason and names none"):
        question(task="bdu_reason")


def test_a_person_knows_the_own_baseline_stance_only() -> None:
    answers = (
        Response(question=question(question_id="2", role="scenario"), values=(9,)),
        Response(question=question(topic="other"), values=(3,)),
        Response(question=question(), values=(7,)),
    )
    person = Person(participant="P1", responses=answers)
    assert (person.stance("t"), person.stance("other"), person.stance("none")) == (7, 3, None)


def test_an_item_shows_question_and_context_and_no_answer() -> None:
    context = Transcript.from_pairs([("Why?", "So.")])
    item = Item(item_id="i", participant="P1", question=question(), context=context)
    assert set(item.model_dump()) == {"item_id", "participant", "question", "context"}
    assert (item.topic, item.scale) == ("t", Scale.between(1, 10))


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "either a value or the reason"),
        ({"value": 1, "could_not": "no"}, "either a value or the reason"),
        ({"value": 1, "distribution": (0.5, 0.4)}, "sum to 1"),
        ({"value": 1, "distribution": (1.5, -0.5)}, "non-negative"),
    ],
)
def test_a_prediction_is_an_answer_or_a_reason(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(bg.SurveyError, match=message):
        Prediction(**fields)


def test_a_prediction_fits_its_scale() -> None:
    scale = Scale.between(1, 2)
    assert Prediction(value=2, distribution=(0.25, 0.75)).check(scale, "here").value == 2
    assert Prediction(could_not="silent").check(scale, "here").value is None
    with pytest.raises(bg.SurveyError, match=r"here: must be one of 1\.\.2, got 3"):
        Prediction(value=3).check(scale, "here")
    with pytest.raises(bg.SurveyError, match="needs 2 probabilities, got 1"):
        Prediction(value=1, distribution=(1.0,)).check(scale, "here")
