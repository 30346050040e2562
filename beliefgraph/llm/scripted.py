"""A stand-in for a language model: answers by script, records what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import BaseModel

from beliefgraph.errors import LLMError
from beliefgraph.llm.chat import ChatRequest, ChatResponse

__all__ = ["ScriptedChat"]

Answer = str | dict[str, Any] | BaseModel | ChatResponse | Exception


class ScriptedChat:
    """Answers from a list, in the order of the calls, or by a function of the request.

    Parameters
    ----------
    answers
        Texts, objects (said as JSON), responses or errors (raised); or a function that makes one
        of these of a request. With several threads use a function: calls have no fixed order.
    model
        Name of the model.

    Examples
    --------
    >>> chat = ScriptedChat(["yes", {"answer": 7}])
    >>> [chat.complete(ChatRequest.of(text)).text for text in ("Really?", "How much?")]
    ['yes', '{"answer": 7}']
    >>> chat.requests[1].messages[0].content
    'How much?'
    """

    def __init__(
        self,
        answers: Iterable[Answer] | Callable[[ChatRequest], Answer],
        *,
        model: str = "scripted",
    ) -> None:
        self._lock = threading.Lock()
        self._answer = answers if callable(answers) else None
        self._answers = [] if callable(answers) else list(answers)
        self._model = model
        self.requests: list[ChatRequest] = []
        """What was asked, in the order of the calls."""

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._model

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer by the script.

        Raises
        ------
        LLMError
            The script is at its end, or says so.
        """
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
        if self._answer is not None:
            return self._respond(self._answer(request))
        if number >= len(self._answers):
            raise LLMError(
                f"the script of {self._model!r} has {len(self._answers)} answers and was asked "
                f"for number {number + 1}; give it more answers, or a function of the request"
            )
        return self._respond(self._answers[number])

    def _respond(self, answer: Answer) -> ChatResponse:
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, ChatResponse):
            return answer
        if isinstance(answer, BaseModel):
            text = answer.model_dump_json()
        else:
            text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return ChatResponse(text=text, model=self._model, finish_reason="stop")

    def __repr__(self) -> str:
        return f"<ScriptedChat {self._model!r}: {len(self.requests)} asked>"
