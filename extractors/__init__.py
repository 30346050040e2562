"""Interview -> belief graph."""

if __name__ != "beliefgraph.extractors":
    raise ImportError(
        f"this package is beliefgraph.extractors and was imported as {__name__!r}: a second copy "
        "would not know the first one's classes. Import beliefgraph.extractors, and leave the "
        "repository's root out of sys.path"
    )

from beliefgraph.extractors.extract import extract
from beliefgraph.extractors.llm_reader import LLMReader, llm_reader
from beliefgraph.extractors.llm_turn import ReaderReport
from beliefgraph.extractors.reader import Context, Reader, TurnReadings
from beliefgraph.extractors.rules import RuleReader

__all__ = [
    "Context",
    "LLMReader",
    "Reader",
    "ReaderReport",
    "RuleReader",
    "TurnReadings",
    "extract",
    "llm_reader",
]
