r"""What an answer says: anchored, checked against the scale, and never guessed.

| what is said, where the options are A = 1 to J = 10 | is read as |
|---|---|
| an object: `{"answer": "G"}`, `{"answer": 7}`, `{"reasoning": "...", "answer": "G"}` | 7 |
| a line of its own: `G`, `**G**`, `(G)`, `G.`, `7`, `G = 7`, `G) 7`, `option G` | 7 |
| a line of its own: `7/10`, `7 out of 10`, `1 to 10: 7`, `On a scale of 1 to 10, 7` | 7 |
| a sentence: `The answer is G.`, `My rating: 7`, `They would choose G because it is cheap.` | 7 |
| a line of its own, where a sign is asked for: `B`, `negative`, `B: a negative effect` | -1 |
| several: `7 or 8`, `between 6 and 8`, `A or B`, `The answer is G. The answer is H.` | nothing |
| off the scale: `7.5`, `0`, `11`, `-3`, `1 to 5: 3`, `{"answer": "K"}` | nothing |
| numbers in words, and other languages: `eleven`, `seven`, `La respuesta es G` | nothing |
| other words: `A good question.`, `not B`, `I cannot say.`, `{"answer": "G"` | nothing |

A letter must be a capital. A code fence around an object and a block of thoughts before an answer
do not count. Where reasoning was asked for and comes in words, only the last line counts; of an
answer that was cut off, the line that is not whole does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from beliefgraph.baselines.llm.options import Option
from beliefgraph.llm import ChatResponse, parse_object

__all__ = ["Reading", "read_answer", "read_response"]

_THOUGHT: Final = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_DRESS: Final = " \t*_`\"'“”()[]"
"""What may stand around a value and says nothing."""
_NUMBER: Final = re.compile(r"[-+]?\d+(?:[.,]\d+)?")
_INTRO: Final = re.compile(
    r"""(?: (?:so|therefore|thus|hence|overall|then)[ ,]+ )?
    (?: (?:the|my|his|her|their|this\ person's|the\ person's) [ ] )?
    (?: (?:final|best|correct|predicted|likely|most\ likely) [ ] )*
    (?: answer|choice|option|rating|score|prediction|response )
    (?: [*_]* \s* (?: : | = | \b is \b | \b would \s be \b | \b will \s be \b ) )
    (?: \s* : )? \s*
    (?: (?:most\ likely|likely|probably) [ ] )?""",
    re.VERBOSE | re.IGNORECASE,
)
"""`The answer is`, `Final answer:`, `My rating would be`."""
_CHOOSING: Final = re.compile(
    r"""(?: i|he|she|they|the\ person|this\ person|the\ participant ) [ ]
    (?: (?:would|will) [ ] (?:most\ likely[ ]|likely[ ]|probably[ ])? )?
    (?: choose|chooses|pick|picks|select|selects|answer|answers|rate\ it|rates\ it|go\ with
    |goes\ with ) [ :]+""",
    re.VERBOSE | re.IGNORECASE,
)
"""`They would choose`, `I pick`."""
_SCALE: Final = re.compile(
    r"(?:on (?:a|the) scale )?(?:of |from )?(\d+)\s*(?:to|[-\u2013])\s*(\d+)\s*[:,=]\s*",
    re.IGNORECASE,
)
"""`1 to 10:`, `On a scale of 1 to 10,`."""
_WHY: Final = re.compile(r"[,;]?\s+(?:because|since|as|given|based on|due to)\b.*\Z", re.DOTALL)
"""Reasons behind a value."""
_TRIED: Final = re.compile(r"\d|\b[A-Z]\b")
"""What shows that a sentence tries to give a value, and does not merely speak of the answer."""
_OF: Final = re.compile(r"(\S+)\s*(?:/|out of)\s*(\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class Reading:
    """What was read: a point of the scale, or why none."""

    point: int | None = None
    problem: str | None = None
    reasoning: str | None = None


def read_response(
    response: ChatResponse, options: Sequence[Option], *, reasoned: bool = False
) -> Reading:
    """Read what a model answered, a refusal and an answer that was cut off included."""
    if response.refusal:
        return Reading(problem="the model refused")
    reading = read_answer(response.text, options, reasoned=reasoned, cut_off=response.cut_off)
    if reading.point is None and response.cut_off:
        return Reading(problem=f"cut off at the longest answer allowed; {reading.problem}")
    return reading


def read_answer(
    text: str, options: Sequence[Option], *, reasoned: bool = False, cut_off: bool = False
) -> Reading:
    """Read an answer by the table of this module.

    Parameters
    ----------
    text
        What was said.
    options
        What could be said.
    reasoned
        Whether reasoning was asked for before the answer: in words, only the last line counts.
    cut_off
        Whether the end is missing.

    Examples
    --------
    >>> ten = [Option(letter, n) for n, letter in enumerate("ABCDEFGHIJ", start=1)]
    >>> read_answer("The answer is B", ten).point, read_answer("1 to 10: 7", ten).point
    (2, 7)
    >>> read_answer("7.5", ten)
    Reading(point=None, problem="'7.5' is none of the options", reasoning=None)
    """
    body = _THOUGHT.sub("", text).strip()
    if not body:
        return Reading(problem="the answer is empty")
    if body.startswith("<think>"):
        return Reading(problem="there are thoughts and no answer")
    if body.startswith("{") or ("{" in body and '"answer"' in body):
        return _from_object(body, options)
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    if cut_off:
        del lines[-1]
    if reasoned:
        reading = _from_lines(lines[-1:], options)
        return Reading(reading.point, reading.problem, "\n".join(lines[:-1]) or None)
    return _from_lines(lines, options)


def _from_object(body: str, options: Sequence[Option]) -> Reading:
    try:
        said = parse_object(body)
    except ValueError as problem:
        return Reading(problem=str(problem))
    answer, reasoning = said.get("answer"), said.get("reasoning")
    if isinstance(answer, int) and not isinstance(answer, bool):
        answer = str(answer)
    if not isinstance(answer, str):
        return Reading(problem=f"the object's 'answer' is {_clip(answer)}")
    reading = _from_lines([answer.strip()], options)
    return Reading(
        reading.point, reading.problem, reasoning if isinstance(reasoning, str) else None
    )


def _from_lines(lines: Sequence[str], options: Sequence[Option]) -> Reading:
    """Read every statement of an answer; all must name the same option."""
    points: set[int] = set()
    for line in lines:
        point = _value(line, options)
        if point is not None:
            points.add(point)
            continue
        if _is_number(line):
            return Reading(problem=f"{_clip(line)} is none of the options")
        for sentence in _SENTENCE.split(line):
            introduced = _introduced(sentence.strip().lstrip("*_#> "))
            point = None if introduced is None else _value(introduced, options)
            if point is not None:
                points.add(point)
            elif introduced is not None and _TRIED.search(introduced):
                return Reading(problem=f"{_clip(sentence)} names none of the options")
    if len(points) > 1:
        return Reading(problem="it gives several answers that differ")
    if not points:
        return Reading(problem=f"{_clip(lines[0]) if lines else 'nothing whole'} states no answer")
    return Reading(points.pop())


def _introduced(sentence: str) -> str | None:
    """Return what a sentence gives as the answer, where it gives one."""
    found = _INTRO.match(sentence) or _CHOOSING.match(sentence)
    return _WHY.sub("", sentence[found.end() :]) if found else None


def _value(text: str, options: Sequence[Option]) -> int | None:
    """Return the point that a text names and nothing else."""
    bare = text.strip(_DRESS).rstrip(".!:").strip(_DRESS)
    ranged = _SCALE.match(bare)
    if ranged:
        if (int(ranged[1]), int(ranged[2])) != _ends(options):
            return None
        bare = bare[ranged.end() :].strip(_DRESS)
    bare = re.sub(r"\A(?:option|choice)\s+", "", bare, flags=re.IGNORECASE)
    of = _OF.fullmatch(bare)
    if of:
        if int(of[2]) != _ends(options)[1]:
            return None
        bare = of[1]
    for option in options:
        if bare == option.letter or _says(bare, option):
            return option.point
        after = re.match(rf"{option.letter}\s*[.:)=\-\u2013]+\s*", bare)
        if after and _says(bare[after.end() :].strip(_DRESS), option):
            return option.point
    return None


def _says(text: str, option: Option) -> bool:
    """Whether a text is the number or the words of an option."""
    if option.numbered and re.fullmatch(r"[0-9]+|-[0-9]+", text) and int(text) == option.point:
        return True
    known = (option.meaning, option.words, *option.also)
    return bool(text) and text.casefold() in {each.casefold().strip(_DRESS) for each in known}


def _is_number(line: str) -> bool:
    return _NUMBER.fullmatch(line.strip(_DRESS).rstrip(".")) is not None


def _ends(options: Sequence[Option]) -> tuple[int, int]:
    return options[0].point, options[-1].point


def _clip(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else shown[:76] + "...'"
