"""Whether probabilities mean what they say: binned tables and the expected calibration error.

Two events: that the sign is positive (BSI; an item for which either sign counts is left out), and
that the answer lies within tolerance of the predicted value (BDU). Ten bins of equal width, the
same whatever is resampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from beliefgraph.benchmark.metrics.accuracy import within_tolerance
from beliefgraph.benchmark.metrics.metric import (
    BDU,
    Parts,
    SumMetric,
    bdu_items,
    bsi_items,
    divide,
)
from beliefgraph.benchmark.metrics.table import BoolArray, FloatArray, IntArray, OutcomeTable
from beliefgraph.benchmark.metrics.variant import Variant
from beliefgraph.benchmark.run import Outcome
from beliefgraph.errors import SurveyError

__all__ = ["METRICS", "N_BINS", "reliability_table"]

N_BINS: Final = 10


@dataclass(frozen=True)
class _Events:
    rows: IntArray
    probability: FloatArray
    happened: BoolArray


def _positive_sign(table: OutcomeTable, variant: Variant) -> _Events:
    clear = np.sum(~np.isnan(table.golds), axis=1) == 1
    rows = np.flatnonzero(bsi_items(table, variant) & table.has_distribution & clear)
    return _Events(rows, table.distribution[rows, 1], table.gold[rows] > 0)


def _within(table: OutcomeTable, variant: Variant) -> _Events:
    rows = np.flatnonzero(bdu_items(table, variant) & table.has_distribution & table.answered)
    allowed = (
        table.tolerance if variant.tolerance is None else np.full(len(table), variant.tolerance)
    )
    away = np.abs(table.points[rows] - table.predicted[rows, None])
    near = away <= allowed[rows, None]
    probability = np.where(near, table.distribution[rows], 0.0).sum(axis=1)
    return _Events(rows, probability, within_tolerance(table, variant)[rows])


_EVENTS: Final = {"bsi": _positive_sign, "bdu": _within}


def reliability_table(
    outcomes: Sequence[Outcome], which: Literal["bsi", "bdu"], variant: Variant | None = None
) -> list[dict[str, Any]]:
    """Return observed shares beside predicted probabilities, one row a bin.

    Parameters
    ----------
    outcomes
        Those of one run.
    which
        `bsi`: that the sign is positive; `bdu`: that the answer lies within tolerance.
    variant
        How they are counted; as published by default.

    Returns
    -------
    list of dict
        low, high (ends of the bin), n, predicted (mean probability) and observed (share); the
        last two are None in an empty bin.

    Raises
    ------
    SurveyError
        `which` is neither.
    """
    if which not in _EVENTS:
        raise SurveyError(f"which must be 'bsi' or 'bdu', got {which!r}")
    table = OutcomeTable.of(outcomes)
    parts = _parts(_EVENTS[which](table, variant or Variant()))
    sums = parts.sums(table).sum(axis=(0, 1))[1:].reshape(3, N_BINS)
    return [
        {
            "low": i / N_BINS,
            "high": (i + 1) / N_BINS,
            "n": int(n),
            "predicted": float(probability / n) if n else None,
            "observed": float(happened / n) if n else None,
        }
        for i, (n, probability, happened) in enumerate(sums.T)
    ]


def _parts(events: _Events) -> Parts:
    # rounded, so that a sum such as 0.1 + 0.2 lands in the bin of 0.3; the last bin takes 1
    bins = np.minimum(np.floor(np.round(events.probability * N_BINS, 9)), N_BINS - 1)
    chosen = bins[:, None] == np.arange(N_BINS)
    columns = [
        np.where(chosen, each[:, None], 0.0)
        for each in (np.ones(len(bins)), events.probability, events.happened.astype(float))
    ]
    return Parts.dense(events.rows, list(np.concatenate(columns, axis=1).T), _combine)


def _combine(sums: FloatArray) -> FloatArray:
    _, probability, happened = np.moveaxis(
        sums[..., 1:].reshape(*sums.shape[:-1], 3, N_BINS), -2, 0
    )
    return divide(np.abs(probability - happened).sum(axis=-1), sums[..., 0])


def _ece(
    events: Callable[[OutcomeTable, Variant], _Events],
) -> Callable[[OutcomeTable, Variant], Parts]:
    return lambda table, variant: _parts(events(table, variant))


_GUO = "Naeini et al. 2015 (AAAI); Guo et al. 2017 (ICML)"
_FORMULA = "sum over ten bins of (n_b / n) abs(mean probability - share), of "

METRICS = (
    SumMetric(
        name="bsi_ece",
        title="expected calibration error of signs",
        formula=_FORMULA + "P(sign positive)",
        source=_GUO,
        direction="lower",
        low=0,
        high=1,
        best=0,
        unit="probability",
        tasks=("bsi",),
        needs="BSI items with a distribution and one answer that counts",
        measure=_ece(_positive_sign),
    ),
    SumMetric(
        name="bdu_ece",
        title="expected calibration error of tolerance hits",
        formula=_FORMULA + "P(abs(Y - p) <= tolerance)",
        source=_GUO,
        direction="lower",
        low=0,
        high=1,
        best=0,
        unit="probability",
        tasks=BDU,
        needs="answered BDU items with a distribution",
        measure=_ece(_within),
    ),
)
