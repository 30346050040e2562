"""What is asked, of whom, and what was answered.

An item shows a predictor a question and the interview it may read (`Item.context`), never the
answer: answers stand in an `ItemSet`, and reach a predictor only as the `responses` of a `Person`
that a protocol allows it to see.
"""

from __future__ import annotations

from typing import ClassVar, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.records import Record
from beliefgraph.survey.scale import SIGN_SCALE, Scale
from beliefgraph.transcript import Transcript

__all__ = ["Item", "Person", "Question", "Response", "Role", "Task"]

Task: TypeAlias = Literal["bsi", "bdu_stance", "bdu_reason"]
"""Belief state inference (a sign); belief dynamics update of the stance, or of a reason weight."""
Role: TypeAlias = Literal["baseline", "scenario", "experience"]
"""Before any scenario; after one; about what the person has lived through."""


class Question(Record):
    """One question of a survey, or of the sign of one effect (`bsi`)."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    question_id: str = Field(min_length=1)
    """Its name in the survey."""
    topic: str
    """What it is about; a person has one interview a topic."""
    task: Task
    """What kind of answer it asks for."""
    role: Role = "baseline"
    """When it was asked; sign questions are `baseline`."""
    text: str
    """The question as it is put to a predictor."""
    scale: Scale
    """The answers it allows."""
    scenario_id: str | None = None
    """Question of the scenario that it follows, or that it is; None for `baseline`."""
    scenario: str | None = None
    """What the scenario says, without the question."""
    reason_code: str | None = None
    """Name of the reason, for a reason's weight."""
    reason: str | None = None
    """The reason itself, for a reason's weight."""
    factor: str | None = None
    """What has the effect, for a sign."""
    outcome: str | None = None
    """What the effect is on, for a sign."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.task == "bsi" and self.scale.points != SIGN_SCALE.points:
            raise SurveyError(
                f"question {self.question_id!r}: a sign is asked on {SIGN_SCALE}, got {self.scale}"
            )
        if self.task == "bdu_reason" and not (self.reason_code or self.reason):
            raise SurveyError(f"question {self.question_id!r} weighs a reason and names none")
        return self


class Item(Record):
    """A question about one person, with the interview that may be read to answer it."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    item_id: str = Field(min_length=1)
    """Unique among the items."""
    participant: str = Field(min_length=1)
    """Pseudonym of the person."""
    question: Question
    """What is asked."""
    context: Transcript
    """The interview as this item shows it, without the answer that it hides."""

    @property
    def topic(self) -> str:
        """Topic of the question."""
        return self.question.topic

    @property
    def scale(self) -> Scale:
        """Scale of the answer."""
        return self.question.scale

    def __repr__(self) -> str:
        return f"<Item {self.item_id!r}: {self.question.task}, {self.participant}, {self.topic}>"

    __str__ = __repr__


class Response(Record):
    """A question and what the person answered."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    question: Question
    """What was asked."""
    values: tuple[int, ...] = Field(min_length=1)
    """The answer; two values where either counts as right ("A/B")."""
    context: Transcript | None = None
    """The interview as the item showed it; None where only the answer is given."""

    @model_validator(mode="after")
    def _on_scale(self) -> Self:
        for value in self.values:
            self.question.scale.check(value, f"response to {self.question.question_id!r}")
        return self

    @property
    def value(self) -> int:
        """The answer; the first where two count."""
        return self.values[0]


class Person(Record):
    """What may be known of one person: demographics, interviews by topic, own answers."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    participant: str = Field(min_length=1)
    """Pseudonym."""
    demographics: dict[str, str] = Field(default_factory=dict)
    """As the file states them."""
    transcripts: dict[str, Transcript] = Field(default_factory=dict)
    """Interviews by topic."""
    responses: tuple[Response, ...] = ()
    """Own answers; for the person to be predicted, only those that the protocol gives."""

    def stance(self, topic: str) -> int | None:
        """Return the person's own baseline stance on a topic; None where it is not known."""
        for response in self.responses:
            question = response.question
            if (question.topic, question.task, question.role) == (topic, "bdu_stance", "baseline"):
                return response.value
        return None

    def __repr__(self) -> str:
        return (
            f"<Person {self.participant!r}: {len(self.transcripts)} interviews, "
            f"{len(self.responses)} responses>"
        )

    __str__ = __repr__
