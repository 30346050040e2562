"""Fit eq. 1 (the probability that a person holds an influence) on synthetic people.

    python benchmarks/fit_edge_probability.py                 # print calibration out of fold
    python benchmarks/fit_edge_probability.py --write         # also write the parameters shipped

The target is "the truth holds this influence, with this sign"; people are held out whole. The
interviews come from the development half of the phrase bank, in every speaking style.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import beliefgraph as bg
from beliefgraph.benchmark.synth.render import (
    load_bank,
    load_topics,
    random_person,
    render_interview,
)
from beliefgraph.benchmark.synth.speaker import Style
from beliefgraph.compare import match_influences
from beliefgraph.extractors.probability import edge_scores

Floats = NDArray[np.float64]
TARGET = Path(__file__).parent.parent / "extractors" / "edge_probability.json"
RIDGE = 1.0
"""Gaussian prior of precision 1 on the three weights (not on the bias)."""


def collect(people: int, seed: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return scores (influences, 3), truth (influences,) and the number of the person of each."""
    rng = np.random.default_rng(seed)
    bank, topics, styles = load_bank("development"), load_topics(), get_args(Style)
    scores, held, who = [], [], []
    for person in range(people):
        topic: Any = topics[person % len(topics)]
        style = styles[(person // len(topics)) % len(styles)]
        edges, level = random_person(topic, rng)
        turns = render_interview(topic, edges, level, style, bank, rng)
        transcript = bg.Transcript(
            turns=tuple(bg.Turn(qa_id=t.qa_id, question=t.question, answer=t.answer) for t in turns)
        )
        graph = bg.extract(transcript)
        true = bg.BeliefGraph.from_edges(
            [(e.source, e.target, 0.5 * e.sign) for e in edges], stance=topic["stance"]["label"]
        )
        spoken = {c["label"]: c["spoken"] for c in topic["concepts"]}
        true = true.replace(
            concepts=tuple(
                c.replace(aliases=tuple(bg.Alias(label=s) for s in spoken.get(c.name, ())))
                for c in true.concepts
            )
        )
        both = (*graph.influences, *(f.influence for f in graph.feedback))
        right = match_influences(graph, true, both)
        for pair, score in edge_scores({(e.source, e.target): e.evidence for e in both}).items():
            scores.append([score.causal, score.linguistic, score.motif])
            held.append(float(pair in right))
            who.append(person)
    return np.array(scores), np.array(held), np.array(who)


def fit(scores: Floats, held: Floats) -> Floats:
    """Return (bias, causal, linguistic, motif) by penalised maximum likelihood.

    No weight may be negative: words that sound surer, or agree with a motif, are never evidence
    against an influence.
    """
    design = np.column_stack([np.ones(len(scores)), scores])

    def loss(w: Floats) -> tuple[float, Floats]:
        p = 1 / (1 + np.exp(-design @ w))
        value = -np.sum(held * np.log(p + 1e-12) + (1 - held) * np.log(1 - p + 1e-12))
        slope = design.T @ (p - held)
        slope[1:] += RIDGE * w[1:]
        return float(value + 0.5 * RIDGE * np.sum(w[1:] ** 2)), slope

    bounds = [(None, None), (0, None), (0, None), (0, None)]
    return np.asarray(minimize(loss, np.zeros(4), jac=True, method="L-BFGS-B", bounds=bounds).x)


def out_of_fold(scores: Floats, held: Floats, who: NDArray[np.int64], folds: int = 5) -> Floats:
    """Return probabilities, each from parameters fitted on other people."""
    design = np.column_stack([np.ones(len(scores)), scores])
    predicted = np.zeros(len(held))
    for fold in range(folds):
        test = who % folds == fold
        predicted[test] = 1 / (1 + np.exp(-design[test] @ fit(scores[~test], held[~test])))
    return predicted


def reliability(p: Floats, held: Floats, bins: int = 10) -> list[dict[str, float]]:
    """Return the reliability table: equal-width bins of the predicted probability."""
    number = np.minimum((p * bins).astype(int), bins - 1)
    return [
        {
            "from": k / bins,
            "to": (k + 1) / bins,
            "n": int((number == k).sum()),
            "predicted": round(float(p[number == k].mean()), 4),
            "held": round(float(held[number == k].mean()), 4),
        }
        for k in range(bins)
        if (number == k).any()
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--people", type=int, default=240)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument(
        "--write", action="store_true", help="write extractors/edge_probability.json"
    )
    options = parser.parse_args()
    scores, held, who = collect(options.people, options.seed)
    p = out_of_fold(scores, held, who)
    base = held.mean()
    table = reliability(p, held)
    calibration_error = sum(r["n"] * abs(r["predicted"] - r["held"]) for r in table) / len(held)
    weights = dict(
        zip(
            ("bias", "causal", "linguistic", "motif"),
            fit(scores, held).round(4).tolist(),
            strict=True,
        )
    )
    figures = {
        "influences": len(held),
        "people": options.people,
        "share held": round(float(base), 4),
        "Brier score out of fold": round(float(np.mean((p - held) ** 2)), 4),
        "Brier score of the base rate": round(float(base * (1 - base)), 4),
        "expected calibration error": round(float(calibration_error), 4),
    }
    print(json.dumps({"weights": weights, "fit": figures, "reliability": table}, indent=2))
    if options.write:
        fitted_on = {"seed": options.seed, "phrase bank": "development", **figures}
        TARGET.write_text(json.dumps({"weights": weights, "fit": fitted_on}, indent=2) + "\n")


if __name__ == "__main__":
    main()
