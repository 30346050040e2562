"""Hypothesis strategies for interviews and belief graphs: valid, small, and with every field used.

`transcripts()` and `belief_graphs()` are the doors; a graph's evidence cites true spans of its
transcript, and its influences and feedback obey the rules of a belief graph.
"""

from __future__ import annotations

from typing import Literal

from hypothesis import strategies as st

from beliefgraph import (
    Alias,
    BeliefGraph,
    Concept,
    Evidence,
    Feedback,
    Influence,
    LeftOut,
    Reading,
    Transcript,
    Turn,
)

ROLES: tuple[Literal["interview", "tutorial"], ...] = ("interview", "interview", "tutorial")
SIGNS: tuple[Literal[-1, 0, 1] | None, ...] = (-1, 0, 1, None)

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
"""Any text that UTF-8 and the readers take, line ends and emoji included."""
names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
words = st.sampled_from(
    ["yes", "rents fell", "so", "buses", "I don't know", "naïve 🚌", "it depends", "café, bar"]
)
plain_texts = st.lists(words, min_size=1, max_size=6).map(" ".join)
"""One line of speech without labels, and without space at its ends."""
probabilities = st.floats(0, 1)
levels = st.floats(-1, 1)


@st.composite
def transcripts(
    draw: st.DrawFn, *, min_turns: int = 0, text: st.SearchStrategy[str] = texts
) -> Transcript:
    """Draw a transcript with unique numbers and every field in use."""
    numbers = draw(st.lists(names, unique=True, min_size=min_turns, max_size=5))
    return Transcript(
        turns=tuple(
            Turn(
                qa_id=number,
                question=draw(text),
                answer=draw(text),
                role=draw(st.sampled_from(ROLES)),
            )
            for number in numbers
        ),
        participant=draw(st.none() | names),
        topic=draw(st.none() | names),
        demographics=draw(st.dictionaries(texts, texts, max_size=2)),
        source=draw(st.none() | names),
        format=draw(st.none() | names),
        merged_versions=draw(st.integers(1, 9)),
        left_out=tuple(
            draw(st.lists(st.builds(LeftOut, where=texts, why=texts, text=texts), max_size=2))
        ),
    )


def quotes(transcript: Transcript) -> st.SearchStrategy[Evidence]:
    """Strategy for evidence that quotes a true span of one of the answers."""
    return st.sampled_from(transcript.turns).flatmap(_quote)


@st.composite
def _quote(draw: st.DrawFn, turn: Turn) -> Evidence:
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(turn.answer))] * 2)))
    return Evidence(
        qa_id=turn.qa_id,
        start=start,
        end=end,
        quote=turn.answer[start:end],
        sign=draw(st.sampled_from(SIGNS)),
        strength=draw(st.none() | probabilities),
        confidence=draw(probabilities),
        extractor=draw(names),
    )


def _concept(
    name: str, evidence: st.SearchStrategy[tuple[Evidence, ...]]
) -> st.SearchStrategy[Concept]:
    return st.builds(
        Concept,
        name=st.just(name),
        baseline=levels,
        baseline_sd=st.floats(0, 10),
        evidence=evidence,
        aliases=st.lists(
            st.builds(Alias, label=names, polarity=st.sampled_from((-1, 1)), reason=texts),
            max_size=2,
        ).map(tuple),
        confidence=probabilities,
        importance=probabilities,
        status=st.sampled_from(("candidate", "belief", "anchor")),
        status_reason=texts,
        role=st.sampled_from((None, "external_state", "internal_affect", "behavioural_intention")),
    )


@st.composite
def belief_graphs(
    draw: st.DrawFn, *, min_concepts: int = 1, max_concepts: int = 6, with_evidence: bool = True
) -> BeliefGraph:
    """Draw a belief graph: concepts in any order, a DAG, feedback, readings, aliases, evidence."""
    transcript = draw(transcripts(min_turns=1)) if with_evidence else None
    one = quotes(transcript) if transcript else st.nothing()
    several = st.lists(one, max_size=3).map(tuple) if transcript else st.just(())
    causes_first = draw(st.lists(names, unique=True, min_size=min_concepts, max_size=max_concepts))
    pairs = [(a, b) for n, a in enumerate(causes_first) for b in causes_first[n + 1 :]]
    forward = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    backward = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=2)) if pairs else []

    def influence(source: str, target: str) -> Influence:
        return draw(
            st.builds(
                Influence,
                source=st.just(source),
                target=st.just(target),
                weight=levels,
                confidence=probabilities,
                evidence=several,
            )
        )

    return BeliefGraph(
        stance=draw(st.sampled_from(causes_first)),
        concepts=tuple(
            draw(_concept(name, several)) for name in draw(st.permutations(causes_first))
        ),
        influences=tuple(influence(a, b) for a, b in forward),
        feedback=tuple(
            Feedback(influence=influence(b, a), reason=draw(texts)) for a, b in backward
        ),
        readings=draw(st.lists(_reading(one), max_size=2).map(tuple)) if transcript else (),
        transcript=transcript,
        participant=draw(st.none() | names),
        topic=draw(st.none() | names),
        extractor=draw(st.none() | texts),
    )


def _reading(evidence: st.SearchStrategy[Evidence]) -> st.SearchStrategy[Reading]:
    return st.builds(
        Reading,
        kind=st.sampled_from(("positive", "mixed", "no_effect", "dont_know", "nothing")),
        source=st.none() | names,
        target=st.none() | names,
        evidence=evidence,
        note=texts,
    )
