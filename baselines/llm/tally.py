"""What a predictor has done so far, counted by several threads."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from beliefgraph.llm import Usage

__all__ = ["Report", "Tally"]


@dataclass(frozen=True)
class Report:
    """What a predictor has done so far, in this process."""

    answers: int = 0
    """Items answered, readable or not."""
    unparsed: int = 0
    """Items whose answer could not be read."""
    usage: Usage = field(default_factory=Usage)
    """Calls, tokens and cost, the reflections of experts included."""

    @property
    def unparsed_rate(self) -> float:
        """Share of the answers that could not be read; NaN where there is none."""
        return self.unparsed / self.answers if self.answers else float("nan")


class Tally:
    """A report that several threads add to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.report = Report()

    def count(self, usage: Usage) -> None:
        """Count a response."""
        with self._lock:
            old = self.report
            self.report = Report(old.answers, old.unparsed, old.usage + usage)

    def answer(self, *, read: bool) -> None:
        """Count an item's answer."""
        with self._lock:
            old = self.report
            self.report = Report(old.answers + 1, old.unparsed + (not read), old.usage)
