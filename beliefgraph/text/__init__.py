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
from beliefgraph.text.vectors import Encoder, find_encoder, load_encoder, noise_floor

__all__ = [
    "Encoder",
    "Label",
    "Tie",
    "content_words",
    "find_encoder",
    "is_degenerate",
    "label_valence",
    "lexical_tie",
    "load_encoder",
    "noise_floor",
    "read_label",
    "same_stem",
    "scale_side",
    "stem",
]
