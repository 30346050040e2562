"""How well people agree with themselves: the ceiling from two waves of answers.

The first wave is the truth and the second the prediction, so that every metric of a run is one of
the ceiling too: ICC(A,1), quadratic kappa, agreement within tolerance, error and direction, with
intervals over people.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beliefgraph.benchmark.metrics import Variant
from beliefgraph.benchmark.run import Outcome
from beliefgraph.benchmark.uncertainty.bootstrap import Bootstrap, bootstrap
from beliefgraph.errors import SurveyError
from beliefgraph.survey import Person, Response

__all__ = ["Retest", "retest_ceiling", "retest_outcomes"]


@dataclass(frozen=True)
class Retest:
    """Two waves of answers, matched."""

    outcomes: tuple[Outcome, ...]
    """First wave as truth, second as prediction."""
    only_first: int
    """Answers of the first wave without a second."""
    only_second: int
    """Answers of the second wave without a first."""


def retest_outcomes(first: Sequence[Person], second: Sequence[Person]) -> Retest:
    """Match the answers of two waves by person, topic and question.

    Parameters
    ----------
    first, second
        People with their responses.

    Raises
    ------
    SurveyError
        No answer was given twice, a person stands twice in a wave, two responses of one person
        and topic have one `question_id`, or a question has another scale in the second wave.
    """
    before, after = _by_question(first, "first"), _by_question(second, "second")
    outcomes = tuple(
        _outcome(key, before[key], after[key]) for key in sorted(before.keys() & after.keys())
    )
    if not outcomes:
        raise SurveyError(
            "no question was answered by one person in both waves: responses are matched by "
            "participant, topic and question_id"
        )
    return Retest(outcomes, len(before) - len(outcomes), len(after) - len(outcomes))


def retest_ceiling(
    first: Sequence[Person],
    second: Sequence[Person],
    *,
    variant: Variant | None = None,
    seed: int = 0,
    n_resamples: int = 1000,
    level: float = 0.95,
) -> Bootstrap:
    """Score the second wave as a prediction of the first, with intervals over people.

    Parameters
    ----------
    first, second
        People with their responses, matched as by `retest_outcomes`.
    variant, seed, n_resamples, level
        As for `bootstrap`.
    """
    matched = retest_outcomes(first, second).outcomes
    return bootstrap(matched, variant=variant, seed=seed, n_resamples=n_resamples, level=level)


_Key = tuple[str, str, str]


def _by_question(people: Sequence[Person], wave: str) -> dict[_Key, Response]:
    found: dict[_Key, Response] = {}
    seen: set[str] = set()
    for person in people:
        if person.participant in seen:
            raise SurveyError(f"participant {person.participant!r} stands twice in the {wave} wave")
        seen.add(person.participant)
        for response in person.responses:
            question = response.question
            key = (person.participant, question.topic, question.question_id)
            if key in found:
                raise SurveyError(
                    f"participant {key[0]!r} answers question {key[2]!r} on {key[1]!r} twice in "
                    f"the {wave} wave; a wave has one answer a question"
                )
            found[key] = response
    return found


def _outcome(key: _Key, first: Response, second: Response) -> Outcome:
    question = first.question
    if question.scale.points != second.question.scale.points:
        raise SurveyError(
            f"question {key[2]!r} of participant {key[0]!r} is on {question.scale} in the first "
            f"wave and on {second.question.scale} in the second; a retest asks the same"
        )
    both = [value for value in second.values if value in first.values]
    return Outcome(
        item_id="/".join(key),
        participant=key[0],
        topic=question.topic,
        task=question.task,
        role=question.role,
        question_id=question.question_id,
        scale=question.scale,
        gold=first.values,
        value=both[0] if both else second.value,
    )
