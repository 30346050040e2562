"""Interview -> belief graph."""

from beliefgraph.extractors.extract import extract
from beliefgraph.extractors.reader import Context, Reader, TurnReadings
from beliefgraph.extractors.rules import RuleReader

__all__ = ["Context", "Reader", "RuleReader", "TurnReadings", "extract"]
