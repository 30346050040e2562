"""Find what a clause speaks of, and which way it says that moves.

A mention is a noun phrase (or a gerund: "taking the bus") with a direction: from its own words
("less parking", "a rise in rents"), from its predicate ("rents would fall") or from a particle
("bring rents down"). Statements link mentions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from beliefgraph.extractors.clauses import Clause, is_negation, word
from beliefgraph.text.labels import is_degenerate, read_label
from beliefgraph.text.lexicon import BAD, CAUSAL_VERBS, DOWN, UP

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Mention", "find_mentions", "noun_phrases"]

_EMPTY_HEADS = frozenset(
    "people person everyone everybody someone somebody anyone folk guy man woman one thing something "
    "anything everything nothing stuff way time day year week month lot bit kind sort type example "
    "fact point question answer reason idea case end side hand sense part rest opinion view mind "
    "number couple bunch course matter moment minute effect impact influence change difference "
    "factor connection relationship result issue problem situation place area world country it he "
    "she we you i they me us them him her who what which that this these those there all both each "
    "some many most any other another knock-on flip growth drop rise fall brake expense".split()
)
_ANAPHORS = frozenset("it that this which they these those".split())
_LINKING_PREPOSITIONS = frozenset("of in to for on at between from".split())
_OPEN_HEADS = frozenset(
    "access support trust need demand cost price rate level amount lack loss quality number freedom "
    "right risk fear use sense chance rise fall drop increase decrease reduction growth decline "
    "improvement shortage absence presence availability danger state love hatred respect faith "
    "belief interest investment spending money pressure noise time attention tax taxis concern "
    "confidence relationship connection piece lot plenty less more fewer most surge cut".split()
)
_ADJECTIVE_NOUNS = {
    "safe": "safety", "affordable": "affordability", "cheap": "affordability",
    "expensive": "cost", "crowded": "crowding", "noisy": "noise", "loud": "noise",
    "anxious": "anxiety", "lonely": "loneliness", "happy": "happiness", "healthy": "health",
    "stressed": "stress", "stressful": "stress", "worried": "worry", "angry": "anger",
    "convenient": "convenience", "efficient": "efficiency", "accessible": "accessibility",
    "clean": "cleanliness", "dangerous": "danger", "tired": "tiredness", "busy": "busyness",
    "distracted": "distraction", "sick": "sickness", "ill": "illness", "fair": "fairness",
    "reliable": "reliability", "productive": "productivity", "isolated": "isolation",
    "hungry": "hunger", "polluted": "pollution", "congested": "congestion",
    "frustrated": "frustration", "bored": "boredom", "guilty": "guilt", "confident": "confidence",
    "comfortable": "comfort", "quiet": "quiet", "punctual": "punctuality", "late": "lateness",
    "fit": "fitness", "calm": "calm", "relaxed": "relaxation", "motivated": "motivation",
}  # fmt: skip


@dataclass(frozen=True)
class Mention:
    """A concept as one clause speaks of it."""

    label: str
    """As said, without words of direction."""
    direction: int
    """-1 where it is said to be or become less."""
    moved: bool
    """Whether a direction is said at all."""
    start: int
    """First token."""
    end: int
    """One past the last token."""
    anaphor: bool = False
    """A pronoun: it stands for what was spoken of before."""


def noun_phrases(doc: Doc) -> list[tuple[int, int]]:
    """Return noun phrases as token ranges, "the cost of housing" as one."""
    phrases: list[tuple[int, int]] = []
    for chunk in doc.noun_chunks:
        start, end = chunk.start, chunk.end
        if phrases and doc[start - 1].lower_ in _LINKING_PREPOSITIONS and phrases[-1][1] == start - 1:
            head = doc[phrases[-1][1] - 1]
            joint = doc[start - 1].lower_
            if chunk.root.pos_ != "PRON" and (joint == "of" or word(head) in _OPEN_HEADS):
                phrases[-1] = (phrases[-1][0], end)
                continue
        phrases.append((start, end))
    return phrases


def find_mentions(clause: Clause, phrases: list[tuple[int, int]]) -> list[Mention]:
    """Find the mentions of one clause, in the order of its words."""
    first, last = clause.tokens[0].i, clause.tokens[-1].i + 1
    doc = clause.tokens[0].doc
    spans = [(max(s, first), min(e, last)) for s, e in phrases if s < last and e > first]
    found = [m for span in spans if (m := _mention(doc, *span, last)) is not None]
    found += [
        m
        for token in clause.tokens
        if not any(s <= token.i < e for s, e in spans)
        and (m := _from_verb_or_adjective(doc, token, last)) is not None
    ]
    return sorted(found, key=lambda m: m.start)


def _mention(doc: Doc, start: int, end: int, limit: int) -> Mention | None:
    tokens = doc[start:end]
    head = tokens[-1]
    text = tokens.text
    if len(tokens) == 1 and head.lower_ in _ANAPHORS and head.pos_ in ("PRON", "DET"):
        direction, moved = _predicate(doc, end, limit, text)
        return Mention(text.lower(), direction, moved, start, end, anaphor=True)
    while tokens and (
        tokens[0].pos_ in ("DET", "PRON", "NUM", "PUNCT", "CCONJ", "SCONJ", "INTJ", "ADV")
        and tokens[0].lower_ not in ("more", "less", "no", "fewer", "too", "not")
    ):
        tokens = tokens[1:]
    if not len(tokens):
        return None
    label = read_label(_without_quantity(tokens.text))
    base_words = label.base.lower().split()
    nouns = [t for t in tokens if t.pos_ in ("NOUN", "PROPN", "ADJ", "VERB")]
    if not nouns or not base_words or is_degenerate(label.base):
        return None
    said = label.base.lower() != _without_quantity(tokens.text).lower()
    if word(head) in _EMPTY_HEADS and len(base_words) == 1 and not (said and word(head) == "people"):
        return None
    direction, moved = label.direction, said
    if tokens[0].lower_ in ("too", "no", "not", "without"):
        direction, moved = (-direction if tokens[0].lower_ != "too" else direction), True
    after, moves = _predicate(doc, end, limit, label.base)
    before = _before(doc, start)
    if moves:
        direction, moved = direction * after, True
    if before:
        direction, moved = direction * before, True
    return Mention(label.base, direction, moved, start, end)


def _without_quantity(text: str) -> str:
    """ "a lot of noise" is noise; "less of the filming" is less filming."""
    for opening in ("a lot of ", "lots of ", "plenty of ", "loads of ", "some of ", "most of ", "lot of "):
        if text.lower().startswith(opening):
            text = text[len(opening) :]
    for opening in ("less of the ", "less of ", "more of the ", "more of ", "fewer of the "):
        if text.lower().startswith(opening):
            text = text[:5].split()[0] + " " + text[len(opening) :]
    return text


def _before(doc: Doc, start: int) -> int:
    """A verb of change that has the phrase as its object without a cause named: "cutting rents"."""
    if start == 0:
        return 0
    token = doc[start - 1]
    if token.lower_ in ("the", "a", "my", "our", "their", "on", "back") and start > 1:
        token = doc[start - 2]
        if token.lower_ in ("back", "on") and start > 2:
            token = doc[start - 3]
    text = token.lower_
    if text == "without":
        return -1
    if text in ("losing", "lose", "cutting", "reducing", "banning", "removing", "stopping", "lowering"):
        return -1
    if text in ("raising", "adding", "increasing", "improving", "building"):
        return 1
    return 0


def _predicate(doc: Doc, end: int, limit: int, label: str) -> tuple[int, bool]:
    """Direction that the words behind a phrase give it, up to the next noun."""
    sign, change = 1, 0
    for token in doc[end : min(limit, end + 8)]:
        text, lemma = token.lower_, word(token)
        if is_negation(token):
            sign = -sign
        elif text in ("up", "down", "higher", "lower", "more", "less"):
            change = 1 if text in ("up", "higher", "more") else -1
            break
        elif text in ("worse", "better"):
            bad = any(w.rstrip("s") in BAD or w in BAD for w in label.lower().split())
            change = (1 if text == "better" else -1) * (-1 if bad else 1)
            break
        elif token.pos_ == "VERB" and lemma in ("rise", "grow", "climb", "increase", "improve", "soar"):
            change = 0 if _takes_object(token) else 1
            break
        elif token.pos_ == "VERB" and lemma in (
            "fall", "drop", "decrease", "decline", "shrink", "suffer", "disappear", "reduce", "sink",
            "diminish", "weaken", "fade", "vanish",
        ):
            change = 0 if _takes_object(token) else -1
            break
        elif token.pos_ in ("NOUN", "PROPN", "PRON"):
            break
        elif token.pos_ == "VERB" and lemma in CAUSAL_VERBS:
            break
    return (sign * change, True) if change else (1, False)


def _takes_object(token: Token) -> bool:
    return any(child.dep_ in ("dobj", "obj") for child in token.children)


def _from_verb_or_adjective(doc: Doc, token: Token, limit: int) -> Mention | None:
    """ "they feel safer" speaks of safety; "taking the bus costs more" of taking the bus."""
    noun = _ADJECTIVE_NOUNS.get(word(token)) or _ADJECTIVE_NOUNS.get(token.lower_)
    if noun is not None and token.pos_ in ("ADJ", "ADV", "VERB"):
        direction = 1
        comparative = token.tag_ in ("JJR", "RBR")
        for before in doc[max(0, token.i - 3) : token.i]:
            if is_negation(before) or before.lower_ in ("less", "unlikely"):
                direction = -direction
                comparative = True
            if before.lower_ in ("more", "too", "get", "feel", "become", "be", "are", "is", "so"):
                comparative = True
        if not comparative:
            return None
        if word(token) == "cheap" or token.lower_ == "expensive":
            pass
        return Mention(noun, direction, True, token.i, token.i + 1)
    if token.tag_ == "VBG" and token.dep_ in ("csubj", "csubjpass", "pcomp", "nsubj"):
        end = min(max((t.i for t in token.subtree if t.i >= token.i), default=token.i) + 1, limit)
        if 1 < end - token.i <= 7:
            label = read_label(doc[token.i : end].text)
            act = CAUSAL_VERBS.get(word(token))
            if act is not None and word(token) in UP | DOWN:
                return None  # "cutting rents" is a mention of rents
            return Mention(label.base, 1, False, token.i, end)
    return None
