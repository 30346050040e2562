"""Predictors that know the truth of synthetic people: the ceiling, and what must stay under it.

They ignore the item's context and the person: everything comes from `truth/`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from beliefgraph.benchmark.synth.answers import latent_answers, noise_free_answers
from beliefgraph.benchmark.synth.questionnaire import make_survey
from beliefgraph.benchmark.synth.study import SyntheticStudy
from beliefgraph.benchmark.synth.truth import PersonTruth, SignTruth, Truth, topics_by_id
from beliefgraph.errors import SurveyError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate import effects
from beliefgraph.survey import Item, Person, Prediction

__all__ = ["RetestPredictor", "TruthPredictor"]

_MODES: Final = ("own", "shuffled")


class TruthPredictor:
    """Simulates a true graph: the person's own, or another person's.

    Stance and reasons are the answers that the graph gives without noise, in the person's own
    manner of answering. A sign is that of the influence in the graph, or else of the factor's total
    effect where the outcome is the stance; where a graph says neither, there is no answer.

    Parameters
    ----------
    study
        A study, or the folder it was written to.
    graph
        "own", or "shuffled": everybody gets the graphs of one other person, nobody the own ones.
    seed
        Who gets whose graphs.

    Examples
    --------
    >>> from beliefgraph.benchmark.synth import generate_people
    >>> study = generate_people(2, n_topics=1)
    >>> item = next(item for item in study.items if item.question.task != "bsi")
    >>> truth = TruthPredictor(study).predict(item, study.items.people[item.participant])
    >>> truth.value == study.truth.people[item.participant].noise_free[item.question.question_id]
    True
    """

    def __init__(
        self,
        study: SyntheticStudy | str | Path,
        graph: Literal["own", "shuffled"] = "own",
        seed: int = 0,
    ) -> None:
        if graph not in _MODES:
            raise SurveyError(f"TruthPredictor: graph must be one of {_MODES}, got {graph!r}")
        self._source = study
        self.graph = graph
        self.seed = seed
        self._answers: dict[tuple[str, str], dict[str, int]] = {}

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"truth-{self.graph}"

    @property
    def settings(self) -> dict[str, Any]:
        """Whose graph it takes."""
        return {"graph": self.graph} | ({"seed": self.seed} if self.graph == "shuffled" else {})

    @cached_property
    def _truth(self) -> Truth:
        return _truth_of(self._source)

    @cached_property
    def _owner(self) -> Mapping[str, str]:
        """Whose graphs are taken for each person."""
        names = list(self._truth.people)
        if self.graph == "own":
            return {name: name for name in names}
        if len(names) < 2:
            raise SurveyError("TruthPredictor: graphs of one person cannot be shuffled")
        # one cycle through all in random order: a permutation that leaves nobody in place
        order = [names[int(i)] for i in np.random.default_rng(self.seed).permutation(len(names))]
        return dict(zip(order, order[1:] + order[:1], strict=True))

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer an item from a true graph."""
        own = _person(self._truth, item.participant)
        owner = self._owner[item.participant]
        graph = self._truth.graphs.get((owner, item.topic))
        if graph is None:
            raise SurveyError(f"the truth holds no graph of {owner!r} on {item.topic!r}")
        if item.question.task == "bsi":
            return _sign(graph, _hidden(self._truth, item))
        key = (item.participant, item.topic)
        if key not in self._answers:
            self._answers[key] = _simulate(graph, item.topic, own)
        return Prediction(value=_answer(self._answers[key], item))


class RetestPredictor:
    """Answers with what the person said in the second wave: the test-retest ceiling.

    Parameters
    ----------
    study
        A study, or the folder it was written to.
    """

    def __init__(self, study: SyntheticStudy | str | Path) -> None:
        self._source = study

    @property
    def name(self) -> str:
        """What reports call it."""
        return "retest"

    @property
    def settings(self) -> dict[str, Any]:
        """Nothing shapes its answers."""
        return {}

    @cached_property
    def _truth(self) -> Truth:
        return _truth_of(self._source)

    def predict(self, item: Item, person: Person) -> Prediction:
        """Repeat the second wave's answer."""
        if item.question.task == "bsi":
            return Prediction(value=_hidden(self._truth, item).second)
        return Prediction(value=_answer(_person(self._truth, item.participant).second, item))


def _truth_of(study: SyntheticStudy | str | Path) -> Truth:
    return study.truth if isinstance(study, SyntheticStudy) else Truth.load(study)


def _person(truth: Truth, participant: str) -> PersonTruth:
    if participant not in truth.people:
        raise SurveyError(
            f"the truth knows nobody called {participant!r}; give the folder that the items are of"
        )
    return truth.people[participant]


def _hidden(truth: Truth, item: Item) -> SignTruth:
    if item.item_id not in truth.signs:
        raise SurveyError(f"the truth holds no sign of item {item.item_id!r}; was it renamed?")
    return truth.signs[item.item_id]


def _answer(answers: Mapping[str, int], item: Item) -> int:
    key = item.question.question_id
    if key not in answers:
        raise SurveyError(f"item {item.item_id!r}: the study's survey has no question {key!r}")
    return answers[key]


def _simulate(graph: BeliefGraph, topic: str, person: PersonTruth) -> dict[str, int]:
    described = topics_by_id()[topic]
    (part,) = make_survey([described]).topics
    latent = latent_answers(graph, described, part, person.response_style)
    return noise_free_answers(latent, {q.question_id: q for q in part.questions()})


def _sign(graph: BeliefGraph, asked: SignTruth) -> Prediction:
    names = graph.names
    if asked.source in names and asked.target in names:
        edge = graph.influence(asked.source, asked.target)
        weight = edge.weight if edge is not None else 0.0
        if not weight and asked.target == graph.stance:
            total = {effect.concept: effect.total for effect in effects(graph)}
            weight = total.get(asked.source, 0.0)
        if weight:
            return Prediction(value=1 if weight > 0 else -1)
    return Prediction(could_not=f"the graph says nothing of {asked.source} on {asked.target}")
