"""From one JSON object or parquet row to an item with its answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.formats.hugagent import has_context, read_context, read_turn, who_of
from beliefgraph.formats.rows import as_strings
from beliefgraph.survey.hugagent.questions import Guide, read_question
from beliefgraph.survey.item_set import AnsweredItem
from beliefgraph.survey.items import Item, Task
from beliefgraph.transcript import LeftOut, Transcript, Turn

__all__ = ["GOLD", "Line", "read_line"]

GOLD: Final[dict[str, tuple[int, ...]]] = {"A": (1,), "B": (-1,), "A/B": (1, -1)}
"""The answers that the label of a belief-state item allows: A is positive, B negative."""


@dataclass(frozen=True)
class Line:
    """An item, and what its line says of the person."""

    where: str
    answered: AnsweredItem
    demographics: dict[str, str]
    left_out: tuple[LeftOut, ...]
    """Entries of the context that are no turn."""
    id_of_file: bool
    """Whether its id is of the older form, which is unique in its file only."""
    context_policy: str
    """How the contexts were changed before the file was written."""


def read_line(value: Mapping[str, Any], guide: Guide, where: str) -> Line:
    """Read one item.

    Raises
    ------
    BeliefGraphError
        It breaks a rule; names the rule, the value and the fix, and mostly the place.
    """
    if not has_context(value):
        raise SurveyError(f"{where}: 'context_qas' must be a list of turns")
    who = who_of(value)
    if isinstance(who, str):
        raise SurveyError(f"{where}: {who}")
    participant = who[0]
    item_id = value.get("item_id") or value.get("id")
    if not item_id:
        raise SurveyError(f"{where}: 'item_id' is missing; every item needs one of its own")
    question = read_question(value, guide, where)
    context = read_context(value["context_qas"], where)
    # Demographics stand with the person, not with the context, so that a control can withhold them.
    transcript = Transcript(turns=context.turns, participant=participant, topic=question.topic)
    item = Item(
        item_id=str(item_id), participant=participant, question=question, context=transcript
    )
    answered = AnsweredItem(
        item=item,
        values=_answer(value, question.task, where),
        source=_source(value, where),
    )
    return Line(
        where=where,
        answered=answered,
        demographics=as_strings(value.get("demographics")),
        left_out=context.left_out,
        id_of_file=not value.get("item_id"),
        context_policy=str(value.get("context_policy", "released")),
    )


def _answer(value: Mapping[str, Any], task: Task, where: str) -> tuple[int, ...]:
    if task == "bsi":
        gold = value.get("answer")
        if not isinstance(gold, str) or gold not in GOLD:
            raise SurveyError(
                f"{where}: 'answer' must be one of {', '.join(GOLD)}, got {gold!r}. "
                f"{suggestions(str(gold), GOLD)}"
            )
        return GOLD[gold]
    answers = value.get("user_answer")
    listed = answers if isinstance(answers, list) else [answers]
    return tuple(_whole_number(each, where) for each in listed)


def _whole_number(value: Any, where: str) -> int:
    """Return an answer; parquet gives a column with gaps as floats, and a mixed one as text."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            value = value.strip() or None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise SurveyError(f"{where}: 'user_answer' must be a whole number, got {value!r}")
    return int(value)


def _source(value: Mapping[str, Any], where: str) -> Turn | None:
    if value.get("source_qa") is None:
        return None
    turn = read_turn(value["source_qa"])
    if isinstance(turn, str):
        raise SurveyError(f"{where}: 'source_qa': {turn}")
    return turn
