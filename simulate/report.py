"""From worlds to a result: numbers for every concept, and what a reader of them should know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from beliefgraph.simulate import paths
from beliefgraph.simulate.compile import Model
from beliefgraph.simulate.exact import Moments
from beliefgraph.simulate.fcm import Regimes
from beliefgraph.simulate.fcm.graph import MapWorld, compile_map, feedback_note, regime_notes
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.loops import compare_loops, unsettled_note
from beliefgraph.simulate.options import Options
from beliefgraph.simulate.result import Interval, Result, Shift, Worlds, central, sampled_shift
from beliefgraph.simulate.sample import World, draw

__all__ = ["make_result", "outside_note"]


def make_result(
    options: Options,
    before: Plan,
    after: Plan,
    worlds: tuple[World, World] | None,
    moments: Moments | None,
    intervals: dict[int, Interval],
) -> Result:
    """Summarise worlds before and after, with exact moments where there are any.

    `intervals` holds the intervals before, by concept, for results that share that world.
    """
    model = options.model
    shifts = []
    for i, name in enumerate(model.names):
        sampled = None
        if worlds is not None:
            first, second = worlds[0].row(i), worlds[1].row(i)
            still = i not in worlds[0].moved and i not in worlds[1].moved
            if i not in intervals:
                intervals[i] = central(first, options.level)
            sampled = sampled_shift(
                name, first, None if still else second, options.level,
                before_interval=intervals[i],
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
        notes=tuple(_notes(options, before, after, worlds, shifts)),
        configuration=record,
        _graph=options.graph,
        _explain=lambda k: paths.explain(options.graph, model, after, k),
        _worlds=(lambda: _redo(options, before, after)) if worlds is not None else None,
        regimes_before=_regimes(worlds, 0),
        regimes_after=_regimes(worlds, 1),
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
    z = NormalDist().inv_cdf((1 + level) / 2)

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
        p_positive=NormalDist().cdf(shift / sd) if sd else float(shift > 0),
        p_negative=NormalDist().cdf(-shift / sd) if sd else float(shift < 0),
        sd=sd,
        se=0.0,
    )


def _redo(options: Options, before: Plan, after: Plan) -> Worlds:
    draws = draw(options.model, options.seed, options.n_samples, options.backend)
    base = options.run(draws)
    first, second = options.run(draws, before, base), options.run(draws, after, base)
    return Worlds(lambda i: first.row(i).copy(), lambda i: second.row(i).copy())


def _notes(
    options: Options,
    before: Plan,
    after: Plan,
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
        notes += outside_note(
            model, lambda i: max(float((np.abs(world.row(i)) > 1).mean()) for world in worlds)
        )
        notes += _loops(options, before, after, worlds, shifts)
        se = shifts[model.stance].se
        if options.target_se is not None and se > options.target_se:
            notes.append(
                f"stopped at max_samples={options.max_samples}: the standard error is {se:.2g}, "
                f"above the target {options.target_se:.2g}."
            )
    return notes


def outside_note(model: Model, share_of: Callable[[int], float]) -> list[str]:
    """Say which linear concepts left [-1, 1], and in which share of worlds; none is clipped."""
    shares: dict[str, float] = {}
    for i, mechanism in enumerate(model.mechanisms):
        if mechanism.name == "linear":
            share = share_of(i)
            if share > 0:
                shares[model.names[i]] = share
    if not shares:
        return []
    worst = sorted(shares, key=lambda name: -shares[name])
    shown = ", ".join(f"{name!r} in {_percent(shares[name])}" for name in worst[:3])
    more = f" and {len(worst) - 3} more" if len(worst) > 3 else ""
    return [f"linear values left [-1, 1] and are not clipped: {shown} of the worlds{more}."]


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else "under 0.1%"


def _loops(
    options: Options,
    before: Plan,
    after: Plan,
    worlds: tuple[World, World],
    shifts: list[Shift],
) -> list[str]:
    """Compare dropping with simulating the loops, where the graph has feedback."""
    if options.fcm is not None:
        return _map_notes(options, before, after, worlds, shifts[options.model.stance])
    notes = unsettled_note(worlds[1]) if options.model.loops else []
    if options.graph.feedback and after.touched and options.record["on_cycle"] != "raise":
        notes += compare_loops(
            options.graph, options.compile_with, options.seed, before, after,
            shifts[options.model.stance], options.n_samples, options.passes,
        )  # fmt: skip
    return notes


def _regimes(worlds: tuple[World, World] | None, which: int) -> Regimes | None:
    """Return where the worlds of a fuzzy cognitive map ended."""
    world = None if worlds is None else worlds[which]
    return world.regimes if isinstance(world, MapWorld) else None


def _map_notes(
    options: Options, before: Plan, after: Plan, worlds: tuple[World, World], stance: Shift
) -> list[str]:
    """Say how the worlds of a fuzzy cognitive map ended, and what its loops decide."""
    assert options.fcm is not None
    notes = regime_notes(options.fcm, options.model, worlds)
    if options.graph.feedback and after.touched:
        kept = {key: options.compile_with[key] for key in ("noise_sd", "bias")}
        model = compile_map(options.graph.replace(feedback=()), options.fcm, **kept)
        dropped = replace(options, model=model)
        draws = draw(model, options.seed, options.n_samples, options.backend)
        base = dropped.run(draws)
        first, second = (
            dropped.run(draws, plan, base).row(model.stance) for plan in (before, after)
        )
        notes += feedback_note((stance.shift, stance.se), second - first)
    return notes
