"""Write a synthetic study to a folder, in the forms that real studies have.

| path | what it holds |
|---|---|
| `items/items.jsonl` | HugAgent data-v1.0 JSON lines (`read_items` reads the folder) |
| `survey.yaml` | the survey |
| `responses.csv`, `responses_retest.csv` | both waves, one row a person, one column a question |
| `demographics.csv` | one row a person |
| `transcripts/` | interviews, one file a person and topic |
| `study.json` | the arguments and the version that made it |
| `truth/` | what nobody knows of real people (`beliefgraph.benchmark.synth.truth`) |
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import beliefgraph
from beliefgraph.benchmark.synth.study import SyntheticStudy
from beliefgraph.errors import SurveyError
from beliefgraph.formats.files import write_text
from beliefgraph.formats.json import save_transcript
from beliefgraph.survey.hugagent import write_items

__all__ = ["write_study"]


def write_study(
    study: SyntheticStudy,
    folder: str | Path,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write a study; the same study gives the same bytes.

    Parameters
    ----------
    study
        What `generate_people` made.
    folder
        A new or empty folder.
    progress
        Called with the number of interviews and graphs written and of all.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    SurveyError
        The folder holds something, or cannot be written.
    """
    home = Path(folder)
    if home.exists() and (not home.is_dir() or any(home.iterdir())):
        raise SurveyError(f"{folder}: must be a new or empty folder; name another one, or empty it")
    try:
        (home / "transcripts").mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise SurveyError(f"{folder}: cannot be made: {problem.strerror or problem}") from None
    interviews = [
        (person, transcript)
        for person in study.items.people.values()
        for transcript in person.transcripts.values()
    ]
    done, total = 0, 2 * len(interviews)

    def advance() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(done, total)

    for person, transcript in interviews:
        path = home / "transcripts" / f"{person.participant}_{transcript.topic}.json"
        save_transcript(transcript.replace(demographics=person.demographics), path)
        advance()
    study.truth.write(home / "truth", advance)
    write_items(study.items, home / "items")
    made = {**study.settings, "beliefgraph": beliefgraph.__version__}
    people = {name: person.demographics for name, person in study.items.people.items()}
    for name, text in (
        ("survey.yaml", _yaml(study.survey.model_dump(mode="json", exclude_none=True)) + "\n"),
        ("responses.csv", _table(study.first)),
        ("responses_retest.csv", _table(study.second)),
        ("demographics.csv", _table(people)),
        ("study.json", json.dumps(made, indent=1) + "\n"),
    ):
        write_text(home / name, text, error=SurveyError)
    return home


def _table(rows: Mapping[str, Mapping[str, Any]]) -> str:
    columns = dict.fromkeys(key for row in rows.values() for key in row)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["participant", *columns])
    writer.writerows([name, *(row[key] for key in columns)] for name, row in rows.items())
    return out.getvalue()


def _yaml(value: Any, indent: str = "") -> str:
    """Write nested mappings and lists as YAML; every other value as JSON, which YAML includes.

    >>> print(_yaml({"topic": "buses", "reasons": {"A": "Cleaner air."}, "scale": [1, 10]}))
    topic: "buses"
    reasons:
      A: "Cleaner air."
    scale: [1, 10]
    """
    if isinstance(value, dict):
        lines = []
        for key, inner in value.items():
            nested = isinstance(inner, dict) or _holds_mappings(inner)
            start = f"{indent}{key}:"
            lines.append(
                f"{start}\n{_yaml(inner, indent + '  ')}" if nested else f"{start} {_yaml(inner)}"
            )
        return "\n".join(lines)
    if _holds_mappings(value):
        items = [_yaml(inner, indent + "  ") for inner in value]
        return "\n".join(f"{indent}- {item[len(indent) + 2 :]}" for item in items)
    return json.dumps(value, ensure_ascii=False)


def _holds_mappings(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)
