"""Labels of concepts: what they are about, which way along its scale they point, what is no label.

"Lower rents", "rent increases" and "rents" are about one thing; the first points down its scale.
"Positive effect" is about nothing: no influence comes from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from beliefgraph.text.lexicon import (
    ANTONYM_SCALES,
    DOWN,
    EVALUATIVE,
    GOOD,
    META_WORDS,
    STRENGTH,
    SYNONYMS,
    UP,
    valence_of,
)

__all__ = [
    "Label",
    "content_words",
    "is_degenerate",
    "label_valence",
    "read_label",
    "same_stem",
    "scale_side",
    "stem",
]

_STOPWORDS = frozenset(
    "the a an of on in for to with by and or from at as it its their his her our your my this that "
    "these those be is are being been having have has do does more less about into over than very "
    "towards toward people there how much many so get gets got getting become becomes".split()
)
_LEADING = re.compile(
    r"^(?:(?:an? |the )?(?P<noun>increases?|decreases?|reductions?|rises?|drops?|declines?|loss"
    r"|lack"
    r"|growth|changes?|improvements?|shortages?|scarcity|absence|availability|fall|cuts?|surge"
    r"|level|levels|amount) (?:in|of|to|for) "
    r"|(?P<adjective>increased|increasing|higher|high|more|greater|rising|growing|improved|improving"
    r"|better|stronger|bigger|larger|extra|additional|faster|quicker|longer|easier|wider|decreased"
    r"|decreasing|lower|low|less|fewer|reduced|reducing|declining|falling|limited|weaker|smaller"
    r"|shorter|slower|harder|poor|poorer|insufficient|lowered|lowering|raising|worse|worsening"
    r"|diminished|no) )",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r" (?P<noun>increases?|decreases?|reductions?|rises?|drops?|declines?|loss(?:es)?|growth"
    r"|shortages?"
    r"|improvements?|cuts?|levels?|rates?|changes?)$",
    re.IGNORECASE,
)
_SCALELESS = frozenset("change changes level levels amount rate rates availability".split())


@dataclass(frozen=True)
class Label:
    """A label taken apart."""

    text: str
    """As it was said, tidied."""
    base: str
    """What remains without words of direction."""
    direction: int
    """-1 where those words point down the scale, else +1."""
    stems: frozenset[str]
    """Stems of the content words of `base`."""
    head: str
    """Stem of the word that says what kind of thing it is: "cost" in "cost of housing"."""


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Cut the commonest English endings, so that "controlled" meets "control".

    >>> stem("reliability") == stem("reliable"), stem("taxes") == stem("tax")
    (True, True)
    """
    word = re.sub(r"(?<=[a-z]{3})our", "or", word.lower().strip("'\u2019"))
    if word in SYNONYMS:
        return SYNONYMS[word]
    for ending, least, put in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return _undouble(word[: -len(ending)] + put)
    return word


_ENDINGS = (
    ("abilities", 3, "abl"), ("ability", 3, "abl"), ("ibility", 3, "ibl"), ("iveness", 3, "iv"),
    ("fulness", 3, ""), ("ational", 3, ""), ("ations", 3, ""), ("ation", 3, ""), ("nesses", 3, ""),
    ("ness", 3, ""), ("ments", 3, ""), ("ment", 3, ""), ("ities", 3, ""), ("ity", 3, ""),
    ("able", 3, "abl"), ("ible", 3, "ibl"), ("ies", 2, "y"), ("ied", 2, "y"), ("ing", 3, ""),
    ("sses", 2, "ss"), ("xes", 2, "x"), ("ches", 2, "ch"), ("shes", 2, "sh"), ("edly", 3, ""),
    ("uses", 1, "us"), ("ful", 3, ""), ("ions", 3, ""), ("ion", 4, ""), ("ers", 4, ""),
    ("est", 4, ""), ("ed", 3, ""),
    ("er", 4, ""), ("ly", 3, ""), ("ty", 4, ""), ("ss", 2, "ss"), ("us", 2, "us"),
    ("s", 3, ""), ("e", 5, ""),
)  # fmt: skip


def _undouble(word: str) -> str:
    if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def same_stem(one: str, other: str) -> bool:
    """Say whether two words share a stem, or all but the ending of a long one."""
    a, b = stem(one), stem(other)
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    return len(short) >= 4 and long.startswith(short) and len(long) - len(short) <= len(short) - 3


@lru_cache(maxsize=4096)
def read_label(label: str) -> Label:
    """Take a label apart into what it is about and where it points.

    >>> read_label("Decrease in property values")
    Label(text='Decrease in property values', base='property values', direction=-1, ...)
    >>> read_label("crime reduction").base, read_label("crime reduction").direction
    ('crime', -1)
    """
    text = re.sub(
        r"^(?:the|a|an|my|our|your|their|some|any) ", "", label.strip(" .,;:?!\"'"), flags=re.I
    )
    base, direction = text, 1
    for _ in range(2):
        match = _LEADING.match(base)
        if match is None or not base[match.end() :].strip():
            break
        said = (match["noun"] or match["adjective"]).lower()
        direction *= _points(said)
        base = re.sub(r"^of (?:the )?", "", base[match.end() :])  # "less of the noise"
    match = _TRAILING.search(base)
    if match is not None and base[: match.start()].strip():
        direction *= _points(match["noun"].lower())
        base = base[: match.start()]
    stems = frozenset(stem(w) for w in content_words(base))
    before = re.split(r" (?:of|in|for|to|between|among|from|on|at|with|about|around|by) ", base)[0]
    heads = content_words(before) or content_words(base)
    return Label(text, base.strip(), direction, stems, stem(heads[-1]) if heads else "")


def _points(said: str) -> int:
    single = said[:-1] if said.endswith("s") and said[:-1] in UP | DOWN else said
    if single in _SCALELESS:
        return 1
    return (
        -1
        if single in DOWN or single in ("no", "lowered", "lowering", "reducing", "poorer", "losses")
        else 1
    )


def content_words(text: str) -> list[str]:
    """Return the words of a label that carry its meaning, in lower case."""
    return [w for w in re.findall(r"[\w']+", text.lower()) if w not in _STOPWORDS]


def is_degenerate(label: str, stance: str | None = None) -> bool:
    """Say whether a label names no concept: it speaks of effects, judges, or repeats the stance.

    >>> is_degenerate("Positive effect"), is_degenerate("Clear benefits"), is_degenerate("Rents")
    (True, True, False)
    """
    about = content_words(label)
    rest = [w for w in about if w not in META_WORDS and w not in EVALUATIVE and w not in STRENGTH]
    if not rest or all(len(w) < 2 for w in rest):
        return True
    if len(rest) < len(about) and stance is not None:
        own = {stem(w) for w in content_words(stance)}
        return all(stem(w) in own for w in rest)
    return False


def scale_side(word: str) -> tuple[int, int] | None:
    """Return (number of the antonym scale, +1 or -1 for the end named), or None."""
    return _SIDES.get(stem(word))


_SIDES = {
    stem(w): (number, side)
    for number, ends in enumerate(ANTONYM_SCALES)
    for side, words in zip((1, -1), ends, strict=True)
    for w in words
}


def label_valence(label: str) -> int:
    """Say whether nearly everyone would call more of this good (+1) or bad (-1); 0 if unclear."""
    read = read_label(label)
    words = content_words(read.base)
    score = sum(valence_of(w) or valence_of(w.rstrip("s")) for w in words)
    if any(w in GOOD for w in words) and score == 0:
        return 0
    return read.direction * ((score > 0) - (score < 0))
