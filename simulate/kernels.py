"""Compiled kernels (numba, optional): the numpy path's answers in less time.

`pip install "beliefgraph[fast]"` brings numba. Worlds are propagated in tiles that stay in cache,
noise is scaled and influences are drawn as they are needed, so nothing but one block of random
numbers, shared by all worlds and people, is read from memory. Sums may use fused multiply-adds and
tanh is a rational function, so that both paths agree to float32 rounding (a few 1e-7), not to the
bit. This module imports numba, and is itself imported when a kernel is first needed; numba
keeps compiled code on disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numba
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from beliefgraph.simulate.compile import Model
    from beliefgraph.simulate.sample import Draws

__all__ = ["model_arrays", "propagate"]

Block = NDArray[np.float32]

_TILE: Final = 2048
_F4: Final = np.float32
_ZERO, _HALF, _ONE = _F4(0), _F4(0.5), _F4(1)
_LIMIT = _F4(7.90531110763549805)
_A1, _A3, _A5, _A7 = (
    _F4(4.89352455891786e-03),
    _F4(6.37261928875436e-04),
    _F4(1.48572235717979e-05),
    _F4(5.12229709037114e-08),
)
_A9, _A11, _A13 = _F4(-8.60467152213735e-11), _F4(2.00018790482477e-13), _F4(-2.76076847742355e-16)
_B0, _B2, _B4, _B6 = (
    _F4(4.89352518554385e-03),
    _F4(2.26843463243900e-03),
    _F4(1.18534705686654e-04),
    _F4(1.19825839466702e-06),
)


@numba.njit(inline="always", nogil=True, error_model="numpy", fastmath={"contract"}, cache=True)
def _tanh(x: Any) -> Any:
    # minimax rational function of degree 13 / 6 (the float tanh of Eigen)
    x = min(max(x, -_LIMIT), _LIMIT)
    y = x * x
    top = ((((((_A13 * y + _A11) * y + _A9) * y + _A7) * y + _A5) * y + _A3) * y + _A1) * x
    bottom = ((_B6 * y + _B4) * y + _B2) * y + _B0
    return min(max(top / bottom, -_ONE), _ONE)


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"}, cache=True)
def _worlds(
    todo: Any,
    order: Any,
    start: Any,
    source: Any,
    kind: Any,
    strength: Any,
    limits: Any,
    row: Any,
    tosses: Any,
    drawn: Any,
    standard: Any,
    bias: Any,
    sd: Any,
    extra_of: Any,
    extra: Any,
    own: Any,
    base: Any,
    values: Any,
    codes: Any,
    thetas: Any,
) -> None:
    """Fill the rows `todo` of `values`, tile by tile, causes before effects."""
    n_samples = values.shape[1]
    for first in range(0, n_samples, _TILE):
        last = min(first + _TILE, n_samples)
        width = last - first
        for p in todo:
            j = order[p]
            total = values[j, first:last]
            if extra_of[j] >= 0:
                given = extra[extra_of[j], first:last]
                for s in range(width):
                    total[s] = given[s]
            else:
                z = standard[j, first:last]
                scale, constant = sd[j], bias[j]
                for s in range(width):
                    total[s] = scale * z[s] + constant
            for e in range(start[p], start[p + 1]):
                i = source[e]
                x = values[i, first:last] if own[i] else base[i, first:last]
                w = strength[e]
                if kind[e] == 0:
                    for s in range(width):
                        total[s] += w * x[s]
                elif kind[e] == 1:
                    toss = tosses[row[e], first:last]
                    limit_e = limits[e]
                    for s in range(width):
                        total[s] += (w if toss[s] < limit_e else _ZERO) * x[s]
                else:
                    worn = drawn[row[e], first:last]
                    for s in range(width):
                        total[s] += worn[s] * x[s]
            if codes[j] == 1:
                for s in range(width):
                    total[s] = _tanh(total[s])
            elif codes[j] == 2:
                for s in range(width):
                    total[s] = _tanh(_HALF * total[s])
            elif codes[j] == 3:
                theta = thetas[j]
                for s in range(width):
                    z_s = total[s]
                    total[s] = _ONE if z_s >= theta else (-_ONE if z_s <= -theta else _ZERO)


def propagate(
    model: Model,
    draws: Draws,
    held: dict[int, Block],
    pushes: dict[int, Block],
    known: tuple[Block, NDArray[np.bool_]] | None,
) -> Block:
    """Propagate one plan; see `beliefgraph.simulate.sample.propagate_numpy`."""
    arrays = model_arrays(model)
    values = np.empty_like(draws.standard)
    own = np.ones(model.n, dtype=np.bool_)
    compute = np.ones(model.n, dtype=np.bool_)
    base = values
    if known is not None:
        base = known[0]
        own = ~known[1]
        compute &= own
    for concept, row in held.items():
        values[concept] = row
        compute[concept] = False
    changed = {**draws.level_pushes, **pushes}
    extra_of = np.full(model.n, -1, dtype=np.int64)
    extra = np.empty((len(changed), draws.n_samples), dtype=np.float32)
    for place, (concept, row) in enumerate(changed.items()):
        extra_of[concept] = place
        extra[place] = row
    _worlds(
        np.flatnonzero(compute[model.order]),
        model.order,
        model.start,
        model.source,
        arrays.kind,
        arrays.strength,
        arrays.limits,
        arrays.row,
        draws.tosses,
        draws.mixed,
        draws.standard,
        arrays.bias,
        arrays.sd,
        extra_of,
        extra,
        own,
        base,
        values,
        model.codes,
        model.thetas,
    )
    return values


class _Arrays:
    """The arrays that the kernel reads of a model."""

    def __init__(self, model: Model) -> None:
        limits = np.rint(model.confidence * 65536).astype(np.int32)
        single = np.array([len(item) == 1 for item in model.mentions], dtype=bool)
        self.kind = np.where(model.certain | (single & (limits >= 65536)), 0, 2).astype(np.int8)
        self.kind[(self.kind == 2) & single] = 1
        first = np.array([item[0][0] for item in model.mentions], dtype=np.float32)
        self.strength = np.where(model.certain, model.mean, first).astype(np.float32)
        self.limits = limits
        self.row = model.row.copy()
        self.mixed = np.flatnonzero(self.kind == 2)
        self.row[self.mixed] = np.arange(len(self.mixed))
        self.bias = model.bias.astype(np.float32)
        self.sd = model.noise_sd.astype(np.float32)


def model_arrays(model: Model) -> _Arrays:
    """Return the kernel's view of a model, made once."""
    found: _Arrays | None = getattr(model, "_kernel_arrays", None)
    if found is None:
        found = _Arrays(model)
        object.__setattr__(model, "_kernel_arrays", found)
    return found
