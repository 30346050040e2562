"""The graph as a predictor: signs, stances and the weights of reasons, each with its quotes.

Under *zero-shot* the parameters are those that ship, fitted on synthetic people. Where other
people's answers may be used, `fit` moves them a little (partial pooling), adds what the others
answered to the same question, shrunk, and pools their graphs: for the signs of factors, and for
what a scenario does through concepts that a person lacks. Where the person's own earlier answers
are given, the prediction starts from them. Where the person said nothing on a question's topic, the
interviews on other topics can speak through the person's `Profile`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from scipy.special import expit

from beliefgraph.errors import StanceError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.predict.answer_model import Asked, Forecast, forecast, group_asked
from beliefgraph.simulate.predict.explain_answer import explain_answer
from beliefgraph.simulate.predict.fit_parameters import fit_answers, fit_signs, sign_log_odds
from beliefgraph.simulate.predict.parameters import PredictorParameters, shipped_parameters
from beliefgraph.simulate.predict.readout import Loss, decide, from_scale
from beliefgraph.simulate.predict.traits import GraphReading, SignTraits, kind_of
from beliefgraph.simulate.scenario.topic_graph import TopicGraph, topic_graph
from beliefgraph.simulate.standpoint import silent_graph
from beliefgraph.survey import Item, Person, Prediction, Question, Scale
from beliefgraph.text import Encoder
from beliefgraph.transcript import Transcript

__all__ = ["GraphPredictor", "Rows"]

PRIOR_SD: Final = 0.5
"""How far other people's answers may move a parameter from the shipped one."""
OWN_WEIGHT: Final = 4.0
"""Number of people whose answers weigh as much as none: shrinks what others answered."""
_STANCES: Final = Scale.between(1, 10)
"""Scale of the baseline stance, where the item does not show it."""


@dataclass(frozen=True)
class Rows:
    """What people answered, beside what their graphs say."""

    asked: list[Asked]
    values: list[int]
    questions: list[Question]
    """Stances and reasons: what bears on them, the answers, the questions."""
    traits: list[SignTraits]
    signs: list[int]
    """Signs: what bears on them, and the answers; 0 where either is right."""


@dataclass(frozen=True)
class GraphPredictor:
    """Answers items from the belief graph of the interview that the item shows.

    Parameters
    ----------
    graph_of
        Reads an interview, such as `beliefgraph.extract`.
    parameters
        Those that ship where None.
    loss
        Which point to name: "tolerance", "absolute", "direction" or "blend" (see
        `beliefgraph.simulate.predict.readout`).
    encoder
        Compares texts by meaning as well as by words.
    change
        Rewrites every graph before it is used: for ablations.
    """

    graph_of: Callable[[Transcript], BeliefGraph]
    parameters: PredictorParameters = field(default_factory=shipped_parameters)
    loss: Loss = "blend"
    encoder: Encoder | None = None
    change: Callable[[BeliefGraph], BeliefGraph] | None = None
    name: str = "graph"
    reader: str = "rules"
    """Name of what reads the interviews, for the settings."""
    offsets: Mapping[tuple[str, str], float] = field(default_factory=dict)
    """What others' answers add, by topic and kind, or topic and question; empty until fitted."""
    profile: bool = False
    """Whether interviews on other topics speak for a person who said nothing on a question's. On
    synthetic people, whose values carry over, that helps; on real ones it did harm."""
    topic_graphs: Mapping[str, TopicGraph] = field(default_factory=dict)
    """Other people's effects by topic: for the signs of factors, and for what a scenario does
    through concepts that the person lacks; `fit` pools them."""
    _readings: dict[tuple[object, ...], GraphReading] = field(
        default_factory=dict, repr=False, compare=False
    )
    _beside: dict[tuple[object, ...], GraphReading] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def settings(self) -> dict[str, Any]:
        """Loss, encoder, and where the parameters come from."""
        return {
            "loss": self.loss,
            "reader": self.reader,
            "encoder": self.encoder.name if self.encoder else None,
            "parameters": self.parameters.fitted_on,
            "graph_changed": self.change is not None,
            "profile": self.profile,
            "topic_graphs": {name: pool.n_people for name, pool in self.topic_graphs.items()},
        }

    def fit(self, people: Sequence[Person]) -> GraphPredictor:
        """Return a predictor that also knows these people's answers and graphs.

        Their own parameters are fitted without the pooled graphs, which hold themselves.
        """
        rows = self.rows(people)
        shipped, fitted = self.parameters, self.parameters
        if any(rows.signs):
            signs = fit_signs(rows.traits, rows.signs, start=shipped.signs, prior_sd=PRIOR_SD)
            fitted = fitted.replace(signs=signs)
        offsets: dict[tuple[str, str], float] = {}
        if rows.asked:
            answers = fit_answers(rows.asked, rows.values, start=shipped.answers, prior_sd=PRIOR_SD)
            fitted = fitted.replace(answers=answers)
            offsets = _offsets(fitted, rows)
        described = f"{len(people)} other people, shrunk towards: {shipped.fitted_on}"
        return replace(
            self,
            parameters=fitted.replace(fitted_on=described),
            offsets=offsets,
            topic_graphs={**self.topic_graphs, **self.pool(people)},
            _beside={},
        )

    def pool(self, people: Sequence[Person]) -> dict[str, TopicGraph]:
        """Return these people's topic graphs, from their interviews alone."""
        graphs: dict[str, list[BeliefGraph]] = {}
        for person in people:
            for topic, transcript in sorted(person.transcripts.items()):
                graph = self.reading(transcript).graph
                if graph.influences:
                    graphs.setdefault(topic, []).append(graph)
        return {name: topic_graph(own, encoder=self.encoder) for name, own in graphs.items()}

    def rows(self, people: Sequence[Person]) -> Rows:
        """Return what people answered, beside what the graphs of their interviews say."""
        rows = Rows([], [], [], [], [])
        for person in people:
            for response in person.responses:
                if response.context is None:
                    continue
                reading = self._reading(response.question, response.context, person)
                if response.question.task == "bsi":
                    rows.traits.append(reading.sign_traits(response.question.factor or ""))
                    rows.signs.append(sum(response.values))
                else:
                    rows.asked.append(self._asked(response.question, reading, person))
                    rows.values.append(response.value)
                    rows.questions.append(response.question)
        return rows

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer an item from the graph of its context."""
        reading = self._reading(item.question, item.context, person)
        if item.question.task == "bsi":
            return self._sign(item, reading)
        asked = self._asked(item.question, reading, person)
        found = forecast(self.parameters.answers, asked)
        value = self._decide(asked, found)
        return explain_answer(
            reading,
            item.question,
            value,
            found.probabilities,
            again=lambda other: self._value(item.question, other, person),
            earlier=asked.stance if asked.start is None else asked.start,
        )

    def reading(self, context: Transcript) -> GraphReading:
        """Return what the graph of an interview says, read once.

        An interview without answers, or one that names no stance, has a graph without influences.
        """
        key = _key(context)
        if key not in self._readings:
            graph = self._graph(context)
            self._readings[key] = GraphReading(
                self.change(graph) if self.change else graph, self.encoder
            )
        return self._readings[key]

    def _graph(self, context: Transcript) -> BeliefGraph:
        try:
            if any(turn.answer.strip() for turn in context.turns):
                return self.graph_of(context)
        except StanceError:
            pass
        return silent_graph(context.topic or "stance")

    def _reading(self, question: Question, context: Transcript, person: Person) -> GraphReading:
        """Return the reading of a context, or with `profile` of other topics where it says nothing.

        Whoever speaks on a topic is not judged by other topics, and a sign never is.
        """
        topic = question.topic
        told = {context.topic or topic: context}
        if question.task != "bsi":
            told = {**person.transcripts, **told}
        own = told.pop(topic, context.replace(topic=topic, turns=()))
        others = []
        if self.profile and not any(turn.answer.strip() for turn in own.turns):
            others = [told[name] for name in sorted(told, key=str)]
        key = (_key(own), *map(_key, others))
        if key not in self._beside:
            readings = [self.reading(each) for each in others]
            pool, crowd = self.topic_graphs.get(topic), self._crowd(topic)
            self._beside[key] = self.reading(own).beside(readings, pool, crowd)
        return self._beside[key]

    def _crowd(self, topic: str) -> GraphReading | None:
        """Return the reading of what other people hold on average on a topic."""
        if topic not in self.topic_graphs:
            return None
        if (topic,) not in self._beside:
            graph = self.topic_graphs[topic].complete(silent_graph(topic))
            self._beside[(topic,)] = GraphReading(graph, self.encoder)
        return self._beside[(topic,)]

    def _sign(self, item: Item, reading: GraphReading) -> Prediction:
        factor = item.question.factor or item.question.text

        def positive(one: GraphReading) -> float:
            return float(expit(sign_log_odds(self.parameters.signs, one.sign_traits(factor))))

        p = positive(reading)
        return explain_answer(
            reading,
            item.question,
            _signed(p),
            np.array([1 - p, p]),
            again=lambda other: _signed(positive(other)),
        )

    def _value(self, question: Question, reading: GraphReading, person: Person) -> int:
        asked = self._asked(question, reading, person)
        return self._decide(asked, forecast(self.parameters.answers, asked))

    def _decide(self, asked: Asked, found: Forecast) -> int:
        previous = asked.stance
        if found.change is not None and previous is None:
            before = replace(asked, kind="stance", scale=asked.stance_scale, offset=0.0)
            first = forecast(self.parameters.answers, before)
            previous = decide(first.probabilities, before.scale, self.loss)
        return decide(
            found.probabilities, asked.scale, self.loss, change=found.change, previous=previous
        )

    def _asked(self, question: Question, reading: GraphReading, person: Person) -> Asked:
        kind = kind_of(question)
        stance = None if kind == "stance" else person.stance(question.topic)
        scales = [question.scale] if question.task == "bdu_stance" else []
        return Asked(
            kind=kind,
            traits=reading.traits(question),
            scale=question.scale,
            stance_scale=(scales or [_STANCES])[0],
            stance=stance,
            start=_own_weight(question, person) if kind == "reason_after" else None,
            offset=self.offsets.get(
                (question.topic, question.question_id),
                self.offsets.get((question.topic, kind), 0.0),
            ),
        )


def _key(context: Transcript) -> tuple[object, ...]:
    return (context.participant, context.topic, context.turns)


def _signed(positive: float) -> int:
    return 1 if positive >= 0.5 else -1


def _own_weight(question: Question, person: Person) -> int | None:
    """Return the person's own baseline weight of the reason, where it is known."""
    for response in person.responses:
        known = response.question
        same = (known.topic, known.reason_code) == (question.topic, question.reason_code)
        if same and known.task == "bdu_reason" and known.role == "baseline":
            return response.value
    return None


def _offsets(parameters: PredictorParameters, rows: Rows) -> dict[tuple[str, str], float]:
    """Return by how much answers exceed what the graphs say: by kind, then by question."""
    asked, values, questions = rows.asked, rows.values, rows.questions
    over = np.zeros(len(asked))
    for group in group_asked(asked):
        points = from_scale(np.array(group.scale.points, dtype=np.float64), group.scale)
        expected = group.probabilities(parameters.answers) @ points
        given = from_scale(np.array([float(values[n]) for n in group.places]), group.scale)
        over[list(group.places)] = given - expected
    found: dict[tuple[str, str], float] = {}
    for wide in (True, False):
        places: dict[tuple[str, str], list[int]] = {}
        for n, (question, each) in enumerate(zip(questions, asked, strict=True)):
            name = each.kind if wide else question.question_id
            places.setdefault((question.topic, str(name)), []).append(n)
        for key, own in places.items():
            kind = asked[own[0]].kind
            base = 0.0 if wide else found[key[0], kind]
            rest = over[own] - base
            found[key] = base + float(rest.sum() / (len(own) + OWN_WEIGHT))
    return found
