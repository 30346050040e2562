r"""From the columns of an item to its question: role, scenario, factor and outcome.

Our own files state them in columns of their own (`role`, `scenario_id`, `scenario`, `factor`,
`outcome`); where those are absent they follow from the question's id and its text:

- a belief-state question is "How much does X affect Y according to this person?";
- a belief-update question of a scenario holds its text after a lead-in, a reason's weight after
  "Context: ... \n\nBased on this context, ...";
- its role follows from `survey_content/surveys.json`, or from the ids that the format documents.

Nothing is ever taken from `source_qa`, `reasoning` or `answer`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey.items import Question, Role, Task
from beliefgraph.survey.scale import SIGN_SCALE, Scale

__all__ = [
    "Guide",
    "parent_of",
    "read_question",
    "scenario_part",
    "sign_question_id",
    "task_of",
]

_BSI_TYPES: Final = ("belief_attribution", "belief_state_inference")
_BDU_TYPES: Final = ("belief_update", "belief_dynamics_update")
_BDU_TASKS: Final[dict[str, Task]] = {
    "opinion": "bdu_stance",
    "reason_evaluation": "bdu_reason",
}
_DOCUMENTED: Final[dict[str, Role]] = {
    **dict.fromkeys(("1.1", "2.1", "3.1", "2.5", "3.5"), "baseline"),
    **dict.fromkeys(("1.2", "1.3", "1.4", "2.6", "2.7", "2.8"), "scenario"),
    **dict.fromkeys(("3.6", "3.7", "3.8", "3.9"), "scenario"),
    **dict.fromkeys(("2.2", "2.3", "2.4", "3.2", "3.3", "3.4"), "experience"),
}
"""Role of every question of the HugAgent survey, by its id."""

_EFFECT = re.compile(
    r"how much do(?:es)? (?P<factor>.+?) affect (?P<outcome>.+?)"
    r"(?: according to (?:this|the) person)?\s*\?",
    re.IGNORECASE | re.DOTALL,
)
_LEAD_IN = re.compile(
    r"based on (?:their|his|her|this person's) responses,\s*(?:"
    r"what do you think this person would answer to:"
    r"|how do you think this scenario would affect this person's stance\?)\s*",
    re.IGNORECASE,
)
_CONTEXT = re.compile(r"context:\s*(?P<text>.*?)\s*based on this context,", re.I | re.DOTALL)
_FINAL_QUESTION = re.compile(
    r"""(?: ^ | ,\s* | (?<=[.?!])\s+ )
    (?: knowing\ this,\s* | given\ this,\s* )?
    (?: how | would | does | do | to\ what\ extent )\b
    [^.?!]*\b (?: stance | opinion | views? | mind | support | position )\b [^.?!]*\?\s*$""",
    re.IGNORECASE | re.VERBOSE,
)
_REASON = re.compile(r"(?P<parent>.+?)r(?:_(?P<code>.+))?")


@dataclass(frozen=True)
class Guide:
    """What is known of a survey's questions beside the items."""

    roles: Mapping[str, Role] = field(default_factory=lambda: _DOCUMENTED)
    """Role of every question by its id."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Its words, where a survey file holds them."""
    source: str = "the ids that the HugAgent format documents"
    """Where this is from, for messages."""


def task_of(value: Mapping[str, Any], where: str) -> Task:
    """Tell from `task_type` and `question_type` what an item asks for."""
    kind = _text(value, "task_type", where)
    if kind in _BSI_TYPES:
        return "bsi"
    if kind not in _BDU_TYPES:
        raise SurveyError(
            f"{where}: 'task_type' {kind!r} is not known. "
            f"{suggestions(kind, (*_BSI_TYPES, *_BDU_TYPES))}"
        )
    asked = _text(value, "question_type", where)
    if asked not in _BDU_TASKS:
        raise SurveyError(
            f"{where}: 'question_type' {asked!r} is not known. {suggestions(asked, _BDU_TASKS)}"
        )
    return _BDU_TASKS[asked]


def read_question(value: Mapping[str, Any], guide: Guide, where: str) -> Question:
    """Read the question of an item.

    Raises
    ------
    SurveyError
        A column is missing or breaks a rule; names the place, the rule, the value and the fix.
    """
    task = task_of(value, where)
    topic = _text(value, "topic", where)
    text = _text(value, "task_question", where)
    if task == "bsi":
        return _sign_question(value, topic, text, where)
    question_id = _text(value, "question_id", where)
    reason = _REASON.fullmatch(question_id) if task == "bdu_reason" else None
    parent = parent_of(question_id) if task == "bdu_reason" else question_id
    role = _role(value, parent, guide, where)
    scenario_id = scenario = None
    if "role" in value:
        scenario_id, scenario = value.get("scenario_id"), value.get("scenario")
    elif role == "scenario":
        scenario_id, scenario = parent, _scenario(task, text)
    return Question(
        question_id=question_id,
        topic=topic,
        task=task,
        role=role,
        text=text,
        scale=_scale(value.get("scale"), where),
        scenario_id=scenario_id,
        scenario=scenario,
        reason_code=value.get("reason_code") or (reason["code"] if reason else None),
        reason=value.get("reason_text"),
    )


def parent_of(question_id: str) -> str:
    """Return the question that a reason's weight belongs to.

    >>> parent_of("1.4r_N"), parent_of("2.5_C"), parent_of("3.1")
    ('1.4', '2.5', '3.1')
    """
    reason = _REASON.fullmatch(question_id)
    return reason["parent"] if reason else question_id.split("_")[0]


def sign_question_id(topic: str, factor: str, outcome: str) -> str:
    """Return the name of a question that a survey does not number: what it asks."""
    return f"{topic}: {factor} -> {outcome}"


def scenario_part(text: str) -> str:
    """Return what a scenario says, without the lead-in and without the question it ends in.

    >>> scenario_part("Based on their responses, what do you think this person would answer to: "
    ...     "If buses ran all night, how would that affect your opinion?")
    'If buses ran all night'
    >>> scenario_part("Fares fall by half. Knowing this, how would it affect your view of buses?")
    'Fares fall by half.'
    """
    told = _LEAD_IN.sub("", text, count=1).strip()
    return _FINAL_QUESTION.sub("", told).strip() or told


def _scenario(task: Task, text: str) -> str | None:
    if task == "bdu_stance":
        return scenario_part(text)
    context = _CONTEXT.match(text.lstrip())
    return scenario_part(context["text"]) if context else None


def _sign_question(value: Mapping[str, Any], topic: str, text: str, where: str) -> Question:
    if "factor" in value:
        factor, outcome = _text(value, "factor", where), _text(value, "outcome", where)
    else:
        effect = _EFFECT.fullmatch(text.strip())
        if effect is None:
            raise SurveyError(
                f"{where}: 'task_question' must be 'How much does X affect Y according to this "
                f"person?', got {text!r}. Word it so, or give the columns 'factor' and 'outcome'"
            )
        factor, outcome = effect["factor"], effect["outcome"]
    return Question(
        question_id=str(value.get("question_id") or sign_question_id(topic, factor, outcome)),
        topic=topic,
        task="bsi",
        text=text,
        scale=SIGN_SCALE,
        factor=factor,
        outcome=outcome,
    )


def _role(value: Mapping[str, Any], parent: str, guide: Guide, where: str) -> Role:
    if "role" in value:
        role: Role = value["role"]
        if role not in get_args(Role):
            raise SurveyError(
                f"{where}: 'role' {role!r} is not known. {suggestions(str(role), get_args(Role))}"
            )
        return role
    if parent not in guide.roles:
        raise SurveyError(
            f"{where}: the role of question {parent!r} is not in {guide.source}. "
            f"{suggestions(parent, guide.roles)} Correct 'question_id', or give the column 'role' "
            f"({', '.join(get_args(Role))})"
        )
    return guide.roles[parent]


def _scale(value: Any, where: str) -> Scale:
    if isinstance(value, dict):
        return Scale(**value)
    if (
        not isinstance(value, list)
        or len(value) != 2
        or not all(isinstance(end, int) and not isinstance(end, bool) for end in value)
    ):
        raise SurveyError(
            f"{where}: 'scale' must be the least and the greatest answer, as [1, 10], got {value!r}"
        )
    return Scale.between(*value)


def _text(value: Mapping[str, Any], key: str, where: str) -> str:
    found = value.get(key)
    if not isinstance(found, str) or not found.strip():
        raise SurveyError(f"{where}: {key!r} must be text that is not empty, got {found!r}")
    return found
