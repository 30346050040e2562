"""From rows of question and answer to numbered transcripts: the part that all formats share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from beliefgraph.errors import TranscriptError
from beliefgraph.formats.base import Contents, Interview, Source
from beliefgraph.transcript import LeftOut, Transcript, Turn

__all__ = ["Row", "as_strings", "is_tutorial", "make_contents"]

Role = Literal["interview", "tutorial"]


@dataclass(frozen=True)
class Row:
    """A question and its answer as a file gives them."""

    where: str
    position: int
    """Its place in the file, counted from 1."""
    number: str
    """Question number as given; "" where there is none."""
    question: str
    answer: str
    participant: str | None = None
    topic: str | None = None
    role: Role | None = None


# The wordings of the Trace-Your-Thinking tutorial, which differ from study to study.
_TUTORIAL = re.compile(
    r"""interview\ system
    | guide\ you\ through\ (using|how|the|this)
    | voice\ recording\ (or|and|versus)\ (typing|text)
    | try\ (the\ )?(voice\ recording|voice\ input|text\ input|typing)
    | (microphone|send|record)\ (button|icon) | message\ icon
    | switch\ between\ (voice|text|typing|recording)
    | comfortable\ with\ (the|this)\ system
    | progress\ bar\ at\ the\ top | added\ to\ your\ interview\ flow
    | (are\ you|we\ are|we're|you\ are|you're)\ (all\ )?(now\ )?ready\ to\ (begin|start)
        (\ (the|this|our|your)\ (actual\ |main\ )?interview\b|\s*[?.!]|\s*$)
    | (start|begin)\ with\ (our|the)\ first\ question""",
    re.IGNORECASE | re.VERBOSE,
)
_SENTENCE_END = re.compile(r"(?<=[.?!])\s+")


def is_tutorial(question: str) -> bool:
    """Tell by its words whether a turn explains the interviewing system.

    A turn that ends in another question is not one, even where it begins with such words.

    >>> is_tutorial("Would you like me to guide you through using this system?")
    True
    >>> is_tutorial("We're now ready to begin the interview. Do you support bus lanes?")
    False
    """
    last = _SENTENCE_END.split(question.strip())[-1]
    if last.endswith("?") and not _TUTORIAL.search(last):
        return False
    return bool(_TUTORIAL.search(question))


def as_strings(data: Any) -> dict[str, str]:
    """Turn what a file says about a person into strings, as written there."""
    if not isinstance(data, dict):
        return {}
    return {str(key): "" if value is None else str(value) for key, value in data.items()}


def make_contents(
    source: Source,
    rows: Sequence[Row],
    *,
    format_name: str,
    left_out: Iterable[LeftOut] = (),
    demographics: dict[str, str] | None = None,
    blank_number_is_error: bool = False,
) -> Contents:
    """Group rows by person and topic and number them; an error in one group is kept beside it.

    `blank_number_is_error`: a row without a number is an error where others have one; otherwise it
    is numbered by its place, unless that number is taken.
    """
    groups: dict[tuple[str | None, str | None], list[Row]] = {}
    broken = [_not_unicode(row) for row in rows if not _is_unicode(row)]
    for row in filter(_is_unicode, rows):
        groups.setdefault((row.participant, row.topic), []).append(row)
    alone = len(groups) == 1
    spare = (*left_out, *broken)
    interviews = []
    for (participant, topic), members in groups.items():
        places = [row.position if alone else n for n, row in enumerate(members, start=1)]
        result: Transcript | TranscriptError
        try:
            result = Transcript(
                turns=tuple(_number(source, members, places, blank_number_is_error)),
                participant=participant,
                topic=topic,
                demographics=demographics or {},
                source=str(source.path),
                format=format_name,
                left_out=spare if alone else (),
            )
        except TranscriptError as problem:
            result = problem
        interviews.append(Interview(participant, topic, result))
    return Contents(tuple(interviews), () if alone else spare)


def _is_unicode(row: Row) -> bool:
    """Half a surrogate pair can stand in a JSON escape, and in no UTF-8 file."""
    try:
        (row.number + row.question + row.answer).encode()
    except UnicodeEncodeError:
        return False
    return True


def _not_unicode(row: Row) -> LeftOut:
    text = f"{row.question} {row.answer}".encode("utf-8", "backslashreplace").decode()
    return LeftOut(where=row.where, why="half a surrogate pair is not a character", text=text)


def _number(
    source: Source, rows: Sequence[Row], places: Sequence[int], blank_is_error: bool
) -> Iterable[Turn]:
    seen: dict[str, str] = {}
    blank = [row for row in rows if not row.number]
    if blank_is_error and 0 < len(blank) < len(rows):
        raise source.error(
            f"{blank[0].where}: the question number is missing; others have one, and a quote cites "
            f"its turn by number. Number it, or leave the whole column empty. ({len(blank)} of "
            f"{len(rows)} rows have none.)"
        )
    for row in rows:
        if row.number in seen and row.number:
            raise source.error(
                f"{seen[row.number]} and {row.where} both have the question number "
                f"{row.number!r}; a quote cites its turn by number, so each may stand once. "
                "Renumber one of them."
            )
        seen[row.number] = row.where
    for row, place in zip(rows, places, strict=True):
        if not row.number and str(place) in seen:
            raise source.error(
                f"{row.where} has no number and would be {place!s}, its place, which "
                f"{seen[str(place)]} has already. Give every turn a number, or none."
            )
        role = row.role or ("tutorial" if is_tutorial(row.question) else "interview")
        yield Turn(
            qa_id=row.number or str(place), question=row.question, answer=row.answer, role=role
        )
