"""Which files may hold items, and the JSON values or rows in them, each with its place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.formats.base import Source
from beliefgraph.formats.files import read_text
from beliefgraph.formats.hugagent import item_documents
from beliefgraph.survey.hugagent.parquet import is_parquet, read_parquet
from beliefgraph.transcript import LeftOut

__all__ = ["find_files", "read_values"]

_SUFFIXES: Final = (".json", ".jsonl", ".ndjson", ".parquet")
_NESTED: Final = ("demographics", "context_qas", "scale", "answer_options", "source_qa")


def find_files(given: Iterable[str | Path]) -> Iterator[Path]:
    """Yield the files that are named, and those of the folders that may hold items, by name."""
    for path in map(Path, given):
        if path.is_dir():
            yield from (
                each
                for each in sorted(path.iterdir())
                if each.suffix.casefold() in _SUFFIXES and not each.name.startswith(".")
            )
        else:
            yield path


def read_values(
    path: Path, error: type[BeliefGraphError] = SurveyError
) -> tuple[list[tuple[str, Any]], list[LeftOut]]:
    """Return the JSON values or rows of a file with their places, and the parts that are none.

    Raises
    ------
    BeliefGraphError
        Of the kind `error`: the file is missing, empty or not text.
    MissingPackageError
        It is a parquet file, and pyarrow is not installed.
    """
    if is_parquet(path):
        rows = enumerate(read_parquet(path, error), start=1)
        return [(f"{path}, row {n}", _decoded(row)) for n, row in rows], []
    source = Source(path, read_text(path, error=error))
    left_out = [part.replace(where=f"{path}, {part.where}") for part in source.documents.left_out]
    values = [(f"{path}, {each.where}", _decoded(each.value)) for each in item_documents(source)]
    if len(values) == 1 and source.text.lstrip().startswith("{"):
        blank = len(source.text) - len(source.text.lstrip())
        values = [(f"{path}, line {source.text.count(chr(10), 0, blank) + 1}", values[0][1])]
    return values, left_out


def _decoded(value: Any) -> Any:
    """Decode the columns that parquet holds as JSON text, and drop the empty ones."""
    if not isinstance(value, dict):
        return value
    decoded = {key: inner for key, inner in value.items() if inner is not None}
    for key in _NESTED:
        if isinstance(decoded.get(key), str):
            try:
                decoded[key] = json.loads(decoded[key])
            except json.JSONDecodeError:
                continue  # the rule of that column says what is wrong
    return decoded
