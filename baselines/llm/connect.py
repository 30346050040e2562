"""Predictors made of an address, and a stand-in that needs no model."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from beliefgraph.baselines.llm.predictor import FewShotPredictor, LLMPredictor
from beliefgraph.baselines.llm.strategies import Strategy, find_strategy
from beliefgraph.llm import (
    CachedChat,
    ChatModel,
    ChatRequest,
    OpenAIChat,
    Prices,
    RetryPolicy,
    ScriptedChat,
)

__all__ = ["llm_predictor", "scripted_predictor"]


def llm_predictor(
    chat: ChatModel | None = None,
    *,
    strategy: str | Strategy = "interview",
    base_url: str | None = None,
    api_key: str | None = None,
    model: str | None = None,
    cache: str | Path | None = None,
    prices: Prices | None = None,
    timeout: float = 120.0,
    retry: RetryPolicy | None = None,
    **options: Any,
) -> LLMPredictor:
    """Make the predictor of a model behind an OpenAI-compatible endpoint.

    Parameters
    ----------
    chat
        A model that is there already, in place of an address.
    strategy
        See `STRATEGIES`.
    base_url, api_key, model
        OPENAI_BASE_URL, OPENAI_API_KEY and BELIEFGRAPH_MODEL where they are not given.
    cache
        SQLite file for the answers, so that a stopped run goes on without paying twice. It holds
        what models say of the interviews; keep it where those may be kept.
    prices
        For the cost of every prediction.
    timeout
        Seconds without a sign of the server after which an attempt counts as failed.
    retry
        When and how often to ask again.
    **options
        See `LLMPredictor`.

    Raises
    ------
    SurveyError
        The strategy is not known, or an option is not as it must be.
    LLMError
        No model is named, or an argument is not as it must be.
    MissingPackageError
        The extra `llm` is not installed.

    Examples
    --------
    >>> llm_predictor(base_url="http://localhost:8080/v1", model="tiny", strategy="graph").name
    'llm-graph:tiny'
    """
    chosen = find_strategy(strategy) if isinstance(strategy, str) else strategy
    if chat is None:
        chat = OpenAIChat(
            base_url=base_url,
            api_key=api_key,
            model=model,
            timeout=timeout,
            retry=retry,
            prices=prices,
        )
    if cache is not None:
        chat = CachedChat(chat, cache)
    kind = FewShotPredictor if chosen.learns else LLMPredictor
    return kind(chat, strategy=chosen, **options)


def scripted_predictor(
    strategy: str | Strategy = "interview", *, name: str | None = None, **options: Any
) -> LLMPredictor:
    """Make a predictor that goes through all of a strategy without a model, for tests and trials.

    Its answers depend on the prompt by a hash and mean nothing.

    Examples
    --------
    >>> scripted_predictor("rag").name
    'llm-rag:scripted'
    """
    return llm_predictor(ScriptedChat(_by_hash), strategy=strategy, name=name, **options)


def _by_hash(request: ChatRequest) -> str | dict[str, Any]:
    """Answer with the option that a hash of the prompt and the seed picks."""
    if request.json_schema is None:
        return "Nothing can be said of the person."
    letters = request.json_schema["properties"]["answer"]["enum"]
    digest = hashlib.sha256(request.key("").encode()).digest()
    answer = {"answer": letters[digest[0] % len(letters)]}
    if "reasoning" in request.json_schema["properties"]:
        return {"reasoning": "By a hash of the prompt.", **answer}
    return answer
