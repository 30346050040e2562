r"""Loops in what a person says, and whether dropping them changes the answer.

A belief graph is free of loops: the influences that would close one stay in its `feedback`.

* `on_cycle="drop_weakest"` simulates the graph as it stands, without its feedback. (Extraction
  puts the influence of the least confidence x |weight| there; a graph whose feedback holds a
  stronger one than its loop is simulated as it stands, and the result says so.)
* `"raise"` refuses feedback that closes a loop and prints the loop. Feedback that closes none
  (after edits) is simulated.
* `"fcm"` iterates the graph with its feedback as a fuzzy cognitive map to a fixed point or a limit
  cycle (`beliefgraph.simulate.fcm.graph`).
* `"unroll"` passes values around: pass t evaluates the concepts in topological order, feedback
  influences reading the values of pass t - 1 and the first pass the levels; T passes, one draw of
  influences and noise kept over all of them, in the world before as in the world after. Feedback
  that closes no loop counts as any other influence.

Where dropping and unrolling disagree on the sign of the stance's shift, the result says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from beliefgraph.graph import BeliefGraph, Influence
from beliefgraph.simulate.compile import compile_graph
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.result import Shift
from beliefgraph.simulate.sample import World, draw, run

__all__ = ["compare_loops", "unsettled_note", "weaker_in_loop"]

_SETTLED = 1e-3


def compare_loops(
    graph: BeliefGraph,
    compile_with: Mapping[str, Any],
    seed: np.random.SeedSequence,
    before: Plan,
    after: Plan,
    stance: Shift,
    n_samples: int,
    passes: int,
) -> list[str]:
    """Simulate the graph the other way round its loops and say where the signs differ."""
    unrolled = compile_with["on_cycle"] == "unroll"
    other = "drop_weakest" if unrolled else "unroll"
    model = compile_graph(graph, **{**compile_with, "on_cycle": other})
    draws = draw(model, seed, n_samples or 10_000)
    base = run(model, draws, passes=passes)
    worlds = [run(model, draws, plan, base, passes=passes) for plan in (before, after)]
    change = worlds[1].row(model.stance) - worlds[0].row(model.stance)
    mean = float(change.mean(dtype=np.float64))
    se = float(change.std(dtype=np.float64)) / np.sqrt(len(change))
    notes = [] if unrolled else weaker_in_loop(graph)
    clear = abs(mean) > max(2 * se, 1e-9) and abs(stance.shift) > max(2 * stance.se, 1e-9)
    if clear and np.sign(mean) != np.sign(stance.shift):
        dropped, passed = (mean, stance.shift) if unrolled else (stance.shift, mean)
        notes.append(
            f"the loops decide the sign: the stance moves by {dropped:+.3f} without the feedback "
            f"influences and by {passed:+.3f} with loops unrolled over {passes} passes."
        )
    elif not unrolled and stance.shift == 0 and clear_move(mean, se):
        notes.append(
            f"only the loops carry a shift: without the feedback influences the stance does not "
            f"move, with loops unrolled over {passes} passes it moves by {mean:+.3f}."
        )
    return notes


def clear_move(mean: float, se: float) -> bool:
    """Whether a sampled mean shift is more than chance."""
    return abs(mean) > max(2 * se, 1e-9)


def unsettled_note(world: World) -> list[str]:
    """Say that values still changed in the last pass, where they did."""
    if world.unsettled <= _SETTLED:
        return []
    return [
        f"the loops had not settled: values changed by {world.unsettled:.2g} on average in the "
        "last pass. More `passes` may settle them; a loop that feeds itself more than it gets "
        "never does."
    ]


def weaker_in_loop(graph: BeliefGraph) -> list[str]:
    """Say which feedback influences are stronger than the weakest of the loop that they close."""
    notes = []
    for item in graph.feedback:
        edge = item.influence
        weakest = _weakest_on_a_way(graph, edge.target, edge.source)
        if weakest is not None and _strength(weakest) < _strength(edge):
            notes.append(
                f"feedback holds {edge.source!r} -> {edge.target!r}, which is stronger than "
                f"{weakest.source!r} -> {weakest.target!r} in the loop that it closes; the graph "
                "is simulated as it stands."
            )
    return notes


def _strength(edge: Influence) -> float:
    return edge.confidence * abs(edge.weight)


def _weakest_on_a_way(graph: BeliefGraph, start: str, end: str) -> Influence | None:
    """Return the weakest influence of the way whose weakest is strongest (widest path)."""
    best: dict[str, Influence | None] = {start: None}
    for name in graph.topological_order:
        if name not in best:
            continue
        for edge in graph.influences:
            if edge.source != name:
                continue
            so_far = best[name]
            weakest = edge if so_far is None or _strength(edge) < _strength(so_far) else so_far
            known = best.get(edge.target)
            if known is None or _strength(known) < _strength(weakest):
                best[edge.target] = weakest
    return best.get(end)
