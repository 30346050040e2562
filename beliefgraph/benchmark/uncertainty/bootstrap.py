"""Intervals of every metric by drawing people: answers of one person go together.

People are drawn with replacement, as many as there are; all metrics are computed anew from the
predictions of those drawn, each as often as drawn, and the interval is taken from the percentiles
(Efron and Tibshirani 1993, chapter 13). It covers the choice of people, given the predictor;
`refit` makes the predictor anew for the people drawn as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from beliefgraph.benchmark.metrics import (
    METRICS,
    Figures,
    OutcomeTable,
    Scores,
    Tally,
    Variant,
    get_metric,
    score,
)
from beliefgraph.benchmark.metrics.table import FloatArray
from beliefgraph.benchmark.run import Outcome
from beliefgraph.errors import SurveyError, suggestions

__all__ = [
    "Bootstrap",
    "Interval",
    "Refit",
    "Scope",
    "bootstrap",
    "check_options",
    "draw_people",
    "percentiles",
]

Scope: TypeAlias = Literal["overall", "pooled"]
Refit: TypeAlias = Callable[[tuple[str, ...]], Sequence[Outcome]]
"""From the people drawn (one who was drawn twice stands twice) to outcomes of these people, each
once; who was drawn twice counts twice."""


@dataclass(frozen=True)
class Interval:
    """A figure with its percentile interval; NaN where not scored."""

    value: float
    low: float
    high: float
    not_scored: int
    """Replicates in which it could not be scored; the interval is over the others."""
    incomplete: int
    """Replicates that lack a domain which the figure is a mean over; the mean is over the rest."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {
            "value": _plain(self.value),
            "interval": None if np.isnan(self.low) else [self.low, self.high],
            "replicates_not_scored": self.not_scored,
            "replicates_incomplete": self.incomplete,
        }

    def __str__(self) -> str:
        if np.isnan(self.value):
            return "not scored"
        return f"{self.value:.2f} [{self.low:.2f}, {self.high:.2f}]"


@dataclass(frozen=True)
class Bootstrap:
    """Scores of some outcomes with all replicates."""

    scores: Scores
    replicates: Figures
    """Figures of every draw; shape (n_resamples,), and (n_resamples, domains) by domain."""
    topics: tuple[str, ...]
    """The domains, in the order of the replicates."""
    seed: int
    level: float
    refitted: bool
    """Whether the predictor was made anew for every draw."""

    @property
    def n_resamples(self) -> int:
        """Number of draws."""
        return len(self.replicates.overall["bsi_acc"])

    def interval(
        self, metric: str, scope: Scope = "overall", domain: str | None = None
    ) -> Interval:
        """Return a figure and its interval.

        Parameters
        ----------
        metric
            Its name.
        scope
            The mean of domains, or all items.
        domain
            One domain instead.

        Raises
        ------
        SurveyError
            No such metric or domain.
        """
        get_metric(metric)
        by_domain = self.replicates.domains[metric]
        incomplete = 0
        if domain is not None:
            if domain not in self.topics:
                known = suggestions(domain, self.topics)
                raise SurveyError(f"no domain is called {domain!r}. {known}")
            value = self.scores.per_domain[domain][metric]
            drawn = by_domain[:, self.topics.index(domain)]
        elif scope == "pooled":
            value, drawn = self.scores.pooled[metric], self.replicates.pooled[metric]
        else:
            value, drawn = self.scores.overall[metric], self.replicates.overall[metric]
            incomplete = int(self._lacks_domain(metric).sum())
        low, high = percentiles(drawn, self.level)
        return Interval(value, low, high, int(np.isnan(drawn).sum()), incomplete)

    def _lacks_domain(self, metric: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Say which replicates lack a domain that the metric, or a part of it, has."""
        lacks = np.zeros(self.n_resamples, dtype=np.bool_)
        for name in getattr(METRICS[metric], "of", (metric,)):
            has = [not np.isnan(self.scores.per_domain[topic][name]) for topic in self.topics]
            lacks |= np.isnan(self.replicates.domains[name][:, has]).any(axis=1)
        return lacks

    def to_dict(self) -> dict[str, Any]:
        """Return the intervals of all metrics as JSON values."""
        return {
            "level": self.level,
            "n_resamples": self.n_resamples,
            "seed": self.seed,
            "refit": self.refitted,
            "overall": {m: self.interval(m).to_dict() for m in METRICS},
            "pooled": {m: self.interval(m, "pooled").to_dict() for m in METRICS},
            "per_domain": {
                topic: {m: self.interval(m, domain=topic).to_dict() for m in METRICS}
                for topic in self.topics
            },
        }


def bootstrap(
    outcomes: Sequence[Outcome],
    *,
    variant: Variant | None = None,
    seed: int = 0,
    n_resamples: int = 1000,
    level: float = 0.95,
    refit: Refit | None = None,
) -> Bootstrap:
    """Draw people with replacement and score each draw.

    Parameters
    ----------
    outcomes
        Those of one run.
    variant
        How they are counted; as published by default.
    seed
        Source of randomness; the same seed draws the same people for every run of the same people.
    n_resamples
        Number of draws.
    level
        Share of the draws that the interval holds.
    refit
        Makes the outcomes of every draw anew; those given are kept by default.

    Returns
    -------
    Bootstrap

    Raises
    ------
    SurveyError
        No outcomes, an option out of range, or outcomes of people who were not drawn.
    """
    check_options(n_resamples, level)
    scores = score(outcomes, variant)
    table = OutcomeTable.of(outcomes)
    draws = draw_people(len(table.participants), n_resamples, seed)
    if refit is None:
        replicates = Tally(table, variant).figures(draws)
    else:
        replicates = _refitted(refit, table, draws, variant)
    return Bootstrap(scores, replicates, table.topics, seed, level, refit is not None)


def draw_people(n_people: int, n_resamples: int, seed: int) -> FloatArray:
    """Return how often each person is drawn: shape (n_resamples, n_people), rows sum to n_people.

    >>> draw_people(3, 2, seed=0).sum(axis=1).tolist()
    [3.0, 3.0]
    """
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n_people, np.full(n_people, 1 / n_people), size=n_resamples)
    return counts.astype(np.float64)


def percentiles(values: FloatArray, level: float) -> tuple[float, float]:
    """Return the ends of the middle `level` of the values that are not NaN."""
    scored = values[~np.isnan(values)]
    if len(scored) == 0:
        return float("nan"), float("nan")
    low, high = np.quantile(scored, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def check_options(n_resamples: int, level: float) -> None:
    """Refuse a level or a number of draws that makes no interval.

    Raises
    ------
    SurveyError
        `n_resamples` below 1, or `level` outside (0, 1).
    """
    if n_resamples < 1:
        raise SurveyError(f"n_resamples must be at least 1, got {n_resamples}; 1000 is usual")
    if not 0 < level < 1:
        raise SurveyError(f"level must lie between 0 and 1, got {level}; 0.95 is usual")


def _refitted(
    refit: Refit, table: OutcomeTable, draws: FloatArray, variant: Variant | None
) -> Figures:
    people = table.participants
    each = []
    for counts in draws.astype(int):
        drawn = tuple(name for name, n in zip(people, counts, strict=True) for _ in range(n))
        times = dict(zip(people, counts, strict=True))
        made = refit(drawn)
        strangers = {o.participant for o in made if not times.get(o.participant)}
        if strangers:
            raise SurveyError(
                f"refit gave outcomes of {min(strangers)!r}, who was not drawn; it must predict "
                "the people that it is given"
            )
        own = OutcomeTable.of(made)
        weights = np.array([[times[name] for name in own.participants]], dtype=np.float64)
        each.append((own.topics, Tally(own, variant).figures(weights)))
    return Figures(
        overall=_stacked([figures.overall for _, figures in each]),
        pooled=_stacked([figures.pooled for _, figures in each]),
        domains={
            name: np.stack([_at(table.topics, topics, f.domains[name][0]) for topics, f in each])
            for name in METRICS
        },
    )


def _stacked(figures: Sequence[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    return {name: np.concatenate([each[name] for each in figures]) for name in METRICS}


def _at(topics: Sequence[str], own: Sequence[str], values: FloatArray) -> FloatArray:
    known = dict(zip(own, values, strict=True))
    return np.array([known.get(topic, np.nan) for topic in topics])


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else value
