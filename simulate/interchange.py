r"""Belief graphs to pgmpy, and weighted DAGs of pgmpy, DoWhy or networkx to belief graphs.

**Linear-Gaussian** (`kind="linear"`). Coefficients are the mean strengths (weight x confidence),
intercepts the biases. The spread that comes from not knowing which influences are held is put into
the noise, sd_j^2 = s_j^2 + sum_i v_ij E[x_i^2], so that the network's means *and* covariances are
exactly those of the belief graph as it stands (see `beliefgraph.simulate.exact`); under an
intervention its means stay exact, its spread is that of the present.

**Discrete** (`kind="discrete"`). The scale [-1, 1] is cut into `states` bins of equal width, each
standing for its centre, and

.. math::

    P(x_j \in B \mid \text{parents at centres } c) =
    \sum_{w} p(w) \, P\big(f_j(b_j + \textstyle\sum_i w_i c_i + e) \in B\big)

is summed exactly over presence and mentions of the incoming influences; the outermost bins reach to
infinity. A threshold concept has the states -1, 0, 1 and is represented without any rounding (-1, 1
where its threshold is below 1e-6), so that a graph of threshold concepts is the same model in both.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import (
    GraphError,
    InterventionError,
    MissingPackageError,
    StanceError,
    suggestions,
)
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.abduction import outside_moments
from beliefgraph.simulate.compile import Model, compile_graph
from beliefgraph.simulate.exact import paired_moments
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.mechanisms import MechanismLike

__all__ = ["from_weighted_dag", "state_values", "to_pgmpy"]

Floats = NDArray[np.float64]

_MOST_ENTRIES: Final = 2_000_000
_SIGN_LIKE: Final = 1e-6


def to_pgmpy(
    graph: BeliefGraph,
    *,
    kind: str = "discrete",
    states: int = 3,
    mechanism: MechanismLike | Mapping[str, MechanismLike] = "tanh",
    noise_sd: float | Mapping[str, float] = 0.25,
    bias: Mapping[str, float] | None = None,
) -> Any:
    """Return a pgmpy network of a belief graph.

    Intervene on it with `network.do([...])` and query the cut network by `VariableElimination`
    with the held states as evidence.

    Parameters
    ----------
    graph
        What the person believes. Feedback is left out.
    kind
        "discrete" (`DiscreteBayesianNetwork`) or "linear" (`LinearGaussianBayesianNetwork`; the
        mechanism is then linear).
    states
        Bins of a discrete concept, at least 2; their names are those of `state_values`.
    mechanism, noise_sd, bias
        As for `intervene`.

    Raises
    ------
    MissingPackageError
        pgmpy is not installed.
    InterventionError
        An option is not allowed, or a table would have more than two million entries.
    """
    if kind not in ("discrete", "linear"):
        raise InterventionError(f"kind: 'discrete' or 'linear', got {kind!r}")
    if isinstance(states, bool) or not isinstance(states, int) or states < 2:
        raise InterventionError(f"states: give a whole number of at least 2, got {states!r}")
    chosen = "linear" if kind == "linear" else mechanism
    model = compile_graph(graph, mechanism=chosen, noise_sd=noise_sd, bias=bias)
    return _linear(model) if kind == "linear" else _discrete(model, states)


def _pgmpy() -> tuple[Any, Any, Any, Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own deprecations
            from pgmpy.factors.continuous import LinearGaussianCPD
            from pgmpy.factors.discrete import TabularCPD
            from pgmpy.models import DiscreteBayesianNetwork, LinearGaussianBayesianNetwork
    except ImportError:
        raise MissingPackageError(
            "pgmpy", "to_pgmpy()", 'pip install "beliefgraph[pgmpy]"'
        ) from None
    return DiscreteBayesianNetwork, TabularCPD, LinearGaussianBayesianNetwork, LinearGaussianCPD


def _ends(model: Model) -> list[tuple[str, str]]:
    return [
        (model.names[source], model.names[target])
        for source, target in zip(model.source, model.target, strict=True)
    ]


def _linear(model: Model) -> Any:
    _, _, network_class, table_class = _pgmpy()
    network = network_class(_ends(model))
    network.add_nodes_from(model.names)
    now = paired_moments(model, Plan({}, {}, {}))
    second = now.before**2 + now.before_sd**2
    for place, j in enumerate(model.order.tolist()):
        edges = list(model.parents(place))
        spread = (model.square - model.mean**2)[edges] @ second[model.source[edges]]
        sd = np.sqrt(model.noise_sd[j] ** 2 + model.level_sd[j] ** 2 + spread)
        network.add_cpds(
            table_class(
                model.names[j],
                [float(model.bias[j]), *model.mean[edges].tolist()],
                float(sd),
                [model.names[i] for i in model.source[edges]],
            )
        )
    return network


def state_values(model: Model, concept: int, states: int) -> Floats:
    """Return the values that the states of a discrete concept stand for.

    >>> g = BeliefGraph.from_edges([("a", "s", 0.5)], stance="s")
    >>> state_values(compile_graph(g), 0, 2)
    array([-0.5,  0.5])
    """
    law = model.mechanisms[concept]
    if law.name == "threshold":
        return np.array([-1.0, 1.0] if law.theta < _SIGN_LIKE else [-1.0, 0.0, 1.0])
    edges = np.linspace(-1, 1, states + 1)
    return np.asarray((edges[1:] + edges[:-1]) / 2)


def _limits(model: Model, concept: int, states: int) -> Floats:
    """Return the pushes at which a concept passes from one state to the next."""
    law = model.mechanisms[concept]
    if law.name == "threshold":
        return np.array([0.0] if law.theta < _SIGN_LIKE else [-law.theta, law.theta])
    return np.asarray(law.abduct(np.linspace(-1, 1, states + 1)[1:-1]))


def _discrete(model: Model, states: int) -> Any:
    network_class, table_class, _, _ = _pgmpy()
    network = network_class(_ends(model))
    network.add_nodes_from(model.names)
    mean, sd = outside_moments(model)
    values = [state_values(model, j, states) for j in range(model.n)]
    names = {name: [f"{value:g}" for value in values[j]] for j, name in enumerate(model.names)}
    for place, j in enumerate(model.order.tolist()):
        edges = list(model.parents(place))
        parents = model.source[edges].tolist()
        sizes = [len(values[i]) for i in parents]
        if np.prod([*sizes, len(values[j])], dtype=float) > _MOST_ENTRIES:
            raise InterventionError(
                f"{model.names[j]!r} has {len(parents)} causes: its table would have more than "
                f"{_MOST_ENTRIES:,} entries. Take fewer states, or kind='linear'"
            )
        found = list(itertools.product(*(values[i] for i in parents)))
        inputs = np.array(found, dtype=float).reshape(len(found), len(parents))
        table = np.zeros((len(values[j]), len(inputs)))
        options = [
            [*((w, p * c) for w, p in model.mentions[edge]), (0.0, 1 - c)]
            for edge, c in zip(edges, model.confidence[edges].tolist(), strict=True)
        ]
        limits = _limits(model, j, states)
        for world in itertools.product(*options):
            probability = float(np.prod([p for _, p in world]))
            if probability == 0:
                continue
            push = mean[j] + inputs @ np.array([w for w, _ in world])
            below = _below(limits[:, None] - push[None, :], sd[j])
            ends = np.vstack([np.zeros(len(inputs)), below, np.ones(len(inputs))])
            table += probability * np.diff(ends, axis=0)
        shown = [model.names[i] for i in parents]
        network.add_cpds(
            table_class(
                model.names[j],
                len(values[j]),
                table.tolist(),
                shown or None,
                sizes or None,
                state_names={name: names[name] for name in (model.names[j], *shown)},
            )
        )
    return network


def _below(distance: Floats, sd: float) -> Floats:
    """Return the probability that the noise stays below a distance."""
    from scipy.special import ndtr

    return np.asarray(ndtr(distance / sd) if sd > 0 else (distance > 0).astype(float))


def from_weighted_dag(
    model: Any,
    *,
    stance: str,
    weights: Mapping[tuple[str, str], float] | None = None,
    confidence: float | Mapping[tuple[str, str], float] = 1.0,
    scale: float | str | None = None,
) -> BeliefGraph:
    """Make a belief graph of someone else's weighted DAG.

    Parameters
    ----------
    model
        A networkx DiGraph whose edges have `weight` (and may have `confidence`); a pgmpy
        `LinearGaussianBayesianNetwork`, whose coefficients are taken; a DoWhy graphical causal
        model with fitted linear mechanisms; or a DoWhy `CausalModel`, which needs `weights`.
    stance
        Name of the node that becomes the stance.
    weights
        Strengths by (source, target), in place of those found.
    confidence
        One for all, or by (source, target), where edges have none.
    scale
        Coefficients may leave [-1, 1]: "max" divides all by the largest size, a number by it.

    Raises
    ------
    GraphError
        There are no weights, a weight leaves [-1, 1], or there is a loop.
    StanceError
        No node is called like the stance.

    Examples
    --------
    >>> import networkx as nx
    >>> dag = nx.DiGraph()
    >>> dag.add_weighted_edges_from([("rents", "support", -2.0), ("trust", "support", 1.0)])
    >>> from_weighted_dag(dag, stance="support", scale="max").weight_matrix()
    array([[ 0. , -1. ,  0. ],
           [ 0. ,  0. ,  0. ],
           [ 0. ,  0.5,  0. ]])
    """
    dag = _digraph(model)
    nodes = [str(node) for node in dag.nodes]
    if stance not in nodes:
        raise StanceError(f"stance: no node is called {stance!r}. {suggestions(stance, nodes)}")
    found = {
        **_weights(model, dag),
        **{(str(a), str(b)): w for (a, b), w in (weights or {}).items()},
    }
    ends = [(str(source), str(target)) for source, target in dag.edges]
    missing = [pair for pair in ends if pair not in found]
    if missing:
        raise GraphError(
            f"no weight is known of {missing[0][0]!r} -> {missing[0][1]!r}"
            + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")
            + ": put it into the edge's `weight`, or give weights={(source, target): ...}"
        )
    by = _scale({pair: float(found[pair]) for pair in ends}, scale)
    edges = []
    for (source, target), (_, _, data) in zip(ends, dag.edges(data=True), strict=True):
        sure = data.get("confidence")
        if sure is None:
            sure = (
                confidence.get((source, target), 1.0)
                if isinstance(confidence, Mapping)
                else confidence
            )
        weight = float(found[source, target]) / by
        if abs(weight) > 1:
            raise GraphError(
                f"{source!r} -> {target!r} has the weight {weight:g}, outside [-1, 1]: standardise "
                "the variables first, or give scale='max'"
            )
        edges.append((source, target, weight, float(sure)))
    return BeliefGraph.from_edges(edges, stance=stance, concepts=nodes)


def _scale(weights: dict[tuple[str, str], float], scale: float | str | None) -> float:
    if scale is None:
        return 1.0
    if scale == "max":
        return max((abs(weight) for weight in weights.values()), default=1.0) or 1.0
    if isinstance(scale, str) or not (np.isfinite(scale) and scale > 0):
        raise GraphError(f"scale: 'max' or a positive number, got {scale!r}")
    return float(scale)


def _digraph(model: Any) -> Any:
    """Return the networkx graph inside a model."""
    import networkx as nx

    if isinstance(model, nx.DiGraph):
        return model
    inner = getattr(model, "graph", None)  # DoWhy graphical causal models
    if isinstance(inner, nx.DiGraph):
        return inner
    inner = getattr(getattr(model, "_graph", None), "_graph", None)  # DoWhy CausalModel
    if isinstance(inner, nx.DiGraph):
        observed = [
            node for node, data in inner.nodes(data=True) if data.get("observed", "yes") == "yes"
        ]
        return nx.DiGraph(inner.subgraph(observed))
    raise GraphError(
        f"model: a networkx DiGraph, a pgmpy network or a DoWhy model, got {type(model).__name__}"
    )


def _weights(model: Any, dag: Any) -> dict[tuple[str, str], float]:
    """Return the weights that a model knows of."""
    found = {
        (str(source), str(target)): data["weight"]
        for source, target, data in dag.edges(data=True)
        if data.get("weight") is not None
    }
    cpds = getattr(model, "cpds", None)
    for cpd in cpds or ():
        if hasattr(cpd, "beta"):
            for parent, coefficient in zip(cpd.evidence, cpd.beta[1:], strict=True):
                found[str(parent), str(cpd.variable)] = float(coefficient)
    for node, data in dag.nodes(data=True):
        fitted = getattr(data.get("causal_mechanism"), "prediction_model", None)
        coefficients = getattr(getattr(fitted, "sklearn_model", None), "coef_", None)
        if coefficients is not None:
            parents = sorted(dag.predecessors(node))  # the order in which DoWhy fits
            for parent, coefficient in zip(parents, np.ravel(coefficients), strict=True):
                found[str(parent), str(node)] = float(coefficient)
    return found
