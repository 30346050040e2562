r"""`read_transcript` and `read_transcripts`: find the format, read, choose.

Answers come out verbatim. The one thing that changes is line ends, and only in text with speaker
labels, where they become `\n`; CSV cells and JSON strings keep theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from beliefgraph.errors import TranscriptError, suggestions
from beliefgraph.formats.base import Contents, Format, Interview, Source
from beliefgraph.formats.files import list_folder, read_text
from beliefgraph.formats.registry import detect_format, format_named
from beliefgraph.transcript import LeftOut, Transcript

__all__ = ["Failed", "Loaded", "read_transcript", "read_transcripts"]


class Failed(NamedTuple):
    """A file, or a part of one, that could not be read."""

    path: Path
    error: TranscriptError


class Loaded(NamedTuple):
    """What was read, and what was not."""

    transcripts: tuple[Transcript, ...]
    failed: tuple[Failed, ...]


def read_transcript(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users look for, as in pandas and networkx
    participant: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
) -> Transcript:
    r"""Read one person's interview from a file, or from a folder that holds it.

    Parameters
    ----------
    path
        A Trace-Your-Thinking export, HugAgent items, JSON question/answer pairs, a CSV table, text
        with speaker labels, or a saved transcript; or a folder of such files.
    format
        "tyt", "hugagent", "pairs", "csv", "text" or "transcript"; told by the content where it is
        not given.
    participant, topic
        Which interview to read, where there are several. Where the file does not name its person
        or topic, the name to give them.
    encoding
        Of the file, where it is neither UTF-8 nor UTF-16 with a mark.

    Returns
    -------
    Transcript
        Parts of the file that are no turn stand in its `left_out`, each with the reason. A HugAgent
        participant gets the UNION of the contexts of all items (`merged_versions` says how many
        there were). That is for exploration only: each version hides the answer its item asks for,
        and the union shows it, so a predictor of belief-state items (BSI) must not use it.

    Raises
    ------
    TranscriptError
        The file cannot be read as an interview, or holds several and none is chosen.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "interview.txt")
    ...     _ = path.write_text("Q: Do you like buses?\nA: I do.")
    ...     t = read_transcript(path, participant="P01")
    >>> t.turn("1").answer, t.participant, t.format
    ('I do.', 'P01', 'text')
    """
    path = Path(path)
    contents, failed = _contents(path, format, encoding)
    chosen = _choose(path, contents.interviews, participant, topic, failed)
    if isinstance(chosen.result, TranscriptError):
        raise chosen.result
    transcript = chosen.result
    return transcript.replace(
        participant=transcript.participant or participant,
        topic=transcript.topic or topic,
        left_out=transcript.left_out + contents.left_out,
    )


def read_transcripts(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - as in read_transcript
    participant: str | None = None,
    topic: str | None = None,
    encoding: str | None = None,
) -> Loaded:
    """Read every interview of a folder or file; one that is broken does not stop the rest.

    Parameters
    ----------
    path
        A folder (its hidden files, README and LICENSE and its own folders are passed over), or a
        file.
    format, encoding
        As in `read_transcript`, for every file.
    participant, topic
        Read only the interviews that name this person or topic.

    Returns
    -------
    Loaded
        `transcripts`, and `failed`: (path, error) of each file or part of a file that was not read.

    Raises
    ------
    TranscriptError
        Nothing at all could be read, or nobody is called `participant`.

    See Also
    --------
    read_transcript : what the union of a HugAgent participant's contexts may be used for.
    """
    path = Path(path)
    contents, failed = _contents(path, format, encoding)
    chosen = _matching(contents.interviews, participant, topic)
    if not chosen:
        raise TranscriptError(_nobody(path, contents.interviews, participant, topic, failed))
    errors = [item.result for item in chosen if isinstance(item.result, TranscriptError)]
    transcripts = [item.result for item in chosen if isinstance(item.result, Transcript)]
    if not transcripts:
        raise errors[0]
    failed += [Failed(path, problem) for problem in errors]
    if contents.left_out:
        if len(transcripts) == 1:
            kept = transcripts[0].left_out + contents.left_out
            transcripts = [transcripts[0].replace(left_out=kept)]
        else:
            failed.append(Failed(path, _parts_left_out(path, contents.left_out)))
    return Loaded(tuple(transcripts), tuple(failed))


def _parts_left_out(path: Path, left_out: Sequence[LeftOut]) -> TranscriptError:
    shown = "; ".join(f"{item.where}: {item.why}" for item in left_out[:5])
    more = f"; and {len(left_out) - 5} more" if len(left_out) > 5 else ""
    return TranscriptError(f"{path}: {len(left_out)} parts could not be read: {shown}{more}")


def _contents(path: Path, name: str | None, encoding: str | None) -> tuple[Contents, list[Failed]]:
    form = format_named(name) if name is not None else None
    if not path.is_dir():
        source = Source(path, read_text(path, encoding=encoding))
        return (form or detect_format(source)).read([source]), []
    return _folder_contents(path, form, encoding)


def _folder_contents(
    folder: Path, form: Format | None, encoding: str | None
) -> tuple[Contents, list[Failed]]:
    batches: dict[object, tuple[Format, list[Source]]] = {}
    failed: list[Failed] = []
    for path in list_folder(folder):
        try:
            source = Source(path, read_text(path, encoding=encoding))
        except TranscriptError as problem:
            failed.append(Failed(path, problem))
            continue
        found = form or detect_format(source)
        key = found.name if found.pools and found.detect(source) else path
        batches.setdefault(key, (found, []))[1].append(source)
    interviews: list[Interview] = []
    left_out: list[LeftOut] = []
    for found, sources in batches.values():
        try:
            contents = found.read(sources)
        except TranscriptError as problem:
            failed.append(Failed(sources[0].path, problem))
            continue
        interviews.extend(contents.interviews)
        left_out.extend(contents.left_out)
    if not interviews:
        shown = "; ".join(str(item.error) for item in failed[:3])
        raise TranscriptError(
            f"{folder}: none of its {len(failed)} files could be read as an interview: {shown}"
        )
    return Contents(tuple(interviews), tuple(left_out)), failed


def _matching(
    interviews: Sequence[Interview], participant: str | None, topic: str | None
) -> list[Interview]:
    return [
        item
        for item in interviews
        if participant in (None, item.participant) and topic in (None, item.topic)
    ]


def _choose(
    path: Path,
    interviews: Sequence[Interview],
    participant: str | None,
    topic: str | None,
    failed: Sequence[Failed],
) -> Interview:
    found = _matching(interviews, participant, topic)
    if not found and len(interviews) == 1:
        (only,) = interviews
        named = Interview(only.participant or participant, only.topic or topic, only.result)
        if _matching([named], participant, topic):
            return named
    if not found:
        raise TranscriptError(_nobody(path, interviews, participant, topic, failed))
    if len(found) > 1:
        raise TranscriptError(
            f"{path}: it holds {len(found)} interviews; {_listing(found)}. Choose one with "
            "participant= and topic= (--participant, --topic), or read them all with "
            "read_transcripts."
        )
    return found[0]


def _nobody(
    path: Path,
    interviews: Sequence[Interview],
    participant: str | None,
    topic: str | None,
    failed: Sequence[Failed],
) -> str:
    asked = " and ".join(
        f"{key} {value!r}"
        for key, value in (("participant", participant), ("topic", topic))
        if value
    )
    near = ""
    if participant is not None and not _matching(interviews, participant, None):
        near = suggestions(participant, _names(item.participant for item in interviews))
    elif topic is not None:
        theirs = _matching(interviews, participant, None)
        near = suggestions(topic, _names(item.topic for item in theirs))
    broken = f" ({len(failed)} of its files could not be read.)" if failed else ""
    return f"{path}: no interview of {asked}. {near}{broken}"


def _names(values: Iterable[str | None]) -> list[str]:
    return sorted({value for value in values if value})


def _listing(interviews: Sequence[Interview]) -> str:
    people = _names(item.participant for item in interviews)
    topics = _names(item.topic for item in interviews)
    if not people and not topics:
        results = [item.result for item in interviews]
        files = [item.source for item in results if isinstance(item, Transcript) and item.source]
        return "none names a person or topic; name one of the files " + ", ".join(files)
    shown = [f"participants: {', '.join(people)}"] if people else []
    return "; ".join([*shown, *([f"topics: {', '.join(topics)}"] if topics else [])])
