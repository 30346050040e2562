r"""Sampled worlds: one draw of influences and noise, propagated before and after an intervention.

A world takes each influence with its confidence, one of its mentions, and a noise; the same draw
serves the worlds before and after (common random numbers), so the shift of a world is due to the
intervention alone. Only descendants of what was intervened on are recomputed; all other concepts
keep the very numbers of the world before.

**Unrolled loops.** Feedback influences read the value of the pass before; the first pass reads the
level. Draws are kept over all passes, and both worlds go through all of them.

Values are float32. numba, where it is installed, runs the same operations in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.simulate import kernels
from beliefgraph.simulate.compile import Model
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.noise import coins, edge_block, normals, scale_noise, uniforms

__all__ = ["Draws", "World", "draw", "run"]

Block = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Draws:
    """What chance decides, shared by all worlds of one model."""

    seed: np.random.SeedSequence
    """Where it comes from."""
    standard: Block
    """(n, n_samples) standard normals."""
    push: Block
    """(n, n_samples) bias + uncertain baseline + noise."""
    fixed: Block
    """(E,) strength of the influences that are the same in every world."""
    drawn: Block
    """(uncertain, n_samples) strengths of the other influences."""
    slot: NDArray[np.int64]
    """(E,) row of `drawn`, or -1."""

    @property
    def n_samples(self) -> int:
        """Number of worlds."""
        return int(self.push.shape[1])


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


def draw(model: Model, seed: np.random.SeedSequence, n_samples: int) -> Draws:
    """Draw noise and influences of `n_samples` worlds."""
    standard = normals(seed, model.n, n_samples)
    uncertain = np.flatnonzero(~model.certain)
    rows = int(model.row[uncertain].max()) + 1 if len(uncertain) else 0
    fixed, drawn, slot = edge_block(model, coins(seed, rows, n_samples))
    return Draws(seed, standard, scale_noise(model, standard, seed), fixed, drawn, slot)


def run(
    model: Model,
    draws: Draws,
    plan: Plan | None = None,
    before: World | None = None,
    *,
    passes: int = 10,
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

    Returns
    -------
    World
        With every concept that the plan reaches in `moved`.
    """
    if plan is None or not plan.touched:
        if before is not None:
            return before
        values, unsettled = _propagate(model, draws, {}, {}, None, passes)
        return World(values, unsettled=unsettled)
    if before is None:
        before = run(model, draws, passes=passes)
    held, pushes = _rows(model, draws, plan)
    reached = model.reach(plan.touched, blocked=plan.do)
    known = None if model.loops else (before.base, ~reached)
    values, unsettled = _propagate(model, draws, held, pushes, known, passes)
    moved = {int(concept): values[concept] for concept in np.flatnonzero(reached)}
    return World(before.base, moved, unsettled)


def _rows(model: Model, draws: Draws, plan: Plan) -> tuple[dict[int, Block], dict[int, Block]]:
    """Return the held values and the changed pushes of a plan, one row a concept."""
    held: dict[int, Block] = {}
    pushes: dict[int, Block] = {}
    for concept, value in plan.do.items():
        uniform = uniforms(draws.seed, 0, concept, 1 if value.fixed else draws.n_samples)
        row = value.draw(uniform).astype(np.float32)
        held[concept] = np.broadcast_to(row, (draws.n_samples,)) if value.fixed else row
    for concept, value in plan.noise.items():
        change = np.float32(value.mean - model.noise_sd[concept])
        pushes[concept] = draws.push[concept] + change * draws.standard[concept]
    for concept, value in plan.shift.items():
        uniform = uniforms(draws.seed, 1, concept, 1 if value.fixed else draws.n_samples)
        amount = value.draw(uniform).astype(np.float32)
        pushes[concept] = pushes.get(concept, draws.push[concept]) + amount
    return held, pushes


def _propagate(
    model: Model,
    draws: Draws,
    held: dict[int, Block],
    pushes: dict[int, Block],
    known: tuple[Block, NDArray[np.bool_]] | None,
    passes: int,
) -> tuple[Block, float]:
    """Compute values in topological order; `known` gives rows that need no computing."""
    if kernels.available():
        out: tuple[Block, float] = kernels.propagate(model, draws, held, pushes, known, passes)
        return out
    return propagate_numpy(model, draws, held, pushes, known, passes)


def propagate_numpy(
    model: Model,
    draws: Draws,
    held: dict[int, Block],
    pushes: dict[int, Block],
    known: tuple[Block, NDArray[np.bool_]] | None,
    passes: int,
) -> tuple[Block, float]:
    """Propagate with numpy alone: one vector operation an influence."""
    values = np.empty_like(draws.push)
    product = np.empty(draws.n_samples, dtype=np.float32)
    rows: list[Block] = [values[i] for i in range(model.n)]
    if known is not None:
        for concept in np.flatnonzero(known[1]).tolist():
            rows[concept] = known[0][concept]
    for concept, row in held.items():
        values[concept] = row
    previous: Block | None = None
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
            total[:] = pushes.get(concept, draws.push[concept])
            for edge in model.parents(place):
                slot, source = int(draws.slot[edge]), int(model.source[edge])
                strength = draws.fixed[edge] if slot < 0 else draws.drawn[slot]
                origin = rows[source]
                if model.late[edge] and previous is not None:
                    origin = previous[source]
                np.multiply(strength, origin, out=product)
                total += product
            model.mechanisms[concept].apply(total)
    if previous is None:
        return values, 0.0
    return values, float(np.abs(values - previous).mean(dtype=np.float64))


def check_samples(n_samples: int, least: int) -> int:
    """Return a checked number of samples."""
    if isinstance(n_samples, bool) or not isinstance(n_samples, (int, np.integer)):
        raise InterventionError(f"n_samples: give a whole number, got {n_samples!r}")
    if n_samples < least:
        raise InterventionError(f"n_samples must be at least {least}, got {n_samples}")
    return int(n_samples)
