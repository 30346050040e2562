"""A language model as predictor on a bad day: nothing lost, nothing paid twice, no key shown."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2  # noqa: F401  the extra `llm`: these tests skip without it
import pytest

from beliefgraph.baselines.llm import LLMPredictor, llm_predictor
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.predictors import make_predictor
from beliefgraph.benchmark.run import Run
from beliefgraph.errors import LLMError
from beliefgraph.llm import (
    CachedChat,
    CacheWarning,
    ChatRequest,
    ChatResponse,
    OpenAIChat,
    Prices,
    RetryPolicy,
    ScriptedChat,
)
from beliefgraph.survey import Item, Person
from tests.items_invented import invented_items
from tests.loopback import Reply, Server, failed, said, serving

KEY = "sk-very-secret-0123456789"
QUICK = RetryPolicy(max_retries=2, max_bad_bodies=1, first_delay=0.01, max_delay=0.02)
ITEMS = invented_items()
GOOD = '{"answer": "B"}'


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "BELIEFGRAPH_MODEL"):
        monkeypatch.delenv(name, raising=False)


def predictor(server: Server, cache: Path | None = None, **options: Any) -> LLMPredictor:
    given: dict[str, Any] = {"timeout": 5.0, "retry": QUICK, "api_key": KEY, "model": "tiny"}
    return llm_predictor(base_url=server.url, cache=cache, **(given | options))


def close(made: LLMPredictor) -> None:
    chat = made.chat
    inner = chat._chat if isinstance(chat, CachedChat) else chat
    for each in (chat, inner):
        assert isinstance(each, CachedChat | OpenAIChat)
        each.close()


def prompts(server: Server) -> Counter[str]:
    return Counter(json.dumps(body["messages"]) for body in server.bodies)


def one(made: LLMPredictor, item_id: str = "P1-trams1") -> Any:
    item = ITEMS.by_id[item_id].item
    return made.predict(item, ITEMS.people[item.participant])


FAULTS = {
    "429": failed(429, retry_after="0"),
    "500": failed(500),
    "half a JSON": Reply(200, said(GOOD).body[:-20]),
    "empty": Reply(200, ""),
    "HTML": Reply(200, "<html><body>Bad gateway</body></html>", content_type="text/html"),
    "slow": Reply(seconds=5),
    "hangs up": Reply(hang_up=True),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_passes_is_asked_again(name: str) -> None:
    with serving([FAULTS[name], said(GOOD)]) as server:
        made = predictor(server, timeout=0.3)
        prediction = one(made)
        close(made)
    assert prediction.value == 2
    assert made.report.usage.retries == 1


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_stays_stops_the_run_and_is_no_answer(name: str, tmp_path: Path) -> None:
    """The run stops at the sixth item; the rerun pays for the rest and for nothing else."""
    journal, cache = tmp_path / "run.journal", tmp_path / "answers.sqlite"

    def breaks(_: dict[str, Any], number: int) -> Reply:
        return said(GOOD) if number < 5 else FAULTS[name]

    with serving(breaks) as server:
        made = predictor(server, cache, timeout=0.2)
        with pytest.raises(LLMError, match=r"What to do: "):
            evaluate(made, ITEMS, journal=journal)
        answered = list(prompts(server))[:5]
        close(made)
    assert len(journal.read_text(encoding="utf-8").splitlines()) == 1 + 5
    with serving(lambda _body, _n: said(GOOD)) as server:
        made = predictor(server, cache)
        run = evaluate(made, ITEMS, journal=journal)
        close(made)
        assert len(server.bodies) == len(ITEMS) - 5
        assert not set(answered) & set(prompts(server))
    assert all(outcome.value is not None for outcome in run.outcomes)


def test_what_the_journal_lost_the_cache_still_has(tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    with serving(lambda _body, n: said(GOOD) if n < 20 else failed(401)) as server:
        made = predictor(server, cache)
        with pytest.raises(LLMError, match="set OPENAI_API_KEY"):
            evaluate(made, ITEMS, workers=4)  # no journal
        close(made)
        paid = 20
    with serving(lambda _body, _n: said(GOOD)) as server:
        made = predictor(server, cache)
        run = evaluate(made, ITEMS, workers=4)
        close(made)
        assert len(server.bodies) == len(ITEMS) - paid
    assert sum(outcome.details["from_cache"] for outcome in run.outcomes) == paid


class Interrupting:
    """A model that is stopped by Ctrl-C at a call."""

    model = "tiny"

    def __init__(self, at: int) -> None:
        self.at, self.asked = at, 0

    def complete(self, request: ChatRequest) -> ChatResponse:
        self.asked += 1
        if self.asked == self.at:
            raise KeyboardInterrupt
        return ChatResponse(text=GOOD)


@pytest.mark.parametrize("workers", [1, 3])
def test_ctrl_c_loses_nothing(workers: int, tmp_path: Path) -> None:
    journal, cache = tmp_path / "run.journal", tmp_path / "answers.sqlite"
    first, second = Interrupting(at=8), ScriptedChat(lambda _: GOOD, model="tiny")
    with CachedChat(first, cache) as chat, pytest.raises(KeyboardInterrupt):
        evaluate(LLMPredictor(chat), ITEMS, workers=workers, journal=journal)
    with CachedChat(second, cache) as chat:
        run = evaluate(LLMPredictor(chat), ITEMS, workers=workers, journal=journal)
    assert len(run.outcomes) == len(ITEMS)
    assert first.asked - 1 + len(second.requests) == len(ITEMS)


KILLED = """
import sys
from beliefgraph.baselines.llm import llm_predictor
from beliefgraph.benchmark.evaluate import evaluate
from tests.items_invented import invented_items
made = llm_predictor(base_url=sys.argv[1], model="tiny", cache=sys.argv[2])
evaluate(made, invented_items(), journal=sys.argv[3])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_process_is_gone_on_from(
    tmp_path: Path, fresh_python: tuple[list[str], dict[str, str]]
) -> None:
    journal, cache = tmp_path / "run.journal", tmp_path / "answers.sqlite"
    started: list[subprocess.Popen[bytes]] = []

    def kills(_: dict[str, Any], number: int) -> Reply:
        if number == 6:
            started[0].kill()
            return Reply(hang_up=True)
        return said(GOOD)

    python, environment = fresh_python
    if "PYTHONPATH" not in environment:
        pytest.skip("another process finds the tests' modules in a checkout only")
    with serving(kills) as server:
        started.append(
            subprocess.Popen(
                [*python, "-c", KILLED, server.url, str(cache), str(journal)], env=environment
            )
        )
        assert started[0].wait(60) == -signal.SIGKILL
        paid = prompts(server)
        assert sum(paid.values()) == 7  # the last of them was never answered
    with serving(lambda _body, _n: said(GOOD)) as server:
        made = predictor(server, cache, api_key=None)
        run = evaluate(made, ITEMS, journal=journal)
        close(made)
        assert len(server.bodies) == len(ITEMS) - 6
        again = set(paid) & set(prompts(server))
        assert len(again) == 1
    assert len(run.outcomes) == len(ITEMS)


def test_two_runs_on_one_cache_ask_everything_once(tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    runs: list[Run] = []
    with serving(lambda _body, _n: Reply(**{**vars(said(GOOD)), "seconds": 0.002})) as server:

        def go() -> None:
            made = predictor(server, cache)
            runs.append(evaluate(made, ITEMS, workers=3))
            close(made)

        threads = [threading.Thread(target=go) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(runs) == 2
        assert set(prompts(server).values()) == {1}
        assert len(server.bodies) == len(ITEMS)
    values = [[outcome.value for outcome in run.outcomes] for run in runs]
    assert values[0] == values[1]
    assert sum(o.details["from_cache"] for run in runs for o in run.outcomes) == len(ITEMS)


def test_a_full_disk_for_the_cache_is_a_warning_and_the_run_ends(tmp_path: Path) -> None:
    long = "The person says so. " * 200 + "\nB"
    inner = ScriptedChat(lambda _: long, model="tiny")
    chat = CachedChat(inner, tmp_path / "answers.sqlite")
    connection = chat._store._connection
    assert connection is not None
    connection.execute("PRAGMA max_page_count = 6")
    with pytest.warns(CacheWarning, match="full"):
        run = evaluate(LLMPredictor(chat), ITEMS, workers=2)
    assert {outcome.value for outcome in run.outcomes} == {2, -1}
    evaluate(LLMPredictor(chat), ITEMS)
    assert len(inner.requests) == len(ITEMS)  # what the disk did not take is in memory
    chat.close()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The answer is B", 2),
        ("1 to 10: 7", 7),
        ("7.5", None),
        ("eleven", None),
        ("I'm sorry, but I can't help with that.", None),
        ("La persona responde que sí.", None),
        ("", None),
        ('{"answer": ', None),
    ],
)
def test_what_a_server_says_in_words(text: str, value: int | None) -> None:
    def plain(body: dict[str, Any], _: int) -> Reply:
        # a server without any constrained output
        return (
            failed(400, "response_format is not supported")
            if "response_format" in body
            else (said(text))
        )

    with serving(plain) as server:
        made = predictor(server)
        prediction = one(made)
        close(made)
    assert prediction.value == value
    assert (prediction.could_not is None) == (value is not None)
    assert prediction.details["mode"] == "text"
    assert prediction.details["said"] == text
    assert made.report.unparsed == (value is None)


def test_a_refusal_that_the_server_names() -> None:
    message = {"message": {"role": "assistant", "content": None, "refusal": "I would rather not."}}
    with serving([said("", choice=message)]) as server:
        made = predictor(server)
        prediction = one(made)
        close(made)
    assert prediction.could_not == "the answer cannot be read: the model refused"


def test_the_schema_and_the_log_probabilities_are_asked_for() -> None:
    places: list[dict[str, Any]] = [
        {"token": token, "logprob": 0.0, "top_logprobs": []} for token in ('{"', "answer", '": "')
    ]
    top = [{"token": t, "logprob": p} for t, p in (("A", -0.6931), ("B", -1.3863), (" A", -1.3863))]
    letter = {"token": "A", "logprob": -0.6931, "top_logprobs": top}
    choice = {"logprobs": {"content": [*places, letter]}}
    with serving([said('{"answer": "A"}', choice=choice)]) as server:
        made = predictor(server, prices=Prices(prompt=1.0, completion=10.0))
        prediction = one(made, "P1-trams-sign")
        close(made)
    (body,) = server.bodies
    schema = body["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["answer"]["enum"] == ["A", "B"]
    assert (body["logprobs"], body["top_logprobs"], body["seed"]) == (True, 20, 0)
    assert prediction.value == 1
    assert prediction.distribution == pytest.approx((0.25, 0.75), abs=1e-4)
    assert prediction.details["prompt_tokens"] == 100
    assert prediction.details["cost"] == pytest.approx(0.0002)


def test_without_log_probabilities_there_is_no_distribution() -> None:
    def refuses(body: dict[str, Any], _: int) -> Reply:
        if "logprobs" in body:
            return failed(400, "logprobs is not supported by this model")
        return said(GOOD)

    with serving(refuses) as server:
        made = predictor(server)
        prediction = one(made)
        close(made)
    assert (prediction.value, prediction.distribution) == (2, None)
    assert prediction.details["dropped"] == ["logprobs", "top_logprobs"]


def test_no_key_in_run_journal_cache_log_or_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    journal = tmp_path / "run.journal"
    with serving(lambda _body, n: said(GOOD) if n < 9 else failed(403, f"bad {KEY}")) as server:
        base = server.url.replace("http://", "http://ann:pa55word@")
        options = {"cache": tmp_path / "answers.sqlite", "retry": QUICK}
        made = make_predictor(f"llm-rag:tiny@{base}", seed=4, llm_options=options)
        assert isinstance(made, LLMPredictor)
        with pytest.raises(LLMError) as caught:
            evaluate(made, ITEMS, journal=journal)
        close(made)
    left = journal.read_text(encoding="utf-8")
    with serving(lambda _body, _n: said(GOOD)) as server:
        base = server.url.replace("http://", "http://ann:pa55word@")
        made = make_predictor(f"llm-rag:tiny@{base}", seed=4, llm_options=options)
        assert isinstance(made, LLMPredictor)
        run = evaluate(made, ITEMS)
        close(made)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert made.settings["url"] == f"{server.url}/chat/completions"
    assert (made.name, made.settings["seed"]) == ("llm-rag:tiny", 4)
    shown = [repr(made), json.dumps(made.settings), str(caught.value), caplog.text]
    shown += [run.model_dump_json(), left]
    files = b"".join(p.read_bytes() for p in tmp_path.iterdir())
    for secret in (KEY, "pa55word"):
        assert not any(secret in text for text in shown)
        assert secret.encode() not in files


def test_the_address_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:11434/v1")
    made = make_predictor("llm-graph+cot:qwen2.5:7b")
    assert made.name == "llm-graph+cot:qwen2.5:7b"
    assert made.settings["url"] == "http://localhost:11434/v1/chat/completions"
    assert make_predictor("llm+cot:m@http://localhost:1/v1").name == "llm+cot:m"


def test_reflections_survive_a_server_that_dies_between_them(tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    item: Item = ITEMS.by_id["P1-trams1"].item
    person: Person = ITEMS.people["P1"]
    with serving(lambda _body, n: said("Cautious.") if n < 2 else failed(500)) as server:
        made = predictor(server, cache, strategy="generative-agents")
        with pytest.raises(LLMError, match="status 500"):
            made.predict(item, person)
        close(made)
    with serving([said("Cautious."), said(GOOD)]) as server:
        made = predictor(server, cache, strategy="generative-agents")
        prediction = made.predict(item, person)
        close(made)
    assert prediction.value == 2
    assert (prediction.details["calls"], prediction.details["from_cache"]) == (4, 2)
