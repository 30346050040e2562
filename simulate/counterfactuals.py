r"""What would have been, for this person as observed: abduction, action, prediction.

The three steps of Pearl (2009, section 7.1), in every sampled world: infer noise and influences
from what was observed (`beliefgraph.simulate.abduction`), hold or push concepts, and propagate with
what was inferred, so that only descendants change.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import beliefgraph
from beliefgraph.errors import InterventionError, UnknownConceptError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate import paths
from beliefgraph.simulate.abduction import (
    FEW_WORLDS,
    Abduced,
    abduce_enough,
    inward,
    outside_moments,
)
from beliefgraph.simulate.compile import Model, compile_graph
from beliefgraph.simulate.interventions import Amount, Plan, make_plan
from beliefgraph.simulate.mechanisms import MechanismLike
from beliefgraph.simulate.noise import Seed, seed_sequence, uniforms
from beliefgraph.simulate.options import check_level, names_of, numbers_of
from beliefgraph.simulate.report import outside_note
from beliefgraph.simulate.result import Result, Worlds, sampled_shift
from beliefgraph.simulate.sample import check_samples

__all__ = ["counterfactual"]

Floats = NDArray[np.float64]
_UNLIKELY: Final = 4.0
_MOST_SHOWN: Final = 3


def counterfactual(
    graph: BeliefGraph,
    *,
    observed: Mapping[str, float],
    do: Mapping[str, Amount] | None = None,
    shift: Mapping[str, Amount] | None = None,
    mechanism: MechanismLike | Mapping[str, MechanismLike] = "tanh",
    n_samples: int = 10_000,
    seed: Seed = 0,
    level: float = 0.90,
    on_cycle: str = "drop_weakest",
    noise_sd: float | Mapping[str, float] = 0.25,
    bias: Mapping[str, float] | None = None,
) -> Result:
    """Say what a person's stance would have been, given what was observed of the person.

    Parameters
    ----------
    graph
        What the person believes.
    observed
        Concept to observed value in [-1, 1]; concepts that saturate cannot be at -1 or 1.
    do, shift
        What would have been otherwise; as for `intervene`.
    mechanism, noise_sd, bias
        As for `intervene`. Threshold concepts cannot be observed.
    n_samples
        Number of sampled worlds; up to 64 times as many are drawn where few agree with the
        observations.
    seed, level
        As for `intervene`.
    on_cycle
        "drop_weakest" or "raise": noise cannot be read back through unrolled loops.

    Returns
    -------
    Result
        `before` is the person as observed, `after` as it would have been; `ess` the effective
        number of worlds.

    Raises
    ------
    UnknownConceptError
        A concept is not in the graph.
    InterventionError
        A value is out of range, or nothing can be said: an observed concept at the end of its
        scale, a threshold concept observed, one without noise, or no world left that agrees.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    >>> r = counterfactual(
    ...     g, observed={"rents": 0.4, "support": 0.1}, do={"rents": -0.4}, mechanism="linear"
    ... )
    >>> round(r.stance.before, 6), round(r.stance.after, 6)
    (0.1, 0.5)
    """
    if on_cycle not in ("drop_weakest", "raise"):
        raise InterventionError(
            f"on_cycle: a counterfactual takes 'drop_weakest' or 'raise', got {on_cycle!r}: noise "
            "cannot be read back through unrolled loops"
        )
    compile_with: dict[str, Any] = {
        "mechanism": mechanism, "noise_sd": noise_sd, "bias": bias, "on_cycle": on_cycle
    }  # fmt: skip
    model = compile_graph(graph, **compile_with)
    if model.loops:
        raise InterventionError("a counterfactual needs a graph without loops")
    seen = _check_observed(model, observed)
    plan = make_plan(model.names, do, shift, None)
    count = check_samples(n_samples, 2)
    check_level(level)
    sequence = seed_sequence(seed)
    abduced, weights, ess = abduce_enough(model, seen, sequence, count)
    after = _predict(model, abduced, plan, sequence)
    return _result(
        graph, model, seen, plan, abduced, after, weights, ess, level,
        {
            "mechanism": names_of(mechanism),
            "n_samples": count,
            "drawn": len(weights),
            "seed": sequence.entropy,
            "level": float(level),
            "on_cycle": on_cycle,
            "noise_sd": numbers_of(noise_sd),
            "bias": numbers_of(bias) if bias else None,
            "observed": {model.names[i]: value for i, value in seen.items()},
            "method": "counterfactual",
            "version": beliefgraph.__version__,
            **plan.to_json(model.names),
        },
    )  # fmt: skip


def _check_observed(model: Model, observed: Mapping[str, float]) -> dict[int, float]:
    if not isinstance(observed, Mapping) or not observed:
        raise InterventionError(
            f"observed: give a mapping of at least one concept to its value, got {observed!r}; "
            "with nothing observed, use intervene"
        )
    index = {name: i for i, name in enumerate(model.names)}
    _, sd = outside_moments(model)
    seen: dict[int, float] = {}
    for name, given in observed.items():
        if name not in index:
            raise UnknownConceptError(str(name), model.names, "observed")
        try:
            value = np.nan if isinstance(given, (bool, str)) else float(given)
        except (TypeError, ValueError):
            value = np.nan
        where = f"observed {name!r}"
        if not -1 <= value <= 1:
            raise InterventionError(f"{where}: a value must lie in [-1, 1], got {given!r}")
        j = index[name]
        law = model.mechanisms[j]
        if not law.invertible:
            raise InterventionError(
                f"{where}: a threshold has no inverse, so nothing can be said of its noise; "
                "leave it out"
            )
        if law.name != "linear" and abs(value) == 1:
            raise InterventionError(
                f"{where}: {law.name} reaches {value:g} for an endless push only, so nothing can "
                f"be said of its noise; give a value inside (-1, 1), such as {0.99 * value:g}"
            )
        if sd[j] == 0:
            raise InterventionError(
                f"{where}: it has no noise (noise_sd 0), so only one value is possible and an "
                "observation says nothing; leave it out or give it noise"
            )
        seen[j] = value
    return dict(sorted(seen.items()))


def _predict(
    model: Model, abduced: Abduced, plan: Plan, seed: np.random.SeedSequence
) -> dict[int, Floats]:
    """Return the values of the concepts that the plan reaches, with the inferred noise."""
    count = len(abduced.log_weight)
    reached = model.reach(plan.touched, blocked=plan.do)
    values = list(abduced.values)
    for place, j in enumerate(model.order.tolist()):
        if not reached[j]:
            continue
        if j in plan.do:
            values[j] = plan.do[j].draw(uniforms(seed, 0, j, count))
            continue
        push = abduced.push[j]
        if j in plan.shift:
            push = push + plan.shift[j].draw(uniforms(seed, 1, j, count))
        values[j] = (
            model.mechanisms[j]
            .forward(push + inward(model, place, abduced.strengths, values))
            .astype(float)
        )
    return {int(j): values[j] for j in np.flatnonzero(reached)}


def _result(
    graph: BeliefGraph,
    model: Model,
    seen: dict[int, float],
    plan: Plan,
    abduced: Abduced,
    after: dict[int, Floats],
    weights: Floats,
    ess: float,
    level: float,
    record: dict[str, Any],
) -> Result:
    uniform = bool(np.ptp(weights) < 1e-9 * weights.max())
    used = None if uniform else weights
    shifts = tuple(
        sampled_shift(name, abduced.values[i], after.get(i), level, used)
        for i, name in enumerate(model.names)
    )
    notes = []
    if ess < FEW_WORLDS:
        notes.append(
            f"only {ess:.0f} effective worlds agree with what was observed: intervals are rough."
        )
    mean, sd = outside_moments(model)
    for i in seen:
        needed = float(np.average(np.abs(abduced.push[i] - mean[i]) / sd[i], weights=weights))
        if needed > _UNLIKELY:
            notes.append(
                f"observed {model.names[i]!r} takes a noise of {needed:.1f} standard deviations: "
                "this graph hardly allows what was observed."
            )
    notes += outside_note(
        model,
        lambda i: float(weights[np.abs(after[i]) > 1].sum() / weights.sum()) if i in after else 0.0,
    )
    reach = model.ancestors(model.stance)
    blocked = model.ancestors(model.stance, blocked=plan.do)
    notes += [
        f"{model.names[i]!r} does not move the stance: no open path leads from it to "
        f"{graph.stance!r}."
        for i in plan.touched
        if i != model.stance and not blocked[i]
    ]
    means = np.array([shift.before for shift in shifts])
    return Result(
        stance=shifts[model.stance],
        concepts=shifts,
        intervenable=tuple(name for i, name in enumerate(model.names) if reach[i]),
        intervention=f"{plan.describe(model.names)}, observed {_observed(model, seen)}",
        notes=tuple(notes),
        configuration=record,
        ess=ess,
        _graph=graph,
        _explain=lambda k: paths.explain(graph, model, plan, k, means),
        _worlds=lambda: Worlds(
            lambda i: abduced.values[i].astype(np.float32),
            lambda i: after.get(i, abduced.values[i]).astype(np.float32),
            used,
        ),
    )


def _observed(model: Model, seen: dict[int, float]) -> str:
    if len(seen) > _MOST_SHOWN:
        return f"{len(seen)} of {model.n} concepts"
    return ", ".join(f"{model.names[i]} = {value:g}" for i, value in seen.items())
