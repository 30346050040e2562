r"""Why a stance moves, and what it takes for it to move otherwise.

* `sensitivity`: the shift were an influence surely absent, surely present. In the linear model the
  expected shift is linear in each confidence, so the slope is exact: mean strength if present x
  expected change at its source x total effect of its target on the stance.
* `flips`: the smallest set of influences without which the mean shift has the other sign.
* `best_interventions`: the concepts whose `do` moves the stance most per unit.

Beliefs belong to the person who holds them: this is for research on how people reason, not for
persuading or targeting anyone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.compile import Model, with_confidence
from beliefgraph.simulate.exact import reverse_moments
from beliefgraph.simulate.interventions import Amount, Plan, make_plan
from beliefgraph.simulate.options import Options, options_without_loops
from beliefgraph.simulate.paths import Path, Step, explain, linear_changes, step_of
from beliefgraph.simulate.result import Interval, central
from beliefgraph.simulate.sample import draw, run
from beliefgraph.simulate.shares import influences_on_paths

__all__ = [
    "Flip",
    "Leverage",
    "Sensitivity",
    "best_interventions",
    "flips",
    "sensitivity",
]

Floats = NDArray[np.float64]

_MOST_SETS: Final = 200_000
_MOST_CHECKS: Final = 300
_ROUNDING: Final = 1e-9
_REACH: Final = 0.5


@dataclass(frozen=True)
class Sensitivity:
    """How far the stance's shift hangs on whether one influence is held."""

    influence: Step
    """The influence, with its quotes."""
    absent: float
    """Mean shift were it surely absent."""
    present: float
    """Mean shift were it surely present."""

    @property
    def slope(self) -> float:
        """Change of the mean shift as the confidence goes from 0 to 1."""
        return self.present - self.absent

    def __str__(self) -> str:
        step = self.influence
        return (
            f"{step.source} -> {step.target} (confidence {step.confidence:.2f}): "
            f"shift {self.absent:+.3f} if absent, {self.present:+.3f} if present"
        )


@dataclass(frozen=True)
class Flip:
    """The smallest set of influences without which the stance would move the other way."""

    influences: tuple[Step, ...]
    """The influences, with their quotes."""
    shift: float
    """Mean shift with all influences."""
    without: float
    """Mean shift without these."""
    smallest: bool
    """Whether no smaller set was left untried."""

    def __str__(self) -> str:
        names = ", ".join(f"{step.source} -> {step.target}" for step in self.influences)
        return f"{self.shift:+.3f} becomes {self.without:+.3f} without {names}"


@dataclass(frozen=True)
class Leverage:
    """What one unit of `do` on a concept does to the stance."""

    concept: str
    """The concept."""
    per_unit: float
    """Mean change of the stance per unit."""
    interval: Interval
    """Central interval of that change over sampled worlds."""
    path: Path
    """The strongest path, with its quotes."""

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.concept}: {self.per_unit:+.3f} per unit [{low:+.3f}, {high:+.3f}]"


def sensitivity(
    graph: BeliefGraph,
    *,
    do: Mapping[str, Amount] | None = None,
    shift: Mapping[str, Amount] | None = None,
    **options: Any,
) -> tuple[Sensitivity, ...]:
    """Return how the mean shift hangs on each influence, the one that matters most first.

    Parameters
    ----------
    graph
        What the person believes.
    do, shift
        As for `intervene`.
    **options
        mechanism, n_samples, seed, noise_sd, bias: as for `intervene`. Loops are dropped. All
        variants share one draw. Baselines stay where they are: biases are solved anew.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("a", "b", 0.5, 0.8), ("b", "s", 0.5)], stance="s")
    >>> for item in sensitivity(g, do={"a": 1}, mechanism="linear"):
    ...     print(item)
    a -> b (confidence 0.80): shift +0.000 if absent, +0.250 if present
    b -> s (confidence 1.00): shift +0.000 if absent, +0.200 if present
    """
    checked = options_without_loops(graph, options, "sensitivity")
    model = checked.model
    plan = make_plan(model.names, do, shift, None)
    changes = linear_changes(model, plan)
    if model.linear:
        edges = influences_on_paths(model, changes, set(plan.do))
        found = _linear_sensitivity(model, changes, set(plan.do), edges)
    else:
        stance = model.ancestors(model.stance)
        stance[model.stance] = True
        edges = [e for e in range(model.edges) if stance[model.target[e]] and model.square[e] > 0]
        found = [_sampled_sensitivity(checked, plan, edge) for edge in edges]
    out = [
        Sensitivity(step_of(graph, model, edge), absent, present)
        for edge, (absent, present) in zip(edges, found, strict=True)
    ]
    return tuple(sorted(out, key=lambda item: -abs(item.slope)))


def _linear_sensitivity(
    model: Model, changes: dict[int, float], blocked: set[int], edges: list[int]
) -> list[tuple[float, float]]:
    change, effect = np.zeros(model.n), np.zeros(model.n)
    for start, amount in changes.items():
        change[start] += amount
    effect[model.stance] = 1
    for edge in edges:
        change[model.target[edge]] += model.mean[edge] * change[model.source[edge]]
    for edge in reversed(edges):
        effect[model.source[edge]] += model.mean[edge] * effect[model.target[edge]]
    total = sum(amount * effect[start] for start, amount in changes.items())
    out = []
    for edge in edges:
        confidence = model.confidence[edge]
        strength = model.mean[edge] / confidence
        slope = strength * change[model.source[edge]] * effect[model.target[edge]]
        absent = float(total - confidence * slope)
        out.append((absent, float(absent + slope)))
    return out


def _sampled_sensitivity(options: Options, plan: Plan, edge: int) -> tuple[float, float]:
    absent, present = (
        _mean_shift(options, _changed(options, {edge: confidence}), plan)
        for confidence in (0.0, 1.0)
    )
    return absent, present


def _changed(options: Options, confidences: dict[int, float]) -> Model:
    fixed = options.compile_with["bias"] or ()
    return with_confidence(options.model, confidences, fixed)


def _mean_shift(options: Options, model: Model, plan: Plan) -> float:
    draws = draw(model, options.seed, options.n_samples, options.backend)
    before = run(model, draws)
    after = run(model, draws, plan, before)
    change = after.row(model.stance) - before.row(model.stance)
    return float(change.mean(dtype=np.float64))


def flips(
    graph: BeliefGraph,
    *,
    do: Mapping[str, Amount] | None = None,
    shift: Mapping[str, Amount] | None = None,
    max_size: int = 4,
    **options: Any,
) -> Flip | None:
    """Return the smallest set of influences whose removal flips the sign of the mean shift.

    Of several sets of that size, the one that moves the stance furthest the other way in the
    linear model. With other mechanisms up to 300 sets of each size are sampled, in that order.

    Parameters
    ----------
    graph
        What the person believes.
    do, shift
        As for `intervene`.
    max_size
        Largest set to look for. Sets of a size are tried exhaustively while there are fewer than
        200,000 of them (300 where they are sampled); beyond, `smallest` is False.
    **options
        mechanism, n_samples, seed, noise_sd, bias: as for `intervene`. Loops are dropped.

    Returns
    -------
    Flip or None
        None where no such set was found (with paths of one sign there is none).

    Examples
    --------
    >>> g = BeliefGraph.from_edges(
    ...     [("a", "s", 0.6), ("a", "b", 0.5), ("b", "s", -0.5)], stance="s"
    ... )
    >>> print(flips(g, do={"a": 1}, mechanism="linear"))
    +0.350 becomes -0.250 without a -> s
    """
    if isinstance(max_size, bool) or not isinstance(max_size, int) or max_size < 1:
        raise InterventionError(f"max_size: give a whole number of at least 1, got {max_size!r}")
    checked = options_without_loops(graph, options, "flips")
    model = checked.model
    plan = make_plan(model.names, do, shift, None)
    changes = linear_changes(model, plan)
    edges = influences_on_paths(model, changes, set(plan.do))
    whole = float(_shifts_without(model, changes, edges, np.zeros((1, 0), dtype=np.int64))[0])
    total = whole if model.linear else _mean_shift(checked, model, plan)
    sign = np.sign(total)
    if sign == 0 or not edges:
        return None
    for sets, shifts, exhaustive in _candidates(model, changes, edges, sign, max_size):
        if model.linear:
            flipped = sign * shifts[0] < -_ROUNDING
            chosen, without = (sets[0], float(shifts[0])) if flipped else (None, 0.0)
        else:
            exhaustive &= len(sets) <= _MOST_CHECKS
            chosen, without = _first_flip(checked, plan, edges, sets[:_MOST_CHECKS], sign)
        if chosen is not None:
            steps = tuple(step_of(graph, model, edges[i]) for i in chosen.tolist())
            return Flip(steps, total, without, exhaustive)
    return None


def _first_flip(
    options: Options, plan: Plan, edges: list[int], sets: NDArray[np.int64], sign: float
) -> tuple[NDArray[np.int64] | None, float]:
    """Return the first set without which the sampled mean shift has the other sign."""
    for chosen in sets:
        absent = {edges[i]: 0.0 for i in chosen.tolist()}
        without = _mean_shift(options, _changed(options, absent), plan)
        if sign * without < -_ROUNDING:
            return chosen, without
    return None, 0.0


def _candidates(
    model: Model, changes: dict[int, float], edges: list[int], sign: float, max_size: int
) -> Iterator[tuple[NDArray[np.int64], Floats, bool]]:
    """Yield, size by size, sets with the linear shift without them, the furthest first.

    The third item says whether all sets of this size and the smaller ones are there.
    """
    best: tuple[int, ...] = ()
    exhaustive = True
    for size in range(1, min(max_size, len(edges)) + 1):
        exhaustive &= comb(len(edges), size) <= _MOST_SETS
        if exhaustive:
            sets = np.array(list(combinations(range(len(edges)), size)), dtype=np.int64)
        else:  # greedy: the best set of the size before and one more
            rest = [i for i in range(len(edges)) if i not in best]
            sets = np.array([(*best, i) for i in rest], dtype=np.int64)
        shifts = _shifts_without(model, changes, edges, sets)
        order = np.argsort(sign * shifts, kind="stable")
        best = tuple(sets[order[0]].tolist())
        yield sets[order], shifts[order], exhaustive


def _shifts_without(
    model: Model, changes: dict[int, float], edges: list[int], sets: NDArray[np.int64]
) -> Floats:
    """Return the expected linear shift without each set of influences, all sets at once."""
    count = len(sets)
    keep = np.ones((len(edges), count))
    if sets.shape[1]:
        keep[sets.T, np.arange(count)] = 0
    change = np.zeros((model.n, count))
    for start, amount in changes.items():
        change[start] += amount
    for i, edge in enumerate(edges):
        change[model.target[edge]] += model.mean[edge] * keep[i] * change[model.source[edge]]
    return np.asarray(change[model.stance])


def best_interventions(
    graph: BeliefGraph, *, k: int | None = 5, **options: Any
) -> tuple[Leverage, ...]:
    """Return the concepts whose `do` moves the stance most per unit, the strongest first.

    Exact in the linear model (one reverse pass); with other mechanisms the stance is compared
    between half a unit above and half a unit below the present level (cut to [-1, 1]).

    Parameters
    ----------
    graph
        What the person believes.
    k
        How many; None for all that can move it.
    **options
        mechanism, n_samples, seed, level, noise_sd, bias: as for `intervene`. Loops are dropped.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("a", "b", 0.5), ("b", "s", -0.8)], stance="s")
    >>> [str(item) for item in best_interventions(g, mechanism="linear")]
    ['b: -0.800 per unit [-0.800, -0.800]', 'a: -0.400 per unit [-0.400, -0.400]']
    """
    checked = options_without_loops(graph, options, "best_interventions")
    model = checked.model
    reach = np.flatnonzero(model.ancestors(model.stance)).tolist()
    exact, _ = reverse_moments(model, model.stance)
    draws = draw(model, checked.seed, max(checked.n_samples, 2), checked.backend)
    base = run(model, draws)
    found = []
    for concept in reach:
        low, high = (
            float(np.clip(model.level[concept] + side * _REACH, -1, 1)) for side in (-1, 1)
        )
        rows = []
        for value in (low, high):
            plan = make_plan(model.names, {model.names[concept]: value}, None, None)
            rows.append(run(model, draws, plan, base).row(model.stance))
        per_unit = (rows[1] - rows[0]) / np.float32(high - low)
        mean = exact[concept] if model.linear else per_unit.mean(dtype=np.float64)
        unit = make_plan(model.names, None, {model.names[concept]: 1.0}, None)
        paths = explain(graph, model, unit, 1).paths
        if paths:
            interval = central(per_unit, checked.level)
            found.append(Leverage(model.names[concept], float(mean), interval, paths[0]))
    found.sort(key=lambda item: -abs(item.per_unit))
    return tuple(found[:k])
