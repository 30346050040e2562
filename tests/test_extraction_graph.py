"""From transcript to graph: true quotes, no loops, nothing lost, the same graph every time."""

from __future__ import annotations

import csv
import json
import re
import time
from itertools import pairwise, permutations
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import beliefgraph as bg
from beliefgraph.formats.json import save_transcript
from beliefgraph.loops import break_loops
from tests.strategies import texts

pytestmark = pytest.mark.needs_pipeline

STANCE = "Support for tool libraries"
Pairs = list[tuple[str, str]]


def ask(source: str, target: str = STANCE) -> str:
    return f"Does {source} have a positive or negative effect on {target}?"


OPENING = "To what extent do you support tool libraries?"
INTERVIEW: Pairs = [
    (OPENING, "I support them strongly."),
    (ask("Repair skills"), "Positive, a strong effect."),
    (ask("Storage costs"), "Negative, it lowers my support."),
    (ask("Repair skills", "Household waste"), "Negative. More repair means less waste."),
    (ask("Household waste"), "It has a negative effect."),
    (ask("Opening hours"), "No effect at all."),
    (ask("Insurance"), "I don't know."),
    (ask("Repair skills"), "Actually negative, maybe."),
    (ask("Household waste", "Storage costs"), "Positive, slightly."),
    ("What causes Storage costs?", "Rising rents increase storage costs."),
]


def graph_of(pairs: Pairs) -> bg.BeliefGraph:
    return bg.extract(bg.Transcript.from_pairs(pairs), vectors=None)


def edges(graph: bg.BeliefGraph) -> set[tuple[object, ...]]:
    """Every influence with its mentions, however turns are numbered and ordered."""
    both = (*graph.influences, *(item.influence for item in graph.feedback))
    return {
        (e.source, e.target, round(e.weight, 9), round(e.confidence, 5),
         tuple(sorted((m.quote, m.sign, m.start, m.confidence) for m in e.evidence)))
        for e in both
    }  # fmt: skip


def check(graph: bg.BeliefGraph, transcript: bg.Transcript) -> None:
    """What holds of every graph that was extracted, worked out anew."""
    answers = {turn.qa_id: turn.answer for turn in transcript.turns}
    cited = [r.evidence for r in graph.readings]
    cited += [e for c in graph.concepts for e in c.evidence]
    cited += [e for i in graph.influences for e in i.evidence]
    cited += [e for f in graph.feedback for e in f.influence.evidence]
    for item in cited:
        assert answers[item.qa_id][item.start : item.end] == item.quote
    dag = nx.DiGraph([(e.source, e.target) for e in graph.influences])
    assert nx.is_directed_acyclic_graph(dag)
    assert {reading.evidence.qa_id for reading in graph.readings} == set(answers)
    assert graph.transcript == transcript
    assert not any(e.source == graph.stance for e in graph.influences)
    assert all(e.evidence and 0 <= e.confidence <= 1 for e in graph.influences)


PHRASES = st.lists(
    st.sampled_from(
        ["it raises", "it lowers", "my support", "repair skills", "because", "so", "waste", "more",
         "less", "not", "no effect", "and", "but", "if", ".", ",", "🔧", "naïve", "I don't know",
         "same as before", "um", "Thanks for watching!", "rents", "people say", "\n", "it\u2019s"]
    ),
    max_size=14,
).map(" ".join)  # fmt: skip
QUESTIONS = st.one_of(
    st.sampled_from(
        [OPENING, ask("Repair skills"), ask("Waste", "Rents"), ask("Positive effect"), ask("?"),
         "What causes Rents?", "What does Waste lead to?", "And what else?", "", "🔧?"]
    ),
    texts,
)  # fmt: skip


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(QUESTIONS, PHRASES | texts), min_size=1, max_size=5))
def test_any_interview_gives_a_graph_with_true_quotes(pairs: Pairs) -> None:
    transcript = bg.Transcript.from_pairs(pairs)
    graph = bg.extract(transcript, stance=STANCE, vectors=None)
    check(graph, transcript)
    again = bg.extract(transcript, stance=STANCE, vectors=None)
    assert again.model_dump_json() == graph.model_dump_json()


@pytest.mark.parametrize(
    "answer",
    ["x" * 50_000, "it helps a lot and " * 2_600, "Because. " * 5_500, "no " * 16_500,
     "🔧 " * 25_000,
     "I support it because waste falls. " * 1_470, "\n" * 50_000, "not, but if " * 4_200],
    ids=["word", "and", "because", "no", "emoji", "sentences", "lines", "joints"],
)  # fmt: skip
@pytest.mark.parametrize("question", [OPENING, ask("Repair skills"), "What causes Waste?"])
def test_answers_of_fifty_thousand_characters(question: str, answer: str) -> None:
    transcript = bg.Transcript.from_pairs([(question, answer), (ask("Waste"), "Positive.")])
    check(bg.extract(transcript, stance=STANCE, vectors=None), transcript)


@pytest.mark.parametrize("symbol", ["🔧", "!"])
def test_a_run_of_symbols_costs_linear_time(symbol: str) -> None:
    def seconds(n: int) -> float:
        transcript = bg.Transcript.from_pairs([(ask("Waste"), symbol * n)])
        start = time.perf_counter()
        bg.extract(transcript, stance=STANCE, vectors=None)
        return time.perf_counter() - start

    seconds(3)  # loads the pipeline
    short = seconds(300)
    assert seconds(3_000) < 10 * short + 0.1


@pytest.mark.parametrize("answer", ["", " ", "\n", "🔧", "...", "Um.", "Thanks for watching!"])
def test_silence_is_a_reading_and_no_influence(answer: str) -> None:
    graph = graph_of([(ask("Repair skills"), answer), (ask("Waste"), "Positive.")])
    (reading,) = [r for r in graph.readings if r.evidence.qa_id == "1"]
    assert (reading.kind, reading.evidence.sign) == ("off_topic", None)
    assert [e.source for e in graph.influences] == ["Waste"]


def test_an_answer_that_states_the_stance_is_not_off_topic() -> None:
    graph = graph_of([(OPENING, "I support them.")])
    assert graph.concept(graph.stance).baseline > 0
    assert graph.readings[0].kind != "off_topic"


def test_same_graph_byte_for_byte() -> None:
    first, second = graph_of(INTERVIEW), graph_of(list(INTERVIEW))
    assert first.model_dump_json() == second.model_dump_json()
    check(first, bg.Transcript.from_pairs(INTERVIEW))


@settings(max_examples=12, deadline=None)
@given(st.permutations(INTERVIEW))
def test_the_order_of_turns_changes_no_influence(pairs: Pairs) -> None:
    assert edges(graph_of(pairs)) == edges(graph_of(INTERVIEW))


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(
    "name",
    ["bus_lanes_tyt.csv", "remote_work.jsonl", "school_meals.json", "school_phones.txt",
     "vegetarian.txt"],
)  # fmt: skip
def test_the_order_of_an_example_changes_no_influence(root: Path, name: str, seed: int) -> None:
    read = bg.read_transcript(root / "examples" / "interviews" / name)
    turns = [t for t in read.turns if not re.search(r"\bsame\b|\b(said|above)\b", t.answer, re.I)]
    assert len(turns) > 0.6 * len(read.turns)
    order = np.random.default_rng(seed).permutation(len(turns))
    shuffled = read.replace(turns=tuple(turns[i] for i in order))
    expected = edges(bg.extract(read.replace(turns=tuple(turns)), vectors=None))
    assert edges(bg.extract(shuffled, vectors=None)) == expected


def test_the_file_format_changes_no_influence(tmp_path: Path) -> None:
    made = {name: tmp_path / f"interview.{name}" for name in ("csv", "json", "jsonl", "txt")}
    with made["csv"].open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("Question", "Answer"), *INTERVIEW])
    rows = [{"question": q, "answer": a} for q, a in INTERVIEW]
    made["json"].write_text(json.dumps(rows), encoding="utf-8")
    made["jsonl"].write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    lines = [f"Interviewer: {q}\nParticipant: {a}\n" for q, a in INTERVIEW]
    made["txt"].write_text("\n".join(lines), encoding="utf-8")
    made["saved"] = tmp_path / "saved.json"
    save_transcript(bg.Transcript.from_pairs(INTERVIEW), made["saved"])
    expected = edges(graph_of(INTERVIEW))
    read = {name: bg.read_transcript(path) for name, path in made.items()}
    assert len({transcript.format for transcript in read.values()}) >= 4
    for name, transcript in read.items():
        assert edges(bg.extract(transcript, vectors=None)) == expected, name


def test_the_fixed_interview_reads_as_written() -> None:
    graph = graph_of(INTERVIEW)
    signs = {(e.source, e.target): np.sign(e.weight) for e in graph.influences}
    assert signs["Storage costs", STANCE] == -1
    assert signs["Repair skills", "Household waste"] == -1
    assert signs["Household waste", STANCE] == -1
    assert signs["Household waste", "Storage costs"] == 1
    assert graph.concept(STANCE).baseline > 0.5
    assert not {"Opening hours", "Insurance"} & set(graph.names)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("No effect.", "no_effect"), ("It doesn't matter to me.", "no_effect"),
        ("I don't know.", "dont_know"), ("No idea.", "dont_know"),
        ("I don't understand the question.", "not_understood"), ("It depends.", "mixed"),
        ("Both positive and negative.", "mixed"), ("It could go either way.", "mixed"),
    ],
)  # fmt: skip
def test_four_answers_that_give_no_signed_edge(answer: str, kind: str) -> None:
    graph = graph_of([(ask("Repair skills"), answer), (ask("Waste"), "Positive.")])
    (reading,) = [r for r in graph.readings if r.evidence.qa_id == "1"]
    assert (reading.kind, reading.source, reading.target) == (kind, "Repair skills", STANCE)
    assert reading.evidence.sign == (0 if kind == "no_effect" else None)
    assert "Repair skills" not in graph.names


def test_several_mentions_are_kept_and_a_contradiction_shows() -> None:
    said = ["Positive, a strong effect.", "Positive, maybe.", "Negative."]
    graph = graph_of([(ask("Repair skills"), answer) for answer in said])
    edge = graph.influence("Repair skills", STANCE)
    assert edge is not None
    assert [(m.qa_id, m.sign, m.strength) for m in edge.evidence] == [
        ("1", 1, 0.8), ("2", 1, None), ("3", -1, None)
    ]  # fmt: skip
    c1, c2, c3 = (m.confidence for m in edge.evidence)
    assert c2 < c1
    assert edge.weight == pytest.approx((0.8 * c1 + 0.5 * c2 - 0.5 * c3) / (c1 + c2 + c3))
    assert edge.n == 3
    assert edge.disagreement == pytest.approx(1 / 3)
    assert sum(p for _, p in edge.mentions()) == pytest.approx(1)
    assert sum(w * p for w, p in edge.mentions()) == pytest.approx(edge.weight)
    agreeing = graph_of([(ask("Repair skills"), answer) for answer in said[:2]])
    alone = graph_of([(ask("Repair skills"), said[0]), (ask("Waste"), "Unclear.")])
    confidences = [g.influences[0].confidence for g in (graph, alone, agreeing)]
    assert confidences == sorted(confidences)
    assert len(set(confidences)) == 3


@pytest.mark.parametrize("back", ["Same as before.", "as I said, the same", "Ditto."])
def test_same_as_before_is_the_last_signed_probe(back: str) -> None:
    pairs = [(ask("Repair skills"), "Positive."), (ask("Rent"), "Very negative, a strong effect."),
             (ask("Insurance"), "I don't know."), (ask("Opening hours"), back)]  # fmt: skip
    graph = graph_of(pairs)
    edge, meant = (graph.influence(name, STANCE) for name in ("Opening hours", "Rent"))
    assert edge is not None
    assert meant is not None
    assert edge.weight == meant.weight < 0
    assert edge.confidence < meant.confidence
    assert edge.evidence[0].quote.rstrip(".") == back.rstrip(".")
    (reading,) = [r for r in graph.readings if r.evidence.qa_id == "4"]
    assert reading.note == "refers back to turn 2"


def test_nothing_to_refer_back_to() -> None:
    graph = graph_of([(ask("Rent"), "Same as before."), (ask("Noise"), "Positive.")])
    assert [e.source for e in graph.influences] == ["Noise"]


def test_tutorial_turns_are_read_as_nothing() -> None:
    said = "Repair skills raise my support a lot."
    turns = [bg.Turn(qa_id="t", question=OPENING, answer=said, role="tutorial"),
             bg.Turn(qa_id="1", question=ask("Rent"), answer="Negative.")]  # fmt: skip
    graph = bg.extract(bg.Transcript(turns=tuple(turns)), vectors=None)
    assert [(r.kind, r.evidence.quote) for r in graph.readings if r.evidence.qa_id == "t"] == [
        ("nothing", said)
    ]
    assert [e.source for e in graph.influences] == ["Rent"]
    assert graph.concept(STANCE).evidence[0].qa_id == "1"


@pytest.mark.parametrize("label", ["Positive effect", "Negative Effect", "Noticeable changes"])
def test_degenerate_labels_become_no_concept(label: str) -> None:
    graph = graph_of([(ask(label), "Positive, strong."), (ask("Rent"), "Negative.")])
    assert graph.names == ("Rent", STANCE)
    assert label in next(r.note for r in graph.readings if r.evidence.qa_id == "1")


@pytest.mark.parametrize(
    ("pairs", "stance"),
    [
        ([(OPENING, "Yes.")], "Support for tool libraries"),
        ([(ask("Rent"), "Positive.")], STANCE),
        ([(ask("Rent"), "Yes."), (ask("Rent", "Mood"), "No."), (ask("Noise", "Mood"), "")], STANCE),
        ([(ask("Rent", "Mood"), "Yes."), (ask("Noise", "Mood"), "No.")], "Mood"),
    ],
)
def test_the_stance_is_found(pairs: Pairs, stance: str) -> None:
    assert graph_of(pairs).stance == stance


@pytest.mark.parametrize("pairs", [[("How are you?", "Well.")], [(ask("Rent", "Mood"), "Yes.")]])
def test_no_stance_is_an_error_that_says_how_to_name_it(pairs: Pairs) -> None:
    with pytest.raises(bg.StanceError, match=r'stance="support for'):
        graph_of(pairs)
    named = bg.extract(bg.Transcript.from_pairs(pairs), stance=" Trust ", vectors=None)
    assert named.stance == "Trust"


def test_an_interview_without_turns() -> None:
    with pytest.raises(bg.TranscriptError, match="no turns"):
        bg.extract(bg.Transcript(turns=()))


def test_the_loop_left_out_is_the_weakest_and_on_record() -> None:
    graph = graph_of(
        [(ask("Rent"), "Negative."), (ask("Rent", "Waste"), "Positive, a very strong effect."),
         (ask("Waste", "Noise"), "Positive."), (ask("Noise", "Rent"), "Positive, maybe slightly.")]
    )  # fmt: skip
    (left,) = graph.feedback
    assert (left.influence.source, left.influence.target) == ("Noise", "Rent")
    assert left.influence.evidence[0].quote.startswith("Positive, maybe slightly")
    assert "Rent" in left.reason
    assert "weakest" in left.reason
    kept = [e.confidence * abs(e.weight) for e in graph.influences if e.source != "Rent" or
            e.target == "Waste"]  # fmt: skip
    assert left.influence.confidence * abs(left.influence.weight) <= min(kept)


@settings(deadline=None)
@given(st.sets(st.sampled_from(list(permutations("abcd", 2))), min_size=1), st.integers(0, 999))
def test_every_influence_left_out_closed_a_loop_and_was_its_weakest(
    pairs: set[tuple[str, str]], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    held = [
        bg.Influence(source=a, target=b, weight=float(rng.choice([-0.5, 0.25, 0.8])), confidence=c)
        for (a, b), c in zip(sorted(pairs), rng.uniform(0.1, 1, len(pairs)), strict=True)
    ]
    kept, feedback = break_loops(held)
    assert sorted(
        (e.source, e.target) for e in (*kept, *(f.influence for f in feedback))
    ) == sorted(pairs)
    graph = nx.DiGraph([(e.source, e.target) for e in kept])
    assert nx.is_directed_acyclic_graph(graph)
    strength = {(e.source, e.target): e.confidence * abs(e.weight) for e in held}
    for item in feedback:
        loop = item.reason.split("loop ")[1].split(";")[0].split(" -> ")
        around = [strength[pair] for pair in pairwise(loop)]
        assert strength[item.influence.source, item.influence.target] == min(around)
    if not feedback:
        assert nx.is_directed_acyclic_graph(nx.DiGraph(list(pairs)))
