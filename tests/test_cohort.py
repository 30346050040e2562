"""Cohorts: the numbers of `intervene`, whatever the chunks and processes; what is kept of a run."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import beliefgraph as bg
from beliefgraph import BeliefGraph, Concept, Feedback, Influence, InterventionError
from beliefgraph.errors import GraphError, MissingPackageError
from beliefgraph.simulate import intervene_many, write_graph_table
from beliefgraph.simulate.cohort.files import to_arrow, write_tables
from beliefgraph.simulate.cohort.groups import Gathered
from beliefgraph.simulate.cohort.model import person_keys
from beliefgraph.simulate.cohort.store import Store
from beliefgraph.simulate.cohort.table import GraphTable, make_table
from beliefgraph.simulate.noise import keys

ROUNDING = 3e-6
"""float32: as between the numpy and the numba path of `intervene`."""
EXACT = 1e-6
"""An exact sd is the root of a difference of moments (see tests/strategies_graphs.py)."""
FIELDS = ("before", "after", "shift", "sd", "low", "high", "p_positive", "se")
SCENARIOS: dict[str, Any] = {
    "one": {"do": {"c1": 0.6}},
    "several": {"do": {"c0": 0.5, "c2": -0.3}, "shift": {"c1": 0.2}},
    "noisier": {"noise": {"c1": 0.5}, "shift": {"c2": 0.4}},
    "not for all": {"do": {"c3": 0.2}},
}


def small_graph(seed: int, n: int) -> BeliefGraph:
    """A random graph with levels, uncertain ones too, and concepts in shuffled causal order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    edges = [
        Influence(
            source=f"c{order[a]}",
            target=f"c{order[b]}",
            weight=float(rng.uniform(-1, 1)),
            confidence=float(rng.choice([0.0, 0.3, 0.8, 1.0])),
        )
        for b in range(n)
        for a in range(b)
        if rng.random() < 0.6
    ]
    concepts = tuple(
        Concept(
            name=f"c{k}",
            baseline=float(rng.uniform(-0.6, 0.6)),
            baseline_sd=float(rng.choice([0.0, 0.2])),
        )
        for k in range(n)
    )
    return BeliefGraph(stance=f"c{order[-1]}", concepts=concepts, influences=tuple(edges))


@pytest.fixture(scope="module")
def people() -> list[BeliefGraph]:
    graphs = [small_graph(seed, 3 + seed % 5) for seed in range(10)]
    return [g.replace(participant=f"P{k}") for k, g in enumerate(graphs)]


def quiet(graphs: Any, scenarios: Any = SCENARIOS, **options: Any) -> Any:
    return bg.simulate_cohort(graphs, scenarios, progress=False, **options)


def rows_of(cohort: Any) -> list[dict[str, Any]]:
    return list(cohort.records())


def backend_or_skip(backend: str) -> None:
    if backend != "numpy":
        pytest.importorskip(backend)


def compare(cohort: Any, graphs: list[BeliefGraph], every: bool, **options: Any) -> None:
    """Every number of every row is what `intervene` gives for that person alone."""
    found = {(r["number"], r["scenario"], r["concept"]): r for r in rows_of(cohort)}
    tolerance = EXACT if options.get("n_samples") == 0 else ROUNDING
    used = 0
    for number, graph in enumerate(graphs):
        seed = np.random.SeedSequence(5, spawn_key=(number,))
        for name, scenario in SCENARIOS.items():
            if name == "not for all" and "c3" not in graph.names:
                assert "no concept called 'c3'" in found[number, name, None]["error"]
                used += 1
                continue
            (result,) = intervene_many(graph, [scenario], seed=seed, **options)
            for item in result.concepts if every else [result.stance]:
                row = found[number, name, item.name]
                used += 1
                assert row["person"] == graph.participant
                assert row["kind"] == ("stance" if item.name == graph.stance else "concept")
                values = (item.before, item.after, item.shift, item.sd, *item.interval)
                for field, value in zip(FIELDS, (*values, item.p_positive, item.se), strict=True):
                    if field == "p_positive" and tolerance == ROUNDING:
                        # a shift of rounding size may fall on either side of 0 in a few worlds
                        assert row[field] == pytest.approx(value, abs=2e-3)
                    else:
                        assert row[field] == pytest.approx(value, abs=tolerance), field
    assert used == len(found)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("every", [True, False])
def test_exact_answers_are_those_of_intervene(
    people: list[BeliefGraph], backend: str, every: bool
) -> None:
    backend_or_skip(backend)
    cohort = quiet(
        people, mechanism="linear", backend=backend, concepts="all" if every else "stance", seed=5
    )
    compare(cohort, people, every, mechanism="linear", n_samples=0)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("mechanism", ["tanh", "linear", "logistic"])
@pytest.mark.parametrize("every", [True, False])
def test_sampled_answers_are_those_of_intervene(
    people: list[BeliefGraph], backend: str, mechanism: str, every: bool
) -> None:
    backend_or_skip(backend)
    options: dict[str, Any] = {"mechanism": mechanism, "method": "sample", "n_samples": 1100}
    cohort = quiet(
        people, backend=backend, concepts="all" if every else "stance", seed=5, **options
    )
    compare(cohort, people, every, **options)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_one_held_below_another_is_exact(backend: str) -> None:
    """Their shifts correlate through uncertain influences; other intervened-on pairs do too."""
    backend_or_skip(backend)
    graphs = [small_graph(seed, 5) for seed in range(40)]
    # places 0 and 2 of the causal order are held, 1 is pushed
    for graph in graphs:
        a, b, c = graph.topological_order[:3]
        scenarios: tuple[dict[str, Any], ...] = (
            {"do": {a: 0.7, c: -0.4}},
            {"do": {c: (-0.4, 0.2)}, "shift": {a: (0.1, 0.5)}, "noise": {b: 0.6}},
        )
        for scenario in scenarios:
            (row,) = rows_of(
                quiet([graph], {"x": scenario}, mechanism="linear", concepts="stance",
                      backend=backend)
            )  # fmt: skip
            (result,) = intervene_many(graph, [scenario], mechanism="linear", n_samples=0)
            assert row["shift"] == pytest.approx(result.stance.shift, abs=1e-12)
            assert row["sd"] == pytest.approx(result.stance.sd, abs=EXACT)


def test_people_without_a_name_are_called_by_their_number() -> None:
    g = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    cohort = quiet(
        [g, g.replace(participant="Ann"), g], {"x": {"do": {"a": 1}}}, chunk_size=1,
        concepts="stance", mechanism="linear",
    )  # fmt: skip
    assert [(r["number"], r["person"]) for r in rows_of(cohort)] == [(0, "0"), (1, "Ann"), (2, "2")]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_exact_ranges_count_with_their_variance(backend: str) -> None:
    """By hand: support = -0.5 rents, rents held at a value even in [0, 0.6]."""
    backend_or_skip(backend)
    g = BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    (row,) = rows_of(
        quiet(
            [g],
            {"s": {"do": {"rents": (0, 0.6)}}},
            mechanism="linear",
            concepts="stance",
            backend=backend,
        )
    )
    assert row["shift"] == pytest.approx(-0.15, abs=1e-12)
    assert row["sd"] == pytest.approx(0.5 * np.sqrt(0.6**2 / 12 + 0.25**2), abs=1e-12)


def test_several_mentions_and_mechanisms_by_concept_agree_with_intervene() -> None:
    pytest.importorskip("hypothesis")
    from tests.strategies_graphs import random_graph

    graphs = [random_graph(seed, 6, levels=True, mentions=True) for seed in range(6)]
    graphs = [g.replace(participant=f"P{k}") for k, g in enumerate(graphs)]
    options: dict[str, Any] = {
        "mechanism": {"c1": "linear", "c2": "threshold"}, "noise_sd": {"c0": 0.4},
        "n_samples": 1100,
    }  # fmt: skip
    for backend in ("numpy", "numba"):
        if backend == "numpy" or backend_is_there(backend):
            compare(quiet(graphs, seed=5, backend=backend, **options), graphs, True, **options)
    linear: dict[str, Any] = {"mechanism": "linear", "n_samples": 0}
    compare(quiet(graphs, seed=5, mechanism="linear"), graphs, True, **linear)


def backend_is_there(name: str) -> bool:
    try:
        __import__(name)
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("people_n", [1, 2, 7])
@pytest.mark.parametrize("seed", [0, 7, 2**40 + 3, 2**200 + 1])
def test_keys_of_people_are_those_of_numpy(people_n: int, seed: int) -> None:
    numbers = np.array([0, 1, 2, 77, 12_345, 2**31, 2**32 - 1])[:people_n]
    for sequence in (np.random.SeedSequence(seed), np.random.SeedSequence(seed, spawn_key=(4, 9))):
        for number, mine in zip(numbers.tolist(), person_keys(sequence, numbers), strict=True):
            own = np.random.SeedSequence(seed, spawn_key=(*sequence.spawn_key, number))
            assert mine.tolist() == [*keys(own, 0), *keys(own, 1)]


@pytest.mark.parametrize("options", [{"mechanism": "linear"}, {"n_samples": 300}])
def test_chunks_and_forms_of_input_leave_no_trace(
    people: list[BeliefGraph], options: dict[str, Any], tmp_path: Path
) -> None:
    whole = quiet(people, **options)
    lines = tmp_path / "people.jsonl"
    lines.write_text("".join(g.model_dump_json() + "\n" for g in people), encoding="utf-8")
    for other in (
        quiet(people, chunk_size=3, **options),
        quiet(iter(people), chunk_size=1, **options),
        quiet(lines, chunk_size=4, **options),
    ):
        assert rows_of(other) == rows_of(whole)
        assert other.distributions == whole.distributions


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather"])
def test_a_graph_table_gives_what_its_graphs_give(
    people: list[BeliefGraph], suffix: str, tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / f"people.{suffix}"
    half = {graph.participant or "": "odd" if k % 2 else "even" for k, graph in enumerate(people)}
    assert write_graph_table(iter(people), path, group=half, row_group=4) == len(people)
    for options in ({"mechanism": "linear"}, {"n_samples": 300, "concepts": "stance"}):
        from_file = quiet(path, chunk_size=3, **options)
        assert rows_of(from_file) == rows_of(quiet(people, group=half, **options))
    regrouped = quiet(path, group={"P1": "mine"}, mechanism="linear", concepts="stance")
    assert {r["group"] for r in rows_of(regrouped)} == {"mine", None}
    with pytest.raises(InterventionError, match="feedback"):
        quiet(path, on_cycle="unroll")
    with pytest.raises(InterventionError, match="function"):
        quiet(path, group=len)


def test_a_table_that_breaks_rules_is_refused_person_by_person(
    people: list[BeliefGraph], tmp_path: Path
) -> None:
    pytest.importorskip("pyarrow")
    table = make_table(people)
    confidence, source = table.confidence.copy(), table.source.copy()
    confidence[table.edges[1]] = 1.5
    source[table.edges[4]] = 99
    fields = {name: getattr(table, name) for name in table.__dataclass_fields__}
    bad = GraphTable(**{**fields, "confidence": confidence, "source": source})
    path = tmp_path / "bad.parquet"
    write_tables([bad], path)
    cohort = quiet(path, mechanism="linear", concepts="stance")
    wrong = {r["number"]: r["error"] for r in rows_of(cohort) if r["scenario"] == "one"}
    assert {number for number, error in wrong.items() if error} == {1, 4}
    assert "confidence" in wrong[1]
    assert "earlier to a later" in wrong[4]
    good = {(r["number"], r["scenario"]): r for r in rows_of(quiet(people, mechanism="linear",
            concepts="stance"))}  # fmt: skip
    for row in rows_of(cohort):
        if row["number"] not in (1, 4):
            assert row == good[row["number"], row["scenario"]]


def test_a_table_file_of_another_shape_says_what_is_wrong(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    path.write_bytes(b"not parquet at all")
    with pytest.raises(GraphError, match="no parquet file"):
        quiet(path)
    pq.write_table(pa.table({"person": ["a"]}), path)
    with pytest.raises(GraphError, match="lacks group, stance"):
        quiet(path)
    g = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    rows = to_arrow(make_table([g]))
    place = rows.schema.get_field_index("weight")
    pq.write_table(rows.set_column(place, "weight", pa.array([[0.5, 0.5]])), path)
    with pytest.raises(GraphError, match="'weight' and 'probability'"):
        quiet(path)
    with pytest.raises(GraphError, match="ends in"):
        write_graph_table([g], tmp_path / "t.csv")


def test_a_graph_that_fails_is_a_row_with_the_reason(
    people: list[BeliefGraph], tmp_path: Path
) -> None:
    texts = [g.model_dump_json() for g in people[:4]]
    texts.insert(2, '{"schema_version": 1, "stance": "x", "concepts": []}')
    texts.insert(3, "not json")
    path = tmp_path / "people.jsonl"
    path.write_text("\n".join(texts) + "\n\n", encoding="utf-8")
    cohort = quiet(path, {"one": SCENARIOS["one"]}, mechanism="linear", concepts="stance")
    rows = rows_of(cohort)
    assert [r["error"] is not None for r in rows] == [False, False, True, True, False, False]
    assert "person 3" in rows[3]["error"]
    assert "not JSON" in rows[3]["error"]
    assert rows[3]["shift"] is None
    assert (cohort.n_people, cohort.n_errors) == (6, 2)
    assert sum(cohort.reasons.values()) == 2
    assert cohort.distributions[0].n == 4
    assert cohort.distributions[0].not_scored == 2
    # the others have the numbers of their place
    assert rows[4]["shift"] == rows_of(
        quiet([people[0]] * 4 + [people[2]], {"one": SCENARIOS["one"]}, mechanism="linear",
              concepts="stance")
    )[4]["shift"]  # fmt: skip


def looping() -> BeliefGraph:
    return BeliefGraph(
        stance="s",
        concepts=(Concept(name="a"), Concept(name="s")),
        influences=(Influence(source="a", target="s", weight=0.5),),
        feedback=(
            Feedback(influence=Influence(source="s", target="a", weight=0.4), reason="loop"),
        ),
    )


def test_a_failure_in_the_middle_of_people_one_by_one() -> None:
    plain = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    cohort = quiet(
        [plain, looping(), plain], {"x": {"do": {"a": 0.5}}}, on_cycle="raise", n_samples=50
    )
    errors = [r["error"] for r in rows_of(cohort) if r["kind"] != "concept"]
    assert errors[0] is None
    assert "loop: a -> s -> a" in errors[1]
    assert errors[2] is None


@pytest.mark.parametrize("options", [
    {"on_cycle": "unroll"}, {"on_cycle": "fcm"}, {"bias": {"a": 0.2}}, {"target_se": 0.05},
])  # fmt: skip
def test_other_options_reach_intervene(options: dict[str, Any]) -> None:
    graphs = [looping(), looping()]
    scenario = {"do": {"a": 0.5}}
    rows = rows_of(quiet(graphs, {"x": scenario}, n_samples=80, seed=3, **options))
    for number, graph in enumerate(graphs):
        seed = np.random.SeedSequence(3, spawn_key=(number,))
        (result,) = intervene_many(graph, [scenario], n_samples=80, seed=seed, **options)
        assert [r["shift"] for r in rows if r["number"] == number] == [
            item.shift for item in result.concepts
        ]


def test_a_survey_gives_reasons_on_its_own_scale() -> None:
    from beliefgraph.survey import SurveyTopic

    asked = SurveyTopic(
        topic="bus lanes",
        stance={"id": "1", "text": "How much do you support bus lanes?"},
        reasons={"A": "Buses would be faster."},
    )
    g = BeliefGraph.from_edges([("Bus speed", "support", 0.8)], stance="support")
    scenario = {"do": {"Bus speed": 0.8}}
    cohort = quiet([g, g], {"x": scenario}, survey=asked, n_samples=200, seed=4)
    rows = rows_of(cohort)
    assert [r["kind"] for r in rows[:4]] == ["concept", "stance", "survey_stance", "reason"]
    for number in (0, 1):
        seed = np.random.SeedSequence(4, spawn_key=(number,))
        (result,) = intervene_many(g, [scenario], survey=asked, n_samples=200, seed=seed)
        of_person = {r["kind"]: r for r in rows if r["number"] == number}
        assert of_person["reason"]["concept"] == "A"
        assert result.survey_stance is not None
        assert result.reasons is not None
        assert of_person["reason"]["shift"] == result.reasons["A"].shift
        assert of_person["survey_stance"]["after"] == result.survey_stance.after
    assert cohort.distributions[0].n == 2


def test_sampled_ranges_are_those_of_intervene() -> None:
    g = BeliefGraph.from_edges([("a", "s", 0.5, 0.7)], stance="s")
    scenario: dict[str, Any] = {"do": {"a": (0.1, 0.9)}}
    row = rows_of(quiet([g], {"x": scenario}, n_samples=200, concepts="stance"))[0]
    seed = np.random.SeedSequence(0, spawn_key=(0,))
    assert row["shift"] == bg.intervene(g, **scenario, n_samples=200, seed=seed).stance.shift


@pytest.mark.parametrize(("call", "message"), [
    ({"scenarios": {}}, "mapping of names"),
    ({"scenarios": {"x": {"set": {}}}}, "'x'"),
    ({"scenarios": {"x": {"do": {"a": 2}}}}, r"\[-1, 1\]"),
    ({"concepts": "some"}, "concepts"),
    ({"chunk_size": 0}, "chunk_size"),
    ({"n_jobs": 0}, "n_jobs"),
    ({"backend": "opencl"}, "backend"),
    ({"device": "cuda"}, "torch"),
    ({"n_samples": 1}, "n_samples"),
    ({"method": "exact"}, "linear"),
    ({"group": 3}, "group"),
    ({"graphs": 3}, "several BeliefGraphs"),
])  # fmt: skip
def test_bad_calls_are_refused_before_any_work(call: dict[str, Any], message: str) -> None:
    g = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    arguments = {"graphs": [g], "scenarios": {"x": {"do": {"a": 0.5}}}, **call}
    with pytest.raises(InterventionError, match=message):
        quiet(arguments.pop("graphs"), arguments.pop("scenarios"), **arguments)


def test_missing_files_and_packages_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(GraphError, match="no such file"):
        quiet(tmp_path / "none.jsonl")
    (tmp_path / "x.csv").write_text("a\n")
    with pytest.raises(GraphError, match=r"\.jsonl"):
        quiet(tmp_path / "x.csv")
    g = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    for package, extra, options in (
        ("joblib", "cluster", {"n_jobs": 2}),
        ("torch", "torch", {"backend": "torch"}),
        ("pyarrow", "parquet", {"out": tmp_path / "out", "file_format": "parquet"}),
    ):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(MissingPackageError, match=rf"beliefgraph\[{extra}\]"):
            quiet([g], {"x": {"do": {"a": 0.5}}}, **options)


def test_nothing_is_changed(people: list[BeliefGraph]) -> None:
    before = [g.model_dump_json() for g in people]
    scenarios = json.loads(json.dumps(SCENARIOS))
    quiet(people, scenarios, n_samples=20)
    assert [g.model_dump_json() for g in people] == before
    assert scenarios == SCENARIOS


# --- groups -------------------------------------------------------------------------------------


def test_distributions_by_group_against_numpy(people: list[BeliefGraph]) -> None:
    cohort = quiet(
        people, {"one": SCENARIOS["one"]}, mechanism="linear", group=lambda g: len(g.names) > 4
    )
    rows = [r for r in rows_of(cohort) if r["kind"] == "stance"]
    assert {item.group for item in cohort.distributions} == {"True", "False"}
    for item in cohort.distributions:
        shifts = np.array([r["shift"] for r in rows if r["group"] == item.group])
        assert item.n == len(shifts)
        assert item.mean == pytest.approx(shifts.mean(), abs=1e-11)
        assert item.sd == pytest.approx(shifts.std(), abs=1e-6)
        assert (item.smallest, item.largest) == (shifts.min(), shifts.max())
        assert item.up == np.mean(shifts > 1e-3)
        assert item.down == np.mean(shifts < -1e-3)
        for share, value in item.quantiles.items():
            expected = np.quantile(shifts, share, method="inverted_cdf")
            assert value == pytest.approx(expected, abs=0.00051)


def test_distributions_do_not_depend_on_the_order_of_chunks() -> None:
    rng = np.random.default_rng(0)
    shift = rng.normal(0, 1.2, 1000)
    shift[5] = np.nan
    who = rng.integers(0, 2, 1000)
    found = []
    for cuts in ([1000], [1, 400, 599], [500, 500]):
        gathered = Gathered()
        begins = np.cumsum([0, *cuts])
        for k in reversed(range(len(cuts))):
            part = slice(begins[k], begins[k + 1])
            zero = np.zeros(cuts[k], dtype=np.int64)
            gathered.add(["a", None], who[part], ["s"], zero, shift[part])
        found.append(gathered.distributions(("s",)))
    assert found[0] == found[1] == found[2]
    assert [item.group for item in found[0]] == ["a", None]


def test_a_group_function_that_fails_costs_one_row() -> None:
    g = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    h = g.replace(participant="P1")
    cohort = quiet([g, h], {"x": {"do": {"a": 0.5}}}, group=lambda graph: {"P1": 1}[
        graph.participant], concepts="stance", mechanism="linear")  # fmt: skip
    assert "KeyError" in rows_of(cohort)[0]["error"]
    assert rows_of(cohort)[1]["group"] == "1"


def test_frames_hold_the_rows(people: list[BeliefGraph], tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    inside = quiet(people, n_samples=50)
    frames = [inside.to_frame()]
    forms = ["jsonl", *(["parquet"] if backend_is_there("pyarrow") else [])]
    for form in forms:
        kept = quiet(people, n_samples=50, out=tmp_path / form, file_format=form, chunk_size=4)
        frames.append(kept.to_frame())
        assert rows_of(kept) == rows_of(inside)
    for frame in frames:
        assert len(frame) == len(rows_of(inside))
        assert int(frame["error"].notna().sum()) == inside.n_errors
        both = [f.astype(object).where(f.notna(), None) for f in (frame, frames[0])]
        pd.testing.assert_frame_equal(*both)
    assert len(inside.by_group()) == len(SCENARIOS)


# --- what is kept -------------------------------------------------------------------------------


class EndedError(Exception):
    """Stands for whatever ends a run."""


def stop_after(graphs: list[BeliefGraph], count: int, problem: BaseException) -> Iterator[Any]:
    yield from graphs[:count]
    raise problem


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("problem", [KeyboardInterrupt(), EndedError()])
def test_a_run_that_ended_goes_on(
    people: list[BeliefGraph], form: str, problem: BaseException, tmp_path: Path
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    options: dict[str, Any] = {"n_samples": 50, "chunk_size": 2, "file_format": form,
                               "group": {"P1": "x"}}  # fmt: skip
    whole = quiet(people, out=tmp_path / "whole", **options)
    with pytest.raises(type(problem)) as caught:
        quiet(stop_after(people, 7, problem), out=tmp_path / "ended", **options)
    assert any("3 finished parts are kept" in note for note in caught.value.__notes__)
    assert len(list((tmp_path / "ended").glob("part-*"))) == 3
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "ended").glob("part-*")}
    again = quiet(people, out=tmp_path / "ended", **options)
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())
    assert rows_of(again) == rows_of(whole)
    assert again.distributions == whole.distributions
    assert again.reasons == whole.reasons
    for a, b in zip(whole.parts, again.parts, strict=True):
        assert a.read_bytes() == b.read_bytes()
    manifest = json.loads((tmp_path / "ended" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["finished"] == {"people": 10, "parts": 5}


def test_a_folder_of_another_run_is_refused(people: list[BeliefGraph], tmp_path: Path) -> None:
    quiet(people, out=tmp_path / "run", n_samples=50)
    with pytest.raises(InterventionError, match="different: n_samples, seed"):
        quiet(people, out=tmp_path / "run", n_samples=60, seed=1)
    with pytest.raises(InterventionError, match="other people"):
        quiet(people[:-1], out=tmp_path / "run", n_samples=50)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(InterventionError, match="other files"):
        quiet(people, out=tmp_path / "mine")
    (tmp_path / "mine" / "manifest.json").write_text("{}")
    with pytest.raises(InterventionError, match="manifest"):
        quiet(people, out=tmp_path / "mine")


def test_a_full_disk_leaves_whole_parts(
    people: list[BeliefGraph], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: dict[str, Any] = {"mechanism": "linear", "chunk_size": 2}
    folder = tmp_path / "run"
    real, written = os.fsync, []

    def full(handle: int) -> None:
        written.append(handle)
        if len(written) > 3:  # the manifest and two parts fit
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        quiet(people, out=folder, **options)
    assert "2 finished parts are kept" in caught.value.__notes__[0]
    assert sorted(path.name for path in folder.iterdir()) == [
        "manifest.json", "part-000000.jsonl", "part-000001.jsonl",
    ]  # fmt: skip
    monkeypatch.undo()
    assert rows_of(quiet(people, out=folder, **options)) == rows_of(quiet(people, **options))


def test_a_changed_file_is_not_mixed_in(people: list[BeliefGraph], tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_text(people[0].model_dump_json() + "\n", encoding="utf-8")
    quiet(path, out=tmp_path / "run", n_samples=20)
    path.write_text(people[1].model_dump_json() + "\n", encoding="utf-8")
    with pytest.raises(InterventionError, match="different: input"):
        quiet(path, out=tmp_path / "run", n_samples=20)


def test_progress_counts_people(people: list[BeliefGraph]) -> None:
    seen: list[tuple[int, int | None]] = []

    def note(done: int, total: int | None) -> None:
        seen.append((done, total))

    options: dict[str, Any] = {"mechanism": "linear", "chunk_size": 4, "progress": note}
    bg.simulate_cohort(people, SCENARIOS, **options)
    bg.simulate_cohort(iter(people), SCENARIOS, **options)
    assert seen == [(4, 10), (8, 10), (10, 10), (4, None), (8, None), (10, None)]


def test_memory_holds_one_chunk_of_the_input(people: list[BeliefGraph], tmp_path: Path) -> None:
    """A graph is asked for only when those of earlier chunks are answered and on disk."""
    folder = tmp_path / "run"

    def watched() -> Iterator[BeliefGraph]:
        for k, graph in enumerate(people):
            assert len(list(folder.glob("part-*"))) == k // 2
            yield graph

    quiet(watched(), out=folder, mechanism="linear", chunk_size=2)


def test_a_store_says_which_format_it_knows(tmp_path: Path) -> None:
    with pytest.raises(InterventionError, match="jsonl, parquet"):
        Store(tmp_path, "csv", {})


# --- processes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["loky", "threading"])
def test_processes_give_the_same_bytes(
    people: list[BeliefGraph], engine: str, tmp_path: Path
) -> None:
    joblib = pytest.importorskip("joblib")
    options: dict[str, Any] = {"n_samples": 50, "file_format": "jsonl", "chunk_size": 2}
    alone = quiet(people, out=tmp_path / "alone", **options)
    with joblib.parallel_config(backend=engine, n_jobs=2):
        many = quiet(people, out=tmp_path / "many", **options)
    for a, b in zip(alone.parts, many.parts, strict=True):
        assert a.read_bytes() == b.read_bytes()
    assert many.distributions == alone.distributions


_KILLED = """
import os, signal, sys
import beliefgraph as bg
g = bg.BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
once = sys.argv[2]

def group(graph):
    if graph.participant == "P5" and not os.path.exists(once):
        open(once, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return "x"

people = [g.replace(participant=f"P{k}") for k in range(8)]
bg.simulate_cohort(people, {"up": {"do": {"a": 0.5}}}, mechanism="linear", concepts="stance",
                   backend="numpy", group=group, out=sys.argv[1], chunk_size=1,
                   n_jobs=int(sys.argv[3]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_killed_worker_or_run_loses_nothing_that_was_finished(
    n_jobs: int, tmp_path: Path, fresh_python: tuple[list[str], dict[str, str]]
) -> None:
    if n_jobs > 1:
        pytest.importorskip("joblib")
    python, environment = fresh_python
    command = [*python, "-c", _KILLED, "run", "once", str(n_jobs)]
    run: dict[str, Any] = {
        "cwd": tmp_path, "env": environment, "capture_output": True, "text": True, "check": False,
        "timeout": 120,
    }  # fmt: skip
    first = subprocess.run(command, **run)
    assert first.returncode != 0
    kept = len(list((tmp_path / "run").glob("part-*.jsonl")))
    if n_jobs == 1:
        assert kept == 5
    else:
        assert kept < 8
        assert f"{kept} finished parts are kept in run" in first.stderr
    second = subprocess.run(command, **run)
    assert second.returncode == 0, second.stderr
    rows = [
        json.loads(line)
        for path in sorted((tmp_path / "run").glob("part-*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert [(r["person"], r["shift"]) for r in rows] == [(f"P{k}", 0.25) for k in range(8)]
    assert not list((tmp_path / "run").glob(".*.part"))


def test_ten_thousand_people_take_no_time(tmp_path: Path) -> None:
    """A loose bound that a loop over people in Python would break."""
    pytest.importorskip("numba")
    pytest.importorskip("pyarrow")
    table = make_table([small_graph(1, 6)] * 1000)
    write_tables([table] * 10, tmp_path / "people.arrow")
    options: dict[str, Any] = {"mechanism": "linear", "concepts": "stance"}
    write_tables([table.people(0, 10)], tmp_path / "few.arrow")
    quiet(tmp_path / "few.arrow", **options)
    begin = time.process_time()
    cohort = quiet(tmp_path / "people.arrow", **options)
    assert time.process_time() - begin < 2
    assert cohort.n_people == 10_000
    assert all(item.sd < 1e-6 for item in cohort.distributions)
