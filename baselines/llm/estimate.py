"""What a run will ask and about what it will cost, before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar, Final

from beliefgraph.baselines.llm.predictor import LLMPredictor
from beliefgraph.errors import BeliefGraphError, LLMError
from beliefgraph.llm import CachedChat, ChatRequest, Prices
from beliefgraph.records import Record
from beliefgraph.survey import Item, Person

__all__ = ["Estimate", "about_tokens", "estimate_requests"]

_CHARACTERS_A_TOKEN: Final = 4
_MESSAGE_TOKENS: Final = 4
"""What a chat template puts around a message."""
_PLAIN, _REASONED, _REFLECTION = 10, 200, 200
"""Usual tokens of an answer, of one with reasoning, and of a reflection."""


class Estimate(Record):
    """How much a run would ask; estimated, where the names do not say that it is a bound."""

    error: ClassVar[type[BeliefGraphError]] = LLMError

    items: int
    """Items that are asked about."""
    requests: int
    """Requests that differ; those that several items share count once."""
    from_cache: int
    """Of these, requests whose answers are in the cache and cost nothing."""
    prompt_tokens: int
    """Tokens of the prompts to be paid for."""
    completion_tokens: int
    """Usual tokens of the answers to be paid for."""
    most_completion_tokens: int
    """Bound of the same: every answer as long as it may be."""
    longest_prompt: int
    """Tokens of the longest prompt with its answer: what the model's context must hold."""
    cost: float | None
    """At the prices given, with usual answers; None without prices."""
    most_cost: float | None
    """The same with answers as long as they may be."""

    def __str__(self) -> str:
        parts = [
            f"{self.items} items, {self.requests} requests ({self.from_cache} in the cache)",
            f"about {self.prompt_tokens} + {self.completion_tokens} tokens "
            f"(at most {self.most_completion_tokens} of answers)",
            f"longest prompt and answer about {self.longest_prompt} tokens",
        ]
        if self.cost is not None:
            parts.append(f"cost about {self.cost:.2f}, at most {self.most_cost:.2f}")
        return "; ".join(parts)


def about_tokens(text: str) -> int:
    """Return about how many tokens an English text has: one for every four characters, rounded up.

    >>> about_tokens("How much would that change?")
    7
    """
    return -(-len(text) // _CHARACTERS_A_TOKEN)


def estimate_requests(
    asked: Iterable[tuple[LLMPredictor, Item, Person]],
    *,
    prices: Prices | None = None,
    count_tokens: Callable[[str], int] = about_tokens,
) -> Estimate:
    """Count what would be asked.

    Parameters
    ----------
    asked
        Every item with what may be known of its person, and the predictor that would answer it (one
        a fold where it is fitted).
    prices
        For the cost.
    count_tokens
        Counts the tokens of a text; a model's own tokenizer is exact, four characters a token are
        usual for English.
    """
    items = 0
    lengths: dict[str, tuple[int, int, int, bool]] = {}
    for predictor, item, person in asked:
        items += 1
        for request in predictor.requests(item, person):
            key = request.key(predictor.chat.model)
            if key not in lengths:
                chat = predictor.chat
                known = isinstance(chat, CachedChat) and chat.has(request)
                lengths[key] = (*_lengths(request, count_tokens), known)
    paid = [each for each in lengths.values() if not each[3]]
    prompt, usual, most = (sum(each[n] for each in paid) for n in range(3))
    return Estimate(
        items=items,
        requests=len(lengths),
        from_cache=len(lengths) - len(paid),
        prompt_tokens=prompt,
        completion_tokens=usual,
        most_completion_tokens=most,
        longest_prompt=max((each[0] + each[2] for each in lengths.values()), default=0),
        cost=None if prices is None else prices.cost(prompt, usual),
        most_cost=None if prices is None else prices.cost(prompt, most),
    )


def _lengths(request: ChatRequest, count: Callable[[str], int]) -> tuple[int, int, int]:
    """Return tokens of the prompt, usual and most tokens of the answer."""
    prompt = sum(count(message.content) + _MESSAGE_TOKENS for message in request.messages)
    most = request.max_tokens or 0
    schema = request.json_schema
    if schema is None:
        usual = _REFLECTION
    else:
        usual = _REASONED if "reasoning" in schema["properties"] else _PLAIN
    return prompt, min(usual, most), most
