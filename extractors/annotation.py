"""Parts of speech and lemmas, worked out once for every kind of token instead of for every token.

spaCy's attribute ruler matches some 180 patterns with every text, and its lemmatizer asks about
every token. All but a few of the patterns look at one token: its form, tag and dependency. So what
the two components say of one such token holds for all like it, and is remembered. A text in which a
pattern of several tokens matches ("there is", "let's") goes through the components themselves.
The parts of speech and lemmas are the same as theirs; the morphology, which nothing here reads, is
left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["Annotator", "make_annotator"]

_OF_ONE_TOKEN = frozenset({"TAG", "DEP", "LOWER", "ORTH", "TEXT", "IS_SPACE"})
"""What a pattern may look at for the form, tag and dependency of its token to decide it."""
_FILLER = "x"
"""Stands between the tokens that are asked about, so that none has a neighbour."""
_BATCH = 32
"""Texts whose new kinds of token are asked about together."""
_MOST = 200_000
"""Kinds of token remembered: some 20 MB."""

_Kind = tuple[int, int, int]


class Annotator:
    """Sets parts of speech and lemmas as a pipeline's attribute ruler and lemmatizer would."""

    def __init__(self, nlp: Language) -> None:
        from spacy.matcher import Matcher

        self._vocab = nlp.vocab
        self._ruler: Any = nlp.get_pipe("attribute_ruler")
        self._lemmatizer: Any = nlp.get_pipe("lemmatizer")
        self._several = Matcher(nlp.vocab)
        for number, pattern in enumerate(_patterns_of_several(self._ruler)):
            self._several.add(str(number), [pattern])
        self._known: dict[_Kind, tuple[int, int] | None] = {}

    def annotate(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        """Annotate parsed texts in place, in their order."""
        rest = iter(docs)
        while batch := list(itertools.islice(rest, _BATCH)):
            yield from self._annotate(batch)

    def _annotate(self, docs: list[Doc]) -> Iterator[Doc]:
        from spacy.attrs import DEP, ORTH, TAG

        if len(self._known) > _MOST:
            self._known.clear()
        kinds = [list(map(tuple, doc.to_array([ORTH, TAG, DEP]).tolist())) for doc in docs]
        every = dict.fromkeys(itertools.chain.from_iterable(kinds))
        new = [kind for kind in every if kind not in self._known]
        if new:
            self._learn(new)
        for doc, own in zip(docs, kinds, strict=True):
            yield self._set(doc, [self._known[kind] for kind in own])

    def _set(self, doc: Doc, known: list[tuple[int, int] | None]) -> Doc:
        from spacy.attrs import LEMMA, POS

        if not known or None in known or self._several(doc):
            return self._ask(doc)
        values: Any = np.array(known, dtype="uint64")
        annotated: Doc = doc.from_array([POS, LEMMA], values)
        return annotated

    def _ask(self, doc: Doc) -> Doc:
        asked: Doc = self._lemmatizer(self._ruler(doc))
        return asked

    def _learn(self, kinds: list[_Kind]) -> None:
        """Ask the components about new kinds of token, each between two fillers."""
        from spacy.tokens import Doc

        strings = self._vocab.strings
        rows = [(_FILLER, "NN", "dep")]
        for orth, tag, dep in kinds:
            rows += [(strings[orth], strings[tag], strings[dep]), (_FILLER, "NN", "dep")]
        words, tags, deps = (list(column) for column in zip(*rows, strict=True))
        heads = list(range(len(rows)))
        doc = self._ask(Doc(self._vocab, words=words, tags=tags, deps=deps, heads=heads))
        for place, kind in enumerate(kinds):
            token = doc[2 * place + 1]
            same = (token.orth, token.tag, token.dep) == kind
            self._known[kind] = (token.pos, token.lemma) if same else None


def _patterns_of_several(ruler: Any) -> list[list[dict[str, Any]]]:
    return [p for rule in ruler.patterns for p in rule["patterns"] if len(p) > 1]


def make_annotator(nlp: Language) -> Annotator | None:
    """Make an annotator for a pipeline; None where its patterns look at more than one token's own.

    Such a pipeline keeps its own components.
    """
    if nlp.pipe_names[-2:] != ["attribute_ruler", "lemmatizer"]:
        return None
    ruler: Any = nlp.get_pipe("attribute_ruler")
    single = [p for rule in ruler.patterns for p in rule["patterns"] if len(p) == 1]
    if not all(set(pattern[0]) <= _OF_ONE_TOKEN for pattern in single):
        return None
    if any("OP" in token for pattern in _patterns_of_several(ruler) for token in pattern):
        return None
    return Annotator(nlp)
