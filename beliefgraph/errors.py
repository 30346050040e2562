"""The errors a user meets: each says what, where, the rule, the value got and the way to fix it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "BeliefGraphError",
    "CycleError",
    "GraphError",
    "InterventionError",
    "LLMError",
    "MissingPackageError",
    "SchemaVersionError",
    "StanceError",
    "SurveyError",
    "TranscriptError",
    "UnknownConceptError",
    "suggestions",
]


class BeliefGraphError(Exception):
    """Base of every error that beliefgraph raises on purpose."""


class TranscriptError(BeliefGraphError, ValueError):
    """A file or value cannot be read as an interview."""


class GraphError(BeliefGraphError, ValueError):
    """A belief graph would break one of its rules."""


class SchemaVersionError(GraphError):
    """A saved file has a schema version that this package does not know."""


class CycleError(GraphError):
    """Influences form a loop where none is allowed."""

    def __init__(self, cycle: Iterable[str], hint: str) -> None:
        self.cycle = tuple(cycle)
        loop = " -> ".join((*self.cycle, self.cycle[0]))
        super().__init__(f"the influences form a loop: {loop}. {hint}")


class StanceError(GraphError):
    """No stance is named by an interview, or nothing reaches it."""


class SurveyError(BeliefGraphError, ValueError):
    """A survey, an item, a response or a prediction breaks a rule."""


class InterventionError(BeliefGraphError, ValueError):
    """An intervention or an option of a simulation is not allowed."""


class UnknownConceptError(BeliefGraphError, KeyError):
    """A name is not one of the graph's concepts."""

    def __init__(self, name: str, known: Iterable[str], where: str) -> None:
        self.name = name
        self.known = tuple(known)
        super().__init__(f"{where}: no concept is called {name!r}. {suggestions(name, self.known)}")

    def __str__(self) -> str:  # KeyError would print the repr of the message
        return str(self.args[0])


class MissingPackageError(BeliefGraphError, ImportError):
    """An optional package is needed and not installed."""

    def __init__(self, package: str, purpose: str, command: str) -> None:
        super().__init__(f"{purpose} needs {package}, which is not installed. Run: {command}")


class LLMError(BeliefGraphError, RuntimeError):
    """A language model gave no usable answer; says where, what came back and what to do."""

    def __init__(self, message: str, *, url: str | None = None, status: int | None = None) -> None:
        self.url = url
        self.status = status
        super().__init__(message)


def suggestions(name: str, known: Iterable[str], n: int = 3) -> str:
    """Say which of the known names come nearest to a name that is not among them.

    >>> suggestions("housing cost", ["housing costs", "rents"])
    "Did you mean 'housing costs'? Known: 'housing costs', 'rents'."
    >>> suggestions("x", [])
    'There are none.'
    """
    names = list(known)
    if not names:
        return "There are none."
    folded = {other.casefold(): other for other in reversed(names)}
    near = [folded[key] for key in difflib.get_close_matches(name.casefold(), folded, n=n)]
    shown = ", ".join(repr(other) for other in names[:20])
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    start = f"Did you mean {' or '.join(repr(other) for other in near)}? " if near else ""
    return f"{start}Known: {shown}{more}."
