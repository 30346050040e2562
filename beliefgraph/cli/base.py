"""What every command shares: errors as one message, checked output, text that is safe to show."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from beliefgraph.errors import BeliefGraphError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["BeliefCommand", "Problem", "check_output", "console", "note", "plain", "usage"]

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Problem(click.ClickException):
    """An error of the library, shown as one message on stderr; exit code 2."""

    exit_code = 2

    def show(self, file: TextIO | None = None) -> None:  # type: ignore[override]
        """Print the message."""
        click.echo(f"Error: {plain(self.format_message())}", file=file, err=file is None)


class BeliefCommand(click.Command):
    """A command whose help ends in examples and whose expected errors give no traceback."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **options: Any) -> None:
        self.examples = tuple(examples)
        super().__init__(*args, **options)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, one a line, unwrapped."""
        formatter.write("\nExamples (from the repository's root):\n")
        for example in self.examples:
            formatter.write(f"  {example}\n")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; errors that the library or the disk raises become one message."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # a quote may hold what a terminal cannot show
                stream.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (BeliefGraphError, OSError) as problem:
            raise Problem(str(problem)) from None


def usage(message: str) -> click.UsageError:
    """Make an error about the options themselves."""
    return click.UsageError(message)


def plain(text: str) -> str:
    r"""Replace control characters, which could steer a terminal, by a visible mark.

    >>> plain("a\x1b[31mred")
    'a\ufffd[31mred'
    """
    return _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def console(*, stderr: bool = False) -> Console:
    """Make a console that shows text as it is: no markup, no emoji codes, no highlighting."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def note(text: str) -> None:
    """Say something beside the answer, on stderr."""
    click.echo(f"Note: {plain(text)}", err=True)


def check_output(output: str | None, source: str, other: str | None = None) -> None:
    """Refuse, before any work, a path that cannot be written, is the input or another output."""
    if output is None:
        return
    if other is not None and os.path.realpath(output) == os.path.realpath(other):
        raise Problem(f"{output}: two outputs would go to this file; name another one")
    path = Path(output)
    if path.is_dir():
        raise Problem(f"{output}: this is a folder; name a file to write")
    if not path.parent.is_dir():
        raise Problem(f"{output}: the folder {path.parent} does not exist; make it first")
    if path.exists() and Path(source).exists() and os.path.samefile(path, source):
        raise Problem(f"{output}: this is the input itself; name another file to write")
