"""How certain a speaker's own words sound."""

from __future__ import annotations

import re

__all__ = ["certainty", "is_hedged"]

_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|probably|possibly|might|could|may|guess|suppose|i think|kind of|sort of"
    r"|somewhat|not sure|seems?|apparently|presumably|fairly|tends? to|likely|sometimes|usually"
    r"|semi)\b",
    re.IGNORECASE,
)
_SURE = re.compile(
    r"\b(?:definitely|certainly|absolutely|clearly|obviously|of course|no doubt|without a doubt"
    r"|for sure|very confident|quite confident|extremely confident|always|i know|really|totally"
    r"|100 ?%)",
    re.IGNORECASE,
)


def certainty(text: str) -> float:
    """Return the certainty of some words, in [0.3, 1]; 0.85 where they neither hedge nor insist.

    Hedges count by their share of the words, so that one "maybe" weighs more in a short answer.

    >>> certainty("It raises support.") > certainty("Maybe it raises support, I guess.")
    True
    """
    words = max(8, len(text.split()))
    hedges = len(_HEDGE.findall(text))
    sure = min(2, len(_SURE.findall(text)))
    return round(min(1.0, max(0.3, 0.85 + 0.1 * sure - 1.8 * hedges / words)), 4)


def is_hedged(text: str) -> bool:
    """Say whether some words hold a hedge ("maybe", "could", "I guess")."""
    return bool(_HEDGE.search(text))
