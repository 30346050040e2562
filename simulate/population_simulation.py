r"""A population simulated as a whole and beside its members, and why the two differ.

The mean of the people's shifts is not the shift of the mean graph. Exactly, counting a person whose
graph has none of the concepts as unmoved,

    pooled shift - mean of members = mixing + levels + loops + mechanism.

In the linear model a shift is a sum over paths of products of confidence x weight, and every single
influence of the pooled graph is the people's mean.

* **mixing**: a product of means is not the mean of products. The pooled graph chains a -> b of
  some people with b -> c of others, and misses that strong and weak links, or signs, go together in
  the same people. Paths of one influence have no such term.
* **levels**: `do` moves everyone to one value, from different present levels; where the effect goes
  with the level, moving the mean person is something else.
* **loops**: members open their own loops, the pooled graph opens other ones.
* **mechanism**: what is left where the mechanism is not linear, the doubt about single influences
  included; 0 for the linear one, which is exact.

The first three are computed exactly from the same members with the pooled levels, with their own
levels, and with their own loops opened, one after the other in that order.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph
from beliefgraph.intervals import Estimate, estimate_ratio
from beliefgraph.simulate.engine import intervene
from beliefgraph.simulate.interventions import Amount, Plan, make_plan
from beliefgraph.simulate.mechanisms import MechanismLike
from beliefgraph.simulate.population_graph import PopulationGraph, as_population, frame_of
from beliefgraph.simulate.result import Result

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Chain", "Difference", "MemberShift", "PopulationResult", "simulate_population"]

Floats = NDArray[np.float64]
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


@dataclass(frozen=True)
class Chain:
    """A path of the pooled graph, beside the people who hold all of it (linear model)."""

    concepts: tuple[str, ...]
    """From the intervened concept to the stance."""
    pooled: float
    """What it adds to the shift of the pooled graph."""
    members: float
    """What it adds to the mean of the members' shifts, by those who hold all of it."""
    n_people: int
    """How many people do."""

    def __str__(self) -> str:
        return (
            f"{' -> '.join(self.concepts)}: {self.pooled:+.3f} pooled, {self.members:+.3f} in the "
            f"mean of members; held whole by {self.n_people}"
        )


@dataclass(frozen=True)
class Difference:
    """The pooled shift less the mean of the members' (the unreached unmoved), and its parts."""

    total: float
    mixing: float
    """Influences of different people chained, and links that go together in the same people."""
    levels: float
    """Effects that go with the present level."""
    loops: float
    """Loops opened elsewhere."""
    mechanism: float
    """Departure from the linear model."""


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
        population.graph,
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
    columns = _columns(population)
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
        difference=_difference(population, plan, columns, pooled, mean_of_all),
        chains=_chains(population, plan, columns, pooled, n_chains),
        notes=_notes(members, plan),
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


def _own_linear_shifts(population: PopulationGraph, plan: Plan) -> Floats:
    """Return every person's stance shift in the linear model of the own graph, 0 where absent."""
    names = population.graph.names
    shifts = np.zeros(population.n_people)
    for person, graph in enumerate(population.members):
        own: tuple[dict[str, float], dict[str, float]] = {}, {}
        for amounts, values in zip(own, (plan.do, plan.shift), strict=True):
            for at, value in values.items():
                found = population.label(person, names[at])
                if found is not None:
                    amounts[found[0]] = found[1] * value.mean
        _, turned = population.place(person, graph.stance)
        shifts[person] = turned * _linear_shift(graph, *own)
    return shifts


def _linear_shift(graph: BeliefGraph, do: Mapping[str, float], shift: Mapping[str, float]) -> float:
    """Return the expected shift of a graph's stance in the linear model."""
    change = dict.fromkeys(graph.names, 0.0) | dict(shift)
    change |= {name: value - graph.concept(name).baseline for name, value in do.items()}
    outgoing: dict[str, list[tuple[str, float]]] = {name: [] for name in graph.names}
    for edge in graph.influences:
        if edge.target not in do:
            outgoing[edge.source].append((edge.target, edge.weight * edge.confidence))
    for name in graph.topological_order:
        for target, strength in outgoing[name]:
            change[target] += strength * change[name]
    return change[graph.stance]


def _columns(population: PopulationGraph) -> dict[tuple[str, str], tuple[Any, Floats]]:
    """Return, for every pooled influence, who holds it and their confidence x weight."""
    held = population.holdings
    starts = np.searchsorted(held.influence, np.arange(len(held.pairs) + 1)).tolist()
    strength = held.confidence * held.weight
    return {
        pair: (held.person[first:last], strength[first:last])
        for pair, first, last in zip(held.pairs, starts, starts[1:], strict=False)
    }


def _levels(population: PopulationGraph, concept: str, *, pooled: bool) -> Floats:
    """Return everyone's present level of a concept; the pooled one, or the own where it is held."""
    base = population.graph.concept(concept).baseline
    levels = np.full(population.n_people, base)
    if not pooled:
        for person, graph in enumerate(population.members):
            found = population.label(person, concept)
            if found is not None:
                levels[person] = found[1] * graph.concept(found[0]).baseline
    return levels


def _shifts_on_pooled_edges(
    population: PopulationGraph,
    plan: Plan,
    columns: Mapping[tuple[str, str], tuple[Any, Floats]],
    *,
    pooled_levels: bool,
) -> Floats:
    """Return everyone's linear shift over the influences of the pooled graph that they hold."""
    graph = population.graph
    names = graph.names
    change: dict[str, Floats] = {}
    for at, value in plan.do.items():
        levels = _levels(population, names[at], pooled=pooled_levels)
        change[names[at]] = value.mean - levels
    for at, value in plan.shift.items():
        change[names[at]] = np.full(population.n_people, value.mean)
    cut = {names[at] for at in plan.do}
    out: dict[str, list[str]] = {name: [] for name in names}
    for edge in graph.influences:
        if edge.target not in cut:
            out[edge.source].append(edge.target)
    for name in graph.topological_order:
        if name in change:
            for target in out[name]:
                people, strength = columns[name, target]
                felt = change.setdefault(target, np.zeros(population.n_people))
                felt[people] += strength * change[name][people]
    return change.get(graph.stance, np.zeros(population.n_people))


def _difference(
    population: PopulationGraph,
    plan: Plan,
    columns: Mapping[tuple[str, str], tuple[Any, Floats]],
    pooled: Result,
    mean_of_all: float,
) -> Difference:
    with_pooled = _shifts_on_pooled_edges(population, plan, columns, pooled_levels=True)
    with_own = _shifts_on_pooled_edges(population, plan, columns, pooled_levels=False)
    names = population.graph.names
    exact = _linear_shift(
        population.graph,
        {names[at]: value.mean for at, value in plan.do.items()},
        {names[at]: value.mean for at, value in plan.shift.items()},
    )
    total = pooled.stance.shift - mean_of_all
    mixing = exact - float(with_pooled.mean())
    levels = float(with_pooled.mean() - with_own.mean())
    loops = float(with_own.mean() - _own_linear_shifts(population, plan).mean())
    return Difference(total, mixing, levels, loops, total - mixing - levels - loops)


def _chains(
    population: PopulationGraph,
    plan: Plan,
    columns: Mapping[tuple[str, str], tuple[Any, Floats]],
    pooled: Result,
    n_chains: int,
) -> tuple[Chain, ...]:
    if n_chains < 1:
        return ()
    names = population.graph.names
    found = []
    for path in pooled.explain(n_chains).paths:
        start = path.concepts[0]
        at = names.index(start)
        if at in plan.do:
            product = plan.do[at].mean - _levels(population, start, pooled=False)
            in_pooled = plan.do[at].mean - population.graph.concept(start).baseline
        else:
            product = np.full(population.n_people, plan.shift[at].mean)
            in_pooled = plan.shift[at].mean
        held_whole = np.ones(population.n_people, dtype=bool)
        for pair in zip(path.concepts, path.concepts[1:], strict=False):
            people, strength = columns[pair]
            link = np.zeros(population.n_people)
            link[people] = strength
            product = product * link
            in_pooled *= float(strength.sum()) / population.n_people
            holds = np.zeros(population.n_people, dtype=bool)
            holds[people] = True
            held_whole &= holds
        found.append(Chain(path.concepts, in_pooled, float(product.mean()), int(held_whole.sum())))
    return tuple(found)


def _notes(members: tuple[MemberShift, ...], plan: Plan) -> tuple[str, ...]:
    partly = sum(bool(m.missing) and not m.reason for m in members)
    if len(plan.touched) < 2 or not partly:
        return ()
    return (f"{partly} people hold some of the concepts only; the rest was not done to them.",)
