r"""Abduction: noise and influences, inferred from what was observed.

A concept that was observed together with all its parents tells its push exactly,
e_j = f^{-1}(x_j) - b_j - sum_i w_ij x_i, so its incoming influences are drawn from their exact
posterior, p(w) N(e_j; 0, s_j), by enumerating them (or by importance resampling beyond 4,096
combinations). With every concept observed nothing else is left to infer, and given the influences
the noise is exact.

Where only some concepts are observed, the noise is inferred by Gaussian conditioning (linear;
worlds are weighted by the marginal likelihood of the observations) or by likelihood weighting (Fung
& Chang 1990; other mechanisms: observed concepts are held at their values, worlds weighted by the
density of the noise that this takes). The effective number of worlds is (sum w)^2 / sum w^2 (Kong
1992). Uncertainty of levels counts as noise, with a normal density of its mean and variance.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.simulate.compile import Model
from beliefgraph.simulate.noise import coins, edge_strengths, level_push, normals, uniforms
from beliefgraph.simulate.sample import coin_rows

__all__ = ["FEW_WORLDS", "Abduced", "abduce_enough", "inward", "outside_moments"]

Floats = NDArray[np.float64]

FEW_WORLDS: Final = 200
"""Effective worlds below which intervals are rough."""
_MOST_COMBINATIONS: Final = 4096
_NO_WORLDS: Final = 5
_ROUNDS: Final = 4
_CHUNK: Final = 4096
_EDGES: Final = 7


@dataclass(frozen=True, eq=False)
class Abduced:
    """Worlds that agree with what was observed."""

    push: list[Floats]
    """(n,) arrays: bias + noise of each concept in each world."""
    strengths: list[Floats | float]
    """(E,) strength of each influence in each world."""
    values: list[Floats]
    """(n,) arrays: factual values."""
    log_weight: Floats
    """(n_samples,) logarithm of the weight of each world."""


def outside_moments(model: Model) -> tuple[Floats, Floats]:
    """Return mean and sd (n,) of what enters each concept from outside: bias, level and noise."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    weights = weights / weights.sum()
    mean, variance = np.array(model.bias), model.noise_sd**2
    for j in np.flatnonzero(model.level_sd):
        law, at = model.mechanisms[j], model.level[j]
        push = law.inverse(at + model.level_sd[j] * nodes) - law.inverse(at)
        offset = weights @ push
        mean[j] += offset
        variance[j] += weights @ (push - offset) ** 2
    return mean, np.sqrt(variance)


def abduce_enough(
    model: Model, seen: dict[int, float], seed: np.random.SeedSequence, n_samples: int
) -> tuple[Abduced, Floats, float]:
    """Draw worlds until enough of them agree with what was observed."""
    count = n_samples
    for round_ in range(_ROUNDS):
        abduced = _abduce(model, seen, seed, count)
        top = abduced.log_weight.max()
        weights = np.exp(abduced.log_weight - top) if np.isfinite(top) else np.zeros(count)
        total = weights.sum()
        ess = float(total**2 / (weights**2).sum()) if total > 0 else 0.0
        if ess >= min(FEW_WORLDS, n_samples / 2) or round_ == _ROUNDS - 1:
            break
        count *= 4
    if ess < min(_NO_WORLDS, n_samples):
        raise InterventionError(
            f"observed: of {count} sampled worlds, {ess:.1f} agree with what was observed; it is "
            "too unlikely under this graph for anything to be said. Observe fewer concepts, give "
            "more noise, or draw more (n_samples)"
        )
    return abduced, weights, ess


def _abduce(
    model: Model, seen: dict[int, float], seed: np.random.SeedSequence, count: int
) -> Abduced:
    """Infer noise and influences in every world."""
    mean, sd = outside_moments(model)
    tosses = coins(seed, coin_rows(model), count)
    strengths: list[Floats | float] = [
        float(model.mean[edge])
        if model.certain[edge]
        else edge_strengths(model, edge, tosses, count).astype(float)
        for edge in range(model.edges)
    ]
    closed = {}
    pushes = {j: float(model.mechanisms[j].abduct(value)) for j, value in seen.items()}
    for place, j in enumerate(model.order.tolist()):
        edges = list(model.parents(place))
        if j in seen and all(int(model.source[edge]) in seen for edge in edges):
            inputs = np.array([seen[int(model.source[edge])] for edge in edges])
            chosen = _posterior(
                model, j, edges, inputs, (pushes[j] - mean[j]) / sd[j], sd[j], seed, count
            )
            closed[j] = True
            for edge, values in zip(edges, chosen, strict=True):
                if not model.certain[edge]:
                    strengths[edge] = values
    if model.linear and len(seen) < model.n:
        return _condition(model, seen, closed, strengths, mean, sd, seed, count)
    return _weigh(model, seen, closed, pushes, strengths, mean, sd, seed, count)


def _posterior(
    model: Model,
    j: int,
    edges: list[int],
    inputs: Floats,
    push: float,
    sd: float,
    seed: np.random.SeedSequence,
    count: int,
) -> list[Floats]:
    """Draw the influences into an observed concept whose parents are observed, given all values.

    `push` is what the parents and the noise must add up to, in units of the noise's `sd`.
    """
    if not edges:
        return []
    options = [
        [
            *((w, p * model.confidence[edge]) for w, p in model.mentions[edge] if p > 0),
            *([(0.0, 1 - model.confidence[edge])] if model.confidence[edge] < 1 else []),
        ]
        for edge in edges
    ]
    uniform = uniforms(seed, _EDGES, j, count)
    if np.prod([len(option) for option in options], dtype=float) <= _MOST_COMBINATIONS:
        worlds = list(itertools.product(*options))
        table = np.array([[w for w, _ in world] for world in worlds]).reshape(-1, len(edges))
        prior = np.array([np.prod([p for _, p in world]) for world in worlds])
    else:
        tosses = coins(seed, coin_rows(model), count)
        table = np.stack(
            [edge_strengths(model, edge, tosses, count).astype(float) for edge in edges], axis=1
        )
        prior = np.full(count, 1 / count)
    misfit = push - table @ inputs / sd
    with np.errstate(divide="ignore"):
        log = np.log(prior) - misfit**2 / 2
    weights = np.exp(log - log.max())
    ends = np.cumsum(weights) / weights.sum()
    picked = np.searchsorted(ends, uniform, side="right").clip(0, len(table) - 1)
    return [table[picked, column] for column in range(len(edges))]


def _outside_draws(
    model: Model, seed: np.random.SeedSequence, count: int
) -> tuple[NDArray[np.float32], dict[int, Floats]]:
    standard = normals(seed, model.n, count)
    levels = {
        int(j): level_push(model, seed, int(j), count).astype(float)
        for j in np.flatnonzero(model.level_sd)
    }
    return standard, levels


def _condition(
    model: Model,
    seen: dict[int, float],
    closed: dict[int, bool],
    strengths: list[Floats | float],
    mean: Floats,
    sd: Floats,
    seed: np.random.SeedSequence,
    count: int,
) -> Abduced:
    """Linear: draw the noise from its Gaussian posterior, weigh worlds by marginal likelihood."""
    n = model.n
    standard, levels = _outside_draws(model, seed, count)
    drawn = np.stack(
        [
            model.bias[j] + model.noise_sd[j] * standard[j].astype(float) + levels.get(j, 0.0)
            for j in range(n)
        ]
    )
    at = np.array(list(seen))
    target = np.array(list(seen.values()))
    log_weight = np.empty(count)
    push = np.empty((n, count))
    for first in range(0, count, _CHUNK):
        part = slice(first, min(first + _CHUNK, count))
        width = part.stop - part.start
        load = np.zeros((width, n, n))
        for place, j in enumerate(model.order.tolist()):
            load[:, j, j] = 1
            for edge in model.parents(place):
                strength = strengths[edge]
                w = strength if isinstance(strength, float) else strength[part, None]
                load[:, j] += w * load[:, model.source[edge]]
        seen_load = load[:, at]
        scaled = seen_load * sd**2
        cov = scaled @ seen_load.transpose(0, 2, 1)
        away = target - seen_load @ mean
        solved = np.linalg.solve(cov, away[:, :, None])[:, :, 0]
        log = -0.5 * ((away * solved).sum(axis=1) + np.linalg.slogdet(cov)[1])
        log_weight[part] = log - _closed_density(model, seen, closed, strengths, mean, sd, part)
        miss = target - np.einsum("skn,ns->sk", seen_load, drawn[:, part])
        gain = np.linalg.solve(cov, miss[:, :, None])
        push[:, part] = drawn[:, part] + (scaled.transpose(0, 2, 1) @ gain)[:, :, 0].T
    values: list[Floats] = [np.empty(0)] * n
    for place, j in enumerate(model.order.tolist()):
        pushed = inward(model, place, strengths, values)
        if j in seen:  # the sum of its parts, but for rounding
            values[j] = np.full(count, seen[j])
            push[j] = seen[j] - pushed
        else:
            values[j] = push[j] + pushed
    return Abduced(list(push), strengths, values, log_weight)


def _closed_density(
    model: Model,
    seen: dict[int, float],
    closed: dict[int, bool],
    strengths: list[Floats | float],
    mean: Floats,
    sd: Floats,
    part: slice,
) -> Floats | float:
    """Log density of closed concepts: it chose their influences, so it must not count twice."""
    total: Floats | float = 0.0
    for place, j in enumerate(model.order.tolist()):
        if j not in closed:
            continue
        away: Any = seen[j] - mean[j]
        for edge in model.parents(place):
            strength = strengths[edge]
            w = strength if isinstance(strength, float) else strength[part]
            away = away - w * seen[int(model.source[edge])]
        total = total - 0.5 * (away / sd[j]) ** 2 - np.log(sd[j])
    return total


def _weigh(
    model: Model,
    seen: dict[int, float],
    closed: dict[int, bool],
    pushes: dict[int, float],
    strengths: list[Floats | float],
    mean: Floats,
    sd: Floats,
    seed: np.random.SeedSequence,
    count: int,
) -> Abduced:
    """Other mechanisms: hold what was observed, weigh worlds by the density of its noise."""
    standard, levels = _outside_draws(model, seed, count)
    values: list[Floats] = [np.empty(0)] * model.n
    push: list[Floats] = [np.empty(0)] * model.n
    log_weight = np.zeros(count)
    for place, j in enumerate(model.order.tolist()):
        pushed = inward(model, place, strengths, values)
        if j in seen:
            push[j] = np.asarray(pushes[j] - pushed) + np.zeros(count)
            values[j] = np.full(count, seen[j])
            if j not in closed:
                log_weight -= 0.5 * ((push[j] - mean[j]) / sd[j]) ** 2
        else:
            push[j] = model.bias[j] + model.noise_sd[j] * standard[j].astype(float)
            push[j] = push[j] + levels.get(j, 0.0)
            values[j] = model.mechanisms[j].forward(push[j] + pushed).astype(float)
    return Abduced(push, strengths, values, log_weight)


def inward(
    model: Model, place: int, strengths: list[Floats | float], values: list[Floats]
) -> Floats | float:
    """Return the pushes of its parents on the concept at a place of the order."""
    total: Floats | float = 0.0
    for edge in model.parents(place):
        total = total + strengths[edge] * values[model.source[edge]]
    return total
