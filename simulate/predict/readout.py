r"""From a latent value to a number on a survey's scale, and back to one point by a named loss.

**Distribution.** A person whose standpoint is z in [-1, 1] (the ends of the scale; values beyond
are allowed) answers with the nearest point, the ends taking what lies beyond:

.. math:: P(y = k) = \Phi((k + h - \mu) / \sigma) - \Phi((k - h - \mu) / \sigma)

with mu and sigma in points, h half a step, and open ends. It is the ordered probit with evenly
spaced thresholds (McKelvey and Zavoina 1975): piles at both ends come from a wide sigma.

**Change.** After a scenario a part of the people repeat their answer; the others evaluate anew
(`Change`). The joint distribution of both answers gives the direction of the change its odds.

**Decision.** One point has to be named; which one is best depends on the loss, so the loss has a
name: `tolerance`, `absolute`, `direction` or `blend` (see `decide`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey import Scale

__all__ = ["LOSSES", "Loss", "answer_probabilities", "decide", "from_scale"]

FloatArray = NDArray[np.float64]
Number = TypeVar("Number", float, NDArray[np.float64])
Loss: TypeAlias = Literal["tolerance", "absolute", "direction", "blend"]
LOSSES: Final = get_args(Loss)
SURE_OF_DIRECTION: Final = 0.8
"""Odds of the direction, given a change, from which naming a change gains under `direction`: the
published score counts directions over the pairs in which both changed, so naming few and sure ones
gains."""


def from_scale(value: Number, scale: Scale) -> Number:
    """Map a point of a scale onto [-1, 1].

    >>> from_scale(10, Scale.between(1, 10)), from_scale(3, Scale.between(1, 5))
    (1.0, 0.0)
    """
    return (value - (scale.low + scale.high) / 2) / ((scale.high - scale.low) / 2)


def answer_probabilities(
    mean: float | FloatArray, sd: float | FloatArray, scale: Scale
) -> FloatArray:
    """Return the probability of every point of a scale.

    Parameters
    ----------
    mean, sd
        Of the standpoint, in units in which the scale spans [-1, 1]; sd above 0. Arrays give one
        row each.
    scale
        The answers that are allowed.

    Returns
    -------
    ndarray
        Shape (..., points); sums to 1 over the points.

    Examples
    --------
    >>> answer_probabilities(0.0, 0.5, Scale.between(1, 5)).round(3).tolist()
    [0.067, 0.242, 0.383, 0.242, 0.067]
    """
    points = np.array(scale.points, dtype=np.float64)
    edges = np.concatenate([[-np.inf], (points[1:] + points[:-1]) / 2, [np.inf]])
    half = (scale.high - scale.low) / 2
    centre = (scale.low + scale.high) / 2 + half * np.asarray(mean, dtype=np.float64)
    spread = half * np.asarray(sd, dtype=np.float64)
    below = ndtr((edges - centre[..., None]) / spread[..., None])
    found: FloatArray = np.diff(below, axis=-1)
    return found


def decide(
    probabilities: FloatArray,
    scale: Scale,
    loss: Loss,
    *,
    change: FloatArray | None = None,
    previous: int | None = None,
) -> int:
    """Return the point that a loss makes best.

    Parameters
    ----------
    probabilities
        Of the answer, shape (points,).
    scale
        The answers that are allowed.
    loss
        `tolerance`: most likely within the scale's tolerance. `absolute`: least expected error (a
        median). `direction`: best for the published directional accuracy, ties by `tolerance`.
        `blend`: the published index, in which closeness and tolerance share one half and direction
        has the other.
    change
        Probabilities that the answer is below, at and above the person's own baseline answer,
        shape (3,); None for an answer that starts from none.
    previous
        The baseline answer that is known, or that is predicted as well.

    Raises
    ------
    SurveyError
        No such loss.

    Examples
    --------
    >>> scale = Scale.between(1, 10)
    >>> p = np.array([.25, 0, 0, 0, 0, 0, 0, 0, 0, .75])
    >>> decide(p, scale, "tolerance"), decide(p, scale, "absolute")
    (10, 10)
    """
    if loss not in LOSSES:
        raise SurveyError(f"no loss is called {loss!r}. {suggestions(loss, LOSSES)}")
    points = np.array(scale.points, dtype=np.float64)
    off = np.abs(points[:, None] - points[None, :])
    within = (off <= scale.tolerance) @ probabilities
    five = 4 / (scale.high - scale.low)
    closeness = 1 - np.minimum(off * five / 3, 1) @ probabilities
    gain: Callable[[], FloatArray] = {
        "tolerance": lambda: within,
        "absolute": lambda: -(off @ probabilities),
        "direction": lambda: _direction(points, change, previous) + 1e-6 * within,
        "blend": lambda: (within + closeness) / 2 + _direction(points, change, previous),
    }[loss]
    gains = gain() - 1e-9 * (off @ probabilities)  # ties: the least expected error
    return int(points[int(np.argmax(gains))])


def _direction(points: FloatArray, change: FloatArray | None, previous: int | None) -> FloatArray:
    """Return what naming each point adds to directional accuracy, up to a constant."""
    if change is None or previous is None:
        return np.zeros(len(points))
    down, same, up = change
    way = np.sign(points - previous)
    moved = down + up
    odds = np.where(way < 0, down, up) / moved if moved > 0 else np.zeros(len(points))
    right = np.where(way == 0, same, moved)
    gain: FloatArray = 0.3 * right + 0.7 * np.where(way == 0, 0.0, odds - SURE_OF_DIRECTION)
    return gain
