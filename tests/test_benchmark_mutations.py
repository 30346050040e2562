"""Every metric is broken on purpose, and the values computed by hand must notice.

Each mutation changes one operator or sign in the source of a function; the module is run anew with
the change, and its metrics replace the true ones. docs/metrics.md lists the mutations.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from beliefgraph.benchmark.metrics import (
    METRICS,
    OutcomeTable,
    Tally,
    accuracy,
    agreement,
    change,
    distributions,
    index,
    reliability,
)
from tests.test_benchmark_metrics import BY_HAND, EXAMPLE

MUTATIONS: tuple[tuple[str, ModuleType, str, str, str], ...] = (
    ("bsi_acc", accuracy, "_bsi_acc", "table.error == 0", "table.error != 0"),
    ("bdu_acc", accuracy, "within_tolerance", "table.error <= allowed", "table.error >= allowed"),
    ("bdu_exact", accuracy, "_bdu_exact", "table.error == 0", "table.error != 0"),
    ("bdu_mae", accuracy, "_bdu_mae", "table.error * five", "table.error / five"),
    ("bdu_mae", accuracy, "five_point_factor", "n_points == 10", "n_points != 10"),
    ("bdu_mae_linear", accuracy, "_bdu_mae_linear", '"linear"', '"halved"'),
    ("no_answer_rate", accuracy, "_no_answer_rate", "(~table.answered)", "(table.answered)"),
    ("bdu_dir_acc", change, "_combine_dir_acc", "+ (1 - LAMBDA)", "- (1 - LAMBDA)"),
    ("bdu_dir_acc", change, "_pairs", ".gold[rows] - table", ".gold[rows] + table"),
    ("bdu_change_detection", change, "_Pairs", "0) == (self", "0) != (self"),
    (
        "bdu_direction",
        change,
        "_Pairs",
        "self.true == self.predicted",
        "self.true != self.predicted",
    ),
    ("bdu_change_f1", change, "_combine_f1", "true + predicted)", "true - predicted)"),
    ("ati", index, "_scaled", "(unscaled - zero)", "(unscaled + zero)"),
    ("ati_unscaled", index, "_unscaled", "1 - bdu_mae", "1 + bdu_mae"),
    ("bsi_log_score", distributions, "_log_score", "= np.log", "= -np.log"),
    ("bdu_log_score", distributions, "gold_probability", "[:, :, None] == ", "[:, :, None] != "),
    ("bdu_crps", distributions, "_crps", "reached - step", "reached + step"),
    ("bdu_crps", distributions, "_crps", ">= gold", "<= gold"),
    ("bdu_jsd", distributions, "_jsd", "shares * np.log2", "-shares * np.log2"),
    ("bsi_ece", reliability, "_combine", "probability - happened", "probability + happened"),
    ("bsi_ece", reliability, "_positive_sign", "[rows] > 0", "[rows] < 0"),
    ("bdu_ece", reliability, "_within", "away <= allowed", "away >= allowed"),
    ("bdu_pearson", agreement, "_spreads", "xy - x * y", "xy + x * y"),
    ("bdu_pearson", agreement, "_combine_pearson", "divide(xy,", "divide(-xy,"),
    ("bdu_spearman", agreement, "_midranks", "axis=-1) - (counts", "axis=-1) + (counts"),
    ("bdu_spread_ratio", agreement, "_combine_spread", "divide(xx, yy)", "divide(yy, xx)"),
    ("bdu_kappa", agreement, "_combine_kappa", "yy - 2 * xy", "yy + 2 * xy"),
    ("bdu_icc", agreement, "_combine_icc", "of_rows - of_rest", "of_rows + of_rest"),
    ("bdu_icc", agreement, "_combine_icc", "columns - of_rest", "columns + of_rest"),
    ("bsi_kappa", agreement, "_combine_kappa", "1 - divide", "1 + divide"),
)
"""Metric, module, function, and what is written in place of what."""


def figures(metrics: dict[str, Any]) -> dict[tuple[str, str], float]:
    table = OutcomeTable.of(EXAMPLE)
    tally = Tally(table, metrics=metrics.values())
    domains = tally.figures(np.ones((1, len(table.participants)))).domains
    return {(n, d): float(domains[n][0, table.topics.index(d)]) for n, d in BY_HAND}


def mutant(module: ModuleType, function: str, old: str, new: str) -> ModuleType:
    whole, part = inspect.getsource(module), inspect.getsource(getattr(module, function))
    assert whole.count(part) == 1
    assert part.count(old) == 1, f"{function} has {part.count(old)} of {old!r}"
    changed = ModuleType(f"{module.__name__}_changed")
    sys.modules[changed.__name__] = changed  # dataclasses look their module up
    try:
        exec(whole.replace(part, part.replace(old, new)), changed.__dict__)
    finally:
        del sys.modules[changed.__name__]
    return changed


def test_unchanged_metrics_have_the_values_computed_by_hand() -> None:
    assert figures(dict(METRICS)) == pytest.approx(BY_HAND)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: f"{m[0]}: {m[3]} -> {m[4]}")
def test_a_changed_sign_is_noticed(mutation: tuple[str, ModuleType, str, str, str]) -> None:
    name, module, function, old, new = mutation
    changed = mutant(module, function, old, new)
    metrics = dict(METRICS) | {metric.name: metric for metric in changed.METRICS}
    with np.errstate(all="ignore"):
        now = figures(metrics)
    off = [
        key
        for key, by_hand in BY_HAND.items()
        if key[0] == name and now[key] != pytest.approx(by_hand)
    ]
    assert off, f"no value by hand notices {new!r} in {function}"


def test_every_metric_is_broken_once() -> None:
    assert {name for name, *_ in MUTATIONS} == set(METRICS)


def test_the_page_lists_every_mutation(root: Path) -> None:
    page = (root / "docs" / "metrics.md").read_text(encoding="utf-8")
    for name, _, function, old, new in MUTATIONS:
        assert f"| `{name}` | `{function}` | `{old}` | `{new}` |" in page
