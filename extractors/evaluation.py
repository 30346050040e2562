"""How often the reader gives the sign that people gave: belief-state items with their source.

A belief-state item asks whether X has a positive (A) or negative (B) effect on Y according to one
person, and names the turn it was made from in `source_qa`. Read with the source given, this tests
the reading and nothing else. An item labelled "A/B" is right either way; no sign is counted wrong.
Nothing but `source_qa`, the gold label, the topic and the person's pseudonym is read of an item.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import beliefgraph
from beliefgraph.errors import TranscriptError
from beliefgraph.extractors.pair import Verdict, judge_pair, read_pair
from beliefgraph.extractors.questions import effects_named_last
from beliefgraph.extractors.reader import Reader
from beliefgraph.extractors.rules import RuleReader
from beliefgraph.formats.hugagent import participant_of
from beliefgraph.intervals import Estimate, estimate_ratio
from beliefgraph.survey.hugagent.files import find_files, read_values
from beliefgraph.survey.hugagent.lines import GOLD

__all__ = [
    "PROTOCOL",
    "ItemVerdict",
    "SignItem",
    "SignReport",
    "evaluate_extraction",
    "read_sign_items",
]

PROTOCOL = (
    "rules and thresholds written with sight of the development set (participants D01-D24); "
    "nothing fitted by item"
)
"""What the offline reader had seen when it was written."""


@dataclass(frozen=True)
class SignItem:
    """One item: a question with its answer, and the sign that people gave it."""

    item_id: str
    participant: str
    topic: str
    question: str
    answer: str
    gold: str
    """A (positive), B (negative) or A/B (either)."""


@dataclass(frozen=True)
class ItemVerdict:
    """What was read of one item."""

    item: SignItem
    verdict: Verdict

    @property
    def abstained(self) -> bool:
        """Whether no sign was given."""
        return self.verdict.sign is None

    @property
    def right(self) -> bool:
        """Whether the sign is one that the gold label allows; no sign is wrong."""
        return self.verdict.sign in GOLD[self.item.gold]

    @property
    def right_forced(self) -> bool:
        """Whether it is right where every abstention is answered with a plus."""
        return (1 if self.abstained else self.verdict.sign) in GOLD[self.item.gold]


@dataclass(frozen=True)
class SignReport:
    """Accuracy of the signs, with intervals over participants."""

    verdicts: tuple[ItemVerdict, ...]
    accuracy: Estimate
    """Share of all items whose sign is right; an abstention is wrong."""
    accuracy_committed: Estimate
    """Share right among the items that were given a sign."""
    accuracy_forced: float
    """The same where every abstention is answered with a plus: a choice that the task forces
    (and the commonest gold label), not a reading."""
    configuration: dict[str, Any]

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.verdicts)

    @property
    def abstained(self) -> int:
        """Number of items without a sign."""
        return sum(v.abstained for v in self.verdicts)

    def confusion(self) -> dict[str, dict[str, int]]:
        """Count the items by gold label and by what was read."""
        table: dict[str, Counter[str]] = {gold: Counter() for gold in GOLD}
        for v in self.verdicts:
            table[v.item.gold][v.verdict.kind] += 1
        return {gold: dict(counts.most_common()) for gold, counts in table.items() if counts}

    def by_topic(self) -> dict[str, dict[str, Any]]:
        """Return the figures of every topic, its interval over the topic's participants."""
        seed, n_resamples = self.configuration["seed"], self.configuration["n_resamples"]
        figures = {}
        for topic in sorted({v.item.topic for v in self.verdicts}):
            own = [v for v in self.verdicts if v.item.topic == topic]
            every = _accuracy(own, seed, n_resamples)
            committed = _accuracy([v for v in own if not v.abstained], seed, n_resamples)
            figures[topic] = {
                "n": len(own),
                "accuracy": every.to_dict()["value"],
                "abstained": sum(v.abstained for v in own),
                "accuracy_committed": committed.to_dict()["value"],
                "interval": every.to_dict()["interval"],
            }
        return figures

    def to_dict(self) -> dict[str, Any]:
        """Return every figure; None where one is not scored."""
        every, committed = self.accuracy.to_dict(), self.accuracy_committed.to_dict()
        return {
            "n": self.n,
            "accuracy": every["value"],
            "abstained": self.abstained,
            "accuracy_committed": committed["value"],
            "accuracy_forced": self.accuracy_forced,
            "interval": every["interval"],
            "interval_committed": committed["interval"],
            "confusion": self.confusion(),
            "by_topic": self.by_topic(),
            "participants": len({v.item.participant for v in self.verdicts}),
            "configuration": self.configuration,
        }


def read_sign_items(folder: str | Path) -> list[SignItem]:
    """Read the belief-state items of a folder, or of one file, as JSON lines or parquet.

    Raises
    ------
    TranscriptError
        There is no such item, or a line is no JSON or lacks a part; says which line.
    """
    items: list[SignItem] = []
    for path in find_files([folder]):
        values, broken = read_values(path, TranscriptError)
        if broken:
            raise TranscriptError(f"{broken[0].where}: not a JSON object: {broken[0].why}")
        read = (_item(value, where) for where, value in values)
        items += [item for item in read if item is not None]
    if not items:
        raise TranscriptError(
            f"{folder}: no belief-state items: expected JSON lines or parquet whose items hold "
            "'source_qa' (with 'question' and 'answer') and 'answer' (A, B or A/B)"
        )
    return items


def _item(value: Any, where: str) -> SignItem | None:
    if not isinstance(value, dict) or "source_qa" not in value:
        return None  # an item of another kind
    source, gold = value["source_qa"], value.get("answer")
    wanted = ("question", "answer")
    if not isinstance(source, dict) or not all(isinstance(source.get(k), str) for k in wanted):
        raise TranscriptError(f"{where}: 'source_qa' needs 'question' and 'answer', as text")
    if gold not in GOLD:
        raise TranscriptError(f"{where}: 'answer' must be A, B or A/B, got {gold!r}")
    person = participant_of(value)
    if person is None:
        raise TranscriptError(f"{where}: 'participant_id' is missing; intervals are over people")
    return SignItem(
        item_id=str(value.get("item_id") or where),
        participant=person,
        topic=str(value.get("topic") or ""),
        question=source["question"],
        answer=source["answer"],
        gold=gold,
    )


def evaluate_extraction(
    items: Iterable[SignItem],
    *,
    reader: Reader | None = None,
    seed: int = 0,
    least_lean: float = 0.1,
    n_resamples: int = 10_000,
) -> SignReport:
    """Give every item's sign from its own question and answer, and score it.

    Parameters
    ----------
    items
        See `read_sign_items`.
    reader
        What reads; the rules by default.
    seed
        Of the bootstrap over participants.
    least_lean
        An answer whose readings cancel to less than this is given no sign.
    n_resamples
        How often participants are drawn.
    """
    given = list(items)
    chosen = reader if reader is not None else RuleReader()
    effects = _effects_by_topic(given)
    verdicts = tuple(
        ItemVerdict(item, _judge(item, effects[item.topic], chosen, least_lean)) for item in given
    )
    configuration = {
        "reader": chosen.name,
        "protocol": PROTOCOL if isinstance(chosen, RuleReader) else "nothing fitted by item",
        "read": "source_qa only",
        "least_lean": least_lean,
        "interval": "95%, bootstrap over participants",
        "n_resamples": n_resamples,
        "seed": seed,
        "version": beliefgraph.__version__,
    }
    return SignReport(
        verdicts=verdicts,
        accuracy=_accuracy(verdicts, seed, n_resamples),
        accuracy_committed=_accuracy([v for v in verdicts if not v.abstained], seed, n_resamples),
        accuracy_forced=sum(v.right_forced for v in verdicts) / len(verdicts),
        configuration=configuration,
    )


def _effects_by_topic(items: Sequence[SignItem]) -> dict[str, list[str]]:
    """Effects that a topic's questions name, most frequent first; the first is its stance."""
    asked: dict[str, list[str]] = defaultdict(list)
    for item in items:
        asked[item.topic].append(item.question)
    return {topic: effects_named_last(questions) for topic, questions in asked.items()}


def _judge(item: SignItem, effects: list[str], reader: Reader, least_lean: float) -> Verdict:
    stance = effects[0] if effects else item.topic or None
    readings = read_pair(
        item.question,
        item.answer,
        stance=stance,
        effects=effects,
        reader=reader,
        qa_id=item.item_id,
    )
    return judge_pair(
        readings, item.question, effects=effects, stance=stance, least_lean=least_lean
    )


def _accuracy(verdicts: Sequence[ItemVerdict], seed: int, n_resamples: int) -> Estimate:
    right: dict[str, int] = defaultdict(int)
    asked: dict[str, int] = defaultdict(int)
    for v in verdicts:
        right[v.item.participant] += v.right
        asked[v.item.participant] += 1
    people = sorted(asked)
    return estimate_ratio(
        [right[p] for p in people], [asked[p] for p in people], seed=seed, n_resamples=n_resamples
    )
