"""Answer scales: their points, the tolerance that goes with them, and one common 5-point scale."""

from __future__ import annotations

from typing import ClassVar, Final, Self

from pydantic import Field, model_validator

from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.records import Record

__all__ = ["SIGN_SCALE", "Scale"]

_TOLERANCES: Final = ((3, 0), (7, 1), (11, 2))
"""Number of points up to which a tolerance holds: 0 up to 3 points, 1 up to 7, 2 up to 11."""


class Scale(Record):
    """The integer points that an answer can take, in order.

    Examples
    --------
    >>> Scale.between(1, 10).tolerance, Scale.between(1, 5).tolerance, SIGN_SCALE.tolerance
    (2, 1, 0)
    >>> Scale.between(1, 10).in_five(10)
    5.0
    """

    error: ClassVar[type[BeliefGraphError]] = SurveyError

    points: tuple[int, ...] = Field(min_length=2)
    """Every possible answer, ascending."""
    labels: tuple[str, ...] = ()
    """What the points are called, in the same order; empty where they are just numbers."""

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if list(self.points) != sorted(set(self.points)):
            raise SurveyError(f"the points of a scale must ascend, got {self.points}")
        if self.labels and len(self.labels) != len(self.points):
            raise SurveyError(
                f"a scale of {len(self.points)} points has {len(self.labels)} labels: "
                f"{self.labels}; give one each, or none"
            )
        return self

    @classmethod
    def between(cls, low: int, high: int) -> Self:
        """Make a scale of all integers from `low` to `high`."""
        if not low < high:
            raise SurveyError(f"a scale must ascend, got {low} to {high}")
        return cls(points=tuple(range(low, high + 1)))

    @property
    def low(self) -> int:
        """The least answer."""
        return self.points[0]

    @property
    def high(self) -> int:
        """The greatest answer."""
        return self.points[-1]

    @property
    def middle(self) -> int:
        """The point nearest to the middle; the lower of two."""
        return self.points[(len(self.points) - 1) // 2]

    @property
    def tolerance(self) -> int:
        """How far an answer may be off and still count as right (HugAgent: 1 of 5, 2 of 10).

        By the number of points: 0 up to 3 points, 1 up to 7, 2 up to 11; a fifth of the range
        where there are more.
        """
        n = len(self.points)
        return next((t for most, t in _TOLERANCES if n <= most), (self.high - self.low) // 5)

    def in_five(self, value: float) -> float:
        """Map a value linearly onto 1..5, ends onto ends."""
        return 1 + 4 * (value - self.low) / (self.high - self.low)

    def check(self, value: object, where: str) -> int:
        """Return the value, where it is one of the points.

        Raises
        ------
        SurveyError
            It is not; names the place, the scale and the value.
        """
        if isinstance(value, bool) or not isinstance(value, int) or value not in self.points:
            raise SurveyError(f"{where}: must be one of {self}, got {value!r}")
        return value

    def __str__(self) -> str:
        if self.labels:
            return ", ".join(
                f"{p} ({label})" for p, label in zip(self.points, self.labels, strict=True)
            )
        if len(self.points) == self.high - self.low + 1:
            return f"{self.low}..{self.high}"
        return ", ".join(map(str, self.points))


SIGN_SCALE: Final = Scale(points=(-1, 1), labels=("B", "A"))
"""Sign of an effect: A is positive, B negative, as the HugAgent items code it."""
