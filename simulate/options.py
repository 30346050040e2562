"""The options of a simulation: their defaults, checks and the record that a result keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

import beliefgraph
from beliefgraph.errors import InterventionError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.compile import Model, compile_graph
from beliefgraph.simulate.fcm.graph import compile_map, run_map
from beliefgraph.simulate.fcm.rules import FcmOptions, fcm_options
from beliefgraph.simulate.interventions import Plan
from beliefgraph.simulate.mechanisms import MechanismLike
from beliefgraph.simulate.noise import Seed, seed_sequence
from beliefgraph.simulate.sample import Draws, World, check_samples, choose_backend, run

__all__ = [
    "DEFAULTS",
    "Options",
    "check_level",
    "checked_options",
    "make_options",
    "names_of",
    "numbers_of",
    "options_without_loops",
]

_METHODS: Final = ("auto", "sample", "exact")


@dataclass(frozen=True, eq=False)
class Options:
    """Checked options of a simulation."""

    graph: BeliefGraph
    """What the person believes."""
    model: Model
    """The graph, compiled."""
    n_samples: int
    """Sampled worlds."""
    seed: np.random.SeedSequence
    """Where the random numbers come from."""
    level: float
    """Share of the worlds that an interval holds."""
    passes: int
    """Rounds around a loop."""
    method: str
    """"auto", "sample" or "exact"."""
    backend: str
    """"auto", "numpy" or "numba"."""
    target_se: float | None
    """Standard error to reach."""
    max_samples: int
    """Where `target_se` gives up."""
    compile_with: dict[str, Any]
    """Arguments of `compile_graph`."""
    record: dict[str, Any]
    """What a result keeps of it all, fit for JSON."""
    fcm: FcmOptions | None = None
    """Rule of the fuzzy cognitive map; None where the graph is not run as one."""

    def run(self, draws: Draws, plan: Plan | None = None, before: World | None = None) -> World:
        """Propagate one plan through all sampled worlds."""
        if self.fcm is not None:
            return run_map(self.fcm, self.model, draws, plan, before)
        return run(self.model, draws, plan, before, passes=self.passes)

    @property
    def exact(self) -> bool:
        """Whether means and standard deviations are exact."""
        return self.method != "sample" and self.model.linear and not self.model.loops


DEFAULTS: Final[dict[str, Any]] = {
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
    "fcm": None,
}


def checked_options(graph: BeliefGraph, options: dict[str, Any]) -> Options:
    """Check options of `intervene`; those not given take its defaults."""
    return make_options(graph, **{**DEFAULTS, **_known(options)})


def _known(options: dict[str, Any]) -> dict[str, Any]:
    unknown = sorted(set(options) - set(DEFAULTS))
    if unknown:
        raise TypeError(f"no such option: {', '.join(unknown)}; there are {', '.join(DEFAULTS)}")
    return options


def check_level(level: float) -> float:
    """Return a checked share of an interval."""
    if not isinstance(level, (int, float, np.floating)) or not 0 < level < 1:
        raise InterventionError(f"level: the share an interval holds lies in (0, 1), got {level!r}")
    return float(level)


def options_without_loops(graph: BeliefGraph, options: dict[str, Any], what: str) -> Options:
    """Check options of `intervene` for what is defined on graphs without loops only.

    Raises
    ------
    InterventionError
        `on_cycle="unroll"` and the graph has feedback that closes a loop, or `on_cycle="fcm"`.
    """
    checked = checked_options(graph, options)
    if checked.model.loops or checked.fcm is not None:
        raise InterventionError(
            f"on_cycle: {what} takes 'drop_weakest' or 'raise', got "
            f"{checked.record['on_cycle']!r}: paths around a loop have no end"
        )
    return checked


def make_options(
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
    fcm: FcmOptions | Mapping[str, Any] | None = None,
) -> Options:
    """Check the options of `intervene`, all given."""
    compile_with: dict[str, Any] = {
        "mechanism": mechanism, "noise_sd": noise_sd, "bias": bias, "on_cycle": on_cycle
    }  # fmt: skip
    chosen = _chosen_map(on_cycle, mechanism, fcm)
    if chosen is None:
        model = compile_graph(graph, **compile_with)
    else:
        model = compile_map(graph, chosen, noise_sd=noise_sd, bias=bias)
        choose_backend(backend, model, 0)  # checks the name; maps have no compiled kernel
        backend = "numpy"
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
        "mechanism": names_of(mechanism),
        "n_samples": count,
        "seed": sequence.entropy,
        "level": check_level(level),
        "on_cycle": on_cycle,
        "noise_sd": numbers_of(noise_sd),
        "bias": numbers_of(bias) if bias else None,
        "passes": int(passes),
        "method": "exact" if exact_possible and method != "sample" else "sample",
        "backend": choose_backend(backend, model, count),
        "target_se": target_se,
        "version": beliefgraph.__version__,
    }
    if chosen is not None:
        record["fcm"] = chosen.model_dump()
    if sequence.spawn_key:
        record["spawn_key"] = list(sequence.spawn_key)
    return Options(
        graph, model, count, sequence, float(level), int(passes), method, backend, target_se,
        max_samples, compile_with, record, chosen,
    )  # fmt: skip


def _chosen_map(
    on_cycle: str,
    mechanism: MechanismLike | Mapping[str, MechanismLike],
    fcm: FcmOptions | Mapping[str, Any] | None,
) -> FcmOptions | None:
    """Return the rule of the fuzzy cognitive map where one is asked for."""
    if on_cycle != "fcm":
        if fcm is not None:
            raise InterventionError(
                f"fcm: options of a fuzzy cognitive map need on_cycle='fcm', got {on_cycle!r}"
            )
        return None
    if names_of(mechanism) != "tanh":
        raise InterventionError(
            "mechanism: with on_cycle='fcm' the transfer function of the map takes its place, so "
            f"leave it out and give fcm={{'transfer': ...}}, got {names_of(mechanism)!r}"
        )
    return fcm_options(fcm)


def numbers_of(given: float | Mapping[str, float]) -> Any:
    """Return a number or numbers by concept, fit for JSON."""
    if isinstance(given, Mapping):
        return {name: float(value) for name, value in given.items()}
    return float(given)


def names_of(mechanism: MechanismLike | Mapping[str, MechanismLike]) -> Any:
    """Return the name of a mechanism or names by concept, fit for JSON."""
    if isinstance(mechanism, Mapping):
        return {name: str(value) for name, value in mechanism.items()}
    return str(mechanism)
