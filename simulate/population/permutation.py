"""What is compared between groups of people, and how labels are dealt out anew to test it.

Which tests there are, and why, stands in `beliefgraph.simulate.population.groups`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from beliefgraph.simulate.population.graph import PopulationGraph

__all__ = ["Compared", "Kind", "deal_labels", "make_tests", "permute", "total_effects_of"]

Floats = NDArray[np.float64]
Kind = Literal["prevalence", "weight", "effect"]
_CHUNK: Final = 500
"""Permutations worked out at once: bounds the memory."""
_ROUNDING: Final = 1e-9
"""Statistics that differ by less are equal, so that a tie never depends on the order of a sum."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Every test with what each person brings to it."""

    kinds: list[tuple[Kind, str, str]]
    values: Any
    """(tests, people) sparse: 1 or the value of those who hold it."""
    holds: Any
    """(tests, people) sparse: 1 for those who hold it; what a mean is taken over."""
    n: NDArray[np.int64]
    """(tests,) how many people hold it."""
    sd: Floats
    """(tests,) standard deviation of the values over those a mean is taken over."""
    share: NDArray[np.bool_]
    """(tests,) whether the mean is a share, taken over everyone."""
    enough: NDArray[np.bool_]
    """(tests,) whether enough people hold it."""


def make_tests(population: PopulationGraph, order: NDArray[np.int64], min_people: int) -> Compared:
    """Collect every test over the people in `order`."""
    from scipy import sparse

    place = {int(person): at for at, person in enumerate(order)}
    held = population.holdings
    columns: list[tuple[tuple[Kind, str, str], list[int], list[float]]] = []
    for (source, target), people, weights in zip(
        held.pairs, *_by_influence(population), strict=True
    ):
        mine = [(place[int(i)], float(w)) for i, w in zip(people, weights, strict=True)
                if int(i) in place]  # fmt: skip
        who, values = [i for i, _ in mine], [w for _, w in mine]
        columns.append((("prevalence", source, target), who, [1.0] * len(who)))
        columns.append((("weight", source, target), who, values))
    effects = total_effects_of(population)
    for concept in (c.name for c in population.concepts if c.name != population.stance):
        who = [place[i] for i in sorted(effects[concept]) if i in place]
        values = [effects[concept][int(order[at])] for at in who]
        columns.append((("effect", concept, population.stance), who, values))
    columns = [column for column in columns if column[1]]
    n_tests, n_people = len(columns), len(order)
    row = np.repeat(np.arange(n_tests), [len(who) for _, who, _ in columns])
    col = np.array([i for _, who, _ in columns for i in who], dtype=np.int64)
    data = np.array([v for _, _, values in columns for v in values], dtype=float)
    shape = (n_tests, n_people)
    n = np.array([len(who) for _, who, _ in columns], dtype=np.int64)
    share = np.array([kind[0] == "prevalence" for kind, _, _ in columns], dtype=bool)
    parts = n / n_people
    # values that are all the same have an sd of 0, not one that rounding made
    spread = np.array([np.std(v) if np.ptp(v) > 1e-12 else 0.0 for _, _, v in columns])
    return Compared(
        kinds=[kind for kind, _, _ in columns],
        values=sparse.csr_matrix((data, (row, col)), shape=shape),
        holds=sparse.csr_matrix((np.ones(len(data)), (row, col)), shape=shape),
        n=n,
        sd=np.where(share, np.sqrt(parts * (1 - parts)), spread),
        share=share,
        enough=n >= min_people,
    )


def _by_influence(population: PopulationGraph) -> tuple[list[Any], list[Any]]:
    held = population.holdings
    cuts = np.searchsorted(held.influence, np.arange(1, len(held.pairs)))
    return np.split(held.person, cuts), np.split(held.weight, cuts)


def total_effects_of(population: PopulationGraph) -> dict[str, dict[int, float]]:
    """Return, by concept and person, the total effect on the stance in the person's linear model.

    Only those who have the concept are there; the effect is 0 where no path leads to the stance.
    """
    found: dict[str, dict[int, float]] = {concept.name: {} for concept in population.concepts}
    for person, graph in enumerate(population.members):
        effect = dict.fromkeys(graph.names, 0.0)
        effect[graph.stance] = 1.0
        out: dict[str, list[tuple[str, float]]] = {name: [] for name in graph.names}
        for edge in graph.influences:
            out[edge.source].append((edge.target, edge.weight * edge.confidence))
        for name in reversed(graph.topological_order):
            if name != graph.stance:
                effect[name] = sum(m * effect[target] for target, m in out[name])
        _, stance_turned = population.place(person, graph.stance)
        for name, value in effect.items():
            concept, turned = population.place(person, name)
            found[concept][person] = turned * stance_turned * value + 0.0
    return found


def deal_labels(
    in_a: NDArray[np.bool_], n_permutations: int, seed: int, exact: bool
) -> Iterator[Floats]:
    """Yield blocks of dealings, (people, block) with 1 for group a."""
    n, n_a = len(in_a), int(in_a.sum())
    if exact:
        every = combinations(range(n), n_a)
        while block := [chosen for chosen, _ in zip(every, range(_CHUNK), strict=False)]:
            dealt = np.zeros((n, len(block)))
            for column, chosen in enumerate(block):
                dealt[list(chosen), column] = 1
            yield dealt
        return
    rng = np.random.default_rng(seed)
    for first in range(0, n_permutations, _CHUNK):
        size = min(_CHUNK, n_permutations - first)
        yield rng.permuted(np.tile(in_a.astype(float)[:, None], size), axis=0)


def _statistics(tests: Compared, chosen: NDArray[np.bool_], dealt: Floats) -> Floats:
    """Return |t| of the chosen tests for every dealing, (tests, dealings)."""
    values, holds = tests.values[chosen], tests.holds[chosen]
    n, sd, share = tests.n[chosen][:, None], tests.sd[chosen][:, None], tests.share[chosen]
    total = np.asarray(values.sum(axis=1)).reshape(-1, 1)
    in_a, sum_a = holds @ dealt, values @ dealt
    size_a = dealt.sum(axis=0)
    n_a = np.where(share[:, None], size_a, in_a)
    n_b = np.where(share[:, None], len(dealt) - size_a, n - in_a)
    with np.errstate(divide="ignore", invalid="ignore"):
        gap = sum_a / n_a - (total - sum_a) / n_b
        statistic = np.abs(gap) / (sd * np.sqrt(1 / n_a + 1 / n_b))
    # a group without anyone, or all people alike: nothing to see, under any labels
    return np.where((n_a > 0) & (n_b > 0) & (sd > 0), statistic, 0.0)


def permute(
    tests: Compared,
    in_a: NDArray[np.bool_],
    chosen: NDArray[np.bool_],
    deals: Iterator[Floats],
    exact: bool,
) -> tuple[Floats, Floats, int]:
    """Return the p-value of each test, its corrected one, and the number of dealings."""
    observed = _statistics(tests, chosen, in_a.astype(float)[:, None])[:, 0]
    rank = np.argsort(-observed, kind="stable")
    alone, stepped = np.zeros(len(observed)), np.zeros(len(observed))
    count = 0
    for dealt in deals:
        drawn = _statistics(tests, chosen, dealt)
        alone += (drawn >= observed[:, None] - _ROUNDING).sum(axis=1)
        # largest of each test and all those with a smaller observed statistic
        largest = np.maximum.accumulate(drawn[rank][::-1], axis=0)[::-1]
        stepped += (largest >= observed[rank][:, None] - _ROUNDING).sum(axis=1)
        count += dealt.shape[1]
    extra = 0 if exact else 1
    p_values = (alone + extra) / (count + extra)
    corrected = np.empty(len(observed))
    corrected[rank] = np.maximum.accumulate((stepped + extra) / (count + extra))
    return p_values, corrected, count
