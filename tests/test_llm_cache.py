"""The cache of answers: true, resumable, shared by processes, and never the end of a run."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beliefgraph.errors import LLMError
from beliefgraph.llm import (
    CachedChat,
    CacheWarning,
    ChatRequest,
    ChatResponse,
    ScriptedChat,
    TokenLogprob,
    complete_all,
)
from beliefgraph.llm.store import AnswerStore

ASK = ChatRequest.of("Does it?")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
numbers = st.none() | st.integers(0, 10**9)
logprobs = st.floats(-9999, 0)
responses = st.builds(
    ChatResponse,
    text=texts,
    model=texts,
    finish_reason=st.none() | texts,
    refusal=st.none() | texts,
    logprobs=st.lists(
        st.builds(
            TokenLogprob,
            token=texts,
            logprob=logprobs,
            top=st.lists(st.tuples(texts, logprobs), max_size=3).map(tuple),
        ),
        max_size=3,
    ).map(tuple),
    mode=st.sampled_from(["json_schema", "json_object", "text"]),
    dropped=st.lists(texts, max_size=2).map(tuple),
    prompt_tokens=numbers,
    completion_tokens=numbers,
    cost=st.none() | st.floats(0, 1e6),
    retries=st.integers(0, 9),
)
requests = st.builds(
    ChatRequest.of,
    texts,
    system=st.none() | texts,
    temperature=st.none() | st.floats(0, 2),
    seed=st.none() | st.integers(-9, 9),
    max_tokens=st.none() | st.integers(1, 99),
    stop=st.lists(texts, max_size=2).map(tuple),
    top_logprobs=st.none() | st.integers(0, 20),
    json_schema=st.none() | st.just({"type": "object"}),
)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(requests, responses), max_size=5, unique_by=lambda pair: pair[0].key("")))
def test_what_is_kept_comes_back(pairs: list[tuple[ChatRequest, ChatResponse]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.sqlite"
        with CachedChat(ScriptedChat([response for _, response in pairs]), path) as chat:
            for request, response in pairs:
                assert chat.complete(request) == response
        with CachedChat(ScriptedChat([]), path) as chat:
            assert len(chat) == len(pairs)
            for request, response in pairs:
                assert chat.has(request)
                assert chat.complete(request) == response.replace(cached=True)
            assert (chat.usage.calls, chat.usage.cached) == (0, len(pairs))


@given(requests, requests)
def test_another_request_has_another_key(one: ChatRequest, other: ChatRequest) -> None:
    assert (one.key("m") == other.key("m")) == (one == other)
    assert one.key("m") != one.key("n")
    assert one.key("m") != one.key("m", "salt")


def test_a_key_does_not_change_between_versions() -> None:
    assert ASK.key("m") == "0e392fb8cb957b1b238c3545a8f62db16391d1c3f9a615157b4e66e95aab7d31"


def test_keys_of_settings_in_another_order_are_equal() -> None:
    one = ASK.replace(extra={"a": 1, "b": {"c": 2, "d": 3}})
    other = ASK.replace(extra={"b": {"d": 3, "c": 2}, "a": 1})
    assert one.key("m") == other.key("m")


def test_the_file_holds_no_question_and_is_plain_json(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with CachedChat(ScriptedChat(["yes"]), path) as chat:
        chat.complete(ChatRequest.of("a very private question"))
        assert path.with_name("answers.sqlite-wal").exists()
    with sqlite3.connect(path) as connection:
        ((key, model, response, _created),) = connection.execute("SELECT * FROM answers")
    connection.close()
    assert (len(key), model, json.loads(response)["text"]) == (64, "scripted", "yes")
    assert b"private" not in path.read_bytes()


def test_threads_that_ask_the_same_at_once_pay_once(tmp_path: Path) -> None:
    def slow(_request: ChatRequest) -> str:
        time.sleep(0.1)
        return "yes"

    inner = ScriptedChat(slow)
    with CachedChat(inner, tmp_path / "answers.sqlite") as chat:
        answers = complete_all(chat, [ASK] * 8, max_concurrency=8)
    assert len(inner.requests) == 1
    assert [answer.text for answer in answers] == ["yes"] * 8
    assert chat.usage.cached == 7


WORKER = """
import sys, time
from pathlib import Path
from beliefgraph.llm import CachedChat, ChatRequest, ScriptedChat, complete_all

folder, name = Path(sys.argv[1]), sys.argv[2]

def answer(request):
    with (folder / f"paid-{name}.txt").open("a") as file:
        file.write(request.messages[-1].content + "\\n")
    time.sleep(0.005)
    return "answer to " + request.messages[-1].content

(folder / f"ready-{name}").touch()
while not (folder / "go").exists():
    time.sleep(0.005)
requests = [ChatRequest.of(str(n)) for n in range(60)]
with CachedChat(ScriptedChat(answer), folder / "answers.sqlite") as chat:
    found = complete_all(chat, requests, max_concurrency=4)
assert [r.text for r in found] == [f"answer to {n}" for n in range(60)]
"""


def start_worker(folder: Path, name: str, environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", WORKER, str(folder), name],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
    )  # fmt: skip


def test_two_processes_on_one_cache_pay_once(
    tmp_path: Path, fresh_python: tuple[list[str], dict[str, str]]
) -> None:
    workers = [start_worker(tmp_path, name, fresh_python[1]) for name in ("a", "b")]
    try:
        deadline = time.monotonic() + 15
        while len(list(tmp_path.glob("ready-*"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        (tmp_path / "go").touch()
        for worker in workers:
            output, _ = worker.communicate(timeout=15)
            assert worker.returncode == 0, output
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()
    paid = [line for path in tmp_path.glob("paid-*.txt") for line in path.read_text().splitlines()]
    assert sorted(paid, key=int) == [str(n) for n in range(60)]
    assert len(AnswerStore(tmp_path / "answers.sqlite")) == 60


def test_a_folder_that_cannot_be_made_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    inner = ScriptedChat(["yes", "no"])
    with pytest.warns(CacheWarning, match=r"cannot be opened for writing.*kept in memory"):
        chat = CachedChat(inner, tmp_path / "file" / "answers.sqlite")
    # it warns once: a second warning would be an error here
    assert chat.complete(ASK).text == "yes"
    assert chat.complete(ASK).cached
    assert chat.complete(ChatRequest.of("And?")).text == "no"
    assert len(chat) == 2


def test_a_read_only_cache_still_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answers.sqlite"
    with CachedChat(ScriptedChat(["yes"]), path) as chat:
        chat.complete(ASK)
    connect = sqlite3.connect

    def read_only(database: str, **options: Any) -> Any:
        # root may write anywhere: the refusal is made here
        if "rwc" in database:
            raise sqlite3.OperationalError("attempt to write a readonly database")
        return connect(database, **options)

    monkeypatch.setattr(sqlite3, "connect", read_only)
    with pytest.warns(CacheWarning, match="readonly"):
        chat = CachedChat(ScriptedChat(["no"]), path)
    assert chat.complete(ASK).text == "yes"
    assert chat.complete(ChatRequest.of("And?")).text == "no"
    chat.close()


def test_a_full_disk_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    chat = CachedChat(ScriptedChat(lambda request: request.messages[0].content * 500), path)
    connection = chat._store._connection
    assert connection is not None
    connection.execute("PRAGMA max_page_count = 6")
    asked = [ChatRequest.of(f"long {n} ") for n in range(20)]
    with pytest.warns(CacheWarning, match="full") as seen:
        first = [chat.complete(request) for request in asked]
    assert len(seen) == 1
    second = [chat.complete(request) for request in asked]
    assert [answer.text for answer in first] == [answer.text for answer in second]
    assert all(answer.cached for answer in second)
    chat.close()


def test_a_damaged_row_is_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "answers.sqlite"
    with CachedChat(ScriptedChat(["yes"]), path) as chat:
        chat.complete(ASK)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE answers SET response = substr(response, 1, 9)")
    connection.close()
    with CachedChat(ScriptedChat(["again"]), path) as chat:
        assert [chat.complete(ASK).text for _ in range(2)] == ["again", "again"]


def test_a_file_of_something_else_is_left_alone(tmp_path: Path) -> None:
    text, base, later = tmp_path / "notes.txt", tmp_path / "other.sqlite", tmp_path / "later.sqlite"
    text.write_text("my notes, quite long " * 50)
    for path, command in ((base, "CREATE TABLE mine (x)"), (later, "PRAGMA user_version = 9")):
        with sqlite3.connect(path) as connection:
            connection.execute(command)
        connection.close()
    before = [path.read_bytes() for path in (text, base, later)]
    for path, says in ((text, "no cache"), (base, "something else"), (later, "version 9")):
        with pytest.raises(LLMError, match=says):
            CachedChat(ScriptedChat([]), path)
    assert [path.read_bytes() for path in (text, base, later)] == before


def test_a_failure_is_not_kept(tmp_path: Path) -> None:
    with CachedChat(ScriptedChat([LLMError("busy"), "yes"]), tmp_path / "a.sqlite") as chat:
        with pytest.raises(LLMError, match="busy"):
            chat.complete(ASK)
        assert chat.complete(ASK).text == "yes"


def test_a_closed_cache_opens_again_and_leaves_no_thread(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chat = CachedChat(ScriptedChat(["yes"]), tmp_path / "a.sqlite")
        chat.close()
        assert chat.complete(ASK).text == "yes"
        chat.close()
        assert "1 answers" in repr(chat)
        chat.close()
    assert threading.active_count() < 20
