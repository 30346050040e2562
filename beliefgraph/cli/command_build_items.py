"""`beliefgraph build-items`: a study's survey, responses and interviews become items."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from beliefgraph.cli.base import BeliefCommand, Problem, note

if TYPE_CHECKING:
    from beliefgraph.survey import ItemSet

__all__ = ["build_items_command"]

EXAMPLES = (
    "beliefgraph build-items --survey examples/study/survey.yaml "
    "--responses examples/study/responses.csv --transcripts examples/study/transcripts "
    "--demographics examples/study/demographics.csv --signs examples/study/signs.csv -o items",
)
_SHOWN = 10


@click.command("build-items", cls=BeliefCommand, examples=EXAMPLES)
@click.option("--survey", required=True, type=click.Path(), help="Survey file, YAML or JSON.")
@click.option(
    "--responses",
    required=True,
    type=click.Path(),
    help="Table of answers (CSV): one row a person, or columns participant, question, value.",
)
@click.option(
    "--transcripts",
    required=True,
    type=click.Path(),
    help="Folder of interviews; a file that names nobody is called PARTICIPANT_TOPIC.csv.",
)
@click.option("--demographics", type=click.Path(), help="Table (CSV) with a participant column.")
@click.option(
    "--signs",
    type=click.Path(),
    help="Table (CSV) of effects: participant, topic, factor, outcome, sign, perhaps qa_id.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON on stdout.")
@click.option("-o", "--output", required=True, type=click.Path(), help="Folder to write to.")
def build_items_command(
    survey: str,
    responses: str,
    transcripts: str,
    demographics: str | None,
    signs: str | None,
    as_json: bool,
    output: str,
) -> None:
    """Make the items of your own study.

    Writes items.jsonl and survey.yaml, a folder that `beliefgraph evaluate --items` takes.
    """
    from beliefgraph.benchmark.items import build_items, write_items
    from beliefgraph.cli.report import print_json
    from beliefgraph.survey import read_survey, write_survey

    folder = Path(output)
    if folder.exists() and not folder.is_dir():
        raise Problem(f"{output}: this is a file; name a folder")
    target = folder / "survey.yaml"
    if target.exists() and target.samefile(survey):
        raise Problem(f"{output}: holds the survey file itself; name another folder")
    asked = read_survey(survey)
    items = build_items(asked, responses, transcripts, demographics, signs=signs)
    write_items(items, folder)
    write_survey(asked, target)
    summary = _summary(items)
    if as_json:
        print_json(summary)
        return
    click.echo(f"{len(items)} items of {len(items.people)} people are in {output}")
    for task, n in summary["by_task"].items():
        click.echo(f"  {task}: {n}")
    for part in items.left_out[:_SHOWN]:
        note(f"{part.where}: {part.why}")
    if len(items.left_out) > _SHOWN:
        note(f"and {len(items.left_out) - _SHOWN} more; --json lists all")


def _summary(items: ItemSet) -> dict[str, Any]:
    from collections import Counter

    import beliefgraph

    return {
        "items": len(items),
        "people": len(items.people),
        "by_topic": dict(Counter(item.topic for item in items)),
        "by_task": dict(Counter(item.question.task for item in items)),
        "left_out": [part.model_dump() for part in items.left_out],
        "version": beliefgraph.__version__,
    }
