"""A client for any OpenAI-compatible chat endpoint: hosted, vLLM, Ollama, llama.cpp.

What a server does not take is learned from its refusals (see `bodies.Dialect`): a JSON schema falls
back to JSON mode and then to words, unknown settings are left out and named in the response.
"""

from __future__ import annotations

import json
import random
import threading
from dataclasses import dataclass
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Self

from beliefgraph.errors import LLMError, MissingPackageError
from beliefgraph.llm.bodies import (
    BadBodyError,
    Dialect,
    read_body,
    read_error,
    read_response,
    request_body,
)
from beliefgraph.llm.chat import ChatRequest, ChatResponse
from beliefgraph.llm.endpoint import Endpoint
from beliefgraph.llm.parallel import pause
from beliefgraph.llm.retry import RetryPolicy, read_retry_after
from beliefgraph.llm.usage import Prices, Usage, UsageMeter

if TYPE_CHECKING:
    import httpx2

__all__ = ["OpenAIChat"]

_AGAIN = frozenset({408, 409, 425, 429})
_NOT_AGAIN = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_ADVICE = {
    401: "the key is missing or wrong: set OPENAI_API_KEY or give api_key=",
    402: "the account has no credit left",
    403: "the key may not use this model",
    404: "check the base URL (most end in /v1) and the name of the model",
    408: "the server gave up waiting: fewer calls at once (max_concurrency=) may help",
    413: "the request is too long: a smaller window, or a model with a longer context",
    429: "the limit is reached: lower max_concurrency=, wait, or check the account's quota",
}


@dataclass(frozen=True)
class _Failure:
    """One attempt that gave no answer."""

    what: str
    advice: str
    status: int | None = None
    again: bool = False
    after: float | None = None
    bad_body: bool = False


class OpenAIChat:
    """A model behind an OpenAI-compatible chat endpoint.

    Parameters
    ----------
    base_url
        Up to and with `/v1`; OPENAI_BASE_URL, or OpenAI's own, where it is not given.
    api_key
        OPENAI_API_KEY where it is not given; local servers need none.
    model
        BELIEFGRAPH_MODEL where it is not given.
    timeout
        Seconds without a sign of the server after which an attempt counts as failed.
    retry
        When and how often to ask again.
    prices
        For the cost in `usage` and in every response.
    seed
        Of the jitter in the waits.

    Raises
    ------
    LLMError
        No model is named, or the URL or key cannot be one.
    MissingPackageError
        The extra `llm` is not installed.

    Examples
    --------
    >>> OpenAIChat(base_url="http://localhost:11434/v1", model="llama3.1")
    <OpenAIChat 'llama3.1' at http://localhost:11434/v1/chat/completions>
    """

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        model: str | None = None,
        timeout: float = 120.0,
        retry: RetryPolicy | None = None,
        prices: Prices | None = None,
        seed: int | None = None,
    ) -> None:
        if not timeout > 0:
            raise LLMError(f"timeout must be a number of seconds above 0 (got {timeout!r})")
        self._endpoint = Endpoint.find(base_url, api_key, model)
        self._http = _package()
        self._timeout = timeout
        self._retry = retry or RetryPolicy()
        self._prices = prices
        self._rng = random.Random(seed)
        self._meter = UsageMeter()
        self._lock = threading.Lock()
        self._dialect = Dialect()
        self._client: httpx2.Client | None = None

    @property
    def model(self) -> str:
        """Name of the model."""
        return self._endpoint.model

    @property
    def url(self) -> str:
        """Address that is asked, without any key."""
        return self._endpoint.url

    @property
    def usage(self) -> Usage:
        """What this client has asked and what it cost."""
        return self._meter.total

    def complete(self, request: ChatRequest) -> ChatResponse:
        """Answer one request, asking again where that may help.

        Raises
        ------
        LLMError
            With the address, the status, what the server said and what to do.
        """
        failures: list[_Failure] = []
        bad_bodies = 0
        while True:
            outcome = self._attempt(request, len(failures))
            if isinstance(outcome, ChatResponse):
                self._meter.add(Usage.of(outcome))
                return outcome
            failures.append(outcome)
            bad_bodies += outcome.bad_body
            over = len(failures) > self._retry.max_retries
            over = over or bad_bodies > self._retry.max_bad_bodies
            if over or not outcome.again or not self._wait(outcome, len(failures) - 1):
                self._meter.add(Usage(failed=1, retries=len(failures) - 1))
                raise self._error(outcome, len(failures))

    def _wait(self, failure: _Failure, repetition: int) -> bool:
        """Wait before the next attempt; False where it is not worth it or the run was stopped."""
        own = self._retry.delay(repetition, self._rng)
        if failure.after is None:
            return pause(own)
        if failure.after > self._retry.max_retry_after:
            return False
        # the jitter goes on top: nobody comes back before the time the server named
        return pause(failure.after + min(own, 0.1 * failure.after))

    def _attempt(self, request: ChatRequest, retries: int) -> ChatResponse | _Failure:
        """Ask once, in the richest form that the server takes."""
        while True:
            dialect = self._dialect
            body = request_body(request, self.model, dialect)
            outcome = self._post(body)
            if isinstance(outcome, _Failure):
                return outcome
            status, raw, headers = outcome
            if status == 200:
                return self._read(raw, headers.get("content-type", ""), request, dialect, retries)
            said, code = read_error(raw)
            if status in (400, 404, 415, 422, 500, 501):
                other = dialect.after_refusal(f"{said} {code}", body)
                if other is not None:
                    self._learn(dialect, other)
                    continue
            return self._refused(status, said, code, headers)

    def _learn(self, old: Dialect, new: Dialect) -> None:
        with self._lock:
            if self._dialect == old:  # another thread may have learned it meanwhile
                self._dialect = new

    def _post(self, body: dict[str, object]) -> tuple[int, bytes, httpx2.Headers] | _Failure:
        http = self._http
        content = json.dumps(body).encode("ascii")
        try:
            answer = self._connection().post(
                self.url, content=content, headers=self._endpoint.headers()
            )
        except http.TimeoutException:
            return _Failure(
                f"no answer within {self._timeout:g} s",
                "raise timeout=, or ask a smaller or less busy model",
                again=True,
            )
        except http.ConnectError as problem:
            return _Failure(
                f"no connection ({problem})", "is the server running at that address?", again=True
            )
        except (http.HTTPError, http.InvalidURL, http.StreamError) as problem:
            return _Failure(
                f"the connection broke ({type(problem).__name__}: {problem})",
                "is the server still running?",
                again=isinstance(problem, http.TransportError),
            )
        return answer.status_code, answer.content, answer.headers

    def _read(
        self, raw: bytes, content_type: str, request: ChatRequest, dialect: Dialect, retries: int
    ) -> ChatResponse | _Failure:
        mode = dialect.mode if request.json_schema is not None else "text"
        try:
            body = read_body(raw, content_type)
            if "choices" not in body and body.get("error"):
                # some routers put the error of the server behind them into a 200
                said, code = read_error(raw)
                status = int(code) if code.isdigit() else 502
                return self._refused(status, said, code, {})
            dropped = tuple(sorted(dialect.dropped & _asked(request)))
            response = read_response(body, self.model, mode, dropped)
        except BadBodyError as problem:
            return _Failure(
                f"{problem}", "check the base URL, and the server's own log", 200,
                again=True, bad_body=True,
            )  # fmt: skip
        cost = None
        counts = response.prompt_tokens, response.completion_tokens
        if self._prices is not None and counts[0] is not None and counts[1] is not None:
            cost = self._prices.cost(counts[0], counts[1])
        return response.replace(cost=cost, retries=retries)

    def _refused(
        self, status: int, said: str, code: str, headers: httpx2.Headers | dict[str, str]
    ) -> _Failure:
        again = status in _AGAIN or (status >= 500 and status != 501)
        if code in _NOT_AGAIN:
            again = False
        if 300 <= status < 400:
            said = f"a redirect to {headers.get('location', 'nowhere')}"
            return _Failure(said, "give the address it leads to as base_url=", status)
        after = read_retry_after(headers.get("retry-after"), headers.get("retry-after-ms"))
        advice = _ADVICE.get(status, "")
        if not advice:
            advice = "try again later" if status >= 500 else "the server does not take the request"
        return _Failure(said or "nothing more", advice, status, again, after if again else None)

    def _error(self, failure: _Failure, attempts: int) -> LLMError:
        status = f"status {failure.status}: " if failure.status is not None else ""
        tried = f", after {attempts} attempts" if attempts > 1 else ""
        wait = ""
        if failure.after is not None and failure.after > self._retry.max_retry_after:
            wait = f" The server asks to wait {failure.after:.0f} s."
        said = " ".join(failure.what.split())
        text = (
            f"{self.url} (model {self.model!r}) gave no answer{tried}: {status}{said}.{wait} "
            f"What to do: {failure.advice}"
        )
        return LLMError(self._endpoint.scrub(text), url=self.url, status=failure.status)

    def _connection(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                self._client = self._http.Client(
                    timeout=self._timeout,
                    trust_env=not self._endpoint.is_local,
                    limits=self._http.Limits(max_connections=None),
                )
            return self._client

    def close(self) -> None:
        """Close the connections; the next request opens them again."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<OpenAIChat {self.model!r} at {self.url}>"


def _asked(request: ChatRequest) -> set[str]:
    """Name the settings that a request asks for."""
    asked = {n for n in ("temperature", "top_p", "seed") if getattr(request, n) is not None}
    if request.stop:
        asked.add("stop")
    if request.top_logprobs is not None:
        asked |= {"logprobs", "top_logprobs"}
    return asked


def _package() -> ModuleType:
    try:
        import httpx2
    except ImportError:
        raise MissingPackageError(
            "httpx2", "asking a language model", 'pip install "beliefgraph[llm]"'
        ) from None
    return httpx2
