"""Language models behind one protocol: an endpoint, a cache before it, a script for tests."""

from beliefgraph.errors import LLMError
from beliefgraph.llm.cached import CachedChat
from beliefgraph.llm.chat import (
    ChatModel,
    ChatRequest,
    ChatResponse,
    Message,
    OutputMode,
    TokenLogprob,
)
from beliefgraph.llm.openai_chat import OpenAIChat
from beliefgraph.llm.parallel import Progress, complete_all, in_order
from beliefgraph.llm.retry import RetryPolicy
from beliefgraph.llm.scripted import ScriptedChat
from beliefgraph.llm.store import CacheWarning
from beliefgraph.llm.structured import parse_object, strict_schema
from beliefgraph.llm.usage import Prices, Usage, UsageMeter

__all__ = [
    "CacheWarning",
    "CachedChat",
    "ChatModel",
    "ChatRequest",
    "ChatResponse",
    "LLMError",
    "Message",
    "OpenAIChat",
    "OutputMode",
    "Prices",
    "Progress",
    "RetryPolicy",
    "ScriptedChat",
    "TokenLogprob",
    "Usage",
    "UsageMeter",
    "complete_all",
    "in_order",
    "parse_object",
    "strict_schema",
]
