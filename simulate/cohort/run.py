"""The chunks of a cohort, answered here, by many processes or on a cluster."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, Final

from beliefgraph.errors import InterventionError, MissingPackageError
from beliefgraph.simulate.cohort.answer import ChunkConfig, answer_chunk
from beliefgraph.simulate.cohort.rows import Rows
from beliefgraph.simulate.cohort.source import Chunk

__all__ = ["Progress", "answers", "check_jobs", "progress_bar"]

Progress = bool | Callable[[int, int | None], None]
"""Whether to show a bar where stderr is a terminal, or what to call with (done, total)."""

_WINDOW: Final = 16
"""Chunks a worker: at most this many answers wait in memory to be written."""


def check_jobs(n_jobs: int | None) -> int | None:
    """Return a checked number of processes.

    Raises
    ------
    InterventionError
        It is no whole number, or 0.
    MissingPackageError
        joblib is needed and not installed.
    """
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, int)):
        raise InterventionError(f"n_jobs: give a whole number or None, got {n_jobs!r}")
    if n_jobs == 0:
        raise InterventionError("n_jobs: 0 processes do nothing; 1 is this one, -1 one a core")
    if n_jobs is not None and n_jobs != 1:
        _joblib()
    return n_jobs


def _joblib() -> Any:
    try:
        import joblib
    except ImportError:
        raise MissingPackageError(
            "joblib", "n_jobs", 'pip install "beliefgraph[cluster]"'
        ) from None
    return joblib


def answers(
    chunks: Iterator[Chunk], config: ChunkConfig, n_jobs: int | None
) -> Iterator[tuple[Chunk, Rows | None]]:
    """Yield each chunk with its rows as it is ready; None for a chunk without content.

    With `n_jobs=None` joblib's context says how many processes there are and where
    (`joblib.parallel_config`); without one there is this process alone.
    """
    loaded = sys.modules.get("joblib")
    if n_jobs is None and loaded is not None:
        _, wanted = loaded.parallel.get_active_backend()
        n_jobs = wanted if isinstance(wanted, int) else None
    if n_jobs in (None, 1):
        for chunk in chunks:
            yield chunk, None if chunk.content is None else answer_chunk(chunk, config)
        return
    joblib = _joblib()
    with joblib.Parallel(
        n_jobs=n_jobs, return_as="generator_unordered", pre_dispatch="2*n_jobs", max_nbytes=None
    ) as parallel:
        width = _WINDOW * max(1, joblib.effective_n_jobs(n_jobs))
        while window := list(islice(chunks, width)):
            yield from ((chunk, None) for chunk in window if chunk.content is None)
            tasks = (
                joblib.delayed(_numbered)(place, chunk, config)
                for place, chunk in enumerate(window)
                if chunk.content is not None
            )
            for place, rows in parallel(tasks):
                yield window[place], rows


def _numbered(place: int, chunk: Chunk, config: ChunkConfig) -> tuple[int, Rows]:
    return place, answer_chunk(chunk, config)


@contextmanager
def progress_bar(progress: Progress) -> Iterator[Callable[[int, int | None], None]]:
    """Yield what is called with the number of people done and of all."""
    if callable(progress):
        yield progress
        return
    if not progress or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("people", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
