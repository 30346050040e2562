"""Survey files: YAML or JSON in the fields of `Survey`.

Every scalar of a YAML file is read as the text that stands there, so that the id 1.10 does not
become 1.1 and the reason code NO does not become false; whole numbers are read where a scale needs
them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.formats.files import read_text, write_text
from beliefgraph.survey.survey import Survey, SurveyQuestion, SurveyScenario, SurveyTopic

__all__ = ["read_survey", "write_survey"]

_PARTS: Final[dict[type[BaseModel], dict[str, type[BaseModel]]]] = {
    Survey: {"topics": SurveyTopic},
    SurveyTopic: {
        "stance": SurveyQuestion,
        "scenarios": SurveyScenario,
        "experience": SurveyQuestion,
    },
}
"""Which fields hold records of their own."""


def read_survey(path: str | Path) -> Survey:
    """Read a survey from a YAML or JSON file.

    Raises
    ------
    SurveyError
        The file is no YAML or JSON, or breaks a rule of `Survey`; names the file, the place, the
        rule and the value.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> text = '''
    ... topics:
    ...   - topic: bus lanes
    ...     stance: {id: 1.1, text: "How much do you support bus lanes?"}
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "survey.yaml")
    ...     _ = path.write_text(text)
    ...     [question.question_id for question in read_survey(path).questions()]
    ['1.1']
    """
    text = read_text(path, error=SurveyError)
    value = _json(text, path) if text.lstrip().startswith("{") else _yaml(text, path)
    if not isinstance(value, dict):
        raise SurveyError(f"{path}: a survey is a mapping with 'topics', got {str(value)[:60]!r}")
    value = _tidied(value, Survey, str(path))
    try:
        return Survey(**value)
    except SurveyError as problem:
        raise SurveyError(f"{path}: {problem}") from None


def write_survey(survey: Survey, path: str | Path) -> None:
    """Write a survey as YAML, which `read_survey` reads back.

    Raises
    ------
    SurveyError
        It cannot be written there.
    """
    import yaml

    value = survey.model_dump(mode="json", exclude_none=True)
    text = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100)
    write_text(path, text, error=SurveyError)


def _json(text: str, path: str | Path) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        raise SurveyError(
            f"{path}, line {problem.lineno}, column {problem.colno}: not JSON: {problem.msg}"
        ) from None


def _yaml(text: str, path: str | Path) -> Any:
    import yaml

    class _Loader(yaml.BaseLoader):
        """Reads scalars as text, and refuses a key that stands twice."""

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            seen = set()
            for key, _ in node.value:
                if key.value in seen:
                    line = key.start_mark.line + 1
                    raise SurveyError(
                        f"{path}, line {line}: the key {key.value!r} stands twice; keep one"
                    )
                seen.add(str(key.value))
            return super().construct_mapping(node, deep=deep)

    try:
        return yaml.load(text, Loader=_Loader)  # a BaseLoader makes text, lists and mappings only
    except yaml.YAMLError as problem:
        mark = getattr(problem, "problem_mark", None)
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        why = getattr(problem, "problem", None) or problem
        raise SurveyError(f"{path}{where}: not YAML: {why}") from None


def _tidied(value: Mapping[str, Any], model: type[BaseModel], where: str) -> dict[str, Any]:
    """Drop fields left empty, and refuse those that a record does not have, with suggestions."""
    known = model.model_fields
    tidy: dict[str, Any] = {}
    for key, inner in value.items():
        if key not in known:
            raise SurveyError(f"{where}: there is no field {key!r}. {suggestions(key, known)}")
        if inner is None or (isinstance(inner, str) and inner.strip() in ("", "null", "~")):
            continue
        part = _PARTS.get(model, {}).get(key)
        if part is not None and isinstance(inner, Mapping):
            inner = _tidied(inner, part, f"{where}, {key}")
        elif part is not None and isinstance(inner, list):
            inner = [
                _tidied(each, part, f"{where}, {key} {n}") if isinstance(each, Mapping) else each
                for n, each in enumerate(inner, start=1)
            ]
        tidy[key] = inner
    return tidy
