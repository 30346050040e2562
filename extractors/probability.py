r"""How probable it is that a person holds an influence, given all that was read of it.

HugAgent's appendix E (arXiv 2510.15144, eq. 1):

.. math:: P(edge) = \sigma(b + w_1 s_{causal} + w_2 s_{linguistic} + w_3 s_{motif})

with three scores of one influence:

- *causal*: how explicitly its mentions state an effect. The readers' confidences of the mentions
  that agree with the majority are combined by noisy-or, then multiplied by the majority's share:
  more agreeing mentions raise it, conflict lowers it.
- *linguistic*: mean certainty of the quoted words (`certainty`).
- *motif*: agreement with the motifs of the person's own first-pass graph (`motifs`).

The four parameters are data (`edge_probability.json`), fitted on synthetic people whose truth is
known by `benchmarks/fit_edge_probability.py`, which also prints their calibration out of fold.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from beliefgraph.extractors.certainty import certainty
from beliefgraph.extractors.motifs import motif_scores
from beliefgraph.graph import Evidence

__all__ = ["EdgeScores", "EdgeWeights", "edge_confidences", "edge_scores", "load_weights"]

Pair = tuple[str, str]


@dataclass(frozen=True)
class EdgeScores:
    """The three scores of one influence."""

    causal: float
    linguistic: float
    motif: float


@dataclass(frozen=True)
class EdgeWeights:
    """Parameters of eq. 1."""

    bias: float
    causal: float
    linguistic: float
    motif: float

    def probability(self, scores: EdgeScores) -> float:
        """Return the probability of an influence with these scores, in [0, 1]."""
        total = (
            self.bias
            + self.causal * scores.causal
            + self.linguistic * scores.linguistic
            + self.motif * scores.motif
        )
        return 1 / (1 + math.exp(-total))


@lru_cache(maxsize=1)
def load_weights() -> EdgeWeights:
    """Load the fitted parameters that the package ships."""
    text = (files("beliefgraph.extractors") / "edge_probability.json").read_text(encoding="utf-8")
    return EdgeWeights(**json.loads(text)["weights"])


def edge_scores(mentions: Mapping[Pair, Sequence[Evidence]]) -> dict[Pair, EdgeScores]:
    """Score all influences of one person.

    Parameters
    ----------
    mentions
        Every pair's mentions, with signs in the concepts' own direction; loops allowed.
    """
    votes = {
        pair: sum((e.sign or 0) * e.confidence for e in found) for pair, found in mentions.items()
    }
    signs = {pair: 1 if vote > 0 else -1 for pair, vote in votes.items() if vote}
    motifs = motif_scores(signs)
    return {
        pair: EdgeScores(
            causal=_causal(found),
            linguistic=sum(certainty(e.quote) for e in found) / len(found),
            motif=motifs.get(pair, 0.0),
        )
        for pair, found in mentions.items()
    }


def _causal(evidence: Sequence[Evidence]) -> float:
    by_sign = {sign: [e.confidence for e in evidence if e.sign == sign] for sign in (1, -1, 0)}
    totals = {sign: sum(values) for sign, values in by_sign.items()}
    majority = max(totals, key=lambda sign: totals[sign])
    missing = math.prod(1 - confidence for confidence in by_sign[majority])
    return (1 - missing) * totals[majority] / (sum(totals.values()) or 1.0)


def edge_confidences(
    mentions: Mapping[Pair, Sequence[Evidence]], weights: EdgeWeights | None = None
) -> dict[Pair, float]:
    """Return the probability that the person holds each influence.

    Parameters
    ----------
    mentions
        As for `edge_scores`.
    weights
        Parameters of eq. 1; those that the package ships by default.
    """
    chosen = weights or load_weights()
    return {pair: round(chosen.probability(s), 6) for pair, s in edge_scores(mentions).items()}
