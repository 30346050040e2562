"""One concept for one thing: by words, by vectors, by sign, on record and undone again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import beliefgraph as bg
from beliefgraph.extractors.assemble import unmerge
from beliefgraph.extractors.concepts import (
    VECTOR_THRESHOLD,
    WORD_THRESHOLD,
    Placement,
    canonicalise,
)
from beliefgraph.extractors.standing import role_of, status_of

STANCE = "Support for bus lanes"


class Planar:
    """An encoder made by hand: labels at angles in a plane, all others apart from everything."""

    name = "planar"

    def __init__(self, degrees: Mapping[str, float]) -> None:
        self.degrees = degrees
        self.others: dict[str, int] = {}

    def encode(self, labels: Sequence[str]) -> NDArray[np.float64]:
        rows = []
        for label in labels:
            row = np.zeros(64)
            if label in self.degrees:
                angle = np.radians(self.degrees[label])
                row[:2] = np.cos(angle), np.sin(angle)
            else:
                row[2 + self.others.setdefault(label, len(self.others))] = 1.0
            rows.append(row)
        return np.array(rows)


def place(*labels: str, **options: object) -> Placement:
    return canonicalise(labels, **{"fixed": {STANCE: ()}, **options})  # type: ignore[arg-type]


def concepts(placement: Placement) -> dict[str, tuple[str, int]]:
    return {label: where for label, where in placement.places.items() if label != STANCE}


def test_wordings_of_one_thing_by_words_alone() -> None:
    placed = concepts(place("Home prices", "housing costs", "price of homes", "the home prices"))
    assert set(placed.values()) == {("Home prices", 1)}


def test_opposite_ends_are_one_concept_with_its_sign() -> None:
    placed = concepts(
        place("Home prices", "lower home prices", "higher housing costs", "housing affordability")
    )
    assert placed == {
        "Home prices": ("Home prices", 1),
        "lower home prices": ("Home prices", -1),
        "higher housing costs": ("Home prices", 1),
        "housing affordability": ("Home prices", -1),
    }


def test_antonyms_are_tied_by_sign_and_merged_as_nothing_else() -> None:
    placed = concepts(place("Safety", "crime", "less crime", "danger"))
    assert placed["crime"] == ("Safety", -1)
    assert placed["less crime"] == ("Safety", 1)
    assert placed["danger"] == ("Safety", -1)


def test_things_apart_stay_apart() -> None:
    labels = ("Crime", "fear of crime", "Cameras", "support for cameras", "Bus speed", "Bus fares")
    assert len({name for name, _ in concepts(place(*labels)).values()}) == len(labels)


def test_a_concept_is_named_without_words_of_direction() -> None:
    result = place("lower rents")
    assert result.places["lower rents"] == ("Rents", -1)
    assert result.wordings("Rents") == [("lower rents", -1, "words of direction")]


def test_every_merge_is_on_record_with_its_reason() -> None:
    result = place("Home prices", "housing costs", "affordability of homes", "home prices")
    assert [(label, sign) for label, sign, _ in result.wordings("Home prices")] == [
        ("affordability of homes", -1),
        ("home prices", 1),
        ("housing costs", 1),
    ]
    assert all(reason for _, _, reason in result.wordings("Home prices"))


def test_nothing_is_merged_into_a_fixed_concept_but_its_own_wordings() -> None:
    fixed = {STANCE: {"support for the bus lanes"}, "Bus lanes": {"bus lanes"}}
    result = place("the support for bus lanes", "Bus Lanes", "bus lane", fixed=fixed)
    assert result.places["support for the bus lanes"] == (STANCE, 1)
    assert result.places["Bus Lanes"] == ("Bus lanes", 1)
    assert result.places["bus lane"][0] != "Bus lanes"


@pytest.mark.parametrize(
    ("degrees", "merged"), [(0, True), (30, True), (50, True), (56, False), (90, False)]
)
def test_vectors_join_labels_within_the_threshold(degrees: float, merged: bool) -> None:
    assert merged == (np.cos(np.radians(degrees)) >= VECTOR_THRESHOLD)
    encoder = Planar({"Traffic": 0, "cars everywhere": degrees})
    result = place("Traffic", "cars everywhere", encoder=encoder)
    assert (result.places["cars everywhere"] == ("Traffic", 1)) is merged
    if merged:
        cosine = f"cosine {np.cos(np.radians(degrees)):.2f}"
        assert result.reasons["cars everywhere"] == f"sentence vectors (planar), {cosine}"


def test_the_nearest_concept_is_taken() -> None:
    encoder = Planar({"Traffic": 0, "Smog": 70, "cars everywhere": 30})
    assert place("Traffic", "Smog", "cars everywhere", encoder=encoder).places[
        "cars everywhere"
    ] == ("Traffic", 1)


def test_without_vectors_other_words_stay_apart() -> None:
    assert place("Traffic", "cars everywhere").places["cars everywhere"][0] == "Cars everywhere"


def test_two_labels_that_were_asked_about_are_never_joined_by_vectors() -> None:
    encoder = Planar({"Traffic": 0, "Congestion": 1})
    placed = concepts(place("Traffic", "Congestion", encoder=encoder))
    assert placed == {"Traffic": ("Traffic", 1), "Congestion": ("Congestion", 1)}


def test_vectors_do_not_join_what_is_good_with_what_is_bad() -> None:
    encoder = Planar({"Harmful smoke": 0, "benefit of smoke": 0, "harmful smells": 0})
    placed = concepts(place("Harmful smoke", "benefit of smoke", "harmful smells", encoder=encoder))
    assert placed["harmful smells"] == ("Harmful smoke", 1)
    assert placed["benefit of smoke"][0] != "Harmful smoke"


def test_words_of_direction_give_the_sign_of_a_merge_by_vectors() -> None:
    encoder = Planar({"Smog": 0, "less filth in the sky": 20})
    result = place("Smog", "less filth in the sky", encoder=encoder)
    assert result.places["less filth in the sky"] == ("Smog", -1)


def test_words_go_before_vectors() -> None:
    encoder = Planar({"Home prices": 90, "Traffic": 0, "housing costs": 0})
    assert place("Home prices", "Traffic", "housing costs", encoder=encoder).places[
        "housing costs"
    ] == ("Home prices", 1)


def test_labels_kept_apart_are_two_concepts() -> None:
    apart = [frozenset(("Home prices", "housing costs"))]
    encoder = Planar({"Home prices": 0, "housing costs": 0})
    for options in ({}, {"encoder": encoder}):
        placed = concepts(place("Home prices", "housing costs", keep_apart=apart, **options))
        assert len({name for name, _ in placed.values()}) == 2


@pytest.mark.parametrize(
    "labels", [("Lower rents", "Higher rents"), ("housing costs", "house price", "Home prices")]
)
def test_labels_kept_apart_are_two_concepts_under_any_name(labels: tuple[str, ...]) -> None:
    apart = [frozenset(labels[:2])]
    placed = concepts(place(*sorted(labels), keep_apart=apart))
    assert placed[labels[0]][0] != placed[labels[1]][0]


@pytest.mark.parametrize(
    ("one", "other"), [("Rents", "Health insurance costs"), ("Crime", "Road safety")]
)
def test_labels_that_were_asked_about_apart_stay_apart(one: str, other: str) -> None:
    assert len({name for name, _ in concepts(place(one, other)).values()}) == 2


label_lists = st.lists(
    st.sampled_from(
        ["Home prices", "housing costs", "lower rents", "Rents", "crime", "Safety", "Bus speed",
         "bus delays", "fear of crime", "Noise", "less noise", "noise", "NOISE", "a noise", "parks"]
    ),
    max_size=8,
)  # fmt: skip


@settings(deadline=None)
@given(label_lists)
def test_every_label_has_one_place_and_names_are_not_case_variants(labels: list[str]) -> None:
    result = place(*labels)
    assert set(labels) <= set(result.places)
    names = {name for name, _ in result.places.values()}
    assert len({name.casefold() for name in names}) == len(names)
    recorded = {label for name in names for label, _, _ in result.wordings(name)}
    for label, (name, polarity) in result.places.items():
        assert label.casefold() == name.casefold() or label in recorded
        assert polarity == 1 or label in recorded
    assert place(*labels, *labels).places == result.places


def test_thresholds_are_cosines_and_shares() -> None:
    assert 0 < VECTOR_THRESHOLD < 1
    assert 0.5 < WORD_THRESHOLD <= 1


@pytest.mark.parametrize(
    ("turns", "confidence", "status"),
    [
        (0, 1.0, "candidate"), (1, 1.0, "candidate"), (2, 0.0, "belief"), (3, 1.0, "belief"),
        (4, 0.79, "belief"), (4, 0.8, "anchor"), (9, 0.8, "anchor"), (9, 0.1, "belief"),
    ],
)  # fmt: skip
def test_status(turns: int, confidence: float, status: str) -> None:
    got, reason = status_of(turns, confidence)
    assert got == status
    assert f"{turns} turn" in reason
    assert f"{confidence:.2f}" in reason
    assert status_of(turns, confidence, is_stance=True)[0] == "anchor"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Fear of crime", "internal_affect"), ("Trust in the council", "internal_affect"),
        ("Stress at work", "internal_affect"), ("Cycling to work", "behavioural_intention"),
        ("Willingness to pay", "behavioural_intention"), ("Voting", "behavioural_intention"),
        ("Rents", "external_state"), ("Bus speed", "external_state"), ("", "external_state"),
    ],
)  # fmt: skip
def test_role(name: str, role: str) -> None:
    assert role_of(name) == role
    assert role_of(name, is_stance=True) == "behavioural_intention"


def ask(source: str, target: str = STANCE) -> str:
    return f"Does {source} have a positive or negative effect on {target}?"


@pytest.fixture(scope="module")
def interview() -> bg.Transcript:
    return bg.Transcript.from_pairs(
        [
            ("To what extent do you support bus lanes?", "I support them."),
            (ask("Home prices"), "Negative, it lowers my support."),
            (ask("housing costs"), "Positive."),
            (ask("affordability of housing"), "Positive."),
            (ask("Noise"), "Negative."),
            (ask("Home prices", "Noise"), "Positive."),
            (ask("Noise", "Home prices"), "Negative, strongly."),
        ]
    )


@pytest.mark.needs_pipeline
def test_a_graph_holds_the_merges_and_the_turned_signs(interview: bg.Transcript) -> None:
    graph = bg.extract(interview, vectors=None)
    aliases = {a.label: (a.polarity, a.reason) for a in graph.concept("Home prices").aliases}
    assert aliases["affordability of housing"] == (-1, "opposite ends of one scale")
    assert aliases["housing costs"][0] == 1
    edge = graph.influence("Home prices", STANCE)
    assert edge is not None
    assert {e.qa_id: e.sign for e in edge.evidence} == {"2": -1, "3": 1, "4": -1}
    assert graph.concept("Home prices").frequency == 5
    assert graph.concept("Home prices").importance == 1.0
    assert graph.concept("Noise").importance == pytest.approx(3 / 5)


@pytest.mark.needs_pipeline
def test_unmerge_gives_the_graph_of_labels_kept_apart(interview: bg.Transcript) -> None:
    graph = bg.extract(interview, vectors=None)
    before = graph.model_dump_json()
    for label in ("housing costs", "affordability of housing"):
        undone = unmerge(graph, "Home prices", label)
        apart = bg.extract(interview, vectors=None, keep_apart=[("Home prices", label)])
        assert undone.model_dump_json() == apart.model_dump_json()
        assert len(undone.concepts) == len(graph.concepts) + 1
        assert undone.readings == graph.readings
    assert graph.model_dump_json() == before


@pytest.mark.needs_pipeline
def test_unmerge_names_what_can_be_undone(interview: bg.Transcript) -> None:
    graph = bg.extract(interview, vectors=None)
    with pytest.raises(bg.UnknownConceptError, match="housing costs"):
        unmerge(graph, "Home prices", "housing cost")
    with pytest.raises(bg.UnknownConceptError, match="Home prices"):
        unmerge(graph, "Home price", "housing costs")


@pytest.mark.needs_pipeline
def test_the_graph_says_what_merged_its_concepts(interview: bg.Transcript) -> None:
    by_words = bg.extract(interview, vectors=None).extractor
    by_vectors = bg.extract(interview, vectors=Planar({})).extractor
    assert by_words is not None
    assert by_vectors is not None
    assert "concepts by words" in by_words
    assert "vectors of planar" in by_vectors
