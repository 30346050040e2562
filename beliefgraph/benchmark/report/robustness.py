"""How far a report's figures hang on one person, one domain, or the way of scoring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isnan, nan
from typing import Final

import numpy as np

from beliefgraph.benchmark.metrics import (
    METRICS,
    VARIANTS,
    OutcomeTable,
    Tally,
    Variant,
    variant_grid,
)
from beliefgraph.benchmark.report.figures import Figure
from beliefgraph.benchmark.report.report import (
    HEADLINE,
    Entry,
    Rank,
    Ranking,
    Stability,
    unit_of,
)
from beliefgraph.benchmark.uncertainty import (
    Without,
    leave_one_domain_out,
    leave_one_participant_out,
    ranking_stability,
)

__all__ = ["rank_runs", "stability"]

_ATI: Final = tuple(METRICS[name] for name in HEADLINE)
"""All that the index needs, in an order in which it comes last."""


def stability(entry: Entry) -> Iterator[Stability]:
    """Give the range of each headline figure with one participant, or one domain, left out."""
    outcomes = entry.run.outcomes
    without = {"participant": leave_one_participant_out, "domain": leave_one_domain_out}
    for what, leave_out in without.items():
        rest = leave_out(outcomes)
        for metric in HEADLINE:
            yield _stability(entry.number, what, metric, rest)


def _stability(number: int, what: str, metric: str, rest: Sequence[Without]) -> Stability:
    known = [(each.overall[metric], each.left_out) for each in rest]
    known = [(value, name) for value, name in known if not isnan(value)]
    if not known:
        nothing = Figure(nan, reason=f"nothing can be scored without one {what}")
        return Stability(number, metric, what, nothing, nothing, ("", ""))
    least, most = min(known), max(known)
    unit = unit_of(metric)
    return Stability(
        number, metric, what, Figure(least[0], unit=unit), Figure(most[0], unit=unit),
        (least[1], most[1]),
    )  # fmt: skip


def rank_runs(
    entries: Sequence[Entry], n_resamples: int, seed: int, level: float
) -> tuple[tuple[Rank, ...], Ranking | None]:
    """Give the ATI of every run under every way of scoring, and how far the order holds."""
    tables = [OutcomeTable.of(entry.run.outcomes) for entry in entries]
    items = [{o.item_id: o.gold for o in entry.run.outcomes} for entry in entries]
    reason, stable = "", None
    if len(entries) < 2:
        reason = "one run has no order"
    elif any(each != items[0] for each in items):
        reason = "the runs answer different items"
    else:
        stable = ranking_stability(
            {entry.name: entry.run.outcomes for entry in entries},
            seed=seed,
            n_resamples=n_resamples,
            level=level,
        )
    ranks = []
    for variant in VARIANTS:
        tau = nan if stable is None else stable.tau_by_variant[variant.name]
        why = reason or "all runs tie, or one is not scored"
        ranks.append(
            Rank(
                variant.name,
                tuple(_ati(table, variant) for table in tables),
                Figure(tau, unit="coefficient", reason=why if isnan(tau) else ""),
            )
        )
    ranks.append(_grid(tables))
    if stable is None:
        return tuple(ranks), None
    order = Figure(stable.tau, *stable.tau_interval, "coefficient", "all runs tie in every draw")
    return tuple(ranks), Ranking(order, tuple(stable.first[entry.name] for entry in entries))


def _ati(table: OutcomeTable, variant: Variant) -> Figure:
    figures = Tally(table, variant, _ATI).figures(np.ones((1, len(table.participants))))
    scope = figures.pooled if variant.average == "pooled" else figures.overall
    value = float(scope["ati"][0])
    reason = "one of its four figures is not scored" if isnan(value) else ""
    return Figure(value, unit="index", reason=reason)


def _grid(tables: Sequence[OutcomeTable]) -> Rank:
    """Give the range of the ATI over all combinations of choices; its ends as an interval."""
    grid = variant_grid()
    figures = []
    for table in tables:
        values = [_ati(table, variant).value for variant in grid]
        known = [value for value in values if not isnan(value)]
        if known:
            figures.append(Figure(float(np.median(known)), min(known), max(known), "index"))
        else:
            figures.append(Figure(nan, unit="index", reason="never scored"))
    name = f"median of all {len(grid)} combinations, and their range"
    return Rank(name, tuple(figures), Figure(nan, reason="many orders in one row"))
