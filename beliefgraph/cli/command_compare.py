"""`beliefgraph compare`: predictors side by side on the same items, from names to a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from beliefgraph.cli.base import BeliefCommand, Problem, note, usage
from beliefgraph.cli.model_options import (
    llm_options,
    model_options,
    print_plan,
    warnings_as_notes,
)
from beliefgraph.cli.progress import progress_bar

if TYPE_CHECKING:
    from beliefgraph.benchmark.compare_predictors import Comparison
    from beliefgraph.survey import ItemSet

__all__ = ["compare_command"]

EXAMPLES = (
    "beliefgraph compare --items ../shared/data/hugagent --predictors graph,majority,mid-scale "
    "-o comparison",
    "beliefgraph compare --items study/items --predictors graph,majority,"
    "llm:llama3.1@http://localhost:11434/v1 --workers 4 -o comparison",
    "beliefgraph compare --items study/items --predictors graph,"
    "llm:llama3.1@http://localhost:11434/v1 --dry-run -o comparison",
)
INTERRUPTED = 130
"""Exit code of what Ctrl-C ended, as shells have it."""


@click.command("compare", cls=BeliefCommand, examples=EXAMPLES)
@click.option(
    "--items", "folder", required=True, metavar="DIR", type=click.Path(), help="Items with answers."
)
@click.option(
    "--predictors",
    required=True,
    metavar="LIST",
    help="Names with commas, such as graph,majority,llm:MODEL@URL (see `beliefgraph evaluate`).",
)
@click.option(
    "--protocol",
    type=click.Choice(("zero-shot", "population-informed", "state-given")),
    default="zero-shot",
    show_default=True,
    help="Whose answers they may know: nobody's, others', also the person's from before.",
)
@click.option(
    "--context",
    default="released",
    show_default=True,
    metavar="POLICY",
    help="What the items show, as for `beliefgraph evaluate`; released items are answered under "
    "strict as well.",
)
@click.option(
    "--against",
    metavar="NAME",
    help="Predictor that the others are compared with; graph, or else the first.",
)
@click.option("--folds", type=click.IntRange(2), help="Groups of people left out in turn.")
@click.option("--n-resamples", type=click.IntRange(20), default=1000, show_default=True,
              help="Draws of the bootstrap over participants.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True,
              help="Predictions under way at once, where a server answers.")  # fmt: skip
@click.option("--people", type=click.IntRange(1), help="Only the items of the first people.")
@click.option("--limit", type=click.IntRange(1), help="Only the first items.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of everything random.")
@model_options
@click.option("-o", "--output", required=True, type=click.Path(), help="Folder for report.html, "
              "runs/ and answers.sqlite; the same line again goes on there.")  # fmt: skip
def compare_command(
    folder: str,
    predictors: str,
    protocol: Any,
    context: str,
    against: str | None,
    folds: int | None,
    n_resamples: int,
    workers: int,
    people: int | None,
    limit: int | None,
    seed: int,
    cache: str | None,
    prices: str | None,
    timeout: float,
    dry_run: bool,
    output: str,
) -> None:
    """Run predictors on the same items and write one report of them.

    Each run stands in a file of its own under OUTPUT/runs. What is there already and was made the
    same way is not made again, and an interrupted run goes on where it stopped; a model's answers
    are kept in OUTPUT/answers.sqlite (see --cache). The exit code is 0 where all ran, 2 where one
    did not (the report then has the others), 130 after Ctrl-C.
    """
    from beliefgraph.benchmark.compare_predictors import compare_predictors
    from beliefgraph.benchmark.predictors import make_predictor

    names = _names(predictors)
    if against is not None and against not in names:
        listed = ", ".join(map(_bare, names))
        raise usage(f"--against {_bare(against)}: not among the predictors ({listed})")
    target = Path(output)
    if target.exists() and not target.is_dir():
        raise Problem(f"{output}: this is a file; name a folder")
    for_models = llm_options(cache or target / "answers.sqlite", prices, timeout, dry_run=dry_run)
    with warnings_as_notes():
        chosen = {name: make_predictor(name, seed=seed, llm_options=for_models) for name in names}
    items, said = _items(folder, context, people, limit, seed)
    if dry_run:
        for name, predictor in chosen.items():
            print_plan(name, predictor, items, protocol, for_models["prices"])
        return
    try:
        with warnings_as_notes():
            done = compare_predictors(
                chosen, items, target / "runs", protocol=protocol, folds=folds, seed=seed,
                workers=workers, configuration=said, progress=progress_bar,
            )  # fmt: skip
    except KeyboardInterrupt:
        note("stopped; what was answered is kept, and the same line again goes on from there")
        raise SystemExit(INTERRUPTED) from None
    _report(done, against, target, n_resamples, seed)
    if done.failed:
        raise Problem(
            f"{len(done.failed)} of {len(names)} predictors did not finish; the same line again "
            "goes on where they stopped.\n"
            + "\n".join(f"{_bare(name)}: {why}" for name, why in done.failed.items())
        )


def _names(text: str) -> list[str]:
    names = [part.strip() for part in text.split(",") if part.strip()]
    if not names:
        raise usage("--predictors names no predictor; give names with commas between them")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise usage(f"--predictors names {_bare(twice[0])} twice; once is enough")
    return names


def _bare(name: str) -> str:
    """Return the name without its URL, which may hold a password."""
    return name.partition("@")[0]


def _items(
    folder: str, context: str, people: int | None, limit: int | None, seed: int
) -> tuple[ItemSet, dict[str, Any]]:
    """Read the items, and what every run is to say of them."""
    from beliefgraph.benchmark.contexts import apply_context
    from beliefgraph.benchmark.items import read_items

    read = read_items(folder, strict=False)
    if read.left_out:
        first = read.left_out[0]
        note(f"{len(read.left_out)} left out; the first at {first.where}: {first.why}")
    items = apply_context(read, context, seed=seed)
    answered = items.answered
    if people is not None:
        named = list(dict.fromkeys(item.participant for item in items))[:people]
        answered = tuple(each for each in answered if each.item.participant in set(named))
    answered = answered[:limit]
    said = {"limit": limit, "people": people, "n_left_out": len(read.left_out)}
    return items.replace_items(answered, items.context_policy), said


def _report(
    done: Comparison, against: str | None, target: Path, n_resamples: int, seed: int
) -> None:
    """Write the report of the runs that finished."""
    from beliefgraph.benchmark.report import build_report, report_html
    from beliefgraph.formats.html import write_page

    if done.kept:
        kept = ", ".join(map(_bare, done.kept))
        note(f"{kept}: there already; remove the file under {target / 'runs'} to run anew")
    if not done.runs:
        return
    names = list(done.runs)
    chosen = against or ("graph" if "graph" in names else names[0])
    reference = names.index(chosen) if chosen in names else 0
    runs = list(done.runs.values())
    number = 1 + sum(1 + (run.strict_outcomes is not None) for run in runs[:reference])
    report = build_report(runs, against=str(number), n_resamples=n_resamples, seed=seed)
    page = target / "report.html"
    write_page(report_html(report), page)
    click.echo(f"{page}: {report.summary}")
