"""Loops as fuzzy cognitive maps."""

from __future__ import annotations

from beliefgraph.simulate.fcm.run import FcmRun, Regimes, run_fcm, settle, worlds_at_once

__all__ = ["FcmRun", "Regimes", "run_fcm", "settle", "worlds_at_once"]
