"""How far a person holds the stance now, read from their own words, on [-1, 1].

The answer to the opening question decides. Elsewhere only plain present statements of the speaker
count ("I'm for it"): "that would lower my support" speaks of a world that is not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from beliefgraph.extractors.clauses import Clause, split_clauses, text_of, word
from beliefgraph.extractors.phrasings import any_of
from beliefgraph.extractors.questions import Question
from beliefgraph.extractors.signals import find_signals
from beliefgraph.text import read_label

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["Level", "combine_levels", "read_level"]

STRONG, PLAIN, MILD = 0.85, 0.6, 0.35
"""Sizes of a level: "strongly for it", "for it", "leaning to it"."""

_STRONG = any_of(
    r"\b(?:strongly|fully|completely|totally|absolutely|100 ?%|a hundred percent|wholeheartedly"
    r"|very much|entirely|firmly|definitely|really|all for|dead (?:against|set)|vehemently|outright"
    r"|in the strongest|more than anyone|with all my heart|passionately|never)\b"
)
_MILD = any_of(
    r"\b(?:somewhat|mostly|lean(?:s|ing)?|slightly|a (?:little|bit)|partly|partially|cautiously"
    r"|kind of|more or less|mildly|in principle|sixty forty|on balance|probably|tilting|on the whole"
    r"|more (?:for|against|in favou?r))\b"
)
_NEUTRAL = any_of(
    r"\b(?:neutral|on the fence|in the middle|middle of the road|fifty.fifty|50.?50|half and half"
    r"|undecided|torn|neither|not sure|don't know|don't mind|jury's (?:still )?out|no strong feelings"
    r"|(?:no|don't (?:really )?have an?|haven't (?:got )?an?) (?:strong )?(?:opinion|view)"
    r"|haven't made up my mind|can't decide|could go either way)\b"
)
_VERDICTS = (
    (-MILD, any_of(r"\b(?:probably|tilt(?:ing)? to|lean(?:ing)? to(?:wards)?) no\b", r"\bmore against than for\b", r"\b(?:some|my|a few) (?:reservations|doubts)\b")),
    (MILD, any_of(r"\b(?:probably|tilt(?:ing)? to|lean(?:ing)? to(?:wards)?) yes\b", r"\bmore for than against\b")),
    (STRONG, any_of(
        r"\b(?:love|adore) (?:it|the (?:whole )?(?:idea|notion|thought))", r"\b(?:best|brilliant|great|wonderful|fantastic) (?:idea|thing)\b",
        r"^\W*(?:definitely|absolutely|hell|oh|god)?,? ?yes\b(?! (?:and|but|or) no)", r"\bcouldn't be more (?:for|in favou?r)",
    )),
    (-STRONG, any_of(
        r"\b(?:hate|loathe|detest|can't stand) (?:it|the (?:whole )?(?:idea|notion|thought))", r"\b(?:worst|awful|terrible|dreadful|horrible|stupid) (?:idea|thing)\b",
        r"\b(?:absolutely not|no way|not in a million years|over my dead body|a hard no|not a chance|certainly not|definitely not)\b",
        r"^\W*(?:so,? |well,? |look,? |oh,? )?(?:definitely )?no\b(?![- ](?:one|doubt|problem|idea|opinion|strong|objection))", r"\bmore against it than\b",
    )),
    (PLAIN, any_of(r"\bgood (?:idea|thing)\b", r"\bi'm a (?:supporter|fan|backer)\b", r"\bfor it\b", r"\bi(?:'d| would) (?:welcome|vote for|have) it\b")),
    (-PLAIN, any_of(r"\bbad (?:idea|thing)\b", r"\b(?:in the )?anti camp\b", r"\bnot a fan\b")),
)  # fmt: skip
"""Verdicts on the whole, first that fits."""
_NUMBER = "one|two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}"
_RATING = any_of(
    rf"\b(?P<a>{_NUMBER}) (?:out of|/) ?(?:10|ten)\b",
    rf"\b(?:give|say|call)\b[\w' ,]{{0,40}}?\ban? (?P<b>{_NUMBER})\b",
    rf"\ban? (?P<c>{_NUMBER}),? (?:maybe|say|i(?:'d| would) say|probably|if)\b",
)
_NUMBERS = {
    w: n for n, w in enumerate("zero one two three four five six seven eight nine ten".split())
}
_WANT = frozenset(
    "want like love intend plan hope aim prefer enjoy keen happy willing wish".split()
)
_UNSURE = any_of(r"\b(?:i guess|i suppose|probably|maybe|i think|as long as|if|unless|but)\b")
_UNREAL = any_of(r"\b(?:would|could|might)\b|'d\b|\b(?:more|less|fewer|if|with|without)\b")


@dataclass(frozen=True)
class Level:
    """A level read from one answer; the span is of the clean text."""

    value: float
    sd: float
    start: int
    end: int


def read_level(doc: Doc, question: Question) -> Level | None:
    """Read a level from one answer; None where the answer does not say.

    Only the person's own words count ("I", or no subject). Answers to other questions than the
    opening one count with a standard deviation of at least 0.6.
    """
    if question.family != "stance":
        return _read_clauses(doc, present_only=True)
    text = text_of(doc)
    rating = _RATING.search(text)
    if rating:
        said = next(value for value in rating.groupdict().values() if value)
        number = _NUMBERS[said.lower()] if said.lower() in _NUMBERS else int(said)
        if number <= 10:
            value = float(np.clip((number - 5.5) / 4.5, -0.95, 0.95))
            return Level(round(value, 4), 0.15, rating.start(), rating.end())
    neutral = _NEUTRAL.search(text)
    if neutral:
        return Level(0.0, 0.3, neutral.start(), neutral.end())
    for value, pattern in _VERDICTS:
        verdict = pattern.search(text)
        if verdict and not re.search(
            r"\b(?:not|n't|isn't)\W+(?:\w+\W+){0,3}$", text[: verdict.start()]
        ):
            return Level(value, 0.25, verdict.start(), verdict.end())
    return _read_clauses(doc, present_only=False)


def _read_clauses(doc: Doc, *, present_only: bool) -> Level | None:
    found: list[tuple[float, float, Clause]] = []
    empty = read_label("")
    for number, clause in enumerate(split_clauses(doc)):
        own = _is_own(clause)
        if own is False or clause.joint == "if":
            continue
        if present_only and _UNREAL.search(clause.text):
            continue
        signals = [s for s in find_signals(clause, number, empty, empty) if s.kind == "stance"]
        sign = signals[0].sign if signals and not signals[0].neutralised else _wanting(clause)
        if sign:
            strong, mild = _STRONG.search(clause.text), _MILD.search(clause.text)
            size = MILD if mild else STRONG if strong else PLAIN
            found.append(
                (sign * size, (1.0 if own else 0.6) * (0.5 if number > 6 else 1.0), clause)
            )
    if not found:
        return None
    values, weights = np.array([f[0] for f in found]), np.array([f[1] for f in found])
    value = float(np.average(values, weights=weights))
    spread = float(np.sqrt(np.average((values - value) ** 2, weights=weights)))
    unsure = 0.1 * min(2, len(_UNSURE.findall(text_of(doc))))
    sd = (0.6 if present_only else 0.2) + unsure + 0.5 * spread
    first = found[0][2]
    return Level(round(value, 4), round(sd, 4), first.start, first.end)


def _is_own(clause: Clause) -> bool | None:
    """True for "I ...", False for somebody else's opinion, None where no subject is said."""
    others = ("people", "they", "some", "many", "others", "everyone", "he", "she", "residents")
    for token in clause.tokens[:6]:
        if token.lower_ in ("i", "we", "my", "i'm", "me"):
            return True
        if token.lower_ in others:
            return False
    return None


def _wanting(clause: Clause) -> int:
    """ "I'd love to", "I don't want it": a stance that is an intention."""
    for position, token in enumerate(clause.tokens):
        if word(token) in _WANT and token.pos_ in ("VERB", "ADJ"):
            before = [t.lower_ for t in clause.tokens[:position]]
            if not any(w in ("i", "we", "i'd", "would", "'d") for w in before):
                return 0
            return -1 if any(w in ("not", "n't", "never") for w in before) else 1
    return 0


def combine_levels(levels: Sequence[Level]) -> tuple[float, float]:
    """Combine several readings of one level, weighted by precision; (0, 0.5) where there are none.

    The standard deviation holds both the readings' own and what they disagree by.
    """
    if not levels:
        return 0.0, 0.5
    values = np.array([level.value for level in levels])
    precision = np.array([1 / level.sd**2 for level in levels])
    mean = float(np.average(values, weights=precision))
    between = float(np.average((values - mean) ** 2, weights=precision))
    return round(mean, 4), round(float(np.sqrt(1 / precision.sum() + between)), 4)
