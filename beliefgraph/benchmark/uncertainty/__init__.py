"""Intervals, paired differences, what a figure hangs on, and the ceiling from a retest."""

from __future__ import annotations

from beliefgraph.benchmark.uncertainty.bootstrap import (
    Bootstrap,
    Interval,
    Refit,
    Scope,
    bootstrap,
    draw_people,
)
from beliefgraph.benchmark.uncertainty.differences import Difference, compare_runs, holm
from beliefgraph.benchmark.uncertainty.ranking import (
    RankStability,
    kendall_tau_b,
    ranking_stability,
)
from beliefgraph.benchmark.uncertainty.retest import Retest, retest_ceiling, retest_outcomes
from beliefgraph.benchmark.uncertainty.robustness import (
    Spread,
    Without,
    leave_one_domain_out,
    leave_one_participant_out,
    participant_spread,
)

__all__ = [
    "Bootstrap",
    "Difference",
    "Interval",
    "RankStability",
    "Refit",
    "Retest",
    "Scope",
    "Spread",
    "Without",
    "bootstrap",
    "compare_runs",
    "draw_people",
    "holm",
    "kendall_tau_b",
    "leave_one_domain_out",
    "leave_one_participant_out",
    "participant_spread",
    "ranking_stability",
    "retest_ceiling",
    "retest_outcomes",
]
