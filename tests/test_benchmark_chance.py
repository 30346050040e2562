"""What a random answer scores, exactly: all possible runs, sampled ones, the published row."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from beliefgraph.baselines.constant import MajorityPredictor, RandomPredictor
from beliefgraph.benchmark.chance import expected_random
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.items import read_items
from beliefgraph.benchmark.metrics import HEADLINE, RANDOM, Variant, score
from beliefgraph.benchmark.run import Outcome
from beliefgraph.survey import SIGN_SCALE, Scale
from tests.items_invented import invented_items


def outcomes_of(golds: Sequence[int], scale: Scale, previous: int | None) -> list[Outcome]:
    """Stances of one person on one topic: the first is the baseline unless that is given."""
    return [
        Outcome(
            item_id=str(n),
            participant="P1",
            topic="trams",
            task="bdu_stance",
            role="baseline" if n == 0 and previous is None else "scenario",
            question_id=f"q{n}",
            scale=scale,
            gold=(gold,),
            previous=previous,
            value=scale.low,
        )
        for n, gold in enumerate(golds)
    ]


@pytest.mark.parametrize("previous", [None, 2])
@pytest.mark.parametrize("golds", [(2, 3, 1), (1, 1, 3), (3, 3, 3), (2, 1)])
@pytest.mark.parametrize(
    "variant", [Variant(), Variant(previous="true"), Variant(mae="linear", tolerance=1)]
)
def test_expected_figures_are_the_mean_over_every_possible_run(
    golds: tuple[int, ...], previous: int | None, variant: Variant
) -> None:
    scale = Scale.between(1, 3)
    asked = outcomes_of(golds, scale, previous)
    runs = [
        score([o.replace(value=v) for o, v in zip(asked, drawn, strict=True)], variant).pooled
        for drawn in itertools.product(scale.points, repeat=len(asked))
    ]
    found = expected_random(asked, variant).pooled
    for name in ("bdu_acc", "bdu_mae", "bdu_dir_acc"):
        assert found[name] == pytest.approx(np.mean([run[name] for run in runs])), name
    assert math.isnan(found["bsi_acc"])
    assert math.isnan(found["ati"])


def test_many_sampled_runs_come_to_the_expected_figures() -> None:
    items = invented_items()
    runs = [score(evaluate(RandomPredictor(seed), items).outcomes) for seed in range(100)]
    expected = expected_random(evaluate(MajorityPredictor(), items).outcomes)
    for name in HEADLINE:
        for sampled, exact in (
            ([run.overall[name] for run in runs], expected.overall[name]),
            ([run.pooled[name] for run in runs], expected.pooled[name]),
        ):
            error = np.std(sampled) / np.sqrt(len(sampled))
            assert abs(np.mean(sampled) - exact) < 3.5 * error, name


def test_two_right_signs_double_the_chance_and_predictions_are_not_looked_at() -> None:
    asked = Outcome(
        item_id="1",
        participant="P1",
        topic="trams",
        task="bsi",
        role="baseline",
        question_id="q",
        scale=SIGN_SCALE,
        gold=(1, -1),
        value=1,
    )
    for value in (1, -1, None):
        why = None if value else "no idea"
        other = asked.replace(item_id="2", gold=(1,), value=value, could_not=why)
        assert expected_random([asked, other]).overall["bsi_acc"] == 75.0


def test_chance_on_real_items_is_near_the_published_random_row(hugagent: Path) -> None:
    items = read_items(hugagent, strict=False)
    found = expected_random(evaluate(MajorityPredictor(), items).outcomes).pooled
    assert found["bsi_acc"] == pytest.approx(RANDOM.bsi_acc, abs=2)
    assert found["bdu_acc"] == pytest.approx(RANDOM.bdu_acc, abs=4)
    assert found["bdu_mae"] == pytest.approx(RANDOM.bdu_mae, abs=0.2)
    assert found["bdu_dir_acc"] == pytest.approx(RANDOM.bdu_dir_acc, abs=4)
