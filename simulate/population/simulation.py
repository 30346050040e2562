"""A population simulated as a whole and beside its members.

The mean of the people's shifts is not the shift of the mean graph;
`beliefgraph.simulate.population.difference` says by how much, and why.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np

from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph
from beliefgraph.intervals import Estimate, estimate_ratio
from beliefgraph.simulate.engine import intervene
from beliefgraph.simulate.interventions import Amount, Plan, make_plan
from beliefgraph.simulate.mechanisms import MechanismLike
from beliefgraph.simulate.population.difference import (
    Chain,
    Difference,
    columns_of,
    split_difference,
    strongest_chains,
)
from beliefgraph.simulate.population.graph import PopulationGraph, as_population, frame_of
from beliefgraph.simulate.result import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MemberShift", "PopulationResult", "simulate_population"]

_UNMOVED: Final = 1e-9


@dataclass(frozen=True)
class MemberShift:
    """The stance of one person before and after; NaN, with the reason, where nothing was done."""

    participant: str
    before: float
    """Present stance, on the population's scale."""
    after: float
    shift: float
    missing: tuple[str, ...] = ()
    """Concepts of the intervention that the person's graph has not."""
    reason: str = ""
    """Why there is no shift, where there is none."""


@dataclass(frozen=True, eq=False)
class PopulationResult:
    """A scenario over a population."""

    pooled: Result
    """The pooled graph's answer."""
    members: tuple[MemberShift, ...]
    """Every person's, in the order of the population."""
    mean: Estimate
    """Mean shift of the people whom the scenario reaches, with a bootstrap interval over them."""
    mean_of_all: float
    """Mean shift where those whom it does not reach count as unmoved: what the pooled graph's
    shift is compared with."""
    sd: float
    """Standard deviation of the shifts over the people reached; NaN for fewer than two."""
    quantiles: Mapping[float, float]
    """Quantiles 0.05, 0.25, 0.5, 0.75 and 0.95 of the shifts of the people reached."""
    n_up: int
    """People whose stance rises."""
    n_down: int
    """People whose stance falls."""
    n_unmoved: int
    """People who hold the concept and whose stance stays."""
    n_not_reached: int
    """People whose graph has none of the concepts: NaN, and in no figure but `mean_of_all`."""
    difference: Difference
    """Pooled less `mean_of_all`, and why."""
    chains: tuple[Chain, ...] = field(repr=False, default=())
    """The strongest paths of the pooled graph, and who holds them whole."""
    notes: tuple[str, ...] = ()
    """What a reader of the numbers should know."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a person: the fields of `MemberShift`.

        Raises
        ------
        MissingPackageError
            pandas is not installed.
        """
        return frame_of(self.members, MemberShift, "PopulationResult.to_frame()")

    def explain(self) -> str:
        """Say by how much the pooled shift and the mean of the members differ, and why."""
        parts = asdict(self.difference)
        total = parts.pop("total")
        lines = [
            f"pooled graph {self.pooled.stance.shift:+.3f}, mean of members "
            f"{self.mean_of_all:+.3f} ({self.n_not_reached} not reached, counted as unmoved): "
            f"difference {total:+.3f}",
            "  " + ", ".join(f"{name} {value:+.3f}" for name, value in parts.items()),
            *(f"  {chain}" for chain in self.chains),
            *(f"  Note: {note}" for note in self.notes),
        ]
        return "\n".join(lines)


def simulate_population(
    population: PopulationGraph | Iterable[BeliefGraph],
    *,
    do: Mapping[str, Amount] | None = None,
    shift: Mapping[str, Amount] | None = None,
    mechanism: MechanismLike = "tanh",
    n_samples: int = 1_000,
    seed: int = 0,
    level: float = 0.95,
    n_chains: int = 5,
) -> PopulationResult:
    """Apply one scenario to the pooled graph and to every person's own.

    Parameters
    ----------
    population
        From `population_graph`, or graphs, pooled with its default settings.
    do, shift
        As for `bg.intervene`, by the population's concept names; for a person who names the other
        end of a scale, the amount is turned.
    mechanism
        As for `bg.intervene`. With "linear" every mean is exact and nothing is sampled.
    n_samples
        Worlds a person; the pooled graph has at least 10,000. A person's draws follow from `seed`
        and the pseudonym alone, whoever else is there.
    seed
        Whole number.
    level
        Of the interval of the mean; the pooled result's own interval has the default of
        `bg.intervene`.
    n_chains
        How many paths to show.

    Returns
    -------
    PopulationResult

    Raises
    ------
    InterventionError
        Nothing is done, or an amount or option is not allowed.
    UnknownConceptError
        The population has no such concept.

    Examples
    --------
    Half hold the first link and half the second, so no one is moved, and the pooled graph is:

    >>> a = BeliefGraph.from_edges([("rents", "moves", 0.8)], stance="s", concepts=["rents"])
    >>> b = BeliefGraph.from_edges([("moves", "s", 0.5)], stance="s", concepts=["rents"])
    >>> r = simulate_population([a, b], do={"rents": 1}, mechanism="linear")
    >>> r.pooled.stance.shift, r.mean_of_all, r.difference.mixing
    (0.1, 0.0, 0.1)
    """
    population = as_population(population)
    names = population.graph.names
    plan = make_plan(names, do or {}, shift or {}, None)
    if not plan.touched:
        raise InterventionError("nothing is done: give do= or shift= with a concept and an amount")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InterventionError(f"seed: give a whole number >= 0, got {seed!r}")
    if isinstance(mechanism, Mapping):
        raise InterventionError(
            "mechanism: give one for all concepts; a person's graph may not have those of a mapping"
        )
    linear = mechanism == "linear"
    pooled = intervene(
        # what the loops are worth is told by the members; unrolling all of them takes minutes
        population.graph.replace(feedback=()),
        do=do,
        shift=shift,
        mechanism=mechanism,
        n_samples=0 if linear else max(n_samples, 10_000),
        seed=seed,
    )
    members = tuple(
        _simulate_member(population, person, do or {}, shift or {}, mechanism, n_samples, seed)
        for person in range(population.n_people)
    )
    moves = np.array([member.shift for member in members])
    reached = moves[~np.isnan(moves)]
    columns = columns_of(population)
    mean_of_all = float(np.nansum(moves) / len(moves))
    return PopulationResult(
        pooled=pooled,
        members=members,
        mean=estimate_ratio(
            reached.tolist(), [1.0] * len(reached), seed=seed, level=level, n_resamples=2_000
        ),
        mean_of_all=mean_of_all,
        sd=float(reached.std(ddof=1)) if len(reached) > 1 else float("nan"),
        quantiles={
            q: float(np.quantile(reached, q)) if len(reached) else float("nan")
            for q in (0.05, 0.25, 0.5, 0.75, 0.95)
        },
        n_up=int((reached > _UNMOVED).sum()),
        n_down=int((reached < -_UNMOVED).sum()),
        n_unmoved=int((np.abs(reached) <= _UNMOVED).sum()),
        n_not_reached=len(moves) - len(reached),
        difference=split_difference(population, plan, columns, pooled, mean_of_all),
        chains=strongest_chains(population, plan, columns, pooled, n_chains),
        notes=_notes(population, members, plan),
    )


def _simulate_member(
    population: PopulationGraph,
    person: int,
    do: Mapping[str, Amount],
    shift: Mapping[str, Amount],
    mechanism: MechanismLike,
    n_samples: int,
    seed: int,
) -> MemberShift:
    participant = population.participants[person]
    own: dict[str, dict[str, Amount]] = {"do": {}, "shift": {}}
    missing = []
    for kind, amounts in (("do", do), ("shift", shift)):
        for concept, amount in amounts.items():
            found = population.label(person, concept)
            if found is None:
                missing.append(concept)
            else:
                own[kind][found[0]] = amount if found[1] > 0 else _turned(concept, amount)
    if not own["do"] and not own["shift"]:
        nan = float("nan")
        reason = f"the person's graph has no {' and no '.join(map(repr, missing))}"
        return MemberShift(participant, nan, nan, nan, tuple(missing), reason)
    name = zlib.crc32(participant.encode())
    result = intervene(
        population.members[person],
        do=own["do"],
        shift=own["shift"],
        mechanism=mechanism,
        n_samples=0 if mechanism == "linear" else n_samples,
        seed=np.random.SeedSequence(seed, spawn_key=(name,)),
    ).stance
    _, turned = population.place(person, population.members[person].stance)
    return MemberShift(
        participant,
        turned * result.before,
        turned * result.after,
        turned * result.shift + 0.0,
        tuple(missing),
    )


def _turned(concept: str, amount: Amount) -> Amount:
    """Return an amount as seen from the other end of the scale."""
    if isinstance(amount, (tuple, list)):
        return (-amount[1], -amount[0])
    if hasattr(amount, "ppf"):
        raise InterventionError(
            f"{concept!r}: some people name the other end of its scale, and a scipy distribution "
            "cannot be turned for them; give a number or a range"
        )
    return -amount


def _notes(
    population: PopulationGraph, members: tuple[MemberShift, ...], plan: Plan
) -> tuple[str, ...]:
    notes = []
    partly = sum(bool(m.missing) and not m.reason for m in members)
    if len(plan.touched) > 1 and partly:
        notes.append(f"{partly} people hold some of the concepts only; the rest was not done.")
    left_out = len(population.graph.feedback)
    if left_out:
        notes.append(
            f"the pooled graph leaves out {left_out} of {len(population.influences)} influences to "
            "stay free of loops; their part is under loops."
        )
    return tuple(notes)
