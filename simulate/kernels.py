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

from beliefgraph.simulate.kernels_noise import CACHE, coins_row, normals_row
from beliefgraph.simulate.noise import CHUNK

if TYPE_CHECKING:
    from beliefgraph.simulate.compile import Model
    from beliefgraph.simulate.sample import Draws

__all__ = ["model_arrays", "propagate"]

Block = NDArray[np.float32]

_TILE: Final = 2048
_SMALL: Final = CHUNK
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


_NO_NORMALS = np.empty((0, 0), dtype=np.float32)
_NO_COINS = np.empty((0, 0), dtype=np.uint16)


@numba.njit(inline="always", nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
def _tanh(x: Any) -> Any:
    # minimax rational function of degree 13 / 6 (the float tanh of Eigen)
    x = min(max(x, -_LIMIT), _LIMIT)
    y = x * x
    top = ((((((_A13 * y + _A11) * y + _A9) * y + _A7) * y + _A5) * y + _A3) * y + _A1) * x
    bottom = ((_B6 * y + _B4) * y + _B2) * y + _B0
    return min(max(top / bottom, -_ONE), _ONE)


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
def _respond(total: Any, width: Any, code: Any, theta: Any) -> None:
    """Turn a tile's pushes into values by the concept's mechanism, in place."""
    if code == 1:
        for s in range(width):
            total[s] = _tanh(total[s])
    elif code == 2:
        for s in range(width):
            total[s] = _tanh(_HALF * total[s])
    elif code == 3:
        for s in range(width):
            push = total[s]
            total[s] = _ONE if push >= theta else (-_ONE if push <= -theta else _ZERO)


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
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
            _respond(total, width, codes[j], thetas[j])


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
        reached = model.ancestors(model.stance)
        reached[model.stance] = True
        self.needed = np.flatnonzero(reached[model.order])
        worn = ~model.certain & reached[model.target]
        self.uncertain = np.flatnonzero(worn)
        self.slot = np.full(model.edges, -1, dtype=np.int64)
        self.slot[self.uncertain] = np.arange(len(self.uncertain))
        found = [_mentions(model, int(edge)) for edge in self.uncertain]
        self.first_mention = np.cumsum([0, *(len(item) for item in found)])
        self.mention_limit = np.array([lim for item in found for lim, _ in item], dtype=np.int32)
        self.mention_weight = np.array([w for item in found for _, w in item], dtype=np.float32)
        self.bias = model.bias.astype(np.float32)
        self.sd = model.noise_sd.astype(np.float32)


def _mentions(model: Model, edge: int) -> list[tuple[int, float]]:
    """Return (end of the coins that choose it, strength) of every mention."""
    ends = np.cumsum([p for _, p in model.mentions[edge]]) * model.confidence[edge]
    return [
        (int(np.rint(end * 65536)), weight)
        for end, (weight, _) in zip(ends, model.mentions[edge], strict=True)
    ]


def model_arrays(model: Model) -> _Arrays:
    """Return the kernel's view of a model, made once."""
    found: _Arrays | None = getattr(model, "_kernel_arrays", None)
    if found is None:
        found = _Arrays(model)
        object.__setattr__(model, "_kernel_arrays", found)
    return found


@numba.njit(nogil=True, error_model="numpy", fastmath={"contract"}, cache=CACHE)
def _stance_worlds(
    todo: Any,
    order: Any,
    start: Any,
    source: Any,
    slot: Any,
    strength: Any,
    uncertain: Any,
    row: Any,
    first_mention: Any,
    mention_limit: Any,
    mention_weight: Any,
    codes: Any,
    thetas: Any,
    keys: Any,
    standard: Any,
    tosses: Any,
    fresh: bool,
    mode: Any,
    bias: Any,
    sd: Any,
    held: Any,
    extra_of: Any,
    extra: Any,
    stance: int,
    out: Any,
) -> None:
    """Fill out[k] with the stance in world k; mode[k, j]: 0 compute, 1 held, 2 as in world 0."""
    n, edges = len(order), len(uncertain)
    n_samples = out.shape[1]
    values = np.empty((2, n, _SMALL), dtype=np.float32)
    noise = np.empty((n, _SMALL), dtype=np.float32)
    drawn = np.empty((edges, _SMALL), dtype=np.float32)
    words = np.empty((4, _SMALL // 2), dtype=np.uint32)
    numbers = np.empty(_SMALL // 4, dtype=np.uint64)
    for first in range(0, n_samples, _SMALL):
        width = min(_SMALL, n_samples - first)
        if fresh:
            for p in todo:
                chunk = first // _SMALL
                normals_row(keys[0], keys[1], order[p], chunk, noise[order[p], :width], words)
        for u in range(edges):
            e = uncertain[u]
            if fresh:
                coins_row(keys[2], keys[3], row[e], first // 4, numbers)
                toss = numbers.view(np.uint16)
            else:
                toss = tosses[row[e], first : first + width]
            weights = drawn[u]
            last = first_mention[u + 1] - 1
            limit, weight = mention_limit[last], mention_weight[last]
            for s in range(width):
                weights[s] = weight if toss[s] < limit else _ZERO
            for m in range(last - 1, first_mention[u] - 1, -1):
                limit, weight = mention_limit[m], mention_weight[m]
                for s in range(width):
                    weights[s] = weight if toss[s] < limit else weights[s]
        for k in range(len(mode)):
            world = values[min(k, 1)]
            for p in todo:
                j = order[p]
                total = world[j, :width]
                if mode[k, j] == 2:
                    continue
                if mode[k, j] == 1:
                    total[:] = held[k, j]
                    continue
                scale, constant = sd[k, j], bias[k, j]
                z = noise[j, :width] if fresh else standard[j, first : first + width]
                for s in range(width):
                    total[s] = scale * z[s] + constant
                if extra_of[j] >= 0:
                    more = extra[extra_of[j], first : first + width]
                    for s in range(width):
                        total[s] += more[s]
                for e in range(start[p], start[p + 1]):
                    i = source[e]
                    x = values[0, i, :width] if mode[k, i] == 2 else world[i, :width]
                    if slot[e] < 0:
                        w = strength[e]
                        for s in range(width):
                            total[s] += w * x[s]
                    else:
                        weights = drawn[slot[e], :width]
                        for s in range(width):
                            total[s] += weights[s] * x[s]
                _respond(total, width, codes[j], thetas[j])
            answer = values[0, stance] if mode[k, stance] == 2 else world[stance]
            for s in range(width):
                out[k, first + s] = answer[s]


def stance_worlds(
    model: Model,
    keys: NDArray[np.uint64],
    block: tuple[Block, NDArray[np.uint16]] | None,
    mode: NDArray[np.int8],
    bias: Block,
    sd: Block,
    held: Block,
    extra: dict[int, Block],
    out: Block,
) -> None:
    """Fill out[k] (worlds, n_samples) with the stance in world k; world 0 is the one before.

    Without a `block` the random numbers are made tile by tile as they are needed.
    """
    arrays = model_arrays(model)
    extra_of = np.full(model.n, -1, dtype=np.int64)
    rows = np.empty((len(extra), out.shape[1]), dtype=np.float32)
    for place, (concept, row) in enumerate(extra.items()):
        extra_of[concept] = place
        rows[place] = row
    standard, tosses = block if block is not None else (_NO_NORMALS, _NO_COINS)
    _stance_worlds(
        arrays.needed,
        model.order,
        model.start,
        model.source,
        arrays.slot,
        arrays.strength,
        arrays.uncertain,
        model.row,
        arrays.first_mention,
        arrays.mention_limit,
        arrays.mention_weight,
        model.codes,
        model.thetas,
        keys,
        standard,
        tosses,
        block is None,
        mode,
        bias,
        sd,
        held,
        extra_of,
        rows,
        model.stance,
        out,
    )
