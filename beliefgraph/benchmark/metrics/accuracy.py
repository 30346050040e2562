"""Right, nearly right, and how far off: accuracies and the mean absolute error."""

from __future__ import annotations

import numpy as np

from beliefgraph.benchmark.metrics.metric import BDU, Parts, SumMetric, bdu_items, bsi_items, means
from beliefgraph.benchmark.metrics.table import BoolArray, FloatArray, OutcomeTable
from beliefgraph.benchmark.metrics.variant import Variant
from beliefgraph.survey import Task

__all__ = ["METRICS", "five_point_factor", "within_tolerance"]

_HUGAGENT = "HugAgent (arXiv 2510.15144), published scorer"
_EVERY: tuple[Task, ...] = ("bsi", *BDU)


def within_tolerance(table: OutcomeTable, variant: Variant) -> BoolArray:
    """Say which predictions are within tolerance of an answer that counts."""
    allowed = table.tolerance if variant.tolerance is None else variant.tolerance
    return table.answered & (table.error <= allowed)


def five_point_factor(table: OutcomeTable, variant: Variant) -> FloatArray:
    """Return what turns a distance on each item's scale into one on five points.

    Published: a half for ten points. Everywhere else, and in the linear reading, 4 / range, so
    that ends fall onto ends (`Scale.in_five`): 4/9 for ten points, 1 for five.
    """
    linear: FloatArray = 4 / (table.high - table.low)
    halved = (variant.mae == "halved") & (table.n_points == 10)
    return np.where(halved, 0.5, linear)


def _bsi_acc(table: OutcomeTable, variant: Variant) -> Parts:
    right = table.answered & (table.error == 0)
    return means(bsi_items(table, variant), right.astype(float), 100)


def _bdu_acc(table: OutcomeTable, variant: Variant) -> Parts:
    hits = within_tolerance(table, variant).astype(float)
    return means(bdu_items(table, variant), hits, 100)


def _bdu_exact(table: OutcomeTable, variant: Variant) -> Parts:
    right = table.answered & (table.error == 0)
    return means(bdu_items(table, variant), right.astype(float), 100)


def _bdu_mae(table: OutcomeTable, variant: Variant) -> Parts:
    return means(bdu_items(table, variant), table.error * five_point_factor(table, variant))


def _bdu_mae_linear(table: OutcomeTable, variant: Variant) -> Parts:
    return _bdu_mae(table, variant.replace(mae="linear"))


def _no_answer_rate(table: OutcomeTable, variant: Variant) -> Parts:
    # what "exclude" leaves out must still be seen here
    seen = variant.replace(unparsed="wrong")
    rows = bsi_items(table, seen) | bdu_items(table, seen)
    return means(rows, (~table.answered).astype(float), 100)


METRICS = (
    SumMetric(
        name="bsi_acc",
        title="BSI accuracy",
        formula="mean [p = y]; where two answers count, either",
        source=_HUGAGENT,
        direction="higher",
        low=0,
        high=100,
        best=100,
        unit="percent",
        tasks=("bsi",),
        needs="BSI items",
        measure=_bsi_acc,
    ),
    SumMetric(
        name="bdu_acc",
        title="BDU accuracy within tolerance",
        formula="mean [abs(p - y) <= tolerance], stance and reason items together",
        source=_HUGAGENT,
        direction="higher",
        low=0,
        high=100,
        best=100,
        unit="percent",
        tasks=BDU,
        needs="BDU items",
        measure=_bdu_acc,
    ),
    SumMetric(
        name="bdu_exact",
        title="BDU exact accuracy",
        formula="mean [p = y]",
        source="share correct",
        direction="higher",
        low=0,
        high=100,
        best=100,
        unit="percent",
        tasks=BDU,
        needs="BDU items",
        measure=_bdu_exact,
    ),
    SumMetric(
        name="bdu_mae",
        title="BDU mean absolute error",
        formula="mean f abs(p - y); f = 1/2 on ten points (linear: 4/9), else 4 / range",
        source=_HUGAGENT,
        direction="lower",
        low=0,
        high=4.5,
        best=0,
        unit="points of five",
        tasks=BDU,
        needs="BDU items",
        measure=_bdu_mae,
    ),
    SumMetric(
        name="bdu_mae_linear",
        title="BDU mean absolute error, linear reading",
        formula="mean 4 / range abs(p - y), whatever the variant: 4/9 on ten points",
        source="Scale.in_five",
        direction="lower",
        low=0,
        high=4,
        best=0,
        unit="points of five",
        tasks=BDU,
        needs="BDU items",
        measure=_bdu_mae_linear,
    ),
    SumMetric(
        name="no_answer_rate",
        title="items without an answer",
        formula="mean [no value was predicted], all items",
        source="share",
        direction="lower",
        low=0,
        high=100,
        best=0,
        unit="percent",
        tasks=_EVERY,
        needs="items",
        measure=_no_answer_rate,
    ),
)
