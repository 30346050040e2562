"""Extraction against what other people marked: three public sets, read and never fitted.

Usage: python benchmarks/extraction_gold.py [--data ../shared/data/public] [--limit N] [--json]

because          causal sentences with cause, effect, Facilitate or Inhibit (Dunietz et al. 2017).
                 A label is within a gold span where most of its words stand there ("within"), or
                 where both share most of their words (token F1 >= 0.5, "same span": a concept's
                 name is rarely as long as a clause). The sign is that of the link between the two
                 as phrased: a concept's own direction ("less parking") is taken out again.
causalmap        human-coded links of household interviews: a found statement
                 meets a link where their quotes overlap (at least 0.3 of the shorter) and, for
                 "both ends", cause and effect share words or a scale.
explagraphs      does an argument support or counter a belief (Saha et al. 2021): the argument is
                 read as an answer about the belief's topic, and so is the belief; the same sign
                 is support.

Intervals are 95%, by bootstrap over sentences, interviews and beliefs.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import beliefgraph as bg
from beliefgraph.cli.base import console
from beliefgraph.cli.tables import table
from beliefgraph.extractors import judge_pair, read_pair
from beliefgraph.extractors.clauses import split_clauses
from beliefgraph.extractors.cleaning import clean
from beliefgraph.extractors.mentions import find_mentions, noun_phrases
from beliefgraph.extractors.pipeline import parse_texts
from beliefgraph.extractors.quotes import find_quote
from beliefgraph.extractors.statements import Statement, find_statements
from beliefgraph.intervals import Estimate, estimate_ratio
from beliefgraph.text import content_words, lexical_tie, read_label, stem

if TYPE_CHECKING:
    from spacy.tokens import Doc

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "public"
Row = dict[str, str]


@dataclass
class Tally:
    """Sums by cluster (sentence, interview, belief) of one ratio."""

    parts: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    wholes: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, cluster: str, part: float, whole: float) -> None:
        """Add to a cluster's sums."""
        self.parts[cluster] += part
        self.wholes[cluster] += whole

    def estimate(self) -> Estimate:
        """Return the ratio, its interval over clusters."""
        names = sorted(self.wholes)
        return estimate_ratio([self.parts[n] for n in names], [self.wholes[n] for n in names])

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(sum(self.wholes.values()))


class Board:
    """The figures of one set, in the order in which they were first counted."""

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = defaultdict(Tally)
        self.quoted: dict[str, float] = {}
        """Figures that the data's README gives, to stand beside ours."""

    def add(self, name: str, cluster: str, part: float, whole: float = 1.0) -> None:
        """Count one case."""
        self.tallies[name].add(cluster, part, whole)

    def to_dict(self) -> dict[str, Any]:
        """Return every figure, F1 beside precision and recall."""
        figures: dict[str, Any] = {
            name: {"n": tally.n, **tally.estimate().to_dict()}
            for name, tally in self.tallies.items()
        }
        for name in [name for name in figures if name.endswith(" precision")]:
            kind = name.removesuffix(" precision")
            p, r = figures[name]["value"], figures.get(f"{kind} recall", {}).get("value")
            if p is not None and r is not None:
                f1 = 2 * p * r / (p + r) if p + r else 0.0
                figures[f"{kind} F1"] = {"n": None, "value": f1, "interval": None}
        for name, value in self.quoted.items():
            figures[f"{name} (README)"] = {"n": None, "value": value, "interval": None}
        return dict(sorted(figures.items(), key=lambda item: _place(item[0], list(self.tallies))))


def _place(figure: str, names: list[str]) -> tuple[str, int]:
    """Sort figures by the set of them that they belong to."""
    group = re.split(r"[,:]| (?:recall|precision|direction|F1|\()", figure)[0]
    return group, names.index(figure) if figure in names else len(names)


def read_rows(path: Path, limit: int | None) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))[:limit]


def stems(text: str) -> list[str]:
    return [stem(w) for w in content_words(text)]


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
        phrases = noun_phrases(doc)
        named = [
            mention
            for clause in split_clauses(doc)
            for mention in find_mentions(clause, phrases)
            if mention.label.casefold() == label.casefold()
        ]
        sign *= named[0].direction if named else 1
    return sign


# --- because -----------------------------------------------------------------------------------

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
    for (cluster, row), text, doc in zip(rows, texts, parse_texts(texts), strict=True):
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
        _signs(board, "ends given", cluster, row["degree"], meeting[0].sign if meeting else None)


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


# --- causalmap_example -------------------------------------------------------------------------


def causalmap(data: Path, limit: int | None) -> Board:
    board = Board()
    texts = {
        row["statement_id"]: row
        for row in read_rows(data / "causalmap_example" / "statements.csv", None)
    }
    links: dict[str, list[Row]] = defaultdict(list)
    for row in read_rows(data / "causalmap_example" / "links.csv", limit):
        if row["statement_id"] in texts:
            links[row["statement_id"]].append(row)
    wanted = [n for n in texts if limit is None or n in links]
    cleaned = [clean(texts[n]["text"]) for n in wanted]
    docs = parse_texts(text.text for text in cleaned)
    for number, text, doc in zip(wanted, cleaned, docs, strict=True):
        interview, own = texts[number]["source_id"], links[number]
        found = [
            (s, {*range(*text.span(s.start, s.end))})
            for s in find_statements(doc, None, None, None)
        ]
        quotes = [_places(row["quote"], text.original) for row in own]
        met: dict[str, set[int]] = {"quote": set(), "both ends": set()}
        for row, places in zip(own, quotes, strict=True):
            near = [s for s, span in found if _overlap(span, places) >= 0.3]
            forward = [
                s
                for s in near
                if _end(s.source, row["from_label"]) and _end(s.target, row["to_label"])
            ]
            back = [
                s
                for s in near
                if _end(s.target, row["from_label"]) and _end(s.source, row["to_label"])
            ]
            met["quote"] |= {id(s) for s in near}
            met["both ends"] |= {id(s) for s in (*forward, *back)}
            board.add("quote recall", interview, bool(near))
            board.add("both ends recall", interview, bool(forward or back))
            if forward or back:
                board.add("direction where both ends", interview, bool(forward))
        for kind, hit in met.items():
            for statement, _ in found:
                board.add(f"{kind} precision", interview, id(statement) in hit)
    return board


def _places(quote: str, text: str) -> set[int]:
    """Characters of the text that a coded quote covers; all of it where no piece is verbatim."""
    covered: set[int] = set()
    for piece in re.split(r"\[[^\]]*\]|\.\.\.|…", quote):
        span = find_quote(piece.strip(), text) if len(piece.strip()) > 10 else None
        if span is not None:
            covered |= {*range(span.start, span.end)}
    return covered or {*range(len(text))}


def _overlap(one: set[int], other: set[int]) -> float:
    return len(one & other) / (min(len(one), len(other)) or 1)


def _end(label: str, code: str) -> bool:
    """Say whether a label and a code share a scale, or half of the words of the shorter."""
    own = set(stems(read_label(label).base))
    for wording in {code, *code.split(";")}:
        plain = wording.strip().lstrip("~")
        if lexical_tie(label, plain).similarity >= 0.5:
            return True
        other = set(stems(plain))
        if own and other and len(own & other) / min(len(own), len(other)) >= 0.5:
            return True
    return False


# --- explagraphs -------------------------------------------------------------------------------


def explagraphs(data: Path, limit: int | None) -> Board:
    board = Board()
    rows = read_rows(data / "explagraphs" / "explagraphs.csv", limit)
    beliefs = parse_texts(clean(row["belief"]).text for row in rows)
    for row, doc in zip(rows, beliefs, strict=True):
        topic, cluster = _topic(doc, row["argument"]), row["belief"].casefold()
        supports = row["stance"] == "support"
        stand = lean(topic, row["argument"])
        polarity = lean(topic, row["belief"])
        denied = re.search(r"\b(?:not|never|no|don't|isn't|shouldn't)\b|n't\b", row["belief"])
        held = polarity or (-1 if denied else 1)
        board.add("argument and belief signed", cluster, bool(stand and polarity))
        board.add("argument signed", cluster, bool(stand))
        if stand and polarity:
            board.add("accuracy where both signed", cluster, (stand == polarity) == supports)
        if stand:
            board.add("accuracy where the argument is signed", cluster, (stand == held) == supports)
        board.add(
            "accuracy, unsigned is wrong", cluster, bool(stand) and (stand == held) == supports
        )
        board.add("accuracy, unsigned is support", cluster, (stand in (None, held)) == supports)
        board.add("accuracy, always support", cluster, supports)
    board.quoted |= {"majority": 0.50, "words of the argument": 0.54, "with the graph given": 0.67}
    return board


def lean(topic: str, text: str) -> int | None:
    """Which way a text leans on a topic, read as an answer about it; None where it does not say."""
    stance = f"Support for {topic}"
    question = f"Does {topic} have a positive or negative effect on {stance}?"
    return judge_pair(read_pair(question, text, stance=stance), question, stance=stance).sign


def _topic(doc: Doc, argument: str) -> str:
    """Find what a belief is about: what the argument takes up, else its object or subject."""
    phrases = [doc[a:b] for a, b in noun_phrases(doc) if doc[b - 1].pos_ != "PRON"]
    said = set(stems(argument))
    shared = [p for p in phrases if said & set(stems(p.text))]
    objects = [p for p in phrases if p[-1].dep_ in ("dobj", "pobj")]
    chosen = next(iter((*shared, *objects, *phrases)), None)
    base = read_label(chosen.text).base if chosen is not None else ""
    return base.strip(" .?!,") or "it"


SETS: dict[str, Callable[[Path, int | None], Board]] = {
    "because": because,
    "causalmap_example": causalmap,
    "explagraphs": explagraphs,
}


def show(name: str, figures: dict[str, Any]) -> None:
    shown = table(name, [">figure", ">n", ">value", ">95% interval"])
    for figure, own in figures.items():
        value, interval = own["value"], own["interval"]
        shown.add_row(
            figure,
            "" if own["n"] is None else str(own["n"]),
            "not scored" if value is None else f"{value:.3f}",
            f"[{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "",
        )
    console().print(shown)


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the public sets")
    parser.add_argument("--limit", type=int, help="first rows of each set only")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(argv)
    present = _present(given.data, SETS)
    if not present:
        parser.error(f"{given.data} holds none of {', '.join(SETS)}")
    figures = {name: SETS[name](given.data, given.limit).to_dict() for name in present}
    if given.json:
        configuration = {"limit": given.limit, "seed": 0, "version": bg.__version__}
        print(json.dumps({"figures": figures, "configuration": configuration}, indent=2))
    else:
        for name, own in figures.items():
            show(name, own)


def _present(data: Path, names: Iterable[str]) -> list[str]:
    return [name for name in names if (data / name).is_dir()]


if __name__ == "__main__":
    main()
