"""What a graph says that bears on one question of a survey: the question's row of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from beliefgraph.graph import BeliefGraph, Influence
from beliefgraph.simulate.engine import intervene
from beliefgraph.simulate.predict.nearness import Near, concepts_near, concepts_said
from beliefgraph.simulate.predict.standpoint import read_standpoint, total_effects
from beliefgraph.simulate.scenario import read_scenario
from beliefgraph.survey import Question
from beliefgraph.text import Encoder, label_valence

__all__ = ["GraphReading", "Kind", "SignTraits", "Traits", "kind_of"]

Kind: TypeAlias = Literal["stance", "after", "experience", "reason", "reason_after"]
STEEPNESS: Final = 3.0
"""Effects saturate as tanh(3 T): 0.5, a plain "it has an effect", counts nine tenths."""
NEUTRAL: Final = 0.1
"""Weight of a neutral concept that is added to those found, so that faint ones say little."""


@dataclass(frozen=True)
class Traits:
    """Numbers that bear on a stance or on the weight of a reason; all about -1 to 1."""

    net: float
    """Balance of the reasons, shrunk by how surely a level is stated: it speaks where none is."""
    level: float
    """Stated level, shrunk by its sureness."""
    elsewhere: float = 0.0
    """Balance of the person's reasons on other topics, mean over them."""
    effect: float = 0.0
    """Stance shift that the graph predicts for the scenario."""
    polarity: float = 0.0
    """+1 where the reason, or the experience, speaks for the stance, -1 where against."""
    known: float = 0.0
    """How nearly the graph holds a concept that the reason speaks of, in [0, 1]."""
    size: float = 0.0
    """Size of that concept's effect on the stance, in [0, 1]."""
    moved: float = 0.0
    """By how much the scenario makes the reason's statement more true (below 0: less)."""


@dataclass(frozen=True)
class SignTraits:
    """Numbers that bear on the sign of a factor's effect on the stance."""

    near: float
    """Effect of the nearest concepts with polarity tied, in (-1, 1)."""
    net: float
    """Balance of the person's reasons."""
    concepts: tuple[Near, ...] = ()
    """The concepts that `near` was read from, the nearest first."""


def kind_of(question: Question) -> Kind:
    """Tell how a question's answer comes about."""
    if question.task == "bdu_reason":
        return "reason_after" if question.role == "scenario" else "reason"
    kinds: dict[str, Kind] = {"baseline": "stance", "scenario": "after", "experience": "experience"}
    return kinds[question.role]


class GraphReading:
    """One person's graph, with what every question needs of it read once.

    Parameters
    ----------
    graph
        The person's graph.
    encoder
        Compares texts by meaning as well as by words.
    """

    def __init__(self, graph: BeliefGraph, encoder: Encoder | None = None) -> None:
        self.graph = graph
        self.encoder = encoder
        self.standpoint = read_standpoint(graph)
        self.effects = total_effects(graph)
        self._near: dict[str, list[Near]] = {}
        self._said: dict[str, list[Near]] = {}
        self._do: dict[str, dict[str, float]] = {}

    def without(self, influence: Influence) -> GraphReading:
        """Return the reading of the graph without one influence; what texts mean stays."""
        left = tuple(edge for edge in self.graph.influences if edge != influence)
        other = GraphReading(self.graph.replace(influences=left), self.encoder)
        other._near, other._said, other._do = self._near, self._said, self._do
        return other

    def sign_traits(self, factor: str) -> SignTraits:
        """Return what bears on the sign of a factor's effect."""
        if factor not in self._near:
            self._near[factor] = concepts_near(self.graph, factor, self.encoder)
        near = [each for each in self._near[factor] if self._acts(each)]
        return SignTraits(
            near=self._lean(near),
            net=self.standpoint.net,
            concepts=tuple(near),
        )

    def traits(self, question: Question) -> Traits:
        """Return what bears on a stance, an experience or the weight of a reason."""
        kind = kind_of(question)
        net, level = self.standpoint.unsure_net, self.standpoint.sure_level
        scenario = question.scenario if question.role == "scenario" else None
        do = self.scenario_do(scenario) if scenario else {}
        effect = self._shift(do) if kind == "after" else 0.0
        if kind in ("stance", "after"):
            return Traits(net=net, level=level, effect=effect)
        text = question.reason or question.text
        said = self.said(text)
        acting = [near for near in said if self._acts(near)]
        lean = self._lean(acting)
        if kind == "experience":
            valence = float(label_valence(text))
            return Traits(net=net, level=level, polarity=valence if valence else 1.0)
        polarity = float(np.sign(lean)) or float(label_valence(text))
        return Traits(
            net=net,
            level=level,
            effect=self._shift(do),
            polarity=polarity,
            known=max((near.weight for near in said), default=0.0),
            size=abs(lean),
            moved=float(sum(n.weight * n.polarity * do.get(n.concept, 0.0) for n in said)),
        )

    def scenario_do(self, text: str) -> dict[str, float]:
        """Return the values at which a scenario holds concepts of this graph; empty if none."""
        if text not in self._do:
            matches = read_scenario(self.graph, text, encoder=self.encoder)
            self._do[text] = {match.concept: match.value for match in matches}
        return self._do[text]

    def said(self, text: str) -> list[Near]:
        """Return the concepts that a statement speaks of."""
        if text not in self._said:
            self._said[text] = concepts_said(self.graph, text, self.encoder)
        return self._said[text]

    def _acts(self, near: Near) -> bool:
        return self.effects.get(near.concept, 0.0) != 0.0

    def _lean(self, near: list[Near]) -> float:
        """Return the mean saturated effect of what a text says, weighted by nearness."""
        if not near:
            return 0.0
        weights = np.array([each.weight for each in near])
        ways = np.array([each.polarity * self.effects[each.concept] for each in near])
        return float(weights @ np.tanh(STEEPNESS * ways) / (NEUTRAL + weights.sum()))

    def _shift(self, do: dict[str, float]) -> float:
        """Return the exact linear stance shift of a do; concepts that never reach it do nothing."""
        acting = {name: value for name, value in do.items() if name in self.effects}
        if not acting:
            return 0.0
        shift = intervene(self.graph, do=acting, mechanism="linear", n_samples=0).stance.shift
        return float(np.clip(shift, -1, 1))
