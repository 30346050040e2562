"""Answers on disk: one SQLite file in write-ahead mode, JSON values, no pickle.

A store never stops a run: where the disk is full or read-only it warns once and keeps the answers
of this process in memory.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import warnings
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from pydantic import ValidationError

from beliefgraph.errors import LLMError
from beliefgraph.llm.chat import ChatResponse

__all__ = ["AnswerStore", "CacheWarning"]

_VERSION = 1
_WAIT = 30.0
"""Seconds that a write waits for another process's."""
_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, model TEXT NOT NULL, "
    "response TEXT NOT NULL, created TEXT NOT NULL) WITHOUT ROWID"
)


class CacheWarning(UserWarning):
    """Answers cannot be kept on disk; the run goes on."""


class AnswerStore:
    """Responses by key.

    Parameters
    ----------
    path
        The SQLite file; it and its folder are made where they are missing.

    Raises
    ------
    LLMError
        The file is there and is something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).expanduser().absolute()
        self._lock = threading.RLock()
        self._memory: dict[str, ChatResponse] = {}
        self._warned = False
        self._owner = os.getpid()
        self._connection: sqlite3.Connection | None = None
        self._writable = True
        self._open()

    def get(self, key: str) -> ChatResponse | None:
        """Return the answer kept under a key, marked as cached; None where there is none."""
        with self._lock:
            found = self._memory.get(key)
            if found is not None:
                return found.replace(cached=True)
            try:
                with self._connected() as connection:
                    row = connection.execute(
                        "SELECT response FROM answers WHERE key = ?", (key,)
                    ).fetchone()
            except (sqlite3.Error, OSError) as problem:
                self._warn(f"cannot be read ({problem})")
                return None
        if row is None:
            return None
        try:
            return ChatResponse.model_validate_json(row[0]).replace(cached=True)
        except (ValidationError, LLMError, TypeError):
            return None  # a damaged row is asked for again and replaced

    def put(self, key: str, model: str, response: ChatResponse) -> None:
        """Keep an answer; on disk where that is possible, else in memory."""
        text = response.replace(cached=False).model_dump_json()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._lock:
            try:
                if not self._writable:
                    raise sqlite3.OperationalError("read-only")
                with self._connected() as connection:
                    connection.execute(
                        "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)",
                        (key, model, text, now),
                    )
            except (sqlite3.Error, OSError) as problem:
                self._memory[key] = response
                self._warn(f"cannot be written ({problem})")

    def __len__(self) -> int:
        with self._lock:
            try:
                with self._connected() as connection:
                    (count,) = connection.execute("SELECT count(*) FROM answers").fetchone()
            except (sqlite3.Error, OSError):
                count = 0
            return int(count) + len(self._memory)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                connection.close()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        if self._connection is None or self._owner != os.getpid():
            self._open()  # closed, or carried into a forked process
        if self._connection is None:
            raise sqlite3.OperationalError("unable to open the file")
        yield self._connection

    def _open(self) -> None:
        self._owner, self._connection = os.getpid(), None
        uri = f"file:{quote(str(self.path))}"
        problem: Exception | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as found:
            problem = found
        # a file on read-only media can still be read; `immutable` needs no files beside it
        for mode in ("?mode=rwc", "?mode=ro", "?immutable=1"):
            try:
                connection = sqlite3.connect(
                    uri + mode, uri=True, timeout=_WAIT, isolation_level=None,
                    check_same_thread=False,
                )  # fmt: skip
            except sqlite3.Error as found:
                problem = problem or found
                continue
            try:
                _prepare(connection, writable=mode == "?mode=rwc")
            except sqlite3.Error as found:
                connection.close()
                if "not a database" in str(found):
                    raise LLMError(
                        f"{self.path} is there and is no cache of answers ({found}); "
                        "name another file"
                    ) from None
                problem = problem or found
                continue
            except LLMError as found:
                connection.close()
                raise LLMError(f"{self.path}: {found}") from None
            self._connection, self._writable = connection, mode == "?mode=rwc"
            weakref.finalize(self, connection.close)
            break
        if self._connection is None or not self._writable:
            self._warn(f"cannot be opened for writing ({problem})")

    def _warn(self, what: str) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(
                f"the cache {self.path} {what}: new answers are kept in memory and are lost when "
                "this process ends",
                CacheWarning,
                stacklevel=3,
            )


def _prepare(connection: sqlite3.Connection, *, writable: bool) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version not in (0, _VERSION):
        raise LLMError(f"a cache of version {version}, and this package knows {_VERSION}")
    if writable:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        if version == 0 and tables and "answers" not in tables:
            raise LLMError("a database of something else; name another file")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(_TABLE)
        connection.execute(f"PRAGMA user_version = {_VERSION}")
    else:
        connection.execute("SELECT key FROM answers LIMIT 1")
