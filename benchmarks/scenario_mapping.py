"""How well a scenario's words are read as values of a person's concepts, against hand labels.

    python benchmarks/scenario_mapping.py                      # the development topics
    python benchmarks/scenario_mapping.py --split final        # for the reported number only
    python benchmarks/scenario_mapping.py --vectors --show     # MiniLM's vectors; every difference
    python benchmarks/scenario_mapping.py --vectors wordllama  # static vectors, without torch

The labels (tests/data/scenarios_labelled.json) were written before the mapper was looked at:
invented scenarios, each read for two invented people who hold part of the topic's concepts in
wordings of their own. Precision and recall are of the concepts moved, in every person's graph;
direction and dose are judged where the concept is right, `dose` as the share within 0.2. Brackets
hold 95% intervals from drawing scenarios. A worry is answered where the labels say so, or a concept
that speaks against the stance goes down.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import beliefgraph as bg
from beliefgraph.intervals import estimate_ratio
from beliefgraph.simulate.scenario.reading import ScenarioReading, map_scenario
from beliefgraph.text import load_encoder

LABELS = Path(__file__).parent.parent / "tests" / "data" / "scenarios_labelled.json"
DOSE_TOLERANCE = 0.2

Read = Callable[[bg.BeliefGraph, str], ScenarioReading]


@dataclass
class Counts:
    """What was meant and read of one scenario, over people, and where they agree."""

    meant: int = 0
    read: int = 0
    right: int = 0
    way: int = 0
    dose: int = 0
    worries_meant: int = 0
    worries_read: int = 0
    worries_right: int = 0
    differences: list[str] = field(default_factory=list)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--split", choices=("development", "final"), default="development")
    parser.add_argument(
        "--vectors",
        nargs="?",
        const="",
        metavar="MODEL",
        help="compare by sentence vectors too: MiniLM's, or those of a model such as wordllama",
    )
    parser.add_argument(
        "--pool", action="store_true", help="the topic's other concepts may be meant as well"
    )
    parser.add_argument("--show", action="store_true", help="print every difference")
    chosen = parser.parse_args()
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    start = time.perf_counter()
    encoder = None if chosen.vectors is None else load_encoder(chosen.vectors or None)
    found = count(
        labels,
        chosen.split,
        lambda graph, text: map_scenario(graph, text, encoder=encoder),
        pool=chosen.pool,
    )
    seconds = time.perf_counter() - start
    if chosen.show:
        print("\n".join(line for each in found for line in each.differences), end="\n\n")
    for name, part, whole in (
        ("precision", "right", "read"),
        ("recall", "right", "meant"),
        ("direction", "way", "right"),
        ("dose", "dose", "way"),
        ("worries, precision", "worries_right", "worries_read"),
        ("worries, recall", "worries_right", "worries_meant"),
    ):
        parts, wholes = ([getattr(each, key) for each in found] for key in (part, whole))
        print(f"{name:18} {sum(parts):3}/{sum(wholes):<3} {estimate_ratio(parts, wholes)}")
    print(f"{seconds:.2f} s")


def count(labels: Mapping[str, Any], split: str, read: Read, *, pool: bool) -> list[Counts]:
    """Compare readings with the labels of one split, scenario by scenario."""
    counts = []
    for topic in labels["topics"]:
        if topic["split"] != split:
            continue
        people = [with_pool(topic, one) if pool else one for one in topic["graphs"]]
        graphs = [person_graph(topic, person) for person in people]
        for scenario in labels["scenarios"]:
            if scenario["topic"] == topic["id"]:
                counts.append(Counts())
                for person, graph in zip(people, graphs, strict=True):
                    _compare(counts[-1], person, scenario, read(graph, scenario["text"]))
    return counts


def with_pool(topic: Mapping[str, Any], person: Mapping[str, Any]) -> dict[str, Any]:
    """Return a person with the topic's other concepts, under the topic's names, acting on nothing.

    As if the pool's concepts had been aligned with the person's without an error.
    """
    held = {each["concept"] for each in person["concepts"]}
    others = [
        {"wording": name, "concept": name, "polarity": 1, "weight": 0.0}
        for name in topic["concepts"]
        if name not in held
    ]
    return {**person, "concepts": [*person["concepts"], *others]}


def person_graph(topic: Mapping[str, Any], person: Mapping[str, Any]) -> bg.BeliefGraph:
    """Return the graph of an invented person: every concept acts on the stance."""
    edges = [(each["wording"], topic["stance"], each["weight"]) for each in person["concepts"]]
    return bg.BeliefGraph.from_edges(
        edges, stance=topic["stance"], participant=person["id"], topic=topic["id"]
    )


def _compare(
    found: Counts,
    person: Mapping[str, Any],
    scenario: Mapping[str, Any],
    read: ScenarioReading,
) -> None:
    doses = {each["concept"]: each["dose"] for each in scenario["means"]}
    held = {each["wording"]: each for each in person["concepts"]}
    meant = {
        wording: each["polarity"] * doses[each["concept"]]
        for wording, each in held.items()
        if doses.get(each["concept"])
    }
    moved = {name: value for name, value in read.do.items() if value}
    found.meant += len(meant)
    found.read += len(moved)
    for name in meant.keys() & moved.keys():
        found.right += 1
        if meant[name] * moved[name] > 0:
            found.way += 1
            found.dose += abs(meant[name] - moved[name]) <= DOSE_TOLERANCE + 1e-9
    worries = {
        wording
        for wording, each in held.items()
        if each["weight"] < 0
        and (each["concept"] in scenario["answers"] or meant.get(wording, 0.0) < 0)
    }
    found.worries_meant += len(worries)
    found.worries_read += len(read.answers)
    found.worries_right += len(worries & read.answers.keys())
    if (
        meant.keys() != moved.keys()
        or any(abs(meant[name] - moved[name]) > DOSE_TOLERANCE for name in meant)
        or worries != read.answers.keys()
    ):
        found.differences.append(
            f"{scenario['text']}\n    meant {meant} answers {sorted(worries)}"
            f"\n    read  {moved} answers {sorted(read.answers)}"
        )


if __name__ == "__main__":
    main()
