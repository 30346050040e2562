r"""Which paths carried a shift to the stance, and the words behind each influence on them.

In the linear model the expected shift of the stance is a sum over paths (Wright 1934, *The method
of path coefficients*): a path from an intervened concept k contributes the change at k times the
product of the mean strengths along it. Paths into a concept held by `do` end there. A path's share
is its part of the sum of absolute contributions over all paths, which the recursion for total
effects gives without enumerating them. The strongest paths come best first: the largest product
from each concept on is known from one reverse pass, so the search opens only what it returns.
With tanh the shares are those of the linear model, and are labelled so.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph, Evidence
from beliefgraph.simulate.compile import Model
from beliefgraph.simulate.interventions import Plan

__all__ = ["Explanation", "Path", "Step"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Step:
    """One influence on a path."""

    source: str
    """Concept that has the effect."""
    target: str
    """Concept that feels it."""
    weight: float
    """Direction and size, as the person puts it."""
    confidence: float
    """Probability that the person holds it."""
    evidence: tuple[Evidence, ...]
    """The words it was read from."""

    @property
    def quotes(self) -> tuple[str, ...]:
        """The quotes, verbatim."""
        return tuple(item.quote for item in self.evidence)

    def text(self) -> str:
        """Say the influence and its quotes in a few lines."""
        lines = [
            f"{self.source} -> {self.target}: weight {self.weight:+.2f}, "
            f"confidence {self.confidence:.2f}"
        ]
        lines += [f'  "{item.quote}" (turn {item.qa_id})' for item in self.evidence]
        return "\n".join(lines)


@dataclass(frozen=True)
class Path:
    """A way from an intervened concept to the stance."""

    concepts: tuple[str, ...]
    """The concepts along it, the intervened one first."""
    contribution: float
    """What it adds to the expected shift of the stance in the linear model."""
    share: float
    """Its part of the absolute contributions of all paths."""
    steps: tuple[Step, ...]
    """The influences along it."""

    @property
    def sign(self) -> str:
        """Return + where it raises the stance, - where it lowers it, 0 where it does neither."""
        return "+" if self.contribution > 0 else "-" if self.contribution < 0 else "0"

    def text(self) -> str:
        """Say the path, its share and the quotes of every influence on it."""
        lines = [str(self)]
        for step in self.steps:
            lines += ["    " + line for line in step.text().splitlines()]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, object]:
        """Return the path with its quotes, fit for JSON."""
        return {
            "concepts": list(self.concepts),
            "sign": self.sign,
            "contribution": self.contribution,
            "share": self.share,
            "influences": [
                {
                    "source": step.source,
                    "target": step.target,
                    "weight": step.weight,
                    "confidence": step.confidence,
                    "quotes": [
                        {"qa_id": item.qa_id, "quote": item.quote} for item in step.evidence
                    ],
                }
                for step in self.steps
            ],
        }

    def __str__(self) -> str:
        return f"{self.share:4.0%}  {self.contribution:+.3f}  {' -> '.join(self.concepts)}"


@dataclass(frozen=True)
class Explanation:
    """The strongest paths that carried a shift, best first."""

    stance: str
    """The stance concept."""
    paths: tuple[Path, ...]
    """The strongest paths, by absolute contribution."""
    total: float
    """Expected shift of the stance in the linear model: the sum over all paths."""
    share_shown: float
    """Part of the absolute contributions of all paths that `paths` hold."""
    notes: tuple[str, ...] = ()
    """What a reader of the shares should know."""

    def text(self) -> str:
        """Say every path with the quotes of its influences."""
        if not self.paths:
            return f"No path carries a shift to {self.stance!r}." + "".join(
                f"\n  {note}" for note in self.notes
            )
        lines = [self._head(), *("  " + line for p in self.paths for line in p.text().splitlines())]
        return "\n".join([*lines, *(f"  Note: {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, object]:
        """Return the paths, fit for JSON."""
        return {
            "stance": self.stance,
            "linear_shift": self.total,
            "share_shown": self.share_shown,
            "shares": "computed in the linear model",
            "paths": [path.to_dict() for path in self.paths],
            "notes": list(self.notes),
        }

    def _head(self) -> str:
        return (
            f"Strongest paths to {self.stance!r} (shares computed in the linear model), "
            f"{self.share_shown:.0%} of what all paths carry:"
        )

    def __str__(self) -> str:
        return self.text()


def linear_changes(model: Model, plan: Plan, means: Floats | None = None) -> dict[int, float]:
    """Return the expected change that a plan makes at each concept it touches, linear model.

    For a held concept that is its value less its mean, and nothing of it comes through other
    concepts; for a shifted one the shift.
    """
    mean = linear_means(model) if means is None else means
    changes = {k: value.mean - float(mean[k]) for k, value in plan.do.items()}
    changes |= {k: value.mean for k, value in plan.shift.items()}
    return changes


def linear_means(model: Model) -> Floats:
    """(n,) means before any intervention, were every mechanism linear: the levels."""
    if not model.linear:
        return np.asarray(model.level)
    mean = np.array(model.bias)
    for place, j in enumerate(model.order.tolist()):
        for edge in model.parents(place):
            if not model.late[edge]:
                mean[j] += model.mean[edge] * mean[model.source[edge]]
    return mean


def downstream(model: Model, strengths: Floats, blocked: set[int]) -> tuple[Floats, Floats]:
    """Return, for each concept, the sum and the largest of |products| over paths to the stance.

    Paths that enter a `blocked` concept do not count.
    """
    total, largest = np.zeros(model.n), np.zeros(model.n)
    total[model.stance] = largest[model.stance] = 1
    for edge in range(model.edges - 1, -1, -1):
        source, target = model.source[edge], model.target[edge]
        if target in blocked or model.late[edge] or source == model.stance:
            continue
        size = abs(strengths[edge])
        total[source] += size * total[target]
        largest[source] = max(largest[source], size * largest[target])
    return total, largest


def best_paths(
    model: Model, changes: dict[int, float], blocked: set[int], strengths: Floats
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield (influences of the path with its start in front, contribution), largest first.

    The first item of each tuple is (start, edge, edge, ...). A* with the exact remaining product,
    so every path opened is a prefix of one of the next best.
    """
    _, largest = downstream(model, strengths, blocked)
    outgoing: list[list[int]] = [[] for _ in range(model.n)]
    for edge in range(model.edges):
        if not model.late[edge] and model.target[edge] not in blocked and strengths[edge] != 0:
            outgoing[model.source[edge]].append(edge)
    heap: list[tuple[float, tuple[int, ...], int, float]] = []
    for start, change in sorted(changes.items()):
        reach = abs(change) * float(largest[start])
        if reach > 0:
            heapq.heappush(heap, (-reach, (start,), start, change))
    while heap:
        _, walk, at, product = heapq.heappop(heap)
        if at == model.stance:
            yield walk, product
            continue
        for edge in outgoing[at]:
            target = int(model.target[edge])
            onward = product * float(strengths[edge])
            reach = abs(onward) * float(largest[target])
            if reach > 0:
                heapq.heappush(heap, (-reach, (*walk, edge), target, onward))


def explain(
    graph: BeliefGraph, model: Model, plan: Plan, k: int, means: Floats | None = None
) -> Explanation:
    """Return the k strongest paths from the concepts of a plan to the stance.

    `means` are the values before, where they are not those of the linear model.
    """
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise InterventionError(f"k: give the number of paths, at least 1, got {k!r}")
    changes = linear_changes(model, plan, means)
    blocked = set(plan.do)
    total, _ = downstream(model, model.mean, blocked)
    absolute = sum(abs(change) * float(total[start]) for start, change in changes.items())
    paths = []
    for walk, contribution in best_paths(model, changes, blocked, model.mean):
        paths.append(_path(graph, model, walk, contribution, absolute))
        if len(paths) == k:
            break
    notes = []
    if not model.linear:
        notes.append(
            "The mechanism is not linear: shares say how the linear model splits the shift."
        )
    if model.loops:
        notes.append("Influences in feedback are simulated and are on no path here.")
    signed = _signed_total(model, changes, blocked)
    shown = sum(path.share for path in paths)
    return Explanation(
        model.names[model.stance], tuple(paths), signed, min(shown, 1.0), tuple(notes)
    )


def _signed_total(model: Model, changes: dict[int, float], blocked: set[int]) -> float:
    effect = np.zeros(model.n)
    effect[model.stance] = 1
    for edge in range(model.edges - 1, -1, -1):
        source, target = model.source[edge], model.target[edge]
        if target not in blocked and not model.late[edge] and source != model.stance:
            effect[source] += model.mean[edge] * effect[target]
    return float(sum(change * effect[start] for start, change in changes.items()))


def _path(
    graph: BeliefGraph, model: Model, walk: tuple[int, ...], contribution: float, absolute: float
) -> Path:
    names = [model.names[walk[0]], *(model.names[model.target[edge]] for edge in walk[1:])]
    steps = tuple(step_of(graph, model, edge) for edge in walk[1:])
    return Path(tuple(names), contribution, abs(contribution) / absolute, steps)


def step_of(graph: BeliefGraph, model: Model, edge: int) -> Step:
    """Return a compiled influence with the words behind it."""
    source, target = model.names[model.source[edge]], model.names[model.target[edge]]
    for influence in (*graph.influences, *(item.influence for item in graph.feedback)):
        if (influence.source, influence.target) == (source, target):
            break
    return Step(source, target, influence.weight, influence.confidence, influence.evidence)
