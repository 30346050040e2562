"""Words of an answer that say which way an effect goes, each with its own direction worked out.

A signal is composed, as in compositional sentiment analysis: the word's own direction, turned round
by every word of less, prevention or negation that governs it inside its clause. "Reduces
opposition" is (-)(-) = +; "won't lose support" is (-)(-)(+) = +.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from beliefgraph.extractors.clauses import Clause, is_negation, word
from beliefgraph.extractors.leanings import find_leanings
from beliefgraph.extractors.moves import denies_nothing, is_of
from beliefgraph.extractors.noun_words import FALLING, RISING
from beliefgraph.extractors.signal_scope import (
    EFFECT_NOUNS,
    FEW,
    direction_after,
    governing_flips,
    is_denied,
    is_raised,
    negations_of_verb,
)
from beliefgraph.text.labels import Label
from beliefgraph.text.lexicon import (
    BAD,
    CARRYING_VERBS,
    CAUSAL_VERBS,
    DOWN,
    GOOD,
    OPPOSE,
    SUPPORT,
    UP,
    valence_of,
)

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = ["Signal", "find_signals"]

SignalKind = Literal["effect", "stance", "verb", "outcome", "judgement"]
"""effect: "a negative effect"; stance: "more people support it"; verb: "it hurts it"; outcome: what
the factor does to something good or bad; judgement: "that's a good thing"."""

_WEIGHTS: dict[SignalKind, float] = {
    "effect": 3.0,
    "stance": 2.5,
    "verb": 2.0,
    "outcome": 0.8,
    "judgement": 0.7,
}
_POSITIVE = frozenset(
    "plus positive positively favorable favorably favourable positve postive".split()
)
_NEGATIVE = frozenset("minus negative negatively adverse adversely unfavorable detrimental".split())
_EFFECT_WORDS = _POSITIVE | _NEGATIVE
_PROP_WORDS = frozenset("it that this them those these".split())


_WORDS_OF_DIRECTION = (
    _EFFECT_WORDS | SUPPORT | OPPOSE | CARRYING_VERBS | frozenset(CAUSAL_VERBS) | RISING | FALLING
    | GOOD | BAD | frozenset("up down for board go".split())
)  # fmt: skip
"""All words that can be a signal: most words are none, and are passed over at once."""


@dataclass(frozen=True)
class Signal:
    """One word of direction with its scope resolved."""

    index: int
    """Position of the word in the answer's tokens."""
    kind: SignalKind
    sign: int
    weight: float
    clause: int
    """Number of the clause it stands in."""
    neutralised: bool = False
    """A negated change ("won't increase it"): says no effect rather than the opposite one."""
    on_source: bool = False
    """What Y's object does to X itself: X's own direction is no further turn."""


def find_signals(clause: Clause, number: int, source: Label, target: Label) -> list[Signal]:
    """Find the signals of one clause about an effect of `source` on `target`."""
    tokens = clause.tokens
    found = []
    idioms = dict(find_leanings(clause))
    for position, token in enumerate(tokens):
        if token.i in idioms:
            found.append(_leaning(tokens, position, idioms[token.i], number))
            continue
        if token.lower_ not in _WORDS_OF_DIRECTION and word(token) not in _WORDS_OF_DIRECTION:
            continue
        if any(at < token.i <= at + 3 for at in idioms):
            continue  # a word of the idiom
        if (
            is_of(token, source)
            and not _is_stance_word(token)
            and (token.lower_ not in _EFFECT_WORDS or _within_label(tokens, position, source))
        ):
            continue
        signal = (
            _effect_adjective(tokens, position, target)
            or _stance_word(tokens, position)
            or _verb(tokens, position, target)
            or _judgement(tokens, position, target)
        )
        if signal is not None:
            kind, sign, factor, neutral = signal
            weight = _WEIGHTS[kind] * factor
            done = kind == "outcome" and _is_done_by(token, target)
            thing = _object(tokens, position) if done else None
            on_source = thing is not None and is_of(thing, source)
            found.append(Signal(token.i, kind, sign, weight, number, neutral, on_source))
    return found


def _within_label(tokens: tuple[Token, ...], at: int, label: Label) -> bool:
    """ "false positives": the word of direction belongs to the name of X."""
    beside = (*tokens[max(0, at - 1) : at], *tokens[at + 1 : at + 2])
    return any(is_of(t, label) for t in beside)


def _leaning(tokens: tuple[Token, ...], at: int, sign: int, number: int) -> Signal:
    """An idiom of taking sides, turned round by a negation before it."""
    subject = next(
        (n for n in range(at - 1, max(-1, at - 5), -1) if tokens[n].dep_ in ("nsubj", "nsubjpass")),
        at - 3,
    )
    after_subject = range(max(0, subject), at)
    negations = sum(is_negation(tokens[n]) and not denies_nothing(tokens, n) for n in after_subject)
    # "fewer of us would back it" counts supporters; "less noise wins me over" counts the cause
    causes = at + 1 < len(tokens) and tokens[at + 1].lower_ in _WON
    counted = () if causes else range(max(0, subject - 1), at)
    fewer = sum(tokens[n].lower_ in FEW for n in counted)
    flips = negations + fewer + is_denied(tokens, max(0, subject))
    turned = sign if flips % 2 == 0 else -sign
    # "won't put me off" says that it does nothing, not that it wins me over
    idle = (
        negations % 2 == 1
        and flips % 2 == 1
        and word(tokens[at]) in CARRYING_VERBS | {"scare", "win"}
    )
    weight = _WEIGHTS["stance"] * (0.12 if idle else 1.0)
    return Signal(tokens[at].i, "stance", turned, weight, number, neutralised=idle)


_WON = frozenset("me us people folk folks them you anyone everyone him her".split())


_Found = tuple[SignalKind, int, float, bool]


def _effect_adjective(tokens: tuple[Token, ...], at: int, target: Label) -> _Found | None:
    text = tokens[at].lower_
    if text in ("up", "down") and _stands_alone(tokens, at):
        return "effect", 1 if text == "up" else -1, 0.9, False
    if text in _POSITIVE:
        sign = 1
    elif text in _NEGATIVE:
        sign = -1
    else:
        return None
    if (
        at
        and tokens[at - 1].lower_ in ("'m", "am", "fairly", "pretty", "quite")
        and any(t.lower_ == "i" for t in tokens[max(0, at - 3) : at])
    ):
        return None  # "I'm positive that ..."
    around = {token.lower_ for token in tokens[max(0, at - 2) : at + 3]}
    if around & _POSITIVE and around & _NEGATIVE and around & {"or", "nor"}:
        return None  # "positive or negative": the question's own words
    following = list(
        itertools.takewhile(lambda t: t.pos_ != "CCONJ" and not t.is_punct, tokens[at + 1 : at + 4])
    )
    noun = next((t for t in following if t.pos_ in ("NOUN", "PROPN")), None)
    if noun is not None and noun is following[0] and _is_stance_word(noun):
        return None  # "negative support": a stance word's own
    on_effect = noun is None or noun.lower_.rstrip("s") in EFFECT_NOUNS or tokens[at].pos_ == "ADV"
    flips, less = governing_flips(tokens, at, stop_at_verb=False)
    factor = 1.0 if on_effect else 0.3
    if tokens[at].pos_ == "ADV" and word(tokens[at].head) in _PERCEIVE:
        factor = 0.5  # "they are seen negatively": a state of things, if not of X
    if noun is not None and on_effect and _falls_on_another(tokens, noun, target):
        factor = 0.4
    if flips % 2:
        return "effect", -sign, factor * (0.7 if less else 0.4), False
    return "effect", sign, factor, False


def _falls_on_another(tokens: tuple[Token, ...], effect: Token, target: Label) -> bool:
    """Say whether an effect is on something else: "a good effect for the landlords"."""
    after = [t for t in tokens if t.i > effect.i][:1]
    if not after or after[0].lower_ not in ("on", "for", "upon"):
        return False
    noun = next((c for c in after[0].children if c.dep_ == "pobj"), None)
    if noun is None or noun.pos_ not in ("NOUN", "PROPN") or not target.stems:
        return False
    return not (is_of(noun, target) or _is_stance_word(noun) or word(noun) in _WHOEVER)


_PERCEIVE = frozenset("see view perceive regard judge portray think feel treat".split())
_WHOEVER = frozenset("people person everyone everybody community society opinion view mind".split())


def _is_stance_word(token: Token) -> bool:
    return word(token) in SUPPORT or word(token) in OPPOSE or token.lower_ in OPPOSE


def _stands_alone(tokens: tuple[Token, ...], at: int) -> bool:
    """ "Up, by a whisker": the whole answer, and no verb's particle."""
    following = tokens[at + 1].lower_ if at + 1 < len(tokens) else ""
    return (
        at <= 1
        and following not in ("to", "for", "the")
        and not any(t.pos_ in ("NOUN", "PROPN", "VERB") for t in tokens[:at])
    )


def _stance_word(tokens: tuple[Token, ...], at: int) -> _Found | None:
    token = tokens[at]
    lemma = word(token)
    text = token.lower_
    previous = tokens[at - 1].lower_ if at else ""
    if (
        (
            text == "for"
            and previous in ("all", "i'm", "'m", "am", "are", "be")
            and _closes(tokens, at)
        )
        or (text == "board" and previous == "on")
        or (lemma in SUPPORT and not (text == "back" and token.pos_ != "VERB"))
    ):
        sign = 1
    elif lemma in OPPOSE or text in OPPOSE:
        if text in ("against", "object", "anti") and token.pos_ not in (
            "ADP",
            "VERB",
            "ADJ",
            "SCONJ",
        ):
            return None
        sign = -1
    else:
        return None
    if previous in _NEGATIVE:
        sign = -sign  # "negative support"
    if at and word(tokens[at - 1]) in OPPOSE and tokens[at - 1].lower_ != "against":
        return None
    flips, less = governing_flips(tokens, at, stop_at_verb=True)
    raised = is_raised(tokens, at)
    after = direction_after(tokens, at)
    named = flips == 0 and not raised and after == 0 and previous not in _EFFECT_WORDS
    if named and sign > 0 and token.pos_ in ("NOUN", "PROPN"):
        return None  # "the effect on support": named, nothing said of it
    if not raised and after == 0 and sign > 0 and _is_what_changes(tokens, at):
        return None  # "I don't believe it would lead to changes in support"
    neutral = bool(flips % 2) and raised and after == 0 and not less
    turned = -1 if (flips + (after < 0)) % 2 else 1
    factor = 1.0 if raised or flips or after or sign < 0 else 0.8
    if neutral:
        return "stance", sign * turned, 0.3, True
    return "stance", sign * turned, factor, False


def _is_what_changes(tokens: tuple[Token, ...], at: int) -> bool:
    """Say whether a word is only what a change is of: "a shift in people's support"."""
    for position in range(at - 1, max(0, at - 5), -1):
        if word(tokens[position]) in ("in", "of", "on", "to"):
            return word(tokens[position - 1]) in (
                "change",
                "shift",
                "difference",
                "effect",
                "impact",
            )
    return False


def _closes(tokens: tuple[Token, ...], at: int) -> bool:
    following = tokens[at + 1 : at + 3]
    return not following or following[0].lower_ in (*_PROP_WORDS, "the", "a")


def _verb(tokens: tuple[Token, ...], at: int, target: Label) -> _Found | None:
    token = tokens[at]
    lemma = word(token)
    act = CAUSAL_VERBS.get(lemma)
    if token.pos_ == "NOUN" and lemma in RISING | FALLING:
        act = 1 if lemma in RISING else -1  # "a small dip": the effect itself
    elif token.pos_ not in ("VERB", "NOUN", "AUX") or (
        token.pos_ == "NOUN" and lemma not in UP | DOWN
    ):
        act = None
    if lemma in ("make", "let", "get", "have", "see", "cause", "help") and any(
        t.pos_ == "VERB" for t in tokens[at + 1 : at + 5]
    ):
        return None  # "makes it go down": the second verb says which way
    if lemma in ("make", "keep") and _has_bare_complement(tokens, at):
        return None  # "makes it so high": how things are, not which way they go
    if lemma == "go" and any(t.lower_ in ("up", "down") for t in tokens[at + 1 : at + 3]):
        subject = next(
            (t for t in reversed(tokens[:at]) if t.pos_ in ("NOUN", "PROPN", "PRON")), None
        )
        if subject is not None and subject.lower_ not in _PROP_WORDS and not is_of(subject, target):
            return None
        act = 1 if any(t.lower_ == "up" for t in tokens[at + 1 : at + 3]) else -1
    if lemma in CARRYING_VERBS and token.pos_ == "VERB":
        following = [t.lower_ for t in tokens[at + 1 : at + 4]]
        if set(following) & {"me", "you", "us", "them"}:
            return None
        if set(following) & {"it", "that", "this"} and set(following) & {"up", "down"}:
            act = 1 if "up" in following else -1
        elif lemma in ("get", "have", "see", "take", "give", "come", "find", "let", "keep", "put"):
            act = None
    if act is None or (token.pos_ == "NOUN" and not _bare_noun(tokens, at)):
        return None
    thing = _object(tokens, at)
    negated = negations_of_verb(tokens, at) % 2 == 1
    if thing is None or thing.lower_ in _PROP_WORDS or is_of(thing, target):
        known = lemma in CARRYING_VERBS or lemma in CAUSAL_VERBS or lemma == "go"
        if not known and lemma not in UP | DOWN | RISING | FALLING:
            return None
        if thing is not None and _is_stance_word(thing):
            return None  # read as a stance word already
        if _is_done_by_speaker(token):
            return None  # "I'd do anything to stop it" is no effect of X
        return "verb", act if not negated else -act, 0.3 if negated else 1.0, negated
    worth = valence_of(word(thing)) or valence_of(thing.lower_)
    if not worth:
        return None
    return "outcome", act * worth * (-1 if negated else 1), 1.0, False


def _has_bare_complement(tokens: tuple[Token, ...], at: int) -> bool:
    """Say whether "makes it ..." ends in an adjective that neither judges nor compares.

    "Makes me less supportive" says which way by its adjective alone.
    """
    if len(tokens) > at + 2 and tokens[at + 1].lower_ in _WON:
        return any(t.pos_ == "ADJ" for t in tokens[at + 2 : at + 5])
    after = [t for t in tokens[at + 2 : at + 5] if t.pos_ != "ADV"][:1]
    if len(tokens) <= at + 2 or tokens[at + 1].lower_ not in _PROP_WORDS or not after:
        return False
    adjective = after[0]
    return adjective.tag_ == "JJ" and not valence_of(adjective.lower_)


def _is_done_by(verb: Token, label: Label) -> bool:
    """Say whether the verb's subject is what a label names."""
    return any(c.dep_ in ("nsubj", "nsubjpass") and is_of(c, label) for c in verb.children)


def _is_done_by_speaker(verb: Token) -> bool:
    """Say whether the verb's own subject, or else its governor's, is "I" or "we"."""
    for token in (verb, verb.head, verb.head.head):
        subject = next((c for c in token.children if c.dep_ in ("nsubj", "nsubjpass")), None)
        if subject is not None:
            return subject.lower_ in ("i", "we")
    return False


def _bare_noun(tokens: tuple[Token, ...], at: int) -> bool:
    """An "increase" or "decrease" that stands for the effect itself."""
    following = tokens[at + 1].lower_ if at + 1 < len(tokens) else ""
    return following not in ("in", "of", "to") and tokens[at].lower_ not in ("help", "cut", "limit")


def _object(tokens: tuple[Token, ...], at: int) -> Token | None:
    """First noun or pronoun behind the verb, before another verb."""
    for token in tokens[at + 1 : at + 7]:
        if token.pos_ in ("NOUN", "PROPN") or token.lower_ in _PROP_WORDS:
            return token
        if token.pos_ == "VERB":
            return None
    return None


def _judgement(tokens: tuple[Token, ...], at: int, target: Label) -> _Found | None:
    token = tokens[at]
    worth = valence_of(word(token)) or valence_of(token.lower_)
    if not worth or is_of(token, target):
        return None
    if token.lower_ == "like" and token.pos_ != "VERB":
        return None
    if token.lower_ in ("better", "best", "well") and token.pos_ == "ADV":
        return None
    flips, _ = governing_flips(tokens, at, stop_at_verb=True)
    return "judgement", -worth if flips % 2 else worth, 1.0, False
