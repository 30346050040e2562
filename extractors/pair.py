"""Read one question and its answer, and say which way it has the effect that was asked about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beliefgraph.errors import TranscriptError
from beliefgraph.extractors.questions import Question, read_question
from beliefgraph.extractors.reader import Context, Reader
from beliefgraph.extractors.rules import RuleReader
from beliefgraph.extractors.stance import stance_topic
from beliefgraph.graph import Kind, Reading
from beliefgraph.text import is_degenerate, lexical_tie
from beliefgraph.transcript import Turn

__all__ = ["Verdict", "judge_pair", "read_pair"]

_SAME = 0.6
"""Least similarity of a reading's end and the question's, where no reading has it word by word."""


@dataclass(frozen=True)
class Verdict:
    """What one answer says, all in all, of the effect that its question asks about."""

    sign: int | None
    """+1 or -1; None where nothing is signed or the two sides are too near (an abstention)."""
    kind: Kind
    """`positive` or `negative` where there is a sign; else why there is none."""
    lean: float
    """Confidence-weighted mean of the signs, in [-1, 1]; 0 where nothing is signed."""
    readings: tuple[Reading, ...]
    """The readings between the question's own two ends."""


def read_pair(
    question: str,
    answer: str,
    *,
    stance: str | None = None,
    effects: Sequence[str] = (),
    reader: Reader | None = None,
    qa_id: str = "1",
) -> list[Reading]:
    """Read one question-answer pair that stands alone.

    Parameters
    ----------
    question, answer
        As they were put and given.
    stance
        Name of the person's stance; by default the effect that the question asks about.
    effects
        Effects that other questions of the interview name; they help to split the question.
    reader
        What reads; the rules by default.
    qa_id
        Name of the turn, for the evidence.

    Returns
    -------
    list of Reading
        All that was read, also of other pairs of concepts; never empty.

    Examples
    --------
    >>> question = "Does Bus speed have a positive or negative effect on Support for bus lanes?"
    >>> [reading.kind for reading in read_pair(question, "Definitely positive.")]
    ['positive']
    """
    asked = read_question(question, effects)
    name = stance or asked.target or asked.source
    if name is None:
        raise TranscriptError(
            f"the question {question!r} names no effect, so the stance must be given: "
            'read_pair(question, answer, stance="support for ...")'
        )
    context = Context(stance=name, topic=stance_topic(name), questions=(asked,))
    chosen = reader if reader is not None else RuleReader()
    (turn,) = chosen.read([Turn(qa_id=qa_id, question=question, answer=answer)], context)
    return list(turn.readings)


def judge_pair(
    readings: Sequence[Reading],
    question: str | Question,
    *,
    effects: Sequence[str] = (),
    stance: str | None = None,
    least_lean: float = 0.1,
) -> Verdict:
    """Weigh the readings between a question's own two ends into one sign.

    The sign is that of the sum of the readings' signs, weighted by their confidence; a stated "no
    effect" counts as 0. Where the sum is less than `least_lean` of all confidence, or no reading
    has a direction, there is no sign.

    Parameters
    ----------
    readings
        What `read_pair` found.
    question
        The question they were read from.
    effects, stance
        As in `read_pair`.
    least_lean
        Below this the answer is two-sided: no sign.
    """
    asked = read_question(question, effects) if isinstance(question, str) else question
    own = _between_its_ends(readings, asked, stance)
    total = sum(reading.evidence.confidence for reading, _ in own if _sign(reading) is not None)
    summed = sum((_sign(r) or 0) * turned * r.evidence.confidence for r, turned in own)
    lean = summed / total if total else 0.0
    found = tuple(reading for reading, _ in own)
    if any(_sign(reading) for reading in found) and lean and abs(lean) >= least_lean:
        return Verdict(1 if lean > 0 else -1, "positive" if lean > 0 else "negative", lean, found)
    return Verdict(None, _why_unsigned(found or tuple(readings)), lean, found)


def _sign(reading: Reading) -> int | None:
    return reading.evidence.sign


def _between_its_ends(
    readings: Sequence[Reading], asked: Question, stance: str | None
) -> list[tuple[Reading, int]]:
    """Return the readings of the asked pair, with -1 where one names an end from the other side."""
    if asked.source is None or asked.target is None:
        return []
    if is_degenerate(asked.source, stance) or is_degenerate(asked.target, stance):
        # "Positive effect" is no concept, and its reading names none; it answers all the same
        return [(r, 1) for r in readings if r.source is None and r.target is None]
    pair = (asked.source.casefold(), asked.target.casefold())
    exact = [
        (r, 1)
        for r in readings
        if r.source and r.target and (r.source.casefold(), r.target.casefold()) == pair
    ]
    if exact:
        return exact
    near = []
    for reading in readings:
        if reading.source and reading.target:
            ties = (
                lexical_tie(reading.source, asked.source),
                lexical_tie(reading.target, asked.target),
            )
            if all(tie.similarity >= _SAME for tie in ties):
                near.append((reading, ties[0].polarity * ties[1].polarity))
    return near


def _why_unsigned(readings: Sequence[Reading]) -> Kind:
    """Kind of an answer without one sign: its surest reading's, or `mixed` where two sides meet."""
    if not readings:
        return "nothing"
    if any(_sign(reading) for reading in readings):
        return "mixed"
    return max(readings, key=lambda reading: reading.evidence.confidence).kind
