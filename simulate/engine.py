r"""The verb: apply interventions to a belief graph and read the shift.

Linear graphs without loops are answered exactly (means and standard deviations), with intervals
from sampled worlds; all others are sampled, with the standard error stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from scipy.special import ndtr, ndtri

import beliefgraph
from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate import paths
from beliefgraph.simulate.compile import Model, compile_graph
from beliefgraph.simulate.exact import Moments, paired_moments
from beliefgraph.simulate.interventions import Amount, Plan, Scenario, make_plan
from beliefgraph.simulate.mechanisms import MechanismLike
from beliefgraph.simulate.noise import Seed, seed_sequence
from beliefgraph.simulate.result import Interval, Result, Shift, Worlds, central, sampled_shift
from beliefgraph.simulate.sample import Draws, World, check_samples, choose_backend, draw, run

__all__ = ["Options", "checked_options", "intervene", "intervene_many", "intervene_steps"]

_METHODS: Final = ("auto", "sample", "exact")
_NOTHING: Final = Plan({}, {}, {})


@dataclass(frozen=True, eq=False)
class Options:
    """Checked options of a simulation."""

    graph: BeliefGraph
    model: Model
    n_samples: int
    seed: np.random.SeedSequence
    level: float
    passes: int
    method: str
    backend: str
    target_se: float | None
    max_samples: int
    compile_with: dict[str, Any]
    record: dict[str, Any]

    @property
    def exact(self) -> bool:
        """Whether means and standard deviations are exact."""
        return self.method != "sample" and self.model.linear and not self.model.loops


def intervene(
    graph: BeliefGraph,
    *,
    do: Mapping[str, Amount] | None = None,
    shift: Mapping[str, Amount] | None = None,
    noise: Mapping[str, Amount] | None = None,
    mechanism: MechanismLike | Mapping[str, MechanismLike] = "tanh",
    n_samples: int = 10_000,
    seed: Seed = 0,
    level: float = 0.90,
    on_cycle: str = "drop_weakest",
    noise_sd: float | Mapping[str, float] = 0.25,
    bias: Mapping[str, float] | None = None,
    passes: int = 10,
    method: str = "auto",
    backend: str = "auto",
    target_se: float | None = None,
    max_samples: int = 10_000_000,
) -> Result:
    """Predict how one person's stance would move.

    Parameters
    ----------
    graph
        What the person believes.
    do
        Concept to value in [-1, 1]: cuts the influences into it and holds it there.
    shift
        Concept to amount: added to the push on it, inside the mechanism.
    noise
        Concept to standard deviation: replaces that of its noise.
    mechanism
        "tanh", "linear", "logistic" or "threshold" (see `beliefgraph.simulate.mechanisms`); one
        for all, or by concept.
    n_samples
        Sampled worlds. 0 with the linear mechanism samples nothing: intervals are then those of a
        normal distribution with the exact mean and standard deviation.
    seed
        Whole number, numpy Generator, or None for a fresh one, recorded in the result.
    level
        Share of the worlds that an interval holds.
    on_cycle
        "drop_weakest" simulates the graph without its feedback, "raise" refuses feedback that
        closes a loop, "unroll" passes values around the loops `passes` times.
    noise_sd
        Standard deviation of the noise, inside the mechanism; one for all or by concept.
    bias
        Constant pushes by concept, in place of those solved from the baselines.
    passes
        Rounds around a loop, with one draw of influences and noise kept over all of them.
    method
        "auto" is exact where it can be; "sample" samples all; "exact" refuses what is not exact.
    backend
        "numpy", "numba" (`pip install "beliefgraph[fast]"`), or "auto": numba where it is
        installed and the run large. They agree to float32 rounding.
    target_se
        Sample until the standard error of the stance's shift is at most this.
    max_samples
        Where `target_se` gives up.

    Returns
    -------
    Result
        Without an intervention: the present stance, and no shift.

    Raises
    ------
    UnknownConceptError
        A concept is not in the graph; the error suggests the nearest.
    InterventionError
        A value or an option is not allowed.
    CycleError
        `on_cycle="raise"` and the graph's feedback closes a loop.

    Examples
    --------
    >>> import beliefgraph as bg
    >>> g = bg.BeliefGraph.from_edges(
    ...     [("rents", "affordability", -0.8, 0.9), ("affordability", "support", 0.5, 0.8)],
    ...     stance="support",
    ... )
    >>> r = intervene(g, do={"rents": 0.5}, mechanism="linear")
    >>> round(r.stance.shift, 6) == round(0.5 * (-0.8 * 0.9) * (0.5 * 0.8), 6)
    True
    """
    scenario = Scenario(do=do or {}, shift=shift or {}, noise=noise or {})
    return intervene_many(
        graph,
        [scenario],
        mechanism=mechanism,
        n_samples=n_samples,
        seed=seed,
        level=level,
        on_cycle=on_cycle,
        noise_sd=noise_sd,
        bias=bias,
        passes=passes,
        method=method,
        backend=backend,
        target_se=target_se,
        max_samples=max_samples,
    )[0]


def intervene_many(
    graph: BeliefGraph,
    scenarios: Iterable[Scenario | Mapping[str, Mapping[str, Amount]]],
    *,
    mechanism: MechanismLike | Mapping[str, MechanismLike] = "tanh",
    n_samples: int = 10_000,
    seed: Seed = 0,
    level: float = 0.90,
    on_cycle: str = "drop_weakest",
    noise_sd: float | Mapping[str, float] = 0.25,
    bias: Mapping[str, float] | None = None,
    passes: int = 10,
    method: str = "auto",
    backend: str = "auto",
    target_se: float | None = None,
    max_samples: int = 10_000_000,
) -> list[Result]:
    """Answer many scenarios of one person from one compiled graph and one block of draws.

    Parameters
    ----------
    graph
        What the person believes.
    scenarios
        `Scenario`s, or mappings with any of the keys "do", "shift", "noise".
    mechanism, n_samples, seed, level, on_cycle, noise_sd, bias, passes
        As for `intervene`.
    method, backend, target_se, max_samples
        As for `intervene`. Each result is the one that `intervene` gives for its scenario alone.

    Examples
    --------
    >>> import beliefgraph as bg
    >>> g = bg.BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    >>> low, high = intervene_many(
    ...     g, [{"do": {"rents": -1}}, {"do": {"rents": 1}}], mechanism="linear"
    ... )
    >>> low.stance.shift, high.stance.shift
    (0.5, -0.5)
    """
    options = _options(
        graph, mechanism, n_samples, seed, level, on_cycle, noise_sd, bias, passes, method,
        backend, target_se, max_samples,
    )  # fmt: skip
    plans = [as_plan(options.model.names, scenario) for scenario in scenarios]
    pairs = [(_NOTHING, plan) for plan in plans]
    return _answer(options, pairs)


def intervene_steps(
    graph: BeliefGraph,
    steps: Sequence[Scenario | Mapping[str, Mapping[str, Amount | None]]],
    **options: Any,
) -> list[Result]:
    """Apply interventions one after the other: do A, then B.

    Parameters
    ----------
    graph
        What the person believes.
    steps
        Each step adds to those before it, replaces them on the same concept, and lifts those that
        it sets to None. A `do` on a concept lifts an earlier `shift` or `noise` on it, and the
        other way round.
    **options
        As for `intervene`.

    Returns
    -------
    list of Result
        One a step; `before` is the world that the step before left, in the same draws, so the
        shifts of the steps add up to that of the last world from the present.

    Examples
    --------
    >>> import beliefgraph as bg
    >>> g = bg.BeliefGraph.from_edges(
    ...     [("a", "b", 0.5), ("b", "s", 0.5)], stance="s"
    ... )
    >>> [r.stance.shift for r in intervene_steps(
    ...     g, [{"do": {"a": 1}}, {"do": {"b": 0}}], mechanism="linear")]
    [0.25, -0.25]
    """
    checked = checked_options(graph, options)
    names = checked.model.names
    state: dict[str, dict[str, Any]] = {"do": {}, "shift": {}, "noise": {}}
    plans = [_NOTHING]
    for step in steps:
        given = _parts(step)
        lifted = {
            kind: {key: value for key, value in given[kind].items() if value is not None}
            for kind in state
        }
        make_plan(names, lifted["do"], lifted["shift"], lifted["noise"])
        for kind, other in (("do", ("shift", "noise")), ("shift", ("do",)), ("noise", ("do",))):
            for concept, value in given[kind].items():
                state[kind].pop(concept, None)
                if value is not None:
                    state[kind][concept] = value
                    for clash in other:
                        state[clash].pop(concept, None)
        plans.append(make_plan(names, state["do"], state["shift"], state["noise"]))
    return _answer(checked, list(pairwise(plans)))


_DEFAULTS: Final[dict[str, Any]] = {
    "mechanism": "tanh",
    "n_samples": 10_000,
    "seed": 0,
    "level": 0.90,
    "on_cycle": "drop_weakest",
    "noise_sd": 0.25,
    "bias": None,
    "passes": 10,
    "method": "auto",
    "backend": "auto",
    "target_se": None,
    "max_samples": 10_000_000,
}


def checked_options(graph: BeliefGraph, options: dict[str, Any]) -> Options:
    """Check options of `intervene`; those not given take its defaults."""
    return _options(graph, **{**_DEFAULTS, **_known(options)})


def _known(options: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(options) - set(_DEFAULTS))
    if unknown:
        raise TypeError(f"no such option: {', '.join(unknown)}; there are {', '.join(_DEFAULTS)}")
    return options


def _parts(scenario: Any) -> dict[str, Mapping[str, Any]]:
    if isinstance(scenario, Scenario):
        return {"do": scenario.do, "shift": scenario.shift, "noise": scenario.noise}
    kinds = {"do", "shift", "noise", "name"}
    if not isinstance(scenario, Mapping) or not set(scenario) <= kinds:
        raise InterventionError(
            "a scenario is a Scenario or a mapping with any of the keys 'do', 'shift', 'noise', "
            f"got {scenario!r}"
        )
    return {kind: scenario.get(kind) or {} for kind in ("do", "shift", "noise")}


def as_plan(names: tuple[str, ...], scenario: Any) -> Plan:
    """Check a scenario against a graph's concepts."""
    parts = _parts(scenario)
    name = scenario.name if isinstance(scenario, Scenario) else scenario.get("name", "")
    return make_plan(names, parts["do"], parts["shift"], parts["noise"], name)


def check_level(level: float) -> float:
    """Return a checked share of an interval."""
    if not isinstance(level, (int, float, np.floating)) or not 0 < level < 1:
        raise InterventionError(f"level: the share an interval holds lies in (0, 1), got {level!r}")
    return float(level)


def _options(
    graph: BeliefGraph,
    mechanism: MechanismLike | Mapping[str, MechanismLike],
    n_samples: int,
    seed: Seed,
    level: float,
    on_cycle: str,
    noise_sd: float | Mapping[str, float],
    bias: Mapping[str, float] | None,
    passes: int,
    method: str,
    backend: str,
    target_se: float | None,
    max_samples: int,
) -> Options:
    compile_with: dict[str, Any] = {
        "mechanism": mechanism, "noise_sd": noise_sd, "bias": bias, "on_cycle": on_cycle
    }  # fmt: skip
    model = compile_graph(graph, **compile_with)
    if method not in _METHODS:
        raise InterventionError(f"method: one of {', '.join(_METHODS)}, got {method!r}")
    exact_possible = model.linear and not model.loops
    if method == "exact" and not exact_possible:
        raise InterventionError(
            "method='exact' needs mechanism='linear' for every concept and no unrolled loops; use "
            "method='auto'"
        )
    count = check_samples(n_samples, 0 if exact_possible and method != "sample" else 2)
    if isinstance(passes, bool) or not isinstance(passes, (int, np.integer)) or passes < 1:
        raise InterventionError(f"passes: give a whole number of at least 1, got {passes!r}")
    if target_se is not None and not (np.isfinite(target_se) and target_se > 0):
        raise InterventionError(f"target_se: give a positive number, got {target_se!r}")
    sequence = seed_sequence(seed)
    record = {
        "mechanism": _names(mechanism),
        "n_samples": count,
        "seed": sequence.entropy,
        "level": check_level(level),
        "on_cycle": on_cycle,
        "noise_sd": dict(noise_sd) if isinstance(noise_sd, Mapping) else float(noise_sd),
        "bias": dict(bias) if bias else None,
        "passes": int(passes),
        "method": "exact" if exact_possible and method != "sample" else "sample",
        "backend": choose_backend(backend, model, count),
        "target_se": target_se,
        "version": beliefgraph.__version__,
    }
    if sequence.spawn_key:
        record["spawn_key"] = list(sequence.spawn_key)
    return Options(
        graph, model, count, sequence, float(level), int(passes), method, backend, target_se,
        max_samples, compile_with, record,
    )  # fmt: skip


def _names(mechanism: MechanismLike | Mapping[str, MechanismLike]) -> Any:
    if isinstance(mechanism, Mapping):
        return {name: str(value) for name, value in mechanism.items()}
    return str(mechanism)


def _answer(options: Options, pairs: list[tuple[Plan, Plan]]) -> list[Result]:
    """Answer pairs of (plan before, plan after) from one block of draws."""
    model = options.model
    draws = (
        draw(model, options.seed, options.n_samples, options.backend) if options.n_samples else None
    )
    base = run(model, draws, passes=options.passes) if draws is not None else None
    intervals: dict[tuple[int, bool], Interval] = {}
    results = []
    for before, after in pairs:
        chosen, worlds, used = options, None, draws
        if draws is not None and base is not None:
            worlds = (
                run(model, draws, before, base, passes=options.passes),
                run(model, draws, after, base, passes=options.passes),
            )
            if options.target_se is not None:
                chosen, used, worlds = _until_precise(options, before, after, draws, worlds)
        moments = paired_moments(model, after, before) if options.exact else None
        shared = intervals if chosen is options and not before.touched else {}
        results.append(_result(chosen, before, after, used, worlds, moments, shared))
    return results


def _until_precise(
    options: Options, before: Plan, after: Plan, draws: Draws, worlds: tuple[World, World]
) -> tuple[Options, Draws, tuple[World, World]]:
    """Draw more worlds until the standard error of the stance's shift is small enough."""
    model, stance = options.model, options.model.stance
    target = options.target_se
    assert target is not None
    n = options.n_samples
    while True:
        change = worlds[1].row(stance) - worlds[0].row(stance)
        sd = float(change.std(dtype=np.float64))
        if sd / np.sqrt(n) <= target or n >= options.max_samples:
            changed = replace(options, n_samples=n, record={**options.record, "n_samples": n})
            return changed, draws, worlds
        n = min(max(int(1.02 * (sd / target) ** 2), n + 1), options.max_samples)
        draws = draw(model, options.seed, n, options.backend)
        base = run(model, draws, passes=options.passes)
        worlds = (
            run(model, draws, before, base, passes=options.passes),
            run(model, draws, after, base, passes=options.passes),
        )


def _result(
    options: Options,
    before: Plan,
    after: Plan,
    draws: Draws | None,
    worlds: tuple[World, World] | None,
    moments: Moments | None,
    intervals: dict[tuple[int, bool], Interval],
) -> Result:
    model = options.model
    shifts = []
    for i, name in enumerate(model.names):
        sampled = None
        if worlds is not None:
            first, second = worlds[0].row(i), worlds[1].row(i)
            still = i not in worlds[0].moved and i not in worlds[1].moved
            if (i, False) not in intervals:
                intervals[i, False] = central(first, options.level)
            sampled = sampled_shift(
                name, first, None if still else second, options.level,
                before_interval=intervals[i, False],
            )  # fmt: skip
        shifts.append(_merge(name, i, sampled, moments, options.level))
    reach = model.ancestors(model.stance)
    plan_record = after.to_json(model.names)
    record = {**options.record, **plan_record}
    if after.name:
        record["name"] = after.name
    if before.touched:
        record["before"] = before.to_json(model.names)
    return Result(
        stance=shifts[model.stance],
        concepts=tuple(shifts),
        intervenable=tuple(name for i, name in enumerate(model.names) if reach[i]),
        intervention=after.name or after.describe(model.names),
        notes=tuple(_notes(options, before, after, draws, worlds, shifts)),
        configuration=record,
        _graph=options.graph,
        _explain=lambda k: paths.explain(options.graph, model, after, k),
        _worlds=(lambda: _redo(options, before, after)) if worlds is not None else None,
    )


def _merge(
    name: str, i: int, sampled: Shift | None, moments: Moments | None, level: float
) -> Shift:
    """Put exact means and standard deviations in place of sampled ones, where there are any."""
    if moments is None:
        assert sampled is not None
        return sampled
    before, after = float(moments.before[i]), float(moments.after[i])
    shift, sd = float(moments.shift[i]), float(moments.shift_sd[i])
    if sampled is not None:
        return replace(sampled, before=before, after=after, shift=shift, sd=sd, se=0.0)
    z = float(ndtri((1 + level) / 2))

    def normal(mean: float, spread: float) -> Interval:
        return mean - z * spread, mean + z * spread

    return Shift(
        name=name,
        before=before,
        after=after,
        shift=shift,
        interval=normal(shift, sd),
        before_interval=normal(before, float(moments.before_sd[i])),
        after_interval=normal(after, float(moments.after_sd[i])),
        p_positive=float(ndtr(shift / sd)) if sd else float(shift > 0),
        p_negative=float(ndtr(-shift / sd)) if sd else float(shift < 0),
        sd=sd,
        se=0.0,
    )


def _redo(options: Options, before: Plan, after: Plan) -> Worlds:
    draws = draw(options.model, options.seed, options.n_samples, options.backend)
    base = run(options.model, draws, passes=options.passes)
    first = run(options.model, draws, before, base, passes=options.passes)
    second = run(options.model, draws, after, base, passes=options.passes)
    return Worlds(lambda i: first.row(i).copy(), lambda i: second.row(i).copy())


def _notes(
    options: Options,
    before: Plan,
    after: Plan,
    draws: Draws | None,
    worlds: tuple[World, World] | None,
    shifts: list[Shift],
) -> list[str]:
    """Return what a reader of the numbers should know."""
    model, names = options.model, options.model.names
    stance = names[model.stance]
    notes = []
    reach = model.ancestors(model.stance, blocked=after.do)
    for concept in after.touched:
        if concept == model.stance:
            notes.append(f"{stance!r} is the stance: it was set, not predicted.")
        elif not reach[concept]:
            held = model.ancestors(model.stance)[concept]
            why = (
                "every path from it enters a held concept"
                if held
                else f"no path leads from it to {stance!r}"
            )
            notes.append(f"{names[concept]!r} does not move the stance: {why}.")
    if options.n_samples == 0:
        notes.append("n_samples=0: intervals are normal, from the exact mean and sd.")
    if worlds is not None:
        notes += _outside(model, worlds)
        notes += _loops(options, before, after, worlds, shifts)
        se = shifts[model.stance].se
        if options.target_se is not None and se > options.target_se:
            notes.append(
                f"stopped at max_samples={options.max_samples}: the standard error is {se:.2g}, "
                f"above the target {options.target_se:.2g}."
            )
    return notes


def _outside(model: Model, worlds: tuple[World, World]) -> list[str]:
    """Say which linear concepts left [-1, 1]; values are never clipped."""
    shares: dict[str, float] = {}
    for i, mechanism in enumerate(model.mechanisms):
        if mechanism.name == "linear":
            share = max(float((np.abs(world.row(i)) > 1).mean()) for world in worlds)
            if share > 0:
                shares[model.names[i]] = share
    if not shares:
        return []
    worst = sorted(shares, key=lambda name: -shares[name])
    shown = ", ".join(f"{name!r} in {shares[name]:.1%}" for name in worst[:3])
    more = f" and {len(worst) - 3} more" if len(worst) > 3 else ""
    return [f"linear values left [-1, 1] and are not clipped: {shown}{more} of the worlds."]


def _loops(
    options: Options,
    before: Plan,
    after: Plan,
    worlds: tuple[World, World],
    shifts: list[Shift],
) -> list[str]:
    """Compare dropping with unrolling, where the graph has feedback."""
    from beliefgraph.simulate.loops import compare_loops, unsettled_note

    notes = unsettled_note(worlds[1]) if options.model.loops else []
    if options.graph.feedback and after.touched and options.record["on_cycle"] != "raise":
        notes += compare_loops(
            options.graph, options.compile_with, options.seed, before, after,
            shifts[options.model.stance], options.n_samples, options.passes,
        )  # fmt: skip
    return notes
