r"""Exact means and variances of the linear mechanism under uncertain influences.

**Means.** With independent influences, expected total effects are sums over paths of products of
mean strengths, so with M the matrix of mean strengths, T = (I - M)^{-1} = I + M + M^2 + ... (Bollen
1987, *Total, direct, and indirect effects in structural equation models*; acyclic graphs only), and
E[y | do(k = v)] - E[y] = T[k, y] (v - E[x_k]).

**Second moments.** In topological order, the influences into a concept are independent of every
concept before it. With m and q their means and mean squares, v_i = q_i - m_i^2, mu the means and S
the covariances,

.. math::

    \mu_j &= b_j + \sum_i m_i \mu_i \\
    S_{jk} &= \sum_i m_i S_{ik} \quad (k \text{ before } j) \\
    S_{jj} &= s_j^2 + \sum_{i,l} m_i m_l S_{il} + \sum_i v_i (S_{ii} + \mu_i^2)

Two worlds that share influences and noise obey the same recursion with the same weights, so their
joint covariance is exact too: between the worlds a and b the last line reads s^a s^b +
sum m m S^{ab} + sum v (S^{ab}_{ii} + mu^a mu^b). The variance of the shift is S^{aa} + S^{bb} -
2 S^{ab}. Nothing is sampled, and correlations between parents are kept.

**All single concepts in one reverse pass.** Going backwards, the influences out of a concept are
independent of the total effects of its children on y: R_i = sum_j w_ij R_j, so E[R] and E[R R^T]
follow the mirrored recursion. As R_k depends only on influences below k and x_k only on those
above, Var(shift | do(k = v)) = E[R_k^2] E[(v - x_k)^2] - (E[R_k] (v - E[x_k]))^2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.simulate.compile import Model
from beliefgraph.simulate.interventions import Plan, Value

__all__ = ["Moments", "paired_moments", "reverse_moments", "total_effects"]

Floats = NDArray[np.float64]
_EMPTY: Final = Plan({}, {}, {})
_ROUNDING: Final = 1e-13


@dataclass(frozen=True, eq=False)
class Moments:
    """Means and variances of every concept in two worlds and of the shift between them."""

    before: Floats
    """(n,) means in the first world."""
    after: Floats
    """(n,) means in the second world."""
    before_sd: Floats
    """(n,) standard deviations in the first world."""
    after_sd: Floats
    """(n,) standard deviations in the second world."""
    shift: Floats
    """(n,) means of the difference."""
    shift_sd: Floats
    """(n,) standard deviations of the difference."""


def paired_moments(model: Model, after: Plan, before: Plan = _EMPTY) -> Moments:
    """Return exact moments of two worlds that share influences and noise (linear mechanism).

    Parameters
    ----------
    model
        A compiled graph, linear throughout and without loops.
    after, before
        What is done in each world.
    """
    n = model.n
    mean = np.zeros((2, n))
    cov = np.zeros((2, n, 2, n))
    plans = (before, after)
    for place, j in enumerate(model.order.tolist()):
        edges = slice(int(model.start[place]), int(model.start[place + 1]))
        parents, m = model.source[edges], model.mean[edges]
        spread = model.square[edges] - m**2
        free = [j not in plan.do for plan in plans]
        for a, plan in enumerate(plans):
            if free[a]:
                own = plan.shift[j].mean if j in plan.shift else 0.0
                mean[a, j] = model.bias[j] + own + m @ mean[a, parents]
                with_earlier = np.tensordot(m, cov[a, parents], 1)
                cov[a, j] = with_earlier
                cov[:, :, a, j] = with_earlier
            else:
                mean[a, j] = plan.do[j].mean
        for a in (0, 1):
            for b in (a, 1):
                cov[a, j, b, j] = cov[b, j, a, j] = _own_covariance(
                    model, plans[a], plans[b], j
                ) + (
                    m @ cov[a, parents, b, :][:, parents] @ m
                    + spread @ (cov[a, parents, b, parents] + mean[a, parents] * mean[b, parents])
                    if free[a] and free[b]
                    else 0.0
                )
    flat = np.arange(n)
    var = [cov[0, flat, 0, flat], cov[1, flat, 1, flat]]
    difference = var[0] + var[1] - 2 * cov[0, flat, 1, flat]
    difference[difference < _ROUNDING * (var[0] + var[1])] = 0
    shift = mean[1] - mean[0]
    still = ~model.reach({*after.touched, *before.touched})
    shift[still] = 0
    difference[still] = 0
    return Moments(
        before=mean[0],
        after=np.where(still, mean[0], mean[1]),
        before_sd=np.sqrt(var[0]),
        after_sd=np.sqrt(np.where(still, var[0], var[1])),
        shift=shift,
        shift_sd=np.sqrt(difference),
    )


def _own_covariance(model: Model, a: Plan, b: Plan, j: int) -> float:
    """Return the covariance, between two worlds, of what enters a concept from outside."""
    if j in a.do or j in b.do:
        return _coupled(a.do[j], b.do[j]) if j in a.do and j in b.do else 0.0
    sds = [plan.noise[j].mean if j in plan.noise else model.noise_sd[j] for plan in (a, b)]
    drawn = _coupled(a.shift[j], b.shift[j]) if j in a.shift and j in b.shift else 0.0
    return float(sds[0] * sds[1] + model.level_sd[j] ** 2 + drawn)


def _coupled(a: Value, b: Value) -> float:
    """Return the covariance of two values drawn from one uniform number."""
    if a.fixed or b.fixed:
        return 0.0
    if a == b:
        return a.variance
    nodes, weights = np.polynomial.legendre.leggauss(400)
    uniform = (nodes + 1) / 2
    return float(weights / 2 @ ((a.draw(uniform) - a.mean) * (b.draw(uniform) - b.mean)))


def total_effects(model: Model) -> Floats:
    """Return T = (I - M)^{-1}, shape (n, n): `T[i, j]` is the expected total effect of i on j."""
    n = model.n
    effects = np.eye(n)
    for place, j in enumerate(model.order.tolist()):
        for edge in model.parents(place):
            if not model.late[edge]:
                effects[:, j] += model.mean[edge] * effects[:, model.source[edge]]
    return effects


def reverse_moments(model: Model, concept: int) -> tuple[Floats, Floats]:
    """Return E[R] and E[R R^T], R the total effects of all concepts on one, in one reverse pass.

    Returns
    -------
    first : (n,)
    second : (n, n)
        Both as though influences into the other concepts were kept. Entries of concepts that are
        an ancestor of one another are exact for effects on `concept`.
    """
    n = model.n
    first = np.zeros(n)
    second = np.zeros((n, n))
    first[concept] = second[concept, concept] = 1
    outgoing: list[list[int]] = [[] for _ in range(n)]
    for edge, source in enumerate(model.source.tolist()):
        outgoing[source].append(edge)
    for i in model.order[::-1].tolist():
        edges = outgoing[i]
        if i == concept or not edges:
            continue
        children, m = model.target[edges], model.mean[edges]
        spread = model.square[edges] - m**2
        first[i] = m @ first[children]
        row = m @ second[children]
        second[i] = second[:, i] = row
        second[i, i] = (
            m @ second[np.ix_(children, children)] @ m + spread @ (second[children, children])
        )
    return first, second
