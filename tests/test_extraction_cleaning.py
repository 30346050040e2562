"""Cleaning an answer: what is left out, what stays, and where every character stood."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beliefgraph.extractors.cleaning import clean, find_hallucinations

SPOKEN = st.lists(
    st.sampled_from(
        ["um", "uh,", "the bus", "the bus", "is", "late.", "no", "very", "very",
         "it\u2019s", "“so”", "\n", "  ",
         "Thanks for watching!", "you know", "I mean", "like,", "naïve", "🚌", "kind of", "…", ", ",
         "!"]
    ),
    max_size=25,
).map(" ".join)  # fmt: skip
ANY = st.text(max_size=120) | SPOKEN


def folded(text: str) -> str:
    """The characters of a text but for white space, with one kind of apostrophe."""
    return "".join(text.split()).replace("\u2019", "'").replace("\u2018", "'")


@settings(deadline=None)
@given(ANY)
def test_every_kept_character_comes_from_its_place(answer: str) -> None:
    cleaned = clean(answer)
    assert cleaned.original == answer
    assert len(cleaned.positions) == len(cleaned.text)
    assert list(cleaned.positions) == sorted(set(cleaned.positions))
    for character, place in zip(cleaned.text, cleaned.positions, strict=True):
        there = answer[place]
        assert (
            character == there or (character == " " and there.isspace()) or there in "\u2019\u2018"
        )


@settings(deadline=None)
@given(ANY, st.data())
def test_a_span_covers_a_slice_that_spells_it(answer: str, data: st.DataObject) -> None:
    cleaned = clean(answer)
    start = data.draw(st.integers(0, len(cleaned.text)))
    end = data.draw(st.integers(start, len(cleaned.text)))
    first, last = cleaned.span(start, end)
    if start == end:
        assert (first, last) == (0, 0)
        return
    kept = [place for place in cleaned.positions if first <= place < last]
    assert kept == list(cleaned.positions[start:end])
    assert folded("".join(answer[place] for place in kept)) == folded(cleaned.text[start:end])
    # the first and the last character of the slice are of the span itself, not left-out ones
    assert folded(answer[first]) == folded(cleaned.text[start])
    assert folded(answer[last - 1]) == folded(cleaned.text[end - 1])


@settings(deadline=None)
@given(ANY)
def test_white_space_is_folded(answer: str) -> None:
    text = clean(answer).text
    assert text == text.strip(" ")
    assert "  " not in text
    assert not any(character.isspace() for character in text.replace(" ", ""))


@settings(deadline=None)
@given(ANY)
def test_hallucinations_are_found_in_order_and_never_kept(answer: str) -> None:
    spans = find_hallucinations(answer)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    kept = set(clean(answer).positions)
    assert not any(place in kept for start, end in spans for place in range(start, end))


PLAIN = st.lists(st.sampled_from(["buses", "help", "shops", "when", "rents", "fall"]), unique=True)


@settings(deadline=None)
@given(PLAIN.map(" ".join))
def test_plain_speech_is_left_alone(answer: str) -> None:
    assert clean(answer).text == answer
    assert clean(answer).positions == tuple(range(len(answer)))


@pytest.mark.parametrize(
    "nobody_said",
    ["Thanks for watching!", "Thank you for watching.", "Thank you so much for watching this video",
     "Please subscribe to our channel.", "Please like and subscribe", "See you in the next video!"],
)  # fmt: skip
def test_sentences_that_nobody_said(nobody_said: str) -> None:
    answer = f"It helps the shops. {nobody_said}"
    assert [answer[a:b] for a, b in find_hallucinations(answer)] == [nobody_said]
    assert clean(answer).text == "It helps the shops."
    assert clean(f"{nobody_said} It helps the shops.").text == "It helps the shops."
    assert clean(nobody_said).text == ""


@pytest.mark.parametrize(
    "said",
    ["I was watching the road.", "Thanks for asking.", "People subscribe to the local paper.",
     "I thank you for that", "I see you every day"],
)  # fmt: skip
def test_sentences_that_somebody_said(said: str) -> None:
    assert find_hallucinations(said) == []
    assert clean(said).text == said


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("um it helps", "it helps"),
        ("it, uh, helps", "it, helps"),
        ("so ummm yes", "so yes"),
        ("it helps, you know, a lot", "it helps, a lot"),
        ("it's, like, bad", "it's, bad"),
        ("it sort of helps", "it helps"),
        ("to be honest it helps", "it helps"),
    ],
)
def test_fillers(answer: str, text: str) -> None:
    assert clean(answer).text == text


@pytest.mark.parametrize(
    "answer",
    ["umbrellas help", "the summer is hot", "I like buses", "do you know how it works",
     "it is a kind of a tax", "there is a hum in the house", "shops like mine lose"],
)  # fmt: skip
def test_words_that_only_look_like_fillers(answer: str) -> None:
    assert clean(answer).text == answer


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("the the bus is is late", "the bus is late"),
        ("it helps it helps a lot", "it helps a lot"),
        ("I i think so", "I think so"),
        ("the buses, the buses, the buses come", "the buses come"),
        ("we we we need it", "we need it"),
        ("if the rents go up if the rents go up we move", "if the rents go up we move"),
    ],
)
def test_stutters(answer: str, text: str) -> None:
    assert clean(answer).text == text


def test_a_long_stutter_is_left_out_whole() -> None:
    assert clean("we we we we we need it").text == "we need it"


@pytest.mark.parametrize(
    "answer",
    ["very very good", "no, no, I oppose it", "really really bad", "so much, much better",
     "yes yes", "it helps and it helps", "the bus, then the buses", "car care"],
)  # fmt: skip
def test_emphasis_stays(answer: str) -> None:
    assert clean(answer).text == answer


def test_the_quote_across_a_filler_is_verbatim() -> None:
    answer = "Well, buses  um   help the the shops."
    cleaned = clean(answer)
    assert cleaned.text == "Well, buses help the shops."
    start, end = cleaned.span(cleaned.text.index("buses"), len(cleaned.text))
    assert answer[start:end] == "buses  um   help the the shops."


def test_curly_apostrophes_read_as_straight_ones() -> None:
    cleaned = clean("It\u2019s good, isn\u2018t it")
    assert cleaned.text == "It's good, isn't it"
    assert cleaned.original[slice(*cleaned.span(0, 4))] == "It\u2019s"


def test_a_long_repeat_is_found_behind_a_long_answer() -> None:
    many = " ".join(f"w{i}" for i in range(3_000))
    assert clean(f"{many} it helps it helps").text == f"{many} it helps"


def test_a_subtitle_credit_ends_with_its_sentence() -> None:
    answer = "It helps. Subtitles by Ann B. But it hurts the shops."
    assert "it hurts the shops" in clean(answer).text


def test_meaning_something_is_no_filler() -> None:
    assert clean("I mean it when I say that").text == "I mean it when I say that"


@pytest.mark.parametrize(
    "word",
    ["word{}", "a", "a b", "x-y", "it helps a lot and", "like,", "um", "thanks for", "subtitles by",
     "sort of kind", "'", ", ,", "you know what"],
)  # fmt: skip
def test_no_quadratic_blow_up(word: str) -> None:
    def seconds(words: int) -> float:
        answer = " ".join(word.format(i) for i in range(words))
        start = time.perf_counter()
        clean(answer)
        return time.perf_counter() - start

    short = min(seconds(1_000) for _ in range(3))
    assert seconds(10_000) < 30 * short + 0.05  # linear: 10 times; quadratic: 100 times


def test_one_endless_word() -> None:
    answer = "a" * 200_000
    start = time.perf_counter()
    assert clean(answer).text == answer
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("it makes it less no more popular", "it makes it more popular"),
        ("they use more sorry more of it", "they use more of it"),
        ("its the drains no sorry the rain fills them", "the rain fills them"),
        ("It hurts. No, sorry, I disagree.", "It hurts. No, sorry, I disagree."),
        ("No more, no less.", "No more, no less."),
    ],
)
def test_what_is_taken_back_is_not_read(said: str, meant: str) -> None:
    cleaned = clean(said)
    assert cleaned.text == meant
    start, end = cleaned.span(0, len(cleaned.text))
    assert said[start:end].endswith(meant.split()[-1])
