"""Two things said at once: that they move together or apart, that one outweighs the other."""

from __future__ import annotations

import re

__all__ = ["find_balance", "find_correlations", "find_dose"]

_TOGETHER = re.compile(
    r"\b(?:(?:rise|move|go|grow|climb|come|fall|change)s? (?:up )?together|in step|in tandem"
    r"|hand in hand|(?:move|go|head|pull|change)s? (?:in )?the same (?:way|direction)"
    r"|upwards?(?: direction)?|both (?:go|going|went) up"
    r"|lose (?:the )?one\b.{0,20}\blose the other"
    r"|more of one\b.{0,20}\bmore of the other|directly (?:proportional|related|correlated))\b",
    re.IGNORECASE,
)
_APART = re.compile(
    r"\b(?:opposite (?:way|direction)s?|one (?:goes )?up\b.{0,25}\bother\b.{0,15}\bdown"
    r"|inverse(?:ly)?"
    r"|downwards?(?: direction)?|more of one\b.{0,20}\b(?:less|fewer) of the other)\b",
    re.IGNORECASE,
)
_GAINS = r"(?:positives?|benefits?|pros|advantages?|upsides?|good)"
_LOSSES = r"(?:negatives?|costs?|cons|disadvantages?|downsides?|drawbacks?|bad|harms?)"
_OUTWEIGHS = (
    r"\b(?: \w+){0,2} (?:outweigh|supersede|exceed|overcome|override|trump|beat|eclipse)s?\b"
    r"(?: \w+){0,3} "
)
_BALANCE = (
    (1, re.compile(rf"\b{_GAINS}{_OUTWEIGHS}{_LOSSES}\b", re.IGNORECASE)),
    (-1, re.compile(rf"\b{_LOSSES}{_OUTWEIGHS}{_GAINS}\b", re.IGNORECASE)),
)


def find_balance(text: str) -> int:
    """+1 where the good is said to outweigh the bad, -1 the other way round, 0 where neither is."""
    return sum(sign for sign, pattern in _BALANCE if pattern.search(text))


def find_correlations(text: str) -> int:
    """+1 where two things are said to move together, -1 apart, 0 where neither is said."""
    return bool(_TOGETHER.search(text)) - bool(_APART.search(text))


_DOSE = re.compile(
    r"\bthe (?P<cause>more|less|fewer)\b[^.;]{2,60}?,? the (?P<effect>more|less) "
    r"(?:i|we|people|they|you|everyone)(?:'d|'ll)?\b",
    re.IGNORECASE,
)


def find_dose(text: str) -> int:
    """+1 for "the more there is, the more I ...", -1 for "the more ..., the less I ...", else 0.

    Whatever the speaker does more or less of is what was asked about: a way to act has many verbs.
    """
    match = _DOSE.search(text)
    if match is None:
        return 0
    return 1 if (match["cause"].lower() == "more") == (match["effect"].lower() == "more") else -1
