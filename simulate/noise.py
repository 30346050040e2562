r"""The random numbers of a simulation: one block, shared by all worlds that are compared.

The block of a seed depends on the seed and the number of samples alone: row i of the normals
belongs to concept i, row k of the coins to influence k, and more rows leave the earlier ones as
they are. So a scenario gives the same numbers whatever else is asked at once, and the worlds
before and after an intervention share every draw.

Normals are made by the transform of Box and Muller (1958) on numpy's 64-bit PCG stream, in tiles
that stay in cache; with numpy's vectorised `log`, `sin` and `cos` this takes about a third of the
time of `Generator.standard_normal`. Coins are 16-bit: a confidence is met to within 2^-17.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.simulate.compile import Model

__all__ = ["Seed", "coins", "normals", "seed_sequence", "uniforms"]

Seed = int | np.random.Generator | np.random.SeedSequence | None
"""What `seed=` takes."""

TILE: Final = 8192
"""Samples made at once."""
_NORMALS, _COINS, _VALUES, _LEVELS = range(4)
_SCALE: Final = np.float32(2.0**-24)


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


def _stream(seed: np.random.SeedSequence, *key: int) -> np.random.PCG64:
    return np.random.PCG64(np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, *key)))


def normals(seed: np.random.SeedSequence, rows: int, n_samples: int) -> NDArray[np.float32]:
    """Return standard normals, shape (rows, n_samples).

    >>> z = normals(seed_sequence(1), 2, 100_000)
    >>> abs(z.mean(axis=1)).max() < 0.02, abs(z.std(axis=1) - 1).max() < 0.02
    (np.True_, np.True_)
    """
    out = np.empty((rows, n_samples), dtype=np.float32)
    for tile, first in enumerate(range(0, n_samples, TILE)):
        width = min(TILE, n_samples - first)
        half = (width + 1) // 2
        stream = _stream(seed, _NORMALS, tile)
        radius, angle = np.empty(half, np.float32), np.empty(half, np.float32)
        part = np.empty(half, np.float32)
        for row in range(rows):
            bits = stream.random_raw(half).view(np.uint32).reshape(half, 2) >> np.uint32(8)
            np.add(bits[:, 0], np.float32(1), out=radius, casting="unsafe")
            radius *= _SCALE  # in (0, 1]
            np.log(radius, out=radius)
            radius *= np.float32(-2)
            np.sqrt(radius, out=radius)
            np.multiply(bits[:, 1], np.float32(2 * np.pi) * _SCALE, out=angle, casting="unsafe")
            np.cos(angle, out=part)
            np.multiply(radius, part, out=out[row, first : first + half])
            np.sin(angle, out=part)
            rest = width - half
            np.multiply(radius[:rest], part[:rest], out=out[row, first + half : first + width])
    return out


def coins(seed: np.random.SeedSequence, rows: int, n_samples: int) -> NDArray[np.uint16]:
    """Return whole numbers below 65,536, equally likely, shape (rows, n_samples)."""
    out = np.empty((rows, n_samples), dtype=np.uint16)
    for tile, first in enumerate(range(0, n_samples, TILE)):
        width = min(TILE, n_samples - first)
        stream = _stream(seed, _COINS, tile)
        quarter = (width + 3) // 4
        for row in range(rows):
            raw = stream.random_raw(quarter).view(np.uint16)
            out[row, first : first + width] = raw[:width]
    return out


def uniforms(seed: np.random.SeedSequence, kind: int, concept: int, n: int) -> NDArray[np.float64]:
    """Return uniform numbers in (0, 1) for the drawn value of one intervention."""
    generator = np.random.Generator(_stream(seed, _VALUES, kind, concept))
    return np.clip(generator.random(n), 2.0**-53, 1 - 2.0**-53)


def noise_block(model: Model, seed: np.random.SeedSequence, n_samples: int) -> NDArray[np.float32]:
    """Return bias + uncertain baseline + noise of every concept, shape (n, n_samples)."""
    return scale_noise(model, normals(seed, model.n, n_samples), seed)


def scale_noise(
    model: Model, standard: NDArray[np.float32], seed: np.random.SeedSequence
) -> NDArray[np.float32]:
    """Turn standard normals (n, n_samples) into the pushes that come from outside the graph."""
    out = standard * model.noise_sd.astype(np.float32)[:, None]
    out += model.bias.astype(np.float32)[:, None]
    for concept in np.flatnonzero(model.level_sd):
        out[concept] += level_push(model, seed, int(concept), standard.shape[1])
    return out


def level_push(
    model: Model, seed: np.random.SeedSequence, concept: int, n_samples: int
) -> NDArray[np.float32]:
    """Return what the uncertainty of a concept's level adds to its push, one number per world."""
    generator = np.random.Generator(_stream(seed, _LEVELS, concept))
    drawn = model.level[concept] + model.level_sd[concept] * generator.standard_normal(n_samples)
    mechanism = model.mechanisms[concept]
    push: Any = mechanism.inverse(drawn) - mechanism.inverse(model.level[concept])
    return np.asarray(push, dtype=np.float32)


def edge_block(
    model: Model, tosses: NDArray[np.uint16]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
    """Return the strengths of every influence in every world.

    Parameters
    ----------
    model
        The compiled graph.
    tosses
        Coins, shape (rows, n_samples); `model.row` says which row decides which influence.

    Returns
    -------
    fixed : (E,) strength of the influences that are the same in every world
    drawn : (uncertain, n_samples) strengths of the others
    slot : (E,) row of `drawn`, or -1
    """
    certain = model.certain
    slot = np.full(model.edges, -1, dtype=np.int64)
    slot[~certain] = np.arange(int((~certain).sum()))
    fixed = np.where(certain, model.mean, 0).astype(np.float32)
    drawn = np.empty((int((~certain).sum()), tosses.shape[1]), dtype=np.float32)
    for edge in np.flatnonzero(~certain):
        toss = tosses[model.row[edge]]
        mentions = model.mentions[edge]
        ends = np.cumsum([p for _, p in mentions]) * model.confidence[edge]
        limits = np.rint(ends * 65536)
        out = drawn[slot[edge]]
        if len(mentions) == 1:
            present = toss < limits[0] if limits[0] < 65536 else np.ones(len(toss), dtype=bool)
            np.multiply(present, np.float32(mentions[0][0]), out=out)
        else:
            strengths = np.array([*(w for w, _ in mentions), 0.0], dtype=np.float32)
            out[:] = strengths[np.searchsorted(limits, toss.astype(np.float64), side="right")]
    return fixed, drawn, slot
