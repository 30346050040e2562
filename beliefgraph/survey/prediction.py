"""The one protocol of everything that answers items, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from pydantic import Field, model_validator

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.graph import Evidence
from beliefgraph.records import Record
from beliefgraph.survey.items import Item, Person
from beliefgraph.survey.scale import Scale

__all__ = ["FittablePredictor", "Prediction", "Predictor"]


class Prediction(Record):
    """An answer to an item: a value, a distribution over the scale, or why there is none."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    value: int | None = None
    """One of the scale's points; None where no answer could be given."""
    distribution: tuple[float, ...] | None = None
    """Probability of every point of the scale, in order, where the predictor has one."""
    evidence: tuple[Evidence, ...] = ()
    """The quotes behind the answer."""
    explanation: str | None = None
    """What moved, and by which influences."""
    could_not: str | None = None
    """Why there is no answer."""
    details: dict[str, Any] = Field(default_factory=dict)
    """Whatever else the predictor keeps for its user (tokens, intermediate values)."""

    @model_validator(mode="after")
    def _value_or_reason(self) -> Self:
        if (self.value is None) == (self.could_not is None):
            raise SurveyError(
                "a prediction has either a value or the reason why there is none, got "
                f"value {self.value!r} and could_not {self.could_not!r}"
            )
        if self.distribution is not None and (
            min(self.distribution) < 0 or not isclose(sum(self.distribution), 1, abs_tol=1e-6)
        ):
            raise SurveyError(
                f"a distribution must be non-negative and sum to 1, got {self.distribution}"
            )
        return self

    def explain(self) -> str:
        """Say what the answer rests on, with the quotes, and what would have changed it.

        Examples
        --------
        >>> print(Prediction(could_not="the interview is empty").explain())
        no answer: the interview is empty
        """
        if self.could_not is not None:
            return f"no answer: {self.could_not}"
        lines = [f"{self.value}: {self.explanation or 'the predictor says nothing of why'}"]
        lines += [f'  turn {each.qa_id}: "{each.quote}"' for each in self.evidence]
        return "\n".join(lines)

    def check(self, scale: Scale, where: str) -> Self:
        """Return the prediction, where it fits a scale.

        Raises
        ------
        SurveyError
            The value is none of the points, or the distribution has another length.
        """
        if self.value is not None:
            scale.check(self.value, where)
        if self.distribution is not None and len(self.distribution) != len(scale.points):
            raise SurveyError(
                f"{where}: a distribution over {scale} needs {len(scale.points)} probabilities, "
                f"got {len(self.distribution)}"
            )
        return self


@runtime_checkable
class Predictor(Protocol):
    """Anything that answers items: the graph, a baseline, a language model."""

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    @property
    def settings(self) -> dict[str, Any]:
        """Everything that shapes its answers, as JSON values; every run holds it."""
        ...

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer an item.

        Parameters
        ----------
        item
            The question, and the interview that may be read.
        person
            What the protocol allows to be known of the person.
        """
        ...


@runtime_checkable
class FittablePredictor(Predictor, Protocol):
    """A predictor that learns from other people, where the protocol allows it."""

    def fit(self, people: Sequence[Person]) -> Predictor:
        """Return a predictor fitted to these people's responses; itself it does not change."""
        ...
