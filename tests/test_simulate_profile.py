"""What carries over from one topic to another: by hand, and against what was planted."""

from __future__ import annotations

import numpy as np
import pytest

import beliefgraph as bg
from beliefgraph.benchmark.synth import generate_people
from beliefgraph.simulate.predict.profile import VALUES, Profile, read_profile, values_in
from beliefgraph.simulate.standpoint import silent_graph


def graph(*edges: tuple[str, float], level: float = 0.0, sd: float = 0.0) -> bg.BeliefGraph:
    made = bg.BeliefGraph.from_edges([(name, "support", w) for name, w in edges], stance="support")
    concepts = tuple(
        c.replace(baseline=level, baseline_sd=sd) if c.name == "support" else c
        for c in made.concepts
    )
    return made.replace(concepts=concepts)


def test_a_profile_by_hand() -> None:
    crime = graph(("Crime", -0.5), level=0.6, sd=0.5)
    council = graph(("The council", 0.2), level=0.2)
    found = read_profile([crime, council])
    assert found.level == pytest.approx((0.6 * 0.5 + 0.2) / 2)
    assert found.trust == pytest.approx(np.tanh(0.6) / 2)
    assert found.acquiescence == 0.0
    mean = np.tanh(1.5) / len(VALUES)
    assert found.values["order"] == pytest.approx((np.tanh(1.5) - mean) / (mean + 1))
    assert found.values["health"] == pytest.approx(-mean / (mean + 1))
    assert found.topics == 2


def test_what_is_bad_of_government_is_distrust_whichever_way_it_acts() -> None:
    for weight in (-0.5, 0.5):
        assert read_profile([graph(("Corruption in the council", weight))]).trust < 0


def test_nothing_said_is_nothing_known() -> None:
    assert read_profile([]) == read_profile([silent_graph("support")]) == Profile()
    assert Profile().concern("Crime would fall.") == 0


def test_texts_name_values_by_whole_words() -> None:
    assert values_in("Crime and privacy") == ["order", "freedom"]
    assert values_in("Costly freezers") == []


def test_stated_levels_carry_over_between_the_topics_of_synthetic_people() -> None:
    study = generate_people(60, 2, seed=5)
    first, second = sorted({topic for _, topic in study.truth.graphs})
    pairs = []
    for name in study.items.people:
        here = study.truth.graphs[name, second]
        level = read_profile([study.truth.graphs[name, first]]).level
        pairs.append((level, here.concept(here.stance).baseline))
    assert np.corrcoef(np.array(pairs).T)[0, 1] > 0.15
