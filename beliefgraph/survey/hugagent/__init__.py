"""HugAgent items as files: data-v1.0 JSON lines, its parquet form, the older pretty-printed one."""

from __future__ import annotations

from beliefgraph.survey.hugagent.reading import read_items
from beliefgraph.survey.hugagent.writing import write_items

__all__ = ["read_items", "write_items"]
