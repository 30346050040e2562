"""Graph tables as Parquet files: written once, read a row group at a time.

One row a person. Lists keep a person's concepts (`concept`, `position`, `baseline`,
`baseline_sd`, in causal order), influences (`source`, `target`, `confidence`, `mentions`, the
number of an influence's mentions) and mentions (`weight`, `probability`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import BeliefGraphError, GraphError, MissingPackageError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.cohort_table import GraphTable, make_table

__all__ = ["GroupOf", "groups_of", "parquet", "read_table", "table_file", "write_graph_table"]

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
    """Write graphs to a Parquet file from which `simulate_cohort` reads fast.

    Levels, influences, mentions, confidences and names are kept; quotes, transcripts and feedback
    are not.

    Parameters
    ----------
    graphs
        Read one after the other, never all at once.
    path
        The file; one that stands there is replaced only by a whole one.
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
    MissingPackageError
        pyarrow is not installed.
    """
    pa, pq = parquet("write_graph_table()")
    waiting = iter(graphs)
    part = Path(f"{path}.part")
    written = 0
    try:
        with pq.ParquetWriter(part, _schema(pa), compression="zstd") as writer:
            while batch := list(islice(waiting, row_group)):
                table = make_table(batch, groups_of(batch, group))
                writer.write_table(to_arrow(table), row_group_size=row_group)
                written += len(batch)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)
    return written


def _schema(pa: Any) -> Any:
    types = {
        "person": pa.string(), "group": pa.string(), "stance": pa.int32(),
        "concept": pa.list_(pa.dictionary(pa.int32(), pa.string())),
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
    words = pa.DictionaryArray.from_arrays(table.name, pa.array(list(table.names), pa.string()))
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


def table_file(path: Path) -> Any:
    """Open a graph table.

    Raises
    ------
    GraphError
        The file is no Parquet file, or lacks a column.
    """
    pa, pq = parquet(f"reading {path}")
    try:
        found = pq.ParquetFile(path)
        words = [
            name
            for k in range(len(found.schema))
            if (name := found.schema.column(k).path).startswith("concept.")
        ]
        found = pq.ParquetFile(path, read_dictionary=words)
    except pa.ArrowInvalid as problem:
        raise GraphError(f"{path}: this is not a Parquet file: {problem}") from None
    missing = [name for name in _COLUMNS if name not in found.schema_arrow.names]
    if missing:
        raise GraphError(
            f"{path}: a graph table has the columns {', '.join(_COLUMNS)}; this file lacks "
            f"{', '.join(missing)}. Write it with beliefgraph.simulate.write_graph_table"
        )
    return found


def read_table(file: Any, row_group: int, where: str) -> GraphTable:
    """Read one row group of an open graph table, checked."""
    pa, _ = parquet(f"reading {where}")
    rows = file.read_row_group(row_group, columns=list(_COLUMNS))
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
