"""Items with their answers: what a harness holds and a predictor never sees whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

from pydantic import Field, model_validator

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.records import Record
from beliefgraph.survey.items import Item, Person, Response
from beliefgraph.transcript import LeftOut, Turn

__all__ = ["AnsweredItem", "ItemSet"]


class AnsweredItem(Record):
    """An item and its answer."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    item: Item
    """What is asked, and what may be read."""
    values: tuple[int, ...] = Field(min_length=1)
    """The answer; two values where either counts as right ("A/B")."""
    source: Turn | None = None
    """The hidden turn that a sign was taken from, where the file names one."""

    @model_validator(mode="after")
    def _on_scale(self) -> Self:
        for value in self.values:
            self.item.scale.check(value, f"item {self.item.item_id!r}: the answer")
        return self

    def as_response(self) -> Response:
        """Return question and answer as one of the person's responses."""
        return Response(question=self.item.question, values=self.values, context=self.item.context)


@dataclass(frozen=True)
class ItemSet:
    """Items with answers, the people they are about, and what could not be read."""

    answered: tuple[AnsweredItem, ...]
    """In the order of the files."""
    people: Mapping[str, Person]
    """By pseudonym: demographics and interviews, without responses."""
    left_out: tuple[LeftOut, ...] = ()
    """What the files held besides and why it is no item."""
    source: str | None = None
    """Where the items came from."""
    context_policy: str = "released"
    """How the contexts were changed since (`beliefgraph.benchmark.contexts`)."""

    def __post_init__(self) -> None:
        counts = Counter(each.item.item_id for each in self.answered)
        twice = [item_id for item_id, n in counts.items() if n > 1]
        if twice:
            raise SurveyError(f"item {twice[0]!r} stands {counts[twice[0]]} times; ids are unique")
        for each in self.answered:
            if each.item.participant not in self.people:
                raise SurveyError(
                    f"item {each.item.item_id!r} is about {each.item.participant!r}, who is not "
                    "among the people"
                )

    def __len__(self) -> int:
        return len(self.answered)

    def __iter__(self) -> Iterator[Item]:
        return (each.item for each in self.answered)

    @cached_property
    def by_id(self) -> dict[str, AnsweredItem]:
        """Items with answers by their id."""
        return {each.item.item_id: each for each in self.answered}

    @cached_property
    def _by_participant(self) -> dict[str, tuple[AnsweredItem, ...]]:
        own: dict[str, list[AnsweredItem]] = {}
        for each in self.answered:
            own.setdefault(each.item.participant, []).append(each)
        return {name: tuple(items) for name, items in own.items()}

    def answered_by(self, participant: str) -> tuple[AnsweredItem, ...]:
        """Return the items about one person, with answers."""
        return self._by_participant.get(participant, ())

    def answered_person(self, participant: str) -> Person:
        """Return a person with all own answers, as training data for others' predictions."""
        own = [each.as_response() for each in self.answered_by(participant)]
        return self.people[participant].replace(responses=tuple(own))

    def replace_items(self, answered: tuple[AnsweredItem, ...], context_policy: str) -> Self:
        """Return a set with other items of the same people."""
        return type(self)(answered, self.people, self.left_out, self.source, context_policy)

    def __repr__(self) -> str:
        return f"<ItemSet: {len(self)} items of {len(self.people)} people>"
