"""Extraction against what other people marked: three public sets, read and never fitted.

Usage: python benchmarks/extraction_gold.py [--data ../shared/data/public] [--limit N] [--json]

because          causal sentences with cause, effect, Facilitate or Inhibit (Dunietz et al. 2017);
                 see gold_because.py.
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
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gold_because import because
from gold_scores import Board, Row, read_rows, stems

import beliefgraph as bg
from beliefgraph.cli.base import console
from beliefgraph.cli.tables import table
from beliefgraph.extractors import judge_pair, read_pair
from beliefgraph.extractors.cleaning import clean
from beliefgraph.extractors.mentions import noun_phrases
from beliefgraph.extractors.pipeline import parse_texts
from beliefgraph.extractors.quotes import find_quote
from beliefgraph.extractors.statements import find_statements
from beliefgraph.text import lexical_tie, read_label

if TYPE_CHECKING:
    from spacy.tokens import Doc

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "public"


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
