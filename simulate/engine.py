r"""The verb: apply interventions to a belief graph and read the shift.

Linear graphs without loops are answered exactly (means and standard deviations), with intervals
from sampled worlds; all others are sampled, with the standard error stated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.exact import paired_moments
from beliefgraph.simulate.fcm.rules import FcmOptions
from beliefgraph.simulate.interventions import Amount, Plan, Scenario, make_plan
from beliefgraph.simulate.mechanisms import MechanismLike
from beliefgraph.simulate.noise import Seed
from beliefgraph.simulate.options import Options, checked_options, make_options
from beliefgraph.simulate.report import make_result
from beliefgraph.simulate.result import Interval, Result
from beliefgraph.simulate.sample import Draws, World, choose_backend, draw

if TYPE_CHECKING:
    from beliefgraph.simulate.predict.reasons import SurveyLike

__all__ = ["intervene", "intervene_many", "intervene_steps"]

_NOTHING: Final = Plan({}, {}, {})


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
    fcm: FcmOptions | Mapping[str, Any] | None = None,
    survey: SurveyLike | None = None,
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
        closes a loop, "unroll" passes values around the loops `passes` times, "fcm" iterates the
        graph with its feedback as a fuzzy cognitive map.
    noise_sd
        Standard deviation of the noise, inside the mechanism; one for all or by concept.
    bias
        Constant pushes by concept, in place of those solved from the baselines.
    passes
        Rounds around a loop, with one draw of influences and noise kept over all of them.
    method
        "auto" is exact where it can be; "sample" samples all; "exact" refuses what is not exact.
    backend
        "numpy", "numba" (`pip install "beliefgraph[fast]"`), "torch" (`beliefgraph[torch]`; a
        device behind a colon: "torch:cuda"), or "auto": numba where it is installed and the run
        large. They agree to float32 rounding.
    target_se
        Sample until the standard error of the stance's shift is at most this.
    max_samples
        Where `target_se` gives up.
    fcm
        With `on_cycle="fcm"`: rule, transfer function and when to stop, as
        `beliefgraph.simulate.FcmOptions` or a mapping with any of its fields. The transfer
        function takes the place of the mechanism.
    survey
        A `beliefgraph.survey.Survey`, one of its topics, or the path of a survey file: the result
        then holds `survey_stance` and `reasons`, on the survey's own scales (see
        `beliefgraph.simulate.predict.survey_answers`).

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
    SurveyError
        The survey cannot be read, or does not ask about the graph's topic.

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
        fcm=fcm,
        survey=survey,
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
    fcm: FcmOptions | Mapping[str, Any] | None = None,
    survey: SurveyLike | None = None,
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
    method, backend, target_se, max_samples, fcm, survey
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
    options = make_options(
        graph, mechanism, n_samples, seed, level, on_cycle, noise_sd, bias, passes, method,
        backend, target_se, max_samples, fcm,
    )  # fmt: skip
    plans = [as_plan(options.model.names, scenario) for scenario in scenarios]
    pairs = [(_NOTHING, plan) for plan in plans]
    return _answer(options, pairs, survey)


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
    survey = options.pop("survey", None)
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
    return _answer(checked, list(pairwise(plans)), survey)


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


def _answer(
    options: Options, pairs: list[tuple[Plan, Plan]], survey: SurveyLike | None
) -> list[Result]:
    """Answer pairs of (plan before, plan after) from one block of draws."""
    add = _survey_answers(options, survey)
    draws = base = None
    if options.n_samples:
        draws = draw(options.model, options.seed, options.n_samples, options.backend)
        base = options.run(draws)
    intervals: dict[int, Interval] = {}
    results = []
    for before, after in pairs:
        chosen, worlds = options, None
        if draws is not None and base is not None:
            worlds = _worlds(options, draws, base, before, after)
            if options.target_se is not None and not options.exact:
                chosen, worlds = _until_precise(options, before, after, worlds)
        moments = paired_moments(options.model, after, before) if options.exact else None
        shared = intervals if chosen is options and not before.touched else {}
        result = make_result(chosen, before, after, worlds, moments, shared)
        results.append(add(result, chosen, (before, after), worlds) if add else result)
    return results


def _survey_answers(options: Options, survey: SurveyLike | None) -> Callable[..., Result] | None:
    """Return what adds a survey's answers to a result; None without a survey."""
    if survey is None:
        return None
    # here, since reading a graph for a survey intervenes on it
    from beliefgraph.simulate.predict.survey_answers import SurveyAnswers

    return SurveyAnswers(options.graph, survey).add


def _worlds(
    options: Options, draws: Draws, base: World, before: Plan, after: Plan
) -> tuple[World, World]:
    return options.run(draws, before, base), options.run(draws, after, base)


def _until_precise(
    options: Options, before: Plan, after: Plan, worlds: tuple[World, World]
) -> tuple[Options, tuple[World, World]]:
    """Draw more worlds until the standard error of the stance's shift is small enough."""
    stance, n = options.model.stance, options.n_samples
    target = options.target_se or 0.0
    while True:
        change = worlds[1].row(stance) - worlds[0].row(stance)
        sd = float(change.std(dtype=np.float64))
        if sd / np.sqrt(n) <= target or n >= options.max_samples:
            used = {
                "n_samples": n,
                "backend": choose_backend(options.backend, options.model, n),
            }
            return replace(options, n_samples=n, record={**options.record, **used}), worlds
        n = min(max(int(1.02 * (sd / target) ** 2), n + 1), options.max_samples)
        draws = draw(options.model, options.seed, n, options.backend)
        base = options.run(draws)
        worlds = _worlds(options, draws, base, before, after)
