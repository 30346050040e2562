r"""A belief graph as arrays: compiled once, cached by content, used by everything else here.

Two matrices carry the beliefs, both with `[i, j]` for i -> j: the mean strength of an influence
(the mean of its mentions times its confidence) and its mean square, where the mention that a world
takes and its presence are drawn independently of everything else:

.. math:: m_{ij} = c_{ij} \sum_a p_a w_a \qquad q_{ij} = c_{ij} \sum_a p_a w_a^2

**Baselines.** The bias b_j is solved so that the concept stands at its level L_j when its parents
stand at theirs and every influence at its mean: b_j = f^{-1}(L_j) - sum_i m_ij L_i. With the linear
mechanism the mean of every concept is then its level exactly. With tanh the level is the value
without noise (the median, where the parents are at rest at 0), and the mean over sampled worlds
lies a little nearer to 0. Levels beyond +-0.999 are read as +-0.999 where f has no inverse there.
Our uncertainty of a level is normal with sd `baseline_sd`, drawn once per world, cut to the
mechanism's range.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import CycleError, InterventionError, UnknownConceptError, suggestions
from beliefgraph.graph import BeliefGraph, Influence
from beliefgraph.simulate.mechanisms import Mechanism, MechanismLike, resolve

__all__ = ["Model", "compile_graph", "find_cycle", "with_confidence"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ON_CYCLE: Final = ("drop_weakest", "raise", "unroll", "fcm")
_CACHE_SIZE: Final = 256
_cache: OrderedDict[Any, Model] = OrderedDict()


@dataclass(frozen=True, eq=False)
class Model:
    """A compiled belief graph of n concepts and E influences; all arrays are read-only.

    Influences are sorted by the place of their target in `order`, so that those into
    `order[p]` are `start[p]:start[p + 1]`.
    """

    names: tuple[str, ...]
    """Concept names in graph order."""
    stance: int
    """Number of the stance concept."""
    order: Ints
    """(n,) concept numbers, causes before effects."""
    start: Ints
    """(n + 1,) first influence into each place of `order`."""
    source: Ints
    """(E,) concept that has the effect."""
    target: Ints
    """(E,) concept that feels it."""
    row: Ints
    """(E,) row of the random block that decides the influence's presence."""
    late: NDArray[np.bool_]
    """(E,) whether it is a feedback influence, which reads the previous pass."""
    confidence: Floats
    """(E,) probability that it is present."""
    mentions: tuple[tuple[tuple[float, float], ...], ...]
    """(E,) signed strength and probability of each mention."""
    mean: Floats
    """(E,) expected strength, absence counted as 0."""
    square: Floats
    """(E,) expected square of the strength, absence counted as 0."""
    level: Floats
    """(n,) present level."""
    level_sd: Floats
    """(n,) our uncertainty of it."""
    bias: Floats
    """(n,) constant push."""
    noise_sd: Floats
    """(n,) standard deviation of the noise."""
    mechanisms: tuple[Mechanism, ...]
    """(n,) how pushes become values."""

    @property
    def n(self) -> int:
        """Number of concepts."""
        return len(self.names)

    @property
    def edges(self) -> int:
        """Number of influences, feedback included where it is simulated."""
        return len(self.source)

    @cached_property
    def linear(self) -> bool:
        """Whether every concept follows the linear mechanism, so that exact answers exist."""
        return all(mechanism.name == "linear" for mechanism in self.mechanisms)

    @cached_property
    def loops(self) -> bool:
        """Whether feedback influences are simulated."""
        return bool(self.late.any())

    @cached_property
    def certain(self) -> NDArray[np.bool_]:
        """(E,) whether an influence has the same strength in every world."""
        return np.array(
            [c in (0.0, 1.0) and (c == 0.0 or len({w for w, p in found if p > 0}) <= 1)
             for c, found in zip(self.confidence, self.mentions, strict=True)],
            dtype=bool,
        )  # fmt: skip

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """(n,) numbers of the mechanisms, for compiled kernels."""
        return np.array([mechanism.code for mechanism in self.mechanisms], dtype=np.int64)

    @cached_property
    def thetas(self) -> NDArray[np.float32]:
        """(n,) thresholds, for compiled kernels."""
        return np.array([mechanism.theta for mechanism in self.mechanisms], dtype=np.float32)

    def parents(self, place: int) -> range:
        """Influences into the concept at this place of `order`."""
        return range(int(self.start[place]), int(self.start[place + 1]))

    def matrix(self, values: Floats | None = None) -> Floats:
        """Return an (n, n) matrix of per-influence values (the mean strengths), [i, j] for i -> j.

        Feedback influences are left out.
        """
        out = np.zeros((self.n, self.n))
        keep = ~self.late
        values = self.mean if values is None else values
        out[self.source[keep], self.target[keep]] = values[keep]
        return out

    def reach(
        self, starts: Iterable[int], *, blocked: Iterable[int] = (), alive: Any = None
    ) -> NDArray[np.bool_]:
        """(n,) whether a path leads from `starts` to the concept, entering no `blocked` one.

        The starts themselves count as reached. `alive` masks influences; those that are 0 in
        every world carry nothing.
        """
        found = np.zeros(self.n, dtype=bool)
        found[list(starts)] = True
        stop = np.zeros(self.n, dtype=bool)
        stop[list(blocked)] = True
        use = (self.square > 0) & ~stop[self.target]
        if alive is not None:
            use &= alive
        ends = list(zip(self.source[use].tolist(), self.target[use].tolist(), strict=True))
        while True:  # one round suffices without loops: influences come in topological order
            before = int(found.sum())
            for source, target in ends:
                if found[source]:
                    found[target] = True
            if not self.loops or int(found.sum()) == before:
                return found

    def ancestors(self, concept: int, *, blocked: Iterable[int] = ()) -> NDArray[np.bool_]:
        """(n,) whether a path leads from a concept to `concept`, entering no `blocked` one."""
        found = np.zeros(self.n, dtype=bool)
        found[concept] = True
        stop = np.zeros(self.n, dtype=bool)
        stop[list(blocked)] = True
        use = (self.square > 0) & ~stop[self.target]
        ends = list(zip(self.source[use].tolist(), self.target[use].tolist(), strict=True))
        while True:
            before = int(found.sum())
            for source, target in reversed(ends):
                if found[target]:
                    found[source] = True
            if not self.loops or int(found.sum()) == before:
                found[concept] = False
                return found


def compile_graph(
    graph: BeliefGraph,
    *,
    mechanism: MechanismLike | Mapping[str, MechanismLike] = "tanh",
    noise_sd: float | Mapping[str, float] = 0.25,
    bias: Mapping[str, float] | None = None,
    on_cycle: str = "drop_weakest",
) -> Model:
    """Compile a belief graph; the same content and options give the same object.

    Parameters
    ----------
    graph
        What a person believes.
    mechanism
        One for all concepts, or a mapping of concepts to theirs (others: tanh).
    noise_sd
        Standard deviation of the noise, inside the mechanism; one for all or by concept
        (others: 0.25).
    bias
        Constant pushes by concept, in place of those solved from the baselines.
    on_cycle
        "drop_weakest" simulates the graph's influences; "raise" refuses a graph whose feedback
        closes a loop; "unroll" and "fcm" keep the feedback influences, those that close a loop as
        `late`.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("rents", "support", -0.5, 0.8)], stance="support")
    >>> m = compile_graph(g, mechanism="linear")
    >>> m.matrix()
    array([[ 0. , -0.4],
           [ 0. ,  0. ]])
    >>> compile_graph(g, mechanism="linear") is m
    True
    """
    if not isinstance(graph, BeliefGraph):
        raise InterventionError(
            f"graph: give a BeliefGraph, got {type(graph).__name__} (make one with "
            "bg.extract(transcript), BeliefGraph.from_edges or BeliefGraph.from_networkx)"
        )
    names = graph.names
    mechanisms = resolve(mechanism, names)
    sds = _by_concept("noise_sd", noise_sd, names, 0.25)
    biases = _by_concept("bias", dict(bias or {}), names, np.nan)
    if on_cycle not in ON_CYCLE:
        raise InterventionError(
            f"on_cycle: {on_cycle!r} is not one. {suggestions(str(on_cycle), ON_CYCLE)}"
        )
    feedback = tuple(item.influence for item in graph.feedback)
    if on_cycle == "drop_weakest":
        feedback = ()
    looping = _looping(names, graph.influences, feedback)
    if on_cycle == "raise" and looping:
        raise CycleError(
            find_cycle(names, (*graph.influences, *feedback)),
            "Use on_cycle='drop_weakest' to leave out the influences in feedback, or 'unroll' "
            "to pass them around.",
        )
    key = (
        names,
        graph.stance,
        tuple((concept.baseline, concept.baseline_sd) for concept in graph.concepts),
        tuple(_content(edge) for edge in graph.influences),
        tuple((*_content(edge), edge in looping) for edge in feedback),
        mechanisms,
        sds.tobytes(),
        biases.tobytes(),
    )
    model = _cache.get(key)
    if model is None:
        model = _compile(graph, feedback, looping, mechanisms, sds, biases)
        _cache[key] = model
        while len(_cache) > _CACHE_SIZE:
            _cache.popitem(last=False)
    else:
        _cache.move_to_end(key)
    return model


def with_confidence(
    model: Model, changed: Mapping[int, float], fixed_bias: Iterable[str] = ()
) -> Model:
    """Return a model with other confidences of some influences, by number.

    Levels stay where they are, so the biases are solved anew but for those that were given.
    """
    confidence = np.array(model.confidence)
    confidence[list(changed)] = list(changed.values())
    scale = np.divide(confidence, model.confidence, where=model.confidence > 0, out=confidence * 0)
    mean, square = model.mean * scale, model.square * scale
    for edge in changed:
        if model.confidence[edge] == 0:
            mean[edge] = confidence[edge] * sum(w * p for w, p in model.mentions[edge])
            square[edge] = confidence[edge] * sum(w * w * p for w, p in model.mentions[edge])
    bias = np.array(model.bias)
    np.subtract.at(bias, model.target, (mean - model.mean) * model.level[model.source])
    given = [model.names.index(name) for name in fixed_bias]
    bias[given] = model.bias[given]
    for array in (confidence, mean, square, bias):
        array.flags.writeable = False
    return replace(model, confidence=confidence, mean=mean, square=square, bias=bias)


def _content(edge: Influence) -> tuple[Any, ...]:
    return (edge.source, edge.target, edge.confidence, edge.mentions())


def _by_concept(
    what: str, given: float | Mapping[str, float], names: tuple[str, ...], default: float
) -> Floats:
    """Return one number per concept from one for all or a mapping, checked."""
    if isinstance(given, Mapping):
        out = np.full(len(names), default)
        for name, value in given.items():
            if name not in names:
                raise UnknownConceptError(str(name), names, what)
            out[names.index(name)] = _finite(what, value, f" of {name!r}")
    else:
        out = np.full(len(names), _finite(what, given, ""))
    return out


def _finite(what: str, value: Any, whose: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number) or (what == "noise_sd" and number < 0):
        rule = "a finite number >= 0" if what == "noise_sd" else "a finite number"
        raise InterventionError(f"{what}{whose} must be {rule}, got {value!r}")
    return number


def find_cycle(names: tuple[str, ...], influences: tuple[Influence, ...]) -> list[str]:
    """Return the concepts of one loop in order, or nothing where there is none."""
    children: dict[str, list[str]] = {name: [] for name in names}
    for edge in influences:
        children[edge.source].append(edge.target)
    done: set[str] = set()
    for first in names:
        path: list[str] = [first]
        walks = [iter(children[first])]
        while walks and first not in done:
            step = next(walks[-1], None)
            if step is None:
                walks.pop()
                done.add(path.pop())
            elif step in path:
                return path[path.index(step) :]
            elif step not in done:
                path.append(step)
                walks.append(iter(children[step]))
    return []


def _looping(
    names: tuple[str, ...], influences: tuple[Influence, ...], feedback: tuple[Influence, ...]
) -> tuple[Influence, ...]:
    """Return the feedback influences that close a loop, the strongest being let in first."""
    kept, looping = list(influences), []
    for edge in sorted(feedback, key=lambda item: -item.confidence * abs(item.weight)):
        if find_cycle(names, (*kept, edge)):
            looping.append(edge)
        else:
            kept.append(edge)
    return tuple(looping)


def _compile(
    graph: BeliefGraph,
    feedback: tuple[Influence, ...],
    looping: tuple[Influence, ...],
    mechanisms: tuple[Mechanism, ...],
    noise_sd: Floats,
    bias: Floats,
) -> Model:
    names = graph.names
    index = {name: i for i, name in enumerate(names)}
    straight = tuple(edge for edge in feedback if edge not in looping)
    if straight:
        ordered = graph.replace(influences=(*graph.influences, *straight), feedback=())
    else:
        ordered = graph
    order = np.array([index[name] for name in ordered.topological_order], dtype=np.int64)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))

    def ends(edge: Influence) -> tuple[int, int]:
        return index[edge.source], index[edge.target]

    # rows by the two ends, so that neither the order of the influences nor feedback moves a draw
    rows = {ends(edge): i for i, edge in enumerate(sorted(graph.influences, key=ends))}
    rows |= {ends(edge): len(rows) + i for i, edge in enumerate(sorted(feedback, key=ends))}
    found = [(edge, False) for edge in graph.influences]
    found += [(edge, edge in looping) for edge in feedback]
    found.sort(key=lambda item: (place[index[item[0].target]], index[item[0].source]))
    target = np.array([index[edge.target] for edge, _ in found], dtype=np.int64)
    source = np.array([index[edge.source] for edge, _ in found], dtype=np.int64)
    confidence = np.array([edge.confidence for edge, _ in found], dtype=float)
    mentions = tuple(edge.mentions() for edge, _ in found)
    mean = confidence * np.array([sum(w * p for w, p in item) for item in mentions], dtype=float)
    square = confidence * np.array([sum(w * w * p for w, p in item) for item in mentions])
    level = np.array([concept.baseline for concept in graph.concepts], dtype=float)
    solved = np.array([m.inverse(x) for m, x in zip(mechanisms, level, strict=True)], dtype=float)
    np.subtract.at(solved, target, mean * level[source])
    arrays: dict[str, NDArray[Any]] = {
        "order": order,
        "start": np.searchsorted(place[target], np.arange(len(names) + 1)).astype(np.int64),
        "source": source,
        "target": target,
        "row": np.array([rows[ends(edge)] for edge, _ in found], dtype=np.int64),
        "late": np.array([late for _, late in found], dtype=bool),
        "confidence": confidence,
        "mean": mean,
        "square": square,
        "level": level,
        "level_sd": np.array([concept.baseline_sd for concept in graph.concepts], dtype=float),
        "bias": np.where(np.isnan(bias), solved, bias),
        "noise_sd": noise_sd,
    }
    for array in arrays.values():
        array.flags.writeable = False
    return Model(
        names=names,
        stance=index[graph.stance],
        mentions=mentions,
        mechanisms=mechanisms,
        **arrays,
    )
