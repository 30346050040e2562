"""The flow of a study: how many people entered, were left out by which check, and remain.

As in a CONSORT diagram (Schulz, Altman and Moher 2010) a person is counted once, at the first check
that failed; beside it stands how many failed that check in all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from pydantic import Field

from beliefgraph.errors import BeliefGraphError, TranscriptError
from beliefgraph.extractors.quality import QualityReport
from beliefgraph.records import Record

__all__ = ["FlowStep", "FlowTable", "quality_flow"]


class FlowStep(Record):
    """One check and what it left."""

    error: ClassVar[type[BeliefGraphError]] = TranscriptError

    check: str
    """Name of the check; "read" is whether the interview could be read at all."""
    rule: str
    """What an interview has to satisfy."""
    excluded: int = Field(ge=0)
    """Interviews left out here: this is the first check they failed."""
    failed: int = Field(ge=0)
    """Interviews that failed this check, whatever they failed before."""
    not_scored: int = Field(ge=0)
    """Interviews that this check could not judge; they stay."""
    remaining: int = Field(ge=0)
    """Interviews left after it."""


class FlowTable(Record):
    """How a study's interviews came through quality control."""

    error: ClassVar[type[BeliefGraphError]] = TranscriptError

    entered: int = Field(ge=0)
    """Interviews that were looked at."""
    steps: tuple[FlowStep, ...]
    """The checks in their order."""

    @property
    def remaining(self) -> int:
        """Interviews that passed every check."""
        return self.steps[-1].remaining if self.steps else self.entered

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain values."""
        return {
            "entered": self.entered,
            "steps": [step.model_dump() for step in self.steps],
            "remaining": self.remaining,
        }

    def text(self) -> str:
        """Return the table as lines of text."""
        lines = [f"Entered: {self.entered}"]
        for step in self.steps:
            also = f"; {step.failed} failed it in all" if step.failed != step.excluded else ""
            unclear = f"; {step.not_scored} not scored" if step.not_scored else ""
            lines.append(
                f"  {step.check} ({step.rule}): {step.excluded} excluded, "
                f"{step.remaining} remaining{also}{unclear}"
            )
        lines.append(f"Remaining: {self.remaining}")
        return "\n".join(lines)

    __str__ = text


def quality_flow(reports: Iterable[QualityReport], *, unreadable: int = 0) -> FlowTable:
    """Count who is left out by which check, in the order of the checks.

    Parameters
    ----------
    reports
        One an interview. Their checks must be the same ones with the same thresholds.
    unreadable
        Interviews that could not be read; they entered and are left out first.

    Raises
    ------
    TranscriptError
        The reports were made by different rules.

    Examples
    --------
    >>> from beliefgraph.extractors.quality import quality_report
    >>> from beliefgraph.transcript import Transcript
    >>> t = Transcript.from_pairs([("Why?", "It helps.")])
    >>> flow = quality_flow([quality_report(t), quality_report(t, min_words_per_answer=5)])
    >>> flow.entered, flow.remaining, flow.steps[2].check, flow.steps[2].excluded
    (2, 0, 'words_per_answer', 2)
    """
    given = list(reports)
    rules = {tuple((c.name, c.rule, c.threshold) for c in r.checks) for r in given}
    if len(rules) > 1:
        raise TranscriptError(
            "the reports were made with different checks or thresholds, so they give no one flow; "
            "make them all with the same arguments"
        )
    remaining = len(given) + unreadable
    steps = []
    if unreadable:
        remaining -= unreadable
        steps.append(
            FlowStep(
                check="read",
                rule="the file holds an interview",
                excluded=unreadable,
                failed=unreadable,
                not_scored=0,
                remaining=remaining,
            )
        )
    for place, (name, rule, threshold) in enumerate(next(iter(rules), ())):
        excluded = sum(report.failed[:1] == (name,) for report in given)
        remaining -= excluded
        outcomes = [report.checks[place].passed for report in given]
        steps.append(
            FlowStep(
                check=name,
                rule=f"{rule} {threshold:g}",
                excluded=excluded,
                failed=outcomes.count(False),
                not_scored=outcomes.count(None),
                remaining=remaining,
            )
        )
    return FlowTable(entered=len(given) + unreadable, steps=tuple(steps))
