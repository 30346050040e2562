"""Text in, text out: what a file must be before any format looks at it, and a write that is whole.

Line ends are kept as they stand in the file; a format that reads by line (text) normalises them,
the others (CSV cells, JSON strings) return them verbatim.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import shutil
import uuid
from pathlib import Path

from beliefgraph.errors import BeliefGraphError, TranscriptError, suggestions

__all__ = ["list_folder", "read_text", "write_text"]

_MAGIC = (
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a zip archive (as .docx, .xlsx and .odt files are)"),
    (b"\xd0\xcf\x11\xe0", "an old Microsoft Office file"),
    (b"{\\rtf", "a rich text (RTF) file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"ID3", "a sound file"),
    (b"OggS", "a sound file"),
    (b"RIFF", "a sound or video file"),
)
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_text(
    path: str | Path,
    *,
    encoding: str | None = None,
    error: type[BeliefGraphError] = TranscriptError,
) -> str:
    """Read a text file: UTF-8 with or without a mark, or UTF-16 with one, or as `encoding` says.

    Raises
    ------
    BeliefGraphError
        Of the kind `error`: the file is missing, a folder, empty, not text, or in another encoding.
    """
    path = Path(path)
    data = _read_bytes(path, error)
    if not data.strip():
        raise error(f"{path}: the file is empty; expected an interview or a saved graph as text")
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            raise error(f"{path}: this is {kind}, not text. Export it as plain text, CSV or JSON.")
    bom = next((name for mark, name in _BOMS if data.startswith(mark)), None)
    if encoding is None and bom is None and b"\0" in data:
        raise error(
            f"{path}: byte {data.index(0)} is NUL, so this is a binary file, not text. Export it "
            "as plain text, CSV or JSON (UTF-16 without a mark needs encoding='utf-16-le')."
        )
    text = _decode(path, data, encoding or bom or "utf-8-sig", error).removeprefix("\ufeff")
    if "\0" in text:
        raise error(f"{path}: the text holds NUL characters; is the encoding the right one?")
    return text


def _read_bytes(path: Path, error: type[BeliefGraphError]) -> bytes:
    if path.is_dir():
        raise error(f"{path}: this is a folder; name a file in it")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise error(_missing(path)) from None
    except OSError as problem:
        raise error(f"{path}: the file cannot be read: {problem.strerror or problem}") from problem
    except ValueError as problem:
        raise error(f"{path}: this is not a path: {problem}") from None


def _missing(path: Path) -> str:
    if not path.parent.is_dir():
        return f"{path}: there is no such file; the folder {path.parent} does not exist either"
    names = sorted(other.name for other in path.parent.iterdir() if not other.name.startswith("."))
    return f"{path}: there is no such file. {suggestions(path.name, names)}"


def _decode(path: Path, data: bytes, encoding: str, error: type[BeliefGraphError]) -> str:
    try:
        return data.decode(encoding)
    except LookupError:
        raise error(
            f"{path}: Python knows no encoding {encoding!r}; usual ones are 'utf-8', 'cp1252' "
            "(Windows) and 'utf-16'"
        ) from None
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise error(
            f"{path}: the file is not {encoding.removesuffix('-sig')}: byte "
            f"0x{data[problem.start]:02x} at offset {problem.start} (line {line}). Name its "
            "encoding (often encoding='cp1252' for files from Windows), or convert it: iconv -f "
            f"WINDOWS-1252 -t UTF-8 '{path.name}' > converted.txt"
        ) from None


def list_folder(folder: Path) -> list[Path]:
    """Return the files of a folder by name, without hidden ones and README and LICENSE files.

    Raises
    ------
    TranscriptError
        There are none.
    """
    inside = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    files = [
        path
        for path in inside
        if path.is_file() and not path.name.upper().startswith(("README", "LICENSE"))
    ]
    if not files:
        folders = [path.name for path in inside if path.is_dir()]
        hint = f" It holds folders, which are not looked into: {folders}." if folders else ""
        raise TranscriptError(
            f"{folder}: the folder holds no files; expected interviews as CSV, JSON or text.{hint}"
        )
    return files


def write_text(path: str | Path, text: str, *, error: type[BeliefGraphError]) -> None:
    """Write a text file whole or not at all: what stood there stays until the new one is on disk.

    Raises
    ------
    BeliefGraphError
        Of the kind `error`: it cannot be written there; nothing was changed.
    """
    target = Path(os.path.realpath(path))
    draft = target.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with draft.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, draft)
        os.replace(draft, target)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise error(f"{path}: cannot be written: {reason}; nothing was changed") from problem
    finally:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
