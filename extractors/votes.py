"""What speaks for a plus and what for a minus in an answer, each with its weight.

A vote is a signal, or a causal statement about X and Y, after the direction of X, reports and
turns of speech are taken into account. `answers` weighs the votes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from beliefgraph.extractors.assumed import names_slot
from beliefgraph.extractors.clauses import Clause
from beliefgraph.extractors.comparisons import find_balance, find_correlations, find_dose
from beliefgraph.extractors.moves import mention_direction
from beliefgraph.extractors.phrasings import CONTRARY, DENIED, DISAGREE, OWN, find_report
from beliefgraph.extractors.questions import Question
from beliefgraph.extractors.signals import Signal, find_signals
from beliefgraph.extractors.statements import Statement
from beliefgraph.text import Label, content_words, read_label
from beliefgraph.text.lexicon import INTENTION, NEGATIONS, SUPPORT

__all__ = ["PLAIN", "Vote", "count_votes", "defer_to_verdict"]

PLAIN = 2.0
"""Each of two sides must weigh this much, the lesser half as much as the other, to stand apart."""
_VERDICT = 2.4
"""An effect that is named positive or negative without a hedge or a report."""


@dataclass(frozen=True)
class Vote:
    """A signal after the direction of X, reports and turns of speech are taken into account."""

    sign: int
    weight: float
    clause: int
    neutralised: bool
    kind: str


def count_votes(
    clauses: Sequence[Clause], question: Question, statements: Sequence[Statement], text: str
) -> list[Vote]:
    """Collect the votes of an answer on the effect that its question asks about."""
    source, target = read_label(question.source or ""), read_label(question.target or "")
    composed, covered = _statement_votes(statements, clauses, question)
    votes = [
        v
        for v in _votes(clauses, source, target, text)
        if v.clause not in covered or v.kind == "effect"
    ]
    votes += composed
    together = find_correlations(text)
    if together:
        loose = "direct" in text.lower()  # "directly related" is often said of any link
        against = any(v.sign == -together and v.weight >= PLAIN for v in votes)
        weight = 1.0 if loose and against else 2.5
        if not loose:  # "one goes up, the other down": its words have no sign of their own
            votes = [v for v in votes if v.kind != "verb"]
        votes.append(Vote(together, weight, len(clauses) - 1, neutralised=False, kind="effect"))
    dose = find_dose(text)
    if dose and not any(v.weight >= PLAIN for v in votes):
        votes.append(Vote(dose, 2.5, len(clauses) - 1, neutralised=False, kind="stance"))
    balance = find_balance(text)
    if balance:  # the conclusion counts, and not the sides that it weighs
        votes = [Vote(balance, 3.0, len(clauses) - 1, neutralised=False, kind="effect")]
    if CONTRARY.search(text):  # "it doesn't lower it, quite the opposite"
        votes = [replace(v, weight=2.5, neutralised=False) if v.neutralised else v for v in votes]
    return _own_opinion(votes, clauses, text)


def defer_to_verdict(votes: list[Vote], clauses: Sequence[Clause]) -> list[Vote]:
    """Halve what contradicts a plain verdict on the effect ("it has a negative effect").

    The verdict is the speaker's own summary; the rest is composed by rules, which err more often.
    What a "but" sets against it is the speaker's other side and stays whole.
    """
    verdicts = {v.sign for v in votes if v.kind == "effect" and v.weight >= _VERDICT}
    if len(verdicts) != 1:
        return votes
    first = next((n for n, c in enumerate(clauses) if c.joint == "but"), len(clauses))
    return [
        v
        if v.sign in verdicts or v.kind == "effect" or v.clause >= first
        else replace(v, weight=v.weight / 2)
        for v in votes
    ]


def _votes(clauses: Sequence[Clause], source: Label, target: Label, text: str) -> list[Vote]:
    moves = [mention_direction(clause, source) for clause in clauses]
    on_stance = any(w in SUPPORT or w in INTENTION for w in content_words(target.text))
    last_but = max((i for i, c in enumerate(clauses) if c.joint == "but"), default=-1)
    votes = []
    for number, clause in enumerate(clauses):
        for signal in find_signals(clause, number, source, target):
            if not on_stance and signal.kind in ("judgement", "outcome", "stance"):
                continue
            turn = 1 if signal.on_source else _source_direction(signal, clauses, moves, source)
            sign, weight = signal.sign * turn, signal.weight
            if clause.joint == "if" and signal.kind in ("judgement", "outcome", "verb"):
                weight *= 0.4  # a condition, not yet a claim
            if number < last_but:
                weight *= 0.8
            votes.append(Vote(sign, weight, number, signal.neutralised, signal.kind))
        if not on_stance:
            moved = mention_direction(clause, target)
            if moved and not DENIED.search(clause.text):
                sign = moved * target.direction
                sign *= _source_direction(
                    Signal(0, "stance", sign, 2.5, number), clauses, moves, source
                )
                votes.append(Vote(sign, 2.5, number, neutralised=False, kind="stance"))
    return votes


def _statement_votes(
    statements: Sequence[Statement], clauses: Sequence[Clause], question: Question
) -> tuple[list[Vote], set[int]]:
    """Statements about X and Y, whatever they are called in the answer, and the clauses they cover.

    In an answer about X and Y, the cause of a change in Y is heard as X and the effect of X as Y.
    A clause whose statement leads to Y is read as a whole: its single words are no further votes.
    """
    votes: list[Vote] = []
    covered: set[int] = set()
    for statement in statements:
        cause = names_slot(statement.source, question.source)
        effect = names_slot(statement.target, question.target)
        if not cause and statement.pattern in ("so", "because", "parallel"):
            continue  # "it's bad for trade, so people are against it": X is the "it"
        scene = statement.pattern in ("if", "imperative", "preposition", "the more")
        if not cause and not effect and (len(statements) > 1 or not scene):
            continue
        if names_slot(statement.source, question.target) or names_slot(
            statement.target, question.source
        ):
            continue
        sign = statement.sign * (cause or 1) * (effect or 1)
        if cause and _repeats_a_denial(question.source or "", statement, clauses):
            sign = -sign
        weight = (
            3.0 if cause and effect else 2.6 if effect else 1.5 if cause else 1.3
        ) * statement.confidence
        numbers = [
            n for n, c in enumerate(clauses) if c.start < statement.end and c.end > statement.start
        ]
        votes.append(Vote(sign, weight, numbers[-1], neutralised=False, kind="statement"))
        if effect or not cause:
            covered.update(numbers)
    return votes, covered


def _repeats_a_denial(slot: str, statement: Statement, clauses: Sequence[Clause]) -> bool:
    """Say whether a "not" of the statement is one of X's own words ("people not having time")."""
    denials = sum(w in NEGATIONS for w in slot.lower().split())
    said = " ".join(c.text for c in clauses if c.start < statement.end and c.end > statement.start)
    return denials % 2 == 1 and slot.lower() in said.lower()


def _own_opinion(votes: list[Vote], clauses: Sequence[Clause], text: str) -> list[Vote]:
    """Set what others are reported to say against the speaker's own opinion.

    Where the speaker goes on to an opinion of their own, the report is left out; where they only
    disagree with it, it counts turned round; otherwise it counts less.
    """
    pieces = [c.text for c in clauses]
    first = next((n for n, piece in enumerate(pieces) if find_report(piece)), None)
    if first is None:
        return votes
    own = next((n for n in range(first + 1, len(pieces)) if OWN.search(pieces[n])), len(pieces))
    theirs = [v for v in votes if first <= v.clause < own]
    mine = [v for v in votes if not first <= v.clause < own]
    if own < len(pieces) and any(v.clause >= own and v.weight >= 0.6 for v in mine):
        return mine
    if DISAGREE.search(text):
        return mine + [replace(v, sign=-v.sign, weight=0.6 * v.weight) for v in theirs]
    return mine + [replace(v, weight=0.7 * v.weight) for v in theirs]


def _source_direction(
    signal: Signal, clauses: Sequence[Clause], moves: list[int | None], source: Label
) -> int:
    """Which way X is moved where the signal stands: "less X" turns the signal round."""
    here = clauses[signal.clause]
    near = range(max(0, signal.clause - 3), min(len(clauses), signal.clause + 6))
    same = [n for n in near if clauses[n].sentence == here.sentence]
    before = [n for n in reversed(same) if n < signal.clause]
    after = [n for n in same if n > signal.clause and clauses[n].joint in ("if", "because")]
    if signal.kind == "effect":  # "it's a positive effect": of X as it was asked about
        before, after = [n for n in before if clauses[n].joint == "if"], []
    order = [signal.clause, *before, *after]
    for number in order:
        move = moves[number]
        if move is None:
            if number != signal.clause and clauses[number].joint == "but":
                break
            continue
        if number == signal.clause and signal.kind in ("judgement",):
            return 1
        excepts = -1 if clauses[number].excepts else 1
        if move == 0:
            return excepts
        return excepts * move * source.direction
    return 1
