r"""What is done to a belief graph: `do`, `shift` and `noise`, three different things.

* `do` cuts the incoming influences of a concept and sets its value (Pearl 2009, section 3.2.1).
* `shift` adds to the push on a concept; its incoming influences stay.
* `noise` changes the standard deviation of a concept's noise; its mean pushes stay.

A value is a number, a range `(low, high)` (every value in it equally likely) or a frozen
distribution of `scipy.stats`. A drawn value is drawn once per simulated world.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import InterventionError, UnknownConceptError

__all__ = ["Scenario", "Value"]

Amount = Any
"""A number, a pair (low, high) or a frozen scipy.stats distribution."""

_LIMITS: Final = {"do": (-1.0, 1.0), "shift": (-math.inf, math.inf), "noise": (0.0, math.inf)}


@dataclass(frozen=True)
class Value:
    """A number, a range or a distribution, checked, with its first two moments."""

    given: Amount
    """As the user gave it."""
    mean: float
    """Expected value."""
    variance: float
    """Variance; 0 for a number."""

    @property
    def fixed(self) -> bool:
        """Whether it is one number."""
        return self.variance == 0.0

    def draw(self, uniform: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one value for each uniform number in (0, 1), by the inverse distribution."""
        if self.fixed:
            return np.full(uniform.shape, self.mean)
        if isinstance(self.given, tuple):
            low, high = self.given
            return np.asarray(low + (high - low) * uniform, dtype=np.float64)
        return np.asarray(self.given.ppf(uniform), dtype=np.float64)

    def __str__(self) -> str:
        if self.fixed:
            return f"{self.mean:g}"
        if isinstance(self.given, tuple):
            return f"{self.given[0]:g}..{self.given[1]:g}"
        return f"mean {self.mean:g} sd {math.sqrt(self.variance):g}"

    def to_json(self) -> Any:
        """Return a number, a [low, high] list, or the name and arguments of a distribution."""
        if isinstance(self.given, tuple):
            return list(self.given)
        if hasattr(self.given, "ppf"):
            args = [float(arg) for arg in self.given.args]
            kwds = {key: float(value) for key, value in self.given.kwds.items()}
            return {"distribution": self.given.dist.name, "args": args, "kwds": kwds}
        return self.mean


def _number(value: Any) -> float | None:
    if isinstance(value, (bool, str, bytes)) or (isinstance(value, np.ndarray) and value.ndim):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _value(kind: str, concept: str, given: Amount) -> Value:
    low, high = _LIMITS[kind]
    where = f"{kind} on {concept!r}"
    rule = {
        "do": "a value must lie in [-1, 1] (0 is as things are now)",
        "shift": "an amount must be a finite number",
        "noise": "a standard deviation must be a finite number >= 0",
    }[kind]

    def check(number: float, what: str) -> float:
        if not (math.isfinite(number) and low <= number <= high):
            raise InterventionError(f"{where}: {rule}, got {what}")
        return number

    number = _number(given)
    if number is not None:
        value = check(number, repr(given))
        return Value(value, value, 0.0)
    if hasattr(given, "ppf") and hasattr(given, "support"):
        ends = [float(end) for end in given.support()]
        if kind == "do" and not (low <= ends[0] and ends[1] <= high):
            raise InterventionError(
                f"{where}: {rule}, and this distribution reaches from {ends[0]:g} to {ends[1]:g}; "
                "use one with bounds, such as scipy.stats.truncnorm"
            )
        if kind == "noise":
            raise InterventionError(f"{where}: {rule}, got a distribution")
        mean, variance = (float(moment) for moment in given.stats(moments="mv"))
        check(mean, f"a distribution of mean {mean!r}")
        check(0.0 if math.isfinite(variance) else math.nan, f"one of variance {variance!r}")
        return Value(given if variance else mean, mean, variance)
    if isinstance(given, (tuple, list)) and len(given) == 2 and kind != "noise":
        bounds = [_number(end) for end in given]
        if None not in bounds:
            first, second = (check(float(end), repr(given)) for end in bounds)  # type: ignore[arg-type]
            if first > second:
                raise InterventionError(
                    f"{where}: a range is (low, high), got low {first:g} above high {second:g}"
                )
            return Value((first, second), (first + second) / 2, (second - first) ** 2 / 12)
    raise InterventionError(
        f"{where}: {rule}; give a number"
        + ("" if kind == "noise" else ", a range (low, high) or a scipy.stats distribution")
        + f", got {given!r}"
    )


@dataclass(frozen=True)
class Scenario:
    """A set of interventions that hold at once, with an optional name.

    Parameters
    ----------
    do, shift, noise
        Concept name to value; see the module's page.
    name
        Shown in results.

    Examples
    --------
    >>> Scenario(do={"rents": -0.5}, shift={"trust": (0.1, 0.3)})
    <Scenario do rents=-0.5, shift trust=0.1..0.3>
    """

    do: Mapping[str, Amount] = field(default_factory=dict)
    shift: Mapping[str, Amount] = field(default_factory=dict)
    noise: Mapping[str, Amount] = field(default_factory=dict)
    name: str = ""

    def __repr__(self) -> str:
        parts = []
        for kind in ("do", "shift", "noise"):
            chosen = getattr(self, kind) or {}
            if chosen:
                shown = ", ".join(
                    f"{concept}={_value(kind, concept, value)}" for concept, value in chosen.items()
                )
                parts.append(f"{kind} {shown}")
        return f"<Scenario {self.name + ': ' if self.name else ''}{', '.join(parts) or 'nothing'}>"


@dataclass(frozen=True)
class Plan:
    """A checked scenario on the concept numbers of one graph."""

    do: dict[int, Value]
    shift: dict[int, Value]
    noise: dict[int, Value]
    name: str = ""

    @property
    def touched(self) -> tuple[int, ...]:
        """Concepts that are intervened on, in graph order."""
        return tuple(sorted({*self.do, *self.shift, *self.noise}))

    def to_json(self, names: tuple[str, ...]) -> dict[str, dict[str, Any]]:
        """Return the interventions by name, fit for JSON."""
        return {
            kind: {names[i]: value.to_json() for i, value in getattr(self, kind).items()}
            for kind in ("do", "shift", "noise")
        }

    def describe(self, names: tuple[str, ...]) -> str:
        """Say the interventions in one line."""
        parts = [
            f"{kind} {names[i]} = {value}" if kind != "shift" else f"shift {names[i]} by {value}"
            for kind in ("do", "shift", "noise")
            for i, value in getattr(self, kind).items()
        ]
        return ", ".join(parts) or "no intervention"


def make_plan(
    names: tuple[str, ...],
    do: Mapping[str, Amount] | None,
    shift: Mapping[str, Amount] | None,
    noise: Mapping[str, Amount] | None,
    name: str = "",
) -> Plan:
    """Check the interventions against a graph's concepts.

    Raises
    ------
    UnknownConceptError
        A name is no concept of the graph.
    InterventionError
        A value is out of range, or `do` meets `shift` or `noise` on one concept.
    """
    index = {concept: i for i, concept in enumerate(names)}
    found: dict[str, dict[int, Value]] = {}
    for kind, chosen in (("do", do), ("shift", shift), ("noise", noise)):
        if chosen is not None and not isinstance(chosen, Mapping):
            raise InterventionError(
                f"{kind}: give a mapping of concept names to values, got {chosen!r}"
            )
        found[kind] = {}
        for concept, value in (chosen or {}).items():
            if concept not in index:
                raise UnknownConceptError(str(concept), names, kind)
            found[kind][index[concept]] = _value(kind, concept, value)
        found[kind] = dict(sorted(found[kind].items()))
    for other in ("shift", "noise"):
        both = [names[i] for i in found["do"] if i in found[other]]
        if both:
            raise InterventionError(
                f"do and {other} on one concept ({', '.join(map(repr, both))}): do sets the value "
                f"and cuts what moves it, so a {other} would have no effect. Give one of them."
            )
    return Plan(found["do"], found["shift"], found["noise"], name)
