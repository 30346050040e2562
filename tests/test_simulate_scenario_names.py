"""What a concept's name is about, beyond its words: hand-written cases on invented topics."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import beliefgraph as bg
from beliefgraph.simulate.scenario import read_scenario
from beliefgraph.simulate.scenario.words import split_scenario
from beliefgraph.text import load_encoder
from beliefgraph.text.static_vectors import has_static_vectors

LABELS = Path(__file__).parent / "data" / "scenarios_labelled.json"


def read(label: str, text: str, stance: str = "Support for the tram line") -> float | None:
    g = bg.BeliefGraph.from_edges([(label, stance, -0.5)], stance=stance)
    return {match.concept: match.value for match in read_scenario(g, text)}.get(label)


@pytest.mark.parametrize(
    ("label", "text", "value"),
    [
        ("Fines for speeding", "The fine goes up.", 0.5),
        ("Fines for speeding", "The fine for littering goes up.", None),
        ("Number of tourists in summer", "Fewer tourists would come.", -0.5),
        ("Number of tourists in summer", "Tourist guides would earn more.", None),
        ("Trust in the council", "People's trust rises.", 0.5),
        ("Trust in the council", "Trust in the police falls.", None),
        ("Time with my children", "The time doubles.", None),
        ("Envy between teams", "The teams grow.", None),
    ],
)
def test_the_main_name_stands_for_the_whole(label: str, text: str, value: float | None) -> None:
    assert read(label, text) == value


@pytest.mark.parametrize(
    ("label", "text", "value"),
    [
        ("How often the tram runs", "A tram every six minutes instead of every twelve.", 1.0),
        ("How often the tram runs", "The tram gets more blue seats.", None),
        ("Frequency of night trams", "Night trams run twice an hour.", 1.0),
        ("How long the works last", "The works are over after only three weeks.", -0.5),
        ("How long the works last", "The works are shown on television.", None),
    ],
)
def test_a_measure_is_stated_in_numbers(label: str, text: str, value: float | None) -> None:
    assert read(label, text) == value


@pytest.mark.parametrize(
    ("label", "text", "value"),
    [
        ("Paying for parking", "Parking spaces are lost.", None),
        ("Paying for parking", "Drivers would pay more for parking.", 0.5),
        ("Losing trees", "Trees are lost.", 0.5),  # the act is the direction
        ("Selling my data", "More data are sold.", 0.5),
        ("Selling my data", "More data are wanted.", None),
        ("Parking costs", "Costs rise.", 0.5),  # no act: a noun before a noun
        ("Heating bills", "Bills rise by 5%.", 0.25),
        ("Sick pay", "The company would pay the fines.", None),
        ("Being talked down to", "Prices went down.", None),  # only "down" is shared
        ("Punctuality", "Late trams become rare.", 0.5),  # the topic says of what
        ("Punctuality", "Late fees for library books rise.", None),
        ("Faster trams", "Late trams become rare.", None),
        ("Bus fares", "The fare falls by a fifth.", -0.6),
        ("Shut-down periods", "Periods become longer.", 0.5),
    ],
)
def test_acts_qualities_and_forms(label: str, text: str, value: float | None) -> None:
    assert read(label, text) == value


def test_twice_as_many_is_one_clause() -> None:
    (clause,) = split_scenario("Twice as many trams as before run at night")[:1]
    assert clause.text == "Twice as many trams"
    assert len(split_scenario("Trams run later, as the drivers asked")) == 2


class _Towards:
    """Every text at one cosine of every other."""

    name = "by hand"

    def __init__(self, cosine: float) -> None:
        self.cosine = cosine

    def encode(self, labels: Sequence[str]) -> NDArray[np.float64]:
        rest = np.sqrt(1 - self.cosine) * np.eye(len(labels))
        return np.hstack([np.full((len(labels), 1), np.sqrt(self.cosine)), rest])


@pytest.mark.parametrize(
    ("text", "cosine", "means"),
    [
        ("The din grows.", 0.32, True),
        ("The din grows.", 0.28, False),
        ("Meter boxes grow bigger.", 0.48, False),  # lifted by the word they share
        ("Meter boxes grow bigger.", 0.52, True),
    ],
)
def test_a_shared_word_that_ties_nothing_asks_for_more(
    text: str, cosine: float, means: bool
) -> None:
    g = bg.BeliefGraph.from_edges([("Jobs for meter readers", "s", 0.5)], stance="s")
    assert bool(read_scenario(g, text, encoder=_Towards(cosine))) is means


def test_the_encoder_says_where_noise_ends() -> None:
    g = bg.BeliefGraph.from_edges([("Jobs for meter readers", "s", 0.5)], stance="s")
    encoder = _Towards(0.25)
    assert not read_scenario(g, "The din grows.", encoder=encoder)
    encoder.noise = 0.2  # type: ignore[attr-defined]
    assert read_scenario(g, "The din grows.", encoder=encoder)


def test_static_vectors_find_more_of_the_development_labels() -> None:
    if not has_static_vectors():
        pytest.skip("the extra static is not installed")
    encoder = load_encoder("wordllama")
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    right = said = 0
    for topic in (t for t in labels["topics"] if t["split"] == "development"):
        for person in topic["graphs"]:
            g = bg.BeliefGraph.from_edges(
                [(c["wording"], topic["stance"], c["weight"]) for c in person["concepts"]],
                stance=topic["stance"],
            )
            concept = {c["wording"]: c["concept"] for c in person["concepts"]}
            for scenario in (s for s in labels["scenarios"] if s["topic"] == topic["id"]):
                meant = {each["concept"] for each in scenario["means"] if each["dose"]}
                for match in read_scenario(g, scenario["text"], encoder=encoder):
                    said += 1
                    right += concept[match.concept] in meant
    assert right >= 11
    assert right / said >= 0.45
