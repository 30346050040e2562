"""A language model as reader: quotes verbatim or rejected, one repair, the same graph type."""

from __future__ import annotations

import importlib.util
import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beliefgraph as bg
from beliefgraph.errors import LLMError
from beliefgraph.extractors import LLMReader, Reader, llm_reader
from beliefgraph.extractors.llm_output import SCHEMA
from beliefgraph.extractors.quotes import find_quote
from beliefgraph.llm import CachedChat, ChatRequest, ChatResponse, RetryPolicy, ScriptedChat
from tests.loopback import Reply, failed, said, serving
from tests.strategies import transcripts

STANCE = "Support for bus lanes"
INTERVIEW = bg.Transcript.from_pairs(
    [
        (f"To what extent do you support {STANCE[12:]}?", "I\u2019m mostly for them."),
        (f"Does Bus speed have a positive or negative effect on {STANCE}?", "Faster buses, yes!"),
        ("What do bus lanes lead to?", "Well,  LESS traffic, I think; and less traffic is good."),
        (f"Does Traffic have a positive or negative effect on {STANCE}?", "Same as before."),
    ],
    participant="P01",
)


def statement(source: str | None, target: str | None, quote: str, **more: Any) -> dict[str, Any]:
    base = {
        "source": source, "target": target, "kind": "positive", "sign": 1, "strength": None,
        "confidence": 0.8, "quote": quote, "note": "",
    }  # fmt: skip
    return base | more


ANSWERS: dict[int, dict[str, Any]] = {
    1: {"statements": [], "stance": {"value": 0.5, "quote": "I'm mostly for them"}},
    2: {"statements": [statement("bus speed", STANCE.lower(), "Faster buses")], "stance": None},
    3: {
        "statements": [
            statement("Bus lanes", "traffic", "well, less traffic", kind="negative", sign=-1),
            statement("traffic", STANCE, "traffic is awful", kind="negative", sign=-1),
        ],
        "stance": None,
    },
    4: {
        "statements": [
            statement(
                "Traffic", STANCE, "Same as before", kind="negative", sign=-1,
                note="refers back to turn 3",
            )
        ],
        "stance": None,
    },
}  # fmt: skip


def asked(request: ChatRequest) -> list[int]:
    """Numbers of the turns that a request asks for."""
    return [int(n) for n in re.findall(r'<turn number="(\d+)">', request.messages[1].content)]


def answer(request: ChatRequest) -> dict[str, Any]:
    return deepcopy({"turns": [{"turn": n, **ANSWERS[n]} for n in asked(request)]})


def one_turn(text: str) -> bg.Transcript:
    return bg.Transcript.from_pairs([("What do you think?", text)])


def turn(*statements: dict[str, Any], number: int = 1, **more: Any) -> dict[str, Any]:
    return {"turns": [{"turn": number, "statements": list(statements), "stance": None} | more]}


@pytest.mark.parametrize("window", [1, 2, 10])
def test_an_interview_becomes_a_graph(window: int) -> None:
    chat = ScriptedChat(answer, model="wise-1")
    reader: Reader = LLMReader(chat, window=window)
    g = bg.extract(INTERVIEW, reader=reader)
    assert isinstance(g, bg.BeliefGraph)
    assert g.stance == STANCE
    weights = {(e.source, e.target): e.weight for e in g.influences}
    assert weights == {
        ("Bus speed", STANCE): 0.5, ("Bus lanes", "Traffic"): -0.5, ("Traffic", STANCE): -0.5,
    }  # fmt: skip
    assert g.concept(STANCE).baseline == pytest.approx(0.5)
    assert g.concept(STANCE).evidence[0].quote == "I\u2019m mostly for them"
    edge = g.influence("Bus lanes", "Traffic")
    assert edge is not None
    assert edge.evidence[0].quote == "Well,  LESS traffic"
    assert edge.evidence[0].extractor == reader.name
    assert g.extractor is not None
    assert re.match(r"llm wise-1, prompt [0-9a-f]{12} \(beliefgraph ", g.extractor)
    assert {reading.evidence.qa_id for reading in g.readings} == {"1", "2", "3", "4"}
    assert len(chat.requests) == {1: 4, 2: 2, 10: 1}[window]


def test_the_report_counts() -> None:
    reader = LLMReader(ScriptedChat(answer))
    g = bg.extract(INTERVIEW, reader=reader)
    report = reader.report
    assert (report.turns, report.statements, report.usage.calls) == (4, 3, 4)
    assert (report.rejected_quotes, report.realigned_quotes, report.repaired) == (1, 2, 0)
    rejected = [reading for reading in g.readings if "rejected" in reading.note]
    assert [(r.kind, r.evidence.qa_id) for r in rejected] == [("nothing", "3")]
    assert "'traffic is awful'" in rejected[0].note
    assert "1 quotes rejected, 2 realigned; 4 calls" in str(report)
    bg.extract(INTERVIEW, reader=reader)
    assert reader.report.turns == 8


def test_a_request_says_all_that_is_needed() -> None:
    chat = ScriptedChat(answer)
    bg.extract(INTERVIEW, reader=LLMReader(chat, history=2, seed=5))
    request = next(r for r in chat.requests if asked(r) == [4])
    system, user = (message.content for message in request.messages)
    assert f'the concept "{STANCE}". It is about: bus lanes.' in system
    assert re.findall(r'<earlier turn="(\d)">', user) == ["2", "3"]
    assert INTERVIEW.turns[2].answer in user
    assert "<answer>Same as before.</answer>" in user
    assert (request.json_schema, request.temperature, request.seed) == (SCHEMA, 0.0, 5)
    assert request.max_tokens == 1500


def test_the_schema_is_one_that_every_server_takes() -> None:
    def check(node: Any) -> None:
        if isinstance(node, dict):
            assert not {"$ref", "$defs", "default", "minimum", "maximum"} & set(node)
            if "properties" in node:
                assert sorted(node["required"]) == sorted(node["properties"])
                assert node["additionalProperties"] is False
                for inner in node["properties"].values():
                    check(inner)
            for name in ("items", "anyOf"):
                check(node.get(name))
        elif isinstance(node, list):
            for inner in node:
                check(inner)

    check(SCHEMA)
    assert "quote" in json.dumps(SCHEMA)


BAD = [
    "The answer is B",
    "",
    '{"turns": [{"turn": 1, "statements": [',
    json.dumps({"turns": {}}),
    json.dumps(turn(number=7)),
    json.dumps(turn(statement("a", "b", "rents fell", sign=-1))),
    json.dumps(turn(statement("a", "b", "rents fell", kind="good"))),
    json.dumps(turn(statement("a", "b", "rents fell", confidence=7))),
    json.dumps(turn(statement("a", "b", "rents fell", strength="strong"))),
    json.dumps({"turns": turn()["turns"] * 2}),
    ChatResponse(text=json.dumps(turn()), finish_reason="length"),
    ChatResponse(text="", refusal="I can't help with that."),
]


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: str(bad)[:40])
def test_a_bad_answer_is_sent_back_once(bad: str | ChatResponse) -> None:
    good = turn(statement("rents", "support", "rents fell"))
    chat = ScriptedChat([bad, good])
    reader = LLMReader(chat)
    g = bg.extract(one_turn("Because rents fell."), reader=reader, stance="Support")
    assert g.influence("Rents", "Support") is not None
    assert (reader.report.repaired, reader.report.unread_turns) == (1, 0)
    second = chat.requests[1]
    assert [message.role for message in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[:2] == chat.requests[0].messages
    assert "breaks the rules" in second.messages[3].content


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: str(bad)[:40])
def test_a_turn_that_stays_bad_is_nothing_and_says_why(bad: str | ChatResponse) -> None:
    chat = ScriptedChat([bad, bad])
    reader = LLMReader(chat)
    g = bg.extract(one_turn("Because rents fell."), reader=reader, stance="Support")
    (reading,) = g.readings
    assert reading.kind == "nothing"
    assert reading.note.startswith("the model's answer is no reading: ")
    assert reading.evidence.quote == "Because rents fell."
    assert (reader.report.repaired, reader.report.unread_turns) == (1, 1)


def test_one_bad_turn_of_a_window_does_not_cost_the_others() -> None:
    def script(request: ChatRequest) -> dict[str, Any]:
        whole = answer(request)
        whole["turns"][1]["statements"][0]["kind"] = "superb"
        return whole

    reader = LLMReader(ScriptedChat(script), window=4)
    g = bg.extract(INTERVIEW, reader=reader)
    assert g.influence("Bus lanes", "Traffic") is not None
    assert [r.kind for r in g.readings if r.evidence.qa_id == "2"] == ["nothing"]
    assert reader.report.unread_turns == 1


def test_a_tutorial_and_an_empty_answer_cost_nothing() -> None:
    turns = (
        bg.Turn(qa_id="t", question="Ready?", answer="Yes, ready", role="tutorial"),
        bg.Turn(qa_id="e", question="And?", answer=" ... "),
        bg.Turn(qa_id="x", question="Why?", answer="Rents fell."),
    )
    chat = ScriptedChat([turn(number=3)])
    g = bg.extract(bg.Transcript(turns=turns), reader=LLMReader(chat), stance="Support")
    assert len(chat.requests) == 1
    assert [(r.evidence.qa_id, r.kind) for r in g.readings] == [
        ("t", "nothing"), ("e", "off_topic"), ("x", "nothing"),
    ]  # fmt: skip
    assert "<earlier" not in chat.requests[0].messages[1].content


def test_kinds_without_an_effect_are_kept() -> None:
    kinds = ["dont_know", "not_understood", "off_topic", "mixed", "unstated"]
    said = [statement(None, None, "", kind=kind, sign=None) for kind in kinds]
    none = statement("fares", "Support", "no effect", kind="no_effect", sign=0)
    reader = LLMReader(ScriptedChat([turn(*said, none)]))
    g = bg.extract(one_turn("Dunno. Fares have no effect."), reader=reader, stance="Support")
    assert [reading.kind for reading in g.readings] == [*kinds, "no_effect"]
    assert g.influences == ()


words = st.text("abcdé ßİ\u2019'\"\u2013-…\n\tA.ﬁ", max_size=30)


@settings(max_examples=200, deadline=None)
@given(words, words)
def test_a_quote_is_verbatim_or_rejected(text: str, quote: str) -> None:
    span = find_quote(quote, text)
    if span is not None:
        assert 0 <= span.start < span.end <= len(text)
        if span.exact:
            assert text[span.start : span.end] == quote


@settings(max_examples=200, deadline=None)
@given(words, st.data())
def test_what_stands_there_is_found_whatever_the_case_and_spaces(
    text: str, data: st.DataObject
) -> None:
    pieces = text.split()
    first = data.draw(st.integers(0, len(pieces)))
    last = data.draw(st.integers(first, len(pieces)))
    quote = " ".join(pieces[first:last])
    if not any(character.isalnum() for character in quote):
        assert find_quote(quote, text) is None
        return
    for variant in (quote, quote.upper(), quote.replace(" ", "  "), f'"{quote}..."'):
        span = find_quote(variant, text)
        assert span is not None
        assert text[span.start : span.end].strip()


@settings(max_examples=50, deadline=None)
@given(transcripts(min_turns=1), st.data())
def test_every_evidence_is_verbatim_and_every_turn_is_read(
    transcript: bg.Transcript, data: st.DataObject
) -> None:
    def invent(request: ChatRequest) -> dict[str, Any]:
        quotes = st.sampled_from([t.answer for t in transcript.turns]) | words
        turns = [
            turn(
                *(
                    statement(f"a{n}", "Support", data.draw(quotes))
                    for n in range(data.draw(st.integers(0, 2)))
                ),
                stance={"value": 0.1, "quote": data.draw(quotes)},
                number=number,
            )["turns"][0]
            for number in asked(request)
        ]
        return {"turns": turns}

    # the graph itself refuses evidence that is not verbatim
    reader = LLMReader(ScriptedChat(invent), max_concurrency=1)
    g = bg.extract(transcript, reader=reader, stance="Support")
    assert {r.evidence.qa_id for r in g.readings} == {t.qa_id for t in transcript.turns}


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("art", "start", None),
        ("art", "start art", "art"),
        ("...", "so ... yes", None),
        ("rents fell", "Rents\n fell", "Rents\n fell"),
        ("“it\u2019s fine”", "I said it's fine.", "it's fine"),
        ("cafe", "the cafe\u0301 shut", None),
        ("café", "the cafe\u0301 shut", "cafe\u0301"),
        ("道路", "新道路很好", "道路"),
        ("rents ... fell", "rents slowly fell", None),
    ],
)
def test_hard_quotes(quote: str, text: str, found: str | None) -> None:
    span = find_quote(quote, text)
    assert (None if span is None else text[span.start : span.end]) == found


def test_a_prompt_of_your_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.jinja"
    path.write_text(
        "{% block system %}Read {{ stance }}.{% endblock %}"
        "{% block user %}{% for t in turns %}{{ t.number }}: {{ t.answer }}{% endfor %}"
        "{% endblock %}"
    )
    chat = ScriptedChat(["no", turn()])
    reader = LLMReader(chat, prompt=path)
    assert reader.name != LLMReader(chat).name
    bg.extract(one_turn("Rents {{ fell }}."), reader=reader, stance="Support")
    first, second = chat.requests
    assert [m.content for m in first.messages] == ["Read Support.", "1: Rents {{ fell }}."]
    assert "no JSON object" in second.messages[3].content


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "cannot be read"),
        ("hello", "lacks the block system and user"),
        ("{% block", "no Jinja template"),
        ("{% block system %}{{ stanze }}{% endblock %}{% block user %}{% endblock %}", "stanze"),
    ],
)
def test_a_bad_prompt_says_what_is_wrong(tmp_path: Path, text: str | None, says: str) -> None:
    path = tmp_path / "mine.jinja"
    if text is not None:
        path.write_text(text)
    with pytest.raises(LLMError, match=says):
        bg.extract(
            one_turn("Yes."), reader=LLMReader(ScriptedChat([]), prompt=path), stance="Support"
        )


@pytest.mark.parametrize("options", [{"window": 0}, {"window": 1.5}, {"history": -1}])
def test_bad_arguments(options: dict[str, Any]) -> None:
    with pytest.raises(LLMError, match="whole number of at least"):
        LLMReader(ScriptedChat([]), **options)


def test_an_interrupted_reading_goes_on_from_the_cache(tmp_path: Path) -> None:
    def dying(request: ChatRequest) -> dict[str, Any] | Exception:
        return LLMError("the server died") if asked(request) == [4] else answer(request)

    path = tmp_path / "answers.sqlite"
    with CachedChat(ScriptedChat(dying), path) as chat, pytest.raises(LLMError, match="died"):
        bg.extract(INTERVIEW, reader=LLMReader(chat, max_concurrency=1))
    with CachedChat(ScriptedChat(answer), path) as chat:
        reader = LLMReader(chat)
        resumed = bg.extract(INTERVIEW, reader=reader)
    assert (reader.report.usage.calls, reader.report.usage.cached) == (1, 3)
    assert resumed == bg.extract(INTERVIEW, reader=LLMReader(ScriptedChat(answer)))


@pytest.mark.skipif(importlib.util.find_spec("httpx2") is None, reason="needs the extra llm")
def test_end_to_end_through_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def script(body: dict[str, Any], number: int) -> Reply:
        if number == 0:
            return failed(503, retry_after="0")
        if body.get("response_format", {}).get("type") == "json_schema":
            return failed(400, "json_schema is not supported by this model")
        request = ChatRequest(messages=tuple(body["messages"]))
        return said("```json\n" + json.dumps(answer(request)) + "\n```")

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serving(script) as server:
        reader = llm_reader(
            base_url=server.url, api_key="k-1234567", model="tiny",
            cache=tmp_path / "answers.sqlite", max_concurrency=2,
        )  # fmt: skip
        g = bg.extract(INTERVIEW, reader=reader)
        again = bg.extract(INTERVIEW, reader=reader)
        g.save(tmp_path / "g.json")
    assert again == g == bg.BeliefGraph.load(tmp_path / "g.json")
    assert g.influence("Bus lanes", "Traffic") is not None
    usage = reader.report.usage
    assert (usage.calls, usage.cached, usage.prompt_tokens) == (4, 4, 400)
    assert "k-1234567" not in (tmp_path / "g.json").read_text() + repr(reader)
    assert isinstance(reader.chat, CachedChat)
    reader.chat.close()
    assert RetryPolicy().max_retries == 5
