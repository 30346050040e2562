"""Keep a graph free of loops by leaving out the weakest influence of each, on record.

The shortest loop is opened first; of several, the first by its names, read from the smallest of
them on. Opening a loop makes no new one, so loops are looked for by length, and within a length by
the smallest name in them: one breadth-first search each, and graphs of hundreds of concepts whose
loops cannot be listed are opened in seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

from beliefgraph.graph import Feedback, Influence

__all__ = ["break_loops"]

Pair = tuple[str, str]


def break_loops(influences: Sequence[Influence]) -> tuple[list[Influence], list[Feedback]]:
    """Leave out the influence with the least confidence x |weight| of every loop (ties by name).

    Parameters
    ----------
    influences
        At most one for each ordered pair of concepts.

    Returns
    -------
    kept : list of Influence
        In the order given; together they hold no loop.
    feedback : list of Feedback
        Those left out, each with the loop that it closed, in the order of the loops.

    Examples
    --------
    >>> a, b = (Influence(source=s, target=t, weight=w) for s, t, w in
    ...         [("rents", "demand", 0.5), ("demand", "rents", 0.8)])
    >>> kept, feedback = break_loops([a, b])
    >>> kept == [b], feedback[0].reason.split(";")[0]
    (True, 'closes the loop demand -> rents -> demand')
    """
    graph = nx.DiGraph()
    edges = {(edge.source, edge.target): edge for edge in influences}
    graph.add_edges_from(sorted(edges))
    feedback = []
    length = 2
    while looped := _names_in_loops(graph):
        for name in looped:
            while (loop := _first_loop(graph, name, length)) is not None:
                weakest = _weakest(loop, edges)
                graph.remove_edge(weakest.source, weakest.target)
                feedback.append(Feedback(influence=weakest, reason=_reason(loop, weakest)))
        length += 1
    left_out = {(f.influence.source, f.influence.target) for f in feedback}
    return [e for e in influences if (e.source, e.target) not in left_out], feedback


def _names_in_loops(graph: nx.DiGraph) -> list[str]:
    parts = nx.strongly_connected_components(graph)
    return sorted(name for part in parts if len(part) > 1 for name in part)


def _first_loop(graph: nx.DiGraph, start: str, length: int) -> tuple[str, ...] | None:
    """Return the first loop of that length whose smallest name is `start`, none being shorter."""
    steps = {start: 0}
    border = [start]
    for step in range(1, length):
        border = [
            before
            for name in border
            for before in graph.predecessors(name)
            if before > start and steps.setdefault(before, step) == step
        ]
        border = list(dict.fromkeys(border))
    loop = [start]
    for left in range(length - 1, 0, -1):
        following = [name for name in graph.successors(loop[-1]) if steps.get(name) == left]
        if not following:
            return None  # only from the start: every later name was reached from one before it
        loop.append(min(following))
    return tuple(loop)


def _weakest(loop: tuple[str, ...], edges: dict[Pair, Influence]) -> Influence:
    return min(
        (edges[pair] for pair in zip(loop, (*loop[1:], loop[0]), strict=True)),
        key=lambda e: (e.confidence * abs(e.weight), e.source, e.target),
    )


def _reason(loop: tuple[str, ...], weakest: Influence) -> str:
    return (
        f"closes the loop {' -> '.join((*loop, loop[0]))}; the weakest of it "
        f"(confidence x |weight| = {weakest.confidence * abs(weakest.weight):.3f})"
    )
