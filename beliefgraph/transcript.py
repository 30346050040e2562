"""An interview: turns of one question and its answer, each with a stable `qa_id`."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from beliefgraph.errors import BeliefGraphError, TranscriptError
from beliefgraph.records import Record

__all__ = ["LeftOut", "Transcript", "Turn"]


class Turn(Record):
    """One question of the interviewer with the person's answer, verbatim."""

    error: ClassVar[type[BeliefGraphError]] = TranscriptError

    qa_id: str = Field(min_length=1)
    """Name of the turn, unique in its transcript; a quote cites it."""
    question: str
    """What the interviewer asked."""
    answer: str
    """What the person said, untouched: quotes are spans of it."""
    role: Literal["interview", "tutorial"] = "interview"
    """`tutorial` marks turns that explain the interviewing system; nothing is read from them."""


class LeftOut(Record):
    """A part of a file that could not be read as a turn, kept so that nothing is lost."""

    where: str
    """Line, row or index in the file."""
    why: str
    """The rule it broke."""
    text: str
    """What stood there."""


class Transcript(Record):
    """One person's interview on one topic.

    Examples
    --------
    >>> t = Transcript.from_pairs([("Why?", "Because rents fell.")], participant="P01")
    >>> t
    <Transcript 'P01': 1 turn>
    >>> t.turn("1").answer
    'Because rents fell.'
    """

    error: ClassVar[type[BeliefGraphError]] = TranscriptError

    turns: tuple[Turn, ...]
    """The turns in the order they were spoken."""
    participant: str | None = None
    """Pseudonym of the person."""
    topic: str | None = None
    """What the interview is about."""
    demographics: dict[str, str] = Field(default_factory=dict)
    """What the file says about the person, as written there."""
    source: str | None = None
    """File the interview was read from."""
    format: str | None = None
    """Name of the file format."""
    merged_versions: int = Field(default=1, ge=1)
    """How many versions of the interview were merged (HugAgent items hide one answer each)."""
    left_out: tuple[LeftOut, ...] = ()
    """What the file held besides and why it is not a turn."""

    @model_validator(mode="after")
    def _unique_ids(self) -> Self:
        seen: dict[str, int] = {}
        for index, turn in enumerate(self.turns):
            if turn.qa_id in seen:
                raise TranscriptError(
                    f"turns {seen[turn.qa_id] + 1} and {index + 1} are both numbered "
                    f"{turn.qa_id!r}; a quote cites its turn by number, so each number may stand "
                    "once. Renumber one of them."
                )
            seen[turn.qa_id] = index
        return self

    @classmethod
    def from_pairs(
        cls,
        pairs: list[tuple[str, str]],
        *,
        participant: str | None = None,
        topic: str | None = None,
    ) -> Self:
        """Make a transcript from (question, answer) pairs, numbered from "1"."""
        turns = tuple(
            Turn(qa_id=str(number), question=question, answer=answer)
            for number, (question, answer) in enumerate(pairs, start=1)
        )
        return cls(turns=turns, participant=participant, topic=topic)

    def turn(self, qa_id: str) -> Turn:
        """Return the turn of that number.

        Raises
        ------
        TranscriptError
            No turn has that `qa_id`.
        """
        for turn in self.turns:
            if turn.qa_id == qa_id:
                return turn
        raise TranscriptError(f"the transcript has no turn {qa_id!r}")

    @property
    def name(self) -> str:
        """Participant and topic, or the file, or "interview"."""
        parts = [part for part in (self.participant, self.topic) if part]
        return ", ".join(parts) or self.source or "interview"

    def __repr__(self) -> str:
        count = len(self.turns)
        left = f", {len(self.left_out)} left out" if self.left_out else ""
        return f"<Transcript {self.name!r}: {count} turn{'s' * (count != 1)}{left}>"

    __str__ = __repr__
