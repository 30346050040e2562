"""The CSV export of Trace-Your-Thinking: a block about the session, a blank line, then the table.

The block's `Prolific ID` becomes the participant. Its session lines (id, status, progress, times)
describe the file and are not kept; any other line of it is kept as demographics. Turns of the
tutorial are told by their words, not by their row, and get the role "tutorial".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from beliefgraph.formats.base import Contents, Format, Source
from beliefgraph.formats.rows import make_contents
from beliefgraph.formats.tables import find_columns, guess_delimiter, parse_table, read_rows

__all__ = ["FORMAT"]

_SESSION = {"session id", "status", "progress", "created at", "updated at", "completed at"}
_PARTICIPANT = ("prolific id", "participant id", "participant")


def _first_line(source: Source) -> str:
    return source.text.lstrip().partition("\n")[0]


def _detect(source: Source) -> bool:
    line = _first_line(source)
    table = parse_table(line, guess_delimiter(line))
    return bool(table.rows) and table.rows[0].cells[0].strip().casefold() == "session id"


def _read(sources: Sequence[Source]) -> Contents:
    (source,) = sources
    table = parse_table(source.text, guess_delimiter(_first_line(source)))
    rows = [row for row in table.rows if not row.is_blank]
    at = next((n for n, row in enumerate(rows) if find_columns(row.cells)), None)
    columns = find_columns(rows[at].cells) if at is not None else None
    if at is None or columns is None:
        found = ", ".join(repr(row.cells[0]) for row in rows[:10])
        raise source.error(
            "this begins like a Trace-Your-Thinking export, and the header of its table, "
            f"'Question Number,Question,Answer', is missing; its rows begin with {found}"
        )
    block = {row.cells[0].strip(): "".join(row.cells[1:2]).strip() for row in rows[:at]}
    folded = {key.casefold(): value for key, value in block.items()}
    participant = next((folded[key] for key in _PARTICIPANT if folded.get(key)), None)
    good, left_out = read_rows(source, rows[at + 1 :], columns)
    return make_contents(
        source,
        [row if row.participant else replace(row, participant=participant) for row in good],
        format_name=FORMAT.name,
        left_out=(*table.left_out, *left_out),
        demographics={
            key: value
            for key, value in block.items()
            if key.casefold() not in _SESSION and key.casefold() not in _PARTICIPANT
        },
        blank_number_is_error=columns.number is not None,
    )


FORMAT = Format(
    name="tyt",
    summary="the CSV export of Trace-Your-Thinking",
    detect=_detect,
    read=_read,
)
