"""How well synthetic people's items can be answered at all, and what another person's graph does.

    python benchmarks/synthetic_ceiling.py [--people 200] [--topics 3] [--draws 31]

| row | what answers |
|---|---|
| ceiling (median) | the median of the person's answers over many drawn days; the sign held |
| ceiling (tolerance) | of the same days, the answer that most others are within tolerance of |
| own graph | the person's true graph, simulated without noise |
| shuffled graph | another person's true graph, in the own manner of answering |
| retest | what the person answered in the second wave |
| majority | "A" and 1, always |

Figures are means of topics, with 95% intervals from drawing people 1000 times.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from beliefgraph.baselines.constant import MajorityPredictor
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.synth import (
    RetestPredictor,
    SyntheticStudy,
    TruthPredictor,
    generate_people,
)
from beliefgraph.benchmark.synth.answers import latent_answers, noisy_answers
from beliefgraph.benchmark.synth.truth import topics_by_id
from beliefgraph.benchmark.uncertainty import Bootstrap, bootstrap
from beliefgraph.survey import Item, Person, Prediction, Predictor, Scale

METRICS = ("bsi_acc", "bdu_acc", "bdu_mae", "bdu_dir_acc", "ati")


class CeilingPredictor:
    """Knows everything about a person but the noise of the day.

    Parameters
    ----------
    study
        Whose truth it knows.
    draws
        Days that are drawn to find the best answer.
    loss
        "median" or "tolerance": what the best answer is best for.
    """

    def __init__(self, study: SyntheticStudy, draws: int, loss: str, seed: int = 0) -> None:
        self.study, self.draws, self.loss, self.seed = study, draws, loss, seed
        self._best_known: dict[tuple[str, str], dict[str, int]] = {}

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"ceiling ({self.loss})"

    @property
    def settings(self) -> dict[str, Any]:
        """Number of days, and the loss."""
        return {"draws": self.draws, "loss": self.loss, "seed": self.seed}

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer what holds best over days."""
        if item.question.task == "bsi":
            return Prediction(value=self.study.truth.signs[item.item_id].held)
        key = (item.participant, item.topic)
        if key not in self._best_known:
            self._best_known[key] = self._best_answers(*key)
        return Prediction(value=self._best_known[key][item.question.question_id])

    def _best_answers(self, participant: str, topic: str) -> dict[str, int]:
        truth, part = self.study.truth, self.study.survey.topic(topic)
        style = truth.people[participant].response_style
        latent = latent_answers(
            truth.graphs[participant, topic], topics_by_id()[topic], part, style
        )
        asked = {question.question_id: question for question in part.questions()}
        rng = np.random.default_rng([self.seed, int(participant[1:])])
        days = [noisy_answers(latent, asked, style, rng) for _ in range(self.draws)]
        return {
            key: _best([day[key] for day in days], question.scale, self.loss)
            for key, question in asked.items()
        }


def _best(answers: Sequence[int], scale: Scale, loss: str) -> int:
    """Return the median answer, or the point with most answers within the tolerance."""
    given = np.array(answers)
    if loss == "median":
        return int(np.quantile(given, 0.5, method="lower"))

    def merit(point: int) -> tuple[float, float]:
        off = np.abs(given - point)
        return float((off <= scale.tolerance).mean()), -float(off.mean())

    return max(scale.points, key=merit)


def measure(study: SyntheticStudy, draws: int, seed: int = 0) -> dict[str, Bootstrap]:
    """Return the figures of every row, with replicates."""
    rows: dict[str, Predictor] = {
        "ceiling (median)": CeilingPredictor(study, draws, "median", seed),
        "ceiling (tolerance)": CeilingPredictor(study, draws, "tolerance", seed),
        "own graph": TruthPredictor(study),
        "shuffled graph": TruthPredictor(study, "shuffled", seed),
        "retest": RetestPredictor(study),
        "majority": MajorityPredictor(),
    }
    return {
        name: bootstrap(evaluate(predictor, study.items).outcomes, seed=seed)
        for name, predictor in rows.items()
    }


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--topics", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--draws", type=int, default=31)
    given = parser.parse_args(argv)
    start = time.perf_counter()
    study = generate_people(given.people, given.topics, given.seed)
    made = time.perf_counter() - start
    rows = measure(study, given.draws)
    print("| | " + " | ".join(METRICS) + " |")
    print("|---|" + "---|" * len(METRICS))
    for name, found in rows.items():
        print(f"| {name} | " + " | ".join(str(found.interval(m)) for m in METRICS) + " |")
    scores = rows["shuffled graph"].scores
    silent = scores.counts["no_answer"] / scores.counts["tasks"]["bsi"]
    others = scores.pooled["bsi_acc"] / (1 - silent)
    print(
        f"\nshuffled graph: no answer to {silent:.1%} of the signs; {others:.1f}% right of others"
    )
    total = time.perf_counter() - start
    print(f"{len(study.items)} items; generated in {made:.1f} s, all in {total:.1f} s")


if __name__ == "__main__":
    main()
