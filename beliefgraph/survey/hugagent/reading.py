"""Read HugAgent items from a folder or files: what is an item file is told by its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.formats.base import clip
from beliefgraph.formats.hugagent import Context, MergedContexts, has_context
from beliefgraph.survey.hugagent.content import find_guide
from beliefgraph.survey.hugagent.files import find_files, read_values
from beliefgraph.survey.hugagent.lines import Line, read_line
from beliefgraph.survey.hugagent.questions import scenario_part
from beliefgraph.survey.item_set import AnsweredItem, ItemSet
from beliefgraph.survey.items import Person
from beliefgraph.transcript import LeftOut

__all__ = ["read_items"]

_LENIENT = "Correct it, or read with strict=False, which leaves such parts out and lists them"


@dataclass(frozen=True)
class _File:
    """The items of one file, and the parts that are none."""

    path: Path
    lines: tuple[Line, ...]
    left_out: tuple[LeftOut, ...]


def read_items(path: str | Path | Sequence[str | Path], *, strict: bool = True) -> ItemSet:
    """Read items with their answers, and the people they are about.

    Parameters
    ----------
    path
        A folder, a file, or several: HugAgent data-v1.0 JSON lines, the same as parquet (nested
        columns as JSON text), the older pretty-printed form, or what `write_items` wrote. Files of
        a folder that hold no item are passed over; `survey_content/surveys.json` gives the roles
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
    given = [path] if isinstance(path, str | Path) else list(path)
    name = ", ".join(map(str, given))
    files = [_read_file(file, strict, given) for file in find_files(given)]
    if not any(file.lines for file in files):
        shown = "; ".join(f"{part.where}: {part.why}" for each in files for part in each.left_out)
        raise SurveyError(
            f"{name}: there are no items; expected JSON lines or parquet with 'context_qas', "
            f"'participant_id', 'task_type' and an answer. {clip(shown, 400)}".rstrip()
        )
    lines = [line for file in _told_apart(files) for line in file.lines]
    people, contradictions = _people(lines)
    if strict and contradictions:
        first = contradictions[0]
        raise SurveyError(f"{first.where}: {first.why}: {first.text}. {_LENIENT}")
    texts: dict[str, str] = {}
    for folder in {file.path.parent: None for file in files}:
        texts |= {key: scenario_part(text) for key, text in find_guide(folder).texts.items()}
    return ItemSet(
        answered=_with_scenarios([line.answered for line in lines], texts),
        people=people,
        left_out=(*(part for file in files for part in file.left_out), *contradictions),
        source=name,
        context_policy=_policy(lines),
    )


def _read_file(path: Path, strict: bool, given: Sequence[str | Path]) -> _File:
    """Read a file; one without any item is passed over, unless it was named."""
    try:
        values, left_out = read_values(path)
    except SurveyError as problem:
        if strict:
            raise
        return _File(path, (), (LeftOut(where=str(path), why=str(problem), text=""),))
    if not any(has_context(value) for _, value in values) and path not in map(Path, given):
        # Broken lines may be items; whole values without a context are something else.
        values = []
    if strict and left_out:
        raise SurveyError(f"{left_out[0].where}: {left_out[0].why}. {_LENIENT}")
    guide = find_guide(path.parent)
    lines: list[Line] = []
    for where, value in values:
        try:
            line = read_line(value, guide, where)
            if strict and line.left_out:
                first = line.left_out[0]
                raise SurveyError(f"{first.where}: {first.why} (got {clip(first.text, 80)})")
        except BeliefGraphError as problem:
            why = str(problem).removeprefix(where).lstrip(":, ").rstrip(".")
            if strict:
                raise SurveyError(f"{where}: {why}. {_LENIENT}") from None
            left_out.append(LeftOut(where=where, why=why, text=clip(repr(value), 2000)))
        else:
            lines.append(line)
            left_out += line.left_out
    return _File(path, tuple(lines), tuple(left_out))


def _told_apart(files: Sequence[_File]) -> list[_File]:
    """Put the file's name before ids that are unique in their file only, as the older form's."""
    counts = Counter(
        line.answered.item.item_id for file in files for line in file.lines if line.id_of_file
    )
    if not any(n > 1 for n in counts.values()):
        return list(files)
    return [
        replace(
            file,
            lines=tuple(
                replace(line, answered=_renamed(line.answered, f"{file.path.stem}/"))
                if line.id_of_file
                else line
                for line in file.lines
            ),
        )
        for file in files
    ]


def _renamed(answered: AnsweredItem, start: str) -> AnsweredItem:
    item = answered.item.replace(item_id=start + answered.item.item_id)
    return answered.replace(item=item)


def _people(lines: Sequence[Line]) -> tuple[dict[str, Person], list[LeftOut]]:
    """Gather the people; contradictions between their items are returned beside them."""
    demographics: dict[str, MergedContexts] = {}
    full: dict[tuple[str, str], MergedContexts] = {}
    hiding: dict[tuple[str, str], MergedContexts] = {}
    for line in lines:
        item = line.answered.item
        known = demographics.setdefault(item.participant, MergedContexts())
        known.add_demographics(line.where, line.demographics)
        merges = hiding if item.question.task == "bsi" else full
        merge = merges.setdefault((item.participant, item.topic), MergedContexts())
        merge.add(line.where, Context(item.context.turns))
    interviews = hiding | full
    contradictions = [
        part
        for merge in (*demographics.values(), *interviews.values())
        for part in merge.left_out.values()
    ]
    people = {
        name: Person(
            participant=name,
            demographics=known.demographics,
            transcripts={
                topic: merge.transcript(name, topic)
                for (who, topic), merge in interviews.items()
                if who == name
            },
        )
        for name, known in demographics.items()
    }
    return people, contradictions


def _with_scenarios(
    answered: Sequence[AnsweredItem], texts: dict[str, str]
) -> tuple[AnsweredItem, ...]:
    """Give reasons whose line does not repeat their scenario the text that others have for it."""
    known = dict(texts)
    for each in answered:
        question = each.item.question
        if question.scenario_id and question.scenario:
            known[question.scenario_id] = question.scenario
    filled = []
    for each in answered:
        question = each.item.question
        if question.scenario_id and not question.scenario and question.scenario_id in known:
            text = known[question.scenario_id]
            item = each.item.replace(question=question.replace(scenario=text))
            filled.append(each.replace(item=item))
        else:
            filled.append(each)
    return tuple(filled)


def _policy(lines: Sequence[Line]) -> str:
    policies = sorted({line.context_policy for line in lines})
    if len(policies) > 1:
        raise SurveyError(
            f"{lines[0].where}: the items were written under several context policies: "
            f"{', '.join(policies)}; read those of one policy at a time"
        )
    return policies[0]
