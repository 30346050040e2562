r"""Clusters of belief systems: which people hold influences alike, and whether there are any.

**Distance.** See `beliefgraph.simulate.population.distances`.

**Clusters.** Ward's (1963) hierarchical method, by `scipy.cluster.hierarchy`; the number k with the
largest mean silhouette (Rousseeuw 1987).

**Is there more than one?** The largest silhouette is compared with that of populations without
clusters: everything that a person says of one cause (all influences out of one concept) is kept
together, and these pieces are dealt out among people anew, for each cause by itself. What each
cause is believed to do stays as common, and as divided, as it is; only what goes together in a
person is lost. Where the silhouette is not above the null's (p > `alpha`), the answer is one
cluster. People who are divided on one cause alone are so not two belief systems: their division is
in the agreement of that influence.

**Stability.** People are drawn with replacement and clustered again; the adjusted Rand index
(Hubert and Arabie 1985) says how alike the clusters are on those drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import GraphError, MissingPackageError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.population.distances import (
    Entries,
    cut_tree,
    null_silhouette,
    silhouette,
)
from beliefgraph.simulate.population.graph import PopulationGraph, as_population
from beliefgraph.simulate.population.statistics import adjusted_rand_index

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Clusters", "TellingInfluence", "cluster_people"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
NOT_CLUSTERED: Final = -1


@dataclass(frozen=True)
class TellingInfluence:
    """One influence that tells a cluster from the other people.

    There is no p-value: the clusters were chosen for such differences.
    """

    cluster: int
    source: str
    target: str
    inside: float
    """Mean confidence x weight in the cluster, 0 for those who do not hold it."""
    outside: float
    """The same among the others."""
    prevalence_inside: float
    """Share of the cluster that holds it."""
    prevalence_outside: float
    """The same among the others."""
    difference: float
    """`inside` less `outside`, in standard deviations over all people clustered."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """People by belief system."""

    participants: tuple[str, ...]
    """Everyone, in the order of the population."""
    labels: Ints
    """(people,) number of the cluster, 0 the largest; -1 for those who hold no influence of any
    strength and belong nowhere."""
    k: int
    """Number of clusters; 1 is an answer."""
    silhouettes: Mapping[int, float]
    """Mean silhouette of every number of clusters tried; NaN where ties allow no such number."""
    p_value: float
    """Of "there is one cluster", by the silhouette; NaN where it was not tested."""
    null: Floats = field(repr=False)
    """Silhouettes of populations without clusters."""
    stability: float
    """Mean adjusted Rand index over bootstrap samples; NaN for one cluster."""
    stability_interval: tuple[float, float]
    """5% and 95% of them."""
    medoids: tuple[str, ...]
    """The person nearest to all others of each cluster."""
    telling: tuple[TellingInfluence, ...] = field(repr=False)
    """What tells each cluster from the rest, by cluster, the largest difference first."""
    notes: tuple[str, ...] = ()
    """What a reader of the clusters should know."""

    def to_frame(self) -> pd.DataFrame:
        """Return one row a person: participant and cluster.

        Raises
        ------
        MissingPackageError
            pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise MissingPackageError(
                "pandas", "Clusters.to_frame()", 'pip install "beliefgraph[frames]"'
            ) from None
        return pd.DataFrame({"participant": self.participants, "cluster": self.labels})

    def __repr__(self) -> str:
        sizes = [int((self.labels == cluster).sum()) for cluster in range(self.k)]
        return f"<Clusters: {self.k} of sizes {sizes}, p of one cluster {self.p_value:.3g}>"


def cluster_people(
    population: PopulationGraph | Iterable[BeliefGraph],
    k: int | None = None,
    *,
    k_max: int = 6,
    alpha: float = 0.05,
    n_permutations: int = 99,
    n_bootstrap: int = 50,
    n_telling: int = 5,
    seed: int = 0,
) -> Clusters:
    """Find people whose belief systems are alike.

    Parameters
    ----------
    population
        From `population_graph`, or graphs, pooled with its default settings.
    k
        Number of clusters; by default the best of 1 to `k_max`.
    k_max
        Largest number tried.
    alpha
        Where the test against one cluster has a larger p, the answer is one. With `k` given, p is
        reported and k is kept.
    n_permutations
        Populations without clusters to compare with; 0 tests nothing.
    n_bootstrap
        Samples of people for the stability; 0 leaves it out.
    n_telling
        Influences to name for each cluster.
    seed
        Whole number.

    Returns
    -------
    Clusters

    Raises
    ------
    GraphError
        Too few people for k, or a number is out of range.

    Notes
    -----
    Distances take memory and time by the square of the number of people: 8 MB for 1,000.
    """
    _check_numbers(k, k_max, alpha, n_permutations, n_bootstrap, n_telling, seed)
    population = as_population(population)
    # by pseudonym, so that ties and draws do not depend on the order in which people came
    order = np.array(
        sorted(range(population.n_people), key=lambda i: population.participants[i]), dtype=np.int64
    )
    entries = Entries.of(population, order)
    rows = np.flatnonzero(entries.lengths() > 0)
    if len(rows) < max(k or 1, 1):
        raise GraphError(f"k: {len(rows)} people can be clustered, got k = {k}")
    tried = [k] if k is not None else list(range(2, min(k_max, len(rows) - 1) + 1))
    tried = [number for number in tried if number > 1]
    distances = entries.distances(rows)
    by_number = cut_tree(distances, tried)
    silhouettes = {n: silhouette(distances, by_number.get(n)) for n in tried}
    best = max((n for n in by_number), key=lambda n: (silhouettes[n], -n), default=1)
    if k is not None and k not in by_number:
        best = 1
    rng = np.random.default_rng(seed)
    null = np.array(
        [null_silhouette(entries, tried, rng) for _ in range(n_permutations if by_number else 0)]
    )
    p_value = nan
    if len(null):
        p_value = float((1 + (null >= silhouettes[best] - 1e-12).sum()) / (1 + len(null)))
    chosen = best
    if k is None and not p_value <= alpha and n_permutations:
        chosen = 1
    own = _by_size(by_number[chosen]) if chosen > 1 else np.zeros(len(rows), dtype=np.int64)
    labels = np.full(population.n_people, NOT_CLUSTERED)
    labels[order[rows]] = own
    stability, interval = _stability(distances, own, chosen, n_bootstrap, rng)
    return Clusters(
        participants=population.participants,
        labels=labels,
        k=chosen,
        silhouettes=silhouettes,
        p_value=p_value,
        null=null,
        stability=stability,
        stability_interval=interval,
        medoids=tuple(
            population.participants[order[rows[_medoid(distances, own == cluster)]]]
            for cluster in range(chosen)
        ),
        telling=_telling(entries, population.holdings.pairs, rows, own, chosen, n_telling),
        notes=_notes(len(order) - len(rows), k, chosen),
    )


def _check_numbers(
    k: int | None, k_max: int, alpha: float, n_permutations: int, n_bootstrap: int,
    n_telling: int, seed: int,
) -> None:  # fmt: skip
    for name, number, least in (
        ("k", 1 if k is None else k, 1),
        ("k_max", k_max, 2),
        ("n_permutations", n_permutations, 0),
        ("n_bootstrap", n_bootstrap, 0),
        ("n_telling", n_telling, 0),
        ("seed", seed, 0),
    ):
        if isinstance(number, bool) or not isinstance(number, int) or number < least:
            raise GraphError(f"{name}: give a whole number >= {least}, got {number!r}")
    if not 0 < alpha < 1:
        raise GraphError(f"alpha: must lie between 0 and 1, got {alpha!r}")


def _notes(left_out: int, k: int | None, chosen: int) -> tuple[str, ...]:
    notes = []
    if left_out:
        notes.append(f"{left_out} people hold no influence of any strength and are in no cluster.")
    if k is not None and chosen != k:
        notes.append(f"people hold too few different belief systems for {k} clusters.")
    return tuple(notes)


def _by_size(labels: Ints) -> Ints:
    """Number clusters from the largest on; of equal ones, that of the first person."""
    sizes = np.bincount(labels)
    first = [int(np.flatnonzero(labels == cluster)[0]) for cluster in range(len(sizes))]
    order = sorted(range(len(sizes)), key=lambda cluster: (-sizes[cluster], first[cluster]))
    number = np.empty(len(sizes), dtype=np.int64)
    number[order] = np.arange(len(sizes))
    return np.asarray(number[labels])


def _medoid(distances: Floats, inside: NDArray[np.bool_]) -> int:
    at = np.flatnonzero(inside)
    return int(at[distances[np.ix_(at, at)].sum(axis=1).argmin()])


def _stability(
    distances: Floats, labels: Ints, k: int, n_bootstrap: int, rng: np.random.Generator
) -> tuple[float, tuple[float, float]]:
    found = []
    for _ in range(n_bootstrap if k > 1 else 0):
        drawn = np.unique(rng.integers(len(labels), size=len(labels)))
        again = cut_tree(distances[np.ix_(drawn, drawn)], [k]).get(k)
        if again is not None:
            found.append(adjusted_rand_index(labels[drawn], again))
    if not found:
        return nan, (nan, nan)
    low, high = np.quantile(found, [0.05, 0.95])
    return float(np.mean(found)), (float(low), float(high))


def _telling(
    entries: Entries, pairs: tuple[tuple[str, str], ...], rows: Ints, labels: Ints, k: int, n: int
) -> tuple[TellingInfluence, ...]:
    if k < 2:
        return ()
    strengths = entries.matrix()[rows]
    holds = Entries(
        entries.person, entries.influence, np.ones(len(entries.person)), entries.cause,
        entries.shape,
    ).matrix()[rows]  # fmt: skip
    mean = np.asarray(strengths.mean(axis=0)).ravel()
    square = np.asarray(strengths.multiply(strengths).mean(axis=0)).ravel()
    sd = np.sqrt(np.maximum(square - mean**2, 0))
    found = []
    for cluster in range(k):
        inside = labels == cluster
        means, shares = (
            [np.asarray(m[part].mean(axis=0)).ravel() for part in (inside, ~inside)]
            for m in (strengths, holds)
        )
        gap = np.divide(means[0] - means[1], sd, out=np.zeros(len(sd)), where=sd > 1e-12)
        best = sorted(range(len(pairs)), key=lambda at: (-round(abs(gap[at]), 9), pairs[at]))[:n]
        found += [
            TellingInfluence(
                cluster=cluster,
                source=pairs[at][0],
                target=pairs[at][1],
                inside=float(means[0][at]),
                outside=float(means[1][at]),
                prevalence_inside=float(shares[0][at]),
                prevalence_outside=float(shares[1][at]),
                difference=float(gap[at]),
            )
            for at in best
            if gap[at]
        ]
    return tuple(found)
