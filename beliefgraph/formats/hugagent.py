"""HugAgent items: JSON objects whose `context_qas` is the interview, many people in one file.

The benchmark keeps several versions of one person's interview on one topic, each hiding the answer
that its item asks for. Read as a transcript, a person gets the UNION of all versions, and
`merged_versions` counts the distinct ones. That is for exploration only: the answer hidden in one
item stands open in another item's context, so a predictor of belief-state items must see its own
item's context and nothing else, never this union. Nothing but `context_qas` and `demographics` is
read of an item; `source_qa`, `answer` and `reasoning` never are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from beliefgraph.errors import TranscriptError
from beliefgraph.formats.base import Contents, Format, Interview, Source, clip
from beliefgraph.formats.json_documents import Document
from beliefgraph.formats.pairs import looks_like_json
from beliefgraph.formats.rows import as_strings, is_tutorial
from beliefgraph.transcript import LeftOut, Transcript, Turn

__all__ = ["FORMAT"]

_PEOPLE = ("participant_id", "prolific_id", "participant")


def _detect(source: Source) -> bool:
    if not looks_like_json(source):
        return False
    return any(_has_context(item.value) for item in _items(source))


def _has_context(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("context_qas"), list)


def _items(source: Source) -> Iterator[Document]:
    for document in source.documents.items:
        if isinstance(document.value, list):
            for n, value in enumerate(document.value, start=1):
                yield Document(f"{document.where}, item {n}", n, value)
        else:
            yield document


@dataclass
class _Merge:
    """The versions of one person's interview on one topic, as they come."""

    source: str
    versions: set[tuple[tuple[str, str, str], ...]] = field(default_factory=set)
    turns: dict[str, tuple[str, str]] = field(default_factory=dict)
    demographics: dict[str, str] = field(default_factory=dict)
    left_out: dict[tuple[str, str], LeftOut] = field(default_factory=dict)

    def add(self, where: str, item: dict[str, Any]) -> None:
        version = []
        for place, entry in enumerate(item["context_qas"], start=1):
            turn = _turn(entry)
            if isinstance(turn, str):
                self.leave_out(f"{where}, context_qas {place}", turn, clip(repr(entry), 2000))
                continue
            version.append(turn)
            number, question, answer = turn
            if self.turns.setdefault(number, (question, answer)) != (question, answer):
                why = f"another turn has the number {number!r} already, with other words"
                text = f"{question}\n{answer}"
                self.leave_out(f"{where}, context_qas {place}", why, text)
        self.versions.add(tuple(version))
        for key, value in as_strings(item.get("demographics")).items():
            if self.demographics.setdefault(key, value) != value:
                self.leave_out(where, "another item gives another value", f"{key}: {value}")

    def leave_out(self, where: str, why: str, text: str) -> None:
        self.left_out.setdefault((why, text), LeftOut(where=where, why=why, text=text))

    def transcript(self, participant: str, topic: str | None) -> Transcript:
        numbers = list(self.turns)
        if all(number.isdecimal() for number in numbers):
            numbers.sort(key=int)
        return Transcript(
            turns=tuple(
                Turn(
                    qa_id=number,
                    question=self.turns[number][0],
                    answer=self.turns[number][1],
                    role="tutorial" if is_tutorial(self.turns[number][0]) else "interview",
                )
                for number in numbers
            ),
            participant=participant,
            topic=topic,
            demographics=self.demographics,
            source=self.source,
            format=FORMAT.name,
            merged_versions=max(1, len(self.versions)),
            left_out=tuple(self.left_out.values()),
        )


def _turn(entry: Any) -> tuple[str, str, str] | str:
    """Return number, question and answer, or why it is no turn."""
    if not isinstance(entry, dict):
        return "not an object with 'question_number', 'question' and 'answer'"
    number = entry.get("question_number")
    if number is None or not str(number).strip():
        return "the question number is missing"
    for key in ("question", "answer"):
        if not isinstance(entry.get(key), str):
            return f"{key!r} is missing or not text"
        if any("\ud800" <= character <= "\udfff" for character in entry[key]):
            return f"half a surrogate pair in {key!r} is not a character"
    return str(number).strip(), entry["question"], entry["answer"]


def _read(sources: Sequence[Source]) -> Contents:
    several = len(sources) > 1
    merges: dict[tuple[str, str | None], _Merge] = {}
    left_out: list[LeftOut] = []
    for source in sources:
        start = f"{source.path.name}, " if several else ""
        for item in source.documents.left_out:
            left_out.append(item.replace(where=start + item.where))
        for document in _items(source):
            where, value = start + document.where, document.value
            who = _who(value)
            if isinstance(who, str):
                text = clip(repr(value), 2000)
                left_out.append(LeftOut(where=where, why=who, text=text))
                continue
            place = str(source.path.parent if several else source.path)
            merges.setdefault(who, _Merge(place)).add(where, value)
    if not merges:
        reasons = "; ".join(f"{item.where}: {item.why}" for item in left_out[:3])
        raise sources[0].error(
            "no HugAgent item could be read: expected JSON objects with 'context_qas' and "
            f"'participant_id' (or 'prolific_id'); {reasons or 'it holds no values'}"
        )
    interviews = []
    for (participant, topic), merge in merges.items():
        result: Transcript | TranscriptError
        try:
            result = merge.transcript(participant, topic)
        except TranscriptError as problem:
            result = problem
        interviews.append(Interview(participant, topic, result))
    return Contents(tuple(interviews), tuple(left_out))


def _who(value: Any) -> tuple[str, str | None] | str:
    """Return participant and topic, or why it is no item."""
    if not _has_context(value):
        return "not a HugAgent item: there is no list 'context_qas'"
    participant = next((value[key] for key in _PEOPLE if value.get(key)), None)
    if participant is None:
        return "the item names no person ('participant_id' or 'prolific_id')"
    topic = value.get("topic")
    return str(participant), str(topic) if topic else None


FORMAT = Format(
    name="hugagent",
    summary="HugAgent items (JSON with context_qas)",
    detect=_detect,
    read=_read,
    pools=True,
)
