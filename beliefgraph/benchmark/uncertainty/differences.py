"""Differences between runs on the same items: drawn with the same people, so that they are paired.

The p-value is two-sided, from the share of draws on the far side of 0:
`2 min(1 + #{d* <= 0}, 1 + #{d* >= 0}) / (B + 1)`, at most 1 (Davison and Hinkley 1997, chapter 4;
the percentile interval turned round). Holm's (1979) step-down correction is over all differences
of one call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from beliefgraph.benchmark.metrics import HEADLINE, OutcomeTable, Tally, Variant, get_metric
from beliefgraph.benchmark.metrics.table import FloatArray
from beliefgraph.benchmark.run import Outcome
from beliefgraph.benchmark.uncertainty.bootstrap import (
    Scope,
    check_options,
    draw_people,
    percentiles,
)
from beliefgraph.errors import SurveyError, suggestions

__all__ = ["Difference", "check_same_items", "compare_runs", "holm"]


@dataclass(frozen=True)
class Difference:
    """Figure of one run less that of another; NaN where either is not scored."""

    metric: str
    a: str
    b: str
    value: float
    """Figure of `a` less figure of `b`."""
    low: float
    high: float
    p_value: float
    p_holm: float
    """Corrected for all differences that were asked for at once."""
    not_scored: int
    """Replicates in which either could not be scored."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values; None where not scored."""
        return {
            name: None if isinstance(value, float) and np.isnan(value) else value
            for name, value in asdict(self).items()
        }


def compare_runs(
    runs: Mapping[str, Sequence[Outcome]],
    *,
    metrics: Sequence[str] = HEADLINE,
    against: str | None = None,
    scope: Scope = "overall",
    variant: Variant | None = None,
    seed: int = 0,
    n_resamples: int = 1000,
    level: float = 0.95,
) -> tuple[Difference, ...]:
    """Compare runs on the same items, in pairs.

    Parameters
    ----------
    runs
        Outcomes by the name of the run.
    metrics
        Names of metrics; the published five by default.
    against
        Compare every run with this one; all pairs by default.
    scope
        The mean of domains, or all items.
    variant
        How outcomes are counted; as published by default.
    seed, n_resamples, level
        As for `bootstrap`.

    Returns
    -------
    tuple of Difference
        By pair and metric.

    Raises
    ------
    SurveyError
        Fewer than two runs, runs on different items, or an unknown metric or run.
    """
    check_options(n_resamples, level)
    for metric in metrics:
        get_metric(metric)
    check_same_items(runs)
    if against is not None and against not in runs:
        raise SurveyError(f"no run is called {against!r}. {suggestions(against, runs)}")
    figures = {}
    for name, outcomes in runs.items():
        tally = Tally(OutcomeTable.of(outcomes), variant)
        n_people = len(tally.participants)
        # the outcomes as they are come first, then the draws, the same for every run
        weights = np.vstack([np.ones(n_people), draw_people(n_people, n_resamples, seed)])
        figures[name] = getattr(tally.figures(weights), scope)
    if against is None:
        pairs = list(combinations(runs, 2))
    else:
        pairs = [(name, against) for name in runs if name != against]
    found = [
        # rounded, so that no difference is one that rounding made
        (metric, a, b, np.round(figures[a][metric] - figures[b][metric], 9))
        for a, b in pairs
        for metric in metrics
    ]
    p_values = np.array([_p_value(gaps) for *_, gaps in found])
    return tuple(
        Difference(
            metric=metric,
            a=a,
            b=b,
            value=float(gaps[0]),
            low=ends[0],
            high=ends[1],
            p_value=float(p),
            p_holm=float(corrected),
            not_scored=int(np.isnan(gaps[1:]).sum()),
        )
        for (metric, a, b, gaps), p, corrected in zip(found, p_values, holm(p_values), strict=True)
        for ends in [percentiles(gaps[1:], level)]
    )


def holm(p_values: FloatArray) -> FloatArray:
    """Return p-values corrected by Holm's step-down rule; NaN stays and does not count.

    Examples
    --------
    >>> import numpy as np
    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    corrected = np.full(len(p_values), np.nan)
    known = np.flatnonzero(~np.isnan(p_values))
    order = known[np.argsort(p_values[known], kind="stable")]
    steps = p_values[order] * np.arange(len(order), 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return corrected


def check_same_items(runs: Mapping[str, Sequence[Outcome]]) -> None:
    """Refuse runs that do not answer the same items.

    Raises
    ------
    SurveyError
        Fewer than two runs, or an item that one run lacks or that has another answer in it.
    """
    if len(runs) < 2:
        raise SurveyError(f"a comparison needs at least two runs, got {list(runs)}")
    golds = {
        name: {o.item_id: (o.participant, o.topic, o.gold) for o in outcomes}
        for name, outcomes in runs.items()
    }
    first, *others = golds
    for other in others:
        differ = golds[first].keys() ^ golds[other].keys()
        if differ:
            item = min(differ)
            lacks = other if item in golds[first] else first
            raise SurveyError(
                f"runs {first!r} and {other!r} do not answer the same items: {lacks!r} lacks "
                f"{item!r} and {len(differ)} items differ in all; compare runs on one item set"
            )
        for item, known in golds[first].items():
            if golds[other][item] != known:
                raise SurveyError(
                    f"item {item!r} has person, topic and answer {known} in run {first!r} and "
                    f"{golds[other][item]} in run {other!r}; compare runs on one item set"
                )


def _p_value(gaps: FloatArray) -> float:
    drawn = gaps[1:][~np.isnan(gaps[1:])]
    if np.isnan(gaps[0]) or len(drawn) == 0:
        return float("nan")
    tail = min(np.sum(drawn <= 0), np.sum(drawn >= 0))
    return float(min(1.0, 2 * (1 + tail) / (len(drawn) + 1)))
