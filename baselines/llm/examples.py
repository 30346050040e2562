"""Other people's answers as examples: which are shown for a question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from beliefgraph.survey import Item, Person, Question, Response

__all__ = ["Example", "choose_examples"]


@dataclass(frozen=True)
class Example:
    """One answer of another person."""

    person: Person
    response: Response


def choose_examples(
    people: Sequence[Person], item: Item, count: int, seed: int
) -> tuple[Example, ...]:
    """Return answers of other people, the nearest kind of question first, one a person and kind.

    Answers to the same question come first; then, of people not yet taken, to questions of the same
    kind and role on the topic; then of the same kind anywhere. Only answers on the item's own scale
    count. Within a kind the order is drawn by the seed and the question alone, never by whom the
    item is about, who is never an example.

    Parameters
    ----------
    people
        With their responses.
    item
        What is asked.
    count
        Most examples.
    seed
        Of the order.
    """
    chosen: dict[str, Example] = {}
    others = [person for person in people if person.participant != item.participant]
    for nearness in range(3):
        for person in sorted(others, key=lambda p: _draw(seed, item.question, p.participant)):
            if len(chosen) == count:
                return tuple(chosen.values())
            if person.participant in chosen:
                continue
            fitting = [r for r in person.responses if _near(r.question, item.question) == nearness]
            if fitting:
                best = min(fitting, key=lambda r: _draw(seed, item.question, r.question.text))
                chosen[person.participant] = Example(person, best)
    return tuple(chosen.values())


def _near(known: Question, asked: Question) -> int | None:
    """Return 0 for the same question, 1 for its kind on the topic, 2 for its kind, else None."""
    if (known.task, known.scale) != (asked.task, asked.scale):
        return None
    if known.topic == asked.topic and known.question_id == asked.question_id:
        return 0
    return 1 if (known.topic, known.role) == (asked.topic, asked.role) else 2


def _draw(seed: int, question: Question, what: str) -> bytes:
    text = f"{seed}\0{question.topic}\0{question.question_id}\0{what}"
    return hashlib.sha256(text.encode()).digest()
