"""`beliefgraph compare`: a run file each, resumed, reported; faults lose nothing and pay once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import beliefgraph as bg
from beliefgraph.baselines.constant import MajorityPredictor, MidScalePredictor
from beliefgraph.benchmark.compare_predictors import compare_predictors, items_digest
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.items import write_items
from beliefgraph.benchmark.metrics import score
from beliefgraph.benchmark.report import build_report, report_sections
from beliefgraph.benchmark.run import Run
from beliefgraph.benchmark.synth import generate_people
from beliefgraph.cli import main
from beliefgraph.errors import SurveyError
from beliefgraph.survey import Item, Person, Prediction
from tests.items_invented import ANSWERS, invented_items
from tests.loopback import Reply, Server, failed, said, serving

N_ITEMS = 36
Fresh = tuple[list[str], dict[str, str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_items(invented_items(), tmp_path / "items")
    return tmp_path / "items"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "comparison"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["compare", *map(str, arguments), "--n-resamples", "20"])


def runs_in(output: Path) -> dict[str, Run]:
    runs = (Run.load(path) for path in (output / "runs").glob("*.json"))
    return {run.predictor: run for run in runs}


def first_letter(body: dict[str, Any], number: int) -> Reply:
    return said('{"answer": "A"}')


def model_at(server: Server) -> str:
    pytest.importorskip("httpx2")
    return f"llm:tiny@{server.url}"


def paid(server: Server) -> Counter[str]:
    """How often each prompt was answered; no prompt may be paid for twice."""
    return Counter(json.dumps(body["messages"]) for body in server.bodies)


class Text(HTMLParser):
    """The words of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.words: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def __contains__(self, words: str) -> bool:
        return words in " ".join(" ".join(self.words).split())


def test_every_predictor_gets_a_run_file_and_all_stand_in_the_report(
    folder: Path, output: Path
) -> None:
    done = call("--items", folder, "--predictors", "majority, mid-scale", "-o", output)
    assert done.exit_code == 0, done.output
    runs = runs_in(output)
    assert set(runs) == {"majority", "mid-scale"}
    expected = score(evaluate(MidScalePredictor(), bg.read_items(folder)).outcomes)
    assert score(runs["mid-scale"].outcomes).overall == pytest.approx(expected.overall, nan_ok=True)
    assert runs["majority"].strict() is not None
    page = Text(output / "report.html")
    for words in ("majority", "mid-scale", "Differences between runs", "Time and cost"):
        assert words in page
    assert "Published rows, as reference" in page
    assert "the answer is +1 to all sign items (6); such a run does not tell people apart" in page


def test_what_is_there_is_not_run_again(
    folder: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("--items", folder, "--predictors", "majority,mid-scale", "-o", output)
    assert call(*line).exit_code == 0
    before = {path: path.stat().st_mtime_ns for path in (output / "runs").iterdir()}

    def refuse(self: object, item: Item, person: Person) -> Prediction:
        raise AssertionError("asked again")

    monkeypatch.setattr(MajorityPredictor, "predict", refuse)
    monkeypatch.setattr(MidScalePredictor, "predict", refuse)
    done = call(*line)
    assert done.exit_code == 0, done.output
    assert "majority, mid-scale: there already" in done.stderr
    assert {path: path.stat().st_mtime_ns for path in (output / "runs").iterdir()} == before


@pytest.mark.parametrize(
    "other", [("--seed", 3), ("--limit", 9), ("--people", 2), ("--context", "first:3")]
)
def test_another_configuration_is_another_file(
    folder: Path, output: Path, other: tuple[object, ...]
) -> None:
    line = ("--items", folder, "--predictors", "majority", "-o", output)
    assert call(*line).exit_code == 0
    done = call(*line, *other)
    assert done.exit_code == 0, done.output
    assert "there already" not in done.stderr
    assert len(list((output / "runs").glob("majority-*.json"))) == 2


def test_changed_answers_under_the_same_path_are_other_items(folder: Path, output: Path) -> None:
    line = ("--items", folder, "--predictors", "majority", "-o", output)
    assert call(*line).exit_code == 0
    changed = invented_items({**ANSWERS, "P1": (1, 1, 1, 1, 1)})
    assert items_digest(changed) != items_digest(invented_items())
    for path in folder.iterdir():
        path.unlink()
    write_items(changed, folder)
    assert call(*line).exit_code == 0
    golds = {tuple(o.gold for o in Run.load(p).outcomes) for p in (output / "runs").iterdir()}
    assert len(golds) == 2


def test_people_and_limit_choose_the_first(folder: Path, output: Path) -> None:
    assert call("--items", folder, "--predictors", "majority", "--people", 2, "-o", output)
    (run,) = runs_in(output).values()
    assert {o.participant for o in run.outcomes} == {"P1", "P2"}
    assert run.configuration["people"] == 2


def test_an_interrupted_twin_goes_on(
    folder: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The main run is saved before its strict twin begins."""
    line = ("--items", folder, "--predictors", "majority", "-o", output)
    with monkeypatch.context() as patched:
        patched.setattr("beliefgraph.benchmark.compare_predictors.with_strict_twin", _interrupt)
        assert call(*line).exit_code == 130
    monkeypatch.setattr(MajorityPredictor, "predict", None)  # nothing is asked: no context changes
    done = call(*line)
    assert done.exit_code == 0, done.output
    assert runs_in(output)["majority"].strict() is not None


def _interrupt(*arguments: Any, **options: Any) -> Run:
    raise KeyboardInterrupt


def test_ctrl_c_keeps_what_is_answered(
    folder: Path, output: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    usual = MidScalePredictor.predict

    def predict(self: MidScalePredictor, item: Item, person: Person) -> Prediction:
        if len(asked) == 10:
            raise KeyboardInterrupt
        asked.append(item.item_id)
        return usual(self, item, person)

    line = ("--items", folder, "--predictors", "majority,mid-scale", "-o", output)
    with monkeypatch.context() as patched:
        patched.setattr(MidScalePredictor, "predict", predict)
        stopped = call(*line)
    assert stopped.exit_code == 130
    assert "the same line again goes on" in stopped.stderr
    assert set(runs_in(output)) == {"majority"}

    def rest(self: MidScalePredictor, item: Item, person: Person) -> Prediction:
        asked.append(item.item_id)
        return usual(self, item, person)

    monkeypatch.setattr(MidScalePredictor, "predict", rest)
    done = call(*line)
    assert done.exit_code == 0, done.output
    assert sorted(asked) == sorted(item.item_id for item in invented_items())


def test_a_server_that_dies_stops_its_run_only_and_the_rerun_pays_for_the_rest(
    folder: Path, output: Path
) -> None:
    def dying(body: dict[str, Any], number: int) -> Reply:
        return first_letter(body, number) if number < 10 else failed(401, "gone")

    alive = False

    def script(body: dict[str, Any], number: int) -> Reply:
        return first_letter(body, number) if alive else dying(body, number)

    with serving(script) as server:
        address = server.url.replace("http://", "http://user:hunter2@")
        model = model_at(server).replace(server.url, address)
        line = ("--items", folder, "--predictors", f"{model},majority", "-o", output)
        stopped = call(*line)
        assert stopped.exit_code == 2
        assert stopped.stderr.count("Error:") == 1
        assert "llm:tiny: " in stopped.stderr
        assert "hunter2" not in stopped.output
        assert set(runs_in(output)) == {"majority"}
        assert "majority" in Text(output / "report.html")
        answered = paid(server)
        alive = True
        done = call(*line, "--prices", "2,1")
        assert done.exit_code == 0, done.output
        # the one prompt that was refused is asked again, no other
        assert sum((paid(server) - answered).values()) == N_ITEMS - 10
        assert max(Counter(json.dumps(b["messages"]) for b in server.bodies).values()) == 2
    page = Text(output / "report.html")
    assert "llm:tiny" in page
    for path in output.rglob("*"):
        assert path.is_dir() or b"hunter2" not in path.read_bytes()


def test_tokens_cost_and_seconds_stand_in_the_report(folder: Path, output: Path) -> None:
    with serving(first_letter) as server:
        line = ("--items", folder, "--predictors", model_at(server), "-o", output)
        assert call(*line, "--prices", "2,10").exit_code == 0
    (run,) = runs_in(output).values()
    assert all(o.seconds > 0 for o in run.outcomes)
    (section,) = (
        s for s in report_sections(build_report([run], n_resamples=20)) if s.key == "effort"
    )
    (shown,) = section.tables[0].rows
    # 100 tokens of prompt and 10 of answer each, at 2 and 10 for a million
    assert [cell.text for cell in shown.cells[3:]] == ["36", "0", "3,600", "360", "0.0108"]
    assert shown.cells[7].below == "0.0003 each"


def test_a_second_comparison_takes_the_answers_of_the_first(
    folder: Path, output: Path, tmp_path: Path
) -> None:
    with serving(first_letter) as server:
        line = ("--items", folder, "--predictors", model_at(server))
        cache = ("--cache", tmp_path / "answers.sqlite")
        assert call(*line, *cache, "-o", output).exit_code == 0
        assert call(*line, *cache, "-o", tmp_path / "other").exit_code == 0
        assert len(server.bodies) == N_ITEMS
    assert not (output / "answers.sqlite").exists()
    page = Text(tmp_path / "other" / "report.html")
    assert "not timed" in page


def test_a_cache_that_cannot_be_written_is_a_note(folder: Path, output: Path) -> None:
    blocked = folder.parent / "file"
    blocked.write_text("no folder", encoding="utf-8")
    with serving(first_letter) as server:
        line = ("--items", folder, "--predictors", model_at(server), "-o", output)
        done = call(*line, "--cache", blocked / "answers.sqlite")
    assert done.exit_code == 0, done.output
    assert "Note: the cache" in done.stderr
    assert "CacheWarning" not in done.stderr


def test_a_dry_run_asks_nothing_and_writes_nothing(folder: Path, output: Path) -> None:
    with serving(first_letter) as server:
        names = f"majority,{model_at(server)}"
        done = call(
            "--items", folder, "--predictors", names, "-o", output, "--dry-run", "--prices", "1,1"
        )
        assert server.bodies == []
    assert done.exit_code == 0, done.output
    assert "majority: asks no model" in done.stdout
    assert "# The person" in done.stdout
    assert f"llm:tiny: {N_ITEMS} items, {N_ITEMS} requests (0 in the cache)" in done.stdout
    assert "cost about 0.0" in done.stdout
    assert not output.exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"--predictors": "majorty"}, "Did you mean 'majority'"),
        ({"--predictors": "majority,majority"}, "names majority twice"),
        ({"--predictors": " , "}, "names no predictor"),
        ({"--against": "graph"}, "--against graph: not among the predictors (majority)"),
        ({"--prices": "1"}, "--prices must be two numbers"),
        ({"--prices": "-1,2"}, "--prices must be two numbers"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_runs(
    folder: Path, output: Path, given: dict[str, str], message: str
) -> None:
    options = {"--items": str(folder), "--predictors": "majority", "-o": str(output), **given}
    done = call(*(part for pair in options.items() for part in pair))
    assert done.exit_code == 2
    assert message in done.stderr
    assert not output.exists()


def test_the_output_must_be_a_folder(folder: Path, output: Path) -> None:
    output.write_text("a file", encoding="utf-8")
    done = call("--items", folder, "--predictors", "majority", "-o", output)
    assert done.exit_code == 2
    assert "this is a file; name a folder" in done.stderr
    assert output.read_text(encoding="utf-8") == "a file"


def test_the_same_predictor_under_two_names_is_refused(tmp_path: Path) -> None:
    twice = {"one": MajorityPredictor(), "two": MajorityPredictor()}
    with pytest.raises(SurveyError, match="'two' is the same as another"):
        compare_predictors(twice, invented_items(), tmp_path)


@pytest.mark.needs_pipeline
def test_differences_are_against_the_graph(tmp_path: Path, output: Path) -> None:
    study = generate_people(1, n_topics=1, seed=1)
    write_items(study.items, tmp_path / "items")
    line = ("--items", tmp_path / "items", "--predictors", "majority,graph")
    done = call(*line, "--limit", 12, "-o", output)
    assert done.exit_code == 0, done.output
    # the majority and its strict twin are runs 1 and 2
    assert "Each run less the one it is compared with (run 3," in Text(output / "report.html")


def started(fresh: Fresh, *arguments: object, **options: Any) -> subprocess.Popen[str]:
    python, environment = fresh
    return subprocess.Popen(
        [*python, "-m", "beliefgraph", "compare", *map(str, arguments), "--n-resamples", "20"],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def test_two_comparisons_on_one_cache_pay_once(
    folder: Path, tmp_path: Path, fresh_python: Fresh
) -> None:
    def slow(body: dict[str, Any], number: int) -> Reply:
        reply = first_letter(body, number)
        reply.seconds = 0.02
        return reply

    with serving(slow) as server:
        line = ("--items", folder, "--predictors", model_at(server), "--workers", 4,
                "--cache", tmp_path / "answers.sqlite", "-o")  # fmt: skip
        both = [
            started(fresh_python, *line, tmp_path / name, cwd=tmp_path) for name in ("one", "two")
        ]
        said_of = [process.communicate(timeout=120) for process in both]
        assert [process.returncode for process in both] == [0, 0], said_of
        assert len(server.bodies) == N_ITEMS
        assert set(paid(server).values()) == {1}


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_a_signal_ends_it_with_130_and_the_rerun_pays_for_the_rest(
    folder: Path, output: Path, tmp_path: Path, fresh_python: Fresh
) -> None:
    enough = threading.Event()

    def slow(body: dict[str, Any], number: int) -> Reply:
        if number == 5:
            enough.set()
        reply = first_letter(body, number)
        reply.seconds = 0.05
        return reply

    with serving(slow) as server:
        line = ("--items", folder, "--predictors", model_at(server), "-o", output)
        process = started(fresh_python, *line, cwd=tmp_path)
        assert enough.wait(60)
        process.send_signal(signal.SIGINT)
        _, problem = process.communicate(timeout=60)
        assert process.returncode == 130, problem
        assert "Traceback" not in problem
        known = len(server.bodies)
        assert 6 <= known < N_ITEMS
        done = call(*line)
        assert done.exit_code == 0, done.output
        # the request under way when the signal came is the only one that may come twice
        assert len(server.bodies) <= N_ITEMS + 1
        assert sum(count - 1 for count in paid(server).values()) <= 1


@pytest.mark.skipif(os.name != "posix", reason="a limit on the size of files")
def test_a_full_disk_is_one_message_and_the_rerun_goes_on(
    folder: Path, output: Path, tmp_path: Path, fresh_python: Fresh
) -> None:
    import resource

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8000, 8000))

    line = ("--items", folder, "--predictors", "mid-scale,majority", "-o", output)
    process = started(fresh_python, *line, cwd=tmp_path, preexec_fn=small_files)
    _, problem = process.communicate(timeout=60)
    assert process.returncode == 2, problem
    assert "2 of 2 predictors did not finish" in problem
    assert "Traceback" not in problem
    assert runs_in(output) == {}
    (journal,) = (output / "runs").glob("mid-scale-*.journal")
    assert 2 < len(journal.read_text(encoding="utf-8").splitlines()) < N_ITEMS
    before = time.time_ns()
    done = call(*line)
    assert done.exit_code == 0, done.output
    assert set(runs_in(output)) == {"mid-scale", "majority"}
    assert all(path.stat().st_mtime_ns >= before for path in (output / "runs").iterdir())
    assert not list((output / "runs").glob("*.journal"))
