from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import beliefgraph as bg
from beliefgraph.cli import main
from beliefgraph.errors import TranscriptError
from beliefgraph.extractors import (
    Context,
    TurnReadings,
    evaluate_extraction,
    judge_pair,
    read_pair,
    read_sign_items,
)
from beliefgraph.intervals import estimate_ratio

QUESTION = "Does Bus speed have a positive or negative effect on Support for bus lanes?"
ANSWERS = {
    "positive": "It has a positive effect.",
    "negative": "It has a negative effect.",
    "silent": "I don't know.",
}


def item(person: str, gold: str, answer: str, topic: str = "buses") -> dict[str, Any]:
    return {
        "item_id": f"{person}-{gold}",
        "participant_id": person,
        "topic": topic,
        "answer": gold,
        "source_qa": {"question_number": "1", "question": QUESTION, "answer": ANSWERS[answer]},
        "context_qas": [{"question_number": "2", "question": QUESTION, "answer": "never read"}],
    }


@pytest.fixture
def items(tmp_path: Path) -> Path:
    rows = [
        item("P1", "A", "positive"),
        item("P1", "B", "negative"),
        item("P2", "A", "negative"),  # wrong
        item("P2", "A/B", "negative"),  # right either way
        item("P3", "B", "silent"),  # no sign: wrong
        item("P3", "A/B", "positive", topic="trams"),
        {"item_id": "other", "participant_id": "P3", "user_answer": "4"},  # of another kind
    ]
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return tmp_path


def run(*arguments: object) -> Any:
    return CliRunner().invoke(main, ["evaluate-extraction", *map(str, arguments)])


@pytest.mark.needs_pipeline
def test_known_answers_are_counted_right(items: Path) -> None:
    result = run("--items", items, "--json")
    assert result.exit_code == 0, result.output
    got = json.loads(result.stdout)  # and nothing else stands there
    assert got["n"] == 6
    assert got["abstained"] == 1
    assert got["accuracy"] == pytest.approx(4 / 6)
    assert got["accuracy_committed"] == pytest.approx(4 / 5)
    assert got["participants"] == 3
    assert got["confusion"] == {
        "A": {"positive": 1, "negative": 1},
        "B": {"negative": 1, "dont_know": 1},
        "A/B": {"negative": 1, "positive": 1},
    }
    assert got["by_topic"]["trams"]["accuracy"] == 1.0
    for name in ("interval", "interval_committed"):
        low, high = got[name]
        assert 0 <= low <= got["accuracy" + name.removeprefix("interval")] <= high <= 1
    assert "nothing fitted by item" in got["configuration"]["protocol"]
    assert got["configuration"]["seed"] == 0


@pytest.mark.needs_pipeline
def test_the_same_seed_gives_the_same_bytes(items: Path) -> None:
    one, other = (run("--items", items, "--json", "--seed", 3).stdout for _ in range(2))
    assert one == other


@pytest.mark.needs_pipeline
def test_the_table_shows_the_same(items: Path) -> None:
    result = run("--items", items)
    assert result.exit_code == 0, result.output
    assert "0.667" in result.stdout
    assert "dont_know" in result.stdout
    assert "D01-D24" in result.stdout


class Mute:
    """A reader that finds nothing."""

    name = "mute"

    def read(self, turns: Sequence[bg.Turn], context: Context) -> list[TurnReadings]:
        found = []
        for turn in turns:
            evidence = bg.Evidence(qa_id=turn.qa_id, start=0, end=0, quote="")
            found.append(TurnReadings(turn.qa_id, (bg.Reading(kind="nothing", evidence=evidence),)))
        return found


def test_a_reader_that_never_commits_is_not_scored_where_it_did_not(items: Path) -> None:
    report = evaluate_extraction(read_sign_items(items), reader=Mute())
    got = report.to_dict()
    assert (got["accuracy"], got["abstained"]) == (0.0, 6)
    assert got["accuracy_committed"] is None
    assert got["interval_committed"] is None
    assert math.isnan(report.accuracy_committed.value)
    json.dumps(got, allow_nan=False)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"answer": "C"}, "must be A, B or A/B, got 'C'"),
        ({"source_qa": {"question": "?"}}, "needs 'question' and 'answer'"),
        ({"participant_id": ""}, "'participant_id' is missing"),
    ],
)
def test_a_broken_item_says_where(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    row = {**item("P1", "A", "positive"), **change}
    (tmp_path / "x.jsonl").write_text("\n" + json.dumps(row), encoding="utf-8")
    with pytest.raises(TranscriptError, match="line 2") as caught:
        read_sign_items(tmp_path)
    assert said in str(caught.value)


def test_a_folder_without_items_is_an_error_message(tmp_path: Path) -> None:
    result = run("--items", tmp_path, "--json")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "no belief-state items" in result.stderr
    (tmp_path / "x.jsonl").write_text("{", encoding="utf-8")
    assert "not a JSON object" in run("--items", tmp_path).stderr


def reading(sign: int | None, confidence: float, source: str = "Bus speed") -> bg.Reading:
    kind: Any = {1: "positive", -1: "negative", 0: "no_effect", None: "unstated"}[sign]
    evidence = bg.Evidence(
        qa_id="1", start=0, end=1, quote="x", sign=sign, confidence=confidence
    )  # fmt: skip
    target = "Support for bus lanes"
    return bg.Reading(kind=kind, source=source, target=target, evidence=evidence)


@pytest.mark.parametrize(
    ("readings", "sign", "kind"),
    [
        ([reading(1, 0.9)], 1, "positive"),
        ([reading(1, 0.3), reading(-1, 0.9)], -1, "negative"),
        ([reading(1, 0.5), reading(-1, 0.45)], None, "mixed"),
        ([reading(0, 0.9)], None, "no_effect"),
        ([reading(None, 0.9)], None, "unstated"),
        ([reading(0, 0.9), reading(1, 0.1)], 1, "positive"),  # a lean of exactly 0.1
        ([reading(0, 0.91), reading(1, 0.1)], None, "mixed"),
        ([reading(1, 0.9, source="Trade")], None, "mixed"),  # another pair is not asked about
        ([reading(1, 0.9, source="slower buses speed"), reading(-1, 0.9)], -1, "negative"),
        ([], None, "nothing"),
    ],
)
def test_the_sign_is_the_weighted_sum(
    readings: list[bg.Reading], sign: int | None, kind: str
) -> None:
    verdict = judge_pair(readings, QUESTION)
    assert (verdict.sign, verdict.kind) == (sign, kind)


def test_a_wording_from_the_other_end_of_the_scale_turns_the_sign() -> None:
    question = "Does Housing affordability have a positive or negative effect on Support for it?"
    told = reading(-1, 0.9, source="housing costs").replace(target="Support for it")
    assert judge_pair([told], question).sign == 1


@pytest.mark.needs_pipeline
def test_a_pair_is_read_by_itself() -> None:
    readings = read_pair(QUESTION, ANSWERS["negative"], qa_id="q7")
    assert judge_pair(readings, QUESTION).sign == -1
    assert {r.evidence.qa_id for r in readings} == {"q7"}
    with pytest.raises(TranscriptError, match="stance must be given"):
        read_pair("Well?", "Yes.")


def test_one_person_has_an_interval_of_no_width() -> None:
    got = estimate_ratio([3], [4])
    assert got.value == got.low == got.high == 0.75


def test_more_people_narrow_the_interval() -> None:
    few, many = (estimate_ratio([1, 0] * n, [1, 1] * n) for n in (5, 200))
    assert many.high - many.low < few.high - few.low


def test_answers_of_one_person_go_together() -> None:
    """A hundred answers of two people tell less than a hundred of a hundred."""
    clustered = estimate_ratio([50, 0], [50, 50])
    spread = estimate_ratio([1, 0] * 50, [1] * 100)
    assert clustered.value == spread.value
    assert clustered.high - clustered.low > 2 * (spread.high - spread.low)


def test_the_interval_agrees_with_the_normal_one_where_that_holds() -> None:
    rng = np.random.default_rng(1)
    right = rng.random(500) < 0.7
    got = estimate_ratio([float(r) for r in right], [1.0] * 500)
    half = 1.96 * math.sqrt(got.value * (1 - got.value) / 500)
    assert got.low == pytest.approx(got.value - half, abs=0.01)
    assert got.high == pytest.approx(got.value + half, abs=0.01)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda t: (min(t), max(t))), max_size=12
    ),
    st.integers(0, 3),
)
def test_a_share_lies_in_its_interval_and_the_seed_decides(
    people: list[tuple[int, int]], seed: int
) -> None:
    parts, wholes = [float(p) for p, _ in people], [float(w) for _, w in people]
    got = estimate_ratio(parts, wholes, seed=seed, n_resamples=200)
    if not sum(wholes):
        assert math.isnan(got.value)
        assert got.to_dict() == {"value": None, "interval": None}
        return
    assert got == estimate_ratio(parts, wholes, seed=seed, n_resamples=200)
    assert 0 <= got.low <= got.high <= 1


def test_bad_arguments_say_so() -> None:
    with pytest.raises(ValueError, match="one number a person"):
        estimate_ratio([1], [1, 2])
    with pytest.raises(ValueError, match="level"):
        estimate_ratio([1], [1], level=1.0)


@pytest.mark.needs_pipeline
def test_the_development_items_are_read(hugagent: Path) -> None:
    report = evaluate_extraction(read_sign_items(hugagent), n_resamples=200)
    assert report.n > 100
    assert report.accuracy.value > 0.5


@pytest.mark.needs_pipeline
@pytest.mark.parametrize("name", ["quality", "evaluate-extraction"])
def test_help_ends_in_examples_that_run(
    name: str, workplace: Path, request: pytest.FixtureRequest
) -> None:
    text = CliRunner().invoke(main, [name, "--help"]).stdout
    lines = [
        line.strip() for line in text.partition("Examples")[2].splitlines()[1:] if line.strip()
    ]
    assert lines
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "beliefgraph"
        if name == "evaluate-extraction":
            folder = str(request.getfixturevalue("hugagent"))
            arguments = [folder if a == "../shared/data/hugagent" else a for a in arguments]
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"
