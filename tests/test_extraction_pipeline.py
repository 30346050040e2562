"""Parts of speech and lemmas: remembered by kind of token, the same as the pipeline's own."""

from __future__ import annotations

import pytest

import beliefgraph as bg
from beliefgraph.extractors.annotation import make_annotator
from beliefgraph.extractors.pipeline import load_pipeline, parse_texts
from tests.conftest import ROOT

pytestmark = pytest.mark.needs_pipeline

SPOKEN = (
    "There's less noise, and there are fewer cars; let's say I'm gonna back it.",
    "They ain't better off.  He got a seat\nand gets the bus.",
    "it was worse than the worst",
    "",
    "ice-cream isn't what y'all wanted",
)


def test_annotations_are_the_pipelines_own() -> None:
    transcripts = bg.read_transcripts(ROOT / "examples" / "interviews").transcripts
    texts = [*SPOKEN, *(turn.answer for t in transcripts for turn in t.turns)]
    nlp = load_pipeline()
    for own, theirs in zip(parse_texts(texts), nlp.pipe(texts, batch_size=32), strict=True):
        assert [(t.text, t.tag_, t.dep_, t.pos_, t.lemma_) for t in own] == [
            (t.text, t.tag_, t.dep_, t.pos_, t.lemma_) for t in theirs
        ]


def test_a_pipeline_of_another_make_keeps_its_components() -> None:
    nlp = load_pipeline()
    assert make_annotator(nlp) is not None
    with nlp.select_pipes(disable=["lemmatizer"]):
        assert make_annotator(nlp) is None


def test_a_pipeline_that_is_loaded_anew_has_strings_of_its_own() -> None:
    list(parse_texts(["The gazebo wobbles."]))
    load_pipeline.cache_clear()
    (doc,) = parse_texts(["The marquee wobbled."])
    assert doc[2].lemma_ == "wobble"
