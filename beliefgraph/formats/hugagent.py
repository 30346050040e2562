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
from pathlib import Path
from typing import Any

from beliefgraph.errors import TranscriptError
from beliefgraph.formats.base import Contents, Format, Interview, Source, clip
from beliefgraph.formats.json_documents import Document
from beliefgraph.formats.pairs import looks_like_json
from beliefgraph.formats.rows import as_strings, is_tutorial
from beliefgraph.transcript import LeftOut, Transcript, Turn

__all__ = [
    "FORMAT",
    "Context",
    "MergedContexts",
    "has_context",
    "item_documents",
    "participant_of",
    "read_context",
    "read_turn",
    "who_of",
]

_PEOPLE = ("participant_id", "prolific_id", "participant")


def _detect(source: Source) -> bool:
    if not looks_like_json(source):
        return False
    return any(has_context(item.value) for item in item_documents(source))


def has_context(value: Any) -> bool:
    """Tell whether a JSON value may be an item."""
    return isinstance(value, dict) and isinstance(value.get("context_qas"), list)


def item_documents(source: Source) -> Iterator[Document]:
    """Yield the JSON values of a source; those of lists one by one."""
    for document in source.documents.items:
        if isinstance(document.value, list):
            for n, value in enumerate(document.value, start=1):
                yield Document(f"{document.where}, item {n}", n, value)
        else:
            yield document


@dataclass
class MergedContexts:
    """The versions of one person's interview on one topic, as they come."""

    versions: set[tuple[Turn, ...]] = field(default_factory=set)
    turns: dict[str, Turn] = field(default_factory=dict)
    demographics: dict[str, str] = field(default_factory=dict)
    left_out: dict[tuple[str, str], LeftOut] = field(default_factory=dict)

    def add(self, where: str, context: Context) -> None:
        """Add one version; turns that contradict an earlier version are left out."""
        for part in context.left_out:
            self.leave_out(part)
        places = context.places or range(1, len(context.turns) + 1)
        for place, turn in zip(places, context.turns, strict=True):
            if self.turns.setdefault(turn.qa_id, turn) != turn:
                why = f"another turn has the number {turn.qa_id!r} already, with other words"
                text = f"{turn.question}\n{turn.answer}"
                self.leave_out(LeftOut(where=f"{where}, context_qas {place}", why=why, text=text))
        self.versions.add(context.turns)

    def add_demographics(self, where: str, demographics: dict[str, str]) -> None:
        """Add what an item says of the person; what contradicts an earlier item is left out."""
        for key, value in demographics.items():
            if self.demographics.setdefault(key, value) != value:
                why = "another item gives another value"
                self.leave_out(LeftOut(where=where, why=why, text=f"{key}: {value}"))

    def leave_out(self, part: LeftOut) -> None:
        """Keep a part that is no turn, once where several versions hold it."""
        self.left_out.setdefault((part.why, part.text), part)

    def transcript(
        self,
        participant: str,
        topic: str | None,
        *,
        source: str | None = None,
        format: str | None = None,  # noqa: A002 - the transcript's own word
    ) -> Transcript:
        """Return the union of the versions, in the order of the numbers where they are numbers."""
        numbers = list(self.turns)
        if all(number.isdecimal() for number in numbers):
            numbers.sort(key=int)
        return Transcript(
            turns=tuple(self.turns[number] for number in numbers),
            participant=participant,
            topic=topic,
            demographics=self.demographics,
            source=source,
            format=format,
            merged_versions=max(1, len(self.versions)),
            left_out=tuple(self.left_out.values()),
        )


@dataclass(frozen=True)
class Context:
    """The interview as one item shows it."""

    turns: tuple[Turn, ...]
    left_out: tuple[LeftOut, ...] = ()
    places: tuple[int, ...] = ()
    """Where each turn stands in `context_qas`, from 1; empty: one after the other."""


def read_context(entries: list[Any], where: str) -> Context:
    """Read the entries of one item's `context_qas`; those that are no turn are left out."""
    turns: list[Turn] = []
    places: list[int] = []
    left_out: list[LeftOut] = []
    for place, entry in enumerate(entries, start=1):
        turn = read_turn(entry)
        if isinstance(turn, Turn):
            turns.append(turn)
            places.append(place)
        else:
            text = clip(repr(entry), 2000)
            left_out.append(LeftOut(where=f"{where}, context_qas {place}", why=turn, text=text))
    return Context(tuple(turns), tuple(left_out), tuple(places))


def read_turn(entry: Any) -> Turn | str:
    """Return the turn of an entry, or why it is none."""
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
    tutorial = entry.get("role") == "tutorial" or is_tutorial(entry["question"])
    return Turn(
        qa_id=str(number).strip(),
        question=entry["question"],
        answer=entry["answer"],
        role="tutorial" if tutorial else "interview",
    )


def _read(sources: Sequence[Source]) -> Contents:
    several = len(sources) > 1
    merges: dict[tuple[str, str | None], MergedContexts] = {}
    places: dict[tuple[str, str | None], Path] = {}
    left_out: list[LeftOut] = []
    for source in sources:
        start = f"{source.path.name}, " if several else ""
        for item in source.documents.left_out:
            left_out.append(item.replace(where=start + item.where))
        for document in item_documents(source):
            where, value = start + document.where, document.value
            who = who_of(value)
            if isinstance(who, str):
                text = clip(repr(value), 2000)
                left_out.append(LeftOut(where=where, why=who, text=text))
                continue
            places.setdefault(who, source.path.parent if several else source.path)
            merge = merges.setdefault(who, MergedContexts())
            merge.add(where, read_context(value["context_qas"], where))
            merge.add_demographics(where, as_strings(value.get("demographics")))
    if not merges:
        reasons = "; ".join(f"{item.where}: {item.why}" for item in left_out[:3])
        raise sources[0].error(
            "no HugAgent item could be read: expected JSON objects with 'context_qas' and "
            f"'participant_id' (or 'prolific_id'); {reasons or 'it holds no values'}"
        )
    interviews = []
    for (participant, topic), merge in merges.items():
        place = str(places[participant, topic])
        result: Transcript | TranscriptError
        try:
            result = merge.transcript(participant, topic, source=place, format=FORMAT.name)
        except TranscriptError as problem:
            result = problem
        interviews.append(Interview(participant, topic, result))
    return Contents(tuple(interviews), tuple(left_out))


def who_of(value: Any) -> tuple[str, str | None] | str:
    """Return participant and topic, or why it is no item."""
    if not has_context(value):
        return "not a HugAgent item: there is no list 'context_qas'"
    participant = participant_of(value)
    if participant is None:
        return "the item names no person ('participant_id' or 'prolific_id')"
    topic = value.get("topic")
    return participant, str(topic) if topic else None


def participant_of(value: dict[str, Any]) -> str | None:
    """Return the pseudonym of the person whom an item is about."""
    return next((str(value[key]) for key in _PEOPLE if value.get(key)), None)


FORMAT = Format(
    name="hugagent",
    summary="HugAgent items (JSON with context_qas)",
    detect=_detect,
    read=_read,
    pools=True,
)
