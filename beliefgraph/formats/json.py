"""Belief graphs and transcripts as JSON files, written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from beliefgraph.errors import BeliefGraphError, GraphError, SchemaVersionError, TranscriptError
from beliefgraph.formats.files import read_text, write_text
from beliefgraph.graph import SCHEMA_VERSION, BeliefGraph
from beliefgraph.transcript import Transcript

__all__ = ["graph_from_json", "load_graph", "save_graph", "save_transcript"]


def save_graph(graph: BeliefGraph, path: str | Path) -> None:
    """Write a graph to a JSON file; a file that stands there is replaced only by a whole one.

    Raises
    ------
    GraphError
        It cannot be written there; nothing was changed.
    """
    write_text(path, graph.model_dump_json(indent=2) + "\n", error=GraphError)


def load_graph(path: str | Path) -> BeliefGraph:
    """Read a graph that `save_graph` wrote.

    Raises
    ------
    SchemaVersionError
        A newer beliefgraph wrote it.
    GraphError
        The file is missing or not a belief graph, or breaks one of its rules: a loop (CycleError),
        no stance (StanceError), evidence that the transcript does not hold.
    """
    return graph_from_json(read_text(path, error=GraphError), where=str(path))


def save_transcript(transcript: Transcript, path: str | Path) -> None:
    """Write a transcript to a JSON file that `read_transcript` reads back whole.

    Raises
    ------
    TranscriptError
        It cannot be written there; nothing was changed.
    """
    write_text(path, transcript.model_dump_json(indent=2) + "\n", error=TranscriptError)


def graph_from_json(text: str, *, where: str = "the JSON") -> BeliefGraph:
    """Make a graph of the JSON text that a graph was saved as.

    Parameters
    ----------
    text
        What `save_graph` wrote, or `g.model_dump_json()`.
    where
        Named in the messages of errors.

    Raises
    ------
    GraphError
        As in `load_graph`.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    >>> graph_from_json(g.model_dump_json()) == g
    True
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise GraphError(
            f"{where}: this is not a saved belief graph: not JSON: {problem}"
        ) from None
    _check_version(data, where)
    try:
        return BeliefGraph(**data)
    except GraphError as problem:
        problem.args = (f"{where}: {problem}",)
        raise
    except BeliefGraphError as problem:
        raise GraphError(f"{where}: {problem}") from problem


def _check_version(data: Any, where: str) -> None:
    if not isinstance(data, dict) or "schema_version" not in data:
        hint = (
            " It looks like an interview: read it with bg.read_transcript."
            if isinstance(data, list) or (isinstance(data, dict) and "turns" in data)
            else ""
        )
        raise GraphError(
            f"{where}: this is not a saved belief graph: expected a JSON object with "
            f"'schema_version', 'stance' and 'concepts'.{hint}"
        )
    version = data["schema_version"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise GraphError(
            f"{where}: 'schema_version' must be a whole number from 1, got {version!r}"
        )
    if version > SCHEMA_VERSION:
        raise SchemaVersionError(
            f"{where}: it was saved with schema version {version}, and this beliefgraph reads up "
            f"to version {SCHEMA_VERSION}. Run: pip install -U beliefgraph"
        )
