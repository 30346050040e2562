"""Context policies: which part of the interview the items show.

| policy | what an item's context becomes |
|---|---|
| `released` | what the file holds; shows a part of the hidden BSI answers |
| `strict` | without the turns that give a BSI item's answer away (see `strict_reason`) |
| `first:K`, `last:K` | only the first or last K turns |
| `drop-first:K` | without the first K turns |
| `moved:K` | the first K turns stand at the end |
| `replaced:K` | the first K turns are another person's on another topic |
| `none` | no turn |

K is 5 where `drop-first`, `moved` or `replaced` does not say. Only the contexts change: answers,
people and the interviews on other topics stay.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

import numpy as np

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.extractors.questions import effects_named_last, read_question
from beliefgraph.survey import AnsweredItem, ItemSet
from beliefgraph.transcript import Transcript, Turn

__all__ = ["POLICIES", "apply_context", "count_changed", "strict_reason"]

POLICIES: Final = (
    "released",
    "strict",
    "first",
    "last",
    "drop-first",
    "moved",
    "replaced",
    "none",
)
"""Names of the policies, without their number."""

_EARLY: Final = 5
_COUNTED: Final[dict[str, int | None]] = {
    "first": None,
    "last": None,
    "drop-first": _EARLY,
    "moved": _EARLY,
    "replaced": _EARLY,
}
"""Policies that take a number, and the number where none is given."""

_LEAST_WORDS: Final = 8
"""Words from which two answers to different questions are compared: shorter ones ("very
confident, positive effect and strong") recur without being copies."""
_LEAST_QUESTION_WORDS: Final = 5
"""Words from which a question that is cut off is known by its start."""
_SAME_ANSWER: Final = 0.9
"""Similarity of the characters from which two answers are one (`difflib`, 0 to 1)."""

Change = Callable[[tuple[Turn, ...]], tuple[Turn, ...]]


def apply_context(items: ItemSet, policy: str, *, seed: int = 0) -> ItemSet:
    """Return the items with their contexts changed.

    Parameters
    ----------
    items
        As the files hold them; they stay as they are.
    policy
        One of the table above, such as "strict" or "first:5".
    seed
        Of the assignment of donors ("replaced").

    Raises
    ------
    SurveyError
        The policy is unknown or its number is none; nobody could be a donor.
    """
    name, count = _parse(policy)
    if name == "released":
        return items.replace_items(items.answered, _named(items, policy))
    if name == "strict":
        answered = _strict(items)
    elif name == "replaced":
        answered = _replaced(items, count, seed)
    else:
        changes: dict[str, Change] = {
            "first": lambda turns: turns[:count],
            "last": lambda turns: turns[-count:] if count else (),
            "drop-first": lambda turns: turns[count:],
            "moved": lambda turns: turns[count:] + turns[:count],
            "none": lambda turns: (),
        }
        answered = tuple(_with_turns(each, changes[name](_turns(each))) for each in items.answered)
    return items.replace_items(answered, _named(items, policy))


def count_changed(before: ItemSet, after: ItemSet) -> int:
    """Count the items of `after` whose context has other turns, or another order, than before."""
    return sum(
        _turns(each) != _turns(before.by_id[each.item.item_id])
        for each in after.answered
        if each.item.item_id in before.by_id
    )


def strict_reason(answered: AnsweredItem, turn: Turn, effects: Sequence[str] = ()) -> str | None:
    """Say why a turn gives a sign item's answer away; None where it does not.

    A turn does, where it

    1. asks for the effect of the same factor on the same outcome, in whatever template, as the
       hidden turn or the item does (both labels have the same words);
    2. asks the hidden turn's question: the same words, or the start of them (at least 5 words)
       where one of the two is cut off;
    3. holds the hidden turn's answer under another question: of at least 8 words each, one is the
       start of the other, or their characters are 0.9 alike (`difflib.SequenceMatcher.ratio`).

    Case, punctuation and line ends do not count.

    Parameters
    ----------
    answered
        A belief-state item with its hidden turn, where that is known.
    turn
        A turn of the item's context.
    effects
        Effects that the interview's questions name, for the split of "X on Y".
    """
    return _giveaway(answered, effects).reason(turn)


@dataclass(frozen=True)
class _Giveaway:
    """What a turn must not share with an item: pairs of labels, the question, the answer."""

    pairs: frozenset[tuple[tuple[str, ...], tuple[str, ...]]]
    question: tuple[str, ...]
    answer: tuple[str, ...]
    effects: Sequence[str]

    def reason(self, turn: Turn) -> str | None:
        if _pair(turn.question, self.effects) in self.pairs:
            return "asks for the same effect"
        question = _words(turn.question)
        if question and question == self.question:
            return "asks the same question"
        if _starts(question, self.question, _LEAST_QUESTION_WORDS):
            return "asks the same question"
        answer = _words(turn.answer)
        if _starts(answer, self.answer, _LEAST_WORDS) or self._same_answer(answer):
            return "holds the same answer"
        return None

    def _same_answer(self, answer: tuple[str, ...]) -> bool:
        if min(len(answer), len(self.answer)) < _LEAST_WORDS:
            return False
        matcher = SequenceMatcher(None, " ".join(self.answer), " ".join(answer), autojunk=False)
        return matcher.quick_ratio() >= _SAME_ANSWER and matcher.ratio() >= _SAME_ANSWER


def _giveaway(answered: AnsweredItem, effects: Sequence[str]) -> _Giveaway:
    asked = answered.item.question
    source = answered.source
    pairs = {(_words(asked.factor or ""), _words(asked.outcome or ""))}
    if source is not None:
        pairs |= {_pair(source.question, effects)} - {None}  # type: ignore[arg-type]
    return _Giveaway(
        pairs=frozenset(pair for pair in pairs if all(pair)),
        question=_words(source.question) if source else (),
        answer=_words(source.answer) if source else (),
        effects=effects,
    )


def _strict(items: ItemSet) -> tuple[AnsweredItem, ...]:
    questions: dict[str, dict[str, None]] = defaultdict(dict)
    for each in items.answered:
        questions[each.item.topic].update(dict.fromkeys(turn.question for turn in _turns(each)))
    effects = {topic: effects_named_last(list(asked)) for topic, asked in questions.items()}
    kept = []
    for each in items.answered:
        if each.item.question.task != "bsi":
            kept.append(each)
            continue
        giveaway = _giveaway(each, effects[each.item.topic])
        turns = tuple(turn for turn in _turns(each) if giveaway.reason(turn) is None)
        kept.append(_with_turns(each, turns))
    return tuple(kept)


def _replaced(items: ItemSet, count: int, seed: int) -> tuple[AnsweredItem, ...]:
    """Put the first turns of a donor's interview in the place of everyone's own first turns."""
    interviews: dict[tuple[str, str], Transcript] = {}
    for each in items.answered:
        interviews.setdefault((each.item.participant, each.item.topic), each.item.context)
    donors = _donors(sorted(interviews), seed)
    changed = []
    for each in items.answered:
        donor = interviews[donors[each.item.participant, each.item.topic]]
        own = _turns(each)
        # the numbers stay those of the place, since two people's may coincide
        foreign = tuple(
            turn.replace(qa_id=place.qa_id)
            for place, turn in zip(own[:count], donor.turns, strict=False)
        )
        changed.append(_with_turns(each, foreign + own[count:]))
    return tuple(changed)


def _donors(keys: Sequence[tuple[str, str]], seed: int) -> dict[tuple[str, str], tuple[str, str]]:
    """Draw a donor for everyone, who differs in person and topic; each gives once, if possible.

    An assignment of least random cost, in which a forbidden donor costs more than all others.
    """
    from scipy.optimize import linear_sum_assignment

    rng = np.random.default_rng(seed)
    people, topics = (np.array([key[part] for key in keys], dtype=object) for part in (0, 1))
    allowed = (people[:, None] != people) & (topics[:, None] != topics)
    for row, key in enumerate(keys):
        if not allowed[row].any():
            raise SurveyError(
                f"context policy 'replaced': nobody but {key[0]!r} has an interview on another "
                f"topic than {key[1]!r}; it needs a second person with a second topic"
            )
    cost = rng.random(allowed.shape) + np.where(allowed, 0, len(keys) + 1)
    columns = linear_sum_assignment(cost)[1]
    chosen = [
        int(column) if allowed[row, column] else int(rng.choice(np.flatnonzero(allowed[row])))
        for row, column in enumerate(columns)
    ]
    return {key: keys[column] for key, column in zip(keys, chosen, strict=True)}


def _parse(policy: str) -> tuple[str, int]:
    name, _, number = policy.partition(":")
    if name not in POLICIES:
        raise SurveyError(f"context policy {policy!r} is not known. {suggestions(name, POLICIES)}")
    if name not in _COUNTED:
        if number:
            raise SurveyError(f"context policy {name!r} takes no number, got {policy!r}")
        return name, 0
    count = int(number) if number.isdecimal() else None if number else _COUNTED[name]
    if count is None:
        raise SurveyError(
            f"context policy {policy!r}: the number of turns must be a whole number, as in "
            f"'{name}:5'"
        )
    return name, count


def _named(items: ItemSet, policy: str) -> str:
    """Name a policy, and the one that was applied before it."""
    earlier = items.context_policy
    if policy == "released" or earlier == policy:
        return earlier
    return policy if earlier == "released" else f"{earlier} then {policy}"


def _turns(answered: AnsweredItem) -> tuple[Turn, ...]:
    return answered.item.context.turns


def _with_turns(answered: AnsweredItem, turns: tuple[Turn, ...]) -> AnsweredItem:
    if turns == _turns(answered):
        return answered
    context = answered.item.context.replace(turns=turns)
    return answered.replace(item=answered.item.replace(context=context))


def _pair(question: str, effects: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the words of factor and outcome, where a question asks for one effect."""
    read = read_question(question, effects)
    if read.source is None or read.target is None:
        return None
    return _words(read.source), _words(read.target)


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"\w+", text.casefold()))


def _starts(one: tuple[str, ...], other: tuple[str, ...], least: int) -> bool:
    """Tell whether one is the start of the other, and long enough to say so."""
    n = min(len(one), len(other))
    return n >= least and one[:n] == other[:n]
