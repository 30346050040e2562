r"""Survey answers of synthetic people: simulation on the own graph, then a number on a scale.

**Stance.** The linear mechanism, exact (`beliefgraph.simulate`). With :math:`\beta` the stance's
bias (what the reasons do not account for) and :math:`\rho` the person's openness, a scenario that
matters to the person is

.. math:: do(\text{its moves}), \quad shift(\text{stance}) = -\rho \beta

so a part of the old stance is evaluated anew from reasons, and the moves propagate. A scenario
matters where one of its concepts has a path to the stance in the person's graph. A change of less
than the person's inertia leaves the answer as it was. The answer on 1-10 is
``5.5 + acquiescence + 4.5 * stretch * stance``.

**Reasons.** A reason that speaks of concept c, for (polarity +1) or against (-1), weighs by what c
contributes to the stance in its way, T[c, stance] * level of c, by whether the person thinks in c
at all, and by the stance itself (people grant more to reasons for what they want):
``1.6 + 0.5 [c is in the graph] + acquiescence / 2 + 4 * (1.5 * polarity * contribution +
0.3 * polarity * stance)`` on 1-5.

**Noise.** What a session adds to all answers on a topic, what each answer adds, and heaping on
round numbers; then rounding and the ends of the scale. An answer after a scenario that inertia
leaves as it was repeats the number given before, most of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from beliefgraph.benchmark.synth.questionnaire import interventions, reason_codes
from beliefgraph.benchmark.synth.speaker import Topic
from beliefgraph.benchmark.synth.values import ResponseStyle
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate import effects, intervene_many
from beliefgraph.survey import Question, Scale, SurveyTopic

__all__ = ["Latent", "habit", "latent_answers", "noise_free_answers", "noisy_answers"]

_HEAPS: Final = {10: (1, 5, 10), 5: (1, 3, 5)}
"""Round numbers of a scale by its number of points."""
_REPEATS: Final = 0.85
"""How often a person whom a scenario leaves cold gives the very number of before."""


@dataclass(frozen=True)
class Latent:
    """An answer before rounding, on the question's own scale, without noise."""

    value: float
    """May lie beyond the ends of the scale."""
    unmoved: bool = False
    """Whether it is after a scenario that leaves the person's answer as it was."""


def habit(graph: BeliefGraph) -> float:
    """Return the stance's level less what the influences on it account for.

    >>> g = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    >>> habit(g.replace(concepts=(g.concepts[0].replace(baseline=0.4),
    ...                           g.concepts[1].replace(baseline=0.3))))
    0.1
    """
    levels = {concept.name: concept.baseline for concept in graph.concepts}
    into = [e for e in graph.influences if e.target == graph.stance]
    reasons = sum(e.weight * e.confidence * levels[e.source] for e in into)
    return round(levels[graph.stance] - reasons, 12)


def latent_answers(
    graph: BeliefGraph, topic: Topic, survey: SurveyTopic, style: ResponseStyle
) -> dict[str, Latent]:
    """Simulate a person's answers to all questions on a topic, before rounding.

    Parameters
    ----------
    graph
        What the person believes.
    topic : dict
        The topic, one of `load_topics`.
    survey
        Its questions.
    style
        How the person answers.

    Returns
    -------
    dict of str to Latent
        By question.
    """
    done = interventions(topic, graph)
    reach = set(graph.intervenable)
    matters = {key: bool(reach & set(do)) for key, do in done.items()}
    anew = -style.openness * habit(graph)
    plans = [
        {"do": do, "shift": {graph.stance: anew}} if matters[key] else {"do": do}
        for key, do in done.items()
    ]
    results = intervene_many(graph, [{}, *plans], mechanism="linear", n_samples=0)
    worlds = dict(zip((None, *done), results, strict=True))
    before = worlds[None].stance.after
    total = {effect.concept: effect.total for effect in effects(graph)}
    reasons = {reason_codes(topic)[r["id"]]: r for r in topic["reasons"]}

    def stance_answer(stance: float) -> float:
        return 5.5 + style.acquiescence + 4.5 * style.stretch * stance

    def reason_answer(code: str, stance: float, levels: Mapping[str, float]) -> float:
        concept, polarity = reasons[code]["concept"], reasons[code]["polarity"]
        contribution = total.get(concept, 0.0) * levels.get(concept, 0.0)
        pull: float = polarity * (1.5 * contribution + 0.3 * stance)
        return 1.6 + 0.5 * (concept in levels) + style.acquiescence / 2 + 4 * pull

    found = {}
    for question in survey.questions():
        world = worlds[question.scenario_id]
        stance = world.stance.after
        unmoved = question.scenario_id is not None and abs(stance - before) <= style.inertia
        if unmoved:
            world, stance = worlds[None], before
        if question.task == "bdu_stance":
            value = stance_answer(stance)
        else:
            levels = {shift.name: shift.after for shift in world.concepts}
            value = reason_answer(str(question.reason_code), stance, levels)
        found[question.question_id] = Latent(float(value), unmoved)
    return found


def noise_free_answers(
    latent: Mapping[str, Latent], questions: Mapping[str, Question]
) -> dict[str, int]:
    """Round latent answers to points of their scales."""
    return {key: _point(each.value, questions[key].scale) for key, each in latent.items()}


def noisy_answers(
    latent: Mapping[str, Latent],
    questions: Mapping[str, Question],
    style: ResponseStyle,
    rng: np.random.Generator,
) -> dict[str, int]:
    """Draw the answers of one session on one topic: one wave of the survey."""
    session = style.session_sd * rng.normal()
    given: dict[str, int] = {}
    for key, each in latent.items():
        question = questions[key]
        unit = 0.5 if len(question.scale.points) <= 5 else 1.0
        noise, heaps, repeats = style.sd * rng.normal(), rng.random(), rng.random()
        earlier = _earlier(question, questions)
        if each.unmoved and earlier in given and repeats < _REPEATS:
            given[key] = given[earlier]
            continue
        answer = each.value + unit * (session + noise)
        if heaps < style.heaping:
            answer = _heap(answer, question.scale)
        given[key] = _point(answer, question.scale)
    return given


def _earlier(question: Question, questions: Mapping[str, Question]) -> str:
    """Name the same question as asked before any scenario."""
    return next(
        key
        for key, other in questions.items()
        if other.role == "baseline"
        and (other.task, other.reason_code) == (question.task, question.reason_code)
    )


def _heap(answer: float, scale: Scale) -> float:
    heaps = _HEAPS.get(len(scale.points), (scale.low, scale.middle, scale.high))
    return float(min(heaps, key=lambda point: abs(point - answer)))


def _point(answer: float, scale: Scale) -> int:
    return int(np.clip(np.rint(answer), scale.low, scale.high))
