"""Compiled kernels of cohorts: one person after the other, every scenario (numba, optional).

`exact_people` follows the recursions of `beliefgraph.simulate.exact` for the world before (x) and
the difference d that a scenario makes, so that only what a scenario reaches is computed:

    Cov(d_j, d_k) = sum_i m_ij Cov(d_i, d_k)
    Var(d_j) = sum m m Cov(d, d) + sum v (Var(d_i) + E[d_i]^2)      (j not held)
    d_j = value - x_j                                               (j held)

A held concept below another one that is touched needs Cov(x, d) too. `sampled_people` draws the
worlds that `intervene` draws for one person with that person's seed.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np

from beliefgraph.simulate.kernels import _respond
from beliefgraph.simulate.kernels_noise import CACHE, coins_row, normals_row
from beliefgraph.simulate.noise import CHUNK

__all__ = ["exact_people", "sampled_people"]

_TILE: Final = CHUNK
_F4: Final = np.float32
_ZERO = _F4(0)


@numba.njit(inline="always", error_model="numpy", fastmath={"contract"}, cache=CACHE)
def _add(row: Any, weight: Any, other: Any, width: int) -> None:
    for k in range(width):
        row[k] += weight * other[k]


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
def exact_people(
    first: Any,
    edges: Any,
    source: Any,
    target: Any,
    mean: Any,
    spread: Any,
    bias: Any,
    variance: Any,
    noise_sd: Any,
    stance: Any,
    usable: Any,
    touch_first: Any,
    touch_place: Any,
    touch_held: Any,
    touch_mean: Any,
    touch_var: Any,
    touch_noise: Any,
    asked: Any,
    every: bool,
    width: int,
    before: Any,
    shift: Any,
    sd: Any,
) -> None:
    """Fill before (R,), shift and sd (S, R): R is one row a person, or with `every` one a concept.

    `width` is the most places of a person, rounded up to 8.
    """
    cov = np.zeros((width, width))  # Cov(x, x)
    diff = np.zeros((width, width))  # Cov(d, d)
    x_d = np.zeros((width, width))  # [j, k]: Cov(x_j, d_k)
    d_x = np.zeros((width, width))  # [j, k]: Cov(d_j, x_k)
    mu = np.zeros(width)
    delta = np.zeros(width)
    start = np.zeros(width + 1, dtype=np.int64)
    needed = np.zeros(width, dtype=np.bool_)
    above = np.zeros(width, dtype=np.bool_)
    reached = np.zeros(width, dtype=np.bool_)
    touch_of = np.full(width, -1, dtype=np.int64)
    for person in range(len(first) - 1):
        if not usable[person]:
            continue
        b = first[person]
        n = first[person + 1] - b
        e0, e1 = edges[person], edges[person + 1]
        last = n - 1 if every else stance[person]
        e = e0
        for j in range(n):
            start[j] = e
            while e < e1 and target[e] == j:
                e += 1
        start[n] = e
        for j in range(n):
            needed[j] = every
            above[j] = False
        needed[last] = True
        for e in range(start[last + 1] - 1, e0 - 1, -1):
            if needed[target[e]]:
                needed[source[e]] = True
        # variances are needed of held concepts and what leads to them
        deepest, several = -1, False
        for s in range(len(touch_first) - 1):
            if asked[s, person]:
                several |= touch_first[s + 1] - touch_first[s] > 1
                for t in range(touch_first[s], touch_first[s + 1]):
                    place = touch_place[t, person]
                    if touch_held[t] and place <= last and needed[place]:
                        above[place] = True
                        deepest = max(deepest, place)
        if several:
            deepest = last
            for j in range(last + 1):
                above[j] = needed[j]
        else:
            for e in range(start[deepest + 1] - 1, e0 - 1, -1):
                if above[target[e]]:
                    above[source[e]] = True
        for j in range(last + 1):
            total = bias[b + j]
            for e in range(start[j], start[j + 1]):
                total += mean[e] * mu[source[e]]
            mu[j] = total
        for j in range(deepest + 1):
            if not above[j]:
                continue
            row = cov[j]
            for k in range(width):
                row[k] = 0.0
            own = variance[b + j]
            for e in range(start[j], start[j + 1]):
                i = source[e]
                own += spread[e] * (cov[i, i] + mu[i] * mu[i])
                _add(row, mean[e], cov[i], width)
            for e in range(start[j], start[j + 1]):
                own += mean[e] * row[source[e]]
            row[j] = own
            for k in range(j):
                cov[k, j] = row[k]
        if every:
            for j in range(n):
                before[b + j] = mu[j]
        else:
            before[person] = mu[last]
        for s in range(len(touch_first) - 1):
            if not asked[s, person]:
                continue
            t0, t1 = touch_first[s], touch_first[s + 1]
            low = last + 1
            for t in range(t0, t1):
                place = touch_place[t, person]
                touch_of[place] = t
                low = min(low, place)
            coupled = t1 - t0 > 1
            begin = 0 if coupled else low
            for j in range(last + 1):
                reached[j] = False
            for j in range(begin, last + 1):
                if not needed[j]:
                    continue
                t = touch_of[j]
                row, own, total = diff[j], 0.0, 0.0
                for k in range(width):
                    row[k] = 0.0
                moved = t >= 0
                held = moved and touch_held[t]
                if held:
                    total = touch_mean[t] - mu[j]
                    own = touch_var[t] + cov[j, j]
                    if coupled:
                        for e in range(start[j], start[j + 1]):
                            _add(row, -mean[e], x_d[source[e]], width)
                else:
                    if moved:
                        total, own = touch_mean[t], touch_var[t]
                        if not np.isnan(touch_noise[t]):
                            own += (touch_noise[t] - noise_sd[b + j]) ** 2
                    for e in range(start[j], start[j + 1]):
                        i = source[e]
                        if reached[i]:
                            moved = True
                            total += mean[e] * delta[i]
                            own += spread[e] * (diff[i, i] + delta[i] * delta[i])
                            _add(row, mean[e], diff[i], width)
                    for e in range(start[j], start[j + 1]):
                        if reached[source[e]]:
                            own += mean[e] * row[source[e]]
                if moved:
                    reached[j] = True
                    delta[j] = total
                    row[j] = own
                    for k in range(begin, j):
                        diff[k, j] = row[k]
                if coupled:
                    x_row, d_row = x_d[j], d_x[j]
                    for k in range(width):
                        x_row[k] = 0.0
                        d_row[k] = -cov[j, k] if held else 0.0
                    for e in range(start[j], start[j + 1]):
                        _add(x_row, mean[e], x_d[source[e]], width)
                    both = 0.0
                    if held:
                        both = -cov[j, j]
                    elif moved:
                        if t >= 0 and not np.isnan(touch_noise[t]):
                            both = noise_sd[b + j] * (touch_noise[t] - noise_sd[b + j])
                        for e in range(start[j], start[j + 1]):
                            i = source[e]
                            if reached[i]:
                                _add(d_row, mean[e], d_x[i], width)
                                both += spread[e] * (x_d[i, i] + mu[i] * delta[i])
                                both += mean[e] * x_row[i]
                    x_row[j] = both
                    d_row[j] = both
                    for k in range(j):
                        x_d[k, j] = d_row[k]
                        d_x[k, j] = x_row[k]
            for t in range(t0, t1):
                touch_of[touch_place[t, person]] = -1
            for j in range(last if not every else 0, last + 1):
                at = b + j if every else person
                shift[s, at] = delta[j] if reached[j] else 0.0
                sd[s, at] = np.sqrt(max(diff[j, j], 0.0)) if reached[j] else 0.0


@numba.njit(inline="always", error_model="numpy", cache=CACHE)
def _order_statistic(values: Any, spot: Any) -> Any:
    below = min(max(int(spot), 0), len(values) - 1)
    parted = np.partition(values, below)
    found = np.float64(parted[below])
    if below + 1 < len(values):
        above = parted[below + 1]
        for k in range(below + 2, len(values)):
            above = min(above, parted[k])
        found += (spot - below) * (np.float64(above) - found)
    return found


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
def sampled_people(
    first: Any,
    edges: Any,
    source: Any,
    target: Any,
    strength: Any,
    certain: Any,
    row: Any,
    mentions: Any,
    limit: Any,
    weight: Any,
    position: Any,
    bias: Any,
    noise_sd: Any,
    code: Any,
    theta: Any,
    extra_of: Any,
    extra: Any,
    keys: Any,
    stance: Any,
    usable: Any,
    touch_first: Any,
    touch_place: Any,
    touch_held: Any,
    touch_mean: Any,
    touch_noise: Any,
    asked: Any,
    every: bool,
    n_samples: int,
    tail: float,
    before: Any,
    shift: Any,
    sd: Any,
    low: Any,
    high: Any,
    positive: Any,
) -> None:
    """Fill the summaries of R rows (see `exact_people`): means, sd and interval of the shift."""
    most = most_edges = 0
    for person in range(len(first) - 1):
        most = max(most, first[person + 1] - first[person])
        most_edges = max(most_edges, edges[person + 1] - edges[person])
    scenarios = len(touch_first) - 1
    base = np.empty((most, _TILE), dtype=np.float32)
    world = np.empty((most, _TILE), dtype=np.float32)
    noise = np.empty((most, _TILE), dtype=np.float32)
    drawn = np.empty((most_edges, _TILE), dtype=np.float32)
    words = np.empty((4, _TILE // 2), dtype=np.uint32)
    numbers = np.empty(_TILE // 4, dtype=np.uint64)
    change = np.empty((scenarios, most if every else 1, n_samples), dtype=np.float32)
    sums = np.zeros(most)
    start = np.zeros(most + 1, dtype=np.int64)
    needed = np.zeros(most, dtype=np.bool_)
    reached = np.zeros(most, dtype=np.bool_)
    ever = np.zeros((scenarios, most), dtype=np.bool_)
    touch_of = np.full(most, -1, dtype=np.int64)
    for person in range(len(first) - 1):
        if not usable[person]:
            continue
        b = first[person]
        n = first[person + 1] - b
        e0, e1 = edges[person], edges[person + 1]
        last = n - 1 if every else stance[person]
        from_place = 0 if every else last
        e = e0
        for j in range(n):
            start[j] = e
            while e < e1 and target[e] == j:
                e += 1
            needed[j] = every
            sums[j] = 0.0
        start[n] = e
        needed[last] = True
        for e in range(start[last + 1] - 1, e0 - 1, -1):
            if needed[target[e]]:
                needed[source[e]] = True
        for begin in range(0, n_samples, _TILE):
            size = min(_TILE, n_samples - begin)
            for j in range(last + 1):
                if not needed[j]:
                    continue
                z = noise[j, :size]
                normals_row(
                    keys[person, 0], keys[person, 1], position[b + j], begin // _TILE, z, words
                )
                for e in range(start[j], start[j + 1]):
                    if certain[e]:
                        continue
                    coins_row(keys[person, 2], keys[person, 3], row[e], begin // 4, numbers)
                    toss = numbers.view(np.uint16)
                    worn = drawn[e - e0]
                    m = mentions[e + 1] - 1
                    end, w = limit[m], weight[m]
                    for s in range(size):
                        worn[s] = w if toss[s] < end else _ZERO
                    for m in range(mentions[e + 1] - 2, mentions[e] - 1, -1):
                        end, w = limit[m], weight[m]
                        for s in range(size):
                            worn[s] = w if toss[s] < end else worn[s]
            for k in range(scenarios + 1):
                if k and not asked[k - 1, person]:
                    continue
                if k:
                    for t in range(touch_first[k - 1], touch_first[k]):
                        touch_of[touch_place[t, person]] = t
                out = world if k else base
                for j in range(last + 1):
                    reached[j] = k == 0
                    if not needed[j]:
                        continue
                    t = touch_of[j]
                    moved = k == 0 or t >= 0
                    for e in range(start[j], start[j + 1]):
                        # strength that is 0 in every world carries nothing
                        moved |= reached[source[e]] and not (certain[e] and strength[e] == 0.0)
                    if not moved:
                        continue
                    reached[j] = True
                    total = out[j, :size]
                    if t >= 0 and touch_held[t]:
                        total[:] = _F4(touch_mean[t])
                        continue
                    scale, constant = _F4(noise_sd[b + j]), _F4(bias[b + j])
                    if t >= 0:
                        constant += _F4(touch_mean[t])
                        if not np.isnan(touch_noise[t]):
                            scale = _F4(touch_noise[t])
                    z = noise[j]
                    for s in range(size):
                        total[s] = scale * z[s] + constant
                    if extra_of[b + j] >= 0:
                        more = extra[extra_of[b + j], begin : begin + size]
                        for s in range(size):
                            total[s] += more[s]
                    for e in range(start[j], start[j + 1]):
                        i = source[e]
                        x = world[i] if reached[i] and k else base[i]
                        if certain[e]:
                            w = _F4(strength[e])
                            for s in range(size):
                                total[s] += w * x[s]
                        else:
                            worn = drawn[e - e0]
                            for s in range(size):
                                total[s] += worn[s] * x[s]
                    _respond(total, size, code[b + j], theta[b + j])
                if k == 0:
                    for j in range(from_place, last + 1):
                        for s in range(size):
                            sums[j] += base[j, s]
                    continue
                for t in range(touch_first[k - 1], touch_first[k]):
                    touch_of[touch_place[t, person]] = -1
                for j in range(from_place, last + 1):
                    ever[k - 1, j] = reached[j]
                    if reached[j]:
                        to = change[k - 1, j - from_place, begin : begin + size]
                        for s in range(size):
                            to[s] = world[j, s] - base[j, s]
        for j in range(from_place, last + 1):
            at = b + j if every else person
            before[at] = sums[j] / n_samples
            for k in range(scenarios):
                if not asked[k, person]:
                    continue
                if not ever[k, j]:
                    shift[k, at] = sd[k, at] = low[k, at] = high[k, at] = positive[k, at] = 0.0
                    continue
                values = change[k, j - from_place]
                total_1, above = 0.0, 0
                for s in range(n_samples):
                    total_1 += values[s]
                    above += values[s] > _ZERO
                centre = total_1 / n_samples
                total_2 = 0.0
                for s in range(n_samples):
                    apart = values[s] - centre
                    total_2 += apart * apart
                shift[k, at] = centre
                sd[k, at] = np.sqrt(total_2 / n_samples)
                low[k, at] = _order_statistic(values, (n_samples - 1) * tail)
                high[k, at] = _order_statistic(values, (n_samples - 1) * (1 - tail))
                positive[k, at] = above / n_samples
