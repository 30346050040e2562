"""Intervals by resampling people: answers of one person go together, so whole people are drawn.

Shares, precision, recall and F1 are ratios of sums (F1 = 2 tp / (2 tp + fp + fn)), and so one
function serves them all: draw people with replacement, add up both sums, divide (Efron and
Tibshirani 1993, chapter 13, the percentile interval).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

__all__ = ["Estimate", "estimate_ratio"]


@dataclass(frozen=True)
class Estimate:
    """A ratio of sums with its interval; NaN where it is not scored."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float | list[float] | None]:
        """Return value and interval, None where not scored."""
        if np.isnan(self.value):
            return {"value": None, "interval": None}
        return {"value": self.value, "interval": [self.low, self.high]}

    def __str__(self) -> str:
        if np.isnan(self.value):
            return "not scored"
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def estimate_ratio(
    parts: Sequence[float],
    wholes: Sequence[float],
    *,
    seed: int | np.random.Generator | None = 0,
    level: float = 0.95,
    n_resamples: int = 10_000,
) -> Estimate:
    """Return the ratio of two sums over people, with a bootstrap interval over people.

    Parameters
    ----------
    parts, wholes
        Numerator and denominator of every person, in the same order.
    seed
        Source of randomness.
    level
        Share of the resamples that the interval holds.
    n_resamples
        How often people are drawn. A resample whose denominator is 0 is left out.

    Returns
    -------
    Estimate
        All NaN where the denominators add up to 0.

    Examples
    --------
    >>> estimate_ratio([8, 6], [10, 10]).value
    0.7
    >>> str(estimate_ratio([], []))
    'not scored'
    """
    above, below = np.asarray(parts, dtype=float), np.asarray(wholes, dtype=float)
    if above.shape != below.shape or above.ndim != 1:
        raise ValueError(
            f"parts and wholes need one number a person each, got shapes {above.shape} and "
            f"{below.shape}"
        )
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}")
    if below.sum() == 0:
        return Estimate(nan, nan, nan)
    rng = np.random.default_rng(seed)
    shares = np.full(len(above), 1 / len(above))
    counts = rng.multinomial(len(above), shares, size=n_resamples)
    drawn, of = counts @ above, counts @ below
    ratios = drawn[of > 0] / of[of > 0]
    low, high = np.quantile(ratios, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(above.sum() / below.sum()), float(low), float(high))
