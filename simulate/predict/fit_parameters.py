"""Fit the graph predictor's few parameters: maximum likelihood, or shrunk towards given ones.

Parameters between 0 and 1 are fitted as log-odds and spreads as logarithms. With `towards`, every
one has a normal prior around the given value in these units, so that few people move it little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logit

from beliefgraph.errors import SurveyError
from beliefgraph.simulate.predict.answer_model import Asked, group_asked
from beliefgraph.simulate.predict.parameters import AnswerParameters, SignParameters
from beliefgraph.simulate.predict.traits import SignTraits

__all__ = ["fit_answers", "fit_signs", "sign_log_odds"]

FloatArray = NDArray[np.float64]
_SHARES: Final = ("stay", "openness", "experience_stay")
_LEAST_PROBABILITY: Final = 1e-6
"""What the model holds impossible still happens: a misread answer, a slip of the hand."""
_VAGUE: Final = 5.0
"""Spread of the prior where nothing is shrunk towards: what no answer bears on stays."""


def fit_answers(
    asked: Sequence[Asked],
    values: Sequence[int],
    *,
    start: AnswerParameters,
    prior_sd: float | None = None,
    begin: AnswerParameters | None = None,
) -> AnswerParameters:
    """Fit how graphs become answers.

    Parameters
    ----------
    asked
        Questions about people, with what their graphs say.
    values
        What they answered.
    start
        What is shrunk towards.
    prior_sd
        How far parameters may stray from `start` (standard deviation, in fitted units); None for
        next to no shrinkage.
    begin
        Where the search begins; `start` by default.

    Raises
    ------
    SurveyError
        There is nothing to fit on, or a value is off its scale.
    """
    if not asked or len(asked) != len(values):
        raise SurveyError(f"got {len(asked)} questions and {len(values)} answers; give one each")
    given = np.array(
        [
            each.scale.points.index(each.scale.check(value, f"answer {n + 1}"))
            for n, (each, value) in enumerate(zip(asked, values, strict=True))
        ]
    )
    groups = [(group, given[list(group.places)]) for group in group_asked(asked)]
    names = list(AnswerParameters.model_fields)

    def make(free: FloatArray) -> AnswerParameters:
        return AnswerParameters(**{n: _back(n, float(f)) for n, f in zip(names, free, strict=True)})

    def surprise(free: FloatArray) -> float:
        parameters, total = make(free), 0.0
        for group, own in groups:
            found = group.probabilities(parameters)[np.arange(len(own)), own]
            total -= float(np.log(np.maximum(found, _LEAST_PROBABILITY)).sum())
        return total

    origin, first = (
        np.array([_free(name, getattr(each, name)) for name in names])
        for each in (start, begin or start)
    )
    return make(_least(surprise, origin, prior_sd, first))


def fit_signs(
    traits: Sequence[SignTraits],
    signs: Sequence[int],
    *,
    start: SignParameters,
    prior_sd: float | None = None,
    only: Sequence[str] = tuple(SignParameters.model_fields),
) -> SignParameters:
    """Fit the log-odds of a positive effect; a sign of 0 ("either") is left out.

    With `only`, the other parameters stay as they are in `start`.

    Raises
    ------
    SurveyError
        There is nothing to fit on.
    """
    kept = [(t, s) for t, s in zip(traits, signs, strict=True) if s != 0]
    if not kept:
        raise SurveyError("there are no signs to fit on")
    design = np.array([_design(t) for t, _ in kept])
    way = np.array([float(s) for _, s in kept])
    names = list(SignParameters.model_fields)
    origin = np.array([getattr(start, name) for name in names])
    free = np.array([name in only for name in names])
    fixed = design[:, ~free] @ origin[~free]
    found = origin.copy()
    found[free] = _least(
        lambda at: float(np.logaddexp(0, -way * (fixed + design[:, free] @ at)).sum()),
        origin[free],
        prior_sd,
    )
    return SignParameters(**dict(zip(names, map(float, found), strict=True)))


def sign_log_odds(parameters: SignParameters, traits: SignTraits) -> float:
    """Return the log-odds that an effect is positive."""
    p = parameters
    return float(_design(traits) @ np.array([p.start, p.near, p.net, p.crowd]))


def _design(traits: SignTraits) -> FloatArray:
    return np.array([1.0, traits.near, traits.net, traits.crowd])


def _least(
    surprise: Callable[[FloatArray], float],
    origin: FloatArray,
    prior_sd: float | None,
    first: FloatArray | None = None,
) -> FloatArray:
    """Minimise surprise plus the prior's around the origin, beginning with `first`."""
    spread = _VAGUE if prior_sd is None else prior_sd

    def objective(free: FloatArray) -> float:
        return surprise(free) + float(((free - origin) ** 2).sum()) / (2 * spread**2)

    found = minimize(objective, origin if first is None else first, method="L-BFGS-B")
    best: FloatArray = found.x
    return best


def _free(name: str, value: float) -> float:
    if name in _SHARES:
        return float(logit(np.clip(value, 1e-4, 1 - 1e-4)))
    return float(np.log(value)) if name.endswith("_sd") else value


def _back(name: str, free: float) -> float:
    if name in _SHARES:
        return float(expit(free))
    return float(np.exp(np.clip(free, -5, 5))) if name.endswith("_sd") else free
