"""Scenarios on many people's graphs: where each concept that is intervened on stands, by person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.simulate.cohort.table import GraphTable
from beliefgraph.simulate.interventions import Plan, Scenario, make_plan

__all__ = ["NamedPlan", "Touches", "find_touches", "named_plans"]


@dataclass(frozen=True)
class NamedPlan:
    """A checked scenario on concept names."""

    name: str
    """Name of the scenario."""
    concepts: tuple[str, ...]
    """Concepts that it acts on."""
    plan: Plan
    """What it does, on the numbers of `concepts`."""

    @property
    def drawn(self) -> bool:
        """Whether a value is a range or a distribution."""
        values = (*self.plan.do.values(), *self.plan.shift.values())
        return not all(value.fixed for value in values)

    def parts(self) -> dict[str, dict[str, Any]]:
        """Return it as `intervene_many` takes it."""
        return {
            kind: {self.concepts[k]: value.given for k, value in getattr(self.plan, kind).items()}
            for kind in ("do", "shift", "noise")
        }

    def to_json(self) -> dict[str, Any]:
        """Return it fit for JSON."""
        return self.plan.to_json(self.concepts)


@dataclass(frozen=True, eq=False)
class Touches:
    """What S scenarios do to P people: T touched concepts, those of a scenario side by side."""

    first: NDArray[np.int64]
    """(S + 1,) where a scenario's touches begin."""
    place: NDArray[np.int32]
    """(T, P) place of the concept within the person, -1 where the graph lacks it."""
    held: NDArray[np.bool_]
    """(T,) whether it is a `do`."""
    mean: NDArray[np.float64]
    """(T,) expected value of the `do` or the `shift`."""
    variance: NDArray[np.float64]
    """(T,) its variance."""
    noise: NDArray[np.float64]
    """(T,) new standard deviation of the noise, or NaN."""
    problems: tuple[dict[int, str], ...]
    """(S,) people a scenario cannot be asked of, with the reason."""

    def askable(self, usable: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """(S, P) whether the scenario can be asked of the person."""
        good = np.repeat(usable[None], len(self.problems), axis=0)
        for scenario, found in enumerate(self.problems):
            good[scenario, list(found)] = False
        return good


def named_plans(scenarios: Mapping[str, Any]) -> tuple[NamedPlan, ...]:
    """Check scenarios once, before any graph is read.

    Raises
    ------
    InterventionError
        There are none, one is no scenario, or a value is not allowed.

    Examples
    --------
    >>> named_plans({"cheaper": {"do": {"rents": -0.5}}})[0].concepts
    ('rents',)
    """
    if not isinstance(scenarios, Mapping) or not scenarios:
        raise InterventionError(
            "scenarios: give a mapping of names to scenarios, such as "
            f"{{'cheaper': {{'do': {{'rents': -0.5}}}}}}, got {scenarios!r}"
        )
    found = []
    for name, scenario in scenarios.items():
        if isinstance(scenario, Scenario):
            parts = {"do": scenario.do, "shift": scenario.shift, "noise": scenario.noise}
        elif isinstance(scenario, Mapping) and set(scenario) <= {"do", "shift", "noise"}:
            parts = {kind: scenario.get(kind) or {} for kind in ("do", "shift", "noise")}
        else:
            raise InterventionError(
                f"scenarios: {name!r} must be a Scenario or a mapping with any of the keys 'do', "
                f"'shift', 'noise', got {scenario!r}"
            )
        concepts = tuple(dict.fromkeys(str(c) for part in parts.values() for c in part))
        plan = make_plan(concepts, parts["do"], parts["shift"], parts["noise"], str(name))
        found.append(NamedPlan(str(name), concepts, plan))
    if len({plan.name for plan in found}) < len(found):
        raise InterventionError("scenarios: two names are one text; give each a name of its own")
    return tuple(found)


def find_touches(table: GraphTable, plans: tuple[NamedPlan, ...]) -> Touches:
    """Find the concepts of each scenario in every person's graph."""
    code = {name: k for k, name in enumerate(table.names)}
    places: dict[str, tuple[NDArray[np.int32], dict[int, str]]] = {}
    first, rows, problems = [0], [], []
    held, mean, variance, noise = [], [], [], []
    for named in plans:
        wrong: dict[int, str] = {}
        for number, concept in enumerate(named.concepts):
            if concept not in places:
                places[concept] = _places(table, code.get(concept, -1), concept)
            place, failed = places[concept]
            wrong = {**failed, **wrong}
            value = named.plan.do.get(number) or named.plan.shift.get(number)
            rows.append(place)
            held.append(number in named.plan.do)
            mean.append(value.mean if value else 0.0)
            variance.append(value.variance if value else 0.0)
            spread = named.plan.noise.get(number)
            noise.append(spread.mean if spread else np.nan)
        first.append(len(rows))
        problems.append(wrong)
    return Touches(
        first=np.array(first, dtype=np.int64),
        place=np.array(rows, dtype=np.int32).reshape(len(rows), len(table)),
        held=np.array(held, dtype=bool),
        mean=np.array(mean, dtype=float),
        variance=np.array(variance, dtype=float),
        noise=np.array(noise, dtype=float),
        problems=tuple(problems),
    )


def _places(table: GraphTable, code: int, concept: str) -> tuple[NDArray[np.int32], dict[int, str]]:
    """Return (P,) places of one concept, and the people whose graph lacks it."""
    place = np.full(len(table), -1, dtype=np.int32)
    at = np.flatnonzero(table.name == code)
    owner = table.owner[at]
    place[owner] = at - table.first[owner]
    lacking = np.flatnonzero((place < 0) & table.usable).tolist()
    problems = dict.fromkeys(lacking, f"the graph has no concept called {concept!r}")
    again = owner[1:][owner[1:] == owner[:-1]].tolist()
    problems |= dict.fromkeys(again, f"the graph has two concepts called {concept!r}")
    return place, problems
