"""Which way the words between two mentions act: what does something to what, and with what sign.

A cause acts on its effect by a verb ("noise keeps families away"), by a noun ("a brake on trade",
"has a negative effect on"), by a phrase ("eats into"), or is named behind it ("held back by").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from beliefgraph.extractors.causal_phrases import (
    EFFECT_ON,
    HELP_WITH,
    NEGATIVE_WORD,
    PARTICLES,
    PHRASES,
    POSITIVE_WORD,
)
from beliefgraph.extractors.clauses import Clause, is_negation, word
from beliefgraph.extractors.mentions import Mention
from beliefgraph.text import content_words
from beliefgraph.text.lexicon import CARRYING_VERBS, CAUSAL_VERBS, DOWN, valence_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

__all__ = [
    "act_between",
    "denies",
    "is_put_down",
    "passive_sign",
    "rids_of",
    "subject_of_act",
    "what_is_made",
]

_RELATIVE = frozenset({"that", "which", "who", "it", "'s"})
_DENIABLE = frozenset("think believe see feel confident sure certain convinced".split())
_RIDDING = frozenset(
    "prevent stop keep save spare protect shield guard free rid deprive rob strip relieve cure bar "
    "ban block prohibit discourage deter dissuade restrain exempt excuse rescue insulate".split()
)
"""Verbs that take something from their object: "keeps the children from harm"."""
_MOVING = frozenset("keep take drive push move force throw pull send bring leave price".split())
_DEEPEST = 3
"""Verbs on the way from an infinitive to its subject."""
_FROM = frozenset("from of against".split())


def denies(doc: Doc, at: int) -> bool:
    """Say whether a negation denies what follows: "I don't think it ..."."""
    return any(word(t) in _DENIABLE for t in doc[at + 1 : at + 3])


def is_put_down(before: str, between: Span) -> bool:
    """Say whether two mentions are joined by "I put X down to Y"."""
    return bool(re.search(r"\bputs?\b", before)) and between.text.lower().startswith("down to")


def is_moved_out(doc: Doc, left: Mention, between: Span) -> bool:
    """Say whether "out of" is a way out and no motive: "keeps cars out of the square"."""
    noun = doc[left.end - 1]
    moved = noun.dep_ == "dobj" and word(noun.head) in _MOVING
    return moved and between.text.lower().startswith("out of")


def what_is_made(doc: Doc, mentions: list[Mention], right: Mention, between: Span) -> Mention:
    """Find the effect of making: in "makes cities more affordable" it is affordability."""
    if not any(word(t) in ("make", "keep", "leave", "get") for t in between):
        return right
    following = next((m for m in mentions if right.end <= m.start <= right.end + 2), None)
    adjective = following is not None and doc[following.start].pos_ == "ADJ"
    return following if following is not None and adjective else right


def rids_of(doc: Doc, mentions: list[Mention], right: Mention, between: Span) -> Mention | None:
    """Find what a verb keeps its object from: harm, in "protects the children from harm"."""
    if not any(t.pos_ == "VERB" and word(t) in _RIDDING for t in between):
        return None
    following = next((m for m in mentions if right.end < m.start <= right.end + 3), None)
    if following is None or doc[right.end].lower_ not in _FROM:
        return None
    if doc[following.end - 2 : following.end].text.lower() in ("in check", "at bay"):
        return None
    return following


def subject_of_act(mentions: list[Mention], left: Mention, between: Span) -> Mention:
    """Find the mention that is the subject of the acting verb, where that is not its neighbour.

    "The fees that came in with the new pool cut visits": the fees do, and not the pool. An aim
    has the subject of what it is the aim of: "wardens give talks to prevent theft".
    """
    for token in between:
        if token.pos_ == "VERB" and word(token) in CAUSAL_VERBS:
            subject = _subject(token)
            if subject is None or subject >= left.start:
                return left
            return next((m for m in mentions if m.start <= subject < m.end), left)
    return left


def _subject(verb: Token) -> int | None:
    """Return the place of a verb's subject; of an infinitive, that of the verb it hangs on."""
    for _ in range(_DEEPEST):
        for child in verb.children:
            if child.dep_ in ("nsubj", "nsubjpass"):
                return int(child.i)
        infinitive = any(c.tag_ == "TO" for c in verb.children)
        told = next((c for c in verb.head.children if c.dep_ == "dobj"), None)
        if infinitive and verb.dep_ == "xcomp" and told is not None:
            return int(told.i)  # "they hired wardens to cut litter": the wardens do
        if not infinitive and verb.dep_ not in ("conj", "xcomp"):
            return None
        verb = verb.head if verb.head.pos_ in ("VERB", "AUX") else verb.head.head
    return None


def act_between(doc: Doc, between: Span, right: Mention, clause: Clause) -> int:
    """Return the sign of the causing words between two mentions; 0 where there are none."""
    text = between.text
    negated = any(is_negation(t) and doc[t.i + 1].lower_ not in ("just", "only") for t in between)
    act = next((sign for pattern, sign in PHRASES if pattern.search(text)), 0)
    if EFFECT_ON.search(text):
        act = bool(POSITIVE_WORD.search(text)) - bool(NEGATIVE_WORD.search(text))
        if not act:
            return 0  # an effect, and no word of its direction
    if not act and HELP_WITH.search(text):
        ill = right.direction < 0 or any(valence_of(w) < 0 for w in content_words(right.label))
        act = -1 if ill else 1
    if not act:
        act = _verb_sign(doc, between, right, clause)
    if right.composed:  # the verb is in the idiom: "more noise would put me off"
        helpers = all(t.pos_ in ("AUX", "ADV", "PART") or t.lower_ in _RELATIVE for t in between)
        return 1 if act or helpers else 0
    return 0 if negated else act  # "won't raise it" is no effect, not the opposite one


def _verb_sign(doc: Doc, between: Span, right: Mention, clause: Clause) -> int:
    particle = next((PARTICLES[t.lower_] for t in between if t.lower_ in PARTICLES), 0)
    carries = any(t.pos_ == "VERB" and word(t) in CARRYING_VERBS for t in between)
    if carries and not particle and not right.moved:
        particle = _trailing_particle(doc, right, clause)
    for token in between:
        lemma = word(token)
        if token.pos_ not in ("VERB", "AUX", "NOUN", "ADJ"):
            continue
        if token.tag_ == "VBN" and any(c.dep_ == "auxpass" for c in token.children):
            continue  # "lorries being parked there cut trade": done to them, not by them
        if lemma in CARRYING_VERBS and (particle or right.moved):
            return particle or 1
        verb = token.pos_ == "VERB" or (token.i and token.nbor(-1).tag_ == "MD")
        if verb and lemma in CAUSAL_VERBS:
            if lemma in ("knock", "drag") and right.moved:
                return 1  # "drag it down": the particle holds the direction
            return 1 if CAUSAL_VERBS[lemma] > 0 and particle >= 0 else -1
    return 0


def _trailing_particle(doc: Doc, right: Mention, clause: Clause) -> int:
    """Find the particle behind an object: "bring trade on the high street down"."""
    for token in doc[right.end : min(right.end + 8, clause.tokens[-1].i + 1)]:
        if token.lower_ in ("up", "down", "back"):
            return PARTICLES[token.lower_]
        verbal = token.pos_ in ("VERB", "AUX", "PRON") and token.tag_ != "VBG"
        if verbal or token.lower_ in ("because", "with"):
            return 0
    return 0


def passive_sign(doc: Doc, left: Mention, between: Span) -> int:
    """Return the sign of a passive: "is held back by" is a minus."""
    sign = 1
    for token in between:
        lemma = word(token)
        following = doc[token.i + 1].lower_ if token.i + 1 < len(doc) else ""
        hinders = token.pos_ == "VERB" and CAUSAL_VERBS.get(lemma) == -1
        if (
            (hinders and not (left.moved and lemma in DOWN))
            or token.lower_ == "back"
            or (token.lower_ == "down" and following != "to" and not left.moved)
        ):
            sign = -sign
    return sign
