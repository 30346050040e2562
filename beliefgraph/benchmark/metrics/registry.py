"""All metrics by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from beliefgraph.benchmark.metrics import (
    accuracy,
    agreement,
    change,
    distributions,
    index,
    reliability,
)
from beliefgraph.benchmark.metrics.metric import Metric
from beliefgraph.errors import SurveyError, suggestions

__all__ = ["HEADLINE", "METRICS", "get_metric"]

_MODULES: Final = (accuracy, change, index, distributions, reliability, agreement)

METRICS: Final[Mapping[str, Metric]] = MappingProxyType(
    {metric.name: metric for module in _MODULES for metric in module.METRICS}
)
"""Every metric; composites follow what they are made of."""

HEADLINE: Final = ("bsi_acc", "bdu_acc", "bdu_mae", "bdu_dir_acc", "ati")
"""The figures of the published leaderboard."""


def get_metric(name: str) -> Metric:
    """Return a metric by its name.

    Raises
    ------
    SurveyError
        There is none of that name; suggests the nearest.

    Examples
    --------
    >>> get_metric("bdu_mae").direction
    'lower'
    """
    if name not in METRICS:
        raise SurveyError(f"no metric is called {name!r}. {suggestions(name, METRICS)}")
    return METRICS[name]
