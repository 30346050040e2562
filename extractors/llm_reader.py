"""A language model as reader: it says what a turn says, and every quote of it is checked.

The model is asked for one turn, or a window of turns, at a time; what it answers must fit a schema
and is sent back once where it does not. A quote must stand in the answer of its turn, or the
statement is rejected and counted. What happens afterwards (concepts, influences, loops) is the same
as for the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from beliefgraph.errors import LLMError
from beliefgraph.extractors.llm_output import (
    SCHEMA,
    Checked,
    TurnSaid,
    check_output,
)
from beliefgraph.extractors.llm_prompt import Prompt, PromptTurn
from beliefgraph.extractors.llm_turn import ReaderReport, SaidTurn
from beliefgraph.extractors.reader import Context, TurnReadings
from beliefgraph.llm import (
    CachedChat,
    ChatModel,
    ChatRequest,
    ChatResponse,
    Message,
    OpenAIChat,
    Prices,
    Progress,
    Usage,
    in_order,
)
from beliefgraph.transcript import Turn

__all__ = ["LLMReader", "ReaderReport", "llm_reader"]

_TOKENS_FOR_A_TURN = 1500


@dataclass(frozen=True)
class _Task:
    """Turns that are asked about together."""

    places: tuple[int, ...]
    request: ChatRequest


@dataclass
class _Outcome:
    """What came of one task."""

    said: dict[int, TurnSaid] = field(default_factory=dict)
    problems: dict[int, str] = field(default_factory=dict)
    repaired: bool = False
    usage: Usage = field(default_factory=Usage)


class LLMReader:
    """Reads turns with a language model; give it to `extract(t, reader=...)`.

    Parameters
    ----------
    chat
        The model: an `OpenAIChat`, a `CachedChat` before one, a `ScriptedChat`.
    window
        Turns read by one call. 1 is the most careful; more is cheaper.
    history
        Turns before the window that the model is shown, so that it can follow "same as before".
    prompt
        A template of your own (see `llm_reader.jinja` in this package).
    temperature, seed, max_tokens
        Of every request; `max_tokens` is 1500 for each turn of the window where it is not given.
    max_concurrency
        Calls under way at once.
    progress
        True for a bar on stderr, or a function of the number done and the number of all.

    Raises
    ------
    LLMError
        An argument or the template is not as it must be.

    Examples
    --------
    >>> import beliefgraph as bg
    >>> from beliefgraph.llm import ScriptedChat
    >>> said = {"source": "rents", "target": "Support for homes", "kind": "negative", "sign": -1,
    ...         "strength": None, "confidence": 0.9, "quote": "Rents put me off", "note": ""}
    >>> chat = ScriptedChat([{"turns": [{"turn": 1, "statements": [said], "stance": None}]}])
    >>> t = bg.Transcript.from_pairs([("Do you support homes?", "Rents put me off.")])
    >>> bg.extract(t, reader=LLMReader(chat), stance="Support for homes")
    <BeliefGraph: 2 concepts, 1 influences, stance 'Support for homes'>
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        window: int = 1,
        history: int = 4,
        prompt: str | Path | None = None,
        temperature: float | None = 0.0,
        seed: int | None = None,
        max_tokens: int | None = None,
        max_concurrency: int = 4,
        progress: Progress = False,
    ) -> None:
        for name, value, least in (("window", window, 1), ("history", history, 0)):
            if not isinstance(value, int) or value < least:
                raise LLMError(f"{name} must be a whole number of at least {least} (got {value!r})")
        self.chat = chat
        self._window, self._history = window, history
        self._prompt = Prompt(prompt)
        self.name = f"llm {chat.model}, prompt {self._prompt.hash}"
        """Model and prompt; written into every piece of evidence."""
        self._settings = {
            "temperature": temperature,
            "seed": seed,
            "max_tokens": max_tokens or _TOKENS_FOR_A_TURN * window,
            "json_schema": SCHEMA,
        }
        self._max_concurrency, self._progress = max_concurrency, progress
        self._report = ReaderReport()

    @property
    def report(self) -> ReaderReport:
        """What this reader has done so far."""
        return self._report

    def read(self, turns: Sequence[Turn], context: Context) -> list[TurnReadings]:
        """Read every turn, in order; `context.questions[i]` belongs to `turns[i]`.

        Raises
        ------
        LLMError
            The model gave no usable answer. Put a `CachedChat` before it, and the next run goes on
            where this one stopped.
        """
        outcomes = in_order(
            self._ask,
            self._tasks(turns, context),
            max_concurrency=self._max_concurrency,
            progress=self._progress,
            label="Reading turns",
        )
        said = {place: item for outcome in outcomes for place, item in outcome.said.items()}
        problems = {place: why for outcome in outcomes for place, why in outcome.problems.items()}
        report = ReaderReport(turns=len(said) + len(problems), unread_turns=len(problems))
        for outcome in outcomes:
            report += ReaderReport(repaired=int(outcome.repaired), usage=outcome.usage)
        read = []
        for place, (turn, question) in enumerate(zip(turns, context.questions, strict=True)):
            own = SaidTurn(self.name, turn, question, context.stance)
            if place in said:
                read.append(own.read(said[place]))
            elif place in problems:
                read.append(
                    own.only("nothing", f"the model's answer is no reading: {problems[place]}")
                )
            elif turn.role == "tutorial":
                read.append(own.only("nothing", "a tutorial turn of the interviewing system"))
            else:
                read.append(own.only("off_topic", "nothing said"))
            report += own.report
        self._report += report
        return read

    def _tasks(self, turns: Sequence[Turn], context: Context) -> list[_Task]:
        places = [place for place, turn in enumerate(turns) if _is_read(turn)]
        shown = [PromptTurn(n + 1, turn.question, turn.answer) for n, turn in enumerate(turns)]
        system = self._prompt.system(context.stance, context.topic)
        tasks = []
        for first in range(0, len(places), self._window):
            own = places[first : first + self._window]
            before = places[max(0, first - self._history) : first]
            user = self._prompt.user(
                context.stance, context.topic, [shown[p] for p in before], [shown[p] for p in own]
            )
            request = ChatRequest.of(user, system=system, **self._settings)
            tasks.append(_Task(tuple(own), request))
        return tasks

    def _ask(self, task: _Task) -> _Outcome:
        """Ask about a window, and once more where the answer breaks the rules."""
        numbers = [place + 1 for place in task.places]
        response = self.chat.complete(task.request)
        usage = Usage.of(response)
        checked = check_output(response, numbers)
        repaired = bool(checked.problems)
        if repaired:
            second = self.chat.complete(self._repair_request(task.request, response, checked))
            usage += Usage.of(second)
            again = check_output(second, numbers)
            for number in list(checked.problems):
                if number in again.turns:
                    checked.turns[number] = again.turns[number]
                    del checked.problems[number]
                else:
                    checked.problems[number] = again.problems[number]
        return _Outcome(
            {number - 1: item for number, item in checked.turns.items()},
            {number - 1: problem for number, problem in checked.problems.items()},
            repaired,
            usage,
        )

    def _repair_request(
        self, request: ChatRequest, response: ChatResponse, checked: Checked
    ) -> ChatRequest:
        problems = list(dict.fromkeys(checked.problems.values()))
        said = response.text or response.refusal or "(nothing)"
        return request.replace(
            messages=(
                *request.messages,
                Message(role="assistant", content=said),
                Message(role="user", content=self._prompt.repair(problems)),
            )
        )

    def __repr__(self) -> str:
        return f"<LLMReader {self.name!r}, window {self._window}>"


def _is_read(turn: Turn) -> bool:
    return turn.role == "interview" and any(character.isalnum() for character in turn.answer)


def llm_reader(
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    model: str | None = None,
    cache: str | Path | None = None,
    prices: Prices | None = None,
    timeout: float = 120.0,
    window: int = 1,
    history: int = 4,
    prompt: str | Path | None = None,
    max_concurrency: int = 4,
    progress: Progress = False,
) -> LLMReader:
    """Make a reader of an OpenAI-compatible endpoint: hosted, vLLM, Ollama, llama.cpp.

    Parameters
    ----------
    base_url, api_key, model
        OPENAI_BASE_URL, OPENAI_API_KEY and BELIEFGRAPH_MODEL where they are not given.
    cache
        SQLite file for the answers, so that an interrupted run goes on without paying twice. It
        holds quotes from the interviews; keep it where they may be kept.
    prices
        For the cost in the report.
    timeout
        Seconds without a sign of the server after which an attempt counts as failed.
    window, history, prompt, max_concurrency, progress
        See `LLMReader`.

    Raises
    ------
    LLMError
        No model is named, or an argument is not as it must be.
    MissingPackageError
        The extra `llm` is not installed.

    Examples
    --------
    >>> llm_reader(base_url="http://localhost:11434/v1", model="llama3.1").name[:12]
    'llm llama3.1'
    """
    chat: ChatModel = OpenAIChat(
        base_url=base_url, api_key=api_key, model=model, timeout=timeout, prices=prices
    )
    if cache is not None:
        chat = CachedChat(chat, cache)
    return LLMReader(
        chat,
        window=window,
        history=history,
        prompt=prompt,
        max_concurrency=max_concurrency,
        progress=progress,
    )
