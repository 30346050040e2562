"""Metrics against values computed by hand, plain loops, scikit-learn and scipy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from math import inf, isnan, log, log2, nan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beliefgraph.benchmark.metrics import (
    HEADLINE,
    HUMAN,
    METRICS,
    RANDOM,
    VARIANTS,
    CompositeMetric,
    Metric,
    Scores,
    Variant,
    ati,
    ati_unscaled,
    change_confusion,
    get_metric,
    reliability_table,
    score,
    variant_grid,
)
from beliefgraph.benchmark.run import Outcome
from beliefgraph.errors import SurveyError
from beliefgraph.survey import SIGN_SCALE, Role, Scale, Task

TEN, FIVE = Scale.between(1, 10), Scale.between(1, 5)
SCALES: dict[str, Scale] = {"bsi": SIGN_SCALE, "bdu_stance": TEN, "bdu_reason": FIVE}
KINDS: tuple[tuple[Task, Role], ...] = (
    ("bsi", "baseline"),
    ("bdu_stance", "scenario"),
    ("bdu_stance", "experience"),
    ("bdu_reason", "scenario"),
)
SEEDS = 0, 10, 40
"""Seeds of the invented outcomes."""


def outcome(
    who: str,
    task: Task,
    gold: int | tuple[int, ...],
    value: int | None,
    distribution: Sequence[float] | None = None,
    *,
    topic: str = "parks",
    role: Role = "baseline",
    item: str = "",
    **fields: Any,
) -> Outcome:
    """Make an outcome; the item's id is made of all that sets it apart unless one is given."""
    known: dict[str, Any] = {"scale": SCALES[task], **fields}
    return Outcome(
        item_id=item or f"{topic}/{who}/{task}/{role}/{gold}/{value}/{distribution}",
        participant=who,
        topic=topic,
        task=task,
        role=role,
        question_id=f"{task} {role}",
        gold=gold if isinstance(gold, tuple) else (gold,),
        value=value,
        distribution=None if distribution is None else tuple(distribution),
        could_not="nothing was said" if value is None else None,
        **known,
    )


def at(point: int, second: int) -> tuple[float, ...]:
    """Half the probability at each of two points of the ten."""
    return tuple(0.5 * (p in (point, second)) for p in TEN.points)


EXAMPLE = (
    outcome("P1", "bsi", 1, 1, (0.2, 0.8)),
    outcome("P2", "bsi", -1, 1, (0.4, 0.6)),
    outcome("P3", "bsi", -1, -1, (0.7, 0.3)),
    outcome("P3", "bsi", (1, -1), 1, (0.35, 0.65)),
    outcome("P1", "bdu_stance", 5, 5, at(5, 7)),
    outcome("P1", "bdu_stance", 8, 6, role="scenario"),
    outcome("P1", "bdu_stance", 6, 8, role="scenario"),
    outcome("P1", "bdu_stance", 5, 5, role="experience"),
    outcome("P2", "bdu_stance", 3, 4),
    outcome("P2", "bdu_stance", 2, 9, role="scenario"),
    outcome("P3", "bdu_stance", 7, 7),
    outcome("P3", "bdu_stance", 7, 4, role="scenario"),
    outcome("P3", "bdu_stance", 9, 7, role="scenario"),
    outcome("P1", "bdu_reason", 4, 5, (0, 0, 0.2, 0.4, 0.4)),
    outcome("P2", "bdu_reason", 1, 3, (0.1, 0.2, 0.3, 0.2, 0.2)),
    outcome("P3", "bdu_reason", 2, None),
    outcome("P1", "bdu_reason", 2, 1, (0.5, 0.5, 0, 0, 0), topic="trams"),
    outcome("P2", "bdu_reason", 2, 1, (0.6, 0.2, 0.2, 0, 0), topic="trams"),
    outcome("P1", "bdu_reason", 4, 4, (0, 0, 0.3, 0.4, 0.3), topic="trams"),
    outcome("P2", "bdu_reason", 5, 4, (0, 0, 0, 0.75, 0.25), topic="trams"),
)

_ACC, _MAE, _DIR = 800 / 12, 14.5 / 12, 100 * (0.3 * 4 / 6 + 0.7 * 2 / 3)
_U = 75 / 2 + ((100 * (1 - _MAE / 3) / 2 + _ACC / 2) / 2 + _DIR / 2) / 2
_U_RANDOM = 51.89 / 2 + ((100 * (1 - 1.88 / 3) / 2 + 43.12 / 2) / 2 + 46.74 / 2) / 2
_U_HUMAN = 84.84 / 2 + ((100 * (1 - 0.68 / 3) / 2 + 85.66 / 2) / 2 + 88.92 / 2) / 2

BY_HAND: dict[tuple[str, str], float] = {
    # three right of four; of two answers that count, either
    ("bsi_acc", "parks"): 75.0,
    # errors on ten points 0 2 2 0 1 7 0 3 2, on five 1 2 and 3 for no answer (gold 2: up to 5)
    ("bdu_acc", "parks"): _ACC,
    ("bdu_acc", "trams"): 100.0,
    ("bdu_exact", "parks"): 300 / 12,
    ("bdu_mae", "parks"): _MAE,
    ("bdu_mae", "trams"): 0.75,
    ("bdu_mae_linear", "parks"): (17 * 4 / 9 + 6) / 12,
    ("no_answer_rate", "parks"): 100 / 16,
    # (dy, dp) are (+, +) (+, +) (0, 0) (-, +) (0, -) (+, 0)
    ("bdu_change_detection", "parks"): 400 / 6,
    ("bdu_direction", "parks"): 200 / 3,
    ("bdu_dir_acc", "parks"): _DIR,
    # F1 of down 0, of same 2 / 4, of up 4 / 6
    ("bdu_change_f1", "parks"): 100 * (0 + 1 / 2 + 2 / 3) / 3,
    ("ati_unscaled", "parks"): _U,
    ("ati", "parks"): 100 * (_U - _U_RANDOM) / (_U_HUMAN - _U_RANDOM),
    ("bsi_log_score", "parks"): (log(0.8) + log(0.4) + log(0.7) + log(1)) / 4,
    ("bdu_log_score", "parks"): (log(0.5) + log(0.4) + log(0.1)) / 3,
    # ten points (0.5^2 + 0.5^2) / 2; five points 0.2^2 + 0.4^2 and 0.9^2 + 0.7^2 + 0.4^2 + 0.2^2
    ("bdu_crps", "parks"): (0.25 + 0.2 + 1.5) / 3,
    ("bdu_crps", "trams"): (0.25 + 0.4 + 0.18 + 0.5625) / 4,
    # shares at 1, 2, 4, 5: given 0 .5 .25 .25, predicted .5 0 .5 0, mean .25 .25 .375 .125
    ("bdu_jsd", "trams"): sqrt(
        (0.5 + 0.25 * log2(0.25 / 0.375) + 0.25 + 0.5 + 0.5 * log2(0.5 / 0.375)) / 2
    ),
    ("bsi_ece", "parks"): (0.2 + 0.6 + 0.3) / 3,
    # probability of the tolerance 1, 0.8, 0.7; hit, hit, missed
    ("bdu_ece", "parks"): (0 + 0.2 + 0.7) / 3,
    # predicted 1 1 4 4, given 2 2 4 5: squares about the means 9 and 6.75, products 7.5
    ("bdu_pearson", "trams"): 7.5 / sqrt(9 * 6.75),
    # ranks about their mean -1 -1 1 1 and -1 -1 .5 1.5
    ("bdu_spearman", "trams"): 4 / sqrt(4 * 4.5),
    ("bdu_spread_ratio", "trams"): sqrt(9 / 6.75),
    # mean square 0.75; variances 2.25 and 1.6875, means 0.75 apart
    ("bdu_kappa", "trams"): 1 - 0.75 / (2.25 + 1.6875 + 0.5625),
    # mean squares: rows 15.375 / 3, columns 1.125, rest 0.375 / 3
    ("bdu_icc", "trams"): (5.125 - 0.125) / (5.125 + 0.125 + (2 / 4) * (1.125 - 0.125)),
    # three of four agree; by chance 3/4 of 1/2 and 1/4 of 1/2
    ("bsi_kappa", "parks"): (0.75 - 0.5) / (1 - 0.5),
}


def random_outcomes(
    seed: int, *, perfect: bool = False, answered: float = 0.9, given: float = 0.8
) -> list[Outcome]:
    """Invent outcomes of seven people on three topics, some without answer or distribution."""
    rng = np.random.default_rng(seed)
    made = []
    for who in range(7):
        for topic in ("buses", "parks", "trams"):
            if topic == "trams" and who > 1:
                continue
            kinds = [("bdu_stance", "baseline"), *(KINDS[i] for i in rng.integers(4, size=8))]
            for number, (task, role) in enumerate(kinds):
                points = SCALES[task].points
                gold = int(rng.choice(points))
                value = gold if perfect else int(rng.choice(points))
                shares = np.eye(len(points))[points.index(gold)]
                if not perfect:
                    shares = rng.dirichlet(np.ones(len(points)))
                made.append(
                    outcome(
                        f"P{who}",
                        task,
                        gold if task != "bsi" or rng.random() < 0.9 else (1, -1),
                        value if perfect or rng.random() < answered else None,
                        (shares / shares.sum()).tolist() if rng.random() < given else None,
                        topic=topic,
                        role=role,
                        item=f"{who} {topic} {number}",
                    )
                )
    return made


def published(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """The published arithmetic in plain loops, as the data's README gives it."""
    domains = []
    for topic in sorted({o.topic for o in outcomes}):
        own = [o for o in outcomes if o.topic == topic]
        signs = [o.value in o.gold for o in own if o.task == "bsi"]
        hits, errors = [], []
        for o in own:
            if o.task == "bsi":
                continue
            five = len(o.scale.points) == 5
            far = max(abs(p - o.gold[0]) for p in o.scale.points)
            error = far if o.value is None else abs(o.value - o.gold[0])
            hits.append(o.value is not None and error <= (1 if five else 2))
            errors.append(error if five else error / 2)
        base = {o.participant: o for o in own if (o.task, o.role) == ("bdu_stance", "baseline")}
        detected, agree = [], []
        for o in own:
            if o.task != "bdu_stance" or o.role == "baseline" or o.participant not in base:
                continue
            first = base[o.participant]
            dy = np.sign(o.gold[0] - first.gold[0])
            if o.value is None or first.value is None:
                detected.append(False)
                agree += [False] if dy else []
                continue
            dp = np.sign(o.value - first.value)
            detected.append((dy == 0) == (dp == 0))
            agree += [dy == dp] if dy and dp else []
        direction = nan
        if detected:
            direction = float(30 * np.mean(detected) + 70 * (np.mean(agree) if agree else 0))
        domains.append(
            {
                "bsi_acc": 100 * np.mean(signs) if signs else nan,
                "bdu_acc": 100 * np.mean(hits) if hits else nan,
                "bdu_mae": np.mean(errors) if errors else nan,
                "bdu_dir_acc": direction,
            }
        )
    figures = {
        name: float(np.mean([d[name] for d in domains if not isnan(d[name])]))
        for name in domains[0]
    }
    return {**figures, "ati": ati(**figures)}


@pytest.mark.parametrize(("name", "domain"), BY_HAND)
def test_every_metric_by_hand(name: str, domain: str) -> None:
    assert score(EXAMPLE).per_domain[domain][name] == pytest.approx(BY_HAND[name, domain])


def test_a_value_by_hand_stands_for_every_metric() -> None:
    assert {name for name, _ in BY_HAND} == set(METRICS)


def test_overall_is_the_mean_of_domains_and_pooled_is_over_items() -> None:
    scores = score(EXAMPLE)
    assert scores.overall["bdu_acc"] == pytest.approx((_ACC + 100) / 2)
    assert scores.pooled["bdu_acc"] == pytest.approx(75)
    # signs were asked in one domain only
    assert scores.overall["bsi_acc"] == 75
    assert scores.counts["domains"]["bsi_acc"] == ["parks"]
    assert isnan(scores.per_domain["trams"]["bsi_acc"])
    assert scores.overall["ati"] == pytest.approx(
        ati(75, scores.overall["bdu_acc"], scores.overall["bdu_mae"], _DIR)
    )
    # a person is scored over own items of all domains: two of three, then two of two
    assert scores.per_participant["P2"]["bdu_exact"] == pytest.approx(0)
    assert scores.per_participant["P1"]["bdu_acc"] == pytest.approx(100)


@pytest.mark.parametrize("seed", range(8))
def test_headlines_follow_the_published_arithmetic(seed: int) -> None:
    outcomes = random_outcomes(seed)
    assert score(outcomes).headline() == pytest.approx(published(outcomes))


PUBLISHED = (
    # rows of the leaderboard that follow from their four figures: data-v1.0 and human
    ("Human (test-retest)", 84.84, 85.66, 0.68, 88.92, 100.0),
    ("gpt-4o, released data", 78.778, 62.233, 1.2434, 77.449, 70.07),
    ("Global majority (A, 1)", 63.639, 58.317, 1.6805, 15.337, 2.02),
    ("Random guess", 50.512, 43.504, 1.8584, 47.931, -0.68),
)


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: row[0])
def test_published_rows_follow_from_their_four_figures(
    row: tuple[str, float, float, float, float, float],
) -> None:
    assert round(ati(*row[1:5]), 2) == row[5]


def test_the_leaderboard_file_says_the_same(hugagent: Path) -> None:
    rows = json.loads((hugagent / "leaderboard.json").read_text(encoding="utf-8"))
    figures = {
        row["model"]: (row["bsi_acc"], row["bdu_acc"], row["bdu_mae"], row["bdu_dir_acc"])
        for row in rows
    }
    exact = [r for r in rows if r["source"] == "data-v1.0" or r["model"].startswith("Human")]
    assert {r["model"] for r in exact} == {row[0] for row in PUBLISHED}
    for row in exact:
        assert round(ati(*figures[row["model"]]), 2) == row["ati"]
    # rows of the paper that do not follow from their figures, as the data's README says
    off = {r["model"] for r in rows if abs(ati(*figures[r["model"]]) - r["ati"]) > 1}
    assert {name.split()[0] for name in off} == {"Claude", "GPT-5.1", "Gemini", "o3-mini"}


def test_anchors_fix_the_index() -> None:
    for anchor, index in ((RANDOM, 0), (HUMAN, 100)):
        figures = (anchor.bsi_acc, anchor.bdu_acc, anchor.bdu_mae, anchor.bdu_dir_acc)
        assert ati(*figures) == pytest.approx(index)
    # an error beyond the greatest counts as the greatest
    assert ati_unscaled(0, 0, 4.5, 0) == 0


def test_mean_of_domain_indices_equals_the_index_of_mean_figures_unless_clipped() -> None:
    """So the published rows cannot tell the two apart; overall is the index of the means."""
    rng = np.random.default_rng(3)
    domains = rng.uniform((0, 0, 0, 0), (100, 100, 3, 100), size=(3, 4))
    assert np.mean([ati(*d) for d in domains]) == pytest.approx(ati(*domains.mean(axis=0)))
    domains[0, 2] = 3.5
    assert np.mean([ati(*d) for d in domains]) > ati(*domains.mean(axis=0))


@pytest.mark.parametrize("name", METRICS)
def test_a_perfect_prediction_reaches_the_best_value(name: str) -> None:
    scores = score(random_outcomes(5, perfect=True, given=1))
    for figure in (scores.overall[name], scores.pooled[name]):
        assert figure == pytest.approx(METRICS[name].best)


@cache
def scored_in(seed: int, variant: Variant) -> Scores:
    return score(random_outcomes(seed), variant)


@pytest.mark.parametrize("name", METRICS)
def test_figures_stay_in_their_range(name: str) -> None:
    low, high = METRICS[name].low - 1e-9, METRICS[name].high + 1e-9
    seen = 0
    for seed in range(4):
        for variant in VARIANTS:
            scores = scored_in(seed, variant)
            parts = (scores.overall, scores.pooled, *scores.per_domain.values())
            figures = [part[name] for part in (*parts, *scores.per_participant.values())]
            scored = [figure for figure in figures if not isnan(figure)]
            seen += len(scored)
            assert all(low <= figure <= high for figure in scored)
    assert seen > 100


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_outcomes_changes_nothing(seed: int) -> None:
    outcomes = random_outcomes(seed)
    order = np.random.default_rng(seed).permutation(len(outcomes))
    one, other = score(outcomes), score([outcomes[i] for i in order])
    for name in METRICS:
        assert one.overall[name] == pytest.approx(other.overall[name], nan_ok=True)
        for topic in one.per_domain:
            mine, theirs = one.per_domain[topic][name], other.per_domain[topic][name]
            assert mine == pytest.approx(theirs, nan_ok=True)


@pytest.mark.parametrize("name", METRICS)
def test_what_cannot_be_scored_is_nan_with_a_reason(name: str) -> None:
    metric = METRICS[name]
    if "bsi" in metric.tasks:
        other = [outcome("P1", "bdu_stance", 5, 5)]
    else:
        other = [outcome("P1", "bsi", 1, 1)]
    if name == "no_answer_rate":  # any item will do; a stance is all it needs
        assert score(other).overall[name] == 0
        return
    scores = score(other)
    assert isnan(scores.overall[name])
    assert isnan(scores.pooled[name])
    assert scores.not_scored["per_participant"][name] == 1
    reason = scores.not_scored["overall"][name]
    needed = metric.of[0] if isinstance(metric, CompositeMetric) else metric.needs
    assert needed.split(", ")[0] in reason or "not scored" in reason
    assert scores.to_dict()["overall"][name] is None
    assert name in scores.not_scored["per_domain"]["parks"]


def test_scores_are_json() -> None:
    scores = score(random_outcomes(1))
    text = json.dumps(scores.to_dict(), allow_nan=False)
    assert set(json.loads(text)) == {
        "variant", "overall", "pooled", "per_domain", "per_participant", "counts", "flags",
        "not_scored",
    }  # fmt: skip
    assert set(scores.headline()) == set(HEADLINE)


def test_domains_with_few_people_are_flagged() -> None:
    flags = score(random_outcomes(2)).flags
    assert {flag["domain"] for flag in flags if flag["what"] == "bdu"} == {"trams"}
    assert {flag["people"] for flag in flags if flag["what"] == "bdu"} == {2}
    # two domains of the example, with three and two people
    assert [(f["domain"], f["what"], f["people"]) for f in score(EXAMPLE).flags] == [
        ("parks", "bsi", 3), ("parks", "bdu", 3), ("trams", "bdu", 2), ("parks", "pairs", 3),
    ]  # fmt: skip


def test_counts_say_what_was_left_out() -> None:
    counts = score(EXAMPLE).counts
    assert counts["tasks"] == {"bsi": 4, "bdu_stance": 9, "bdu_reason": 7}
    assert (counts["items"], counts["no_answer"], counts["pairs"]) == (20, 1, 6)
    assert counts["without_distribution"] == 9
    assert counts["scored"]["bdu_ece"] == 7
    assert counts["scored"]["bsi_ece"] == 3
    assert counts["scored_per_domain"]["trams"]["bdu_acc"] == 4


@pytest.mark.parametrize(
    ("variant", "name", "figure"),
    [
        # ten-point errors sum to 17
        (Variant(mae="linear"), "bdu_mae", (17 * 4 / 9 + 6) / 12),
        (Variant(mae="linear"), "bdu_crps", (0.5 * 4 / 9 + 0.2 + 1.5) / 3),
        (Variant(unparsed="exclude"), "bdu_acc", 800 / 11),
        (Variant(unparsed="exclude"), "bdu_mae", 11.5 / 11),
        (Variant(unparsed="exclude"), "no_answer_rate", 100 / 16),
        (Variant(tolerance=0), "bdu_acc", 25.0),
        (Variant(tolerance=0), "bsi_acc", 75.0),
        (Variant(tolerance=2), "bdu_acc", 75.0),
        (Variant(items="stance"), "bdu_acc", 700 / 9),
        (Variant(items="stance"), "bdu_dir_acc", _DIR),
        (Variant(items="without_experience"), "bdu_acc", 700 / 11),
        # the pair (0, 0) is an experience
        (Variant(items="without_experience"), "bdu_dir_acc", 30 * 3 / 5 + 140 / 3),
    ],
)
def test_variants_by_hand(variant: Variant, name: str, figure: float) -> None:
    assert score(EXAMPLE, variant).per_domain["parks"][name] == pytest.approx(figure)


def test_pooled_variant_chooses_the_headline() -> None:
    assert score(EXAMPLE, Variant(average="pooled")).headline()["bdu_acc"] == pytest.approx(75)


def pair(later: int | None, base: int | None = 6, **fields: Any) -> list[Outcome]:
    """A baseline of 5 and a later stance of 8."""
    return [
        outcome("P1", "bdu_stance", 5, base),
        outcome("P1", "bdu_stance", 8, later, role="scenario", **fields),
    ]


@pytest.mark.parametrize(
    ("outcomes", "variant", "figure"),
    [
        (pair(7), Variant(), 100.0),
        (pair(6), Variant(), 0.0),
        (pair(6), Variant(previous="true"), 100.0),
        (pair(None), Variant(), 0.0),
        (pair(7, base=None), Variant(), 0.0),
        (pair(7, base=None), Variant(previous="true"), 100.0),
        (pair(7, base=None), Variant(unparsed="exclude"), nan),
        (pair(7, base=None), Variant(unparsed="exclude", previous="true"), 100.0),
        (pair(None), Variant(unparsed="exclude"), nan),
        # the baseline was given and not asked
        (pair(7, previous=5)[1:], Variant(), 100.0),
        (pair(5, previous=5)[1:], Variant(), 0.0),
        (pair(7)[1:], Variant(), nan),
        # a baseline on another scale is none
        ([outcome("P1", "bdu_stance", 5, 5, scale=FIVE), *pair(7, previous=5)[1:]], Variant(), nan),
    ],
)
def test_directional_accuracy_of_one_pair(
    outcomes: list[Outcome], variant: Variant, figure: float
) -> None:
    assert score(outcomes, variant).pooled["bdu_dir_acc"] == pytest.approx(figure, nan_ok=True)


def test_direction_is_zero_where_no_pair_changed_in_both() -> None:
    same = [
        outcome("P1", "bdu_stance", 5, 5),
        outcome("P1", "bdu_stance", 5, 5, role="scenario"),
    ]
    scores = score(same)
    assert scores.pooled["bdu_dir_acc"] == pytest.approx(30)
    assert isnan(scores.pooled["bdu_direction"])


def test_given_baselines_are_counted() -> None:
    counts = score(pair(7, previous=5)[1:]).counts
    assert (counts["pairs"], counts["pairs_with_given_baseline"]) == (1, 1)
    assert score(pair(7)[1:]).counts["later_stances_without_baseline"] == 1


def test_change_confusion_by_hand() -> None:
    none = {"down": 0, "same": 0, "up": 0, "no answer": 0}
    assert change_confusion(EXAMPLE) == {
        "down": {**none, "up": 1},
        "same": {**none, "down": 1, "same": 1},
        "up": {**none, "same": 1, "up": 2},
    }
    assert change_confusion(pair(None))["up"] == {**none, "no answer": 1}


def test_no_answer_is_the_greatest_error_and_a_place_of_its_own() -> None:
    scores = score([outcome("P1", "bdu_reason", 2, None), outcome("P1", "bdu_reason", 5, None)])
    assert scores.pooled["bdu_mae"] == pytest.approx((3 + 4) / 2)
    assert scores.pooled["bdu_acc"] == 0
    assert scores.pooled["bdu_jsd"] == pytest.approx(1)
    loose = score([outcome("P1", "bsi", 1, None)], Variant(tolerance=9))
    assert loose.pooled["bsi_acc"] == 0


def test_scales_other_than_five_and_ten_are_mapped_end_to_end() -> None:
    wide = Scale.between(0, 100)
    scores = score([outcome("P1", "bdu_stance", 30, 55, scale=wide)])
    assert scores.pooled["bdu_mae"] == pytest.approx(25 * 4 / 100)
    assert scores.pooled["bdu_acc"] == 0
    assert score([outcome("P1", "bdu_stance", 30, 50, scale=wide)]).pooled["bdu_acc"] == 100


def test_the_nearest_of_two_answers_counts() -> None:
    scores = score([outcome("P1", "bdu_reason", (1, 4), 5, (0.2, 0, 0, 0.3, 0.5))])
    assert scores.pooled["bdu_mae"] == 1
    assert scores.pooled["bdu_log_score"] == pytest.approx(log(0.5))
    # F = .2 .2 .2 .5: with 4 the squares are .04 .04 .04 .25, with 1 more
    assert scores.pooled["bdu_crps"] == pytest.approx(0.37)


def test_probability_zero_is_floored_and_counted() -> None:
    scores = score([outcome("P1", "bsi", 1, -1, (1.0, 0.0))])
    assert scores.pooled["bsi_log_score"] == pytest.approx(log(1e-6))
    assert scores.counts["log_score_floored"] == 1


def test_reliability_table() -> None:
    rows = reliability_table(EXAMPLE, "bsi")
    filled = {row["low"]: (row["n"], row["predicted"], row["observed"]) for row in rows if row["n"]}
    assert filled == {0.3: (1, 0.3, 0.0), 0.6: (1, 0.6, 0.0), 0.8: (1, 0.8, 1.0)}
    assert rows[0] == {"low": 0.0, "high": 0.1, "n": 0, "predicted": None, "observed": None}
    # parks 1, 0.8 (hit), 0.7 (missed); trams 1, 0.8, 1, 1 (all hit)
    hits = {row["low"]: (row["n"], row["observed"]) for row in reliability_table(EXAMPLE, "bdu")}
    assert (hits[0.7], hits[0.8], hits[0.9]) == ((1, 0.0), (2, 1.0), (4, 1.0))
    with pytest.raises(SurveyError, match="must be 'bsi' or 'bdu', got 'both'"):
        reliability_table(EXAMPLE, "both")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ([], "there are no outcomes"),
        ([EXAMPLE[0], EXAMPLE[0]], "stands 2 times"),
        ([outcome("P1", "bsi", 1, 0)], "the prediction: must be one of"),
        ([outcome("P1", "bdu_reason", 6, 1)], "the answer: must be one of"),
        ([outcome("P1", "bdu_reason", 5, 1, (0.5, 0.5))], "needs 5 probabilities, got 2"),
        ([outcome("P1", "bsi", 1, 1, (0.5, 0.6))], "sum to 1"),
        (
            [outcome("P1", "bdu_stance", 5, 5), outcome("P1", "bdu_stance", 6, 5)],
            "two baseline stances on 'parks'",
        ),
    ],
)
def test_bad_outcomes_are_errors(outcomes: list[Outcome], message: str) -> None:
    with pytest.raises(SurveyError, match=message):
        score(outcomes)


def test_an_unknown_metric_comes_with_suggestions() -> None:
    with pytest.raises(SurveyError, match="Did you mean 'bdu_mae'"):
        get_metric("bdu_may")


def test_metrics_declare_what_a_reader_needs() -> None:
    for name, metric in METRICS.items():
        assert name == metric.name
        assert metric.low <= metric.best <= metric.high
        assert all((metric.title, metric.formula, metric.source, metric.unit, metric.needs))
        if metric.direction == "higher":
            assert metric.best == metric.high < inf
        elif metric.direction == "lower":
            assert metric.best == metric.low > -inf


def test_the_page_describes_every_metric(root: Path) -> None:
    page = (root / "docs" / "metrics.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    described = [line for line in rows if line.count("|") == 9]
    assert described == [described_in_a_row(metric) for metric in METRICS.values()]


def described_in_a_row(metric: Metric) -> str:
    ends = ["" if abs(end) == inf else f"{end:.4g}" for end in (metric.low, metric.high)]
    tasks = "all" if len(metric.tasks) == 3 else ", ".join(metric.tasks)
    cells = (
        f"`{metric.name}`", metric.title, metric.formula, metric.direction,
        f"{ends[0]} to {ends[1]}".strip(), metric.unit, tasks, metric.source,
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def test_variants_are_the_published_one_and_single_changes() -> None:
    assert VARIANTS[0].name == "published"
    assert all("," not in variant.name for variant in VARIANTS)
    assert len({variant.name for variant in variant_grid()}) == len(variant_grid())
    assert set(VARIANTS) <= set(variant_grid())


def test_scoring_changes_no_outcome() -> None:
    outcomes = random_outcomes(0)
    before = [o.model_dump_json() for o in outcomes]
    score(outcomes)
    assert [o.model_dump_json() for o in outcomes] == before


def fives(seed: int, n: int = 40) -> tuple[list[Outcome], list[int], list[int]]:
    """Reason weights with distributions, and the columns of predictions and answers."""
    rng = np.random.default_rng(seed)
    predicted, gold = rng.integers(1, 6, size=(2, n)).tolist()
    gold = [p if rng.random() < 0.4 else g for p, g in zip(predicted, gold, strict=True)]
    made = []
    for i, (p, g) in enumerate(zip(predicted, gold, strict=True)):
        shares = rng.dirichlet(np.ones(5))
        shares /= shares.sum()
        made.append(outcome(f"P{i % 5}", "bdu_reason", g, p, shares.tolist(), item=str(i)))
    return made, predicted, gold


@pytest.mark.parametrize("seed", SEEDS)
def test_agreement_against_scipy_and_an_analysis_of_variance(seed: int) -> None:
    from scipy.spatial.distance import jensenshannon
    from scipy.stats import pearsonr, spearmanr

    outcomes, predicted, gold = fives(seed)
    pooled = score(outcomes).pooled
    assert pooled["bdu_pearson"] == pytest.approx(pearsonr(predicted, gold).statistic)
    assert pooled["bdu_spearman"] == pytest.approx(spearmanr(predicted, gold).statistic)
    assert pooled["bdu_spread_ratio"] == pytest.approx(np.std(predicted) / np.std(gold))
    counts = [np.bincount(each, minlength=6) for each in (predicted, gold)]
    assert pooled["bdu_jsd"] == pytest.approx(jensenshannon(*counts, base=2))
    assert pooled["bdu_icc"] == pytest.approx(icc_by_squares(np.column_stack([predicted, gold])))


def icc_by_squares(ratings: np.ndarray[Any, Any]) -> float:
    """ICC(A,1) from the sums of squares of a two-way layout (McGraw and Wong 1996, table 4)."""
    n, k = ratings.shape
    grand = ratings.mean()
    rows = k * ((ratings.mean(axis=1) - grand) ** 2).sum() / (n - 1)
    columns = n * ((ratings.mean(axis=0) - grand) ** 2).sum() / (k - 1)
    rest = (ratings - ratings.mean(axis=1, keepdims=True) - ratings.mean(axis=0) + grand) ** 2
    error = rest.sum() / ((n - 1) * (k - 1))
    return float((rows - error) / (rows + (k - 1) * error + k / n * (columns - error)))


@pytest.mark.parametrize("seed", SEEDS)
def test_mixed_scales_agree_with_scipy_on_five_points(seed: int) -> None:
    from scipy.stats import pearsonr, spearmanr

    outcomes = [o for o in random_outcomes(seed) if o.task != "bsi" and o.value is not None]
    predicted = [o.scale.in_five(o.value) for o in outcomes if o.value is not None]
    gold = [o.scale.in_five(o.gold[0]) for o in outcomes]
    pooled = score(outcomes).pooled
    assert pooled["bdu_pearson"] == pytest.approx(pearsonr(predicted, gold).statistic)
    ranks = [np.round(each, 9) for each in (predicted, gold)]
    assert pooled["bdu_spearman"] == pytest.approx(spearmanr(*ranks).statistic)
    assert pooled["bdu_icc"] == pytest.approx(icc_by_squares(np.column_stack([predicted, gold])))


@pytest.mark.parametrize("seed", SEEDS)
def test_accuracy_error_and_kappa_against_scikit_learn(seed: int) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    outcomes, predicted, gold = fives(seed)
    pooled = score(outcomes).pooled
    assert pooled["bdu_exact"] == pytest.approx(100 * sklearn.accuracy_score(gold, predicted))
    assert pooled["bdu_mae"] == pytest.approx(sklearn.mean_absolute_error(gold, predicted))
    assert pooled["bdu_kappa"] == pytest.approx(
        sklearn.cohen_kappa_score(gold, predicted, weights="quadratic", labels=[1, 2, 3, 4, 5])
    )
    given = [o.distribution for o in outcomes]
    assert pooled["bdu_log_score"] == pytest.approx(
        -sklearn.log_loss(gold, given, labels=[1, 2, 3, 4, 5])
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_signs_against_scikit_learn(seed: int) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    calibration = pytest.importorskip("sklearn.calibration")
    rng = np.random.default_rng(seed)
    gold, predicted = (2 * rng.integers(0, 2, size=(2, 50)) - 1).tolist()
    positive = rng.uniform(0.02, 0.98, size=50)
    outcomes = [
        outcome("P1", "bsi", g, p, (1 - q, q), item=str(i))
        for i, (g, p, q) in enumerate(zip(gold, predicted, positive.tolist(), strict=True))
    ]
    pooled = score(outcomes).pooled
    assert pooled["bsi_acc"] == pytest.approx(100 * sklearn.accuracy_score(gold, predicted))
    assert pooled["bsi_kappa"] == pytest.approx(sklearn.cohen_kappa_score(gold, predicted))
    assert pooled["bsi_log_score"] == pytest.approx(-sklearn.log_loss(gold, positive))
    share, mean = calibration.calibration_curve([g > 0 for g in gold], positive, n_bins=10)
    rows = [row for row in reliability_table(outcomes, "bsi") if row["n"]]
    assert [row["observed"] for row in rows] == pytest.approx(share.tolist())
    assert [row["predicted"] for row in rows] == pytest.approx(mean.tolist())
    weights = np.array([row["n"] for row in rows]) / 50
    assert pooled["bsi_ece"] == pytest.approx(float(weights @ np.abs(share - mean)))


@pytest.mark.parametrize("seed", SEEDS)
def test_change_against_scikit_learn(seed: int) -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    outcomes, true, guessed = [], [], []
    for who in range(30):
        base, later, p_base, p_later = rng.integers(1, 5, size=4).tolist()
        outcomes.append(outcome(f"P{who}", "bdu_stance", base, p_base))
        outcomes.append(outcome(f"P{who}", "bdu_stance", later, p_later, role="scenario"))
        true.append(int(np.sign(later - base)))
        guessed.append(int(np.sign(p_later - p_base)))
    pooled = score(outcomes).pooled
    macro = sklearn.f1_score(true, guessed, average="macro")
    assert pooled["bdu_change_f1"] == pytest.approx(100 * macro)
    table = sklearn.confusion_matrix(true, guessed)
    ours = change_confusion(outcomes)
    assert [[ours[a][b] for b in ("down", "same", "up")] for a in ours] == table.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_crps_is_the_energy_form(seed: int) -> None:
    """E|X - y| - E|X - X'| / 2 (Gneiting and Raftery 2007, equation 21)."""
    outcomes, _, gold = fives(seed)
    points = np.arange(1, 6)
    expected = []
    for o, y in zip(outcomes, gold, strict=True):
        p = np.array(o.distribution)
        expected.append(
            p @ np.abs(points - y) - p @ np.abs(points[:, None] - points[None, :]) @ p / 2
        )
    assert score(outcomes).pooled["bdu_crps"] == pytest.approx(np.mean(expected))


def test_crps_of_a_certain_forecast_is_its_error() -> None:
    certain = [
        o.replace(distribution=tuple(float(p == o.value) for p in o.scale.points))
        for o in random_outcomes(4, answered=1)
    ]
    for variant in (Variant(), Variant(mae="linear")):
        scores = score(certain, variant)
        assert scores.overall["bdu_crps"] == pytest.approx(scores.overall["bdu_mae"])


def test_any_outcomes_give_figures_in_range_with_reasons_for_the_rest() -> None:
    hypothesis = pytest.importorskip("hypothesis")
    st = pytest.importorskip("hypothesis.strategies")
    row = st.tuples(
        st.sampled_from(["P1", "P2", "P3"]),
        st.sampled_from(["parks", "trams"]),
        st.sampled_from(KINDS),
        st.integers(0, 9),
        st.none() | st.integers(0, 9),
        st.none() | st.integers(0, 9),
    )

    def check(rows: list[Any], variant: Variant) -> None:
        outcomes = []
        for i, (who, topic, (task, role), gold, value, likely) in enumerate(rows):
            points = SCALES[task].points
            shares = None
            if likely is not None:
                shares = [0.5 / len(points)] * len(points)
                shares[likely % len(points)] += 0.5
            outcomes.append(
                outcome(
                    who,
                    task,
                    points[gold % len(points)],
                    None if value is None else points[value % len(points)],
                    shares,
                    topic=topic,
                    role=role,
                    item=str(i),
                    previous=5 if task == "bdu_stance" else None,
                )
            )
        scores = score(outcomes, variant)
        json.dumps(scores.to_dict(), allow_nan=False)
        for name, metric in METRICS.items():
            for scope in ("overall", "pooled"):
                figure = getattr(scores, scope)[name]
                assert isnan(figure) == (name in scores.not_scored[scope])
                assert isnan(figure) or metric.low - 1e-9 <= figure <= metric.high + 1e-9

    given = hypothesis.given(st.lists(row, min_size=1, max_size=12), st.sampled_from(VARIANTS))
    hypothesis.settings(max_examples=60, deadline=None)(given(check))()


def test_real_items_have_the_pairs_that_are_known_of_them(hugagent: Path) -> None:
    items = pytest.importorskip("beliefgraph.benchmark.items").read_items(hugagent, strict=False)
    rng = np.random.default_rng(0)
    for constant in (True, False):
        outcomes = [
            Outcome(
                item_id=each.item.item_id,
                participant=each.item.participant,
                topic=each.item.topic,
                task=each.item.question.task,
                role=each.item.question.role,
                question_id=each.item.question.question_id,
                scale=each.item.scale,
                gold=each.values,
                value=1 if constant else int(rng.choice(each.item.scale.points)),
            )
            for each in items.answered
        ]
        scores = score(outcomes)
        assert (scores.counts["pairs"], scores.counts["items"]) == (79, len(items))
        assert scores.headline() == pytest.approx(published(outcomes))
        assert {flag["people"] for flag in scores.flags if flag["what"] == "pairs"} <= {1, 2}
