"""What a run scores: every metric, in the published definitions and in declared variants."""

from __future__ import annotations

from beliefgraph.benchmark.metrics.change import change_confusion
from beliefgraph.benchmark.metrics.index import HUMAN, RANDOM, Anchor, ati, ati_unscaled
from beliefgraph.benchmark.metrics.metric import CompositeMetric, Metric, SumMetric
from beliefgraph.benchmark.metrics.registry import HEADLINE, METRICS, get_metric
from beliefgraph.benchmark.metrics.reliability import reliability_table
from beliefgraph.benchmark.metrics.scores import Scores, score
from beliefgraph.benchmark.metrics.table import OutcomeTable
from beliefgraph.benchmark.metrics.tally import Figures, Tally
from beliefgraph.benchmark.metrics.variant import VARIANTS, Variant, variant_grid

__all__ = [
    "HEADLINE",
    "HUMAN",
    "METRICS",
    "RANDOM",
    "VARIANTS",
    "Anchor",
    "CompositeMetric",
    "Figures",
    "Metric",
    "OutcomeTable",
    "Scores",
    "SumMetric",
    "Tally",
    "Variant",
    "ati",
    "ati_unscaled",
    "change_confusion",
    "get_metric",
    "reliability_table",
    "score",
    "variant_grid",
]
