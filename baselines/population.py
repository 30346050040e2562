"""What other people answered to the same question: the median, or the mean rounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median_low
from typing import Any, Final

import numpy as np

from beliefgraph.survey import Item, Person, Prediction, Predictor, Question

__all__ = ["PopulationPredictor"]

_CENTRES: Final[dict[str, Callable[[Sequence[int]], int]]] = {
    "median": median_low,
    "mean": lambda values: round(fmean(values)),
}
Group = tuple[object, ...]


@dataclass(frozen=True)
class PopulationPredictor:
    """Answers with the centre of other people's answers to the same question.

    Where nobody else answered the question, the answers to questions of the same kind and role on
    the topic are taken, then of the same kind anywhere. A sign is the more frequent one in the
    topic. The distribution is the share of each answer, with one answer more for every point.

    Parameters
    ----------
    centre
        "median" (the lower of two) or "mean" (rounded).
    """

    centre: str = "median"
    answers: dict[Group, tuple[int, ...]] = field(default_factory=dict, repr=False)
    """Other people's answers by group of questions; empty until fitted."""

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"population-{self.centre}"

    @property
    def settings(self) -> dict[str, Any]:
        """The centre."""
        return {"centre": self.centre}

    def fit(self, people: Sequence[Person]) -> Predictor:
        """Return a predictor that knows these people's answers."""
        found: dict[Group, list[int]] = {}
        for person in people:
            for response in person.responses:
                for group in _groups(response.question):
                    found.setdefault(group, []).extend(response.values)
        return PopulationPredictor(self.centre, {k: tuple(v) for k, v in found.items()})

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer with the centre of the nearest group that others answered."""
        points = item.scale.points
        for group in _groups(item.question):
            if values := self.answers.get(group):
                counts = np.array([1 + values.count(point) for point in points], dtype=float)
                if item.question.task == "bsi":
                    centre = points[int(counts[1] >= counts[0])]
                else:
                    centre = _CENTRES[self.centre](values)
                return Prediction(value=centre, distribution=tuple(counts / counts.sum()))
        return Prediction(could_not="nobody else's answers are known")


def _groups(question: Question) -> list[Group]:
    """Return the groups of questions to look in, nearest first."""
    points, task = question.scale.points, question.task
    wider: list[Group] = [(points, task, question.topic, question.role), (points, task)]
    return wider if task == "bsi" else [(points, task, question.question_id), *wider]
