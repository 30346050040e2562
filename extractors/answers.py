"""Read the answer to a probe: what it says of the effect of X on Y."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from beliefgraph.extractors.assumed import (
    ASSUMED_CONFIDENCE,
    ASSUMED_SIZE,
    affirms_an_effect,
    names_slot,
    reason_from_the_object,
    takes_up_the_question,
)
from beliefgraph.extractors.certainty import certainty
from beliefgraph.extractors.clauses import Clause, split_clauses
from beliefgraph.extractors.moves import mention_direction
from beliefgraph.extractors.phrasings import (
    DENIED,
    DEPENDS,
    DISAGREE,
    DONT_KNOW,
    DOUBLE_NEGATION,
    LARGER_SHIFT,
    MAKES_NO_SENSE,
    MIXED,
    NO_EFFECT,
    NO_EFFECT_NEG,
    NOT_UNDERSTOOD,
    OWN,
    find_report,
)
from beliefgraph.extractors.questions import Question
from beliefgraph.extractors.signals import (
    Signal,
    find_balance,
    find_correlations,
    find_signals,
)
from beliefgraph.extractors.statements import Statement
from beliefgraph.graph import UNSTATED_STRENGTH, Kind
from beliefgraph.text import Label, content_words, read_label, same_stem
from beliefgraph.text.lexicon import INTENTION, NEGATIONS, STRENGTH, SUPPORT

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["Said", "read_answer"]


@dataclass(frozen=True)
class Said:
    """One thing an answer says of an effect; the span is of the clean text."""

    kind: Kind
    start: int
    end: int
    sign: int | None = None
    strength: float | None = None
    confidence: float = 1.0
    note: str = ""


def read_answer(doc: Doc, question: Question, statements: Sequence[Statement] = ()) -> list[Said]:
    """Read what an answer says of the effect its question asks about.

    Parameters
    ----------
    doc
        The clean answer, parsed.
    question
        With both slots filled.
    statements
        Causal statements found in the answer; those about X and Y count as votes.

    Returns
    -------
    list of Said
        One item where the answer has one thing to say; two (one positive, one negative) where it
        takes both sides. Never empty.
    """
    text = doc.text
    if not any(token.is_alpha for token in doc):
        return [Said("off_topic", 0, len(text), note="nothing said")]
    source, target = read_label(question.source or ""), read_label(question.target or "")
    clauses = split_clauses(doc)
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
        against = any(v.sign == -together and v.weight >= _PLAIN for v in votes)
        weight = 1.0 if loose and against else 2.5
        if not loose:  # "one goes up, the other down": its words have no sign of their own
            votes = [v for v in votes if v.kind != "verb"]
        votes.append(_Vote(together, weight, len(clauses) - 1, neutralised=False, kind="effect"))
    balance = find_balance(text)
    if balance:  # the conclusion counts, and not the sides that it weighs
        votes = [_Vote(balance, 3.0, len(clauses) - 1, neutralised=False, kind="effect")]
    votes = _own_opinion(votes, clauses, text)
    if (
        votes
        and all(v.kind in ("judgement", "outcome") for v in votes)
        and not _takes_up(doc, source, target)
    ):
        return [Said("off_topic", 0, len(text), note="nothing of the question is taken up")]
    said = _decide(_defer_to_verdict(votes, clauses), clauses, doc, question)
    if said[0].sign is None and said[0].kind == "unstated":
        return [_assume(said[0], doc, question, clauses, statements)]
    return said


@dataclass(frozen=True)
class _Vote:
    """A signal after the direction of X, reports and turns of speech are taken into account."""

    sign: int
    weight: float
    clause: int
    neutralised: bool
    kind: str


def _defer_to_verdict(votes: list[_Vote], clauses: list[Clause]) -> list[_Vote]:
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


def _takes_up(doc: Doc, source: Label, target: Label) -> bool:
    """Say whether an answer speaks of what the question names, or of an "it"."""
    about = source.stems | target.stems
    return any(
        token.lower_ in ("it", "that", "this", "they", "them", "these", "those")
        or any(same_stem(token.lower_, s) for s in about)
        for token in doc
        if token.is_alpha
    )


def _votes(clauses: list[Clause], source: Label, target: Label, text: str) -> list[_Vote]:
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
            votes.append(_Vote(sign, weight, number, signal.neutralised, signal.kind))
        if not on_stance:
            moved = mention_direction(clause, target)
            if moved and not DENIED.search(clause.text):
                sign = moved * target.direction
                sign *= _source_direction(
                    Signal(0, "stance", sign, 2.5, number), clauses, moves, source
                )
                votes.append(_Vote(sign, 2.5, number, neutralised=False, kind="stance"))
    return votes


def _statement_votes(
    statements: Sequence[Statement], clauses: list[Clause], question: Question
) -> tuple[list[_Vote], set[int]]:
    """Statements about X and Y, whatever they are called in the answer, and the clauses they cover.

    In an answer about X and Y, the cause of a change in Y is heard as X and the effect of X as Y.
    A clause whose statement leads to Y is read as a whole: its single words are no further votes.
    """
    votes: list[_Vote] = []
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
        votes.append(_Vote(sign, weight, numbers[-1], neutralised=False, kind="statement"))
        if effect or not cause:
            covered.update(numbers)
    return votes, covered


def _repeats_a_denial(slot: str, statement: Statement, clauses: list[Clause]) -> bool:
    """Say whether a "not" of the statement is one of X's own words ("people not having time")."""
    denials = sum(w in NEGATIONS for w in slot.lower().split())
    said = " ".join(c.text for c in clauses if c.start < statement.end and c.end > statement.start)
    return denials % 2 == 1 and slot.lower() in said.lower()


def _own_opinion(votes: list[_Vote], clauses: list[Clause], text: str) -> list[_Vote]:
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
    signal: Signal, clauses: list[Clause], moves: list[int | None], source: Label
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


# Thresholds on sums of votes. One plain statement of an effect weighs about 2 to 3, a judgement
# ("that's good") 0.7; see `signals`.
_PLAIN = 2.0
"""Each of two sides must weigh this much, the lesser half as much as the other, to stand apart."""
_VERDICT = 2.4
"""An effect that is named positive or negative without a hedge or a report."""
_EXPLICIT = 2.8
"""From here on a statement outweighs "no effect" or "that makes no sense" said beside it."""
_OUTWEIGHS_DOUBT = 1.9
"""The same for "I don't know"."""
_OUTWEIGHS_DEPENDS = 1.0
"""By this much one side must lead where the answer also says that it depends."""
_OPENING = 2
"""Clauses before "that makes no sense" that may still be about the question and not the matter."""
_LEAD = 0.6
"""The least lead that is read as a sign: about one judgement."""


def _decide(votes: list[_Vote], clauses: list[Clause], doc: Doc, question: Question) -> list[Said]:
    text = doc.text
    plus = sum(v.weight for v in votes if v.sign > 0 and not v.neutralised)
    minus = sum(v.weight for v in votes if v.sign < 0 and not v.neutralised)
    top, lead = max(plus, minus), abs(plus - minus)
    sure = certainty(text)
    whole = Said("nothing", 0, len(text), confidence=sure)
    if _not_understood(clauses, text) and top < _EXPLICIT:
        return [replace(whole, kind="not_understood")]
    if _says_no_effect(text, question) and top < _EXPLICIT:
        return [replace(whole, kind="no_effect", sign=0, strength=0.0)]
    # "it depends", asked how soon, how much or how surely, says nothing of the sign
    of_sign = question.family not in ("immediacy", "small_changes", "confidence")
    depends = bool(MIXED.search(text) or (of_sign and DEPENDS.search(text)))
    if depends and lead < _OUTWEIGHS_DEPENDS:
        return [replace(whole, kind="mixed")]
    if min(plus, minus) >= max(_PLAIN, 0.5 * top):
        return _two_sided(votes, clauses, doc, sure)
    if DONT_KNOW.search(text) and top < _OUTWEIGHS_DOUBT:
        return [replace(whole, kind="dont_know")]
    if lead >= _LEAD:
        sign = 1 if plus > minus else -1
        agreement = 0.5 + 0.5 * lead / (plus + minus)
        firmness = min(1.0, 0.45 + 0.18 * lead)
        confidence = sure * firmness * agreement * (0.8 if depends else 1.0)
        return [_signed(sign, votes, clauses, doc, confidence)]
    if any(v.neutralised for v in votes) and not LARGER_SHIFT.search(text):
        return [replace(whole, kind="no_effect", sign=0, strength=0.0)]
    return [_unsigned(whole, doc, question)]


def _not_understood(clauses: list[Clause], text: str) -> bool:
    """Say whether the question was not understood; "that makes no sense" must open the answer."""
    if NOT_UNDERSTOOD.search(text):
        return True
    match = MAKES_NO_SENSE.search(text)
    return match is not None and sum(c.end <= match.start() for c in clauses) <= _OPENING


def _signed(
    sign: int, votes: list[_Vote], clauses: list[Clause], doc: Doc, confidence: float
) -> Said:
    carrying = [v.clause for v in votes if v.sign == sign and not v.neutralised]
    strongest = max(
        carrying, key=lambda n: sum(v.weight for v in votes if v.clause == n and v.sign == sign)
    )
    first = last = strongest
    while first > 0 and clauses[first - 1].sentence == clauses[strongest].sentence:
        first -= 1
    while last + 1 < len(clauses) and clauses[last + 1].sentence == clauses[strongest].sentence:
        last += 1
    return Said(
        "positive" if sign > 0 else "negative",
        clauses[first].start,
        clauses[last].end,
        sign=sign,
        strength=_strength(doc, set(carrying), clauses),
        confidence=round(min(1.0, max(0.05, confidence)), 4),
    )


def _two_sided(votes: list[_Vote], clauses: list[Clause], doc: Doc, sure: float) -> list[Said]:
    """Both sides are said: two mentions, each with its own words."""
    total = sum(v.weight for v in votes if not v.neutralised)
    sides = []
    for sign in (1, -1):
        own = [v for v in votes if v.sign == sign and not v.neutralised]
        share = sum(v.weight for v in own) / total
        number = max(own, key=lambda v: v.weight).clause
        sides.append(
            Said(
                "positive" if sign > 0 else "negative",
                clauses[number].start,
                clauses[number].end,
                sign=sign,
                strength=_strength(doc, {number}, clauses),
                confidence=round(sure * share, 4),
                note="one of two sides",
            )
        )
    return sides


def _says_no_effect(text: str, question: Question) -> bool:
    for match in NO_EFFECT.finditer(text):
        if DOUBLE_NEGATION.search(text[: match.start()]):
            continue  # "not that it doesn't matter"
        around = text[max(0, match.start() - 40) : match.end()]
        if not NO_EFFECT_NEG.search(around):
            continue
        if question.family == "small_changes" and re.search(r"small|minor|little", text, re.I):
            continue  # "small changes won't matter" answers the first half only
        return True
    return False


def _unsigned(whole: Said, doc: Doc, question: Question) -> Said:
    """Tell an answer that speaks of the effect without a direction from one that does not."""
    if not takes_up_the_question(doc, question):
        return replace(whole, kind="off_topic", note="nothing of the question is taken up")
    return replace(whole, kind="unstated", note="an effect without a direction")


def _assume(
    whole: Said,
    doc: Doc,
    question: Question,
    clauses: list[Clause],
    statements: Sequence[Statement],
) -> Said:
    """Give an answer without a direction the sign that its hearers would assume, if any."""
    sign, note = reason_from_the_object(statements, question), "what it does to X is the reason"
    if not sign and affirms_an_effect(clauses, question):
        sign, note = 1, "an effect is affirmed; its sign is assumed"
    if not sign:
        return whole
    stated = _strength(doc, set(), clauses)
    return replace(
        whole,
        sign=sign,
        strength=ASSUMED_SIZE * (UNSTATED_STRENGTH if stated is None else stated),
        confidence=round(ASSUMED_CONFIDENCE * whole.confidence, 4),
        note=note,
    )


def _strength(doc: Doc, carrying: set[int], clauses: list[Clause]) -> float | None:
    """Size of the effect as stated in the clauses that carry it, else anywhere in the answer."""
    for numbers in (sorted(carrying), range(len(clauses))):
        for number in numbers:
            value = _stated_strength(clauses[number])
            if value is not None:
                return value
    return None


def _stated_strength(clause: Clause) -> float | None:
    found: list[float] = []
    for position, token in enumerate(clause.tokens):
        size = STRENGTH.get(token.lower_)
        if size is None or (token.lower_ in ("very", "really", "lot", "low", "big") and found):
            continue
        following = clause.tokens[position + 1].lower_ if position + 1 < len(clause.tokens) else ""
        if following in ("confident", "sure", "change", "changes", "certain"):
            continue
        before = [t.lower_ for t in clause.tokens[max(0, position - 3) : position]]
        if any(w in ("not", "n't", "isn't", "without") for w in before) and size > 0.5:
            size = 0.25
        found.append(size)
    if not found:
        return None
    return 0.5 if len(set(found)) > 1 and max(found) - min(found) < 0.31 else found[-1]
