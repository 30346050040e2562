"""`beliefgraph simulate` on one interview or graph."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import beliefgraph as bg
from beliefgraph.cli import main
from beliefgraph.simulate import SimulationConfig

Fresh = tuple[list[str], dict[str, str]]


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(main, [str(part) for part in arguments])


def answer(*arguments: object) -> dict[str, Any]:
    result = run("simulate", *arguments, "--json")
    assert result.exit_code == 0, result.output
    value: dict[str, Any] = json.loads(result.stdout)
    return value


@pytest.fixture
def graph() -> bg.BeliefGraph:
    t = bg.Transcript.from_pairs([("Why?", "If rents fell I could stay, so I'd back it.")])
    said = "If rents fell I could stay"
    quote = bg.Evidence(qa_id="1", start=0, end=len(said), quote=said, sign=-1, strength=0.8)
    return bg.BeliefGraph(
        stance="Support for building",
        concepts=tuple(
            bg.Concept(name=name)
            for name in ("Rents", "Housing affordability", "Mood", "Support for building")
        ),
        influences=(
            bg.Influence.from_evidence("Rents", "Housing affordability", [quote], 0.9),
            bg.Influence(
                source="Housing affordability", target="Support for building",
                weight=0.5, confidence=0.8,
            ),
            bg.Influence(source="Support for building", target="Mood", weight=0.5),
        ),
        transcript=t,
        participant="P01",
        topic="building",
    )  # fmt: skip


@pytest.fixture
def saved(graph: bg.BeliefGraph, tmp_path: Path) -> Path:
    graph.save(tmp_path / "graph.json")
    return tmp_path / "graph.json"


def test_json_holds_the_whole_answer_and_nothing_else(saved: Path) -> None:
    got = answer(saved, "--do", "housing affordability=0.8", "--mechanism", "linear")
    stance = got["stance"]
    assert stance["name"] == "Support for building"
    assert stance["shift"] == pytest.approx(0.8 * 0.5 * 0.8)
    assert stance["after"] - stance["before"] == pytest.approx(stance["shift"])
    low, high = stance["interval"]
    assert low <= stance["shift"] <= high
    assert [row["name"] for row in got["concepts"]] == [
        "Rents", "Housing affordability", "Mood", "Support for building",
    ]  # fmt: skip
    assert {"before", "after", "shift", "interval"} <= set(got["concepts"][0])
    assert got["intervenable"] == ["Rents", "Housing affordability"]
    assert (got["participant"], got["topic"]) == ("P01", "building")
    assert got["interventions"] == {"do": {"Housing affordability": 0.8}, "shift": {}}
    configuration = got["configuration"]
    assert configuration["seed"] == 0
    assert configuration["n_samples"] == 10_000
    assert configuration["mechanism"] == "linear"
    assert configuration["version"] == bg.__version__


def test_paths_come_with_quotes(saved: Path) -> None:
    got = answer(saved, "--do", "Rents=-0.5")
    (path,) = got["paths"]
    assert path["concepts"] == ["Rents", "Housing affordability", "Support for building"]
    assert path["influences"][0]["quotes"] == [
        {"qa_id": "1", "quote": "If rents fell I could stay"}
    ]
    table = run("simulate", saved, "--do", "Rents=-0.5")
    assert '"If rents fell I could stay" (turn 1)' in table.stdout


def answer_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(one[key] == other[key] for key in ("stance", "concepts"))


def test_the_same_seed_gives_the_same_answer(saved: Path) -> None:
    first = answer(saved, "--do", "Rents=0.5", "--seed", 7)
    assert answer_same(first, answer(saved, "--do", "Rents=0.5", "--seed", 7))
    assert not answer_same(first, answer(saved, "--do", "Rents=0.5", "--seed", 8))


def test_options_reach_the_simulation(saved: Path, graph: bg.BeliefGraph) -> None:
    got = answer(
        saved, "--shift", "Rents=0.5", "--samples", 500, "--seed", 3, "--level", 0.5,
        "--mechanism", "logistic", "--on-cycle", "raise",
    )  # fmt: skip
    expected = bg.intervene(
        graph, shift={"Rents": 0.5}, n_samples=500, seed=3, level=0.5, mechanism="logistic",
        on_cycle="raise",
    )  # fmt: skip
    assert got["stance"] == json.loads(json.dumps(expected.stance.to_dict()))


@pytest.mark.parametrize("name", ["rents", "RENTS", " Rents ", "Rents"])
def test_capitals_and_spaces_of_a_name_do_not_matter(saved: Path, name: str) -> None:
    assert answer(saved, "--do", f"{name}=0.5")["interventions"]["do"] == {"Rents": 0.5}


def test_the_value_stands_after_the_last_equals_sign(tmp_path: Path) -> None:
    g = bg.BeliefGraph.from_edges([("a=b", "s", 0.5)], stance="s")
    g.save(tmp_path / "g.json")
    assert answer(tmp_path / "g.json", "--do", "a=b=0.4")["interventions"]["do"] == {"a=b": 0.4}


def test_names_that_differ_in_capitals_only(tmp_path: Path) -> None:
    g = bg.BeliefGraph.from_edges([("Rents", "s", 0.5), ("rents", "s", -0.5)], stance="s")
    g.save(tmp_path / "g.json")
    assert answer(tmp_path / "g.json", "--do", "rents=0.4")["stance"]["shift"] < 0
    unclear = run("simulate", tmp_path / "g.json", "--do", "RENTS=0.4")
    assert unclear.exit_code == 2
    assert "'Rents'" in unclear.stderr
    assert "'rents'" in unclear.stderr


def test_without_an_intervention_it_shows_the_stance_and_what_could_move_it(saved: Path) -> None:
    result = run("simulate", saved)
    assert result.exit_code == 0
    assert "Support for building" in result.stdout
    assert "Concepts you can intervene on" in result.stdout
    assert "Housing affordability" in result.stdout
    assert "Mood" not in result.stdout
    got = answer(saved)
    assert got["stance"]["shift"] == 0
    assert got["paths"] == []


def test_several_interventions_at_once(saved: Path) -> None:
    got = answer(saved, "--do", "Rents=0.5", "--shift", "Housing affordability=0.2")
    assert got["interventions"] == {
        "do": {"Rents": 0.5}, "shift": {"Housing affordability": 0.2}
    }  # fmt: skip


def test_a_scenario_says_what_it_was_taken_to_mean(saved: Path) -> None:
    result = run("simulate", saved, "--scenario", "rents drop by 15%")
    assert result.exit_code == 0
    assert "is taken to mean" in result.stdout
    assert "less" in result.stdout
    got = answer(saved, "--scenario", "rents drop by 15%")
    (meant,) = got["scenario"]["taken_to_mean"]
    assert (meant["concept"], meant["direction"], meant["dose"]) == ("Rents", -1, 0.5)
    assert got["interventions"]["do"] == {"Rents": -0.5}
    assert got["stance"]["shift"] > 0


def test_a_do_outranks_the_scenario(saved: Path) -> None:
    got = answer(saved, "--scenario", "rents drop", "--do", "Rents=-0.1")
    assert got["interventions"]["do"] == {"Rents": -0.1}


def test_a_configuration_file_and_options_that_win(saved: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    config = SimulationConfig(do={"rents": 0.5}, n_samples=300, seed=5)
    path.write_text(config.model_dump_json(), encoding="utf-8")
    got = answer(saved, "--config", path)
    assert got["interventions"]["do"] == {"Rents": 0.5}
    assert (got["configuration"]["n_samples"], got["configuration"]["seed"]) == (300, 5)
    got = answer(saved, "--config", path, "--seed", 0, "--do", "rents=0.1")
    assert (got["configuration"]["n_samples"], got["configuration"]["seed"]) == (300, 0)
    assert got["interventions"]["do"] == {"Rents": 0.1}


def test_html_draws_the_outcome(saved: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    result = run("simulate", saved, "--do", "Rents=0.5", "--html", page)
    assert result.exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "If rents fell I could stay" in text
    assert f"wrote {page}" in result.stderr
    assert json.loads(run("simulate", saved, "--html", page, "--json").stdout)


def test_another_stance_of_a_saved_graph(saved: Path) -> None:
    got = answer(saved, "--stance", "mood", "--do", "Support for building=0.5")
    assert got["stance"]["name"] == "Mood"
    assert got["stance"]["shift"] > 0


def test_a_saved_graph_keeps_its_person(saved: Path) -> None:
    assert answer(saved, "--participant", "P01")["participant"] == "P01"
    assert run("simulate", saved, "--participant", "P02").exit_code == 2


def test_nothing_that_was_given_is_changed(saved: Path) -> None:
    before = saved.read_bytes()
    answer(saved, "--do", "Rents=0.5", "--stance", "Mood")
    assert saved.read_bytes() == before


@pytest.mark.needs_pipeline
def test_faster_buses_raise_the_support_for_bus_lanes(bus_interview: Path) -> None:
    got = answer(bus_interview, "--do", "bus speed=0.8", "--seed", 7)
    assert got["stance"]["name"] == "Support for bus lanes"
    assert got["stance"]["shift"] > 0.1
    assert "Bus speed" in got["intervenable"]
    strongest = got["paths"][0]
    assert strongest["sign"] == "+"
    quotes = [quote["quote"] for step in strongest["influences"] for quote in step["quotes"]]
    assert any("definitely positive" in quote for quote in quotes)


@pytest.mark.needs_pipeline
def test_a_graph_simulates_like_the_interview_it_came_from(
    bus_interview: Path, tmp_path: Path
) -> None:
    path = tmp_path / "g.json"
    assert run("extract", bus_interview, "-o", path).exit_code == 0
    same = [answer(source, "--do", "Bus speed=0.8") for source in (bus_interview, path)]
    assert answer_same(*same)


@pytest.mark.needs_pipeline
def test_module_and_command_are_the_same_in_fresh_processes(
    bus_interview: Path, fresh_python: Fresh, tmp_path: Path
) -> None:
    python, environment = fresh_python
    outputs = []
    for module in (["beliefgraph.simulate"], ["beliefgraph", "simulate"]):
        done = subprocess.run(
            [*python, "-m", *module, str(bus_interview), "--do", "Bus speed=0.8", "--json"],
            capture_output=True, text=True, encoding="utf-8", cwd=tmp_path, env=environment,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        outputs.append(json.loads(done.stdout))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    "options", [["--do", "Caf\u00e9s=0.5"], ["--do", "Caf\u00e9s=0.5", "--json"]]
)
def test_a_terminal_that_cannot_show_every_letter(
    fresh_python: Fresh, tmp_path: Path, options: list[str]
) -> None:
    g = bg.BeliefGraph.from_edges([("Caf\u00e9s", "Support", 0.5)], stance="Support")
    g.save(tmp_path / "g.json")
    python, environment = fresh_python
    done = subprocess.run(
        [*python, "-m", "beliefgraph", "simulate", "g.json", *options],
        capture_output=True, cwd=tmp_path, check=False,
        env={**environment, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert rb"Caf\xe9s" in done.stdout or rb"Caf\u00e9s" in done.stdout
    if "--json" in options:
        assert json.loads(done.stdout)["interventions"]["do"] == {"Caf\u00e9s": 0.5}


def test_an_error_in_a_fresh_process(fresh_python: Fresh, tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_bytes(b"")
    python, environment = fresh_python
    done = subprocess.run(
        [*python, "-m", "beliefgraph.simulate", "empty.csv"],
        capture_output=True, text=True, cwd=tmp_path, env=environment, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: empty.csv: the file is empty")
    assert done.stderr.count("\n") == 1


@pytest.mark.needs_pipeline
@pytest.mark.parametrize("name", ["simulate", "extract", "show"])
def test_help_ends_in_examples_that_run(name: str, workplace: Path) -> None:
    text = run(name, "--help").stdout
    _, _, examples = text.partition("Examples")
    lines = [line.strip() for line in examples.splitlines()[1:] if line.strip()]
    assert lines
    assert text.rstrip().endswith(lines[-1])
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "beliefgraph"
        result = run(*arguments)
        assert result.exit_code == 0, f"{line}\n{result.output}"


def test_the_version_is_printed() -> None:
    assert bg.__version__ in run("--version").stdout
