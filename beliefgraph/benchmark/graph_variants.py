"""The graph predictor by name: whole, under one loss, with a profile, or with a part taken away.

An ablation shows what a part is worth: with the graph gone, its signs shuffled, its confidences set
to 1, without the scenario's `do`, or without what other people's graphs add to it. Another person's
graph is the control `cross-person`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.extractors import extract
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.predict.graph_predictor import GraphPredictor
from beliefgraph.simulate.predict.readout import LOSSES
from beliefgraph.simulate.standpoint import silent_graph
from beliefgraph.text import find_encoder

__all__ = ["ABLATIONS", "graph_predictor", "shuffle_signs"]

_NOTHING_OF: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "no-do": {"answers": ("effect", "effect_pooled", "reason_moved")},
    "no-pool": {"answers": ("effect_pooled",), "signs": ("crowd",)},
}
"""Parameters that an ablation sets to 0."""


def graph_predictor(variant: str = "") -> GraphPredictor:
    """Return the predictor of a variant: "", a loss, "profile", or an ablation.

    Sentence vectors are used where they are installed, as `extract` does; the settings say so.

    Raises
    ------
    SurveyError
        There is no such variant.
    """
    made = GraphPredictor(extract, encoder=find_encoder())
    if not variant:
        return made
    name = f"graph-{variant}"
    if variant in LOSSES:
        return replace(made, loss=variant, name=name)  # type: ignore[arg-type]
    if variant == "profile":
        return replace(made, profile=True, name=name)
    if variant in _NOTHING_OF:
        left = {
            part: getattr(made.parameters, part).replace(**dict.fromkeys(names, 0.0))
            for part, names in _NOTHING_OF[variant].items()
        }
        return replace(made, parameters=made.parameters.replace(**left), name=name)
    if variant in ABLATIONS:
        return replace(made, change=ABLATIONS[variant], name=name)
    known = [*LOSSES, "profile", *_NOTHING_OF, *ABLATIONS]
    raise SurveyError(f"no graph predictor is called {name!r}. {suggestions(variant, known)}")


def shuffle_signs(graph: BeliefGraph) -> BeliefGraph:
    """Return the graph with its signs dealt out anew; who has which sign depends on names alone."""
    edges = graph.influences
    names = "|".join(f"{edge.source}>{edge.target}" for edge in edges)
    order = np.random.default_rng(list(names.encode())).permutation(len(edges))
    return graph.replace(
        influences=tuple(
            edge.replace(weight=abs(edge.weight) * float(np.sign(edges[int(k)].weight)))
            for edge, k in zip(edges, order, strict=True)
        )
    )


def _sure(graph: BeliefGraph) -> BeliefGraph:
    return graph.replace(
        influences=tuple(edge.replace(confidence=1.0) for edge in graph.influences)
    )


def _no_graph(graph: BeliefGraph) -> BeliefGraph:
    return silent_graph(graph.stance)


ABLATIONS: Final[dict[str, Callable[[BeliefGraph], BeliefGraph]]] = {
    "no-graph": _no_graph,
    "shuffled-signs": shuffle_signs,
    "sure": _sure,
}
"""What an ablation makes of every graph."""
