r"""Fuzzy cognitive maps: how a concept's next state follows from the states of all.

A fuzzy cognitive map (Kosko 1986) is a signed weighted graph with loops. All its concepts change
at once: with a_i the state of concept i, w_ij the weight of i -> j, and a constant push b_j that is
0 in the published rules, one iteration is

=============== ================================================== ==============================
rule            next state of j                                    source
=============== ================================================== ==============================
kosko           f(sum_i w_ij a_i + b_j)                            Kosko 1986
modified_kosko  f(a_j + sum_i w_ij a_i + b_j)                      Stylios & Groumpos 2004
rescaled        f((2 a_j - 1) + sum_i w_ij (2 a_i - 1) + b_j)      Papageorgiou 2011
=============== ================================================== ==============================

and the transfer function f, with steepness lambda and threshold theta,

=========== ======================================= ========== ==================================
transfer    f(z)                                    states     source
=========== ======================================= ========== ==================================
sigmoid     1 / (1 + exp(-lambda z))                [0, 1]     Bueno & Salmeron 2009
tanh        tanh(lambda z)                          [-1, 1]    Bueno & Salmeron 2009
bivalent    1 where z > theta, else 0               {0, 1}     Tsadiras 2008 (theta = 0)
trivalent   sign z where \|z\| > theta, else 0      {-1, 0, 1} Tsadiras 2008 (theta = 0)
=========== ======================================= ========== ==================================

**Two scales.** Sigmoid and bivalent maps live in [0, 1], the library in [-1, 1]: a = (x + 1) / 2
and x = 2 a - 1. Tanh and trivalent maps live in [-1, 1]: a = x. The rescaled rule reads 2 a - 1,
the state as the library counts it, so that a neutral concept (a = 0.5) pushes nothing. In a map
whose states lie in [-1, 1] a neutral concept is 0 already, and the rescaled rule is the modified
one; the formula with 2 a - 1 put in there unchanged, as in the program fcmpy, would let a neutral
concept push by -w. In x, a rescaled sigmoid map of steepness lambda is a modified tanh map of
lambda / 2.

**Where published rules differ.** Published sums leave i = j out; here a weight on the diagonal
counts as any other. The threshold is 0 in most papers and 1/2 in some: theta is an argument. Some
programs (fcmpy) keep every concept without causes at its first state; the rules give f(b_j), and so
do we: hold such a concept to keep it. fcmpy has no lambda for tanh.

References
----------
B. Kosko, Fuzzy cognitive maps, Int. J. Man-Machine Studies 24 (1986) 65-75.
C. Stylios & P. Groumpos, Modeling complex systems using fuzzy cognitive maps, IEEE Trans. Systems,
Man and Cybernetics A 34 (2004) 155-162.
A. Tsadiras, Comparing the inference capabilities of binary, trivalent and sigmoid fuzzy cognitive
maps, Information Sciences 178 (2008) 3880-3894.
S. Bueno & J. Salmeron, Benchmarking main activation functions in fuzzy cognitive maps, Expert
Systems with Applications 36 (2009) 5221-5229.
E. Papageorgiou, A new methodology for decisions in medical informatics using fuzzy cognitive maps
based on fuzzy rule-extraction techniques, Applied Soft Computing 11 (2011) 500-513.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from beliefgraph.errors import BeliefGraphError, InterventionError
from beliefgraph.records import Record
from beliefgraph.simulate.mechanisms import LEVEL_CLIP

__all__ = ["EdgeWeights", "FcmOptions", "SharedWeights", "Weights", "fcm_options", "step"]

Floats = NDArray[np.float64]


class FcmOptions(Record):
    """The rule of a fuzzy cognitive map, and when it stops.

    Examples
    --------
    >>> FcmOptions(transfer="sigmoid").activate(np.array([0.0, 2.0])).round(3)
    array([0.5  , 0.881])
    >>> FcmOptions(transfer="trivalent", threshold=0.5).activate(np.array([-2.0, 0.5]))
    array([-1.,  0.])
    """

    error: ClassVar[type[BeliefGraphError]] = InterventionError

    transfer: Literal["sigmoid", "tanh", "bivalent", "trivalent"] = "tanh"
    """How the pushes on a concept become its state."""
    rule: Literal["kosko", "modified_kosko", "rescaled"] = "kosko"
    """What the pushes are made of."""
    steepness: float = Field(default=1.0, gt=0)
    """Lambda of sigmoid and tanh."""
    threshold: float = Field(default=0.0, ge=0)
    """Theta of bivalent and trivalent: a push must exceed it."""
    tolerance: float = Field(default=1e-6, gt=0, lt=1)
    """Largest change of a state in one iteration that counts as none."""
    max_iterations: int = Field(default=200, ge=1)
    """Iterations after which a map counts as unresolved."""

    @property
    def unit(self) -> bool:
        """Whether states lie in [0, 1] rather than [-1, 1]."""
        return self.transfer in ("sigmoid", "bivalent")

    @property
    def discrete(self) -> bool:
        """Whether states are whole numbers."""
        return self.transfer in ("bivalent", "trivalent")

    @property
    def remembers(self) -> bool:
        """Whether a concept's own state is among the pushes on it."""
        return self.rule != "kosko"

    def activate(self, push: Floats) -> Floats:
        """Return f(push), the state that pushes lead to, in the map's scale."""
        if self.transfer == "tanh":
            return np.tanh(self.steepness * push)
        if self.transfer == "sigmoid":  # in this form no push overflows
            return np.asarray(0.5 + 0.5 * np.tanh(0.5 * self.steepness * push))
        if self.transfer == "bivalent":
            return np.asarray(push > self.threshold, dtype=np.float64)
        return np.asarray(np.sign(push) * (np.abs(push) > self.threshold), dtype=np.float64)

    def heard(self, state: Floats) -> Floats:
        """Return what the sums of the rule read of each state."""
        return 2 * state - 1 if self.unit and self.rule == "rescaled" else state

    def to_map(self, value: Floats) -> Floats:
        """Return library values in [-1, 1] in the map's scale."""
        return (value + 1) / 2 if self.unit else value

    def from_map(self, state: Floats) -> Floats:
        """Return states of the map as library values in [-1, 1]."""
        return 2 * state - 1 if self.unit else state

    def standing(self, level: Floats) -> Floats:
        """Return the state, in the map's scale, that a concept of this level is in.

        A bivalent or trivalent map holds no levels between its own: the transfer function of the
        level is taken.
        """
        return self.activate(level) if self.discrete else self.to_map(level)

    def push_at(self, level: Floats) -> Floats:
        """Return the push, own memory aside, that keeps a concept at this level.

        Levels beyond +-0.999 are read as +-0.999, where the inverse has no end. Where f has no
        inverse (bivalent, trivalent) the level itself is taken as the push.
        """
        if self.discrete:
            return level
        inverse = np.arctanh(np.clip(level, -LEVEL_CLIP, LEVEL_CLIP)) / self.steepness
        if self.unit:
            inverse = 2 * inverse
        return inverse - self.heard(self.to_map(level)) if self.remembers else inverse


def fcm_options(given: FcmOptions | Mapping[str, Any] | None) -> FcmOptions:
    """Return the options of a map from the options, a mapping with any of their fields, or None.

    Raises
    ------
    InterventionError
        A field is unknown or its value is not allowed.
    """
    if isinstance(given, FcmOptions):
        return given
    if given is None:
        return FcmOptions()
    if not isinstance(given, Mapping):
        raise InterventionError(
            f"fcm: give FcmOptions or a mapping with any of {', '.join(FcmOptions.model_fields)}, "
            f"got {given!r}"
        )
    return FcmOptions(**given)


class Weights(Protocol):
    """The weights of n concepts in S worlds."""

    def pushes(self, heard: Floats) -> Floats:
        """(n, S) sums over causes, from the (n, S) states as the rule reads them."""

    def take(self, worlds: NDArray[Any]) -> Self:
        """Return the weights of some worlds, by number or mask."""


@dataclass(frozen=True, eq=False)
class SharedWeights:
    """One matrix for all worlds."""

    into: Floats
    """(n, n) [j, i] for i -> j."""

    def pushes(self, heard: Floats) -> Floats:
        """(n, S) sums over causes."""
        return self.into @ heard

    def take(self, worlds: NDArray[Any]) -> Self:
        """Return the same weights."""
        return self


@dataclass(frozen=True, eq=False)
class EdgeWeights:
    """Weights by influence, each the same in all worlds or one a world.

    The sums run in the order of the influences, so that a world's numbers do not depend on which
    worlds are beside it.
    """

    source: Sequence[int]
    """Concept that has the effect, by influence."""
    target: Sequence[int]
    """Concept that feels it, by influence."""
    strength: Sequence[Floats | float]
    """A number or (S,) numbers, by influence."""

    def pushes(self, heard: Floats) -> Floats:
        """(n, S) sums over causes."""
        total = np.zeros_like(heard)
        product = np.empty(heard.shape[1])
        for source, target, strength in zip(self.source, self.target, self.strength, strict=True):
            np.multiply(strength, heard[source], out=product)
            total[target] += product
        return total

    def take(self, worlds: NDArray[Any]) -> Self:
        """Return the weights of some worlds."""
        kept = [item[worlds] if isinstance(item, np.ndarray) else item for item in self.strength]
        return type(self)(self.source, self.target, kept)


def step(
    options: FcmOptions, weights: Weights, state: Floats, push: Floats, held: Sequence[int]
) -> Floats:
    """(n, S) states after one iteration; `held` concepts stay as they are."""
    heard = options.heard(state)
    total = weights.pushes(heard)
    total += push
    if options.remembers:
        total += heard
    new = options.activate(total)
    for concept in held:
        new[concept] = state[concept]
    return new
