"""Scores readings of the adversarial interviews; `python -m tests.adversarial_scoring` prints them.

A turn passes when everything it says was read with its sign, and nothing it does not say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import beliefgraph as bg
from beliefgraph.graph import Reading
from beliefgraph.text import read_label

FOLDER = Path(__file__).resolve().parent / "adversarial"
NAMES = tuple(
    sorted(
        p.stem for p in FOLDER.glob("*.json") if p.stem != "still_fails" and ".truth" not in p.name
    )
)
STANCES = ("Support for ", "Intention to ", "Wanting to ")
STRENGTHS = {"weak": (0.0, 0.3), "strong": (0.7, 1.0)}


@dataclass(frozen=True)
class Interview:
    """An interview, the author's reading of it, and the graph it gave."""

    name: str
    truth: dict[str, Any]
    graph: bg.BeliefGraph

    def readings(self, qa_id: str) -> list[Reading]:
        return [r for r in self.graph.readings if r.evidence.qa_id == qa_id]


@lru_cache
def truth_of(name: str) -> dict[str, Any]:
    truth: dict[str, Any] = json.loads((FOLDER / f"{name}.truth.json").read_text(encoding="utf-8"))
    return truth


@lru_cache
def interview(name: str) -> Interview:
    graph = bg.extract(bg.read_transcript(FOLDER / f"{name}.json"), vectors=None)
    return Interview(name, truth_of(name), graph)


def expectations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (interview, id, what is expected): every turn, then the concepts."""
    for name in NAMES:
        truth = truth_of(name)
        for turn in truth["turns"]:
            yield name, turn["id"], turn
        for item in truth["concepts"]:
            label = item.get("absent") or f"{item['one']}-{item['other']}"
            yield name, f"{name}-{label.lower().replace(' ', '_')}", item


def faults(name: str, expected: dict[str, Any]) -> list[str]:
    """Say what is wrong with the reading of one turn, or with one pair of concepts."""
    read = interview(name)
    if "id" not in expected:
        return _concept_faults(read.graph, expected)
    readings = read.readings(expected["id"])
    topic = read_label(read.graph.stance.partition(" for ")[2]).stems
    found = []
    if "level" in expected:
        found += _level_faults(read, expected)
    if "influences" in expected:
        found += _influence_faults(readings, expected, topic)
    elif "kind" in expected:
        found += _kind_faults(readings, expected, topic)
    elif "no_concept" in expected:
        found += [f"read as a concept: {shown(r)}" for r in readings if r.source or r.target]
    elif "level" in expected:
        found += [
            f"not said: {shown(r)}" for r in _signed(readings) if not _allowed(r, expected, topic)
        ]
    return found


def _level_faults(read: Interview, expected: dict[str, Any]) -> list[str]:
    stance = read.graph.concept(read.graph.stance)
    levels = [e.sign for e in stance.evidence if e.qa_id == expected["id"] and e.sign is not None]
    wanted = [] if expected["level"] is None else [expected["level"]]
    return [] if levels == wanted else [f"level: {levels or 'none'} instead of {wanted or 'none'}"]


def _influence_faults(
    readings: list[Reading], expected: dict[str, Any], topic: frozenset[str]
) -> list[str]:
    found = []
    for wanted in expected["influences"]:
        arrow = f"{wanted['source']} -> {wanted['target']}"
        matches = [(r, _agrees(r, wanted, topic)) for r in _signed(readings)]
        right = [r for r, agreement in matches if agreement > 0]
        if any(agreement < 0 for _, agreement in matches):
            found.append(f"wrong sign: {arrow}")
        elif not right:
            found.append(f"not read: {arrow} ({wanted['sign']:+d})")
        if right and "strength" in wanted:
            low, high = STRENGTHS[wanted["strength"]]
            sizes = [r.evidence.strength for r in right]
            if not any(size is not None and low <= size <= high for size in sizes):
                found.append(f"strength of {arrow}: {sizes} instead of {wanted['strength']}")
        if right and "refers_to" in expected:
            notes = [r.note for r in right]
            if not any(expected["refers_to"] in note for note in notes):
                found.append(f"refers to {notes} instead of {expected['refers_to']}")
    found += [
        f"not said: {shown(r)}"
        for r in _signed(readings)
        if not _allowed(r, expected, topic)
        and not any(_agrees(r, wanted, topic) for wanted in expected["influences"])
    ]
    return found


def _kind_faults(
    readings: list[Reading], expected: dict[str, Any], topic: frozenset[str]
) -> list[str]:
    kinds = expected["kind"].split(" / ")
    first = readings[0]
    signed = [r for r in _signed(readings) if not _allowed(r, expected, topic)]
    asked = [r for r in signed if (r.source, r.target) == (first.source, first.target)]
    if "sides" in expected and len(asked) > 1:
        found = []
        for sign, words in expected["sides"].items():
            if not any(r.evidence.sign == int(sign) and words in r.evidence.quote for r in asked):
                found.append(f"no {sign} side with {words!r}")
        return found + [f"not said: {shown(r)}" for r in signed if r not in asked]
    found = [] if first.kind in kinds else [f"kind: {first.kind} instead of {expected['kind']}"]
    return found + [f"not said: {shown(r)}" for r in signed if r.kind not in kinds]


def _concept_faults(graph: bg.BeliefGraph, expected: dict[str, Any]) -> list[str]:
    if "absent" in expected:
        place = _concept_of(graph, expected["absent"])
        return [] if place is None else [f"{expected['absent']!r} is a concept"]
    one, other = (_concept_of(graph, expected[side]) for side in ("one", "other"))
    if one is None or other is None:
        return [f"no concept holds {expected['one' if one is None else 'other']!r}"]
    polarity = one[1] * other[1] if one[0] == other[0] else 0
    if polarity == expected["polarity"]:
        return []
    said = {0: "apart", 1: "one concept", -1: "one scale, opposite ends"}
    return [f"{said[polarity]} instead of {said[expected['polarity']]}"]


def _concept_of(graph: bg.BeliefGraph, label: str) -> tuple[str, int] | None:
    for concept in graph.concepts:
        if concept.name.casefold() == label.casefold():
            return concept.name, 1
        for alias in concept.aliases:
            if alias.label.casefold() == label.casefold():
                return concept.name, alias.polarity
    return None


def _signed(readings: list[Reading]) -> list[Reading]:
    return [r for r in readings if r.evidence.sign and r.source and r.target]


def _allowed(reading: Reading, expected: dict[str, Any], topic: frozenset[str]) -> bool:
    """Say whether a reading is defensible, though not demanded."""
    return any(_agrees(reading, also, topic) > 0 for also in expected.get("allowed", ()))


def _agrees(reading: Reading, wanted: dict[str, Any], topic: frozenset[str]) -> int:
    """+1 where a reading is the wanted influence, -1 with the wrong sign, 0 if it is another."""
    assert reading.source is not None
    assert reading.target is not None
    assert reading.evidence.sign is not None
    source = _names(reading.source, wanted["source"], topic)
    target = _names(reading.target, wanted["target"], topic)
    return source * target * reading.evidence.sign * int(wanted["sign"])


def _names(label: str, wanted: str, topic: frozenset[str]) -> int:
    """+1 or -1 where a label names one of the wanted wordings (-1: its other end), else 0.

    A label matches if one's content words hold the other's; the stance and its topic only match
    themselves. A wording with a minus names the other end.
    """
    wordings = [(w.removeprefix("-"), -1 if w.startswith("-") else 1) for w in wanted.split(" / ")]
    if any(name.startswith(STANCES) for name in (label, wanted)):
        return int(label.casefold() == wanted.casefold())
    own = read_label(label)
    for wording, side in wordings:
        if read_label(wording).stems == own.stems:
            return side * own.direction * read_label(wording).direction
    for wording, side in wordings:
        other = read_label(wording)
        holds = own.stems < other.stems or other.stems < own.stems
        if holds and own.stems and other.stems and topic not in (own.stems, other.stems):
            return side * own.direction * other.direction
    return 0


def shown(reading: Reading) -> str:
    sign = {1: "+", -1: "-", 0: "0", None: "?"}[reading.evidence.sign]
    return f"{reading.source} -> {reading.target} ({sign}, {reading.note or reading.kind})"


def main() -> None:
    scores: dict[str, list[bool]] = {}
    for name, label, expected in expectations():
        wrong = faults(name, expected)
        scores.setdefault(name, []).append(not wrong)
        if wrong:
            turns = interview(name).graph.transcript
            assert turns is not None
            said = [t for t in turns.turns if t.qa_id == expected.get("id")]
            print(f"{label}: {said[0].answer if said else ''}")
            for fault in wrong:
                print(f"    {fault}")
            for reading in interview(name).readings(expected.get("id", "")):
                print(f"      read: {reading.kind}: {shown(reading)} {reading.evidence.quote!r}")
    for name, passed in scores.items():
        print(f"{name:24} {sum(passed):3} / {len(passed)}")
    every = [p for passed in scores.values() for p in passed]
    print(f"{'all':24} {sum(every):3} / {len(every)}")


if __name__ == "__main__":
    main()
