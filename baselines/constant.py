"""Predictors that read nothing of the interview: constants, chance, and the answer from before.

`majority`, `random` and `mid-scale` use nobody's answers; `majority` is the constant of HugAgent's
leaderboard (A, 1). `persistence` gives the person's own earlier answer, where the protocol does.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from beliefgraph.survey import Item, Person, Prediction

__all__ = ["MajorityPredictor", "MidScalePredictor", "PersistencePredictor", "RandomPredictor"]


class MajorityPredictor:
    """Answers A (a positive effect) and 1, whatever is asked."""

    name = "majority"

    @property
    def settings(self) -> dict[str, Any]:
        """What it always answers."""
        return {"sign": "A", "scales": "the least point"}

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer with the constant."""
        return Prediction(value=item.scale.high if item.question.task == "bsi" else item.scale.low)


class MidScalePredictor:
    """Answers the middle of the scale (the lower of two), and A where a sign is asked."""

    name = "mid-scale"

    @property
    def settings(self) -> dict[str, Any]:
        """What it always answers."""
        return {"sign": "A", "scales": "the middle point, the lower of two"}

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer with the middle."""
        return Prediction(
            value=item.scale.high if item.question.task == "bsi" else item.scale.middle
        )


class RandomPredictor:
    """Draws every answer evenly from the scale, by the seed and the item's id alone."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    @property
    def settings(self) -> dict[str, Any]:
        """The seed."""
        return {"seed": self.seed}

    def predict(self, item: Item, person: Person) -> Prediction:
        """Draw a point; the distribution is even."""
        digest = hashlib.sha256(f"{self.seed} {item.item_id}".encode()).digest()
        rng = np.random.default_rng(int.from_bytes(digest[:8], "big"))
        points = item.scale.points
        return Prediction(
            value=points[int(rng.integers(len(points)))],
            distribution=(1 / len(points),) * len(points),
        )


class PersistencePredictor:
    """Answers as the person did before: nothing changes.

    A stance is the own baseline stance, a reason's weight the own earlier weight of that reason.
    Where the protocol does not give the earlier answer, there is no prediction.
    """

    name = "persistence"

    @property
    def settings(self) -> dict[str, Any]:
        """Nothing to set."""
        return {}

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer with the person's own earlier answer."""
        asked = item.question
        if asked.task == "bdu_stance" and (stance := person.stance(item.topic)) is not None:
            return Prediction(value=stance)
        if asked.task == "bdu_reason":
            for response in person.responses:
                known = response.question
                same = (known.topic, known.reason_code) == (asked.topic, asked.reason_code)
                if same and known.task == "bdu_reason" and known.role == "baseline":
                    return Prediction(value=response.value)
        return Prediction(could_not="the person's own earlier answer is not known")
