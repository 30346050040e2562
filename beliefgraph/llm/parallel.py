"""Several requests at once: order kept, first failure stops the rest, what is under way is kept."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Literal, TypeVar, overload

from beliefgraph.errors import BeliefGraphError, LLMError
from beliefgraph.llm.chat import ChatModel, ChatRequest, ChatResponse

__all__ = ["Progress", "complete_all", "in_order", "pause"]

A = TypeVar("A")
B = TypeVar("B")

Progress = bool | Callable[[int, int], None]
"""True shows a bar on stderr; a function is called with the number done and the number of all."""

_STOP: contextvars.ContextVar[threading.Event | None] = contextvars.ContextVar(
    "beliefgraph_llm_stop", default=None
)


def pause(seconds: float) -> bool:
    """Wait, unless the run that this call is part of was stopped; say whether it goes on."""
    stop = _STOP.get()
    return not (stop or threading.Event()).wait(seconds)


@overload
def in_order(
    function: Callable[[A], B],
    items: Sequence[A],
    *,
    max_concurrency: int = ...,
    progress: Progress = ...,
    label: str = ...,
    errors: Literal["raise"] = ...,
) -> list[B]: ...


@overload
def in_order(
    function: Callable[[A], B],
    items: Sequence[A],
    *,
    max_concurrency: int = ...,
    progress: Progress = ...,
    label: str = ...,
    errors: Literal["return"],
) -> list[B | BeliefGraphError]: ...


def in_order(
    function: Callable[[A], B],
    items: Sequence[A],
    *,
    max_concurrency: int = 8,
    progress: Progress = False,
    label: str = "Asking the model",
    errors: Literal["raise", "return"] = "raise",
) -> list[B] | list[B | BeliefGraphError]:
    """Apply a function to every item in several threads; results stand in the items' order.

    Parameters
    ----------
    function
        Called once for each item.
    items
        What it is called with.
    max_concurrency
        Calls under way at once; 1 calls in this thread.
    progress
        True for a bar on stderr, or a function of the number done and the number of all.
    label
        What the bar says.
    errors
        `"raise"`: the first failure stops what has not begun and is raised when all calls under
        way have ended (what they got is then in the cache). `"return"`: a failure of this library
        stands as the result of its item.

    Raises
    ------
    LLMError
        `max_concurrency` is not positive.
    """
    if max_concurrency < 1:
        raise LLMError(f"max_concurrency must be at least 1 (got {max_concurrency})")
    if not items:
        return []
    stop = threading.Event()
    failures: list[BeliefGraphError] = []

    def call(item: A) -> B | BeliefGraphError:
        if stop.is_set():
            raise _StoppedError
        _STOP.set(stop)
        try:
            return function(item)
        except BeliefGraphError as problem:
            if errors == "return":
                return problem
            failures.append(problem)
            stop.set()  # here, and not where results are watched: the next item would begin
            raise

    if max_concurrency == 1:
        with _reporter(progress, len(items), label) as report:
            return _one_by_one(call, items, report)
    with (
        _reporter(progress, len(items), label) as report,
        ThreadPoolExecutor(min(max_concurrency, len(items))) as pool,
    ):
        futures = [pool.submit(contextvars.copy_context().run, call, item) for item in items]
        try:
            _watch(futures, report)
        except BaseException:
            stop.set()
            for future in futures:
                future.cancel()
            raise
    if failures:
        raise failures[0]
    return [future.result() for future in futures]


def _one_by_one(
    call: Callable[[A], B], items: Sequence[A], report: Callable[[int, int], None]
) -> list[B]:
    """Call in this thread, which a debugger and a profiler can follow."""
    results = []
    for item in items:
        results.append(contextvars.copy_context().run(call, item))
        report(len(results), len(items))
    return results


class _StoppedError(BeliefGraphError):
    """Another call failed before this one began."""


def _watch(futures: Sequence[Future[B]], report: Callable[[int, int], None]) -> None:
    """Report as calls end; a failure that is not this library's ends the run at once."""
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            problem = future.exception()
            if problem is not None and not isinstance(problem, BeliefGraphError):
                raise problem
        report(len(futures) - len(waiting), len(futures))


@contextmanager
def _reporter(progress: Progress, total: int, label: str) -> Iterator[Callable[[int, int], None]]:
    if callable(progress):
        yield progress
    elif progress:
        from rich.console import Console
        from rich.progress import Progress as Bar

        with Bar(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(label, total=total)
            yield lambda done, _: bar.update(task, completed=done)
    else:
        yield lambda done, all_: None


@overload
def complete_all(
    chat: ChatModel,
    requests: Sequence[ChatRequest],
    *,
    max_concurrency: int = ...,
    progress: Progress = ...,
    errors: Literal["raise"] = ...,
) -> list[ChatResponse]: ...


@overload
def complete_all(
    chat: ChatModel,
    requests: Sequence[ChatRequest],
    *,
    max_concurrency: int = ...,
    progress: Progress = ...,
    errors: Literal["return"],
) -> list[ChatResponse | BeliefGraphError]: ...


def complete_all(
    chat: ChatModel,
    requests: Sequence[ChatRequest],
    *,
    max_concurrency: int = 8,
    progress: Progress = False,
    errors: Literal["raise", "return"] = "raise",
) -> list[ChatResponse] | list[ChatResponse | BeliefGraphError]:
    """Answer many requests at once, in their order (see `in_order` for the arguments).

    Examples
    --------
    >>> from beliefgraph.llm import ScriptedChat
    >>> chat = ScriptedChat(lambda request: request.messages[-1].content.upper())
    >>> [r.text for r in complete_all(chat, [ChatRequest.of(c) for c in "abc"])]
    ['A', 'B', 'C']
    """
    if errors == "return":
        return in_order(
            chat.complete,
            requests,
            max_concurrency=max_concurrency,
            progress=progress,
            errors="return",
        )
    return in_order(chat.complete, requests, max_concurrency=max_concurrency, progress=progress)
