r"""How an answer changes: part of it is replaced by what the own graph says, and the shift added.

With x the person's own level before, g what the influences say it is given the levels of its causes
(`LearnedGraph.implied`), and Delta the shift that the graph predicts for an intervention,

.. math::
    x' = x \text{ with probability } s, \text{ else }
       \sim N(x + \rho\,(g - x) + \kappa\,\Delta,\; \sigma)

rho is the re-evaluation: what the influences do not explain of a level is partly the error of one
answer and partly the person's own, and only the latter stays. kappa below 1 says that changes of
causes are themselves read with error. Answers are rounded and pile up at the ends of the scale
(`beliefgraph.simulate.predict.readout`). Four numbers, fitted over people by maximum likelihood.
"""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.records import Record
from beliefgraph.simulate.predict.readout import Loss, answer_probabilities, decide, from_scale
from beliefgraph.survey import Scale

__all__ = ["Reevaluation", "best_points", "expected_change", "fit_reevaluation"]

Floats = NDArray[np.float64]
_START: Final = (0.3, 0.5, float(np.log(0.2)), -2.0)
_LEAST_PROBABILITY: Final = 1e-9
_ROUNDING: Final = 1e-9


class Reevaluation(Record):
    """What becomes of an answer; all in units in which the scale spans [-1, 1]."""

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    openness: float
    """Share of what the graph does not explain that is given up (rho)."""
    effect: float
    """Share of the predicted shift that is seen in answers (kappa)."""
    sd: float = Field(gt=0)
    """Standard deviation of an answer given anew."""
    stay: float = Field(ge=0, le=1)
    """Share of people who give the same answer again."""

    def standpoint(self, before: ArrayLike, implied: ArrayLike, shift: ArrayLike) -> Floats:
        """Return where the person would stand when answering anew; arrays of one shape.

        >>> Reevaluation(openness=0.5, effect=1, sd=0.2, stay=0).standpoint(0.2, 0.4, 0.1)
        array(0.4)
        """
        own = np.asarray(before, dtype=float)
        anew = own + self.openness * (np.asarray(implied) - own) + self.effect * np.asarray(shift)
        return np.asarray(anew, dtype=float)

    def probabilities(
        self, before: ArrayLike, implied: ArrayLike, shift: ArrayLike, scale: Scale
    ) -> Floats:
        """Return the probability of every answer, shape (people, points).

        Parameters
        ----------
        before
            (people,) the answers before, on the scale.
        implied, shift
            (people,) in [-1, 1] units.
        scale
            The answers that are allowed.

        Raises
        ------
        SurveyError
            An answer before is none of the points.
        """
        places = _places(before, scale, "before")
        own = from_scale(np.array(scale.points, dtype=float)[places], scale)
        anew = answer_probabilities(self.standpoint(own, implied, shift), self.sd, scale)
        found: Floats = (1 - self.stay) * anew
        found[np.arange(len(places)), places] += self.stay
        return found


def fit_reevaluation(
    before: ArrayLike,
    implied: ArrayLike,
    shift: ArrayLike,
    after: ArrayLike,
    scale: Scale,
) -> Reevaluation:
    """Fit what becomes of answers, by maximum likelihood.

    Parameters
    ----------
    before, after
        (people,) answers on the scale.
    implied, shift
        (people,) what the graph says, in [-1, 1] units. Where all shifts are 0, `effect` is 0;
        where `implied` is the own level, `openness` is 0.
    scale
        The answers that are allowed.

    Raises
    ------
    SurveyError
        An answer is none of the points, or there is nobody.
    """
    from scipy.optimize import minimize
    from scipy.special import expit, ndtr

    first, second = _places(before, scale, "before"), _places(after, scale, "after")
    says, moved = np.asarray(implied, dtype=float), np.asarray(shift, dtype=float)
    if not (len(first) == len(second) == len(says) == len(moved)) or not len(first):
        raise SurveyError(
            "before, implied, shift and after need one number a person and at least one person, "
            f"got {len(first)}, {len(says)}, {len(moved)} and {len(second)}"
        )
    points = np.array(scale.points, dtype=float)
    own = from_scale(points[first], scale)
    same = first == second
    # only the answer given has to be worked out, between the midpoints around it
    ends = np.concatenate([[-np.inf], from_scale((points[1:] + points[:-1]) / 2, scale), [np.inf]])
    below, above = ends[second], ends[second + 1]
    # what nothing bears on stays at 0, and the search is not sent there
    bears = [not np.allclose(says, own, atol=_ROUNDING), not np.allclose(moved, 0, atol=_ROUNDING)]
    free = np.array(bears, dtype=float)

    def make(x: Floats) -> Reevaluation:
        return Reevaluation(
            openness=float(x[0] * free[0]),
            effect=float(x[1] * free[1]),
            sd=float(np.exp(np.clip(x[2], -6, 3))),
            stay=float(expit(x[3])),
        )

    def surprise(x: Floats) -> float:
        p = make(x)
        mean = p.standpoint(own, says, moved)
        anew = ndtr((above - mean) / p.sd) - ndtr((below - mean) / p.sd)
        found = (1 - p.stay) * anew + p.stay * same
        return -float(np.log(np.maximum(found, _LEAST_PROBABILITY)).sum())

    return make(minimize(surprise, np.array(_START), method="L-BFGS-B").x)


def best_points(probabilities: Floats, scale: Scale, loss: Loss = "absolute") -> NDArray[np.int64]:
    """Return the best answer of every row for a loss (see `readout.decide`), shape (people,)."""
    return np.array([decide(row, scale, loss) for row in probabilities], dtype=np.int64)


def expected_change(probabilities: Floats, before: ArrayLike, scale: Scale) -> Floats:
    """Return the expected answer less the one before, in points, shape (people,).

    Its sign is the direction to name where a change is known to have happened.
    """
    points = np.array(scale.points, dtype=float)
    change: Floats = probabilities @ points - np.asarray(before, dtype=float)
    return change


def _places(answers: ArrayLike, scale: Scale, where: str) -> NDArray[np.int64]:
    """Return the place of every answer among the scale's points."""
    given = np.asarray(answers)
    points = np.array(scale.points)
    if given.ndim != 1 or not np.isin(given, points).all():
        odd = given.ravel()[~np.isin(given.ravel(), points)][:1].tolist()
        raise SurveyError(
            f"{where}: one answer a person, each of {scale}; got the shape {given.shape}"
            + (f" and {odd[0]!r}" if odd else "")
        )
    return np.searchsorted(points, given)
