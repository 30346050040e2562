"""What a simulation says of a survey: the stance and the weight of every reason, on their scales.

The numbers come from `beliefgraph.simulate.predict.survey_answers`, which states the formulas.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, overload

from beliefgraph.errors import MissingPackageError, SurveyError, suggestions
from beliefgraph.survey import Scale, Survey, SurveyTopic, read_survey

if TYPE_CHECKING:
    import pandas as pd

    from beliefgraph.graph import BeliefGraph
    from beliefgraph.simulate.predict.nearness import Near

__all__ = ["AnswerShift", "ReasonShift", "Reasons", "SurveyLike", "topic_of"]

SurveyLike: TypeAlias = Survey | SurveyTopic | str | Path
"""A survey, one topic of it, or the path of a survey file."""
_COLUMNS: Final = (
    "reason", "polarity", "before", "after", "shift", "low", "high", "p_positive", "tied_to"
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AnswerShift:
    """One answer before and after an intervention, on the question's own scale."""

    text: str
    """The question, or the reason that is weighed."""
    scale: Scale
    """The answers it allows."""
    before: float
    """Expected answer before."""
    after: float
    """Expected answer after."""
    shift: float
    """after - before."""
    interval: tuple[float, float]
    """Central interval of the shift over paired worlds; NaN where none were sampled."""
    before_interval: tuple[int, int]
    """Central interval of the answer itself before: points of the scale."""
    after_interval: tuple[int, int]
    """The same after."""
    p_positive: float
    """Share of the worlds in which the expected answer rises; NaN where none were sampled."""
    p_negative: float
    """Share of the worlds in which it falls."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, fit for JSON: None where nothing was sampled."""
        low, high = self.interval
        return {
            "text": self.text,
            "scale": [self.scale.low, self.scale.high],
            "before": self.before,
            "after": self.after,
            "shift": self.shift,
            "interval": [low, high] if isfinite(low) else None,
            "before_interval": list(self.before_interval),
            "after_interval": list(self.after_interval),
            "p_positive": self.p_positive if isfinite(self.p_positive) else None,
            "p_negative": self.p_negative if isfinite(self.p_negative) else None,
        }

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.text} ({self.scale}): {self.before:.2f} -> {self.after:.2f}, "
            f"shift {self.shift:+.2f} [{low:+.2f}, {high:+.2f}]"
        )


@dataclass(frozen=True, kw_only=True)
class ReasonShift(AnswerShift):
    """The weight of one reason before and after."""

    code: str
    """Its code in the survey."""
    polarity: int
    """+1 where the reason speaks for the stance, -1 where against, 0 where it does not say."""
    concepts: tuple[Near, ...]
    """Concepts of the graph that it speaks of, the nearest first; polarity -1 where it says less
    of the concept."""
    note: str = ""
    """What its weight follows, where no concept of the graph that it speaks of bears on it."""

    @property
    def tied_to(self) -> str:
        """The concepts as a text, such as "more Bus speed, less Cars"."""
        ways = ((near, "more" if near.polarity > 0 else "less") for near in self.concepts)
        return ", ".join(f"{way} {near.concept}" for near, way in ways)

    @property
    def speaks(self) -> str:
        """Whether it speaks "for" the stance or "against" it; "" where it does not say."""
        return {1: "for", -1: "against"}.get(self.polarity, "")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, fit for JSON."""
        concepts = [
            {"name": near.concept, "weight": near.weight, "polarity": near.polarity}
            for near in self.concepts
        ]
        own = {"polarity": self.polarity, "concepts": concepts, "note": self.note}
        return {"code": self.code, **super().to_dict(), **own}


class Reasons(Sequence[ReasonShift]):
    """The reasons of a survey's topic, in its order.

    Examples
    --------
    >>> import beliefgraph as bg
    >>> from beliefgraph.survey import SurveyTopic
    >>> g = bg.BeliefGraph.from_edges([("Bus speed", "support", 0.8)], stance="support")
    >>> asked = SurveyTopic(
    ...     topic="bus lanes",
    ...     stance={"id": "1", "text": "How much do you support bus lanes?"},
    ...     reasons={"A": "The bus speed would rise."},
    ... )
    >>> r = bg.intervene(g, do={"Bus speed": 0.8}, survey=asked)
    >>> r.reasons["A"].polarity, r.reasons["A"].tied_to, r.reasons["A"].shift > 0
    (1, 'more Bus speed', True)
    """

    def __init__(self, topic: str, rows: Sequence[ReasonShift]) -> None:
        self.topic = topic
        self._rows = tuple(rows)

    @overload
    def __getitem__(self, key: int | str) -> ReasonShift: ...

    @overload
    def __getitem__(self, key: slice) -> tuple[ReasonShift, ...]: ...

    def __getitem__(self, key: int | str | slice) -> ReasonShift | tuple[ReasonShift, ...]:
        """Return a reason by its code or place.

        Raises
        ------
        SurveyError
            No reason has that code; suggests the nearest.
        """
        if not isinstance(key, str):
            return self._rows[key]
        for row in self._rows:
            if row.code == key:
                return row
        known = [row.code for row in self._rows]
        raise SurveyError(
            f"topic {self.topic!r}: no reason has the code {key!r}. {suggestions(key, known)}"
        )

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ReasonShift]:
        return iter(self._rows)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a reason, indexed by its code.

        Columns: reason, polarity, before, after, shift, low and high (the interval of the shift),
        p_positive, tied_to.

        Raises
        ------
        MissingPackageError
            pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise MissingPackageError(
                "pandas", "Reasons.to_frame()", 'pip install "beliefgraph[frames]"'
            ) from None
        rows = [
            (r.text, r.polarity, r.before, r.after, r.shift, *r.interval, r.p_positive, r.tied_to)
            for r in self
        ]
        index = pd.Index([row.code for row in self], name="code", dtype=object)
        return pd.DataFrame(rows, columns=list(_COLUMNS), index=index)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the reasons by their code, fit for JSON."""
        return {row.code: row.to_dict() for row in self}

    def __repr__(self) -> str:
        lines = [f"  {row.code}: {row}" for row in self]
        return "\n".join([f"<Reasons of {self.topic!r}: {len(self)}>", *lines])


def topic_of(graph: BeliefGraph, survey: SurveyLike) -> SurveyTopic:
    """Return the topic of a survey that a graph is about.

    A topic is taken as it is. Of a survey, the one with the name of the graph's topic is meant
    (capitals and spaces do not matter); of a survey with a single topic that one, where the graph
    names none.

    Raises
    ------
    SurveyError
        The file cannot be read, the survey does not ask about the graph's topic, or it holds
        several and the graph names none.
    """
    if isinstance(survey, SurveyTopic):
        return survey
    if not isinstance(survey, (Survey, str, Path)):
        raise SurveyError(
            "survey: give a Survey, one of its topics, or the path of a survey file, got "
            f"{type(survey).__name__}"
        )
    whole = survey if isinstance(survey, Survey) else read_survey(survey)
    where = f"survey {whole.name!r}" if isinstance(survey, Survey) else f"survey file {survey}"
    known = [topic.topic for topic in whole.topics]
    if graph.topic is None:
        if len(known) == 1:
            return whole.topics[0]
        raise SurveyError(
            f"{where} asks about {len(known)} topics ({', '.join(map(repr, known))}) and the graph "
            "names none; name it (graph.replace(topic=...), on the command line --topic), or give "
            "one topic alone: survey.topic(NAME)"
        )
    for topic in whole.topics:
        if _folded(topic.topic) == _folded(graph.topic):
            return topic
    raise SurveyError(
        f"{where} does not ask about the graph's topic {graph.topic!r}, only about "
        f"{', '.join(map(repr, known))}. {suggestions(graph.topic, known)} Where one of them is "
        "meant, give it alone: survey.topic(NAME)"
    )


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
