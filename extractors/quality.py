"""Quality control of an interview, and how a study came from its people to those it keeps.

The checks are those by which HugAgent (arXiv 2510.15144, appendix O) leaves interviews out:
redundant answers, meta-level questioning, insufficient length and fewer than five concepts. Two
more say how much could be read: the share of turns that gave no influence, by reason, and the
lines that speech recognition made up. The paper names no numbers but the five concepts; the other
defaults are this module's own, all are arguments, and a check that could not be made is not scored:
it excludes nobody and is counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from beliefgraph.errors import BeliefGraphError, TranscriptError
from beliefgraph.extractors.cleaning import clean, find_hallucinations
from beliefgraph.graph import BeliefGraph
from beliefgraph.records import Record
from beliefgraph.transcript import Transcript, Turn

__all__ = ["Check", "CheckName", "QualityReport", "quality_report"]

CheckName = Literal[
    "redundant_answers",
    "meta_questioning",
    "words_per_answer",
    "total_words",
    "concepts",
    "silent_turns",
    "hallucinated_lines",
]

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_META = re.compile(
    r"\b(?:(?:you|you've|you have) (?:just |already |literally )?asked (?:me )?"
    r"(?:that|this|the same|about)"
    r"|(?:asking|asked) (?:me )?the same (?:thing|question)|same question (?:again|as)"
    r"|why (?:do|are|would|did) you (?:keep |even )?ask(?:ing)?"
    r"|what (?:do|does|did) (?:you|that|this) (?:even |actually )?mean"
    r"|what (?:kind|sort) of (?:a )?question|(?:who|what) (?:wrote|came up with) (?:this|these)"
    r"|(?:this|that|the|your|these) questions? "
    r"(?:is|are|was|seems?|sounds?|does(?:n't| not)?|do(?:n't| not)?|makes?)\b"
    r"|(?:don't|do not|didn't|can't|cannot) (?:really |quite |even )?(?:understand|get|follow) "
    r"(?:the|this|that|your) question"
    r"|(?:can|could) you (?:please )?(?:repeat|rephrase|clarify|explain)"
    r"|(?:i've|i have|i) (?:just |already )+(?:answered|told you|said (?:this|that|it))"
    r"|are you (?:a |an |even )?(?:bot|robot|ai|machine|real|human|listening)"
    r"|(?:how many|any) more questions|is this (?:interview|survey|thing|recording) )",
    re.IGNORECASE,
)
"""The answer is about the question, the interview or the interviewer, not about the topic."""


class Check(Record):
    """One rule, what it measured, and whether the interview passes."""

    error: ClassVar[type[BeliefGraphError]] = TranscriptError

    name: CheckName
    """Which check."""
    value: float | None
    """What was measured; None where it could not be."""
    rule: Literal["at most", "at least"]
    """Which side of the threshold passes."""
    threshold: float
    """The limit, which itself passes."""
    turns: tuple[str, ...] = ()
    """The `qa_id` of the turns concerned, in order."""
    reasons: dict[str, int] = Field(default_factory=dict)
    """Turns by reason, where the check tells reasons apart."""
    note: str = ""
    """Why it is not scored, where it is not."""

    @property
    def passed(self) -> bool | None:
        """Whether the rule holds; None where it is not scored."""
        if self.value is None:
            return None
        if self.rule == "at most":
            return self.value <= self.threshold
        return self.value >= self.threshold


class QualityReport(Record):
    """All checks of one interview."""

    error: ClassVar[type[BeliefGraphError]] = TranscriptError

    participant: str | None = None
    """Pseudonym of the person."""
    topic: str | None = None
    """What the interview is about."""
    source: str | None = None
    """File the interview was read from."""
    n_turns: int = Field(ge=0)
    """Turns of the interview, tutorial turns not counted."""
    checks: tuple[Check, ...]
    """In the order in which a study excludes by them."""

    @property
    def passed(self) -> bool:
        """Whether no check failed; one that is not scored fails nobody."""
        return not self.failed

    @property
    def failed(self) -> tuple[CheckName, ...]:
        """Names of the checks that failed, in order."""
        return tuple(check.name for check in self.checks if check.passed is False)

    def check(self, name: CheckName) -> Check:
        """Return one check."""
        return next(check for check in self.checks if check.name == name)


def quality_report(
    transcript: Transcript,
    graph: BeliefGraph | None = None,
    *,
    similarity: float = 0.8,
    shortest_compared: int = 5,
    max_redundant: float = 0.3,
    max_meta: float = 0.2,
    min_words_per_answer: float = 5.0,
    min_total_words: int = 100,
    min_concepts: int = 5,
    max_silent: float = 0.8,
    max_hallucinated: float = 0.2,
) -> QualityReport:
    """Check an interview.

    Parameters
    ----------
    transcript
        The interview; its tutorial turns are not looked at.
    graph
        What was read from it. Without it, concepts and silent turns are not scored.
    similarity
        Least Jaccard similarity of two answers' sets of words for the later to be a repeat.
    shortest_compared
        Answers of fewer distinct words are no repeats: "very confident" may well be said twice.
    max_redundant
        Largest share of the answers that may repeat an earlier one.
    max_meta
        Largest share of the answers that may question the question or the interviewer.
    min_words_per_answer
        Least mean number of words an answer; made-up lines, fillers and stutters are no words.
    min_total_words
        Least number of words of the whole interview.
    min_concepts
        Least number of concepts of the graph, the stance included.
    max_silent
        Largest share of the turns from which no influence was read.
    max_hallucinated
        Largest share of the answers that may hold a line nobody said.

    Returns
    -------
    QualityReport

    Examples
    --------
    >>> t = Transcript.from_pairs([("Why?", "It helps."), ("How?", "Why do you keep asking?")])
    >>> report = quality_report(t)
    >>> report.failed
    ('meta_questioning', 'words_per_answer', 'total_words')
    >>> report.check("meta_questioning").turns
    ('2',)
    """
    turns = [turn for turn in transcript.turns if turn.role == "interview"]
    spoken = {turn.qa_id: _words(clean(turn.answer).text) for turn in turns}
    counts = [len(words) for words in spoken.values()]
    sets = {qa_id: frozenset(words) for qa_id, words in spoken.items()}
    repeats = _repeats(sets, similarity, shortest_compared)
    meta = [t.qa_id for t in turns if _META.search(clean(t.answer).text)]
    if graph is not None:
        heard = {r.evidence.qa_id for r in graph.readings if r.kind == "not_understood"}
        meta = [t.qa_id for t in turns if t.qa_id in heard or t.qa_id in set(meta)]
    short = [qa_id for qa_id, words in spoken.items() if len(words) < min_words_per_answer]
    made_up = [turn.qa_id for turn in turns if find_hallucinations(turn.answer)]
    mean = sum(counts) / len(turns) if turns else None
    return QualityReport(
        participant=transcript.participant,
        topic=transcript.topic,
        source=transcript.source,
        n_turns=len(turns),
        checks=(
            _share("redundant_answers", repeats, turns, max_redundant),
            _share("meta_questioning", meta, turns, max_meta),
            Check(
                name="words_per_answer", value=mean, rule="at least",
                threshold=min_words_per_answer, turns=tuple(short),
                note="" if turns else "there are no turns",
            ),
            Check(
                name="total_words", value=sum(counts), rule="at least", threshold=min_total_words
            ),
            _concepts(graph, min_concepts),
            _silent(graph, turns, max_silent),
            _share("hallucinated_lines", made_up, turns, max_hallucinated),
        ),
    )  # fmt: skip


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _repeats(
    sets: dict[str, frozenset[str]], similarity: float, shortest_compared: int
) -> list[str]:
    """Find the turns whose words are nearly those of an earlier turn."""
    earlier: list[frozenset[str]] = []
    found = []
    for qa_id, words in sets.items():
        if len(words) < shortest_compared:
            continue
        if any(_jaccard(words, other) >= similarity for other in earlier):
            found.append(qa_id)
        earlier.append(words)
    return found


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    small, large = sorted((len(one), len(other)))
    if not large:
        return 0.0
    common = len(one & other)
    return common / (small + large - common)


def _share(
    name: CheckName, concerned: Sequence[str], turns: Sequence[Turn], threshold: float
) -> Check:
    return Check(
        name=name,
        value=len(concerned) / len(turns) if turns else None,
        rule="at most",
        threshold=threshold,
        turns=tuple(concerned),
        note="" if turns else "there are no turns",
    )


def _concepts(graph: BeliefGraph | None, threshold: int) -> Check:
    return Check(
        name="concepts",
        value=None if graph is None else len(graph.concepts),
        rule="at least",
        threshold=threshold,
        note="no graph was given" if graph is None else "",
    )


def _silent(graph: BeliefGraph | None, turns: Sequence[Turn], threshold: float) -> Check:
    """Count the turns that gave no influence by what was read instead."""
    if graph is None or not turns:
        return Check(
            name="silent_turns", value=None, rule="at most", threshold=threshold,
            note="no graph was given" if graph is None else "there are no turns",
        )  # fmt: skip
    edges = (*graph.influences, *(item.influence for item in graph.feedback))
    heard = {item.qa_id for edge in edges for item in edge.evidence}
    silent = [turn.qa_id for turn in turns if turn.qa_id not in heard]
    kinds: dict[str, str] = {}
    for reading in graph.readings:
        kinds.setdefault(reading.evidence.qa_id, reading.kind)
    reasons = Counter(_why_silent(kinds.get(qa_id)) for qa_id in silent)
    return Check(
        name="silent_turns",
        value=len(silent) / len(turns),
        rule="at most",
        threshold=threshold,
        turns=tuple(silent),
        reasons=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
    )


def _why_silent(kind: str | None) -> str:
    if kind is None:
        return "not_read"
    # signed, and yet no influence: the question names no concept, or the two ends are one
    return "no_pair_of_concepts" if kind in ("positive", "negative") else kind
