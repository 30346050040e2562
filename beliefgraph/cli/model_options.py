"""Options of commands that may ask a language model, and what they come to."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from beliefgraph.cli.base import note, usage

if TYPE_CHECKING:
    from beliefgraph.benchmark.run import Protocol
    from beliefgraph.llm import Prices
    from beliefgraph.survey import ItemSet, Predictor

__all__ = ["llm_options", "model_options", "print_plan", "read_prices", "warnings_as_notes"]

Decorated = Callable[..., Any]


def model_options(command: Decorated) -> Decorated:
    """Add the options that concern language models only."""
    for option in (
        click.option(
            "--dry-run",
            is_flag=True,
            help="Ask nothing: print one prompt of every language model, and what all would cost.",
        ),
        click.option(
            "--timeout",
            type=click.FloatRange(0, min_open=True),
            default=120.0,
            show_default=True,
            help="Seconds without a sign of the server after which an attempt counts as failed.",
        ),
        click.option(
            "--prices",
            metavar="PROMPT,ANSWER",
            help="Prices of a million tokens of prompts and of answers, to count the cost.",
        ),
        click.option(
            "--cache",
            type=click.Path(dir_okay=False),
            help="SQLite file of the model's answers: what is in it is not paid for again.",
        ),
    ):
        command = option(command)
    return command


def read_prices(text: str | None) -> Prices | None:
    """Read "0.15,0.60".

    >>> read_prices("0.15,0.60").prompt
    0.15
    """
    if text is None:
        return None
    from beliefgraph.errors import LLMError
    from beliefgraph.llm import Prices

    try:
        prompt, answer = (float(part) for part in text.split(","))
        return Prices(prompt=prompt, completion=answer)
    except (ValueError, LLMError):
        raise usage(
            f"--prices must be two numbers of at least 0 with a comma between them, the prices of "
            f"a million tokens of prompts and of answers, such as 0.15,0.60; got {text!r}"
        ) from None


def llm_options(
    cache: str | Path | None, prices: str | None, timeout: float, *, dry_run: bool
) -> dict[str, Any]:
    """Return what `make_predictor` takes as `llm_options`; a dry run makes no new cache."""
    if cache is not None and dry_run and not Path(cache).exists():
        cache = None
    return {"cache": cache, "prices": read_prices(prices), "timeout": timeout}


def print_plan(
    name: str, predictor: Predictor, items: ItemSet, protocol: Protocol, prices: Prices | None
) -> None:
    """Print a model's first prompt and what the run would ask, or that nothing is asked."""
    from beliefgraph.baselines.llm import LLMPredictor
    from beliefgraph.benchmark.costs import estimate, first_prompt
    from beliefgraph.cli.base import plain

    shown = name.partition("@")[0]  # a URL may hold a password
    if not isinstance(predictor, LLMPredictor):
        click.echo(plain(f"{shown}: asks no model"))
        return
    click.echo(plain(first_prompt(predictor, items, protocol=protocol)))
    click.echo(plain(f"{shown}: {estimate(predictor, items, protocol=protocol, prices=prices)}"))


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Show what the cache warns of as a note: the place in the code would tell a user nothing."""
    from beliefgraph.llm import CacheWarning

    with warnings.catch_warnings():
        warnings.simplefilter("always", CacheWarning)
        usual = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, CacheWarning):
                note(str(message))
            else:
                usual(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield
