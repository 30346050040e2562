"""Tables of a study as CSV: responses (wide or long), demographics, signs.

A wide table of responses has one row a person, with a participant column and one column a question;
a long one has the columns participant, question and value. Columns are separated by comma,
semicolon, tab or bar, told by the header. An empty cell (or NA, N/A, NaN) is a missing answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.formats.files import read_text
from beliefgraph.formats.tables import guess_delimiter, parse_table
from beliefgraph.survey import Question, Survey
from beliefgraph.transcript import LeftOut

__all__ = ["Answer", "Cells", "Responses", "read_demographics", "read_responses", "read_table"]

_PARTICIPANT: Final = ("participant", "participant id", "prolific id", "respondent", "pseudonym")
_QUESTION: Final = ("question", "question id", "item")
_VALUE: Final = ("value", "answer", "response")
_MISSING: Final = ("", "na", "n/a", "nan")


@dataclass(frozen=True)
class Cells:
    """One row of a table by column, and its place for messages."""

    where: str
    cells: dict[str, str]

    def get(self, names: Sequence[str]) -> str | None:
        """Return the cell of the first column with one of these (folded) names."""
        return next((cell for key, cell in self.cells.items() if _fold(key) in names), None)


@dataclass(frozen=True)
class Answer:
    """One answer and where it stands."""

    value: int
    where: str


@dataclass(frozen=True)
class Responses:
    """The answers of a study, and those that are missing."""

    answers: dict[str, dict[str, Answer]]
    """By participant, then by question id."""
    missing: tuple[LeftOut, ...] = ()
    """Empty cells and absent columns."""
    rows: dict[str, str] = field(default_factory=dict)
    """Where each person first stands."""


def read_responses(path: str | Path, survey: Survey) -> Responses:
    """Read a table of responses, wide or long.

    Raises
    ------
    SurveyError
        A column or a question is not in the survey, an answer is not on its scale, a person or an
        answer stands twice; names the file, line, column, rule, value and fix.
    """
    rows = read_table(path)
    names = {_fold(name) for name in rows[0].cells}
    if not names & set(_PARTICIPANT):
        raise SurveyError(
            f"{path}: there is no column of participants, got {', '.join(rows[0].cells)}; name it "
            f"one of {', '.join(_PARTICIPANT)}"
        )
    questions = {question.question_id: question for question in survey.questions()}
    if names & set(_QUESTION) and names & set(_VALUE):
        return _long(rows, questions)
    return _wide(path, rows, questions)


def read_demographics(path: str | Path) -> dict[str, dict[str, str]]:
    """Read a table with a participant column; every other column is something about the person.

    Raises
    ------
    SurveyError
        There is no participant column, or a person stands twice.
    """
    found: dict[str, dict[str, str]] = {}
    for row in read_table(path):
        who = _participant(row)
        if who in found:
            raise SurveyError(f"{row.where}: participant {who!r} has a row already; keep one")
        found[who] = {
            key: cell
            for key, cell in row.cells.items()
            if _fold(key) not in _PARTICIPANT and cell.casefold() not in _MISSING
        }
    return found


def read_table(path: str | Path) -> list[Cells]:
    """Read the rows of a CSV file; cells are stripped, blank rows passed over.

    Raises
    ------
    SurveyError
        A line is no row of CSV or has too many cells, a column has no name or one twice, or there
        are no rows.
    """
    text = read_text(path, error=SurveyError)
    table = parse_table(text, guess_delimiter(text.lstrip().splitlines()[0]))
    if table.left_out:
        first = table.left_out[0]
        raise SurveyError(f"{path}, {first.where}: {first.why}")
    header, *rows = [row for row in table.rows if not row.is_blank]
    names = [cell.strip() for cell in header.cells]
    for name in names:
        if not name or names.count(name) > 1:
            raise SurveyError(
                f"{path}, line {header.line}: every column needs a name of its own, got "
                f"{name!r} {names.count(name)} times"
            )
    found = []
    for row in rows:
        where = f"{path}, line {row.line}"
        cells = [cell.strip() for cell in row.cells]
        if any(cells[len(names) :]):
            raise SurveyError(f"{where}: {len(cells)} cells for {len(names)} columns")
        cells += [""] * (len(names) - len(cells))
        found.append(Cells(where, dict(zip(names, cells, strict=False))))
    if not found:
        raise SurveyError(f"{path}: no rows follow the header ({', '.join(names)})")
    return found


def _wide(path: str | Path, rows: Sequence[Cells], questions: dict[str, Question]) -> Responses:
    columns = [name for name in rows[0].cells if _fold(name) not in _PARTICIPANT]
    for name in columns:
        if name not in questions:
            raise SurveyError(
                f"{path}, column {name!r}: the survey has no such question. "
                f"{suggestions(name, questions)} Correct the name, add the question to the survey "
                "or take the column out (what is known of a person goes into a table of "
                "demographics)"
            )
    missing = [
        LeftOut(where=f"{path}, column {name!r}", why="there is no such column", text="")
        for name in questions
        if name not in columns
    ]
    answers: dict[str, dict[str, Answer]] = {}
    places: dict[str, str] = {}
    for row in rows:
        who = _participant(row)
        if who in answers:
            raise SurveyError(
                f"{row.where}: participant {who!r} has a row already ({places[who]}); keep one"
            )
        answers[who], places[who] = {}, row.where
        for name in columns:
            where = f"{row.where}, column {name!r}"
            _add(answers[who], missing, row.cells[name], questions[name], where)
    return Responses(answers, tuple(missing), places)


def _long(rows: Sequence[Cells], questions: dict[str, Question]) -> Responses:
    answers: dict[str, dict[str, Answer]] = {}
    missing: list[LeftOut] = []
    places: dict[str, str] = {}
    asked: set[tuple[str, str]] = set()
    for row in rows:
        who = _participant(row)
        name, cell = row.get(_QUESTION) or "", row.get(_VALUE) or ""
        if name not in questions:
            raise SurveyError(
                f"{row.where}: the survey has no question {name!r}. {suggestions(name, questions)}"
            )
        if (who, name) in asked:
            raise SurveyError(
                f"{row.where}: participant {who!r} has an answer to {name!r} already; keep one"
            )
        asked.add((who, name))
        places.setdefault(who, row.where)
        where = f"{row.where}, question {name!r}"
        _add(answers.setdefault(who, {}), missing, cell, questions[name], where)
    missing += [
        LeftOut(where=f"{places[who]}, participant {who!r}, question {name!r}", why=why, text="")
        for who, name, why in _unasked(answers, asked, questions)
    ]
    return Responses(answers, tuple(missing), places)


def _unasked(
    people: dict[str, dict[str, Answer]],
    asked: set[tuple[str, str]],
    questions: dict[str, Question],
) -> Iterator[tuple[str, str, str]]:
    for who in people:
        for name in questions:
            if (who, name) not in asked:
                yield who, name, "no row has this answer"


def _add(
    answers: dict[str, Answer], missing: list[LeftOut], cell: str, question: Question, where: str
) -> None:
    if cell.casefold() in _MISSING:
        missing.append(LeftOut(where=where, why="no answer", text=cell))
        return
    whole = re.fullmatch(r"([+-]?\d+)(?:[.]0*)?", cell)
    if whole is None or int(whole[1]) not in question.scale.points:
        raise SurveyError(
            f"{where}: an answer to {question.question_id!r} must be one of {question.scale}, got "
            f"{cell!r}. Correct it, or leave the cell empty where there is no answer"
        )
    answers[question.question_id] = Answer(int(whole[1]), where)


def _participant(row: Cells) -> str:
    who = row.get(_PARTICIPANT)
    if not who:
        raise SurveyError(
            f"{row.where}: the row names no participant; its columns are {', '.join(row.cells)}, "
            f"and one must be called one of {', '.join(_PARTICIPANT)} and be filled"
        )
    return who


def _fold(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name).strip().casefold()
