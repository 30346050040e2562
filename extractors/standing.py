"""What kind of thing a concept is to the person, and how settled."""

from __future__ import annotations

from beliefgraph.graph import Role, Status
from beliefgraph.text import content_words, stem

__all__ = ["ANCHOR_CONFIDENCE", "ANCHOR_TURNS", "BELIEF_TURNS", "role_of", "status_of"]

BELIEF_TURNS = 2
"""A concept spoken of in this many turns is a belief; in fewer, a candidate."""
ANCHOR_TURNS = 4
ANCHOR_CONFIDENCE = 0.8
"""A belief spoken of in at least 4 turns with at least this confidence is an anchor."""

_AFFECT = frozenset(
    stem(word)
    for word in (
        "fear worry anxiety stress trust distrust mistrust happiness anger frustration guilt pride "
        "comfort discomfort loneliness boredom hope hate love dislike feeling feelings mood "
        "satisfaction confidence resentment sadness joy relief shame disgust excitement concern "
        "concerns peace belonging nervousness empathy sympathy tiredness calm motivation"
    ).split()
)
_INTENTION = frozenset(
    stem(word)
    for word in (
        "support opposition intention intent willingness wanting plan voting vote buying using "
        "choosing joining moving quitting switching eating driving cycling walking working "
        "volunteering protest acceptance approval resistance boycott adoption compliance"
    ).split()
)


def role_of(name: str, *, is_stance: bool = False) -> Role:
    """Tell a state of the world from a feeling and an intention to act.

    The stance is an intention. Of the words of another concept's name the first that names a
    feeling or an act decides; a name without one is a state of the world.

    >>> role_of("Fear of crime"), role_of("Rents"), role_of("Cycling to work")
    ('internal_affect', 'external_state', 'behavioural_intention')
    """
    if is_stance:
        return "behavioural_intention"
    for word in content_words(name):
        if stem(word) in _AFFECT:
            return "internal_affect"
        if stem(word) in _INTENTION:
            return "behavioural_intention"
    return "external_state"


def status_of(turns: int, confidence: float, *, is_stance: bool = False) -> tuple[Status, str]:
    """Return a concept's status and the rule that gave it.

    Parameters
    ----------
    turns
        Number of distinct turns that speak of the concept.
    confidence
        Probability that the person thinks in it.
    """
    if is_stance:
        return "anchor", "the stance"
    said = f"spoken of in {turns} turn{'s' * (turns != 1)}, confidence {confidence:.2f}"
    if turns >= ANCHOR_TURNS and confidence >= ANCHOR_CONFIDENCE:
        return "anchor", f"{said}: at least {ANCHOR_TURNS} turns and {ANCHOR_CONFIDENCE}"
    if turns >= BELIEF_TURNS:
        return "belief", f"{said}: at least {BELIEF_TURNS} turns"
    return "candidate", f"{said}: fewer than {BELIEF_TURNS} turns"
