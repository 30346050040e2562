"""What a scenario means for one person: concepts that it moves, worries that it answers.

A scenario answers a worry where a concept that speaks against the stance for this person goes down,
where the text promises that it stays as it is ("no parking space is removed": the person no longer
has to expect it), and where the text names a worry and eases it ("worries about privacy are met by
wiping the films after two days"). The reading is a record to look at, change, save and pass on: its
values are what is simulated, and nothing else is.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final

from pydantic import Field

from beliefgraph.errors import BeliefGraphError, InterventionError, UnknownConceptError
from beliefgraph.graph import BeliefGraph
from beliefgraph.records import Record
from beliefgraph.simulate.interventions import Scenario
from beliefgraph.simulate.scenario import ScenarioMatch, all_matches
from beliefgraph.simulate.scenario.words import UNSTATED_DOSE, worry_eased
from beliefgraph.simulate.standpoint import total_effects
from beliefgraph.text import Encoder, label_valence

__all__ = ["ScenarioReading", "map_scenario"]

Value = Annotated[float, Field(ge=-1, le=1)]

_PROMISED: Final = UNSTATED_DOSE
"""By how much a worry goes down of which the text promises that it does not come about."""


class ScenarioReading(Record):
    """A scenario with the interventions that it is taken to stand for.

    Change it with `moving`, `leaving_out` and `replace`; every one returns a new reading.

    Examples
    --------
    >>> g = BeliefGraph.from_edges(
    ...     [("Noise", "support", -0.5), ("Lost parking", "support", -0.4)], stance="support"
    ... )
    >>> reading = map_scenario(g, "Noise falls by 15%, and no parking is lost.")
    >>> reading.do, reading.answers
    ({'Noise': -0.5}, {'Noise': -0.5, 'Lost parking': -0.5})
    >>> reading.moving("Noise", -0.8).leaving_out("Lost parking").values
    {'Noise': -0.8}
    """

    error: ClassVar[type[BeliefGraphError]] = InterventionError

    text: str
    """The scenario in words."""
    do: dict[str, Value] = Field(default_factory=dict)
    """Concepts that the text moves, with their values for `do`."""
    answers: dict[str, Value] = Field(default_factory=dict)
    """Worries that the text answers, with the value at which each then stands."""
    matches: tuple[ScenarioMatch, ...] = ()
    """From which words each was read, as first read."""
    note: str = ""
    """The user's own."""

    @property
    def values(self) -> dict[str, float]:
        """All values for `do`: what the text moves, and worries answered by a promise."""
        return {**self.answers, **self.do}

    def moving(self, concept: str, value: float) -> ScenarioReading:
        """Return the reading with a concept at another value, or with one more concept."""
        answers = dict(self.answers)
        if concept in answers:
            answers[concept] = value
        return self.replace(do={**self.do, concept: value}, answers=answers)

    def leaving_out(self, concept: str) -> ScenarioReading:
        """Return the reading without a concept.

        Raises
        ------
        UnknownConceptError
            The reading has no such concept.
        """
        if concept not in self.values:
            raise UnknownConceptError(concept, list(self.values), "the scenario's reading")
        return self.replace(
            do={name: value for name, value in self.do.items() if name != concept},
            answers={name: value for name, value in self.answers.items() if name != concept},
        )

    def to_scenario(self) -> Scenario:
        """Return what `intervene_many` and `intervene_steps` take."""
        return Scenario(do=self.values, name=self.text)

    def save(self, path: str | Path) -> None:
        """Write the reading as JSON, to be edited by hand."""
        Path(path).write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> ScenarioReading:
        """Read what `save` wrote, or the same written by hand: "text" and "do" are enough.

        Raises
        ------
        InterventionError
            The file is no JSON object, or a value breaks a rule.
        """
        import json

        try:
            data: Any = json.loads(Path(path).read_text(encoding="utf-8"))
        except json.JSONDecodeError as problem:
            raise InterventionError(f"{path}: not JSON: {problem}") from None
        if not isinstance(data, dict):
            raise InterventionError(
                f'{path}: a scenario is an object such as {{"text": "...", "do": {{"rents": '
                f"-0.5}}}}, got {type(data).__name__}"
            )
        try:
            return cls(**data)
        except InterventionError as problem:
            raise InterventionError(f"{path}: {problem}") from None


def map_scenario(
    graph: BeliefGraph, text: str, *, encoder: Encoder | None = None
) -> ScenarioReading:
    """Say what a scenario moves for a person, and which worries it answers.

    Parameters
    ----------
    graph
        The person's graph.
    text
        The scenario, in English.
    encoder
        Sentence vectors, for clauses that share no word with a concept.

    Returns
    -------
    ScenarioReading
        Empty where nothing fits.
    """
    effects = total_effects(graph)
    do: dict[str, float] = {}
    answers: dict[str, float] = {}
    matches = all_matches(graph, text, encoder)
    for match in matches:
        value = _value(match, effects)
        against = effects.get(match.concept, 0.0) < 0
        if value:
            do[match.concept] = value
        if against and value <= 0:
            answers[match.concept] = value or -_PROMISED
        elif value and worry_eased(match.words, match.concept):
            answers[match.concept] = value
    return ScenarioReading(text=text, do=do, answers=answers, matches=tuple(matches))


def _value(match: ScenarioMatch, effects: Mapping[str, float]) -> float:
    """Return a match's value; what is said of a worry about a thing is not said of the thing."""
    eased = worry_eased(match.words, match.concept)
    if eased is None:
        return match.value
    effect = effects.get(match.concept, 0.0)
    good = (effect > 0) - (effect < 0) or label_valence(match.concept) or -1
    return (good if eased else -good) * (match.dose or UNSTATED_DOSE)
