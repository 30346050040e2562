"""Scenarios in words: which concepts, which way, how much."""

from __future__ import annotations

import pytest

import beliefgraph as bg
from beliefgraph.errors import InterventionError
from beliefgraph.simulate import SimulationConfig, nearest_concepts, read_scenario

STANCE = "Support for building"


@pytest.fixture(scope="module")
def graph() -> bg.BeliefGraph:
    return bg.BeliefGraph.from_edges(
        [
            ("Rents", STANCE, 0.4),
            ("Housing affordability", STANCE, 0.5),
            ("Bus speed", STANCE, 0.8),
            ("Bus frequency", STANCE, 0.3),
            ("Traffic congestion", STANCE, -0.4),
            ("Crime", STANCE, -0.5),
            ("Rent control", STANCE, 0.2),
            ("Parking loss", "Shop trade", -0.5),
            ("Shop trade", STANCE, 0.5),
            ("Air quality", "Health", 0.2),
        ],
        stance=STANCE,
    )


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("rents drop by 15%", {"Rents": -0.5}),
        ("rents drop 10-15%", {"Rents": -0.44}),
        ("Rents rise.", {"Rents": 0.5}),
        ("rents rose slightly", {"Rents": 0.25}),
        ("rents have fallen sharply", {"Rents": -0.8}),
        ("rents are halved", {"Rents": -1.0}),
        ("If rents doubled", {"Rents": 1.0}),
        ("rents fell by 1.5%", {"Rents": -0.07}),
        ("a 60 percent drop in rents", {"Rents": -1.0}),
        ("lower rents", {"Rents": -0.5}),
        ("housing gets much cheaper", {"Housing affordability": 0.8}),
        ("higher housing costs", {"Housing affordability": -0.5}),
        ("the buses get faster", {"Bus speed": 0.5}),
        ("buses get slower", {"Bus speed": -0.5}),
        ("the speed of the buses falls a little", {"Bus speed": -0.25}),
        ("crime gets worse", {"Crime": 0.5}),
        ("traffic congestion improves", {"Traffic congestion": -0.5}),
        ("air quality gets worse", {"Air quality": -0.5}),
        ("no crime", {"Crime": -0.5}),
        ("parking is lost", {"Parking loss": 0.5}),
        ("rents and crime fall", {"Rents": -0.5, "Crime": -0.5}),
        ("rents rise, and bus speed falls sharply", {"Rents": 0.5, "Bus speed": -0.8}),
        ("lower rents mean less crime", {"Rents": -0.5, "Crime": -0.5}),
        ("higher rents mean less crime", {"Rents": 0.5, "Crime": -0.5}),
        ("the shop trade near the bus speed cameras falls", {"Bus speed": -0.5}),
        ("rents drop, by 30%", {"Rents": -0.8}),
    ],
)
def test_what_a_scenario_is_taken_to_mean(
    graph: bg.BeliefGraph, text: str, meant: dict[str, float]
) -> None:
    got = {match.concept: match.value for match in read_scenario(graph, text)}
    assert got == pytest.approx(meant, abs=0.011)


@pytest.mark.parametrize(
    "text",
    [
        "pigs fly",
        "",
        "rents do not rise",
        "rents stay the same",
        "more buses",  # their speed or their frequency
        "cheaper phones",
        "support for building rises",  # the stance is predicted, not set
    ],
)
def test_what_fits_nothing(graph: bg.BeliefGraph, text: str) -> None:
    assert read_scenario(graph, text) == []
    near = nearest_concepts(graph, text)
    assert len(near) == 5
    assert STANCE not in near


def test_concepts_that_reach_the_stance_come_first(graph: bg.BeliefGraph) -> None:
    found = read_scenario(graph, "air quality rises and rents rise")
    assert [(match.concept, match.reaches_stance) for match in found] == [
        ("Rents", True),
        ("Air quality", False),
    ]


def test_a_match_says_its_words(graph: bg.BeliefGraph) -> None:
    (match,) = read_scenario(graph, "Suppose rents drop by 15%; pigs fly.")
    assert match.words == "rents drop by 15%"
    assert match.similarity == 1
    assert "less (-0.50)" in str(match)


def test_words_that_name_one_concept_name_no_other() -> None:
    g = bg.BeliefGraph.from_edges([("Air quality", "s", 0.5), ("Air", "s", 0.1)], stance="s")
    found = read_scenario(g, "Air quality improves. Yes, air quality improves.")
    assert [match.concept for match in found] == ["Air quality"]


def test_aliases_are_wordings_of_the_concept() -> None:
    lane = bg.Concept(
        name="Bus speed",
        aliases=(bg.Alias(label="hold-ups", polarity=-1), bg.Alias(label="quick buses")),
    )
    g = bg.BeliefGraph(
        stance="s",
        concepts=(lane, bg.Concept(name="s")),
        influences=(bg.Influence(source="Bus speed", target="s", weight=0.5),),
    )
    (match,) = read_scenario(g, "hold-ups increase")
    assert (match.concept, match.direction) == ("Bus speed", -1)


def test_a_configuration_reads_its_scenario(graph: bg.BeliefGraph) -> None:
    r = SimulationConfig(scenario="rents drop by 15%", mechanism="linear").run(graph)
    assert r.configuration["do"] == {"Rents": -0.5}
    assert r.stance.shift == pytest.approx(-0.5 * 0.4)
    with pytest.raises(InterventionError, match="nothing in it fits"):
        SimulationConfig(scenario="pigs fly").run(graph)


def test_nothing_is_changed(graph: bg.BeliefGraph) -> None:
    before = graph.model_dump_json()
    config = SimulationConfig(do={"rents": 0.5}, scenario="crime falls")
    config.run(graph)
    assert graph.model_dump_json() == before
    assert config.do == {"rents": 0.5}
