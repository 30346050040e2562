"""Items, metrics, controls, and people whose truth is known."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beliefgraph.benchmark.items import build_items, read_items, write_items

__all__ = ["build_items", "read_items", "write_items"]

_HOMES = {
    "build_items": "beliefgraph.benchmark.items",
    "read_items": "beliefgraph.benchmark.items",
    "write_items": "beliefgraph.benchmark.items",
}
"""Where each name stands; imported when first asked for."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'beliefgraph.benchmark' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
