"""A cache before a chat model: what was answered once is not paid for again."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from beliefgraph.llm.chat import ChatModel, ChatRequest, ChatResponse
from beliefgraph.llm.one_at_a_time import one_at_a_time
from beliefgraph.llm.store import AnswerStore
from beliefgraph.llm.usage import Usage, UsageMeter

__all__ = ["CachedChat"]


class CachedChat:
    """Answers from disk what was answered before; asks for the rest and keeps it at once.

    An interrupted run therefore resumes where it stopped. The key of an answer is the SHA-256 of
    model, messages and settings; the file holds answers, not questions, and never an API key.
    Several threads and processes may use one file; a question that two of them have at the same
    time is asked once.

    Parameters
    ----------
    chat
        The model that is asked.
    path
        The SQLite file.
    salt
        Enters every key: another salt is another set of answers, for instance for two servers
        that give one name to different models.

    Raises
    ------
    LLMError
        The file is there and is no cache.

    Warns
    -----
    CacheWarning
        The file cannot be written (full or read-only disk): answers are still given.

    Examples
    --------
    >>> import tempfile
    >>> from beliefgraph.llm import ScriptedChat
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with CachedChat(ScriptedChat(["yes"]), f"{folder}/answers.sqlite") as chat:
    ...         request = ChatRequest.of("Really?")
    ...         first, second = chat.complete(request), chat.complete(request)
    >>> second.text, first.cached, second.cached
    ('yes', False, True)
    """

    def __init__(self, chat: ChatModel, path: str | Path, *, salt: str = "") -> None:
        self._chat = chat
        self._salt = salt
        self._store = AnswerStore(path)
        self._meter = UsageMeter()

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._chat.model

    @property
    def url(self) -> str | None:
        """Address of the model behind, where it has one; never with a key."""
        found = getattr(self._chat, "url", None)
        return found if isinstance(found, str) else None

    @property
    def path(self) -> Path:
        """The file."""
        return self._store.path

    @property
    def usage(self) -> Usage:
        """What was asked through this cache: paid answers, and those it had."""
        return self._meter.total

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer from the file, or ask and keep the answer.

        Raises
        ------
        LLMError
            The model gave no usable answer; nothing is kept of that.
        """
        key = request.key(self.model, self._salt)
        response = self._store.get(key)
        if response is None:
            with one_at_a_time(self.path, key):
                response = self._store.get(key)
                if response is None:
                    response = self._chat.complete(request)
                    self._store.put(key, self.model, response)
        self._meter.add(Usage.of(response))
        return response

    def has(self, request: ChatRequest) -> bool:
        """Say whether the answer is there, so that it will not be paid for."""
        return self._store.get(request.key(self.model, self._salt)) is not None

    def __len__(self) -> int:
        return len(self._store)

    def close(self) -> None:
        """Close the file; the next request opens it again."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<CachedChat {self.model!r}: {len(self)} answers in {self.path}>"
