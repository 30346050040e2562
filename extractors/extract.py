"""The verb: an interview becomes a belief graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import beliefgraph
from beliefgraph.errors import TranscriptError
from beliefgraph.extractors.assemble import assemble
from beliefgraph.extractors.questions import effects_named_last, read_question
from beliefgraph.extractors.reader import Context, Reader
from beliefgraph.extractors.rules import RuleReader
from beliefgraph.extractors.stance import find_stance, stance_topic
from beliefgraph.graph import BeliefGraph
from beliefgraph.text import Encoder, find_encoder
from beliefgraph.transcript import Transcript

__all__ = ["extract"]


def extract(
    transcript: Transcript,
    *,
    reader: Reader | None = None,
    stance: str | None = None,
    keep_apart: Iterable[tuple[str, str]] = (),
    vectors: Encoder | Literal["auto"] | None = "auto",
) -> BeliefGraph:
    """Read an interview into a belief graph, every influence with the words it came from.

    Parameters
    ----------
    transcript
        The interview.
    reader
        What turns a question and its answer into evidence; rules (offline) by default.
    stance
        Name of the stance; by default the effect that the probes ask about, or "Support for"
        what the opening question is about.
    keep_apart
        Pairs of labels that are not to be merged into one concept (see also `unmerge`).
    vectors
        Sentence vectors that help to tell two wordings of one concept (`load_encoder`). "auto":
        all-MiniLM-L6-v2 where the `embeddings` extra is installed, words alone elsewhere; None:
        words alone. The graph's `extractor` says which.

    Returns
    -------
    BeliefGraph
        A DAG. Influences left out to keep it one stand in `feedback`, with the loop they closed;
        `readings` holds what every turn was read to say, also where no influence came of it.

    Raises
    ------
    StanceError
        The interview names no stance.
    TranscriptError
        There is no turn to read.
    MissingPackageError
        The rules need the spaCy pipeline and it is not installed.
    """
    if not transcript.turns:
        raise TranscriptError(f"{transcript.name}: the interview has no turns")
    chosen = reader if reader is not None else RuleReader()
    wordings = [turn.question for turn in transcript.turns if turn.role == "interview"]
    effects = effects_named_last(wordings)
    questions = tuple(read_question(turn.question, effects) for turn in transcript.turns)
    interview = [
        q for q, t in zip(questions, transcript.turns, strict=True) if t.role == "interview"
    ]
    name = find_stance(transcript, interview, stance)
    context = Context(stance=name, topic=stance_topic(name), questions=questions)
    turns = chosen.read(transcript.turns, context)
    encoder = find_encoder() if vectors == "auto" else vectors
    merged_by = f"vectors of {encoder.name}" if encoder is not None else "words"
    return assemble(
        transcript,
        turns,
        context,
        extractor=f"{chosen.name} (beliefgraph {beliefgraph.__version__}, concepts by {merged_by})",
        keep_apart=[frozenset(pair) for pair in keep_apart],
        encoder=encoder,
    )
