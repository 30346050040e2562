r"""A belief graph as a fuzzy cognitive map: `on_cycle="fcm"`.

The map's influences are the graph's, those in `feedback` included, and all concepts change at once.
A concept follows x_j <- f(b_j + sum_i w_ij x_i + e_j + shift_j), by the chosen rule and transfer
function (`beliefgraph.simulate.fcm.rules`), all iterations with one draw of influences, levels and
noise.

* A concept under `do` has its value in every iteration, and what leads into it has no effect; it
  keeps the value as given, also where a bivalent or trivalent map could not reach it.
* `shift` and noise are added inside f, in every iteration.
* Both worlds start from the present levels. The constant pushes b_j are solved so that these levels
  are a fixed point of the map with mean influences and no noise, whatever the rule (a sigmoid map
  under Kosko's rule would otherwise leave them by itself). `bias=` of 0 for every concept gives the
  published rule.
* A concept that no present influence connects to what was intervened on keeps, in that world, the
  very number of the world before.

**What equals what.** Without loops, a tanh map under Kosko's rule with steepness 1 is the tanh
mechanism: after as many iterations as the longest path has influences every concept has its value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.compile import Model, compile_graph
from beliefgraph.simulate.fcm import Regimes, settle, worlds_at_once
from beliefgraph.simulate.fcm.rules import EdgeWeights, FcmOptions
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.mechanisms import Mechanism
from beliefgraph.simulate.noise import edge_strengths
from beliefgraph.simulate.sample import Block, Draws, World, rows_of

__all__ = ["MapMechanism", "MapWorld", "compile_map", "feedback_note", "regime_notes", "run_map"]

_NO_PLAN: Final = Plan({}, {}, {})


@dataclass(frozen=True)
class MapMechanism(Mechanism):
    """The transfer function of a map as a mechanism, in the library's scale."""

    options: FcmOptions = field(default_factory=FcmOptions)

    @property
    def invertible(self) -> bool:
        """False: with loops, values do not tell the pushes behind them."""
        return False

    def apply(self, values: NDArray[np.floating]) -> None:
        """Replace pushes by values in place."""
        values[...] = self.options.from_map(self.options.activate(values.astype(np.float64)))

    def inverse(self, value: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return the push, own memory aside, that keeps a concept at this value."""
        return self.options.push_at(np.asarray(value, dtype=np.float64))

    def __str__(self) -> str:
        return self.options.transfer


@dataclass(frozen=True, eq=False)
class MapWorld(World):
    """Values of every concept in every sampled world, and where the worlds ended."""

    regimes: Regimes | None = None
    """Regime and iterations of each world."""


def compile_map(
    graph: BeliefGraph,
    options: FcmOptions,
    *,
    noise_sd: float | Mapping[str, float] = 0.25,
    bias: Mapping[str, float] | None = None,
) -> Model:
    """Compile a graph with its feedback, its present levels a fixed point of the mean map."""
    model = compile_graph(
        graph,
        mechanism=MapMechanism("tanh", options=options),
        noise_sd=noise_sd,
        bias=bias,
        on_cycle="fcm",
    )
    # compiled biases take the sums to read levels; the map's sums read its states
    solved = np.array(model.bias)
    read = options.heard(options.standing(model.level))
    np.add.at(solved, model.target, model.mean * (model.level - read)[model.source])
    given = [model.names.index(name) for name in bias or ()]
    solved[given] = model.bias[given]
    solved.flags.writeable = False
    return replace(model, bias=solved)


def run_map(
    options: FcmOptions,
    model: Model,
    draws: Draws,
    plan: Plan | None = None,
    before: World | None = None,
) -> World:
    """Iterate one plan in all sampled worlds; as `beliefgraph.simulate.sample.run`."""
    touched = plan is not None and bool(plan.touched)
    if not touched and before is not None:
        return before
    if touched and before is None:
        before = run_map(options, model, draws)
    chosen = plan if plan is not None else _NO_PLAN
    held, pushes = rows_of(model, draws, chosen)
    values = np.empty(draws.standard.shape, dtype=np.float32)
    ends = np.empty((2, draws.n_samples), dtype=np.int32)
    start = options.standing(model.level)[:, None]
    width = worlds_at_once(model.n, int(np.count_nonzero(~model.certain)))
    for first in range(0, draws.n_samples, width):
        chunk = slice(first, min(first + width, draws.n_samples))
        weights = _weights(model, draws, chunk)
        states = np.repeat(start, chunk.stop - first, axis=1)
        for concept, row in held.items():
            states[concept] = options.to_map(row[chunk].astype(np.float64))
        found, ends[0, chunk], ends[1, chunk] = settle(
            options, weights, states, _pushes(model, draws, pushes, chunk), tuple(held)
        )
        values[:, chunk] = options.from_map(found)
        for concept, row in held.items():
            values[concept, chunk] = row[chunk]
        if before is not None:
            still = ~_reached(weights, chosen, found.shape)
            np.copyto(values[:, chunk], before.base[:, chunk], where=still)
    regimes = Regimes(ends[0], ends[1])
    if before is None:
        return MapWorld(values, regimes=regimes)
    reached = model.reach(chosen.touched, blocked=chosen.do)
    moved = {int(concept): values[concept] for concept in np.flatnonzero(reached)}
    return MapWorld(before.base, moved, regimes=regimes)


def _weights(model: Model, draws: Draws, chunk: slice) -> EdgeWeights:
    """Return the strengths of the influences in some worlds."""
    tosses, count = draws.tosses[:, chunk], chunk.stop - chunk.start
    strengths = [
        float(model.mean[edge])
        if model.certain[edge]
        else edge_strengths(model, edge, tosses, count).astype(np.float64)
        for edge in range(model.edges)
    ]
    return EdgeWeights(model.source.tolist(), model.target.tolist(), strengths)


def _pushes(
    model: Model, draws: Draws, changed: Mapping[int, Block], chunk: slice
) -> NDArray[np.float64]:
    """(n, worlds) bias + uncertain level + noise + shift of every concept in some worlds."""
    out = np.empty((model.n, chunk.stop - chunk.start))
    for concept in range(model.n):
        row = changed.get(concept, draws.level_pushes.get(concept))
        if row is not None:
            out[concept] = row[chunk]
        else:
            out[concept] = draws.standard[concept, chunk] * model.noise_sd[concept]
            out[concept] += model.bias[concept]
    return out


def _reached(weights: EdgeWeights, plan: Plan, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """(n, worlds) whether present influences lead from what the plan touches to the concept."""
    found = np.zeros(shape, dtype=bool)
    found[list(plan.touched)] = True
    while True:
        before = np.count_nonzero(found)
        for source, target, strength in zip(
            weights.source, weights.target, weights.strength, strict=True
        ):
            if target not in plan.do:
                found[target] |= found[source] & (np.asarray(strength) != 0)
        if np.count_nonzero(found) == before:
            return found


def regime_notes(options: FcmOptions, model: Model, worlds: tuple[World, World]) -> list[str]:
    """Say which worlds did not end at a fixed point, and what their values are."""
    notes = []
    for when, world in zip(("before", "after"), worlds, strict=True):
        if not isinstance(world, MapWorld) or world.regimes is None:
            continue
        counts, count = world.regimes.counts, world.regimes.period.size
        if counts["limit cycle"]:
            periods = world.regimes.periods
            shown = ", ".join(str(p) for p in sorted(periods, key=lambda p: (-periods[p], p))[:3])
            notes.append(
                f"{when}: {counts['limit cycle']} of {count} worlds go round a limit cycle "
                f"(most often of period {shown}); their values are means over a period."
            )
        if counts["unresolved"]:
            notes.append(
                f"{when}: {counts['unresolved']} of {count} worlds were unresolved after "
                f"{options.max_iterations} iterations; their values are the last states. A larger "
                "max_iterations in fcm= may resolve them."
            )
    if options.discrete and model.noise_sd.any():
        notes.append(
            f"noise decides the state of a {options.transfer} concept wherever the other pushes on "
            "it are smaller; noise_sd=0 gives the published rule."
        )
    return notes


def feedback_note(with_loops: tuple[float, float], without: NDArray[np.floating]) -> list[str]:
    """Say where the influences in feedback decide whether, or which way, the stance moves.

    `with_loops` is the mean shift and its standard error; `without` the sampled shifts of the same
    map without feedback.
    """
    shift, se = with_loops
    mean = float(without.mean(dtype=np.float64))
    least = 2 * float(without.std(dtype=np.float64)) / np.sqrt(len(without))
    if abs(shift) <= max(2 * se, 1e-9):
        return []
    if abs(mean) > max(least, 1e-9) and np.sign(mean) != np.sign(shift):
        return [
            f"the loops decide the sign: the stance moves by {mean:+.3f} without the feedback "
            f"influences and by {shift:+.3f} with them."
        ]
    if not without.any():
        return [
            "only the loops carry the shift: without the feedback influences the stance does not "
            "move."
        ]
    return []
