"""Outcomes as columns: built once, so that every metric is a few array operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from typing import Final, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from beliefgraph.benchmark.run import Outcome
from beliefgraph.errors import SurveyError
from beliefgraph.survey import Role, Task

__all__ = ["BoolArray", "FloatArray", "IntArray", "OutcomeTable"]

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

_TASKS: Final[tuple[Task, ...]] = get_args(Task)
_ROLES: Final[tuple[Role, ...]] = get_args(Role)


@dataclass(frozen=True)
class OutcomeTable:
    """Outcomes as arrays of n rows, in the order of the outcomes."""

    participants: tuple[str, ...]
    """Pseudonyms in alphabetical order."""
    topics: tuple[str, ...]
    """Topics in alphabetical order."""
    participant: IntArray
    """Index into `participants`."""
    topic: IntArray
    """Index into `topics`."""
    task: IntArray
    role: IntArray
    golds: FloatArray
    """Shape (n, most answers that count); NaN beyond an item's own."""
    gold: FloatArray
    """The answer that counts: of several, the one nearest to the prediction."""
    predicted: FloatArray
    """NaN where no answer was given."""
    error: FloatArray
    """Distance to the nearest answer that counts, in points; the greatest possible one where no
    answer was given."""
    points: FloatArray
    """Shape (n, most points of a scale); NaN beyond an item's own."""
    tolerance: FloatArray
    """In points, as the item's scale has it."""
    distribution: FloatArray
    """Shape of `points`; a row of NaN where there is none."""
    previous_gold: FloatArray
    """For later stance items, the same participant's answer to the topic's baseline stance item;
    NaN for other items, and where it is not known or stands on another scale."""
    previous_predicted: FloatArray
    """What was predicted for that item; its true answer where it was given to the predictor and so
    never asked, NaN where no answer was predicted."""
    baseline: IntArray
    """Row of that item; -1 where it was not asked, -2 where it stands on another scale."""

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> OutcomeTable:
        """Build the table.

        Raises
        ------
        SurveyError
            There are no outcomes, an item stands twice, an answer or a distribution does not fit
            its scale, or a participant has two baseline stances on one topic.
        """
        if not outcomes:
            raise SurveyError("there are no outcomes to score; give those of a run")
        _check_unique(outcomes)
        for outcome in outcomes:
            _check(outcome)
        participants = sorted({o.participant for o in outcomes})
        topics = sorted({o.topic for o in outcomes})
        golds = _padded([o.gold for o in outcomes])
        predicted = _floats([np.nan if o.value is None else o.value for o in outcomes])
        points = _padded([o.scale.points for o in outcomes])
        # distance of every point of the scale to the nearest answer that counts
        far = np.nanmin(np.abs(points[:, :, None] - golds[:, None, :]), axis=2, initial=np.inf)
        worst = np.max(far, axis=1, where=~np.isnan(points), initial=0.0)
        away = np.where(np.isnan(golds), np.inf, np.abs(golds - predicted[:, None]))
        answered = ~np.isnan(predicted)
        away[~answered] = 0.0  # the first answer counts
        nearest = away.argmin(axis=1)
        rows = np.arange(len(outcomes))
        gold = golds[rows, nearest]
        baseline = _baselines(outcomes)
        asked = baseline >= 0
        given = np.where(baseline == -1, _floats([_given(o) for o in outcomes]), np.nan)
        return cls(
            participants=tuple(participants),
            topics=tuple(topics),
            participant=_codes([o.participant for o in outcomes], participants),
            topic=_codes([o.topic for o in outcomes], topics),
            task=_codes([o.task for o in outcomes], _TASKS),
            role=_codes([o.role for o in outcomes], _ROLES),
            golds=golds,
            gold=gold,
            predicted=predicted,
            error=np.where(answered, away[rows, nearest], worst),
            points=points,
            tolerance=_floats([o.scale.tolerance for o in outcomes]),
            distribution=_padded([o.distribution or () for o in outcomes], points.shape[1]),
            previous_gold=np.where(asked, gold[baseline], given),
            previous_predicted=np.where(asked, predicted[baseline], given),
            baseline=baseline,
        )

    def __len__(self) -> int:
        return len(self.participant)

    @property
    def answered(self) -> BoolArray:
        """Whether an answer was given."""
        return ~np.isnan(self.predicted)

    @property
    def has_distribution(self) -> BoolArray:
        """Whether the predictor gave probabilities."""
        return ~np.isnan(self.distribution[:, 0])

    @property
    def low(self) -> FloatArray:
        """Least point of each item's scale."""
        return self.points[:, 0]

    @property
    def high(self) -> FloatArray:
        """Greatest point of each item's scale."""
        greatest: FloatArray = np.nanmax(self.points, axis=1)
        return greatest

    @property
    def n_points(self) -> IntArray:
        """Number of points of each item's scale."""
        n: IntArray = np.sum(~np.isnan(self.points), axis=1)
        return n

    def is_task(self, *tasks: Task) -> BoolArray:
        """Say which items are of one of the tasks."""
        return np.isin(self.task, [_TASKS.index(task) for task in tasks])

    def is_role(self, role: Role) -> BoolArray:
        """Say which items were asked in a role."""
        asked: BoolArray = self.role == _ROLES.index(role)
        return asked

    def in_five(self, values: FloatArray) -> FloatArray:
        """Map values of every row linearly onto 1..5, as `Scale.in_five` does."""
        five: FloatArray = 1 + 4 * (values - self.low) / (self.high - self.low)
        return five


def _check_unique(outcomes: Sequence[Outcome]) -> None:
    item_id, n = Counter(o.item_id for o in outcomes).most_common(1)[0]
    if n > 1:
        raise SurveyError(f"item {item_id!r} stands {n} times among the outcomes; score one run")


def _check(outcome: Outcome) -> None:
    where = f"outcome of item {outcome.item_id!r}"
    for value in outcome.gold:
        outcome.scale.check(value, f"{where}: the answer")
    if outcome.value is not None:
        outcome.scale.check(outcome.value, f"{where}: the prediction")
    given = outcome.distribution
    if given is None:
        return
    if len(given) != len(outcome.scale.points):
        raise SurveyError(
            f"{where}: a distribution over {outcome.scale} needs {len(outcome.scale.points)} "
            f"probabilities, got {len(given)}"
        )
    if min(given) < 0 or not isclose(sum(given), 1, abs_tol=1e-6):
        raise SurveyError(f"{where}: a distribution must be non-negative and sum to 1, got {given}")


def _baselines(outcomes: Sequence[Outcome]) -> IntArray:
    known: dict[tuple[str, str], int] = {}
    for row, outcome in enumerate(outcomes):
        if outcome.task == "bdu_stance" and outcome.role == "baseline":
            key = (outcome.participant, outcome.topic)
            if key in known:
                raise SurveyError(
                    f"participant {outcome.participant!r} has two baseline stances on "
                    f"{outcome.topic!r}: items {outcomes[known[key]].item_id!r} and "
                    f"{outcome.item_id!r}; change is measured from one"
                )
            known[key] = row
    rows = np.full(len(outcomes), -1, dtype=np.int64)
    for row, outcome in enumerate(outcomes):
        if outcome.task == "bdu_stance" and outcome.role != "baseline":
            base = known.get((outcome.participant, outcome.topic), -1)
            same = base < 0 or outcomes[base].scale.points == outcome.scale.points
            rows[row] = base if same else -2
    return rows


def _given(outcome: Outcome) -> float:
    """Return the baseline that a later stance item brings along; NaN where there is none."""
    later = outcome.task == "bdu_stance" and outcome.role != "baseline"
    if later and outcome.previous in outcome.scale.points:
        return float(outcome.previous)
    return np.nan


def _codes(values: Sequence[str], known: Sequence[str]) -> IntArray:
    index = {name: i for i, name in enumerate(known)}
    return np.array([index[value] for value in values], dtype=np.int64)


def _floats(values: Sequence[float]) -> FloatArray:
    return np.array(values, dtype=np.float64)


def _padded(rows: Sequence[Sequence[float]], width: int | None = None) -> FloatArray:
    table = np.full((len(rows), width or max(map(len, rows))), np.nan)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table
