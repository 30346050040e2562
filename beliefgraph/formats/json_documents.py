r"""JSON values in a text: one document, one a line, or several pretty-printed ones after another.

A broken part does not stop the rest: reading goes on at the next line that begins a value, and what
lies between is returned as left out.

>>> found = parse_documents('{"n": 1}\n{"n": oops}\n{"n": 3}')
>>> [item.value for item in found.items]
[{'n': 1}, {'n': 3}]
>>> found.left_out[0].where, found.left_out[0].text
('line 2', '{"n": oops}')
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from beliefgraph.transcript import LeftOut

__all__ = ["Document", "Documents", "parse_documents"]


@dataclass(frozen=True)
class Document:
    """One JSON value and where it stood."""

    where: str
    position: int
    """Its place, counted from 1; a broken part takes a place too."""
    value: Any


@dataclass(frozen=True)
class Documents:
    """The JSON values of a text and the parts that are none."""

    items: tuple[Document, ...]
    left_out: tuple[LeftOut, ...]


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice in one object")
        found[key] = value
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique_keys)
_GAP = re.compile(r"[ \t\r\n]*")
_LIST_GAP = re.compile(r"[ \t\r\n,]*")
_OPENS_LIST_OF_VALUES = re.compile(r"\[[ \t\r\n]*[{\[]")


def parse_documents(text: str) -> Documents:
    """Find the JSON values of a text; a list as the only value is returned as its elements."""
    whole = _whole(text)
    return whole if whole is not None else _piecewise(text)


def _whole(text: str) -> Documents | None:
    try:
        value = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, list) or _is_pair(value):
        return Documents((Document("item 1", 1, value),), ())
    items = (Document(f"item {n}", n, element) for n, element in enumerate(value, start=1))
    return Documents(tuple(items), ())


def _is_pair(value: list[Any]) -> bool:
    return len(value) == 2 and all(isinstance(part, str) for part in value)


def _piecewise(text: str) -> Documents:
    items: list[Document] = []
    left_out: list[LeftOut] = []
    broken_list = bool(_OPENS_LIST_OF_VALUES.match(text.lstrip())) and not _first_value_ends(text)
    at = _skip(_GAP, text, 0)
    closed = not broken_list
    if broken_list:
        at = _skip(_LIST_GAP, text, at + 1)
    line, counted = 1, 0
    while at < len(text):
        line, counted = line + text.count("\n", counted, at), at
        if broken_list and text[at] == "]":
            closed = True
            at = _skip(_LIST_GAP, text, at + 1)
            continue
        place = len(items) + len(left_out) + 1
        where = f"item {place}" if broken_list else f"line {line}"
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as problem:
            end = _next_value(text, at, broken_list)
            why = f"not JSON: {_describe(problem)}"
            left_out.append(LeftOut(where=where, why=why, text=text[at:end].strip()))
        else:
            items.append(Document(where, place, value))
        at = _skip(_LIST_GAP if broken_list else _GAP, text, end)
    if not closed:
        why = "the JSON list is not closed: ']' is missing, so the file may have been cut off"
        left_out.append(LeftOut(where="end of the file", why=why, text=""))
    return Documents(tuple(items), tuple(left_out))


def _first_value_ends(text: str) -> bool:
    try:
        _DECODER.raw_decode(text, _skip(_GAP, text, 0))
    except (ValueError, RecursionError):
        return False
    return True


def _skip(gap: re.Pattern[str], text: str, at: int) -> int:
    match = gap.match(text, at)
    return match.end() if match else at


def _describe(problem: Exception) -> str:
    if isinstance(problem, json.JSONDecodeError):
        return f"{problem.msg} at line {problem.lineno}, column {problem.colno}"
    if isinstance(problem, RecursionError):
        return "it is nested too deeply"
    return str(problem)


def _next_value(text: str, at: int, in_list: bool) -> int:
    """Find where the next value may begin: a line indented no deeper than the broken one."""
    indent = at - (text.rfind("\n", 0, at) + 1)
    pattern = rf"\n[ \t]{{0,{indent}}}(?=[{{\[])"
    if in_list:
        pattern += r"|(?<=[}\]])[ \t\r\n]*,[ \t\r\n]*(?=[{\[])"
    match = re.compile(pattern).search(text, at + 1)
    return match.end() if match else len(text)
