"""Items of the benchmark: read, written, and made of a study of your own."""

from __future__ import annotations

from beliefgraph.benchmark.items.build import build_items
from beliefgraph.benchmark.items.signs import SignAnswer, read_signs
from beliefgraph.benchmark.items.tables import read_demographics, read_responses
from beliefgraph.benchmark.items.without_interviews import table_items
from beliefgraph.survey.hugagent import read_items, write_items

__all__ = [
    "SignAnswer",
    "build_items",
    "read_demographics",
    "read_items",
    "read_responses",
    "read_signs",
    "table_items",
    "write_items",
]
