"""`beliefgraph synth`: a study of synthetic people, with their truth beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

import click

from beliefgraph.cli.base import BeliefCommand, Problem, usage

if TYPE_CHECKING:
    from beliefgraph.benchmark.synth.speaker import Style

__all__ = ["synth_command"]

EXAMPLES = (
    "beliefgraph synth --people 20 --topics 1 -o study",
    "beliefgraph synth --people 20 --styles speech=2,talkative=1 --noise 0.5 -o spoken",
    "beliefgraph synth --people 20 --selection --seed 7 -o selected",
)


@click.command("synth", cls=BeliefCommand, examples=EXAMPLES)
@click.option("--people", type=click.IntRange(1), default=200, show_default=True, help="How many.")
@click.option(
    "--topics",
    type=click.IntRange(1, 6),
    default=3,
    show_default=True,
    help="How many of the six invented topics; every person is interviewed on all of them.",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Any number.")
@click.option(
    "-o", "--output", required=True, type=click.Path(), help="A new or empty folder to write."
)
@click.option(
    "--bank",
    type=click.Choice(["development", "held_out"]),
    default="development",
    show_default=True,
    help="Phrase bank of the interviews; keep held_out for the figure you report.",
)
@click.option(
    "--styles",
    metavar="NAME=SHARE,...",
    help="Speaking styles and their shares: clean, plain, talkative, hedged, terse, speech, "
    "contradictory, off_topic.",
)
@click.option(
    "--noise",
    type=click.FloatRange(0, 5),
    default=1.0,
    show_default=True,
    help="Multiplies what is random in answers; 0 takes it away.",
)
@click.option(
    "--carry-over",
    type=click.FloatRange(0, 1),
    default=0.8,
    show_default=True,
    help="Correlation of a person's values between two topics.",
)
@click.option(
    "--signs",
    type=click.IntRange(0),
    default=5,
    show_default=True,
    help="At most so many sign items of one interview.",
)
@click.option("--selection", is_flag=True, help="Keep items as the published ones were selected.")
def synth_command(
    people: int,
    topics: int,
    seed: int,
    output: str,
    bank: str,
    styles: str | None,
    noise: float,
    carry_over: float,
    signs: int,
    selection: bool,
) -> None:
    """Generate people whose beliefs are known: interviews, survey answers, items, and the truth.

    The folder has the form of a real study; truth/ beside it holds what predictors must not see.
    """
    mix = _mix(styles)
    folder = Path(output)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise Problem(f"{output}: must be a new or empty folder; name another one, or empty it")

    from beliefgraph.benchmark.synth import generate_people, write_study
    from beliefgraph.cli.progress import progress_bar

    with progress_bar("people") as shown:
        study = generate_people(
            people,
            topics,
            seed,
            cast('Literal["development", "held_out"]', bank),
            mix,
            noise=noise,
            carry_over=carry_over,
            signs_a_topic=signs,
            selection=selection,
            progress=shown,
        )
    with progress_bar("files") as shown:
        write_study(study, folder, progress=shown)
    click.echo(
        f"{output}: {people} people, {topics} topic{'s' * (topics != 1)}, "
        f"{len(study.items)} items (seed {seed}, {bank} bank)"
    )


def _mix(text: str | None) -> dict[Style, float] | None:
    """Read "speech=2,plain=1"; a name alone counts 1."""
    if text is None:
        return None
    from beliefgraph.benchmark.synth.speaker import Style
    from beliefgraph.errors import suggestions

    mix: dict[Style, float] = {}
    for part in text.split(","):
        name, _, share = (piece.strip() for piece in part.partition("="))
        if name not in get_args(Style):
            raise usage(
                f"--styles: no style is called {name!r}. {suggestions(name, get_args(Style))}"
            )
        try:
            mix[cast("Style", name)] = float(share or 1)
        except ValueError:
            raise usage(
                f"--styles: the share of {name!r} must be a number, got {share!r}"
            ) from None
    return mix
