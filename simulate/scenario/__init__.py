"""Scenarios in words: which concepts they mean, which way, by how much, and what they answer."""

from __future__ import annotations

from beliefgraph.simulate.scenario.read import (
    ScenarioMatch,
    all_matches,
    nearest_concepts,
    read_scenario,
    scenario_do,
)

__all__ = ["ScenarioMatch", "all_matches", "nearest_concepts", "read_scenario", "scenario_do"]
