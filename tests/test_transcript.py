"""Transcripts: numbers that can be cited, values that cannot change."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import given
from pydantic import ValidationError

from beliefgraph import LeftOut, Transcript, TranscriptError, Turn
from tests.strategies import transcripts


def test_from_pairs_numbers_from_one() -> None:
    t = Transcript.from_pairs([("Why?", "So."), ("How?", "")], participant="P1", topic="buses")
    assert [(turn.qa_id, turn.question, turn.answer) for turn in t.turns] == [
        ("1", "Why?", "So."),
        ("2", "How?", ""),
    ]
    assert t.turn("2").question == "How?"
    assert (t.merged_versions, t.left_out, t.demographics) == (1, (), {})


def test_numbers_are_unique() -> None:
    turn = Turn(qa_id="3", question="Why?", answer="So.")
    with pytest.raises(TranscriptError, match=r"turns 1 and 3 are both numbered '3'.*Renumber"):
        Transcript(turns=(turn, turn.replace(qa_id="4"), turn))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"qa_id": "", "question": "q", "answer": "a"}, "qa_id"),
        ({"qa_id": 1, "question": "q", "answer": "a"}, r"qa_id.*valid string.*got 1"),
        ({"qa_id": "1", "question": "q"}, "answer: Field required"),
        ({"qa_id": "1", "question": "q", "answer": "a", "mood": "x"}, "mood"),
        ({"qa_id": "1", "question": "q", "answer": "a", "role": "chat"}, "role"),
    ],
)
def test_a_turn_that_breaks_a_rule(data: dict[str, Any], message: str) -> None:
    with pytest.raises(TranscriptError, match=message):
        Turn(**data)


def test_an_unknown_turn() -> None:
    with pytest.raises(TranscriptError, match="no turn '9'"):
        Transcript.from_pairs([("Why?", "So.")]).turn("9")


def test_merged_versions_count_from_one() -> None:
    with pytest.raises(TranscriptError, match="merged_versions"):
        Transcript(turns=(), merged_versions=0)


def test_names_and_repr() -> None:
    t = Transcript.from_pairs([("Why?", "So.")])
    assert str(t) == repr(t) == "<Transcript 'interview': 1 turn>"
    assert t.replace(source="a.csv").name == "a.csv"
    t = t.replace(participant="P1", topic="buses", source="a.csv")
    left = LeftOut(where="line 2", why="no answer", text="How?")
    assert repr(t.replace(left_out=(left,))) == "<Transcript 'P1, buses': 1 turn, 1 left out>"
    assert repr(t.replace(turns=())) == "<Transcript 'P1, buses': 0 turns>"


def test_a_transcript_is_frozen() -> None:
    t = Transcript.from_pairs([("Why?", "So.")])
    with pytest.raises(ValidationError):
        t.topic = "buses"  # type: ignore[misc]  # wrong on purpose
    with pytest.raises(ValidationError):
        t.turns[0].answer = "No."  # type: ignore[misc]  # wrong on purpose


def test_replace_checks_its_changes_and_leaves_the_old_one() -> None:
    t = Transcript.from_pairs([("Why?", "So.")])
    assert t.replace(topic="buses").topic == "buses"
    assert t.topic is None
    with pytest.raises(TranscriptError, match="nickname"):
        t.replace(nickname="x")


@given(t=transcripts())
def test_equality_is_by_value(t: Transcript) -> None:
    assert Transcript.model_validate_json(t.model_dump_json()) == t
    assert copy.deepcopy(t) == t
    assert pickle.loads(pickle.dumps(t)) == t
    assert t.replace() == t
    assert t.replace(merged_versions=t.merged_versions + 1) != t
