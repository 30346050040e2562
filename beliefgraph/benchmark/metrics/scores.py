"""All figures of a run: overall, pooled, by domain and by participant, with what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from beliefgraph.benchmark.metrics.distributions import LOG_FLOOR, gold_probability
from beliefgraph.benchmark.metrics.metric import CompositeMetric
from beliefgraph.benchmark.metrics.registry import HEADLINE, METRICS
from beliefgraph.benchmark.metrics.table import FloatArray, OutcomeTable
from beliefgraph.benchmark.metrics.tally import Tally
from beliefgraph.benchmark.metrics.variant import Variant
from beliefgraph.benchmark.run import Outcome
from beliefgraph.survey import Task

__all__ = ["FEW_PEOPLE", "Scores", "score"]

FEW_PEOPLE = 5
"""Domains with fewer people are flagged: a mean of domains then hangs on them."""


@dataclass(frozen=True)
class Scores:
    """Figures by metric; NaN where not scored, with the reason in `not_scored`."""

    variant: Variant
    overall: Mapping[str, float]
    """Unweighted mean of the domains that can be scored (`counts["domains"]` says which)."""
    pooled: Mapping[str, float]
    """Over all items together."""
    per_domain: Mapping[str, Mapping[str, float]]
    per_participant: Mapping[str, Mapping[str, float]]
    """Over all items of a person."""
    counts: Mapping[str, Any]
    flags: tuple[Mapping[str, Any], ...]
    """Domains with few people: domain, task and number of people."""
    not_scored: Mapping[str, Any]
    """Reasons by scope and metric; for participants, how many."""

    def headline(self) -> dict[str, float]:
        """Return the published five, as the variant averages them."""
        figures = self.pooled if self.variant.average == "pooled" else self.overall
        return {name: figures[name] for name in HEADLINE}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON values; None where not scored."""
        return {
            "variant": self.variant.model_dump(),
            "overall": _plain(self.overall),
            "pooled": _plain(self.pooled),
            "per_domain": {name: _plain(each) for name, each in self.per_domain.items()},
            "per_participant": {name: _plain(each) for name, each in self.per_participant.items()},
            "counts": dict(self.counts),
            "flags": [dict(flag) for flag in self.flags],
            "not_scored": dict(self.not_scored),
        }


def score(outcomes: Sequence[Outcome], variant: Variant | None = None) -> Scores:
    """Score what was predicted.

    Parameters
    ----------
    outcomes
        Those of one run, in any order.
    variant
        How they are counted; as published by default.

    Returns
    -------
    Scores

    Raises
    ------
    SurveyError
        There are no outcomes, an item stands twice, or an answer is off its scale.

    Examples
    --------
    >>> from beliefgraph.survey import SIGN_SCALE
    >>> asked = dict(topic="parks", task="bsi", role="baseline", scale=SIGN_SCALE)
    >>> right = Outcome(
    ...     item_id="1", participant="P1", question_id="q1", gold=(1,), value=1, **asked
    ... )
    >>> wrong = Outcome(
    ...     item_id="2", participant="P2", question_id="q1", gold=(1,), value=-1, **asked
    ... )
    >>> score([right, wrong]).overall["bsi_acc"]
    50.0
    """
    variant = variant or Variant()
    table = OutcomeTable.of(outcomes)
    tally = Tally(table, variant)
    every = tally.figures(np.ones((1, len(table.participants))))
    each = tally.figures(np.eye(len(table.participants)))
    overall = {name: float(every.overall[name][0]) for name in METRICS}
    pooled = {name: float(every.pooled[name][0]) for name in METRICS}
    per_domain = {
        topic: {name: float(every.domains[name][0, i]) for name in METRICS}
        for i, topic in enumerate(table.topics)
    }
    per_participant = {
        person: {name: float(each.pooled[name][i]) for name in METRICS}
        for i, person in enumerate(table.participants)
    }
    return Scores(
        variant=variant,
        overall=overall,
        pooled=pooled,
        per_domain=per_domain,
        per_participant=per_participant,
        counts=_counts(table, tally, per_domain),
        flags=_flags(tally),
        not_scored={
            "overall": _reasons(overall, tally, None, "no domain can be scored: "),
            "pooled": _reasons(pooled, tally, None),
            "per_domain": {
                topic: _reasons(per_domain[topic], tally, i) for i, topic in enumerate(table.topics)
            },
            "per_participant": {
                name: n
                for name in METRICS
                if (n := sum(bool(np.isnan(own[name])) for own in per_participant.values()))
            },
        },
    )


def _plain(figures: Mapping[str, float]) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else value for name, value in figures.items()}


def _counts(
    table: OutcomeTable, tally: Tally, per_domain: Mapping[str, Mapping[str, float]]
) -> dict[str, Any]:
    later = table.is_task("bdu_stance") & ~table.is_role("baseline")
    known = ~np.isnan(table.previous_gold)
    floored = gold_probability(table) < LOG_FLOOR
    scored = {name: tally.counts(name) for name in METRICS if _is_sum(name)}
    return {
        "items": len(table),
        "participants": len(table.participants),
        "tasks": {task: int(table.is_task(task).sum()) for task in get_args(Task)},
        "no_answer": int((~table.answered).sum()),
        "without_distribution": int((~table.has_distribution).sum()),
        "log_score_floored": int(floored.sum()),
        "pairs": int(known.sum()),
        "pairs_with_given_baseline": int((known & (table.baseline < 0)).sum()),
        "later_stances_without_baseline": int((later & ~known).sum()),
        "scored": {name: int(n.sum()) for name, n in scored.items()},
        "scored_per_domain": {
            topic: {name: int(n[:, i].sum()) for name, n in scored.items()}
            for i, topic in enumerate(table.topics)
        },
        "domains": {
            name: [topic for topic, own in per_domain.items() if not np.isnan(own[name])]
            for name in METRICS
        },
    }


def _is_sum(name: str) -> bool:
    return not isinstance(METRICS[name], CompositeMetric)


def _flags(tally: Tally) -> tuple[dict[str, Any], ...]:
    """Name domains with few people, for each of the headline's kinds of item."""
    found = []
    for what, name in (("bsi", "bsi_acc"), ("bdu", "bdu_acc"), ("pairs", "bdu_dir_acc")):
        people: FloatArray = (tally.counts(name) > 0).sum(axis=0)
        for topic, n in zip(tally.topics, people, strict=True):
            if 0 < n < FEW_PEOPLE:
                found.append({"domain": topic, "what": what, "people": int(n)})
    return tuple(found)


def _reasons(
    figures: Mapping[str, float], tally: Tally, domain: int | None, start: str = ""
) -> dict[str, str]:
    reasons = {}
    for name, value in figures.items():
        if not np.isnan(value):
            continue
        metric = METRICS[name]
        if isinstance(metric, CompositeMetric):
            missing = [part for part in metric.of if np.isnan(figures[part])]
            reasons[name] = f"{start}not scored: {', '.join(missing)}"
        else:
            n = tally.counts(name)
            here = n.sum() if domain is None else n[:, domain].sum()
            reasons[name] = f"{start}needs {metric.needs}; {int(here)} count here"
    return reasons
