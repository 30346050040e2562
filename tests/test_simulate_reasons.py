"""Answers to a survey from a simulation: by hand, against the answer model, and as shown."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from scipy.stats import norm

import beliefgraph as bg
from beliefgraph import Alias, BeliefGraph, Concept, Influence, SurveyError
from beliefgraph.cli import main
from beliefgraph.formats.html import graph_page
from beliefgraph.simulate import SimulationConfig, intervene_many, intervene_steps
from beliefgraph.simulate.predict import survey_answers
from beliefgraph.simulate.predict.answer_model import Asked, forecast
from beliefgraph.simulate.predict.parameters import shipped_parameters
from beliefgraph.simulate.predict.reasons import topic_of
from beliefgraph.simulate.predict.traits import GraphReading
from beliefgraph.survey import Scale, Survey, SurveyQuestion, SurveyTopic
from tests.conftest import INTERVIEWS, ROOT

SURVEYS = ROOT / "examples" / "surveys"
P = shipped_parameters().answers
EXACT: dict[str, Any] = {"mechanism": "linear", "n_samples": 0}
FEW: dict[str, Any] = {"n_samples": 500, "seed": 7}
ORDINARY = {
    "FAST": "Buses would be faster.",
    "SLOW": "Buses would be slower.",
    "NOISE": "There would be more traffic noise.",
    "BUGS": "There would be fewer beetles.",
    "OTHER": "Other towns have them.",
}


def topic(reasons: dict[str, str] | None = None, name: str = "bus lanes") -> SurveyTopic:
    return SurveyTopic(
        topic=name,
        stance=SurveyQuestion(id=f"{name} stance", text="How much do you support bus lanes?"),
        reasons=ORDINARY if reasons is None else reasons,
        baseline_reasons=(),
    )


@pytest.fixture(autouse=True)
def sure_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parameters that ship, without their intervals: what is uncertain here is the graph."""
    sure = shipped_parameters().replace(intervals={})
    monkeypatch.setattr(survey_answers, "shipped_parameters", lambda: sure)


@pytest.fixture
def graph() -> BeliefGraph:
    return BeliefGraph(
        stance="Support for bus lanes",
        concepts=(
            Concept(name="Bus speed", aliases=(Alias(label="buses"),)),
            Concept(name="Traffic noise"),
            Concept(name="Beetles"),
            Concept(name="Support for bus lanes", baseline=0.2, baseline_sd=0.25),
        ),
        influences=(
            Influence(source="Bus speed", target="Support for bus lanes", weight=0.5),
            Influence(source="Traffic noise", target="Support for bus lanes", weight=-0.4),
        ),
    )


def rounded_normal(mean: float, sd: float, low: int, high: int) -> dict[int, float]:
    """Probabilities of the nearest point, the ends taking what lies beyond; mean in [-1, 1]."""
    centre, half = (low + high) / 2, (high - low) / 2
    at = {k: norm.cdf(k + 0.5, centre + half * mean, half * sd) for k in range(low, high)}
    reached = [0.0, *at.values(), 1.0]
    return {k: reached[n + 1] - reached[n] for n, k in enumerate(range(low, high + 1))}


def expected(chances: dict[int, float]) -> float:
    return sum(k * chance for k, chance in chances.items())


def stance_before() -> float:
    """Mean of the stance in the fixture: level and sureness by hand."""
    sureness = 1 / (1 + (0.25 / 0.5) ** 2)
    return P.stance_start + P.stance_level * 0.2 * sureness


def test_stance_and_reasons_by_hand(graph: BeliefGraph) -> None:
    r = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic(), **EXACT)
    assert r.reasons is not None
    assert r.survey_stance is not None
    start, moved = stance_before(), (1 - P.stay) * P.effect * 0.8 * 0.5
    for got, mean in ((r.survey_stance.before, start), (r.survey_stance.after, start + moved)):
        assert got == pytest.approx(expected(rounded_normal(mean, P.stance_sd, 1, 10)))

    size = math.tanh(3 * 0.5) / 1.1  # one concept, named in full, beside the neutral one
    stances = rounded_normal(start, P.stance_sd, 1, 10)
    for code, polarity in (("FAST", 1), ("SLOW", -1)):
        own = P.reason_start + P.reason_known + P.reason_size * size
        shift = P.reason_stance * polarity * moved + P.reason_moved * 0.8 * polarity
        answers = [
            sum(
                chance
                * expected(
                    rounded_normal(
                        own + P.reason_stance * polarity * (k - 5.5) / 4.5 + extra,
                        P.reason_sd, 1, 5,
                    )
                )
                for k, chance in stances.items()
            )
            for extra in (0.0, shift)
        ]  # fmt: skip
        reason = r.reasons[code]
        assert (reason.polarity, reason.concepts[0].concept) == (polarity, "Bus speed")
        assert [reason.before, reason.after] == pytest.approx(answers)
        assert reason.shift == reason.after - reason.before


def test_it_is_the_answer_model_without_re_evaluation(graph: BeliefGraph) -> None:
    """A reason after a scenario, as the predictor answers it, with openness 0."""
    r = bg.intervene(graph, do={"Traffic noise": -0.6}, survey=topic(), **EXACT)
    assert r.reasons is not None
    reading = GraphReading(graph)
    for question in topic().replace(baseline_reasons=None).questions():
        if question.reason is None:
            continue
        said = reading.said(question.reason)
        more = sum(n.weight * n.polarity * -0.6 for n in said if n.concept == "Traffic noise")
        traits = replace(reading.traits(question), effect=0.6 * 0.4, moved=more)
        asked = Asked("reason_after", traits, Scale.between(1, 5), Scale.between(1, 10))
        found = forecast(P.replace(openness=0.0), asked).probabilities
        assert r.reasons[question.reason_code or ""].after == pytest.approx(found @ range(1, 6))


def test_polarity_turns_the_shift_and_a_text_without_ties_is_said_to_have_none(
    graph: BeliefGraph,
) -> None:
    r = bg.intervene(graph, do={"Traffic noise": -0.6}, survey=topic(), **EXACT).reasons
    assert r is not None
    assert [row.code for row in r] == list(ORDINARY)
    assert r["FAST"].shift > 0 > r["SLOW"].shift  # they follow the stance alone
    assert r["FAST"].shift < abs(r["NOISE"].shift)  # that one becomes less true as well
    assert (r["NOISE"].shift < 0, r["NOISE"].speaks) == (True, "against")
    assert [near.concept for near in r["BUGS"].concepts] == ["Beetles"]
    assert r["BUGS"].concepts[0].polarity == -1
    assert "do not move the stance" in r["BUGS"].note
    assert (r["OTHER"].concepts, r["OTHER"].polarity, r["OTHER"].shift) == ((), 0, 0.0)
    assert r["OTHER"].note == (
        "touches no concept of the graph, and does not say whether it is for or against: "
        "its weight stays where it is"
    )
    assert not r["FAST"].note


def test_a_reason_moves_with_what_it_speaks_of_although_the_stance_does_not(
    graph: BeliefGraph,
) -> None:
    r = bg.intervene(graph, do={"Beetles": -0.5}, survey=topic(), **EXACT)
    assert r.reasons is not None
    assert r.survey_stance is not None
    moved = {row.code: row.shift for row in r.reasons if row.shift}
    assert list(moved) == ["BUGS"]
    assert moved["BUGS"] > 0
    assert r.survey_stance.shift == 0


def test_what_follows_from_the_do_makes_a_statement_true_as_well() -> None:
    g = BeliefGraph.from_edges(
        [("Rain", "Floods", 0.8), ("Floods", "support", 0.5)], stance="support"
    )
    asked = topic({"A": "There would be floods."})
    own = bg.intervene(g, do={"Floods": 0.4}, survey=asked, **EXACT).reasons
    led = bg.intervene(g, do={"Rain": 0.5}, survey=asked, **EXACT).reasons
    assert own is not None
    assert led is not None
    assert led["A"].after == pytest.approx(own["A"].after)


@pytest.mark.parametrize("mechanism", ["linear", "tanh", "logistic", "threshold"])
def test_nothing_shifts_where_nothing_moves(graph: BeliefGraph, mechanism: str) -> None:
    for do in ({}, {"Beetles": 0.0}):
        r = bg.intervene(graph, do=do, survey=topic({"A": "Buses are faster."}), **FEW,
                         mechanism=mechanism)  # fmt: skip
        assert r.reasons is not None
        assert r.survey_stance is not None
        for row in (r.survey_stance, *r.reasons):
            assert (row.shift, row.interval) == (0.0, (0.0, 0.0))
            assert (row.p_positive, row.p_negative) == (0.0, 0.0)
            assert row.before_interval == row.after_interval


def test_answers_stay_on_their_scales_however_far_the_stance_goes(graph: BeliefGraph) -> None:
    far = graph.replace(
        concepts=tuple(c.replace(baseline=0.99) if c.baseline else c for c in graph.concepts)
    )
    asked = topic().replace(reason_scale=(0, 3))
    up, more = (
        bg.intervene(far, shift={"Bus speed": by}, survey=asked, mechanism="linear", **FEW)
        for by in (50.0, 100.0)
    )
    assert up.reasons is not None
    assert more.reasons is not None
    assert up.survey_stance is not None
    assert 9.9 < up.survey_stance.after <= 10
    assert up.survey_stance.after_interval == (10, 10)
    assert 2.99 < up.reasons["FAST"].after <= more.reasons["FAST"].after <= 3
    assert 0 <= up.reasons["SLOW"].after < 0.01


def test_intervals_are_of_the_paired_worlds(graph: BeliefGraph) -> None:
    """A linear do without uncertain influences: the spread of a shift is that of the concept."""
    r = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic(), mechanism="linear", seed=3)
    assert r.survey_stance is not None
    scale = (1 - P.stay) * P.effect * 0.5
    ends = [scale * (0.8 - norm.ppf(tail) * 0.25) for tail in (0.95, 0.05)]
    start = stance_before()
    by_hand = [
        expected(rounded_normal(start + end, P.stance_sd, 1, 10))
        - expected(rounded_normal(start, P.stance_sd, 1, 10))
        for end in ends
    ]
    assert r.survey_stance.interval == pytest.approx(by_hand, abs=0.01)
    assert r.survey_stance.p_positive == pytest.approx(norm.cdf(0.8 / 0.25), abs=0.005)
    chances = rounded_normal(start, P.stance_sd, 1, 10)
    reached = np.cumsum(list(chances.values()))
    assert r.survey_stance.before_interval == tuple(
        1 + int(np.argmax(reached >= tail)) for tail in (0.05, 0.95)
    )


def test_uncertain_parameters_widen_the_interval(
    graph: BeliefGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With nothing else uncertain, the interval is that of `effect`; its own, not another's."""
    still: dict[str, Any] = {"mechanism": "linear", "noise_sd": 0, "n_samples": 5_000, "seed": 1}
    narrow = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic(), **still).survey_stance
    wide = shipped_parameters().replace(intervals={"effect": (0.0, 2 * P.effect)})
    monkeypatch.setattr(survey_answers, "shipped_parameters", lambda: wide)
    r = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic(), **still)
    assert narrow is not None
    assert r.survey_stance is not None
    assert narrow.interval == pytest.approx((narrow.shift, narrow.shift), abs=1e-3)
    assert r.survey_stance.shift == narrow.shift
    low, high = r.survey_stance.interval
    assert low == pytest.approx(narrow.shift * (1 - 1.645 / 1.96), abs=0.1)
    assert high == pytest.approx(narrow.shift * (1 + 1.645 / 1.96), abs=0.1)
    assert r.to_dict() == bg.intervene(
        graph, do={"Bus speed": 0.8}, survey=topic(), **still
    ).to_dict()  # fmt: skip


def test_a_larger_dose_never_moves_a_reason_the_other_way() -> None:
    pytest.importorskip("hypothesis")
    from hypothesis import given, settings
    from hypothesis import strategies as st

    from tests.strategies_graphs import graphs

    @given(graphs(), st.lists(st.floats(0.01, 1), min_size=2, max_size=2), st.data())
    @settings(max_examples=25, deadline=None)
    def check(graph: BeliefGraph, doses: list[float], data: st.DataObject) -> None:
        low, high = sorted(doses)
        chosen = data.draw(st.sampled_from(graph.names))
        asked = topic({name: f"There would be {name}." for name in graph.names})
        small, large = (
            bg.intervene(graph, do={chosen: dose}, survey=asked, **EXACT) for dose in (low, high)
        )
        pairs = zip(
            (small.survey_stance, *(small.reasons or ())),
            (large.survey_stance, *(large.reasons or ())),
            strict=True,
        )
        for one, other in pairs:
            assert one is not None
            assert other is not None
            assert one.shift * other.shift >= 0
            assert abs(other.shift) >= abs(one.shift) - 1e-12

    check()


def test_many_scenarios_and_steps(graph: BeliefGraph) -> None:
    doses: list[dict[str, float]] = [{"Bus speed": 0.5}, {"Traffic noise": 0.5}]
    scenarios = [{"do": do} for do in doses]
    many = intervene_many(graph, scenarios, survey=topic(), **FEW)
    alone = [bg.intervene(graph, do=do, survey=topic(), **FEW) for do in doses]
    assert [r.to_dict() for r in many] == [r.to_dict() for r in alone]

    for options in (FEW, EXACT):
        first, then = intervene_steps(graph, scenarios, survey=topic(), **options)
        both = bg.intervene(
            graph, do={"Bus speed": 0.5, "Traffic noise": 0.5}, survey=topic(), **options
        )
        assert both.reasons is not None
        for one, two, joint in zip(
            (first.survey_stance, *(first.reasons or ())),
            (then.survey_stance, *(then.reasons or ())),
            (both.survey_stance, *both.reasons),
            strict=True,
        ):
            assert one is not None
            assert two is not None
            assert joint is not None
            assert two.before == pytest.approx(one.after)
            assert two.after == pytest.approx(joint.after)
            assert one.shift + two.shift == pytest.approx(joint.shift)


@pytest.mark.parametrize(
    "options", [{"on_cycle": "unroll"}, {"on_cycle": "fcm"}, {"target_se": 0.004}], ids=str
)
def test_other_ways_to_simulate(graph: BeliefGraph, options: dict[str, Any]) -> None:
    r = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic(), **FEW, **options)
    assert r.reasons is not None
    assert r.survey_stance is not None
    assert r.stance.shift > 0
    for row in (r.survey_stance, r.reasons["FAST"]):
        assert 0 <= row.interval[0] <= row.shift <= row.interval[1]
        assert row.shift > 0


def test_without_samples_there_is_no_interval_and_it_is_said(graph: BeliefGraph) -> None:
    r = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic(), **EXACT)
    assert r.survey_stance is not None
    assert np.isnan([*r.survey_stance.interval, r.survey_stance.p_positive]).all()
    assert r.survey_stance.to_dict()["interval"] is None
    assert any("no interval" in note for note in r.notes)
    json.dumps(r.to_dict(), allow_nan=False)


def test_which_topic_is_meant(graph: BeliefGraph, tmp_path: Path) -> None:
    one, other = topic(), topic({}, "library")
    whole = Survey(name="town", topics=(one, other))
    assert topic_of(graph, one) is one
    assert topic_of(graph, Survey(topics=(other,))) is other
    assert topic_of(graph.replace(topic="Bus  Lanes"), whole) is one
    with pytest.raises(SurveyError, match=r"2 topics \('bus lanes', 'library'\)"):
        topic_of(graph, whole)
    with pytest.raises(SurveyError, match=r"survey 'town' does not ask about .* 'bus lane'.*mean"):
        topic_of(graph.replace(topic="bus lane"), whole)
    with pytest.raises(SurveyError, match=r"survey: give a Survey.* got dict"):
        topic_of(graph, {"topics": []})  # type: ignore[arg-type]
    with pytest.raises(SurveyError, match=r"none\.yaml"):
        bg.intervene(graph, survey=tmp_path / "none.yaml", **FEW)


def test_a_survey_without_reasons_gives_the_stance(graph: BeliefGraph) -> None:
    r = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic({}), **FEW)
    assert r.survey_stance is not None
    assert r.survey_stance.shift > 0
    assert r.reasons is not None
    assert (len(r.reasons), r.to_dict()["reasons"]) == (0, {})


def test_without_a_survey_nothing_is_added(graph: BeliefGraph) -> None:
    r = bg.intervene(graph, do={"Bus speed": 0.8}, **FEW)
    assert (r.survey_stance, r.reasons) == (None, None)
    assert "survey" not in r.configuration
    with_survey = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic(), **FEW)
    assert with_survey.stance == r.stance
    assert with_survey.configuration["survey"]["topic"] == "bus lanes"


def test_reasons_by_code_place_and_name(graph: BeliefGraph) -> None:
    r = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic(), **FEW).reasons
    assert r is not None
    assert r[0] is r["FAST"]
    assert r[:2] == (r["FAST"], r["SLOW"])
    assert r["SLOW"].tied_to == "less Bus speed"
    assert "Buses would be faster" in repr(r)
    with pytest.raises(SurveyError, match=r"code 'FATS'.*'FAST'"):
        r["FATS"]


def test_the_frame(graph: BeliefGraph) -> None:
    pytest.importorskip("pandas")
    r = bg.intervene(graph, do={"Bus speed": 0.8}, survey=topic(), **FEW).reasons
    assert r is not None
    frame = r.to_frame()
    assert list(frame.index) == list(ORDINARY)
    assert frame.loc["FAST", "shift"] == r["FAST"].shift
    assert (frame["low"] <= frame["high"]).all()


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "110"}).invoke(main, [str(part) for part in arguments])


@pytest.fixture
def files(graph: BeliefGraph, tmp_path: Path) -> tuple[Path, Path]:
    from beliefgraph.survey import write_survey

    graph.save(tmp_path / "graph.json")
    write_survey(Survey(topics=(topic(),)), tmp_path / "survey.yaml")
    return tmp_path / "graph.json", tmp_path / "survey.yaml"


def test_the_command_line(files: tuple[Path, Path], graph: BeliefGraph, tmp_path: Path) -> None:
    saved, survey = files
    page = tmp_path / "page.html"
    done = run("simulate", saved, "--do", "bus speed=0.8", "--survey", survey, "--html", page)
    assert done.exit_code == 0, done.output
    same = bg.intervene(graph, do={"Bus speed": 0.8}, survey=survey)
    assert same.reasons is not None
    words = " ".join(done.stdout.split())
    for row in same.reasons:
        assert f"{row.before:.2f} {row.after:.2f}" in words
    assert "OTHER touches no concept of the graph" in words
    assert "more Bus speed" in words

    now = run("simulate", saved, "--survey", survey)
    assert now.exit_code == 0, now.output
    assert f"{same.reasons['FAST'].before:.2f}" in now.stdout

    text = page.read_text(encoding="utf-8")
    assert "On the survey's scales" in text.replace("&#39;", "'")
    assert f"<strong>+{same.reasons['FAST'].shift:.2f}</strong>" in text


def test_json_and_a_configuration_file(files: tuple[Path, Path], tmp_path: Path) -> None:
    saved, survey = files
    done = run("simulate", saved, "--do", "Bus speed=0.8", "--survey", survey, "--json")
    assert done.exit_code == 0, done.output
    got = json.loads(done.stdout)
    assert list(got["reasons"]) == list(ORDINARY)
    row = got["reasons"]["SLOW"]
    assert {"before", "after", "shift", "interval", "polarity", "concepts", "note"} <= set(row)
    assert row["concepts"] == [{"name": "Bus speed", "weight": 1.0, "polarity": -1}]
    assert row["scale"] == [1, 5]
    assert got["survey_stance"]["scale"] == [1, 10]

    config = SimulationConfig(do={"Bus speed": 0.8}, survey=str(survey))
    (tmp_path / "config.json").write_text(config.model_dump_json())
    again = json.loads(
        run("simulate", saved, "--config", tmp_path / "config.json", "--json").stdout
    )
    assert again["reasons"] == got["reasons"]
    without = json.loads(run("simulate", saved, "--do", "Bus speed=0.8", "--json").stdout)
    assert (without["reasons"], without["survey_stance"]) == (None, None)

    missing = run("simulate", saved, "--survey", tmp_path / "none.yaml")
    assert missing.exit_code == 2
    assert "none.yaml" in missing.stderr


def test_words_of_a_survey_are_escaped_on_the_page(graph: BeliefGraph) -> None:
    asked = topic({"A": "<script>alert(1)</script>"})
    page = graph_page(graph, bg.intervene(graph, do={"Bus speed": 0.8}, survey=asked, **FEW))
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.needs_pipeline
def test_the_example_survey_fits_its_interview() -> None:
    g = bg.extract(bg.read_transcript(INTERVIEWS / "bus_lanes_tyt.csv"))
    r = bg.intervene(g, do={"Bus speed": 0.8}, survey=SURVEYS / "bus_lanes.yaml", **FEW).reasons
    assert r is not None
    assert r["A"].tied_to == "more Bus speed"
    assert r["A"].shift == max(row.shift for row in r)
    assert r["D"].polarity == -1
    assert r["D"].shift < 0
    assert not r["F"].concepts


@pytest.mark.needs_pipeline
def test_a_folder_gives_answers_for_everybody(files: tuple[Path, Path]) -> None:
    done = run("simulate", INTERVIEWS, "--survey", files[1], "--topic", "nothing", "--json")
    assert done.exit_code == 2
    path = INTERVIEWS / "bus_lanes_tyt.csv"
    one = run("simulate", path, "--survey", files[1], "--json", "--samples", "100")
    assert one.exit_code == 0, one.output
    assert list(json.loads(one.stdout)["reasons"]) == list(ORDINARY)
