"""Finished predictions on disk, one a line, so that a killed run goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from pydantic import ValidationError

from beliefgraph.benchmark.run import Outcome, Run

__all__ = ["Journal", "configuration_digest"]


class Journal:
    """The outcomes of a run so far.

    The first line of the file is a digest of the run's configuration: a file of another run is
    started anew. A last line that a kill cut short is dropped.
    """

    def __init__(self, outcomes: dict[str, Outcome], file: TextIO | None) -> None:
        self.outcomes = outcomes
        self._file = file
        self._lock = threading.Lock()

    @classmethod
    @contextmanager
    def open(cls, path: str | Path | None, run: Run) -> Iterator[Journal]:
        """Open the journal of a run, with what it holds; remove it when the run is done.

        Parameters
        ----------
        path
            The file; None keeps nothing.
        run
            The run, still without outcomes.
        """
        if path is None:
            yield cls({}, None)
            return
        where = Path(path)
        first = configuration_digest(run)
        known = _read(where, first)
        fresh = where.with_name(where.name + ".new")
        with fresh.open("w", encoding="utf-8") as file:  # rewritten: a line cut short is gone
            file.write(first + "\n")
            file.writelines(outcome.model_dump_json() + "\n" for outcome in known.values())
        os.replace(fresh, where)
        with where.open("a", encoding="utf-8") as file:
            yield cls(known, file)
        where.unlink()

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome, on disk before anything else happens; several threads may."""
        with self._lock:
            self.outcomes[outcome.item_id] = outcome
            if self._file is not None:
                self._file.write(outcome.model_dump_json() + "\n")
                self._file.flush()


def configuration_digest(run: Run) -> str:
    """Return the SHA-256 of all that makes a run, which is all but what came of it."""
    made = {"outcomes", "strict_outcomes", "strict_changed", "controls"}
    return hashlib.sha256(run.model_dump_json(exclude=made).encode()).hexdigest()


def _read(path: Path, first: str) -> dict[str, Outcome]:
    """Return the outcomes that a journal of the same run holds."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        return {}
    if lines[0] != first:
        return {}
    found: dict[str, Outcome] = {}
    for line in lines[1:]:
        try:
            outcome = Outcome.model_validate(json.loads(line))
        except (json.JSONDecodeError, ValidationError):
            continue  # empty, or cut short
        found[outcome.item_id] = outcome
    return found
