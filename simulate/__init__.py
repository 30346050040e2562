"""Belief graph + do -> shifts: predict how a person's stance would move.

>>> import beliefgraph as bg
>>> g = bg.BeliefGraph.from_edges([("rents", "support", -0.5, 0.9)], stance="support")
>>> bg.intervene(g, do={"rents": 0.8}, mechanism="linear", n_samples=0).stance.shift
-0.36000000000000004
"""

if __name__ != "beliefgraph.simulate":
    raise ImportError(
        f"this package is beliefgraph.simulate and was imported as {__name__!r}: a second copy "
        "would not know the first one's classes. Import beliefgraph.simulate, and leave the "
        "repository's root out of sys.path"
    )

from beliefgraph.simulate.cohort import Cohort, simulate_cohort
from beliefgraph.simulate.cohort.files import write_graph_table
from beliefgraph.simulate.cohort.groups import Distribution
from beliefgraph.simulate.configuration import SimulationConfig
from beliefgraph.simulate.counterfactuals import counterfactual
from beliefgraph.simulate.engine import intervene, intervene_many, intervene_steps
from beliefgraph.simulate.fcm import FcmRun, Regimes, run_fcm
from beliefgraph.simulate.fcm.rules import FcmOptions
from beliefgraph.simulate.interchange import from_weighted_dag, to_pgmpy
from beliefgraph.simulate.interventions import Scenario
from beliefgraph.simulate.linear_effects import Effect, effects, path_effect
from beliefgraph.simulate.mechanisms import MECHANISMS, Mechanism, threshold
from beliefgraph.simulate.paths import Explanation, Path, Step
from beliefgraph.simulate.predict.reasons import AnswerShift, Reasons, ReasonShift
from beliefgraph.simulate.result import Result, Shift
from beliefgraph.simulate.scenario import ScenarioMatch, nearest_concepts, read_scenario
from beliefgraph.simulate.shares import Contribution, Contributions, contributions
from beliefgraph.simulate.why import (
    Flip,
    Leverage,
    Sensitivity,
    best_interventions,
    flips,
    sensitivity,
)

__all__ = [
    "MECHANISMS",
    "AnswerShift",
    "Cohort",
    "Contribution",
    "Contributions",
    "Distribution",
    "Effect",
    "Explanation",
    "FcmOptions",
    "FcmRun",
    "Flip",
    "Leverage",
    "Mechanism",
    "Path",
    "ReasonShift",
    "Reasons",
    "Regimes",
    "Result",
    "Scenario",
    "ScenarioMatch",
    "Sensitivity",
    "Shift",
    "SimulationConfig",
    "Step",
    "best_interventions",
    "contributions",
    "counterfactual",
    "effects",
    "flips",
    "from_weighted_dag",
    "intervene",
    "intervene_many",
    "intervene_steps",
    "nearest_concepts",
    "path_effect",
    "read_scenario",
    "run_fcm",
    "sensitivity",
    "simulate_cohort",
    "threshold",
    "to_pgmpy",
    "write_graph_table",
]
