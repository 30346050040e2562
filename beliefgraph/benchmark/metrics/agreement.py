"""Agreement of predicted and given answers, on the common 5-point scale.

Stance and reason items stand together, each mapped linearly onto 1..5. An item without an answer
has no value to compare and does not count here; `no_answer_rate` says how many there are. All of
these need spread: a constant predictor has no correlation (NaN), and a kappa of 0.
"""

from __future__ import annotations

import numpy as np

from beliefgraph.benchmark.metrics.metric import (
    BDU,
    Combine,
    Parts,
    SumMetric,
    bdu_items,
    bsi_items,
    divide,
)
from beliefgraph.benchmark.metrics.table import BoolArray, FloatArray, OutcomeTable
from beliefgraph.benchmark.metrics.variant import Variant

__all__ = ["METRICS"]

_NOTHING = 1e-9
"""A sum of squares below this share of its terms is rounding, not spread."""


def _moments(table: OutcomeTable, chosen: BoolArray, combine: Combine) -> Parts:
    rows = np.flatnonzero(chosen & table.answered)
    # centred at the scale's middle, so that little is lost in rounding
    x, y = table.in_five(table.predicted)[rows] - 3, table.in_five(table.gold)[rows] - 3
    return Parts.dense(rows, [x, y, x * x, y * y, x * y], combine)


def _spreads(sums: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Sums of squares and products about the means (xx, yy, xy), and the difference of means."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    at_least_one = np.maximum(n, 1)
    about_x, about_y = xx - x * x / at_least_one, yy - y * y / at_least_one
    about_x = np.where(about_x <= _NOTHING * np.maximum(xx, 1), 0.0, about_x)
    about_y = np.where(about_y <= _NOTHING * np.maximum(yy, 1), 0.0, about_y)
    return about_x, about_y, xy - x * y / at_least_one, (x - y) / at_least_one


def _combine_pearson(sums: FloatArray) -> FloatArray:
    xx, yy, xy, _ = _spreads(sums)
    return np.clip(divide(xy, np.sqrt(xx * yy)), -1, 1)


def _combine_spread(sums: FloatArray) -> FloatArray:
    xx, yy, _, _ = _spreads(sums)
    return np.sqrt(divide(xx, yy))


def _combine_kappa(sums: FloatArray) -> FloatArray:
    n, (xx, yy, xy, shift) = sums[..., 0], _spreads(sums)
    observed = xx + yy - 2 * xy + n * shift**2
    expected = xx + yy + n * shift**2
    return 1 - divide(observed, expected)


def _combine_icc(sums: FloatArray) -> FloatArray:
    n, (xx, yy, xy, shift) = sums[..., 0], _spreads(sums)
    rows = (xx + yy + 2 * xy) / 2
    columns = n * shift**2 / 2
    rest = (xx + yy - 2 * xy) / 2
    of_rows, of_rest = divide(rows, n - 1), divide(rest, n - 1)
    below = of_rows + of_rest + 2 * divide(columns - of_rest, n)
    scored = (n > 1) & (below > _NOTHING)
    return np.where(scored, divide(of_rows - of_rest, np.where(scored, below, 1.0)), np.nan)


def _pearson(table: OutcomeTable, variant: Variant) -> Parts:
    return _moments(table, bdu_items(table, variant), _combine_pearson)


def _spread(table: OutcomeTable, variant: Variant) -> Parts:
    return _moments(table, bdu_items(table, variant), _combine_spread)


def _kappa(table: OutcomeTable, variant: Variant) -> Parts:
    return _moments(table, bdu_items(table, variant), _combine_kappa)


def _icc(table: OutcomeTable, variant: Variant) -> Parts:
    return _moments(table, bdu_items(table, variant), _combine_icc)


def _sign_kappa(table: OutcomeTable, variant: Variant) -> Parts:
    return _moments(table, bsi_items(table, variant), _combine_kappa)


def _spearman(table: OutcomeTable, variant: Variant) -> Parts:
    rows = np.flatnonzero(bdu_items(table, variant) & table.answered)
    both = np.stack([table.in_five(table.predicted)[rows], table.in_five(table.gold)[rows]])
    # rounded: one value of two scales must be one value
    values, at = np.unique(np.round(both, 9), return_inverse=True)
    x, y = at.reshape(2, -1)
    n_values = max(len(values), 1)

    def combine(sums: FloatArray) -> FloatArray:
        joint = sums[..., 1:].reshape(*sums.shape[:-1], n_values, n_values)
        middle = (sums[..., 0] + 1) / 2
        counts_x, counts_y = joint.sum(axis=-1), joint.sum(axis=-2)
        about_x, about_y = _midranks(counts_x, middle), _midranks(counts_y, middle)
        xx, yy = (counts_x * about_x**2).sum(axis=-1), (counts_y * about_y**2).sum(axis=-1)
        xy = (np.einsum("...ij,...j->...i", joint, about_y) * about_x).sum(axis=-1)
        return np.clip(divide(xy, np.sqrt(xx * yy)), -1, 1)

    return Parts.cells(rows, [x * n_values + y], n_values**2, combine)


def _midranks(counts: FloatArray, middle: FloatArray) -> FloatArray:
    """Rank of every value, ties sharing their mean rank, less the mean of all ranks."""
    ranks: FloatArray = np.cumsum(counts, axis=-1) - (counts - 1) / 2
    return ranks - middle[..., None]


_VARY = "answered BDU items whose predicted and given values both vary"

METRICS = (
    SumMetric(
        name="bdu_pearson",
        title="Pearson correlation",
        formula="cov(p, y) / (sd p sd y)",
        source="Pearson 1895",
        direction="higher",
        low=-1,
        high=1,
        best=1,
        unit="correlation",
        tasks=BDU,
        needs=_VARY,
        measure=_pearson,
    ),
    SumMetric(
        name="bdu_spearman",
        title="Spearman rank correlation",
        formula="Pearson correlation of ranks, ties at their mean rank",
        source="Spearman 1904",
        direction="higher",
        low=-1,
        high=1,
        best=1,
        unit="correlation",
        tasks=BDU,
        needs=_VARY,
        measure=_spearman,
    ),
    SumMetric(
        name="bdu_spread_ratio",
        title="spread ratio",
        formula="sd p / sd y",
        source="ratio of standard deviations",
        direction="none",
        low=0,
        high=float("inf"),
        best=1,
        unit="ratio",
        tasks=BDU,
        needs="answered BDU items whose given values vary",
        measure=_spread,
    ),
    SumMetric(
        name="bdu_kappa",
        title="quadratic weighted kappa",
        formula="1 - mean (p - y)^2 / (var p + var y + (mean p - mean y)^2)",
        source="Cohen 1968; Fleiss and Cohen 1973",
        direction="higher",
        low=-1,
        high=1,
        best=1,
        unit="kappa",
        tasks=BDU,
        needs="answered BDU items that are not all one value",
        measure=_kappa,
    ),
    SumMetric(
        name="bdu_icc",
        title="intraclass correlation ICC(A,1)",
        formula="(MSR - MSE) / (MSR + MSE + (2/n) (MSC - MSE)), two-way, absolute agreement",
        source="McGraw and Wong 1996",
        direction="higher",
        low=float("-inf"),
        high=1,
        best=1,
        unit="correlation",
        tasks=BDU,
        needs="two or more answered BDU items that are not all one value",
        measure=_icc,
    ),
    SumMetric(
        name="bsi_kappa",
        title="Cohen's kappa of signs",
        formula="(po - pe) / (1 - pe)",
        source="Cohen 1960",
        direction="higher",
        low=-1,
        high=1,
        best=1,
        unit="kappa",
        tasks=("bsi",),
        needs="answered BSI items that are not all one sign",
        measure=_sign_kappa,
    ),
)
