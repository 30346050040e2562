"""A `Transcript` as this package writes it (`save_transcript`, `t.model_dump_json()`)."""

from __future__ import annotations

from collections.abc import Sequence

from beliefgraph.errors import TranscriptError
from beliefgraph.formats.base import Contents, Format, Interview, Source
from beliefgraph.formats.pairs import looks_like_json
from beliefgraph.transcript import Transcript

__all__ = ["FORMAT"]


def _detect(source: Source) -> bool:
    if not looks_like_json(source) or len(source.documents.items) != 1:
        return False
    value = source.documents.items[0].value
    return isinstance(value, dict) and {"turns", "merged_versions", "left_out"} <= value.keys()


def _read(sources: Sequence[Source]) -> Contents:
    (source,) = sources
    values = [item.value for item in source.documents.items]
    if len(values) != 1 or not isinstance(values[0], dict):
        raise source.error("expected one saved transcript, a JSON object with 'turns'")
    try:
        transcript = Transcript(**values[0])
    except TranscriptError as problem:
        raise source.error(str(problem)) from None
    interview = Interview(transcript.participant, transcript.topic, transcript)
    return Contents((interview,), source.documents.left_out)


FORMAT = Format(
    name="transcript",
    summary="a transcript saved by beliefgraph",
    detect=_detect,
    read=_read,
)
