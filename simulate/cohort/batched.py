"""Cohorts without compiled kernels: people side by side in padded arrays, on numpy or on torch.

Axis 0 is the person; each person's places are padded to the longest, in causal order. The same code
runs on numpy and, through `beliefgraph.simulate.torch_backend`, on a graphics card. Recursions and
draws are those of `beliefgraph.simulate.cohort.kernels`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beliefgraph.simulate.cohort.model import CohortModel
from beliefgraph.simulate.cohort.plans import Touches
from beliefgraph.simulate.noise import CHUNK, HALF, MIX_1, MIX_2, ROW, WEYL

__all__ = ["Answers", "NumpyArrays", "exact_batch", "sampled_batch"]

Floats = NDArray[np.float64]


class NumpyArrays:
    """The array operations that differ between numpy and torch, in numpy."""

    xp: Any = np

    def put(self, array: NDArray[Any]) -> Any:
        """Take a numpy array to where the computing is done."""
        return array

    def get(self, array: Any) -> NDArray[Any]:
        """Bring an array back to numpy."""
        return np.asarray(array)

    def empty(self, shape: tuple[int, ...], like: Any) -> Any:
        """Return an array of zeros with the type of another."""
        return np.zeros(shape, dtype=like.dtype)

    def cast(self, array: Any, kind: Any) -> Any:
        """Return it in another type."""
        return array.astype(kind)

    def mean(self, array: Any) -> Any:
        """Return the mean over the last axis in double precision."""
        return array.mean(-1, dtype=np.float64)

    def sort(self, array: Any) -> Any:
        """Return it sorted along the last axis."""
        return np.sort(array, axis=-1)

    def _bits(self, keys: Any, rows: Any, first: int, count: int) -> Any:
        """(..., count) 64-bit numbers of rows; keys (..., 2) and rows (...) have one shape."""
        start = keys[..., 0] + (rows.astype(np.uint64) * np.uint64(ROW) + np.uint64(first)) * (
            np.uint64(WEYL)
        )
        x = start[..., None] + np.arange(count, dtype=np.uint64) * np.uint64(WEYL)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(MIX_1)
        x ^= keys[..., 1, None]
        x = (x ^ (x >> np.uint64(27))) * np.uint64(MIX_2)
        return x ^ (x >> np.uint64(31))

    def normals(self, keys: Any, rows: Any, n_samples: int) -> Any:
        """(..., n_samples) standard normals: those of `beliefgraph.simulate.noise.normals`."""
        chunks = -(-n_samples // CHUNK)
        words = self._bits(keys, rows, 0, chunks * HALF).view(np.uint32)
        words = words >> np.uint32(9) | np.uint32(0x3F800000)
        pairs = words.view(np.float32).reshape(*rows.shape, chunks, HALF, 2)
        radius = np.sqrt(np.float32(-2) * np.log(np.float32(2) - pairs[..., 0]))
        angle = (pairs[..., 1] - np.float32(1)) * np.float32(2 * np.pi)
        both = np.stack([np.cos(angle) * radius, np.sin(angle) * radius], axis=-2)
        return both.reshape(*rows.shape, chunks * CHUNK)[..., :n_samples]

    def coins(self, keys: Any, rows: Any, n_samples: int) -> Any:
        """(..., n_samples) whole numbers below 65,536, those of `noise.coins`."""
        words = self._bits(keys, rows, 0, -(-n_samples // 4))
        return words.view(np.uint16).astype(np.int32)[..., :n_samples]


@dataclass(frozen=True, eq=False)
class Answers:
    """Summaries of R rows: one a person (the stance), or one a concept of every person."""

    before: Floats
    """(R,) mean before."""
    shift: Floats
    """(S, R) mean shift."""
    sd: Floats
    """(S, R) its standard deviation over worlds."""
    low: Floats | None = None
    """(S, R) interval of the shift; None where it follows from mean and sd."""
    high: Floats | None = None
    """(S, R) its upper end."""
    positive: Floats | None = None
    """(S, R) share of the worlds in which the shift is above 0."""


class _Padded:
    """Index arrays of a block: (B, n) places and (B, n, D) influences into them."""

    def __init__(self, arrays: Any, model: CohortModel, touches: Touches) -> None:
        table = model.table
        self.arrays = arrays
        size = np.diff(table.first)
        self.people, self.n = len(table), int(size.max(initial=1))
        self.place = np.arange(len(table.name)) - table.first[:-1][table.owner]
        self.flat = table.owner * self.n + self.place
        into = table.edge_owner * self.n + table.target
        starts = np.searchsorted(into, np.arange(self.people * self.n))
        rank = np.arange(len(into)) - starts[into]
        self.most = int(rank.max(initial=-1)) + 1
        self.slot = into * max(self.most, 1) + rank
        self.edge_count = int(np.diff(table.edges).max(initial=0))
        self.source = self.by_edge(table.source.astype(np.int64), 0)
        self.degree = np.zeros(self.n, dtype=np.int64)
        np.maximum.at(self.degree, table.target, rank + 1)
        self.who = arrays.put(np.arange(self.people))
        # (T, B, n): what is done to each place
        held = np.zeros((len(touches.mean), self.people, self.n), dtype=bool)
        pushed, noise = np.zeros_like(held), np.full(held.shape, np.nan)
        for t, place in enumerate(touches.place):
            at = np.flatnonzero((place >= 0) & table.usable)
            (held if touches.held[t] else pushed)[t, at, place[at]] = True
            noise[t, at, place[at]] = touches.noise[t]
        self.held, self.pushed, self.noise = held, pushed, noise

    def by_place(self, values: NDArray[Any], fill: float) -> Any:
        """(N,) -> (B, n)."""
        out = np.full(self.people * self.n, fill, dtype=values.dtype)
        out[self.flat] = values
        return self.arrays.put(out.reshape(self.people, self.n))

    def by_edge(self, values: NDArray[Any], fill: float) -> Any:
        """(E,) -> (B, n, D)."""
        width = max(self.most, 1)
        out = np.full(self.people * self.n * width, fill, dtype=values.dtype)
        out[self.slot] = values
        return self.arrays.put(out.reshape(self.people, self.n, width))

    def scenario(self, touches: Touches, s: int) -> tuple[Any, ...]:
        """Return (B, n) arrays of one scenario: held, touched, mean, variance, noise."""
        at = range(int(touches.first[s]), int(touches.first[s + 1]))
        shape = (self.people, self.n)
        held, touched = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
        mean, variance, noise = np.zeros(shape), np.zeros(shape), np.full(shape, np.nan)
        for t in at:
            here = self.held[t] | self.pushed[t]
            held |= self.held[t]
            touched |= here
            mean[here], variance[here] = touches.mean[t], touches.variance[t]
            noise = np.where(np.isnan(self.noise[t]), noise, self.noise[t])
        return tuple(self.arrays.put(a) for a in (held, touched, mean, variance, noise))

    def rows(self, found: Any, model: CohortModel, *, every: bool) -> Any:
        """(B, n) -> (R,)."""
        if every:
            return self.arrays.get(found).reshape(-1)[self.flat]
        return self.arrays.get(found)[np.arange(self.people), model.table.stance]


def exact_batch(arrays: Any, model: CohortModel, touches: Touches, *, every: bool) -> Answers:
    """Return exact means and standard deviations of a block (linear mechanism)."""
    xp, pad = arrays.xp, _Padded(arrays, model, touches)
    n, who = pad.n, pad.who
    mean, spread = pad.by_edge(model.mean, 0), pad.by_edge(model.spread, 0)
    bias, variance = pad.by_place(model.bias, 0), pad.by_place(model.variance, 0)
    noise_sd = pad.by_place(model.noise_sd, 0)
    shape = (pad.people, n, n)
    cov, mu = arrays.empty(shape, mean), arrays.empty(shape[:2], mean)
    for j in range(n):
        row, total, own = arrays.empty(shape[:2], mean), bias[:, j], variance[:, j]
        inputs = [(pad.source[:, j, d], mean[:, j, d], spread[:, j, d])
                  for d in range(int(pad.degree[j]))]  # fmt: skip
        for i, m, v in inputs:
            total = total + m * mu[who, i]
            row = row + m[:, None] * cov[who, i]
            own = own + v * (cov[who, i, i] + mu[who, i] ** 2)
        for i, m, _ in inputs:
            own = own + m * row[who, i]
        mu[:, j] = total
        cov[:, j], cov[:, :, j] = row, row
        cov[:, j, j] = own
    shifts, sds = [], []
    for s in range(len(touches.problems)):
        held, _, amount, drawn, noise = pad.scenario(touches, s)
        change = xp.where(xp.isnan(noise), noise_sd, noise) - noise_sd
        delta, diff = arrays.empty(shape[:2], mean), arrays.empty(shape, mean)
        x_d, d_x = arrays.empty(shape, mean), arrays.empty(shape, mean)
        for j in range(n):
            inputs = [(pad.source[:, j, d], mean[:, j, d], spread[:, j, d])
                      for d in range(int(pad.degree[j]))]  # fmt: skip
            zero = arrays.empty(shape[:2], mean)
            d_row, x_row, free_x = zero, zero, zero
            total = amount[:, j]
            own, both = drawn[:, j] + change[:, j] ** 2, noise_sd[:, j] * change[:, j]
            for i, m, v in inputs:
                total = total + m * delta[who, i]
                d_row = d_row + m[:, None] * diff[who, i]
                x_row = x_row + m[:, None] * x_d[who, i]
                free_x = free_x + m[:, None] * d_x[who, i]
                own = own + v * (diff[who, i, i] + delta[who, i] ** 2)
                both = both + v * (x_d[who, i, i] + mu[who, i] * delta[who, i])
            for i, m, _ in inputs:
                own = own + m * d_row[who, i]
                both = both + m * x_row[who, i]
            fixed = held[:, j]
            delta[:, j] = xp.where(fixed, amount[:, j] - mu[:, j], total)
            row = xp.where(fixed[:, None], -x_row, d_row)
            diff[:, j], diff[:, :, j] = row, row
            diff[:, j, j] = xp.where(fixed, drawn[:, j] + cov[:, j, j], own)
            x_of_d = xp.where(fixed[:, None], -cov[:, j], free_x)
            x_d[:, j], x_d[:, :, j] = x_row, x_of_d
            d_x[:, j], d_x[:, :, j] = x_of_d, x_row
            both = xp.where(fixed, -cov[:, j, j], both)
            x_d[:, j, j], d_x[:, j, j] = both, both
        own = xp.diagonal(diff, 0, 1, 2)
        shifts.append(pad.rows(delta, model, every=every))
        sds.append(np.sqrt(np.maximum(pad.rows(own, model, every=every), 0)))
    return Answers(pad.rows(mu, model, every=every), np.array(shifts), np.array(sds))


def sampled_batch(
    arrays: Any,
    model: CohortModel,
    touches: Touches,
    keys: NDArray[np.uint64],
    level_pushes: dict[int, NDArray[np.float32]],
    n_samples: int,
    tail: float,
    *,
    every: bool,
) -> Answers:
    """Return the summaries of sampled worlds of a block.

    `level_pushes` holds the push of each concept, by flat number, whose level is uncertain.
    """
    xp, pad = arrays.xp, _Padded(arrays, model, touches)
    own_keys = arrays.put(np.repeat(keys[:, None, :], pad.n, axis=1))
    position = pad.by_place(model.table.position.astype(np.int64), 0)
    standard = arrays.normals(own_keys[..., :2], position, n_samples)
    strengths = _strengths(arrays, pad, model, keys, n_samples)
    extra = None
    if level_pushes:
        rows = np.zeros((pad.people * pad.n, n_samples), dtype=np.float32)
        rows[pad.flat[list(level_pushes)]] = np.array(list(level_pushes.values()))
        extra = arrays.put(rows.reshape(pad.people, pad.n, n_samples))
    bias = pad.by_place(model.bias.astype(np.float32), 0)
    sd = pad.by_place(model.noise_sd.astype(np.float32), 0)
    kind = pad.by_place(model.code, 0)
    theta = pad.by_place(model.theta, 0.5)

    def propagate(done: tuple[Any, ...] | None) -> Any:
        values = arrays.empty((pad.people, pad.n, n_samples), standard)
        for j in range(pad.n):
            constant, scale = bias[:, j], sd[:, j]
            if done is not None:
                held, _, amount, noise = done
                constant = constant + xp.where(held[:, j], 0 * amount[:, j], amount[:, j])
                scale = xp.where(xp.isnan(noise[:, j]), scale, noise[:, j])
            total = scale[:, None] * standard[:, j] + constant[:, None]
            if extra is not None:
                total = total + extra[:, j]
            for d in range(int(pad.degree[j])):
                total = total + strengths[j][d] * values[pad.who, pad.source[:, j, d]]
            total = _respond(xp, total, kind[:, j, None], theta[:, j, None], model)
            if done is not None:
                total = xp.where(held[:, j, None], amount[:, j, None], total)
            values[:, j] = total
        return values

    if not every:
        stance = arrays.put(model.table.stance)
    base = propagate(None)
    before = pad.rows(arrays.mean(base), model, every=every)
    found: dict[str, list[Any]] = {"shift": [], "sd": [], "low": [], "high": [], "positive": []}
    for s in range(len(touches.problems)):
        held, touched, amount, _, noise = pad.scenario(touches, s)
        single = standard.dtype
        done = (held, touched, *(arrays.cast(a, single) for a in (amount, noise)))
        change = propagate(done) - base
        if not every:
            change = change[pad.who, stance]
        mean = arrays.mean(change)
        apart = arrays.cast(change, mean.dtype) - mean[..., None]
        ordered = arrays.sort(change)
        parts = {
            "shift": mean,
            "sd": xp.sqrt((apart**2).mean(-1)),
            "low": _at(ordered, (n_samples - 1) * tail),
            "high": _at(ordered, (n_samples - 1) * (1 - tail)),
            "positive": (change > 0).sum(-1) / n_samples,
        }
        for name, value in parts.items():
            back = arrays.get(value).astype(float)
            found[name].append(back.reshape(-1)[pad.flat] if every else back)
    return Answers(before, **{name: np.array(item) for name, item in found.items()})


def _strengths(
    arrays: Any, pad: _Padded, model: CohortModel, keys: NDArray[np.uint64], n_samples: int
) -> list[list[Any]]:
    """Return, by place and input, (B, 1 or n_samples) strengths."""
    xp, table, coins = arrays.xp, model.table, model.coins
    fixed = pad.by_edge(np.where(coins.certain, model.mean, 0).astype(np.float32), 0)
    row = pad.by_edge(coins.row.astype(np.int64), 0)
    count = np.where(coins.certain, 0, np.diff(table.mentions))
    most = int(count.max(initial=0))
    ends, weights = [], []
    for m in range(most):
        at = np.minimum(table.mentions[:-1] + m, len(table.weight) - 1)
        use = count > m
        ends.append(pad.by_edge(np.where(use, coins.limit[at], 0), 0))
        weights.append(pad.by_edge(np.where(use, table.weight[at], 0).astype(np.float32), 0))
    uncertain = np.zeros((pad.n, max(pad.most, 1)), dtype=bool)
    np.logical_or.at(uncertain.reshape(-1), pad.slot % uncertain.size, ~coins.certain)
    own_keys = arrays.put(keys[:, 2:])
    out: list[list[Any]] = []
    for j in range(pad.n):
        out.append([])
        for d in range(int(pad.degree[j])):
            worn = fixed[:, j, d, None]
            if uncertain[j, d]:
                toss = arrays.coins(own_keys, row[:, j, d], n_samples)
                for end, weight in zip(reversed(ends), reversed(weights), strict=True):
                    worn = xp.where(toss < end[:, j, d, None], weight[:, j, d, None], worn)
            out[j].append(worn)
    return out


def _respond(xp: Any, total: Any, kind: Any, theta: Any, model: CohortModel) -> Any:
    """Turn pushes into values by each concept's mechanism."""
    codes = {item.code for item in model.mechanisms}
    out = total
    if 1 in codes:
        out = xp.where(kind == 1, xp.tanh(total), out)
    if 2 in codes:
        out = xp.where(kind == 2, xp.tanh(total * 0.5), out)
    if 3 in codes:
        out = xp.where(kind == 3, xp.sign(total) * (xp.abs(total) >= theta), out)
    return out


def _at(ordered: Any, spot: float) -> Any:
    """Return the interpolated order statistic of sorted values."""
    below = min(int(spot), ordered.shape[-1] - 1)
    above = min(below + 1, ordered.shape[-1] - 1)
    return ordered[..., below] + (spot - below) * (ordered[..., above] - ordered[..., below])
