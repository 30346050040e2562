"""The `because` set: causal sentences with cause, effect, Facilitate or Inhibit.

A label is within a gold span where most of its words stand there ("within"), or where both share
most of their words (token F1 >= 0.5, "same span": a concept's name is rarely as long as a clause).
The sign is that of the link between the two as phrased: a concept's own direction ("less parking")
is taken out again. "Ends given" replaces cause and effect by plain words, so that only the link is
read; "link or effect" also takes the direction that the words around the effect give it where no
link is read, because a quarter of the sentences name no cause, or not in one piece.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gold_scores import Board, Row, read_rows, stems

from beliefgraph.extractors.clauses import split_clauses
from beliefgraph.extractors.cleaning import clean
from beliefgraph.extractors.mentions import Mention, find_mentions, noun_phrases
from beliefgraph.extractors.pipeline import parse_texts
from beliefgraph.extractors.statements import Statement, find_statements

if TYPE_CHECKING:
    from spacy.tokens import Doc


def within(label: str, span: str) -> bool:
    """Say whether most of the label's words stand in the span."""
    own, other = stems(label), set(stems(span))
    return bool(own) and sum(s in other for s in own) / len(own) >= 0.5


def same_span(label: str, span: str) -> bool:
    """Say whether the two share most words: token F1 of at least a half."""
    own, other = set(stems(label)), set(stems(span))
    return bool(own) and bool(other) and 2 * len(own & other) / (len(own) + len(other)) >= 0.5


def as_phrased(statement: Statement, ends: dict[str, Doc]) -> int:
    """Sign of the link as phrased: a direction that stands inside a marked span is taken out."""
    sign = statement.sign
    for label, doc in ends.items():
        named = [m for m in _mentions(doc) if m.label.casefold() == label.casefold()]
        sign *= named[0].direction if named else 1
    return sign


Match = Callable[[str, str], bool]
ENDS = ("cause", "effect")
MATCHES: dict[str, Match] = {"within": within, "same span": same_span}


def because(data: Path, limit: int | None) -> Board:
    board = Board()
    by_sentence: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows(data / "because" / "because_causal.csv", limit):
        by_sentence[row["context"]].append(row)
    spans = {row[end] or "-" for rows in by_sentence.values() for row in rows for end in ENDS}
    parsed = dict(zip(spans, parse_texts(spans), strict=True))
    docs = parse_texts(clean(sentence).text for sentence in by_sentence)
    for number, (rows, doc) in enumerate(zip(by_sentence.values(), docs, strict=True)):
        found = find_statements(doc, None, None, None)
        for name, match in MATCHES.items():
            _pairs(board, name, f"{number:05d}", rows, found, match, parsed)
        for row in rows:
            board.add("sign: always Facilitate", f"{number:05d}", row["degree"] == "Facilitate")
    _given_ends(board, by_sentence, parsed)
    board.quoted |= {"sign: keyword list": 0.97, "inhibit recall: keyword list": 0.74}
    return board


def _pairs(
    board: Board,
    name: str,
    cluster: str,
    rows: list[Row],
    found: list[Statement],
    match: Match,
    parsed: dict[str, Doc],
) -> None:
    hit: set[int] = set()
    for row in rows:
        cause, effect = row["cause"], row["effect"]
        right = [s for s in found if match(s.source, cause) and match(s.target, effect)]
        wrong = [s for s in found if match(s.target, cause) and match(s.source, effect)]
        hit |= {id(s) for s in (*right, *wrong)}
        board.add(f"pairs {name} recall", cluster, bool(right or wrong))
        if right or wrong:
            _direction(board, f"pairs {name} direction", cluster, row, bool(right))
        if name == "within":
            sign = None
            for s in (right or wrong)[:1]:
                first, last = (s.source, s.target) if right else (s.target, s.source)
                ends = {first: parsed[cause or "-"], last: parsed[effect or "-"]}
                sign = as_phrased(s, ends)
            _signs(board, "pairs", cluster, row["degree"], sign)
    for statement in found:
        board.add(f"pairs {name} precision", cluster, id(statement) in hit)


def _direction(board: Board, name: str, cluster: str, row: Row, right: bool) -> None:
    """Count a direction, and apart from purposes: there the set calls the aim the cause.

    "We act to lower rents": to the set the aim causes the act, to a reader of effects the act
    lowers rents.
    """
    board.add(name, cluster, right)
    if row["type"] != "Purpose":
        board.add(f"{name}, no aims", cluster, right)


def _signs(board: Board, name: str, cluster: str, degree: str, sign: int | None) -> None:
    """Count one sign among those read, and over all with Facilitate where none was read."""
    inhibits = degree == "Inhibit"
    for kind, read in (("found", sign), ("all", sign or 1)):
        if read is None:
            continue
        board.add(f"{name}, {kind}: sign", cluster, (read < 0) == inhibits)
        board.add(f"{name}, {kind}: inhibit recall", cluster, read < 0 and inhibits, inhibits)
        board.add(f"{name}, {kind}: inhibit precis.", cluster, read < 0 and inhibits, read < 0)


STAND_INS = ("music", "sport")
"""Words that point nowhere: they stand for cause and effect so that only the link is read."""


def _given_ends(board: Board, by_sentence: dict[str, list[Row]], parsed: dict[str, Doc]) -> None:
    """Read the sign with cause and effect marked: each is replaced by a plain word or clause."""
    rows = [(f"{n:05d}", row) for n, own in enumerate(by_sentence.values()) for row in own]
    texts = [_with_stand_ins(row, parsed) for _, row in rows]
    whole = parse_texts(clean(row["context"]).text for _, row in rows)
    for (cluster, row), text, doc, sentence in zip(
        rows, texts, parse_texts(texts), whole, strict=True
    ):
        meeting = [
            s
            for s in find_statements(doc, None, None, None)
            if {s.source.casefold(), s.target.casefold()} == set(STAND_INS)
        ]
        board.add("ends given: span in one piece", cluster, bool(text))
        board.add("ends given: link read", cluster, bool(meeting))
        if meeting:
            forward = meeting[0].source.casefold() == STAND_INS[0]
            _direction(board, "ends given: direction", cluster, row, forward)
        sign = meeting[0].sign if meeting else None
        _signs(board, "ends given", cluster, row["degree"], sign)
        moved = sign or moved_effect(doc) or moved_from_outside(sentence, row["effect"], parsed)
        _signs(board, "link or effect", cluster, row["degree"], moved)


def moved_effect(doc: Doc) -> int | None:
    """Read which way the words around the effect's stand-in move it: "to prevent sport"."""
    named = [m for m in _mentions(doc) if m.label.casefold() == STAND_INS[1] and m.moved]
    plain = not re.search(rf"grow(?:ing)? {STAND_INS[1]}|{STAND_INS[1]} grows", doc.text)
    return named[0].direction if named and plain else None


def moved_from_outside(sentence: Doc, effect: str, parsed: dict[str, Doc]) -> int | None:
    """Read which way the words around a marked effect move it: "to prevent theft" makes it less.

    It is what can be read where the cause is not named, or not in one piece. A direction that
    stands inside the marked words is theirs and is taken out.
    """
    own = {m.label.casefold(): m.direction for m in _mentions(parsed[effect or "-"])}
    for mention in _mentions(sentence):
        inside = own.get(mention.label.casefold())
        if inside is not None and mention.moved:
            return mention.direction * inside
    return None


def _mentions(doc: Doc) -> list[Mention]:
    phrases = noun_phrases(doc)
    return [m for clause in split_clauses(doc) for m in find_mentions(clause, phrases)]


def _shape(doc: Doc) -> str:
    root = next((t for t in doc if t.dep_ == "ROOT"), None)
    if root is None or root.pos_ not in ("VERB", "AUX"):
        return "{}"
    if any(child.dep_ in ("nsubj", "nsubjpass", "expl") for child in root.children):
        return "{} grows"
    return "growing {}" if root.tag_ == "VBG" else "grow {}"


def _with_stand_ins(row: Row, parsed: dict[str, Doc]) -> str:
    """Put the stand-ins into the sentence; nothing where a span is not in one piece."""
    text = row["context"]
    for end, word in zip(ENDS, STAND_INS, strict=True):
        span = re.compile(rf"(?<!\w){re.escape(row[end])}(?!\w)")
        if not row[end] or not span.search(text):
            return ""
        text = span.sub(_shape(parsed[row[end]]).format(word), text, count=1)
    return text
