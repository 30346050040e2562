"""Predicted distributions against what was answered, over the points of the scale.

Log score and CRPS are proper scoring rules (Gneiting and Raftery 2007). An item whose predictor
gave no distribution does not count for the metrics that need one.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from beliefgraph.benchmark.metrics.accuracy import five_point_factor
from beliefgraph.benchmark.metrics.metric import (
    BDU,
    Parts,
    SumMetric,
    bdu_items,
    bsi_items,
    divide,
    means,
)
from beliefgraph.benchmark.metrics.table import BoolArray, FloatArray, IntArray, OutcomeTable
from beliefgraph.benchmark.metrics.variant import Variant

__all__ = ["LOG_FLOOR", "METRICS", "gold_probability"]

LOG_FLOOR = 1e-6
"""Least probability in the log score: one item that was ruled out must not hide all others."""
_GNEITING = "Gneiting and Raftery 2007, JASA 102"


def gold_probability(table: OutcomeTable) -> FloatArray:
    """Return the probability of the answer; of several that count, their sum."""
    counts = (table.points[:, :, None] == table.golds[:, None, :]).any(axis=2)
    total: FloatArray = np.where(counts, table.distribution, 0.0).sum(axis=1)
    return np.where(table.has_distribution, total, np.nan)


def _log_score(
    rows: Callable[[OutcomeTable, Variant], BoolArray],
) -> Callable[[OutcomeTable, Variant], Parts]:
    def measure(table: OutcomeTable, variant: Variant) -> Parts:
        score = np.log(np.maximum(gold_probability(table), LOG_FLOOR))
        return means(rows(table, variant) & table.has_distribution, score)

    return measure


def _crps(table: OutcomeTable, variant: Variant) -> Parts:
    reached = np.cumsum(np.nan_to_num(table.distribution), axis=1)[:, :-1]
    gaps = np.nan_to_num(np.diff(table.points, axis=1))
    scores = np.full(table.golds.shape, np.inf)
    for column, gold in enumerate(table.golds.T):
        step = table.points[:, :-1] >= gold[:, None]
        score = np.sum(gaps * (reached - step) ** 2, axis=1)
        scores[:, column] = np.where(np.isnan(gold), np.inf, score)
    nearest = scores.min(axis=1) * five_point_factor(table, variant)
    return means(bdu_items(table, variant) & table.has_distribution, nearest)


def _jsd(table: OutcomeTable, variant: Variant) -> Parts:
    rows = np.flatnonzero(bdu_items(table, variant))
    kind = np.column_stack([table.task, np.nan_to_num(table.points, nan=-1e9)])[rows]
    kinds, group = np.unique(kind, axis=0, return_inverse=True)
    n_points = table.points.shape[1]
    width = n_points + 1  # the last place is for items without an answer

    def place(values: FloatArray) -> IntArray:
        at: IntArray = (table.points[rows] == values[rows, None]).argmax(axis=1)
        at[np.isnan(values[rows])] = n_points
        return at

    gold = 2 * group.reshape(-1) * width + place(table.gold)
    predicted = (2 * group.reshape(-1) + 1) * width + place(table.predicted)

    def combine(sums: FloatArray) -> FloatArray:
        counts = sums[..., 1:].reshape(*sums.shape[:-1], len(kinds), 2, width)
        n = counts.sum(axis=-1)
        shares = divide(counts, np.broadcast_to(n[..., None], counts.shape))
        middle = shares.mean(axis=-2, keepdims=True)
        ratio = divide(shares, np.broadcast_to(middle, shares.shape))
        bits = np.where(shares > 0, shares * np.log2(np.where(shares > 0, ratio, 1.0)), 0.0)
        divergence = bits.sum(axis=-1).mean(axis=-1)
        distance = np.sqrt(np.maximum(divergence, 0))  # rounding may leave it below 0
        of_group = n[..., 0]
        return divide((of_group * distance).sum(axis=-1), of_group.sum(axis=-1))

    return Parts.cells(rows, [gold, predicted], len(kinds) * 2 * width, combine)


METRICS = (
    SumMetric(
        name="bsi_log_score",
        title="log score of signs",
        formula="mean ln P(y), P at least 1e-6; of two answers that count, their sum",
        source=_GNEITING,
        direction="higher",
        low=float(np.log(LOG_FLOOR)),
        high=0,
        best=0,
        unit="nats",
        tasks=("bsi",),
        needs="BSI items with a distribution",
        measure=_log_score(bsi_items),
    ),
    SumMetric(
        name="bdu_log_score",
        title="log score of stances and reasons",
        formula="mean ln P(y), P at least 1e-6",
        source=_GNEITING,
        direction="higher",
        low=float(np.log(LOG_FLOOR)),
        high=0,
        best=0,
        unit="nats",
        tasks=BDU,
        needs="BDU items with a distribution",
        measure=_log_score(bdu_items),
    ),
    SumMetric(
        name="bdu_crps",
        title="continuous ranked probability score, on the scale's points",
        formula="mean f sum over points k of gap_k (P(Y <= k) - [y <= k])^2, f as in bdu_mae",
        source=_GNEITING + "; Epstein 1969",
        direction="lower",
        low=0,
        high=4.5,
        best=0,
        unit="points of five",
        tasks=BDU,
        needs="BDU items with a distribution",
        measure=_crps,
    ),
    SumMetric(
        name="bdu_jsd",
        title="Jensen-Shannon distance of predicted and given answers",
        formula="sqrt((KL(q, m) + KL(r, m)) / 2), base 2, m = (q + r) / 2; q, r: shares of all "
        "stance answers of a domain; the same of all reason weights; mean of the two by items",
        source="Lin 1991; Endres and Schindelin 2003",
        direction="lower",
        low=0,
        high=1,
        best=0,
        unit="distance",
        tasks=BDU,
        needs="BDU items",
        measure=_jsd,
    ),
)
