r"""Text with speaker labels: `Q:` and `A:`, `Interviewer:` and `P07:`, `Anna:` and `Ben:`.

A paragraph belongs to the label it follows, over as many lines as it takes; paragraphs of one
speaker in a row are one question or one answer, joined by a line end. Space around a question or
answer is not kept, and line ends become `\n`; all else is verbatim. `Q3:` gives the turn its
number.

A label is a word for a role, a code such as `P07`, or a name with a capital. A name that stands
only once beside a longer interview is left out, with its words. A text with several people who
answer is several interviews, of which `participant=` chooses one; what the others say is then left
out of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from beliefgraph.formats.base import Contents, Format, Interview, Source, clip
from beliefgraph.formats.rows import Row, make_contents
from beliefgraph.transcript import LeftOut

__all__ = ["FORMAT"]

_LINE_END = re.compile(r"\r\n|\r|\n")
_STAMP = r"[\[(]?\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?[\])]?"
_LABEL = re.compile(
    rf"[ \t]*(?:{_STAMP}[ \t]*[-\u2013]?[ \t]*)?(?:\*\*|__)?"
    r"(?P<label>[^\W\d_][\w.'\u2019 #-]{0,29}?)(?:\*\*|__)?"
    rf"[ \t]*(?:{_STAMP}[ \t]*)?[:\uff1a](?:\*\*|__)?(?P<rest>.*)",
    re.DOTALL,
)
_ASKS = re.compile(
    r"(?P<family>q|question)[ .#-]*(?P<number>\d*)"
    r"|(interviewer|interview|int|iv|i|moderator|facilitator|researcher|assistant|bot|chatbot)"
    r"[ .#-]*\d*",
    re.IGNORECASE,
)
_ANSWERS = re.compile(
    r"(?P<family>a|ans|answer)[ .#-]*\d*"
    r"|(?P<role>participant|respondent|interviewee|informant|subject|user|person|resp|r|p)"
    r"[ .#-]*(?P<number>\d*)",
    re.IGNORECASE,
)
_NO_NAME = re.compile(
    r"""also|actually|and|anyway|basically|because|but|cons?|conclusion|date|duration|either|example
    |first(ly)?|finally|honestly|however|location|maybe|mind|no|notes?|ok(ay)?|one|or|otherwise
    |p\.?s|plus|points?|pros?|reasons?|remember|result|second(ly)?|short|so|still|summary|then|third
    |time|title|topic|true|two|well|yes""",
    re.IGNORECASE | re.VERBOSE,
)
Kind = Literal["asks", "answers", "name"]


@dataclass(frozen=True)
class _Block:
    """What one speaker says under one label."""

    line: int
    speaker: str
    kind: Kind
    number: str
    text: str

    @property
    def where(self) -> str:
        return f"line {self.line}"


def _speaker(label: str) -> tuple[str, Kind, str] | None:
    """Return a label's speaker, the kind of speaker and the number of the question, if any."""
    label = " ".join(label.split())
    if match := _ASKS.fullmatch(label):
        family = match["family"]
        return ("question" if family else label), "asks", match["number"] or ""
    if match := _ANSWERS.fullmatch(label):
        if match["family"]:
            return match["family"].upper()[:1], "answers", ""
        return (label if match["number"] else label.capitalize()), "answers", ""
    words = label.split()
    is_name = len(words) <= 3 and all(word[0].isupper() or word[0].isdigit() for word in words)
    if is_name and not _NO_NAME.fullmatch(words[0].rstrip(".")):
        return label, "name", ""
    return None


def _blocks(text: str) -> tuple[list[_Block], list[tuple[int, str]]]:
    """Return the labelled blocks, and the lines before the first label."""
    blocks: list[tuple[_Block, list[str]]] = []
    before: list[tuple[int, str]] = []
    for number, line in enumerate(_LINE_END.split(text), start=1):
        match = _LABEL.fullmatch(line)
        speaker = _speaker(match["label"]) if match else None
        if match and speaker:
            blocks.append((_Block(number, *speaker, text=""), [match["rest"]]))
        elif blocks:
            blocks[-1][1].append(line)
        elif line.strip():
            before.append((number, line))
    texts = [replace(block, text="\n".join(lines).strip(" \t\n")) for block, lines in blocks]
    return texts, before


def _interviewers(blocks: Sequence[_Block]) -> set[str]:
    """Find who asks: role labels, or else a name that stands more than once."""
    known = {block.speaker for block in blocks if block.kind == "asks"}
    if known:
        return known
    names = Counter(block.speaker for block in blocks if block.kind == "name")
    often = [name for name, count in names.items() if count > 1]
    if any(block.kind == "answers" for block in blocks):
        return set(sorted(names, key=lambda name: -names[name])[:1])
    return set(often[:1]) if len(often) > 1 else set()


def _detect(source: Source) -> bool:
    blocks, _ = _blocks(source.text)
    asking = _interviewers(blocks)
    return bool(asking) and any(block.speaker not in asking for block in blocks)


def _read(sources: Sequence[Source]) -> Contents:
    (source,) = sources
    blocks, before = _blocks(source.text)
    asking = _interviewers(blocks)
    first = next((n for n, block in enumerate(blocks) if block.speaker in asking), len(blocks))
    counts = Counter(block.speaker for block in blocks[first:] if block.speaker not in asking)
    if not counts:
        raise source.error(_why_none(source, blocks))
    about, spare = _about(before, blocks[:first])
    blocks = blocks[first:]
    people = _people(counts, {block.speaker for block in blocks if block.kind == "answers"})
    alone = len(people) == 1
    interviews: list[Interview] = []
    for person in people:
        rows, left_out = _turns(blocks, asking, person)
        named = about.get("participant") if alone else None
        participant = named or (None if alone and _is_role(person) else person)
        rows = [replace(row, participant=participant, topic=about.get("topic")) for row in rows]
        if rows:
            found = make_contents(
                source, rows, format_name=FORMAT.name, left_out=[*spare, *left_out]
            )
            interviews.extend(found.interviews)
    if not interviews:
        raise source.error("no question is followed by an answer")
    return Contents(tuple(interviews))


def _people(counts: Counter[str], known: set[str]) -> list[str]:
    """Tell those who are interviewed from those who only speak up once."""
    if max(counts.values()) < 3:
        return [name for name in counts if name in known or not known or counts[name] > 1]
    return [name for name, count in counts.items() if count > 1]


def _is_role(speaker: str) -> bool:
    match = _ANSWERS.fullmatch(speaker)
    return bool(match) and not (match and match["number"])


def _about(
    before: Sequence[tuple[int, str]], blocks: Sequence[_Block]
) -> tuple[dict[str, str], list[LeftOut]]:
    """Read `Participant: P07` and `Topic: ...` above the first question; the rest is left out."""
    about: dict[str, str] = {}
    left_out: list[LeftOut] = []
    lines = list(before)
    for block in blocks:
        lines += enumerate(f"{block.speaker}: {block.text}".split("\n"), start=block.line)
    for number, line in lines:
        match = re.fullmatch(r"\s*(participant|topic)(?: id)?\s*:\s*(\S.{0,79})", line, re.I)
        if match and match[1].casefold() not in about:
            about[match[1].casefold()] = match[2].strip()
        else:
            why = "it stands before the first question"
            left_out.append(LeftOut(where=f"line {number}", why=why, text=line))
    return about, left_out


def _turns(
    blocks: Sequence[_Block], asking: set[str], person: str
) -> tuple[list[Row], list[LeftOut]]:
    rows: list[Row] = []
    left_out: list[LeftOut] = []
    questions: list[_Block] = []
    answers: list[_Block] = []
    interrupted = False

    def close() -> None:
        if questions and answers:
            rows.append(
                Row(
                    where=questions[0].where,
                    position=len(rows) + 1,
                    number=questions[0].number,
                    question="\n".join(block.text for block in questions),
                    answer="\n".join(block.text for block in answers),
                )
            )
        elif questions:
            text = "\n".join(block.text for block in questions)
            why = f"no answer by {person!r} follows this question"
            left_out.append(LeftOut(where=questions[0].where, why=why, text=text))
        questions.clear()
        answers.clear()

    for block in blocks:
        if block.speaker in asking:
            if answers or interrupted or block.number:
                close()
            interrupted = False
            questions.append(block)
        elif block.speaker == person:
            answers.append(block)
        else:
            interrupted = True
            why = f"another speaker, {block.speaker!r}; an interview is one person's"
            left_out.append(LeftOut(where=block.where, why=why, text=block.text))
    close()
    return rows, left_out


def _why_none(source: Source, blocks: Sequence[_Block]) -> str:
    speakers = sorted({block.speaker for block in blocks})
    found = f"the only labels are {speakers}" if speakers else "no line begins with such a label"
    start = clip(source.text.strip().partition("\n")[0])
    return (
        "this text is not an interview: expected lines that begin with the speakers, such as "
        f"'Q:' and 'A:' or 'Interviewer:' and 'P07:'; {found}. It begins {start!r}."
    )


FORMAT = Format(
    name="text",
    summary="text with speaker labels",
    detect=_detect,
    read=_read,
)
