"""Keep items as the published benchmark did: mostly those that are hard without the interview.

The published items were kept mostly where a language model failed without the interview. Here the
guess without the interview is the population's median answer (sign: the most frequent), and an item
is kept with a probability that depends on whether this guess is right.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median_low
from typing import Final

import numpy as np

from beliefgraph.survey import AnsweredItem

__all__ = ["select_items"]

_KEEP_WRONG: Final = 0.5
_KEEP_RIGHT: Final = 0.15


def select_items(
    answered: Sequence[AnsweredItem], rng: np.random.Generator
) -> tuple[AnsweredItem, ...]:
    """Return the items that are kept, in the same order.

    Parameters
    ----------
    answered
        Items with answers, of all people.
    rng
        The only source of randomness.
    """
    answers = defaultdict(list)
    for each in answered:
        answers[_asked(each)].append(each.values[0])
    guess = {key: median_low(values) for key, values in answers.items()}
    kept = []
    for each in answered:
        right = abs(guess[_asked(each)] - each.values[0]) <= each.item.scale.tolerance
        if rng.random() < (_KEEP_RIGHT if right else _KEEP_WRONG):
            kept.append(each)
    return tuple(kept)


def _asked(each: AnsweredItem) -> tuple[str, str]:
    """What is asked: the survey's question, or signs of a topic together."""
    question = each.item.question
    return question.topic, "sign" if question.task == "bsi" else question.question_id
