"""Read HugAgent items from a folder or files: what is an item file is told by its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.formats.base import Source, clip
from beliefgraph.formats.files import list_folder, read_text
from beliefgraph.formats.hugagent import (
    Context,
    MergedContexts,
    has_context,
    item_documents,
)
from beliefgraph.formats.json_documents import Document
from beliefgraph.survey.hugagent.content import find_guide
from beliefgraph.survey.hugagent.lines import Line, decode_nested, read_line
from beliefgraph.survey.hugagent.parquet import is_parquet, read_parquet
from beliefgraph.survey.hugagent.questions import Guide, scenario_part
from beliefgraph.survey.item_set import AnsweredItem, ItemSet
from beliefgraph.survey.items import Person
from beliefgraph.transcript import LeftOut

__all__ = ["read_items"]

_LINES = (".jsonl", ".ndjson")
_SUFFIXES = (*_LINES, ".json", ".parquet")


@dataclass
class _File:
    """The items of one file, and the parts that are none."""

    path: Path
    lines: list[Line] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    plain_ids: bool = False
    """Whether its items have an `id` of the older form, which is unique in the file only."""


def read_items(
    path: str | Path | Sequence[str | Path],
    *,
    strict: bool = True,
) -> ItemSet:
    """Read items with their answers, and the people they are about.

    Parameters
    ----------
    path
        A folder, a file, or several: HugAgent data-v1.0 JSON lines, the same as parquet (nested
        columns as JSON text), the older pretty-printed form, or what `write_items` wrote. Files of
        a folder without any item are passed over; `survey_content/surveys.json` gives the roles
        of the questions where the folder holds it.
    strict
        Whether a part that is no valid item is an error; otherwise it goes to `left_out`.

    Returns
    -------
    ItemSet
        Every item's context is its own `context_qas`. A person's interview on a topic is the
        context of the person's belief-update items, which hide nothing; where there are none it is
        the union of the belief-state items' contexts, each of which hides another answer, and
        `merged_versions` counts them.

    Raises
    ------
    SurveyError
        There are no items; an id stands twice; or, where `strict`, a part breaks a rule: the
        message names file, line, rule, value and fix.
    MissingPackageError
        A parquet file is read and pyarrow is not installed.
    """
    files, folders = _find_files(path)
    read = [_read_file(each, find_guide(each.parent), strict) for each in files]
    if not any(each.lines for each in read):
        shown = "; ".join(f"{part.where}: {part.why}" for each in read for part in each.left_out)
        raise SurveyError(
            f"{_named(path)}: no items: expected JSON lines (or parquet) with 'context_qas', "
            f"'participant_id', 'task_type' and an answer. {clip(shown, 400)}".rstrip()
        )
    _name_apart(read)
    lines = [line for each in read for line in each.lines]
    left_out = [part for each in read for part in each.left_out]
    people, contradictions = _people(lines)
    if strict and contradictions:
        first = contradictions[0]
        raise SurveyError(f"{first.where}: {first.why}: {first.text}")
    texts: dict[str, str] = {}
    for folder in {each.path.parent: None for each in read}:
        texts |= {key: scenario_part(text) for key, text in find_guide(folder).texts.items()}
    return ItemSet(
        answered=_with_scenarios([line.answered for line in lines], texts),
        people=people,
        left_out=(*left_out, *contradictions),
        source=_named(path),
        context_policy=_policy(lines),
    )


def _named(path: str | Path | Sequence[str | Path]) -> str:
    return str(path) if isinstance(path, str | Path) else ", ".join(map(str, path))


def _find_files(
    path: str | Path | Sequence[str | Path],
) -> tuple[list[Path], list[Path]]:
    """Return the files that may hold items, and the folders they were found in."""
    given = [Path(path)] if isinstance(path, str | Path) else [Path(each) for each in path]
    files: list[Path] = []
    folders: list[Path] = []
    for each in given:
        if each.is_dir():
            folders.append(each)
            files += [f for f in list_folder(each) if f.suffix.casefold() in _SUFFIXES]
        else:
            files.append(each)
    return files, folders
