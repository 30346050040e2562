"""Words and labels: what stays the same, what turns the sign, and what must not be tied."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beliefgraph.text import (
    content_words,
    is_degenerate,
    label_valence,
    lexical_tie,
    read_label,
    same_stem,
    scale_side,
    stem,
)
from beliefgraph.text.lexicon import ANTONYM_SCALES

THINGS = ("bus", "river", "garden", "school", "library", "market", "clinic", "harbour", "museum")
SIDES = ("speed", "delay", "noise", "quiet", "privacy", "intrusion", "honesty", "secrecy", "trust")
TURNS = (("", 1), ("lower ", -1), ("higher ", 1), ("less ", -1), ("decrease in ", -1), ("no ", -1))
things = st.lists(st.sampled_from(THINGS), max_size=3, unique=True)


@st.composite
def phrases(draw: st.DrawFn) -> str:
    """A label of neutral words, with one word of a scale at most and a word of direction."""
    turn, _ = draw(st.sampled_from(TURNS))
    words = [*draw(things), *draw(st.lists(st.sampled_from(SIDES), max_size=1))]
    return turn + " ".join(words)


@pytest.mark.parametrize(
    "family",
    [
        "tax taxes taxed taxing",
        "control controls controlled controlling",
        "reliable reliability",
        "bus buses",
        "city cities",
        "plan plans planned planning",
        "congestion congested",
        "neighbour neighbours neighbor neighbors",
        "house houses home homes housing",
        "price prices cost costs pricing",
        "child children kids",
        "car cars vehicles automobile",
        "police policing cops",
        "quick quickly quickest",
    ],
)
def test_one_stem_for_one_word(family: str) -> None:
    first, *others = family.split()
    assert all(same_stem(first, other) for other in others)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("police", "policies"), ("bus", "business"), ("age", "wage"), ("health", "wealth"),
        ("universal", "university"), ("port", "sport"), ("noise", "nose"),
    ],
)  # fmt: skip
def test_two_stems_for_two_words(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(("one", "other"), [("car", "care"), ("cars", "care")])
def test_a_final_e_tells_words_apart(one: str, other: str) -> None:
    assert not same_stem(one, other)


@settings(deadline=None)
@given(st.text("abcdefgiklmnorstuwy'", max_size=14))
def test_stem_ignores_case_and_same_stem_is_reflexive(word: str) -> None:
    assert stem(word.upper()) == stem(word)
    assert same_stem(word, word)


@settings(deadline=None)
@given(st.text("aeilmnrst", max_size=9), st.text("aeilmnrst", max_size=9))
def test_same_stem_is_symmetric(one: str, other: str) -> None:
    assert same_stem(one, other) == same_stem(other, one)


@pytest.mark.parametrize(
    ("label", "base", "direction"),
    [
        ("Decrease in property values", "property values", -1),
        ("Increase in property values", "property values", 1),
        ("job loss", "job", -1),
        ("the lack of parking", "parking", -1),
        ("lower rents", "rents", -1),
        ("Higher rents", "rents", 1),
        ("rent increases", "rent", 1),
        ("crime reduction", "crime", -1),
        ("fewer cars", "cars", -1),
        ("no parking", "parking", -1),
        ("a shortage of nurses", "nurses", -1),
        ("housing shortages", "housing", -1),
        ("poor air quality", "air quality", -1),
        ("level of noise", "noise", 1),
        ("crime rates", "crime", 1),
        ("reduced noise levels", "noise", -1),
        ("increase in noise levels", "noise", 1),
        ("reduction in the loss of jobs", "jobs", 1),
        ("less congestion", "congestion", -1),
        ("cost of housing", "cost of housing", 1),
        ("bus speed", "bus speed", 1),
    ],
)
def test_direction_and_base(label: str, base: str, direction: int) -> None:
    read = read_label(label)
    assert (read.base, read.direction) == (base, direction)
    assert read_label(label.upper()).direction == direction


def test_less_of_the_noise_points_down() -> None:
    assert read_label("less of the noise").direction == -1


def test_less_of_the_noise_is_about_noise() -> None:
    assert read_label("less of the noise").base == "noise"


@pytest.mark.parametrize("label", ["job losses", "income losses"])
def test_losses_point_down(label: str) -> None:
    assert read_label(label).direction == -1


@settings(deadline=None)
@given(things.filter(bool), st.sampled_from(TURNS))
def test_a_word_of_direction_turns_the_label_and_no_more(
    words: list[str], turn: tuple[str, int]
) -> None:
    plain, turned = read_label(" ".join(words)), read_label(turn[0] + " ".join(words))
    assert turned.direction == turn[1] * plain.direction
    assert (turned.base, turned.stems, turned.head) == (plain.base, plain.stems, plain.head)


@settings(deadline=None)
@given(st.text(max_size=30))
def test_any_text_is_read(label: str) -> None:
    read = read_label(label)
    assert read.direction in (-1, 1)
    assert bool(read.stems) == bool(content_words(read.base))
    assert read.head == "" or read.head in read.stems
    assert label_valence(label) in (-1, 0, 1)


@pytest.mark.parametrize(
    "label",
    ["", " ", "!!!", "the", "Positive effect", "Negative Effect", "Clear benefits", "changes",
     "noticeable changes", "A strong connection", "increase", "several reasons", "X",
     "worse outcomes"],
)  # fmt: skip
def test_labels_of_nothing(label: str) -> None:
    assert is_degenerate(label)


@pytest.mark.parametrize(
    "label", ["Rents", "Bus speed", "positive mood", "Change of climate", "Art"]
)
def test_labels_of_something(label: str) -> None:
    assert not is_degenerate(label)


def test_a_judged_stance_is_no_concept_and_its_topic_is() -> None:
    stance = "Support for bus lanes"
    assert is_degenerate("benefits of bus lanes", stance)
    assert not is_degenerate("benefits of bus lanes")
    assert not is_degenerate("bus lanes", stance)
    assert not is_degenerate("benefits of bicycles", stance)


@pytest.mark.parametrize(
    ("label", "valence"),
    [
        ("crime", -1), ("less crime", 1), ("crime reduction", 1), ("pollution levels", -1),
        ("safer streets", 1), ("loss of trust", -1), ("no problems", 1), ("river", 0),
        ("lower rents", 0), ("cameras", 0),
    ],
)  # fmt: skip
def test_valence(label: str, valence: int) -> None:
    assert label_valence(label) == valence


@pytest.mark.parametrize(
    ("one", "other", "polarity"),
    [
        ("bus speed", "speed of the buses", 1),
        ("home prices", "house costs", 1),
        ("price of homes", "housing costs", 1),
        ("labour supply", "labor supply", 1),
        ("the colour of the harbour", "harbor color", 1),
        ("city centre", "city center", 1),
        ("programme organisation", "program organization", 1),
        ("lower prices", "higher prices", -1),
        ("lower rents", "falling rents", 1),
        ("rents", "rent decreases", -1),
        ("safety", "crime", -1),
        ("bus delay", "bus speed", -1),
        ("privacy", "lack of privacy", -1),
        ("jobs", "unemployment", -1),
        ("lower affordability", "costs", 1),
    ],
)
def test_one_scale(one: str, other: str, polarity: int) -> None:
    tie = lexical_tie(one, other)
    assert (tie.similarity, tie.polarity) == (1.0, polarity)
    assert tie.reason


def test_a_neutral_word_added_ties_more_loosely() -> None:
    # Dice's 2 * 1 / (1 + 2), brought to [0.5, 1]
    assert lexical_tie("traffic", "road traffic").similarity == pytest.approx(0.5 + 1 / 3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("crime", "fear of crime"), ("cameras", "support for cameras"),
        ("noise", "worry about noise"),
        ("parking", "tax on parking"), ("rent", "library"), ("food affordability", "housing costs"),
        ("privacy", "surveillance"), ("", "crime"), ("the", "of"),
    ],
)  # fmt: skip
def test_no_tie(one: str, other: str) -> None:
    assert lexical_tie(one, other).similarity == 0


def test_prevention_is_not_what_it_prevents() -> None:
    tie = lexical_tie("crime", "crime prevention")
    assert tie.similarity == 0 or tie.polarity == -1


@pytest.mark.parametrize(
    ("one", "other"), [("rents", "health insurance costs"), ("crime", "road safety")]
)
def test_two_things_on_one_scale_are_two_things(one: str, other: str) -> None:
    assert lexical_tie(one, other).similarity < 0.75


@pytest.mark.parametrize(
    ("one", "other"),
    [("quiet", "peace and quiet"), ("stress", "relaxation and stress"), ("rent", "price of rent")],
)
def test_a_tie_has_no_first_label_with_two_words_of_a_scale(one: str, other: str) -> None:
    assert lexical_tie(one, other) == lexical_tie(other, one)


@settings(deadline=None)
@given(phrases(), phrases())
def test_a_tie_has_no_first_label(one: str, other: str) -> None:
    there, back = lexical_tie(one, other), lexical_tie(other, one)
    assert there.similarity == back.similarity
    assert there.polarity == back.polarity
    assert 0 <= there.similarity <= 1


@settings(deadline=None)
@given(phrases(), phrases(), st.sampled_from(("lower", "less", "reduced")))
def test_turning_one_label_turns_the_tie(one: str, other: str, word: str) -> None:
    plain, turned = lexical_tie(one, other), lexical_tie(f"{word} {other}", one)
    if plain.similarity and not other.startswith(tuple(turn for turn, _ in TURNS[1:])):
        assert (turned.similarity, turned.polarity) == (plain.similarity, -plain.polarity)


@pytest.mark.parametrize("number", range(len(ANTONYM_SCALES)))
def test_every_scale_has_two_ends(number: int) -> None:
    up, down = ANTONYM_SCALES[number]
    sides = {word: scale_side(word) for word in up | down}
    assert all(sides[word] == (number, 1) for word in up), sides
    assert all(sides[word] == (number, -1) for word in down), sides


def test_long_labels_cost_linear_time() -> None:
    def seconds(n: int) -> float:
        label = " ".join(f"thing{i % 97} in" for i in range(n))
        start = time.perf_counter()
        read_label(label)
        is_degenerate(label, "support for things")
        label_valence(label)
        return time.perf_counter() - start

    short, long = seconds(2_000), seconds(40_000)
    assert long < 100 * short + 0.5  # linear: 20 times; quadratic: 400 times
