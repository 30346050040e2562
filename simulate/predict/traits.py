"""What a graph says that bears on one question of a survey: the question's row of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np

from beliefgraph.graph import BeliefGraph, Influence
from beliefgraph.simulate.predict.nearness import Near, concepts_near, concepts_said
from beliefgraph.simulate.predict.profile import Profile, read_profile
from beliefgraph.simulate.scenario.reading import ScenarioReading, map_scenario
from beliefgraph.simulate.scenario.shift import ScenarioEffect, effect_of
from beliefgraph.simulate.scenario.topic_graph import PooledEffect, TopicGraph
from beliefgraph.simulate.standpoint import (
    STEEPNESS,
    UNSTATED_SD,
    read_standpoint,
    total_effects,
)
from beliefgraph.survey import Question
from beliefgraph.text import Encoder, label_valence

__all__ = ["GraphReading", "Kind", "SignTraits", "Traits", "kind_of"]

Kind: TypeAlias = Literal["stance", "after", "experience", "reason", "reason_after"]
NEUTRAL: Final = 0.1
"""Weight of a neutral concept that is added to those found, so that faint ones say little."""


@dataclass(frozen=True)
class Traits:
    """Numbers that bear on a stance or on the weight of a reason; all about -1 to 1."""

    level: float
    """Stated level, shrunk by its sureness."""
    elsewhere: float = 0.0
    """Level that the person states on other topics."""
    trust: float = 0.0
    """What the person says of government on other topics."""
    acquiescence: float = 0.0
    """Plusses less minuses among the influences on other topics."""
    effect: float = 0.0
    """Stance shift that the graph predicts for the scenario."""
    pooled: float = 0.0
    """What other people's beliefs add to it, for concepts that the graph lacks."""
    polarity: float = 0.0
    """+1 where the reason, or the experience, speaks for the stance, -1 where against."""
    known: float = 0.0
    """How nearly the graph holds a concept that the reason speaks of, in [0, 1]."""
    size: float = 0.0
    """Size of that concept's effect on the stance, in [0, 1]."""
    valued: float = 0.0
    """Concern, on other topics, for the values that the reason speaks of."""
    moved: float = 0.0
    """By how much the scenario makes the reason's statement more true (below 0: less)."""


@dataclass(frozen=True)
class SignTraits:
    """Numbers that bear on the sign of a factor's effect on the stance."""

    near: float
    """Effect of the nearest concepts with polarity tied, in (-1, 1)."""
    net: float
    """Balance of the person's reasons."""
    crowd: float = 0.0
    """The same as `near`, of what other people hold on average; 0 where that is not known."""
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
    others
        The person's graphs on other topics, where they are to count.
    pool
        Other people's effects, for concepts that this person lacks.
    crowd
        Reading of what other people hold on average, as one graph.
    """

    def __init__(
        self,
        graph: BeliefGraph,
        encoder: Encoder | None = None,
        *,
        others: Sequence[GraphReading] = (),
        pool: TopicGraph | None = None,
        crowd: GraphReading | None = None,
    ) -> None:
        self.graph = graph
        self.encoder = encoder
        self.crowd = crowd
        self.profile: Profile = read_profile([other.graph for other in others])
        self.lacking: tuple[PooledEffect, ...] = pool.lacking(graph, encoder) if pool else ()
        self._whole = pool.complete(graph, encoder) if pool else graph
        self.standpoint = read_standpoint(graph)
        self.effects = total_effects(graph)
        self._near: dict[str, list[Near]] = {}
        self._said: dict[str, list[Near]] = {}
        self._scenarios: dict[str, ScenarioReading] = {}

    def beside(
        self,
        others: Sequence[GraphReading],
        pool: TopicGraph | None = None,
        crowd: GraphReading | None = None,
    ) -> GraphReading:
        """Return the reading of the same graph beside others and a pool; what texts mean stays."""
        made = GraphReading(self.graph, self.encoder, others=others, pool=pool, crowd=crowd)
        made._near, made._said = self._near, self._said
        if pool is None:
            made._scenarios = self._scenarios
        return made

    def without(self, influence: Influence) -> GraphReading:
        """Return the reading of the graph without one influence; what texts mean stays."""
        left = tuple(edge for edge in self.graph.influences if edge != influence)
        return self._of(self.graph.replace(influences=left))

    def without_level(self) -> GraphReading:
        """Return the reading of the graph of somebody who states no level of the stance."""
        unstated = {"baseline": 0.0, "baseline_sd": UNSTATED_SD}
        return self._of(
            self.graph.replace(
                concepts=tuple(
                    each.replace(**unstated) if each.name == self.graph.stance else each
                    for each in self.graph.concepts
                )
            )
        )

    def _of(self, graph: BeliefGraph) -> GraphReading:
        """Return the reading of a changed graph of the same concepts; what texts mean stays."""
        other = GraphReading(graph, self.encoder, crowd=self.crowd)
        other.profile, other.lacking = self.profile, self.lacking
        other._near, other._said, other._scenarios = self._near, self._said, self._scenarios
        other._whole = self._whole
        return other

    def sign_traits(self, factor: str) -> SignTraits:
        """Return what bears on the sign of a factor's effect."""
        if factor not in self._near:
            self._near[factor] = concepts_near(self.graph, factor, self.encoder)
        near = [each for each in self._near[factor] if self._acts(each)]
        return SignTraits(
            near=self._lean(near),
            net=self.standpoint.net,
            crowd=self.crowd.sign_traits(factor).near if self.crowd else 0.0,
            concepts=tuple(near),
        )

    def traits(self, question: Question) -> Traits:
        """Return what bears on a stance, an experience or the weight of a reason."""
        kind = kind_of(question)
        stance = Traits(
            level=self.standpoint.sure_level,
            elsewhere=self.profile.level,
            trust=self.profile.trust,
            acquiescence=self.profile.acquiescence,
        )
        if question.role == "scenario" and question.scenario:
            effect = self.scenario_effect(question.scenario)
            shift = float(np.clip(effect.own + effect.answered, -1, 1))
            stance = replace(stance, effect=shift, pooled=effect.pooled)
        if kind in ("stance", "after"):
            return stance
        text = question.reason or question.text
        if kind == "experience":
            return replace(stance, polarity=float(label_valence(text)) or 1.0)
        said = self.said(text)
        lean = self._lean([near for near in said if self._acts(near)])
        do = self.scenario(question.scenario).values if question.scenario else {}
        return replace(
            stance,
            polarity=float(np.sign(lean)) or float(label_valence(text)),
            known=max((near.weight for near in said), default=0.0),
            size=abs(lean),
            valued=self.profile.concern(text),
            moved=float(sum(n.weight * n.polarity * do.get(n.concept, 0.0) for n in said)),
        )

    def scenario(self, text: str) -> ScenarioReading:
        """Return what a scenario means for this person, the pool's concepts included."""
        if text not in self._scenarios:
            self._scenarios[text] = map_scenario(self._whole, text, encoder=self.encoder)
        return self._scenarios[text]

    def scenario_effect(self, text: str) -> ScenarioEffect:
        """Return the stance shift of a scenario through own concepts and through the pool's."""
        return effect_of(self.graph, self.scenario(text), self.lacking)

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
