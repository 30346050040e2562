"""What the simple baselines score on items, beside the exact figures of a random answer.

    python benchmarks/simple_baselines.py ../shared/data/hugagent

Figures are means of domains, the index with a 95% interval from drawing people 1000 times; the
seconds are those of fits and predictions. Items that cannot be read are left out, and counted.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from math import isnan

from beliefgraph.baselines.anchors import AnchorPredictor
from beliefgraph.baselines.nearest import NearestPersonPredictor
from beliefgraph.benchmark.chance import expected_random
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.items import read_items
from beliefgraph.benchmark.metrics import HEADLINE
from beliefgraph.benchmark.predictors import make_predictor
from beliefgraph.benchmark.run import Protocol
from beliefgraph.benchmark.uncertainty import bootstrap
from beliefgraph.survey import ItemSet, Predictor

ROWS: tuple[tuple[str, Protocol, Predictor], ...] = (
    *((name, "zero-shot", make_predictor(name)) for name in ("random", "majority", "mid-scale")),
    ("anchors, by words", "zero-shot", AnchorPredictor(by="words")),
    ("anchors, by vectors", "zero-shot", AnchorPredictor(by="vectors")),
    *(
        (name, "population-informed", make_predictor(name))
        for name in (
            "population-median",
            "population-mean",
            "nearest-person",
            "demographic-ridge",
            "demographic-boosting",
            "vector-ridge",
        )
    ),
    (
        "nearest-person, by interviews",
        "population-informed",
        NearestPersonPredictor(by="interview"),
    ),
    ("nearest-person, k = 5", "population-informed", NearestPersonPredictor(k=5)),
    ("persistence", "state-given", make_predictor("persistence")),
    ("nearest-person", "state-given", NearestPersonPredictor()),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", help="folder or file of items")
    items = read_items(parser.parse_args().items, strict=False)
    print(f"{items}, {len(items.left_out)} left out\n")
    print("| predictor | protocol |", " | ".join(HEADLINE), "| ATI, pooled | no answer | seconds |")
    print("|---|---|" + "---|" * (len(HEADLINE) + 3))
    expected = expected_random(evaluate(make_predictor("majority"), items).outcomes)
    pooled = _shown(expected.pooled["ati"])
    print(f"| random, exact | any | {_cells(expected.overall)} | {pooled} | | |")
    for name, protocol, predictor in ROWS:
        print(f"| {name} | {protocol} | {_measured(items, protocol, predictor)} |", flush=True)


def _measured(items: ItemSet, protocol: Protocol, predictor: Predictor) -> str:
    start = time.perf_counter()
    run = evaluate(predictor, items, protocol=protocol)
    seconds = time.perf_counter() - start
    drawn = bootstrap(run.outcomes)
    ati = drawn.interval("ati")
    unanswered = sum(outcome.value is None for outcome in run.outcomes)
    interval = "" if isnan(ati.value) else f" ({ati.low:.0f}, {ati.high:.0f})"
    pooled = _shown(drawn.scores.pooled["ati"])
    left = f"{unanswered} of {len(run.outcomes)}"
    return f"{_cells(drawn.scores.overall)}{interval} | {pooled} | {left} | {seconds:.0f}"


def _cells(figures: Mapping[str, float]) -> str:
    return " | ".join(_shown(figures[m], 2 if m == "bdu_mae" else 1) for m in HEADLINE)


def _shown(figure: float, digits: int = 1) -> str:
    return "not scored" if isnan(figure) else f"{figure:.{digits}f}"


if __name__ == "__main__":
    main()
