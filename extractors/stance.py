"""Which concept is the stance, what it is about, and how far the person holds it now."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from beliefgraph.errors import StanceError
from beliefgraph.extractors.clauses import split_clauses, word
from beliefgraph.extractors.questions import Question
from beliefgraph.extractors.signals import find_signals
from beliefgraph.text import is_degenerate, read_label
from beliefgraph.transcript import Transcript

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = ["Level", "combine_levels", "find_stance", "read_level", "stance_topic"]

_OBJECT = re.compile(
    r"^(?:(?:public |personal |own |my )?(?:support|approval|acceptance|opposition|intention"
    r"|intent|desire|willingness"
    r"|wanting|wish|liking|preference|enthusiasm) (?:for|of|to|towards?|in) |wanting to "
    r"|intending to |support )"
    r"(?P<object>.+)$",
    re.IGNORECASE,
)
_DEGREES = (
    (
        re.compile(
            r"\b(?:strongly|fully|completely|totally|absolutely|100 ?%|a hundred percent"
            r"|wholeheartedly|very much|entirely|firmly|definitely|really|all for)\b",
            re.I,
        ),
        0.85,
    ),
    (
        re.compile(
            r"\b(?:somewhat|mostly|lean(?:s|ing)?|slightly|a (?:little|bit)|partly|partially"
            r"|cautiously|kind of|more or less|mildly|in principle|sixty forty|on balance"
            r"|more (?:for|against|in favou?r))\b",
            re.I,
        ),
        0.35,
    ),
)
_NEUTRAL = re.compile(
    r"\b(?:neutral|on the fence|in the middle|middle of the road|fifty.fifty|50.?50"
    r"|no (?:strong )?opinion|undecided|torn|neither|not sure|don't know|don't mind)\b",
    re.I,
)
_RATING = re.compile(
    r"\b(?P<n>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten) (?:out of|/) ?(?:10|ten)\b",
    re.I,
)
_NUMBERS = {
    w: n for n, w in enumerate("zero one two three four five six seven eight nine ten".split())
}
_WANT = frozenset(
    "want like love intend plan hope aim prefer enjoy keen happy willing wish".split()
)
_UNSURE = re.compile(
    r"\b(?:i guess|i suppose|probably|maybe|i think|as long as|if|unless|but)\b", re.I
)


@dataclass(frozen=True)
class Level:
    """A level read from one answer; the span is of the clean text."""

    value: float
    sd: float
    start: int
    end: int


def find_stance(transcript: Transcript, questions: Sequence[Question], stance: str | None) -> str:
    """Name the stance of an interview.

    The effect most often asked about is the stance; without probes, "support for" what the opening
    question asks. A name given by the user is taken as it is.

    Raises
    ------
    StanceError
        Nothing in the interview names one.
    """
    if stance is not None:
        return stance.strip()
    targets = Counter(
        q.target
        for q in questions
        if q.target and q.family not in ("impact", "open") and not is_degenerate(q.target)
    )
    worded = [(n, t) for t, n in targets.items() if _OBJECT.match(t)]
    if worded:
        return max(worded)[1]
    opening = next((q.source for q in questions if q.family == "stance" and q.source), None)
    if opening is not None:
        return f"Support for {opening}"
    if targets:
        name, count = targets.most_common(1)[0]
        if count >= 2:
            return name
    raise StanceError(
        f"{transcript.name}: no stance is named: no question asks how far the person supports "
        "something, or what affects one and the same thing. Name it: "
        'extract(t, stance="support for ...") or --stance "support for ..."'
    )


def stance_topic(stance: str) -> str:
    """Return what a stance is about.

    >>> stance_topic("Support for bus lanes")
    'bus lanes'
    """
    match = _OBJECT.match(stance)
    return match["object"].strip() if match else stance


def read_level(doc: Doc, question: Question) -> Level | None:
    """Read how far the person holds the stance from one answer, on [-1, 1].

    Only the person's own words count ("I", or no subject); None where the answer does not say.
    """
    text = doc.text
    rating = _RATING.search(text)
    if rating:
        number = (
            _NUMBERS.get(rating["n"].lower()) or int(rating["n"])
            if not rating["n"].isdigit()
            else int(rating["n"])
        )
        if 0 <= number <= 10:
            value = float(np.clip((number - 5.5) / 4.5, -0.95, 0.95))
            return Level(value, 0.15, rating.start(), rating.end())
    found: list[tuple[float, float, int, int]] = []
    clauses = split_clauses(doc)
    empty = read_label("")
    for number, clause in enumerate(clauses):
        own = _is_own(clause.tokens)
        if own is False or clause.joint == "if":
            continue
        piece = clause.text
        signals = [s for s in find_signals(clause, number, empty, empty) if s.kind == "stance"]
        sign = signals[0].sign if signals and not signals[0].neutralised else 0
        if not sign:
            sign = _wanting(clause.tokens)
        if sign:
            degree = next((d for pattern, d in _DEGREES if pattern.search(piece)), 0.6)
            weight = (1.0 if own else 0.6) * (0.5 if number > 6 else 1.0)
            found.append((sign * degree, weight, clause.start, clause.end))
    if not found:
        neutral = _NEUTRAL.search(text)
        if neutral and question.family == "stance":
            return Level(0.0, 0.3, neutral.start(), neutral.end())
        return None
    values = np.array([f[0] for f in found])
    weights = np.array([f[1] for f in found])
    value = float(np.average(values, weights=weights))
    spread = float(np.sqrt(np.average((values - value) ** 2, weights=weights)))
    unsure = 0.1 * min(2, len(_UNSURE.findall(text)))
    return Level(round(value, 4), round(0.2 + unsure + 0.5 * spread, 4), found[0][2], found[0][3])


def _is_own(tokens: Sequence[object]) -> bool | None:
    """True for "I ...", False for somebody else's opinion, None where no subject is said."""
    for token in tokens[:6]:
        text = token.lower_  # type: ignore[attr-defined]
        if text in ("i", "we", "my", "i'm", "me"):
            return True
        if text in (
            "people",
            "they",
            "some",
            "many",
            "others",
            "everyone",
            "he",
            "she",
            "residents",
        ):
            return False
    return None


def _wanting(tokens: Sequence[object]) -> int:
    """ "I'd love to", "I don't want it": a stance that is an intention."""
    for position, token in enumerate(tokens):
        if word(token) in _WANT and token.pos_ in ("VERB", "ADJ"):  # type: ignore[arg-type, attr-defined]
            before = [t.lower_ for t in tokens[:position]]  # type: ignore[attr-defined]
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
