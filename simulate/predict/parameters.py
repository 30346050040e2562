"""The few global parameters of the graph predictor, and where they were fitted.

All are in units in which a scale spans [-1, 1]. None belongs to an item, a person or a topic. The
ones that ship were fitted on synthetic people by `benchmarks/fit_graph_predictor.py`.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import ClassVar

from pydantic import Field

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.records import Record

__all__ = ["AnswerParameters", "PredictorParameters", "SignParameters", "shipped_parameters"]


class AnswerParameters(Record):
    """How a graph becomes a stance and the weights of reasons, before and after a scenario."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    stance_start: float
    """Stance of a person whose graph says nothing."""
    stance_level: float
    """Per unit of the level read from the person's own statements, where it is sure."""
    stance_elsewhere: float
    """Per unit of the level that the person states on other topics, for one silent on this."""
    stance_trust: float
    """Per unit of what the person says of government on other topics (`Profile.trust`)."""
    acquiescence: float
    """Per unit of the plusses among the influences on other topics; on every answer."""
    stance_sd: float = Field(gt=0)
    """Spread around that."""
    stay: float = Field(ge=0, le=1)
    """Share of people who repeat their answer after a scenario."""
    openness: float = Field(ge=0, le=1)
    """Part of the old answer that the others evaluate anew."""
    pull: float
    """Where a stance that is evaluated anew tends to, whatever the scenario."""
    effect: float
    """Per unit of the stance shift that the graph predicts for the scenario."""
    effect_pooled: float
    """Per unit of the shift through concepts of which only other people have spoken."""
    after_sd: float = Field(gt=0)
    """Spread of an answer that is evaluated anew."""
    experience_start: float
    """Answer to a question about experiences that says nothing of the stance."""
    experience_stance: float
    """Per unit of the stance, with the question's polarity."""
    experience_stay: float = Field(ge=0, le=1)
    """Share of people who answer a favourable question about experiences as they did the stance."""
    experience_sd: float = Field(gt=0)
    """Spread around that."""
    reason_start: float
    """Weight of a reason that the interview never touches."""
    reason_known: float
    """More of that where the graph holds a concept that the reason speaks of."""
    reason_size: float
    """Per unit of the size of that concept's effect on the stance."""
    reason_stance: float
    """Per unit of the stance, with the reason's polarity: people grant more to what they want."""
    reason_valued: float
    """Per unit of the concern, on other topics, for the values that the reason speaks of."""
    reason_moved: float
    """Per unit by which a scenario makes the reason's statement more or less true."""
    reason_sd: float = Field(gt=0)
    """Spread around that."""


class SignParameters(Record):
    """Log-odds that an effect on the stance is positive."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    start: float
    """Of a factor that the graph does not know."""
    near: float
    """Per unit of the effect of the nearest concepts, polarity tied."""
    net: float
    """Per unit of the balance of the person's reasons."""
    crowd: float
    """Per unit of the effect, for other people, of the nearest of their concepts; on top."""


class PredictorParameters(Record):
    """Everything the graph predictor was fitted with."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    answers: AnswerParameters
    """Stance and reasons."""
    signs: SignParameters
    """Signs of effects."""
    fitted_on: str
    """On whom."""
    intervals: dict[str, tuple[float, float]] = Field(default_factory=dict)
    """95% intervals over people, by the parameter's name."""


@lru_cache(maxsize=1)
def shipped_parameters() -> PredictorParameters:
    """Return the parameters that ship with the package."""
    text = resources.files("beliefgraph.simulate.predict").joinpath("graph_predictor.json")
    return PredictorParameters.model_validate_json(text.read_text(encoding="utf-8"))
