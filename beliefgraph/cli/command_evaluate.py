"""`beliefgraph evaluate`: a predictor's answers to all items, scored, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from beliefgraph.cli.base import BeliefCommand, Problem, check_output, note
from beliefgraph.cli.model_options import (
    llm_options,
    model_options,
    print_plan,
    warnings_as_notes,
)
from beliefgraph.cli.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beliefgraph.benchmark.run import ControlResult, Run
    from beliefgraph.benchmark.uncertainty import Bootstrap, Refit

__all__ = ["evaluate_command"]

EXAMPLES = (
    "beliefgraph evaluate --predictor majority --items ../shared/data/hugagent",
    "beliefgraph evaluate --predictor population-median --protocol population-informed "
    "--items ../shared/data/hugagent -o run.json",
    "beliefgraph evaluate --predictor random --items ../shared/data/hugagent --json",
    "beliefgraph evaluate --predictor scripted --items ../shared/data/hugagent --dry-run",
)


@click.command("evaluate", cls=BeliefCommand, examples=EXAMPLES)
@click.option("--predictor", "name", required=True, help="Name of the predictor (see below).")
@click.option(
    "--items", "folder", required=True, metavar="DIR", type=click.Path(), help="Items with answers."
)
@click.option(
    "--protocol",
    type=click.Choice(("zero-shot", "population-informed", "state-given")),
    default="zero-shot",
    show_default=True,
    help="Whose answers the predictor may know: nobody's, others', also the person's from before.",
)
@click.option(
    "--context",
    default="released",
    show_default=True,
    metavar="POLICY",
    help="What the items show: released, strict, first:K, last:K, drop-first:K, moved:K, "
    "replaced:K or none. Released items are scored under strict as well.",
)
@click.option("--controls", metavar="LIST", help='Also run controls: "all", or names with commas.')
@click.option("--draws", type=click.IntRange(1), default=20, show_default=True,
              help="Derangements of a control that draws them.")  # fmt: skip
@click.option("--folds", type=click.IntRange(2), help="Groups of people left out in turn.")
@click.option("--refit", is_flag=True, help="Fit anew in every draw of the bootstrap.")
@click.option("--n-resamples", type=click.IntRange(20), default=1000, show_default=True,
              help="Draws of the bootstrap over participants.")  # fmt: skip
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True,
              help="Predictions under way at once, where a server answers.")  # fmt: skip
@click.option("--limit", type=click.IntRange(1), help="Predict the first items only.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of everything random.")
@model_options
@click.option("-o", "--output", type=click.Path(), help="Save the run; a killed one goes on.")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON on stdout.")
def evaluate_command(
    name: str,
    folder: str,
    protocol: Any,
    context: str,
    controls: str | None,
    draws: int,
    folds: int | None,
    refit: bool,
    n_resamples: int,
    workers: int,
    limit: int | None,
    seed: int,
    cache: str | None,
    prices: str | None,
    timeout: float,
    dry_run: bool,
    output: str | None,
    as_json: bool,
) -> None:
    """Predict items and score the predictions: BSI, BDU, direction, ATI, with 95% intervals.

    Items are HugAgent items (JSON lines or parquet), or what `beliefgraph build-items` and
    `beliefgraph synth` write. Predictors: majority, mid-scale, random, persistence,
    population-median, population-mean and more (`beliefgraph.benchmark.predictor_names()`); or a
    language model, llm:MODEL@URL or llm-STRATEGY:MODEL@URL, with the key in OPENAI_API_KEY.
    """
    from beliefgraph.benchmark.compare_predictors import run_to_file
    from beliefgraph.benchmark.contexts import apply_context
    from beliefgraph.benchmark.controls import CONTROLS, run_controls
    from beliefgraph.benchmark.items import read_items
    from beliefgraph.benchmark.predictors import make_predictor
    from beliefgraph.benchmark.refit import refitter
    from beliefgraph.cli.report import print_json
    from beliefgraph.survey import FittablePredictor

    check_output(output, folder)
    for_models = llm_options(cache, prices, timeout, dry_run=dry_run)
    with warnings_as_notes():
        predictor = make_predictor(name, seed=seed, llm_options=for_models)
    again = None
    if refit:
        if protocol == "zero-shot" or not isinstance(predictor, FittablePredictor):
            raise Problem(f"--refit: {name} is not fitted on other people under {protocol}")
        again = predictor
    read = read_items(folder, strict=False)
    if read.left_out:
        first = read.left_out[0]
        note(f"{len(read.left_out)} left out; the first at {first.where}: {first.why}")
    items = apply_context(read, context, seed=seed)
    if limit is not None:
        items = items.replace_items(items.answered[:limit], items.context_policy)
    if dry_run:
        print_plan(name, predictor, items, protocol, for_models["prices"])
        return
    with warnings_as_notes():
        run, _ = run_to_file(
            predictor,
            items,
            output,
            protocol=protocol,
            folds=folds,
            seed=seed,
            workers=workers,
            configuration={"limit": limit, "n_left_out": len(read.left_out)},
            progress=progress_bar,
        )
    if controls:
        names = CONTROLS if controls == "all" else [n.strip() for n in controls.split(",")]
        found = run_controls(
            predictor, items, names=names, protocol=protocol, folds=folds, draws=draws, seed=seed,
            progress=lambda control: note(f"control {control}"),
        )  # fmt: skip
        run = run.replace(controls=tuple(found))
    if output:
        run.save(output)
    made_anew = refitter(again, items, protocol) if again is not None else None
    scored = _scored(run, n_resamples, seed, made_anew)
    if as_json:
        print_json(scored)
    else:
        _print(run, scored)
        if output:
            note(f"wrote {output}")


def _scored(run: Run, n_resamples: int, seed: int, refit: Refit | None) -> dict[str, Any]:
    from beliefgraph.benchmark.uncertainty import bootstrap

    def figures(one: Run, refit: Refit | None) -> dict[str, Any]:
        drawn = bootstrap(one.outcomes, seed=seed, n_resamples=n_resamples, refit=refit)
        return _figures(drawn)

    strict = run.strict()
    return {
        "predictor": run.predictor,
        "protocol": run.protocol,
        "context": run.context,
        **figures(run, refit),
        "strict": None
        if strict is None
        else {"changed": run.strict_changed, **figures(strict, None)},
        "controls": [control.model_dump(mode="json") for control in run.controls],
        "configuration": run.configuration,
        "seed": run.seed,
        "versions": run.versions,
        "notes": list(run.notes),
    }


def _figures(drawn: Bootstrap) -> dict[str, Any]:
    """Return the five published figures with intervals, then all that was scored."""
    from beliefgraph.benchmark.metrics import HEADLINE

    scores, intervals = drawn.scores.to_dict(), drawn.to_dict()
    domains = list(scores["per_domain"])

    def five(given: dict[str, Any]) -> dict[str, Any]:
        return {name: given[name] for name in HEADLINE}

    def ends(given: dict[str, Any]) -> dict[str, Any]:
        return {name: given[name]["interval"] for name in HEADLINE}

    return {
        "n": scores["counts"]["items"],
        "participants": scores["counts"]["participants"],
        "overall": five(scores["overall"]),
        "pooled": five(scores["pooled"]),
        "per_domain": {name: five(scores["per_domain"][name]) for name in domains},
        "intervals": {
            "level": intervals["level"],
            "n_resamples": intervals["n_resamples"],
            "refit": intervals["refit"],
            "overall": ends(intervals["overall"]),
            "pooled": ends(intervals["pooled"]),
            "per_domain": {name: ends(intervals["per_domain"][name]) for name in domains},
        },
        "flags": scores["flags"],
        "counts": scores["counts"],
        "not_scored": scores["not_scored"],
        "further": {"overall": scores["overall"], "pooled": scores["pooled"]},
    }


_COLUMNS = {
    "bsi_acc": "BSI %",
    "bdu_acc": "BDU %",
    "bdu_mae": "BDU MAE",
    "bdu_dir_acc": "direction %",
    "ati": "ATI",
}


def _print(run: Run, scored: dict[str, Any]) -> None:
    from beliefgraph.cli.base import console, plain

    out = console()
    out.print(_table(f"{run.label}: {scored['n']} items, {scored['participants']} people", scored))
    if scored["strict"]:
        changed = f"{scored['strict']['changed']} items show less than before"
        out.print(_table(f"Under the strict context policy ({changed})", scored["strict"]))
    out.print("Overall is the mean of the domains, pooled is over all items; 95% intervals.")
    for flag in scored["flags"]:
        out.print(plain(f"{flag['domain']}: {flag['people']} people with items of {flag['what']}."))
    if run.controls:
        out.print(_controls(run.controls))
    for text in run.notes:
        out.print(plain(f"Note: {text}."))


def _table(title: str, block: dict[str, Any]) -> object:
    from beliefgraph.cli.base import plain
    from beliefgraph.cli.tables import table

    shown = table(plain(title), ["", *_shown_columns()])
    ends = block["intervals"]
    rows = {"overall": (block["overall"], ends["overall"])}
    rows["pooled"] = (block["pooled"], ends["pooled"])
    rows |= {k: (v, ends["per_domain"][k]) for k, v in block["per_domain"].items()}
    for label, (figures, interval) in rows.items():
        cells = [_cell(name, figures[name], interval[name]) for name in _COLUMNS]
        shown.add_row(plain(label), *cells)
    return shown


def _controls(controls: Sequence[ControlResult]) -> object:
    from beliefgraph.cli.base import plain
    from beliefgraph.cli.tables import table

    shown = table("Controls (mean over the draws)", ["", ">reached", *_shown_columns()])
    for control in controls:
        cells = [_number(name, control.figures[name][0]) for name in _COLUMNS]
        shown.add_row(plain(control.control), f"{control.changed}/{control.items}", *cells)
    return shown


def _shown_columns() -> list[str]:
    return [f">{name}" for name in _COLUMNS.values()]


def _cell(name: str, value: float | None, ends: list[float] | None) -> str:
    """Return a figure with its interval below; whole percents are as exact as the interval is."""
    if value is None:
        return "not scored"
    if ends is None:
        return _number(name, value)
    low, high = (f"{end:.2f}" if name == "bdu_mae" else f"{end:.0f}" for end in ends)
    return f"{_number(name, value)}\n[{low}, {high}]"


def _number(name: str, value: float | None) -> str:
    if value is None:
        return "not scored"
    return f"{value:.2f}" if name == "bdu_mae" else f"{value:.1f}"
