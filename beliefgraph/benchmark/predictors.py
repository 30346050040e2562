"""Predictors by name, for the command line and for configuration files."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey import Predictor

__all__ = ["make_predictor", "predictor_names"]

_MADE_BY: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "majority": ("baselines.constant", "MajorityPredictor", {}),
    "mid-scale": ("baselines.constant", "MidScalePredictor", {}),
    "persistence": ("baselines.constant", "PersistencePredictor", {}),
    "population-mean": (
        "baselines.population",
        "PopulationPredictor",
        {"centre": "mean"},
    ),
    "population-median": ("baselines.population", "PopulationPredictor", {}),
    "random": ("baselines.constant", "RandomPredictor", {}),
}
"""Module, class and arguments of every predictor."""
_SEEDED: Final = frozenset({"random"})


def predictor_names() -> list[str]:
    """Return the names of all predictors."""
    return sorted(_MADE_BY)


def make_predictor(name: str, *, seed: int = 0) -> Predictor:
    """Return the predictor of that name.

    Raises
    ------
    SurveyError
        There is none; suggests the nearest.
    """
    if name not in _MADE_BY:
        raise SurveyError(
            f"no predictor is called {name!r}. {suggestions(name, predictor_names())}"
        )
    module, attribute, arguments = _MADE_BY[name]
    make: Callable[..., Predictor] = getattr(import_module(f"beliefgraph.{module}"), attribute)
    return make(**arguments, **({"seed": seed} if name in _SEEDED else {}))
