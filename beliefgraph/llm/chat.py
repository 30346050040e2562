"""What is asked of a chat model and what comes back: one request, one response, one protocol.

A request holds everything that decides the answer, so that its hash can stand for it in a cache.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, ClassVar, Literal, Protocol, Self, runtime_checkable

from pydantic import Field

from beliefgraph.errors import BeliefGraphError, LLMError
from beliefgraph.records import Record

__all__ = ["ChatModel", "ChatRequest", "ChatResponse", "Message", "OutputMode", "TokenLogprob"]

OutputMode = Literal["json_schema", "json_object", "text"]
"""How the form of the answer was asked for: by the server's schema, by its JSON mode, in words."""


class Message(Record):
    """One message of a chat."""

    error: ClassVar[type[BeliefGraphError]] = LLMError

    role: Literal["system", "user", "assistant"]
    """Who speaks."""
    content: str
    """What is said."""


class ChatRequest(Record):
    """Messages with the settings of the answer.

    Examples
    --------
    >>> request = ChatRequest.of("Say yes or no.", system="You are brief.", temperature=0)
    >>> [message.role for message in request.messages]
    ['system', 'user']
    >>> len(request.key("some-model"))
    64
    """

    error: ClassVar[type[BeliefGraphError]] = LLMError

    messages: tuple[Message, ...] = Field(min_length=1)
    """The chat so far; the last message is to be answered."""
    temperature: float | None = Field(default=0.0, ge=0)
    """Spread of the sampling; None leaves it to the server."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    """Share of the probability that is sampled from; None leaves it to the server."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Longest answer; None leaves it to the server."""
    seed: int | None = None
    """Seed of the server's sampling, where it takes one; another seed is another sample."""
    stop: tuple[str, ...] = ()
    """Texts that end the answer."""
    json_schema: dict[str, Any] | None = None
    """JSON schema that the answer must fit."""
    top_logprobs: int | None = Field(default=None, ge=0, le=20)
    """Number of likeliest tokens whose log-probabilities are wanted; None asks for none."""
    extra: dict[str, Any] = Field(default_factory=dict)
    """Further fields of the request body, such as llama.cpp's `grammar`."""

    @classmethod
    def of(cls, user: str, *, system: str | None = None, **settings: Any) -> Self:
        """Make a request of one user message, with a system message before it where given."""
        first = () if system is None else (Message(role="system", content=system),)
        return cls(messages=(*first, Message(role="user", content=user)), **settings)

    def key(self, model: str, salt: str = "") -> str:
        """Return the SHA-256 of model, messages and settings, as 64 hexadecimal digits."""
        whole = {"model": model, "salt": salt, "request": self.model_dump(mode="json")}
        text = json.dumps(whole, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("ascii")).hexdigest()


class TokenLogprob(Record):
    """One token of an answer with its log-probability and those of the likeliest in its place."""

    token: str
    """The token that was said."""
    logprob: float
    """Natural logarithm of its probability; -9999 stands for minus infinity."""
    top: tuple[tuple[str, float], ...] = ()
    """The likeliest tokens in its place, with their log-probabilities."""


class ChatResponse(Record):
    """One answer, with what it cost."""

    error: ClassVar[type[BeliefGraphError]] = LLMError

    text: str
    """What the model said; empty where it refused or only reasoned."""
    model: str = ""
    """Model as the server names it."""
    finish_reason: str | None = None
    """Why it ended; `length` means that it was cut off."""
    refusal: str | None = None
    """What the model said in place of an answer, where the server tells a refusal apart."""
    logprobs: tuple[TokenLogprob, ...] = ()
    """The first tokens with their log-probabilities, where asked for and offered."""
    mode: OutputMode = "text"
    """How the form of the answer was asked for."""
    dropped: tuple[str, ...] = ()
    """Settings that the server does not take and that were left out."""
    prompt_tokens: int | None = None
    """Tokens of the messages, as the server counts them."""
    completion_tokens: int | None = None
    """Tokens of the answer, as the server counts them."""
    cost: float | None = None
    """What it cost when it was paid, in the currency of the prices; None without prices."""
    retries: int = 0
    """Attempts that failed before this answer."""
    cached: bool = False
    """Taken from a cache and not paid now."""

    @property
    def cut_off(self) -> bool:
        """Whether the answer ended at the longest length allowed."""
        return self.finish_reason == "length"


@runtime_checkable
class ChatModel(Protocol):
    """Anything that answers chat requests: an endpoint, a cache before it, a script in a test.

    `complete` may be called from several threads at once.
    """

    @property
    def model(self) -> str:
        """Name of the model; part of every cache key and of the name of every result."""
        ...

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer one request.

        Raises
        ------
        LLMError
            No usable answer came.
        """
        ...
