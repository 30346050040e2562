"""Demographics as numbers: fields told apart by their values, and how alike two people are.

A field is numeric where at least half of its known values are a number or a range ("34",
"$75,000-$99,999", "<$10,000", "25.0 to 29.9 percent", "6 to 17 years old"; a range counts as its
middle, an open end as its bound); everything else is categorical. Nothing is known of the names of
fields beforehand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["DemographicEncoder", "NumericRanges", "parse_number"]

FloatArray = NDArray[np.float64]

_N: Final = r"[$€£]?\s*(-?\d[\d,]*(?:\.\d+)?)\s*(?:%|percent)?"
_UNIT: Final = r"\s*(?:years?(?: old)?|yrs?|people|persons|children)?"
_RANGE: Final = re.compile(rf"{_N}{_UNIT}\s*(?:-|\u2013|to)\s*{_N}{_UNIT}", re.IGNORECASE)
_ONE: Final = re.compile(
    rf"(?:<|>|≤|≥|under|over|up to|at least|at most|below|above|(?:less|more) than)?\s*{_N}{_UNIT}"
    r"\s*(?:\+|or (?:more|less|older|younger|over|under))?",
    re.IGNORECASE,
)


def parse_number(text: str) -> float | None:
    """Return the number that a value states, or the middle of its range; None for words.

    >>> parse_number("$75,000-$99,999"), parse_number("<$10,000"), parse_number("Renter")
    (87499.5, 10000.0, None)
    """
    for pattern in (_RANGE, _ONE):
        match = pattern.fullmatch(text.strip())
        if match:
            numbers = [float(each.replace(",", "")) for each in match.groups()]
            return sum(numbers) / len(numbers)
    return None


def _known(demographics: Mapping[str, str], field: str) -> str:
    return demographics.get(field, "").strip()


def _numeric_fields(people: Sequence[Mapping[str, str]]) -> dict[str, list[float]]:
    """Return the fields that hold numbers, with the numbers."""
    found = {}
    for field in dict.fromkeys(name for each in people for name in each):
        values = [value for each in people if (value := _known(each, field))]
        numbers = [n for value in values if (n := parse_number(value)) is not None]
        if len(set(numbers)) > 1 and 2 * len(numbers) >= len(values):
            found[field] = numbers
    return found


@dataclass(frozen=True)
class DemographicEncoder:
    """Columns of numbers for people's demographics, as fitted on some of them.

    A number is standardised, and the mean where it is missing. Every other value is a level with a
    column of 0 and 1: "missing" is one, and levels that few people hold are pooled as "other".
    Columns that are the same for everyone are left out.
    """

    numbers: dict[str, tuple[float, float]]
    """Mean and standard deviation by field."""
    levels: dict[str, tuple[str, ...]]
    """Frequent levels by field, with "other" and "missing" where they occur."""

    @classmethod
    def of(cls, people: Sequence[Mapping[str, str]], least: int = 3) -> DemographicEncoder:
        """Fit the columns to people; a level that fewer than `least` hold is pooled."""
        numbers = {
            field: (float(np.mean(values)), float(np.std(values)))
            for field, values in _numeric_fields(people).items()
        }
        levels = {}
        for field in dict.fromkeys(name for each in people for name in each):
            held = [_level(each, field, numbers) for each in people]
            counts = Counter(level for level in held if level)
            frequent = {level for level, n in counts.items() if n >= least or level == _MISSING}
            seen = Counter(level if level in frequent else _OTHER for level in held if level)
            if len(seen) > 1 or seen.total() < len(people):
                levels[field] = tuple(sorted(seen))
        return cls(numbers, {field: own for field, own in levels.items() if own})

    def encode(self, demographics: Mapping[str, str]) -> FloatArray:
        """Return one person's columns; a level never met counts as "other" where there is one."""
        row = []
        for field, (mean, spread) in self.numbers.items():
            number = parse_number(_known(demographics, field))
            row.append(0.0 if number is None else (number - mean) / spread)
        for field, levels in self.levels.items():
            level = _level(demographics, field, self.numbers)
            if level and level not in levels:
                level = _OTHER
            row += [float(level == each) for each in levels]
        return np.array(row)

    def __len__(self) -> int:
        return len(self.numbers) + sum(map(len, self.levels.values()))


_MISSING: Final = "(missing)"
_OTHER: Final = "(other)"


def _level(demographics: Mapping[str, str], field: str, numeric: Mapping[str, object]) -> str:
    """Return a value as a level; empty for the number of a numeric field."""
    value = _known(demographics, field)
    if not value:
        return _MISSING
    return "" if field in numeric and parse_number(value) is not None else value


@dataclass(frozen=True)
class NumericRanges:
    """Greatest difference between people in every numeric field, for likeness by demographics."""

    ranges: dict[str, float]

    @classmethod
    def of(cls, people: Sequence[Mapping[str, str]]) -> NumericRanges:
        """Take the ranges over people."""
        return cls({f: max(own) - min(own) for f, own in _numeric_fields(people).items()})

    def likeness(self, one: Mapping[str, str], other: Mapping[str, str]) -> float:
        """Return Gower's similarity: 1 for the same values, 0 for wholly different ones.

        The mean over the fields that both people have: of numbers `1 - difference / range` (under
        0 for someone outside the range), of anything else whether they are equal (Gower 1971,
        Biometrics 27). NaN where they have no field in common.
        """
        alike = []
        for field in one:
            a, b = _known(one, field), _known(other, field)
            if not a or not b:
                continue
            x, y = parse_number(a), parse_number(b)
            if field in self.ranges and x is not None and y is not None:
                alike.append(1 - abs(x - y) / self.ranges[field])
            else:
                alike.append(float(a == b))
        return float(np.mean(alike)) if alike else float("nan")
