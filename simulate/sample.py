r"""Sampled worlds: one draw of influences and noise, propagated before and after an intervention.

A world takes each influence with its confidence, one of its mentions, and a noise; the same draw
serves the worlds before and after (common random numbers), so the shift of a world is due to the
intervention alone. Only descendants of what was intervened on are recomputed; all other concepts
keep the very numbers of the world before.

**Unrolled loops.** Feedback influences read the value of the pass before; the first pass reads the
level. Draws are kept over all passes, and both worlds go through all of them.

Values are float32. The numba backend gives the same numbers to float32 rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError, MissingPackageError
from beliefgraph.simulate.compile import Model
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.noise import coins, edge_strengths, level_push, normals, uniforms

__all__ = ["Draws", "World", "draw", "run"]

Block = NDArray[np.float32]

BACKENDS: Final = ("auto", "numpy", "numba")
WORTH_COMPILING: Final = 20_000_000


@dataclass(frozen=True, eq=False)
class Draws:
    """What chance decides, shared by all worlds of one model."""

    model: Model
    """The compiled graph."""
    seed: np.random.SeedSequence
    """Where it comes from."""
    standard: Block
    """(n, n_samples) standard normals."""
    tosses: NDArray[np.uint16]
    """(rows, n_samples) coins that decide which influences are present."""
    backend: str
    """"numpy", "numba", "torch" or "torch:DEVICE"."""

    @property
    def n_samples(self) -> int:
        """Number of worlds."""
        return int(self.standard.shape[1])

    @cached_property
    def level_pushes(self) -> dict[int, Block]:
        """Pushes of the concepts whose level is uncertain, by concept."""
        found = np.flatnonzero(self.model.level_sd).tolist()
        return {j: own_push(self.model, self.standard, self.seed, j) for j in found}

    @cached_property
    def strengths(self) -> dict[int, Block]:
        """(n_samples,) strengths of the influences that differ between worlds, by influence."""
        uncertain, n = np.flatnonzero(~self.model.certain).tolist(), self.n_samples
        return {edge: edge_strengths(self.model, edge, self.tosses, n) for edge in uncertain}

    @cached_property
    def mixed(self) -> Block:
        """(several, n_samples) strengths of the influences that have several mentions."""
        from beliefgraph.simulate import kernels

        edges = kernels.model_arrays(self.model).mixed.tolist()
        out = np.empty((len(edges), self.n_samples), dtype=np.float32)
        for place, edge in enumerate(edges):
            out[place] = edge_strengths(self.model, edge, self.tosses, self.n_samples)
        return out

    def without(self, changed: dict[int, Block]) -> Draws:
        """Return the same draws with other strengths of some influences (numpy backend)."""
        other = replace(self, backend="numpy")
        other.__dict__["strengths"] = {**self.strengths, **changed}
        other.__dict__["level_pushes"] = self.level_pushes
        return other

    def push(self, concept: int, out: Block | None = None) -> Block:
        """(n_samples,) bias + uncertain level + noise of one concept."""
        if out is None:
            out = np.empty(self.n_samples, dtype=np.float32)
        found = self.level_pushes.get(concept)
        if found is not None:
            out[:] = found
            return out
        np.multiply(self.standard[concept], np.float32(self.model.noise_sd[concept]), out=out)
        if self.model.bias[concept]:
            out += np.float32(self.model.bias[concept])
        return out


@dataclass(frozen=True, eq=False)
class World:
    """Values of every concept in every sampled world."""

    base: Block
    """(n, n_samples) values before the intervention."""
    moved: dict[int, Block] = field(default_factory=dict)
    """Rows that differ from `base`, by concept."""
    unsettled: float = 0.0
    """Mean absolute change of a value in the last pass around a loop."""

    def row(self, concept: int) -> Block:
        """(n_samples,) values of one concept."""
        moved = self.moved.get(concept)
        return self.base[concept] if moved is None else moved


def draw(
    model: Model,
    seed: np.random.SeedSequence,
    n_samples: int,
    backend: str = "auto",
    block: tuple[Block, NDArray[np.uint16]] | None = None,
) -> Draws:
    """Draw noise and influences of `n_samples` worlds.

    `block` holds the normals and coins of this seed where they are shared by several models; it
    may have more rows than this one needs.
    """
    rows = coin_rows(model)
    chosen = choose_backend(backend, model, n_samples)
    if block is None and chosen.startswith("torch"):
        from beliefgraph.simulate.torch_backend import normals_and_coins

        block = normals_and_coins(seed, model.n, rows, n_samples, device_of(chosen))
    if block is None:
        compiled = chosen == "numba"
        block = (
            normals(seed, model.n, n_samples, compiled=compiled),
            coins(seed, rows, n_samples, compiled=compiled),
        )
    return Draws(model, seed, block[0][: model.n], block[1], chosen)


def choose_backend(backend: str, model: Model, n_samples: int) -> str:
    """Return "numpy", "numba", or "torch" with its device as it was given.

    "auto" takes numba, where it is installed, from `WORTH_COMPILING` influence values on: below
    that, importing it costs more than it saves. The choice depends on the sizes alone, so that the
    same call gives the same numbers.
    """
    name, _, device = str(backend).partition(":")
    on_torch = (name == "torch" and device != "") or backend == "torch"
    if backend not in BACKENDS and not on_torch:
        raise InterventionError(
            f"backend: one of {', '.join(BACKENDS)}, torch, torch:DEVICE, got {backend!r}"
        )
    if backend == "numpy" or model.loops:
        return "numpy"
    if on_torch:
        if find_spec("torch") is None:
            raise MissingPackageError(
                "torch", "backend='torch'", 'pip install "beliefgraph[torch]"'
            )
        return backend
    large = n_samples * max(model.edges, model.n) >= WORTH_COMPILING
    installed = find_spec("numba") is not None
    if backend == "auto":
        return "numba" if large and installed else "numpy"
    if not installed:
        raise MissingPackageError("numba", "backend='numba'", 'pip install "beliefgraph[fast]"')
    return "numba"


def device_of(backend: str) -> str:
    """Return the device in "torch:DEVICE"; the processor where none is named.

    >>> device_of("torch"), device_of("torch:cuda:1")
    ('cpu', 'cuda:1')
    """
    return backend.partition(":")[2] or "cpu"


def run(
    model: Model,
    draws: Draws,
    plan: Plan | None = None,
    before: World | None = None,
    *,
    passes: int = 10,
    into: Block | None = None,
    only: NDArray[np.bool_] | None = None,
) -> World:
    """Propagate one plan through all sampled worlds.

    Parameters
    ----------
    model, draws
        The compiled graph and what chance decided.
    plan
        The interventions; None runs the world before.
    before
        The world without a plan, where it has been run: concepts out of reach keep its values.
    passes
        Rounds through the loops, where feedback is simulated.
    into
        (n, n_samples) memory to use for the values (numpy backend).
    only
        (n,) concepts whose values are wanted, with all their ancestors; the rows of the others
        hold nothing (no loops).

    Returns
    -------
    World
        With every concept that the plan reaches in `moved`.
    """
    if plan is None or not plan.touched:
        if before is not None:
            return before
        known = None if only is None else (draws.standard, ~only)
        values, unsettled = _propagate(model, draws, {}, {}, known, passes, into)
        return World(values, unsettled=unsettled)
    if before is None:
        before = run(model, draws, passes=passes)
    held, pushes = rows_of(model, draws, plan)
    reached = model.reach(plan.touched, blocked=plan.do)
    if only is not None:
        reached &= only
    known = None if model.loops else (before.base, ~reached)
    values, unsettled = _propagate(model, draws, held, pushes, known, passes, into)
    moved = {int(concept): values[concept] for concept in np.flatnonzero(reached)}
    return World(before.base, moved, unsettled)


def rows_of(model: Model, draws: Draws, plan: Plan) -> tuple[dict[int, Block], dict[int, Block]]:
    """Return the held values and the changed pushes of a plan, one row a concept."""
    held: dict[int, Block] = {}
    pushes: dict[int, Block] = {}
    for concept, value in plan.do.items():
        uniform = uniforms(draws.seed, 0, concept, 1 if value.fixed else draws.n_samples)
        row = value.draw(uniform).astype(np.float32)
        held[concept] = np.broadcast_to(row, (draws.n_samples,)) if value.fixed else row
    for concept, value in plan.noise.items():
        change = np.float32(value.mean - model.noise_sd[concept])
        pushes[concept] = draws.push(concept) + change * draws.standard[concept]
    for concept, value in plan.shift.items():
        uniform = uniforms(draws.seed, 1, concept, 1 if value.fixed else draws.n_samples)
        amount = value.draw(uniform).astype(np.float32)
        pushed = pushes.get(concept)
        pushes[concept] = (draws.push(concept) if pushed is None else pushed) + amount
    return held, pushes


def _propagate(
    model: Model,
    draws: Draws,
    held: dict[int, Block],
    pushes: dict[int, Block],
    known: tuple[Block, NDArray[np.bool_]] | None,
    passes: int,
    into: Block | None = None,
) -> tuple[Block, float]:
    """Compute values in topological order; `known` gives rows that need no computing."""
    if draws.backend == "numba":
        from beliefgraph.simulate import kernels

        return kernels.propagate(model, draws, held, pushes, known), 0.0
    if draws.backend.startswith("torch"):
        from beliefgraph.simulate import torch_backend

        device = device_of(draws.backend)
        return torch_backend.propagate(model, draws, held, pushes, known, device), 0.0
    return propagate_numpy(model, draws, held, pushes, known, passes, into)


def propagate_numpy(
    model: Model,
    draws: Draws,
    held: dict[int, Block],
    pushes: dict[int, Block],
    known: tuple[Block, NDArray[np.bool_]] | None,
    passes: int,
    into: Block | None = None,
) -> tuple[Block, float]:
    """Propagate with numpy alone: one vector operation an influence."""
    values = np.empty(draws.standard.shape, np.float32) if into is None else into
    strengths = draws.strengths
    product = np.empty(draws.n_samples, dtype=np.float32)
    rows: list[Block] = [values[i] for i in range(model.n)]
    if known is not None:
        for concept in np.flatnonzero(known[1]).tolist():
            rows[concept] = known[0][concept]
    for concept, row in held.items():
        values[concept] = row
    previous: Block | None = None
    fixed = model.mean.astype(np.float32)
    rounds = passes if model.loops else 1
    for _ in range(rounds):
        if model.loops:
            previous = (
                np.repeat(model.level.astype(np.float32)[:, None], draws.n_samples, axis=1)
                if previous is None
                else values.copy()
            )
            for concept, row in held.items():
                previous[concept] = row
        for place, concept in enumerate(model.order.tolist()):
            if concept in held or (known is not None and known[1][concept]):
                continue
            total = values[concept]
            pushed = pushes.get(concept)
            if pushed is None:
                draws.push(concept, out=total)
            else:
                total[:] = pushed
            for edge in model.parents(place):
                source = int(model.source[edge])
                strength = strengths.get(edge)
                if strength is None:
                    strength = fixed[edge]
                origin = rows[source]
                if model.late[edge] and previous is not None:
                    origin = previous[source]
                np.multiply(strength, origin, out=product)
                total += product
            model.mechanisms[concept].apply(total)
    if previous is None:
        return values, 0.0
    return values, float(np.abs(values - previous).mean(dtype=np.float64))


def own_push(model: Model, standard: Block, seed: np.random.SeedSequence, concept: int) -> Block:
    """Return bias + uncertain level + noise of one concept, one number per world."""
    out = standard[concept] * np.float32(model.noise_sd[concept])
    out += np.float32(model.bias[concept])
    if model.level_sd[concept]:
        out += level_push(model, seed, concept, standard.shape[1])
    return np.asarray(out)


def coin_rows(model: Model) -> int:
    """Return how many rows of coins a model needs."""
    uncertain = ~model.certain
    return int(model.row[uncertain].max()) + 1 if uncertain.any() else 0


def check_samples(n_samples: int, least: int) -> int:
    """Return a checked number of samples."""
    if isinstance(n_samples, bool) or not isinstance(n_samples, (int, np.integer)):
        raise InterventionError(f"n_samples: give a whole number, got {n_samples!r}")
    if n_samples < least:
        raise InterventionError(f"n_samples must be at least {least}, got {n_samples}")
    return int(n_samples)
