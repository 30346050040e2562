"""`beliefgraph simulate` on folders and files with several interviews."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from beliefgraph.cli import main
from tests.conftest import INTERVIEWS

pytestmark = pytest.mark.needs_pipeline

PROBE = "Does {} have a positive or negative effect on Support for {}?"


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "160"}).invoke(
        main, ["simulate", *(str(part) for part in arguments)]
    )


def rows(*arguments: object) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    value: dict[str, Any] = json.loads(result.stdout)
    return value


def item(person: str, topic: str, cause: str, said: str, number: str = "3") -> str:
    question = PROBE.format(cause, topic)
    return json.dumps(
        {
            "participant_id": person,
            "topic": topic,
            "context_qas": [
                {
                    "question_number": "1",
                    "question": f"To what extent do you support or oppose {topic}?",
                    "answer": "I somewhat support it.",
                },
                {"question_number": number, "question": question, "answer": said},
            ],
        }
    )


@pytest.fixture
def items(tmp_path: Path) -> Path:
    path = tmp_path / "items.jsonl"
    lines = [
        item("P1", "bus lanes", "Bus speed", "Positive, very strong."),
        item("P1", "bus lanes", "Noise", "Negative, it is weak.", number="4"),
        item("P1", "phone bans", "Attention", "Positive."),
        item("P2", "bus lanes", "Bus speed", "Negative, strong."),
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_one_row_a_person_and_topic(items: Path) -> None:
    got = rows(items)
    found = {(row["participant"], row["topic"]) for row in got["rows"]}
    assert found == {("P1", "bus lanes"), ("P1", "phone bans"), ("P2", "bus lanes")}
    assert all(row["error"] is None for row in got["rows"])
    assert got["failed"] == []
    assert any("for exploration only" in text for text in got["notes"])
    table = run(items).stdout
    assert "P1" in table
    assert "for exploration only" in " ".join(table.split())


def test_a_concept_that_one_person_does_not_have_is_a_row(items: Path) -> None:
    got = rows(items, "--do", "bus speed=0.8")
    by_person = {(row["participant"], row["topic"]): row for row in got["rows"]}
    assert by_person["P1", "bus lanes"]["stance"]["shift"] > 0
    assert by_person["P2", "bus lanes"]["stance"]["shift"] < 0
    without = by_person["P1", "phone bans"]
    assert without["stance"] is None
    assert "no concept is called 'bus speed'" in without["error"]
    result = run(items, "--do", "bus speed=0.8")
    assert result.exit_code == 0
    assert "no concept is called 'bus speed'" in result.stdout
    assert "2 of 3 interviews answered" in result.stderr


def test_nobody_has_the_concept(items: Path) -> None:
    result = run(items, "--do", "moon phase=0.8")
    assert result.exit_code == 2
    assert "0 of 3 interviews answered" in result.stderr


def test_a_person_and_topic_choose_one_interview(items: Path) -> None:
    result = run(items, "--participant", "P1", "--topic", "bus lanes", "--json")
    assert result.exit_code == 0
    got = json.loads(result.stdout)
    assert (got["participant"], got["topic"]) == ("P1", "bus lanes")
    assert {"Bus speed", "Noise"} <= set(got["intervenable"])
    assert any("union of 2 versions" in text for text in got["notes"])
    assert any("for exploration only" in text for text in got["notes"])


def test_a_person_with_several_topics_gives_rows(items: Path) -> None:
    assert {row["topic"] for row in rows(items, "--participant", "P1")["rows"]} == {
        "bus lanes", "phone bans",
    }  # fmt: skip
    assert len(rows(items, "--topic", "bus lanes")["rows"]) == 2


@pytest.mark.parametrize("option", ["--participant", "--topic"])
def test_an_unknown_person_or_topic_gets_suggestions(items: Path, option: str) -> None:
    result = run(items, option, "P3")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "P3" in result.stderr


def test_a_bad_file_does_not_stop_the_rest(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_bytes((INTERVIEWS / "bus_lanes_tyt.csv").read_bytes())
    (tmp_path / "bad.csv").write_bytes(b"")
    (tmp_path / "chat.txt").write_text("Q: How are you?\nA: Fine.\n", encoding="utf-8")
    result = run(tmp_path, "--do", "Bus speed=0.8")
    assert result.exit_code == 0
    assert "Support for bus lanes" in " ".join(result.stdout.split())
    assert "bad.csv: the file is empty" in result.stderr
    assert "1 of 2 interviews answered; 1 file" in result.stderr
    got = rows(tmp_path, "--do", "Bus speed=0.8")
    assert [Path(entry["path"]).name for entry in got["failed"]] == ["bad.csv"]
    assert {row["error"] is None for row in got["rows"]} == {True, False}


def test_a_folder_of_bad_files(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_bytes(b"")
    (tmp_path / "worse.txt").write_bytes(b"\0\0")
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "bad.csv" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_empty_folder(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.exit_code == 2
    assert "no files" in result.stderr


def test_a_page_is_of_one_interview(items: Path, tmp_path: Path) -> None:
    result = run(items, "--html", tmp_path / "page.html")
    assert result.exit_code == 2
    assert "--participant" in result.stderr
    assert not (tmp_path / "page.html").exists()


def test_the_bundled_interviews() -> None:
    got = rows(INTERVIEWS)
    assert len(got["rows"]) == 5
    assert all(row["error"] is None for row in got["rows"])


def test_a_scenario_over_several_people(items: Path) -> None:
    got = rows(items, "--scenario", "the bus speed rises")
    meant = [len(row["scenario"]["taken_to_mean"]) for row in got["rows"] if not row["error"]]
    assert meant == [1, 1]
    (without,) = [row for row in got["rows"] if row["error"]]
    assert "nothing in it fits" in without["error"]
