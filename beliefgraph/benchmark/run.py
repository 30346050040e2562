"""A run: one predictor on a set of items, with every prediction and all that made it."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.graph import Evidence
from beliefgraph.records import Record
from beliefgraph.survey import Role, Scale, Task

__all__ = ["ControlResult", "Outcome", "Protocol", "Run"]

Protocol: TypeAlias = Literal["zero-shot", "population-informed", "state-given"]
"""Whose answers it may know: nobody's; other people's; also the person's own from before."""


class Outcome(Record):
    """One item of a run: what was predicted, and what the person answered."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    item_id: str
    """Id of the item."""
    participant: str
    """Pseudonym of the person."""
    topic: str
    """Topic of the question; metrics are means over topics."""
    task: Task
    """What kind of answer was asked for."""
    role: Role
    """When it was asked."""
    question_id: str
    """Name of the question in the survey."""
    scale: Scale
    """The answers it allows."""
    gold: tuple[int, ...] = Field(min_length=1)
    """What the person answered; two values where either counts as right."""
    previous: int | None = None
    """The true baseline stance on the topic, for a later stance item, where it is known."""
    value: int | None
    """What was predicted; None where no answer was given."""
    distribution: tuple[float, ...] | None = None
    """Predicted probability of every point of the scale, where there is one."""
    could_not: str | None = None
    """Why no answer was given."""
    evidence: tuple[Evidence, ...] = ()
    """The quotes behind the prediction."""
    explanation: str | None = None
    """What moved, and by which influences."""
    details: dict[str, Any] = Field(default_factory=dict)
    """Whatever else the predictor kept."""
    seconds: float = Field(default=0.0, ge=0)
    """Wall time of the prediction; fitting is not in it."""


class ControlResult(Record):
    """What became of the headline figures when the interview was changed in one way."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    control: str
    """Name of the change."""
    draws: int = Field(ge=1)
    """How many times it was drawn and the items predicted."""
    items: int
    """Items predicted in a draw."""
    changed: int
    """Items whose context or person the change reached, in the first draw."""
    figures: dict[str, tuple[float | None, float | None, float | None]]
    """Mean, least and greatest of every headline figure over the draws; None where not scored."""
    note: str | None = None
    """What a reader must know of it, such as saturation."""


class Run(Record):
    """A predictor's answers to all items, with the configuration that made them."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    schema_version: Literal[1] = 1
    """Version of the file's form."""
    predictor: str
    """Name of the predictor."""
    protocol: Protocol
    """What the predictor was allowed to know."""
    context: str = "released"
    """Which context policy the items were shown under."""
    configuration: dict[str, Any] = Field(default_factory=dict)
    """The predictor's settings, the items' source, the control applied, the options of the run."""
    seed: int
    """Seed of everything random in the run."""
    versions: dict[str, str] = Field(default_factory=dict)
    """Versions of the package and of what it stands on."""
    notes: tuple[str, ...] = ()
    """What a reader must know to compare the figures."""
    outcomes: tuple[Outcome, ...]
    """One for every item, in the items' order."""
    strict_outcomes: tuple[Outcome, ...] | None = None
    """The same items under the strict policy, where a run under another was asked for both."""
    strict_changed: int | None = None
    """Items whose context the strict policy changes."""
    controls: tuple[ControlResult, ...] = ()
    """What the predictor does when the interview is changed."""

    @model_validator(mode="after")
    def _unique(self) -> Self:
        counts = Counter(outcome.item_id for outcome in self.outcomes)
        twice = [item_id for item_id, n in counts.items() if n > 1]
        if twice:
            raise SurveyError(f"the run answers item {twice[0]!r} {counts[twice[0]]} times")
        return self

    @property
    def label(self) -> str:
        """Predictor, protocol and context in one line."""
        return f"{self.predictor} ({self.protocol}, {self.context} context)"

    def strict(self) -> Self | None:
        """Return the twin of this run under the strict context policy, where there is one."""
        if self.strict_outcomes is None:
            return None
        return self.replace(
            context="strict", outcomes=self.strict_outcomes, strict_outcomes=None, controls=()
        )

    def save(self, path: str | Path) -> None:
        """Write the run as JSON, whole or not at all."""
        target = Path(path)
        part = target.with_name(target.name + ".part")
        part.write_text(self.model_dump_json(indent=1, exclude_defaults=False), encoding="utf-8")
        os.replace(part, target)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a saved run.

        Raises
        ------
        SurveyError
            The file is no run, or of a version that this package does not know.
        """
        try:
            value = json.loads(Path(path).read_text(encoding="utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError) as problem:
            raise SurveyError(f"{path}: not a saved run (no JSON): {problem}") from None
        if not isinstance(value, dict) or "outcomes" not in value:
            raise SurveyError(f"{path}: not a saved run: expected an object with 'outcomes'")
        if value.get("schema_version") != 1:
            raise SurveyError(
                f"{path}: schema version {value.get('schema_version')!r} is not known; this "
                "package reads 1"
            )
        return cls.model_validate(value)
