"""Every command and code block of the documentation runs, and the output shown is real."""

from __future__ import annotations

import importlib.util
import re
import runpy
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from beliefgraph.cli import main
from tests.conftest import ROOT

PAGES = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").glob("*.md")),
)
BLOCK = re.compile(r"^```(?P<kind>\w*)[^\n]*\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[+-]?\d+\.\d+")
HAS_VECTORS = importlib.util.find_spec("sentence_transformers") is not None
HAS_HYPOTHESIS = importlib.util.find_spec("hypothesis")
PREFIXES = {"beliefgraph": [], "python -m beliefgraph.simulate": ["simulate"]}


def blocks(page: Path, kind: str) -> Iterator[str]:
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if match["kind"] == kind:
            yield match["body"]


def arguments_of(line: str) -> list[str] | None:
    """Arguments of a beliefgraph command, or None for another command."""
    for prefix, first in PREFIXES.items():
        if line.startswith(prefix + " "):
            return first + shlex.split(line.removeprefix(prefix), comments=True)
    return None


@pytest.mark.needs_pipeline
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_of_a_page_run(page: Path, workplace: Path) -> None:
    """In their order and in one folder, so that a later block finds what an earlier one wrote."""
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        if match["kind"] == "bash":
            for line in match["body"].splitlines():
                arguments = arguments_of(line)
                if arguments is not None:
                    result = CliRunner().invoke(main, arguments)
                    assert result.exit_code == 0, f"{page.name}: {line}\n{result.output}"
        elif match["kind"] == "python":
            code = compile(match["body"], f"{page.name}, a python block", "exec")
            exec(code, {"__name__": "__docs__"})


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_other_commands_are_those_of_the_makefile_and_the_project(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = set(tomllib.load(file)["project"]["optional-dependencies"])
    for body in blocks(page, "bash"):
        for line in body.splitlines():
            words = shlex.split(line, comments=True)
            if not words or arguments_of(line) is not None:
                continue
            if words[0] == "make":
                assert set(words[1:]) <= targets, line
            elif words[:2] == ["pip", "install"]:
                assert set(re.findall(r"\[(\w+)\]", line)) <= extras, line
            else:
                assert words[0] in ("python", "git", "cd"), f"nothing checks {line!r}"
                for word in words[1:]:
                    assert not word.endswith(".py") or (ROOT / word).exists(), line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def refresh() -> ModuleType:
    spec = importlib.util.spec_from_file_location("refresh", ROOT / "docs" / "refresh.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.needs_pipeline
@pytest.mark.skipif(HAS_VECTORS, reason="the walkthrough shows what words alone give")
def test_the_output_in_the_walkthrough_is_real() -> None:
    """Word by word; numbers may differ by what another platform's rounding does."""
    shown = (ROOT / "docs" / "walkthrough.md").read_text(encoding="utf-8")
    now = refresh().refreshed(shown)
    fix = "run: make docs"
    assert NUMBER.sub("#", now).split() == NUMBER.sub("#", shown).split(), fix
    for one, other in zip(NUMBER.findall(now), NUMBER.findall(shown), strict=True):
        assert float(one) == pytest.approx(float(other), abs=0.021), fix


@pytest.mark.needs_pipeline
def test_the_picture_is_of_the_present_graph() -> None:
    shown = (ROOT / "docs" / "bus_lanes.svg").read_text(encoding="utf-8")
    names = [re.findall(r'aria-label="([^"]+)"', svg)[0] for svg in (shown, refresh().picture())]
    assert names[0] == names[1], "run: make docs"


@pytest.mark.needs_pipeline
def test_the_quickstart_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "quickstart.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "Support for bus lanes" in said
    assert "definitely positive" in said


DOCTESTS = """
import doctest, importlib, pkgutil, beliefgraph
flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
names = [found.name for found in pkgutil.walk_packages(beliefgraph.__path__, "beliefgraph.")]
attempted = 0
for name in ["beliefgraph", *names]:
    if name.endswith("__main__"):
        continue
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as problem:
        assert not problem.name.startswith("beliefgraph"), problem
        continue  # it needs an extra
    done = doctest.testmod(module, optionflags=flags)
    attempted += done.attempted
    assert not done.failed, name
assert attempted > 50
"""


def test_every_example_in_a_docstring_runs(
    fresh_python: tuple[list[str], dict[str, str]], tmp_path: Path
) -> None:
    if HAS_HYPOTHESIS is None:
        pytest.skip("examples may use any extra; run them with pip install 'beliefgraph[dev]'")
    python, environment = fresh_python
    done = subprocess.run(
        [*python, "-c", DOCTESTS], capture_output=True, text=True, cwd=tmp_path, env=environment,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_says_what_it_is_not_for() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert "not to be used to persuade, profile or target" in text
    assert "No real answers are in this repository" in text
