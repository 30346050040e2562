"""Find what a clause speaks of, and which way it says that moves.

A mention is a noun phrase (or a gerund: "taking the bus") with a direction: from its own words
("less parking", "a rise in rents"), from the verb before it ("cutting back on parking"), or from
its predicate ("rents would fall", "bring rents down"). Statements link mentions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from beliefgraph.extractors.clauses import Clause, is_negation, word
from beliefgraph.extractors.noun_words import (
    ADJECTIVE_NOUNS,
    ANAPHORS,
    ATTACHED,
    COMPARATIVES,
    EMPTY_HEADS,
    FALLING,
    GENERIC_SUBJECTS,
    GOVERNING_LESS,
    GOVERNING_MORE,
    JUDGED_FOR,
    LIGHT_VERBS,
    PREDICATES,
    RELATIVES,
    RISING,
    UNATTACHED,
)
from beliefgraph.text import content_words, is_degenerate, read_label
from beliefgraph.text.lexicon import BAD, CAUSAL_VERBS, direction_of, valence_of

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Mention", "find_mentions", "noun_phrases"]


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
    composed: bool = False
    """Whether the direction holds the governing verb's already ("kills my support")."""


@lru_cache(maxsize=2)
def noun_phrases(doc: Doc) -> tuple[tuple[int, int], ...]:
    """Return noun phrases as token ranges, "the cost of housing" and "rule-breaking" as one."""
    phrases: list[tuple[int, int]] = []
    for chunk in doc.noun_chunks:
        start, end = _whole_words(doc, chunk.start, chunk.end)
        if start > 1 and doc[start - 1].lower_ == "of" and doc[start - 2].tag_ == "VBG":
            start -= 2  # "spoiling of the landscape"
        if start > 1 and _is_backing(doc, start - 1):
            start -= 2  # taggers take the "support" of "support for it" for a verb
        if phrases and start < phrases[-1][1]:
            phrases[-1] = (min(start, phrases[-1][0]), max(end, phrases[-1][1]))
            continue
        if phrases and chunk.root.pos_ != "PRON":
            first, last = phrases[-1]
            if _attached(doc, first, last, start) and end - first <= 14:
                phrases[-1] = (first, end)
                continue
        phrases.append((start, end))
    return tuple(phrases)


def _whole_words(doc: Doc, start: int, end: int) -> tuple[int, int]:
    """Widen a range so that it cuts no hyphenated word ("four-day week", "face-to-face talk")."""
    widened = False
    while start > 1 and doc[start - 1].text == "-" and not doc[start - 2].whitespace_:
        start, widened = start - 2, True
    while end + 1 < len(doc) and doc[end].text == "-" and not doc[end].whitespace_:
        end, widened = end + 2, True
        while end < len(doc) and doc[end].pos_ in ("NOUN", "PROPN") and doc[end - 1].text != "-":
            end += 1
    if widened and start > 0 and doc[start - 1].pos_ in ("DET", "ADJ"):
        start -= 1
    return start, end


def _is_backing(doc: Doc, at: int) -> bool:
    """Say whether "support for", "backing for" ends at a token, before a phrase."""
    noun = doc[at - 1].lower_ in (
        "support",
        "backing",
        "enthusiasm",
        "appetite",
        "sympathy",
        "approval",
    )
    return noun and doc[at].lower_ in ("for", "of")


def _attached(doc: Doc, first: int, last: int, start: int) -> bool:
    """Say whether what starts at `start` belongs to the phrase before it."""
    between = doc[last:start]
    if not 1 <= len(between) <= 2 or between[-1].lower_ not in ATTACHED:
        return False
    if word(doc[last - 1]) in UNATTACHED:
        return False
    if len(between) == 2:  # "adverts aimed at children"
        return bool(between[0].dep_ == "acl" and between[0].tag_ in ("VBN", "VBG"))
    head = between[0].head
    inside = first <= head.i < last and head.pos_ in ("NOUN", "PROPN", "ADJ")
    return inside or between[0].lower_ == "of"


def find_mentions(clause: Clause, phrases: Sequence[tuple[int, int]]) -> list[Mention]:
    """Find the mentions of one clause, in the order of its words."""
    first, last = clause.tokens[0].i, clause.tokens[-1].i + 1
    doc = clause.tokens[0].doc
    begin = max(0, bisect_left(phrases, (first, 0)) - 1)  # phrases are in order and apart
    spans = []
    for start, end in phrases[begin : bisect_left(phrases, (last, 0))]:
        if end > first:
            spans.append((max(start, first), min(end, last)))
    found = [m for span in spans if (m := _mention(doc, *span, first, last)) is not None]
    found += [
        m
        for token in clause.tokens
        if not any(s <= token.i < e for s, e in spans)
        and (m := _from_verb_or_adjective(doc, token, last)) is not None
    ]
    return sorted(found, key=lambda m: m.start)


def _mention(doc: Doc, start: int, end: int, first: int, limit: int) -> Mention | None:
    tokens = list(doc[start:end])
    head = tokens[-1]
    if len(tokens) == 1 and head.lower_ in ANAPHORS and head.pos_ in ("PRON", "DET"):
        after_comma = start > 0 and doc[start - 1].text == ","
        if head.head.dep_ == "relcl" and not after_comma:
            return None
        direction, moved = _predicate(doc, start, end, limit, head.lower_)
        if not moved and _governor(doc, start, first):
            direction, moved = _governor(doc, start, first), True
        return Mention(head.lower_, direction, moved, start, end, anaphor=True)
    refused = any(t.lower_ in ("no", "not", "without") for t in tokens[:2])
    while (
        tokens
        and not _opens_compound(tokens)
        and (
            tokens[0].pos_
            in ("DET", "PRON", "NUM", "PUNCT", "CCONJ", "SCONJ", "INTJ", "ADV", "ADP")
            and tokens[0].lower_ not in COMPARATIVES
        )
    ):
        tokens = tokens[1:]
    if not tokens:
        return None
    said = _without_quantity(doc[tokens[0].i : end].text)
    label = read_label(said)
    if label.base.lower() in ("more", "less", "fewer") or not _names_something(tokens, label.base):
        return None
    moved = label.base.lower() != said.lower()
    only_people = label.base.lower() in ("people", "person")
    if word(head) in RELATIVES and doc[start].lower_ in ("my", "his", "her", "our"):
        return None
    if word(head) in EMPTY_HEADS and len(label.base.split()) == 1 and not (moved and only_people):
        return None
    direction = label.direction
    if refused:
        direction, moved = -direction, True
    after, moves = _predicate(doc, start, end, limit, label.base)
    if moves:
        direction, moved = direction * after, True
    governed = _governor(doc, start, first)
    before = governed or _judged_for(doc, start, first)
    if before and not moves:
        direction, moved = direction * before, True
    by_verb = bool(governed) and not moves and doc[start - 1].pos_ != "ADP"
    return Mention(label.base, direction, moved, start, end, composed=by_verb)


def _opens_compound(tokens: list[Token]) -> bool:
    """ "four-day week": the number belongs to the name."""
    return len(tokens) > 2 and tokens[1].text == "-"


def _names_something(tokens: list[Token], base: str) -> bool:
    if not any(t.pos_ in ("NOUN", "PROPN", "ADJ", "VERB") for t in tokens) or is_degenerate(base):
        return False
    content = [w for w in content_words(base) if w not in EMPTY_HEADS]
    joint = next((n for n, t in enumerate(tokens) if n and t.pos_ == "ADP"), len(tokens))
    if word(tokens[joint - 1]) in EMPTY_HEADS:  # "a good thing"
        nouns = {t.lower_ for t in tokens[:-1] if t.pos_ in ("NOUN", "PROPN")}
        content = [w for w in content if w in nouns and not (valence_of(w) or direction_of(w))]
    return bool(content) or base.lower() in ("people", "person")


def _without_quantity(text: str) -> str:
    """ "a lot of noise" is noise; "less of the filming" is less filming."""
    for opening in (
        "a lot of ",
        "lots of ",
        "plenty of ",
        "loads of ",
        "some of ",
        "most of ",
        "lot of ",
        "a bit of ",
        "bit of ",
        "kind of ",
        "sort of ",
        "amount of ",
    ):
        if text.lower().startswith(opening):
            text = text[len(opening) :]
    for opening in ("less of the ", "less of ", "more of the ", "more of ", "fewer of the "):
        if text.lower().startswith(opening):
            text = text.split()[0] + " " + text[len(opening) :]
    return text


_BARE_DEPS = frozenset("csubj pcomp ROOT advcl nsubj dep conj ccomp auxpass aux".split())
"""Where a verb stands that has no subject of its own; taggers disagree on it in spoken English."""


def _governor(doc: Doc, start: int, first: int) -> int:
    """Direction given by what governs the phrase: "cutting rents", "without rents"."""
    position = start - 1
    while position >= first and (
        (doc[position].pos_ in ("DET", "PRON", "PART") and doc[position].lower_ not in ("it",))
        or (
            doc[position].lower_
            in ("back", "on", "away", "out", "down", "up", "of", "any", "rid", "with")
            and position > first
            and doc[position].pos_ != "NOUN"
        )
    ):
        position -= 1
    if position < first:
        return 0
    token = doc[position]
    if token.lower_ == "for" and position > first and doc[position - 1].lower_ == "but":
        return -1  # "but for the noise"
    if token.lower_ == "without" or _were_it_not(doc, position, first):
        return -1
    if token.pos_ not in ("VERB", "AUX"):
        return 0
    subjects = [c for c in token.children if c.dep_ in ("nsubj", "nsubjpass", "csubj")]
    if any(c.lower_ not in GENERIC_SUBJECTS for c in subjects):
        return 0
    if not subjects and any(c.tag_ == "MD" for c in token.children):
        named = any(t.pos_ in ("NOUN", "PROPN") for t in doc[first:position])
        if named:  # "the lorries being parked there will cut trade": it has its subject
            return 0
    lemma = word(token)
    negated = any(is_negation(t) for t in doc[max(first, position - 3) : position])
    if negated and lemma in ("have", "get", "see", "be"):
        return -1  # "if you didn't have the noise"
    following = {t.lower_ for t in doc[token.i + 1 : token.i + 3]}
    after = {t.lower_ for t in doc[start : min(len(doc), start + 8)]}
    if (
        (lemma == "take" and {"away", "out"} & (following | after))
        or (lemma == "get" and "rid" in following)
        or (lemma == "do" and "away" in following)
    ):
        lemma = "remove"
    infinitive = token.dep_ in ("acl", "xcomp") and any(c.tag_ == "TO" for c in token.children)
    bare = (
        infinitive
        or lemma in ("rid", "remove")
        or (token.tag_ in ("VBG", "VB", "VBP") and token.dep_ in _BARE_DEPS)
    )
    if not bare:
        return 0
    sign = -1 if lemma in GOVERNING_LESS else 1 if lemma in GOVERNING_MORE else 0
    return -sign if negated else sign


def _were_it_not(doc: Doc, at: int, first: int) -> bool:
    """ "if it weren't for the noise"."""
    lead = [t.lower_ for t in doc[max(first, at - 5) : at]]
    return doc[at].lower_ == "for" and "if" in lead and ("n't" in lead or "not" in lead)


def _judged_for(doc: Doc, start: int, first: int) -> int:
    """ "bad for safety" is less of it, "good for trade" more."""
    position = start - 1
    while position > first and doc[position].pos_ in ("DET", "PRON"):
        position -= 1
    if position - 1 < first or doc[position].lower_ != "for":
        return 0
    return JUDGED_FOR.get(doc[position - 1].lower_, 0)


def _predicate(doc: Doc, start: int, end: int, limit: int, label: str) -> tuple[int, bool]:
    """Direction that the words behind a phrase give it, up to the next noun."""
    sign, change = 1, 0
    for token in doc[end : min(limit, end + 8)]:
        text, lemma = token.lower_, word(token)
        if is_negation(token):
            sign = -sign
        elif text in PREDICATES:
            if (
                text in ("down", "up")
                and token.i + 1 < len(doc)
                and doc[token.i + 1].lower_ == "to"
            ):
                break
            if text not in ("up", "down", "needed") and (
                token.pos_ == "VERB" or _before_noun(doc, token, limit)
            ):
                break  # "means less parking", "would lower rents": of the next noun
            change = PREDICATES[text]
            break
        elif text in ("worse", "better"):
            if _before_noun(doc, token, limit):
                break
            bad = any(w.rstrip("s") in BAD or w in BAD for w in label.lower().split())
            bad = bad or any(
                t.lower_ in ("problem", "problems", "trouble", "issue")
                for t in doc[max(0, start - 4) : start]
            )
            change = (1 if text == "better" else -1) * (-1 if bad else 1)
            break
        elif lemma in RISING | FALLING and (token.pos_ == "VERB" or doc[token.i - 1].tag_ == "MD"):
            change = 0 if _takes_object(token, limit) else 1 if lemma in RISING else -1
            break
        elif token.pos_ in ("NOUN", "PROPN", "PRON") or (
            token.pos_ == "VERB" and lemma in CAUSAL_VERBS
        ):
            break
    return (sign * change, True) if change else (1, False)


def _before_noun(doc: Doc, token: Token, limit: int) -> bool:
    if token.i + 1 >= limit:
        return False
    following = doc[token.i + 1]
    return following.pos_ in ("NOUN", "ADJ", "PROPN", "VERB")


def _takes_object(token: Token, limit: int) -> bool:
    return any(
        c.dep_ in ("dobj", "obj", "ccomp", "xcomp")
        and c.i < limit
        and (c.pos_ == "PRON" or word(c) not in EMPTY_HEADS)
        for c in token.children
    )


def _from_verb_or_adjective(doc: Doc, token: Token, limit: int) -> Mention | None:
    """ "they feel safer" speaks of safety; "taking the bus costs more" of taking the bus."""
    noun = ADJECTIVE_NOUNS.get(word(token)) or ADJECTIVE_NOUNS.get(token.lower_)
    if noun is not None and token.pos_ in ("ADJ", "ADV", "VERB"):
        direction = 1
        comparative = token.tag_ in ("JJR", "RBR")
        for before in doc[max(0, token.i - 3) : token.i]:
            if is_negation(before) or before.lower_ in ("less", "unlikely"):
                direction = -direction
                comparative = True
            if before.lower_ in ("more", "too", "get", "feel", "become", "be", "are", "is", "so"):
                comparative = True
        return Mention(noun, direction, True, token.i, token.i + 1) if comparative else None
    if (
        token.lower_ == "that"
        and token.i
        and token.nbor(-1).lower_ in ("with", "without", "from", "by")
    ):
        return Mention(
            "that",
            -1 if token.nbor(-1).lower_ == "without" else 1,
            True,
            token.i,
            token.i + 1,
            anaphor=True,
        )
    if token.tag_ == "VBG" and token.dep_ in ("csubj", "csubjpass", "pcomp", "nsubj"):
        end = min(max((t.i for t in token.subtree if t.i >= token.i), default=token.i) + 1, limit)
        lemma = word(token)
        begin, end = _whole_words(doc, token.i, end)
        plain = lemma not in GOVERNING_LESS | GOVERNING_MORE | LIGHT_VERBS
        if end - token.i <= 7 and plain:
            label = read_label(doc[begin:end].text)
            direction = -label.direction if doc[begin - 1].lower_ == "without" else label.direction
            after, moves = _predicate(doc, begin, end, limit, label.base)
            return Mention(label.base, direction * after, moves or direction < 0, begin, end)
    return None
