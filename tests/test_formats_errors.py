"""What bad input gets: a message that says what, where, the rule, the value got, and the fix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import beliefgraph as bg

DATA = Path(__file__).with_name("data")


def check(path: Path, *parts: str, **options: str | None) -> None:
    """The error names the file and says each of the parts."""
    with pytest.raises(bg.TranscriptError) as caught:
        bg.read_transcript(path, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    for part in parts:
        assert part in message


def test_missing_file_and_folder(tmp_path: Path) -> None:
    (tmp_path / "interview.csv").write_text("x")
    check(tmp_path / "interveiw.csv", "no such file", "Did you mean 'interview.csv'?")
    check(tmp_path / "no" / "a.csv", "the folder", "does not exist")


@pytest.mark.parametrize("content", [b"", b" \n\t\n", b"\xef\xbb\xbf"])
def test_empty_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    check(path, "empty")


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"question,answer\nwhy,be\x00cause\n", "byte 22 is NUL"),
        (b"%PDF-1.7 ...", "a PDF"),
        (b"PK\x03\x04....", ".docx"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", "old Microsoft Office"),
        (b"{\\rtf1 hello}", "rich text"),
    ],
)
def test_binary_file(tmp_path: Path, content: bytes, kind: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    check(path, kind, "Export it as plain text")


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    text = "Q: Où?\nA: Au café."
    path.write_bytes(text.encode("cp1252"))
    check(path, "not utf-8: byte 0xf9 at offset 4 (line 1)", "encoding='cp1252'", "iconv -f")
    check(path, "no encoding 'latin-99'", encoding="latin-99")
    for encoding, given in (
        ("cp1252", "cp1252"),
        ("utf-8-sig", None),
        ("utf-16", None),
        ("utf-32", None),
        ("utf-16-le", "utf-16-le"),
        ("utf-8-sig", "utf-8"),
    ):
        path.write_bytes(text.encode(encoding))
        assert bg.read_transcript(path, encoding=given).turn("1").answer == "Au café."


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("a.txt", "Dear diary,\n\ntoday I went out.", ["not an interview", "begins 'Dear diary,'"]),
        ("a.txt", "Q: why?\nQ: how?", ["the only labels are ['question']"]),
        ("a.txt", "Anna: why?\nBen: so", ["the only labels are ['Anna', 'Ben']"]),
        ("a.csv", "name,age\nAnn,41\n", ["not an interview", "found 'name', 'age'", "Rename"]),
        ("a.csv", "question,reply\nWhy?,So.\n", ["'question' and an 'answer'", "'reply'"]),
        ("a.txt", "name\tage\nAnn\t41\n", ["found 'name', 'age'"]),
        ("a.csv", "question,answer\n", ["no rows follow the header"]),
        ("a.csv", "question,answer\nQ1\n", ["line 2: missing cells: 1 of 2"]),
        ("a.json", "not json", ["no question and answer", "line 1: not JSON"]),
        ("a.json", '{"a": 1}', ["no question and answer", "its keys are 'a'"]),
        ("a.json", "[]", ["no question and answer", "holds no values"]),
        ("a.json", '[{"question": "x", "answer": 3}]', ["'answer' must be text, not 3"]),
        ("a.json", '{"stance": "s", "concepts": []}', ["belief graph", "BeliefGraph.load"]),
        ("a.csv", "Session ID,s\nStatus,completed\n", ["'Question Number,Question,Answer'"]),
    ],
)
def test_not_an_interview(tmp_path: Path, name: str, text: str, parts: list[str]) -> None:
    path = tmp_path / name
    path.write_text(text)
    check(path, *parts)


def test_naming_the_wrong_format(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Q: Why?\nA: So.")
    check(path, "not an interview", format="csv")
    check(path, "no HugAgent item", format="hugagent")
    check(path, "'Question Number,Question,Answer'", format="tyt")
    check(path, "saved transcript", format="transcript")
    check(path, "no question and answer", format="pairs")
    with pytest.raises(bg.TranscriptError, match=r"format='txt'.*Did you mean 'text'"):
        bg.read_transcript(path, format="txt")


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("a.csv", "id,question,answer\n1,a,b\n2,c,d\n1,e,f\n", ["line 2 and line 4", "'1'"]),
        ("a.csv", "id,question,answer\n1,a,b\n,c,d\n", ["line 3", "number is missing", "1 of 2"]),
        (
            "a.json",
            json.dumps([{"id": 1, "question": "", "answer": ""}] * 2),
            ["item 1 and item 2"],
        ),
        (
            "a.json",
            '[{"question": "", "answer": ""}, {"id": 1, "question": "", "answer": ""}]',
            ["item 1 has no number", "would be 1", "item 2 has already"],
        ),
        ("a.txt", "Q1: a\nA: b\nQ1: c\nA: d", ["line 1 and line 3", "'1'", "Renumber"]),
    ],
)
def test_question_numbers(tmp_path: Path, name: str, text: str, parts: list[str]) -> None:
    path = tmp_path / name
    path.write_text(text)
    check(path, *parts)


def test_tyt_question_numbers(tmp_path: Path) -> None:
    text = (DATA / "tyt_session.csv").read_text()
    path = tmp_path / "a.csv"
    path.write_text(text.replace("\n12,", "\n11,"))
    check(path, "both have the question number '11'")
    path.write_text(text.replace("\n12,", "\n,"))
    check(path, "the question number is missing")


def test_numbers_all_blank_are_given_by_place(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,question,answer\n,a,b\n,c,d\n")
    assert [turn.qa_id for turn in bg.read_transcript(path).turns] == ["1", "2"]


@pytest.mark.parametrize("size", [50_000, 400_000])
def test_a_very_long_answer(tmp_path: Path, size: int) -> None:
    answer = ("word " * size)[: size - 1] + "."
    for name, text in (
        ("a.csv", f'question,answer\nWhy?,"{answer}"\n'),
        ("a.txt", f"Q: Why?\nA: {answer}"),
        ("a.json", json.dumps([["Why?", answer]])),
    ):
        (tmp_path / name).write_text(text)
        assert bg.read_transcript(tmp_path / name).turn("1").answer == answer


def test_several_people_must_be_chosen_from(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("participant,topic,question,answer\nP1,x,a,b\nP2,x,c,d\nP2,y,e,f\n")
    check(path, "3 interviews", "participants: P1, P2", "topics: x, y", "participant= and topic=")
    check(path, "2 interviews", "topics: x, y", participant="P2")
    check(path, "no interview of participant 'P3'", "Known: 'P1', 'P2'", participant="P3")
    check(path, "participant 'P1' and topic 'y'", "Known: 'x'", participant="P1", topic="y")
    chosen = bg.read_transcript(path, participant="P2", topic="y")
    assert (chosen.turn("1").answer, chosen.participant, chosen.topic) == ("f", "P2", "y")


def test_a_name_that_the_file_contradicts_is_an_error() -> None:
    check(DATA / "tyt_session.csv", "no interview of participant 'P1'", participant="P1")


def test_folders(tmp_path: Path) -> None:
    check(tmp_path, "holds no files")
    (tmp_path / "inner").mkdir()
    (tmp_path / "README.md").write_text("Q: a\nA: b")
    check(tmp_path, "holds no files", "['inner']")
    (tmp_path / "bad.txt").write_text("nothing here")
    check(tmp_path, "none of its 1 files", "not an interview")
    (tmp_path / "one.txt").write_text("Q: a\nA: b")
    assert bg.read_transcript(tmp_path).turn("1").answer == "b"
    (tmp_path / "two.txt").write_text("Q: a\nA: c")
    check(tmp_path, "2 interviews", "one.txt", "two.txt")


def test_one_bad_file_does_not_stop_the_rest(tmp_path: Path) -> None:
    for name in ("hugagent_v1_items.jsonl", "tyt_session.csv"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    (tmp_path / "bad.docx").write_bytes(b"PK\x03\x04")
    (tmp_path / "bad.csv").write_text("id,question,answer\n1,a,b\n1,c,d\n")
    (tmp_path / "people.csv").write_text(
        "participant,id,question,answer\nP1,1,a,b\nP2,1,c,d\nP2,1,e,f\nP3\n"
    )
    transcripts, failed = bg.read_transcripts(tmp_path)
    people = [t.participant for t in transcripts]
    assert people == ["P99", "P1", "EXAMPLE0000000000000001"]
    messages = "\n".join(str(item.error) for item in failed)
    for part in ("bad.docx: ", "bad.csv: ", "both have the question number '1'", "line 5"):
        assert part in messages
    only, _ = bg.read_transcripts(tmp_path, participant="P99")
    assert [t.participant for t in only] == ["P99"]
    with pytest.raises(bg.TranscriptError, match="no interview of participant 'P7'"):
        bg.read_transcripts(tmp_path, participant="P7")


def test_hugagent_files_of_a_folder_are_pooled(tmp_path: Path) -> None:
    first, *rest = (DATA / "hugagent_v1_items.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "a.jsonl").write_text(first + "{broken\n")
    (tmp_path / "b.jsonl").write_text("".join(rest))
    t = bg.read_transcript(tmp_path, participant="P99", topic="zoning")
    assert (len(t.turns), t.merged_versions, t.source) == (10, 2, str(tmp_path))
    assert [(item.where, item.text) for item in t.left_out] == [("a.jsonl, line 2", "{broken")]
