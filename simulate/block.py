r"""The stance alone, fast: many scenarios of a person, many people, exact or sampled.

`stance_samples` propagates the present and every scenario tile by tile and keeps the stance only;
random numbers are either those of one block shared by all people, or made as they are needed. Both
give the numbers that `intervene` gives. `compile_block` puts many people's graphs into one set of
arrays, from which `Block.exact` answers every single-concept scenario of every person, mean and
standard deviation, in one forward and one reverse pass (see `beliefgraph.simulate.exact`).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.simulate.compile import Model
from beliefgraph.simulate.exact import paired_moments, reverse_moments
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.noise import coins, keys, level_push, normals
from beliefgraph.simulate.sample import BACKENDS, choose_backend, coin_rows, draw, run

__all__ = ["Block", "SharedNoise", "compile_block", "shared_noise", "stance_samples"]

Floats = NDArray[np.float64]
_TILE: Final = 16384
_KEEP: Final = 2**23
_local = threading.local()
Samples = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SharedNoise:
    """The random numbers of one seed, made once for models of up to some size."""

    seed: np.random.SeedSequence
    """Where they come from."""
    standard: Samples
    """(concepts, n_samples) standard normals."""
    tosses: NDArray[np.uint16]
    """(influences, n_samples or up to 3 more) coins."""


def shared_noise(
    models: Sequence[Model],
    seed: np.random.SeedSequence,
    n_samples: int,
    backend: str = "auto",
) -> SharedNoise:
    """Make the block of random numbers that the largest of the models needs."""
    largest = max(models, key=lambda model: max(model.n, model.edges))
    compiled = choose_backend(backend, largest, n_samples * len(models)) == "numba"
    rows = max(coin_rows(model) for model in models)
    return SharedNoise(
        seed,
        normals(seed, max(model.n for model in models), n_samples, compiled=compiled),
        coins(seed, rows, n_samples, compiled=compiled),
    )


def stance_samples(
    model: Model,
    plans: Sequence[Plan],
    noise: SharedNoise | np.random.SeedSequence,
    n_samples: int,
    backend: str = "auto",
) -> Samples:
    """Return the stance in every sampled world, before and under each plan.

    Parameters
    ----------
    model
        A compiled graph without unrolled loops.
    plans
        What is done.
    noise
        A shared block, or a seed: then random numbers are made as they are needed.
    n_samples
        Number of worlds.
    backend
        As for `intervene`.

    Returns
    -------
    (1 + plans, n_samples)
        Row 0 is the present. Columns are paired worlds.
    """
    seed = noise.seed if isinstance(noise, SharedNoise) else noise
    block = (noise.standard, noise.tosses) if isinstance(noise, SharedNoise) else None
    if block is not None:
        have, need = (*block[0].shape, len(block[1])), (model.n, n_samples, coin_rows(model))
        if have[1] != n_samples or have[0] < need[0] or have[2] < need[2]:
            raise InterventionError(
                f"noise: the shared block holds {have[0]} concepts, {have[1]} samples and "
                f"{have[2]} influences; {need[0]}, {need[1]} and {need[2]} are needed. Make it "
                "with shared_noise(models, seed, n_samples) from all models it is for"
            )
    values = [v for plan in plans for v in (*plan.do.values(), *plan.shift.values())]
    drawn = not all(value.fixed for value in values)
    if drawn or choose_backend(backend, model, n_samples) != "numba":
        whole = drawn or bool(model.level_sd.any())
        return _tiled(model, plans, seed, block, n_samples, whole=whole)
    return _fused(model, plans, seed, block, n_samples)


def _tiled(
    model: Model,
    plans: Sequence[Plan],
    seed: np.random.SeedSequence,
    block: tuple[Samples, NDArray[np.uint16]] | None,
    n_samples: int,
    *,
    whole: bool,
) -> Samples:
    """Run numpy on tiles that stay in cache, or on all worlds where rows are drawn as a whole."""
    out = np.empty((1 + len(plans), n_samples), dtype=np.float32)
    width = n_samples if whole else _TILE
    rows = coin_rows(model)
    needed = model.ancestors(model.stance)
    needed[model.stance] = True
    memory = _scratch(3, model.n, min(width, n_samples))
    memory[2, ~needed] = 0
    for first in range(0, n_samples, width):
        count = min(width, n_samples - first)
        if block is None:
            numbers = (
                normals(seed, model.n, count, first=first, out=memory[2, :, :count], only=needed),
                coins(seed, rows, count, first=first),
            )
        else:
            numbers = (block[0][:, first : first + count], block[1][:, first : first + count])
        draws = draw(model, seed, count, "numpy", numbers)
        base = run(model, draws, into=memory[0, :, :count], only=needed)
        for k, plan in enumerate((None, *plans)):
            world = run(model, draws, plan, base, into=memory[1, :, :count], only=needed)
            out[k, first : first + count] = world.row(model.stance)
    return out


def _scratch(blocks: int, rows: int, width: int) -> Samples:
    """Return memory of this thread for values that are copied out: fresh pages cost more."""
    size = blocks * rows * width
    held: Samples | None = getattr(_local, "memory", None)
    if held is None or len(held) < size:
        held = np.empty(size, dtype=np.float32)
        if size <= _KEEP:
            _local.memory = held
    return held[:size].reshape(blocks, rows, width)


def _fused(
    model: Model,
    plans: Sequence[Plan],
    seed: np.random.SeedSequence,
    block: tuple[Samples, NDArray[np.uint16]] | None,
    n_samples: int,
) -> Samples:
    from beliefgraph.simulate import kernels

    worlds = 1 + len(plans)
    mode = np.zeros((worlds, model.n), dtype=np.int8)
    bias = np.repeat(model.bias[None].astype(np.float32), worlds, axis=0)
    sd = np.repeat(model.noise_sd[None].astype(np.float32), worlds, axis=0)
    held = np.zeros((worlds, model.n), dtype=np.float32)
    for k, plan in enumerate(plans, start=1):
        mode[k] = np.where(model.reach(plan.touched, blocked=plan.do), 0, 2)
        for concept, value in plan.do.items():
            mode[k, concept], held[k, concept] = 1, value.mean
        for concept, value in plan.shift.items():
            bias[k, concept] += np.float32(value.mean)
        for concept, value in plan.noise.items():
            sd[k, concept] = value.mean
    extra = {
        j: level_push(model, seed, j, n_samples) for j in np.flatnonzero(model.level_sd).tolist()
    }
    four = np.array([*keys(seed, 0), *keys(seed, 1)], dtype=np.uint64)
    out = np.empty((worlds, n_samples), dtype=np.float32)
    kernels.stance_worlds(model, four, block, mode, bias, sd, held, extra, out)
    return out


@dataclass(frozen=True, eq=False)
class Block:
    """The linear graphs of P people in one set of arrays.

    Of each person the stance and its ancestors take part, N places in all, in topological order, so
    that the stance is a person's last; E influences lie between them.
    """

    models: tuple[Model, ...]
    """(P,) the compiled graphs."""
    first: NDArray[np.int64]
    """(P + 1,) where a person's places begin."""
    concept: NDArray[np.int64]
    """(N,) number of the concept in its person's graph."""
    graphs: NDArray[np.int64]
    """(P + 1,) where a person's concepts begin in `place`."""
    place: NDArray[np.int64]
    """(all concepts,) place of a concept within its person, or -1."""
    into: NDArray[np.int64]
    """(N + 1,) where the influences into a place begin."""
    source: NDArray[np.int32]
    """(E,) place, within the person, that has the effect."""
    mean: Floats
    """(E,) expected strength."""
    spread: Floats
    """(E,) variance of the strength."""
    out_of: NDArray[np.int64]
    """(N + 1,) where the influences out of a place begin."""
    target: NDArray[np.int32]
    """(E,) place that feels it, sorted by source."""
    out_mean: Floats
    """(E,) `mean` in that order."""
    out_spread: Floats
    """(E,) `spread` in that order."""
    bias: Floats
    """(N,) constant push."""
    variance: Floats
    """(N,) variance of noise and level."""
    width: int
    """Most places of a person, rounded up to 8."""

    @property
    def people(self) -> int:
        """Number of graphs."""
        return len(self.models)

    def exact(
        self,
        values: Floats | float,
        concepts: Sequence[int] | NDArray[np.int64] | None = None,
        backend: str = "auto",
    ) -> tuple[Floats, Floats]:
        """Return exact stance shifts under a `do` on a single concept.

        Parameters
        ----------
        values
            Value that the concept is held at: (N,) or (P,), or one for all.
        concepts
            (P,) one concept a person, by number in its graph; None takes every place of everybody.
        backend
            "numpy", "numba" or "auto" (numba where it is installed).

        Returns
        -------
        mean, sd
            (P,) where concepts are given, else (N,).

        Examples
        --------
        >>> from beliefgraph import BeliefGraph
        >>> from beliefgraph.simulate.compile import compile_graph
        >>> g = BeliefGraph.from_edges([("rents", "support", -0.5, 0.8)], stance="support")
        >>> block = compile_block([compile_graph(g, mechanism="linear")])
        >>> mean, sd = block.exact(1.0, backend="numpy")
        >>> mean.round(3).tolist(), sd.round(3).tolist()
        ([-0.4, 1.0], [0.229, 0.274])
        """
        if backend not in BACKENDS:
            raise InterventionError(f"backend: one of {', '.join(BACKENDS)}, got {backend!r}")
        places = np.empty(0, dtype=np.int64) if concepts is None else self._places(concepts)
        size = int(self.first[-1]) if concepts is None else self.people
        held = np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=float), (size,)))
        mean, sd = np.zeros(size), np.zeros(size)
        if backend == "numba" or (backend == "auto" and find_spec("numba") is not None):
            from beliefgraph.simulate import kernels_exact

            kernels_exact.exact_people(
                self.first, self.into, self.source, self.mean, self.spread, self.out_of,
                self.target, self.out_mean, self.out_spread, self.bias, self.variance, self.width,
                places, held, mean, sd,
            )  # fmt: skip
            return mean, sd
        self._exact_numpy(places, held, mean, sd)
        if concepts is not None:  # concepts without a path to the stance
            mean[places < 0] = sd[places < 0] = 0
        return mean, sd

    def _places(self, concepts: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """(P,) place of one concept a person, -1 where no path leads from it to the stance."""
        wanted = np.asarray(concepts, dtype=np.int64)
        if wanted.shape != (self.people,):
            raise InterventionError(
                f"concepts: give one number a person, shape ({self.people},), got {wanted.shape}"
            )
        sizes = np.diff(self.graphs)
        if ((wanted < 0) | (wanted >= sizes)).any():
            person = int(np.flatnonzero((wanted < 0) | (wanted >= sizes))[0])
            raise InterventionError(
                f"concepts: person {person} has {sizes[person]} concepts, got {wanted[person]}"
            )
        return np.asarray(self.place[self.graphs[:-1] + wanted])

    def _exact_numpy(
        self, places: NDArray[np.int64], held: Floats, mean: Floats, sd: Floats
    ) -> None:
        for person, model in enumerate(self.models):
            begin, end = self.first[person : person + 2]
            if len(places):
                at = np.array([person])
                chosen = self.concept[begin + np.maximum(places[person : person + 1], 0)]
            else:
                at, chosen = np.arange(begin, end), self.concept[begin:end]
            first, second = reverse_moments(model, model.stance)
            now = paired_moments(model, Plan({}, {}, {}))
            change = held[at] - now.before[chosen]
            mean[at] = first[chosen] * change
            square = np.diag(second)[chosen] * (change**2 + now.before_sd[chosen] ** 2)
            sd[at] = np.sqrt(np.maximum(square - mean[at] ** 2, 0))


def compile_block(models: Sequence[Model]) -> Block:
    """Put compiled linear graphs into one set of arrays.

    Raises
    ------
    InterventionError
        A model is not linear, or simulates loops: there is no exact answer.
    """
    parts: list[list[NDArray[Any]]] = [[] for _ in range(12)]
    counts, edges = [0], 0
    for model in models:
        if not model.linear or model.loops:
            raise InterventionError(
                "exact answers need mechanism='linear' for every concept and no unrolled loops"
            )
        reached = model.ancestors(model.stance)
        part = np.append(model.order[reached[model.order]], model.stance)
        place = np.full(model.n, -1, dtype=np.int64)
        place[part] = np.arange(len(part))
        source, target = place[model.source], place[model.target]
        # an influence out of the stance leads away from it
        keep = np.flatnonzero((source >= 0) & (target > source))
        source, target = source[keep], target[keep]
        mean, spread = model.mean[keep], (model.square - model.mean**2)[keep]
        by_target, by_source = np.lexsort((source, target)), np.lexsort((target, source))
        every = np.arange(len(part))
        found = (
            part,
            edges + np.searchsorted(target[by_target], every),
            source[by_target],
            mean[by_target],
            spread[by_target],
            edges + np.searchsorted(source[by_source], every),
            target[by_source],
            mean[by_source],
            spread[by_source],
            model.bias[part],
            (model.noise_sd**2 + model.level_sd**2)[part],
            place,
        )
        edges += len(keep)
        counts.append(len(part))
        for column, item in zip(parts, found, strict=True):
            column.append(item)
    joined = [np.concatenate(column) if column else np.empty(0) for column in parts]
    return Block(
        models=tuple(models),
        first=np.cumsum(counts),
        concept=joined[0].astype(np.int64),
        graphs=np.cumsum([0, *(model.n for model in models)]),
        place=joined[11].astype(np.int64),
        into=np.append(joined[1], edges).astype(np.int64),
        source=joined[2].astype(np.int32),
        mean=joined[3],
        spread=joined[4],
        out_of=np.append(joined[5], edges).astype(np.int64),
        target=joined[6].astype(np.int32),
        out_mean=joined[7],
        out_spread=joined[8],
        bias=joined[9],
        variance=joined[10],
        width=-(-max(counts) // 8) * 8,
    )
