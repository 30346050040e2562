"""One call for one question, also between processes, so that nothing is paid for twice.

Threads of a process share a lock for each key. Processes lock one byte of a file beside the cache,
at a place that the key decides; the system lets go of it when a process dies, however it dies.
Where there are no such locks (Windows, some network drives) only threads are kept apart.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from beliefgraph.errors import LLMError
from beliefgraph.llm.parallel import pause

__all__ = ["one_at_a_time"]

_LONGEST_PAUSE = 0.2


class _Locks:
    """Locks of one cache file in this process; the file stays open, as closing it would unlock."""

    def __init__(self, path: Path) -> None:
        self.guard = threading.Lock()
        self.threads: dict[int, tuple[threading.Lock, int]] = {}
        self.owner = os.getpid()
        self.file: int | None = None
        try:
            import fcntl  # noqa: F401

            self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except (ImportError, OSError):
            self.file = None


_KNOWN: dict[Path, _Locks] = {}
_GUARD = threading.Lock()


@contextmanager
def one_at_a_time(cache: Path, key: str) -> Iterator[None]:
    """Hold the only right to ask the question of that key.

    Raises
    ------
    LLMError
        The run was stopped while another one was asking.
    """
    path = cache.with_name(cache.name + ".lock")
    with _GUARD:
        locks = _KNOWN.get(path)
        if locks is None or locks.owner != os.getpid():
            locks = _KNOWN[path] = _Locks(path)
    # 62 bits: the place is an offset in a file
    place = int(key[:16], 16) >> 2
    with _between_threads(locks, place), _between_processes(locks, place):
        yield


@contextmanager
def _between_threads(locks: _Locks, place: int) -> Iterator[None]:
    with locks.guard:
        lock, users = locks.threads.get(place, (threading.Lock(), 0))
        locks.threads[place] = (lock, users + 1)
    try:
        with lock:
            yield
    finally:
        with locks.guard:
            lock, users = locks.threads.pop(place)
            if users > 1:
                locks.threads[place] = (lock, users - 1)


@contextmanager
def _between_processes(locks: _Locks, place: int) -> Iterator[None]:
    if locks.file is None:
        yield
        return
    import fcntl

    seconds = 0.01
    while True:
        try:
            # tried again and again: a blocking wait can be taken for a deadlock between threads
            fcntl.lockf(locks.file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            break
        except (BlockingIOError, PermissionError):
            if not pause(seconds):
                raise LLMError("stopped while another run was asking the same question") from None
            seconds = min(2 * seconds, _LONGEST_PAUSE)
        except OSError:  # a file system without locks
            yield
            return
    try:
        yield
    finally:
        fcntl.lockf(locks.file, fcntl.LOCK_UN, 1, place)
