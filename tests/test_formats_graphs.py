"""A belief graph goes to JSON and networkx and comes back the same; what cannot, says why."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
from hypothesis import given

from beliefgraph import (
    BeliefGraph,
    Concept,
    CycleError,
    Evidence,
    GraphError,
    SchemaVersionError,
    StanceError,
    Transcript,
)
from beliefgraph.formats.json import graph_from_json, load_graph, save_graph
from beliefgraph.formats.networkx import from_networkx, to_networkx
from tests.strategies import belief_graphs


@pytest.fixture
def graph() -> BeliefGraph:
    answer = "Higher rents push people out."
    return BeliefGraph.from_edges(
        [("rents", "support", -0.5, 0.9)], stance="support", participant="P01"
    ).replace(
        transcript=Transcript.from_pairs([("Why?", answer)]),
        concepts=(
            Concept(
                name="rents",
                evidence=(Evidence(qa_id="1", start=7, end=12, quote=answer[7:12]),),
            ),
            Concept(name="support"),
        ),
    )


@given(graph=belief_graphs())
def test_json_is_lossless(graph: BeliefGraph) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "g.json")
        save_graph(graph, path)
        again = load_graph(path)
    assert again == graph
    assert again.model_dump_json() == graph.model_dump_json()


@given(graph=belief_graphs())
def test_networkx_is_lossless(graph: BeliefGraph) -> None:
    made = to_networkx(graph)
    assert tuple(made.nodes) == graph.names
    assert from_networkx(made) == graph
    plain = json.loads(json.dumps(nx.node_link_data(made, edges="edges")))
    assert from_networkx(nx.node_link_graph(plain, edges="edges")) == graph


def test_save_and_load_are_methods_of_the_graph(graph: BeliefGraph, tmp_path: Path) -> None:
    graph.save(tmp_path / "g.json")
    assert BeliefGraph.load(tmp_path / "g.json") == graph
    assert BeliefGraph.from_networkx(graph.to_networkx()) == graph
    assert [path.name for path in tmp_path.iterdir()] == ["g.json"]


def test_a_save_that_fails_leaves_the_old_file(
    graph: BeliefGraph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.json"
    path.write_text("the old one")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(GraphError, match=r"g\.json: cannot be written: No space left"):
        graph.save(path)
    assert path.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [path]


def test_saving_keeps_links_and_permissions(graph: BeliefGraph, tmp_path: Path) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("")
    real.chmod(0o640)
    link.symlink_to(real)
    graph.save(link)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert BeliefGraph.load(real) == graph


def test_saving_into_a_missing_folder_is_an_error(graph: BeliefGraph, tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="cannot be written"):
        graph.save(tmp_path / "nowhere" / "g.json")


def _broken(graph: BeliefGraph, **changes: Any) -> str:
    return json.dumps({**graph.model_dump(mode="json"), **changes})


def test_a_newer_schema_names_both_versions_and_the_upgrade(graph: BeliefGraph) -> None:
    with pytest.raises(SchemaVersionError, match=r"version 2.*up to version 1.*pip install -U"):
        graph_from_json(_broken(graph, schema_version=2, surprise=True))


@pytest.mark.parametrize("version", [0, -1, "1", True, None])
def test_a_schema_version_is_a_number(graph: BeliefGraph, version: object) -> None:
    with pytest.raises(GraphError, match="schema_version"):
        graph_from_json(_broken(graph, schema_version=version))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("3", "not a saved belief graph"),
        ('{"nodes": []}', "expected a JSON object with 'schema_version'"),
        ('[{"question": "q", "answer": "a"}]', "read_transcript"),
        ('{"schema_version": 1}', "stance: Field required"),
        ('{"schema_version": 1, "stance": "s", "concepts": [], "x": 1}', "x: Extra inputs"),
    ],
)
def test_what_is_no_graph_is_an_error(text: str, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        graph_from_json(text)


def test_evidence_must_fit_the_transcript(graph: BeliefGraph, tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    data = graph.model_dump(mode="json")
    evidence = data["concepts"][0]["evidence"][0]
    for change, message in (
        ({"qa_id": "7"}, r"g\.json: .*cites turn '7'"),
        ({"start": 8, "end": 13}, r"g\.json: .*is not characters 8:13"),
        ({"end": 13}, r"g\.json: .*span 7:13 is 6 characters long"),
        ({"start": -1}, r"g\.json: .*greater than or equal to 0"),
    ):
        changed = json.loads(json.dumps(data))
        changed["concepts"][0]["evidence"][0] = {**evidence, **change}
        path.write_text(json.dumps(changed))
        with pytest.raises(GraphError, match=message):
            load_graph(path)


def test_a_loaded_error_keeps_its_kind(graph: BeliefGraph) -> None:
    back = {"source": "support", "target": "rents", "weight": 0.1}
    data = graph.model_dump(mode="json")
    with pytest.raises(CycleError, match="the JSON: the influences form a loop") as caught:
        graph_from_json(_broken(graph, influences=[*data["influences"], back]))
    assert set(caught.value.cycle) == {"rents", "support"}
    with pytest.raises(StanceError, match="Did you mean 'support'"):
        graph_from_json(_broken(graph, stance="suport"))
    with pytest.raises(GraphError, match="no concept is called 'x'"):
        graph_from_json(_broken(graph, influences=[{**back, "source": "x"}]))
    twice = {"turns": [{"qa_id": "1", "question": "", "answer": ""}] * 2}
    with pytest.raises(GraphError, match="both numbered '1'"):
        graph_from_json(_broken(graph, transcript=twice))


def test_a_missing_or_binary_file_is_a_graph_error(tmp_path: Path) -> None:
    (tmp_path / "graph.json").write_bytes(b"\x00\x01")
    with pytest.raises(GraphError, match=r"Did you mean 'graph\.json'"):
        load_graph(tmp_path / "grph.json")
    with pytest.raises(GraphError, match="binary"):
        load_graph(tmp_path / "graph.json")


def test_networkx_shares_nothing_with_the_graph(graph: BeliefGraph) -> None:
    before = graph.model_dump_json()
    made = to_networkx(graph)
    made.graph["transcript"]["demographics"]["age"] = "41"
    made.nodes["rents"]["evidence"].clear()
    made.edges["rents", "support"]["weight"] = 0.1
    assert graph.model_dump_json() == before
    source = to_networkx(graph)
    read = from_networkx(source)
    source.graph["transcript"]["demographics"]["age"] = "41"
    assert read == graph


def test_a_users_own_digraph() -> None:
    made = nx.DiGraph()
    made.add_edge("rents", 1, weight=-1, color="red")
    made.add_edge(1, "support", weight=0.5, confidence=0.25, order="late")
    read = from_networkx(made, stance="support")
    assert read.names == ("rents", "1", "support")
    assert [(e.weight, e.confidence) for e in read.influences] == [(-1.0, 1.0), (0.5, 0.25)]


@pytest.mark.parametrize(
    ("made", "error", "message"),
    [
        (nx.Graph([("a", "b")]), GraphError, "undirected Graph"),
        (nx.MultiDiGraph([("a", "b")]), GraphError, "MultiDiGraph: two concepts"),
        (nx.MultiGraph([("a", "b")]), GraphError, "undirected MultiGraph"),
        ({"a": "b"}, GraphError, "got dict"),
        (nx.DiGraph([("a", "b")]), GraphError, "edge 'a' -> 'b' has no 'weight'"),
        (nx.DiGraph([("a", "b", {"weight": 2})]), GraphError, "'a' -> 'b'.*less than or equal"),
        (nx.DiGraph([("a", "b", {"weight": "1"})]), GraphError, "must be a number, got '1'"),
        (nx.DiGraph([("a", "b", {"weight": float("nan")})]), GraphError, "'a' -> 'b'.*weight"),
        (nx.DiGraph([("b", 1, {"weight": 1}), ("b", "1", {"weight": 1})]), GraphError, "both be"),
        (nx.DiGraph([("b", "b", {"weight": 1})]), CycleError, "b -> b"),
        (
            nx.DiGraph([("a", "b", {"weight": 1}), ("b", "a", {"weight": 1})]),
            CycleError,
            "-> b -> a|-> a -> b",
        ),
        (nx.DiGraph([("a", "c", {"weight": 1})]), StanceError, "stance"),
    ],
)
def test_a_networkx_graph_that_cannot_be_one(
    made: Any, error: type[GraphError], message: str
) -> None:
    with pytest.raises(error, match=message):
        from_networkx(made, stance="b")


def test_a_networkx_graph_without_a_stance() -> None:
    with pytest.raises(StanceError, match=r"pass stance=.*'a', 'b'"):
        from_networkx(nx.DiGraph([("a", "b", {"weight": 1})]))


def test_a_networkx_node_with_a_field_that_breaks_a_rule() -> None:
    made = nx.DiGraph([("a", "b", {"weight": 1})])
    made.nodes["a"]["baseline"] = 3
    with pytest.raises(GraphError, match=r"node 'a'.*baseline.*less than or equal to 1.*got 3"):
        from_networkx(made, stance="b")
