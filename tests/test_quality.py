from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import beliefgraph as bg
from beliefgraph.cli import main
from beliefgraph.errors import TranscriptError
from beliefgraph.extractors import QualityReport, quality_flow, quality_report
from beliefgraph.extractors.quality import CheckName

LONG = "The lane makes the buses faster and that is why my neighbours now leave the car at home."


def transcript(*answers: str, person: str = "P") -> bg.Transcript:
    return bg.Transcript.from_pairs([("Why?", a) for a in answers], participant=person)


def value(report: QualityReport, name: CheckName) -> float | None:
    return report.check(name).value


def test_near_duplicates_are_found_and_short_answers_are_not_compared() -> None:
    report = quality_report(
        transcript(LONG, "Very confident.", LONG.replace("now ", "") + " Um.", "Very confident.")
    )
    check = report.check("redundant_answers")
    assert check.turns == ("3",)
    assert check.value == 0.25
    assert check.passed


def test_every_repeat_counts_and_fails_the_interview() -> None:
    report = quality_report(transcript(*[LONG] * 10))
    assert value(report, "redundant_answers") == 0.9
    assert report.failed == ("redundant_answers",)
    assert not report.passed
    assert quality_report(transcript(*[LONG] * 10), max_redundant=0.9).passed


@pytest.mark.parametrize(
    "answer",
    [
        "You already asked me that.",
        "what do you mean",
        "I don't really understand the question",
        "Why do you keep asking me this?",
        "That question doesn't make sense.",
        "are you a robot",
    ],
)
def test_answers_about_the_question_are_meta(answer: str) -> None:
    assert quality_report(transcript(LONG, answer)).check("meta_questioning").turns == ("2",)


@pytest.mark.parametrize(
    "answer",
    [
        "The question of parking matters to me.",
        "People ask for more buses.",
        "I mean, it is noisy.",
        "I already said yes to the lane in the vote.",
    ],
)
def test_answers_about_the_topic_are_not_meta(answer: str) -> None:
    report = quality_report(transcript(answer))
    assert report.check("meta_questioning").turns == ()


def test_a_question_not_understood_by_the_graphs_own_reading_is_meta() -> None:
    t = transcript("Lost.")
    evidence = bg.Evidence(qa_id="1", start=0, end=5, quote="Lost.")
    g = bg.BeliefGraph(
        stance="s",
        concepts=(bg.Concept(name="s"),),
        readings=(bg.Reading(kind="not_understood", evidence=evidence),),
        transcript=t,
    )
    assert quality_report(t, g).check("meta_questioning").turns == ("1",)


def test_words_are_those_that_were_said() -> None:
    report = quality_report(transcript("um it helps it helps a lot. Thanks for watching!", "Yes."))
    assert value(report, "words_per_answer") == 2.5  # "it helps a lot", "yes"
    assert value(report, "total_words") == 5
    assert report.check("words_per_answer").turns == ("1", "2")
    assert report.check("hallucinated_lines").turns == ("1",)
    assert "total_words" in report.failed


def test_concepts_and_silent_turns_come_from_the_graph() -> None:
    t = transcript("Rents fell.", "No effect at all.", "Dunno.")
    words = bg.Evidence(qa_id="1", start=0, end=10, quote="Rents fell", sign=-1)
    other = bg.Evidence(qa_id="2", start=0, end=9, quote="No effect")
    g = bg.BeliefGraph(
        stance="s",
        concepts=(bg.Concept(name="a"), bg.Concept(name="s")),
        influences=(bg.Influence.from_evidence("a", "s", [words], 0.9),),
        readings=(bg.Reading(kind="no_effect", evidence=other),),
        transcript=t,
    )
    report = quality_report(t, g)
    assert value(report, "concepts") == 2
    assert "concepts" in report.failed
    silent = report.check("silent_turns")
    assert silent.turns == ("2", "3")
    assert silent.reasons == {"no_effect": 1, "not_read": 1}
    assert quality_report(t, g, min_concepts=2).check("concepts").passed


def test_what_needs_a_graph_is_not_scored_without_one() -> None:
    report = quality_report(transcript(*[LONG] * 2), max_redundant=1.0, min_total_words=10)
    for check in (report.check("concepts"), report.check("silent_turns")):
        assert check.value is None
        assert check.passed is None
        assert check.note == "no graph was given"
    assert report.passed


def test_tutorial_turns_are_not_looked_at_and_no_turns_is_no_crash() -> None:
    turn = bg.Turn(qa_id="1", question="?", answer="Why do you keep asking?", role="tutorial")
    report = quality_report(bg.Transcript(turns=(turn,)))
    assert report.n_turns == 0
    assert value(report, "meta_questioning") is None
    assert report.failed == ("total_words",)


def test_a_report_survives_json() -> None:
    report = quality_report(transcript(LONG, "Why do you keep asking?"))
    assert QualityReport.model_validate_json(report.model_dump_json()) == report


def test_the_flow_counts_each_person_once_at_the_first_failure() -> None:
    short = transcript("Yes.")  # fails words per answer and total words
    repeats = transcript(*[LONG] * 10)
    fine = transcript(LONG, "Parking spaces vanish near the shops, so traders there lose money.")
    flow = quality_flow(
        [quality_report(t, min_total_words=20) for t in (short, repeats, fine)], unreadable=1
    )
    assert flow.entered == 4
    assert flow.remaining == 1
    steps = {step.check: step for step in flow.steps}
    assert steps["read"].excluded == 1
    assert steps["redundant_answers"].excluded == 1
    assert steps["words_per_answer"].excluded == 1
    assert (steps["total_words"].excluded, steps["total_words"].failed) == (0, 1)
    assert steps["concepts"].not_scored == 3
    assert "Entered: 4" in flow.text()
    assert flow.text().endswith("Remaining: 1")
    assert json.loads(json.dumps(flow.to_dict()))["remaining"] == 1


def test_reports_by_different_rules_give_no_flow() -> None:
    one, other = quality_report(transcript(LONG)), quality_report(transcript(LONG), max_meta=0.5)
    with pytest.raises(TranscriptError, match="different checks or thresholds"):
        quality_flow([one, other])
    assert quality_flow([]).entered == 0


@given(st.lists(st.lists(st.sampled_from([LONG, "Yes.", "You asked me that.", ""])), max_size=6))
def test_the_flow_adds_up(people: list[list[str]]) -> None:
    reports = [quality_report(transcript(*answers)) for answers in people]
    flow = quality_flow(reports)
    remaining = flow.entered
    for step in flow.steps:
        remaining -= step.excluded
        assert step.remaining == remaining
        assert step.failed >= step.excluded
    assert flow.remaining == sum(report.passed for report in reports)


@pytest.mark.needs_pipeline
def test_the_command_gives_one_row_a_person_and_the_flow(workplace: object) -> None:
    result = CliRunner().invoke(main, ["quality", "examples/interviews"])
    assert result.exit_code == 0, result.output
    assert result.stdout.count("passes") == 5
    assert "Remaining: 5" in result.stdout


@pytest.mark.needs_pipeline
def test_the_command_prints_json_only_and_takes_thresholds(workplace: object) -> None:
    result = CliRunner().invoke(
        main, ["quality", "examples/interviews", "--json", "--min-concepts", "500"]
    )
    assert result.exit_code == 0, result.output
    got = json.loads(result.stdout)
    assert len(got["reports"]) == got["flow"]["entered"] == 5
    assert all(report["failed"] == ["concepts"] for report in got["reports"])
    assert got["flow"]["remaining"] == 0
    assert got["configuration"]["min_concepts"] == 500


@pytest.mark.needs_pipeline
def test_the_command_scores_what_it_can_without_a_stance(
    workplace: object, tmp_path: object
) -> None:
    with open("plain.json", "w", encoding="utf-8") as file:
        json.dump([{"question": "Well?", "answer": LONG}], file)
    result = CliRunner().invoke(main, ["quality", "plain.json", "--json"])
    assert result.exit_code == 0, result.output
    got = json.loads(result.stdout)
    concepts = next(c for c in got["reports"][0]["checks"] if c["name"] == "concepts")
    assert concepts["passed"] is None
    assert any("no stance is named" in text for text in got["notes"])


def test_a_saved_graph_is_no_interview(tmp_path: object) -> None:
    g = bg.BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    g.save(f"{tmp_path}/g.json")
    result = CliRunner().invoke(main, ["quality", f"{tmp_path}/g.json"])
    assert result.exit_code == 2
    assert "saved graph" in result.stderr
