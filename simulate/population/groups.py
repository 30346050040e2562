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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import asin, comb, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import GraphError, suggestions
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.population.graph import PopulationGraph, as_population, frame_of
from beliefgraph.simulate.population.permutation import (
    Compared,
    Kind,
    deal_labels,
    make_tests,
    permute,
)
from beliefgraph.simulate.population.statistics import newcombe_interval

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GroupComparison", "GroupDifference", "compare_groups"]

Floats = NDArray[np.float64]


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
    """Compared that were made and corrected for."""

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
    tests = make_tests(population, order, min_people)
    observed, tested = _observed(tests, in_a, chosen, level)
    exact = comb(len(in_a), int(in_a.sum())) <= n_permutations
    p_values = np.full(len(tests.kinds), nan)
    corrected = np.full(len(tests.kinds), nan)
    count = 0
    if tested.any():
        deals = deal_labels(in_a, n_permutations, seed, exact)
        p_values[tested], corrected[tested], count = permute(tests, in_a, tested, deals, exact)
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


def _observed(
    tests: Compared, in_a: NDArray[np.bool_], groups: tuple[str, str], level: float
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
