"""What the most similar other person answered to the same question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from statistics import fmean, median_low
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from beliefgraph.baselines.answer_vectors import (
    encoder_name,
    find_answer_encoder,
    interview_vector,
)
from beliefgraph.baselines.demographic_features import NumericRanges
from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey import Item, Person, Prediction, Predictor, Question
from beliefgraph.text import Encoder, lexical_tie

__all__ = ["NearestPersonPredictor", "Nearness"]

FloatArray = NDArray[np.float64]
Nearness: TypeAlias = Literal["demographics", "interview", "both"]

_LIKE_FACTOR: Final = 0.75
"""Least tie of two factors whose signs stand for each other."""


@dataclass(frozen=True)
class _Other:
    """Another person, with all that people are compared by."""

    person: Person
    vectors: dict[str, FloatArray]
    """Mean answer by topic, where interviews are compared."""


@dataclass(frozen=True)
class NearestPersonPredictor:
    """Answers with the answer of the most similar person among those who were asked the same.

    Where the protocol gives own answers (state-given), people are compared by the answers to the
    questions that both know: the sum of `1 - difference / range` over these questions, divided by
    one more than their number, so that many shared answers count more than one; those who share no
    question come after. Where nobody shares any, people are compared by demographics (Gower's
    similarity), by the cosine of their interviews' mean vectors (mean over the topics that both
    have), or by the mean of the two. Equally similar people are taken in the order of their names.

    A sign is that of the nearest people who were asked about a like factor (by its words; turned
    around for an opposite one), and failing these, the more frequent sign of the nearest people who
    were asked any on the topic.

    Protocol: population-informed or state-given. Under zero-shot, where nobody else answered the
    question, and where nothing is known to compare by, there is no prediction.

    Parameters
    ----------
    k
        How many people; of their answers the median (the lower of two) is taken.
    by
        "demographics", "interview" or "both", where own answers are not given.
    encoder
        Vectors of interviews; None for the default sentence encoder where installed, else hashed
        words (scikit-learn).
    """

    k: int = 1
    by: Nearness = "demographics"
    encoder: Encoder | None = None
    others: tuple[_Other, ...] = ()
    """By name; empty until fitted."""
    ranges: NumericRanges | None = None

    name = "nearest-person"

    def __post_init__(self) -> None:
        if self.by not in get_args(Nearness):
            raise SurveyError(
                f"'by' must be a way to compare people, got {self.by!r}. "
                f"{suggestions(self.by, get_args(Nearness))}"
            )
        if self.k < 1:
            raise SurveyError(f"'k' must be the number of nearest people, 1 or more, got {self.k}")

    @property
    def settings(self) -> dict[str, Any]:
        """How many, and compared by what."""
        vectors = {} if self.by == "demographics" else {"vectors": encoder_name(self.encoder)}
        return {"k": self.k, "by": self.by, **vectors}

    def fit(self, people: Sequence[Person]) -> Predictor:
        """Return a predictor that knows these people.

        Raises
        ------
        MissingPackageError
            Interviews are compared, and nothing that makes vectors is installed.
        """
        return replace(
            self,
            others=tuple(
                _Other(person, self._vectors(person))
                for person in sorted(people, key=lambda person: person.participant)
            ),
            ranges=NumericRanges.of([person.demographics for person in people]),
        )

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer with the nearest people's; `details` names them with their similarity."""
        if not self.others:
            return Prediction(
                could_not="nobody else's answers are known: needs the protocol population-informed"
            )
        candidates = next(
            (
                found
                for find in _WAYS[item.question.task == "bsi"]
                if (found := [(o, own) for o in self.others if (own := find(o, item.question))])
            ),
            [],
        )
        if not candidates:
            return Prediction(could_not="nobody else answered the question")
        target = _Other(person, self._vectors(person))
        ranked = sorted(
            (*nearness, other.person.participant, answers)
            for other, answers in candidates
            if (nearness := self._nearness(target, other)) is not None
        )
        if not ranked:
            return Prediction(could_not="nothing is known of the person to compare others by")
        chosen = ranked[: self.k]
        answers = [answer for *_, own in chosen for answer in own]
        people = {name: round(-negative, 4) for _, negative, name, _ in chosen}
        return _answer(item, answers).replace(details={"nearest": people})

    def _nearness(self, one: _Other, other: _Other) -> tuple[int, float] | None:
        """Return (0 if by own answers else 1, minus the similarity); None where unknown."""
        shared = _alike_answers(one.person, other.person)
        if shared:
            return 0, -sum(shared) / (len(shared) + 1)
        found = []
        if self.by != "interview" and self.ranges is not None:
            found.append(self.ranges.likeness(one.person.demographics, other.person.demographics))
        if self.by != "demographics":
            found.append(_alike_interviews(one, other))
        known = [value for value in found if not isnan(value)]
        return (1, -fmean(known)) if known else None

    def _vectors(self, person: Person) -> dict[str, FloatArray]:
        if self.by == "demographics":
            return {}
        encoder = self.encoder or find_answer_encoder()
        found = {
            topic: interview_vector(transcript, encoder)
            for topic, transcript in person.transcripts.items()
        }
        return {topic: vector for topic, vector in found.items() if vector is not None}


def _alike_answers(one: Person, other: Person) -> list[float]:
    """Return how alike two people's answers are, one number a question that both answered."""
    theirs = {(r.question.topic, r.question.question_id): r for r in other.responses}
    alike = []
    for own in one.responses:
        question = own.question
        same = theirs.get((question.topic, question.question_id))
        if same is not None and same.question.scale == question.scale:
            span = question.scale.high - question.scale.low
            alike.append(1 - abs(own.value - same.value) / span)
    return alike


def _alike_interviews(one: _Other, other: _Other) -> float:
    cosines = []
    for topic in sorted(one.vectors.keys() & other.vectors.keys()):
        a, b = one.vectors[topic], other.vectors[topic]
        length = float(np.linalg.norm(a) * np.linalg.norm(b))
        cosines.append(float(a @ b) / length if length else 0.0)
    return fmean(cosines) if cosines else nan


def _same_question(other: _Other, asked: Question) -> list[int]:
    return [
        response.value
        for response in other.person.responses
        if response.question.question_id == asked.question_id
        and (response.question.topic, response.question.task) == (asked.topic, asked.task)
        and response.question.scale == asked.scale
    ]


def _like_factor(other: _Other, asked: Question) -> list[int]:
    signs = []
    for response in other.person.responses:
        known = response.question
        if known.task == "bsi" and known.topic == asked.topic and known.factor and asked.factor:
            tie = lexical_tie(known.factor, asked.factor)
            if tie.similarity >= _LIKE_FACTOR:
                signs += [tie.polarity * value for value in response.values]
    return signs


def _any_sign(other: _Other, asked: Question) -> list[int]:
    return [
        value
        for response in other.person.responses
        if response.question.task == "bsi" and response.question.topic == asked.topic
        for value in response.values
    ]


_WAYS: Final[dict[bool, tuple[Callable[[_Other, Question], list[int]], ...]]] = {
    True: (_like_factor, _any_sign),
    False: (_same_question,),
}
"""Where to look for others' answers, for signs and for the rest: a way that finds none is left."""


def _answer(item: Item, answers: list[int]) -> Prediction:
    """Take the centre; the distribution is the share of each point, with one answer spread even."""
    points = item.scale.points
    shares = [(answers.count(p) + 1 / len(points)) / (len(answers) + 1) for p in points]
    value = median_low(answers)
    if item.question.task == "bsi":
        value = item.scale.high if sum(answers) >= 0 else item.scale.low
    return Prediction(value=value, distribution=tuple(shares))
