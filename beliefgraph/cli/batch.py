"""Many interviews at once: one row a person and topic, and what could not be read at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from beliefgraph.cli.base import console, note, plain
from beliefgraph.cli.report import (
    answers_json,
    configuration_json,
    print_json,
    scenario_json,
)
from beliefgraph.cli.subjects import Selection, Subjects, notes_on
from beliefgraph.cli.tables import print_notes, signed, span, table
from beliefgraph.errors import (
    BeliefGraphError,
    MissingPackageError,
    StanceError,
    UnknownConceptError,
)
from beliefgraph.formats.base import clip
from beliefgraph.transcript import Transcript

if TYPE_CHECKING:
    from beliefgraph.graph import BeliefGraph
    from beliefgraph.simulate import Result, ScenarioMatch, SimulationConfig

__all__ = ["run_batch"]


@dataclass(frozen=True)
class _Row:
    """One person and topic: a result, or why there is none."""

    transcript: Transcript
    graph: BeliefGraph | None = None
    result: Result | None = None
    config: SimulationConfig | None = None
    matches: tuple[ScenarioMatch, ...] = ()
    error: BeliefGraphError | None = None

    @property
    def short_error(self) -> str:
        """What a table has room for."""
        if isinstance(self.error, UnknownConceptError):
            return f"no concept is called {self.error.name!r}"
        return clip(str(self.error), 120)


def run_batch(
    subjects: Subjects, chosen: Selection, config: SimulationConfig, *, as_json: bool
) -> int:
    """Answer for every interview and return the exit code: 2 where none could be answered."""
    from rich.progress import Progress

    rows = []
    with Progress(console=console(stderr=True), transient=True) as progress:
        for transcript in progress.track(subjects.transcripts, description="Interviews"):
            rows.append(_answer(transcript, chosen, config))
    notes = _shared_notes(subjects.transcripts)
    if as_json:
        print_json(
            {
                "rows": [_json(row, config) for row in rows],
                "failed": [{"path": path, "error": error} for path, error in subjects.failed],
                "notes": notes,
                "configuration": configuration_json(config),
            }
        )
    else:
        _print(rows, config)
        print_notes(notes)
    for path, error in subjects.failed:
        note(f"not read: {error if error.startswith(path) else f'{path}: {error}'}")
    answered = sum(row.result is not None for row in rows)
    if answered < len(rows) or subjects.failed:
        note(
            f"{answered} of {len(rows)} interviews answered; {len(subjects.failed)} "
            f"file{'s' * (len(subjects.failed) != 1)} or parts not read"
        )
    return 0 if answered else 2


def _answer(transcript: Transcript, chosen: Selection, config: SimulationConfig) -> _Row:
    """Extract and simulate one interview; what goes wrong becomes its row."""
    from beliefgraph.extractors import extract
    from beliefgraph.simulate import read_scenario

    graph = None
    try:
        graph = extract(transcript, stance=chosen.stance)
        if not graph.intervenable:
            raise StanceError(f"no influence leads to the stance {graph.stance!r}")
        matches = tuple(read_scenario(graph, config.scenario)) if config.scenario else ()
        own = config.resolve(graph)
        return _Row(transcript, graph, own.run(graph), own, matches)
    except MissingPackageError:
        raise
    except BeliefGraphError as problem:
        return _Row(transcript, graph, error=problem)


def _json(row: _Row, config: SimulationConfig) -> dict[str, Any]:
    graph, result, own = row.graph, row.result, row.config
    return {
        "participant": row.transcript.participant,
        "topic": row.transcript.topic,
        "source": row.transcript.source,
        "stance": result.stance.to_dict() if result else None,
        **answers_json(result),
        "concepts": [shift.to_dict() for shift in result.concepts] if result else [],
        "intervenable": list(graph.intervenable) if graph else [],
        "interventions": {"do": own.do, "shift": own.shift} if own else None,
        "scenario": scenario_json(config.scenario, row.matches) if config.scenario else None,
        "notes": [*notes_on(row.transcript), *(result.notes if result else ())],
        "error": str(row.error) if row.error else None,
    }


def _print(rows: list[_Row], config: SimulationConfig) -> None:
    if config.acts:
        columns = ["person", "topic", "stance", ">before", ">after", ">shift", ">interval"]
    else:
        columns = ["person", "topic", "stance", ">now", ">influences", ">can be moved by"]
    shown = table("One row a person and topic", columns)
    for row in rows:
        who = [plain(_person(row.transcript)), plain(row.transcript.topic or "")]
        if row.result is None or row.graph is None:
            shown.add_row(*who, plain(row.short_error))
            continue
        stance = row.result.stance
        if config.acts:
            values = [
                signed(stance.before),
                signed(stance.after),
                signed(stance.shift),
                span(stance.interval),
            ]
        else:
            values = [
                signed(stance.before),
                str(len(row.graph.influences)),
                f"{len(row.graph.intervenable)} concepts",
            ]
        shown.add_row(*who, plain(stance.name), *values)
    console().print(shown)


def _person(transcript: Transcript) -> str:
    if transcript.participant:
        return transcript.participant
    return (transcript.source or "").rsplit("/", 1)[-1]


def _shared_notes(transcripts: tuple[Transcript, ...]) -> list[str]:
    """Return the notes of all interviews, that on unions of versions only once."""
    notes = []
    unions = [t for t in transcripts if t.format == "hugagent"]
    if unions:
        notes.append(
            f"{len(unions)} of these are HugAgent interviews, each the union of its versions, for "
            "exploration only: a version hides the answer that its item asks for, and the union "
            "shows it, so they must not be used to predict those items."
        )
    for transcript in transcripts:
        if transcript.left_out:
            notes.append(notes_on(transcript)[-1])
    return notes
