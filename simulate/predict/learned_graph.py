r"""A belief graph whose influences are learned over many people's answers, for one more person.

A study of tables has levels (how far each person agrees with every belief) and no words from which
a graph could be read. The influences are then pooled: for every concept j with stated causes,

.. math:: x_j = b_j + \sum_i w_{ij} x_i + e_j

is fitted over people by ridge regression on standardised causes, so that one penalty suits all
(Hoerl and Kennard 1970). The structure is stated, not searched for: the same answers fit many
structures equally well, and which one is right is not in a table of levels. A person's own graph
has these influences and the own levels as baselines; what the influences do not explain of a level
stays with the person as the bias.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beliefgraph.errors import GraphError, InterventionError, UnknownConceptError
from beliefgraph.graph import BeliefGraph, Concept
from beliefgraph.simulate.compile import compile_graph
from beliefgraph.simulate.exact import total_effects

__all__ = ["LearnedGraph", "learn_graph"]

Floats = NDArray[np.float64]
_LEAST_SPREAD: Final = 1e-9


@dataclass(frozen=True, eq=False)
class LearnedGraph:
    """Influences pooled over people, and what is needed to put a person into them."""

    graph: BeliefGraph
    """Influences, with the people's mean levels as baselines."""
    bias: Mapping[str, float]
    """Constant push on every concept, of the people's mean; the mean level where it has no
    causes."""
    noise_sd: Mapping[str, float]
    """Standard deviation of what the causes leave unexplained, by concept."""
    people: int
    """Number of rows that were learned from."""
    _effects: Floats = field(repr=False, kw_only=True)

    @property
    def names(self) -> tuple[str, ...]:
        """Concepts, in the order of every column."""
        return self.graph.names

    def of_person(
        self, levels: Mapping[str, float], *, participant: str | None = None
    ) -> BeliefGraph:
        """Return one person's graph: these influences, the own levels as baselines.

        Parameters
        ----------
        levels
            Concept to level in [-1, 1]; concepts that are not named keep the people's mean.
        participant
            Pseudonym.

        Raises
        ------
        UnknownConceptError
            A level is of no concept of the graph.
        """
        for name in levels:
            if name not in self.names:
                raise UnknownConceptError(name, self.names, "levels")
        concepts = tuple(
            concept.replace(baseline=float(levels.get(concept.name, concept.baseline)))
            for concept in self.graph.concepts
        )
        return self.graph.replace(concepts=concepts, participant=participant)

    def implied(self, levels: ArrayLike) -> Floats:
        """Return what the influences say each concept's level is, given the own levels of causes.

        Parameters
        ----------
        levels
            Shape (people, concepts), in the order of `names`.

        Returns
        -------
        ndarray
            (people, concepts); the people's mean where a concept has no causes. The same as
            `intervene` with `bias=self.bias` and `do` on all causes.
        """
        constant = np.array([self.bias[name] for name in self.names])
        implied: Floats = constant + self._levels(levels) @ self.graph.weight_matrix()
        return implied

    def shifts(self, levels: ArrayLike, do: Mapping[str, ArrayLike]) -> Floats:
        r"""Return the shift of every concept of every person under `do`, exactly.

        With K the concepts held, T the total effects and mu the own levels, the shift is
        :math:`(v - \mu_K) T_{KK}^{-1} T_K`: that of `intervene` with the linear mechanism on every
        person's graph, in one go.

        Parameters
        ----------
        levels
            (people, concepts), in the order of `names`.
        do
            Concept to value, one for all or one a person.

        Raises
        ------
        InterventionError
            A value leaves [-1, 1] or is not a number.
        UnknownConceptError
            A name is no concept.
        """
        own = self._levels(levels)
        held = [self._place(name) for name in do]
        if not held:
            return np.zeros_like(own)
        values = np.column_stack(
            [np.broadcast_to(np.asarray(v, dtype=float), len(own)) for v in do.values()]
        )
        if not (np.abs(values) <= 1).all():
            raise InterventionError(
                "do: every value must lie in [-1, 1], got "
                f"{values.flat[np.flatnonzero(~(np.abs(values) <= 1))[0]]:g}"
            )
        effects = self._effects
        pushed = (values - own[:, held]) @ np.linalg.inv(effects[np.ix_(held, held)])
        moved: Floats = pushed @ effects[held]
        return moved

    def effects_on_stance(self) -> dict[str, float]:
        """Return the total effect of one unit of every concept on the stance (the stance's is 1).

        >>> learned = learn_graph(
        ...     {"a": [-0.5, 0.5], "b": [-0.25, 0.25], "s": [-0.1, 0.1]},
        ...     {"b": ["a"], "s": ["b"]}, stance="s", ridge=0,
        ... )
        >>> {name: round(effect, 9) for name, effect in learned.effects_on_stance().items()}
        {'a': 0.2, 'b': 0.4, 's': 1.0}
        """
        column = self._effects[:, self._place(self.graph.stance)]
        return dict(zip(self.names, column.tolist(), strict=True))

    def pushes(self, changes: Mapping[str, float]) -> dict[str, float]:
        """Return the `shift` of each named concept that makes them change by these amounts.

        One that is also moved by another needs only the rest of its change as a push of its own.

        Examples
        --------
        >>> learned = learn_graph(
        ...     {"a": [-0.5, 0.5], "b": [-0.25, 0.25], "s": [-0.1, 0.1]},
        ...     {"b": ["a"], "s": ["b"]}, stance="s", ridge=0,
        ... )
        >>> {name: round(push, 9) for name, push in learned.pushes({"a": 0.4, "b": 0.3}).items()}
        {'a': 0.4, 'b': 0.1}
        """
        held = [self._place(name) for name in changes]
        amounts = np.array(list(changes.values()), dtype=float)
        solved = np.linalg.solve(self._effects[np.ix_(held, held)].T, amounts) if held else amounts
        return dict(zip(changes, solved.tolist(), strict=True))

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise UnknownConceptError(name, self.names, "do")
        return self.names.index(name)

    def _levels(self, levels: ArrayLike) -> Floats:
        own = np.asarray(levels, dtype=float)
        if own.ndim != 2 or own.shape[1] != len(self.names):
            raise GraphError(
                f"levels: one row a person and {len(self.names)} columns ({', '.join(self.names)})"
                f", got the shape {own.shape}"
            )
        return own


def learn_graph(
    levels: Mapping[str, ArrayLike],
    causes: Mapping[str, Sequence[str]],
    *,
    stance: str,
    ridge: float = 1.0,
    topic: str | None = None,
) -> LearnedGraph:
    """Learn the strengths of stated influences from many people's levels.

    Parameters
    ----------
    levels
        Concept to one level in [-1, 1] a person, all in the same order of people.
    causes
        Concept to the concepts with an influence on it.
    stance
        Concept that is the stance.
    ridge
        Penalty on squared standardised weights, in numbers of people; 0 for none.
    topic
        Kept with the graph.

    Raises
    ------
    GraphError
        A level is not in [-1, 1], columns differ in length, there are fewer than two people, or a
        weight leaves [-1, 1].
    UnknownConceptError
        A cause, an effect or the stance has no column.
    CycleError
        The influences form a loop.

    Examples
    --------
    >>> learned = learn_graph(
    ...     {"rents": [-0.4, 0.0, 0.4], "support": [0.3, 0.1, -0.1]}, {"support": ["rents"]},
    ...     stance="support", ridge=0,
    ... )
    >>> weight, bias = learned.graph.influence("rents", "support").weight, learned.bias["support"]
    >>> round(weight, 6), round(bias, 6)
    (-0.5, 0.1)
    """
    table = _checked(levels)
    if stance not in table:
        raise UnknownConceptError(stance, table, "stance")
    if not ridge >= 0:
        raise GraphError(f"ridge: give a number of at least 0, got {ridge}")
    bias = {name: float(column.mean()) for name, column in table.items()}
    spread = {name: float(column.std()) for name, column in table.items()}
    edges: list[tuple[str, str, float]] = []
    for target, sources in causes.items():
        for name in (target, *sources):
            if name not in table:
                raise UnknownConceptError(name, table, f"causes of {target!r}")
        if not sources:
            continue
        weights, bias[target], spread[target] = _fit(
            np.column_stack([table[name] for name in sources]), table[target], ridge
        )
        for source, weight in zip(sources, weights.tolist(), strict=True):
            if abs(weight) > 1:
                raise GraphError(
                    f"{source!r} -> {target!r}: the learned weight is {weight:.3g}, outside "
                    f"[-1, 1]; raise ridge (now {ridge:g}), or leave one of the causes out"
                )
            edges.append((source, target, weight))
    plain = BeliefGraph.from_edges(edges, stance=stance, concepts=table, topic=topic)
    graph = plain.replace(
        concepts=tuple(
            Concept(name=name, baseline=float(np.clip(table[name].mean(), -1, 1)))
            for name in plain.names
        )
    )
    return LearnedGraph(
        graph=graph,
        bias=bias,
        noise_sd=spread,
        people=len(next(iter(table.values()))),
        _effects=total_effects(compile_graph(graph, mechanism="linear")),
    )


def _checked(levels: Mapping[str, ArrayLike]) -> dict[str, Floats]:
    table = {name: np.asarray(column, dtype=float) for name, column in levels.items()}
    if not table:
        raise GraphError("levels: give at least one column")
    sizes = {name: column.shape for name, column in table.items()}
    first = next(iter(sizes.values()))
    for name, size in sizes.items():
        if len(size) != 1 or size != first or size[0] < 2:
            raise GraphError(
                "levels: every column holds one number a person, for at least two people, the "
                f"same in all columns; {name!r} has the shape {size}, the first {first}"
            )
        wrong = ~(np.abs(table[name]) <= 1)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise GraphError(
                f"levels: {name!r}, row {row + 1}: a level must lie in [-1, 1], got "
                f"{table[name][row]:g}; map the scale's ends onto -1 and 1 and leave out people "
                "with missing answers"
            )
    return table


def _fit(causes: Floats, effect: Floats, ridge: float) -> tuple[Floats, float, float]:
    """Return weights, constant and unexplained standard deviation of one ridge regression."""
    centre, scale = causes.mean(axis=0), causes.std(axis=0)
    varies = scale > _LEAST_SPREAD
    z = (causes - centre)[:, varies] / scale[varies]
    gram = z.T @ z + ridge * np.eye(z.shape[1])
    # least squares, so that causes that repeat one another share a weight where ridge is 0
    solved = np.linalg.lstsq(gram, z.T @ (effect - effect.mean()), rcond=None)[0]
    weights = np.zeros(len(centre))
    weights[varies] = solved / scale[varies]
    constant = float(effect.mean() - centre @ weights)
    return weights, constant, float((effect - constant - causes @ weights).std())
