"""Keep the graph free of loops by leaving out the weakest influence of each, on record."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

from beliefgraph.graph import Feedback, Influence

__all__ = ["break_loops"]


def break_loops(influences: Sequence[Influence]) -> tuple[list[Influence], list[Feedback]]:
    """Leave out the influence with the least confidence x |weight| of every loop (ties by name).

    The shortest loop is opened first (of several, the first by name), until none is left.
    """
    graph = nx.DiGraph()
    edges = {(edge.source, edge.target): edge for edge in influences}
    graph.add_edges_from(sorted(edges))
    feedback = []
    while (loop := _smallest_loop(graph)) is not None:
        weakest = min(
            (edges[pair] for pair in zip(loop, (*loop[1:], loop[0]), strict=True)),
            key=lambda e: (e.confidence * abs(e.weight), e.source, e.target),
        )
        graph.remove_edge(weakest.source, weakest.target)
        feedback.append(
            Feedback(
                influence=weakest,
                reason=f"closes the loop {' -> '.join((*loop, loop[0]))}; the weakest of it "
                f"(confidence x |weight| = {weakest.confidence * abs(weakest.weight):.3f})",
            )
        )
    left_out = {(f.influence.source, f.influence.target) for f in feedback}
    return [e for e in influences if (e.source, e.target) not in left_out], feedback


def _smallest_loop(graph: nx.DiGraph) -> tuple[str, ...] | None:
    """Return the shortest loop, first by name; None where the graph is acyclic."""
    loops = []
    for part in nx.strongly_connected_components(graph):
        if len(part) < 2:
            continue
        inside = graph.subgraph(part)
        for node in sorted(part):
            for child in sorted(inside.successors(node)):
                loops.append(_from_smallest(tuple(nx.shortest_path(inside, child, node))))
    return min(loops, key=lambda loop: (len(loop), loop), default=None)


def _from_smallest(loop: tuple[str, ...]) -> tuple[str, ...]:
    start = loop.index(min(loop))
    return loop[start:] + loop[:start]
