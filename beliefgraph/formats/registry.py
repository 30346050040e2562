"""The formats an interview may come in, in the order they are tried.

To add one: write a module with a `FORMAT` (see `base.Format`) and list it here.
"""

from __future__ import annotations

from beliefgraph.errors import TranscriptError, suggestions
from beliefgraph.formats import hugagent, pairs, plain_csv, saved, speakers, tyt
from beliefgraph.formats.base import Format, Source

__all__ = ["FORMATS", "detect_format", "format_named"]

FORMATS: tuple[Format, ...] = (
    saved.FORMAT,
    hugagent.FORMAT,
    pairs.FORMAT,
    tyt.FORMAT,
    plain_csv.FORMAT,
    speakers.FORMAT,
)


def format_named(name: str) -> Format:
    """Return the format of that name.

    Raises
    ------
    TranscriptError
        With the nearest names.
    """
    for form in FORMATS:
        if form.name == name:
            return form
    names = [form.name for form in FORMATS]
    raise TranscriptError(f"format={name!r}: there is no such format. {suggestions(name, names)}")


def detect_format(source: Source) -> Format:
    """Tell the format by content.

    A text that is in none gets the format it comes nearest to, whose reader says what is wrong.
    """
    for form in FORMATS:
        if form.detect(source):
            return form
    if pairs.looks_like_json(source):
        return pairs.FORMAT
    return plain_csv.FORMAT if plain_csv.looks_like_table(source) else speakers.FORMAT
