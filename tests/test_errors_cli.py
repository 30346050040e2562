"""Bad input on the command line: a clear message, exit code 2, nothing overwritten."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import beliefgraph as bg
from beliefgraph.cli import main

TYT_HEAD = "Session ID,s\nProlific ID,P01\nStatus,completed\nProgress,1/1\nCreated At,x\n" + (
    "Updated At,x\nCompleted At,x\n\n"
)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def fails(result: Result, *parts: str) -> str:
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    for part in parts:
        assert part.lower() in result.stderr.lower(), result.stderr
    return result.stderr


@pytest.fixture
def graph_file(tmp_path: Path) -> Path:
    g = bg.BeliefGraph.from_edges(
        [("Rents", "Support", -0.5, 0.9), ("Weather", "Mood", 0.5)], stance="Support"
    )
    g.save(tmp_path / "graph.json")
    return tmp_path / "graph.json"


def edited(path: Path, edit: Callable[[dict[str, Any]], None]) -> Path:
    data = json.loads(path.read_text(encoding="utf-8"))
    edit(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("empty.csv", b"", ["empty"]),
        ("blank.txt", b" \n\n ", ["empty"]),
        (
            "shopping.txt",
            b"Dear diary, today I went to the shops and bought milk.",
            ["shopping.txt"],
        ),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0", ["picture"]),
        ("binary.txt", b"Q: a\0b\n", ["binary"]),
        ("report.docx", b"PK\x03\x04rest", ["zip"]),
        ("latin.txt", b"Q: Do you like the caf\xe9?\nA: Yes.\n", ["utf-8", "cp1252"]),
        ("columns.csv", b"name,age\nAnn,30\nBob,40\n", ["question", "answer"]),
        ("broken.json", b'{"turns": [', ["broken.json"]),
        ("other.json", b'{"model": "x", "score": 3}', ["question"]),
    ],
)
@pytest.mark.parametrize("command", ["simulate", "extract"])
def test_files_that_are_no_interview(
    tmp_path: Path, name: str, content: bytes, parts: list[str], command: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    message = fails(run(command, path), *parts)
    assert name in message
    assert path.read_bytes() == content


def test_a_missing_file_suggests_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "interview.csv").write_text("x", encoding="utf-8")
    fails(run("simulate", tmp_path / "interviw.csv"), "no such file", "interview.csv")


@pytest.mark.parametrize("command", ["simulate", "extract"])
def test_question_numbers_given_twice(tmp_path: Path, command: str) -> None:
    path = tmp_path / "twice.csv"
    rows = 'Question Number,Question,Answer\n3,Why?,Because.\n3,How?,"Well, so."\n'
    path.write_text(TYT_HEAD + rows, encoding="utf-8")
    result = run(command, path, "--stance", "Support for buses")
    fails(result)
    assert "3" in result.stderr


@pytest.mark.needs_pipeline
def test_a_missing_question_number_is_left_out_and_told(tmp_path: Path) -> None:
    path = tmp_path / "missing.csv"
    rows = (
        "Question Number,Question,Answer\n"
        "3,Does Bus speed have a positive or negative effect on Support for bus lanes?,Positive.\n"
        ",How?,Somehow.\n"
    )
    path.write_text(TYT_HEAD + rows, encoding="utf-8")
    result = run("simulate", path)
    assert result.exit_code in (0, 2)
    assert "number" in (result.stdout + result.stderr).lower()
    assert "Traceback" not in result.stderr


@pytest.mark.needs_pipeline
def test_a_very_long_answer_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    talk = "and then the bus came and we all got on and it was quite full you know " * 705
    assert len(talk) > 50_000
    path.write_text(
        "Q: To what extent do you support or oppose bus lanes? Please explain.\n"
        f"A: I support them. {talk}\n"
        "Q: Does Bus speed have a positive or negative effect on Support for bus lanes?\n"
        "A: Positive, very strong.\n",
        encoding="utf-8",
    )
    result = run("simulate", path, "--do", "Bus speed=0.8", "--json")
    assert "Traceback" not in result.stderr
    if result.exit_code == 2:
        assert "long" in result.stderr.lower()
    else:
        assert json.loads(result.stdout)["stance"]["shift"] > 0


@pytest.mark.needs_pipeline
@pytest.mark.parametrize("command", ["simulate", "extract"])
def test_an_interview_without_a_stance(tmp_path: Path, command: str) -> None:
    path = tmp_path / "chat.txt"
    path.write_text("Q: How was your day?\nA: Fine, thanks. It rained.\n", encoding="utf-8")
    fails(run(command, path), "stance", "--stance")


def test_a_graph_in_which_nothing_reaches_the_stance(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    bg.BeliefGraph.from_edges([("Weather", "Mood", 0.5)], stance="Support").save(path)
    fails(run("simulate", path), "stance", "nothing can move it")
    fails(run("simulate", path, "--do", "Weather=0.5"), "stance", "nothing can move it")


@pytest.mark.parametrize("value", ["1.5", "-1.01", "nan", "inf", "-inf"])
def test_do_outside_the_scale(graph_file: Path, value: str) -> None:
    fails(run("simulate", graph_file, "--do", f"Rents={value}"), "do", "Rents", value)


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_a_shift_that_is_no_number(graph_file: Path, value: str) -> None:
    fails(run("simulate", graph_file, "--shift", f"Rents={value}"), "shift", "Rents", value)


@pytest.mark.parametrize("text", ["Rents", "Rents=", "=0.5", "Rents=much"])
def test_a_do_that_is_no_assignment(graph_file: Path, text: str) -> None:
    fails(run("simulate", graph_file, "--do", text), "--do", text)


def test_an_unknown_concept_gets_suggestions(graph_file: Path) -> None:
    fails(run("simulate", graph_file, "--do", "rent=0.5"), "rent", "Did you mean 'Rents'?")


def test_one_concept_given_twice(graph_file: Path) -> None:
    fails(run("simulate", graph_file, "--do", "Rents=0.5", "--do", "rents=0.1"), "twice")
    fails(run("simulate", graph_file, "--do", "Rents=0.5", "--do", "Rents=0.1"), "twice")
    fails(run("simulate", graph_file, "--do", "Rents=0.5", "--shift", "Rents=0.1"), "do and shift")


def test_a_scenario_that_fits_nothing(graph_file: Path) -> None:
    fails(run("simulate", graph_file, "--scenario", "pigs fly"), "pigs fly", "nothing", "Rents")


@pytest.mark.parametrize("command", ["simulate", "show"])
def test_evidence_that_cites_a_missing_turn(tmp_path: Path, command: str) -> None:
    t = bg.Transcript.from_pairs([("Why?", "Because rents fell.")])
    quote = bg.Evidence(qa_id="1", start=0, end=7, quote="Because", sign=1)
    influence = bg.Influence(source="Rents", target="Support", weight=0.5, evidence=(quote,))
    g = bg.BeliefGraph(
        stance="Support",
        concepts=(bg.Concept(name="Rents"), bg.Concept(name="Support")),
        influences=(influence,),
        transcript=t,
    )
    g.save(tmp_path / "g.json")

    def cite(data: dict[str, Any]) -> None:
        data["influences"][0]["evidence"][0]["qa_id"] = "9"

    fails(run(command, edited(tmp_path / "g.json", cite)), "turn '9'", "g.json")

    def quote_else(data: dict[str, Any]) -> None:
        data["influences"][0]["evidence"][0] |= {"qa_id": "1", "quote": "Perhaps"}

    fails(run(command, edited(tmp_path / "g.json", quote_else)), "Perhaps", "g.json")


@pytest.mark.parametrize("command", ["simulate", "show"])
def test_a_newer_schema_version(graph_file: Path, command: str) -> None:
    path = edited(graph_file, lambda data: data.update(schema_version=99))
    fails(run(command, path), "99", "pip install -U beliefgraph")


@pytest.mark.parametrize("command", ["simulate", "show"])
def test_a_graph_with_a_loop(graph_file: Path, command: str) -> None:
    def close(data: dict[str, Any]) -> None:
        data["influences"].append(
            {"source": "Support", "target": "Rents", "weight": 0.1, "confidence": 1}
        )

    fails(run(command, edited(graph_file, close)), "loop", "Rents -> Support")


def test_show_refuses_an_interview(bus_interview: Path) -> None:
    fails(run("show", bus_interview), "not a saved belief graph")


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("not json", ["JSON"]),
        ("[]", ["object"]),
        ('{"sead": 3}', ["sead", "seed"]),
        ('{"do": {"Rents": "much"}}', ["Rents"]),
        ('{"mechanism": "magic"}', ["magic", "tanh"]),
        ('{"n_samples": 0}', ["n_samples"]),
        ('{"level": 1.5}', ["level"]),
    ],
)
def test_a_configuration_that_is_wrong(graph_file: Path, content: str, parts: list[str]) -> None:
    config = graph_file.with_name("config.json")
    config.write_text(content, encoding="utf-8")
    fails(run("simulate", graph_file, "--config", config), *parts)


def test_nothing_is_overwritten_by_a_run_that_fails(graph_file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine", encoding="utf-8")
    fails(run("simulate", graph_file, "--do", "Rent=1", "--html", page))
    assert page.read_text(encoding="utf-8") == "mine"
    saved = tmp_path / "g.json"
    saved.write_text("mine", encoding="utf-8")
    (tmp_path / "empty.txt").write_bytes(b"")
    fails(run("extract", tmp_path / "empty.txt", "-o", saved))
    assert saved.read_text(encoding="utf-8") == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "empty.txt", "g.json", "graph.json", "page.html",
    ]  # fmt: skip


def test_output_that_cannot_be_written(graph_file: Path, tmp_path: Path) -> None:
    fails(run("simulate", graph_file, "--html", tmp_path / "no" / "page.html"), "does not exist")
    fails(run("simulate", graph_file, "--html", tmp_path), "folder")


def test_the_input_is_never_the_output(graph_file: Path, bus_interview: Path) -> None:
    before = graph_file.read_bytes()
    fails(run("simulate", graph_file, "--html", graph_file), "input itself")
    assert graph_file.read_bytes() == before
    before = bus_interview.read_bytes()
    fails(run("extract", bus_interview, "-o", bus_interview), "input itself")
    assert bus_interview.read_bytes() == before


def test_two_outputs_to_one_file(bus_interview: Path, tmp_path: Path) -> None:
    path = tmp_path / "out"
    fails(run("extract", bus_interview, "-o", path, "--html", path), "two outputs")
    assert not path.exists()


def test_a_missing_pipeline_names_its_command(
    monkeypatch: pytest.MonkeyPatch, bus_interview: Path
) -> None:
    from beliefgraph.extractors import pipeline

    monkeypatch.setattr(pipeline, "_PACKAGES", ("en_core_web_none",))
    pipeline.load_pipeline.cache_clear()
    try:
        fails(run("simulate", bus_interview), "pip install", "beliefgraph[en]")
    finally:
        pipeline.load_pipeline.cache_clear()


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    g = bg.BeliefGraph.from_edges([("Re\x1b[31mnts [bold]", "Support", 0.5)], stance="Support")
    g.save(tmp_path / "g.json")
    result = run("simulate", tmp_path / "g.json")
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "[bold]" in result.stdout
    assert "\x1b" not in fails(run("simulate", tmp_path / "g.json", "--do", "x\x1b=1"))
