"""How the words around a word of direction turn it: negations, words of less, verbs that govern it.

A turn reaches as far as the phrase and its verb; the verb's subject lies beyond.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beliefgraph.extractors.clauses import is_negation, word
from beliefgraph.extractors.moves import denies_nothing
from beliefgraph.extractors.noun_words import FALLING, RISING
from beliefgraph.text.lexicon import CAUSAL_VERBS, DOWN, OPPOSE, PREVENT, UP

if TYPE_CHECKING:
    from spacy.tokens import Token

__all__ = [
    "EFFECT_NOUNS",
    "FEW",
    "direction_after",
    "governing_flips",
    "is_denied",
    "is_raised",
    "negations_of_verb",
]

EFFECT_NOUNS = frozenset(
    "effect affect impact influence connection relationship correlation relation change force "
    "factor link one thing way direction association consequence role reaction response".split()
)
_WINDOW = 7


_DEGREES = frozenset("more most a an the very quite rather".split())


FEW = frozenset("less fewer few hardly scarcely".split())


def is_denied(tokens: tuple[Token, ...], at: int) -> int:
    """ "I don't think it would ...", said further back than a plain negation."""
    return sum(
        is_negation(tokens[n]) and _is_belief_negation(tokens, n)
        for n in range(max(0, at - 12), at)
    )


def governing_flips(tokens: tuple[Token, ...], at: int, *, stop_at_verb: bool) -> tuple[int, bool]:
    """Count the words before `at` that turn its direction round, and whether one is of less.

    The walk goes back through the word's own phrase; at the verb that governs the phrase it takes
    that verb's negation along and stops, because the verb's subject lies beyond.
    """
    flips, less = 0, False
    graded = closed = finite = False
    position = at - 1
    while position >= max(0, at - _WINDOW):
        token = tokens[position]
        lemma, text = word(token), token.lower_
        finite = finite or token.tag_ in ("VBZ", "VBP", "VBD", "MD")
        graded = graded or text in _DEGREES
        closed = closed or (graded and token.pos_ == "CCONJ")
        if token.dep_ in ("nsubj", "nsubjpass", "expl") and not is_negation(token):
            subject = {t.lower_ for t in tokens[max(0, position - 1) : position + 1]}
            refused = bool(subject & (FEW | {"no"}))
            return flips + refused + is_denied(tokens, position), less or refused
        if is_negation(token):
            if not denies_nothing(tokens, position):
                flips += 1
        elif text in ("less", "unlikely", "lower", "reduced", "fewer", "down") or (
            lemma in DOWN and token.pos_ in ("NOUN", "ADJ", "ADV") and text not in ("low", "little")
        ):
            if not closed:  # "less of an effect and a more positive one": "less" ends at "and"
                flips += 1
                less = True
        elif lemma in ("struggle", "fail", "hesitate"):
            flips += 1
            break
        elif lemma in OPPOSE and token.pos_ in ("VERB", "ADJ"):
            flips += 1
        elif token.pos_ == "VERB":
            if finite and token.tag_ == "VBG":
                pass  # "avoiding errors has a positive effect": a verb of the subject
            elif lemma in PREVENT or (CAUSAL_VERBS.get(lemma) == -1) or lemma in DOWN:
                flips += 1
                less = True
            if stop_at_verb and lemma not in ("go", "be", "tend", "want", "try", "start", "think"):
                flips += negations_of_verb(tokens, position)
                break
        position -= 1
    return flips, less


def negations_of_verb(tokens: tuple[Token, ...], at: int) -> int:
    """Count negations among the auxiliaries and adverbs before a verb, and "I don't think"."""
    count = 0
    for position in range(at - 1, max(-1, at - 12), -1):
        token = tokens[position]
        if is_negation(token) and not denies_nothing(tokens, position):
            near = all(
                t.pos_ in ("AUX", "ADV", "PART") or is_negation(t)
                for t in tokens[position + 1 : at]
            )
            if near or _is_belief_negation(tokens, position):
                count += 1
    return count


def _is_belief_negation(tokens: tuple[Token, ...], at: int) -> bool:
    """ "I don't think it would ..." denies what follows."""
    following = [word(t) for t in tokens[at + 1 : at + 3]]
    if tokens[at].lower_ == "no" and following[:1] in (["way"], ["chance"]):
        return True  # "there's no way I'd vote for it"
    if tokens[at].lower_ == "not" and following[:1] in (["that"], ["like"]):
        return True  # "not that it doesn't help"
    return any(w in _BELIEF_VERBS for w in following)


_BELIEF_VERBS = frozenset("think believe feel see expect imagine say".split())


def is_raised(tokens: tuple[Token, ...], at: int) -> bool:
    """Say whether a word of more, or a causing verb, governs the word."""
    for position in range(at - 1, max(-1, at - _WINDOW), -1):
        lemma, text = word(tokens[position]), tokens[position].lower_
        if lemma in EFFECT_NOUNS and lemma not in ("one", "thing", "way"):
            return False  # "has an effect on support"
        if tokens[position].pos_ == "NOUN" and tokens[position + 1].lower_ in ("on", "and"):
            return False  # "increased traffic on my support": the rise is the traffic's
        if lemma in UP or text in UP or text in ("likely", "lot", "lots", "strong", "greatly"):
            return True
        if tokens[position].pos_ == "VERB":
            return CAUSAL_VERBS.get(lemma) == 1 or lemma in ("get", "gain", "have", "show", "see")
    return False


_AFTER = {
    **dict.fromkeys(("up", "more", "stronger", "higher", "roof", *RISING), 1),
    **dict.fromkeys(("down", "less", "lower", "weaker", "lose", "floor", "drain", *FALLING), -1),
}


def direction_after(tokens: tuple[Token, ...], at: int) -> int:
    """Direction said behind the word: "support drops", "support goes up", "support it less"."""
    for token in tokens[at + 1 : at + 6]:
        lemma = word(token)
        if not token.whitespace_ and token.i + 1 < len(token.doc) and token.nbor(1).text == "-":
            return 0  # "support for up-zoning"
        for said in (token.lower_, lemma):
            if said in _AFTER and (token.pos_ != "ADP" or said in ("up", "down")):
                return _AFTER[said]
        if lemma in ("because", "that", "than"):
            return 0
    return 0
