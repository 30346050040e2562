"""Every person and topic of the HugAgent items: no crash, a DAG, every quote a true span."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest
from click.testing import CliRunner

import beliefgraph as bg
from beliefgraph.cli import main

pytestmark = pytest.mark.needs_pipeline


@pytest.fixture(scope="module")
def graphs(hugagent: Path) -> list[bg.BeliefGraph]:
    return [bg.extract(t) for t in bg.read_transcripts(hugagent).transcripts]


def test_every_interview_gives_a_graph(graphs: list[bg.BeliefGraph]) -> None:
    assert len({(g.participant, g.topic) for g in graphs}) == len(graphs) > 0
    assert all(g.participant and g.topic for g in graphs)


def test_every_graph_is_a_dag_with_a_stance(graphs: list[bg.BeliefGraph]) -> None:
    for g in graphs:
        assert nx.is_directed_acyclic_graph(g.to_networkx())
        assert g.stance in g.names


def test_every_influence_has_words_that_stand_in_the_answer(graphs: list[bg.BeliefGraph]) -> None:
    for g in graphs:
        assert g.transcript is not None
        for edge in (*g.influences, *(item.influence for item in g.feedback)):
            assert edge.evidence
            for item in edge.evidence:
                answer = g.transcript.turn(item.qa_id).answer
                assert answer[item.start : item.end] == item.quote
                assert item.quote.strip()


def test_every_graph_can_be_intervened_on(graphs: list[bg.BeliefGraph]) -> None:
    for g in graphs:
        for name in g.intervenable[:2]:
            r = bg.intervene(g, do={name: 0.8}, n_samples=200, seed=7)
            assert abs(r.stance.after) < 1
            explanation = r.explain()
            # mentions that cancel leave a mean weight of 0, which no path carries
            assert explanation.paths or explanation.total == 0


def test_every_graph_survives_saving(graphs: list[bg.BeliefGraph], tmp_path: Path) -> None:
    for g in graphs[:5]:
        g.save(tmp_path / "g.json")
        assert bg.BeliefGraph.load(tmp_path / "g.json") == g


def test_one_person_on_the_command_line(graphs: list[bg.BeliefGraph], hugagent: Path) -> None:
    g = next(g for g in graphs if g.intervenable)
    assert g.participant is not None
    assert g.topic is not None
    result = CliRunner().invoke(
        main,
        ["simulate", str(hugagent), "--participant", g.participant, "--topic", g.topic,
         "--do", f"{g.intervenable[0]}=0.8", "--json"],
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    got = json.loads(result.stdout)
    assert got["participant"] == g.participant
    assert got["intervenable"] == list(g.intervenable)
    assert any("for exploration only" in text for text in got["notes"])
