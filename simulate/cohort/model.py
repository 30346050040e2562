"""A graph table compiled: pushes, strengths and coins of all people at once, without a loop.

The numbers are those of `beliefgraph.simulate.compile.compile_graph`, person by person.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.simulate.cohort.table import GraphTable
from beliefgraph.simulate.mechanisms import Mechanism, MechanismLike, resolve

__all__ = ["CohortModel", "Coins", "compile_table", "person_keys"]

Floats = NDArray[np.float64]
COINS: Final = 65536


@dataclass(frozen=True, eq=False)
class Coins:
    """Which influence is present in which world."""

    certain: NDArray[np.bool_]
    """(E,) whether the strength is the same in every world."""
    row: NDArray[np.int32]
    """(E,) row of the person's coins that decides."""
    limit: NDArray[np.int32]
    """(M,) coins below it take this mention or one before it."""


@dataclass(frozen=True, eq=False)
class CohortModel:
    """What the kernels read of P people's graphs."""

    table: GraphTable
    """The graphs."""
    mean: Floats
    """(E,) expected strength, absence counted as 0."""
    spread: Floats
    """(E,) variance of the strength."""
    bias: Floats
    """(N,) constant push."""
    noise_sd: Floats
    """(N,) standard deviation of the noise."""
    code: NDArray[np.int64]
    """(N,) number of the mechanism."""
    theta: NDArray[np.float32]
    """(N,) threshold of the mechanism, where it has one."""
    mechanisms: tuple[Mechanism, ...]
    """Those in use."""

    @property
    def variance(self) -> Floats:
        """(N,) variance of noise and level."""
        return self.noise_sd**2 + self.table.baseline_sd**2

    @cached_property
    def coins(self) -> Coins:
        """What sampling needs of the influences."""
        table = self.table
        count = np.diff(table.mentions)
        limit, largest, smallest = (np.zeros(len(table.weight)), *np.full((2, len(count)), np.nan))
        so_far = np.zeros(len(count))
        for rank in range(int(count.max(initial=0))):
            edges = np.flatnonzero(count > rank)
            at = table.mentions[edges] + rank
            so_far[edges] += table.probability[at]
            limit[at] = np.rint(so_far[edges] * table.confidence[edges] * COINS)
            weight = np.where(table.probability[at] > 0, table.weight[at], np.nan)
            largest[edges] = np.fmax(largest[edges], weight)
            smallest[edges] = np.fmin(smallest[edges], weight)
        certain = (table.confidence == 0) | ((table.confidence == 1) & ~(largest > smallest))
        base = table.first[:-1][table.edge_owner]
        width = int(np.diff(table.first).max(initial=1))
        by_ends = (table.edge_owner * width + table.position[base + table.source]) * width
        order = np.argsort(by_ends + table.position[base + table.target], kind="stable")
        row = np.empty(len(count), dtype=np.int32)
        row[order] = np.arange(len(count)) - table.edges[:-1][table.edge_owner]
        return Coins(certain, row, limit.astype(np.int32))


def compile_table(
    table: GraphTable,
    mechanism: MechanismLike | Mapping[str, MechanismLike],
    noise_sd: float | Mapping[str, float],
) -> CohortModel:
    """Compile a graph table; mappings by concept name hold for the graphs that have the concept."""
    names = tuple(table.names)
    if isinstance(mechanism, Mapping):
        known = set(names)
        chosen = resolve({n: m for n, m in mechanism.items() if n in known}, names)
        kinds = tuple(dict.fromkeys(chosen))
        of_name = np.array([kinds.index(item) for item in chosen], dtype=np.int64)
        kind = of_name[table.name]
    else:
        kinds = resolve(mechanism, ("any",))
        kind = np.zeros(len(table.name), dtype=np.int64)
    sd = np.full(len(table.name), 0.25 if isinstance(noise_sd, Mapping) else noise_sd)
    if isinstance(noise_sd, Mapping):
        sd = np.array([noise_sd.get(name, 0.25) for name in names])[table.name]
    mean, square = _strengths(table)
    if not table.baseline.any():
        bias = np.zeros(len(table.name))
    else:
        base = table.first[:-1][table.edge_owner]
        bias = np.empty(len(table.name))
        for number, item in enumerate(kinds):
            bias[kind == number] = item.inverse(table.baseline[kind == number])
        bias -= np.bincount(
            base + table.target,
            mean * table.baseline[base + table.source],
            minlength=len(table.name),
        )
    return CohortModel(
        table=table,
        mean=mean,
        spread=square - mean**2,
        bias=bias,
        noise_sd=sd,
        code=np.array([item.code for item in kinds], dtype=np.int64)[kind],
        theta=np.array([item.theta for item in kinds], dtype=np.float32)[kind],
        mechanisms=kinds,
    )


def _strengths(table: GraphTable) -> tuple[Floats, Floats]:
    """Return (E,) expected strengths and expected squares."""
    if len(table.weight) == len(table.confidence):  # one mention each
        first = table.probability * table.weight
        second = first * table.weight
    elif len(table.confidence):
        first = np.add.reduceat(table.probability * table.weight, table.mentions[:-1])
        second = np.add.reduceat(table.probability * table.weight**2, table.mentions[:-1])
    return table.confidence * first, table.confidence * second


_INIT_A, _MULT_A = 0x43B0D7E5, 0x931E8875
_INIT_B, _MULT_B = 0x8B51F9DD, 0x58F38DED
_MIX_L, _MIX_R = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_POOL, _HALF, _MASK = 4, np.uint32(16), 2**32 - 1


def person_keys(seed: np.random.SeedSequence, numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return (P, 4): the two keys of the normals and the two of the coins of each person.

    They are those of `SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number))`, made for
    all people at once by the algorithm of numpy's `SeedSequence` (O'Neill 2015, *Developing a
    seed_seq alternative*), which numpy keeps fixed.

    >>> from beliefgraph.simulate.noise import keys
    >>> own = np.random.SeedSequence(7, spawn_key=(12,))
    >>> mine = person_keys(np.random.SeedSequence(7), np.array([12]))[0]
    >>> mine.tolist() == [*keys(own, 0), *keys(own, 1)]
    True
    """
    words = sum(max(1, -(-int(n).bit_length() // 32)) for n in _flat(seed.entropy))
    own = sum(max(1, -(-int(n).bit_length() // 32)) for n in seed.spawn_key)
    length = max(_POOL, words) + own
    turns = _POOL + _POOL * (_POOL - 1) + _POOL * (length - _POOL)
    constant = _INIT_A * pow(_MULT_A, turns, 2**32) & _MASK
    who = np.asarray(numbers).astype(np.uint32)
    pool = [np.full(len(who), word, dtype=np.uint32) for word in seed.pool]
    out = np.empty((len(who), 2, 2), dtype=np.uint64)
    constant = _stir(pool, who, constant)
    for kind in range(2):
        mixed = list(pool)
        _stir(mixed, np.full(len(who), kind, dtype=np.uint32), constant)
        b, state = _INIT_B, []
        for word in mixed:
            value = word ^ np.uint32(b)
            b = b * _MULT_B & _MASK
            value = value * np.uint32(b)
            state.append((value ^ (value >> _HALF)).astype(np.uint64))
        out[:, kind, 0] = state[0] | state[1] << np.uint64(32)
        out[:, kind, 1] = state[2] | state[3] << np.uint64(32)
    return out.reshape(-1, 4)


def _flat(entropy: object) -> list[int]:
    return list(entropy) if isinstance(entropy, (list, tuple, np.ndarray)) else [entropy]  # type: ignore[list-item]


def _stir(pool: list[NDArray[np.uint32]], word: NDArray[np.uint32], constant: int) -> int:
    """Mix one more word into every part of the pool; return the next constant."""
    for k in range(_POOL):
        value = word ^ np.uint32(constant)
        constant = constant * _MULT_A & _MASK
        value = value * np.uint32(constant)
        value ^= value >> _HALF
        mixed = _MIX_L * pool[k] - _MIX_R * value
        pool[k] = mixed ^ (mixed >> _HALF)
    return constant
