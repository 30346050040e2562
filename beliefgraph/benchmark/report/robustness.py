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
    kendall_tau_b,
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
    every = [_every_ati(OutcomeTable.of(entry.run.outcomes)) for entry in entries]
    items = [
        {o.item_id: (o.participant, o.topic, o.gold) for o in entry.run.outcomes}
        for entry in entries
    ]
    reason = ""
    if len(entries) < 2:
        reason = "one run has no order"
    elif any(each != items[0] for each in items):
        reason = "the runs answer different items"
    figures = np.array([[each[variant] for each in every] for variant in VARIANTS])
    # rounded, so that equal figures summed in another order are a tie
    taus = kendall_tau_b(figures.round(9), figures[0].round(9))
    ranks = []
    for variant, values, tau in zip(VARIANTS, figures.tolist(), taus.tolist(), strict=True):
        why = reason or ("all runs tie, or one is not scored" if isnan(tau) else "")
        ranks.append(
            Rank(
                variant.name,
                tuple(_ati(value) for value in values),
                Figure(nan if why else tau, unit="coefficient", reason=why),
            )
        )
    ranks.append(_grid(every))
    return tuple(ranks), None if reason else _ranking(entries, n_resamples, seed, level)


def _ranking(entries: Sequence[Entry], n_resamples: int, seed: int, level: float) -> Ranking | None:
    """Rank the runs on the contexts of the first one; a run is no rival of its own twin."""
    rivals = [entry for entry in entries if entry.run.context == entries[0].run.context]
    if len(rivals) < 2:
        return None
    stable = ranking_stability(
        {entry.name: entry.run.outcomes for entry in rivals},
        variants=VARIANTS[:1],
        seed=seed,
        n_resamples=n_resamples,
        level=level,
    )
    tau = Figure(stable.tau, *stable.tau_interval, "coefficient", "all runs tie in every draw")
    return Ranking(tau, tuple(stable.first.get(entry.name, nan) for entry in entries))


def _every_ati(table: OutcomeTable) -> dict[Variant, float]:
    """Return the index in every combination of choices; both averages come from one tally."""
    weights = np.ones((1, len(table.participants)))
    found = {}
    for variant in variant_grid():
        if variant.average == "domains":
            figures = Tally(table, variant, _ATI).figures(weights)
            found[variant] = float(figures.overall["ati"][0])
            found[variant.replace(average="pooled")] = float(figures.pooled["ati"][0])
    return found


def _ati(value: float) -> Figure:
    reason = "one of its four figures is not scored" if isnan(value) else ""
    return Figure(value, unit="index", reason=reason)


def _grid(every: Sequence[dict[Variant, float]]) -> Rank:
    """Give the range of the ATI over all combinations of choices; its ends as an interval."""
    figures = []
    for each in every:
        known = [value for value in each.values() if not isnan(value)]
        if known:
            figures.append(Figure(float(np.median(known)), min(known), max(known), "index"))
        else:
            figures.append(Figure(nan, unit="index", reason="never scored"))
    name = f"median of all {len(every[0])} combinations, and their range"
    return Rank(name, tuple(figures), Figure(nan, reason="many orders in one row"))
