"""One object that holds a simulation's options, for Python, a JSON file and the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar, Self

from pydantic import Field

from beliefgraph.errors import BeliefGraphError, InterventionError, UnknownConceptError
from beliefgraph.graph import BeliefGraph
from beliefgraph.records import Record
from beliefgraph.simulate.engine import intervene
from beliefgraph.simulate.fcm.rules import FcmOptions
from beliefgraph.simulate.interventions import make_plan
from beliefgraph.simulate.result import Result
from beliefgraph.survey import read_survey

__all__ = ["SimulationConfig", "concept_named"]

Amount = float | tuple[float, float]
"""A number, or a range (low, high)."""


class SimulationConfig(Record):
    """What to do to a belief graph, and how to compute what follows.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("Rents", "support", -0.5, 0.9)], stance="support")
    >>> r = SimulationConfig(do={"rents": -0.8}, mechanism="linear").run(g)
    >>> round(r.stance.shift, 2)
    0.36
    """

    error: ClassVar[type[BeliefGraphError]] = InterventionError

    do: dict[str, Amount] = Field(default_factory=dict)
    """Concept to the value it is held at, in [-1, 1]."""
    shift: dict[str, Amount] = Field(default_factory=dict)
    """Concept to the amount added to the push on it."""
    scenario: str | None = None
    """A text to read further `do` values from (see `read_scenario`)."""
    mechanism: str = "tanh"
    """How pushes become a value: tanh, linear, logistic or threshold."""
    n_samples: int = 10_000
    """Number of sampled worlds."""
    seed: int = 0
    """Seed of their random numbers."""
    level: float = 0.90
    """Share of the worlds that an interval holds."""
    on_cycle: str = "drop_weakest"
    """What to do with influences that close a loop."""
    fcm: FcmOptions | None = None
    """Rule of the fuzzy cognitive map, with `on_cycle` "fcm"."""
    survey: str | None = None
    """Path of a survey file: stance and reasons are also given on its scales."""

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read the options from a JSON file with any of the fields.

        Raises
        ------
        InterventionError
            The file cannot be read, is not a JSON object, or a field is unknown or wrong.
        """
        from beliefgraph.formats.files import read_text

        text = read_text(path, error=InterventionError)
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError) as problem:
            raise InterventionError(f"{path}: the configuration is not JSON: {problem}") from None
        if not isinstance(fields, dict):
            raise InterventionError(
                f"{path}: the configuration must be a JSON object with any of the fields "
                f"{', '.join(cls.model_fields)}"
            )
        try:
            return cls(**fields)
        except BeliefGraphError as problem:
            known = ", ".join(cls.model_fields)
            raise InterventionError(f"{path}: {problem}. Fields: {known}") from None

    @property
    def acts(self) -> bool:
        """Whether it names any intervention."""
        return bool(self.do or self.shift or self.scenario)

    def check(self) -> None:
        """Check the values without a graph.

        Raises
        ------
        InterventionError
            A value is not allowed, or `do` and `shift` act on one concept.
        SurveyError
            The survey file cannot be read.
        """
        if self.survey is not None:
            read_survey(self.survey)
        names = tuple(dict.fromkeys((*self.do, *self.shift)))
        make_plan(names, self.do, self.shift, None)

    def resolve(self, graph: BeliefGraph) -> Self:
        """Return the same with the graph's own concept names, and the scenario read into `do`.

        Raises
        ------
        UnknownConceptError
            A name is no concept of the graph, also not in other capitals.
        InterventionError
            Two names are one concept, or nothing in the scenario fits a concept.
        """
        from beliefgraph.simulate.scenario import scenario_do

        do, shift = _named(graph, self.do, "do"), _named(graph, self.shift, "shift")
        if self.scenario is not None:
            found = scenario_do(graph, self.scenario)
            do = {**{name: value for name, value in found.items() if name not in shift}, **do}
        return self.replace(do=do, shift=shift, scenario=None)

    def run(self, graph: BeliefGraph) -> Result:
        """Resolve the names and intervene."""
        chosen = self.resolve(graph)
        return intervene(
            graph,
            do=chosen.do,
            shift=chosen.shift,
            mechanism=self.mechanism,
            n_samples=self.n_samples,
            seed=self.seed,
            level=self.level,
            on_cycle=self.on_cycle,
            fcm=self.fcm,
            survey=self.survey,
        )


def concept_named(graph: BeliefGraph, name: str, where: str) -> str:
    """Return the graph's own spelling of a concept's name; capitals and spaces do not matter.

    Raises
    ------
    UnknownConceptError
        No concept has that name, or several differ from it only in capitals.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("Bus speed", "support", 0.8)], stance="support")
    >>> concept_named(g, "bus  speed", "do")
    'Bus speed'
    """
    if name in graph.names:
        return name
    folded = " ".join(name.casefold().split())
    found = [other for other in graph.names if " ".join(other.casefold().split()) == folded]
    if len(found) == 1:
        return found[0]
    raise UnknownConceptError(name, found or graph.names, where)


def _named(graph: BeliefGraph, amounts: dict[str, Amount], where: str) -> dict[str, Amount]:
    named: dict[str, Amount] = {}
    for given, value in amounts.items():
        name = concept_named(graph, given, where)
        if name in named:
            raise InterventionError(f"{where}: {name!r} is given twice; give it one value")
        named[name] = value
    return named
