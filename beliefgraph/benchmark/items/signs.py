"""A table of signs: what people say of the direction of an effect, for belief-state items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from beliefgraph.benchmark.items.tables import read_table
from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey.hugagent.lines import GOLD

__all__ = ["SignAnswer", "read_signs"]

_SIGNS: Final[dict[str, tuple[int, ...]]] = {
    **{label.casefold(): values for label, values in GOLD.items()},
    **dict.fromkeys(("+", "+1", "1", "positive"), (1,)),
    **dict.fromkeys(("-", "-1", "negative"), (-1,)),
    **dict.fromkeys(("+/-", "either"), (1, -1)),
}
_COLUMNS: Final = ("participant", "topic", "factor", "outcome", "sign")


@dataclass(frozen=True)
class SignAnswer:
    """The sign of one effect according to one person."""

    participant: str
    topic: str
    factor: str
    """What has the effect."""
    outcome: str
    """What the effect is on."""
    values: tuple[int, ...]
    """1, -1, or both where either counts as right."""
    qa_id: str | None = None
    """Number of the turn that states it, which the item hides; None hides nothing."""
    where: str = "signs"
    """Its place, for messages."""


def read_signs(path: str | Path) -> list[SignAnswer]:
    """Read a table with the columns participant, topic, factor, outcome, sign and perhaps qa_id.

    A sign is positive (also A, +, 1), negative (B, -, -1) or either (A/B, +/-).

    Raises
    ------
    SurveyError
        A column is missing, a cell is empty, or a sign is none; names the line and the value.
    """
    found = []
    for row in read_table(path):
        cells = {key.strip().casefold(): cell for key, cell in row.cells.items()}
        for name in _COLUMNS:
            if not cells.get(name):
                raise SurveyError(
                    f"{row.where}: {name!r} is missing; a sign needs {', '.join(_COLUMNS)}"
                )
        sign = cells["sign"].casefold()
        if sign not in _SIGNS:
            raise SurveyError(
                f"{row.where}, column 'sign': {cells['sign']!r} is no sign. "
                f"{suggestions(sign, _SIGNS)}"
            )
        found.append(
            SignAnswer(
                participant=cells["participant"],
                topic=cells["topic"],
                factor=cells["factor"],
                outcome=cells["outcome"],
                values=_SIGNS[sign],
                qa_id=cells.get("qa_id") or None,
                where=row.where,
            )
        )
    return found
