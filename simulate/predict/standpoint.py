"""What a graph says of the person's standpoint as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.linear_effects import effects

__all__ = ["Standpoint", "read_standpoint", "total_effects"]


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
    def unsure_net(self) -> float:
        """The balance, shrunk by how far the stated level can be relied on."""
        return self.net * (1 - self.sureness)

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
        sureness=1 / (1 + (stance.baseline_sd / 0.5) ** 2),
        net=balance / (1 + sum(edge.confidence for edge in into)),
    )


def total_effects(graph: BeliefGraph) -> dict[str, float]:
    """Return the expected total effect on the stance of every concept that reaches it."""
    return {effect.concept: effect.total for effect in effects(graph)}
