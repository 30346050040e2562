"""From one person to many: pool graphs, simulate them together, compare groups, find clusters.

>>> import beliefgraph as bg
>>> from beliefgraph.simulate.population import population_graph, simulate_population
>>> people = [
...     bg.BeliefGraph.from_edges([("rents", "support", w)], stance="support", participant=who)
...     for who, w in (("p1", -0.5), ("p2", -0.3), ("p3", 0.2))
... ]
>>> p = population_graph(people)
>>> p.influences[0].prevalence, round(p.influences[0].agreement, 3)
(1.0, -0.333)
>>> r = simulate_population(p, do={"rents": 0.5}, mechanism="linear")
>>> r.n_up, r.n_down, round(r.pooled.stance.shift, 3)
(1, 2, -0.1)

What the figures mean stands with each part: `graph` (the pooled graph),
`concepts` (names made one), `simulation` and `difference`, `groups`, `clusters` and `distances`.
"""

from __future__ import annotations

from beliefgraph.simulate.population.clusters import (
    Clusters,
    TellingInfluence,
    cluster_people,
)
from beliefgraph.simulate.population.concepts import KeptApart, Wording
from beliefgraph.simulate.population.difference import Chain, Difference
from beliefgraph.simulate.population.distances import belief_distances
from beliefgraph.simulate.population.graph import PopulationGraph, population_graph
from beliefgraph.simulate.population.groups import (
    GroupComparison,
    GroupDifference,
    compare_groups,
)
from beliefgraph.simulate.population.pooling import PooledConcept, PooledInfluence
from beliefgraph.simulate.population.simulation import (
    MemberShift,
    PopulationResult,
    simulate_population,
)
from beliefgraph.simulate.population.statistics import (
    adjusted_rand_index,
    newcombe_interval,
    sign_agreement,
    wilson_interval,
)

__all__ = [
    "Chain",
    "Clusters",
    "Difference",
    "GroupComparison",
    "GroupDifference",
    "KeptApart",
    "MemberShift",
    "PooledConcept",
    "PooledInfluence",
    "PopulationGraph",
    "PopulationResult",
    "TellingInfluence",
    "Wording",
    "adjusted_rand_index",
    "belief_distances",
    "cluster_people",
    "compare_groups",
    "newcombe_interval",
    "population_graph",
    "sign_agreement",
    "simulate_population",
    "wilson_interval",
]
