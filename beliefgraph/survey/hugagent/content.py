"""`survey_content/surveys.json`: the roles and the words of the HugAgent questions.

The file calls the topics otherwise than the items do, so questions are found by their id. Reasons
are not read from it: for some question their codes differ from the items', whose own text counts.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.formats.files import read_text
from beliefgraph.formats.json_documents import parse_documents
from beliefgraph.survey.hugagent.questions import Guide
from beliefgraph.survey.items import Role

__all__ = ["find_guide"]

_ROLES: Final[dict[str, Role]] = {
    "stance": "baseline",
    "reason_evaluation": "baseline",
    "scenario": "scenario",
    "opinion": "experience",
}


def find_guide(folder: Path) -> Guide:
    """Return what a folder's survey file says of the questions, or else what is documented.

    Raises
    ------
    SurveyError
        There is such a file, and it cannot be read.
    """
    path = folder / "survey_content" / "surveys.json"
    return _read_guide(path, path.stat().st_mtime_ns) if path.is_file() else Guide()


@lru_cache(maxsize=8)
def _read_guide(path: Path, _changed: int) -> Guide:
    documents = parse_documents(read_text(path, error=SurveyError))
    if documents.left_out or len(documents.items) != 1:
        raise SurveyError(f"{path}: must hold one JSON object with 'topics'")
    roles: dict[str, Role] = {}
    texts: dict[str, str] = {}
    for question in _questions(documents.items[0].value, path):
        kind, name = str(question.get("type")), str(question.get("id"))
        if kind not in _ROLES:
            raise SurveyError(
                f"{path}, question {name!r}: 'type' {kind!r} is not known. "
                f"{suggestions(kind, _ROLES)}"
            )
        roles[name] = _ROLES[kind]
        if kind == "scenario":
            texts[name] = str(question.get("text") or "")
    return Guide(roles=roles, texts=texts, source=str(path))


def _questions(value: Any, path: Path) -> list[dict[str, Any]]:
    try:
        return [each for topic in value["topics"].values() for each in topic["questions"]]
    except (KeyError, TypeError, AttributeError):
        raise SurveyError(
            f"{path}: expected {{'topics': {{NAME: {{'questions': [...]}}}}}}"
        ) from None
