r"""Delimited tables: rows with the line each began on, broken rows apart, columns found by name.

Cells come out verbatim, line ends inside quotes included. Parsing is strict, because a lenient
reader would let one quote that is never closed swallow the rest of the file in silence: a row that
breaks the rules of CSV is left out, line by line, and reading goes on below it.

>>> table = parse_table('1,"Why?",yes\n2,"How?,no\n3,"Who?","me"\n', ",")
>>> [(row.line, row.cells) for row in table.rows]
[(1, ('1', 'Why?', 'yes')), (3, ('3', 'Who?', 'me'))]
>>> table.left_out[0].where
'line 2'
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from beliefgraph.formats.base import Source, clip
from beliefgraph.formats.rows import Row
from beliefgraph.transcript import LeftOut

__all__ = [
    "Columns",
    "Table",
    "TableRow",
    "find_columns",
    "guess_delimiter",
    "parse_table",
    "read_rows",
]

DELIMITERS = (",", ";", "\t", "|")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
_NAMES = {
    "question": ("question", "question text", "prompt"),
    "answer": ("answer", "response", "answer text"),
    "number": ("question number", "question no", "number", "no", "qa id", "question id", "id", "#"),
    "participant": ("participant", "participant id", "prolific id", "respondent", "pseudonym"),
    "topic": ("topic",),
}


@dataclass(frozen=True)
class TableRow:
    """The cells of one row, and the line it began on."""

    line: int
    cells: tuple[str, ...]

    @property
    def is_blank(self) -> bool:
        """Whether nothing stands in it."""
        return not any(cell.strip() for cell in self.cells)


@dataclass(frozen=True)
class Table:
    """The rows of a delimited text and the lines that are none."""

    rows: tuple[TableRow, ...]
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Columns:
    """Where the columns that are read stand."""

    names: tuple[str, ...]
    question: int
    answer: int
    number: int | None
    participant: int | None
    topic: int | None

    @property
    def unused(self) -> tuple[str, ...]:
        """Columns that nothing is read from."""
        used = {self.question, self.answer, self.number, self.participant, self.topic}
        return tuple(name for n, name in enumerate(self.names) if n not in used and name.strip())


def parse_table(text: str, delimiter: str) -> Table:
    """Split a text into rows; lines that break the rules of CSV are left out."""
    lines = [line for line in _LINE.findall(text) if line]
    rows: list[TableRow] = []
    left_out: list[LeftOut] = []
    start = 0
    limit = csv.field_size_limit(max(len(text), csv.field_size_limit()))
    try:
        while start < len(lines):
            reader = csv.reader(iter(lines[start:]), delimiter=delimiter, strict=True)
            read = 0
            try:
                for cells in reader:
                    rows.append(TableRow(start + read + 1, tuple(cells)))
                    read = reader.line_num
                break
            except csv.Error as problem:
                broken = start + read
                why = f"not a row of CSV: {problem}; check its quotation marks"
                text_of_it = lines[broken].rstrip("\r\n")
                left_out.append(LeftOut(where=f"line {broken + 1}", why=why, text=text_of_it))
                start = broken + 1
    finally:
        csv.field_size_limit(limit)
    return Table(tuple(rows), tuple(left_out))


def guess_delimiter(line: str) -> str:
    """Return the delimiter that splits a header line into the most cells (a comma where none)."""
    counts = [(line.count(delimiter), -n) for n, delimiter in enumerate(DELIMITERS)]
    return DELIMITERS[-max(counts)[1]]


def find_columns(cells: Sequence[str]) -> Columns | None:
    """Find the columns by their names, whatever their case; None without question and answer."""
    folded = [re.sub(r"[\s_-]+", " ", cell).strip().casefold() for cell in cells]
    at = {
        role: next((folded.index(name) for name in names if name in folded), None)
        for role, names in _NAMES.items()
    }
    question, answer = at["question"], at["answer"]
    if question is None or answer is None:
        return None
    return Columns(tuple(cells), question, answer, at["number"], at["participant"], at["topic"])


def read_rows(
    source: Source, rows: Sequence[TableRow], columns: Columns
) -> tuple[list[Row], list[LeftOut]]:
    """Read the rows below a header; those with missing or surplus cells are left out."""
    good: list[Row] = []
    left_out: list[LeftOut] = []
    for position, row in enumerate((row for row in rows if not row.is_blank), start=1):
        why = _fault(row, columns)
        if why is None:
            good.append(_row(row, position, columns))
        else:
            left_out.append(LeftOut(where=f"line {row.line}", why=why, text=", ".join(row.cells)))
    if columns.unused:
        unused = ", ".join(columns.unused)
        why = "nothing is read from these columns"
        left_out.append(LeftOut(where="columns", why=why, text=unused))
    if not good:
        reasons = "; ".join(_reasons(left_out)) or "no rows follow the header"
        raise source.error(f"no question and answer could be read: {reasons}")
    return good, left_out


def _fault(row: TableRow, columns: Columns) -> str | None:
    width = len(columns.names)
    found = len(row.cells)
    if found <= max(columns.question, columns.answer, columns.number or 0):
        return f"missing cells: {found} of {width} ({', '.join(columns.names)})"
    if any(cell.strip() for cell in row.cells[width:]):
        return f"{found} cells for {width} columns: an answer with commas must stand in quotes"
    if not row.cells[columns.question].strip() and not row.cells[columns.answer].strip():
        return "neither a question nor an answer"
    return None


def _row(row: TableRow, position: int, columns: Columns) -> Row:
    def cell(at: int | None) -> str:
        return row.cells[at].strip() if at is not None and at < len(row.cells) else ""

    return Row(
        where=f"line {row.line}",
        position=position,
        number=cell(columns.number),
        question=row.cells[columns.question],
        answer=row.cells[columns.answer],
        participant=cell(columns.participant) or None,
        topic=cell(columns.topic) or None,
    )


def _reasons(left_out: Sequence[LeftOut]) -> Iterator[str]:
    for item in left_out[:3]:
        yield f"{item.where}: {item.why}" + (f" ({clip(item.text)})" if item.text else "")
