"""`beliefgraph evaluate-extraction`: the signs that the reader gives, beside those people gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from beliefgraph.cli.base import BeliefCommand

if TYPE_CHECKING:
    from beliefgraph.extractors.evaluation import SignReport

__all__ = ["evaluate_extraction_command"]

EXAMPLES = (
    "beliefgraph evaluate-extraction --items ../shared/data/hugagent",
    "beliefgraph evaluate-extraction --items ../shared/data/hugagent --json --seed 1",
)


@click.command("evaluate-extraction", cls=BeliefCommand, examples=EXAMPLES)
@click.option(
    "--items",
    required=True,
    metavar="DIR",
    type=click.Path(),
    help="Folder of HugAgent belief-state items (JSON lines), which are no part of the package.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON on stdout.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap.")
def evaluate_extraction_command(items: str, as_json: bool, seed: int) -> None:
    """Read the source of each belief-state item and score the sign.

    An abstention counts as wrong, a gold label of "A/B" as right either way; intervals are over
    participants.
    """
    from beliefgraph.cli.report import print_json
    from beliefgraph.extractors.evaluation import evaluate_extraction, read_sign_items

    report = evaluate_extraction(read_sign_items(items), seed=seed)
    if as_json:
        print_json(report.to_dict())
    else:
        _print(report)


def _print(report: SignReport) -> None:
    from beliefgraph.cli.base import console, plain
    from beliefgraph.cli.tables import table

    figures = report.to_dict()
    shown = table(
        "Sign of the effect, source given (95% intervals over participants)",
        [">items", ">n", ">no sign", ">accuracy", ">interval", ">where a sign"],
    )
    rows = {"all": figures, **figures["by_topic"]}
    for name, own in rows.items():
        shown.add_row(
            plain(name),
            str(own["n"]),
            str(own["abstained"]),
            _share(own["accuracy"]),
            _interval(own["interval"]),
            _share(own["accuracy_committed"]),
        )
    out = console()
    out.print(shown)
    committed = _interval(figures["interval_committed"])
    out.print(f"Where a sign was given: {_share(figures['accuracy_committed'])} {committed}")
    forced = _share(figures["accuracy_forced"])
    out.print(f"With a plus for every abstention (no reading, a forced choice): {forced}\n")
    confusion = figures["confusion"]
    matrix = table("What was read, by gold label", [">read", *(f">{gold}" for gold in confusion)])
    for kind in dict.fromkeys(kind for counts in confusion.values() for kind in counts):
        matrix.add_row(kind, *(str(counts.get(kind, 0)) for counts in confusion.values()))
    out.print(matrix)
    out.print(f"{figures['participants']} participants; {report.configuration['protocol']}.")


def _share(value: float | None) -> str:
    return "not scored" if value is None else f"{value:.3f}"


def _interval(interval: list[float] | None) -> str:
    return "" if interval is None else f"[{interval[0]:.3f}, {interval[1]:.3f}]"
