"""Ten interviews written against the rule reader before it was mended (see adversarial/README.md).

Every turn is one test. What is not read yet is a strict xfail with its reason, in
`adversarial/still_fails.json`: a mended turn fails here until its line there is taken out.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import beliefgraph as bg
from tests.adversarial_scoring import FOLDER, NAMES, expectations, faults, truth_of

STILL_FAILS: dict[str, str] = json.loads((FOLDER / "still_fails.json").read_text(encoding="utf-8"))
EXPECTATIONS = list(expectations())
KINDS = {"no_effect", "mixed", "dont_know", "not_understood", "off_topic", "unstated", "nothing"}


def cases() -> list[Any]:
    made = []
    for name, label, expected in EXPECTATIONS:
        reason = STILL_FAILS.get(label)
        marks = () if reason is None else (pytest.mark.xfail(strict=True, reason=reason),)
        made.append(pytest.param(name, expected, id=label, marks=marks))
    return made


@pytest.mark.needs_pipeline
@pytest.mark.parametrize(("name", "expected"), cases())
def test_what_was_said_is_read(name: str, expected: dict[str, Any]) -> None:
    assert faults(name, expected) == []


def test_reasons_belong_to_expectations() -> None:
    labels = [label for _, label, _ in EXPECTATIONS]
    assert len(set(labels)) == len(labels)
    assert set(STILL_FAILS) <= set(labels)
    assert all(reason and "\n" not in reason for reason in STILL_FAILS.values())


@pytest.mark.parametrize("name", NAMES)
def test_truth_covers_every_turn(name: str) -> None:
    turns = bg.read_transcript(FOLDER / f"{name}.json").turns
    truth = truth_of(name)
    assert 8 <= len(turns) <= 14
    assert [turn.qa_id for turn in turns] == [turn["id"] for turn in truth["turns"]]
    for said, expected in zip(turns, truth["turns"], strict=True):
        known = {"id", "influences", "allowed", "kind", "level", "sides", "refers_to", "no_concept"}
        assert set(expected) <= known, expected["id"]
        assert {"influences", "kind", "level", "no_concept"} & set(expected), expected["id"]
        assert set(expected.get("kind", "mixed").split(" / ")) <= KINDS | {"positive", "negative"}
        for words in expected.get("sides", {}).values():
            assert words in said.answer


def test_there_are_ten() -> None:
    assert len(NAMES) == 10
