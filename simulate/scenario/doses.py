"""How much a scenario says that something changes: percentages, parts, numbers before and after.

All are read as a percentage and turned into a dose by the table of `beliefgraph.simulate.scenario`.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

__all__ = ["NUMBER_WORDS", "dose_of_percent", "stated_percent"]

_DOSED: Final = ((0.0, 0.0), (5.0, 0.25), (15.0, 0.5), (30.0, 0.8), (50.0, 1.0))
"""Percentages and their doses; between them, interpolated."""
NUMBER_WORDS: Final = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "eighty": 80, "hundred": 100}
_PARTS: Final = {"third": 100 / 3, "quarter": 25.0, "fifth": 20.0, "tenth": 10.0}

_NUMBER = r"\d+(?:\.\d+)?|" + "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_PERCENT = re.compile(
    r"(?P<low>\d+(?:[.,]\d+)?)(?:\s*(?:-|\u2013|to|or|and)\s*(?P<high>\d+(?:[.,]\d+)?))?"
    r"\s*(?:%|per ?cent\b)",
    re.IGNORECASE,
)
_PART = re.compile(
    r"\b(?P<n>an?|one|two|three|four)[ -](?P<part>third|quarter|fifth|tenth)s?\b"
    r"(?! (?:time|floor|place|year|party)\b)",
    re.IGNORECASE,
)
_BEFORE_AFTER = re.compile(
    rf"\bfrom (?P<before>{_NUMBER})\b(?: [\w-]+){{0,2}} to (?P<after>{_NUMBER})\b", re.IGNORECASE
)
_INSTEAD = re.compile(
    rf"\b(?P<after>{_NUMBER})\b(?: [\w-]+){{0,5}} (?:rather than|instead of)"
    rf"(?: [\w-]+)?? (?P<before>{_NUMBER})\b",
    re.IGNORECASE,
)


def dose_of_percent(percent: float) -> float:
    """Return the dose of a change by so many percent.

    >>> dose_of_percent(15), dose_of_percent(80)
    (0.5, 1.0)
    """
    rows = np.array(_DOSED).T
    return max(round(float(np.interp(percent, rows[0], rows[1])), 2), 0.01)


def stated_percent(text: str) -> tuple[float, int] | None:
    """Return the size of the change that a text states in numbers, and its direction where told.

    Returns
    -------
    (percent, sign) or None
        The sign is that of the number after less the one before; 0 where only a size is stated. A
        shorter interval ("every five minutes instead of every ten") is more of what comes.

    Examples
    --------
    >>> stated_percent("by 10-15%"), stated_percent("two thirds less")[1]
    ((12.5, 0), 0)
    >>> stated_percent("from six turbines to nine"), stated_percent("from Monday to Friday")
    ((50.0, 1), None)
    """
    percent = _PERCENT.search(text)
    if percent is not None:
        ends = [float(percent[key].replace(",", ".")) for key in ("low", "high") if percent[key]]
        return sum(ends) / len(ends), 0
    part = _PART.search(text)
    if part is not None:
        said = part["n"].lower()
        share = _PARTS[part["part"].lower()] * NUMBER_WORDS.get(said, 1)
        return min(share, 100.0), 0
    change = _BEFORE_AFTER.search(text) or _INSTEAD.search(text)
    if change is None:
        return None
    before, after = (_number(change[key]) for key in ("before", "after"))
    if before == after or before == 0:
        return None
    percentage = abs(after - before) / before * 100
    sign = 1 if after > before else -1
    return percentage, -sign if re.search(r"\bevery\b", text, re.IGNORECASE) else sign


def _number(said: str) -> float:
    known = NUMBER_WORDS.get(said.lower())
    return float(said) if known is None else float(known)
