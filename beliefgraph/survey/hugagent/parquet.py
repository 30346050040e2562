"""Parquet files of items, whose nested columns are JSON text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from beliefgraph.errors import BeliefGraphError, MissingPackageError

__all__ = ["is_parquet", "read_parquet"]


def is_parquet(path: Path) -> bool:
    """Tell from the first bytes whether a file is parquet."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PAR1"
    except OSError:
        return False  # whoever reads it as text says why


def read_parquet(path: Path, error: type[BeliefGraphError]) -> list[dict[str, Any]]:
    """Return the rows of a parquet file.

    Raises
    ------
    MissingPackageError
        pyarrow is not installed.
    BeliefGraphError
        Of the kind `error`: the file is broken.
    """
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingPackageError(
            "pyarrow", f"{path}: reading parquet", "pip install 'beliefgraph[parquet]'"
        ) from None
    try:
        rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
    except (pyarrow.ArrowException, OSError) as problem:
        raise error(f"{path}: not a whole parquet file: {problem}") from None
    return rows
