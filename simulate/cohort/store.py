"""A cohort's answers on disk: a folder of parts, and a manifest that says what they answer.

A part is written under another name and renamed when it is whole, so that a part that is there is
finished, whatever ended the run. The manifest holds the configuration and its digest; a run with
another configuration is refused rather than mixed in.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.simulate.cohort.files import parquet
from beliefgraph.simulate.cohort.rows import COLUMNS, Rows

__all__ = ["FORMATS", "Store", "digest_of"]

FORMATS: Final = ("jsonl", "parquet")
_MANIFEST: Final = "manifest.json"


def digest_of(configuration: dict[str, Any]) -> str:
    """Return a digest of a configuration that is fit for JSON."""
    text = json.dumps(configuration, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


class Store:
    """The folder of one run."""

    def __init__(self, folder: str | Path, form: str, configuration: dict[str, Any]) -> None:
        if form not in FORMATS:
            raise InterventionError(f"file_format: one of {', '.join(FORMATS)}, got {form!r}")
        if form == "parquet":
            parquet("file_format='parquet'")
        self.folder = Path(folder)
        self.form = form
        self.configuration = configuration
        self.digest = digest_of({**configuration, "format": form})

    def open(self) -> None:
        """Make the folder, or check that what it holds was made with the same configuration.

        Raises
        ------
        InterventionError
            The folder holds something else.
        """
        manifest = self.folder / _MANIFEST
        if not manifest.exists():
            if self.folder.exists() and any(self.folder.iterdir()):
                raise InterventionError(
                    f"out: {self.folder} holds other files; name an empty or a new folder"
                )
            self.folder.mkdir(parents=True, exist_ok=True)
            self._write_manifest(finished=None)
            return
        try:
            found = json.loads(manifest.read_text(encoding="utf-8"))
            was, digest = dict(found["configuration"]), found["digest"]
        except (ValueError, KeyError, TypeError) as problem:
            raise InterventionError(
                f"out: {manifest} is not a cohort's manifest ({problem}); name another folder"
            ) from None
        if digest != self.digest:
            now = {**self.configuration, "format": self.form}
            was["format"] = found.get("format")
            differ = [key for key in sorted({*was, *now}) if was.get(key) != now.get(key)]
            raise InterventionError(
                f"out: {self.folder} holds a run with another configuration (different: "
                f"{', '.join(differ)}); name another folder, or delete this one to start anew"
            )

    def finish(self, people: int, parts: int) -> None:
        """Note in the manifest that all parts are there."""
        self._write_manifest(finished={"people": people, "parts": parts})

    def _write_manifest(self, finished: dict[str, int] | None) -> None:
        record = {
            "manifest_version": 1,
            "digest": self.digest,
            "format": self.form,
            "columns": list(COLUMNS),
            "configuration": self.configuration,
            "finished": finished,
        }
        text = json.dumps(record, indent=2, ensure_ascii=False) + "\n"
        self._whole(self.folder / _MANIFEST, text.encode())

    def part(self, index: int) -> Path:
        """Return the path of a part."""
        return self.folder / f"part-{index:06d}.{self.form}"

    def has(self, index: int) -> bool:
        """Whether a part is finished."""
        return self.part(index).exists()

    def parts(self) -> list[Path]:
        """Return the finished parts, in order."""
        return sorted(self.folder.glob(f"part-*.{self.form}"))

    def write(self, index: int, rows: Rows) -> None:
        """Write a part, whole or not at all."""
        if self.form == "jsonl":
            self._whole(self.part(index), rows.to_json_lines().encode())
            return
        pa, pq = parquet("file_format='parquet'")
        buffer = pa.BufferOutputStream()
        pq.write_table(rows.to_arrow(), buffer, compression="zstd", use_dictionary=[
            "person", "group", "scenario", "concept", "error",
        ])  # fmt: skip
        self._whole(self.part(index), buffer.getvalue())

    def _whole(self, path: Path, content: Any) -> None:
        """Write a file under another name and rename it; on a full disk nothing is left behind."""
        waiting = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with waiting.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(waiting, path)
        finally:
            waiting.unlink(missing_ok=True)

    def stance_columns(self, index: int) -> dict[str, NDArray[Any]]:
        """Return number, group, scenario, shift and error of a finished part's stance rows."""
        names = ["number", "group", "scenario", "shift", "error", "kind"]
        path = self.part(index)
        if self.form == "jsonl":
            rows = [row for row in _lines(path) if row["kind"] in ("stance", "error")]
            found = {name: np.array([row[name] for row in rows], dtype=object) for name in names}
        else:
            _, pq = parquet(f"reading {path}")
            table = pq.read_table(path, columns=names)
            found = {name: np.array(table.column(name).to_pylist(), dtype=object) for name in names}
            kept = np.isin(found["kind"], ["stance", "error"])
            found = {name: column[kept] for name, column in found.items()}
        found["shift"] = found["shift"].astype(float)
        found["number"] = found["number"].astype(np.int64)
        return found

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of all parts."""
        for path in self.parts():
            if self.form == "jsonl":
                yield from _lines(path)
                continue
            _, pq = parquet(f"reading {path}")
            for row in pq.read_table(path).to_pylist():
                yield {
                    name: None if isinstance(value, float) and value != value else value
                    for name, value in row.items()
                }


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
