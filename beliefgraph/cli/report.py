"""What `--json` prints: the answer as one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from beliefgraph.graph import BeliefGraph

if TYPE_CHECKING:
    from beliefgraph.simulate import Result, ScenarioMatch, SimulationConfig

__all__ = ["answers_json", "configuration_json", "print_json", "result_json", "scenario_json"]


def result_json(
    graph: BeliefGraph,
    result: Result,
    config: SimulationConfig,
    scenario: dict[str, Any] | None,
    notes: Sequence[str],
    paths: int,
) -> dict[str, Any]:
    """Return the whole answer to one simulation."""
    explanation = result.explain(paths) if config.acts else None
    return {
        "participant": graph.participant,
        "topic": graph.topic,
        "stance": result.stance.to_dict(),
        **answers_json(result),
        "concepts": [shift.to_dict() for shift in result.concepts],
        "intervenable": list(result.intervenable),
        "interventions": {"do": config.do, "shift": config.shift},
        "scenario": scenario,
        "paths": [path.to_dict() for path in explanation.paths] if explanation else [],
        "notes": [*notes, *result.notes, *(explanation.notes if explanation else ())],
        "configuration": dict(result.configuration),
    }


def answers_json(result: Result | None) -> dict[str, Any]:
    """Return the answers to the survey: the stance, and every reason by its code."""
    if result is None or result.survey_stance is None or result.reasons is None:
        return {"survey_stance": None, "reasons": None}
    return {
        "survey_stance": result.survey_stance.to_dict(),
        "reasons": result.reasons.to_dict(),
    }


def scenario_json(text: str, matches: Sequence[ScenarioMatch]) -> dict[str, Any]:
    """Return what a scenario was taken to mean."""
    return {
        "text": text,
        "taken_to_mean": [
            {
                "concept": match.concept,
                "direction": match.direction,
                "dose": match.dose,
                "words": match.words,
                "similarity": match.similarity,
                "reaches_stance": match.reaches_stance,
            }
            for match in matches
        ],
    }


def configuration_json(config: SimulationConfig) -> dict[str, Any]:
    """Return the options of a run over several people."""
    import beliefgraph

    return {**config.model_dump(mode="json"), "version": beliefgraph.__version__}


def print_json(value: Any) -> None:
    """Print one JSON value, and nothing else, on stdout."""
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    click.echo(json.dumps(value, indent=2, ensure_ascii=ascii_only, allow_nan=False))
