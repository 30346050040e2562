"""One number of a report with its interval, and how it is written.

A percentage and the ATI are written with one decimal, points and coefficients with two: the
participant intervals of a study of this size are wider than the next digit. A figure that was not
scored is NaN, and is written as "not scored" with the reason beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import Final, Literal, TypeAlias

__all__ = ["NOT_SCORED", "Figure", "Unit", "number_text", "p_text"]

Unit: TypeAlias = Literal["percent", "points", "index", "coefficient"]
"""What a number counts: percent, points of a scale, the ATI's 0 to 100, or nothing."""

NOT_SCORED: Final = "not scored"
_DECIMALS: Final[dict[Unit, int]] = {"percent": 1, "points": 2, "index": 1, "coefficient": 2}
_MINUS: Final = "\u2212"  # as wide as a plus, and no line break after it


@dataclass(frozen=True, slots=True)
class Figure:
    """A number, its interval over people, and why there is none where there is none.

    Examples
    --------
    >>> Figure(62.23, 55.0, 70.04, "percent").text
    '62.2 [55.0, 70.0]'
    >>> Figure(nan, reason="no items").text
    'not scored'
    """

    value: float
    low: float = nan
    high: float = nan
    unit: Unit = "percent"
    reason: str = ""
    """Why it is not scored, or has no interval."""

    @property
    def scored(self) -> bool:
        """Whether there is a number."""
        return not isnan(self.value)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not (isnan(self.low) or isnan(self.high))

    @property
    def number(self) -> str:
        """The number alone."""
        return number_text(self.value, self.unit)

    @property
    def interval(self) -> str:
        """The interval alone; empty where there is none."""
        if not self.has_interval:
            return ""
        return f"[{number_text(self.low, self.unit)}, {number_text(self.high, self.unit)}]"

    @property
    def text(self) -> str:
        """The number with its interval."""
        return f"{self.number} {self.interval}".strip()

    def signed(self) -> str:
        """Write a difference: number and interval with their signs."""
        parts = [number_text(self.value, self.unit, signed=True)]
        if self.has_interval:
            low, high = (number_text(x, self.unit, signed=True) for x in (self.low, self.high))
            parts.append(f"[{low}, {high}]")
        return " ".join(parts)


def number_text(value: float, unit: Unit, *, signed: bool = False) -> str:
    """Write a number with the decimals of its unit.

    >>> number_text(-0.04, "percent"), number_text(1.2434, "points")
    ('0.0', '1.24')
    >>> number_text(3.14, "percent", signed=True), number_text(-2.5, "index") == "\N{MINUS SIGN}2.5"
    ('+3.1', True)
    """
    if isnan(value):
        return NOT_SCORED
    shown = f"{abs(value):.{_DECIMALS[unit]}f}"
    if float(shown) == 0:
        return shown
    return f"{_MINUS if value < 0 else '+' if signed else ''}{shown}"


def p_text(p: float) -> str:
    """Write a p-value.

    >>> p_text(0.2146), p_text(0.00799), p_text(0.0002), p_text(float("nan"))
    ('0.21', '0.008', '< 0.001', 'not scored')
    """
    if isnan(p):
        return NOT_SCORED
    if p < 0.0005:
        return "< 0.001"
    return f"{p:.2f}" if p >= 0.095 else f"{p:.3f}"
