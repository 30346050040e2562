"""Causal belief graphs: from an interview to a signed DAG, and from a `do()` to a stance shift.

>>> import beliefgraph as bg
>>> g = bg.BeliefGraph.from_edges([("rents", "support", -0.5, 0.9)], stance="support")
>>> r = bg.intervene(g, do={"rents": -0.8}, mechanism="linear", seed=7)
>>> round(r.stance.shift, 2)
0.36
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from beliefgraph.errors import (
    BeliefGraphError,
    CycleError,
    GraphError,
    InterventionError,
    MissingPackageError,
    SchemaVersionError,
    StanceError,
    SurveyError,
    TranscriptError,
    UnknownConceptError,
)
from beliefgraph.graph import Alias, BeliefGraph, Concept, Evidence, Feedback, Influence, Reading
from beliefgraph.transcript import LeftOut, Transcript, Turn

if TYPE_CHECKING:
    from beliefgraph.benchmark.evaluate import evaluate
    from beliefgraph.compare import compare_graphs
    from beliefgraph.extractors.extract import extract
    from beliefgraph.formats import read_transcript, read_transcripts
    from beliefgraph.simulate import counterfactual, intervene, simulate_cohort
    from beliefgraph.survey.hugagent import read_items

__version__ = "0.1.0"

__all__ = [
    "Alias",
    "BeliefGraph",
    "BeliefGraphError",
    "Concept",
    "CycleError",
    "Evidence",
    "Feedback",
    "GraphError",
    "Influence",
    "InterventionError",
    "LeftOut",
    "MissingPackageError",
    "Reading",
    "SchemaVersionError",
    "StanceError",
    "SurveyError",
    "Transcript",
    "TranscriptError",
    "Turn",
    "UnknownConceptError",
    "__version__",
    "compare_graphs",
    "counterfactual",
    "evaluate",
    "extract",
    "intervene",
    "population_graph",
    "read_items",
    "read_transcript",
    "read_transcripts",
    "simulate_cohort",
]

_VERBS = {
    "compare_graphs": "beliefgraph.compare",
    "counterfactual": "beliefgraph.simulate",
    "evaluate": "beliefgraph.benchmark.evaluate",
    "extract": "beliefgraph.extractors",
    "intervene": "beliefgraph.simulate",
    "population_graph": "beliefgraph.simulate.population",
    "read_items": "beliefgraph.survey.hugagent",
    "read_transcript": "beliefgraph.formats",
    "read_transcripts": "beliefgraph.formats",
    "simulate_cohort": "beliefgraph.simulate",
}
"""Verbs, imported when first asked for: the core imports no sibling and nothing heavy."""


def __getattr__(name: str) -> Any:
    if name in _VERBS:
        return getattr(import_module(_VERBS[name]), name)
    raise AttributeError(f"module 'beliefgraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
