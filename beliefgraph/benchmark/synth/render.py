"""Render synthetic interviews, with the truth of every turn, from a phrase bank."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib import resources
from typing import Any, Final, Literal, get_args

import numpy as np

from beliefgraph.benchmark.synth.person import random_person
from beliefgraph.benchmark.synth.speaker import (
    Bank,
    Kind,
    RenderedTurn,
    Speaker,
    Style,
    Topic,
    TrueEdge,
    Truth,
    sign_name,
    tidy,
)

__all__ = [
    "RenderedTurn",
    "TrueEdge",
    "load_bank",
    "load_topics",
    "random_person",
    "render_interview",
]

_FAMILIES: Final = ("effect", "relationship", "immediacy", "small_changes", "confidence")
_UNSIGNED: Final[tuple[Kind, ...]] = (
    "no_effect",
    "dont_know",
    "mixed",
    "off_topic",
    "not_understood",
)


def load_data(name: str) -> Any:
    """Load a JSON file of this package."""
    path = resources.files("beliefgraph.benchmark.synth").joinpath(name)
    return json.loads(path.read_text(encoding="utf-8"))


def load_bank(which: Literal["development", "held_out"]) -> Bank:
    """Load one of the two disjoint phrase banks."""
    if which not in ("development", "held_out"):
        raise ValueError(f"which must be 'development' or 'held_out', got {which!r}")
    bank: Bank = load_data(f"phrases_{which}.json")
    return bank


def load_topics() -> list[Topic]:
    """Load the invented topics, their concepts listed from causes to outcomes."""
    topics: list[Topic] = load_data("topics.json")
    return topics


def _check(topic: Topic, edges: Sequence[TrueEdge], stance_level: int, style: str) -> None:
    known = {c["label"] for c in (*topic["concepts"], topic["stance"])}
    unknown = sorted({n for e in edges for n in (e.source, e.target)} - known)
    if unknown:
        raise ValueError(f"edges name concepts that topic {topic['id']!r} lacks: {unknown}")
    if any(e.sign not in (1, -1) for e in edges):
        raise ValueError("the sign of every edge must be 1 or -1")
    if not 1 <= stance_level <= 10:
        raise ValueError(f"stance_level must lie in 1..10, got {stance_level}")
    if style not in get_args(Style):
        raise ValueError(f"style must be one of {get_args(Style)}, got {style!r}")


def render_interview(
    topic: Topic,
    edges: Sequence[TrueEdge],
    stance_level: int,
    style: Style,
    bank: Bank,
    rng: np.random.Generator,
) -> list[RenderedTurn]:
    """Render one person's interview: an opening, free questions, then probes.

    Parameters
    ----------
    topic : dict
        One of `load_topics`.
    edges : sequence of TrueEdge
        What the person believes; each is asserted in at least one turn.
    stance_level : int
        From 1 (strongly opposed) to 10 (strongly in support).
    style : str
        How the person talks.
    bank : dict
        One of `load_bank`.
    rng : numpy.random.Generator
        The only source of randomness.

    Returns
    -------
    list of RenderedTurn
        The turns in order, with the influences that each asserts.
    """
    _check(topic, edges, stance_level, style)
    speaker, asks = Speaker(topic, style, bank, rng), load_data("questions.json")
    turns: list[RenderedTurn] = []
    chance, pick, cased = speaker.chance, speaker.pick, speaker.chance(0.5)

    def add(question: str, answer: str, truths: Sequence[Truth], kind: Kind) -> None:
        turns.append(RenderedTurn(f"q{len(turns) + 1:02d}", question, answer, tuple(truths), kind))

    def ask(family: str, x: str, y: str) -> str:
        names = {k: v if cased else v.lower() for k, v in (("x", x), ("y", y))}
        return tidy(str(rng.choice(asks[family])).format(**names))

    def unsigned(question: str, kind: Kind, x: str, y: str) -> None:
        text = speaker.fill(pick(bank["unsigned_answer"][kind]), x, y)
        add(question, speaker.dress(text, (x, y), signed=False), (), kind)

    told: set[TrueEdge] = set()
    chains = [(a, b) for a in edges for b in edges if a.target == b.source]

    def tell(question: str, pool: Sequence[TrueEdge], with_chains: bool) -> None:
        parts, truths, said = [], list[Truth](), list[TrueEdge]()
        for edge in pool:
            links = [c for c in chains if edge in c and not set(c) & set(said)]
            links = links if with_chains and chance(0.5) else []
            some = links[int(rng.integers(len(links)))] if links else (edge,)
            if set(some) & set(said):
                continue
            parts.append(speaker.chain(*some) if len(some) == 2 else speaker.statement(edge))
            truths += [(e.source, e.target, e.sign) for e in some]
            said += some
        told.update(said)
        text = " ".join(tidy(p) for p in parts)
        add(question, speaker.dress(text, (said[0].source, said[0].target)), truths, "open")

    add(topic["opening_question"], *speaker.opening(stance_level, edges), "open")
    if not edges:
        return turns
    order = [edges[int(i)] for i in rng.permutation(len(edges))]
    for question in rng.permutation(topic["guiding_questions"])[: 2 if style == "terse" else 4]:
        if style == "off_topic" and chance(0.35):
            unsigned(str(question), "off_topic", topic["stance"]["label"], speaker.stance)
            continue
        count = 1 if style == "terse" else int(rng.integers(1, 4))
        tell(str(question), order[:count], style != "terse")
        order = order[count:] + order[:count]
    for family, end in (("causes", "target"), ("effects_of", "source")):
        label = getattr(order[0], end)
        same = [e for e in order if getattr(e, end) == label][: 1 if style == "terse" else 3]
        tell(ask(family, label, label), same, False)

    used = {n for e in edges for n in (e.source, e.target)}
    idle = [c["label"] for c in topic["concepts"] if c["label"] not in used]
    targets = [*sorted(used - {speaker.stance}), speaker.stance, speaker.stance]
    probes: list[tuple[TrueEdge | None, str, str]] = [
        (e, e.source, e.target) for e in order if e not in told or chance(0.65)
    ]
    probes += [
        (None, str(x), str(rng.choice(targets)))
        for x in rng.permutation(idle)[: rng.integers(1, 5)]
    ]
    previous: TrueEdge | None = None
    contradicted = False
    for i in rng.permutation(len(probes)):
        edge, x, y = probes[int(i)]
        family = str(rng.choice(_FAMILIES, p=(0.4, 0.2, 0.1, 0.1, 0.2)))
        tail = family != "effect" and chance(0.6 if style == "terse" else 0.25)
        question = ask(family, x, y) + (f" {asks['tail'][0]}" if tail else "")
        if edge is None:
            kind = _UNSIGNED[int(rng.choice(5, p=(0.35, 0.25, 0.2, 0.1, 0.1)))]
            unsigned(question, kind, x, y)
            previous = None
            continue
        if chance(0.4 if style == "off_topic" else 0.04):
            unsigned(question, "off_topic" if chance(0.6) else "not_understood", x, y)
            question, previous = f"Let me ask that again. {question}", None
        like = previous and (previous.sign, previous.strength) == (edge.sign, edge.strength)
        if like and style not in ("clean", "contradictory") and chance(0.12):
            text = pick(bank["same_as_before"]["previous_turn"])
        else:
            text = speaker.answer(edge, family, tail)
        text, truths = speaker.dress(text, (x, y)), [(x, y, edge.sign)]
        if style == "contradictory" and (not contradicted or chance(0.4)):
            text, contradicted = f"{text} {tidy(speaker.contradiction(edge, text))}", True
            truths.append((x, y, -edge.sign))
        add(question, text, truths, sign_name(edge.sign))
        if len(truths) == 1 and style != "clean" and chance(0.06):
            other = str(rng.choice([f for f in _FAMILIES if f != family]))
            again = speaker.dress(pick(bank["same_as_before"]["same_edge"]), signed=False)
            add(ask(other, x, y), again, truths, sign_name(edge.sign))
        previous = edge if len(truths) == 1 else None
    return turns
