"""Answers on one common footing: standardised within their question, and back onto its scale.

An answer is first mapped to 0..1 by the ends of its scale, then centred and divided by the spread
of all answers to the same question. Few answers say little of a question's mean and spread, so both
are drawn towards those of the wider group (the same kind and role on the topic, then the same kind
anywhere, then an even answer: mean 1/2, variance 1/12) as if that group held one more answer, or
two for the variance. Signs have no question in common; their group is the topic's signs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from scipy.special import ndtr

from beliefgraph.survey import Person, Prediction, Question, Response, Scale

__all__ = ["AnswerScales", "clear_responses", "question_key"]

Key: TypeAlias = tuple[str, ...]

_EVEN: Final = (0.5, 1 / 12)
"""Mean and variance of an answer of which nothing is known."""
_MEAN_WEIGHT: Final = 1
_VARIANCE_WEIGHT: Final = 2


def question_key(question: Question) -> Key:
    """Return what a question has in common with the same question put to others."""
    if question.task == "bsi":
        return ("bsi", question.topic)
    return (question.task, question.topic, question.role, question.question_id)


def clear_responses(person: Person) -> list[Response]:
    """Return the answers that are one point: where two count, there is nothing to fit to."""
    return [response for response in person.responses if len(response.values) == 1]


@dataclass(frozen=True)
class AnswerScales:
    """Mean and variance of the answers to every question, on 0..1.

    Examples
    --------
    >>> from beliefgraph.survey import Scale
    >>> asked = Question(
    ...     question_id="q", topic="parks", task="bdu_stance", text="?", scale=Scale.between(1, 5)
    ... )
    >>> known = AnswerScales.of(Response(question=asked, values=(v,)) for v in (1, 3, 5))
    >>> round(known.standardise(asked, 3), 3), known.predict(asked, 0.0, 0.5).value
    (0.0, 3)
    """

    known: dict[Key, tuple[float, float]]

    @classmethod
    def of(cls, responses: Iterable[Response]) -> AnswerScales:
        """Take mean and variance of the answers to each question and group of questions."""
        found: dict[Key, list[float]] = {}
        for response in responses:
            value = _unit(response.question.scale, response.value)
            for key in _keys(response.question):
                found.setdefault(key, []).append(value)
        known: dict[Key, tuple[float, float]] = {}
        for key in sorted(found, key=len):  # a wider group has a shorter key
            wider = (key[:n] for n in range(len(key) - 1, 0, -1))
            prior = next((known[k] for k in wider if k in known), _EVEN)
            known[key] = _shrunk(np.array(found[key]), *prior)
        return cls(known)

    def standardise(self, question: Question, value: int) -> float:
        """Return how far an answer lies from the question's mean, in spreads."""
        mean, variance = self._of(question)
        return float((_unit(question.scale, value) - mean) / np.sqrt(variance))

    def predict(self, question: Question, z: float, spread: float) -> Prediction:
        """Turn a standardised answer into a prediction on the question's scale.

        Parameters
        ----------
        z
            The expected answer, standardised.
        spread
            Its standard deviation, standardised: of what the predictor gets wrong in cross-
            validation.

        Returns
        -------
        Prediction
            The point nearest to the expected answer. The distribution is normal, cut at the
            middles between points; for a sign the expected answer is the probability of a plus,
            kept within 0.02..0.98.
        """
        mean, variance = self._of(question)
        scale, expected = question.scale, mean + z * np.sqrt(variance)
        if question.task == "bsi":
            positive = float(np.clip(expected, 0.02, 0.98))
            return Prediction(
                value=scale.high if positive >= 0.5 else scale.low,
                distribution=(1 - positive, positive),
            )
        units = np.array([_unit(scale, point) for point in scale.points])
        cuts = (units[1:] + units[:-1]) / 2
        below = ndtr((cuts - expected) / max(spread * np.sqrt(variance), 1e-3))
        mass = np.diff(np.concatenate([[0.0], below, [1.0]]))
        return Prediction(
            value=scale.points[int(np.abs(units - expected).argmin())],
            distribution=tuple(float(p) for p in mass / mass.sum()),
        )

    def _of(self, question: Question) -> tuple[float, float]:
        return next((self.known[k] for k in _keys(question) if k in self.known), _EVEN)


def _keys(question: Question) -> list[Key]:
    """Return the groups that a question belongs to, narrowest first."""
    key = question_key(question)
    groups = [key]
    if question.task != "bsi":
        groups.append(key[:3])
    return [*groups, key[:1]]


def _unit(scale: Scale, value: int) -> float:
    return (value - scale.low) / (scale.high - scale.low)


def _shrunk(values: np.ndarray, mean: float, variance: float) -> tuple[float, float]:
    n = len(values)
    centre = (values.sum() + _MEAN_WEIGHT * mean) / (n + _MEAN_WEIGHT)
    squares = np.sum((values - centre) ** 2)
    return float(centre), float((squares + _VARIANCE_WEIGHT * variance) / (n + _VARIANCE_WEIGHT))
