"""Belief graphs to and from networkx, nothing lost.

`to_networkx` puts plain data (strings, numbers, lists, dicts) into the attributes: a node holds
the fields of its `Concept`, an edge those of its `Influence` and its place among them (`order`),
and the graph all the rest (stance, feedback, readings, transcript, ...). Nothing in it is shared
with the belief graph, and `networkx.node_link_data` of it is JSON.

>>> g = BeliefGraph.from_edges([("rents", "support", -0.5, 0.9)], stance="support")
>>> G = to_networkx(g)
>>> G.edges["rents", "support"]["weight"], G.graph["stance"]
(-0.5, 'support')
>>> from_networkx(G) == g
True
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import networkx as nx

from beliefgraph.errors import CycleError, GraphError, StanceError, UnknownConceptError, suggestions
from beliefgraph.graph import BeliefGraph, Concept, Influence

__all__ = ["from_networkx", "to_networkx"]

_NODE = tuple(field for field in Concept.model_fields if field != "name")
_EDGE = tuple(field for field in Influence.model_fields if field not in ("source", "target"))
_GRAPH = tuple(
    field
    for field in BeliefGraph.model_fields
    if field not in ("stance", "concepts", "influences", "schema_version")
)
_PLACE = "order"


def to_networkx(graph: BeliefGraph) -> nx.DiGraph:
    """Return a networkx graph that holds everything, as plain data.

    Returns
    -------
    networkx.DiGraph
        Nodes in concept order, with `baseline`, `confidence`, `evidence`, ...; edges with `weight`,
        `confidence`, `evidence` and `order`; graph attributes `stance`, `feedback`, `readings`,
        `transcript`, `participant`, `topic`, `extractor`.
    """
    data = graph.model_dump(mode="json")
    made = nx.DiGraph(stance=graph.stance, **{field: data[field] for field in _GRAPH})
    for concept in data["concepts"]:
        made.add_node(concept.pop("name"), **concept)
    for place, edge in enumerate(data["influences"]):
        made.add_edge(edge.pop("source"), edge.pop("target"), **edge, **{_PLACE: place})
    return made


def from_networkx(graph: nx.DiGraph, stance: str | None = None) -> BeliefGraph:
    """Make a belief graph of a networkx one.

    Parameters
    ----------
    graph
        Every edge needs a `weight` in [-1, 1]; `confidence` is 1 where it is not given. Nodes that
        are no strings become strings. Attributes that a belief graph has no place for are left.
    stance
        Name of the stance concept; the graph's attribute `stance` where it is not given.

    Raises
    ------
    GraphError
        The graph is undirected or has parallel edges, an edge has no weight or one out of range,
        two nodes have one name, or the evidence does not fit the transcript.
    CycleError
        The edges form a loop.
    StanceError
        No stance is named, or no node has its name.
    """
    _check_kind(graph)
    names = _names(graph)
    chosen = graph.graph.get("stance") if stance is None else stance
    if chosen is None:
        raise StanceError(
            "the graph names no stance: pass stance=, the name of the concept that is the "
            f"person's stance. {suggestions('', names.values())}"
        )
    concepts = tuple(
        _concept(names[node], attributes) for node, attributes in graph.nodes(data=True)
    )
    edges = sorted(graph.edges(data=True), key=_place)
    influences = tuple(_influence(names[a], names[b], attributes) for a, b, attributes in edges)
    rest = {field: graph.graph[field] for field in _GRAPH if field in graph.graph}
    try:
        return BeliefGraph(stance=str(chosen), concepts=concepts, influences=influences, **rest)
    except UnknownConceptError as problem:
        raise GraphError(str(problem)) from problem


def _check_kind(graph: Any) -> None:
    if not isinstance(graph, nx.Graph):
        raise GraphError(f"expected a networkx.DiGraph, got {type(graph).__name__}")
    if not graph.is_directed():
        raise GraphError(
            f"expected a networkx.DiGraph, got an undirected {type(graph).__name__}: an influence "
            "has a direction. Build a DiGraph; G.to_directed() would make a loop of every edge."
        )
    if graph.is_multigraph():
        raise GraphError(
            f"expected a networkx.DiGraph, got a {type(graph).__name__}: two concepts have one "
            "influence each way at most. Merge parallel edges first; several mentions of one "
            "influence stand in its evidence."
        )


def _names(graph: nx.DiGraph) -> dict[Hashable, str]:
    names: dict[Hashable, str] = {}
    owner: dict[str, Hashable] = {}
    for node in graph.nodes:
        name = str(node)
        if name in owner:
            raise GraphError(
                f"the nodes {owner[name]!r} and {node!r} would both be called {name!r}; a concept "
                "is known by its name. Rename one with networkx.relabel_nodes."
            )
        owner[name] = node
        names[node] = name
    return names


def _concept(name: str, attributes: dict[str, Any]) -> Concept:
    given = {field: attributes[field] for field in _NODE if field in attributes}
    try:
        return Concept(name=name, **given)
    except GraphError as problem:
        raise GraphError(f"node {name!r}: {problem}") from None


def _place(edge: tuple[Hashable, Hashable, dict[str, Any]]) -> float:
    place = edge[2].get(_PLACE)
    return place if isinstance(place, int | float) and place == place else float("inf")


def _influence(source: str, target: str, attributes: dict[str, Any]) -> Influence:
    where = f"edge {source!r} -> {target!r}"
    if source == target:
        raise CycleError([source], "A concept cannot influence itself; remove the edge.")
    if "weight" not in attributes:
        raise GraphError(
            f"{where} has no 'weight'; every edge needs one in [-1, 1], e.g. "
            f"G.edges[{source!r}, {target!r}]['weight'] = 0.5"
        )
    given = {field: attributes[field] for field in _EDGE if field in attributes}
    for field in ("weight", "confidence"):
        if field in given:
            given[field] = _number(where, field, given[field])
    try:
        return Influence(source=source, target=target, **given)
    except GraphError as problem:
        raise GraphError(f"{where}: {problem}") from None


def _number(where: str, field: str, value: Any) -> float:
    """Take any number, numpy's too."""
    try:
        if not isinstance(value, str):
            return float(value)
    except (TypeError, ValueError):
        pass
    raise GraphError(f"{where}: its {field!r} must be a number, got {value!r}")
