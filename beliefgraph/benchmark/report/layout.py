"""What every way of writing a report renders: sections of sentences, tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from beliefgraph.benchmark.report.figures import NOT_SCORED, Figure

__all__ = ["Cell", "Column", "Row", "Section", "Table", "figure_cell", "row", "table"]


@dataclass(frozen=True, slots=True)
class Cell:
    """What stands in one place of a table."""

    text: str
    below: str = ""
    """Further lines: the interval, or why there is none or no number."""
    shade: float | None = None
    """How dark the cell is, from 0 to 1, in a table that is read as a picture as well."""

    @property
    def line(self) -> str:
        """Both lines as one."""
        below = self.below
        if self.text == NOT_SCORED and below:
            below = f"({below})"
        return " ".join(f"{self.text} {below}".split())


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, and whether it holds numbers."""

    name: str
    number: bool = True


@dataclass(frozen=True, slots=True)
class Row:
    """A row; the first cell names it."""

    cells: tuple[Cell, ...]
    kind: str = ""
    """"quiet" for a figure that stands beside another."""
    tags: tuple[str, ...] = ()
    """What a reader must see with the name, such as a flag."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    compact: bool = False
    """Small enough to stand beside others of its kind."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report."""

    key: str
    title: str
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    plots: tuple[Markup, ...] = ()
    notes: tuple[str, ...] = ()
    """What must not be overlooked."""
    folded: tuple[Table, ...] = ()
    """Tables that a page shows on demand."""
    fold: str = "The numbers"
    """What opens them."""
    ruled: bool = False
    """Whether a line parts it from what stands above."""
    legend: bool = False
    """Whether the marks of the runs need their key here."""


def figure_cell(figure: Figure, *, signed: bool = False) -> Cell:
    """Put a figure into a cell: the number, below it the interval or the reason for none."""
    if not figure.scored:
        return Cell(NOT_SCORED, figure.reason)
    text = figure.signed() if signed else figure.text
    number, _, interval = text.partition(" ")
    return Cell(number, interval or figure.reason)


def table(
    caption: str, columns: Sequence[str], rows: Sequence[Row], *, compact: bool = False
) -> Table:
    """Make a table; the columns whose name starts with ">" hold numbers."""
    made = tuple(Column(name.removeprefix(">"), name.startswith(">")) for name in columns)
    return Table(caption, made, tuple(rows), compact)


def row(*cells: str | Cell, kind: str = "", tags: tuple[str, ...] = ()) -> Row:
    """Make a row of texts and cells."""
    return Row(tuple(Cell(c) if isinstance(c, str) else c for c in cells), kind, tags)
