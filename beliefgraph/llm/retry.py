"""When to ask again, and after how long."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import ClassVar

from pydantic import Field

from beliefgraph.errors import BeliefGraphError, LLMError
from beliefgraph.records import Record

__all__ = ["RetryPolicy", "read_retry_after"]


class RetryPolicy(Record):
    """Exponential back-off with jitter; a server that names a time is waited for.

    The wait before repetition n = 0, 1, ... is drawn evenly from the upper half of
    `min(first_delay * 2**n, max_delay)`, so that clients that failed together come back apart.
    """

    error: ClassVar[type[BeliefGraphError]] = LLMError

    max_retries: int = Field(default=5, ge=0)
    """Repetitions after the first attempt, where the server is busy, broken or silent."""
    max_bad_bodies: int = Field(default=2, ge=0)
    """Repetitions after an answer of status 200 that is no chat completion."""
    first_delay: float = Field(default=0.5, ge=0)
    """Seconds before the first repetition."""
    max_delay: float = Field(default=30.0, ge=0)
    """Longest wait in seconds that the back-off grows to."""
    max_retry_after: float = Field(default=120.0, ge=0)
    """Longest wait in seconds that a server may ask for (Retry-After); more is an error."""

    def delay(self, repetition: int, rng: random.Random) -> float:
        """Return the seconds to wait before a repetition, counted from 0."""
        longest = min(self.first_delay * 2.0 ** min(repetition, 60), self.max_delay)
        return longest * (0.5 + 0.5 * rng.random())


def read_retry_after(
    value: str | None, milliseconds: str | None = None, now: datetime | None = None
) -> float | None:
    """Read a Retry-After header: seconds or a date; None where there is none to be understood.

    >>> read_retry_after("2.5")
    2.5
    >>> read_retry_after(None, milliseconds="300")
    0.3
    >>> read_retry_after("soon") is None
    True
    """
    for text, scale in ((milliseconds, 1000.0), (value, 1.0)):
        try:
            seconds = float(text or "") / scale
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        when = parsedate_to_datetime(value or "")
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - (now or datetime.now(UTC))).total_seconds())
