"""Bodies of chat requests and answers: built for what the server takes, read with suspicion."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from beliefgraph.llm.chat import ChatRequest, ChatResponse, OutputMode, TokenLogprob

__all__ = ["BadBodyError", "Dialect", "read_body", "read_error", "read_response", "request_body"]

FIRST_TOKENS = 16
"""How many tokens of an answer keep their log-probabilities."""
_LEAST_LOGPROB = -9999.0


class BadBodyError(Exception):
    """An answer of status 200 is no chat completion; the text says what it is."""


@dataclass(frozen=True)
class Dialect:
    """What a server takes, learned from what it refused."""

    mode: OutputMode = "json_schema"
    long_name: bool = False
    """`max_completion_tokens` in place of `max_tokens`."""
    dropped: frozenset[str] = field(default_factory=frozenset)
    """Settings that it refused by name."""
    bare: bool = False
    """No schema beside JSON mode, where llama-cpp-python and others take it."""

    def after_refusal(self, said: str, body: dict[str, Any]) -> Dialect | None:
        """Return the dialect to try after a refusal that names a setting, or None."""
        low = said.casefold()
        if "response_format" in body and self.mode != "text" and _FORMAT.search(low):
            if self.mode == "json_object" and not self.bare:
                return replace(self, bare=True)
            mode: OutputMode = "json_object" if self.mode == "json_schema" else "text"
            return replace(self, mode=mode)
        if "max_tokens" in body and not self.long_name and "max_completion_tokens" in low:
            return replace(self, long_name=True)
        for name in ("top_logprobs", "logprobs", "temperature", "top_p", "seed", "stop"):
            unknown = name in body and name not in self.dropped
            if unknown and re.search(rf"\b{name}\b", low) and _REFUSED.search(low):
                names = {"logprobs", "top_logprobs"} if "logprobs" in name else {name}
                return replace(self, dropped=self.dropped | names)
        return None


_FORMAT = re.compile(
    r"response[_ ]?format|json[_ ]?schema|json[_ ]?object|json mode|structured output"
    r"|\bguided\b|\bgrammar\b|additionalproperties|\bstrict\b"
)
_REFUSED = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not allowed|not permitted"
    r"|extra (?:inputs|fields)|not available|invalid (?:parameter|argument)|isn't|does not exist"
)


def request_body(request: ChatRequest, model: str, dialect: Dialect) -> dict[str, Any]:
    """Build the body of a request in a server's dialect."""
    messages = [message.model_dump() for message in request.messages]
    body: dict[str, Any] = {"model": model, "messages": messages}
    settings = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_completion_tokens" if dialect.long_name else "max_tokens": request.max_tokens,
        "seed": request.seed,
        "stop": list(request.stop) or None,
    }
    if request.top_logprobs is not None:
        settings |= {"logprobs": True, "top_logprobs": request.top_logprobs}
    for name, value in settings.items():
        if value is not None and name not in dialect.dropped:
            body[name] = value
    if request.json_schema is not None:
        if dialect.mode == "json_schema":
            form = {"name": "answer", "strict": True, "schema": request.json_schema}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        else:
            messages[-1]["content"] += _schema_in_words(request.json_schema)
            if dialect.mode == "json_object":
                beside = {} if dialect.bare else {"schema": request.json_schema}
                body["response_format"] = {"type": "json_object", **beside}
    return body | request.extra


def _schema_in_words(schema: dict[str, Any]) -> str:
    return (
        "\n\nAnswer with one JSON object and nothing before or after it. "
        f"It must fit this JSON schema:\n{json.dumps(schema, ensure_ascii=False)}"
    )


def read_body(raw: bytes, content_type: str) -> dict[str, Any]:
    """Read a body as a JSON object.

    Raises
    ------
    BadBodyError
        It is empty, a web page, cut off, or something else.
    """
    text = raw.decode("utf-8", "replace").strip()
    if not text:
        raise BadBodyError("an empty body")
    if "html" in content_type.casefold() or text[:15].casefold().startswith(("<!doctype", "<html")):
        raise BadBodyError(
            "a web page (HTML): a proxy or a wrong path answers in place of the model"
        )
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise BadBodyError(
            f"{len(text)} characters that are no whole JSON (cut off?), ending in {text[-40:]!r}"
        ) from None
    if not isinstance(body, dict):
        raise BadBodyError(f"JSON that is no object: {text[:80]!r}")
    return body


def read_response(
    body: dict[str, Any], model: str, mode: OutputMode, dropped: tuple[str, ...]
) -> ChatResponse:
    """Read a chat completion.

    Raises
    ------
    BadBodyError
        The object is no chat completion.
    """
    try:
        choice = body["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (KeyError, IndexError, TypeError, AttributeError):
        shown = json.dumps(body, ensure_ascii=False)[:120]
        raise BadBodyError(f"JSON without choices[0].message: {shown}") from None
    usage = body.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    named = body.get("model")
    return ChatResponse(
        text=_said(content),
        model=_clean(named) if isinstance(named, str) else model,
        finish_reason=_clean(str(choice["finish_reason"])) if choice.get("finish_reason") else None,
        refusal=_clean(refusal) if isinstance(refusal, str) and refusal else None,
        logprobs=_logprobs(choice.get("logprobs")),
        mode=mode,
        dropped=dropped,
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
    )


def _said(content: Any) -> str:
    """Text of a message: a string, or the text parts of a list."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return _clean(content) if isinstance(content, str) else ""


def _clean(text: str) -> str:
    """Replace halves of surrogate pairs, which JSON can hold and UTF-8 cannot."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _logprobs(found: Any) -> tuple[TokenLogprob, ...]:
    """Log-probabilities of the first tokens; nothing where the server's form is another one."""
    content = found.get("content") if isinstance(found, dict) else None
    tokens = []
    for item in content[:FIRST_TOKENS] if isinstance(content, list) else ():
        pair = _pair(item)
        if pair is None:
            break
        top = item.get("top_logprobs")
        pairs = (_pair(other) for other in top) if isinstance(top, list) else ()
        tokens.append(
            TokenLogprob(token=pair[0], logprob=pair[1], top=tuple(p for p in pairs if p))
        )
    return tuple(tokens)


def _pair(item: Any) -> tuple[str, float] | None:
    if not isinstance(item, dict):
        return None
    token, logprob = item.get("token"), item.get("logprob")
    if not isinstance(token, str) or not isinstance(logprob, int | float):
        return None
    if logprob != logprob:  # NaN
        return None
    return _clean(token), max(min(float(logprob), 0.0), _LEAST_LOGPROB)


def read_error(raw: bytes) -> tuple[str, str]:
    """Read what a server says of an error: its message and its code, as far as it has them."""
    text = raw.decode("utf-8", "replace").strip()
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        page = text[:200].lstrip().casefold().startswith(("<!doctype", "<html"))
        return ("a web page (HTML)" if page else text[:300]), ""
    inner = body.get("error", body) if isinstance(body, dict) else body
    if isinstance(inner, dict):
        said = inner.get("message") or inner.get("detail") or inner
        code = inner.get("code") or inner.get("type") or ""
        return (said if isinstance(said, str) else json.dumps(said))[:500], str(code)
    return str(inner)[:500], ""
