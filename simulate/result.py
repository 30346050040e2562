"""What a simulation answers: the stance and every concept before and after, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError, MissingPackageError, UnknownConceptError

if TYPE_CHECKING:
    import pandas as pd

    from beliefgraph.graph import BeliefGraph
    from beliefgraph.simulate.fcm import Regimes
    from beliefgraph.simulate.paths import Explanation
    from beliefgraph.simulate.predict.reasons import AnswerShift, Reasons

__all__ = ["Result", "Shift"]

Interval = tuple[float, float]
_COLUMNS = (
    "before",
    "after",
    "shift",
    "low",
    "high",
    "sd",
    "p_positive",
)


@dataclass(frozen=True)
class Shift:
    """One concept before and after an intervention, on the scale [-1, 1]."""

    name: str
    """The concept."""
    before: float
    """Mean before."""
    after: float
    """Mean after."""
    shift: float
    """Mean of after - before over paired worlds."""
    interval: Interval
    """Central interval of the shift."""
    before_interval: Interval
    """Central interval of the value before."""
    after_interval: Interval
    """Central interval of the value after."""
    p_positive: float
    """Probability that the shift is above 0."""
    p_negative: float
    """Probability that the shift is below 0."""
    sd: float
    """Standard deviation of the shift over worlds."""
    se: float
    """Standard error of the mean shift; 0 where it is exact."""

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval of the shift lies on one side of 0."""
        return self.interval[0] > 0 or self.interval[1] < 0

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, fit for JSON."""
        return {
            "name": self.name,
            "before": self.before,
            "after": self.after,
            "shift": self.shift,
            "interval": list(self.interval),
            "before_interval": list(self.before_interval),
            "after_interval": list(self.after_interval),
            "p_positive": self.p_positive,
            "p_negative": self.p_negative,
            "sd": self.sd,
            "se": self.se,
        }

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.name}: {self.before:+.3f} -> {self.after:+.3f}, "
            f"shift {self.shift:+.3f} [{low:+.3f}, {high:+.3f}]"
        )


@dataclass(frozen=True, eq=False)
class Result:
    """The answer to one scenario.

    Examples
    --------
    >>> import beliefgraph as bg
    >>> g = bg.BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    >>> r = bg.intervene(g, do={"rents": 0.8}, mechanism="linear", seed=7)
    >>> r.stance.shift
    -0.4
    >>> print(r.explain())  # doctest: +ELLIPSIS
    Strongest paths to 'support' (shares computed in the linear model)...
      100%  -0.400  rents -> support...
    """

    stance: Shift
    """The stance."""
    concepts: tuple[Shift, ...]
    """Every concept, in graph order."""
    intervenable: tuple[str, ...]
    """Concepts from which a path leads to the stance."""
    intervention: str
    """What was done, in words."""
    notes: tuple[str, ...]
    """What a reader of the numbers should know."""
    configuration: Mapping[str, Any]
    """Every option, the seed and the package version: what it takes to repeat it."""
    survey_stance: AnswerShift | None = None
    """The stance on the survey's own scale, where a survey was given."""
    reasons: Reasons | None = None
    """The weight of every reason on its own scale, where a survey was given."""
    ess: float | None = None
    """Effective number of worlds, where observations weight them."""
    regimes_before: Regimes | None = None
    """With `on_cycle="fcm"`: where each world before ended, and after how many iterations."""
    regimes_after: Regimes | None = None
    """With `on_cycle="fcm"`: the same of each world after."""
    _graph: BeliefGraph | None = field(default=None, repr=False)
    _explain: Callable[[int], Explanation] | None = field(default=None, repr=False)
    _worlds: Callable[[], Worlds] | None = field(default=None, repr=False)

    def concept(self, name: str) -> Shift:
        """Return the shift of one concept.

        Raises
        ------
        UnknownConceptError
            With the nearest names.
        """
        for shift in self.concepts:
            if shift.name == name:
                return shift
        raise UnknownConceptError(name, [shift.name for shift in self.concepts], "result")

    @property
    def moved(self) -> tuple[Shift, ...]:
        """Concepts whose interval of the shift excludes 0, the largest shift first."""
        found = [shift for shift in self.concepts if shift.excludes_zero]
        return tuple(sorted(found, key=lambda shift: -abs(shift.shift)))

    def explain(self, k: int = 5) -> Explanation:
        """Return the k strongest paths that carried the shift to the stance, with their quotes."""
        if self._explain is None:
            raise InterventionError("this result was made without its graph: nothing to explain")
        return self._explain(k)

    def samples(self, name: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the sampled values of a concept before and after, paired by world.

        The worlds are drawn again from the recorded seed, so a result stays small.
        """
        index = [shift.name for shift in self.concepts].index(self.concept(name).name)
        if self._worlds is None:
            raise InterventionError("this result holds no samples (n_samples=0, or counterfactual)")
        worlds = self._worlds()
        return worlds.before(index), worlds.after(index)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a concept, in graph order, indexed by its name.

        Columns: before, after, shift, low and high (the interval of the shift), sd, p_positive.

        Raises
        ------
        MissingPackageError
            pandas is not installed.
        """
        try:
            import pandas as pd
        except ImportError:
            raise MissingPackageError(
                "pandas", "Result.to_frame()", 'pip install "beliefgraph[frames]"'
            ) from None
        rows = [
            (s.before, s.after, s.shift, s.interval[0], s.interval[1], s.sd, s.p_positive)
            for s in self.concepts
        ]
        index = pd.Index([shift.name for shift in self.concepts], name="concept")
        return pd.DataFrame(rows, columns=list(_COLUMNS), index=index)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the samples, fit for JSON."""
        found: dict[str, Any] = {
            "stance": self.stance.to_dict(),
            "concepts": [shift.to_dict() for shift in self.concepts],
            "intervenable": list(self.intervenable),
            "intervention": self.intervention,
            "notes": list(self.notes),
            "survey_stance": self.survey_stance.to_dict() if self.survey_stance else None,
            "reasons": None if self.reasons is None else self.reasons.to_dict(),
            "configuration": dict(self.configuration),
            "package_version": self.configuration["version"],
        }
        for name in ("regimes_before", "regimes_after"):
            regimes = getattr(self, name)
            if regimes is not None:
                found[name] = regimes.to_dict()
        return found

    def __repr__(self) -> str:
        percent = f"{100 * self.configuration['level']:g}%"
        s = self.stance
        notes = f", {len(self.notes)} note{'s' * (len(self.notes) != 1)}" if self.notes else ""
        return (
            f"<Result {self.intervention}: {s.name!r} {s.before:+.3f} -> {s.after:+.3f}, "
            f"shift {s.shift:+.3f}, {percent} interval [{s.interval[0]:+.3f}, "
            f"{s.interval[1]:+.3f}]{notes}>"
        )


@dataclass(frozen=True, eq=False)
class Worlds:
    """Sampled values before and after, by concept number, with the worlds' weights."""

    before: Callable[[int], NDArray[np.float32]]
    after: Callable[[int], NDArray[np.float32]]
    weights: NDArray[np.float64] | None = None


def central(
    values: NDArray[np.floating], level: float, weights: NDArray[np.float64] | None = None
) -> Interval:
    """Return the central interval of samples that holds the share `level`.

    >>> tuple(round(end, 6) for end in central(np.arange(101.0), 0.9))
    (5.0, 95.0)
    """
    tail = (1 - level) / 2
    if weights is None:
        low, high = _two_quantiles(values, tail)
        return low, high
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    places = np.searchsorted(reached, [tail, 1 - tail]).clip(0, len(values) - 1)
    return float(values[order[places[0]]]), float(values[order[places[1]]])


def _two_quantiles(values: NDArray[np.floating], tail: float) -> Interval:
    """Linear interpolation between order statistics, as numpy's default.

    One partition a quantile: those with a single pivot are the ones that numpy has vectorised.
    """
    last = len(values) - 1
    low, rest = _order_statistic(values, last * tail)
    high, _ = _order_statistic(rest, last * (1 - tail) - (len(values) - len(rest)))
    return low, high


def _order_statistic(
    values: NDArray[np.floating], spot: float
) -> tuple[float, NDArray[np.floating]]:
    """Return the interpolated order statistic at `spot`, and the values from there on."""
    below = min(max(int(spot), 0), len(values) - 1)
    parted = np.partition(values, below)
    found = float(parted[below])
    if below + 1 < len(values):
        found += (spot - below) * (float(parted[below + 1 :].min()) - found)
    return found, parted[below:]


def sampled_shift(
    name: str,
    before: NDArray[np.floating],
    after: NDArray[np.floating] | None,
    level: float,
    weights: NDArray[np.float64] | None = None,
    before_interval: Interval | None = None,
) -> Shift:
    """Summarise the paired samples of one concept; `after` None says that it did not move."""
    if before_interval is None:
        before_interval = central(before, level, weights)
    start = _mean(before, weights)
    if after is None:
        return Shift(
            name=name,
            before=start,
            after=start,
            shift=0.0,
            interval=(0.0, 0.0),
            before_interval=before_interval,
            after_interval=before_interval,
            p_positive=0.0,
            p_negative=0.0,
            sd=0.0,
            se=0.0,
        )
    change = after - before
    mean = _mean(change, weights)
    sd = float(np.sqrt(max(_mean((change - mean) ** 2, weights), 0.0)))
    n = len(change) if weights is None else float(weights.sum() ** 2 / (weights**2).sum())
    return Shift(
        name=name,
        before=start,
        after=start + mean,
        shift=mean,
        interval=central(change, level, weights),
        before_interval=before_interval,
        after_interval=central(after, level, weights),
        p_positive=_mean(change > 0, weights),
        p_negative=_mean(change < 0, weights),
        sd=sd,
        se=sd / float(np.sqrt(n)),
    )


def _mean(values: NDArray[Any], weights: NDArray[np.float64] | None) -> float:
    if weights is None:
        return float(values.mean(dtype=np.float64))
    return float(np.dot(weights, values) / weights.sum())
