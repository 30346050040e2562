"""Graph tables as Parquet or Arrow files: written once, read a piece at a time.

Parquet is smaller and read by everything; an Arrow file (.arrow, .feather) needs no decoding and is
read several times faster.

One row a person. Lists keep a person's concepts (`concept`, `position`, `baseline`,
`baseline_sd`, in causal order), influences (`source`, `target`, `confidence`, `mentions`, the
number of an influence's mentions) and mentions (`weight`, `probability`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import BeliefGraphError, GraphError, MissingPackageError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.cohort.table import GraphTable, make_table

__all__ = [
    "TABLE_SUFFIXES",
    "GroupOf",
    "TableFile",
    "groups_of",
    "parquet",
    "read_table",
    "table_file",
    "write_graph_table",
]

TABLE_SUFFIXES: Final = (".parquet", ".arrow", ".feather")

GroupOf = Callable[[BeliefGraph], Any] | Mapping[str, Any] | None
"""Group of a person: of the graph, or by participant."""

_LISTS: Final = {
    "concept": None, "position": np.int32, "baseline": np.float64, "baseline_sd": np.float64,
    "source": np.int32, "target": np.int32, "confidence": np.float64, "mentions": np.int64,
    "weight": np.float64, "probability": np.float64,
}  # fmt: skip
_COLUMNS: Final = ("person", "group", "stance", *_LISTS)


def parquet(purpose: str) -> tuple[Any, Any]:
    """Return pyarrow and pyarrow.parquet.

    Raises
    ------
    MissingPackageError
        pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingPackageError(
            "pyarrow", purpose, 'pip install "beliefgraph[parquet]"'
        ) from None
    return pyarrow, pyarrow.parquet


def groups_of(graphs: Iterable[Any], group: GroupOf) -> list[Any]:
    """Return each graph's group; None where it has none or could not be read."""
    if group is None:
        return [None for _ in graphs]
    if isinstance(group, Mapping):
        return [group.get(getattr(graph, "participant", None) or "") for graph in graphs]
    return [None if isinstance(graph, BeliefGraphError) else group(graph) for graph in graphs]


def write_graph_table(
    graphs: Iterable[BeliefGraph],
    path: str | Path,
    *,
    group: GroupOf = None,
    row_group: int = 10_000,
) -> int:
    """Write graphs to a Parquet or Arrow file from which `simulate_cohort` reads fast.

    Levels, influences, mentions, confidences and names are kept; quotes, transcripts and feedback
    are not.

    Parameters
    ----------
    graphs
        Read one after the other, never all at once.
    path
        The file: .parquet (smaller), .arrow or .feather (read several times faster); one that
        stands there is replaced only by a whole one.
    group
        A function of the graph, or a mapping of participants to their group, kept with each person.
    row_group
        People in memory at a time, now and when the file is read.

    Returns
    -------
    int
        Number of people written.

    Raises
    ------
    GraphError
        The file's name ends in none of these.
    MissingPackageError
        pyarrow is not installed.
    """
    waiting = iter(graphs)
    written = 0

    def tables() -> Iterator[GraphTable]:
        nonlocal written
        while batch := list(islice(waiting, row_group)):
            written += len(batch)
            yield make_table(batch, groups_of(batch, group))

    write_tables(tables(), path)
    return written


def write_tables(tables: Iterable[GraphTable], path: str | Path) -> None:
    """Write graph tables to one file, a piece each."""
    pa, pq = parquet("write_graph_table()")
    suffix = Path(path).suffix
    if suffix not in TABLE_SUFFIXES:
        raise GraphError(f"{path}: a graph table's name ends in {' or '.join(TABLE_SUFFIXES)}")
    part = Path(f"{path}.part")
    schema = _schema(pa)
    try:
        with (
            pq.ParquetWriter(part, schema, compression="zstd")
            if suffix == ".parquet"
            else pa.ipc.new_file(part, schema)
        ) as writer:
            for table in tables:
                writer.write_table(to_arrow(table), max(1, len(table)))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _schema(pa: Any) -> Any:
    types = {
        "person": pa.string(), "group": pa.string(), "stance": pa.int32(),
        "concept": pa.list_(pa.string()),
        "mentions": pa.list_(pa.int32()),
    }  # fmt: skip
    for name, kind in _LISTS.items():
        types.setdefault(name, pa.list_(pa.int32() if kind is np.int32 else pa.float64()))
    return pa.schema([(name, types[name]) for name in _COLUMNS])


def to_arrow(table: GraphTable) -> Any:
    """Return a pyarrow table with one row a person."""
    pa, _ = parquet("a graph table")
    schema = _schema(pa)
    per_edge = np.diff(table.mentions)
    per_person = table.mentions[table.edges]
    vocabulary = pa.array(list(table.names), pa.string())
    words = pa.DictionaryArray.from_arrays(table.name, vocabulary).cast(pa.string())
    values = {
        "concept": (table.first, words), "position": (table.first, table.position),
        "baseline": (table.first, table.baseline),
        "baseline_sd": (table.first, table.baseline_sd),
        "source": (table.edges, table.source), "target": (table.edges, table.target),
        "confidence": (table.edges, table.confidence), "mentions": (table.edges, per_edge),
        "weight": (per_person, table.weight), "probability": (per_person, table.probability),
    }  # fmt: skip
    columns = {
        "person": pa.array(table.person, pa.string()),
        "group": pa.array(table.group, pa.string()),
        "stance": pa.array(table.stance, pa.int32()),
    }
    for name, (starts, items) in values.items():
        kind = schema.field(name).type
        found = items if name == "concept" else pa.array(items, kind.value_type)
        columns[name] = pa.ListArray.from_arrays(pa.array(starts, pa.int32()), found, type=kind)
    return pa.table(columns, schema=schema)


@dataclass(frozen=True)
class TableFile:
    """An open graph table."""

    path: Path
    """Where it is."""
    rows: tuple[int, ...]
    """People in each piece."""
    read: Callable[[int], Any]
    """Return one piece as a pyarrow table."""


def table_file(path: Path) -> TableFile:
    """Open a graph table.

    Raises
    ------
    GraphError
        The file is no Parquet or Arrow file, or lacks a column.
    """
    pa, pq = parquet(f"reading {path}")
    try:
        found = _parquet_file(pq, path) if path.suffix == ".parquet" else _arrow_file(pa, path)
    except pa.ArrowInvalid as problem:
        raise GraphError(f"{path}: this is no {path.suffix[1:]} file: {problem}") from None
    schema, file = found
    missing = [name for name in _COLUMNS if name not in schema.names]
    if missing:
        raise GraphError(
            f"{path}: a graph table has the columns {', '.join(_COLUMNS)}; this file lacks "
            f"{', '.join(missing)}. Write it with beliefgraph.simulate.write_graph_table"
        )
    return file


def _arrow_file(pa: Any, path: Path) -> tuple[Any, TableFile]:
    with pa.memory_map(str(path)) as mapped:  # counts people without reading them
        sizes = pa.ipc.open_file(mapped)
        rows = tuple(sizes.get_batch(k).num_rows for k in range(sizes.num_record_batches))
    # read, not mapped: pages of a mapped file would count as this process's memory
    opened = pa.ipc.open_file(pa.OSFile(str(path)))
    return opened.schema, TableFile(
        path, rows, lambda k: pa.Table.from_batches([opened.get_batch(k)])
    )


def _parquet_file(pq: Any, path: Path) -> tuple[Any, TableFile]:
    opened = pq.ParquetFile(path)
    paths = [opened.schema.column(k).path for k in range(len(opened.schema))]
    # read as numbers into a list of distinct names
    opened = pq.ParquetFile(path, read_dictionary=[p for p in paths if p.startswith("concept.")])
    groups = range(opened.num_row_groups)
    rows = tuple(opened.metadata.row_group(k).num_rows for k in groups)
    return opened.schema_arrow, TableFile(
        path, rows, lambda k: opened.read_row_group(k, columns=list(_COLUMNS))
    )


def read_table(file: TableFile, piece: int) -> GraphTable:
    """Read one piece of an open graph table, checked."""
    where = str(file.path)
    pa, _ = parquet(f"reading {where}")
    rows = file.read(piece)
    columns = {name: rows.column(name).combine_chunks() for name in _COLUMNS}
    starts: dict[str, NDArray[np.int64]] = {}
    flat: dict[str, Any] = {}
    for name, kind in _LISTS.items():
        column = columns[name]
        if not pa.types.is_list(column.type):
            raise GraphError(f"{where}: column {name!r} must hold lists, got {column.type}")
        items = column.flatten()
        if column.null_count or items.null_count:
            raise GraphError(f"{where}: column {name!r} has empty cells; every cell needs a value")
        offsets = column.offsets.to_numpy().astype(np.int64)
        starts[name] = offsets - offsets[0]
        flat[name] = items if kind is None else _numbers(items, kind, f"{where}: {name!r}")
    for names in (("concept", "position", "baseline", "baseline_sd"),
                  ("source", "target", "confidence", "mentions"),
                  ("weight", "probability")):  # fmt: skip
        for other in names[1:]:
            if not np.array_equal(starts[names[0]], starts[other]):
                raise GraphError(
                    f"{where}: columns {names[0]!r} and {other!r} must have lists of one length"
                )
    counts = np.maximum(flat["mentions"], 0)
    mentions = np.concatenate([[0], np.cumsum(counts)])
    if not np.array_equal(mentions[starts["source"]], starts["weight"]):
        raise GraphError(
            f"{where}: a person's numbers of mentions must add up to the length of its 'weight'"
        )
    words = flat["concept"]
    if not pa.types.is_dictionary(words.type):
        words = words.dictionary_encode()
    return GraphTable(
        person=columns["person"],
        group=columns["group"],
        names=words.dictionary.to_pylist(),
        stance=_numbers(columns["stance"], np.int64, f"{where}: 'stance'"),
        first=starts["concept"],
        name=words.indices.to_numpy().astype(np.int32, copy=False),
        edges=starts["source"],
        mentions=mentions,
        **{
            name: flat[name]
            for name in (
                "position", "baseline", "baseline_sd", "source", "target", "confidence", "weight",
                "probability",
            )
        },
    ).checked()  # fmt: skip


def _numbers(items: Any, kind: Any, where: str) -> Any:
    if items.null_count:
        raise GraphError(f"{where} has empty cells; every cell needs a value")
    try:
        return items.to_numpy(zero_copy_only=False).astype(kind, copy=False)
    except (TypeError, ValueError) as problem:
        raise GraphError(f"{where} must hold numbers: {problem}") from None


def batches_of(people: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of pieces of at most `size`."""
    for begin in range(0, people, size):
        yield begin, min(begin + size, people)
