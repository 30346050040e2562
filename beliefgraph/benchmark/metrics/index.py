"""The Alignment-to-Individual index of HugAgent: four figures in one, between two anchors.

`u = BSI/2 + 1/2 [1/2 ((1 - MAE/3, clipped to 0..1)/2 + acc/2) + DirAcc/2]`, all as shares, and
`ATI = 100 (u - u_random) / (u_human - u_random)` (HugAgent, published scorer).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from beliefgraph.benchmark.metrics.metric import BDU, CompositeMetric
from beliefgraph.benchmark.metrics.table import FloatArray
from beliefgraph.survey import Task

__all__ = ["HUMAN", "MAE_MAX", "METRICS", "RANDOM", "Anchor", "ati", "ati_unscaled"]

MAE_MAX = 3.0
"""Error in points of five at which the error's share is used up."""
_HUGAGENT = "HugAgent (arXiv 2510.15144), published scorer"
_OF = ("bsi_acc", "bdu_acc", "bdu_mae", "bdu_dir_acc")
_EVERY: tuple[Task, ...] = ("bsi", *BDU)


@dataclass(frozen=True)
class Anchor:
    """The four figures of a row that fixes a point of the index."""

    bsi_acc: float
    bdu_acc: float
    bdu_mae: float
    bdu_dir_acc: float


RANDOM = Anchor(51.89, 43.12, 1.88, 46.74)
"""Where the index is 0."""
HUMAN = Anchor(84.84, 85.66, 0.68, 88.92)
"""Where the index is 100: the same people asked again."""


def ati_unscaled(bsi_acc: float, bdu_acc: float, bdu_mae: float, bdu_dir_acc: float) -> float:
    """Return the weighted mean of the four figures, in percent.

    Parameters
    ----------
    bsi_acc, bdu_acc, bdu_dir_acc
        In percent.
    bdu_mae
        In points of the 5-point scale.

    Examples
    --------
    >>> ati_unscaled(100, 100, 0, 100)
    100.0
    """
    return float(_unscaled(*map(np.asarray, (bsi_acc, bdu_acc, bdu_mae, bdu_dir_acc))))


def ati(bsi_acc: float, bdu_acc: float, bdu_mae: float, bdu_dir_acc: float) -> float:
    """Return the index of four figures (units as for `ati_unscaled`).

    Examples
    --------
    >>> round(ati(78.778, 62.233, 1.2434, 77.449), 2)
    70.07
    """
    return float(_scaled(np.asarray(ati_unscaled(bsi_acc, bdu_acc, bdu_mae, bdu_dir_acc))))


def _unscaled(
    bsi_acc: FloatArray, bdu_acc: FloatArray, bdu_mae: FloatArray, bdu_dir_acc: FloatArray
) -> FloatArray:
    closeness = 100 * np.clip(1 - bdu_mae / MAE_MAX, 0, 1)
    dynamics = ((closeness + bdu_acc) / 2 + bdu_dir_acc) / 2
    return (bsi_acc + dynamics) / 2


def _of_anchor(anchor: Anchor) -> float:
    return ati_unscaled(anchor.bsi_acc, anchor.bdu_acc, anchor.bdu_mae, anchor.bdu_dir_acc)


def _scaled(unscaled: FloatArray) -> FloatArray:
    zero, hundred = _of_anchor(RANDOM), _of_anchor(HUMAN)
    return 100 * (unscaled - zero) / (hundred - zero)


def _combine_unscaled(figures: Mapping[str, FloatArray]) -> FloatArray:
    return _unscaled(*(figures[name] for name in _OF))


def _combine_ati(figures: Mapping[str, FloatArray]) -> FloatArray:
    return _scaled(_combine_unscaled(figures))


METRICS = (
    CompositeMetric(
        name="ati",
        title="Alignment-to-Individual index",
        formula="100 (u - u_random) / (u_human - u_random), u = ati_unscaled",
        source=_HUGAGENT,
        direction="higher",
        low=ati(0, 0, MAE_MAX, 0),
        high=ati(100, 100, 0, 100),
        best=ati(100, 100, 0, 100),
        unit="index: random 0, human 100",
        tasks=_EVERY,
        needs=", ".join(_OF),
        of=_OF,
        combine=_combine_ati,
    ),
    CompositeMetric(
        name="ati_unscaled",
        title="index before scaling",
        formula="bsi_acc/2 + (((1 - bdu_mae/3, clipped to 0..1) + bdu_acc)/2 + bdu_dir_acc)/4",
        source=_HUGAGENT,
        direction="higher",
        low=0,
        high=100,
        best=100,
        unit="percent",
        tasks=_EVERY,
        needs=", ".join(_OF),
        of=_OF,
        combine=_combine_unscaled,
    ),
)
