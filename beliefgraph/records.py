"""The base of every record that crosses a file: frozen, strict, and with errors of our own kind."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from beliefgraph.errors import BeliefGraphError, GraphError

__all__ = ["Record", "describe_validation"]


class Record(BaseModel):
    """A frozen pydantic model that raises `error` (a `BeliefGraphError`) where a rule is broken."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )
    error: ClassVar[type[BeliefGraphError]] = GraphError

    def __init__(self, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as problem:
            own = _own_error(problem)
            if own is not None:
                raise own from None
            raise self.error(describe_validation(type(self).__name__, problem)) from None

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed, validated like a new record."""
        return type(self)(**{**dict(self), **changes})


def describe_validation(what: str, problem: ValidationError) -> str:
    """Say in one line per broken rule what, where, the rule and the value got."""
    lines = []
    for error in problem.errors(include_url=False):
        where = ".".join(str(part) for part in error["loc"]) or what
        value = repr(error["input"])
        shown = value if len(value) <= 80 else value[:77] + "..."
        lines.append(f"{where}: {error['msg']} (got {shown})")
    return f"{what} is not valid: " + "; ".join(lines)


def _own_error(problem: ValidationError) -> BeliefGraphError | None:
    """Find the library's own error inside a pydantic one, so that its kind is not lost."""
    for error in problem.errors(include_url=False):
        cause = error.get("ctx", {}).get("error")
        if isinstance(cause, BeliefGraphError):
            return cause
    return None
