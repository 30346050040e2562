"""Structured answers: a schema that servers accept, and a strict reading of what came back."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel

__all__ = ["parse_object", "strict_schema"]

_FENCE = re.compile(r"\A```(?:json)?\s*\n(?P<inside>.*?)\n?```\Z", re.DOTALL | re.IGNORECASE)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_KEPT = ("type", "enum", "const", "description", "items", "properties", "required", "anyOf")


def parse_object(text: str) -> dict[str, Any]:
    r"""Read an answer that must be one JSON object.

    A block of thoughts before it, a code fence around it, and words before or after it are
    forgiven; two objects, half an object and anything else are not.

    Raises
    ------
    ValueError
        Saying what stands there instead.

    Examples
    --------
    >>> parse_object('```json\n{"a": 1}\n```')
    {'a': 1}
    >>> parse_object('Sure: {"a": 1} {"a": 2}')
    Traceback (most recent call last):
    ...
    ValueError: there is more than one JSON object
    """
    body = _THOUGHT.sub("", text).strip()
    fence = _FENCE.match(body)
    body = fence["inside"].strip() if fence else body
    if not body:
        raise ValueError("the answer is empty")
    start = body.find("{")
    if start < 0:
        raise ValueError(f"there is no JSON object in {body[:60]!r}")
    try:
        value, end = json.JSONDecoder(parse_constant=_no_constant).raw_decode(body, start)
    except json.JSONDecodeError as problem:
        raise ValueError(f"not JSON: {problem.msg} at character {problem.pos}") from None
    except RecursionError:
        raise ValueError("not JSON: nested too deeply") from None
    if body[:start].rstrip().endswith("["):
        raise ValueError("a JSON list, where one object is asked for")
    if "{" in body[end:]:
        raise ValueError("there is more than one JSON object")
    return dict(value)


def _no_constant(name: str) -> None:
    raise ValueError(f"not JSON: {name} is no number that JSON has")


def strict_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Make a JSON schema that constrained decoding accepts everywhere.

    References are put in place; every property is required; no other properties are allowed;
    ranges and defaults, which some servers refuse, are left to the validation afterwards.
    """
    schema = model.model_json_schema()
    plain = _plain(schema, schema.get("$defs", {}))
    assert isinstance(plain, dict)
    return plain


def _plain(node: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_plain(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _plain(definitions[node["$ref"].rpartition("/")[2]], definitions)
    plain: dict[str, Any] = {}
    for name in _KEPT:
        if name == "properties" and name in node:
            plain[name] = {key: _plain(value, definitions) for key, value in node[name].items()}
            plain["required"] = list(node[name])
            plain["additionalProperties"] = False
        elif name in node and name != "required":
            plain[name] = _plain(node[name], definitions)
    return plain
