"""What a predictor may know, by protocol: the harness hands out nothing else.

| protocol | other people's answers | the person's own answers |
|---|---|---|
| zero-shot | never | never |
| population-informed | to fit on, the person left out | never |
| state-given | to fit on, the person left out | those from before any scenario |

A sign item (BSI) shows its own context and no other interview, since the answer that one item hides
stands open in another's context. A stance or reason item shows its own context for its topic, and
the person's interviews on other topics. Where a control shows an interview on another topic in its
place, that is all that is shown. Under *state-given* the baseline stance and the baseline
weights of reasons are given; what is asked for are later stances whose baseline is known, and later
weights of reasons whose earlier weight is.
"""

from __future__ import annotations

from collections.abc import Sequence

from beliefgraph.benchmark.run import Protocol
from beliefgraph.survey import Item, ItemSet, Person, Response

__all__ = ["asked", "training_people", "visible_person"]


def asked(items: ItemSet, protocol: Protocol) -> list[Item]:
    """Return the items that a protocol asks; under *state-given* those whose start is given."""
    if protocol != "state-given":
        return list(items)
    known = {_start(item) for item in items if _is_state(item)}
    return [
        item
        for item in items
        if item.question.task != "bsi" and not _is_state(item) and _start(item) in known
    ]


def visible_person(items: ItemSet, item: Item, protocol: Protocol) -> Person:
    """Return what a protocol lets a predictor know of the person whom an item is about."""
    person = items.people[item.participant]
    transcripts = {item.context.topic or item.topic: item.context}
    if item.question.task != "bsi":
        transcripts = {**person.transcripts, **transcripts}
    responses: tuple[Response, ...] = ()
    if protocol == "state-given":
        responses = tuple(
            Response(question=each.item.question, values=each.values)
            for each in items.answered_by(item.participant)
            if _is_state(each.item)
        )
    return person.replace(transcripts=transcripts, responses=responses)


def training_people(items: ItemSet, left_out: Sequence[str]) -> list[Person]:
    """Return all people but some, each with all own responses."""
    out = set(left_out)
    answering = dict.fromkeys(item.participant for item in items)
    return [items.answered_person(name) for name in answering if name not in out]


def _is_state(item: Item) -> bool:
    """Whether an item asks for the stance, or the weight of a reason, before any scenario."""
    return item.question.task != "bsi" and item.question.role == "baseline"


def _start(item: Item) -> tuple[str, str, str, str | None]:
    """Return what an item shares with the baseline item that it starts from."""
    question = item.question
    return (item.participant, question.topic, question.task, question.reason_code)
