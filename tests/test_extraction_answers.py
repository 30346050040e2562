"""What an answer to a probe says of the effect: hard cases, by what any reader would understand."""

from __future__ import annotations

import pytest

import beliefgraph as bg
from beliefgraph.extractors import judge_pair, read_pair

pytestmark = pytest.mark.needs_pipeline

STANCE = "Support for bus lanes"


def signs(answer: str, source: str, stance: str = STANCE) -> list[int | None]:
    """The signs that the answer is read to give to source -> stance, in order of the words."""
    question = f"Does {source} have a positive or negative effect on {stance}?"
    transcript = bg.Transcript.from_pairs([(question, answer)])
    graph = bg.extract(transcript, stance=stance, vectors=None)
    found = [r for r in graph.readings if (r.source, r.target) == (source, stance)]
    return [r.evidence.sign for r in sorted(found, key=lambda r: r.evidence.start)]


@pytest.mark.parametrize("source", ["Speed humps", "Night buses", "Cameras"])
@pytest.mark.parametrize(
    ("answer", "sign"),
    [
        ("Positive.", 1),
        ("It is negative, definitely.", -1),
        ("Yes, a positive effect and a strong one.", 1),
        ("It isn't positive.", -1),
        ("It's bad for safety, so people won't support it.", -1),
        ("People won't support it.", -1),
        ("I wouldn't support it.", -1),
        ("I'd be against it.", -1),
        ("It's a huge plus.", 1),
        ("It makes me support it less.", -1),
        ("It reduces opposition.", 1),
        ("People would oppose it less.", 1),
        ("It makes people less likely to oppose it.", 1),
        ("It makes me less supportive.", -1),
        ("It leads to negative support.", -1),
        ("I don't believe it would lead to changes in support, but it's positive.", 1),
        ("People see it negatively, so a positive effect.", 1),
        ("The benefits outweigh the costs.", 1),
        ("It has a negative side, but overall the drawbacks outweigh any benefits.", -1),
        ("One goes up, the other comes down.", -1),
        ("It doesn't put people off, quite the opposite.", 1),
        ("Nobody sees the point of it.", -1),
        ("It's not like people won't back it.", 1),
        ("I don't think it makes no difference. It's a plus.", 1),
        ("The more there are the more I'd cycle.", 1),
        ("The more there are the less I'd bother.", -1),
        ("It's directly related, it has a negative effect.", -1),
        ("It will have a say on my support. It's a negative effect.", -1),
        ("It increases my support, not my opposition.", 1),
        ("People say it hurts, but I think it helps.", 1),
        ("There isn't a negative effect, it's positive.", 1),
        ("no i mean yes it would be um positive", 1),
        ("Very confident.", None),
        ("Yes, it would.", None),
    ],
)
def test_one_side(answer: str, sign: int | None, source: str) -> None:
    assert signs(answer, source) == [sign]


@pytest.mark.parametrize(
    ("answer", "sign"),
    [
        ("The less noise, the more I support it.", -1),
        ("The more noise, the less I support it.", -1),
        ("The more noise, the more I support it.", 1),
        ("When noise goes up I support it less.", -1),
        ("If noise fell I would support it more.", -1),
        ("More noise, more opposition.", -1),
        ("Less noise means more support.", -1),
    ],
)
def test_inverse_statements(answer: str, sign: int) -> None:
    assert signs(answer, "Noise") == [sign]


@pytest.mark.parametrize("answer", ["No effect.", "It has no effect on that.", "None at all."])
def test_no_effect_is_zero(answer: str) -> None:
    assert signs(answer, "Night buses") == [0]


@pytest.mark.parametrize(
    ("answer", "sign"),
    [
        ("It's not that it lowers support, it raises it.", 1),
        ("It doesn't reduce my support at all.", 0),
        ("Neither positive nor negative.", 0),
    ],
)
@pytest.mark.xfail(strict=True, reason="the denial is not carried to the whole of what it denies")
def test_denials(answer: str, sign: int) -> None:
    assert signs(answer, "Night buses") == [sign]


@pytest.mark.xfail(
    strict=True, reason='"not the screen" in the condition turns what follows from it'
)
def test_a_denial_in_the_condition_stays_there() -> None:
    answer = "If the managers trust you and not the screen, then trust makes me want it more."
    assert set(signs(answer, "Trust from managers", "Wanting to work from home")) == {1}


def verdict(question: str, answer: str) -> int | None:
    return judge_pair(read_pair(question, answer), question).sign


@pytest.mark.parametrize(
    ("question", "answer", "sign"),
    [
        ("Is the effect of {} on {} immediate?", "It takes a few months to develop.", 1),
        ("Is the effect of {} on {} immediate?", "It depends, sometimes years.", 1),
        ("Is the effect of {} on {} immediate?", "It isn't immediate, it takes time.", 1),
        ("Would small changes in {} lead to noticeable changes in {}?", "Yes, definitely.", 1),
        ("Would small changes in {} lead to noticeable changes in {}?", "No, larger ones.", 1),
        ("How would you describe the relationship between {} and {}?", "A close one.", 1),
        # nothing is assumed of a weak effect, a denial, a fall, or where only certainty is stated
        ("How would you describe the relationship between {} and {}?", "Rather weak.", None),
        ("Is the effect of {} on {} immediate?", "I wouldn't say there is one.", None),
        ("Is the effect of {} on {} immediate?", "With time they fade.", None),
        ("How confident are you that changes in {} lead to changes in {}?", "Very sure.", None),
        ("Does {} have a positive or negative effect on {}?", "Yes, over time.", None),
    ],
)
def test_an_affirmed_effect_is_assumed_to_be_a_plus(
    question: str, answer: str, sign: int | None
) -> None:
    question = question.format("Night buses", STANCE)
    (reading,) = read_pair(question, answer)
    assert verdict(question, answer) == sign
    if sign is not None:
        assert reading.kind == "unstated"
        assert "assumed" in reading.note
        assert reading.evidence.confidence <= 0.3
        assert reading.evidence.strength in (0.25, 0.4)


def test_nothing_is_assumed_of_an_ill() -> None:
    question = "Is the effect of Pollution on Support for bus lanes immediate?"
    assert verdict(question, "It takes a few months to develop.") is None


@pytest.mark.parametrize(
    ("source", "answer", "sign"),
    [
        ("Careful driving", "Bus lanes can help with careful driving, you know.", 1),
        ("Careful driving", "Bus lanes reduce careful driving.", -1),
        ("Noise", "The bus lanes bring noise to us.", -1),
        ("Noise", "Bus lanes cut the noise.", 1),
    ],
)
def test_what_the_policy_does_to_the_factor_is_a_reason(
    source: str, answer: str, sign: int
) -> None:
    question = f"Is the effect of {source} on {STANCE} immediate?"
    assert verdict(question, answer) == sign


@pytest.mark.parametrize(
    ("source", "answer", "sign"),
    [
        ("Night buses", "It would have less of an impact and a more positive effect.", 1),
        ("Night buses", "A negative effect, and a good effect for the taxi firms.", -1),
        ("Night buses", "A small dip.", -1),
        ("Night buses", "It's a sharp rise.", 1),
        ("People without cars", "People without cars have a strong tie to supporting it.", 1),
        ("Reviews", "Whatever the local papers say would make me more supportive.", 1),
        ("Preventing theft", "Less crime makes people want it.", 1),
        ("Crime deterrence", "When crime goes up people want it less.", 1),
        ("Preventing errors", "Preventing errors has a positive effect.", 1),
        ("Large lorries", "Large lorries being built will decrease support.", -1),
        ("Ticket prices", "Higher prices cut support, lower prices increase it.", -1),
        ("Housing shortage", "People back it since more housing is needed.", 1),
        ("False alarms", "False alarms have a strong negative impact.", -1),
        (
            "Night buses",
            "They bring people home safely. And the last one goes at ten. I walk. "
            "That makes no sense, so yes, a positive effect.",
            1,
        ),
    ],
)
def test_whose_words_a_direction_belongs_to(source: str, answer: str, sign: int) -> None:
    assert verdict(f"Does {source} have a positive or negative effect on {STANCE}?", answer) == sign
