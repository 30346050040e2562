"""Reading questions: families, slots that hold joints themselves, remarks and tails around them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beliefgraph.extractors.questions import Question, effects_named_last, read_question

STANCE = "Support for roof gardens"
TAIL = (
    " Does it have a positive effect (increasing it) or a negative effect (decreasing it)?"
    " How strong is this effect?"
)
PROBES = {
    "effect": "Does {x} have a positive or negative effect on {y},"
    " and how significant is this effect?",
    "relationship": "How would you describe the relationship between {x} and {y}?"
    " Is it a strong or weak connection?",
    "immediacy": "Is the effect of {x} on {y} immediate, or does it take time to develop?",
    "small_changes": "Would small changes in {x} lead to noticeable changes in {y},"
    " or would it take larger shifts?",
    "confidence": "How confident are you that changes in {x} lead to changes in {y}?",
}
FACTORS = (
    "What factors affect {y}, and which ones have the strongest influence? Please also indicate if "
    "these influences are positive (increasing) or negative (decreasing)."
)
CAUSES = {
    "What causes {y}?",
    "What affects {y}?",
    "What influences {y}?",
    "What drives {y}?",
    "What are the main causes of {y}?",
    "What might lead to increases or decreases in {y}?",
}
REMARKS = ("", "Thank you, that helps. ", "You said rain matters to you. Interesting! ", "Hmm? ")
SOURCES = (
    "Rainfall",
    "Reliance on tap water",
    "Bees and butterflies",
    "Time spent on roofs",
    "CO2",
)
word = st.sampled_from("rain soil bees height roofs water paint shade cost wind".split())


def slot() -> st.SearchStrategy[str]:
    """A label of plain words that may hold "on" and "and" inside, with a capital."""
    joint = st.sampled_from(("on", "and", "of", "in", "for"))
    one = word.map(lambda w: [w])
    two = st.tuples(word, joint, word).map(list)
    return st.one_of(one, two).map(" ".join).map(str.capitalize)


def probe(family: str, x: str, y: str, *, remark: str = "", tail: str = "") -> str:
    return remark + PROBES[family].format(x=x, y=y) + tail


@pytest.mark.parametrize("remark", REMARKS)
@pytest.mark.parametrize("tail", ["", TAIL])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("family", PROBES)
def test_every_probe(family: str, source: str, tail: str, remark: str) -> None:
    read = read_question(probe(family, source, STANCE, remark=remark, tail=tail))
    assert (read.family, read.source, read.target) == (family, source, STANCE)


@settings(deadline=None)
@given(st.sampled_from(sorted(PROBES)), slot(), slot())
def test_a_known_effect_is_split_off_whole(family: str, source: str, effect: str) -> None:
    read = read_question(probe(family, source, effect), [effect])
    assert (read.source, read.target) == (source, effect)


@settings(deadline=None)
@given(st.sampled_from(sorted(PROBES)), slot(), st.booleans(), st.sampled_from(REMARKS))
def test_spacing_and_the_last_mark_mean_nothing(
    family: str, source: str, mark: bool, remark: str
) -> None:
    question = probe(family, source, STANCE, remark=remark)
    loose = "  " + question.replace(" ", "\n ") + " "
    bare = question if mark else question.rstrip("?")
    assert read_question(loose) == read_question(question)
    if family != "relationship":  # its tail is a sentence of its own
        assert read_question(bare) == read_question(question)


@pytest.mark.parametrize("family", ["relationship", "immediacy"])
def test_an_effect_with_a_joint_inside_is_known_from_other_questions(family: str) -> None:
    effect = "Money spent on seeds and soil"
    others = [probe("effect", x, effect) for x in ("Rain", "Wind")] + ["What is your name?"]
    known = effects_named_last(others)
    assert known == [effect]
    assert read_question(probe(family, "Reliance on rain and wind", effect), known) == Question(
        read_question(probe(family, "A", "B")).family, "Reliance on rain and wind", effect
    )


def test_effects_are_ordered_by_how_often_they_are_named() -> None:
    asked = [
        probe("effect", "Rain", "Soil depth"),
        probe("confidence", "Rain", STANCE),
        probe("small_changes", "Wind", STANCE),
        "What causes Leaks?",
        probe("relationship", "Rain", "Ambiguous and left out"),
    ]
    assert effects_named_last(asked) == [STANCE, "Soil depth", "Leaks"]


@pytest.mark.parametrize("question", sorted(CAUSES))
@pytest.mark.parametrize("effect", ["Soil loss", STANCE, "Noise on roofs and streets"])
def test_what_causes(question: str, effect: str) -> None:
    assert read_question(question.format(y=effect)) == Question("causes", None, effect)


def test_what_factors() -> None:
    assert read_question(FACTORS.format(y=STANCE)) == Question("causes", None, STANCE)


def test_what_factors_affect_two_things() -> None:
    effect = "Noise on roofs and streets"
    assert read_question(FACTORS.format(y=effect)) == Question("causes", None, effect)


@pytest.mark.parametrize(
    ("question", "target"),
    [
        pytest.param(
            "What influences Soil loss, and how?", "Soil loss",
        ),
        pytest.param(
            "What leads to changes in Soil loss?", "Soil loss",
        ),
    ],
)  # fmt: skip
def test_what_causes_in_other_words(question: str, target: str) -> None:
    assert read_question(question) == Question("causes", None, target)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does Soil loss lead to?", Question("effects_of", "Soil loss")),
        ("What do roof gardens affect?", Question("effects_of", "roof gardens")),
        (
            "What do you think are the most significant impacts of roof gardens?",
            Question("effects_of", "roof gardens"),
        ),
        (
            "To what extent do you support or oppose roof gardens? Please explain your reasoning.",
            Question("stance", "roof gardens"),
        ),
        ("How do you feel about roof gardens?", Question("stance", "roof gardens")),
        ("Do you support roof gardens?", Question("stance", "roof gardens")),
        (
            "How do you think roof gardens might affect the water bill?",
            Question("impact", "roof gardens", "the water bill"),
        ),
        (
            "What impact do you think roof gardens would have on neighbours?",
            Question("impact", "roof gardens", "neighbours"),
        ),
        ("What are your thoughts?", Question("open")),
        ("Who gains from them, and who loses?", Question("open")),
        ("", Question("open")),
        ("?!", Question("open")),
    ],
)
def test_questions_of_one_slot_or_none(question: str, expected: Question) -> None:
    assert read_question(question) == expected


def test_a_lower_case_stance_is_still_the_effect() -> None:
    stance = "support for gardens and bees"
    read = read_question(probe("relationship", "rain and wind", stance))
    assert (read.source, read.target) == ("rain and wind", stance)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_question_is_read(question: str) -> None:
    read = read_question(question, ["x"])
    assert read.source is None or read.source.strip() == read.source != ""
    assert read.target is None or read.target.strip() == read.target != ""


@settings(deadline=None)
@given(st.text(max_size=30), st.text(max_size=30), st.sampled_from(sorted(PROBES)))
def test_any_slots_are_read(x: str, y: str, family: str) -> None:
    assert read_question(probe(family, f"a{x}", f"b{y}"), ["c"]).family is not None


@pytest.mark.parametrize("family", ["relationship"])
def test_an_empty_slot_is_no_crash(family: str) -> None:
    assert read_question(probe(family, "Rain", "")).target is None


def _seconds(piece: str, n: int) -> float:
    start = time.perf_counter()
    read_question(piece * n)
    return time.perf_counter() - start


@pytest.mark.parametrize(
    "piece", ["on ", "and ", "Does x have ", "relationship between a and ", "lead to "]
)
def test_long_questions_cost_little(piece: str) -> None:
    short = min(_seconds(piece, 100) for _ in range(3))
    assert _seconds(piece, 1_000) < 50 * short + 0.1


def test_a_long_question_that_starts_over_and_over_costs_little() -> None:
    short = min(_seconds("how would ", 100) for _ in range(3))
    assert _seconds("how would ", 1_000) < 30 * short
