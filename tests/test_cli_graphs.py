"""`beliefgraph extract` and `beliefgraph show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import beliefgraph as bg
from beliefgraph.cli import main
from tests.conftest import INTERVIEWS


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, [str(part) for part in arguments])


@pytest.mark.needs_pipeline
def test_extract_saves_the_graph_that_python_makes(
    bus_interview: Path, bus_graph: bg.BeliefGraph, tmp_path: Path
) -> None:
    path = tmp_path / "g.json"
    result = run("extract", bus_interview, "-o", path)
    assert result.exit_code == 0
    assert bg.BeliefGraph.load(path) == bus_graph
    assert "Bus speed -> Support for bus lanes" in result.stdout
    assert "definitely positive" in result.stdout
    assert f"wrote {path}" in result.stderr


@pytest.mark.needs_pipeline
def test_extract_prints_json_only(bus_interview: Path, bus_graph: bg.BeliefGraph) -> None:
    result = run("extract", bus_interview, "--json")
    assert bg.BeliefGraph(**json.loads(result.stdout)) == bus_graph


@pytest.mark.needs_pipeline
def test_extract_takes_a_stance_a_person_and_a_topic(bus_interview: Path) -> None:
    result = run(
        "extract", bus_interview, "--stance", "Support for bus lanes", "--topic", "bus lanes",
        "--format", "tyt", "--json",
    )  # fmt: skip
    assert json.loads(result.stdout)["topic"] == "bus lanes"
    unknown = run("extract", INTERVIEWS / "remote_work.jsonl", "--participant", "P99")
    assert unknown.exit_code == 2
    assert "P21" in unknown.stderr


@pytest.mark.needs_pipeline
def test_extract_draws_a_page(tmp_path: Path) -> None:
    page = tmp_path / "g.html"
    assert run("extract", INTERVIEWS / "school_phones.txt", "--html", page).exit_code == 0
    assert "Support for the phone ban" in page.read_text(encoding="utf-8")


def test_show_says_what_a_graph_holds(tmp_path: Path) -> None:
    t = bg.Transcript.from_pairs([("Why?", "Cheap rents, yes."), ("And mood?", "No idea.")])
    quote = bg.Evidence(qa_id="1", start=0, end=11, quote="Cheap rents", sign=-1)
    unknown = bg.Evidence(qa_id="2", start=0, end=7, quote="No idea")
    loop = bg.Influence(source="Support", target="Rents", weight=0.1, confidence=0.3)
    g = bg.BeliefGraph(
        stance="Support",
        concepts=(bg.Concept(name="Rents"), bg.Concept(name="Support", baseline=0.4)),
        influences=(bg.Influence.from_evidence("Rents", "Support", [quote], 0.7),),
        feedback=(bg.Feedback(influence=loop, reason="it closed Rents -> Support -> Rents"),),
        readings=(bg.Reading(kind="dont_know", evidence=unknown),),
        transcript=t,
    )
    path = tmp_path / "g.json"
    g.save(path)
    result = run("show", path)
    assert result.exit_code == 0
    for said in ("Rents -> Support", '"Cheap rents" (turn 1)', "+0.40", "don't know", "it closed"):
        assert said in result.stdout
    assert bg.BeliefGraph(**json.loads(run("show", path, "--json").stdout)) == g
    page = tmp_path / "g.html"
    assert run("show", path, "--html", page).exit_code == 0
    assert "Cheap rents" in page.read_text(encoding="utf-8")
