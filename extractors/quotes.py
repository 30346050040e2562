"""Find a quote in the answer it is said to come from: verbatim, or not at all.

Language models change the case, the spaces and the quotation marks of what they quote, and now and
then invent it. A quote is found when it differs from the answer by no more than that; what is kept
is always the answer's own words.
"""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

__all__ = ["Span", "find_quote"]

_SAME = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`\u00b4", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
}
_AROUND = " \t\r\n\"'\u2018\u2019\u201c\u201d\u00ab\u00bb.\u2026"
"""What a model puts around a quote and is no part of it."""


class Span(NamedTuple):
    """Where a quote stands in an answer."""

    start: int
    end: int
    exact: bool
    """Whether the quote was found as it was given."""


def find_quote(quote: str, answer: str) -> Span | None:
    """Find a quote in an answer.

    Parameters
    ----------
    quote
        As the model gave it.
    answer
        The person's own words.

    Returns
    -------
    Span or None
        The first place where it stands, on word boundaries; None where it does not. A quote
        without a letter or digit is nowhere.

    Examples
    --------
    >>> find_quote("Rents  FELL", "Well, rents fell.")
    Span(start=6, end=16, exact=False)
    >>> find_quote("rents rose", "Well, rents fell.") is None
    True
    """
    if not any(character.isalnum() for character in quote):
        return None
    place = _find(quote, answer)
    if place is not None:
        return Span(place, place + len(quote), True)
    folded, places = _fold(answer)
    for wanted in dict.fromkeys((quote, quote.strip(_AROUND))):
        needle = _fold(wanted)[0].strip()
        place = _find(needle, folded) if needle else None
        if place is not None:
            return Span(places[place], places[place + len(needle) - 1] + 1, False)
    return None


def _find(needle: str, text: str) -> int | None:
    """Find the first place that does not cut a word in two."""
    place = text.find(needle)
    while place >= 0:
        end = place + len(needle)
        if not (_cuts(text, place) or _cuts(text, end)):
            return place
        place = text.find(needle, place + 1)
    return None


def _cuts(text: str, place: int) -> bool:
    """Say whether a place stands inside a word; scripts without spaces have no such places."""
    if place < len(text) and unicodedata.combining(text[place]):
        return True  # between a letter and its accent
    around = text[place - 1 : place + 1] if place > 0 else ""
    return len(around) == 2 and around.isascii() and around.isalnum()


def _fold(text: str) -> tuple[str, list[int]]:
    """Fold case, spaces, compatible characters and typography; with the place of each character."""
    folded: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        plain = unicodedata.normalize("NFKD", _SAME.get(character, character)).casefold()
        for piece in plain:
            if piece.isspace():
                if folded and folded[-1] == " ":
                    continue
                piece = " "
            folded.append(piece)
            places.append(place)
    return "".join(folded), places
