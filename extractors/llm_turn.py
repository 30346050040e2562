"""What a language model said about one turn becomes readings, its quotes checked on the way."""

from __future__ import annotations

from typing import ClassVar, Literal

from beliefgraph.errors import BeliefGraphError, LLMError
from beliefgraph.extractors.level import Level
from beliefgraph.extractors.llm_output import StanceSaid, StatementSaid, TurnSaid
from beliefgraph.extractors.questions import Question
from beliefgraph.extractors.quotes import find_quote
from beliefgraph.extractors.reader import TurnReadings
from beliefgraph.graph import Evidence, Kind, Reading
from beliefgraph.llm import Usage
from beliefgraph.records import Record
from beliefgraph.transcript import Turn

__all__ = ["ReaderReport", "SaidTurn"]

_LEVEL_SD = 0.25
"""Standard deviation of a level that a model reads from words; the rules use as much for hedges."""
_LONGEST_LABEL = 120


class ReaderReport(Record):
    """What a reader has done so far; `+` adds two reports."""

    error: ClassVar[type[BeliefGraphError]] = LLMError

    turns: int = 0
    """Turns that a model was asked about; tutorials and empty answers are not."""
    statements: int = 0
    """Statements accepted."""
    repaired: int = 0
    """Answers that broke the rules and were sent back."""
    unread_turns: int = 0
    """Turns whose answer broke the rules twice; they count as read with nothing in them."""
    realigned_quotes: int = 0
    """Quotes found only after case, spaces or typography were set aside."""
    rejected_quotes: int = 0
    """Statements and stances left out because their quote is not in the answer."""
    usage: Usage = Usage()
    """Calls, answers from the cache, tokens and cost."""

    def __add__(self, other: ReaderReport) -> ReaderReport:
        names = [name for name in type(self).model_fields if name != "usage"]
        added = {name: getattr(self, name) + getattr(other, name) for name in names}
        return ReaderReport(**added, usage=self.usage + other.usage)

    def __str__(self) -> str:
        return (
            f"{self.turns} turns, {self.statements} statements, {self.repaired} answers repaired, "
            f"{self.unread_turns} turns unread, {self.rejected_quotes} quotes rejected, "
            f"{self.realigned_quotes} realigned; {self.usage}"
        )


class SaidTurn:
    """Makes readings of what a model said about one turn; `report` counts what it met."""

    def __init__(self, name: str, turn: Turn, question: Question, stance: str) -> None:
        self.name, self.turn, self.stance = name, turn, stance
        self.known = {
            label.casefold(): label for label in (question.source, question.target, stance) if label
        }
        self.rejected: list[str] = []
        self.report = ReaderReport()

    def read(self, said: TurnSaid) -> TurnReadings:
        """Make the readings of a turn: never without one."""
        readings = [
            reading for item in said.statements if (reading := self._statement(item)) is not None
        ]
        level, level_evidence = self._level(said.stance)
        self.report += ReaderReport(statements=len(readings), rejected_quotes=len(self.rejected))
        if self.rejected:
            quotes = ", ".join(repr(quote[:60]) for quote in self.rejected)
            readings.append(self._whole("nothing", f"rejected, not in the answer: {quotes}"))
        if not readings:
            readings.append(self._whole("nothing", "no causal statement"))
        return TurnReadings(self.turn.qa_id, tuple(readings), level, level_evidence)

    def only(self, kind: Kind, note: str) -> TurnReadings:
        """Make the single reading of a turn that the model said nothing about."""
        return TurnReadings(self.turn.qa_id, (self._whole(kind, note),))

    def _statement(self, said: StatementSaid) -> Reading | None:
        source, target = self._label(said.source), self._label(said.target)
        bare = said.sign is None and not said.quote.strip()
        if bare:  # "off topic" has no words to show but the whole answer
            return self._whole(said.kind, said.note, source, target)
        evidence = self._evidence(said.quote, said.sign, said.strength, said.confidence)
        if evidence is None:
            return None
        return Reading(
            kind=said.kind, source=source, target=target, evidence=evidence, note=said.note
        )

    def _level(self, said: StanceSaid | None) -> tuple[Level | None, Evidence | None]:
        if said is None:
            return None, None
        sign: Literal[-1, 0, 1] = 1 if said.value > 0 else -1 if said.value < 0 else 0
        evidence = self._evidence(said.quote, sign, abs(said.value), 1.0)
        if evidence is None:
            return None, None
        return Level(said.value, _LEVEL_SD, evidence.start, evidence.end), evidence

    def _evidence(
        self, quote: str, sign: Literal[-1, 0, 1] | None, strength: float | None, confidence: float
    ) -> Evidence | None:
        span = find_quote(quote, self.turn.answer)
        if span is None:
            self.rejected.append(quote)
            return None
        if not span.exact:
            self.report += ReaderReport(realigned_quotes=1)
        return self._span(span.start, span.end, sign, strength, confidence)

    def _whole(
        self, kind: Kind, note: str, source: str | None = None, target: str | None = None
    ) -> Reading:
        evidence = self._span(0, len(self.turn.answer), None, None, 1.0)
        return Reading(kind=kind, source=source, target=target, evidence=evidence, note=note)

    def _span(
        self,
        start: int,
        end: int,
        sign: Literal[-1, 0, 1] | None,
        strength: float | None,
        confidence: float,
    ) -> Evidence:
        return Evidence(
            qa_id=self.turn.qa_id,
            start=start,
            end=end,
            quote=self.turn.answer[start:end],
            sign=sign,
            strength=strength,
            confidence=confidence,
            extractor=self.name,
        )

    def _label(self, label: str | None) -> str | None:
        """Take the question's own wording where it is that; a capital marks only such labels."""
        text = " ".join((label or "").split()).strip(" .,;:\"'")[:_LONGEST_LABEL]
        if text.casefold() in self.known:
            return self.known[text.casefold()]
        if text[:1].isupper() and text[1:2].islower():
            text = text[:1].lower() + text[1:]
        return text or None
