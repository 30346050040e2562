"""What a language model must answer when it reads turns: the form, and the check of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from beliefgraph.graph import Kind
from beliefgraph.llm import ChatResponse, parse_object, strict_schema
from beliefgraph.records import describe_validation

__all__ = ["SCHEMA", "Checked", "StanceSaid", "StatementSaid", "TurnSaid", "check_output"]

_SIGNS: dict[str, Literal[-1, 0, 1]] = {"positive": 1, "negative": -1, "no_effect": 0}


class _Said(BaseModel):
    """Numbers in words, unknown fields and values out of range are mistakes of the model."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


class StatementSaid(_Said):
    """One effect that a turn speaks of."""

    source: str | None
    target: str | None
    kind: Kind
    sign: Literal[-1, 0, 1] | None
    strength: float | None = Field(ge=0, le=1)
    confidence: float = Field(ge=0, le=1)
    quote: str
    note: str = ""

    @model_validator(mode="after")
    def _agrees(self) -> StatementSaid:
        expected = _SIGNS.get(self.kind)
        if self.sign != expected:
            shown = "null" if expected is None else str(expected)
            raise ValueError(f'a statement of kind "{self.kind}" has the sign {shown}')
        return self


class StanceSaid(_Said):
    """How far the person is for or against."""

    value: float = Field(ge=-1, le=1)
    quote: str


class TurnSaid(_Said):
    """All that was read from one turn."""

    turn: int
    statements: list[StatementSaid]
    stance: StanceSaid | None = None


class _Output(_Said):
    turns: list[TurnSaid]


SCHEMA: dict[str, Any] = strict_schema(_Output)
"""JSON schema that is sent with every request."""


@dataclass
class Checked:
    """The turns of an answer that obey the rules, and what is wrong with the others."""

    turns: dict[int, TurnSaid] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)


def check_output(response: ChatResponse, numbers: Sequence[int]) -> Checked:
    """Check an answer turn by turn, so that one bad turn does not cost the others.

    Parameters
    ----------
    response
        The model's answer.
    numbers
        The turns asked for.
    """
    checked = Checked()
    try:
        items = _items(response)
    except ValueError as problem:
        checked.problems = dict.fromkeys(numbers, str(problem))
        return checked
    for item in items:
        number = item.get("turn") if isinstance(item, dict) else None
        if number is None and len(numbers) == 1:
            number = numbers[0]
            item = {**item, "turn": number} if isinstance(item, dict) else item
        if not isinstance(number, int) or number not in numbers:
            continue
        if number in checked.turns or number in checked.problems:
            checked.turns.pop(number, None)
            checked.problems[number] = f"turn {number} stands twice"
            continue
        try:
            checked.turns[number] = TurnSaid.model_validate(item)
        except ValidationError as problem:
            checked.problems[number] = describe_validation(f"turn {number}", problem)
    for number in numbers:
        if number not in checked.turns and number not in checked.problems:
            checked.problems[number] = f"turn {number} is missing"
    return checked


def _items(response: ChatResponse) -> list[Any]:
    if response.cut_off:
        raise ValueError("the answer was cut off at the longest length allowed; say less")
    if response.refusal:
        raise ValueError(f"the model refused: {response.refusal[:120]}")
    body = parse_object(response.text)
    items = body.get("turns")
    if not isinstance(items, list):
        raise ValueError('there is no list called "turns" in the answer')
    return items
