"""Whole cohorts: every scenario for everybody, on one core or on many."""

from __future__ import annotations

from beliefgraph.simulate.cohort.run_cohort import Cohort, simulate_cohort

__all__ = ["Cohort", "simulate_cohort"]
