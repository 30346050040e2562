"""Write the output of the commands in walkthrough.md below them, and draw the README's picture.

Run it from anywhere after a change that moves the numbers: python docs/refresh.py (make docs),
without sentence-transformers: the pages show what words alone give.
A text block right after a bash block holds the command's output; `head=N` keeps its first lines.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from pathlib import Path

from click.testing import CliRunner

import beliefgraph as bg
from beliefgraph.cli import main
from beliefgraph.formats.outcome import levels, marks
from beliefgraph.formats.svg import STYLE, draw

DOCS = Path(__file__).resolve().parent
BLOCK = re.compile(
    r"```bash\n(?P<command>[^\n]+)\n```\n\n```text(?: head=(?P<head>\d+))?\n(?P<output>.*?)```",
    re.DOTALL,
)


def run(command: str) -> str:
    """Run one command in the current folder and return what it prints on stdout."""
    program, *arguments = shlex.split(command)
    assert program == "beliefgraph", command
    result = CliRunner(env={"COLUMNS": "96"}).invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return "\n".join(line.rstrip() for line in result.stdout.rstrip().splitlines())


def refreshed(text: str) -> str:
    """Return a page with the present output of its commands."""

    def block(match: re.Match[str]) -> str:
        lines = run(match["command"]).splitlines()
        head = int(match["head"] or len(lines))
        shown = "\n".join([*lines[:head], *(["[...]"] if len(lines) > head else [])])
        size = f" head={match['head']}" if match["head"] else ""
        return f"```bash\n{match['command']}\n```\n\n```text{size}\n{shown}\n```"

    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "examples").symlink_to(DOCS.parent / "examples", target_is_directory=True)
        home = Path.cwd()
        os.chdir(folder)
        try:
            return BLOCK.sub(block, text)
        finally:
            os.chdir(home)


def picture() -> str:
    """Draw a part of the bus lanes graph as an SVG file: what moves the stance, and what follows.

    The strongest influences of either sign on the stance, on their causes, and from Bus speed.
    """
    t = bg.read_transcript(DOCS.parent / "examples" / "interviews" / "bus_lanes_tyt.csv")
    whole = bg.extract(t)
    r = bg.intervene(whole, do={"Bus speed": 0.8}, seed=7)
    strongest = sorted(whole.influences, key=lambda edge: -abs(edge.weight) * edge.confidence)
    direct = [edge for edge in strongest if edge.target == whole.stance]
    kept = [edge for edge in direct if edge.weight > 0][:3]
    kept += [edge for edge in direct if edge.weight < 0][:2]
    causes = {edge.source for edge in kept}
    kept += [edge for edge in strongest if edge.target in causes][:3]
    moved = [edge for edge in strongest if edge.source == "Bus speed" and edge not in kept][:2]
    reached = {edge.target for edge in moved}
    kept += [*moved, *[e for e in strongest if e.source in reached and e not in kept][:2]]
    names = {end for edge in kept for end in (edge.source, edge.target)}
    part = whole.replace(
        concepts=tuple(concept for concept in whole.concepts if concept.name in names),
        influences=tuple(kept),
        feedback=(),
        readings=(),
    )
    values = {name: pair for name, pair in levels(r).items() if name in names}
    drawing, _ = draw(part, values, {k: v for k, v in marks(r).items() if k in names})
    opened = str(drawing).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return re.sub(r"(<svg[^>]*>)", rf"\1<style>{STYLE}</style>", opened, count=1) + "\n"


if __name__ == "__main__":
    page = DOCS / "walkthrough.md"
    page.write_text(refreshed(page.read_text(encoding="utf-8")), encoding="utf-8")
    (DOCS / "bus_lanes.svg").write_text(picture(), encoding="utf-8")
