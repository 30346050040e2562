"""A study of your own: survey, responses, interviews and signs become items."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import beliefgraph as bg
from beliefgraph.benchmark.items import SignAnswer, build_items, read_items
from beliefgraph.cli import main
from beliefgraph.survey import ItemSet, Survey, read_survey
from beliefgraph.transcript import Transcript

SURVEY = Survey.model_validate(
    {
        "topics": [
            {
                "topic": "night buses",
                "stance": {"id": "1.1", "text": "Support?"},
                "reasons": {"A": "Safer.", "B": "Dear."},
                "scenarios": [
                    {"id": "1.2", "text": "And now?", "scenario": "Fares fall.", "reasons": ["B"]}
                ],
            },
            {"topic": "parks", "stance": {"id": "2.1", "text": "Support?", "scale": [1, 5]}},
        ]
    }
)
WIDE = """Participant ID;1.1;1.1r_A;1.1r_B;1.2;1.2r_B;2.1
P_1;8;5;1;9;2;3
P2;3.0;NA;4;;5;
"""
LONG = """participant,question,value
P_1,1.1,8
P_1,1.1r_A,5
P_1,1.1r_B,1
P_1,1.2,9
P_1,1.2r_B,2
P_1,2.1,3
P2,1.1,3
P2,1.1r_A,
P2,1.1r_B,4
P2,1.2r_B,5
"""
INTERVIEW = "question_number,question,answer\n1,Why?,Because {who} likes {topic}.\n2,How?,Often.\n"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    interviews = tmp_path / "interviews"
    interviews.mkdir()
    for who, name, topic in (
        ("P_1", "P_1_night-buses", "night buses"),
        ("P_1", "P_1_Parks", "parks"),
        ("P2", "P2_night_buses", "night buses"),
    ):
        text = INTERVIEW.format(who=who, topic=topic)
        (interviews / f"{name}.csv").write_text(text)
    (tmp_path / "wide.csv").write_text(WIDE)
    (tmp_path / "long.csv").write_text(LONG)
    return tmp_path


def build(study: Path, responses: str = "wide.csv", **more: Any) -> ItemSet:
    return build_items(SURVEY, study / responses, study / "interviews", **more)


def answers(items: ItemSet) -> dict[tuple[str, str], int]:
    return {
        (each.item.participant, each.item.question.question_id): each.values[0]
        for each in items.answered
    }


@pytest.mark.parametrize("table", ["wide.csv", "long.csv"])
def test_every_answer_becomes_an_item(study: Path, table: str) -> None:
    items = build(study, table)
    assert answers(items) == {
        ("P_1", "1.1"): 8,
        ("P_1", "1.1r_A"): 5,
        ("P_1", "1.1r_B"): 1,
        ("P_1", "1.2"): 9,
        ("P_1", "1.2r_B"): 2,
        ("P_1", "2.1"): 3,
        ("P2", "1.1"): 3,
        ("P2", "1.1r_B"): 4,
        ("P2", "1.2r_B"): 5,
    }
    asked = {question.question_id: question for question in SURVEY.questions()}
    for each in items.answered:
        assert each.item.question == asked[each.item.question.question_id]
        first = each.item.context.turns[0].answer
        assert first == f"Because {each.item.participant} likes {each.item.topic}."
    missing = [part.where for part in items.left_out]
    assert len(missing) == 3
    assert all(("P2" in m or "line 3" in m or "line 9" in m) for m in missing)
    assert {name for m in missing for name in ("1.1r_A", "1.2'", "2.1") if name in m} == {
        "1.1r_A",
        "1.2'",
        "2.1",
    }


def test_answers_may_come_from_memory() -> None:
    interviews = [
        Transcript.from_pairs([("Why?", "So.")], participant="P1", topic="night buses"),
    ]
    items = build_items(SURVEY, {"P1": {"1.1": 4}}, interviews, {"P1": {"age": "30"}})
    assert answers(items) == {("P1", "1.1"): 4}
    assert items.people["P1"].demographics == {"age": "30"}
    assert len(items.left_out) == 5  # the questions without an answer
    with pytest.raises(bg.SurveyError, match=r"question '1\.1': must be one of 1\.\.10, got 0"):
        build_items(SURVEY, {"P1": {"1.1": 0}}, interviews)
    with pytest.raises(bg.SurveyError, match=r"question '1\.3': not in the survey"):
        build_items(SURVEY, {"P1": {"1.3": 4}}, interviews)
    with pytest.raises(bg.SurveyError, match="holds no answer"):
        build_items(SURVEY, {"P1": {}}, interviews)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (WIDE.replace(";8;", ";0;"), r"line 2, column '1\.1': .* one of 1\.\.10, got '0'"),
        (WIDE.replace(";8;", ";8.5;"), r"line 2, column '1\.1': .* got '8\.5'"),
        (WIDE.replace(";8;", ";high;"), r"column '1\.1': .*got 'high'\. Correct it, or leave"),
        (WIDE.replace("1.1r_A", "1.1r_C"), r"column '1\.1r_C': the survey has no .* Did you mean"),
        (WIDE.replace("Participant ID", "who"), "there is no column of participants"),
        (WIDE.replace("P2", "P_1"), r"line 3: participant 'P_1' has a row already \(.*line 2\)"),
        (WIDE.replace("P2;", ";"), "line 3: the row names no participant"),
        (WIDE.replace(";1.2;", ";1.1;"), r"a name of its own, got '1\.1' 2 times"),
        (WIDE.replace("P2;3.0;NA;4;;5;", "P2;3;2;4;5;5;4;1"), "line 3: 8 cells for 7 columns"),
        (WIDE.replace("P2;3.0;NA;4;;5;", "P2;3;2;4;5;5;4"), r"line 3, column '2\.1'.*no interview"),
        (WIDE.replace("P2", "P3"), "participant 'P3' has an answer .*nobody of that name"),
        (WIDE + 'P4;"3;1', "line 4: not a row of CSV"),
        (WIDE.splitlines()[0], "no rows follow the header"),
        (LONG.replace("P_1,1.2,", "P_1,1.22,"), r"line 5: the survey has no question '1\.22'"),
        (LONG.replace("1.2r_B,5", "1.2r_B,6"), r"line 11, question '1\.2r_B': .*got '6'"),
        (LONG + "P2,1.1,3\n", r"line 12: participant 'P2' has an answer to '1\.1' already"),
    ],
)
def test_a_broken_table_says_where(study: Path, table: str, message: str) -> None:
    (study / "wide.csv").write_text(table)
    with pytest.raises(bg.SurveyError, match=message) as error:
        build(study)
    assert str(study / "wide.csv") in str(error.value)


def test_an_absent_column_is_missing_for_everyone(study: Path) -> None:
    rows = [";".join(row.split(";")[:-1]) for row in WIDE.splitlines()]
    (study / "wide.csv").write_text("\n".join(rows))
    where = {part.where: part.why for part in build(study).left_out}
    assert where[f"{study / 'wide.csv'}, column '2.1'"] == "there is no such column"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("P9.csv", "says which person"),
        ("P9_trains.csv", "says which person"),
        ("_parks.csv", "says which person"),
        ("P2_NIGHT BUSES.csv", "'P2' has an interview on 'night buses' already"),
    ],
)
def test_interviews_must_say_whose_they_are(study: Path, name: str, message: str) -> None:
    (study / "interviews" / name).write_text(INTERVIEW)
    with pytest.raises(bg.SurveyError, match=message):
        build(study)


def test_with_one_topic_a_files_name_is_its_person(tmp_path: Path) -> None:
    survey = Survey(topics=SURVEY.topics[1:])
    (tmp_path / "P_1.csv").write_text(INTERVIEW)
    items = build_items(survey, {"P_1": {"2.1": 4}}, tmp_path)
    assert items.answered[0].item.context.topic == "parks"


def test_what_a_file_says_of_itself_counts_before_its_name(study: Path) -> None:
    said = {"participant": "P7", "topic": "parks", "turns": [{"question": "a", "answer": "b"}]}
    (study / "interviews" / "P_1_night-buses-again.json").write_text(json.dumps(said))
    items = build(study)
    assert [part.where for part in items.left_out if "interview" in part.why] == [
        "participant 'P7'"
    ]
    said["topic"] = "trains"
    (study / "interviews" / "P_1_night-buses-again.json").write_text(json.dumps(said))
    with pytest.raises(bg.SurveyError, match="its topic 'trains' is not in the survey"):
        build(study)


def test_demographics_are_the_persons(study: Path) -> None:
    path = study / "people.csv"
    path.write_text("participant,age,town\nP_1,30,NA\nP8,50,X\n")
    items = build(study, demographics=path)
    assert items.people["P_1"].demographics == {"age": "30"}
    assert items.people["P2"].demographics == {}
    assert ("participant 'P8'", "has demographics and no answer") in [
        (part.where, part.why) for part in items.left_out
    ]
    path.write_text("participant,age\nP_1,30\nP_1,31\n")
    with pytest.raises(bg.SurveyError, match="line 3: participant 'P_1' has a row already"):
        build(study, demographics=path)


SIGNS = "participant,topic,factor,outcome,sign,qa_id\nP_1,parks,shade,support for parks,{},{}\n"


@pytest.mark.parametrize(
    ("sign", "values"),
    [("positive", (1,)), ("-", (-1,)), ("A/B", (1, -1)), ("b", (-1,)), ("1", (1,))],
)
def test_a_sign_item_hides_its_turn_from_itself_only(
    study: Path, sign: str, values: tuple[int, ...]
) -> None:
    path = study / "signs.csv"
    path.write_text(SIGNS.format(sign, 2))
    items = build(study, signs=path)
    each = items.answered[-1]
    assert each.values == values
    assert (each.item.question.factor, each.item.question.outcome) == ("shade", "support for parks")
    assert [t.qa_id for t in each.item.context.turns] == ["1"]
    assert each.source is not None
    assert each.source.answer == "Often."
    assert "Often." not in json.dumps(each.item.model_dump())
    assert [t.qa_id for t in items.by_id["P_1-2.1"].item.context.turns] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SIGNS.format("good", 2), "line 2, column 'sign': 'good' is no sign"),
        (SIGNS.format("+", 3), r"line 2: .* has no turn '3'"),
        (SIGNS.format("+", 1).replace("shade", ""), "line 2: 'factor' is missing"),
        (SIGNS.format("+", 1).replace("parks,shade", "trains,shade"), "no interview on it"),
    ],
)
def test_a_broken_sign_says_where(study: Path, text: str, message: str) -> None:
    (study / "signs.csv").write_text(text)
    with pytest.raises(bg.SurveyError, match=message):
        build(study, signs=study / "signs.csv")


def test_signs_of_one_interview_are_numbered(study: Path) -> None:
    signs = [SignAnswer("P_1", "parks", f"cause {n}", "support", (1,)) for n in (1, 2)]
    signs.append(SignAnswer("P2", "night buses", "cause", "support", (-1,)))
    names = [each.item.item_id for each in build(study, signs=signs).answered[-3:]]
    assert names == ["P_1-parks-sign-1", "P_1-parks-sign-2", "P2-night buses-sign-1"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["build-items", *arguments])


def example(root: Path) -> list[str]:
    folder = root / "examples" / "study"
    return [
        *("--survey", f"{folder}/survey.yaml", "--responses", f"{folder}/responses.csv"),
        *("--transcripts", f"{folder}/transcripts"),
        *("--demographics", f"{folder}/demographics.csv", "--signs", f"{folder}/signs.csv"),
    ]


def test_the_command_writes_what_read_items_reads(root: Path, tmp_path: Path) -> None:
    result = run(*example(root), "-o", str(tmp_path / "items"), "--json")
    assert result.exit_code == 0, result.output
    summary = json.loads(result.stdout)
    items = read_items(tmp_path / "items")
    study = root / "examples" / "study"
    made = build_items(
        study / "survey.yaml",
        study / "responses.csv",
        study / "transcripts",
        study / "demographics.csv",
        signs=study / "signs.csv",
    )
    assert items.answered == made.answered
    assert items.people == made.people
    assert summary["items"] == len(items) == 34
    assert summary["by_task"] == dict(Counter(item.question.task for item in items))
    assert len(summary["left_out"]) == 5
    survey = read_survey(tmp_path / "items" / "survey.yaml")
    assert survey == read_survey(study / "survey.yaml")


def test_the_command_says_what_it_made_and_what_is_missing(root: Path, tmp_path: Path) -> None:
    result = run(*example(root), "-o", str(tmp_path / "items"))
    assert result.exit_code == 0
    assert "34 items of 3 people" in result.stdout
    assert result.stderr.count("no answer") == 5


def test_the_command_refuses_without_a_traceback(root: Path, study: Path) -> None:
    arguments = [*example(root), "-o", str(study / "items")]
    arguments[3] = str(study / "wide.csv")
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert "the survey has no such question" in result.stderr
    assert not (study / "items").exists()
    assert run(*example(root), "-o", str(study / "wide.csv")).exit_code == 2
    own = str(root / "examples" / "study")
    assert "holds the survey file itself" in run(*example(root), "-o", own).stderr
