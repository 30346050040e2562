"""HugAgent items: what is read, what never is, what is refused, and the way back."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import beliefgraph as bg
from beliefgraph.benchmark import read_items, write_items
from beliefgraph.extractors.evaluation import read_sign_items
from beliefgraph.survey import SIGN_SCALE, ItemSet, Scale
from beliefgraph.survey.hugagent.questions import Guide, parent_of, scenario_part
from tests.items_invented import invented_items

SAMPLES = ("hugagent_v1_items.jsonl", "hugagent_old_items.jsonl")
HOME = {"age": "41", "housing": "renter"}


def turn(number: int, question: str = "Why?", answer: str | None = None) -> dict[str, str]:
    answer = f"Because of reason {number}." if answer is None else answer
    return {"question_number": str(number), "question": question, "answer": answer}


def bsi(name: str = "s1", **changes: Any) -> dict[str, Any]:
    return {
        "item_id": name,
        "participant_id": "X1",
        "demographics": HOME,
        "context_qas": [turn(1), turn(2)],
        "topic": "zoning",
        "task_type": "belief_attribution",
        "task_question": "How much does bus speed affect support for lanes according to "
        "this person?",
        "answer_options": {"A": "POSITIVE effect", "B": "NEGATIVE effect"},
        "answer": "A",
        "source_qa": turn(3, "Does speed matter?", "It does."),
        "reasoning": "She says so.",
    } | changes


def bdu(name: str = "u1", **changes: Any) -> dict[str, Any]:
    return {
        "item_id": name,
        "participant_id": "X1",
        "demographics": HOME,
        "context_qas": [turn(1), turn(2), turn(3)],
        "topic": "zoning",
        "task_type": "belief_update",
        "question_id": "1.1",
        "question_type": "opinion",
        "task_question": "Based on their responses, how much does this person support bus lanes?",
        "user_answer": 8,
        "scale": [1, 10],
    } | changes


def reason(name: str = "r1", **changes: Any) -> dict[str, Any]:
    return bdu(
        name,
        **{
            "question_id": "1.4r_N",
            "question_type": "reason_evaluation",
            "scale": [1, 5],
            "user_answer": 4,
            "reason_code": "N",
            "reason_text": "Everyone rides.",
            "task_question": "Context: Based on their responses, how do you think this scenario "
            "would affect this person's stance? Fares fall by half. Would that change your view?"
            "\n\nBased on this context, how much does the idea that everyone rides influence this "
            "person's opinion?",
        }
        | changes,
    )


@pytest.fixture
def lines(tmp_path: Path) -> Callable[..., Path]:
    def write(*items: Any, name: str = "items.jsonl") -> Path:
        path = tmp_path / name
        text = [item if isinstance(item, str) else json.dumps(item) for item in items]
        path.write_text("\n".join(text), encoding="utf-8")
        return path

    return write


def test_a_sign_item_reads_as_its_columns_say(lines: Callable[..., Path]) -> None:
    (each,) = read_items(lines(bsi())).answered
    question = each.item.question
    assert (question.factor, question.outcome) == ("bus speed", "support for lanes")
    assert (question.task, question.role, question.scale) == ("bsi", "baseline", SIGN_SCALE)
    assert [t.qa_id for t in each.item.context.turns] == ["1", "2"]
    assert each.values == (1,)
    assert each.source is not None
    assert each.source.answer == "It does."


@pytest.mark.parametrize(("label", "values"), [("A", (1,)), ("B", (-1,)), ("A/B", (1, -1))])
def test_labels_become_signs(
    lines: Callable[..., Path], label: str, values: tuple[int, ...]
) -> None:
    assert read_items(lines(bsi(answer=label))).answered[0].values == values


@pytest.mark.parametrize(
    "question",
    [
        "How much do lower fares affect support for lanes?",
        "How much does lower fares affect support for lanes according to this person?",
    ],
)
def test_both_wordings_of_a_sign_question_give_factor_and_outcome(
    lines: Callable[..., Path], question: str
) -> None:
    (item,) = read_items(lines(bsi(task_question=question)))
    assert (item.question.factor, item.question.outcome) == ("lower fares", "support for lanes")


@pytest.mark.parametrize(
    ("question_id", "role", "scenario_id"),
    [
        ("1.1", "baseline", None),
        ("2.1", "baseline", None),
        ("3.1", "baseline", None),
        *((f"1.{n}", "scenario", f"1.{n}") for n in (2, 3, 4)),
        *((f"2.{n}", "scenario", f"2.{n}") for n in (6, 7, 8)),
        *((f"3.{n}", "scenario", f"3.{n}") for n in (6, 7, 8, 9)),
        *((f"{t}.{n}", "experience", None) for t in (2, 3) for n in (2, 3, 4)),
    ],
)
def test_roles_follow_from_the_documented_ids(
    lines: Callable[..., Path], question_id: str, role: str, scenario_id: str | None
) -> None:
    (item,) = read_items(lines(bdu(question_id=question_id)))
    assert (item.question.role, item.question.scenario_id) == (role, scenario_id)


def test_roles_follow_from_the_survey_file_where_there_is_one(
    lines: Callable[..., Path], tmp_path: Path
) -> None:
    asked = [
        {"id": "7.1", "type": "stance", "text": "Support?"},
        {"id": "7.2", "type": "opinion", "text": "How often?"},
        {"id": "7.3", "type": "scenario", "text": "Fares fall. How would this affect your stance?"},
    ]
    content = tmp_path / "survey_content"
    content.mkdir()
    surveys = {"topics": {"other_name": {"questions": asked}}}
    (content / "surveys.json").write_text(json.dumps(surveys))
    path = lines(
        bdu("a", question_id="7.1"),
        bdu("b", question_id="7.2"),
        bdu("c", question_id="7.3", task_question="Fares fall. How would this affect your stance?"),
        reason("d", question_id="7.3r_A", task_question="How much does the idea matter?"),
    )
    questions = [item.question for item in read_items(path)]
    assert [q.role for q in questions] == ["baseline", "experience", "scenario", "scenario"]
    assert {q.topic for q in questions} == {"zoning"}
    assert questions[3].scenario == "Fares fall."  # its line does not repeat it
    with pytest.raises(bg.SurveyError, match=r"question '1\.1' is not in .*surveys\.json"):
        read_items(lines(bdu(question_id="1.1")))


def test_the_items_own_reason_counts(lines: Callable[..., Path]) -> None:
    question = next(iter(read_items(lines(reason())))).question
    assert (question.reason_code, question.reason) == ("N", "Everyone rides.")
    assert (question.task, question.role, question.scenario_id) == ("bdu_reason", "scenario", "1.4")
    assert question.scenario == "Fares fall by half."
    assert question.scale == Scale.between(1, 5)


@pytest.mark.parametrize(
    ("text", "scenario"),
    [
        ("Fares fall. Shops gain. How would this affect your stance?", "Fares fall. Shops gain."),
        ("What if it applied to all towns? How would this affect your stance?",
         "What if it applied to all towns?"),
        ("If buses were free, would that impact your opinion?", "If buses were free"),
        ("Fares fall. Knowing this, how would it affect your opinion of buses?", "Fares fall."),
        ("Now imagine that all buses are green.", "Now imagine that all buses are green."),
        ("How would this affect your stance?", "How would this affect your stance?"),
    ],
)  # fmt: skip
def test_a_scenario_is_told_without_its_question(text: str, scenario: str) -> None:
    lead = "Based on their responses, what do you think this person would answer to: "
    assert scenario_part(text) == scenario
    assert scenario_part(lead + text) == scenario


def test_parents_of_reasons() -> None:
    assert [parent_of(name) for name in ("1.4r_N", "busr_A", "2.5_C", "3.1")] == [
        "1.4",
        "bus",
        "2.5",
        "3.1",
    ]


def test_nothing_of_the_answer_reaches_an_item(lines: Callable[..., Path]) -> None:
    planted = "PLANTED"
    path = lines(
        bsi(
            "asked",
            source_qa=turn(3, f"{planted}?", planted),
            reasoning=planted,
            answer_options={"A": planted, "B": planted},
        ),
        bsi("other", context_qas=[turn(1), turn(2), turn(3, f"{planted}?", planted)]),
        bdu("free", context_qas=[turn(1), turn(2), turn(4, "And?", planted)]),
    )
    items = read_items(path)
    item = items.by_id["asked"].item
    assert planted in json.dumps(items.by_id["other"].item.model_dump())  # the test can fail
    shown = json.dumps(item.model_dump())
    assert planted not in shown
    flipped = read_items(lines(*(
        {**json.loads(line), **({"answer": "B"} if "asked" in line else {})}
        for line in path.read_text().splitlines()
    )))  # fmt: skip
    assert flipped.by_id["asked"].item == item
    assert flipped.by_id["asked"].values == (-1,)


def test_an_update_item_does_not_hold_its_answer(lines: Callable[..., Path]) -> None:
    low, high = (next(iter(read_items(lines(bdu(user_answer=n))))) for n in (1, 9))
    assert low == high


def test_a_person_has_the_contexts_that_hide_nothing(lines: Callable[..., Path]) -> None:
    hiding = [turn(1), turn(3)]
    path = lines(
        bdu("u"),
        bsi("s1", context_qas=[turn(1), turn(2), turn(9)]),
        bsi("s2", topic="library", context_qas=hiding),
        bsi("s3", topic="library", context_qas=[turn(2), turn(1)]),
    )
    person = read_items(path).people["X1"]
    assert person.demographics == HOME
    assert person.responses == ()
    zoning, library = person.transcripts["zoning"], person.transcripts["library"]
    assert [t.qa_id for t in zoning.turns] == ["1", "2", "3"]
    assert zoning.merged_versions == 1
    assert [t.qa_id for t in library.turns] == ["1", "2", "3"]
    assert library.merged_versions == 2


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (bdu(user_answer=11), r"line 2: .*must be one of 1\.\.10, got 11"),
        (bdu(user_answer=7.5), "line 2: 'user_answer' must be a whole number, got 7.5"),
        (bdu(user_answer=None), "line 2: 'user_answer' must be a whole number, got None"),
        (bdu(user_answer=True), "'user_answer' must be a whole number, got True"),
        (bdu(scale=10), r"'scale' must be the least and the greatest answer, .* got 10"),
        (bdu(question_id="1.9"), r"role of question '1\.9' is not in the ids .* Did you mean"),
        (bdu(question_type="opinon"), "'question_type' 'opinon' is not known. Did you mean"),
        (bdu(task_type="belief_updat"), "'task_type' 'belief_updat' is not known. Did you mean"),
        (bdu(topic=""), "'topic' must be text that is not empty"),
        (bdu(participant_id=None), "names no person"),
        (bdu(item_id=None), "'item_id' is missing"),
        (bdu(context_qas="none"), "'context_qas' must be a list"),
        (bdu(context_qas=[turn(1), {"answer": "x"}]), "context_qas 2: the question number"),
        (bdu(context_qas=[turn(1), turn(1)]), "both numbered '1'"),
        (bsi("x", answer="C"), "'answer' must be one of A, B, A/B, got 'C'"),
        (bsi("x", task_question="Is it good?"), "must be 'How much does X affect Y"),
        (bsi("x", source_qa={"answer": "y"}), "'source_qa': the question number is missing"),
        ('{"item_id": "x", ', "not JSON"),
        (bdu("u2", demographics={"age": "9"}), "another item gives another value: age: 9"),
    ],
)  # fmt: skip
def test_what_breaks_a_rule_is_an_error_that_says_where(
    lines: Callable[..., Path], item: Any, message: str
) -> None:
    path = lines(bdu("good"), item)
    with pytest.raises(bg.SurveyError, match=message) as error:
        read_items(path)
    assert str(path) in str(error.value)
    lenient = read_items(path, strict=False)
    assert "good" in lenient.by_id
    assert len(lenient.left_out) == 1
    assert str(path) in lenient.left_out[0].where


def test_an_id_that_stands_twice_is_an_error(lines: Callable[..., Path]) -> None:
    with pytest.raises(bg.SurveyError, match="item 'u1' stands 2 times"):
        read_items(lines(bdu(), bdu()))


def test_a_folder_passes_over_what_holds_no_items(
    lines: Callable[..., Path], tmp_path: Path
) -> None:
    lines(bdu())
    lines({"gpt": 70.0}, name="leaderboard.json")
    lines("context_qas", name="notes.txt")
    assert len(read_items(tmp_path)) == 1
    with pytest.raises(bg.SurveyError, match=r"there are no items; expected JSON lines"):
        read_items(tmp_path / "leaderboard.json", strict=False)


def test_an_empty_file_is_said_to_be_one(lines: Callable[..., Path], tmp_path: Path) -> None:
    with pytest.raises(bg.SurveyError, match="there are no items"):
        read_items(tmp_path)
    lines(bdu())
    lines("", name="empty.jsonl")
    with pytest.raises(bg.SurveyError, match=r"empty\.jsonl: the file is empty"):
        read_items(tmp_path)
    (part,) = read_items(tmp_path, strict=False).left_out
    assert part.where == str(tmp_path / "empty.jsonl")


def test_a_file_of_one_item_counts_lines_too(lines: Callable[..., Path]) -> None:
    with pytest.raises(bg.SurveyError, match=r"items\.jsonl, line 3: "):
        read_items(lines("", "", bdu(user_answer=0)))


def test_signs_are_read_from_every_form_by_the_same_reader(tmp_path: Path) -> None:
    path = tmp_path / "sample_items.jsonl"
    path.write_text("\n".join(json.dumps(item, indent=2) for item in (bdu(), bsi())))
    (item,) = read_sign_items(tmp_path)
    (each,) = (a for a in read_items(path).answered if a.source is not None)
    assert each.source is not None
    assert (item.question, item.answer) == (each.source.question, each.source.answer)


def test_several_files_are_one_set(lines: Callable[..., Path]) -> None:
    paths = [lines(bdu("a"), name="a.jsonl"), lines(bsi("b"), name="b.jsonl")]
    items = read_items(paths)
    assert [item.item_id for item in items] == ["a", "b"]
    assert items.source == f"{paths[0]}, {paths[1]}"


def test_ids_of_the_older_form_are_told_apart_by_their_files(lines: Callable[..., Path]) -> None:
    old = {key: value for key, value in bdu().items() if key != "item_id"} | {"id": "qa_001"}
    paths = [lines(old, name=f"sample_{n}.jsonl") for n in (1, 2)]
    assert [item.item_id for item in read_items(paths[0])] == ["qa_001"]
    assert [item.item_id for item in read_items(paths)] == ["sample_1/qa_001", "sample_2/qa_001"]


def test_the_older_form_is_pretty_printed_and_names_people_otherwise(tmp_path: Path) -> None:
    old = bdu()
    old["id"], old["prolific_id"] = old.pop("item_id"), old.pop("participant_id")
    path = tmp_path / "sample_items.jsonl"
    path.write_text("\n".join(json.dumps(item, indent=2) for item in (old, bsi())))
    assert {item.participant for item in read_items(path)} == {"X1"}


@pytest.mark.parametrize("name", SAMPLES)
def test_the_invented_samples_are_read(root: Path, name: str) -> None:
    path = root.parent / "shared" / "samples" / name
    if not path.exists():
        pytest.skip("the samples are not here")
    tasks = [item.question.task for item in read_items(path)]
    assert tasks == ["bsi", "bdu_stance", "bdu_reason"]


def test_nested_columns_may_be_json_text(lines: Callable[..., Path]) -> None:
    nested = ("demographics", "context_qas", "scale", "source_qa", "answer_options")
    plain = [bsi(), bdu(), reason()]
    text = [
        {key: json.dumps(value) if key in nested else value for key, value in item.items()}
        for item in plain
    ]
    assert read_items(lines(*text)).answered == read_items(lines(*plain)).answered


def test_parquet_reads_as_the_lines_do(lines: Callable[..., Path], tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    plain = [bsi(), bdu(), reason()]
    nested = ("demographics", "context_qas", "scale", "source_qa", "answer_options")
    columns = dict.fromkeys(key for item in plain for key in item)
    rows = [
        {
            key: json.dumps(item[key]) if key in nested and key in item else item.get(key)
            for key in columns
        }
        for item in plain
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "items.parquet")
    assert read_items(tmp_path / "items.parquet").answered == read_items(lines(*plain)).answered
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(bg.SurveyError, match="not a whole parquet file"):
        read_items(tmp_path / "broken.parquet")


def test_parquet_without_pyarrow_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "items.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(bg.MissingPackageError, match=r"pip install 'beliefgraph\[parquet\]'"):
        read_items(path)


def assert_same(one: ItemSet, other: ItemSet) -> None:
    assert one.answered == other.answered
    assert one.people == other.people
    assert one.context_policy == other.context_policy


def test_what_is_written_is_read_again(lines: Callable[..., Path], tmp_path: Path) -> None:
    items = read_items(lines(bsi(), bdu(), reason(), bdu("e", question_id="2.2")))
    path = write_items(items, tmp_path / "new" / "folder")
    assert_same(read_items(path.parent), items)
    first = path.read_bytes()
    write_items(read_items(path), path.parent)
    assert path.read_bytes() == first


def test_invented_items_are_written_whole(tmp_path: Path) -> None:
    items = invented_items()
    again = read_items(write_items(items, tmp_path))
    assert again.answered == items.answered
    assert {p.participant for p in again.people.values()} == set(items.people)


def test_scales_and_policies_are_written_too(lines: Callable[..., Path], tmp_path: Path) -> None:
    items = read_items(lines(bdu()))
    odd = Scale(points=(0, 2, 4), labels=("no", "some", "much"))
    item = items.answered[0].item
    asked = item.question.replace(scale=odd)
    changed = items.answered[0].replace(item=item.replace(question=asked), values=(2, 4))
    items = items.replace_items((changed,), "first:2")
    assert_same(read_items(write_items(items, tmp_path / "odd")), items)


def test_other_items_in_the_folder_are_not_joined(
    lines: Callable[..., Path], tmp_path: Path
) -> None:
    items = read_items(lines(bdu(), name="mine.jsonl"))
    with pytest.raises(bg.SurveyError, match=r"holds 'mine\.jsonl' already"):
        write_items(items, tmp_path)


def test_a_tutorial_turn_stays_one(lines: Callable[..., Path], tmp_path: Path) -> None:
    said = {**turn(1, "Ready?", "yes"), "role": "tutorial"}
    items = read_items(lines(bdu(context_qas=[said, turn(2)])))
    assert [t.role for t in items.answered[0].item.context.turns] == ["tutorial", "interview"]
    assert_same(read_items(write_items(items, tmp_path / "new")), items)


def test_any_text_survives_the_way_out_and_back(tmp_path: Path) -> None:
    pytest.importorskip("hypothesis")
    from hypothesis import given, settings
    from hypothesis import strategies as st

    words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip)

    @settings(max_examples=40, deadline=None)
    @given(question=words, answer=words, factor=words, value=st.integers(1, 10))
    def holds(question: str, answer: str, factor: str, value: int) -> None:
        path = tmp_path / "in.jsonl"
        context = [turn(1, question, answer)]
        sign = bsi(context_qas=context, factor=factor, outcome=answer)
        update = bdu(context_qas=context, user_answer=value, role="baseline")
        path.write_text(json.dumps(sign) + "\n" + json.dumps(update))
        items = read_items(path)
        assert items.answered[0].item.question.factor == factor
        assert_same(read_items(write_items(items, tmp_path / "out")), items)

    holds()


def test_the_guide_is_documented() -> None:
    assert Counter(Guide().roles.values()) == {"baseline": 5, "scenario": 10, "experience": 6}


def test_the_real_items(hugagent: Path, tmp_path: Path) -> None:
    with pytest.raises(bg.SurveyError, match=r"must be one of 1\.\.5, got 0"):
        read_items(hugagent)  # an answer off its scale, which the published scorer takes as it is
    items = bg.read_items(hugagent, strict=False)
    counts = Counter(each.question.task for each in items)
    left = len(items.left_out)
    raw = [
        json.loads(line)
        for path in sorted(hugagent.glob("belief_*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert len(items) + left == len(raw)
    assert counts["bsi"] == sum("source_qa" in line for line in raw)
    for line in raw:
        if line["item_id"] in items.by_id:
            each = items.by_id[line["item_id"]]
            assert [t.answer for t in each.item.context.turns] == [
                t["answer"] for t in line["context_qas"]
            ]
            if "user_answer" in line:
                assert each.values == (line["user_answer"],)
            elif line["answer"] != "A/B":
                assert each.values == ({"A": 1, "B": -1}[line["answer"]],)
    for item in items:
        question = item.question
        assert (question.role == "scenario") == (question.scenario is not None)
        assert (question.task == "bsi") == (question.factor is not None)
    again = read_items(write_items(items, tmp_path))
    assert again.answered == items.answered
    assert again.people == items.people
