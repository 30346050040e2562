"""JSON question/answer pairs: a list, `{"turns": [...]}` with metadata, or one pair a line.

A pair is `{"question": ..., "answer": ...}` (keys in any case, with an optional `qa_id`, `id`,
`question_number` or `number`), or a list of the two. A pair without a number gets its place, unless
another pair has that number already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from beliefgraph.formats.base import Contents, Format, Source, clip
from beliefgraph.formats.json_documents import Document
from beliefgraph.formats.rows import Row, as_strings, make_contents
from beliefgraph.transcript import LeftOut

__all__ = ["FORMAT", "looks_like_json"]

_NUMBERS = ("qa_id", "question_number", "id", "number")
_PARTICIPANTS = ("participant", "participant_id", "prolific_id")
_READ = {"question", "answer", "role", "topic", *_NUMBERS, *_PARTICIPANTS}
_READ_ABOVE = {"turns", "topic", "demographics", *_PARTICIPANTS}


def looks_like_json(source: Source) -> bool:
    """Tell from the first characters, or from the file's name."""
    start = source.text.lstrip()
    return source.path.suffix.casefold() in {".json", ".jsonl", ".ndjson"} or (
        start[:1] in {"{", "["} and start[1:].lstrip()[:1] in {"{", "[", '"', "]", "}"}
    )


def _fold(value: dict[str, Any]) -> dict[str, Any]:
    return {str(key).strip().casefold(): inner for key, inner in value.items()}


def _is_pair(value: Any) -> bool:
    if isinstance(value, dict):
        return {"question", "answer"} <= _fold(value).keys()
    return isinstance(value, list) and len(value) == 2 and all(isinstance(v, str) for v in value)


def _detect(source: Source) -> bool:
    if not looks_like_json(source):
        return False
    return any(
        _is_pair(pair.value)
        for meta, pairs in _interviews(source.documents.items)
        for pair in pairs
    )


def _interviews(
    documents: Sequence[Document],
) -> Iterator[tuple[dict[str, Any], list[Document]]]:
    """Yield what is said of an interview, and its would-be pairs; loose ones make one interview."""
    loose: list[Document] = []
    for document in documents:
        value = document.value
        turns = value.get("turns") if isinstance(value, dict) else None
        if isinstance(turns, list):
            yield value, _elements(turns, "" if len(documents) == 1 else f"{document.where}, ")
        elif isinstance(value, list) and not _is_pair(value):
            loose.extend(_elements(value, f"{document.where}, "))
        else:
            loose.append(document)
    if loose:
        yield {}, loose


def _elements(values: list[Any], where: str) -> list[Document]:
    return [Document(f"{where}item {n}", n, value) for n, value in enumerate(values, start=1)]


def _read(sources: Sequence[Source]) -> Contents:
    (source,) = sources
    found = []
    spare = list(source.documents.left_out)
    for meta, pairs in _interviews(source.documents.items):
        rows, left_out = _rows(meta, pairs)
        if rows:
            found.append((meta, rows, left_out))
        else:
            spare.extend(left_out)
    if not found:
        raise source.error(_why_none(source, spare))
    parts = [
        make_contents(
            source,
            rows,
            format_name=FORMAT.name,
            left_out=(*left_out, *(spare if len(found) == 1 else ())),
            demographics=as_strings(meta.get("demographics")),
        )
        for meta, rows, left_out in found
    ]
    return Contents(
        tuple(interview for part in parts for interview in part.interviews),
        (*(spare if len(found) > 1 else ()), *(item for part in parts for item in part.left_out)),
    )


def _rows(meta: dict[str, Any], pairs: list[Document]) -> tuple[list[Row], list[LeftOut]]:
    rows: list[Row] = []
    left_out: list[LeftOut] = []
    unused: dict[str, None] = dict.fromkeys(key for key in meta if key not in _READ_ABOVE)
    for pair in pairs:
        row = _row(pair, meta)
        if isinstance(row, Row):
            rows.append(row)
            if isinstance(pair.value, dict):
                unused.update(dict.fromkeys(key for key in _fold(pair.value) if key not in _READ))
        else:
            left_out.append(LeftOut(where=pair.where, why=row, text=_show(pair.value)))
    if rows and unused:
        why = "nothing is read from these keys"
        left_out.append(LeftOut(where="keys", why=why, text=", ".join(unused)))
    return rows, left_out


def _row(pair: Document, meta: dict[str, Any]) -> Row | str:
    """Return the row, or why it is none."""
    value = pair.value
    if isinstance(value, list) and len(value) == 2:
        value = dict(zip(("question", "answer"), value, strict=True))
    if not isinstance(value, dict):
        return "not an object with 'question' and 'answer', nor a list of the two"
    data = _fold(value)
    for key in ("question", "answer"):
        if key not in data:
            return f"there is no {key!r}; its keys are {', '.join(map(repr, data)) or 'none'}"
        if not isinstance(data[key], str):
            return f"{key!r} must be text, not {_show(data[key])}"
    numbers = [data[key] for key in _NUMBERS if data.get(key) not in (None, "")]
    if numbers and (isinstance(numbers[0], bool) or not isinstance(numbers[0], str | int | float)):
        return f"its number must be text or a number, not {_show(numbers[0])}"
    role = data.get("role")
    return Row(
        where=pair.where,
        position=pair.position,
        number=str(numbers[0]).strip() if numbers else "",
        question=data["question"],
        answer=data["answer"],
        participant=_first_text(data, meta, _PARTICIPANTS),
        topic=_first_text(data, meta, ("topic",)),
        role=role if role in ("interview", "tutorial") else None,
    )


def _first_text(data: dict[str, Any], meta: dict[str, Any], keys: Sequence[str]) -> str | None:
    found = (where[key] for where in (data, meta) for key in keys if where.get(key))
    return next((str(value) for value in found), None)


def _show(value: Any) -> str:
    return clip(repr(value), 2000)


def _why_none(source: Source, left_out: Sequence[LeftOut]) -> str:
    values = [item.value for item in source.documents.items]
    if any(isinstance(value, dict) and {"stance", "concepts"} <= value.keys() for value in values):
        return "this is a saved belief graph, not an interview: read it with bg.BeliefGraph.load"
    distinct = {item.why: item for item in reversed(left_out)}.values()
    reasons = "; ".join(f"{i.where}: {clip(i.why, 200)}" for i in list(reversed(distinct))[:3])
    return (
        "no question and answer could be read from this JSON: expected a list of "
        '{"question": ..., "answer": ...}, {"turns": [...]}, or one such object a line; '
        f"{reasons or 'it holds no values'}"
    )


FORMAT = Format(
    name="pairs",
    summary="JSON question/answer pairs",
    detect=_detect,
    read=_read,
)
