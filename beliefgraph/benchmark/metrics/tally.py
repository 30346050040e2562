"""Sums of every metric by person and domain, and the figures of any weighting of people.

A scope is a domain, all domains together (`pooled`), or the unweighted mean of the domains that
can be scored (`overall`). Composite metrics are computed from the figures of their own scope: the
overall index from the overall figures, as published.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from beliefgraph.benchmark.metrics.metric import (
    CompositeMetric,
    Metric,
    Parts,
    SumMetric,
    divide,
)
from beliefgraph.benchmark.metrics.registry import METRICS
from beliefgraph.benchmark.metrics.table import FloatArray, OutcomeTable
from beliefgraph.benchmark.metrics.variant import Variant

__all__ = ["Figures", "Tally", "mean_of_scored"]

_CHUNK = 4_000_000
"""Most numbers that stand in memory at once for one metric."""


@dataclass(frozen=True)
class Figures:
    """Figures by metric, for every one of B weightings; NaN where not scored."""

    overall: Mapping[str, FloatArray]
    """Shape (B,)."""
    pooled: Mapping[str, FloatArray]
    """Shape (B,)."""
    domains: Mapping[str, FloatArray]
    """Shape (B, topics)."""


class Tally:
    """The sums of some outcomes.

    Parameters
    ----------
    table
        The outcomes.
    variant
        How they are counted; as published by default.
    metrics
        All by default; a composite needs what it is made of.
    """

    def __init__(
        self,
        table: OutcomeTable,
        variant: Variant | None = None,
        metrics: Iterable[Metric] = METRICS.values(),
    ) -> None:
        self.participants = table.participants
        self.topics = table.topics
        self._composites = []
        self._parts: dict[str, tuple[Parts, FloatArray]] = {}
        for metric in metrics:
            if isinstance(metric, SumMetric):
                parts = metric.measure(table, variant or Variant())
                self._parts[metric.name] = (parts, parts.sums(table))
            elif isinstance(metric, CompositeMetric):
                self._composites.append(metric)

    def counts(self, name: str) -> FloatArray:
        """Return how many items (or pairs) count for a metric: shape (participants, topics)."""
        return self._parts[name][1][..., 0]

    def figures(self, weights: FloatArray) -> Figures:
        """Return all figures of weighted people.

        Parameters
        ----------
        weights
            Shape (B, participants): how often each person counts.
        """
        overall: dict[str, FloatArray] = {}
        pooled: dict[str, FloatArray] = {}
        domains: dict[str, FloatArray] = {}
        for name, (parts, sums) in self._parts.items():
            domains[name], pooled[name] = _weigh(weights, sums, parts)
            overall[name] = mean_of_scored(domains[name])
        for metric in self._composites:
            for scope in (overall, pooled, domains):
                scope[metric.name] = metric.combine(scope)
        return Figures(overall, pooled, domains)


def _weigh(weights: FloatArray, sums: FloatArray, parts: Parts) -> tuple[FloatArray, FloatArray]:
    people, topics, width = sums.shape
    flat = sums.reshape(people, topics * width)
    step = max(1, _CHUNK // (topics * width))
    by_domain, of_all = [], []
    for start in range(0, len(weights), step):
        added = (weights[start : start + step] @ flat).reshape(-1, topics, width)
        by_domain.append(parts.combine(added))
        of_all.append(parts.combine(added.sum(axis=1)))
    return np.concatenate(by_domain), np.concatenate(of_all)


def mean_of_scored(figures: FloatArray) -> FloatArray:
    """Return the mean along the last axis over what is not NaN; NaN where all is."""
    scored = ~np.isnan(figures)
    return divide(np.where(scored, figures, 0.0).sum(axis=-1), scored.sum(axis=-1))
