r"""One model for stance and reasons: what a graph says becomes answers before and after a scenario.

With l the stated level, z the stance and w a reason's weight, all in units in which a scale spans
[-1, 1], and where the person said nothing on the topic, from the `Profile` on other topics the
level m, the trust t, the acquiescence q and the concern v for what a reason speaks of:

.. math::
    z &\sim N(a + b_l l + b_m m + b_t t + b_q q,\; \sigma) \\
    z' &= z \text{ with probability } s, \text{ else }
        \sim N(z + \rho\,(g - z) + \kappa\,\Delta + \kappa_p\,\Delta_p,\; \sigma') \\
    w &\sim N(c + c_k\,\text{known} + c_s\,\text{size} + c_z\,\text{polarity}\,z + c_v v + b_q q,\;
        \tau)

Delta is the stance shift that the person's own graph predicts for ``do(scenario)``, Delta_p what
other people's beliefs add for concepts that the person lacks; the other part of z' is
re-evaluation: a part of the old stance is replaced, and whoever stands at an end of the scale can
only come back. After a scenario, w follows z' and what the scenario makes true. Where the person's
own earlier answer is known (*state-given*), z or w starts from it; where not, it is summed over.
Answers are read out by `beliefgraph.simulate.predict.readout`.

The balance of the reasons for and against is not in z: that crime speaks for cameras says what a
person thinks crime does, not whether the person is for them. On synthetic people and on real ones
it goes with the stance at a correlation between -.1 and .1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.simulate.predict.parameters import AnswerParameters
from beliefgraph.simulate.predict.readout import answer_probabilities, from_scale
from beliefgraph.simulate.predict.traits import Kind, Traits
from beliefgraph.survey import Scale

__all__ = ["Asked", "AskedGroup", "Forecast", "forecast", "group_asked"]

FloatArray = NDArray[np.float64]
_LATER: Final = ("after", "experience")
"""Kinds whose change from the baseline stance is of interest."""


@dataclass(frozen=True)
class Asked:
    """One question about one person: what bears on it, and what is known of earlier answers."""

    kind: Kind
    """How the answer comes about."""
    traits: Traits
    """What the graph says."""
    scale: Scale
    """The answers that are allowed."""
    stance_scale: Scale
    """Scale of the baseline stance."""
    stance: int | None = None
    """The person's own baseline stance, where it is known."""
    start: int | None = None
    """The person's own earlier weight of the reason, where it is known."""
    offset: float = 0.0
    """Added to the mean: what other people's answers to the question say, where allowed."""


@dataclass(frozen=True)
class Forecast:
    """Probabilities of an answer."""

    probabilities: FloatArray
    """Of every point of the scale."""
    change: FloatArray | None
    """That it is below, at and above the own baseline stance; None for reasons and the baseline."""


def forecast(parameters: AnswerParameters, asked: Asked) -> Forecast:
    """Return the probabilities of one answer."""
    (group,) = group_asked([asked])
    return Forecast(
        group.probabilities(parameters)[0],
        group.change(parameters)[0] if asked.kind in _LATER else None,
    )


def group_asked(asked: Sequence[Asked]) -> list[AskedGroup]:
    """Sort questions into groups that are worked out in one go."""
    places: dict[tuple[object, ...], list[int]] = {}
    for n, each in enumerate(asked):
        key = (each.kind, each.scale, each.stance_scale, each.stance is None, each.start is None)
        places.setdefault(key, []).append(n)
    return [AskedGroup([asked[n] for n in own], own) for own in places.values()]


class AskedGroup:
    """Questions of one kind, scale and knowledge, as arrays.

    Parameters
    ----------
    asked
        The questions.
    places
        Where they stood among all.
    """

    def __init__(self, asked: Sequence[Asked], places: Sequence[int]) -> None:
        first = asked[0]
        self.places = tuple(places)
        self.kind, self.scale, self._stances = first.kind, first.scale, first.stance_scale
        self._traits = {
            name: np.array([getattr(each.traits, name) for each in asked])
            for name in Traits.__dataclass_fields__
        }
        self._offset = np.array([each.offset for each in asked])
        self._known = first.stance is not None
        if self._known:
            starts = [[each.stance] for each in asked]
        else:
            starts = [list(first.stance_scale.points)] * len(asked)
        self._starts = np.array(starts, dtype=np.float64)  # (questions, baseline stances)
        self._z = from_scale(self._starts, first.stance_scale)
        self._own = (
            None if first.start is None else np.array([float(each.start or 0) for each in asked])
        )

    def probabilities(self, p: AnswerParameters) -> FloatArray:
        """Return the probability of every point, shape (questions, points)."""
        if self.kind == "stance":
            return answer_probabilities(
                self._stance_mean(p) + self._offset, p.stance_sd, self.scale
            )
        joint: FloatArray = self._joint(p).sum(axis=1)
        return joint if self._own is None else self._from_own(p)

    def change(self, p: AnswerParameters) -> FloatArray:
        """Return the probabilities of an answer below, at and above the baseline stance."""
        way = np.sign(np.array(self.scale.points) - self._starts[:, :, None])
        joint = self._joint(p)
        return np.stack([(joint * (way == sign)).sum(axis=(1, 2)) for sign in (-1, 0, 1)], axis=1)

    def _joint(self, p: AnswerParameters) -> FloatArray:
        """Return probabilities of baseline stance and answer: (questions, stances, points)."""
        mean, sd = self._mean(p)
        given = answer_probabilities(mean, sd, self.scale)
        if self.kind in _LATER:
            same = np.array(self.scale.points) == self._starts[:, :, None]
            stay = self._stay(p)[:, None, None] * same.any(axis=2, keepdims=True)
            given = stay * same + (1 - stay) * given
        if self._known:
            return given
        before = answer_probabilities(self._stance_mean(p), p.stance_sd, self._stances)
        return before[:, :, None] * given

    def _stay(self, p: AnswerParameters) -> FloatArray:
        """Return the share of people who repeat the number of their baseline stance."""
        if self.kind == "after":
            return np.full(len(self._offset), p.stay)
        favourable: FloatArray = (self._traits["polarity"] > 0).astype(np.float64)
        return p.experience_stay * favourable

    def _mean(self, p: AnswerParameters) -> tuple[FloatArray, float]:
        """Return mean and spread of the answer by baseline stance: (questions, stances)."""
        t, z, offset = self._traits, self._z, self._offset[:, None]
        if self.kind == "experience":
            polarity = t["polarity"][:, None]
            mean = p.experience_start + p.experience_stance * polarity * z + offset
            return mean, p.experience_sd
        shift = p.effect * t["effect"] + p.effect_pooled * t["pooled"]
        anew = z + p.openness * (p.pull - z) + shift[:, None]
        if self.kind == "after":
            return anew + offset, p.after_sd
        if self.kind == "reason_after":
            z = z + (1 - p.stay) * (anew - z)
            offset = offset + p.reason_moved * t["moved"][:, None]
        own = p.reason_start + p.reason_known * t["known"] + p.reason_size * t["size"]
        own = own + p.reason_valued * t["valued"] + p.acquiescence * t["acquiescence"]
        mean = own[:, None] + p.reason_stance * t["polarity"][:, None] * z + offset
        return mean, p.reason_sd

    def _from_own(self, p: AnswerParameters) -> FloatArray:
        """Return the probabilities of a weight that starts from the own earlier one."""
        assert self._own is not None
        mean, _ = self._mean(p)
        weights = np.ones(1)
        if not self._known:
            weights = answer_probabilities(self._stance_mean(p), p.stance_sd, self._stances)
        target = (weights * mean).sum(axis=1)
        known = from_scale(self._own, self.scale)
        moved = known + p.openness * (target - known)
        anew = answer_probabilities(moved, p.after_sd, self.scale)
        same = np.array(self.scale.points) == self._own[:, None]
        found: FloatArray = p.stay * same + (1 - p.stay) * anew
        return found

    def _stance_mean(self, p: AnswerParameters) -> FloatArray:
        t = self._traits
        own = p.stance_start + p.stance_level * t["level"]
        profile = p.stance_elsewhere * t["elsewhere"] + p.stance_trust * t["trust"]
        return own + profile + p.acquiescence * t["acquiescence"]
