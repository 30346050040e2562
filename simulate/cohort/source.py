"""Where a cohort's graphs come from, read chunk by chunk: objects, JSON lines, a graph table."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from beliefgraph.errors import BeliefGraphError, GraphError, InterventionError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.cohort.files import (
    TABLE_SUFFIXES,
    GroupOf,
    batches_of,
    read_table,
    table_file,
)
from beliefgraph.simulate.cohort.table import GraphTable

__all__ = ["Chunk", "Source", "graphs_of", "source_of"]

Skip = Callable[[int], bool]
TABLE_CHUNK, GRAPH_CHUNK = 10_000, 500


@dataclass(frozen=True)
class Chunk:
    """Some people of a cohort, in the form in which they were given."""

    index: int
    """Number of the chunk."""
    first: int
    """Number of its first person in the cohort."""
    people: int
    """How many there are."""
    content: GraphTable | list[BeliefGraph] | list[bytes] | None
    """What was given; None where the chunk is finished already and need not be read."""


@dataclass(frozen=True)
class Source:
    """A cohort that can be read."""

    chunks: Callable[[Skip], Iterator[Chunk]]
    """Chunks in order; those that need not be read come without content."""
    total: int | None
    """Number of people, where it is known."""
    identity: str
    """Tells a changed file from the one that a run began with."""
    whole_graphs: bool
    """Whether it holds graphs with their feedback, or a graph table."""


def source_of(graphs: Any, chunk_size: int | None, group: GroupOf) -> Source:
    """Say how the cohort is read.

    Raises
    ------
    GraphError
        The file is missing or of an unknown kind.
    InterventionError
        `graphs` is neither a path nor a collection of graphs.
    """
    if isinstance(graphs, (str, Path)):
        path = Path(graphs)
        if not path.is_file():
            raise GraphError(f"{path}: there is no such file")
        if path.suffix in TABLE_SUFFIXES:
            if callable(group):
                raise InterventionError(
                    "group: a graph table holds no whole graphs to call a function with; give a "
                    "mapping of participants to groups, or write the groups into the table with "
                    "write_graph_table(..., group=...)"
                )
            return _table_source(path, chunk_size or TABLE_CHUNK)
        if path.suffix in (".jsonl", ".ndjson"):
            return _lines_source(path, chunk_size or GRAPH_CHUNK)
        raise GraphError(
            f"{path}: a cohort is read from JSON lines of saved graphs (.jsonl) or a graph table "
            "(.parquet, .arrow)"
        )
    if isinstance(graphs, BeliefGraph) or not isinstance(graphs, Iterable):
        raise InterventionError(
            "graphs: give several BeliefGraphs, or the path of a .jsonl, .parquet or .arrow file, "
            f"got a {type(graphs).__name__}"
        )
    return _objects_source(graphs, chunk_size or GRAPH_CHUNK)


def graphs_of(content: list[Any], first: int) -> list[BeliefGraph | BeliefGraphError]:
    """Read each graph; one that cannot be read is the error that says why."""
    from beliefgraph.formats.json import graph_from_json

    found: list[BeliefGraph | BeliefGraphError] = []
    for number, item in enumerate(content, start=first):
        if isinstance(item, BeliefGraph):
            found.append(item)
            continue
        if not isinstance(item, bytes):
            found.append(GraphError(f"person {number}: not a BeliefGraph, {type(item).__name__}"))
            continue
        try:
            found.append(graph_from_json(item.decode(), where=f"person {number}"))
        except BeliefGraphError as problem:
            found.append(problem)
        except UnicodeDecodeError as problem:
            found.append(GraphError(f"person {number}: not UTF-8: {problem}"))
    return found


def _identity(path: Path) -> str:
    """Return a digest of a file's size, beginning and end."""
    size, edge = path.stat().st_size, 2**20
    found = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        found.update(file.read(edge))
        file.seek(max(0, size - edge))
        found.update(file.read(edge))
    return found.hexdigest()


def _table_source(path: Path, size: int) -> Source:
    opened = table_file(path)

    def chunks(skip: Skip) -> Iterator[Chunk]:
        index = before = 0
        for piece, people in enumerate(opened.rows):
            table: GraphTable | None = None
            for begin, end in batches_of(people, size):
                content = None
                if not skip(index):
                    if table is None:
                        table = read_table(opened, piece)
                    content = table if (begin, end) == (0, people) else table.people(begin, end)
                yield Chunk(index, before + begin, end - begin, content)
                index += 1
            before += people

    return Source(chunks, sum(opened.rows), _identity(path), False)


def _lines_source(path: Path, size: int) -> Source:
    def lines() -> Iterator[bytes]:
        with path.open("rb") as file:
            yield from (line for line in file if line.strip())

    def count() -> int:
        with path.open("rb") as file:
            return sum(1 for line in file if line.strip())

    return Source(lambda skip: _batched(lines(), size, skip), count(), _identity(path), True)


def _objects_source(graphs: Iterable[BeliefGraph], size: int) -> Source:
    total = len(graphs) if isinstance(graphs, Sized) else None
    return Source(lambda skip: _batched(iter(graphs), size, skip), total, "objects", True)


def _batched(items: Iterator[Any], size: int, skip: Skip) -> Iterator[Chunk]:
    index = first = 0
    while batch := list(islice(items, size)):
        yield Chunk(index, first, len(batch), None if skip(index) else batch)
        index += 1
        first += len(batch)
