"""What is written in a format reads back the same, whatever the words are."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import beliefgraph as bg
from beliefgraph.formats.json import save_transcript
from tests.strategies import plain_texts, texts, transcripts

visible = texts.filter(lambda text: bool(text.strip()))
HEADER = "Session ID,s1\nProlific ID,P1\nStatus,completed\n\n"


def read(text: str, name: str) -> bg.Transcript:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_text(text, encoding="utf-8", newline="")
        return bg.read_transcript(path)


def asked(transcript: bg.Transcript) -> list[tuple[str, str]]:
    return [(turn.question, turn.answer) for turn in transcript.turns]


@given(pairs=st.lists(st.tuples(visible, texts), min_size=1, max_size=5))
def test_tyt_csv(pairs: list[tuple[str, str]]) -> None:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(["Question Number", "Question", "Answer"])
    writer.writerows((n, *pair) for n, pair in enumerate(pairs, start=1))
    t = read(HEADER + file.getvalue(), "a.csv")
    assert asked(t) == pairs
    assert (t.format, t.participant, t.left_out) == ("tyt", "P1", ())


@given(pairs=st.lists(st.tuples(texts, texts), min_size=1, max_size=5), ascii_only=st.booleans())
def test_json_pairs(pairs: list[tuple[str, str]], ascii_only: bool) -> None:
    objects = [{"question": question, "answer": answer} for question, answer in pairs]
    for text in (
        json.dumps(objects, ensure_ascii=ascii_only),
        json.dumps(objects, ensure_ascii=ascii_only, indent=2),
        "\n".join(json.dumps(item, ensure_ascii=ascii_only) for item in objects),
        json.dumps({"turns": objects}, ensure_ascii=ascii_only),
        json.dumps([list(pair) for pair in pairs], ensure_ascii=ascii_only),
    ):
        t = read(text, "a.json")
        assert asked(t) == pairs
        assert (t.format, t.left_out) == ("pairs", ())


@given(
    pairs=st.lists(
        st.tuples(*[st.lists(plain_texts, min_size=1, max_size=3).map("\n".join)] * 2),
        min_size=1,
        max_size=5,
    ),
    labels=st.sampled_from([("Q", "A"), ("Interviewer", "P07"), ("Question", "Answer")]),
    gap=st.sampled_from(["\n", "\n\n", "\r\n"]),
)
def test_text(pairs: list[tuple[str, str]], labels: tuple[str, str], gap: str) -> None:
    lines = (f"{label}: {text}" for pair in pairs for label, text in zip(labels, pair, strict=True))
    t = read(gap.join(lines), "a.txt")
    assert asked(t) == pairs
    assert (t.format, t.left_out) == ("text", ())


@given(transcript=transcripts())
def test_saved_transcript(transcript: bg.Transcript) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.json")
        save_transcript(transcript, path)
        assert bg.read_transcript(path) == transcript


@given(text=texts)
def test_any_text_is_read_or_refused_with_a_reason(text: str) -> None:
    for name in ("a.txt", "a.csv", "a.json", "a.jsonl"):
        message = name
        try:
            read(text, name)
        except bg.TranscriptError as problem:
            message = str(problem)
        assert name in message


@given(
    cut=st.integers(0, 2800), name=st.sampled_from(["tyt_session.csv", "hugagent_old_items.jsonl"])
)
def test_a_file_cut_anywhere_gives_its_whole_turns_or_a_reason(cut: int, name: str) -> None:
    whole = Path(__file__).with_name("data").joinpath(name)
    known = {(turn.qa_id, turn.answer) for turn in bg.read_transcript(whole).turns}
    text = whole.read_text(encoding="utf-8")
    try:
        t = read(text[: len(text) * cut // 2800], name)
    except bg.TranscriptError:
        return
    got = {(turn.qa_id, turn.answer) for turn in t.turns}
    assert len(got - known) <= 1  # a CSV cell that is not quoted cannot tell that it was cut
