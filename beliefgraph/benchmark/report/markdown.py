"""A report as Markdown: the page's sentences and tables, without the plots."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import beliefgraph
from beliefgraph.benchmark.report.layout import Table
from beliefgraph.benchmark.report.sections import report_sections

if TYPE_CHECKING:
    from beliefgraph.benchmark.report.report import Report

__all__ = ["report_markdown"]

_SPECIAL: Final = re.compile(r"([\\`*_\[\]<>|#&~])")


def report_markdown(report: Report) -> str:
    """Write a report as Markdown (tables as GitHub reads them)."""
    lines = [f"# Benchmark report: {_plain(report.title)}", "", _plain(report.summary), ""]
    for section in report_sections(report):
        if section.ruled:
            lines += ["---", ""]
        lines += [f"## {section.title}", ""]
        for text in section.text:
            lines += [_plain(text), ""]
        for text in section.notes:
            lines += [f"> {_plain(text)}", ""]
        for table in (*section.tables, *section.folded):
            lines += [*_table(table), ""]
    lines.append(_plain(" · ".join((f"beliefgraph {beliefgraph.__version__}", *report.made))))
    return "\n".join(lines) + "\n"


def _table(table: Table) -> Iterator[str]:
    yield f"**{_plain(table.caption)}**"
    yield ""
    yield _line(column.name for column in table.columns)
    yield _line("---:" if column.number else "---" for column in table.columns)
    for row in table.rows:
        first, *rest = row.cells
        asides = (first.below, *row.tags) if first.below else row.tags
        name = first.text + "".join(f" ({aside})" for aside in asides)
        yield _line(_plain(text) for text in (name, *(cell.line for cell in rest)))


def _line(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    r"""Keep a text from being read as markup, and in one line.

    >>> _plain("a|b\n<script>")
    'a\\|b \\<script\\>'
    """
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
