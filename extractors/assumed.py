"""An answer that names no direction: off topic, or an effect that is affirmed all the same.

"Yes, even a small change would" affirms that changes in X lead to changes in Y. By the ordinary
meaning of such words more X brings more Y, and so most readers take it. That is an assumption and
is kept as one: the reading stays `unstated`, its note says so, its confidence is low, and its size
is half of what it would be, because the sign is a guess at about three to one.

Nothing is assumed where the question offered both directions and the answer took neither, where
the answer holds a denial or calls the effect weak, or where nearly everyone calls X bad: people
turn to a remedy because of an ill as often as they turn away from what brings it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from beliefgraph.extractors.clauses import Clause, is_negation, text_of, word
from beliefgraph.extractors.moves import acts_against
from beliefgraph.extractors.noun_words import FALLING
from beliefgraph.extractors.phrasings import LARGER_SHIFT, any_of
from beliefgraph.extractors.questions import Question
from beliefgraph.extractors.stance import stance_topic
from beliefgraph.extractors.statements import Statement
from beliefgraph.text import label_valence, lexical_tie, read_label, same_stem
from beliefgraph.text.lexicon import DOWN

if TYPE_CHECKING:
    from spacy.tokens import Doc

__all__ = [
    "ASSUMED_CONFIDENCE",
    "ASSUMED_SIZE",
    "affirms_an_effect",
    "names_slot",
    "reason_from_the_object",
    "takes_up_the_question",
]

ASSUMED_CONFIDENCE = 0.3
"""Share of the speaker's certainty that an assumed sign keeps."""
ASSUMED_SIZE = 0.5
"""Share of an effect's size that it keeps: the mean of +1 and -1 at three to one."""

_OPEN_ON_DIRECTION = ("relationship", "immediacy", "small_changes", "confidence")
"""Families whose question asks for more than a direction; "positive or negative?" is the other."""
_WEAKLY = any_of(
    r"\b(?:weak|weakly|negligible|minimal|minimally|insignificant|barely|hardly|scarcely)\b",
    r"\b(?:small|slight|little|minor|low|limited) (?:\w+ )?"
    r"(?:effect|impact|influence|connection|link|relationship|difference)\b",
)
_FALLS = (DOWN | FALLING | frozenset("away off downwards".split())) - frozenset(
    "little few slow slower ease close".split()
)
_DENIED_TIMING = any_of(
    r"(?:\b(?:not|never|no)|n't)\b(?:\W+\w+){0,3}?\W+"
    r"(?:immediate\w*|instant\w*|at once|right away|straight away|overnight|quick\w*|fast|long)\b",
)
"""Denies when, not whether."""
_SPEAKS = re.compile(
    r"\b(?:yes|yeah|yep|sure|confident|strong|weak|close|loose|effect|impact|influence|connect\w*|relat\w*"
    r"|immediate\w*|time|change\w*|shift\w*|significant|important|it|that|this|would|definitely"
    r"|depend\w*|no)\b",
    re.IGNORECASE,
)
_SURE = any_of(
    r"\b(?:yes|yeah|yep|sure|certain|confident|definitely|absolutely|certainly|indeed|of course)\b"
)
_AFFIRMS = any_of(
    r"\b(?:strong|strongly|close|closely|significant|significantly|important|integral|essential)\b",
    r"\b(?:immediate\w*|instant\w*|at once|right away|straight away|gradual\w*|eventually|time"
    r"|develop\w*|quick\w*|slow\w*|fast|days?|weeks?|months?|years?|long.term|depend\w*)\b",
    r"\b(?:effect|impact|influence|affect|change|shift|matter|connect|relate|link|lead|differ)\w*\b",
    r"\b(?:believe|think|say|reckon) so\b",
)


def takes_up_the_question(doc: Doc, question: Question) -> bool:
    """Say whether an answer speaks of X, of Y, or of an effect at all."""
    about = read_label(question.source or "").stems | read_label(question.target or "").stems
    on_topic = any(same_stem(token.lower_, s) for token in doc for s in about if token.is_alpha)
    return on_topic or _SPEAKS.search(text_of(doc)) is not None


def affirms_an_effect(clauses: Sequence[Clause], question: Question) -> bool:
    """Say whether an answer without a direction affirms that X bears on Y, and X is no ill.

    A clause that affirms must hold no denial, and no clause that speaks of the effect may hold one.
    """
    if question.family not in _OPEN_ON_DIRECTION or label_valence(question.source or "") < 0:
        return False
    text = " ".join(clause.text for clause in clauses)
    if _WEAKLY.search(text):
        return False
    tokens = [t for clause in clauses for t in clause.tokens]
    if any(word(t) in _FALLS for t in tokens):
        return False  # some state goes down, and it was not understood which
    if question.family == "small_changes" and LARGER_SHIFT.search(text):
        return True
    affirmed = False
    for clause in clauses:
        sure = question.family != "confidence" and _SURE.search(clause.text)
        # "very confident" answers how sure, and leaves the effect itself where it was
        if sure or _AFFIRMS.search(clause.text):
            if _denies_the_effect(clause, question):
                return False
            affirmed = True
    return affirmed


def _denies_the_effect(clause: Clause, question: Question) -> bool:
    denials = sum(
        is_negation(t) and clause.tokens[max(0, n - 1)].lower_ != "or"  # "whether or not"
        for n, t in enumerate(clause.tokens)
    )
    timing = question.family == "immediacy"
    return denials > (len(_DENIED_TIMING.findall(clause.text)) if timing else 0)


def reason_from_the_object(statements: Sequence[Statement], question: Question) -> int:
    """Return the sign of what the stance's object does to X, where that is all that is said.

    Asked how jobs bear on support for the fair, "the fair brings jobs" gives a reason for it; that
    it brings an ill is one against it.
    """
    if question.source is None or question.target is None:
        return 0
    topic, worth = stance_topic(question.target), label_valence(question.source) or 1
    for statement in statements:
        agent, thing = (
            names_slot(statement.source, topic),
            names_slot(statement.target, question.source),
        )
        if agent and thing:
            return agent * thing * statement.sign * worth
    return 0


def names_slot(label: str, slot: str | None) -> int:
    """+1 or -1 where a label names the slot's concept (-1: its other end), else 0."""
    if slot is None:
        return 0
    tie = lexical_tie(label, slot)
    turned = -1 if acts_against(label) != acts_against(slot) else 1  # "theft", "deterring theft"
    return turned * tie.polarity if tie.similarity >= 0.6 else 0
