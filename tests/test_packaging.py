"""The packaging: every package is listed, no room is imported twice, importing stays light."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import beliefgraph as bg

ROOMS = ("baselines", "extractors", "simulate")
HEAVY = ("matplotlib", "numba", "openai", "pandas", "pgmpy", "sentence_transformers", "spacy")

Fresh = tuple[list[str], dict[str, str]]


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    with (root / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)


@pytest.fixture(scope="module")
def checkout(root: Path) -> Path:
    if not (root / "beliefgraph").is_dir():
        pytest.skip("these tests run without the checkout")
    return root


def folders_with_python(checkout: Path) -> dict[str, Path]:
    found = {}
    for top, name in [("beliefgraph", "beliefgraph"), *((r, f"beliefgraph.{r}") for r in ROOMS)]:
        for init in (checkout / top).rglob("__init__.py"):
            inside = init.parent.relative_to(checkout / top).parts
            if top == "beliefgraph" and inside and inside[0] in ROOMS:
                continue  # links to the rooms at the top
            found[".".join((name, *inside))] = init.parent
    return found


def test_every_package_is_listed(project: dict[str, Any], checkout: Path) -> None:
    assert sorted(folders_with_python(checkout)) == project["tool"]["setuptools"]["packages"]


def test_no_folder_of_modules_lacks_its_init(checkout: Path) -> None:
    for top in ("beliefgraph", *ROOMS):
        for module in (checkout / top).rglob("*.py"):
            assert (module.parent / "__init__.py").exists(), module


def test_every_data_file_is_listed(project: dict[str, Any], checkout: Path) -> None:
    listed = project["tool"]["setuptools"]["package-data"]
    for name, folder in folders_with_python(checkout).items():
        patterns = listed.get(name, [])
        for path in folder.iterdir():
            if path.is_file() and path.suffix not in (".py", ".pyc", ".nbi", ".nbc"):
                assert any(path.match(pattern) for pattern in patterns), path


def test_rooms_are_relative_links(project: dict[str, Any], checkout: Path) -> None:
    mapping = project["tool"]["setuptools"]["package-dir"]
    for room in ROOMS:
        assert mapping[f"beliefgraph.{room}"] == room
        assert (checkout / "beliefgraph" / room).readlink() == Path("..") / room


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_never_imported_under_its_top_level_name(checkout: Path, room: str) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(checkout)!r})\n"
        f"import beliefgraph.{room}\n"
        f"try:\n    import {room}\n"
        "except ImportError as problem:\n    print(problem)\n"
        f"else:\n    sys.exit('imported twice')\n"
        f"assert {room!r} not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert f"this package is beliefgraph.{room}" in done.stdout


def imported_by(statement: str, fresh: Fresh, folder: Path) -> list[str]:
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(sys.modules)))"
    python, environment = fresh
    done = subprocess.run(
        [*python, "-c", code], capture_output=True, text=True, cwd=folder, env=environment,
        check=True,
    )  # fmt: skip
    names: list[str] = json.loads(done.stdout)
    return names


def test_importing_beliefgraph_imports_no_room(fresh_python: Fresh, tmp_path: Path) -> None:
    names = imported_by("import beliefgraph", fresh_python, tmp_path)
    rooms = {f"beliefgraph.{room}" for room in (*ROOMS, "benchmark", "cli")}
    assert not rooms & set(names)


@pytest.mark.parametrize(
    "module", ["beliefgraph", "beliefgraph.cli", "beliefgraph.extractors", "beliefgraph.formats"]
)
def test_importing_is_light(module: str, fresh_python: Fresh, tmp_path: Path) -> None:
    names = imported_by(f"import {module}", fresh_python, tmp_path)
    assert not {"torch", *HEAVY} & set(names)


def test_simulate_needs_no_heavy_package(fresh_python: Fresh, tmp_path: Path) -> None:
    names = imported_by("import beliefgraph.simulate", fresh_python, tmp_path)
    assert not {"pandas", "pgmpy", "spacy", "torch"} & set(names)


def test_the_version_is_one(project: dict[str, Any], root: Path) -> None:
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {
        "attr": "beliefgraph.__version__"
    }
    assert f"## [{bg.__version__}]" in (root / "CHANGELOG.md").read_text(encoding="utf-8")


def test_typed_marker_and_templates_are_installed() -> None:
    from importlib.resources import files

    assert files("beliefgraph").joinpath("py.typed").is_file()
    assert files("beliefgraph.formats").joinpath("page.html.jinja").is_file()
    assert files("beliefgraph.benchmark.synth").joinpath("topics.json").is_file()


def test_default_dependencies_stay_small(project: dict[str, Any]) -> None:
    names = {spec.split(">")[0] for spec in project["project"]["dependencies"]}
    assert not names & {"torch", "pandas", "pgmpy", "sentence-transformers", "openai"}
    assert any("==" in spec for spec in project["project"]["optional-dependencies"]["en"])


def test_every_name_in_all_exists() -> None:
    for name in bg.__all__:
        assert getattr(bg, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'simulate_all'"):
        _ = bg.simulate_all
