"""`beliefgraph evaluate` on invented items: JSON alone on stdout, the figures of the library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import beliefgraph as bg
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.items import write_items
from beliefgraph.benchmark.metrics import score
from beliefgraph.benchmark.predictors import make_predictor
from beliefgraph.benchmark.run import Run
from beliefgraph.cli import main
from tests.items_invented import invented_items


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_items(invented_items(), tmp_path / "items")
    return tmp_path / "items"


def call(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["evaluate", *map(str, arguments)])


def figures(*arguments: object) -> dict[str, Any]:
    done = call(*arguments, "--json", "--n-resamples", 50)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_json_alone_stands_on_stdout_and_agrees_with_the_library(folder: Path) -> None:
    found = figures("--predictor", "mid-scale", "--items", folder)
    run = evaluate(make_predictor("mid-scale"), bg.read_items(folder))
    expected = score(run.outcomes)
    assert found["n"] == 36
    for name, value in found["overall"].items():
        assert value == pytest.approx(expected.overall[name])
        low, high = found["intervals"]["overall"][name]
        assert low <= value <= high
    assert set(found["per_domain"]) == {"parks", "trams"}
    assert found["strict"]["overall"]["bsi_acc"] == pytest.approx(expected.overall["bsi_acc"])


def test_a_saved_run_holds_configuration_versions_and_every_prediction(
    folder: Path, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    done = call(
        "--predictor", "population-median", "--protocol", "population-informed",
        "--items", folder, "--seed", 5, "-o", path, "--n-resamples", 50,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    run = Run.load(path)
    assert run.seed == 5
    assert len(run.outcomes) == 36
    assert run.configuration["fitted_on_others"] is True
    assert run.versions["beliefgraph"] == bg.__version__
    assert "learns that selection" in "".join(run.notes)
    assert not path.with_name("run.json.journal").exists()


def test_tables_show_overall_pooled_and_every_domain(folder: Path) -> None:
    done = call("--predictor", "majority", "--items", folder, "--controls", "no-context")
    assert done.exit_code == 0
    for words in ("overall", "pooled", "parks", "trams", "ATI", "no-context", "36/36"):
        assert words in done.stdout


def test_refit_fits_anew_in_every_draw(folder: Path) -> None:
    informed = ("--protocol", "population-informed", "--items", folder)
    found = figures("--predictor", "population-median", *informed, "--refit")
    plain = figures("--predictor", "population-median", *informed)
    assert found["intervals"]["refit"] is True
    assert found["overall"] == plain["overall"]
    assert found["intervals"]["overall"] != plain["intervals"]["overall"]
    refused = call("--predictor", "majority", *informed, "--refit")
    assert refused.exit_code == 2
    assert "--refit: majority is not fitted" in refused.stderr


def test_limit_and_context_are_kept_in_the_run(folder: Path) -> None:
    found = figures("--predictor", "majority", "--items", folder, "--limit", 7, "--context", "none")
    assert found["n"] == 7
    assert found["context"] == "none"
    assert found["strict"] is None


def test_unknown_names_get_suggestions(folder: Path) -> None:
    done = call("--predictor", "majorty", "--items", folder)
    assert done.exit_code == 2
    assert "Did you mean 'majority'" in done.stderr
    done = call("--predictor", "majority", "--items", folder, "--context", "strickt")
    assert "Did you mean 'strict'" in done.stderr
