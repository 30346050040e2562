r"""The random numbers of a simulation: one block, shared by all worlds that are compared.

The numbers come from a counter: those of row i, sample s are a function of the seed, i and s alone
(row i of the normals belongs to concept i, row k of the coins to influence k). So a scenario gives
the same numbers whatever else is asked at once, more samples leave the first ones as they are, and
the worlds before and after an intervention share every draw.

The generator is the mixing function of SplitMix64 (Steele, Lea & Flood 2014, *Fast splittable
pseudorandom number generators*) on a Weyl sequence, with a second key between its two
multiplications, both keys from numpy's `SeedSequence`. Normals are made from it by the transform of
Box and Muller (1958), 23 bits each, so |z| stays below 5.7. Coins are 16-bit: a confidence is met
to within 2^-17. With numba the same numbers (to float32 rounding) are made several times faster.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.simulate.compile import Model
from beliefgraph.simulate.mechanisms import Mechanism

__all__ = ["Seed", "coins", "normals", "seed_sequence", "uniforms"]

Seed = int | np.random.Generator | np.random.SeedSequence | None
"""What `seed=` takes."""

_NORMALS, _COINS, _VALUES, _LEVELS = range(4)
HALF: Final = 512
"""Pairs of one turn of the transform: cosines fill 512 samples, sines the next 512."""
CHUNK: Final = 2 * HALF
WEYL: Final = 0x9E3779B97F4A7C15
MIX_1: Final = 0xBF58476D1CE4E5B9
MIX_2: Final = 0x94D049BB133111EB
ROW: Final = 2**32
"""Distance between the counters of two rows."""
_BLOCK: Final = 8192
_MASK: Final = 2**64 - 1


def seed_sequence(seed: Seed) -> np.random.SeedSequence:
    """Return the seed as numpy's `SeedSequence`.

    A generator gives one number of its stream; None gives a fresh seed. Both are recorded in the
    result, so that it can be repeated.

    >>> seed_sequence(7).entropy
    7
    """
    if isinstance(seed, np.random.SeedSequence):
        return seed
    if isinstance(seed, np.random.Generator):
        return np.random.SeedSequence(int(seed.integers(2**63)))
    if seed is None:
        return np.random.SeedSequence(int(np.random.SeedSequence().generate_state(1, np.uint64)[0]))
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and seed >= 0:
        return np.random.SeedSequence(int(seed))
    raise InterventionError(
        f"seed: give a whole number >= 0, a numpy Generator or None, got {seed!r}"
    )


def keys(seed: np.random.SeedSequence, kind: int) -> tuple[int, int]:
    """Return the two 64-bit keys of the normals (kind 0) or the coins (kind 1) of a seed."""
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, kind))
    first, second = own.generate_state(2, np.uint64).tolist()
    return first, second


def _generator(seed: np.random.SeedSequence, *key: int) -> np.random.Generator:
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key))
    return np.random.Generator(np.random.PCG64(own))


@lru_cache(maxsize=1)
def _ramp() -> NDArray[np.uint64]:
    """Return the multiples of the Weyl constant, as far as one block needs them."""
    return np.arange(_BLOCK, dtype=np.uint64) * np.uint64(WEYL)


def _bits(key: tuple[int, int], row: int, begin: int, n: int) -> NDArray[np.uint64]:
    """Return n 64-bit numbers of a row from number `begin` on."""
    out = np.empty(n, dtype=np.uint64)
    held = np.empty(min(n, _BLOCK), dtype=np.uint64)
    ramp = _ramp()
    for first in range(0, n, _BLOCK):
        x = out[first : first + _BLOCK]
        shifted = held[: len(x)]
        start = (key[0] + (row * ROW + begin + first) * WEYL) & _MASK
        np.add(ramp[: len(x)], np.uint64(start), out=x)
        np.right_shift(x, np.uint64(30), out=shifted)
        x ^= shifted
        x *= np.uint64(MIX_1)
        x ^= np.uint64(key[1])
        np.right_shift(x, np.uint64(27), out=shifted)
        x ^= shifted
        x *= np.uint64(MIX_2)
        np.right_shift(x, np.uint64(31), out=shifted)
        x ^= shifted
    return out


def normals(
    seed: np.random.SeedSequence,
    rows: int,
    n_samples: int,
    *,
    first: int = 0,
    compiled: bool = False,
    out: NDArray[np.float32] | None = None,
    only: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:
    """Return standard normals of the samples from `first` (a multiple of 1,024) on.

    Returns an array of shape (rows, n_samples). Without numba, `only` says which rows are needed.

    >>> z = normals(seed_sequence(1), 2, 100_000)
    >>> abs(z.mean(axis=1)).max() < 0.02, abs(z.std(axis=1) - 1).max() < 0.02
    (np.True_, np.True_)
    """
    key = keys(seed, _NORMALS)
    if out is None:
        out = np.empty((rows, n_samples), dtype=np.float32)
    if compiled:
        from beliefgraph.simulate import kernels_noise

        kernels_noise.normals(key, first, out)
        return out
    chunks = -(-n_samples // CHUNK)
    whole = np.empty((chunks, 2, HALF), dtype=np.float32)
    for row in range(rows) if only is None else np.flatnonzero(only).tolist():
        words = _bits(key, row, first // 2, chunks * HALF).view(np.uint32)
        words >>= np.uint32(9)
        words |= np.uint32(0x3F800000)  # the bits of a float in [1, 2)
        pairs = words.view(np.float32).reshape(chunks, HALF, 2)
        radius = np.subtract(np.float32(2), pairs[:, :, 0])  # in (0, 1]
        np.log(radius, out=radius)
        radius *= np.float32(-2)
        np.sqrt(radius, out=radius)
        angle = np.subtract(pairs[:, :, 1], np.float32(1))
        angle *= np.float32(2 * np.pi)
        np.cos(angle, out=whole[:, 0])
        np.sin(angle, out=whole[:, 1])
        whole *= radius[:, None, :]
        out[row] = whole.reshape(-1)[:n_samples]
    return out


def coins(
    seed: np.random.SeedSequence,
    rows: int,
    n_samples: int,
    *,
    first: int = 0,
    compiled: bool = False,
) -> NDArray[np.uint16]:
    """Return whole numbers below 65,536, equally likely, for the samples from `first` on.

    Returns an array of shape (rows, n_samples or up to 3 more).
    """
    key = keys(seed, _COINS)
    width = -(-n_samples // 4)
    out = np.empty((rows, width), dtype=np.uint64)
    if compiled:
        from beliefgraph.simulate import kernels_noise

        kernels_noise.coins(key, first, out)
    else:
        for row in range(rows):
            out[row] = _bits(key, row, first // 4, width)
    return out.view(np.uint16)


def uniforms(seed: np.random.SeedSequence, kind: int, concept: int, n: int) -> NDArray[np.float64]:
    """Return uniform numbers in (0, 1) for the drawn value of one intervention."""
    generator = _generator(seed, _VALUES, kind, concept)
    return np.clip(generator.random(n), 2.0**-53, 1 - 2.0**-53)


def level_push(
    model: Model, seed: np.random.SeedSequence, concept: int, n_samples: int
) -> NDArray[np.float32]:
    """Return what the uncertainty of a concept's level adds to its push, one number per world."""
    level, sd = float(model.level[concept]), float(model.level_sd[concept])
    return own_level_push(level, sd, model.mechanisms[concept], seed, concept, n_samples)


def own_level_push(
    level: float,
    sd: float,
    mechanism: Mechanism,
    seed: np.random.SeedSequence,
    concept: int,
    n_samples: int,
) -> NDArray[np.float32]:
    """Return the same for a level, its standard deviation and a concept's number."""
    drawn = level + sd * _generator(seed, _LEVELS, concept).standard_normal(n_samples)
    push: Any = mechanism.inverse(drawn) - mechanism.inverse(level)
    return np.asarray(push, dtype=np.float32)


def edge_strengths(
    model: Model, edge: int, tosses: NDArray[np.uint16], n_samples: int
) -> NDArray[np.float32]:
    """Return the strength of one uncertain influence in every world, 0 where it is absent.

    Parameters
    ----------
    model
        The compiled graph.
    edge
        Number of the influence.
    tosses
        Coins, shape (rows, n_samples or more); `model.row` says which row decides.
    n_samples
        Number of worlds.
    """
    toss = tosses[model.row[edge], :n_samples]
    mentions = model.mentions[edge]
    limits = np.rint(np.cumsum([p for _, p in mentions]) * model.confidence[edge] * 65536)
    if len(mentions) == 1 and limits[0] < 65536:
        present = toss < np.uint16(limits[0])
        return np.asarray(present * np.float32(mentions[0][0]), dtype=np.float32)
    strengths = np.array([*(w for w, _ in mentions), 0.0], dtype=np.float32)
    return np.asarray(strengths[np.searchsorted(limits, toss.astype(np.float64), side="right")])
