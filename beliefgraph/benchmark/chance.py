"""What a uniformly random answer scores on given items, exactly: the expectation, not a sample.

Every item is answered independently, each point of its scale with the same probability 1/n.

- BSI accuracy, BDU accuracy and error are means over items, so their expectations are the means of
  each item's own: the share of points that are right, the share within tolerance of the answer, the
  mean distance of the points to it.
- Directional accuracy is `0.3 D + 0.7 A / C` (`beliefgraph.benchmark.metrics.change`). `D`, the
  share of pairs whose change or standstill is found, is a mean over pairs. `A / C` is a ratio of
  counts: pairs in which person and prediction both changed, and those of them with the same sign.
  All pairs of one person and topic share one predicted baseline stance (or a given one, where the
  protocol gives it). So the joint distribution of `(C, A)` is worked out: given the baseline, pairs
  are independent, and their counts convolve; it is averaged over the baseline's points; and the
  groups, being independent, convolve in turn.
- ATI is the index of the expected figures. It is the expected index too, but for draws whose mean
  error leaves the 0..3 of the published clipping, which a few dozen items never reach.

`RandomPredictor` samples what this computes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.signal import convolve2d

from beliefgraph.benchmark.metrics.accuracy import five_point_factor
from beliefgraph.benchmark.metrics.change import LAMBDA
from beliefgraph.benchmark.metrics.index import ati
from beliefgraph.benchmark.metrics.metric import bdu_items, bsi_items
from beliefgraph.benchmark.metrics.table import BoolArray, FloatArray, IntArray, OutcomeTable
from beliefgraph.benchmark.metrics.tally import mean_of_scored
from beliefgraph.benchmark.metrics.variant import Variant
from beliefgraph.benchmark.run import Outcome

__all__ = ["ExpectedFigures", "expected_random"]

_Counts: TypeAlias = FloatArray
"""Probability of c pairs in which both changed, a of them alike: shape (most c + 1, most a + 1)."""


@dataclass(frozen=True)
class ExpectedFigures:
    """Expected headline figures by name, in the metrics' units; NaN where not scored."""

    overall: Mapping[str, float]
    """Unweighted mean of the domains that can be scored."""
    pooled: Mapping[str, float]
    """Over all items together."""
    per_domain: Mapping[str, Mapping[str, float]]


def expected_random(outcomes: Sequence[Outcome], variant: Variant | None = None) -> ExpectedFigures:
    """Return what answering at random scores on average.

    Parameters
    ----------
    outcomes
        Those of any run over the items; its predictions are not looked at.
    variant
        How they are counted; as published by default. `unparsed` and `average` do not matter.

    Returns
    -------
    ExpectedFigures
        `bsi_acc`, `bdu_acc`, `bdu_mae`, `bdu_dir_acc` and `ati`.

    Raises
    ------
    SurveyError
        There are no outcomes, or they do not fit their scales.

    Examples
    --------
    >>> from beliefgraph.survey import Scale
    >>> stance = Outcome(
    ...     item_id="1", participant="P1", topic="parks", task="bdu_stance", role="baseline",
    ...     question_id="q1", scale=Scale.between(1, 10), gold=(1,), value=None,
    ... )
    >>> round(expected_random([stance]).pooled["bdu_acc"], 6)  # 1, 2 or 3 of ten
    30.0
    """
    variant = variant or Variant()
    blank = [each.replace(value=None, distribution=None, could_not="-") for each in outcomes]
    table = OutcomeTable.of(blank)
    everything = np.ones(len(table), dtype=bool)
    pooled = _figures(table, everything, variant)
    domains = {
        name: _figures(table, table.topic == number, variant)
        for number, name in enumerate(table.topics)
    }
    four = {
        name: float(mean_of_scored(np.array([each[name] for each in domains.values()])))
        for name in pooled
    }
    return ExpectedFigures(
        overall=_with_ati(four),
        pooled=_with_ati(pooled),
        per_domain={name: _with_ati(each) for name, each in domains.items()},
    )


def _with_ati(figures: Mapping[str, float]) -> dict[str, float]:
    return {**figures, "ati": ati(**figures)}


def _figures(table: OutcomeTable, scope: BoolArray, variant: Variant) -> dict[str, float]:
    everyone = variant.replace(unparsed="wrong")  # nothing is left unanswered
    signs, updates = bsi_items(table, everyone) & scope, bdu_items(table, everyone) & scope
    away = np.abs(table.points[:, :, None] - table.golds[:, None, :])
    away = np.nanmin(np.where(np.isnan(away), np.inf, away), axis=2)
    real = ~np.isnan(table.points)
    allowed = (
        table.tolerance if variant.tolerance is None else np.full(len(table), variant.tolerance)
    )
    exact = np.sum(real & (away == 0), axis=1) / table.n_points
    near = np.sum(real & (away <= allowed[:, None]), axis=1) / table.n_points
    distance = np.sum(np.where(real, away, 0.0), axis=1) / table.n_points
    return {
        "bsi_acc": 100 * _mean(exact[signs]),
        "bdu_acc": 100 * _mean(near[updates]),
        "bdu_mae": _mean((distance * five_point_factor(table, everyone))[updates]),
        "bdu_dir_acc": 100 * _directional(table, updates, variant),
    }


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _directional(table: OutcomeTable, chosen: BoolArray, variant: Variant) -> float:
    """Return the expected directional accuracy, as a share; NaN without pairs."""
    rows = np.flatnonzero(chosen & ~np.isnan(table.previous_gold))
    if not len(rows):
        return float("nan")
    asked = table.baseline[rows] >= 0
    groups = [rows[table.baseline[rows] == base] for base in np.unique(table.baseline[rows[asked]])]
    groups += [rows[i : i + 1] for i in np.flatnonzero(~asked)]
    detected, counts = 0.0, np.ones((1, 1))
    for later in groups:
        found, group = _group(table, later, variant)
        detected += found
        counts = convolve2d(counts, group)
    changed, agreeing = np.indices(counts.shape)
    ratio = np.divide(agreeing, changed, out=np.zeros(counts.shape), where=changed > 0)
    return float(LAMBDA * detected / len(rows) + (1 - LAMBDA) * np.sum(counts * ratio))


def _group(table: OutcomeTable, later: IntArray, variant: Variant) -> tuple[float, _Counts]:
    """Return expected detections and the counts of the pairs that share a baseline stance."""
    base = int(table.baseline[later[0]])
    # a baseline that the protocol gave was not asked for: it is known, not drawn
    starts = _points(table, base) if base >= 0 else table.previous_gold[later]
    detected, counts = 0.0, np.zeros((len(later) + 1, len(later) + 1))
    for start in starts:
        known = _nearest(table, base, start) if base >= 0 else start
        given = np.ones((1, 1))
        for row in later:
            points = _points(table, row)
            true = np.sign(np.array([_nearest(table, row, p) for p in points]) - known)
            predicted = np.sign(points - (start if variant.previous == "predicted" else known))
            both = (true != 0) & (predicted != 0)
            same = both & (true == predicted)
            detected += np.mean((true == 0) == (predicted == 0)) / len(starts)
            # [[neither, -], [both but not alike, both alike]]
            pair = np.array(
                [[np.mean(~both), 0.0], [np.mean(both & ~same), np.mean(same)]], dtype=float
            )
            given = convolve2d(given, pair)
        counts += given / len(starts)
    return float(detected), counts


def _points(table: OutcomeTable, row: int) -> FloatArray:
    points: FloatArray = table.points[row][~np.isnan(table.points[row])]
    return points


def _nearest(table: OutcomeTable, row: int, predicted: float) -> float:
    """Return the answer that counts for a prediction: of several, the nearest."""
    return float(table.golds[row][np.nanargmin(np.abs(table.golds[row] - predicted))])
