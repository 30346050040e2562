"""From readings to a belief graph: one concept a thing, one influence a pair, no loops."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Literal

from beliefgraph.errors import UnknownConceptError
from beliefgraph.extractors.concepts import Placement, canonicalise
from beliefgraph.extractors.level import combine_levels
from beliefgraph.extractors.probability import edge_confidences
from beliefgraph.extractors.reader import Context, TurnReadings
from beliefgraph.extractors.stance import stance_topic
from beliefgraph.extractors.standing import role_of, status_of
from beliefgraph.graph import Alias, BeliefGraph, Concept, Evidence, Influence, Reading
from beliefgraph.loops import break_loops
from beliefgraph.text import Encoder, Tie, content_words, is_degenerate, lexical_tie
from beliefgraph.transcript import Transcript

__all__ = ["assemble", "unmerge"]

_LONGEST_LABEL = 6
"""Content words; longer noun phrases are sentences in disguise."""

Pair = tuple[str, str]


def assemble(
    transcript: Transcript,
    turns: Sequence[TurnReadings],
    context: Context,
    *,
    extractor: str,
    keep_apart: Collection[frozenset[str]] = (),
    encoder: Encoder | None = None,
) -> BeliefGraph:
    """Build the graph of what was read."""
    readings = tuple(reading for turn in turns for reading in turn.readings)
    usable = [reading for reading in readings if _bears_on_an_influence(reading)]
    placement = canonicalise(
        _labels_by_weight(usable),
        fixed=_fixed(usable, context.stance, context.topic),
        keep_apart=keep_apart,
        encoder=encoder,
    )
    level, level_sd = combine_levels([turn.level for turn in turns if turn.level is not None])
    stance = Concept(
        name=context.stance,
        baseline=level,
        baseline_sd=level_sd,
        evidence=tuple(t.level_evidence for t in turns if t.level_evidence is not None),
    )
    return _build(transcript, readings, placement, stance, extractor)


def unmerge(graph: BeliefGraph, concept: str, label: str) -> BeliefGraph:
    """Undo a merge: give one wording of a concept a concept of its own again.

    Influences, confidences, loops and statuses are worked out anew from the graph's readings.

    Parameters
    ----------
    graph
        A graph that `extract` made; edits made to its influences since are lost.
    concept
        Name of the concept.
    label
        One of its aliases.

    Raises
    ------
    UnknownConceptError
        The graph has no such concept, or the concept no such alias.
    """
    aliases = graph.concept(concept).aliases
    if label not in {alias.label for alias in aliases}:
        raise UnknownConceptError(label, [a.label for a in aliases], f"aliases of {concept!r}")
    placement = Placement()
    for other in graph.concepts:
        placement.places[other.name] = (other.name, 1)
        for alias in other.aliases:
            placement.places[alias.label] = (other.name, alias.polarity)
            placement.reasons[alias.label] = alias.reason
    own = label[:1].upper() + label[1:]
    placement.places[label] = (own, 1)
    del placement.reasons[label]
    for reading in graph.readings:  # wordings that need no alias: the concept's name in other case
        for end in (reading.source, reading.target):
            if end is not None and end not in placement.places:
                named = [n for n in placement.places if n.casefold() == end.casefold()]
                if named:
                    placement.places[end] = placement.places[named[0]]
    stance = graph.concept(graph.stance)
    levels = tuple(e for e in stance.evidence if e.sign is not None)
    assert graph.transcript is not None
    return _build(
        graph.transcript,
        graph.readings,
        placement,
        stance.replace(evidence=levels, aliases=()),
        graph.extractor or "",
    )


def _build(
    transcript: Transcript,
    readings: tuple[Reading, ...],
    placement: Placement,
    stance: Concept,
    extractor: str,
) -> BeliefGraph:
    usable = [r for r in readings if _bears_on_an_influence(r) and _placed(r, placement)]
    mentions = _mentions(usable, placement, stance.name)
    held = {pair: found for pair, found in mentions.items() if any(e.sign for e in found)}
    confidences = edge_confidences(held)
    influences = [
        Influence.from_evidence(*pair, found, confidences[pair]) for pair, found in held.items()
    ]
    kept, feedback = break_loops(influences)
    return BeliefGraph(
        stance=stance.name,
        concepts=tuple(_concepts(influences, placement, stance)),
        influences=tuple(kept),
        feedback=tuple(feedback),
        readings=readings,
        transcript=transcript,
        participant=transcript.participant,
        topic=transcript.topic,
        extractor=extractor,
    )


def _placed(reading: Reading, placement: Placement) -> bool:
    return reading.source in placement.places and reading.target in placement.places


def _bears_on_an_influence(reading: Reading) -> bool:
    if reading.evidence.sign is None or reading.source is None or reading.target is None:
        return False
    return all(
        not is_degenerate(end) and len(content_words(end)) <= _LONGEST_LABEL
        for end in (reading.source, reading.target)
    )


def _labels_by_weight(readings: Sequence[Reading]) -> list[str]:
    """Order labels: those the interviewer asked about first, then by how often they are said."""
    counts: dict[str, int] = defaultdict(int)
    for reading in readings:
        for end in (reading.source, reading.target):
            assert end is not None
            counts[end] += 1
    return sorted(counts, key=lambda label: (not label[:1].isupper(), -counts[label], label))


_SAME = Tie(1.0, 1, "the same words")


def _fixed(readings: Sequence[Reading], stance: str, topic: str) -> dict[str, set[str]]:
    """The stance and what it is about are concepts of their own, however they are worded."""
    ends = {end for r in readings for end in (r.source, r.target) if end}

    def wordings(label: str) -> set[str]:
        return {end for end in ends if lexical_tie(label, end) == _SAME}

    fixed = {stance: wordings(stance)}
    if stance_topic(stance) != stance:
        fixed[topic[:1].upper() + topic[1:]] = wordings(topic) | {topic}
    return fixed


def _mentions(
    readings: Sequence[Reading], placement: Placement, stance: str
) -> dict[Pair, list[Evidence]]:
    """Collect the mentions of every pair, with signs turned to the concepts' own direction."""
    grouped: dict[Pair, list[Evidence]] = defaultdict(list)
    for reading in readings:
        assert reading.source is not None
        assert reading.target is not None
        source, turned = placement.places[reading.source]
        target, turned_too = placement.places[reading.target]
        if source in (target, stance):
            continue
        sign = reading.evidence.sign
        assert sign is not None
        own: Literal[-1, 0, 1] = 0 if sign == 0 else 1 if sign * turned * turned_too > 0 else -1
        grouped[source, target].append(reading.evidence.replace(sign=own))
    return dict(grouped)


def _concepts(
    influences: Sequence[Influence], placement: Placement, stance: Concept
) -> list[Concept]:
    """Make the concepts of the influences in order of first mention, and the stance last."""
    evidence: dict[str, dict[tuple[str, int, int], Evidence]] = {stance.name: {}}
    doubts: dict[str, list[float]] = defaultdict(list)
    for edge in influences:
        for end in (edge.source, edge.target):
            own = evidence.setdefault(end, {})
            doubts[end].append(1 - edge.confidence)
            for item in edge.evidence:
                own[item.qa_id, item.start, item.end] = item.replace(sign=None, strength=None)
    frequency = {name: len({qa_id for qa_id, _, _ in found}) for name, found in evidence.items()}
    most = max((count for name, count in frequency.items() if name != stance.name), default=1)
    made = {}
    for name, found in evidence.items():
        is_stance = name == stance.name
        confidence = 1.0 if is_stance else round(1 - math.prod(doubts[name]), 6)
        status, reason = status_of(frequency[name], confidence, is_stance=is_stance)
        made[name] = (stance if is_stance else Concept(name=name)).replace(
            evidence=(*(stance.evidence if is_stance else ()), *found.values()),
            aliases=tuple(
                Alias(label=label, polarity=polarity, reason=why)
                for label, polarity, why in placement.wordings(name)
            ),
            confidence=confidence,
            importance=1.0 if is_stance else min(1.0, frequency[name] / most),
            status=status,
            status_reason=reason,
            role=role_of(name, is_stance=is_stance),
        )
    last = made.pop(stance.name)
    return [*made.values(), last]
