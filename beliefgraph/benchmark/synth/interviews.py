"""Interviews of synthetic people, and the sign questions (BSI) that hide one answer each.

People are not steady in interviews either: a probe answer now and then says the opposite of what
the person holds (a slip), more often where the influence is weak. The answer to a sign question is
what the hidden turn says, as in the real items; what the person would say on another day is drawn
from what the person holds, with slips of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from beliefgraph.benchmark.synth.beliefs import opening_level, true_edges
from beliefgraph.benchmark.synth.render import render_interview
from beliefgraph.benchmark.synth.speaker import (
    Bank,
    RenderedTurn,
    Speaker,
    Strength,
    Style,
    Topic,
    TrueEdge,
    sign_name,
)
from beliefgraph.graph import BeliefGraph
from beliefgraph.transcript import Transcript, Turn

__all__ = ["Probe", "interview", "to_transcript"]

_SLIPS: Final[dict[Strength, float]] = {"weak": 0.18, "unstated": 0.10, "strong": 0.05}


@dataclass(frozen=True)
class Probe:
    """A turn that asks for one influence, which a sign item can hide."""

    qa_id: str
    """The turn, as the transcript numbers it."""
    source: str
    """What has the effect."""
    target: str
    """What the effect is on."""
    held: Literal[-1, 1]
    """Sign of the influence in the person's graph."""
    said: Literal[-1, 1]
    """What the turn says: the answer of the item."""
    second: Literal[-1, 1]
    """What the person says on another day."""


def interview(
    topic: Topic,
    graph: BeliefGraph,
    style: Style,
    bank: Bank,
    rng: np.random.Generator,
    noise: float = 1.0,
) -> tuple[list[RenderedTurn], list[Probe]]:
    """Render a person's interview, slips included, and list the turns that an item can hide.

    Parameters
    ----------
    topic : dict
        One of `load_topics`.
    graph
        What the person believes.
    style
        How the person talks.
    bank : dict
        One of `load_bank`.
    rng
        The only source of randomness.
    noise
        Multiplies the probability of a slip.

    Returns
    -------
    turns : list of RenderedTurn
        With what each turn says, slips as said.
    probes : list of Probe
        Turns whose answer says one sign of one influence.
    """
    edges = {(edge.source, edge.target): edge for edge in true_edges(graph)}
    turns = render_interview(topic, list(edges.values()), opening_level(graph), style, bank, rng)
    speaker = Speaker(topic, style, bank, rng)
    probes: list[Probe] = []
    for place, turn in enumerate(turns):
        if turn.kind not in ("positive", "negative") or len(turn.truths) != 1:
            continue
        source, target, sign = turn.truths[0]
        if any((probe.source, probe.target) == (source, target) for probe in probes):
            continue  # asked again at once: the answer only points back
        edge = edges[source, target]
        slip = min(0.5, noise * _SLIPS[edge.strength])
        first, second = (bool(rng.random() < slip) for _ in range(2))
        if first and not _pointed_back_at(turns, place):
            turns[place] = _slipped(turn, edge, speaker)
            sign = -sign
        probes.append(
            Probe(
                qa_id=str(place + 1),
                source=source,
                target=target,
                held=_sign(edge.sign),
                said=_sign(sign),
                second=_sign(-edge.sign if second else edge.sign),
            )
        )
    return turns, probes


def to_transcript(turns: Sequence[RenderedTurn], participant: str, topic: str) -> Transcript:
    """Make a transcript of rendered turns: words only."""
    return Transcript(
        turns=tuple(
            Turn(qa_id=str(number), question=turn.question, answer=turn.answer)
            for number, turn in enumerate(turns, start=1)
        ),
        participant=participant,
        topic=topic,
    )


def _sign(value: int) -> Literal[-1, 1]:
    return 1 if value > 0 else -1


def _pointed_back_at(turns: Sequence[RenderedTurn], place: int) -> bool:
    """Whether the turn after this one may say no more than "the same again"."""
    after = turns[place + 1 : place + 2]
    return bool(after) and turns[place].kind == after[0].kind


def _slipped(turn: RenderedTurn, edge: TrueEdge, speaker: Speaker) -> RenderedTurn:
    """Let a turn say the opposite sign."""
    flipped = replace(edge, sign=-edge.sign)
    text = speaker.answer(flipped, "relationship", False)
    text = speaker.dress(text, (edge.source, edge.target))
    truths = ((edge.source, edge.target, flipped.sign),)
    return replace(turn, answer=text, truths=truths, kind=sign_name(flipped.sign))
