r"""Two groups of people compared: who holds what, how strongly, and what moves their stance.

Three kinds of tests, each where both groups can differ:

* **prevalence** of every influence: the share of the group that holds it. Statistic: the difference
  over its standard error under no difference. Effect size: Cohen's h, :math:`2 \arcsin \sqrt{p_a} -
  2 \arcsin \sqrt{p_b}` (Cohen 1988). Interval: Newcombe's hybrid score.
* **weight** of every influence among those who hold it, where a sign that differs shows.
* **effect** on the stance of every concept among those who have it: the total effect of one unit in
  the person's own linear model. For both, the statistic is the difference of means over :math:`s
  \sqrt{1/n_a + 1/n_b}` with s the standard deviation of all who hold it, the effect size Hedges' g
  (1981), the interval Welch's (1947).

**Permutation.** The labels of the groups are dealt out anew among all people, so that nothing is
assumed of the distributions, and every statistic is worked out again. All ways of dealing are gone
through where they are no more than `n_permutations` (p is then exact, and its smallest value 1 over
their number); else as many are drawn, and :math:`p = (1 + \#\{|t^*| \ge |t|\}) / (B + 1)` (Phipson
and Smyth 2010).

**Many tests.** `p_corrected` holds the chance of any false finding, over all tests of one call, at
its level: the step-down maximum statistic of Westfall and Young (1993, algorithm 4.1), which
knows that influences go together in people.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import asin, comb, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import GraphError, suggestions
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.population_graph import PopulationGraph, as_population, frame_of
from beliefgraph.simulate.population_statistics import newcombe_interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GroupComparison", "GroupDifference", "compare_groups", "total_effects_of"]

Floats = NDArray[np.float64]
Kind = Literal["prevalence", "weight", "effect"]
_CHUNK: Final = 500
"""Permutations worked out at once: bounds the memory."""
_ROUNDING: Final = 1e-9
"""Statistics that differ by less are equal, so that a tie never depends on the order of a sum."""


@dataclass(frozen=True)
class GroupDifference:
    """One test: group a less group b."""

    kind: Kind
    """What is compared: prevalence or weight of an influence, effect of a concept on the stance."""
    source: str
    """Source of the influence, or the concept."""
    target: str
    """Target of the influence, or the stance."""
    a: float
    """Share or mean in group a."""
    b: float
    """Share or mean in group b."""
    n_a: int
    """People in group a behind it: all for a prevalence, else those who hold it."""
    n_b: int
    """The same for group b."""
    difference: float
    """`a` less `b`."""
    low: float
    """Lower end of its interval."""
    high: float
    """Upper end."""
    effect_size: float
    """Cohen's h for a prevalence, Hedges' g otherwise."""
    p_value: float
    """By permutation, of this test alone; NaN where it was not made."""
    p_corrected: float
    """Corrected for all tests of the call."""
    reason: str = ""
    """Why the test was not made, where it was not."""


@dataclass(frozen=True)
class GroupComparison:
    """Two groups of one population."""

    a: str
    b: str
    n_a: int
    n_b: int
    differences: tuple[GroupDifference, ...]
    """Every test, the smallest corrected p first; those not made last."""
    n_permutations: int
    """Ways of dealing out the labels that were gone through."""
    exact: bool
    """Whether those are all there are."""
    n_tested: int
    """Tests that were made and corrected for."""

    @property
    def p_any(self) -> float:
        """P-value of "the groups do not differ in anything tested"; NaN where nothing was."""
        return min((d.p_corrected for d in self.differences if not d.reason), default=nan)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test: the fields of `GroupDifference`.

        Raises
        ------
        MissingPackageError
            pandas is not installed.
        """
        return frame_of(self.differences, GroupDifference, "GroupComparison.to_frame()")

    def __repr__(self) -> str:
        return (
            f"<GroupComparison {self.a!r} ({self.n_a}) and {self.b!r} ({self.n_b}): "
            f"{self.n_tested} tests, p of any difference {self.p_any:.3g}>"
        )


def compare_groups(
    population: PopulationGraph | Iterable[BeliefGraph],
    groups: Mapping[str, str] | Sequence[str],
    *,
    pair: tuple[str, str] | None = None,
    n_permutations: int = 9_999,
    min_people: int = 5,
    level: float = 0.95,
    seed: int = 0,
) -> GroupComparison:
    """Compare the beliefs of two groups of people.

    Parameters
    ----------
    population
        From `population_graph`, or graphs, pooled with its default settings.
    groups
        Group of every person: by pseudonym, or in the order of the population.
    pair
        The two groups to compare (a, b), where there are more; the people of others are left out.
        In order of name by default.
    n_permutations
        How often labels are dealt out anew at most.
    min_people
        An influence or concept that fewer people of the two groups hold is not tested; fewer tests
        leave more power for the others. The rule does not look at the groups.
    level
        Of the intervals, each by itself.
    seed
        Whole number.

    Returns
    -------
    GroupComparison

    Raises
    ------
    GraphError
        A person has no group, the groups are not two, or a number is out of range.

    Examples
    --------
    >>> def person(name, weight):
    ...     return BeliefGraph.from_edges([("rents", "s", weight)], stance="s", participant=name)
    >>> people = [person(f"p{i}", 0.5 if i < 4 else -0.5) for i in range(8)]
    >>> found = compare_groups(people, ["tenant"] * 4 + ["owner"] * 4, pair=("tenant", "owner"))
    >>> d = found.differences[0]
    >>> d.kind, d.difference, round(d.p_value, 4) == round(2 / 70, 4), found.exact
    ('effect', 1.0, True, True)
    """
    population = as_population(population)
    chosen, labels = _labels(population, groups, pair)
    _check_numbers(n_permutations, min_people, level, seed)
    # by pseudonym, so that the draws do not depend on the order in which people came
    order = np.array(
        sorted(
            (i for i in range(population.n_people) if labels[i] in chosen),
            key=lambda i: population.participants[i],
        )
    )
    in_a = np.array([labels[i] == chosen[0] for i in order])
    tests = _tests(population, order, min_people)
    observed, tested = _observed(tests, in_a, chosen, level)
    exact = comb(len(in_a), int(in_a.sum())) <= n_permutations
    p_values = np.full(len(tests.kinds), nan)
    corrected = np.full(len(tests.kinds), nan)
    count = 0
    if tested.any():
        deals = _deals(in_a, n_permutations, seed, exact)
        p_values[tested], corrected[tested], count = _permute(tests, in_a, tested, deals, exact)
    found = [
        GroupDifference(**fields, p_value=float(p), p_corrected=float(c))
        for fields, p, c in zip(observed, p_values, corrected, strict=True)
    ]
    found.sort(
        key=lambda d: (
            bool(d.reason), 0.0 if d.reason else d.p_corrected, 0.0 if d.reason else d.p_value,
            0.0 if isnan(d.effect_size) else -abs(d.effect_size), d.kind, d.source, d.target,
        )
    )  # fmt: skip
    return GroupComparison(
        a=chosen[0],
        b=chosen[1],
        n_a=int(in_a.sum()),
        n_b=int((~in_a).sum()),
        differences=tuple(found),
        n_permutations=count,
        exact=exact,
        n_tested=int(tested.sum()),
    )


def _labels(
    population: PopulationGraph,
    groups: Mapping[str, str] | Sequence[str],
    pair: tuple[str, str] | None,
) -> tuple[tuple[str, str], list[str]]:
    if isinstance(groups, Mapping):
        lacking = [who for who in population.participants if who not in groups]
        if lacking:
            raise GraphError(
                f"groups: {len(lacking)} people have none, {lacking[0]!r} among them. "
                f"{suggestions(lacking[0], groups)}"
            )
        labels = [groups[who] for who in population.participants]
    else:
        labels = list(groups)
        if isinstance(groups, str) or len(labels) != population.n_people:
            raise GraphError(
                f"groups: give one a person ({population.n_people}), got {len(labels)}"
            )
    known = sorted(set(labels))
    if pair is None:
        if len(known) != 2:
            raise GraphError(
                f"groups: two can be compared, got {len(known)} ({known[:6]}); name two by pair="
            )
        pair = (known[0], known[1])
    if len(pair) != 2 or pair[0] == pair[1] or not set(pair) <= set(known):
        raise GraphError(f"pair: give two of the groups {known}, got {pair!r}")
    return (pair[0], pair[1]), labels


def _check_numbers(n_permutations: int, min_people: int, level: float, seed: int) -> None:
    for name, number, least in (
        ("n_permutations", n_permutations, 1),
        ("min_people", min_people, 1),
        ("seed", seed, 0),
    ):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise GraphError(f"{name}: give a whole number >= {least}, got {number!r}")
    if not 0 < level < 1:
        raise GraphError(f"level: must lie between 0 and 1, got {level!r}")


@dataclass(frozen=True, eq=False)
class _Tests:
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


def _tests(population: PopulationGraph, order: NDArray[np.int64], min_people: int) -> _Tests:
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
    return _Tests(
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


def _observed(
    tests: _Tests, in_a: NDArray[np.bool_], groups: tuple[str, str], level: float
) -> tuple[list[dict[str, Any]], NDArray[np.bool_]]:
    """Describe every test as it stands, and say which are made."""
    found = []
    tested = np.zeros(len(tests.kinds), dtype=bool)
    n_a, n_b = int(in_a.sum()), int((~in_a).sum())
    for at, (kind, source, target) in enumerate(tests.kinds):
        row = slice(tests.values.indptr[at], tests.values.indptr[at + 1])
        people, values = tests.values.indices[row], tests.values.data[row]
        a, b = values[in_a[people]], values[~in_a[people]]
        reason = ""
        if not tests.enough[at]:
            reason = f"held by {tests.n[at]} people, fewer than min_people"
        elif kind != "prevalence" and min(len(a), len(b)) < 2:
            few = groups[0] if len(a) < 2 else groups[1]
            reason = f"fewer than two people of group {few!r} hold it"
        tested[at] = not reason
        if kind == "prevalence":
            figures = _compare_shares(len(a), n_a, len(b), n_b, level)
        else:
            figures = _compare_means(a, b, level)
        found.append(
            {"kind": kind, "source": source, "target": target, "reason": reason, **figures}
        )
    return found, tested


def _compare_shares(held_a: int, n_a: int, held_b: int, n_b: int, level: float) -> dict[str, Any]:
    a, b = held_a / n_a, held_b / n_b
    low, high = newcombe_interval(held_a, n_a, held_b, n_b, level)
    size = 2 * asin(sqrt(a)) - 2 * asin(sqrt(b))
    return {"a": a, "b": b, "n_a": n_a, "n_b": n_b, "difference": a - b, "low": low,
            "high": high, "effect_size": size}  # fmt: skip


def _compare_means(a: Floats, b: Floats, level: float) -> dict[str, Any]:
    """Welch's interval and Hedges' g; NaN where a group has too few people for them."""
    from scipy import stats

    n_a, n_b = len(a), len(b)
    mean_a, mean_b = (float(x.mean()) if len(x) else nan for x in (a, b))
    found: dict[str, Any] = {"a": mean_a, "b": mean_b, "n_a": n_a, "n_b": n_b}
    found["difference"] = mean_a - mean_b
    found |= {"low": nan, "high": nan, "effect_size": nan}
    if min(n_a, n_b) < 2:
        return found
    var_a, var_b = float(a.var(ddof=1)), float(b.var(ddof=1))
    error_a, error_b = var_a / n_a, var_b / n_b
    error = error_a + error_b
    half = 0.0
    if error > 0:
        freedom = error**2 / (error_a**2 / (n_a - 1) + error_b**2 / (n_b - 1))
        half = float(stats.t.ppf((1 + level) / 2, freedom)) * sqrt(error)
    found |= {"low": found["difference"] - half, "high": found["difference"] + half}
    pooled = sqrt(((n_a - 1) * var_a + (n_b - 1) * var_b) / (n_a + n_b - 2))
    if pooled > 0:
        unbiased = 1 - 3 / (4 * (n_a + n_b) - 9)
        found["effect_size"] = unbiased * found["difference"] / pooled
    return found


def _deals(
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


def _statistics(tests: _Tests, chosen: NDArray[np.bool_], dealt: Floats) -> Floats:
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


def _permute(
    tests: _Tests,
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
