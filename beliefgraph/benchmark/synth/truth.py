"""The truth beside a synthetic study: what each person believes, values, and would answer.

It stands in records of its own and in a folder of its own (`truth/`), so that nothing of it can be
in the items. `scenarios.jsonl` and `turns.jsonl` are for reading by people and other programs; the
rest is what `Truth.load` reads back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import Field

from beliefgraph.benchmark.synth.questionnaire import interventions
from beliefgraph.benchmark.synth.render import load_topics
from beliefgraph.benchmark.synth.speaker import RenderedTurn, Style, Topic
from beliefgraph.benchmark.synth.values import ResponseStyle
from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.formats.files import write_text
from beliefgraph.graph import BeliefGraph
from beliefgraph.records import Record

__all__ = ["PersonTruth", "SignTruth", "Truth", "topics_by_id"]

Key = tuple[str, str]
"""Participant and topic."""


class PersonTruth(Record):
    """What makes one person answer and speak."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    participant: str
    """Pseudonym."""
    values: dict[str, float]
    """General values, standard normal among people."""
    topic_values: dict[str, dict[str, float]]
    """Values as they are on each topic."""
    response_style: ResponseStyle
    """How the person turns a stance into a number."""
    speaking_style: Style
    """How the person talks."""
    noise_free: dict[str, int]
    """Answer to every survey question without any noise."""
    second: dict[str, int] = Field(default_factory=dict)
    """Answer to every survey question in the second wave."""


class SignTruth(Record):
    """One sign item: what the person holds, said and says on another day."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    item_id: str
    """The item."""
    participant: str
    """Pseudonym."""
    topic: str
    """Topic of the interview."""
    qa_id: str
    """Turn that the item hides."""
    source: str
    """What has the effect."""
    target: str
    """What the effect is on."""
    held: Literal[-1, 1]
    """Sign of the influence in the person's graph."""
    said: Literal[-1, 1]
    """What the hidden turn says: the item's answer."""
    second: Literal[-1, 1]
    """What the person says on another day."""


@dataclass(frozen=True)
class Truth:
    """The truth of all people of a study."""

    graphs: Mapping[Key, BeliefGraph]
    """What each person believes on each topic."""
    people: Mapping[str, PersonTruth]
    """By pseudonym."""
    signs: Mapping[str, SignTruth]
    """By item."""
    turns: Mapping[Key, tuple[RenderedTurn, ...]]
    """Every turn with what it says; empty where it was read from a folder."""

    def write(self, folder: Path, advance: Callable[[], None]) -> None:
        """Write the truth into a folder; `advance` is called once a graph."""
        (folder / "graphs").mkdir(parents=True, exist_ok=True)
        for (participant, topic), graph in self.graphs.items():
            graph.save(folder / "graphs" / f"{participant}_{topic}.json")
            advance()
        _write_lines(folder / "people.jsonl", (p.model_dump() for p in self.people.values()))
        _write_lines(folder / "signs.jsonl", (s.model_dump() for s in self.signs.values()))
        _write_lines(folder / "turns.jsonl", self._turn_lines())
        topics = topics_by_id()
        done = [
            {"participant": who, "topic": topic, "do": interventions(topics[topic], graph)}
            for (who, topic), graph in self.graphs.items()
        ]
        _write_lines(folder / "scenarios.jsonl", done)

    def _turn_lines(self) -> Iterator[dict[str, Any]]:
        for (participant, topic), turns in self.turns.items():
            for number, turn in enumerate(turns, start=1):
                yield {
                    "participant": participant,
                    "topic": topic,
                    "qa_id": str(number),
                    "kind": turn.kind,
                    "says": [list(truth) for truth in turn.truths],
                }

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read the truth of a study from its folder, the one that holds `truth/`.

        Raises
        ------
        SurveyError
            There is none, or a line of it breaks a rule.
        """
        home = Path(folder) / "truth"
        if not (home / "people.jsonl").is_file():
            raise SurveyError(
                f"{folder}: holds no truth/people.jsonl; give a folder that `beliefgraph synth` "
                "wrote"
            )
        people = [PersonTruth(**line) for line in _read_lines(home / "people.jsonl")]
        signs = [SignTruth(**line) for line in _read_lines(home / "signs.jsonl")]
        graphs = {
            (person.participant, topic): BeliefGraph.load(
                home / "graphs" / f"{person.participant}_{topic}.json"
            )
            for person in people
            for topic in person.topic_values
        }
        return cls(
            graphs=graphs,
            people={person.participant: person for person in people},
            signs={sign.item_id: sign for sign in signs},
            turns={},
        )


def topics_by_id() -> dict[str, Topic]:
    """Return the invented topics by their id."""
    return {topic["id"]: topic for topic in load_topics()}


def _write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    write_text(path, text, error=SurveyError)


def _read_lines(path: Path) -> list[dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    try:
        return [json.loads(line) for line in lines]
    except json.JSONDecodeError as problem:
        raise SurveyError(f"{path}: not JSON lines: {problem}") from None
