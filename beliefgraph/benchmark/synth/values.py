"""Latent values of synthetic people, and what depends on them: demographics, answering, speaking.

A person's values are standard normal and correlate a little with one another. What a person holds
on one topic is `sqrt(c) * value + sqrt(1 - c) * own`, with `own` drawn anew for every topic and
`c` the carry-over: the correlation of one value between two topics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from beliefgraph.benchmark.synth.render import load_data
from beliefgraph.benchmark.synth.speaker import Style
from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.records import Record

__all__ = [
    "DEFAULT_STYLES",
    "Loadings",
    "ResponseStyle",
    "draw_demographics",
    "draw_response_style",
    "draw_topic_values",
    "draw_values",
    "load_loadings",
    "push",
]

Loadings = Mapping[str, float]
"""How much of each value is in something."""

DEFAULT_STYLES: Final[Mapping[Style, float]] = {
    "plain": 0.10,
    "talkative": 0.45,
    "hedged": 0.10,
    "terse": 0.03,
    "speech": 0.25,
    "contradictory": 0.04,
    "off_topic": 0.03,
}
"""Shares of the speaking styles among people."""

_ALIKE: Final = {("trust", "equality"): 0.3, ("order", "freedom"): -0.3, ("order", "trust"): 0.15,
                 ("equality", "money"): -0.2, ("equality", "environment"): 0.25}  # fmt: skip
"""Correlations between values; all others are independent."""

_DEMOGRAPHICS: Final[Mapping[str, tuple[Loadings, tuple[tuple[str, float], ...]]]] = {
    "age": (
        {"order": 0.3, "environment": -0.15},
        (("18-29", 0.2), ("30-44", 0.3), ("45-59", 0.25), ("60 or over", 0.25)),
    ),
    "education": (
        {"environment": 0.25, "freedom": 0.15},
        (("school", 0.3), ("vocational training", 0.3), ("university", 0.4)),
    ),
    "household_income": (
        {"money": 0.3, "equality": -0.15},
        (("low", 0.3), ("middle", 0.45), ("high", 0.25)),
    ),
    "area": (
        {"environment": 0.15, "order": -0.2},
        (("countryside", 0.25), ("small town", 0.35), ("city", 0.4)),
    ),
    "housing": ({"money": 0.2, "order": 0.15}, (("rents", 0.45), ("owns", 0.55))),
    "children": ({"order": 0.2}, (("none", 0.45), ("one or more", 0.55))),
}
"""Loadings on values, and the categories from the low end up with their shares."""


class ResponseStyle(Record):
    """How a person turns a latent stance into a number, and how unsteadily."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    stretch: float = Field(gt=0)
    """Points of the 1-10 scale per unit of latent stance, over the 4.5 that span it."""
    acquiescence: float
    """Points added to every answer on the 1-10 scale (half as many on 1-5)."""
    sd: float = Field(ge=0)
    """Standard deviation of one answer's noise, in points of the 1-10 scale."""
    session_sd: float = Field(ge=0)
    """Standard deviation of what all answers on a topic share on one day, in the same points."""
    heaping: float = Field(ge=0, le=1)
    """Probability that an answer goes to the nearest of the round numbers."""
    inertia: float = Field(ge=0)
    """Change of latent stance under which the answer of before is given again."""
    openness: float = Field(ge=0, le=1)
    """Share of the habitual part of a stance that a scenario which matters does away with."""


def load_loadings() -> dict[str, Any]:
    """Load the values and their loadings on every topic's stance and concepts."""
    data: dict[str, Any] = load_data("values.json")
    return data


def push(loadings: Loadings, values: Mapping[str, float]) -> float:
    """Return the sum of loadings times values.

    >>> push({"trust": 0.5, "order": -0.2}, {"trust": 1.0, "order": 0.5, "money": 3.0})
    0.4
    """
    return sum(loading * values[name] for name, loading in loadings.items())


def draw_values(rng: np.random.Generator) -> dict[str, float]:
    """Draw a person's values, each standard normal."""
    names = list(load_loadings()["values"])
    values = np.linalg.cholesky(_correlations(names)) @ rng.normal(size=len(names))
    return {name: round(float(value), 4) for name, value in zip(names, values, strict=True)}


def draw_topic_values(
    values: Mapping[str, float], carry_over: float, rng: np.random.Generator
) -> dict[str, float]:
    """Draw what a person's values are on one topic; see the module's page."""
    own = rng.normal(size=len(values))
    shares = np.sqrt(carry_over), np.sqrt(1 - carry_over)
    return {
        name: round(float(shares[0] * value + shares[1] * other), 4)
        for (name, value), other in zip(values.items(), own, strict=True)
    }


def draw_demographics(values: Mapping[str, float], rng: np.random.Generator) -> dict[str, str]:
    """Draw demographics that correlate weakly with values."""
    drawn = {}
    for name, (loadings, categories) in _DEMOGRAPHICS.items():
        rest = np.sqrt(1 - sum(loading**2 for loading in loadings.values()))
        latent = push(loadings, values) + rest * rng.normal()
        drawn[name] = _category(float(latent), categories)
    return drawn


def draw_response_style(rng: np.random.Generator, noise: float) -> ResponseStyle:
    """Draw how a person answers; `noise` multiplies every random part of an answer."""
    return ResponseStyle(
        stretch=round(float(1.25 * np.exp(0.15 * rng.normal())), 4),
        acquiescence=round(float(0.4 * rng.normal()), 4),
        sd=round(float(noise * 1.5 * np.exp(0.3 * rng.normal())), 4),
        session_sd=round(noise * 0.6, 4),
        heaping=round(float(min(noise, 1.0) * rng.beta(2, 4)), 4),
        inertia=round(float(rng.uniform(0.0, 0.1)), 4),
        openness=round(float(rng.beta(2, 3)), 4),
    )


def _correlations(names: list[str]) -> NDArray[np.float64]:
    matrix = np.eye(len(names))
    for (first, second), value in _ALIKE.items():
        i, j = names.index(first), names.index(second)
        matrix[i, j] = matrix[j, i] = value
    return matrix


def _category(latent: float, categories: tuple[tuple[str, float], ...]) -> str:
    """Cut a standard normal number into categories with the given shares."""
    from scipy.special import ndtr

    reached, total = float(ndtr(latent)), 0.0
    for name, share in categories:
        total += share
        if reached < total:
            return name
    return categories[-1][0]
