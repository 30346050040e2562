"""Clean an answer for reading, while every character remembers where it stood in the original.

Speech recognition leaves fillers, repeated phrases and sentences nobody said. They are left out of
the text that is parsed; a quote is cut from the original through the remembered positions, so it
stays verbatim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["CleanText", "clean", "find_hallucinations"]

_HALLUCINATION = re.compile(
    r"\b(?:thanks?(?: you)?(?: so much| very much)? for watching(?: this video| the video)?"
    r"|please (?:like and )?subscribe(?: to (?:my|the|our) channel)?"
    r"|(?:like and subscribe|don't forget to subscribe)"
    r"|see you (?:in the )?next (?:time|video)(?=\W*$|[.!?])"
    r"|subtitles? by the [\w]+(?: [\w.]+){0,3} community)\b[.!?]*",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?<![\w'-])(?:u+h+m*|u+m+|e+r+m*|a+h+m*|hm+|mhm+|i mean(?! (?:it|that|to|the|what)\b)"
    r"|you know(?: what i mean)?(?! (?:how|what|who|why|where|about)\b)"
    r"|basically|if you ask me|to be (?:honest|fair)(?: with you)?|in my (?:opinion|view)"
    r"|at the end of the day"
    r"|as far as i can (?:tell|see)|(?<=, )like(?=,)|(?<=\bthe )like|(?<=\bmy )like|(?<=\ba )like"
    r"|like(?= (?:would|could|will|can|was|of)\b)"
    r"|sort of|kind of(?! (?:a|an|the|thing|people|place)\b)|kinda)(?![\w'-])[,.]*",
    re.IGNORECASE,
)
_REPEAT = re.compile(
    r"(?<![\w'-])((?:[\w'-]+[ ,]+){0,6}[\w'-]+)((?:[,.]?\s+\1(?![\w'-]))+)", re.IGNORECASE
)
_WAY = r"(?:more|less|fewer|up|down|better|worse|higher|lower|positive|negative|helps?|hurts?)"
_REPAIR = re.compile(
    rf"(?<!no )\b{_WAY},? no,? (?={_WAY}\b)"  # "less, no, more"; not "no more, no less"
    rf"|\b(?P<said>{_WAY}),? sorry,? (?=(?P=said)\b)"  # "more, sorry, more of it"
    r"|(?<![\w'-])(?:[\w'-]+ ){1,3}no,? (?:sorry|wait|hang on|hold on),? (?=\w)",
    re.IGNORECASE,
)
"""What the speaker takes back in the same breath: the second wording counts."""
_MOST_SYMBOLS = 6
_UNTIDY = re.compile(r"\s\s|[^\S ]|\s[,.;:!?]|^[\s,.;:]|\s$|[\u2019\u2018]")
"""What `_squeeze` changes."""
_SYMBOLS = re.compile(rf"[^\w\s]{{{_MOST_SYMBOLS + 1},}}")
"""Runs of signs and emoji: nothing is read from them, and a tokeniser takes quadratic time."""
_MAX_REPEAT_SCAN = 4_000
"""The repeat pattern backtracks: longer answers are scanned in pieces of this many characters."""


@dataclass(frozen=True)
class CleanText:
    """Text for reading, with the position of every character in the original answer."""

    original: str
    text: str
    positions: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Turn a span of the clean text into the span of the original that covers it."""
        if start >= end:
            return (0, 0)
        return self.positions[start], self.positions[end - 1] + 1


def clean(answer: str) -> CleanText:
    """Leave out what the speaker did not mean to say.

    >>> clean("um it helps it helps a lot. Thanks for watching!").text
    'it helps a lot.'
    """
    keep = [True] * len(answer)
    for pattern in (_HALLUCINATION, _FILLER, _REPAIR):
        for match in pattern.finditer(answer):
            _drop(keep, match.start(), match.end())
    for match in _SYMBOLS.finditer(answer):
        _drop(keep, match.start() + _MOST_SYMBOLS, match.end())
    text, positions = _squeeze(answer, keep)
    for _ in range(2):  # "we we we we need it": the first pass leaves a pair
        dropped = False
        for offset in range(0, len(text), _MAX_REPEAT_SCAN):
            for match in _REPEAT.finditer(text[offset : offset + _MAX_REPEAT_SCAN]):
                if _is_stutter(match.group(1)):
                    start, end = offset + match.start(2), offset + match.end(2)
                    _drop(keep, positions[start], positions[end - 1] + 1)
                    dropped = True
        if not dropped:
            break
        text, positions = _squeeze(answer, keep)
    return CleanText(answer, text, tuple(positions))


def find_hallucinations(answer: str) -> list[tuple[int, int]]:
    """Find the sentences that speech recognition adds to silence, as spans of the answer.

    >>> find_hallucinations("It helps. Thanks for watching!")
    [(10, 30)]
    """
    return [match.span() for match in _HALLUCINATION.finditer(answer)]


def _is_stutter(phrase: str) -> bool:
    """Tell a stutter from emphasis: "very, very" and "no, no" say something."""
    return phrase.casefold() not in {"very", "really", "no", "much", "so", "yes", "yeah", "too"}


def _drop(keep: list[bool], start: int, end: int) -> None:
    keep[start:end] = [False] * (end - start)


def _squeeze(answer: str, keep: list[bool]) -> tuple[str, list[int]]:
    """Join what is kept, with white space folded and none before punctuation or at the ends."""
    if all(keep) and not _UNTIDY.search(answer):
        return answer, list(range(len(answer)))
    characters: list[str] = []
    positions: list[int] = []
    for index, character in enumerate(answer):
        if not keep[index]:
            continue
        if character.isspace():
            if not characters or characters[-1] == " ":
                continue
            character = " "
        elif character in ",.;:!?" and characters and characters[-1] == " ":
            characters.pop()
            positions.pop()
        if character in ",.;:" and not characters:
            continue
        characters.append("'" if character in "\u2019\u2018" else character)
        positions.append(index)
    while characters and characters[-1] == " ":
        characters.pop()
        positions.pop()
    return "".join(characters), positions
