"""The client against a real server on loopback: every fault, no key shown, nothing paid twice."""

from __future__ import annotations

import json
import logging
import random
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx2  # the extra `llm`: these tests skip without it
import pytest

from beliefgraph.errors import LLMError, MissingPackageError
from beliefgraph.llm import (
    CachedChat,
    ChatModel,
    ChatRequest,
    ChatResponse,
    OpenAIChat,
    Prices,
    RetryPolicy,
    ScriptedChat,
    complete_all,
    in_order,
    parse_object,
)
from beliefgraph.llm.retry import read_retry_after
from tests.loopback import Reply, Server, failed, said, serving

KEY = "sk-very-secret-0123456789"
QUICK = RetryPolicy(max_retries=3, first_delay=0.01, max_delay=0.02)
ASK = ChatRequest.of("Does it?", system="Be brief.")
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "BELIEFGRAPH_MODEL"):
        monkeypatch.delenv(name, raising=False)
    # a proxy stands in nobody's way to a server on this machine
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")


def client(server: Server, **options: Any) -> OpenAIChat:
    chosen: dict[str, Any] = {"timeout": 5.0, "retry": QUICK, "seed": 1}
    return OpenAIChat(base_url=server.url, api_key=KEY, model="tiny", **(chosen | options))


def test_an_answer_with_its_counts_and_cost() -> None:
    with serving([said("It does.")]) as server:
        with client(server, prices=Prices(prompt=1.0, completion=10.0)) as chat:
            response = chat.complete(ASK)
        assert response.text == "It does."
        assert (response.model, response.finish_reason) == ("tiny-1", "stop")
        assert response.cost == pytest.approx(0.0002)
        assert (chat.usage.calls, chat.usage.prompt_tokens, chat.usage.retries) == (1, 100, 0)
        assert isinstance(chat, ChatModel)
        assert server.paths == ["/v1/chat/completions"]
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
        assert server.bodies[0] == {
            "model": "tiny",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "Does it?"},
            ],
            "temperature": 0.0,
        }


@pytest.mark.parametrize(
    "fault",
    [
        failed(429, retry_after="0"),
        failed(500),
        failed(503),
        Reply(529, "overloaded"),
        Reply(200, ""),
        Reply(200, said("x").body[:-20]),
        Reply(200, "<html><body>Bad gateway</body></html>", content_type="text/html"),
        Reply(502, "<html>Bad gateway</html>", content_type="text/html"),
        Reply(200, "[]"),
        Reply(200, '{"choices": []}'),
        Reply(200, '{"error": {"message": "upstream is down", "code": 502}}'),
        Reply(200, b"\xff\xfe\x00"),
        Reply(hang_up=True),
        Reply(seconds=5),
    ],
    ids=lambda fault: f"{fault.status} {str(fault.body)[:12]!r} {fault.seconds} {fault.hang_up}",
)
def test_a_fault_is_asked_again(fault: Reply) -> None:
    with serving([fault, said("yes")]) as server, client(server, timeout=0.3) as chat:
        response = chat.complete(ASK)
    assert (response.text, response.retries) == ("yes", 1)
    assert (chat.usage.calls, chat.usage.retries) == (1, 1)


def test_retry_after_is_waited_for() -> None:
    with serving([failed(429, retry_after="0.4"), said("yes")]) as server, client(server) as chat:
        chat.complete(ASK)
    assert server.times[1] - server.times[0] >= 0.4


def test_retry_after_in_its_forms() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    later = format_datetime(now + timedelta(seconds=90), usegmt=True)
    assert read_retry_after(later, now=now) == 90
    assert read_retry_after("7") == 7
    for nonsense in (None, "", "soon", "-3", "nan", "inf"):
        assert read_retry_after(nonsense) is None


def test_a_wait_of_an_hour_is_an_error_at_once() -> None:
    says = r"slow down.*asks to wait 3600 s.*max_concurrency"
    busy = failed(429, "slow down", retry_after="3600")
    with serving([busy]) as server, client(server) as chat, pytest.raises(LLMError, match=says):
        chat.complete(ASK)
    assert len(server.bodies) == 1


def test_delays_grow_and_are_the_same_for_the_same_seed() -> None:
    policy = RetryPolicy(first_delay=1.0, max_delay=8.0)
    delays = [policy.delay(n, random.Random(n)) for n in range(2000)]
    assert delays == [policy.delay(n, random.Random(n)) for n in range(2000)]
    for repetition, delay in enumerate(delays):
        longest = min(2.0 ** min(repetition, 10), 8.0)
        assert longest / 2 <= delay <= longest


@pytest.mark.parametrize(
    ("fault", "attempts", "says"),
    [
        (failed(401, f"Incorrect API key provided: {KEY}"), 1, "status 401.*set OPENAI_API_KEY"),
        (failed(404, "no such model"), 1, "status 404: no such model.*check the base URL"),
        (failed(400, "context length exceeded"), 1, "status 400: context length exceeded"),
        (Reply(307, "", {"Location": "http://elsewhere/"}), 1, "redirect to http://elsewhere/"),
        (
            Reply(429, '{"error": {"message": "pay", "code": "insufficient_quota"}}'),
            1,
            "status 429: pay.*quota",
        ),
        (failed(500, "out of memory"), 4, "after 4 attempts: status 500: out of memory"),
        (Reply(200, "<!doctype html><p>Hi"), 3, r"web page \(HTML\).*check the base URL"),
        (Reply(200, ""), 3, "an empty body"),
        (Reply(200, '{"choices": ['), 3, "no whole JSON"),
        (Reply(seconds=5), 4, "no answer within 0.2 s.*raise timeout="),
    ],
)
def test_an_error_says_where_what_and_what_to_do(fault: Reply, attempts: int, says: str) -> None:
    with (
        serving(lambda _body, _n: fault) as server,
        client(server, timeout=0.2) as chat,
        pytest.raises(LLMError, match=says) as caught,
    ):
        chat.complete(ASK)
    assert len(server.bodies) == attempts
    assert server.url in str(caught.value)
    assert "'tiny'" in str(caught.value)
    assert caught.value.url == f"{server.url}/chat/completions"
    assert chat.usage.failed == 1
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown + repr(caught.value)


def test_a_server_that_is_not_there() -> None:
    with serving([]) as server:
        pass
    with client(server) as chat, pytest.raises(LLMError, match=r"no connection.*server running"):
        chat.complete(ASK)


def test_the_key_is_in_no_text(caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.DEBUG)
    with serving([said("yes"), failed(403, f"key {KEY} not allowed")]) as server:
        chat = client(server)
        with CachedChat(chat, tmp_path / "answers.sqlite") as cached:
            cached.complete(ASK)
            with pytest.raises(LLMError) as caught:
                cached.complete(ChatRequest.of("Another"))
            files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        chat.close()
    texts = [repr(chat), str(chat), repr(cached), str(vars(chat)), str(caught.value), caplog.text]
    assert caplog.records
    assert not any(KEY in text for text in texts)
    assert KEY.encode() not in files
    assert b"yes" in files


def test_the_password_of_a_url_is_no_part_of_its_address() -> None:
    with serving([failed(401, "who is ann:pa55word?")]) as server:
        base = server.url.replace("http://", "http://ann:pa55word@")
        with OpenAIChat(base_url=base, model="tiny") as chat:
            assert "pa55word" not in repr(chat) + str(vars(chat))
            with pytest.raises(LLMError) as caught:
                chat.complete(ASK)
    assert "pa55word" not in str(caught.value)
    assert server.headers[0]["Authorization"].startswith("Basic ")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"base_url": "http://localhost:1/v1"}, "no model is named.*BELIEFGRAPH_MODEL"),
        ({"model": "m"}, "needs a key.*OPENAI_API_KEY"),
        ({"model": "m", "base_url": "localhost:11434"}, "must start with http"),
        ({"model": "m", "base_url": "http://x/v1?api_key=k1k2"}, "holds a key in its query"),
        ({"model": "m", "base_url": "http://x:port/v1"}, "cannot be read"),
        ({"model": "m", "api_key": "two words"}, "characters that no key has"),
        ({"model": "m", "base_url": "http://x", "timeout": 0}, "timeout must be"),
    ],
)
def test_bad_settings(options: dict[str, Any], says: str) -> None:
    with pytest.raises(LLMError, match=says) as caught:
        OpenAIChat(**options)
    assert "k1k2" not in str(caught.value)
    assert "two words" not in str(caught.value)


def test_settings_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:11434/v1/chat/completions/")
    monkeypatch.setenv("BELIEFGRAPH_MODEL", "llama3.1")
    chat = OpenAIChat()
    assert (chat.model, chat.url) == ("llama3.1", "http://localhost:11434/v1/chat/completions")


def test_a_missing_package_names_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(MissingPackageError, match=r'pip install "beliefgraph\[llm\]"'):
        OpenAIChat(base_url="http://localhost:1", model="m")
    assert httpx2 is not None


def picky(accepted: set[str]) -> Any:
    """Refuse every response format but those."""

    def script(body: dict[str, Any], _number: int) -> Reply:
        kind = body.get("response_format", {}).get("type", "text")
        if kind not in accepted:
            return failed(400, f"response_format of type {kind} is not supported")
        return said('{"a": 1}')

    return script


@pytest.mark.parametrize(
    ("accepted", "mode", "calls"),
    [
        ({"json_schema"}, "json_schema", 2),
        ({"json_object"}, "json_object", 3),
        ({"text"}, "text", 5),
    ],
)
def test_the_form_falls_back_and_that_is_remembered(
    accepted: set[str], mode: str, calls: int
) -> None:
    request = ASK.replace(json_schema=SCHEMA)
    with serving(picky(accepted)) as server, client(server) as chat:
        responses = [chat.complete(request) for _ in range(2)]
    assert [response.mode for response in responses] == [mode, mode]
    assert len(server.bodies) == calls
    assert chat.usage.retries == 0
    in_words = "fit this JSON schema" in server.bodies[-1]["messages"][-1]["content"]
    assert in_words == (mode != "json_schema")
    assert request.messages[-1].content == "Does it?"


def test_a_schema_beside_json_mode_is_tried_before_json_mode_alone() -> None:
    """As llama-cpp-python takes it; others refuse the field or leave it out of account."""

    def script(body: dict[str, Any], number: int) -> Reply:
        form = body["response_format"]
        if form["type"] != "json_object":
            return failed(422, "response_format: input should be 'text' or 'json_object'")
        if "schema" in form and number < 2:
            return failed(400, "unknown field response_format.schema")
        return said('{"a": 1}')

    request = ASK.replace(json_schema=SCHEMA)
    with serving(script) as server, client(server) as chat:
        responses = [chat.complete(request) for _ in range(2)]
    forms = [body["response_format"] for body in server.bodies]
    assert [response.mode for response in responses] == ["json_object"] * 2
    assert forms[1] == {"type": "json_object", "schema": SCHEMA}
    assert forms[2:] == [{"type": "json_object"}] * 2


def test_settings_that_a_server_does_not_take_are_left_out_and_named() -> None:
    def script(body: dict[str, Any], _number: int) -> Reply:
        if "max_tokens" in body:
            return failed(400, "Unsupported parameter: max_tokens. Use max_completion_tokens.")
        if "temperature" in body:
            return failed(400, "Unsupported value: 'temperature' does not support 0")
        if "logprobs" in body:
            return failed(422, "logprobs: Extra inputs are not permitted")
        return said("yes")

    with serving(script) as server, client(server) as chat:
        response = chat.complete(ASK.replace(max_tokens=9, top_logprobs=5, seed=3))
    assert response.dropped == ("logprobs", "temperature", "top_logprobs")
    assert server.bodies[-1]["max_completion_tokens"] == 9
    assert server.bodies[-1]["seed"] == 3


def test_a_refusal_of_what_the_caller_insists_on_ends() -> None:
    insist = ASK.replace(extra={"response_format": {"type": "grammar"}, "temperature": 1})
    refusal = failed(400, "unsupported: response_format, temperature")
    with (
        serving(lambda _body, _n: refusal) as server,
        client(server) as chat,
        pytest.raises(LLMError, match="unsupported"),
    ):
        chat.complete(insist)


def test_log_probabilities_of_the_first_tokens() -> None:
    top = [{"token": "yes", "logprob": -0.1}, {"token": "no", "logprob": -2.4}]
    content = [{"token": "yes", "logprob": -0.1, "top_logprobs": top}] * 40
    reply = said("yes", choice={"logprobs": {"content": content}})
    with serving([reply]) as server, client(server) as chat:
        response = chat.complete(ASK.replace(top_logprobs=2))
    assert (server.bodies[0]["logprobs"], server.bodies[0]["top_logprobs"]) == (True, 2)
    assert len(response.logprobs) == 16
    assert response.logprobs[0].top == (("yes", -0.1), ("no", -2.4))


@pytest.mark.parametrize("odd", ["x", 3, {"content": "x"}, {"content": [{"token": 1}]}, [1]])
def test_odd_fields_of_an_answer_do_no_harm(odd: Any) -> None:
    reply = said("\ud83d half", choice={"logprobs": odd}, usage=odd)
    with serving([reply]) as server, client(server) as chat:
        response = chat.complete(ASK)
    assert response.text == "\ufffd half"
    assert response.logprobs == ()
    assert chat.usage.unmetered == 1


def test_order_is_kept_and_calls_overlap() -> None:
    def script(body: dict[str, Any], number: int) -> Reply:
        with lock:
            busy["now"] += 1
            busy["most"] = max(busy.values())
        time.sleep(0.15 if number % 2 else 0.05)
        with lock:
            busy["now"] -= 1
        return said(body["messages"][-1]["content"])

    busy, lock = {"now": 0, "most": 0}, threading.Lock()
    requests = [ChatRequest.of(str(n)) for n in range(16)]
    seen: list[tuple[int, int]] = []
    with serving(script) as server, client(server) as chat:
        responses = complete_all(
            chat, requests, max_concurrency=8, progress=lambda done, of: seen.append((done, of))
        )
    assert [response.text for response in responses] == [str(n) for n in range(16)]
    assert 2 <= busy["most"] <= 8
    assert seen[-1] == (16, 16)


def test_one_failure_stops_the_rest_or_stands_in_its_place() -> None:
    def answer(request: ChatRequest) -> str | Exception:
        text = request.messages[-1].content
        return LLMError("no") if text == "3" else text

    requests = [ChatRequest.of(str(n)) for n in range(50)]
    chat = ScriptedChat(answer)
    with pytest.raises(LLMError, match="no"):
        complete_all(chat, requests, max_concurrency=1)
    assert len(chat.requests) == 4
    results = complete_all(chat, requests, errors="return", progress=True)
    assert [isinstance(result, LLMError) for result in results].index(True) == 3
    assert sum(isinstance(result, ChatResponse) for result in results) == 49
    with pytest.raises(LLMError, match="at least 1"):
        in_order(str, [1], max_concurrency=0)


def test_a_stop_ends_the_waits_of_other_calls() -> None:
    def script(body: dict[str, Any], _number: int) -> Reply:
        if body["messages"][-1]["content"] == "0":
            return failed(401)
        return failed(503, retry_after="60")

    requests = [ChatRequest.of(str(n)) for n in (1, 2, 3, 0)]
    start = time.monotonic()
    with (
        serving(script) as server,
        client(server) as chat,
        pytest.raises(LLMError, match="status 401"),
    ):
        complete_all(chat, requests)
    assert time.monotonic() - start < 10


def test_a_server_that_dies_is_resumed_without_paying_twice(tmp_path: Path) -> None:
    alive = {"until": 10}

    def script(body: dict[str, Any], number: int) -> Reply:
        return said(body["messages"][-1]["content"]) if number < alive["until"] else failed(500)

    requests = [ChatRequest.of(str(n)) for n in range(24)]
    path = tmp_path / "folder" / "answers.sqlite"
    with serving(script) as server:
        with client(server) as chat, CachedChat(chat, path) as cached:
            with pytest.raises(LLMError, match="status 500"):
                complete_all(cached, requests, max_concurrency=3)
            assert cached.usage.calls == 10
        alive["until"] = 10_000
        with client(server) as chat, CachedChat(chat, path) as cached:
            responses = complete_all(cached, requests, max_concurrency=3)
            assert (cached.usage.calls, cached.usage.cached) == (14, 10)
            assert cached.usage.prompt_tokens == 1400
            assert chat.usage.calls == 14
    assert [response.text for response in responses] == [str(n) for n in range(24)]


def examples_of_answers() -> Iterator[tuple[str, dict[str, Any] | None]]:
    yield '{"a": 1}', {"a": 1}
    yield ' \n{"a": 1}\n', {"a": 1}
    yield '```json\n{"a": 1}\n```', {"a": 1}
    yield '<think>{"a": 2}?</think>{"a": 1}', {"a": 1}
    yield 'Here you are: {"a": 1}. Anything else?', {"a": 1}
    for bad in (
        "",
        "  ",
        "eleven",
        '{"a": 1',
        '[{"a": 1}]',
        '{"a": NaN}',
        '{"a": 1}{"a": 2}',
        "{}{}",
    ):
        yield bad, None


@pytest.mark.parametrize(("text", "expected"), list(examples_of_answers()))
def test_parsing_is_strict(text: str, expected: dict[str, Any] | None) -> None:
    if expected is None:
        with pytest.raises(ValueError, match=r"\w"):
            parse_object(text)
    else:
        assert parse_object(text) == expected


def test_a_script_that_ends_says_so() -> None:
    chat = ScriptedChat([json.dumps({"a": 1})])
    chat.complete(ASK)
    with pytest.raises(LLMError, match="has 1 answers and was asked for number 2"):
        chat.complete(ASK)
    assert chat.requests == [ASK, ASK]
