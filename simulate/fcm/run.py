r"""Fuzzy cognitive maps iterated to their end: a fixed point, a limit cycle, or neither.

The rules stand in `beliefgraph.simulate.fcm.rules`. All worlds of a run are iterated side by side;
those that have ended are set aside.

**Where a map ends.** With x(t) all states of one world after iteration t and |.| the largest
absolute difference over concepts:

* *fixed point*: |x(t) - x(t - 1)| <= tolerance. The value is x(t). The test is on the step: where
  a map creeps, its distance from the fixed point is larger than its last step.
* *limit cycle* of period p: the states have come back to those p iterations ago, and not before,
  to within tolerance times the cycle's width. The width is the largest distance from
  the state at the start of the cycle; a test relative to it tells a cycle from a spiral that slowly
  closes. A cycle counts as seen when a return is ten times as close as that, so that twice the
  period is not mistaken for it where states near their cycle from alternating sides. The value is
  the mean over one period.
* *unresolved*: neither after `max_iterations`. The value is the last state.

Returns are found with Brent's method (1980, *An improved Monte Carlo factorization algorithm*, BIT
20, 176-184): states are compared with those saved at iterations 1, 2, 4, 8, ..., which needs the
memory of one state, whatever the period. A period p is seen once a power of two that is at least p
lies on the cycle, after at most p iterations more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.simulate.fcm.rules import (
    EdgeWeights,
    FcmOptions,
    SharedWeights,
    Weights,
    fcm_options,
    step,
)

__all__ = ["FcmRun", "Regimes", "run_fcm", "settle", "worlds_at_once"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int32]

_NAMES: Final = np.array(["unresolved", "fixed point", "limit cycle"])
_NUMBERS_AT_ONCE: Final = 2**18
_TAKEN: Final = 0.1


@dataclass(frozen=True, eq=False)
class Regimes:
    """Where each world ended, and after how many iterations."""

    period: Counts
    """() or (samples,) 1 at a fixed point, p in a limit cycle of p states, 0 where unresolved."""
    iterations: Counts
    """() or (samples,) iterations until that was seen."""

    @property
    def regime(self) -> Any:
        """ "fixed point", "limit cycle" or "unresolved": a str, or an array with one a world."""
        found = _NAMES[np.minimum(self.period, 2)]
        return str(found) if self.period.ndim == 0 else found

    @property
    def counts(self) -> dict[str, int]:
        """Number of worlds in each regime."""
        found = np.bincount(np.minimum(self.period, 2).ravel(), minlength=3).tolist()
        return {str(_NAMES[k]): found[k] for k in (1, 2, 0)}

    @property
    def periods(self) -> dict[int, int]:
        """Number of worlds by the period of their limit cycle."""
        values, counts = np.unique(self.period[self.period > 1], return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return numbers of worlds and iterations, fit for JSON."""
        return {
            **{name.replace(" ", "_"): count for name, count in self.counts.items()},
            "periods": {str(period): count for period, count in self.periods.items()},
            "median_iterations": float(np.median(self.iterations)),
            "most_iterations": int(self.iterations.max()),
        }


@dataclass(frozen=True, eq=False)
class FcmRun(Regimes):
    """The end of a fuzzy cognitive map, in one world or in many."""

    state: Floats
    """(n,) or (samples, n) states in the map's scale; in a limit cycle the mean over the period."""


def worlds_at_once(n: int, varying: int) -> int:
    """Return how many worlds to iterate together, so that memory stays bounded.

    >>> worlds_at_once(20, 12)
    8192
    """
    return max(64, _NUMBERS_AT_ONCE // max(n + varying, 1))


def settle(
    options: FcmOptions,
    weights: Weights,
    start: Floats,
    push: Floats,
    held: Sequence[int] = (),
) -> tuple[Floats, Counts, Counts]:
    """Iterate S worlds of one map to their ends.

    Parameters
    ----------
    options
        The rule, and when to stop.
    weights
        Of n concepts in S worlds.
    start
        (n, S) first states, in the map's scale.
    push
        (n, S) constant pushes, inside f.
    held
        Concepts that stay at their first state.

    Returns
    -------
    state, period, iterations
        (n, S) values, (S,) and (S,) as in `Regimes`.
    """
    worlds, keep = start.shape[1], list(held)
    state = start.copy()
    period = np.zeros(worlds, dtype=np.int32)
    iterations = np.full(worlds, options.max_iterations, dtype=np.int32)
    # of the worlds still iterated: their numbers, states, the saved states, the distance from
    # these so far, and whether they have ended (they are let go several at a time)
    left, now, saved, saved_at = np.arange(worlds), start, start, 0
    width, ended = np.zeros(worlds), np.zeros(worlds, dtype=bool)
    near = np.zeros(worlds, dtype=np.int32)  # iterations to the first return, if a loose one
    active, active_push = weights, push
    for t in range(1, options.max_iterations + 1):
        new = step(options, active, now, active_push, keep)
        still = _distance(new, now) <= options.tolerance
        back, since = _distance(new, saved), t - saved_at
        close = options.tolerance * width
        if since > 1:
            near[(near == 0) & (back <= close)] = since
        returned = (near > 0) & (back <= _TAKEN * close) & ~still
        width = np.maximum(width, back)
        now = new
        ends = np.flatnonzero((still | returned) & ~ended)
        if len(ends):
            state[:, left[ends]] = now[:, ends]
            first = np.where(since % np.maximum(near, 1) == 0, near, since)
            period[left[ends]] = np.where(still, 1, first)[ends]
            iterations[left[ends]] = t
            ended[ends] = True
            if ended.all():
                break
            if 4 * np.count_nonzero(ended) >= len(ended):
                on = ~ended
                left, now, saved = left[on], now[:, on], saved[:, on]
                width, near, ended = width[on], near[on], ended[on]
                active, active_push = active.take(on), active_push[:, on]
        if t & (t - 1) == 0:
            saved, saved_at = now, t
            width, near = np.zeros(len(left)), np.zeros(len(left), dtype=np.int32)
    state[:, left[~ended]] = now[:, ~ended]
    cycling = np.flatnonzero(period > 1)
    if len(cycling):
        state[:, cycling] = _mean_of_period(
            options, weights.take(cycling), state[:, cycling], push[:, cycling], keep,
            period[cycling],
        )  # fmt: skip
    return state, period, iterations


def _distance(one: Floats, other: Floats) -> Floats:
    """(S,) largest absolute difference over concepts."""
    return np.asarray(np.abs(one - other).max(axis=0))


def _mean_of_period(
    options: FcmOptions,
    weights: Weights,
    state: Floats,
    push: Floats,
    held: list[int],
    period: Counts,
) -> Floats:
    total, start = np.zeros_like(state), state[held]
    for t in range(int(period.max())):
        state = step(options, weights, state, push, held)
        total += np.where(t < period, state, 0.0)
    total /= period
    total[held] = start  # exactly, where the sum would round
    return total


def run_fcm(
    W: ArrayLike,  # noqa: N803 - the field's name for it
    state: ArrayLike,
    *,
    fcm: FcmOptions | Mapping[str, Any] | None = None,
    hold: Mapping[int, float | ArrayLike] | None = None,
    push: ArrayLike | None = None,
) -> FcmRun:
    """Iterate a fuzzy cognitive map given as a matrix.

    States are in the map's own scale: [0, 1] for sigmoid and bivalent, [-1, 1] for tanh and
    trivalent.

    Parameters
    ----------
    W
        (n, n) or (samples, n, n) weights, `[..., i, j]` for i -> j.
    state
        (n,) or (samples, n) first states.
    fcm
        Rule, transfer function and when to stop: `FcmOptions`, or a mapping with any of its fields.
    hold
        Concept number to the value it has in every iteration; what leads into it has no effect. One
        number, or one a world.
    push
        (n,) or (samples, n) amounts added to the sums, inside f; 0 in the published rules.

    Returns
    -------
    FcmRun
        Values, period and iterations, of one world, or along a first axis of samples.

    Raises
    ------
    InterventionError
        Shapes do not fit, a number is not finite, or a state lies outside the map's range.

    Examples
    --------
    Two concepts, one raising and one lowering the other, chase each other round:

    >>> W = [[0, 1], [-1, 0]]
    >>> run = run_fcm(W, [1, 0], fcm={"transfer": "trivalent"})
    >>> run.regime, int(run.period), run.state.tolist()
    ('limit cycle', 4, [0.0, 0.0])

    Held, one of them leads the other to a fixed point:

    >>> run = run_fcm(W, [1, 0], fcm={"transfer": "trivalent"}, hold={0: 0.7})
    >>> run.regime, run.state.tolist()
    ('fixed point', [0.7, 1.0])
    """
    options = fcm_options(fcm)
    weights = _numbers("W", W, (2, 3))
    n = weights.shape[-1]
    if weights.shape[-2] != n or not n:
        raise InterventionError(
            f"W: give a square matrix, or one a sample (samples, n, n), got shape {weights.shape}"
        )
    parts = {
        "W": weights,
        "state": _numbers("state", state, (1, 2)),
        "push": _numbers("push", np.zeros(n) if push is None else push, (1, 2)),
    }
    holds = _holds(hold, n)
    samples = {name: part.shape[0] for name, part in parts.items() if part.ndim > (name == "W") + 1}
    samples |= {f"hold[{i}]": len(value) for i, value in holds.items() if value.ndim}
    if len(set(samples.values())) > 1 or 0 in samples.values():
        raise InterventionError(f"samples: every part must have the same number, got {samples}")
    for name in ("state", "push"):
        if parts[name].shape[-1] != n:
            raise InterventionError(
                f"{name}: give one number for each of the {n} concepts of W, got shape "
                f"{parts[name].shape}"
            )
    for name, part in (("state", parts["state"]), *((f"hold[{i}]", v) for i, v in holds.items())):
        _check_range(name, part, options)
    count = next(iter(samples.values()), 1)
    start = np.array(np.broadcast_to(parts["state"], (count, n)).T)
    for concept, value in holds.items():
        start[concept] = value
    found, period, iterations = _in_chunks(options, weights, start, parts["push"], list(holds))
    if not samples:
        return FcmRun(period[0, ...], iterations[0, ...], found[:, 0].copy())
    return FcmRun(period, iterations, np.ascontiguousarray(found.T))


def _in_chunks(
    options: FcmOptions, matrix: Floats, start: Floats, push: Floats, held: list[int]
) -> tuple[Floats, Counts, Counts]:
    n, count = start.shape
    pushes = np.broadcast_to(push, (count, n)).T
    source, target = (
        np.nonzero(matrix.any(axis=0)) if matrix.ndim == 3 else (np.empty(0, int), np.empty(0, int))
    )
    width = worlds_at_once(n, len(source))
    parts = []
    for first in range(0, count, width):
        chunk = slice(first, first + width)
        weights: Weights = SharedWeights(matrix.T)
        if matrix.ndim == 3:
            varying = np.ascontiguousarray(matrix[chunk, source, target].T)
            weights = EdgeWeights(source.tolist(), target.tolist(), list(varying))
        parts.append(settle(options, weights, start[:, chunk], pushes[:, chunk], held))
    state, period, iterations = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
    return state, period, iterations


def _numbers(name: str, given: ArrayLike, dimensions: tuple[int, int]) -> Floats:
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InterventionError(f"{name}: give numbers, got {given!r}") from None
    if found.ndim not in dimensions or not np.isfinite(found).all():
        raise InterventionError(
            f"{name}: give finite numbers with {dimensions[0]} or {dimensions[1]} axes, got "
            f"{'shape ' + str(found.shape) if found.ndim not in dimensions else 'NaN or infinity'}"
        )
    return found


def _holds(hold: Mapping[int, Any] | None, n: int) -> dict[int, Floats]:
    found = {}
    for concept, value in (hold or {}).items():
        if isinstance(concept, bool) or not isinstance(concept, (int, np.integer)):
            raise InterventionError(f"hold: concepts go by number from 0 on, got {concept!r}")
        if not 0 <= concept < n:
            raise InterventionError(f"hold: there are concepts 0 to {n - 1}, got {concept}")
        found[int(concept)] = _numbers(f"hold[{concept}]", value, (0, 1))
    return found


def _check_range(name: str, values: Floats, options: FcmOptions) -> None:
    low = 0.0 if options.unit else -1.0
    outside = values[(values < low) | (values > 1)]
    if outside.size:
        raise InterventionError(
            f"{name}: states of a {options.transfer} map lie in [{low:g}, 1], got {outside[0]:g}"
            + ("; library values x in [-1, 1] are (x + 1) / 2 here" if options.unit else "")
        )
