"""Language models as predictors: what they are shown, how they are asked, how answers are read."""

from __future__ import annotations

from beliefgraph.baselines.llm.connect import llm_predictor, scripted_predictor
from beliefgraph.baselines.llm.estimate import Estimate, about_tokens, estimate_requests
from beliefgraph.baselines.llm.predictor import FewShotPredictor, LLMPredictor, samples
from beliefgraph.baselines.llm.strategies import STRATEGIES, Strategy, find_strategy
from beliefgraph.baselines.llm.tally import Report

__all__ = [
    "STRATEGIES",
    "Estimate",
    "FewShotPredictor",
    "LLMPredictor",
    "Report",
    "Strategy",
    "about_tokens",
    "estimate_requests",
    "find_strategy",
    "llm_predictor",
    "samples",
    "scripted_predictor",
]
