"""The rows of a cohort's answer: person x scenario x concept, as columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import MissingPackageError

__all__ = ["COLUMNS", "KINDS", "NUMBERS", "Rows", "frame_of", "stacked"]

NUMBERS: Final = ("before", "after", "shift", "sd", "low", "high", "p_positive", "se")
"""Columns that hold numbers: on the scale of the graph, or of the survey's question; NaN in an
error's row."""
KINDS: Final = ("concept", "stance", "error", "survey_stance", "reason")
"""What a row is about: a concept of the graph, the one that is the stance, nothing (there is an
error), the stance on a survey's scale, or a reason of the survey, named by its code."""
COLUMNS: Final = (
    "number", "person", "group", "scenario", "kind", "concept", *NUMBERS, "error"
)  # fmt: skip
"""Every column, in order."""


@dataclass(frozen=True, eq=False)
class Rows:
    """R rows about the people of one chunk."""

    first: int
    """Number of the chunk's first person in the cohort."""
    person: Sequence[str | None]
    """(P,) participants; None where a graph names none."""
    group: Sequence[str | None]
    """(P,) their groups."""
    scenarios: tuple[str, ...]
    """Names of the scenarios."""
    concepts: Sequence[str]
    """Names of concepts."""
    who: NDArray[np.int64]
    """(R,) person, counted within the chunk."""
    scenario: NDArray[np.int64]
    """(R,) number of the scenario."""
    concept: NDArray[np.int64]
    """(R,) place in `concepts`, or -1 where there is an error."""
    kind: NDArray[np.int64]
    """(R,) place in `KINDS`."""
    numbers: dict[str, NDArray[np.float64]]
    """(R,) each, by column."""
    errors: dict[int, str]
    """What went wrong, by row."""

    def __len__(self) -> int:
        return len(self.who)

    @cached_property
    def labels(self) -> tuple[list[str], list[str | None]]:
        """(P,) names of the people, their number where they have none, and (P,) groups."""
        people, groups = _texts(self.person), _texts(self.group)
        if None in people:
            people = [
                str(self.first + k) if name is None else name for k, name in enumerate(people)
            ]
        return people, groups

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return every column as a numpy array; texts as objects."""
        people, groups = self.labels
        error = np.full(len(self), None, dtype=object)
        error[list(self.errors)] = list(self.errors.values())
        return {
            "number": self.first + self.who,
            "person": np.array(people, dtype=object)[self.who],
            "group": np.array(groups, dtype=object)[self.who],
            "scenario": np.array(self.scenarios, dtype=object)[self.scenario],
            "kind": np.array(KINDS, dtype=object)[self.kind],
            "concept": np.array([*self.concepts, None], dtype=object)[self.concept],
            **self.numbers,
            "error": error,
        }

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield one row at a time, fit for JSON: None where there is no number."""
        columns = {name: column.tolist() for name, column in self.columns().items()}
        for values in zip(*columns.values(), strict=True):
            row = dict(zip(columns, values, strict=True))
            for name in NUMBERS:
                if math.isnan(row[name]):
                    row[name] = None
            yield row

    def to_json_lines(self) -> str:
        """Return one JSON object a line."""
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in self.records())

    def to_arrow(self) -> Any:
        """Return a pyarrow table; repeated texts are kept once."""
        import pyarrow as pa

        people, groups = self.labels

        def worded(words: Sequence[str | None], place: NDArray[np.int64]) -> Any:
            # -1 stands for no concept
            found = pa.array(place.astype(np.int32), pa.int32(), mask=place < 0)
            return pa.DictionaryArray.from_arrays(found, pa.array(words, pa.string())).cast(
                pa.string()
            )

        if self.errors:
            words = np.full(len(self), None, dtype=object)
            words[list(self.errors)] = list(self.errors.values())
            error = pa.array(words, pa.string())
        else:
            error = pa.nulls(len(self), pa.string())
        return pa.table(
            {
                "number": pa.array(self.first + self.who, pa.int64()),
                "person": worded(people, self.who),
                "group": worded(groups, self.who),
                "scenario": worded(self.scenarios, self.scenario),
                "kind": worded(KINDS, self.kind),
                "concept": worded(list(self.concepts), self.concept),
                **{name: pa.array(self.numbers[name], pa.float64()) for name in NUMBERS},
                "error": error,
            }
        )


def _texts(values: Any) -> list[Any]:
    """Return a list of a sequence or a pyarrow array."""
    found: list[Any] = values.to_pylist() if hasattr(values, "to_pylist") else list(values)
    return found


def stacked(parts: list[Rows]) -> dict[str, NDArray[Any]]:
    """Return the columns of several chunks, one below the other."""
    columns = [part.columns() for part in parts]
    return {name: np.concatenate([found[name] for found in columns]) for name in COLUMNS}


def frame_of(columns: Any) -> Any:
    """Return a pandas frame of columns or of a pyarrow table.

    Raises
    ------
    MissingPackageError
        pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingPackageError(
            "pandas", "Cohort.to_frame()", 'pip install "beliefgraph[frames]"'
        ) from None
    if hasattr(columns, "to_pandas"):
        return columns.to_pandas()
    return pd.DataFrame(columns)
