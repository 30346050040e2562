"""Compiled exact moments of a block of linear graphs (see `beliefgraph.simulate.exact`).

One person after the other, influence by influence; what an influence adds to a row of second
moments is one short vector operation of fixed length.
"""

from __future__ import annotations

from typing import Any, Final

import numba
import numpy as np

from beliefgraph.simulate.kernels_noise import CACHE

__all__ = ["exact_people"]

_STEP: Final = 8


_BITS: Final = 64
_ONE, _ALL = np.uint64(1), np.uint64(2**64 - 1)


@numba.njit(inline="always", error_model="numpy", fastmath={"contract"}, cache=CACHE)
def _add(row: Any, weight: Any, other: Any, width: int) -> None:
    """Add weight x other to row; width is a multiple of 8."""
    for k in range(width):
        row[k] += weight * other[k]


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
def exact_people(
    first: Any,
    into: Any,
    source: Any,
    mean: Any,
    spread: Any,
    out_of: Any,
    target: Any,
    out_mean: Any,
    out_spread: Any,
    bias: Any,
    variance: Any,
    width: int,
    chosen: Any,
    held: Any,
    shift: Any,
    shift_sd: Any,
) -> None:
    """Fill the shift of the stance, mean and sd, under single-concept interventions.

    first: (P + 1,) where a person's places begin; the stance is the last. into, source, mean,
    spread: influences by target; out_of, target, out_mean, out_spread: by source. chosen: (P,)
    place that is held, or -1, and the outputs are (P,); or empty: every place, and the outputs are
    flat.
    """
    cov = np.zeros((width, width))
    square = np.zeros((width, width))
    mu = np.zeros(width)
    effect = np.zeros(width)
    every = len(chosen) == 0
    for person in range(len(first) - 1):
        begin = first[person]
        n = first[person + 1] - begin
        up_to = n if every else chosen[person] + 1
        down_to = 0 if every else chosen[person]
        if up_to == 0:  # no path leads from it to the stance
            shift[person] = 0.0
            shift_sd[person] = 0.0
            continue
        # bits of the places that take part: for one concept its ancestors and descendants
        above, below = _ALL, _ALL
        if not every and n <= _BITS:
            above = _ONE << np.uint64(down_to)
            below = above
            for j in range(down_to, -1, -1):
                if above >> np.uint64(j) & _ONE:
                    for e in range(into[begin + j], into[begin + j + 1]):
                        above |= _ONE << np.uint64(source[e])
            for i in range(down_to, n):
                if below >> np.uint64(i) & _ONE:
                    for e in range(out_of[begin + i], out_of[begin + i + 1]):
                        below |= _ONE << np.uint64(target[e])
        for j in range(up_to):
            if n <= _BITS and not above >> np.uint64(j) & _ONE:
                continue
            row = cov[j]
            for k in range(width):
                row[k] = 0.0
            total, own = bias[begin + j], variance[begin + j]
            for e in range(into[begin + j], into[begin + j + 1]):
                i, m = source[e], mean[e]
                total += m * mu[i]
                own += spread[e] * (cov[i, i] + mu[i] * mu[i])
                _add(row, m, cov[i], width)
            for e in range(into[begin + j], into[begin + j + 1]):
                own += mean[e] * row[source[e]]
            mu[j] = total
            row[j] = own
            for k in range(j):
                cov[k, j] = row[k]
        effect[n - 1] = 1.0
        for k in range(width):
            square[n - 1, k] = 0.0
        square[n - 1, n - 1] = 1.0
        for i in range(n - 2, down_to - 1, -1):
            if n <= _BITS and not below >> np.uint64(i) & _ONE:
                continue
            row = square[i]
            for k in range(width):
                row[k] = 0.0
            total, own = 0.0, 0.0
            for e in range(out_of[begin + i], out_of[begin + i + 1]):
                j, m = target[e], out_mean[e]
                total += m * effect[j]
                own += out_spread[e] * square[j, j]
                _add(row, m, square[j], width)
            for e in range(out_of[begin + i], out_of[begin + i + 1]):
                own += out_mean[e] * row[target[e]]
            effect[i] = total
            row[i] = own
            for k in range(i + 1, n):
                square[k, i] = row[k]
        for i in range(down_to, up_to):
            at = begin + i if every else person
            change = held[at] - mu[i]
            moved = effect[i] * change
            left = square[i, i] * (change * change + cov[i, i]) - moved * moved
            shift[at] = moved
            shift_sd[at] = np.sqrt(max(left, 0.0))
