"""Whether the order of several runs holds when people are drawn anew or choices are changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from beliefgraph.benchmark.metrics import VARIANTS, OutcomeTable, Tally, Variant, get_metric
from beliefgraph.benchmark.metrics.table import FloatArray
from beliefgraph.benchmark.run import Outcome
from beliefgraph.benchmark.uncertainty.bootstrap import check_options, draw_people, percentiles
from beliefgraph.benchmark.uncertainty.differences import check_same_items
from beliefgraph.errors import SurveyError

__all__ = ["RankStability", "kendall_tau_b", "ranking_stability"]


@dataclass(frozen=True)
class RankStability:
    """The ranking of several runs by one metric, and how far it holds."""

    metric: str
    order: tuple[str, ...]
    """Best first; runs that are not scored come last."""
    figures: Mapping[str, float]
    tau_by_variant: Mapping[str, float]
    """Kendall's tau-b with the ranking in each variant, by its name; NaN where all tie."""
    tau: float
    """Mean tau-b with the ranking in each draw of people."""
    tau_interval: tuple[float, float]
    not_scored: int
    """Draws in which a run could not be scored, or all tied."""
    first: Mapping[str, float]
    """Share of the scored draws in which each run is the best; runs that tie share it."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values; None where not scored."""
        return {
            "metric": self.metric,
            "order": list(self.order),
            "figures": _plain(self.figures),
            "tau_by_variant": _plain(self.tau_by_variant),
            "tau": None if np.isnan(self.tau) else self.tau,
            "tau_interval": None if np.isnan(self.tau) else list(self.tau_interval),
            "draws_not_scored": self.not_scored,
            "first": _plain(self.first),
        }


def ranking_stability(
    runs: Mapping[str, Sequence[Outcome]],
    *,
    metric: str = "ati",
    variants: Sequence[Variant] = VARIANTS,
    seed: int = 0,
    n_resamples: int = 1000,
    level: float = 0.95,
) -> RankStability:
    """Rank runs on the same items, and compare the ranking between variants and draws of people.

    Parameters
    ----------
    runs
        Outcomes by the name of the run.
    metric
        What they are ranked by.
    variants
        The first gives the ranking that all others, and all draws, are compared with.
    seed, n_resamples, level
        As for `bootstrap`.

    Raises
    ------
    SurveyError
        Fewer than two runs, runs on different items, no variant, an unknown metric, or one
        without a direction.
    """
    check_options(n_resamples, level)
    check_same_items(runs)
    direction = get_metric(metric).direction
    if direction == "none":
        raise SurveyError(f"{metric!r} has no better and worse; rank by a metric with a direction")
    if not variants:
        raise SurveyError("no variant was given; the published one is Variant()")
    tables = {name: OutcomeTable.of(outcomes) for name, outcomes in runs.items()}
    n_people = len(next(iter(tables.values())).participants)
    as_they_are = np.ones((1, n_people))
    draws = draw_people(n_people, n_resamples, seed)
    sign = 1.0 if direction == "higher" else -1.0

    def goodness(variant: Variant, weights: FloatArray) -> FloatArray:
        """Shape (len(weights), runs); greater is better."""
        columns = []
        for table in tables.values():
            figures = Tally(table, variant).figures(weights)
            chosen = figures.pooled if variant.average == "pooled" else figures.overall
            columns.append(sign * chosen[metric])
        # rounded, so that equal figures summed in another order are a tie
        side_by_side: FloatArray = np.stack(columns, axis=1)
        return side_by_side.round(9)

    reference = goodness(variants[0], as_they_are)[0]
    drawn = goodness(variants[0], draws)
    taus = kendall_tau_b(drawn, reference)
    scored = drawn[~np.isnan(drawn).any(axis=1)]
    best = scored == scored.max(axis=1, keepdims=True, initial=-np.inf)
    shares = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
    names = list(runs)
    known = taus[~np.isnan(taus)]
    return RankStability(
        metric=metric,
        order=tuple(names[i] for i in np.argsort(-reference, kind="stable")),
        figures=dict(zip(names, (sign * reference).tolist(), strict=True)),
        tau_by_variant={
            variant.name: float(kendall_tau_b(goodness(variant, as_they_are), reference)[0])
            for variant in variants
        },
        tau=float(known.mean()) if len(known) else float("nan"),
        tau_interval=percentiles(taus, level),
        not_scored=len(taus) - len(known),
        first={
            name: float(shares[:, i].mean()) if len(scored) else float("nan")
            for i, name in enumerate(names)
        },
    )


def kendall_tau_b(values: FloatArray, reference: FloatArray) -> FloatArray:
    """Return Kendall's tau-b of rows of values with a reference (Kendall 1945).

    Parameters
    ----------
    values
        Shape (B, n).
    reference
        Shape (n,).

    Returns
    -------
    array of shape (B,)
        NaN where a value is NaN, or where either side is all ties.

    Examples
    --------
    >>> import numpy as np
    >>> kendall_tau_b(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]), np.array([1.0, 2.0, 3.0]))
    array([ 1., -1.])
    """
    i, j = np.triu_indices(len(reference), k=1)
    ours, theirs = np.sign(values[:, i] - values[:, j]), np.sign(reference[i] - reference[j])
    untied = (ours != 0).sum(axis=1) * (theirs != 0).sum()
    agreement = (ours * theirs).sum(axis=1)
    tau: FloatArray = np.divide(
        agreement, np.sqrt(untied), out=np.full(len(values), np.nan), where=untied > 0
    )
    return tau


def _plain(figures: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else value for name, value in figures.items()}
