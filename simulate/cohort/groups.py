"""How the stance's shift is distributed over people, by group and scenario, in bounded memory.

Sums are kept in whole numbers of 2^-40 and quantiles in 4,000 bins of width 0.001 on [-2, 2], so
that the order in which chunks arrive, and their sizes, leave no trace in the result. A quantile is
exact to half a bin; shifts outside [-2, 2], which the linear mechanism can give, count in the outer
bins, and the smallest and largest are kept as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["Distribution", "Gathered"]

_UNIT: Final = 2.0**40
_EDGE: Final = 2.0
_BINS: Final = 4000


@dataclass(frozen=True)
class Distribution:
    """The shifts of the stance of a group's people under one scenario."""

    group: str | None
    """The group; None: people without one."""
    scenario: str
    """The scenario."""
    n: int
    """People who count."""
    not_scored: int
    """People with an error, who do not."""
    mean: float
    """Mean shift over people; NaN where nobody counts."""
    sd: float
    """Standard deviation over people (divided by n)."""
    smallest: float
    """Smallest shift."""
    quantiles: dict[float, float]
    """Shift that 5, 25, 50, 75 and 95 percent stay below, to half of 0.001."""
    largest: float
    """Largest shift."""
    up: float
    """Share of people whose stance rises by more than 0.001."""
    down: float
    """Share of people whose stance falls by more than 0.001."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, fit for JSON; quantiles as q05 to q95."""
        found = {name: value for name, value in vars(self).items() if name != "quantiles"}
        return {**found, **{f"q{100 * q:02.0f}": value for q, value in self.quantiles.items()}}


@dataclass
class _Sums:
    n: int = 0
    not_scored: int = 0
    total: int = 0
    squares: int = 0
    up: int = 0
    down: int = 0
    smallest: float = np.inf
    largest: float = -np.inf
    bins: NDArray[np.int64] = field(default_factory=lambda: np.zeros(_BINS, dtype=np.int64))

    def add(self, shift: NDArray[np.float64]) -> None:
        good = shift[~np.isnan(shift)]
        self.not_scored += len(shift) - len(good)
        if not len(good):
            return
        self.n += len(good)
        self.total += _whole(good)
        self.squares += _whole(good**2)
        self.up += int((good > 1e-3).sum())
        self.down += int((good < -1e-3).sum())
        self.smallest = min(self.smallest, float(good.min()))
        self.largest = max(self.largest, float(good.max()))
        place = np.floor((good + _EDGE) * (_BINS / (2 * _EDGE))).astype(np.int64)
        self.bins += np.bincount(place.clip(0, _BINS - 1), minlength=_BINS)

    def quantile(self, share: float) -> float:
        reached = np.cumsum(self.bins)
        place = int(np.searchsorted(reached, share * self.n))
        middle = (place + 0.5) * (2 * _EDGE / _BINS) - _EDGE
        return float(np.clip(middle, self.smallest, self.largest))


class Gathered:
    """Distributions that are added to, chunk by chunk."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str | None, str], _Sums] = {}

    def add(
        self,
        groups: Sequence[str | None],
        who: NDArray[np.int64],
        scenarios: Sequence[str],
        scenario: NDArray[np.int64],
        shift: NDArray[np.float64],
    ) -> None:
        """Add rows of the stance: one a person and scenario, NaN where there is an error.

        `who` is a row's place in `groups`, `scenario` its place in `scenarios`.
        """
        labels = list(dict.fromkeys(groups))
        place = {label: k for k, label in enumerate(labels)}
        which = np.fromiter(map(place.__getitem__, groups), dtype=np.int64, count=len(groups))[who]
        key = which * len(scenarios) + scenario
        for code in np.unique(key).tolist():
            name = (labels[code // len(scenarios)], scenarios[code % len(scenarios)])
            self._sums.setdefault(name, _Sums()).add(shift[key == code])

    def distributions(self, scenarios: tuple[str, ...]) -> tuple[Distribution, ...]:
        """Return every distribution, groups by name, scenarios as given."""
        order = {name: k for k, name in enumerate(scenarios)}
        keys = sorted(self._sums, key=lambda k: (k[0] is None, k[0] or "", order.get(k[1], 0)))
        return tuple(self._distribution(*key) for key in keys)

    def _distribution(self, group: str | None, scenario: str) -> Distribution:
        found = self._sums[group, scenario]
        n = found.n or np.nan
        mean = found.total / _UNIT / n
        return Distribution(
            group=group,
            scenario=scenario,
            n=found.n,
            not_scored=found.not_scored,
            mean=mean,
            sd=float(np.sqrt(max(found.squares / _UNIT / n - mean**2, 0.0))) if found.n else np.nan,
            smallest=found.smallest if found.n else np.nan,
            quantiles={
                q: found.quantile(q) if found.n else np.nan for q in (0.05, 0.25, 0.5, 0.75, 0.95)
            },
            largest=found.largest if found.n else np.nan,
            up=found.up / n,
            down=found.down / n,
        )


def _whole(values: NDArray[np.float64]) -> int:
    """Return the sum in whole units, which is the same in any order."""
    units = np.rint(values * _UNIT)
    if np.abs(units).max() * len(units) < 2.0**62:
        return int(units.astype(np.int64).sum())
    return sum(int(unit) for unit in units.tolist())
