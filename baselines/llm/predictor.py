"""A language model that answers items, by one of several strategies.

One policy holds for an answer that cannot be read: the prediction is `could_not`, with the reason,
and the metrics count it as wrong with the greatest error. A server that gives no answer at all is
something else: it raises, what is answered stays in journal and cache, and a rerun goes on there.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, Self

from beliefgraph.baselines.llm.answers import Reading, read_response
from beliefgraph.baselines.llm.composer import Composer, Written
from beliefgraph.baselines.llm.graphs import GraphReader, Graphs
from beliefgraph.baselines.llm.logprobs import option_distribution
from beliefgraph.baselines.llm.once import Once
from beliefgraph.baselines.llm.options import answer_schema, options_of
from beliefgraph.baselines.llm.prompts import Prompts
from beliefgraph.baselines.llm.retrieval import Similarity, TfIdf, Vectors
from beliefgraph.baselines.llm.strategies import Strategy, find_strategy
from beliefgraph.baselines.llm.tally import Report, Tally
from beliefgraph.errors import SurveyError
from beliefgraph.llm import ChatModel, ChatRequest, ChatResponse, Usage
from beliefgraph.survey import Item, Person, Prediction

__all__ = ["FewShotPredictor", "LLMPredictor", "samples"]

_LONGEST_ANSWER: Final = 256
_LONGEST_REASONED: Final = 1024
LONGEST_REFLECTION: Final = 400
"""Most tokens of an expert's reflection."""
_SAID: Final = 400
"""Characters of an answer that a run keeps."""


class LLMPredictor:
    """Asks a language model how the person would answer.

    Parameters
    ----------
    chat
        The model: an `OpenAIChat`, a `CachedChat` before one, a `ScriptedChat`.
    strategy
        Name of a strategy (`STRATEGIES`), `+cot` behind it for reasoning before the answer; or a
        `Strategy` of your own.
    template_dir
        Folder of templates that stand in for the package's of the same name.
    temperature, top_p, seed, max_tokens
        Of every request. `max_tokens` is 256 by default, 1024 with reasoning.
    top_logprobs
        Likeliest tokens whose probabilities are asked for, to make the distribution of; None asks
        for none, as is done with reasoning.
    top
        Turns that are retrieved.
    similarity
        What retrieves them; by default TF-IDF, or sentence vectors where the strategy says so.
    read_graph
        Makes the belief graph of an interview; `beliefgraph.extract` by default.
    examples
        Most examples of other people.
    name
        What reports call it; by default `llm-STRATEGY:MODEL`.

    Raises
    ------
    SurveyError
        The strategy is not known or needs a `FewShotPredictor`; a number is out of its range.
    LLMError
        A template is not as it must be.
    MissingPackageError
        Sentence vectors are asked for and `sentence-transformers` is not installed.

    Examples
    --------
    >>> from beliefgraph.llm import ScriptedChat
    >>> LLMPredictor(ScriptedChat([], model="m"), strategy="rag+cot").name
    'llm-rag+cot:m'
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        strategy: str | Strategy = "interview",
        template_dir: str | Path | None = None,
        temperature: float | None = 0.0,
        top_p: float | None = None,
        seed: int | None = 0,
        max_tokens: int | None = None,
        top_logprobs: int | None = 20,
        top: int = 5,
        similarity: Similarity | None = None,
        read_graph: GraphReader | None = None,
        examples: int = 5,
        name: str | None = None,
    ) -> None:
        chosen = find_strategy(strategy) if isinstance(strategy, str) else strategy
        self._check_strategy(chosen)
        for argument, value in (("top", top), ("examples", examples)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise SurveyError(f"{argument} must be a whole number of at least 1, got {value!r}")
        self.chat = chat
        self.strategy = chosen
        self._own_name = name
        prompts = Prompts(chosen, template_dir)
        self._composer = Composer(
            prompts=prompts,
            similarity=similarity or (_vectors() if chosen.vectors else TfIdf()),
            top=top,
            examples=examples,
            seed=seed or 0,
            graphs=Graphs(read_graph),
        )
        longest = _LONGEST_REASONED if chosen.chain_of_thought else _LONGEST_ANSWER
        self._sampling = {"temperature": temperature, "top_p": top_p, "seed": seed}
        self._max_tokens = longest if max_tokens is None else max_tokens
        self._top_logprobs = None if chosen.chain_of_thought else top_logprobs
        self._people: tuple[Person, ...] = ()
        self._reflections: Once[ChatResponse] = Once()
        self._tally = Tally()
        self._role = self._composer.role
        self._graph_by = "extract" if read_graph is None else "a reader that was given"
        self.settings = self._describe()
        """Everything that shapes the answers; every run holds it."""

    def _check_strategy(self, strategy: Strategy) -> None:
        if strategy.learns:
            raise SurveyError(
                f"strategy {strategy.name!r} shows other people's answers: make a "
                "FewShotPredictor, or let llm_predictor choose"
            )

    def _describe(self) -> dict[str, Any]:
        composer, strategy = self._composer, self.strategy
        settings: dict[str, Any] = {
            "model": self.chat.model,
            "url": getattr(self.chat, "url", None),
            "strategy": strategy.name,
            "parts": list(strategy.parts),
            "chain_of_thought": strategy.chain_of_thought,
            "templates_replaced": list(composer.prompts.replaced),
            **self._sampling,
            "max_tokens": self._max_tokens,
            "top_logprobs": self._top_logprobs,
            "options": "one letter each",
        }
        if "excerpts" in strategy.parts:
            settings |= {"top": composer.top, "similarity": composer.similarity.name}
        if strategy.learns:
            settings |= {"examples": composer.examples, "profiles_only": strategy.profiles}
        if "graph" in strategy.parts:
            settings["graph_by"] = self._graph_by
        sampled = self._sampling["temperature"] != 0
        settings["note"] = "one sample an item" + (
            "" if sampled else "; at temperature 0 another seed is no further sample"
        )
        shaping = {k: v for k, v in settings.items() if k not in ("url", "note")}
        return settings | {"prompt_hash": composer.prompts.digest(shaping)}

    @property
    def name(self) -> str:
        """What reports call it: strategy and model."""
        if self._own_name is not None:
            return self._own_name
        full = self.strategy.full_name
        kind = full.removeprefix("interview") if full.startswith("interview") else f"-{full}"
        return f"llm{kind}:{self.chat.model}"

    @property
    def report(self) -> Report:
        """What was asked so far, and how many answers could not be read."""
        return self._tally.report

    def with_seed(self, seed: int) -> Self:
        """Return the same predictor with another seed, for another sample; counts start anew."""
        other = copy.copy(self)
        other._sampling = {**self._sampling, "seed": seed}
        other._composer = replace(self._composer, seed=seed)
        other._reflections, other._tally = Once(), Tally()
        other.settings = other._describe()
        return other

    def requests(self, item: Item, person: Person) -> tuple[ChatRequest, ...]:
        """Return what would be asked for an item, the experts' reflections first.

        Where there are reflections, the last request holds a text of their greatest length in their
        place, since they are not written yet.
        """
        return self._all_requests(
            item, person, "(not yet written) " * (4 * LONGEST_REFLECTION // 18)
        )

    def show(self, item: Item, person: Person) -> str:
        """Return the prompts of an item as text, for a dry run."""
        return "\n\n".join(
            f"=== {message.role} ===\n{message.content}"
            for request in self._all_requests(item, person, "(not yet written)")
            for message in request.messages
        )

    def predict(self, item: Item, person: Person) -> Prediction:
        """Ask the model, and read its answer.

        Raises
        ------
        LLMError
            The server gave no answer, after all attempts.
        """
        responses: list[ChatResponse] = []
        texts = []
        for request in self._reflection_requests(item, person):
            key = request.key(self.chat.model)
            made, fresh = self._reflections.get(key, partial(self._ask, request))
            texts.append(made.text.strip() or "(This expert wrote nothing.)")
            responses += [made] if fresh else []
        written = self._write(item, person, texts)
        request = self._request(item, written)
        response = self._ask(request)
        options = options_of(item.question)
        reading = read_response(response, options, reasoned=self.strategy.chain_of_thought)
        self._tally.answer(read=reading.point is not None)
        found = option_distribution(response.logprobs, options)
        details = {
            "prompt": request.key(self.chat.model)[:12],
            "said": response.text[:_SAID],
            "finish_reason": response.finish_reason,
            "mode": response.mode,
            "dropped": list(response.dropped),
            **_spent([*responses, response]),
            **({} if found is None else {"option_mass": found[1]}),
            **written.kept,
        }
        return _prediction(reading, found and found[0], details)

    def _all_requests(self, item: Item, person: Person, unwritten: str) -> tuple[ChatRequest, ...]:
        first = self._reflection_requests(item, person)
        written = self._write(item, person, [unwritten] * len(first))
        return (*first, self._request(item, written))

    def _ask(self, request: ChatRequest) -> ChatResponse:
        response = self.chat.complete(request)
        self._tally.count(Usage.of(response))
        return response

    def _write(self, item: Item, person: Person, reflections: Sequence[str]) -> Written:
        return self._composer.write(item, person, people=self._people, reflections=reflections)

    def _request(self, item: Item, written: Written) -> ChatRequest:
        options = options_of(item.question)
        return ChatRequest.of(
            written.user,
            system=self._role,
            max_tokens=self._max_tokens,
            json_schema=answer_schema(options, reasoned=self.strategy.chain_of_thought),
            top_logprobs=self._top_logprobs,
            **self._sampling,
        )

    def _reflection_requests(self, item: Item, person: Person) -> tuple[ChatRequest, ...]:
        return tuple(
            ChatRequest.of(text, system=self._role, max_tokens=LONGEST_REFLECTION, **self._sampling)
            for text in self._composer.reflecting(item, person)
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}, prompt {self.settings['prompt_hash']}>"


class FewShotPredictor(LLMPredictor):
    """A language model that is also shown other people's answers, where the protocol allows it.

    Until it is fitted it knows nobody's answers and predicts nothing; nothing is asked then. The
    arguments are those of `LLMPredictor`; the strategy is "few-shot" by default.
    """

    def __init__(
        self, chat: ChatModel, *, strategy: str | Strategy = "few-shot", **options: Any
    ) -> None:
        super().__init__(chat, strategy=strategy, **options)

    def _check_strategy(self, strategy: Strategy) -> None:
        if not strategy.learns:
            raise SurveyError(
                f"strategy {strategy.name!r} shows no other people's answers: make an LLMPredictor"
            )

    def fit(self, people: Sequence[Person]) -> FewShotPredictor:
        """Return a predictor that may show these people's answers; itself it does not change."""
        fitted = copy.copy(self)
        fitted._people = tuple(people)
        return fitted

    def predict(self, item: Item, person: Person) -> Prediction:
        """Ask the model, with examples of other people.

        Raises
        ------
        LLMError
            The server gave no answer, after all attempts.
        """
        if not any(other.participant != item.participant for other in self._people):
            return Prediction(
                could_not="nobody else's answers are known: few-shot needs a protocol that gives "
                "them, such as population-informed"
            )
        return super().predict(item, person)


def samples(predictor: LLMPredictor, seeds: Iterable[int]) -> tuple[LLMPredictor, ...]:
    """Return one predictor a seed, for several samples of the same predictor.

    Raises
    ------
    SurveyError
        A seed comes twice, or the temperature is 0, where every sample is the same one.

    Examples
    --------
    >>> from beliefgraph.llm import ScriptedChat
    >>> warm = LLMPredictor(ScriptedChat([]), temperature=0.7)
    >>> [each.settings["seed"] for each in samples(warm, range(3))]
    [0, 1, 2]
    """
    chosen = list(seeds)
    if len(set(chosen)) < len(chosen):
        raise SurveyError(f"seeds must differ: the same seed is the same sample, got {chosen}")
    if len(chosen) > 1 and predictor.settings["temperature"] == 0:
        raise SurveyError(
            f"{len(chosen)} seeds at temperature 0 are one sample {len(chosen)} times; set a "
            "temperature above 0, or run once"
        )
    return tuple(predictor.with_seed(seed) for seed in chosen)


def _prediction(
    reading: Reading, distribution: tuple[float, ...] | None, details: dict[str, Any]
) -> Prediction:
    if reading.point is None:
        return Prediction(
            could_not=f"the answer cannot be read: {reading.problem}", details=details
        )
    return Prediction(
        value=reading.point,
        distribution=distribution,
        explanation=reading.reasoning,
        details=details,
    )


def _spent(responses: Sequence[ChatResponse]) -> dict[str, Any]:
    """Sum what answers took when they were paid; a count that no server gave is None."""

    def total(name: str) -> Any:
        values = [getattr(response, name) for response in responses]
        return None if None in values else sum(values)

    return {
        "calls": len(responses),
        "from_cache": sum(response.cached for response in responses),
        "prompt_tokens": total("prompt_tokens"),
        "completion_tokens": total("completion_tokens"),
        "cost": total("cost"),
    }


def _vectors() -> Vectors:
    from beliefgraph.text import load_encoder

    return Vectors(load_encoder())
