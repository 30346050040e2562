"""What several items share is made once, also where threads ask for it at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Once"]

T = TypeVar("T")


class Once(Generic[T]):
    """Values by key; a failure is raised and not kept.

    Examples
    --------
    >>> once = Once()
    >>> once.get("a", lambda: 1), once.get("a", lambda: 2)
    ((1, True), (1, False))
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._values: dict[str, T] = {}

    def get(self, key: str, make: Callable[[], T]) -> tuple[T, bool]:
        """Return the value of a key, and whether it was made now."""
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key in self._values:
                return self._values[key], False
            self._values[key] = make()
            return self._values[key], True
