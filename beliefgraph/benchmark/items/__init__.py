"""Items of the benchmark: read, written, and made of a study of your own."""

from __future__ import annotations

from beliefgraph.survey.hugagent import read_items, write_items

__all__ = ["read_items", "write_items"]
