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
    reason_from_the_object,
    takes_up_the_question,
)
from beliefgraph.extractors.certainty import certainty
from beliefgraph.extractors.clauses import Clause, split_clauses, text_of
from beliefgraph.extractors.phrasings import (
    CONTRARY,
    DEPENDS,
    DONT_KNOW,
    DOUBLE_NEGATION,
    LARGER_SHIFT,
    MAKES_NO_SENSE,
    MIXED,
    NO_EFFECT,
    NO_EFFECT_NEG,
    NOT_UNDERSTOOD,
)
from beliefgraph.extractors.questions import Question
from beliefgraph.extractors.statements import Statement
from beliefgraph.extractors.votes import PLAIN, Vote, count_votes, defer_to_verdict
from beliefgraph.graph import UNSTATED_STRENGTH, Kind
from beliefgraph.text import Label, read_label, same_stem
from beliefgraph.text.lexicon import STRENGTH

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
    text = text_of(doc)
    if not any(token.is_alpha for token in doc):
        return [Said("off_topic", 0, len(text), note="nothing said")]
    source, target = read_label(question.source or ""), read_label(question.target or "")
    clauses = split_clauses(doc)
    votes = count_votes(clauses, question, statements, text)
    if (
        votes
        and all(v.kind in ("judgement", "outcome") for v in votes)
        and not _takes_up(doc, source, target)
    ):
        return [Said("off_topic", 0, len(text), note="nothing of the question is taken up")]
    said = _decide(defer_to_verdict(votes, clauses), clauses, doc, question)
    if said[0].sign is None and said[0].kind == "unstated":
        return [_assume(said[0], doc, question, clauses, statements)]
    return said


def _takes_up(doc: Doc, source: Label, target: Label) -> bool:
    """Say whether an answer speaks of what the question names, or of an "it"."""
    about = source.stems | target.stems
    return any(
        token.lower_ in ("it", "that", "this", "they", "them", "these", "those")
        or any(same_stem(token.lower_, s) for s in about)
        for token in doc
        if token.is_alpha
    )


# Thresholds on sums of votes. One plain statement of an effect weighs about 2 to 3, a judgement
# ("that's good") 0.7; see `signals`.
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


def _decide(
    votes: list[Vote], clauses: Sequence[Clause], doc: Doc, question: Question
) -> list[Said]:
    text = text_of(doc)
    plus = sum(v.weight for v in votes if v.sign > 0 and not v.neutralised)
    minus = sum(v.weight for v in votes if v.sign < 0 and not v.neutralised)
    top, lead = max(plus, minus), abs(plus - minus)
    sure = certainty(text)
    whole = Said("nothing", 0, len(text), confidence=sure)
    if _not_understood(clauses, text) and top < _EXPLICIT:
        return [replace(whole, kind="not_understood")]
    if _says_no_effect(text, question) and not CONTRARY.search(text) and top < _EXPLICIT:
        return [replace(whole, kind="no_effect", sign=0, strength=0.0)]
    # "it depends", asked how soon, how much or how surely, says nothing of the sign
    of_sign = question.family not in ("immediacy", "small_changes", "confidence")
    depends = bool(MIXED.search(text) or (of_sign and DEPENDS.search(text)))
    if depends and lead < _OUTWEIGHS_DEPENDS:
        return [replace(whole, kind="mixed")]
    if min(plus, minus) >= max(PLAIN, 0.5 * top):
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


def _not_understood(clauses: Sequence[Clause], text: str) -> bool:
    """Say whether the question was not understood; "that makes no sense" must open the answer."""
    if NOT_UNDERSTOOD.search(text):
        return True
    match = MAKES_NO_SENSE.search(text)
    return match is not None and sum(c.end <= match.start() for c in clauses) <= _OPENING


def _signed(
    sign: int, votes: list[Vote], clauses: Sequence[Clause], doc: Doc, confidence: float
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


def _two_sided(votes: list[Vote], clauses: Sequence[Clause], doc: Doc, sure: float) -> list[Said]:
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
    clauses: Sequence[Clause],
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


def _strength(doc: Doc, carrying: set[int], clauses: Sequence[Clause]) -> float | None:
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
