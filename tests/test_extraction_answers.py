"""What an answer to a probe says of the effect: hard cases, by what any reader would understand."""

from __future__ import annotations

import pytest

import beliefgraph as bg

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
        ("It makes people less likely to oppose it.", 1),
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
