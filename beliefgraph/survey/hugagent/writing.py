"""Write items as HugAgent data-v1.0 JSON lines, which `read_items` reads back.

The columns are those of the format; what it does not hold stands in columns of our own (`role`,
`scenario_id`, `scenario`, `factor`, `outcome`, and `context_policy` where contexts were changed).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from beliefgraph.errors import SurveyError
from beliefgraph.formats.files import write_text
from beliefgraph.formats.rows import is_tutorial
from beliefgraph.survey.hugagent.lines import GOLD
from beliefgraph.survey.item_set import AnsweredItem, ItemSet
from beliefgraph.survey.items import Question
from beliefgraph.survey.scale import Scale
from beliefgraph.transcript import Turn

__all__ = ["write_items"]

_FILE: Final = "items.jsonl"


def write_items(items: ItemSet, folder: str | Path) -> Path:
    """Write items to `items.jsonl` in a folder, one a line, in their order.

    A person or an interview without any item is in no line; a person's interview is that of the
    items' contexts.

    Parameters
    ----------
    items
        Questions, contexts and answers.
    folder
        Where to; it is made where there is none.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    SurveyError
        The folder holds other items, which would be read together with these, or cannot be
        written.
    """
    where = Path(folder)
    target = where / _FILE
    others = [path.name for path in sorted(where.glob("*.jsonl")) if path != target]
    if others:
        raise SurveyError(
            f"{where}: holds {others[0]!r} already, which would be read together with {_FILE!r}; "
            "name an empty folder"
        )
    try:
        where.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SurveyError(f"{where}: cannot be made: {problem.strerror or problem}") from None
    lines = [json.dumps(_line(each, items), ensure_ascii=False) + "\n" for each in items.answered]
    write_text(target, "".join(lines), error=SurveyError)
    return target


def _line(answered: AnsweredItem, items: ItemSet) -> dict[str, Any]:
    item = answered.item
    question = item.question
    line: dict[str, Any] = {
        "item_id": item.item_id,
        "participant_id": item.participant,
        "split": "test",
        "demographics": items.people[item.participant].demographics,
        "context_qas": [_turn(turn) for turn in item.context.turns],
        "context_length": "long",
        "topic": question.topic,
        "task_type": "belief_attribution" if question.task == "bsi" else "belief_update",
        "task_question": question.text,
        "question_id": question.question_id,
    }
    line |= _sign(answered) if question.task == "bsi" else _update(question, answered.values)
    if answered.source is not None:
        line["source_qa"] = _turn(answered.source)
    if items.context_policy != "released":
        line["context_policy"] = items.context_policy
    return line


def _sign(answered: AnsweredItem) -> dict[str, Any]:
    question = answered.item.question
    gold = next(label for label, values in GOLD.items() if set(values) == set(answered.values))
    return {
        "answer_options": {"A": "POSITIVE effect", "B": "NEGATIVE effect"},
        "answer": gold,
        "factor": question.factor,
        "outcome": question.outcome,
    }


def _update(question: Question, values: tuple[int, ...]) -> dict[str, Any]:
    stance = question.task == "bdu_stance"
    line: dict[str, Any] = {
        "question_type": "opinion" if stance else "reason_evaluation",
        "user_answer": values[0] if len(values) == 1 else list(values),
        "scale": _scale(question.scale),
        "reason_code": question.reason_code,
        "reason_text": question.reason,
        "role": question.role,
        "scenario_id": question.scenario_id,
        "scenario": question.scenario,
    }
    return {key: value for key, value in line.items() if value is not None}


def _scale(scale: Scale) -> Any:
    if scale == Scale.between(scale.low, scale.high):
        return [scale.low, scale.high]
    return {"points": list(scale.points), "labels": list(scale.labels)}


def _turn(turn: Turn) -> dict[str, str]:
    entry = {"question_number": turn.qa_id, "question": turn.question, "answer": turn.answer}
    if turn.role == "tutorial" and not is_tutorial(turn.question):
        entry["role"] = turn.role
    return entry
