r"""How far people's belief systems are apart, and how well groups of them are set off.

**Distance.** A person is the vector of confidence x weight over all influences of the population,
0 where the person does not hold one. With x and y scaled to length 1, the distance is half the
chord between them, :math:`d = \|x - y\| / 2 = \sqrt{(1 - \cos(x, y)) / 2}`: 0 for the same beliefs,
0.71 for nothing in common, 1 for the same influences with every sign turned. How much someone says
and how strongly, over all, does not count. It is Euclidean, so Ward's method may be used.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.population.graph import PopulationGraph, as_population

__all__ = ["Entries", "belief_distances", "cut_tree", "null_silhouette", "silhouette"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def belief_distances(population: PopulationGraph | Iterable[BeliefGraph]) -> Floats:
    """Return the distances between people's graphs, shape (people, people).

    Rows and columns of people who hold no influence of any strength are NaN.

    Examples
    --------
    >>> a, b, c = (
    ...     BeliefGraph.from_edges([("rents", "s", w)], stance="s") for w in (0.5, 0.2, -0.3)
    ... )
    >>> belief_distances([a, b, c]).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    population = as_population(population)
    entries = Entries.of(population, np.arange(population.n_people))
    found = np.full((population.n_people, population.n_people), nan)
    rows = np.flatnonzero(entries.lengths() > 0)
    found[np.ix_(rows, rows)] = entries.distances(rows)
    return found


@dataclass(frozen=True, eq=False)
class Entries:
    """Everyone's confidence x weight, one entry for each influence held."""

    person: Ints
    """(N,) place of the person."""
    influence: Ints
    """(N,) number of the influence."""
    strength: Floats
    """(N,) confidence x weight."""
    cause: Ints
    """(N,) number of the influence's source."""
    shape: tuple[int, int]
    """People and influences."""

    @classmethod
    def of(cls, population: PopulationGraph, order: Ints) -> Entries:
        """Collect the entries of a population, people in the order given."""
        held = population.holdings
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        sources = sorted({source for source, _ in held.pairs})
        causes = np.array([sources.index(source) for source, _ in held.pairs], dtype=np.int64)
        return cls(
            person=place[held.person],
            influence=held.influence,
            strength=held.confidence * held.weight,
            cause=causes[held.influence],
            shape=(population.n_people, len(held.pairs)),
        )

    def matrix(self) -> Any:
        """Return (people, influences), sparse."""
        from scipy import sparse

        return sparse.csr_matrix((self.strength, (self.person, self.influence)), shape=self.shape)

    def lengths(self) -> Floats:
        """Return the length of every person's vector."""
        return np.sqrt(np.bincount(self.person, self.strength**2, self.shape[0]))

    def distances(self, rows: Ints) -> Floats:
        """Return the distances among some people, (rows, rows)."""
        unit = self.matrix()[rows].multiply(1 / self.lengths()[rows][:, None]).tocsr()
        cosines = np.clip((unit @ unit.T).toarray(), -1.0, 1.0)
        # rounding: the same direction is at no distance, the opposite one at 1
        cosines[np.abs(cosines) > 1 - 1e-12] = np.round(cosines[np.abs(cosines) > 1 - 1e-12])
        found = np.sqrt((1 - cosines) / 2)
        np.fill_diagonal(found, 0.0)
        return np.asarray((found + found.T) / 2)

    def dealt(self, rng: np.random.Generator) -> Entries:
        """Return a population in which what is said of each cause belongs to other people."""
        n_causes = int(self.cause.max(initial=-1)) + 1
        deals = rng.permuted(np.tile(np.arange(self.shape[0]), (n_causes, 1)), axis=1)
        return Entries(
            deals[self.cause, self.person], self.influence, self.strength, self.cause, self.shape
        )


def null_silhouette(entries: Entries, tried: list[int], rng: np.random.Generator) -> float:
    """Return the largest silhouette of one population without clusters."""
    dealt = entries.dealt(rng)
    distances = dealt.distances(np.flatnonzero(dealt.lengths() > 0))
    found = [silhouette(distances, labels) for labels in cut_tree(distances, tried).values()]
    return max(found, default=-1.0)


def cut_tree(distances: Floats, numbers: Iterable[int]) -> dict[int, Ints]:
    """Return Ward's clusters for every number that ties allow."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    numbers = list(numbers)
    if not numbers or len(distances) < 2:
        return {}
    tree = linkage(squareform(distances, checks=False), method="ward")
    found = {n: fcluster(tree, n, criterion="maxclust").astype(np.int64) - 1 for n in numbers}
    return {n: labels for n, labels in found.items() if labels.max() + 1 == n}


def silhouette(distances: Floats, labels: Ints | None) -> float:
    """Return the mean silhouette; a person alone in a cluster has 0."""
    if labels is None:
        return nan
    people = np.arange(len(labels))
    sizes = np.bincount(labels)
    sums = distances @ np.eye(len(sizes))[labels]
    own = sums[people, labels] / np.maximum(sizes[labels] - 1, 1)
    others = sums / sizes
    others[people, labels] = np.inf
    nearest = others.min(axis=1)
    larger = np.maximum(own, nearest)
    width = np.divide(nearest - own, larger, out=np.zeros(len(labels)), where=larger > 0)
    width[sizes[labels] == 1] = 0.0
    return float(width.mean())
