r"""Total, direct and path-specific effects on the stance, exact in the linear model.

With M the matrix of mean strengths, the total effect of i on j is T[i, j], T = (I - M)^{-1}; the
direct effect is M[i, j]; the effect along one path is the product of the mean strengths on it, and
the total effect is the sum over all paths (Wright 1934; Bollen 1987). All are per unit of change
at i.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.compile import compile_graph
from beliefgraph.simulate.exact import reverse_moments

__all__ = ["Effect", "effects", "path_effect"]


@dataclass(frozen=True)
class Effect:
    """What one unit at a concept does to the stance, in the linear model."""

    concept: str
    """The concept."""
    total: float
    """Expected effect along all paths."""
    direct: float
    """Expected effect of its own influence on the stance."""
    sd: float
    """Standard deviation of the total effect, from not knowing which influences are held."""

    @property
    def indirect(self) -> float:
        """Expected effect through other concepts."""
        return self.total - self.direct


def effects(graph: BeliefGraph) -> tuple[Effect, ...]:
    """Return the effect of every intervenable concept on the stance, in graph order.

    One reverse pass gives all of them (see `beliefgraph.simulate.exact`).

    Examples
    --------
    >>> g = BeliefGraph.from_edges(
    ...     [("a", "b", 0.5), ("b", "s", 0.5, 0.8), ("a", "s", -0.1)], stance="s"
    ... )
    >>> [(e.concept, round(e.total, 3), round(e.direct, 3)) for e in effects(g)]
    [('a', 0.1, -0.1), ('b', 0.4, 0.4)]
    """
    model = compile_graph(graph, mechanism="linear")
    first, second = reverse_moments(model, model.stance)
    direct = model.matrix()[:, model.stance]
    reach = model.ancestors(model.stance)
    return tuple(
        Effect(
            concept=model.names[i],
            total=float(first[i]),
            direct=float(direct[i]),
            sd=float(np.sqrt(max(second[i, i] - first[i] ** 2, 0.0))),
        )
        for i in np.flatnonzero(reach).tolist()
    )


def path_effect(graph: BeliefGraph, path: Sequence[str]) -> float:
    """Return the expected effect along one path, per unit at its start.

    Parameters
    ----------
    graph
        What a person believes.
    path
        Concept names from the start to the end, at least two.

    Raises
    ------
    UnknownConceptError
        A name is not in the graph.
    InterventionError
        The path is too short, or an influence on it is not in the graph.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("a", "b", 0.5), ("b", "s", 0.5, 0.8)], stance="s")
    >>> path_effect(g, ["a", "b", "s"])
    0.2
    """
    if isinstance(path, str) or len(path) < 2:
        raise InterventionError(f"path: give at least two concept names, got {path!r}")
    product = 1.0
    for source, target in pairwise(path):
        edge = graph.influence(source, target)
        if edge is None:
            children = ", ".join(map(repr, graph.children(source))) or "nothing"
            raise InterventionError(
                f"path: the graph has no influence {source!r} -> {target!r}; {source!r} influences "
                f"{children}"
            )
        product *= edge.weight * edge.confidence
    return product
