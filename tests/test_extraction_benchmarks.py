from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.needs_pipeline


def load(name: str) -> ModuleType:
    folder = str(ROOT / "benchmarks")
    if folder not in sys.path:  # a script finds its neighbours there
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def public() -> Path:
    """Folder of other people's data, which are never part of the repository."""
    given = os.environ.get("BELIEFGRAPH_PUBLIC_DATA")
    path = Path(given) if given else ROOT.parent / "shared" / "data" / "public"
    if not path.is_dir():
        pytest.skip("the public sets are not here (set BELIEFGRAPH_PUBLIC_DATA to their folder)")
    return path


def test_rendered_truth_in_small(capsys: pytest.CaptureFixture[str]) -> None:
    load("extraction_synthetic").main(["--people", "1", "--json"])
    got = json.loads(capsys.readouterr().out)
    assert got["configuration"]["bank"] == "development"
    strict = got["figures"]["one_to_one"]["all"]
    assert strict["people"] == 8
    for name in ("edge F1", "signed-edge F1", "sign accuracy", "concept F1"):
        assert 0 < strict[name]["value"] <= 1
        assert strict[name]["interval"][0] <= strict[name]["value"] <= strict[name]["interval"][1]


def test_rendered_truth_as_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    load("extraction_synthetic").main(["--people", "1", "--wordings", "all"])
    said = capsys.readouterr().out
    assert "many_to_one" in said
    assert "contradictory" in said


def test_other_peoples_gold_in_small(public: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load("extraction_gold").main(["--data", str(public), "--limit", "15", "--json"])
    figures = json.loads(capsys.readouterr().out)["figures"]
    assert set(figures) == {"because", "causalmap_example", "explagraphs"}
    for own in figures.values():
        for figure in own.values():
            assert figure["value"] is None or 0 <= figure["value"] <= 1


def test_a_made_up_set_is_scored_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "because").mkdir()
    (tmp_path / "because" / "because_causal.csv").write_text(
        "doc,type,connective,cause,effect,degree,other,context\n"
        "d,Consequence,reduces,noise,sleep,Inhibit,,Noise reduces sleep.\n"
        "d,Consequence,increases,traffic,pollution,Facilitate,,Traffic increases pollution.\n",
        encoding="utf-8",
    )
    gold = load("extraction_gold")
    gold.main(["--data", str(tmp_path), "--json"])
    own = json.loads(capsys.readouterr().out)["figures"]["because"]
    for figure in (
        "pairs within recall",
        "pairs within precision",
        "pairs within direction",
        "pairs within F1",
        "pairs, found: sign",
        "pairs, all: inhibit recall",
    ):
        assert own[figure]["value"] == 1.0, figure
    assert own["sign: always Facilitate"]["value"] == 0.5
    gold.main(["--data", str(tmp_path)])
    assert "pairs within recall" in capsys.readouterr().out


def test_a_folder_without_sets_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        load("extraction_gold").main(["--data", str(tmp_path)])
