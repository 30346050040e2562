"""What a reader is: it turns questions and answers into readings; everything after is shared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from beliefgraph.extractors.level import Level
from beliefgraph.extractors.questions import Question
from beliefgraph.graph import Evidence, Reading
from beliefgraph.transcript import Turn

__all__ = ["Context", "Reader", "TurnReadings"]


@dataclass(frozen=True)
class Context:
    """What a reader knows of the interview besides the turn it reads."""

    stance: str
    topic: str
    questions: tuple[Question, ...]
    """One for every turn, in order."""


@dataclass(frozen=True)
class TurnReadings:
    """All that was read from one turn: never without a reading."""

    qa_id: str
    readings: tuple[Reading, ...]
    level: Level | None = None
    """Where the person stands, if the turn says so; the span is of the original answer."""
    level_evidence: Evidence | None = field(default=None)


class Reader(Protocol):
    """Reads turns; the rules and a language model are two of them."""

    name: str
    """Written into every piece of evidence."""

    def read(self, turns: Sequence[Turn], context: Context) -> list[TurnReadings]:
        """Read every turn, in order; `context.questions[i]` belongs to `turns[i]`."""
        ...
