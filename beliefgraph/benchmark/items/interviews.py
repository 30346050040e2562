"""Whose interview a file holds: by its content, or by its name.

A file whose content names participant and topic is taken at its word. What it does not name comes
from its name: `PARTICIPANT_TOPIC.csv`, where TOPIC is a topic of the survey (a space may be written
as underscore or hyphen; case does not count). Where the survey has one topic, the name may be
`PARTICIPANT.csv`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.formats import read_transcripts
from beliefgraph.survey import Survey
from beliefgraph.transcript import LeftOut, Transcript

__all__ = ["Interviews", "gather_interviews", "read_interviews"]


@dataclass(frozen=True)
class Interviews:
    """Interviews by participant and topic."""

    by_person: dict[str, dict[str, Transcript]]
    left_out: tuple[LeftOut, ...] = ()
    """Parts of the files that are no turn."""


def read_interviews(folder: str | Path, survey: Survey) -> Interviews:
    """Read the interviews of a folder or file.

    Raises
    ------
    SurveyError
        A file cannot be read, names no person or no topic of the survey, or two hold one
        interview.
    """
    try:
        loaded = read_transcripts(folder)
    except BeliefGraphError as problem:
        raise SurveyError(str(problem)) from None
    if loaded.failed:
        first = loaded.failed[0]
        raise SurveyError(
            f"{len(loaded.failed)} interviews could not be read; the first: {first.error}"
        )
    return gather_interviews(loaded.transcripts, survey)


def gather_interviews(transcripts: Iterable[Transcript], survey: Survey) -> Interviews:
    """Give every interview its person and topic.

    Raises
    ------
    SurveyError
        One names no person or no topic of the survey, or two are the same person's on one topic.
    """
    topics = {_fold(topic.topic): topic.topic for topic in survey.topics}
    by_person: dict[str, dict[str, Transcript]] = {}
    sources: dict[tuple[str, str], str] = {}
    left_out: list[LeftOut] = []
    for transcript in transcripts:
        who, topic = _whose(transcript, topics)
        where = transcript.source or f"the interview of {who!r} on {topic!r}"
        if (who, topic) in sources:
            raise SurveyError(
                f"{where}: {who!r} has an interview on {topic!r} already "
                f"({sources[who, topic]}); keep one"
            )
        sources[who, topic] = where
        # The items say where they came from; a person's demographics stand with the person.
        bare = Transcript(turns=transcript.turns, participant=who, topic=topic)
        by_person.setdefault(who, {})[topic] = bare
        left_out += [part.replace(where=f"{where}, {part.where}") for part in transcript.left_out]
    return Interviews(by_person, tuple(left_out))


def _whose(transcript: Transcript, topics: dict[str, str]) -> tuple[str, str]:
    where = transcript.source or transcript.name
    stem = Path(transcript.source).stem if transcript.source else ""
    who, said = transcript.participant, transcript.topic
    topic = topics.get(_fold(said)) if said else None
    if said and topic is None:
        raise SurveyError(
            f"{where}: its topic {said!r} is not in the survey. "
            f"Known: {', '.join(map(repr, topics.values()))}"
        )
    if topic is None or who is None:
        named = _by_name(stem, topics)
        topic = topic or named[1] or (next(iter(topics.values())) if len(topics) == 1 else None)
        who = who or named[0]
    if not who or topic is None:
        lacking = "person" if not who else "topic"
        raise SurveyError(
            f"{where}: neither the file nor its name says which {lacking} it is; name it "
            f"PARTICIPANT_TOPIC{Path(where).suffix or '.csv'}, with one of the topics "
            f"{', '.join(map(repr, topics.values()))}"
        )
    return who, topic


def _by_name(stem: str, topics: dict[str, str]) -> tuple[str | None, str | None]:
    """Split PARTICIPANT_TOPIC at the longest topic that the name ends in."""
    for at in (match.start() for match in re.finditer("_", stem)):
        topic = topics.get(_fold(stem[at + 1 :]))
        if topic is not None and at:
            return stem[:at], topic
    return (stem or None, None) if len(topics) == 1 else (None, None)


def _fold(topic: str) -> str:
    return re.sub(r"[\s_-]+", " ", topic).strip().casefold()
