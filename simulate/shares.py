r"""How much of a shift each path and each influence carried, adding up to the whole.

*Paths.* In the linear model a path contributes the change at its start times the mean strengths
along it, and the contributions add up. With other mechanisms the players of a Shapley game are the
paths: a coalition lets the intervention through along its paths while all others carry the present
(a path-specific effect, Pearl 2001, *Direct and indirect effects*), and a path's contribution is
its Shapley value. Up to ten players are summed over exactly; where there are more paths, the
strongest nine (in the linear model) and all others as one.

*Influences.* The players are the influences on those paths: a coalition keeps its influences and
the others are absent, both before and after. In the linear model the game is a sum over paths, each
of which needs all its influences, so that the Shapley value of an influence is the sum over the
paths through it of contribution / length, which a recursion over lengths gives exactly. With other
mechanisms the game is summed over exactly up to 12 influences, and over sampled orders beyond.

Where the stance itself is set or pushed, what that does alone is `unattributed`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.compile import Model
from beliefgraph.simulate.interventions import Amount, Plan, make_plan
from beliefgraph.simulate.options import options_without_loops
from beliefgraph.simulate.paths import Step, best_paths, linear_changes, step_of
from beliefgraph.simulate.sample import Draws, World, draw, propagate_numpy, rows_of, run

__all__ = ["Contribution", "Contributions", "contributions", "influences_on_paths", "shapley"]

Floats = NDArray[np.float64]
Block = NDArray[np.float32]

_MOST_PATHS: Final = 10
_MOST_INFLUENCES: Final = 12
_ORDERS: Final = 200
_OTHERS: Final = "all other paths"


@dataclass(frozen=True)
class Contribution:
    """The part of the stance's shift that a path or an influence carried."""

    concepts: tuple[str, ...]
    """The concepts along it; ("all other paths",) for the rest."""
    amount: float
    """Its part of the mean shift."""
    steps: tuple[Step, ...]
    """The influences, each with its quotes."""

    def __str__(self) -> str:
        return f"{self.amount:+.3f}  {' -> '.join(self.concepts)}"


@dataclass(frozen=True)
class Contributions:
    """Paths and influences with their parts of the mean shift, the largest first."""

    total: float
    """Mean shift of the stance: paths add up to it, and so do influences, with `unattributed`."""
    paths: tuple[Contribution, ...]
    """Parts by path."""
    influences: tuple[Contribution, ...]
    """Parts by influence."""
    unattributed: float
    """Part of the shift that needs no influence: the stance itself was set or pushed."""
    exact: bool
    """Whether the parts of the influences are summed exactly, not over sampled orders."""

    def __str__(self) -> str:
        lines = [f"shift {self.total:+.3f}", "by path:"]
        lines += [f"  {item}" for item in self.paths]
        lines += ["by influence:", *(f"  {item}" for item in self.influences)]
        if abs(self.unattributed) > 5e-4:
            lines.append(f"set or pushed at the stance itself: {self.unattributed:+.3f}")
        return "\n".join(lines)


def contributions(
    graph: BeliefGraph,
    *,
    do: Mapping[str, Amount] | None = None,
    shift: Mapping[str, Amount] | None = None,
    n_samples: int = 1000,
    **options: Any,
) -> Contributions:
    """Split the mean shift of the stance by path and by influence.

    Parameters
    ----------
    graph
        What the person believes.
    do, shift
        As for `intervene`.
    n_samples
        Sampled worlds per coalition, where the mechanism is not linear.
    **options
        mechanism, seed, noise_sd, bias: as for `intervene`. Loops are dropped.

    Examples
    --------
    >>> g = BeliefGraph.from_edges(
    ...     [("a", "b", 0.5), ("b", "s", 0.8), ("a", "s", -0.1)], stance="s"
    ... )
    >>> parts = contributions(g, do={"a": 1.0}, mechanism="linear")
    >>> print(parts)
    shift +0.300
    by path:
      +0.400  a -> b -> s
      -0.100  a -> s
    by influence:
      +0.200  a -> b
      +0.200  b -> s
      -0.100  a -> s
    """
    options = {**options, "n_samples": n_samples}
    checked = options_without_loops(graph, options, "contributions")
    model = checked.model
    plan = make_plan(model.names, do, shift, None)
    changes = linear_changes(model, plan)
    on_paths = influences_on_paths(model, changes, set(plan.do))
    if model.linear:
        found = [
            (walk, amount)
            for walk, amount in islice(
                best_paths(model, changes, set(plan.do), model.mean), _MOST_PATHS**2
            )
            if len(walk) > 1
        ]
        edges = _linear_influences(model, changes, set(plan.do))
        own = changes.get(model.stance, 0.0)
        total = own + sum(amount for _, amount in edges)
        rest = total - own - sum(amount for _, amount in found)
        if abs(rest) > 1e-12:
            found.append(((-1,), rest))
        exact = True
    else:
        draws = draw(model, checked.seed, checked.n_samples, "numpy")
        before = run(model, draws)
        after = run(model, draws, plan, before)
        total = _mean(after.row(model.stance) - before.row(model.stance))
        found, own = _path_game(model, draws, plan, before, changes)
        edges, exact = _influence_game(model, draws, plan, on_paths)
    return Contributions(
        total=total,
        paths=_named(graph, model, found),
        influences=_named(graph, model, [((int(model.source[e]), e), a) for e, a in edges]),
        unattributed=own,
        exact=exact,
    )


def _named(
    graph: BeliefGraph, model: Model, found: list[tuple[tuple[int, ...], float]]
) -> tuple[Contribution, ...]:
    """Put names and quotes to walks (start, influence, influence, ...), the largest first."""
    out = []
    for walk, amount in found:
        if walk == (-1,):
            out.append(Contribution((_OTHERS,), amount, ()))
            continue
        steps = tuple(step_of(graph, model, edge) for edge in walk[1:])
        names = (model.names[walk[0]], *(step.target for step in steps))
        out.append(Contribution(names, amount, steps))
    return tuple(sorted(out, key=lambda item: -abs(item.amount)))


def _mean(values: Block) -> float:
    return float(values.mean(dtype=np.float64))


def influences_on_paths(model: Model, changes: dict[int, float], blocked: set[int]) -> list[int]:
    """Return the influences on a way from an intervened concept to the stance."""
    reached = model.reach(changes, blocked=blocked)
    leads = model.ancestors(model.stance, blocked=blocked)
    leads[model.stance] = True
    return [
        edge
        for edge in range(model.edges)
        if reached[model.source[edge]]
        and leads[model.target[edge]]
        and model.target[edge] not in blocked
        and model.source[edge] != model.stance
        and model.square[edge] > 0
    ]


def _linear_influences(
    model: Model, changes: dict[int, float], blocked: set[int]
) -> list[tuple[int, float]]:
    """Return the Shapley value of each influence: contribution / length, over paths through it."""
    edges = influences_on_paths(model, changes, blocked)
    n, longest = model.n, model.n
    ahead = np.zeros((n, longest))  # [i, l]: paths of l influences from the start to i
    behind = np.zeros((n, longest))  # [j, l]: paths of l influences from j to the stance
    for start, change in changes.items():
        ahead[start, 0] += change
    behind[model.stance, 0] = 1
    for edge in edges:
        ahead[model.target[edge], 1:] += model.mean[edge] * ahead[model.source[edge], :-1]
    for edge in reversed(edges):
        behind[model.source[edge], 1:] += model.mean[edge] * behind[model.target[edge], :-1]
    lengths = np.arange(longest)[:, None] + np.arange(longest)[None, :] + 1
    return [
        (
            edge,
            float(
                model.mean[edge]
                * (ahead[model.source[edge]] @ (1 / lengths) @ behind[model.target[edge]])
            ),
        )
        for edge in edges
    ]


def _path_game(
    model: Model, draws: Draws, plan: Plan, before: World, changes: dict[int, float]
) -> tuple[list[tuple[tuple[int, ...], float]], float]:
    """Return walks with their Shapley values, and the part that needs no influence."""
    blocked = set(plan.do)
    every = list(islice(_all_paths(model, changes, blocked), 5000))
    walks = sorted(every, key=lambda item: -abs(item[1]))
    single = [walk for walk, _ in walks[: _MOST_PATHS - (len(walks) > _MOST_PATHS)]]
    players = [{walk} for walk in single]
    if len(walks) > len(single):
        players.append({walk for walk, _ in walks[len(single) :]})
    held, pushes = rows_of(model, draws, plan)
    fixed = model.mean.astype(np.float32)
    into: list[list[int]] = [[] for _ in range(model.n)]
    for edge in range(model.edges):
        into[model.target[edge]].append(edge)
    baseline = _mean(before.row(model.stance))

    def value(j: int, suffix: tuple[int, ...], active: set[tuple[int, ...]]) -> Block:
        """Value of j as the influences in `suffix` carry it on to the stance."""
        here = (j, *suffix)
        if j in held:
            return held[j] if here in active else before.row(j)
        through = [walk for walk in active if walk[len(walk) - len(suffix) :] == suffix]
        if not through and j != model.stance:
            return before.row(j)
        pushed = j in pushes and (here in active or j == model.stance)
        total = np.array(pushes[j] if pushed else draws.push(j))
        for edge in into[j]:
            strength = draws.strengths.get(edge)
            w = fixed[edge] if strength is None else strength
            total += w * value(int(model.source[edge]), (edge, *suffix), active)
        model.mechanisms[j].apply(total)
        return total

    def game(coalition: int) -> float:
        active = {w for i, player in enumerate(players) if coalition >> i & 1 for w in player}
        return _mean(value(model.stance, (), active)) - baseline

    if model.stance in held:
        return [], _mean(held[model.stance]) - baseline
    shares, nothing = shapley(game, len(players))
    found = [(walk, share) for walk, share in zip(single, shares, strict=False)]
    if len(players) > len(single):
        found.append(((-1,), shares[-1]))
    return found, nothing


def _all_paths(
    model: Model, changes: dict[int, float], blocked: set[int]
) -> list[tuple[tuple[int, ...], float]]:
    """Return all walks from an intervened concept to the stance with their linear contribution.

    Influences of mean 0 (mentions that cancel) count: they carry something in single worlds.
    """
    edges = influences_on_paths(model, changes, blocked)
    outgoing: list[list[int]] = [[] for _ in range(model.n)]
    for edge in edges:
        outgoing[model.source[edge]].append(edge)
    found: list[tuple[tuple[int, ...], float]] = []
    waiting: list[tuple[tuple[int, ...], int, float]] = [
        ((start,), start, change) for start, change in sorted(changes.items())
    ]
    while waiting and len(found) < 5000:
        walk, at, amount = waiting.pop()
        if at == model.stance:
            if len(walk) > 1:
                found.append((walk, amount))
            continue
        for edge in outgoing[at]:
            step = amount * float(model.mean[edge])
            waiting.append(((*walk, edge), int(model.target[edge]), step))
    return found


def _influence_game(
    model: Model, draws: Draws, plan: Plan, edges: list[int]
) -> tuple[list[tuple[int, float]], bool]:
    """Return the Shapley value of each influence, and whether it is exact."""
    held, pushes = rows_of(model, draws, plan)
    needed = model.ancestors(model.stance)
    needed[model.stance] = True
    skip = (np.zeros((model.n, 0), np.float32), ~needed)
    nothing = np.zeros(draws.n_samples, dtype=np.float32)

    def game(coalition: int) -> float:
        absent = {edge: nothing for i, edge in enumerate(edges) if not coalition >> i & 1}
        kept = draws.without(absent)
        first, _ = propagate_numpy(model, kept, {}, {}, skip, 1)
        second, _ = propagate_numpy(model, kept, held, pushes, skip, 1)
        return _mean(second[model.stance] - first[model.stance])

    if len(edges) <= _MOST_INFLUENCES:
        shares, _ = shapley(game, len(edges))
        return list(zip(edges, shares, strict=True)), True
    rng = np.random.default_rng(draws.seed)
    sums = np.zeros(len(edges))
    known: dict[int, float] = {0: game(0)}
    for _ in range(_ORDERS // 2):
        order = rng.permutation(len(edges))
        for walk in (order, order[::-1]):  # antithetic orders
            coalition, last = 0, known[0]
            for player in walk.tolist():
                coalition |= 1 << player
                if coalition not in known:
                    known[coalition] = game(coalition)
                sums[player] += known[coalition] - last
                last = known[coalition]
    return list(zip(edges, (sums / _ORDERS).tolist(), strict=True)), False


def shapley(game: Callable[[int], float], players: int) -> tuple[list[float], float]:
    """Return the Shapley values of a game on bit masks, and its value for nobody.

    Shapley (1953): the mean over all orders of what a player adds to those before.

    >>> shapley(lambda coalition: float(coalition == 3), 2)
    ([0.5, 0.5], 0.0)
    """
    values = [game(coalition) for coalition in range(1 << players)]
    factors = [
        math.factorial(size) * math.factorial(players - size - 1) / math.factorial(players)
        for size in range(players)
    ]
    shares = [0.0] * players
    for coalition, worth in enumerate(values):
        size = coalition.bit_count()
        for player in range(players):
            if coalition >> player & 1:
                shares[player] += factors[size - 1] * worth
            else:
                shares[player] -= factors[size] * worth
    return shares, values[0]
