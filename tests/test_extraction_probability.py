"""Eq. 1 and its three scores by hand and by brute force; what was fitted, and how it is fitted."""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Callable
from importlib.resources import files
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import approx_fprime, minimize_scalar

import beliefgraph as bg
from beliefgraph.extractors.certainty import certainty
from beliefgraph.extractors.motifs import motif_scores
from beliefgraph.extractors.probability import (
    EdgeScores,
    EdgeWeights,
    edge_confidences,
    edge_scores,
    load_weights,
)

SCRIPT = Path(__file__).resolve().parent.parent / "benchmarks" / "fit_edge_probability.py"
Floats = NDArray[np.float64]
Pair = tuple[str, str]
units = st.floats(0, 1)


def said(sign: int | None, confidence: float, quote: str = "It does so.") -> bg.Evidence:
    fields: dict[str, Any] = {"sign": sign, "confidence": confidence, "quote": quote}
    return bg.Evidence(qa_id="1", start=0, end=len(quote), **fields)


def causal(*evidence: bg.Evidence) -> float:
    return edge_scores({("a", "b"): evidence})["a", "b"].causal


def test_equation_1_by_hand() -> None:
    weights = EdgeWeights(bias=-1.0, causal=2.0, linguistic=0.5, motif=-0.25)
    scores = EdgeScores(causal=0.8, linguistic=0.6, motif=0.4)
    # -1 + 1.6 + 0.3 - 0.1 = 0.8; sigma(0.8) = 0.68997448
    assert weights.probability(scores) == pytest.approx(0.6899744811276125, abs=1e-15)
    assert EdgeWeights(0, 0, 0, 0).probability(scores) == 0.5


@settings(deadline=None)
@given(units, units, st.floats(-1, 1.25), units)
def test_no_score_lowers_the_shipped_probability(c: float, s: float, m: float, more: float) -> None:
    weights = load_weights()
    base = weights.probability(EdgeScores(c, s, m))
    assert 0 < base < 1
    for raised in (
        EdgeScores(c + more, s, m),
        EdgeScores(c, s + more, m),
        EdgeScores(c, s, m + more),
    ):
        assert weights.probability(raised) >= base


def test_one_mention_is_as_causal_as_its_reader_is_sure() -> None:
    assert causal(said(1, 0.7)) == pytest.approx(0.7)


def test_agreeing_mentions_are_combined_by_noisy_or() -> None:
    assert causal(said(1, 0.5), said(1, 0.6)) == pytest.approx(0.8)  # 1 - 0.5 * 0.4
    assert causal(said(-1, 0.5), said(-1, 0.5), said(-1, 0.5)) == pytest.approx(0.875)


def test_conflict_takes_the_share_of_the_minority() -> None:
    # the majority (+, 0.8 and 0.4): 1 - 0.2 * 0.6 = 0.88, times 1.2 / 1.6
    assert causal(said(1, 0.8), said(-1, 0.4), said(1, 0.4)) == pytest.approx(0.66)
    # a stated "no effect" is a mention that disagrees: 0.8 * 0.8 / 1.0
    assert causal(said(1, 0.8), said(0, 0.2)) == pytest.approx(0.64)


@settings(deadline=None)
@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=5), st.floats(0.01, 0.99))
def test_agreement_raises_and_conflict_lowers(confidences: list[float], one: float) -> None:
    agreeing = [said(1, c) for c in confidences]
    alone = causal(*agreeing)
    assert causal(*agreeing, said(1, one)) >= alone
    weaker = min(one, 0.99 * sum(confidences))
    assert causal(*agreeing, said(-1, weaker)) < alone
    turned = [said(-1, c) for c in confidences]
    assert causal(*turned) == pytest.approx(alone)


def test_sure_words_and_hedges() -> None:
    plain = certainty("It raises support.")
    assert plain == 0.85
    assert certainty("It definitely raises support.") == pytest.approx(0.95)
    assert certainty("Maybe it raises support.") == pytest.approx(0.85 - 1.8 / 8)
    assert certainty("maybe perhaps possibly i guess") == 0.3
    assert certainty("definitely, absolutely, certainly, always") == 1.0
    long = "It raises support for the lane in our street as far as the bridge, maybe, and back."
    assert plain > certainty(long) > certainty("Maybe it raises support.")


def test_the_linguistic_score_is_the_mean_over_the_quotes() -> None:
    quotes = ["It raises support.", "Maybe it raises support."]
    found = [said(1, 0.5, quote) for quote in quotes]
    mean = (certainty(quotes[0]) + certainty(quotes[1])) / 2
    assert edge_scores({("a", "b"): found})["a", "b"].linguistic == pytest.approx(mean)


def brute_force_motif(signs: dict[Pair, int], source: str, target: str) -> float:
    """Look for every third node in every motif, by the definitions."""
    g = nx.DiGraph(list(signs))
    others = set(g) - {source, target}
    chain = any(g.has_edge(o, source) or g.has_edge(target, o) for o in others)
    fork = any(g.has_edge(source, o) for o in others)
    collider = any(g.has_edge(o, target) for o in others)
    mediated = 0
    for path in nx.all_simple_paths(g, source, target, cutoff=2):
        if len(path) == 3:
            product = signs[path[0], path[1]] * signs[path[1], path[2]]
            mediated += product * signs[source, target]
    score = 0.25 * (chain + fork + collider) + 0.5 * ((mediated > 0) - (mediated < 0))
    return float(score - 0.5 * g.has_edge(target, source))


@settings(deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(list(permutations("abcde", 2))), st.sampled_from((-1, 1)), max_size=20
    )
)
def test_motif_scores_by_brute_force(signs: dict[Pair, int]) -> None:
    scores = motif_scores(signs)
    assert set(scores) == set(signs)
    for pair, score in scores.items():
        assert score == pytest.approx(brute_force_motif(signs, *pair))
        assert -1 <= score <= 1.25


@pytest.mark.parametrize(
    ("other", "score"),
    [
        ({}, 0.0),
        ({("c", "a"): 1}, 0.25),  # chain
        ({("b", "c"): -1}, 0.25),  # chain
        ({("a", "c"): 1}, 0.25),  # fork
        ({("c", "b"): 1}, 0.25),  # collider
        ({("a", "c"): -1, ("c", "b"): -1}, 1.0),  # mediator that agrees: fork, collider, 0.5
        ({("a", "c"): -1, ("c", "b"): 1}, 0.0),  # mediator that disagrees: fork, collider, -0.5
        ({("b", "a"): 1}, -0.5),  # feedback
        ({("c", "d"): 1}, 0.0),
    ],
)
def test_each_motif_by_hand(other: dict[Pair, int], score: float) -> None:
    assert motif_scores({("a", "b"): 1} | other)["a", "b"] == score


def test_motifs_are_seen_before_loops_are_broken_and_without_undecided_pairs() -> None:
    mentions = {
        ("a", "b"): [said(1, 0.9)],
        ("b", "a"): [said(1, 0.9)],
        ("b", "c"): [said(1, 0.5), said(-1, 0.5)],
    }
    scores = edge_scores(mentions)
    assert scores["a", "b"].motif == scores["b", "a"].motif == -0.5
    assert scores["b", "c"].motif == 0.0
    weights = EdgeWeights(0.1, 1.0, 0.2, 0.4)
    total = 0.1 + 0.9 + 0.2 * 0.85 - 0.2
    sigma = 1 / (1 + math.exp(-total))
    assert edge_confidences(mentions, weights)["a", "b"] == pytest.approx(sigma, abs=1e-6)
    assert set(edge_confidences(mentions)) == set(mentions)


def test_the_weights_that_are_shipped() -> None:
    path = files("beliefgraph.extractors") / "edge_probability.json"
    shipped = json.loads(path.read_text(encoding="utf-8"))
    assert load_weights() == EdgeWeights(**shipped["weights"])
    assert all(shipped["weights"][name] >= 0 for name in ("causal", "linguistic", "motif"))
    record = shipped["fit"]
    assert {"seed", "people", "influences", "share held", "phrase bank"} <= set(record)
    share = record["share held"]
    assert record["Brier score of the base rate"] == pytest.approx(share * (1 - share), abs=1e-4)
    assert 0 < record["Brier score out of fold"] < record["Brier score of the base rate"]
    assert 0 <= record["expected calibration error"] < 0.1


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fit_edge_probability", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def fit(script: ModuleType) -> Callable[[Floats, Floats], Floats]:
    found: Callable[[Floats, Floats], Floats] = script.fit
    return found


def penalised_loss(design: Floats, held: Floats, w: Floats) -> float:
    """Logistic loss as log(1 + e^z) - yz, with the prior on the three weights."""
    z = design @ w
    return float(np.sum(np.logaddexp(0, z) - held * z) + 0.5 * np.sum(w[1:] ** 2))


def test_without_telling_scores_the_bias_is_the_log_odds(
    fit: Callable[[Floats, Floats], Floats],
) -> None:
    held = np.array([1.0] * 30 + [0.0] * 10)
    bias, *weights = fit(np.zeros((40, 3)), held)
    assert bias == pytest.approx(math.log(3), abs=1e-4)
    assert weights == pytest.approx([0, 0, 0], abs=1e-6)


def test_one_telling_score_against_a_search_on_a_line(
    fit: Callable[[Floats, Floats], Floats],
) -> None:
    x = np.repeat([-1.0, 1.0], 50)
    held = np.array([1.0] * 10 + [0.0] * 40 + [1.0] * 40 + [0.0] * 10)
    scores = np.column_stack([x, np.zeros(100), np.zeros(100)])
    # by symmetry the bias is 0, and one weight is left
    design = np.column_stack([np.ones(100), scores])
    best = minimize_scalar(lambda w: penalised_loss(design, held, np.array([0, w, 0, 0]))).x
    assert fit(scores, held) == pytest.approx([0, best, 0, 0], abs=1e-3)
    assert fit(-scores, held) == pytest.approx([0, 0, 0, 0], abs=1e-3)  # never negative


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_is_a_minimum_within_its_bounds(
    fit: Callable[[Floats, Floats], Floats], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(200, 3))
    logits = 0.4 + scores @ np.array([1.5, -0.8, 0.3])
    held = (rng.random(200) < 1 / (1 + np.exp(-logits))).astype(float)
    design = np.column_stack([np.ones(200), scores])
    fitted = fit(scores, held)
    assert (fitted[1:] >= 0).all()
    slope = approx_fprime(fitted, lambda w: penalised_loss(design, held, w), 1e-6)
    free = np.array([True, *(fitted[1:] > 1e-9)])
    assert slope[free] == pytest.approx(np.zeros(free.sum()), abs=0.05)
    assert (slope[~free] >= -0.05).all()
    assert fitted[2] == 0  # its true weight is negative


def test_people_are_held_out_whole(script: ModuleType) -> None:
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(10), 6)
    scores, held = rng.normal(size=(60, 3)), (rng.random(60) < 0.6).astype(float)
    before = script.out_of_fold(scores, held, who)
    changed = held.copy()
    changed[who == 0] = 1 - changed[who == 0]
    after = script.out_of_fold(scores, changed, who)
    same_fold = who % 5 == 0
    assert after[same_fold] == pytest.approx(before[same_fold])
    assert (after[~same_fold] != before[~same_fold]).any()


def test_the_reliability_table_counts_everything(script: ModuleType) -> None:
    p, held = np.array([0.05, 0.07, 0.95, 1.0, 0.5]), np.array([0.0, 1.0, 1.0, 1.0, 0.0])
    assert script.reliability(p, held) == [
        {"from": 0.0, "to": 0.1, "n": 2, "predicted": 0.06, "held": 0.5},
        {"from": 0.5, "to": 0.6, "n": 1, "predicted": 0.5, "held": 0.0},
        {"from": 0.9, "to": 1.0, "n": 2, "predicted": 0.975, "held": 1.0},
    ]
