"""From readings to a belief graph: one concept for one thing, one influence for one pair, no loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

import networkx as nx

from beliefgraph.extractors.concepts import Canonical, canonicalise
from beliefgraph.extractors.probability import edge_confidences
from beliefgraph.extractors.reader import Context, TurnReadings
from beliefgraph.extractors.stance import combine_levels
from beliefgraph.graph import (
    Alias,
    BeliefGraph,
    Concept,
    Evidence,
    Feedback,
    Influence,
    Reading,
    Status,
)
from beliefgraph.text import content_words, is_degenerate, read_label
from beliefgraph.transcript import Transcript

__all__ = ["assemble", "break_loops"]

_LONGEST_LABEL = 6
"""Content words; longer noun phrases are sentences in disguise."""


def assemble(
    transcript: Transcript,
    turns: Sequence[TurnReadings],
    context: Context,
    *,
    extractor: str,
    keep_apart: Iterable[frozenset[str]] = (),
) -> BeliefGraph:
    """Build the graph of what was read."""
    readings = [reading for turn in turns for reading in turn.readings]
    usable = [reading for reading in readings if _bears_on_an_influence(reading)]
    canonical = canonicalise(
        _labels_by_weight(usable),
        fixed={context.stance: _stance_wordings(usable, context), **_topic_wordings(context)},
        keep_apart=keep_apart,
    )
    mentions = _group(usable, canonical, context.stance)
    held = {pair: found for pair, found in mentions.items() if any(e.sign for e in found)}
    confidences = edge_confidences(held)
    influences = [
        Influence.from_evidence(*pair, evidence, confidences[pair]) for pair, evidence in held.items()
    ]
    kept, feedback = break_loops(influences)
    level, level_sd = combine_levels([turn.level for turn in turns if turn.level is not None])
    concepts = _concepts([*kept, *(f.influence for f in feedback)], canonical, context.stance)
    stance = concepts[0].replace(
        baseline=level,
        baseline_sd=level_sd,
        evidence=(*(t.level_evidence for t in turns if t.level_evidence), *concepts[0].evidence),
    )
    return BeliefGraph(
        stance=context.stance,
        concepts=(*concepts[1:], stance),
        influences=tuple(kept),
        feedback=tuple(feedback),
        readings=tuple(readings),
        transcript=transcript,
        participant=transcript.participant,
        topic=transcript.topic,
        extractor=extractor,
    )


def _bears_on_an_influence(reading: Reading) -> bool:
    if reading.evidence.sign is None or reading.source is None or reading.target is None:
        return False
    return all(
        not is_degenerate(end) and len(content_words(end)) <= _LONGEST_LABEL
        for end in (reading.source, reading.target)
    )


def _labels_by_weight(readings: Sequence[Reading]) -> list[str]:
    """Labels, those of the interviewer's probes first, then by how often they are said."""
    counts: dict[str, float] = defaultdict(float)
    for reading in readings:
        for end in (reading.source, reading.target):
            assert end is not None
            counts[end] += 1 + (100 if end[:1].isupper() else 0)
    return sorted(counts, key=lambda label: (-min(counts[label], 100), -counts[label], label))


def _stance_wordings(readings: Sequence[Reading], context: Context) -> set[str]:
    """Wordings of the stance: the same words in another order or number."""
    own = read_label(context.stance).stems
    ends = {end for r in readings for end in (r.source, r.target) if end}
    return {end for end in ends if read_label(end).stems == own}


def _topic_wordings(context: Context) -> dict[str, set[str]]:
    """What the stance is about is a concept of its own, however the questions put it."""
    topic = context.topic
    name = topic[:1].upper() + topic[1:]
    if name.casefold() == context.stance.casefold():
        return {}
    return {name: {topic, topic.lower()}}


def _group(
    readings: Sequence[Reading], canonical: Canonical, stance: str
) -> dict[tuple[str, str], list[Evidence]]:
    """Collect the mentions of every pair, with signs turned to the concepts' own direction."""
    grouped: dict[tuple[str, str], list[Evidence]] = defaultdict(list)
    for reading in readings:
        assert reading.source is not None
        assert reading.target is not None
        source, turned = canonical.places[reading.source]
        target, turned_too = canonical.places[reading.target]
        if source == target or source == stance:
            continue
        sign = reading.evidence.sign
        assert sign is not None
        own: Literal[-1, 0, 1] = 0 if sign == 0 else 1 if sign * turned * turned_too > 0 else -1
        grouped[source, target].append(reading.evidence.replace(sign=own))
    return dict(grouped)


def break_loops(influences: Sequence[Influence]) -> tuple[list[Influence], list[Feedback]]:
    """Leave out the weakest influence of every loop (confidence x |weight|, ties by name)."""
    graph = nx.DiGraph()
    edges = {(edge.source, edge.target): edge for edge in influences}
    graph.add_edges_from(sorted(edges))
    feedback = []
    while True:
        loop = _smallest_loop(graph)
        if loop is None:
            break
        pairs = list(zip(loop, (*loop[1:], loop[0]), strict=True))
        weakest = min(
            (edges[pair] for pair in pairs),
            key=lambda e: (e.confidence * abs(e.weight), e.source, e.target),
        )
        graph.remove_edge(weakest.source, weakest.target)
        feedback.append(
            Feedback(
                influence=weakest,
                reason=f"closes the loop {' -> '.join((*loop, loop[0]))}; the weakest of it "
                f"(confidence x |weight| = {weakest.confidence * abs(weakest.weight):.3f})",
            )
        )
    left_out = {(f.influence.source, f.influence.target) for f in feedback}
    return [e for e in influences if (e.source, e.target) not in left_out], feedback


def _smallest_loop(graph: nx.DiGraph) -> tuple[str, ...] | None:
    """Return the shortest loop, first by name; None where the graph is acyclic."""
    best: tuple[str, ...] | None = None
    for part in nx.strongly_connected_components(graph):
        if len(part) < 2:
            continue
        inside = graph.subgraph(part)
        for node in sorted(part):
            for child in sorted(inside.successors(node)):
                path = nx.shortest_path(inside, child, node)
                loop = tuple(path)
                turned = _from_smallest(loop)
                if best is None or (len(turned), turned) < (len(best), best):
                    best = turned
    return best


def _from_smallest(loop: tuple[str, ...]) -> tuple[str, ...]:
    start = loop.index(min(loop))
    return loop[start:] + loop[:start]


def _concepts(influences: Sequence[Influence], canonical: Canonical, stance: str) -> list[Concept]:
    """Make the stance's concept first, then the others in order of first mention."""
    evidence: dict[str, dict[tuple[str, int, int], Evidence]] = {stance: {}}
    trust: dict[str, list[float]] = defaultdict(list)
    for edge in influences:
        for end in (edge.source, edge.target):
            own = evidence.setdefault(end, {})
            trust[end].append(edge.confidence)
            for item in edge.evidence:
                own[item.qa_id, item.start, item.end] = item.replace(sign=None, strength=None)
    frequency = {name: len({qa_id for qa_id, _, _ in items}) for name, items in evidence.items()}
    most = max((count for name, count in frequency.items() if name != stance), default=1)
    concepts = []
    for name, items in evidence.items():
        sure = 1.0
        for confidence in trust[name]:
            sure *= 1 - confidence
        status, reason = _status(frequency[name], 1 - sure, name == stance)
        concepts.append(
            Concept(
                name=name,
                evidence=tuple(items.values()),
                aliases=tuple(
                    Alias(label=label, polarity=polarity, reason=why)
                    for label, (polarity, why) in sorted(canonical.aliases.get(name, {}).items())
                ),
                confidence=1.0 if name == stance else round(1 - sure, 6),
                importance=1.0 if name == stance else min(1.0, frequency[name] / max(most, 1)),
                status=status,
                status_reason=reason,
            )
        )
    return concepts


BELIEF_TURNS, ANCHOR_TURNS, ANCHOR_CONFIDENCE = 2, 4, 0.8
"""A concept is a belief from two turns on, an anchor from four with confidence of at least 0.8."""


def _status(turns: int, confidence: float, is_stance: bool) -> tuple[Status, str]:
    if is_stance:
        return "anchor", "the stance"
    said = f"spoken of in {turns} turn{'s' * (turns != 1)}, confidence {confidence:.2f}"
    if turns >= ANCHOR_TURNS and confidence >= ANCHOR_CONFIDENCE:
        return "anchor", f"{said}: at least {ANCHOR_TURNS} turns and {ANCHOR_CONFIDENCE}"
    if turns >= BELIEF_TURNS:
        return "belief", f"{said}: at least {BELIEF_TURNS} turns"
    return "candidate", f"{said}: fewer than {BELIEF_TURNS} turns"
