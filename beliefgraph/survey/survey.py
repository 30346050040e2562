"""A survey: per topic a stance question, reasons that are weighed, scenarios, experiences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Self

from pydantic import Field, model_validator

from beliefgraph.errors import BeliefGraphError, SurveyError, suggestions
from beliefgraph.records import Record
from beliefgraph.survey.items import Question, Role, Task
from beliefgraph.survey.scale import Scale

__all__ = ["Survey", "SurveyQuestion", "SurveyScenario", "SurveyTopic"]

Range = tuple[int, int]


class SurveyQuestion(Record):
    """A question with a scale of its own."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    id: str = Field(min_length=1)
    """Its name, unique in the survey."""
    text: str = Field(min_length=1)
    """What is asked."""
    scale: Range = (1, 10)
    """Least and greatest answer."""


class SurveyScenario(SurveyQuestion):
    """What if: a text, after which stance and reasons are asked again."""

    scenario: str = Field(min_length=1)
    """What is said to happen, without the question."""
    reasons: tuple[str, ...] = ()
    """Codes of the reasons that are weighed again."""


class SurveyTopic(Record):
    """What is asked about one topic."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    topic: str = Field(min_length=1)
    """Its name, as transcripts carry it."""
    stance: SurveyQuestion
    """The question of support or opposition."""
    reasons: dict[str, str] = Field(default_factory=dict)
    """Every reason by its code."""
    reason_scale: Range = (1, 5)
    """Least and greatest weight of a reason."""
    reason_text: str = "How much does this reason influence your stance?"
    """How a reason's weight is asked."""
    baseline_reasons: tuple[str, ...] | None = None
    """Codes weighed before any scenario; None for all."""
    scenarios: tuple[SurveyScenario, ...] = ()
    """What follows, in order."""
    experience: tuple[SurveyQuestion, ...] = ()
    """Questions about what the person has lived through."""

    @model_validator(mode="after")
    def _known_codes(self) -> Self:
        lists = {"baseline_reasons": self.baseline_reasons or ()}
        lists |= {f"scenario {s.id!r}": s.reasons for s in self.scenarios}
        for where, codes in lists.items():
            for code in codes:
                if code not in self.reasons:
                    raise SurveyError(
                        f"topic {self.topic!r}, {where}: no reason has the code {code!r}. "
                        f"{suggestions(code, self.reasons)}"
                    )
        return self

    def questions(self) -> Iterator[Question]:
        """Yield every question: the stance, its reasons, experiences, scenarios with reasons."""
        yield self._ask(self.stance, "bdu_stance", "baseline")
        codes = self.reasons if self.baseline_reasons is None else self.baseline_reasons
        yield from (self._weigh(self.stance.id, code, "baseline") for code in codes)
        yield from (self._ask(each, "bdu_stance", "experience") for each in self.experience)
        for each in self.scenarios:
            yield self._ask(each, "bdu_stance", "scenario", each)
            yield from (self._weigh(each.id, code, "scenario", each) for code in each.reasons)

    def _ask(
        self, asked: SurveyQuestion, task: Task, role: Role, after: SurveyScenario | None = None
    ) -> Question:
        text = f"{after.scenario} {asked.text}" if after else asked.text
        return Question(
            question_id=asked.id,
            topic=self.topic,
            task=task,
            role=role,
            text=text,
            scale=Scale.between(*asked.scale),
            scenario_id=after.id if after else None,
            scenario=after.scenario if after else None,
        )

    def _weigh(
        self, parent: str, code: str, role: Role, after: SurveyScenario | None = None
    ) -> Question:
        start = f"{after.scenario} " if after else ""
        return Question(
            question_id=f"{parent}r_{code}",
            topic=self.topic,
            task="bdu_reason",
            role=role,
            text=f"{start}{self.reason_text} {self.reasons[code]}",
            scale=Scale.between(*self.reason_scale),
            scenario_id=after.id if after else None,
            scenario=after.scenario if after else None,
            reason_code=code,
            reason=self.reasons[code],
        )


class Survey(Record):
    """The survey of a study."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    name: str = "survey"
    """What the study is called."""
    topics: tuple[SurveyTopic, ...] = Field(min_length=1)
    """In the order they are asked."""

    @model_validator(mode="after")
    def _unique(self) -> Self:
        seen: set[str] = set()
        for question in self.questions():
            if question.question_id in seen:
                raise SurveyError(
                    f"survey {self.name!r}: two questions have the id {question.question_id!r}; "
                    "ids are unique over all topics"
                )
            seen.add(question.question_id)
        return self

    def questions(self) -> Iterator[Question]:
        """Yield every question of every topic."""
        for topic in self.topics:
            yield from topic.questions()

    def topic(self, name: str) -> SurveyTopic:
        """Return a topic by its name.

        Raises
        ------
        SurveyError
            There is none of that name; suggests the nearest.
        """
        for topic in self.topics:
            if topic.topic == name:
                return topic
        known = [topic.topic for topic in self.topics]
        raise SurveyError(f"no topic is called {name!r}. {suggestions(name, known)}")
