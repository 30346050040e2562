"""Which way a clause moves a concept: "less crime", "trust is low", "if it isn't reliable"."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from beliefgraph.extractors.clauses import Clause, is_negation, word
from beliefgraph.text import Label, same_stem, scale_side, stem
from beliefgraph.text.lexicon import CAUSAL_VERBS, DOWN, PREVENT, UP

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = ["acts_against", "denies_nothing", "is_of", "mention_direction"]


def is_of(token: Token, label: Label) -> bool:
    """Say whether a token is a word of a label, in any form."""
    return _names(token.lower_, word(token), label.stems)


@lru_cache(maxsize=65_536)
def _names(said: str, lemma: str, stems: frozenset[str]) -> bool:
    return any(same_stem(said, s) for s in stems) or stem(lemma) in stems


def denies_nothing(tokens: tuple[Token, ...], at: int) -> bool:
    """ "not only ... but also", "not just", "no doubt", "not sure": no negation of the word."""
    following = tokens[at + 1].lower_ if at + 1 < len(tokens) else ""
    return following in ("only", "just", "doubt", "sure", "necessarily", "question", "matter")


def mention_direction(clause: Clause, label: Label) -> int | None:
    """Say which way a clause moves a concept: +1 more, -1 less, 0 named only, None not named.

    Words on the other end of the concept's scale count turned round: "expensive" speaks of
    affordability.
    """
    tokens = clause.tokens
    sides = {scale_side(s) for s in label.stems} - {None}
    named = [n for n, t in enumerate(tokens) if is_of(t, label)]
    heads = [n for n in named if same_stem(tokens[n].lower_, label.head)]
    if named:
        moved = _moved(tokens, (heads or named)[0], label)
        # "crime goes up", said of crime deterrence
        apart = acts_against(label.base) and not any(_acts(tokens[n].lower_) for n in named)
        return -moved if apart else moved
    for position, token in enumerate(tokens):
        own = scale_side(word(token))
        scale = next(
            (s for s in sides if s is not None and own is not None and s[0] == own[0]), None
        )
        if own is not None and scale is not None:
            moved = _moved(tokens, position, None)
            turned = acts_against(label.base)
            if scale[1] == own[1] and not turned:
                return moved
            return (moved or 1) * (1 if scale[1] == own[1] else -1) * (-1 if turned else 1)
    return None


def acts_against(label: str) -> bool:
    """Say whether more of something is less of what it names: "deterring theft".

    >>> acts_against("Deterring theft"), acts_against("crime prevention"), acts_against("theft")
    (True, True, False)
    """
    words = label.lower().split()
    return bool(words) and (_acts(words[0]) or _acts(words[-1]))


def _acts(said: str) -> bool:
    return said in _ACTS_OF or (said.endswith(("ing", "ion")) and stem(said) in _ACTS_AGAINST)


_ACTS_OF = frozenset(
    "deterrence prevention avoidance removal abolition suppression mitigation elimination".split()
)
_ACTS_AGAINST = frozenset(
    stem(verb) for verb, sign in CAUSAL_VERBS.items() if sign < 0
) | frozenset(map(stem, PREVENT))


def _moved(tokens: tuple[Token, ...], at: int, label: Label | None) -> int:
    """Direction in which a clause moves the thing at `at`; 0 where it does not say.

    Words of the concept's own label ("not having enough money") are part of it and move nothing.
    """
    own = frozenset(label.text.lower().split()) if label is not None else frozenset()
    direction = 0
    for position in range(at - 1, max(-1, at - 5), -1):
        token = tokens[position]
        lemma, text = word(token), token.lower_
        if text in own or (label is not None and _acts(text) and is_of(token, label)):
            continue
        if is_negation(token):
            addressed = text == "no" and not _negates_noun(tokens, position, at)
            whole = tokens[position + 1].lower_ in ("that", "like")  # "not that the noise matters"
            if addressed or whole or denies_nothing(tokens, position):
                continue
            direction = -(direction or 1)
        elif text in ("too", "very", "so"):
            continue
        elif (
            text in UP
            or lemma in UP
            or (CAUSAL_VERBS.get(lemma) == 1 and token.pos_ == "VERB" and lemma in UP)
        ):
            direction = direction or 1
        elif text in DOWN or lemma in DOWN or lemma in PREVENT or text in ("bad",):
            direction = -(direction or 1)
        elif token.pos_ in ("VERB",) and lemma not in ("be", "have", "get"):
            break
    if direction:
        return direction
    return _state_after(tokens, at)


def _negates_noun(tokens: tuple[Token, ...], no: int, at: int) -> bool:
    """Tell "no parking" from the "no" of an answer."""
    return all(t.pos_ in ("NOUN", "PROPN", "ADJ", "ADP", "DET") for t in tokens[no + 1 : at])


def _state_after(tokens: tuple[Token, ...], at: int) -> int:
    """ "trust is low", "quality goes down", "the system isn't reliable"."""
    sign = 1
    for token in tokens[at + 1 : at + 7]:
        lemma, text = word(token), token.lower_
        if token.pos_ == "VERB" and any(c.dep_ in ("dobj", "obj") for c in token.children):
            return 0  # "crime kills it": the verb moves its object
        if token.pos_ == "CCONJ":
            break
        if is_negation(token):
            sign = -sign
            continue
        if text in ("up", "high", "higher", "better", "good", "strong") or (
            lemma in UP and token.pos_ in ("VERB", "ADJ")
        ):
            return sign
        if text in (
            "down",
            "low",
            "lower",
            "worse",
            "bad",
            "weak",
            "poor",
            "missing",
            "lacking",
            "closed",
            "shut",
            "gone",
        ) or (lemma in DOWN and token.pos_ in ("VERB", "ADJ")):
            return -sign
        if token.pos_ in ("NOUN", "PROPN", "VERB") and sign > 0:
            return 0
    # "if it is not controlled": the mention itself is the predicate
    after = tokens[at + 1 : at + 3]
    return (
        -1
        if sign < 0 and len(after) > 1 and word(after[0]) == "be" and is_negation(after[1])
        else 0
    )
