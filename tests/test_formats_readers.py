"""Every format reads as what it is: turns, numbers, people, tutorial, and what was left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import beliefgraph as bg
from beliefgraph.formats.json import save_transcript
from beliefgraph.formats.rows import is_tutorial

DATA = Path(__file__).with_name("data")
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def make(text: str, name: str = "interview") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", newline="")
        return path

    return make


def pairs(transcript: bg.Transcript) -> list[tuple[str, str, str]]:
    return [(turn.qa_id, turn.question, turn.answer) for turn in transcript.turns]


def left_out(transcript: bg.Transcript) -> list[tuple[str, str]]:
    return [(item.where, item.text) for item in transcript.left_out]


def test_tyt_sample() -> None:
    t = bg.read_transcript(DATA / "tyt_session.csv", topic="bus lanes")
    assert (t.format, t.participant, t.topic) == ("tyt", "EXAMPLE0000000000000001", "bus lanes")
    assert [turn.qa_id for turn in t.turns] == [str(n) for n in range(1, 13)]
    assert [turn.qa_id for turn in t.turns if turn.role == "tutorial"] == ["1", "2"]
    assert t.turn("3").answer.endswith("single morning\nand I'm late because of it.")
    assert t.left_out == ()
    assert t.demographics == {}


def test_tyt_tutorial_is_told_by_its_text_not_its_row(write: Write) -> None:
    text = (DATA / "tyt_session.csv").read_text()
    head = text.partition("1,Welcome")[0]
    body = text.removeprefix(head).splitlines(keepends=True)
    moved = head + "".join([*body[2:], "\n", "13,You're all set. Are you ready to begin?,yes\n"])
    t = bg.read_transcript(write(moved))
    assert [turn.qa_id for turn in t.turns if turn.role == "tutorial"] == ["13"]


@pytest.mark.parametrize(
    ("question", "tutorial"),
    [
        ("Are you ready to begin?", True),
        ("For text input, press send. Would you like to try text input now?", True),
        ("You can switch between voice and text. Feel comfortable with the system now?", True),
        ("Now you are ready to start the interview. Let's start with our first question.", True),
        ("Are you ready to begin paying more for buses?", False),
        ("We're ready to begin the interview. To what extent do you support bus lanes?", False),
        ("Should teachers guide pupils through typing?", False),
        ("", False),
    ],
)
def test_tutorial_wording(question: str, tutorial: bool) -> None:
    assert is_tutorial(question) is tutorial


@pytest.mark.parametrize(
    ("name", "person"), [("hugagent_v1_items.jsonl", "P99"), ("hugagent_old_items.jsonl", "exampl")]
)
def test_hugagent_samples_are_the_union_of_their_versions(name: str, person: str) -> None:
    t = bg.read_transcript(DATA / name)
    assert (t.format, t.participant, t.topic) == ("hugagent", person, "zoning")
    assert [turn.qa_id for turn in t.turns] == [str(n) for n in range(1, 11)]
    assert t.turn("3").answer == "positive and strong"
    assert t.merged_versions == 2
    assert t.demographics["age"] == "41"


def test_a_version_alone_does_not_show_what_it_hides(write: Write) -> None:
    first = (DATA / "hugagent_v1_items.jsonl").read_text().splitlines()[0]
    t = bg.read_transcript(write(first))
    assert t.merged_versions == 1
    assert "3" not in [turn.qa_id for turn in t.turns]


def test_hugagent_conflicts_and_broken_lines_are_kept(write: Write) -> None:
    def item(person: object, answer: object) -> str:
        qas = [{"question_number": 1, "question": "Why?", "answer": answer}]
        return json.dumps({"participant_id": person, "topic": "t", "context_qas": qas})

    lines = [item("P1", "a"), '{"participant_id": "P1", "conte', item("P1", "b"), item(None, "c")]
    t = bg.read_transcript(write("\n".join([*lines, item("P1", 3)])))
    assert pairs(t) == [("1", "Why?", "a")]
    assert t.merged_versions == 3
    assert [item.where for item in t.left_out] == [
        "line 3, context_qas 1",
        "line 5, context_qas 1",
        "line 2",
        "line 4",
    ]
    assert "not JSON" in t.left_out[2].why


@pytest.mark.parametrize(
    "text",
    [
        '[{"question": "Q1", "answer": "A1"}, {"Question": "Q2", "Answer": "A2"}]',
        '{"question": "Q1", "answer": "A1"}\n{"question": "Q2", "answer": "A2"}\n',
        '{"turns": [{"question": "Q1", "answer": "A1"}, {"question": "Q2", "answer": "A2"}]}',
        '[["Q1", "A1"], ["Q2", "A2"]]',
        '["Q1", "A1"]\n["Q2", "A2"]',
        '\ufeff[["Q1", "A1"],\r\n ["Q2", "A2"]]',
    ],
)
def test_pairs(write: Write, text: str) -> None:
    t = bg.read_transcript(write(text))
    assert t.format == "pairs"
    assert pairs(t) == [("1", "Q1", "A1"), ("2", "Q2", "A2")]
    assert t.left_out == ()


def test_pairs_with_metadata_and_numbers(write: Write) -> None:
    turns = [
        {"qa_id": "a", "question": "Q1", "answer": "A1", "seconds": 3},
        {"id": 7, "question": "Q2", "answer": "A2", "role": "tutorial"},
        {"question": "Q3", "answer": "A3"},
    ]
    about = {"participant": "P1", "topic": "buses", "demographics": {"age": 41, "job": None}}
    t = bg.read_transcript(write(json.dumps({**about, "turns": turns})))
    assert pairs(t) == [("a", "Q1", "A1"), ("7", "Q2", "A2"), ("3", "Q3", "A3")]
    assert (t.participant, t.topic, t.demographics) == ("P1", "buses", {"age": "41", "job": ""})
    assert t.turn("7").role == "tutorial"
    assert left_out(t) == [("keys", "seconds")]


def test_json_that_half_parses_gives_the_good_turns(write: Write) -> None:
    lines = ['{"question": "Q1", "answer": "A1"}', '{"question": "Q2", "answ', '{"question": "Q3"}']
    t = bg.read_transcript(write("\n".join([*lines, '{"question": "Q4", "answer": "A4"}'])))
    assert pairs(t) == [("1", "Q1", "A1"), ("4", "Q4", "A4")]
    assert sorted(left_out(t))[0] == ("line 2", '{"question": "Q2", "answ')
    assert {item.where for item in t.left_out} == {"line 2", "line 3"}


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('[\n  {"question": "Q1", "answer": "A1"},\n  {"question": "Q2", "ans', "item 2"),
        ('[{"question": "Q1", "answer": "A1"}, {"question" "Q2"}, ["Q3", "A3"]]', "item 2"),
        ('[{"question": "Q1", "answer": "A1"},', "end of the file"),
        ('[{"question": "Q1", "answer": "A1"}, {"question": "Q", "answer": "\\ud800"}]', "item 2"),
        ('[{"question": "Q1", "answer": "A1"}, {"question": "a", "question": "b"}]', "item 2"),
        ('[{"question": "Q1", "answer": "A1"}] and more', "line 1"),
    ],
)
def test_a_broken_json_list_gives_the_good_turns(write: Write, text: str, where: str) -> None:
    t = bg.read_transcript(write(text))
    assert t.turns[0].answer == "A1"
    assert where in [item.where for item in t.left_out]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_plain_csv(write: Write, delimiter: str) -> None:
    rows = [("ANSWER", "id", "Question"), ('"yes\r\n""no"" "', "x1", "Why?"), ("b", "x2", "How?")]
    t = bg.read_transcript(write("\r\n".join(delimiter.join(row) for row in rows)))
    assert t.format == "csv"
    assert pairs(t) == [("x1", "Why?", 'yes\r\n"no" '), ("x2", "How?", "b")]


def test_csv_rows_that_are_none_are_left_out(write: Write) -> None:
    rows = ["question,answer,mood", "Q1,A1,", "Q2", '"Q3,A3,', "Q4,I do, yes,mostly", ",,", "Q5,,"]
    t = bg.read_transcript(write("\n".join(rows)))
    assert [turn.question for turn in t.turns] == ["Q1", "Q5"]
    found = {item.where: item.why for item in t.left_out}
    assert set(found) == {"line 3", "line 4", "line 5", "columns"}
    assert "missing cells: 1 of 3" in found["line 3"]
    assert "quotation marks" in found["line 4"]
    assert "must stand in quotes" in found["line 5"]


def test_csv_answer_with_an_unquoted_comma_is_left_out_not_cut(write: Write) -> None:
    t = bg.read_transcript(write("question,answer\nQ1,A1\nQ2,I do, mostly\n"))
    assert [turn.question for turn in t.turns] == ["Q1"]
    assert left_out(t) == [("line 3", "Q2, I do,  mostly")]


def test_text_with_several_lines_and_paragraphs(write: Write) -> None:
    text = (
        "A chat, 3 May\nParticipant: P07\nTopic: phones\n\n"
        "Interviewer: Why?\n\nINTERVIEWER: I mean, why phones?\n"
        "P07: Well,\r\n\r\n  they distract. Note: not mine.\nhttps://example.org\nP07: And more.\n"
        "[00:12] Interviewer: Else?\n**P07:** \n"
        "Interviewer: Bye.\n"
    )
    t = bg.read_transcript(write(text))
    assert (t.format, t.participant, t.topic) == ("text", "P07", "phones")
    answer = "Well,\n\n  they distract. Note: not mine.\nhttps://example.org\nAnd more."
    assert pairs(t) == [("1", "Why?\nI mean, why phones?", answer), ("2", "Else?", "")]
    assert left_out(t) == [("line 1", "A chat, 3 May"), ("line 15", "Bye.")]


@pytest.mark.parametrize(
    ("text", "person"),
    [
        ("Q: x\nA: y\nQ: z\nA: w", None),
        ("q1. x".replace(".", ":") + "\na1: y\nq2: z\na2: w", None),
        ("Interviewer: x\nP07: y\nInterviewer: z\nP07: w", "P07"),
        ("Question: x\nParticipant 3: y\nQuestion: z\nParticipant 3: w", "Participant 3"),
        ("Anna: x\nBen Li: y\nAnna: z\nBen Li: w", "Ben Li"),
        ("Speaker 1: x\nSpeaker 2: y\nSpeaker 1: z\nSpeaker 2: w", "Speaker 2"),
        ("Dr. Roe: x\nP07: y\nDr. Roe: z\nP07: w", "P07"),
    ],
)
def test_speaker_labels(write: Write, text: str, person: str | None) -> None:
    t = bg.read_transcript(write(text))
    assert pairs(t) == [("1", "x", "y"), ("2", "z", "w")]
    assert t.participant == person


def test_numbered_questions_keep_their_numbers(write: Write) -> None:
    t = bg.read_transcript(write("Q3: x\nA3: y\nQ5: unanswered\nQ8: z\nA8: w"))
    assert pairs(t) == [("3", "x", "y"), ("8", "z", "w")]
    assert left_out(t) == [("line 3", "unanswered")]


def test_a_third_speaker_is_never_the_person(write: Write) -> None:
    asked = "".join(f"Interviewer: q{n}\nP07: a{n}\n" for n in range(3))
    t = bg.read_transcript(write(asked + "Mother: She does not.\n"))
    assert t.turns[-1].answer == "a2"
    assert left_out(t) == [("line 7", "She does not.")]
    assert "'Mother'" in t.left_out[0].why
    both = write(asked + "Interviewer: both?\nP08: yes\nP07: no\nInterviewer: P08?\nP08: hm\n")
    with pytest.raises(bg.TranscriptError, match=r"2 interviews; participants: P07, P08"):
        bg.read_transcript(both)
    t = bg.read_transcript(both, participant="P08")
    assert pairs(t) == [("1", "both?", "yes"), ("2", "P08?", "hm")]
    assert ("line 9", "no") in left_out(t)


def test_a_saved_transcript_is_read_whole(tmp_path: Path) -> None:
    t = bg.read_transcript(DATA / "hugagent_v1_items.jsonl")
    save_transcript(t, tmp_path / "t.json")
    assert bg.read_transcript(tmp_path / "t.json") == t
