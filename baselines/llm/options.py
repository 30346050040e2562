"""The answers that a language model chooses from: one capital letter each.

A letter is one token wherever tokens are made, "10" is one with some models and two with others; so
every point of a scale is called by a letter, A for the least, and a log-probability belongs to one
answer alone. Of the signs A is the positive one, as the items code it.
"""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, Final

from beliefgraph.errors import SurveyError
from beliefgraph.survey import Question

__all__ = ["Option", "answer_schema", "options_of"]

_SIGNS: Final = (("A", 1, "positive"), ("B", -1, "negative"))
_ENDS: Final = {
    "bdu_stance": ("least support", "most support"),
    "bdu_reason": ("no influence at all", "very strong influence"),
}
"""What the ends of a scale without labels mean, by task."""


@dataclass(frozen=True)
class Option:
    """One answer that can be given."""

    letter: str
    """What the model calls it."""
    point: int
    """The point of the scale."""
    words: str = ""
    """What it means, where that has words."""
    numbered: bool = True
    """Whether the number itself is shown, and may be said."""
    also: tuple[str, ...] = ()
    """Other words by which it may be called."""

    @property
    def meaning(self) -> str:
        """Number and words, as the prompt shows them."""
        if not self.numbered:
            return self.words
        return f"{self.point} ({self.words})" if self.words else str(self.point)


def options_of(question: Question) -> tuple[Option, ...]:
    """Return the options of a question, in the order of their letters.

    Raises
    ------
    SurveyError
        The scale has more points than there are letters.

    Examples
    --------
    >>> from beliefgraph.survey import Scale
    >>> q = Question(question_id="q", topic="t", task="bdu_stance", text="?",
    ...              scale=Scale.between(1, 10))
    >>> [option.letter for option in options_of(q)][-1], options_of(q)[-1].meaning
    ('J', '10 (most support)')
    """
    scale = question.scale
    if question.task == "bsi":
        return tuple(
            Option(letter, point, f"a {sign} effect", False, (sign, f"{sign} effect"))
            for letter, point, sign in _SIGNS
        )
    if len(scale.points) > len(ascii_uppercase):
        raise SurveyError(
            f"question {question.question_id!r}: a language model is offered one letter an "
            f"answer, and the scale {scale} has {len(scale.points)} points; at most "
            f"{len(ascii_uppercase)} are possible"
        )
    words = scale.labels
    if not words:
        low, high = _ENDS[question.task]
        words = (low, *[""] * (len(scale.points) - 2), high)
    return tuple(
        Option(letter, point, said)
        for letter, point, said in zip(ascii_uppercase, scale.points, words, strict=False)
    )


def answer_schema(options: tuple[Option, ...], *, reasoned: bool) -> dict[str, Any]:
    """Return the JSON schema of an answer: a letter, after reasoning where that is asked for."""
    answer = {"type": "string", "enum": [option.letter for option in options]}
    properties: dict[str, Any] = {"reasoning": {"type": "string"}} if reasoned else {}
    properties["answer"] = answer
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
