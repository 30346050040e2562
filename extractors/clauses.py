"""Cut a parsed answer into clauses, each with what joins it to the one before.

Spoken answers come without punctuation, so commas and full stops are not enough: a conjunction
followed by a new subject and verb starts a clause as well. Scopes (negation, direction, condition)
end where a clause ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from beliefgraph.text.lexicon import NEGATIONS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

__all__ = ["Clause", "Joint", "is_negation", "split_clauses", "text_of", "word"]

Joint = Literal["start", "and", "but", "if", "because", "so", "comma"]
"""How a clause hangs on what precedes it."""

_JOINTS: dict[str, Joint] = {
    **dict.fromkeys(("but", "however", "although", "though", "yet", "whereas", "except"), "but"),
    **dict.fromkeys(
        ("if", "when", "whenever", "unless", "until", "till", "once", "wherever", "as"), "if"
    ),
    **dict.fromkeys(("because", "cause", "cuz", "since", "'cause"), "because"),
    **dict.fromkeys(("so", "therefore", "thus", "hence", "then", "consequently"), "so"),
}
_COMMAS = frozenset({",", "\u2014", "\u2013", "-", "--", "(", ")", "\u2026", "..."})
_STOPS = frozenset({".", "!", "?", ";", ":"})
_SUBJECTS = frozenset({"PRON", "DET", "NOUN", "PROPN", "NUM", "ADJ"})
_VERBS = frozenset({"VERB", "AUX"})
_AMOUNTS = frozenset({"more", "less", "fewer", "no"})


@dataclass(frozen=True)
class Clause:
    """Tokens that share one scope."""

    tokens: tuple[Token, ...]
    joint: Joint
    sentence: int
    """Number of the sentence (as punctuated) that the clause stands in."""
    text: str
    """Its words as they stand in the clean text."""

    @property
    def excepts(self) -> bool:
        """Whether it is an "unless" or "until": a condition turned round."""
        return self.tokens[0].lower_ in ("unless", "until", "till")

    @property
    def start(self) -> int:
        """First character of the clause in the clean text."""
        return int(self.tokens[0].idx)

    @property
    def end(self) -> int:
        """One past the last character of the clause in the clean text."""
        last = self.tokens[-1]
        return int(last.idx) + len(last.text)


def word(token: Token) -> str:
    """Return the lemma in lower case; the plain word where the lemmatiser has none."""
    return (token.lemma_ or token.text).lower()


def is_negation(token: Token) -> bool:
    """Say whether a token negates what follows in its clause."""
    return token.lower_ in NEGATIONS or token.lower_ == "n\u2019t"


@lru_cache(maxsize=2)
def text_of(doc: Doc) -> str:
    """Return a document's text; spaCy joins it from its tokens at every call."""
    return str(doc.text)


@lru_cache(maxsize=2)
def split_clauses(doc: Doc) -> tuple[Clause, ...]:
    """Cut a parsed text into clauses; every token but punctuation is in exactly one.

    The last texts are remembered: statements, probes and levels are read from the same one.
    """
    clauses: list[Clause] = []
    open_tokens: list[Token] = []
    whole = text_of(doc)
    joint: Joint = "start"
    sentence = 0

    def close(following: Joint) -> None:
        nonlocal joint
        if open_tokens:
            last = open_tokens[-1]
            text = whole[open_tokens[0].idx : last.idx + len(last)]
            clauses.append(Clause(tuple(open_tokens), joint, sentence, text))
            open_tokens.clear()
        joint = following

    mains = _main_clauses(doc)
    for index, token in enumerate(doc):
        text = token.lower_
        if index in mains and open_tokens and joint == "if" and len(open_tokens) > 2:
            close("comma")
        if text in _STOPS:
            close("start")
            sentence += 1
        elif text in _COMMAS and not _is_hyphen(token):
            # "but, well, it helps": the joint said before the comma still holds
            close("comma" if open_tokens else joint)
        elif (
            text in ("moment", "minute", "instant")
            and token.i
            and token.nbor(-1).lower_ == "the"
            and _new_subject(doc, index + 1)
        ):
            close("if")
        elif text in _JOINTS and _joins(token, doc):
            close(_JOINTS[text])
            open_tokens.append(token)
        elif text in _AMOUNTS and _is_bare_amount(open_tokens):
            close("comma")  # "more lorries more noise"
            open_tokens.append(token)
        elif text in ("and", "or", "plus") and _new_subject(doc, index + 1):
            close("and")
        elif token.is_sent_start and len(open_tokens) > 3 and index + 1 < len(doc):
            close("start")
            open_tokens.append(token)
        elif not token.is_space:
            open_tokens.append(token)
    close("start")
    return tuple(clauses)


def _main_clauses(doc: Doc) -> set[int]:
    """Find where a main clause starts behind its condition: "when it dropped | you'd see ..."."""
    starts = set()
    for verb in doc:
        if verb.dep_ != "advcl" or verb.head.i < verb.i:
            continue
        for child in verb.head.children:
            if child.dep_ in ("nsubj", "nsubjpass", "expl") and child.left_edge.i > verb.i:
                starts.add(child.left_edge.i)
    return starts


def _is_bare_amount(tokens: list[Token]) -> bool:
    """Say whether an open clause is only "more lorries", "so no birds"."""
    if not tokens or not any(t.pos_ in ("NOUN", "PROPN") for t in tokens):
        return False
    first = (
        tokens[1] if tokens[0].lower_ in ("so", "and", "then") and len(tokens) > 1 else tokens[0]
    )
    return first.lower_ in _AMOUNTS and not any(t.pos_ in _VERBS for t in tokens)


def _is_hyphen(token: Token) -> bool:
    """A dash without white space around it joins a word ("phone-free")."""
    before = token.i > 0 and not token.nbor(-1).whitespace_
    return token.text in ("-", "\u2013") and before and not token.whitespace_


def _joins(token: Token, doc: Doc) -> bool:
    """Tell joining words from their homographs ("so much", "a cause", "since 2010")."""
    text = token.lower_
    following = doc[token.i + 1] if token.i + 1 < len(doc) else None
    if text == "so" and following is not None and following.lower_ in ("more", "less", "fewer"):
        return True
    if text == "so":
        return following is None or not (
            following.pos_ in ("ADJ", "ADV") or following.lower_ in ("much", "many", "that", "far")
        )
    if text == "cause":
        return token.pos_ == "SCONJ" and following is not None and following.pos_ in _SUBJECTS
    if text in ("yet", "since", "then", "once", "though"):
        return following is not None and following.pos_ in _SUBJECTS
    if text == "but":
        return following is None or following.lower_ != "for"
    if text == "as" and following is not None and following.lower_ == "soon":
        return True
    if text == "as":
        opens = token.i == 0 or token.nbor(-1).is_punct or token.nbor(-1).lower_ in ("and", "but")
        return bool(opens) and _new_subject(doc, token.i + 1)
    return True


def _new_subject(doc: Doc, start: int) -> bool:
    """Say whether a subject and then a verb come within a few words."""
    if start >= len(doc) or (
        doc[start].lower_ not in ("support", "backing")
        and doc[start].pos_ not in (*_SUBJECTS, "ADV", "SCONJ")
    ):
        return False
    seen_subject = False
    for token in doc[start : start + 10]:
        if token.is_punct and not _is_hyphen(token):
            return False
        noun = (
            token.lower_ in ("support", "backing")
            and token.i + 1 < len(doc)
            and doc[token.i + 1].lower_ == "for"
        )
        if (
            noun
            or token.pos_ in ("PRON", "NOUN", "PROPN")
            or token.lower_ in ("this", "that", "there")
        ):
            seen_subject = True
        elif token.pos_ in _VERBS:
            return seen_subject
        elif token.pos_ in ("CCONJ", "SCONJ"):
            return False
    return False
