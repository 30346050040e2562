"""Words and labels: stems, directions, valence, and how near two labels are."""

from beliefgraph.text.labels import (
    Label,
    content_words,
    is_degenerate,
    label_valence,
    read_label,
    same_stem,
    scale_side,
    stem,
)
from beliefgraph.text.similarity import Tie, lexical_tie

__all__ = [
    "Label",
    "Tie",
    "content_words",
    "is_degenerate",
    "label_valence",
    "lexical_tie",
    "read_label",
    "same_stem",
    "scale_side",
    "stem",
]
