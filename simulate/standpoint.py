"""What a graph says of the person's standpoint as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from beliefgraph.graph import BeliefGraph, Concept
from beliefgraph.simulate.linear_effects import effects

__all__ = [
    "STEEPNESS",
    "UNSTATED_SD",
    "Standpoint",
    "read_standpoint",
    "silent_graph",
    "total_effects",
]

STEEPNESS: Final = 3.0
"""Effects saturate as tanh(3 T): 0.5, a plain "it has an effect", counts nine tenths."""
UNSTATED_SD: Final = 0.5
"""Standard deviation of the level of a person who states none; at it, half of a level counts."""
_NOTHING_KNOWN: Final = 10.0
"""Standard deviation of the level of a person who said nothing: 1/400 of it is relied on."""


@dataclass(frozen=True)
class Standpoint:
    """The level that a person states, and the balance of the reasons given."""

    level: float
    """Stance as the person states it, in [-1, 1]; 0 where nothing was read."""
    sureness: float
    """How far that can be relied on, in (0, 1]: 1 / (1 + (sd / 0.5)^2)."""
    net: float
    """Reasons for less reasons against over reasons, in (-1, 1); one neutral reason is added, so
    that few reasons say little."""

    @property
    def stated(self) -> bool:
        """Whether any level was read."""
        return self.level != 0 or self.sureness > 1 / 2

    @property
    def sure_level(self) -> float:
        """The level, shrunk by how far it can be relied on."""
        return self.level * self.sureness


def read_standpoint(graph: BeliefGraph) -> Standpoint:
    """Read level and balance from a graph.

    A reason is an influence on the stance; it counts with weight times confidence.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("a", "s", 0.5), ("b", "s", -0.5, 0.5)], stance="s")
    >>> round(read_standpoint(g).net, 3)
    0.1
    """
    into = [edge for edge in graph.influences if edge.target == graph.stance]
    balance = sum(edge.weight * edge.confidence for edge in into)
    stance = graph.concept(graph.stance)
    return Standpoint(
        level=stance.baseline,
        sureness=1 / (1 + (stance.baseline_sd / UNSTATED_SD) ** 2),
        net=balance / (1 + sum(edge.confidence for edge in into)),
    )


def silent_graph(stance: str) -> BeliefGraph:
    """Return the graph of a person who said nothing: a stance of which nothing is known.

    >>> round(read_standpoint(silent_graph("support")).sureness, 4)
    0.0025
    """
    return BeliefGraph(stance=stance, concepts=(Concept(name=stance, baseline_sd=_NOTHING_KNOWN),))


def total_effects(graph: BeliefGraph) -> dict[str, float]:
    """Return the expected total effect on the stance of every concept that reaches it."""
    return {effect.concept: effect.total for effect in effects(graph)}
