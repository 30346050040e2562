"""Whose graphs a command works on: one interview, one saved graph, or many interviews."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from beliefgraph.errors import GraphError
from beliefgraph.graph import BeliefGraph
from beliefgraph.transcript import Transcript

__all__ = ["Selection", "Subjects", "find_subjects", "graph_of", "notes_on"]


@dataclass(frozen=True)
class Selection:
    """Which interview of a file is meant, and how to read it."""

    participant: str | None = None
    topic: str | None = None
    file_format: str | None = None
    stance: str | None = None


@dataclass(frozen=True)
class Subjects:
    """What was found: a graph, or interviews with what could not be read."""

    graph: BeliefGraph | None = None
    transcripts: tuple[Transcript, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    """File and error of what could not be read."""
    several: bool = False
    """Whether to answer with one row a person and topic."""


def find_subjects(path: str, chosen: Selection) -> Subjects:
    """Read a saved graph, one interview, or all that a folder or file holds.

    A folder, or a file with several interviews, gives several, unless the options leave just one.

    Raises
    ------
    BeliefGraphError
        Nothing could be read.
    """
    from beliefgraph.formats import read_transcript, read_transcripts

    where = Path(path)
    if where.is_file() and _is_graph(where):
        return Subjects(graph=_load_graph(where, chosen))
    loaded = read_transcripts(where, format=chosen.file_format)
    fitting = [
        t
        for t in loaded.transcripts
        if chosen.participant in (None, t.participant) and chosen.topic in (None, t.topic)
    ]
    named = chosen.participant is not None
    alone = len(loaded.transcripts) == 1 and not loaded.failed and not where.is_dir()
    if alone or (named and len(fitting) <= 1):
        transcript = read_transcript(
            where, format=chosen.file_format, participant=chosen.participant, topic=chosen.topic
        )
        return Subjects(transcripts=(transcript,))
    if not fitting:
        read_transcripts(  # says what there is instead
            where, format=chosen.file_format, participant=chosen.participant, topic=chosen.topic
        )
    failed = tuple((str(item.path), str(item.error)) for item in loaded.failed)
    return Subjects(transcripts=tuple(fitting), failed=failed, several=True)


def graph_of(subjects: Subjects, chosen: Selection) -> BeliefGraph:
    """Return the one graph, extracting it where an interview was given."""
    from beliefgraph.extractors import extract

    if subjects.graph is not None:
        return subjects.graph
    (transcript,) = subjects.transcripts
    return extract(transcript, stance=chosen.stance)


def notes_on(transcript: Transcript | None) -> list[str]:
    """Say what a reader should know of how an interview was read."""
    notes = []
    if transcript is not None and transcript.format == "hugagent":
        notes.append(
            f"{transcript.name}: the interview is the union of {transcript.merged_versions} "
            "versions, for exploration only: each hides the answer that its item asks for, and "
            "the union shows it, so it must not be used to predict those items."
        )
    if transcript is not None and transcript.left_out:
        first = transcript.left_out[0]
        count = len(transcript.left_out)
        notes.append(
            f"{transcript.name}: {count} part{'s' * (count != 1)} of the file could not be read "
            f"as a turn; the first at {first.where}: {first.why}"
        )
    return notes


def _is_graph(path: Path) -> bool:
    """Whether a file is a saved graph, by its first bytes and its version field."""
    try:
        with path.open("rb") as file:
            start = file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
            return start.startswith(b"{") and b'"schema_version"' in start + file.read()
    except OSError:
        return False


def _load_graph(path: Path, chosen: Selection) -> BeliefGraph:
    from beliefgraph.formats.json import load_graph
    from beliefgraph.simulate.configuration import concept_named

    graph = load_graph(path)
    for field in ("participant", "topic"):
        asked, own = getattr(chosen, field), getattr(graph, field)
        if asked is not None and own is not None and asked != own:
            raise GraphError(f"{path}: the graph's {field} is {own!r}, not {asked!r}")
    graph = graph.replace(
        participant=graph.participant or chosen.participant, topic=graph.topic or chosen.topic
    )
    if chosen.stance is not None:
        graph = graph.replace(stance=concept_named(graph, chosen.stance, "--stance"))
    return graph
