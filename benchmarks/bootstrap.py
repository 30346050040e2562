"""Time of scoring a benchmark's items with a bootstrap over people.

`python benchmarks/bootstrap.py [--items 1742] [--people 60] [--resamples 1000]`. Invented outcomes
of a constant predictor and of one that errs at random and gives distributions; processor time of
all threads together (set OMP_NUM_THREADS=1 for one), the fastest of three runs. Scoring is
`bootstrap(...).to_dict()`: all metrics, overall, pooled and in every domain. The mix of items is
about that of HugAgent: three domains, a quarter signs, the others stances and reason weights.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from beliefgraph.benchmark.metrics import score
from beliefgraph.benchmark.run import Outcome
from beliefgraph.benchmark.uncertainty import bootstrap, compare_runs
from beliefgraph.survey import SIGN_SCALE, Role, Scale, Task

TOPICS = ("parks", "trams", "libraries")
KINDS: tuple[tuple[Task, Role], ...] = (
    ("bdu_stance", "baseline"),
    ("bsi", "baseline"),
    ("bdu_reason", "scenario"),
    ("bdu_stance", "scenario"),
    ("bsi", "baseline"),
    ("bdu_reason", "scenario"),
    ("bdu_stance", "experience"),
)


def make_outcomes(n: int, people: int, constant: bool) -> list[Outcome]:
    """Make outcomes with one baseline stance a person and topic; golds are the same in both."""
    scales = {
        "bsi": SIGN_SCALE,
        "bdu_stance": Scale.between(1, 10),
        "bdu_reason": Scale.between(1, 5),
    }
    rng = np.random.default_rng(0)
    outcomes = []
    for i in range(n):
        pair = i % (people * len(TOPICS))
        # the first round over people and topics asks every baseline stance, later rounds the rest
        turn = i // (people * len(TOPICS))
        task, role = KINDS[turn if turn < len(KINDS) else 1 + turn % (len(KINDS) - 1)]
        points = scales[task].points
        gold, at_random = rng.integers(len(points), size=2)
        shares = rng.dirichlet(np.ones(len(points)))
        value = points[-1 if task == "bsi" else 0] if constant else points[int(at_random)]
        outcomes.append(
            Outcome(
                item_id=f"item {i}",
                participant=f"P{pair % people:03}",
                topic=TOPICS[pair // people],
                task=task,
                role=role,
                question_id=f"{task} {turn}",
                scale=scales[task],
                gold=(points[int(gold)],),
                value=value,
                distribution=None if constant else tuple((shares / shares.sum()).tolist()),
            )
        )
    return outcomes


def intervals(outcomes: list[Outcome], n_resamples: int) -> dict[str, Any]:
    return bootstrap(outcomes, n_resamples=n_resamples).to_dict()


def fastest(call: Callable[[], Any], runs: int = 3) -> float:
    """Return the fastest run in seconds of processor time."""
    best = float("inf")
    for _ in range(runs):
        begin = time.process_time()
        call()
        best = min(best, time.process_time() - begin)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1742)
    parser.add_argument("--people", type=int, default=60)
    parser.add_argument("--resamples", type=int, default=1000)
    options = parser.parse_args()
    runs = {
        name: make_outcomes(options.items, options.people, constant)
        for name, constant in (("constant", True), ("random with distributions", False))
    }
    print(f"{options.items} items, {options.people} people, B = {options.resamples}")
    calls: dict[str, Callable[[], Any]] = {}
    for name, outcomes in runs.items():
        calls[f"score, {name}"] = partial(score, outcomes)
        calls[f"bootstrap, {name}"] = partial(intervals, outcomes, options.resamples)
    calls["paired difference"] = partial(compare_runs, runs, n_resamples=options.resamples)
    for name, call in calls.items():
        print(f"{name:<40} {fastest(call):8.3f} s")


if __name__ == "__main__":
    main()
