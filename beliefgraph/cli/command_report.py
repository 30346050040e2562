"""`beliefgraph report`: saved runs as one report, on a page, as tables or as leaderboard rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from beliefgraph.cli.base import BeliefCommand, check_output, note

if TYPE_CHECKING:
    from beliefgraph.benchmark.report import Report, Table

__all__ = ["report_command"]

EXAMPLES = (
    "beliefgraph report run.json",
    "beliefgraph report run1.json run2.json --html report.html",
    "beliefgraph report run1.json run2.json --against majority --markdown report.md",
)

_ON_TERMINAL = ("headline", "differences")
"""Sections that are printed where no file is asked for."""


@click.command("report", cls=BeliefCommand, examples=EXAMPLES)
@click.argument("runs", nargs=-1, required=True, type=click.Path())
@click.option("--html", type=click.Path(), help="Write one self-contained page.")
@click.option("--markdown", type=click.Path(), help="Write Markdown.")
@click.option("--csv", "csv_path", type=click.Path(), help="Write every figure, one a row.")
@click.option("--leaderboard", type=click.Path(), help="Write JSON rows in the leaderboard's form.")
@click.option(
    "--against",
    metavar="NAME",
    help="Predictor that the others are compared with; the first run where not given.",
)
@click.option(
    "--published",
    type=click.Path(),
    help="JSON file of published rows; those of the HugAgent paper where not given.",
)
@click.option(
    "--n-resamples",
    type=click.IntRange(20),
    default=1000,
    show_default=True,
    help="How often the participants are drawn for the intervals.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of these draws.")
def report_command(
    runs: tuple[str, ...],
    html: str | None,
    markdown: str | None,
    csv_path: str | None,
    leaderboard: str | None,
    against: str | None,
    published: str | None,
    n_resamples: int,
    seed: int,
) -> None:
    """Report saved runs: figures with intervals, differences, controls, and published rows.

    RUNS are files that `beliefgraph evaluate` wrote. Without an output file, the main tables are
    printed.
    """  # fmt: skip
    from beliefgraph.benchmark.report import (
        build_report,
        read_published,
        report_csv,
        report_html,
        report_leaderboard,
        report_markdown,
    )
    from beliefgraph.benchmark.run import Run
    from beliefgraph.formats.html import write_page

    outputs = (html, markdown, csv_path, leaderboard)
    asked = [path for path in outputs if path is not None]
    for number, path in enumerate(asked):
        for source in runs:
            check_output(path, source)
        for other in asked[:number]:
            check_output(path, runs[0], other)
    report = build_report(
        [Run.load(path) for path in runs],
        against=against,
        published=read_published(published),
        n_resamples=n_resamples,
        seed=seed,
    )
    writers = (report_html, report_markdown, report_csv, report_leaderboard)
    for output, write in zip(outputs, writers, strict=True):
        if output is not None:
            write_page(write(report), output)
            note(f"wrote {output}")
    if not asked:
        _print(report)


def _print(report: Report) -> None:
    from beliefgraph.benchmark.report import report_sections
    from beliefgraph.cli.base import console, plain

    out = console()
    out.print(plain(report.summary))
    for section in report_sections(report):
        if section.key in _ON_TERMINAL:
            for table in section.tables:
                out.print(_table(table))
            for text in section.notes:
                out.print(plain(f"Note: {text}"))
    out.print("More in the report itself: --html, --markdown, --csv, --leaderboard.")


def _table(shown: Table) -> object:
    from beliefgraph.cli.base import plain
    from beliefgraph.cli.tables import table

    names = (f"{'>' * column.number}{column.name}" for column in shown.columns)
    made = table(plain(shown.caption), names)
    for row in shown.rows:
        first, *rest = row.cells
        name = "\n".join([first.line, *(f"({tag})" for tag in row.tags)])
        made.add_row(
            plain(name), *(plain("\n".join(filter(None, (c.text, c.below)))) for c in rest)
        )
    return made
