"""A small invented set of items: three people, two topics, stances, reasons and signs."""

from __future__ import annotations

from beliefgraph import Transcript, Turn
from beliefgraph.survey import (
    SIGN_SCALE,
    AnsweredItem,
    Item,
    ItemSet,
    Person,
    Question,
    Survey,
)

SURVEY = Survey.model_validate(
    {
        "topics": [
            {
                "topic": topic,
                "stance": {"id": f"{topic}1", "text": f"How far do you support {topic}?"},
                "reasons": {"A": "It saves money.", "B": "It is noisy."},
                "scenarios": [
                    {
                        "id": f"{topic}2",
                        "text": "How would that change your stance?",
                        "scenario": "It turns out to be cheap.",
                        "reasons": ["A"],
                    }
                ],
            }
            for topic in ("trams", "parks")
        ]
    }
)
ANSWERS: dict[str, tuple[int, ...]] = {
    "P1": (8, 5, 1, 9, 5),
    "P2": (3, 2, 4, 3, 2),
    "P3": (5, 3, 3, 7, 4),
}
"""Stance, weights of A and B; stance and weight of A after the scenario; alike on both topics."""
SIGNS = {"P1": 1, "P2": -1, "P3": 1}


def interview(participant: str, topic: str, note: str = "") -> Transcript:
    """Make an interview of eight turns in which every answer names person, topic and turn."""
    return Transcript(
        turns=tuple(
            Turn(
                qa_id=str(n),
                question=f"Question {n} about {topic}?",
                answer=f"{participant} says {n} of {topic}.{note}",
            )
            for n in range(1, 9)
        ),
        participant=participant,
        topic=topic,
    )


def invented_items(answers: dict[str, tuple[int, ...]] | None = None) -> ItemSet:
    """Make the items; other answers give the same items with other gold."""
    given = answers or ANSWERS
    answered = []
    for topic in SURVEY.topics:
        for who, values in given.items():
            for question, value in zip(topic.questions(), values, strict=True):
                item = Item(
                    item_id=f"{who}-{question.question_id}",
                    participant=who,
                    question=question,
                    context=interview(who, topic.topic),
                )
                answered.append(AnsweredItem(item=item, values=(value,)))
            sign = Question(
                question_id="sign",
                topic=topic.topic,
                task="bsi",
                text="How much does cost affect support according to this person?",
                scale=SIGN_SCALE,
                factor="cost",
                outcome="support",
            )
            hidden = Turn(qa_id="9", question="Does cost matter?", answer="The hidden answer.")
            item = Item(
                item_id=f"{who}-{topic.topic}-sign",
                participant=who,
                question=sign,
                context=interview(who, topic.topic, " This version hides turn 9."),
            )
            answered.append(AnsweredItem(item=item, values=(SIGNS[who],), source=hidden))
    people = {
        who: Person(
            participant=who,
            demographics={"age": f"{30 + n}"},
            transcripts={t.topic: interview(who, t.topic) for t in SURVEY.topics},
        )
        for n, who in enumerate(given)
    }
    return ItemSet(tuple(answered), people, source="invented")
