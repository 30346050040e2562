"""The stance that the opening answers come nearest to, by statements written for and against.

Nothing is fitted: anchors are made by putting the stance's object, as the questions name it, into
statements of our own, and each answer is compared with them. It is the least that a zero-shot
reading of an interview can be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

from beliefgraph.baselines.answer_vectors import encoder_name, has_sentence_vectors
from beliefgraph.baselines.leans import Lean, VectorLean, WordLean
from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey import Item, Person, Prediction, Question
from beliefgraph.text import Encoder, load_encoder
from beliefgraph.transcript import Transcript, Turn

__all__ = ["AnchorPredictor", "Anchoring", "stance_object"]

Anchoring: TypeAlias = Literal["auto", "vectors", "words"]

_STANCE: Final = (
    (
        "I support {x}.",
        "I am in favour of {x}, it is a good idea.",
        "We need {x}, the benefits are clear.",
        "{x} would make things better.",
    ),
    (
        "I oppose {x}.",
        "I am against {x}, it is a bad idea.",
        "We do not need {x}, the harm is clear.",
        "{x} would make things worse.",
    ),
)
_WEIGHT: Final = (
    (
        "It matters a lot to me that {x}.",
        "What I think depends on whether {x}.",
        "A main point for me is that {x}.",
    ),
    (
        "It does not matter to me that {x}.",
        "What I think has nothing to do with whether {x}.",
        "I do not care whether {x}.",
    ),
)
_SIGN: Final = (
    (
        "More {x} increases {y}.",
        "{x} has a positive effect on {y}.",
        "{x} makes people more willing, it helps {y}.",
    ),
    (
        "More {x} decreases {y}.",
        "{x} has a negative effect on {y}.",
        "{x} makes people less willing, it hurts {y}.",
    ),
)
"""For and against; `{x}` is what it is about, `{y}` what it has an effect on."""

_OBJECT: Final = re.compile(
    r"\b(?:support or oppose|oppose or support|in favou?r of|support for"
    r"|(?:opinion|view|stance) (?:on|of)|feel about|do you support(?! or)) (?P<object>[^;?!]+?)"
    r"(?: immediate\b| that |, and |, or |\s*\.(?=\s|$)|\s*[;?!]|$)",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"(?:the (?:idea|fact|reason|argument|view) that|does it (?:matter|count) that) (?P<reason>.+?)"
    r"(?: (?:influence|affect|change|shape|matter|count)s?\b|\?|$)",
    re.IGNORECASE | re.DOTALL,
)
_PROBE: Final = re.compile(
    r"positive or (?:a )?negative effect|relationship between|effect of .+ on .+ immediate"
    r"|small changes in|lead to (?:noticeable )?changes in|main causes of"
    r"|how confident are you that",
    re.IGNORECASE,
)
"""Questions about an effect, and not about what the person thinks of the matter."""
_VERSION: Final = 1
"""Of the statements; changes with every change of their words."""
_NEAR: Final = 3
"""Answers that a sign is read from: those nearest to its factor."""


@dataclass(frozen=True)
class AnchorPredictor:
    """Answers with the stance that the opening answers lean to.

    The lean runs from -1 (against) to 1 (for): by sentence vectors or by words of support and
    judgement (`beliefgraph.baselines.leans`). There is no distribution.

    - A stance, also after a scenario: the lean of the opening answers, put onto the scale.
    - An experience: the middle of the scale, since it is no stance.
    - A reason's weight: the lean of all answers between caring for the reason and not; by words,
      the share of the reason's words that the answers hold.
    - A sign: the lean of the three answers nearest to the factor, between raising and lowering the
      outcome; 0 is a plus.

    Protocol: any, as it uses nobody's answers (zero-shot).

    Parameters
    ----------
    by
        "vectors", "words", or "auto": vectors where the default sentence encoder is installed.
        `settings` says which it was.
    opening
        Turns from the start, without probes of an effect, that the stance is read from; where
        there are none, all turns.
    encoder
        What makes vectors; None for the default one.
    """

    by: Anchoring = "auto"
    opening: int = 10
    encoder: Encoder | None = None

    name = "anchors"

    def __post_init__(self) -> None:
        if self.by not in get_args(Anchoring):
            raise SurveyError(
                f"'by' must be a way to compare, got {self.by!r}. "
                f"{suggestions(self.by, get_args(Anchoring))}"
            )

    @property
    def settings(self) -> dict[str, Any]:
        """By what, and how many opening turns."""
        by = self._by()
        vectors = {"vectors": encoder_name(self.encoder)} if by == "vectors" else {}
        return {"by": by, "opening": self.opening, "anchors_version": _VERSION, **vectors}

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer with the lean; `details` holds it and what it is about."""
        turns = [t for t in item.context.turns if t.role == "interview" and t.answer.strip()]
        if not turns:
            return Prediction(could_not="the interview holds no answers")
        asked, scale = item.question, item.scale
        if asked.task == "bdu_stance" and asked.role == "experience":
            return Prediction(value=scale.middle, explanation="an experience is no stance")
        lean, about = self._lean(asked, item.context, turns)
        details = {"lean": lean, "about": about}
        if asked.task == "bsi":
            return Prediction(value=scale.high if lean >= 0 else scale.low, details=details)
        wanted = scale.low + (scale.high - scale.low) * (1 + lean) / 2
        nearest = min(scale.points, key=lambda point: (abs(point - wanted), point))
        return Prediction(value=nearest, details=details)

    def _lean(
        self, asked: Question, context: Transcript, turns: Sequence[Turn]
    ) -> tuple[float, str]:
        """Return the lean and what it is about."""
        reader = self._reader()
        answers = [turn.answer for turn in turns]
        if asked.task == "bsi":
            factor = asked.factor or asked.text
            near = reader.nearest(answers, factor, _NEAR)
            said = [answers[n] for n in near]
            return reader.effect(
                said, factor, *_fill(_SIGN, factor, asked.outcome or "support")
            ), factor
        if asked.task == "bdu_reason":
            reason = asked.reason or _reason(asked.text)
            return reader.mention(answers, reason, *_fill(_WEIGHT, reason)), reason
        about = stance_object(asked, context)
        opening = [t.answer for t in turns[: self.opening] if not _PROBE.search(t.question)]
        return reader.judgement(opening or answers, about, *_fill(_STANCE, about)), about

    def _by(self) -> Anchoring:
        if self.by != "auto":
            return self.by
        return "vectors" if self.encoder is not None or has_sentence_vectors() else "words"

    def _reader(self) -> Lean:
        if self._by() == "words":
            return WordLean()
        return VectorLean(self.encoder or load_encoder())


def stance_object(asked: Question, context: Transcript) -> str:
    """Return what a stance is about: as the question names it, else the interview, else the topic.

    >>> from beliefgraph.survey import Scale
    >>> asked = Question(
    ...     question_id="q", topic="night_buses", task="bdu_stance", scale=Scale.between(1, 5),
    ...     text="How far do you support or oppose more night buses?",
    ... )
    >>> stance_object(asked, Transcript(turns=()))
    'more night buses'
    """
    for text in (asked.text, *(turn.question for turn in context.turns)):
        match = _OBJECT.search(text)
        if match:
            return " ".join(match["object"].split())
    return re.sub(r"[_-]+", " ", asked.topic).strip()


def _reason(text: str) -> str:
    """Return a reason as the question words it, without the question around it."""
    found = list(_REASON.finditer(text))
    return " ".join(found[-1]["reason"].split()) if found else text


def _fill(
    anchors: tuple[tuple[str, ...], tuple[str, ...]], x: str, y: str = ""
) -> tuple[list[str], list[str]]:
    """Put what it is about into the statements for and against."""
    pro, con = ([text.replace("{x}", x).replace("{y}", y) for text in side] for side in anchors)
    return pro, con
