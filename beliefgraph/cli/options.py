"""Options that several commands take, and how `CONCEPT=VALUE` is read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import click

from beliefgraph.errors import InterventionError

__all__ = ["amounts", "common_options", "interview_argument"]

_FORMATS = ("tyt", "hugagent", "pairs", "csv", "text", "transcript")

Decorated = Callable[..., Any]

interview_argument = click.argument("interview", type=click.Path())


def common_options(command: Decorated) -> Decorated:
    """Add the options that say which interview is meant, and how to read it."""
    for option in (
        click.option(
            "--format",
            "file_format",
            type=click.Choice(_FORMATS),
            help="Format of the interview; told by its content where not given.",
        ),
        click.option("--topic", help="Topic, where the file holds several."),
        click.option("--participant", help="Person, where the file holds several."),
        click.option("--stance", help='Name of the stance, such as "Support for bus lanes".'),
    ):
        command = option(command)
    return command


def amounts(given: Iterable[str], where: str) -> dict[str, float]:
    """Read `CONCEPT=VALUE` texts; the value stands after the last "=".

    Raises
    ------
    InterventionError
        A text has no "=", no name or no number, or one name is given twice.

    Examples
    --------
    >>> amounts(["housing affordability=0.8"], "--do")
    {'housing affordability': 0.8}
    """
    found: dict[str, float] = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        name = name.strip()
        if not equals or not name:
            raise InterventionError(
                f'{where} {text!r}: give "CONCEPT=VALUE", such as {where} "bus speed=0.8"'
            )
        try:
            number = float(value)
        except ValueError:
            raise InterventionError(
                f"{where} {text!r}: the value after the last '=' must be a number, got {value!r}"
            ) from None
        if not math.isfinite(number):
            raise InterventionError(f"{where} on {name!r}: the value must be finite, got {number}")
        if name in found:
            raise InterventionError(f"{where}: {name!r} is given twice; give it one value")
        found[name] = number
    return found
