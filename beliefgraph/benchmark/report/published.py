"""Published rows of the HugAgent leaderboard, shown as reference below one's own.

Only figures are held: model names and the numbers printed for them (HugAgent, arXiv 2510.15144,
and its data-v1.0 release). Each row's ATI is also recomputed from the other four figures, because
some printed values do not follow from them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any, Final

from beliefgraph.errors import SurveyError

__all__ = ["COMPARABLE", "PublishedRow", "read_published"]

_FIGURES: Final = ("bsi_acc", "bdu_acc", "bdu_mae", "bdu_dir_acc")

COMPARABLE: Final = (
    "The published rows are a reference and stand for other items. Rows marked paper are as "
    "printed there; rows marked data-v1.0 are over the whole data-v1.0 release. Only a run over "
    "that whole release, on the released context, answers the items of the data-v1.0 rows.",
    "The released items were selected by a model's failures (most were kept where a language model "
    "was wrong without the interview), so constants and population priors look worse on them than "
    "they are; and the released contexts show about a fifth of the hidden BSI answers. The strict "
    "context removes these, so a strict figure is not comparable with a published one.",
    "A population-informed number learns the selection of the items from other people's answers; "
    "it is never to be set beside a language model's row without saying so.",
    "Figures on synthetic people are not comparable with the published rows at all.",
    "Intervals are over participants: how far a figure would move with other people like these, "
    "answering the same questions. The published rows have none.",
)
"""What a reader must know wherever published rows stand beside own figures."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """A row as printed, and its ATI recomputed from its four figures."""

    model: str
    bsi_acc: float
    bdu_acc: float
    bdu_mae: float
    bdu_dir_acc: float
    ati: float
    """As printed."""
    source: str
    recomputed_ati: float


def read_published(path: str | Path | None = None) -> tuple[PublishedRow, ...]:
    """Read published rows.

    Parameters
    ----------
    path
        JSON list of objects with model, bsi_acc, bdu_acc, bdu_mae, bdu_dir_acc, ati and source;
        the rows that come with the package where not given.

    Raises
    ------
    SurveyError
        The file is no such list; names the row and the field.
    """
    where = str(path) if path is not None else "the package's published rows"
    if path is None:
        text = files("beliefgraph.benchmark.report").joinpath("published.json").read_text("utf-8")
    else:
        text = Path(path).read_text(encoding="utf-8")
    try:
        rows = json.loads(text)
    except json.JSONDecodeError as problem:
        raise SurveyError(f"{where}: no JSON: {problem}") from None
    if not isinstance(rows, list):
        raise SurveyError(f"{where}: expected a list of rows, got {type(rows).__name__}")
    return tuple(_row(row, f"{where}, row {number}") for number, row in enumerate(rows, start=1))


def _row(row: Any, where: str) -> PublishedRow:
    from beliefgraph.benchmark.metrics import ati

    if not isinstance(row, dict) or not isinstance(row.get("model"), str):
        raise SurveyError(f"{where}: expected an object with the model's name, got {row!r:.80}")
    numbers = {}
    for name in (*_FIGURES, "ati"):
        value = row.get(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise SurveyError(f"{where} ({row['model']}): {name} must be a number, got {value!r}")
        numbers[name] = float(value)
    recomputed = ati(*(numbers[name] for name in _FIGURES))
    return PublishedRow(
        model=row["model"],
        source=str(row.get("source", "")),
        recomputed_ati=recomputed,
        **numbers,
    )
