"""How much a figure hangs on one person or one domain, and how people differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from beliefgraph.benchmark.metrics import METRICS, OutcomeTable, Tally, Variant, get_metric
from beliefgraph.benchmark.metrics.table import FloatArray
from beliefgraph.benchmark.metrics.tally import mean_of_scored
from beliefgraph.benchmark.run import Outcome

__all__ = [
    "Spread",
    "Without",
    "leave_one_domain_out",
    "leave_one_participant_out",
    "participant_spread",
]


@dataclass(frozen=True)
class Without:
    """Figures without one person or domain; NaN where then not scored."""

    left_out: str
    overall: Mapping[str, float]
    pooled: Mapping[str, float]
    change_overall: Mapping[str, float]
    """Without it, less with it."""
    change_pooled: Mapping[str, float]


@dataclass(frozen=True)
class Spread:
    """How a figure is spread over people."""

    metric: str
    values: Mapping[str, float]
    """By participant, those that are scored."""
    not_scored: int
    """People for whom it is not."""
    mean: float
    sd: float
    """Of a sample (n - 1); NaN below two people."""
    quantiles: tuple[float, float, float, float, float]
    """Least, lower quartile, median, upper quartile, greatest."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values; None where not scored."""
        numbers = {"mean": self.mean, "sd": self.sd}
        names = ("min", "q25", "median", "q75", "max")
        numbers |= dict(zip(names, self.quantiles, strict=True))
        plain = {name: None if np.isnan(value) else value for name, value in numbers.items()}
        return {
            "metric": self.metric,
            "n": len(self.values),
            "not_scored": self.not_scored,
            **plain,
            "values": dict(self.values),
        }


def leave_one_participant_out(
    outcomes: Sequence[Outcome], variant: Variant | None = None
) -> tuple[Without, ...]:
    """Score everyone but one, for each person in turn.

    Parameters
    ----------
    outcomes
        Those of one run, of at least two people.
    variant
        How they are counted; as published by default.

    Returns
    -------
    tuple of Without
        By person, in alphabetical order.
    """
    tally = Tally(OutcomeTable.of(outcomes), variant)
    n = len(tally.participants)
    figures = tally.figures(np.vstack([np.ones((1, n)), 1 - np.eye(n)]))
    return _left_out(tally.participants, figures.overall, figures.pooled)


def leave_one_domain_out(
    outcomes: Sequence[Outcome], variant: Variant | None = None
) -> tuple[Without, ...]:
    """Score all domains but one, for each in turn; as `leave_one_participant_out`."""
    topics = sorted({o.topic for o in outcomes})
    everything = _figures(outcomes, variant)
    rest = [_figures([o for o in outcomes if o.topic != topic], variant) for topic in topics]
    overall = {m: np.array([f[0][m] for f in (everything, *rest)]) for m in METRICS}
    pooled = {m: np.array([f[1][m] for f in (everything, *rest)]) for m in METRICS}
    return _left_out(topics, overall, pooled)


def participant_spread(
    outcomes: Sequence[Outcome], metric: str, variant: Variant | None = None
) -> Spread:
    """Describe how a metric is spread over people, each scored over all own items.

    Parameters
    ----------
    outcomes
        Those of one run.
    metric
        Its name.
    variant
        How they are counted; as published by default.

    Raises
    ------
    SurveyError
        There is no such metric.
    """
    get_metric(metric)
    tally = Tally(OutcomeTable.of(outcomes), variant)
    figures = tally.figures(np.eye(len(tally.participants))).pooled[metric]
    scored = figures[~np.isnan(figures)]
    quantiles = np.full(5, np.nan)
    if len(scored):
        quantiles = np.quantile(scored, [0, 0.25, 0.5, 0.75, 1])
    return Spread(
        metric=metric,
        values={
            name: float(value)
            for name, value in zip(tally.participants, figures, strict=True)
            if not np.isnan(value)
        },
        not_scored=len(figures) - len(scored),
        mean=float(mean_of_scored(figures)),
        sd=float(scored.std(ddof=1)) if len(scored) > 1 else float("nan"),
        quantiles=tuple(quantiles.tolist()),
    )


def _figures(
    outcomes: Sequence[Outcome], variant: Variant | None
) -> tuple[dict[str, float], dict[str, float]]:
    if not outcomes:
        nothing = dict.fromkeys(METRICS, float("nan"))
        return nothing, nothing
    tally = Tally(OutcomeTable.of(outcomes), variant)
    figures = tally.figures(np.ones((1, len(tally.participants))))
    return (
        {name: float(values[0]) for name, values in figures.overall.items()},
        {name: float(values[0]) for name, values in figures.pooled.items()},
    )


def _left_out(
    names: Sequence[str], overall: Mapping[str, FloatArray], pooled: Mapping[str, FloatArray]
) -> tuple[Without, ...]:
    """Make one record a name; figures with everything come first, then those without each."""

    def at(figures: Mapping[str, FloatArray], i: int) -> dict[str, float]:
        return {name: float(figures[name][i]) for name in METRICS}

    def change(figures: Mapping[str, FloatArray], i: int) -> dict[str, float]:
        return {name: float(figures[name][i] - figures[name][0]) for name in METRICS}

    return tuple(
        Without(name, at(overall, i), at(pooled, i), change(overall, i), change(pooled, i))
        for i, name in enumerate(names, start=1)
    )
