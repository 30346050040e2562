"""What every interview format is made of: a source, a way to tell it, and a way to read it.

A format is one module with a `FORMAT`; `registry.FORMATS` lists them in the order they are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from beliefgraph.errors import TranscriptError
from beliefgraph.formats.json_documents import Documents, parse_documents
from beliefgraph.transcript import LeftOut, Transcript

__all__ = ["Contents", "Format", "Interview", "Source", "clip"]


@dataclass(frozen=True)
class Source:
    """One text file."""

    path: Path
    text: str

    @cached_property
    def documents(self) -> Documents:
        """The JSON values in the text, parsed when first asked for."""
        return parse_documents(self.text)

    def error(self, message: str) -> TranscriptError:
        """Make an error that names the file."""
        return TranscriptError(f"{self.path}: {message}")


@dataclass(frozen=True)
class Interview:
    """One person's interview in a file, or the error that reading it gave."""

    participant: str | None
    topic: str | None
    result: Transcript | TranscriptError


@dataclass(frozen=True)
class Contents:
    """All that was found in one source, or in several of a format that pools them."""

    interviews: tuple[Interview, ...]
    left_out: tuple[LeftOut, ...] = ()
    """Parts that belong to no interview in particular."""


@dataclass(frozen=True)
class Format:
    """A file format for interviews."""

    name: str
    """What `format=` takes."""
    summary: str
    """What the format looks like, in a few words."""
    detect: Callable[[Source], bool]
    """Whether a text is in this format, judged by its content."""
    read: Callable[[Sequence[Source]], Contents]
    """Read one source (several where `pools`), or raise a TranscriptError."""
    pools: bool = False
    """Whether the files of a folder are read together: one interview lies in several of them."""


def clip(text: str, size: int = 60) -> str:
    """Shorten a text for a message.

    >>> clip("a long answer", 9)
    'a long...'
    """
    return text if len(text) <= size else text[: size - 3] + "..."
