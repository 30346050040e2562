"""A study of tables alone: answers to a survey, and nobody was interviewed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey import AnsweredItem, Item, ItemSet, Person, Question
from beliefgraph.transcript import LeftOut, Transcript

__all__ = ["table_items"]


def table_items(
    answers: Mapping[str, Mapping[str, int | None]],
    questions: Sequence[Question],
    *,
    demographics: Mapping[str, Mapping[str, str]] | None = None,
    source: str | None = None,
) -> ItemSet:
    """Make items of a table of answers; their context is an interview without turns.

    Parameters
    ----------
    answers
        Participant to question id to answer. None is a missing answer: it makes no item and is
        listed in `left_out`. A question that a participant lacks was not asked of that person.
    questions
        What was asked, such as `Survey.questions()`; ids are unique.
    demographics
        What is known of the people besides.
    source
        Where the table came from.

    Raises
    ------
    SurveyError
        An answer is to no question, off its scale, or two questions share an id.

    Examples
    --------
    >>> from beliefgraph.survey import Scale
    >>> support = Question(
    ...     question_id="support", topic="parks", task="bdu_stance", text="Do you support it?",
    ...     scale=Scale.between(1, 7),
    ... )
    >>> table_items({"P1": {"support": 6}, "P2": {"support": None}}, [support])
    <ItemSet: 1 items of 2 people>
    """
    known = {question.question_id: question for question in questions}
    if len(known) < len(questions):
        ids = [question.question_id for question in questions]
        twice = next(name for name in ids if ids.count(name) > 1)
        raise SurveyError(f"questions: the id {twice!r} stands {ids.count(twice)} times")
    answered: list[AnsweredItem] = []
    missing: list[LeftOut] = []
    for who, own in answers.items():
        for name, value in own.items():
            if name not in known:
                raise SurveyError(
                    f"answers of {who!r}: no question is called {name!r}. "
                    + suggestions(name, known)
                )
            where = f"{who}:{name}"
            if value is None:
                missing.append(LeftOut(where=where, why="no answer", text=""))
                continue
            question = known[name]
            item = Item(
                item_id=where,
                participant=who,
                question=question,
                context=Transcript(turns=(), participant=who, topic=question.topic),
            )
            answered.append(AnsweredItem(item=item, values=(value,)))
    people = {
        who: Person(participant=who, demographics=dict((demographics or {}).get(who, {})))
        for who in answers
    }
    return ItemSet(tuple(answered), people, tuple(missing), source)
