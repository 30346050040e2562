r"""From a simulation to the answers of a survey: the stance and the weights of the reasons.

The read-out is that of `beliefgraph.simulate.predict.answer_model`, with its parameters. The level
l of the stance is the simulation's own mean at present, times how far it can be relied on. With
Delta the change of the stance from the present, and M by how much the simulation makes a reason's
statement more true (over the concepts it speaks of: nearness times polarity times their change),
the means move by

.. math::
    m_z &= (1 - s)\,\kappa\,\Delta \\
    m_w &= c_z\,\text{polarity}\,m_z + c_m\,M

with s `stay`, kappa `effect`, c_z `reason_stance` and c_m `reason_moved`. That is the answer model
without its re-evaluation (rho = 0): what asking again does to an answer, whatever the scenario, is
no effect of the intervention. So where nothing moves, no answer shifts, and stance and reasons
share one z.

**Intervals.** The shift of a world is that of the expected answer: worlds differ in influences,
noise and doses, and in the parameters where these have intervals (drawn independently, from a
normal distribution with a half for each side of the interval). Before and after share all of it.
The interval of an answer itself is of the mixture over worlds, the spread between people included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.exact import Moments, paired_moments
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.options import Options
from beliefgraph.simulate.predict.answer_model import Asked, forecast, group_asked
from beliefgraph.simulate.predict.nearness import Near
from beliefgraph.simulate.predict.parameters import (
    AnswerParameters,
    PredictorParameters,
    shipped_parameters,
)
from beliefgraph.simulate.predict.reasons import (
    AnswerShift,
    Reasons,
    ReasonShift,
    SurveyLike,
    topic_of,
)
from beliefgraph.simulate.predict.traits import GraphReading, kind_of
from beliefgraph.simulate.result import Result, central
from beliefgraph.simulate.sample import World
from beliefgraph.survey import Question, Scale

__all__ = ["SurveyAnswers"]

FloatArray = NDArray[np.float64]

_PARAMETER_SETS: Final = 100
"""Draws of the parameters; each serves an equal share of the worlds."""
_STREAM: Final = 0x5EED
"""Tells their random numbers from those of the worlds."""
_Z95: Final = 1.959963984540054
"""Half the width of a 95% interval, in standard deviations."""
_SHARES: Final = ("stay", "openness", "experience_stay")
"""Parameters in [0, 1]."""
_LEAST_SD: Final = 1e-3
"""A spread is never drawn below this."""
_MOST_WORLDS: Final = 100_000
"""Intervals are taken over so many worlds at most; means over all."""
_STEPS: Final = 40
"""Probabilities are worked out at so many steps and interpolated: they are smooth."""


class SurveyAnswers:
    """Reads answers to a survey's topic out of simulations of one graph.

    Parameters
    ----------
    graph
        What the person believes.
    survey
        What is asked (see `beliefgraph.simulate.predict.reasons.topic_of`).
    parameters
        Those that ship where None.

    Raises
    ------
    SurveyError
        The survey cannot be read, or does not ask about the graph's topic.
    """

    def __init__(
        self,
        graph: BeliefGraph,
        survey: SurveyLike,
        parameters: PredictorParameters | None = None,
    ) -> None:
        self.topic = topic_of(graph, survey)
        self.parameters = parameters or shipped_parameters()
        # every reason is weighed, also one that the survey asks for after a scenario only
        questions = list(self.topic.replace(baseline_reasons=None).questions())
        self._stance = next(q for q in questions if kind_of(q) == "stance")
        self._reasons = [q for q in questions if kind_of(q) == "reason"]
        self._reading = GraphReading(graph)
        self._said = [self._reading.said(question.reason or "") for question in self._reasons]
        self._places = {name: i for i, name in enumerate(graph.names)}

    def add(
        self,
        result: Result,
        options: Options,
        plans: tuple[Plan, Plan],
        worlds: tuple[World, World] | None,
    ) -> Result:
        """Return the result with the stance on its scale and the reasons.

        Parameters
        ----------
        result
            Of the simulation.
        options
            What it was computed with.
        plans
            What was done before and after.
        worlds
            The worlds before and after; None where none were sampled.
        """
        present, means = self._means(options, plans, worlds)
        asked = self._asked(present)
        expected = [self._expected(asked, moves) for moves in means]
        notes = result.notes
        if worlds is None:
            chances = expected
            spread = [_NOT_SAMPLED] * len(asked)
            notes += ("n_samples=0: shifts on the survey's scales have no interval.",)
        else:
            moves = [self._moves(partial(_changes, world, most=_MOST_WORLDS)) for world in worlds]
            chances, spread = self._sampled(asked, moves, options)
        stance, *weights = [
            {
                **own,
                **_numbers(each.scale, [when[n] for when in expected]),
                "before_interval": _points(chances[0][n], each.scale, options.level),
                "after_interval": _points(chances[1][n], each.scale, options.level),
            }
            for n, (each, own) in enumerate(zip(asked, spread, strict=True))
        ]
        reasons = [
            self._reason(question, each, said, weight)
            for question, each, said, weight in zip(
                self._reasons, asked[1:], self._said, weights, strict=True
            )
        ]
        record = {"topic": self.topic.topic, "parameters": self.parameters.fitted_on}
        return replace(
            result,
            survey_stance=AnswerShift(text=self._stance.text, scale=self._stance.scale, **stance),
            reasons=Reasons(self.topic.topic, reasons),
            notes=notes,
            configuration={**result.configuration, "survey": record},
        )

    def _means(
        self, options: Options, plans: Iterable[Plan], worlds: tuple[World, World] | None
    ) -> tuple[float, list[FloatArray]]:
        """Return the stance's mean at present, and how far the means moved before and after."""
        stance = options.model.stance
        if worlds is None or options.exact:
            moments = [paired_moments(options.model, plan) for plan in plans]
            moves = [self._moves(partial(_exact_change, each)) for each in moments]
            return float(moments[0].before[stance]), moves
        moves = [self._moves(partial(_mean_change, world)) for world in worlds]
        return float(worlds[0].base[stance].mean(dtype=np.float64)), moves

    def _moves(self, changes: Callable[[int], FloatArray]) -> FloatArray:
        """Return how far the stance, and the statement of every reason, stand from the present.

        Shape (1 + reasons, worlds); `changes` gives the worlds' changes of a concept by its number.
        """
        stance = changes(self._places[self._reading.graph.stance])
        found = np.zeros((1 + len(self._said), len(stance)))
        found[0] = stance
        for row, near in zip(found[1:], self._said, strict=True):
            for each in near:
                row += each.weight * each.polarity * changes(self._places[each.concept])
        return found

    def _asked(self, present: float) -> list[Asked]:
        """Return the stance and the reasons; `present` is the stance's mean level."""
        level = present * self._reading.standpoint.sureness
        return [
            Asked(
                kind=kind_of(question),
                traits=replace(self._reading.traits(question), level=level),
                scale=question.scale,
                stance_scale=self._stance.scale,
            )
            for question in (self._stance, *self._reasons)
        ]

    def _expected(self, asked: Sequence[Asked], moves: FloatArray) -> list[FloatArray]:
        """Return the probabilities of every answer at moves of shape (1 + reasons, 1)."""
        p = self.parameters.answers
        return [
            forecast(p, replace(each, offset=float(offset))).probabilities
            for each, offset in zip(asked, _offsets(p, asked, moves)[:, 0], strict=True)
        ]

    def _sampled(
        self, asked: Sequence[Asked], moves: Sequence[FloatArray], options: Options
    ) -> tuple[list[list[FloatArray]], list[dict[str, Any]]]:
        """Return, over worlds and parameters, probabilities before and after, and the spread."""
        drawn, count = self._draw_parameters(options.seed), moves[0].shape[1]
        shares = np.array_split(np.arange(count), len(drawn))
        offsets = np.empty((2, len(asked), count))
        for p, own in zip(drawn, shares, strict=True):
            for when in (0, 1):
                offsets[when][:, own] = _offsets(p, asked, moves[when][:, own])
        chances: list[list[FloatArray]] = [[], []]
        spread = []
        for each, at in zip(asked, np.moveaxis(offsets, 1, 0), strict=True):
            grid = np.unique(np.linspace(at.min(), at.max(), _STEPS + 1))
            (group,) = group_asked([replace(each, offset=float(offset)) for offset in grid])
            expected, chance = np.zeros((2, count)), np.zeros((2, len(each.scale.points)))
            for p, own in zip(drawn, shares, strict=True):
                columns = zip(each.scale.points, group.probabilities(p).T, strict=True)
                for k, (point, column) in enumerate(columns):
                    found = np.interp(at[:, own], grid, column)
                    expected[:, own] += point * found
                    chance[:, k] += found.sum(axis=1) / count
            for when in (0, 1):
                chances[when].append(chance[when])
            spread.append(_spread(expected[1] - expected[0], options.level))
        return chances, spread

    def _draw_parameters(self, seed: np.random.SeedSequence) -> list[AnswerParameters]:
        """Draw sets of parameters by their intervals; the given set where there are none."""
        p, known = self.parameters.answers, self.parameters.intervals
        names = [name for name in AnswerParameters.model_fields if name in known]
        if not names:
            return [p]
        own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, _STREAM))
        z = np.random.default_rng(own).standard_normal((_PARAMETER_SETS, len(names)))
        return [
            p.replace(
                **{
                    name: _drawn(name, getattr(p, name), known[name], float(number))
                    for name, number in zip(names, row, strict=True)
                }
            )
            for row in z
        ]

    def _reason(
        self, question: Question, asked: Asked, said: list[Near], numbers: dict[str, Any]
    ) -> ReasonShift:
        acting = any(self._reading.effects.get(near.concept) for near in said)
        polarity = int(np.sign(asked.traits.polarity))
        return ReasonShift(
            code=question.reason_code or "",
            text=question.reason or "",
            scale=question.scale,
            polarity=polarity,
            concepts=tuple(said),
            note="" if acting else _note(bool(said), polarity),
            **numbers,
        )


_NOT_SAMPLED: Final[dict[str, Any]] = {
    "interval": (float("nan"), float("nan")),
    "p_positive": float("nan"),
    "p_negative": float("nan"),
}


def _spread(shifts: FloatArray, level: float) -> dict[str, Any]:
    return {
        "interval": central(shifts, level),
        "p_positive": float((shifts > 0).mean()),
        "p_negative": float((shifts < 0).mean()),
    }


def _offsets(p: AnswerParameters, asked: Sequence[Asked], moves: FloatArray) -> FloatArray:
    """Return by how much every mean moves; the shape is that of `moves`."""
    polarity = np.array([each.traits.polarity for each in asked[1:]])
    stance = (1 - p.stay) * p.effect * moves[:1]
    weights = p.reason_stance * polarity[:, None] * stance + p.reason_moved * moves[1:]
    return np.concatenate([stance, weights])


def _changes(world: World, concept: int, most: int | None = None) -> FloatArray:
    """Return by how much a concept stands from the present in every world, or the first ones."""
    base, moved = world.base[concept][:most], world.moved.get(concept)
    if moved is None:
        return np.zeros(len(base))
    found: FloatArray = np.subtract(moved[:most], base, dtype=np.float64)
    return found


def _mean_change(world: World, concept: int) -> FloatArray:
    return np.array([_changes(world, concept).mean()])


def _exact_change(moments: Moments, concept: int) -> FloatArray:
    return moments.shift[[concept]]


def _drawn(name: str, value: float, interval: tuple[float, float], z: float) -> float:
    """Return a parameter that lies z standard deviations off, on that side of its interval."""
    end = interval[1] if z > 0 else interval[0]
    found = value + abs(z) * (end - value) / _Z95
    if name.endswith("_sd"):
        return max(found, _LEAST_SD)
    return min(max(found, 0.0), 1.0) if name in _SHARES else found


def _numbers(scale: Scale, chances: Sequence[FloatArray]) -> dict[str, float]:
    """Return the expected answers before and after, and their difference."""
    before, after = (float(chance @ np.array(scale.points)) for chance in chances)
    return {"before": before, "after": after, "shift": after - before}


def _points(chances: FloatArray, scale: Scale, level: float) -> tuple[int, int]:
    """Return the points between which an answer lies: quantiles of its distribution."""
    reached = np.cumsum(chances) / chances.sum()
    tail = (1 - level) / 2
    low, high = (int(np.searchsorted(reached, end)) for end in (tail, 1 - tail))
    return scale.points[low], scale.points[high]


def _note(touches: bool, polarity: int) -> str:
    """Say what a weight follows, where no concept that the reason speaks of moves the stance."""
    said = "speaks of concepts that do not move the stance" if touches else (
        "touches no concept of the graph"
    )  # fmt: skip
    if polarity:
        return f"{said}: its weight follows the stance{', and them' if touches else ' alone'}"
    follows = "follows those concepts alone" if touches else "stays where it is"
    return f"{said}, and does not say whether it is for or against: its weight {follows}"
