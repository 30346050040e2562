"""What a metric is: sums over people, and a function of those sums.

Every metric here is a function of sums over items (of counts, errors, products, cells of a
table). The sums are taken once for every person and domain; then a domain, all domains together,
one person, everyone but one, or people drawn with replacement are all weighted sums of the same
numbers, and no item has to be touched again. `ati` is a function of other metrics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from beliefgraph.benchmark.metrics.table import BoolArray, FloatArray, IntArray, OutcomeTable
from beliefgraph.benchmark.metrics.variant import Variant
from beliefgraph.survey import Task

__all__ = [
    "BDU",
    "CompositeMetric",
    "Direction",
    "Metric",
    "Parts",
    "SumMetric",
    "bdu_items",
    "bsi_items",
    "divide",
    "means",
]

Direction: TypeAlias = Literal["higher", "lower", "none"]
BDU: tuple[Task, ...] = ("bdu_stance", "bdu_reason")
Combine: TypeAlias = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Parts:
    """What one metric adds up: `values` of the items `rows`, into `columns` of a row of sums.

    Column 0 is the number of items (or pairs) that count.
    """

    rows: IntArray
    columns: IntArray
    values: FloatArray
    width: int
    """Number of columns."""
    combine: Combine
    """From sums of shape (..., width) to figures of shape (...); NaN where not scored."""

    @classmethod
    def dense(cls, rows: IntArray, columns: Sequence[FloatArray], combine: Combine) -> Parts:
        """Sum one array a column over the same rows; a first column that counts them is added."""
        every = np.stack([np.ones(len(rows)), *columns], axis=1)
        width = every.shape[1]
        return cls(
            np.repeat(rows, width),
            np.tile(np.arange(width), len(rows)),
            every.reshape(-1),
            width,
            combine,
        )

    @classmethod
    def cells(
        cls, rows: IntArray, cells: Sequence[IntArray], width: int, combine: Combine
    ) -> Parts:
        """Count the rows in column 0, and once in each of their cells (columns from 1)."""
        columns = [np.zeros(len(rows), dtype=np.int64), *(1 + cell for cell in cells)]
        return cls(
            np.tile(rows, len(columns)),
            np.concatenate(columns),
            np.ones(len(rows) * len(columns)),
            1 + width,
            combine,
        )

    def sums(self, table: OutcomeTable) -> FloatArray:
        """Add up by person and domain: shape (participants, topics, width)."""
        shape = (len(table.participants), len(table.topics), self.width)
        group = table.participant[self.rows] * shape[1] + table.topic[self.rows]
        flat = np.zeros(shape[0] * shape[1] * self.width)
        np.add.at(flat, group * self.width + self.columns, self.values)
        return flat.reshape(shape)


@dataclass(frozen=True)
class Metric:
    """What a reader must know of a figure."""

    name: str
    title: str
    formula: str
    source: str
    direction: Direction
    """Whether higher or lower figures are better; none where `best` lies inside the range."""
    low: float
    high: float
    best: float
    unit: str
    tasks: tuple[Task, ...]
    """Items that it is about."""
    needs: str
    """What it cannot be computed without."""


@dataclass(frozen=True)
class SumMetric(Metric):
    """A function of sums over items."""

    measure: Callable[[OutcomeTable, Variant], Parts]


@dataclass(frozen=True)
class CompositeMetric(Metric):
    """A function of other metrics' figures in the same scope."""

    of: tuple[str, ...]
    combine: Callable[[Mapping[str, FloatArray]], FloatArray]


def bsi_items(table: OutcomeTable, variant: Variant) -> BoolArray:
    """Say which items are signs that count."""
    return table.is_task("bsi") & _counted(table, variant)


def bdu_items(table: OutcomeTable, variant: Variant) -> BoolArray:
    """Say which items are stances and reason weights that count."""
    chosen = table.is_task("bdu_stance") if variant.items == "stance" else table.is_task(*BDU)
    if variant.items == "without_experience":
        chosen = chosen & ~table.is_role("experience")
    return chosen & _counted(table, variant)


def _counted(table: OutcomeTable, variant: Variant) -> BoolArray:
    return table.answered | (variant.unparsed == "wrong")


def divide(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Divide; NaN where the whole is 0."""
    shape = np.broadcast_shapes(part.shape, whole.shape)
    ratio: FloatArray = np.divide(part, whole, out=np.full(shape, np.nan), where=whole != 0)
    return ratio


def means(rows: BoolArray, values: FloatArray, scale: float = 1.0) -> Parts:
    """Return the mean of a value over the rows, times a scale (100 for percent)."""
    chosen = np.flatnonzero(rows)
    return Parts.dense(
        chosen, [values[chosen]], lambda sums: scale * divide(sums[..., 1], sums[..., 0])
    )
