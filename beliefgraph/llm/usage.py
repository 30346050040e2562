"""What was asked and what it cost: tokens, calls and money, counted and never guessed."""

from __future__ import annotations

import threading
from typing import ClassVar

from pydantic import Field

from beliefgraph.errors import BeliefGraphError, LLMError
from beliefgraph.llm.chat import ChatResponse
from beliefgraph.records import Record

__all__ = ["Prices", "Usage", "UsageMeter"]


class Prices(Record):
    """Prices of a model, in any one currency, for a million tokens.

    >>> Prices(prompt=0.5, completion=1.5).cost(2000, 1000)
    0.0025
    """

    error: ClassVar[type[BeliefGraphError]] = LLMError

    prompt: float = Field(ge=0)
    """Price of a million tokens of messages."""
    completion: float = Field(ge=0)
    """Price of a million tokens of answers."""

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return what that many tokens cost."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


class Usage(Record):
    """A running count; `+` adds two of them."""

    calls: int = 0
    """Answers that were paid for."""
    cached: int = 0
    """Answers taken from a cache."""
    failed: int = 0
    """Requests that got no usable answer."""
    retries: int = 0
    """Attempts that failed and were repeated."""
    unmetered: int = 0
    """Paid answers for which the server told no token counts; they are in no count below."""
    prompt_tokens: int = 0
    """Tokens of messages that were paid for."""
    completion_tokens: int = 0
    """Tokens of answers that were paid for."""
    unpriced: int = 0
    """Paid answers whose cost is not known; they are not in `cost`."""
    cost: float = 0.0
    """What the paid answers cost, as far as it is known."""

    def __add__(self, other: Usage) -> Usage:
        mine, others = self.model_dump(), other.model_dump()
        return Usage(**{name: mine[name] + others[name] for name in mine})

    @classmethod
    def of(cls, response: ChatResponse) -> Usage:
        """Count one answer."""
        if response.cached:
            return cls(cached=1)
        metered = response.prompt_tokens is not None and response.completion_tokens is not None
        return cls(
            calls=1,
            retries=response.retries,
            unmetered=int(not metered),
            prompt_tokens=response.prompt_tokens or 0,
            completion_tokens=response.completion_tokens or 0,
            unpriced=int(response.cost is None),
            cost=response.cost or 0.0,
        )

    def __str__(self) -> str:
        parts = [f"{self.calls} call{'s' * (self.calls != 1)}", f"{self.cached} from the cache"]
        parts.append(f"{self.prompt_tokens} + {self.completion_tokens} tokens")
        if self.calls > self.unpriced:
            parts.append(f"cost {self.cost:.4f}")
        for number, what in (
            (self.retries, "retries"),
            (self.failed, "failed"),
            (self.unmetered, "without token counts"),
        ):
            if number:
                parts.append(f"{number} {what}")
        return ", ".join(parts)


class UsageMeter:
    """A usage that several threads add to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._total = Usage()

    def add(self, usage: Usage) -> None:
        """Add to the count."""
        with self._lock:
            self._total = self._total + usage

    @property
    def total(self) -> Usage:
        """The count so far."""
        return self._total
