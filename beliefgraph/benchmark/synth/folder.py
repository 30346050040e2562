"""Write a synthetic study to a folder, in the forms that real studies have.

`build_items` makes the same items of survey, responses, transcripts, demographics and signs.

| path | what it holds |
|---|---|
| `items/items.jsonl` | HugAgent data-v1.0 JSON lines (`read_items` reads the folder) |
| `survey.yaml` | the survey |
| `responses.csv`, `responses_retest.csv` | both waves, one row a person, one column a question |
| `demographics.csv` | one row a person |
| `signs.csv` | what single turns say of single effects |
| `transcripts/` | interviews, one file a person and topic |
| `study.json` | the arguments and the version that made it |
| `truth/` | what nobody knows of real people (`beliefgraph.benchmark.synth.truth`) |
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import beliefgraph
from beliefgraph.benchmark.items.signs import SignAnswer
from beliefgraph.benchmark.synth.study import SyntheticStudy
from beliefgraph.errors import SurveyError
from beliefgraph.formats.files import write_text
from beliefgraph.formats.json import save_transcript
from beliefgraph.survey import write_survey
from beliefgraph.survey.hugagent import write_items

__all__ = ["write_study"]

_SIGN_COLUMNS: Final = ("participant", "topic", "factor", "outcome", "sign", "qa_id")


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
    write_survey(study.survey, home / "survey.yaml")
    made = {**study.settings, "beliefgraph": beliefgraph.__version__}
    people = {name: person.demographics for name, person in study.items.people.items()}
    for name, text in (
        ("responses.csv", _table(study.first)),
        ("responses_retest.csv", _table(study.second)),
        ("demographics.csv", _table(people)),
        ("signs.csv", _csv([_SIGN_COLUMNS, *map(_sign_row, study.signs)])),
        ("study.json", json.dumps(made, indent=1) + "\n"),
    ):
        write_text(home / name, text, error=SurveyError)
    return home


def _table(rows: Mapping[str, Mapping[str, Any]]) -> str:
    columns = dict.fromkeys(key for row in rows.values() for key in row)
    return _csv(
        [["participant", *columns]]
        + [[name, *(row[key] for key in columns)] for name, row in rows.items()]
    )


def _sign_row(sign: SignAnswer) -> list[str]:
    direction = "positive" if sign.values == (1,) else "negative"
    return [sign.participant, sign.topic, sign.factor, sign.outcome, direction, str(sign.qa_id)]


def _csv(rows: Iterable[Sequence[Any]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
