"""Controls: each changes what it says and nothing else; the predictor stays as it was fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from beliefgraph.benchmark.controls import control_names, run_controls
from beliefgraph.benchmark.run import ControlResult
from beliefgraph.errors import SurveyError
from beliefgraph.survey import Item, Person, Prediction, Predictor
from tests.items_invented import invented_items


@dataclass
class Reader:
    """Is right where the item shows the person's own words, and answers the least point if not."""

    name: str = "reader"
    settings: dict[str, Any] = field(default_factory=dict)
    seen: list[tuple[Item, Person]] = field(default_factory=list)

    def predict(self, item: Item, person: Person) -> Prediction:
        self.seen.append((item, person))
        own = any(turn.answer.startswith(item.participant) for turn in item.context.turns)
        return Prediction(value=item.scale.high if own else item.scale.low)


def result(name: str, **options: Any) -> tuple[ControlResult, list[tuple[Item, Person]]]:
    reader = Reader()
    (found,) = run_controls(reader, invented_items(), names=[name], **options)
    return found, reader.seen


def test_all_families_are_offered() -> None:
    names = control_names(invented_items())
    assert names[:5] == [
        "no-context",
        "no-context-no-demographics",
        "cross-person:interview",
        "cross-person:demographics",
        "cross-person:both",
    ]
    assert "cross-domain:trams>parks" in names
    assert "cross-domain:parks>trams" in names
    assert {"length:5", "length:16", "early:moved", "early:removed", "early:replaced"} < set(names)


def test_no_context_takes_the_interviews_and_leaves_demographics() -> None:
    found, seen = result("no-context")
    assert found.changed == found.items == 36  # 6 items a person and topic
    for item, person in seen:
        assert not item.context.turns
        assert all(not t.turns for t in person.transcripts.values())
        assert person.demographics
    _, seen = result("no-context-no-demographics")
    assert all(not person.demographics for _, person in seen)


def test_cross_person_gives_everyone_another_interview_on_the_same_topic() -> None:
    found, seen = result("cross-person:interview", draws=20)
    assert found.draws == 20
    for item, person in seen:
        first = item.context.turns[0].answer
        assert not first.startswith(item.participant)
        assert first.endswith(f"says 1 of {item.topic}.") or "hides turn 9" in first
        assert set(person.transcripts) == {item.topic}
    assert found.figures["bsi_acc"][0] is not None


def test_cross_person_demographics_leave_the_interview() -> None:
    _, seen = result("cross-person:demographics", draws=3)
    own = {"P1": "30", "P2": "31", "P3": "32"}
    for item, person in seen:
        assert person.demographics["age"] != own[item.participant]
        assert item.context.turns[0].answer.startswith(item.participant)


def test_cross_domain_asks_one_topic_with_the_interview_on_the_other() -> None:
    found, seen = result("cross-domain:trams>parks")
    assert found.items == 18
    for item, person in seen:
        assert item.topic == "parks"
        assert item.context.turns[0].answer == f"{item.participant} says 1 of trams."
        assert set(person.transcripts) == {"trams"}


def test_length_keeps_the_first_turns_and_says_where_it_is_saturated() -> None:
    found, seen = result("length:5")
    assert all(len(item.context.turns) == 5 for item, _ in seen)
    assert found.note is None
    longer, _ = result("length:10")
    assert longer.changed == 0
    assert longer.note == "saturated: 36 of 36 interviews have no more turns"


def test_a_control_lowers_the_figures_of_a_predictor_that_reads() -> None:
    with_own, _ = result("length:5")
    without, _ = result("no-context")
    own, none = with_own.figures["bsi_acc"][0], without.figures["bsi_acc"][0]
    assert own == pytest.approx(200 / 3)  # two of three signs are a plus
    assert none == pytest.approx(100 / 3)


def test_the_fit_is_on_unchanged_items() -> None:
    fitted: list[Sequence[Person]] = []

    class Fitting(Reader):
        def fit(self, people: Sequence[Person]) -> Predictor:
            fitted.append(people)
            return Reader()

    run_controls(Fitting(), invented_items(), names=["no-context"], protocol="population-informed")
    contexts = [r.context for people in fitted for p in people for r in p.responses]
    assert contexts
    assert all(context is not None and context.turns for context in contexts)


def test_an_unknown_control_gets_suggestions() -> None:
    with pytest.raises(SurveyError, match="Did you mean 'length:5'"):
        result("lenght:5")
