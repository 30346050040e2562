"""How alike two belief graphs are: concepts, influences, signs and motifs, matched by label.

Concepts are matched one to one by the assignment that maximises the summed similarity of their
labels and aliases (Kuhn 1955, by `scipy.optimize.linear_sum_assignment`); a tie may join opposite
ends of one scale, and then signs are compared after turning. Precision is taken over the first
graph (the one judged), recall over the second (the reference).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from beliefgraph.graph import BeliefGraph, Concept, Influence
from beliefgraph.text import Tie, lexical_tie

__all__ = [
    "Comparison",
    "Score",
    "compare_graphs",
    "count_motifs",
    "match_influences",
]

Matcher = Callable[[str, str], Tie]


@dataclass(frozen=True)
class Score:
    """Precision, recall and their harmonic mean, each in [0, 1]; NaN where not scored."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        """Harmonic mean; 0 where both are 0, NaN where either is not scored."""
        total = self.precision + self.recall
        if total == 0:
            return 0.0
        return 2 * self.precision * self.recall / total


@dataclass(frozen=True)
class Comparison:
    """How one graph (judged) stands to another (reference)."""

    concepts: Score
    influences: Score
    """Directed edges between matched concepts, whatever their sign."""
    signed_influences: Score
    """Directed edges that also agree in sign."""
    weighted_influences: Score
    """Signed edges, each counted with its confidence."""
    motifs: Score
    """Chains, forks and colliders of three matched concepts, with their signs."""
    sign_accuracy: float
    """Share of the matched edges whose signs agree; NaN where no edge is matched."""
    structural_hamming_distance: int
    """Edges to add, remove or reverse to turn the one into the other (a reversal counts 1)."""
    matches: tuple[tuple[str, str, int], ...]
    """Pairs of matched concepts, with -1 where they name opposite ends of one scale."""

    def to_dict(self) -> dict[str, float]:
        """Return every figure under one flat name."""
        flat: dict[str, float] = {}
        for name in (
            "concepts",
            "influences",
            "signed_influences",
            "weighted_influences",
            "motifs",
        ):
            score: Score = getattr(self, name)
            flat |= {
                f"{name}_precision": score.precision,
                f"{name}_recall": score.recall,
                f"{name}_f1": score.f1,
            }
        flat["sign_accuracy"] = self.sign_accuracy
        flat["structural_hamming_distance"] = self.structural_hamming_distance
        return flat


def compare_graphs(
    a: BeliefGraph,
    b: BeliefGraph,
    *,
    threshold: float = 0.5,
    similarity: Matcher = lexical_tie,
    one_to_one: bool = True,
) -> Comparison:
    """Compare a belief graph with a reference.

    Parameters
    ----------
    a
        The graph that is judged.
    b
        The reference.
    threshold
        Least similarity of two labels that lets their concepts be matched; 1 asks for the same
        words. The two stances are always matched with each other.
    similarity
        How two labels are tied; words by default.
    one_to_one
        Whether a concept of `b` is matched at most once. Where it is not, several concepts of `a`
        may name one of `b` (a reader that kept two wordings apart is then not punished for it),
        and their influences count as one.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> a = BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    >>> b = BeliefGraph.from_edges([("rent levels", "support", -0.2)], stance="support")
    >>> compare_graphs(a, b).signed_influences.f1
    1.0
    """
    matches = _match_concepts(a, b, threshold, similarity, one_to_one)
    mapping = {left: (right, polarity) for left, right, polarity in matches}
    moved = _moved_edges(a, mapping)
    reference = {(e.source, e.target): e for e in b.influences}
    hits = [pair for pair in moved if pair in reference]
    agreeing = [pair for pair in hits if moved[pair][1] == _sign(reference[pair])]
    lost = _lost(a, mapping)
    judged = len(moved) + len(lost)
    confidence_a = sum(e.confidence for e in (*lost, *(edge for edge, _ in moved.values())))
    confidence_b = sum(e.confidence for e in b.influences)
    return Comparison(
        concepts=Score(
            _ratio(len(matches), len(a.concepts)),
            _ratio(len({right for _, right, _ in matches}), len(b.concepts)),
        ),
        influences=Score(_ratio(len(hits), judged), _ratio(len(hits), len(reference))),
        signed_influences=Score(
            _ratio(len(agreeing), judged), _ratio(len(agreeing), len(reference))
        ),
        weighted_influences=Score(
            _ratio(sum(moved[pair][0].confidence for pair in agreeing), confidence_a),
            _ratio(sum(reference[pair].confidence for pair in agreeing), confidence_b),
        ),
        motifs=_motif_score(a, b, mapping),
        sign_accuracy=_ratio(len(agreeing), len(hits)),
        structural_hamming_distance=_hamming(judged, moved, reference),
        matches=tuple(matches),
    )


def match_influences(
    a: BeliefGraph,
    b: BeliefGraph,
    influences: Sequence[Influence] | None = None,
    *,
    threshold: float = 0.5,
    similarity: Matcher = lexical_tie,
) -> set[tuple[str, str]]:
    """Return the (source, target) pairs of `a` that stand in `b` with the same sign.

    Several concepts of `a` may name one of `b`.

    Parameters
    ----------
    a, b
        As for `compare_graphs`.
    influences
        Those of `a` to look at; its influences by default (feedback may be added).
    threshold, similarity
        As for `compare_graphs`.
    """
    matches = _match_concepts(a, b, threshold, similarity, one_to_one=False)
    mapping = {left: (right, polarity) for left, right, polarity in matches}
    signs = {(e.source, e.target): _sign(e) for e in b.influences}
    found = set()
    for edge in a.influences if influences is None else influences:
        if edge.source in mapping and edge.target in mapping:
            (source, turned), (target, turned_too) = mapping[edge.source], mapping[edge.target]
            if signs.get((source, target)) == _sign(edge) * turned * turned_too:
                found.add((edge.source, edge.target))
    return found


def _lost(a: BeliefGraph, mapping: dict[str, tuple[str, int]]) -> list[Influence]:
    """Influences of `a` with an end that no concept of `b` matches."""
    return [e for e in a.influences if e.source not in mapping or e.target not in mapping]


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


def _sign(edge: Influence) -> int:
    return int(np.sign(edge.weight))


def _match_concepts(
    a: BeliefGraph, b: BeliefGraph, threshold: float, similarity: Matcher, one_to_one: bool
) -> list[tuple[str, str, int]]:
    from scipy.optimize import linear_sum_assignment

    left = [concept for concept in a.concepts if concept.name != a.stance]
    right = [concept for concept in b.concepts if concept.name != b.stance]
    matches = [(a.stance, b.stance, 1)]
    if not left or not right:
        return matches
    ties = [[_best_tie(one, other, similarity) for other in right] for one in left]
    likeness = np.array([[tie.similarity for tie in row] for row in ties])
    if one_to_one:
        rows, columns = linear_sum_assignment(-np.where(likeness >= threshold, likeness, 0.0))
    else:
        rows, columns = np.arange(len(left)), likeness.argmax(axis=1)
    matches += [
        (left[i].name, right[j].name, ties[i][j].polarity)
        for i, j in zip(rows, columns, strict=True)
        if likeness[i, j] >= threshold
    ]
    return matches


def _best_tie(one: Concept, other: Concept, similarity: Matcher) -> Tie:
    best = similarity(one.name, other.name)
    for label, polarity in _wordings(one):
        for label_too, polarity_too in _wordings(other):
            tie = similarity(label, label_too)
            if tie.similarity > best.similarity:
                turned = tie.polarity * polarity * polarity_too
                best = Tie(tie.similarity, turned, tie.reason)
    return best


def _wordings(concept: Concept) -> list[tuple[str, int]]:
    return [(concept.name, 1), *((alias.label, alias.polarity) for alias in concept.aliases)]


def _moved_edges(
    a: BeliefGraph, mapping: dict[str, tuple[str, int]]
) -> dict[tuple[str, str], tuple[Influence, int]]:
    """Edges of `a` between matched concepts, in the names and directions of `b`."""
    moved: dict[tuple[str, str], tuple[Influence, int]] = {}
    for edge in a.influences:
        if edge.source in mapping and edge.target in mapping:
            source, turned = mapping[edge.source]
            target, turned_too = mapping[edge.target]
            known = moved.get((source, target))
            if source != target and (known is None or known[0].confidence < edge.confidence):
                moved[source, target] = (edge, _sign(edge) * turned * turned_too)
    return moved


def _hamming(
    judged: int,
    moved: dict[tuple[str, str], tuple[Influence, int]],
    reference: dict[tuple[str, str], Influence],
) -> int:
    hits = sum(pair in reference for pair in moved)
    reversals = sum(
        pair not in reference
        and (pair[1], pair[0]) in reference
        and (pair[1], pair[0]) not in moved
        for pair in moved
    )
    extra = judged - hits - reversals
    missing = len(reference) - hits - reversals
    return extra + missing + reversals


def count_motifs(graph: BeliefGraph) -> set[tuple[str, str, str, str, int]]:
    """Return the motifs of three concepts: (kind, first, middle, last, product of signs).

    chain: first -> middle -> last; fork: first <- middle -> last; collider: first -> middle <- last
    (first and last of a fork or collider in order of name).
    """
    sign = {(e.source, e.target): _sign(e) for e in graph.influences}
    found = set()
    for middle in graph.names:
        into, out = graph.parents(middle), graph.children(middle)
        for x, y in product(into, out):
            found.add(("chain", x, middle, y, sign[x, middle] * sign[middle, y]))
        for x, y in combinations(sorted(out), 2):
            found.add(("fork", x, middle, y, sign[middle, x] * sign[middle, y]))
        for x, y in combinations(sorted(into), 2):
            found.add(("collider", x, middle, y, sign[x, middle] * sign[y, middle]))
    return found


def _motif_score(a: BeliefGraph, b: BeliefGraph, mapping: dict[str, tuple[str, int]]) -> Score:
    own, reference = count_motifs(a), count_motifs(b)
    moved = set()
    for kind, x, middle, y, sign in own:
        if x in mapping and y in mapping and middle in mapping:
            (x2, px), (m2, _), (y2, py) = mapping[x], mapping[middle], mapping[y]
            if kind != "chain" and x2 > y2:
                x2, y2 = y2, x2
            moved.add((kind, x2, m2, y2, sign * px * py))
    hits = len(moved & reference)
    return Score(_ratio(hits, len(own)), _ratio(hits, len(reference)))
