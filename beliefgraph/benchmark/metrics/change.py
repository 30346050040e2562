"""Change of stance: whether there is one, and which way.

A pair is a later stance item (after a scenario, or about experience) and the baseline stance of
the same participant and topic. With golds y, y0 and predictions p, p0, `dy = y - y0` and
`dp = p - p0`; in the variant with the true previous value, and where the baseline was given to the
predictor and so never asked, `dp = p - y0`. A pair with no prediction to take `dp` from is wrong:
in detection, and in direction where the person did change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from beliefgraph.benchmark.metrics.metric import Parts, SumMetric, bdu_items, divide
from beliefgraph.benchmark.metrics.table import BoolArray, FloatArray, IntArray, OutcomeTable
from beliefgraph.benchmark.metrics.variant import Variant
from beliefgraph.benchmark.run import Outcome

__all__ = ["LAMBDA", "METRICS", "change_confusion"]

LAMBDA = 0.3
"""Weight of detection in the directional accuracy; direction has the rest."""
_HUGAGENT = "HugAgent (arXiv 2510.15144), published scorer"
_CLASSES = ("down", "same", "up")


@dataclass(frozen=True)
class _Pairs:
    rows: IntArray
    """Row of the later item."""
    true: FloatArray
    """Sign of the change."""
    predicted: FloatArray
    """Sign of the predicted change; NaN where there is no prediction."""

    @property
    def detected(self) -> BoolArray:
        right: BoolArray = (self.true == 0) == (self.predicted == 0)
        return right & ~np.isnan(self.predicted)

    @property
    def both_changed(self) -> BoolArray:
        """Includes pairs without a prediction, which cannot be right."""
        both: BoolArray = (self.true != 0) & (self.predicted != 0)
        return both

    @property
    def same_sign(self) -> BoolArray:
        same: BoolArray = self.true == self.predicted
        return self.both_changed & same


def _pairs(table: OutcomeTable, variant: Variant) -> _Pairs:
    true = variant.previous == "true"
    previous = table.previous_gold if true else table.previous_predicted
    chosen = bdu_items(table, variant) & ~np.isnan(table.previous_gold)
    if variant.unparsed == "exclude":
        chosen &= ~np.isnan(previous)
    rows = np.flatnonzero(chosen)
    return _Pairs(
        rows,
        np.sign(table.gold[rows] - table.previous_gold[rows]),
        np.sign(table.predicted[rows] - previous[rows]),
    )


def change_confusion(
    outcomes: Sequence[Outcome], variant: Variant | None = None
) -> dict[str, dict[str, int]]:
    """Count pairs by true change (outer) and predicted change (inner).

    Parameters
    ----------
    outcomes
        Those of one run.
    variant
        How they are counted; as published by default.

    Returns
    -------
    dict
        down, same and up; the inner one also has `no answer`.
    """
    table = OutcomeTable.of(outcomes)
    pairs = _pairs(table, variant or Variant())
    codes = np.where(np.isnan(pairs.predicted), 2, pairs.predicted)
    return {
        name: {
            other: int(np.sum((pairs.true == true) & (codes == predicted)))
            for predicted, other in enumerate((*_CLASSES, "no answer"), start=-1)
        }
        for true, name in enumerate(_CLASSES, start=-1)
    }


def _detection(table: OutcomeTable, variant: Variant) -> Parts:
    pairs = _pairs(table, variant)
    return Parts.dense(
        pairs.rows,
        [pairs.detected.astype(float)],
        lambda sums: 100 * divide(sums[..., 1], sums[..., 0]),
    )


def _direction(table: OutcomeTable, variant: Variant) -> Parts:
    pairs = _pairs(table, variant)
    both = pairs.both_changed
    return Parts.dense(
        pairs.rows[both],
        [pairs.same_sign[both].astype(float)],
        lambda sums: 100 * divide(sums[..., 1], sums[..., 0]),
    )


def _dir_acc(table: OutcomeTable, variant: Variant) -> Parts:
    pairs = _pairs(table, variant)
    columns = [pairs.detected, pairs.both_changed, pairs.same_sign]
    return Parts.dense(pairs.rows, [each.astype(float) for each in columns], _combine_dir_acc)


def _combine_dir_acc(sums: FloatArray) -> FloatArray:
    n, detected, changed, agreeing = np.moveaxis(sums, -1, 0)
    direction = np.where(changed > 0, divide(agreeing, changed), 0.0)
    return 100 * (LAMBDA * divide(detected, n) + (1 - LAMBDA) * direction)


def _macro_f1(table: OutcomeTable, variant: Variant) -> Parts:
    pairs = _pairs(table, variant)
    columns = []
    for sign in (-1, 0, 1):
        is_true, is_predicted = pairs.true == sign, pairs.predicted == sign
        columns += [is_true & is_predicted, is_true, is_predicted]
    return Parts.dense(pairs.rows, [each.astype(float) for each in columns], _combine_f1)


def _combine_f1(sums: FloatArray) -> FloatArray:
    hits, true, predicted = (sums[..., start::3] for start in (1, 2, 3))
    f1 = divide(2 * hits, true + predicted)
    occurs = true + predicted > 0
    return 100 * divide(np.where(occurs, f1, 0.0).sum(axis=-1), occurs.sum(axis=-1))


_PAIRS = "later stance items whose baseline stance is known on the same scale"

METRICS = (
    SumMetric(
        name="bdu_dir_acc",
        title="directional accuracy",
        formula="0.3 mean [(dy = 0) = (dp = 0)] + 0.7 mean over C of [sign dy = sign dp]; "
        "C: pairs with dy, dp != 0; second term 0 where C is empty",
        source=_HUGAGENT,
        direction="higher",
        low=0,
        high=100,
        best=100,
        unit="percent",
        tasks=("bdu_stance",),
        needs=_PAIRS,
        measure=_dir_acc,
    ),
    SumMetric(
        name="bdu_change_detection",
        title="change detection",
        formula="mean [(dy = 0) = (dp = 0)] over pairs",
        source=_HUGAGENT,
        direction="higher",
        low=0,
        high=100,
        best=100,
        unit="percent",
        tasks=("bdu_stance",),
        needs=_PAIRS,
        measure=_detection,
    ),
    SumMetric(
        name="bdu_direction",
        title="direction inference",
        formula="mean over C of [sign dy = sign dp]",
        source=_HUGAGENT,
        direction="higher",
        low=0,
        high=100,
        best=100,
        unit="percent",
        tasks=("bdu_stance",),
        needs="pairs in which both the stance and the prediction changed",
        measure=_direction,
    ),
    SumMetric(
        name="bdu_change_f1",
        title="macro-F1 of down, same, up",
        formula="mean over classes of 2 tp / (true + predicted); a class that neither has is out",
        source="van Rijsbergen 1979; averaged as scikit-learn's f1_score does",
        direction="higher",
        low=0,
        high=100,
        best=100,
        unit="percent",
        tasks=("bdu_stance",),
        needs=_PAIRS,
        measure=_macro_f1,
    ),
)
