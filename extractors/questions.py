"""What an interviewer's question asks: its family, and the concepts in its slots.

Probe questions are made from templates. The effect slot (Y) stands at the end and may itself hold
"on" or "and", so a pattern is anchored at both ends and Y is matched against the interview's known
effects first: a lazy split would cut "Reliance on cars on Support" in the wrong place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["Family", "Question", "effects_named_last", "read_question"]

Family = Literal[
    "effect",
    "relationship",
    "immediacy",
    "small_changes",
    "confidence",
    "causes",
    "effects_of",
    "stance",
    "impact",
    "open",
]
"""`causes` asks what influences Y, `effects_of` what X leads to, `impact` how a policy may affect
something ("How might X affect Y?"), `stance` how much the person supports something."""


@dataclass(frozen=True)
class Question:
    """One question, read: `source` and `target` are None where the question leaves them open."""

    family: Family
    source: str | None = None
    target: str | None = None


_TAIL = re.compile(
    r"(?:(?<=[?.!]) |,? )(?:Is it a strong or weak connection\?"
    r"|Does it have a positive effect|How strong is this effect"
    r"|Please also indicate|Please explain|Are these influences|Do these influences|Also,? please"
    r"|and how (?:certain|significant|strong|sure|big|much) (?:are|is|does)|and (?:which|what) way "
    r"|and in what way).*$",
    re.IGNORECASE | re.DOTALL,
)
_PATTERNS: tuple[tuple[Family, str], ...] = (
    ("relationship", r"(?:relationship|link|connection|relation) between (?P<pair>.+?)(?: in your (?:view|opinion))?[?.]?$"),
    ("confidence", r"(?:confident|certain|sure) are you that (?:changes? in )?(?P<x>.+?) leads? to (?:changes? in )?(?P<y>.+?)\??$"),
    ("confidence", r"(?:confident|certain|sure) (?:are you|do you feel) (?:about|of) (?P<x>.+?) having an? (?:effect|impact|influence) on (?P<y>.+?)\??$"),
    ("small_changes", r"would (?:even )?(?:small changes|a small change) in (?P<x>.+?) (?:lead to noticeable changes|make a difference|matter) (?:in|to|for) (?P<y>.+?)(?:,? or would it take .*)?\??$"),
    ("small_changes", r"how sensitive is (?P<y>.+?) to (?:small )?changes in (?P<x>.+?)\??$"),
    ("immediacy", r"is the effect of (?P<pair>.+?) immediate(?:,? or does it take time to develop)?\??$"),
    ("immediacy", r"would a change in (?P<x>.+?) (?:be felt|show up|be noticed) in (?P<y>.+?)(?: (?:at once|right away|immediately|straight away|quickly)\b.*)?\??$"),
    ("immediacy", r"how (?:quickly|fast|soon) (?:would|does|do|will) (?:a )?changes? in (?P<x>.+?) (?:show up in|affect|be felt in|reach) (?P<y>.+?)(?:,? and (?:which|what) way .*)?\??$"),
    ("effect", r"^(?:would you say |do you think |does |do |can |could |would )(?P<x>.+?) (?:has|have|having) an? (?:positive (?:effect )?or (?:a )?negative )?(?:effect|impact|influence) on (?P<y>.+?)(?:,? and how (?:significant|strong|big) .*)?\??$"),
    ("effect", r"^when (?P<x>.+?) (?:goes up|increases|rises|changes|grows),? (?:is|does|what is|what happens to) (?:the effect on )?(?P<y>.+?)(?:,? (?:positive|go up|increase|rise)\b.*| positive or negative.*)?\??$"),
    ("relationship", r"how (?P<pair>.+?) are (?:connected|linked|related)\b.*$"),
    ("confidence", r"(?:confident|certain|sure) are you that (?P<x>.+?) (?:affects?|influences?|changes?|matters? for) (?P<y>.+?)\??$"),
    ("immediacy", r"^if (?P<x>.+?) changed,? would (?P<y>.+?) change\b.*$"),
    ("small_changes", r"^if there (?:were|was) (?:only )?(?:slightly|a little|a bit) (?:more|less) (?P<x>.+?),? what would happen to (?P<y>.+?)\??$"),
    ("effects_of", r"^what would follow from (?:a change|changes) in (?P<x>.+?)\??$"),
    ("effects_of", r"^if (?P<x>.+?) (?:went up|goes up|increased|rose|changed),? what (?:else )?(?:would|do you think would) (?:change|happen)\??$"),
    ("causes", r"factors (?:do you think )?(?:affect|influence|drive|shape) (?P<y>.+?)(?:,? and (?:which|how|what|in what) .*)?\??$"),
    ("causes", r"what would make (?P<y>.+?) (?:go up or down|go up|go down|rise|fall|change|increase|decrease)\b.*$"),
    ("causes", r"main (?:causes|drivers) of (?:changes in )?(?P<y>.+?)\??$"),
    ("causes", r"lead to (?:increases or decreases|changes|an increase or decrease) in (?P<y>.+?)\??$"),
    ("causes", r"^what (?:causes|drives|influences|affects|leads to) (?:changes in )?(?P<y>.+?)(?:,? and (?:which|how|what|in what)\b.*)?\??$"),
    ("effects_of", r"^what (?:does|do|would|might|could) (?P<x>.+?) (?:lead to|cause|affect|influence|result in)(?: when it (?:changes|increases|decreases))?(?:,? and how)?\??$"),
    ("effects_of", r"(?:consequences|effects) of (?:changes in )(?P<x>.+?)\??$"),
    ("stance", r"to what extent do you (?:support or oppose|oppose or support|support|agree with|favou?r|want|intend|plan|prefer|like|feel) ?(?:to )?(?P<x>.+?)\??$"),
    ("stance", r"(?:do you (?:support|favou?r|oppose)|how do you feel about) (?P<x>.+?)\??$"),
    ("impact", r"how (?:do you think|might|would|could|will|does|do) (?P<x>.+?) (?:might |would |could |will )?(?:affect|influence|impact|change) (?P<y>.+?)\??$"),
    ("impact", r"what (?:impact|effect|influence)s? (?:do you (?:believe|think) )?(?P<x>.+?) (?:might |would |could |will )?(?:have|has) on (?P<y>.+?)\??$"),
    ("effects_of", r"(?:impacts|effects|consequences)(?:,? (?:both )?positive (?:and|or) negative,?)? (?:of|might result from|could result from|result from) (?P<x>.+?)\??$"),
)  # fmt: skip
_PROBES = tuple((family, re.compile(p, re.IGNORECASE | re.DOTALL)) for family, p in _PATTERNS)


_LONGEST_QUESTION = 1_000
"""Characters looked at; the patterns backtrack, and no question needs more."""


def read_question(question: str, effects: Sequence[str] = ()) -> Question:
    """Read the family of a question and its slots.

    Parameters
    ----------
    question
        As the interviewer put it.
    effects
        Effects that other questions of the interview name; where a slot pair can be split in
        several places, the split that ends in one of them is taken.

    Examples
    --------
    >>> read_question("Does Bus speed have a positive or negative effect on Support for bus lanes?")
    Question(family='effect', source='Bus speed', target='Support for bus lanes')
    >>> read_question("Is the effect of Reliance on cars on Support for bus lanes immediate?",
    ...               effects=["Support for bus lanes"]).source
    'Reliance on cars'
    """
    text = _TAIL.sub("", " ".join(question.split())[:_LONGEST_QUESTION]).strip()
    # a remark may come before the question proper, and another question after it
    for piece in (*_sentences(text), text):
        for family, pattern in _PROBES:
            match = pattern.search(piece)
            if match:
                return _fill(family, match.groupdict(), effects)
    return Question("open")


def effects_named_last(questions: Sequence[str]) -> list[str]:
    """Collect the effects that unambiguous questions name, most frequent first."""
    counts: dict[str, int] = {}
    for question in questions:
        read = read_question(question)
        if read.target and read.family in ("effect", "confidence", "small_changes", "causes"):
            counts[read.target] = counts.get(read.target, 0) + 1
    return sorted(counts, key=lambda name: -counts[name])


def _sentences(text: str) -> list[str]:
    return [piece.strip() for piece in re.split(r"(?<=[.?!]) ", text) if piece.strip()]


def _fill(family: Family, slots: dict[str, str | None], effects: Sequence[str]) -> Question:
    pair = slots.get("pair")
    if pair is not None:
        joint = " and " if family == "relationship" else " on "
        source, target = _split_pair(pair, joint, effects)
        return Question(family, source, target)
    return Question(family, _tidy(slots.get("x")), _tidy(slots.get("y")))


def _split_pair(pair: str, joint: str, effects: Sequence[str]) -> tuple[str | None, str | None]:
    folded = pair.casefold()
    for effect in effects:
        end = joint + effect.casefold()
        if folded.endswith(end):
            return _tidy(pair[: -len(end)]), _tidy(pair[-len(effect) :])
    # the stance's label starts with a capital: split at the last joint before one, else the last
    places = [match.start() for match in re.finditer(re.escape(joint), pair)]
    if not places:
        return _tidy(pair), None
    capital = [place for place in places if pair[place + len(joint) :][:1].isupper()]
    support = [p for p in places if pair[p + len(joint) :].casefold().startswith("support")]
    place = (support or capital or places)[-1]
    return _tidy(pair[:place]), _tidy(pair[place + len(joint) :])


def _tidy(label: str | None) -> str | None:
    if label is None:
        return None
    label = label.strip(" \t,.;:?!\"'")
    return label if label and label.lower() not in _PRONOUNS else None


_PRONOUNS = frozenset("it they them this that these those you us we me him her things".split())
