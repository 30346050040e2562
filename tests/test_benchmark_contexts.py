"""Context policies: what the items still show, and that nothing else changes."""

from __future__ import annotations

from pathlib import Path

import pytest

import beliefgraph as bg
from beliefgraph.benchmark.contexts import POLICIES, apply_context, count_changed, strict_reason
from beliefgraph.survey import SIGN_SCALE, AnsweredItem, Item, ItemSet, Person, Question
from beliefgraph.transcript import Transcript, Turn
from tests.items_invented import invented_items

TAIL = " Does it have a positive effect (increasing it) or a negative effect (decreasing it)?"
ASKED = "Does Bus speed have a positive or negative effect on Support for bus lanes?"
SAID = "It is positive since nobody I know likes to stand in traffic every morning."


def turn(number: int, question: str = ASKED, answer: str = SAID) -> Turn:
    return Turn(qa_id=str(number), question=question, answer=answer)


def sign_item(*turns: Turn, source: Turn | None = None) -> AnsweredItem:
    question = Question(
        question_id="q",
        topic="buses",
        task="bsi",
        text="How much does the speed of buses affect support for bus lanes?",
        scale=SIGN_SCALE,
        factor="the speed of buses",
        outcome="support for bus lanes",
    )
    context = Transcript(turns=turns, participant="P1", topic="buses")
    item = Item(item_id="i", participant="P1", question=question, context=context)
    return AnsweredItem(item=item, values=(1,), source=source)


def one(answered: AnsweredItem) -> ItemSet:
    return ItemSet((answered,), {"P1": Person(participant="P1")})


def numbers(items: ItemSet, name: str = "i") -> list[str]:
    return [t.qa_id for t in items.by_id[name].item.context.turns]


GIVES_AWAY = {
    "the turn itself": turn(5),
    "its question with a tail": turn(5, ASKED + TAIL, "It does."),
    "in other case and punctuation": turn(5, ASKED.upper().replace("?", " ?!"), "yes"),
    "the question cut off": turn(5, ASKED[:50], "yes"),
    "its answer cut off": turn(5, "And?", SAID[:50]),
    "its answer with a stutter": turn(5, "And?", SAID.replace("nobody", "no nobody")),
    "the same effect in another template": turn(
        5,
        "How confident are you that changes in Bus speed lead to changes in Support for bus lanes?",
        "Very.",
    ),
    "the effect that the item asks for": turn(
        5,
        "Does the speed of buses have a positive or negative effect on support for bus lanes?",
        "Positive.",
    ),
}
HARMLESS = {
    "another cause": turn(5, ASKED.replace("Bus speed", "Traffic noise"), "Negative, it does."),
    "the other direction": turn(
        5,
        "Does Support for bus lanes have a positive or negative effect on Bus speed?",
        "Perhaps it does.",
    ),
    "a short answer that recurs": turn(5, "And noise?", "It is positive"),
    "an open question": turn(5, "What do you think of buses?", "They are slow and late and full."),
    "an empty answer": turn(5, "And?", ""),
}


@pytest.mark.parametrize("name", GIVES_AWAY)
def test_strict_removes_what_gives_the_answer_away(name: str) -> None:
    answered = sign_item(turn(1, "Why?", "So."), GIVES_AWAY[name], source=turn(3))
    items = one(answered)
    strict = apply_context(items, "strict")
    assert numbers(items) == ["1", "5"]
    assert numbers(strict) == ["1"]
    assert count_changed(items, strict) == 1
    assert strict_reason(answered, GIVES_AWAY[name]) is not None


@pytest.mark.parametrize("name", HARMLESS)
def test_strict_keeps_the_rest(name: str) -> None:
    items = one(sign_item(HARMLESS[name], source=turn(3)))
    assert apply_context(items, "strict").answered == items.answered


def test_a_short_answer_is_no_copy_whatever_its_question() -> None:
    source = turn(3, ASKED, "very confident, positive effect and strong")
    other = turn(5, "Is noise bad?", "very confident, positive effect and strong")
    assert strict_reason(sign_item(other, source=source), other) is None
    longer = source.replace(answer=source.answer + " as I said")
    assert strict_reason(sign_item(source=longer), other.replace(answer=longer.answer)) == (
        "holds the same answer"
    )


def test_strict_needs_no_source() -> None:
    items = one(sign_item(GIVES_AWAY["the effect that the item asks for"], turn(6)))
    assert numbers(apply_context(items, "strict")) == ["6"]


def test_strict_leaves_other_tasks_alone_and_is_done_once() -> None:
    items = invented_items()
    strict = apply_context(items, "strict")
    for before, after in zip(items.answered, strict.answered, strict=True):
        if before.item.question.task != "bsi":
            assert before == after
    assert count_changed(strict, apply_context(strict, "strict")) == 0


@pytest.mark.parametrize(
    ("policy", "left"),
    [
        ("released", "12345"),
        ("first:2", "12"),
        ("first:0", ""),
        ("first:9", "12345"),
        ("last:2", "45"),
        ("last:0", ""),
        ("last:9", "12345"),
        ("drop-first:2", "345"),
        ("drop-first", ""),
        ("moved:2", "34512"),
        ("moved", "12345"),
        ("none", ""),
    ],
)
def test_policies_by_place(policy: str, left: str) -> None:
    items = one(sign_item(*(turn(n, f"{n}?", f"{n}.") for n in range(1, 6))))
    changed = apply_context(items, policy)
    assert "".join(numbers(changed)) == left
    assert count_changed(items, changed) == (left != "12345")
    assert changed.context_policy == policy


def test_policies_add_up_in_their_name() -> None:
    items = invented_items()
    both = apply_context(apply_context(items, "strict"), "first:5")
    assert both.context_policy == "strict then first:5"
    assert apply_context(both, "released").context_policy == "strict then first:5"


def test_early_turns_are_replaced_by_another_persons_on_another_topic() -> None:
    items = invented_items()
    for seed in range(5):
        changed = apply_context(items, "replaced:3", seed=seed)
        for before, after in zip(items.answered, changed.answered, strict=True):
            who, topic = before.item.participant, before.item.topic
            own, shown = before.item.context.turns, after.item.context.turns
            assert [t.qa_id for t in shown] == [t.qa_id for t in own]
            assert shown[3:] == own[3:]
            for t in shown[:3]:
                assert not t.answer.startswith(f"{who} ")
                assert topic not in t.answer
    assert apply_context(items, "replaced", seed=1).answered == (
        apply_context(items, "replaced", seed=1).answered
    )


def test_every_interview_gives_once_where_that_can_be() -> None:
    items = invented_items()
    changed = apply_context(items, "replaced:1", seed=3)
    donors = {
        (each.item.participant, each.item.topic): each.item.context.turns[0].answer
        for each in changed.answered
    }
    assert len(set(donors.values())) == len(donors)


def test_a_lone_person_has_no_donor() -> None:
    with pytest.raises(bg.SurveyError, match="needs a second person with a second topic"):
        apply_context(one(sign_item(turn(1))), "replaced")


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ("strikt", "is not known. Did you mean 'strict'"),
        ("first", "the number of turns must be a whole number, as in 'first:5'"),
        ("first:-1", "must be a whole number"),
        ("moved:x", "must be a whole number"),
        ("none:3", "takes no number"),
        ("", "is not known"),
    ],
)
def test_unknown_policies_are_refused(policy: str, message: str) -> None:
    with pytest.raises(bg.SurveyError, match=message):
        apply_context(invented_items(), policy)


@pytest.mark.parametrize("name", POLICIES)
def test_only_the_contexts_change(name: str) -> None:
    items = invented_items()
    before = items.answered
    policy = f"{name}:2" if name in ("first", "last") else name
    changed = apply_context(items, policy)
    assert items.answered is before
    assert items.context_policy == "released"
    assert changed.people == items.people
    for one_, other in zip(before, changed.answered, strict=True):
        assert one_.values == other.values
        assert one_.source == other.source
        assert one_.item.replace(context=other.item.context) == other.item


def test_no_policy_but_replaced_adds_a_turn() -> None:
    pytest.importorskip("hypothesis")
    from hypothesis import given, settings
    from hypothesis import strategies as st

    items = invented_items()

    @settings(max_examples=25, deadline=None)
    @given(st.sampled_from(["first", "last", "drop-first", "moved"]), st.integers(0, 12))
    def holds(name: str, count: int) -> None:
        changed = apply_context(items, f"{name}:{count}")
        for each in changed.answered:
            own = items.by_id[each.item.item_id].item.context.turns
            shown = each.item.context.turns
            expected = {"drop-first": max(len(own) - count, 0), "moved": len(own)}
            assert set(shown) <= set(own)
            assert len(shown) == expected.get(name, min(count, len(own)))

    holds()


def test_the_real_items(hugagent: Path) -> None:
    items = bg.read_items(hugagent, strict=False)
    strict = apply_context(items, "strict")
    signs = [each for each in items.answered if each.item.question.task == "bsi"]
    changed = count_changed(items, strict)
    assert changed == count_changed(
        ItemSet(tuple(signs), items.people), strict
    )  # only sign items change
    # An oracle apart from the code: the hidden answer stands in the context word for word.
    hidden = [(each.source.answer if each.source else "").strip() for each in signs]
    whole = sum(
        len(answer.split()) > 7
        and any(answer == turn.answer.strip() for turn in each.item.context.turns)
        for each, answer in zip(signs, hidden, strict=True)
    )
    assert 0.15 < whole / len(signs) <= changed / len(signs) < 0.35
    for each in strict.answered:
        if each.item.question.task == "bsi":
            assert each.source is not None
            shown = each.item.context.turns
            assert (each.source.question, each.source.answer) not in [
                (t.question, t.answer) for t in shown
            ]
            assert all(strict_reason(each, t) is None for t in shown)
