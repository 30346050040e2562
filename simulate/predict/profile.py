r"""What interviews say of a person, whatever their topic: values, trust, a way of answering.

A profile is read from the graphs of some topics and used on another. It holds

* the **level** of support that the person states there, shrunk by its sureness: whoever favours one
  thing that is proposed rather favours the next;
* **trust** in government: whether what the person says of it is said well;
* **acquiescence**: by how much plusses outweigh minuses among the influences;
* **values**: how much of the person's thinking is about each of seven values. With x_v the summed
  size of the effects on the stance of concepts whose names hold a word of value v, and
  :math:`\bar x` their mean over values, the concern is :math:`(x_v - \bar x) / (\bar x + 1)`.

The values follow the core political values of Schwartz, Caprara and Vecchione (2010), law and
order, civil liberties, equality and free enterprise, with the environment, health and community
beside them; the words are general vocabulary (`values.json`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Final

import numpy as np

from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.standpoint import STEEPNESS, read_standpoint, total_effects
from beliefgraph.text import content_words, label_valence, stem

__all__ = ["VALUES", "Profile", "read_profile", "values_in"]


@lru_cache(maxsize=1)
def _stems() -> dict[str, frozenset[str]]:
    """Return the stems of every value's words, and of those for government."""
    text = resources.files("beliefgraph.simulate.predict").joinpath("values.json")
    data = json.loads(text.read_text(encoding="utf-8"))
    words = {**data["values"], "government": data["government"]}
    return {name: frozenset(stem(word) for word in own.split()) for name, own in words.items()}


VALUES: Final = tuple(name for name in _stems() if name != "government")
"""Names of the values."""


@dataclass(frozen=True)
class Profile:
    """What carries over from one topic to another; all 0 where nothing is known."""

    level: float = 0.0
    """Stated level of support, mean over topics, in [-1, 1]."""
    trust: float = 0.0
    """What is said of government: above 0 where it is said well, in (-1, 1)."""
    acquiescence: float = 0.0
    """Plusses less minuses over influences, in (-1, 1); two neutral ones are added."""
    values: Mapping[str, float] = field(default_factory=dict)
    """Concern for each value, above -1; 0 is as much as for the mean of the values."""
    topics: int = 0
    """How many graphs it was read from."""

    def concern(self, text: str) -> float:
        """Return the mean concern for the values that a text speaks of; 0 where it names none.

        >>> Profile(values={"order": 0.5, "freedom": -0.2}).concern("Crime would fall.")
        0.5
        """
        named = [self.values.get(value, 0.0) for value in values_in(text)]
        return float(np.mean(named)) if named else 0.0


def values_in(text: str) -> list[str]:
    """Return the values that a text has a word of.

    >>> values_in("Fairness to the poor"), values_in("Something else")
    (['equality'], [])
    """
    found = {stem(word) for word in content_words(text)}
    return [value for value in VALUES if found & _stems()[value]]


def read_profile(graphs: Sequence[BeliefGraph]) -> Profile:
    """Read a person's profile from the graphs of one or more topics.

    Graphs without influences say nothing and are left out.

    Examples
    --------
    >>> g = BeliefGraph.from_edges(
    ...     [("Crime", "support", -0.5), ("Government overreach", "support", -0.8)],
    ...     stance="support",
    ... )
    >>> p = read_profile([g])
    >>> p.values["order"] > p.values["health"], p.trust < 0, p.acquiescence
    (True, True, -0.5)
    """
    told = [graph for graph in graphs if graph.influences]
    if not told:
        return Profile()
    sizes = np.zeros(len(VALUES))
    trusts: list[float] = []
    for graph in told:
        effects = total_effects(graph)
        for name in (name for name in graph.names if name != graph.stance):
            effect = float(np.tanh(STEEPNESS * effects.get(name, 0.0)))
            named = values_in(name)
            sizes += abs(effect) * np.array([value in named for value in VALUES])
            if {stem(word) for word in content_words(name)} & _stems()["government"]:
                trusts.append(abs(effect) * (label_valence(name) or np.sign(effect)))
    signs = [float(np.sign(edge.weight)) for graph in told for edge in graph.influences]
    concern = (sizes - sizes.mean()) / (sizes.mean() + 1)
    return Profile(
        level=float(np.mean([read_standpoint(graph).sure_level for graph in told])),
        trust=sum(trusts) / (1 + len(trusts)),
        acquiescence=sum(signs) / (2 + len(signs)),
        values={name: float(value) for name, value in zip(VALUES, concern, strict=True)},
        topics=len(told),
    )
