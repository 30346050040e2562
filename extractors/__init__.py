"""Interview -> belief graph."""

if __name__ != "beliefgraph.extractors":
    raise ImportError(
        f"this package is beliefgraph.extractors and was imported as {__name__!r}: a second copy "
        "would not know the first one's classes. Import beliefgraph.extractors, and leave the "
        "repository's root out of sys.path"
    )

from beliefgraph.extractors.assemble import unmerge
from beliefgraph.extractors.evaluation import evaluate_extraction, read_sign_items
from beliefgraph.extractors.extract import extract
from beliefgraph.extractors.llm_reader import LLMReader, llm_reader
from beliefgraph.extractors.llm_turn import ReaderReport
from beliefgraph.extractors.pair import judge_pair, read_pair
from beliefgraph.extractors.quality import QualityReport, quality_report
from beliefgraph.extractors.quality_flow import FlowTable, quality_flow
from beliefgraph.extractors.reader import Context, Reader, TurnReadings
from beliefgraph.extractors.rules import RuleReader

__all__ = [
    "Context",
    "FlowTable",
    "LLMReader",
    "QualityReport",
    "Reader",
    "ReaderReport",
    "RuleReader",
    "TurnReadings",
    "evaluate_extraction",
    "extract",
    "judge_pair",
    "llm_reader",
    "quality_flow",
    "quality_report",
    "read_pair",
    "read_sign_items",
    "unmerge",
]
