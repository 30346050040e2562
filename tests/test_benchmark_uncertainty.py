"""Intervals, paired differences, robustness and the retest ceiling, against brute force."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from math import comb, isnan, nan

import numpy as np
import pytest

from beliefgraph.benchmark.metrics import HEADLINE, METRICS, Variant, score
from beliefgraph.benchmark.run import Outcome
from beliefgraph.benchmark.uncertainty import (
    bootstrap,
    compare_runs,
    draw_people,
    holm,
    kendall_tau_b,
    leave_one_domain_out,
    leave_one_participant_out,
    participant_spread,
    ranking_stability,
    retest_ceiling,
    retest_outcomes,
)
from beliefgraph.errors import SurveyError
from beliefgraph.survey import Person, Question, Response, Scale, Task
from tests.test_benchmark_metrics import (
    EXAMPLE,
    SCALES,
    TEN,
    icc_by_squares,
    outcome,
    random_outcomes,
)


def copies(outcomes: Sequence[Outcome], people: dict[str, int]) -> list[Outcome]:
    """The outcomes of people, each person as often as said, under another name each time."""
    return [
        o.replace(participant=f"{o.participant}, copy {i}", item_id=f"{o.item_id}, copy {i}")
        for o in outcomes
        for i in range(people.get(o.participant, 0))
    ]


def answering(outcomes: Sequence[Outcome], value: int) -> list[Outcome]:
    """The same items, all answered alike."""
    return [o.replace(value=value, distribution=None, could_not=None) for o in outcomes]


@pytest.mark.parametrize("variant", [Variant(), Variant(unparsed="exclude", previous="true")])
def test_replicates_are_scores_of_the_people_drawn(variant: Variant) -> None:
    """Each is what scoring copies of their outcomes gives, for every metric and scope."""
    outcomes = random_outcomes(11)
    result = bootstrap(outcomes, variant=variant, seed=3, n_resamples=12)
    names = sorted({o.participant for o in outcomes})
    for b, counts in enumerate(draw_people(len(names), 12, seed=3).astype(int)):
        people = dict(zip(names, counts.tolist(), strict=True))
        again = score(copies(outcomes, people), variant)
        for name in METRICS:
            for drawn, plain in (
                (result.replicates.overall[name][b], again.overall[name]),
                (result.replicates.pooled[name][b], again.pooled[name]),
            ):
                assert drawn == pytest.approx(plain, nan_ok=True), name
            for i, topic in enumerate(result.topics):
                expected = again.per_domain.get(topic, dict.fromkeys(METRICS, nan))[name]
                assert result.replicates.domains[name][b, i] == pytest.approx(
                    expected, nan_ok=True
                ), name


def test_the_interval_of_a_mean_is_that_of_a_binomial() -> None:
    """Of 20 people with one item each, the share right in a draw is binomial."""
    outcomes = [outcome(f"P{i}", "bsi", 1, 1 if i < 14 else -1) for i in range(20)]
    interval = bootstrap(outcomes, seed=1, n_resamples=20_000).interval("bsi_acc", "pooled")
    chances = np.cumsum([comb(20, k) * 0.7**k * 0.3 ** (20 - k) for k in range(21)])
    low, high = (5.0 * np.searchsorted(chances, q) for q in (0.025, 0.975))
    assert (interval.value, interval.low, interval.high) == (70, low, high)
    assert (interval.not_scored, interval.incomplete) == (0, 0)
    assert str(interval) == f"70.00 [{low:.2f}, {high:.2f}]"


def test_the_same_seed_gives_the_same_figures_whatever_the_order() -> None:
    outcomes = random_outcomes(12)
    one = bootstrap(outcomes, seed=5, n_resamples=50)
    assert one.to_dict() == bootstrap(outcomes, seed=5, n_resamples=50).to_dict()
    turned = bootstrap(outcomes[::-1], seed=5, n_resamples=50).interval("ati")
    assert turned.low == pytest.approx(one.interval("ati").low)
    assert (
        one.interval("ati").low != bootstrap(outcomes, seed=6, n_resamples=50).interval("ati").low
    )


def test_replicates_that_lack_a_domain_are_counted() -> None:
    """Trams hang on two of seven people: both are missing in about (5/7)^7 of the draws."""
    outcomes = random_outcomes(13)
    result = bootstrap(outcomes, seed=2, n_resamples=2000)
    domain = result.interval("bdu_acc", domain="trams")
    overall = result.interval("bdu_acc")
    assert domain.not_scored == overall.incomplete
    assert domain.not_scored / 2000 == pytest.approx((5 / 7) ** 7, abs=0.02)
    assert overall.not_scored == 0
    # the index lacks what any of its parts lacks
    assert result.interval("ati").incomplete >= overall.incomplete
    assert result.interval("bdu_acc", "pooled").incomplete == 0


def test_what_is_not_scored_has_no_interval() -> None:
    result = bootstrap([outcome("P1", "bsi", 1, 1), outcome("P2", "bsi", 1, -1)], n_resamples=20)
    interval = result.interval("bdu_acc")
    assert str(interval) == "not scored"
    assert interval.to_dict() == {
        "value": None, "interval": None, "replicates_not_scored": 20, "replicates_incomplete": 0,
    }  # fmt: skip
    everything = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(everything["per_domain"]["parks"]) == set(METRICS)


def test_refit_predicts_the_people_drawn() -> None:
    """A hook that gives back the known outcomes changes nothing; one that learns does."""
    outcomes = random_outcomes(14)
    asked: list[tuple[str, ...]] = []

    def same(drawn: tuple[str, ...]) -> list[Outcome]:
        asked.append(drawn)
        return [o for o in outcomes if o.participant in drawn]

    plain = bootstrap(outcomes, seed=4, n_resamples=30)
    refitted = bootstrap(outcomes, seed=4, n_resamples=30, refit=same)
    assert refitted.refitted
    assert len(asked) == 30
    assert {len(drawn) for drawn in asked} == {7}
    assert max(Counter(asked[0]).values()) > 1
    for name in METRICS:
        for one, other in (
            (plain.replicates.overall, refitted.replicates.overall),
            (plain.replicates.pooled, refitted.replicates.pooled),
            (plain.replicates.domains, refitted.replicates.domains),
        ):
            np.testing.assert_allclose(one[name], other[name])

    def majority(drawn: tuple[str, ...]) -> list[Outcome]:
        own = [o for o in outcomes if o.participant in drawn and o.task == "bsi"]
        votes = sum(drawn.count(o.participant) * o.gold[0] for o in own)
        return answering(own, 1 if votes >= 0 else -1)

    first = draw_people(7, 30, seed=4)[0]
    names = sorted({o.participant for o in outcomes})
    drawn = tuple(n for n, k in zip(names, first.astype(int), strict=True) for _ in range(k))
    expected = score(copies(majority(drawn), dict(Counter(drawn)))).overall["bsi_acc"]
    learned = bootstrap(outcomes, seed=4, n_resamples=1, refit=majority)
    assert learned.replicates.overall["bsi_acc"][0] == pytest.approx(expected)


def test_refit_must_stay_with_the_people_drawn() -> None:
    with pytest.raises(SurveyError, match="who was not drawn"):
        bootstrap(EXAMPLE, n_resamples=50, refit=lambda drawn: EXAMPLE)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"n_resamples": 0}, "at least 1, got 0"), ({"level": 95}, "between 0 and 1, got 95")],
)
def test_options_out_of_range_are_errors(options: dict[str, int], message: str) -> None:
    with pytest.raises(SurveyError, match=message):
        bootstrap(EXAMPLE, **options)  # type: ignore[arg-type]


def test_unknown_names_are_errors() -> None:
    result = bootstrap(EXAMPLE, n_resamples=5)
    with pytest.raises(SurveyError, match="no domain is called 'park'"):
        result.interval("ati", domain="park")
    with pytest.raises(SurveyError, match="no metric is called 'atis'"):
        result.interval("atis")


def test_differences_are_paired() -> None:
    """Every draw has the same people in both runs, so a constant gap has no width."""
    outcomes = [outcome(f"P{i}", "bdu_reason", 3, 1 + i % 3, item=str(i)) for i in range(9)]
    worse = [o.replace(value=o.value + 2 if o.value == 3 else 1) for o in outcomes if o.value]
    far, near = answering(outcomes, 1), answering(outcomes, 2)
    (gap,) = compare_runs({"far": far, "near": near}, metrics=["bdu_mae"], n_resamples=200)
    assert (gap.value, gap.low, gap.high) == (1, 1, 1)
    assert gap.p_value == pytest.approx(2 / 201)
    # unpaired, the interval of this one would be wider than each run's own
    (gap,) = compare_runs({"a": outcomes, "b": worse}, metrics=["bdu_mae"], n_resamples=2000)
    own = bootstrap(outcomes, n_resamples=2000).interval("bdu_mae")
    alone = bootstrap(worse, n_resamples=2000).interval("bdu_mae")
    assert gap.value == pytest.approx(own.value - alone.value)
    drawn = (
        bootstrap(outcomes, n_resamples=2000).replicates.overall["bdu_mae"]
        - bootstrap(worse, n_resamples=2000).replicates.overall["bdu_mae"]
    )
    assert (gap.low, gap.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))


def test_equal_runs_do_not_differ() -> None:
    outcomes = random_outcomes(15)
    for gap in compare_runs({"a": outcomes, "b": outcomes[::-1]}, n_resamples=100):
        assert (gap.value, gap.low, gap.high) == (0, 0, 0)
        assert gap.p_value == gap.p_holm == 1
        json.dumps(gap.to_dict(), allow_nan=False)


def test_p_values_by_brute_force() -> None:
    outcomes = random_outcomes(16)
    runs = {"a": outcomes, "b": random_like(outcomes, 1), "c": random_like(outcomes, 2)}
    gaps = compare_runs(runs, metrics=HEADLINE, against="c", seed=9, n_resamples=300)
    assert [(g.a, g.b, g.metric) for g in gaps] == [
        (name, "c", metric) for name in "ab" for metric in HEADLINE
    ]
    draws = {k: bootstrap(v, seed=9, n_resamples=300).replicates.overall for k, v in runs.items()}
    for gap in gaps:
        drawn = draws[gap.a][gap.metric] - draws[gap.b][gap.metric]
        drawn = drawn[~np.isnan(drawn)]
        sides = min((drawn <= 1e-9).sum(), (drawn >= -1e-9).sum())
        assert gap.p_value == pytest.approx(min(1, 2 * (sides + 1) / (len(drawn) + 1)))
        assert gap.not_scored == 300 - len(drawn)
    assert [g.p_holm for g in gaps] == holm(np.array([g.p_value for g in gaps])).tolist()


def random_like(outcomes: Sequence[Outcome], seed: int) -> list[Outcome]:
    rng = np.random.default_rng(seed)
    return [
        o.replace(value=int(rng.choice(o.scale.points)), could_not=None, distribution=None)
        for o in outcomes
    ]


def test_p_values_are_uniform_where_nothing_differs() -> None:
    """Forty pairs of runs that err at random: about a tenth fall below 0.1."""
    outcomes = [outcome(f"P{i}", "bdu_reason", 1 + i % 5, 3, item=str(i)) for i in range(60)]
    low = 0
    for seed in range(40):
        runs = {"a": random_like(outcomes, 2 * seed), "b": random_like(outcomes, 2 * seed + 1)}
        (gap,) = compare_runs(runs, metrics=["bdu_mae"], seed=seed, n_resamples=200)
        low += gap.p_value < 0.1
    assert low <= 11  # more has a probability below 0.1 per cent


def test_holm_by_hand() -> None:
    corrected = holm(np.array([0.04, nan, 0.01, 0.03, 0.5]))
    assert corrected == pytest.approx([0.09, nan, 0.04, 0.09, 0.5], nan_ok=True)


def test_only_runs_on_the_same_items_are_compared() -> None:
    outcomes = list(EXAMPLE)
    with pytest.raises(SurveyError, match="at least two runs"):
        compare_runs({"a": outcomes})
    with pytest.raises(SurveyError, match="'b' lacks"):
        compare_runs({"a": outcomes, "b": outcomes[1:]})
    other = [outcomes[0].replace(gold=(-1,)), *outcomes[1:]]
    with pytest.raises(SurveyError, match="has person, topic and answer"):
        compare_runs({"a": outcomes, "b": other})
    with pytest.raises(SurveyError, match="no run is called 'd'"):
        compare_runs({"a": outcomes, "b": outcomes}, against="d")


def test_leaving_one_out_is_scoring_the_others() -> None:
    outcomes = random_outcomes(17)
    whole = score(outcomes)
    for by, left_out in (
        ("participant", leave_one_participant_out(outcomes)),
        ("topic", leave_one_domain_out(outcomes)),
    ):
        assert [each.left_out for each in left_out] == sorted({getattr(o, by) for o in outcomes})
        for each in left_out:
            rest = score([o for o in outcomes if getattr(o, by) != each.left_out])
            assert each.overall == pytest.approx(rest.overall, nan_ok=True)
            assert each.pooled == pytest.approx(rest.pooled, nan_ok=True)
            assert each.change_overall["ati"] == pytest.approx(
                rest.overall["ati"] - whole.overall["ati"]
            )
            assert each.change_pooled["bdu_mae"] == pytest.approx(
                rest.pooled["bdu_mae"] - whole.pooled["bdu_mae"]
            )


def test_without_the_only_domain_nothing_is_scored() -> None:
    (each,) = leave_one_domain_out([outcome("P1", "bsi", 1, 1)])
    assert isnan(each.overall["bsi_acc"])


def test_spread_over_participants() -> None:
    outcomes = [
        outcome("P1", "bdu_reason", 3, 3),
        outcome("P1", "bdu_reason", 3, 5),
        outcome("P2", "bdu_reason", 1, 5),
        outcome("P3", "bdu_reason", 2, 2),
        outcome("P4", "bsi", 1, 1),
    ]
    spread = participant_spread(outcomes, "bdu_mae")
    assert spread.values == {"P1": 1, "P2": 4, "P3": 0}
    assert spread.not_scored == 1
    assert spread.mean == pytest.approx(5 / 3)
    assert spread.sd == pytest.approx(np.std([1, 4, 0], ddof=1))
    assert spread.quantiles == (0, 0.5, 1, 2.5, 4)
    assert spread.to_dict()["median"] == 1
    nobody = participant_spread(outcomes, "bdu_dir_acc")
    assert (nobody.not_scored, nobody.values) == (4, {})
    assert nobody.to_dict()["mean"] is None


def test_kendall_tau_b_against_scipy() -> None:
    from scipy.stats import kendalltau

    rng = np.random.default_rng(0)
    values, reference = rng.integers(0, 5, size=(50, 6)).astype(float), np.arange(6.0) // 2
    expected = [kendalltau(row, reference, variant="b").statistic for row in values]
    assert kendall_tau_b(values, reference) == pytest.approx(expected, nan_ok=True)
    assert np.isnan(
        kendall_tau_b(np.array([[1.0, nan, 2.0], [1.0, 1.0, 1.0]]), np.arange(3.0))
    ).all()


def farthest(o: Outcome) -> int:
    return max(o.scale.points, key=lambda point: abs(point - o.gold[0]))


def test_a_clear_ranking_holds() -> None:
    outcomes = random_outcomes(18, perfect=True, answered=1)
    runs = {
        "random": random_like(outcomes, 1),
        "perfect": outcomes,
        "opposite": [o.replace(value=farthest(o)) for o in outcomes],
    }
    stability = ranking_stability(runs, metric="bdu_mae", n_resamples=100)
    assert stability.order == ("perfect", "random", "opposite")
    assert stability.figures["perfect"] == 0
    assert set(stability.tau_by_variant.values()) == {1.0}
    assert (stability.tau, stability.tau_interval, stability.not_scored) == (1, (1, 1), 0)
    assert stability.first == {"random": 0, "perfect": 1, "opposite": 0}
    assert json.dumps(stability.to_dict(), allow_nan=False)


def test_a_ranking_that_turns_with_a_choice_shows_it() -> None:
    """One run is exact for half the items; the other always one off, within tolerance."""
    outcomes = [outcome(f"P{i}", "bdu_reason", 3, 3, item=str(i)) for i in range(6)]
    runs = {
        "exact or lost": [o.replace(value=3 if i % 2 else 5) for i, o in enumerate(outcomes)],
        "always near": answering(outcomes, 4),
    }
    stability = ranking_stability(
        runs, metric="bdu_acc", variants=[Variant(), Variant(tolerance=0)], n_resamples=50
    )
    assert stability.order[0] == "always near"
    assert stability.tau_by_variant == {"published": 1, "tolerance=0": -1}


def test_runs_that_tie_share_the_first_place() -> None:
    outcomes = random_outcomes(19)
    stability = ranking_stability({"a": outcomes, "b": outcomes[::-1]}, n_resamples=20)
    assert stability.first == {"a": 0.5, "b": 0.5}
    assert isnan(stability.tau)
    assert stability.not_scored == 20
    with pytest.raises(SurveyError, match="no better and worse"):
        ranking_stability({"a": outcomes, "b": outcomes}, metric="bdu_spread_ratio")
    with pytest.raises(SurveyError, match="no variant"):
        ranking_stability({"a": outcomes, "b": outcomes}, variants=[])


def wave(answers: dict[str, list[int]], task: Task = "bdu_reason") -> list[Person]:
    """People with answers to the questions q0, q1, ... on one topic."""
    return [
        Person(
            participant=who,
            responses=tuple(
                Response(question=question(f"q{i}", task, SCALES[task]), values=(value,))
                for i, value in enumerate(values)
            ),
        )
        for who, values in answers.items()
    ]


def question(name: str, task: Task, scale: Scale) -> Question:
    return Question(
        question_id=name,
        topic="parks",
        task=task,
        role="baseline" if name == "q0" or task == "bsi" else "scenario",
        text="How much?",
        scale=scale,
        reason_code="A" if task == "bdu_reason" else None,
    )


def test_the_retest_ceiling_is_the_agreement_of_two_waves() -> None:
    rng = np.random.default_rng(7)
    first = {f"P{i}": rng.integers(1, 6, size=6).tolist() for i in range(10)}
    second = {
        who: np.clip(np.array(values) + rng.integers(-1, 2, size=6), 1, 5).tolist()
        for who, values in first.items()
    }
    ceiling = retest_ceiling(wave(first), wave(second), seed=1, n_resamples=200)
    pairs = np.array(
        [(a, b) for who in first for a, b in zip(first[who], second[who], strict=True)]
    )
    assert ceiling.interval("bdu_icc").value == pytest.approx(icc_by_squares(pairs))
    gaps = np.abs(pairs[:, 0] - pairs[:, 1])
    assert ceiling.interval("bdu_mae").value == pytest.approx(gaps.mean())
    assert ceiling.interval("bdu_acc").value == 100
    assert ceiling.interval("bdu_icc").low < ceiling.interval("bdu_icc").value
    moments = pairs.var(axis=0).sum() + (pairs[:, 0].mean() - pairs[:, 1].mean()) ** 2
    kappa = 1 - (gaps**2).mean() / moments
    assert ceiling.interval("bdu_kappa").value == pytest.approx(kappa)


def test_the_direction_of_a_retest() -> None:
    """Stance 5 then 8; asked again 6 then 7: both rise. And 5 then 4, asked again 5 then 6."""
    first = wave({"P1": [5, 8], "P2": [5, 4]}, "bdu_stance")
    second = wave({"P1": [6, 7], "P2": [5, 6]}, "bdu_stance")
    assert retest_ceiling(first, second, n_resamples=5).interval("bdu_dir_acc").value == (
        pytest.approx(30 + 35)
    )


def test_answers_of_one_wave_only_are_counted() -> None:
    matched = retest_outcomes(wave({"P1": [1, 2, 3], "P2": [1]}), wave({"P1": [1, 2], "P3": [4]}))
    assert [o.item_id for o in matched.outcomes] == ["P1/parks/q0", "P1/parks/q1"]
    assert (matched.only_first, matched.only_second) == (2, 1)


def test_either_of_two_signs_may_be_repeated() -> None:
    either = Response(question=question("q", "bsi", SCALES["bsi"]), values=(1, -1))
    one = either.replace(values=(-1,))
    for first, second in ((either, one), (one, either)):
        people = [Person(participant="P1", responses=(wave_of,)) for wave_of in (first, second)]
        (matched,) = retest_outcomes(people[:1], people[1:]).outcomes
        assert matched.value in matched.gold


def test_waves_that_do_not_fit_are_errors() -> None:
    first = wave({"P1": [1]})
    with pytest.raises(SurveyError, match="no question was answered"):
        retest_outcomes(first, wave({"P2": [1]}))
    with pytest.raises(SurveyError, match="stands twice in the second wave"):
        retest_outcomes(first, first * 2)
    twice = [first[0].replace(responses=first[0].responses * 2)]
    with pytest.raises(SurveyError, match="twice in the first wave"):
        retest_outcomes(twice, first)
    other = Response(question=question("q0", "bdu_reason", TEN), values=(1,))
    with pytest.raises(SurveyError, match="a retest asks the same"):
        retest_outcomes(first, [first[0].replace(responses=(other,))])
