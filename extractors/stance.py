"""Which concept is the stance, and what it is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from beliefgraph.errors import StanceError
from beliefgraph.extractors.questions import Question
from beliefgraph.text import is_degenerate
from beliefgraph.transcript import Transcript

__all__ = ["find_stance", "stance_topic"]

_OBJECT = re.compile(
    r"^(?:(?:public |personal |own |my )?(?:support|approval|acceptance|opposition|intention"
    r"|intent|desire|willingness"
    r"|wanting|wish|liking|preference|enthusiasm) (?:for|of|to|towards?|in) |wanting to "
    r"|intending to |support )"
    r"(?P<object>.+)$",
    re.IGNORECASE,
)


def find_stance(transcript: Transcript, questions: Sequence[Question], stance: str | None) -> str:
    """Name the stance of an interview.

    The effect most often asked about is the stance; without probes, "support for" what the opening
    question asks. A name given by the user is taken as it is.

    Raises
    ------
    StanceError
        Nothing in the interview names one.
    """
    if stance is not None:
        return stance.strip()
    targets = Counter(
        q.target
        for q in questions
        if q.target and q.family not in ("impact", "open") and not is_degenerate(q.target)
    )
    worded = [(n, t) for t, n in targets.items() if _OBJECT.match(t)]
    if worded:
        return max(worded)[1]
    opening = next((q.source for q in questions if q.family == "stance" and q.source), None)
    if opening is not None:
        return f"Support for {opening}"
    if targets:
        name, count = targets.most_common(1)[0]
        if count >= 2:
            return name
    raise StanceError(
        f"{transcript.name}: no stance is named: no question asks how far the person supports "
        "something, or what affects one and the same thing. Name it: "
        'extract(t, stance="support for ...") or --stance "support for ..."'
    )


def stance_topic(stance: str) -> str:
    """Return what a stance is about.

    >>> stance_topic("Support for bus lanes")
    'bus lanes'
    """
    match = _OBJECT.match(stance)
    return match["object"].strip() if match else stance
