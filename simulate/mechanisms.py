r"""Mechanisms: how the pushes on a concept become its value.

Every concept follows one structural equation (Pearl, *Causality*, 2009, section 1.4), with the
noise inside the mechanism:

.. math:: x_j = f_j(b_j + \sum_i w_{ij} x_i + e_j)

=========== ==================================== ======================= ==========================
name        f(z)                                 range                   inverse
=========== ==================================== ======================= ==========================
linear      z                                    all numbers (flagged)   x
tanh        tanh z                               (-1, 1)                 atanh x
logistic    2 sigma(z) - 1 = tanh(z / 2)         (-1, 1)                 2 atanh x
threshold   sign z where \|z\| >= theta, else 0    {-1, 0, 1}              none
=========== ==================================== ======================= ==========================

A threshold concept stays "as things are now" until the pushes on it reach `theta`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError, UnknownConceptError, suggestions

__all__ = ["LEVEL_CLIP", "MECHANISMS", "Mechanism", "threshold"]

LEVEL_CLIP: Final = 0.999
"""A baseline nearer to -1 or 1 than this is read as this where the inverse has no end."""

_CODES: Final = {"linear": 0, "tanh": 1, "logistic": 2, "threshold": 3}
MECHANISMS: Final = tuple(_CODES)
"""Names that `mechanism=` takes."""


@dataclass(frozen=True)
class Mechanism:
    """A mechanism with its parameter.

    Parameters
    ----------
    name
        One of `MECHANISMS`.
    theta
        Smallest push that moves a threshold concept; ignored by the others.

    Examples
    --------
    >>> Mechanism("tanh").inverse(0.5).round(3)
    np.float64(0.549)
    >>> Mechanism("threshold", 0.4).forward(np.array([-0.5, 0.3, 0.4]))
    array([-1.,  0.,  1.])
    """

    name: str
    theta: float = 0.5

    def __post_init__(self) -> None:
        if self.name not in _CODES:
            raise InterventionError(
                f"mechanism: {self.name!r} is not one. {suggestions(str(self.name), MECHANISMS)}"
            )
        if not (np.isfinite(self.theta) and self.theta > 0):
            raise InterventionError(
                f"mechanism: theta of a threshold must be a positive number, got {self.theta!r}"
            )

    @property
    def code(self) -> int:
        """Number by which compiled kernels know it."""
        return _CODES[self.name]

    @property
    def invertible(self) -> bool:
        """Whether the push can be read back from the value (what abduction needs)."""
        return self.name != "threshold"

    def forward(self, push: NDArray[np.floating]) -> NDArray[np.floating]:
        """Return f(push) as a new array of the same shape and type."""
        out = np.array(push)
        self.apply(out)
        return out

    def apply(self, values: NDArray[np.floating]) -> None:
        """Replace pushes by values in place: the only function here that writes to its input."""
        if self.name == "tanh":
            np.tanh(values, out=values)
        elif self.name == "logistic":
            np.multiply(values, values.dtype.type(0.5), out=values)
            np.tanh(values, out=values)
        elif self.name == "threshold":
            values[...] = np.sign(values) * (np.abs(values) >= self.theta)

    def inverse(self, value: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return the push that gives this value; levels are clipped to +-0.999 first.

        A threshold has no inverse: the level itself is taken as the push.
        """
        level = np.asarray(value, dtype=np.float64)
        if self.name in ("linear", "threshold"):
            return level
        half = np.arctanh(np.clip(level, -LEVEL_CLIP, LEVEL_CLIP))
        return half if self.name == "tanh" else 2 * half

    def abduct(self, value: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return the exact push behind an observed value, without clipping."""
        level = np.asarray(value, dtype=np.float64)
        if self.name == "linear":
            return level
        return np.arctanh(level) * (1 if self.name == "tanh" else 2)

    def __str__(self) -> str:
        return f"threshold({self.theta:g})" if self.name == "threshold" else self.name


def threshold(theta: float = 0.5) -> Mechanism:
    """Return the mechanism of a concept that stays as it is until the push on it reaches `theta`.

    >>> str(threshold(0.3))
    'threshold(0.3)'
    """
    return Mechanism("threshold", theta)


MechanismLike = str | Mechanism
"""What `mechanism=` takes for one concept."""


def _mechanism(value: MechanismLike) -> Mechanism:
    return value if isinstance(value, Mechanism) else Mechanism(value)


def resolve(
    mechanism: MechanismLike | Mapping[str, MechanismLike], names: tuple[str, ...]
) -> tuple[Mechanism, ...]:
    """Return one mechanism per concept; concepts that a mapping leaves out follow tanh."""
    if not isinstance(mechanism, Mapping):
        return (_mechanism(mechanism),) * len(names)
    for name in mechanism:
        if name not in names:
            raise UnknownConceptError(name, names, "mechanism")
    return tuple(_mechanism(mechanism.get(name, "tanh")) for name in names)
