"""A table with a header: `question` and `answer` columns, in any case and order.

A number column (`question number`, `number`, `id`) names the turns; `participant` and `topic`
columns tell several people apart. Commas, semicolons, tabs and bars are told by the header.
"""

from __future__ import annotations

from collections.abc import Sequence

from beliefgraph.formats.base import Contents, Format, Source
from beliefgraph.formats.rows import make_contents
from beliefgraph.formats.tables import (
    Table,
    find_columns,
    guess_delimiter,
    parse_table,
    read_rows,
)

__all__ = ["FORMAT", "looks_like_table"]


def _header(source: Source) -> str:
    return next((line for line in source.text.splitlines() if line.strip()), "")


def _table(source: Source) -> Table:
    return parse_table(source.text, guess_delimiter(_header(source)))


def _detect(source: Source) -> bool:
    header = _header(source)
    table = parse_table(header, guess_delimiter(header))
    return bool(table.rows) and find_columns(table.rows[0].cells) is not None


def looks_like_table(source: Source) -> bool:
    """Tell by the file's name, or by a first line that splits into cells like the second."""
    if source.path.suffix.casefold() in {".csv", ".tsv"}:
        return True
    delimiter = guess_delimiter(_header(source))
    lines = [line for line in source.text.splitlines() if line.strip()][:3]
    counts = {line.count(delimiter) for line in lines}
    return len(lines) > 1 and len(counts) == 1 and counts != {0}


def _read(sources: Sequence[Source]) -> Contents:
    (source,) = sources
    table = _table(source)
    rows = [row for row in table.rows if not row.is_blank]
    columns = find_columns(rows[0].cells) if rows else None
    if columns is None:
        found = ", ".join(repr(cell) for cell in rows[0].cells) if rows else "no row at all"
        raise source.error(
            "this table is not an interview: its first row must name a 'question' and an 'answer' "
            f"column (and may name 'question number', 'participant', 'topic'); found {found}. "
            "Rename the columns."
        )
    good, left_out = read_rows(source, rows[1:], columns)
    return make_contents(
        source,
        good,
        format_name=FORMAT.name,
        left_out=(*table.left_out, *left_out),
        blank_number_is_error=columns.number is not None,
    )


FORMAT = Format(
    name="csv",
    summary="a table whose header names a question and an answer column",
    detect=_detect,
    read=_read,
)
