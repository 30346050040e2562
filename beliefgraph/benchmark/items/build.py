"""Your own study as items: a survey, a table of responses and interviews."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from beliefgraph.benchmark.items.interviews import (
    Interviews,
    gather_interviews,
    read_interviews,
)
from beliefgraph.benchmark.items.signs import SignAnswer, read_signs
from beliefgraph.benchmark.items.tables import (
    Answer,
    Responses,
    read_demographics,
    read_responses,
)
from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey import (
    SIGN_SCALE,
    AnsweredItem,
    Item,
    ItemSet,
    Person,
    Question,
    Survey,
)
from beliefgraph.survey.hugagent.questions import sign_question_id
from beliefgraph.survey.survey_file import read_survey
from beliefgraph.transcript import LeftOut, Transcript

__all__ = ["build_items"]


def build_items(
    survey: Survey | str | Path,
    responses: Mapping[str, Mapping[str, int]] | str | Path,
    transcripts: Iterable[Transcript] | str | Path,
    demographics: Mapping[str, Mapping[str, str]] | str | Path | None = None,
    *,
    signs: Iterable[SignAnswer] | str | Path | None = None,
) -> ItemSet:
    """Make items of a study's survey, responses and interviews.

    Parameters
    ----------
    survey
        The questions, or a survey file.
    responses
        Answers by participant and question id, or a table, wide or long (see `read_responses`).
    transcripts
        Interviews, or their folder; a file's person and topic come from its content, or from its
        name, `PARTICIPANT_TOPIC.csv`.
    demographics
        What is known of the people, or a table of it with a participant column.
    signs
        Signs of effects, for belief-state items, or a table of them (see `read_signs`); a hidden
        turn is taken out of its own item's context.

    Returns
    -------
    ItemSet
        One item an answer, in the order of the people and of the survey, then the signs.
        `left_out` lists every missing answer, interviews without answers, and parts of interviews
        that are no turn.

    Raises
    ------
    SurveyError
        An answer is off its scale, a question or topic is unknown, or a person with answers has no
        interview on their topic; names file, row, column, rule, value and fix.
    """
    asked = survey if isinstance(survey, Survey) else read_survey(survey)
    given = _responses(responses, asked)
    interviews = (
        read_interviews(transcripts, asked)
        if isinstance(transcripts, str | Path)
        else gather_interviews(transcripts, asked)
    )
    known = (
        read_demographics(demographics) if isinstance(demographics, str | Path) else demographics
    )
    stated = list(read_signs(signs) if isinstance(signs, str | Path) else signs or ())
    answered = [
        *_updates(asked, given, interviews),
        *(_sign_item(each, n, interviews) for n, each in _numbered(stated)),
    ]
    if not answered:
        raise SurveyError("the study holds no answer, so there is no item")
    people = {
        who: Person(
            participant=who,
            demographics=dict((known or {}).get(who, {})),
            transcripts=interviews.by_person[who],
        )
        for who in dict.fromkeys(each.item.participant for each in answered)
    }
    return ItemSet(
        answered=tuple(answered),
        people=people,
        left_out=(*given.missing, *_unused(interviews, known or {}, people), *interviews.left_out),
        source=str(responses) if isinstance(responses, str | Path) else asked.name,
    )


def _responses(
    responses: Mapping[str, Mapping[str, int]] | str | Path, survey: Survey
) -> Responses:
    if isinstance(responses, str | Path):
        return read_responses(responses, survey)
    questions = {question.question_id: question for question in survey.questions()}
    answers: dict[str, dict[str, Answer]] = {}
    missing: list[LeftOut] = []
    for who, own in responses.items():
        answers[who] = {}
        for name, value in own.items():
            where = f"participant {who!r}, question {name!r}"
            if name not in questions:
                raise SurveyError(f"{where}: not in the survey. {suggestions(name, questions)}")
            answers[who][name] = Answer(questions[name].scale.check(value, where), where)
        missing += [
            LeftOut(where=f"participant {who!r}, question {name!r}", why="no answer", text="")
            for name in questions
            if name not in own
        ]
    return Responses(answers, tuple(missing))


def _updates(survey: Survey, responses: Responses, interviews: Interviews) -> list[AnsweredItem]:
    questions = list(survey.questions())
    items = []
    for who, answers in responses.answers.items():
        for question in questions:
            if question.question_id in answers:
                answer = answers[question.question_id]
                context = _interview(interviews, who, question.topic, answer.where)
                item = Item(
                    item_id=f"{who}-{question.question_id}",
                    participant=who,
                    question=question,
                    context=context,
                )
                items.append(AnsweredItem(item=item, values=(answer.value,)))
    return items


def _sign_item(sign: SignAnswer, number: int, interviews: Interviews) -> AnsweredItem:
    full = _interview(interviews, sign.participant, sign.topic, sign.where)
    source = None
    if sign.qa_id is not None:
        source = next((turn for turn in full.turns if turn.qa_id == sign.qa_id), None)
        if source is None:
            turns = [turn.qa_id for turn in full.turns]
            raise SurveyError(
                f"{sign.where}: the interview of {sign.participant!r} on {sign.topic!r} has no "
                f"turn {sign.qa_id!r}. {suggestions(sign.qa_id, turns)}"
            )
    question = Question(
        question_id=sign_question_id(sign.topic, sign.factor, sign.outcome),
        topic=sign.topic,
        task="bsi",
        text=f"How much does {sign.factor} affect {sign.outcome} according to this person?",
        scale=SIGN_SCALE,
        factor=sign.factor,
        outcome=sign.outcome,
    )
    item = Item(
        item_id=f"{sign.participant}-{sign.topic}-sign-{number}",
        participant=sign.participant,
        question=question,
        context=full.replace(turns=tuple(turn for turn in full.turns if turn is not source)),
    )
    return AnsweredItem(item=item, values=sign.values, source=source)


def _numbered(signs: list[SignAnswer]) -> list[tuple[int, SignAnswer]]:
    """Number the signs of each interview from 1."""
    counts: Counter[tuple[str, str]] = Counter()
    numbered = []
    for sign in signs:
        counts[sign.participant, sign.topic] += 1
        numbered.append((counts[sign.participant, sign.topic], sign))
    return numbered


def _interview(interviews: Interviews, who: str, topic: str, where: str) -> Transcript:
    own = interviews.by_person.get(who, {})
    if topic in own:
        return own[topic]
    fix = (
        f"{who!r} has interviews on {', '.join(map(repr, own))}"
        if own
        else f"nobody of that name has an interview. {suggestions(who, interviews.by_person)}"
    )
    raise SurveyError(
        f"{where}: participant {who!r} has an answer on topic {topic!r} and no interview on it: "
        f"{fix} Add a file {who}_{topic.replace(' ', '-')}.csv, or take the answers out"
    )


def _unused(
    interviews: Interviews,
    demographics: Mapping[str, Mapping[str, str]],
    people: Mapping[str, Person],
) -> list[LeftOut]:
    """List who has an interview or demographics and no answer: perhaps a misspelt name."""
    return [
        LeftOut(where=f"participant {who!r}", why=f"has {what} and no answer", text="")
        for what, names in (("an interview", interviews.by_person), ("demographics", demographics))
        for who in names
        if who not in people
    ]
