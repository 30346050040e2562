r"""Closed forms that a population needs: shares, their differences, agreement, alike partitions."""

from __future__ import annotations

from math import nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

__all__ = [
    "adjusted_rand_index",
    "newcombe_interval",
    "sign_agreement",
    "wilson_interval",
]

Interval = tuple[float, float]


def wilson_interval(part: int, whole: int, level: float = 0.95) -> Interval:
    r"""Return the score interval of a share (Wilson 1927).

    .. math:: \frac{p + z^2/2n \pm z \sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}

    NaN where `whole` is 0.

    Examples
    --------
    >>> [round(end, 4) for end in wilson_interval(8, 10)]
    [0.4902, 0.9433]
    """
    if whole == 0:
        return nan, nan
    z, share = NormalDist().inv_cdf((1 + level) / 2), part / whole
    middle = share + z**2 / (2 * whole)
    half = z * sqrt(share * (1 - share) / whole + z**2 / (4 * whole**2))
    # the ends are exact at shares of 0 and 1, and rounding must not say otherwise
    low = 0.0 if part == 0 else (middle - half) / (1 + z**2 / whole)
    high = 1.0 if part == whole else (middle + half) / (1 + z**2 / whole)
    return low, high


def newcombe_interval(
    part_a: int, whole_a: int, part_b: int, whole_b: int, level: float = 0.95
) -> Interval:
    r"""Return the hybrid score interval of a difference of two shares, a less b.

    With the Wilson limits l and u of each share, the interval is
    :math:`d - \sqrt{(p_a - l_a)^2 + (u_b - p_b)^2}` to
    :math:`d + \sqrt{(u_a - p_a)^2 + (p_b - l_b)^2}` (Newcombe 1998, *Statistics in Medicine* 17,
    873-890, method 10). NaN where a group is empty.

    Examples
    --------
    >>> [round(end, 4) for end in newcombe_interval(56, 70, 48, 80)]
    [0.0524, 0.3339]
    """
    if not whole_a or not whole_b:
        return nan, nan
    p_a, p_b = part_a / whole_a, part_b / whole_b
    (low_a, high_a), (low_b, high_b) = (
        wilson_interval(part, whole, level)
        for part, whole in ((part_a, whole_a), (part_b, whole_b))
    )
    difference = p_a - p_b
    return (
        difference - sqrt((p_a - low_a) ** 2 + (high_b - p_b) ** 2),
        difference + sqrt((high_a - p_a) ** 2 + (p_b - low_b) ** 2),
    )


def sign_agreement(negative: float, none: float, positive: float) -> float:
    r"""Return van der Eijk's agreement A over the three ordered categories -, 0, +.

    The frequencies are taken apart into layers of equal height, and A is the mean, weighted by
    the layers' sizes, of `U (1 - (S - 1) / (K - 1))` with S the number of categories in a layer,
    K = 3 and U its unimodality (van der Eijk 2001, *Quality & Quantity* 35, 325-341). A layer of
    one category has 1, of two neighbours 1/2, of all three 0, and of both ends without the middle
    -1. So 1 is one sign for all, 0 all three alike, and -1 half + and half -. Without "0" it is
    `1 - 4 min(share +, share -)`: 0 where a quarter contradicts the rest.

    Parameters
    ----------
    negative, none, positive
        People, or shares of people, with each sign.

    Returns
    -------
    float
        In [-1, 1]; NaN where nobody has any.

    Examples
    --------
    >>> sign_agreement(0, 0, 7), sign_agreement(5, 0, 5), sign_agreement(1, 0, 3)
    (1.0, -1.0, 0.0)
    """
    left = {-1: negative, 0: none, 1: positive}
    whole = negative + none + positive
    if whole <= 0:
        return nan
    total = 0.0
    while held := [sign for sign, count in left.items() if count > 0]:
        height = min(left[sign] for sign in held)
        total += _LAYER[tuple(held)] * height * len(held)
        for sign in held:
            # the lowest is used up by name, so that rounding leaves no sliver of it
            left[sign] = 0 if left[sign] == height else left[sign] - height
    return total / whole


_LAYER = {
    (-1,): 1.0,
    (0,): 1.0,
    (1,): 1.0,
    (-1, 0): 0.5,
    (0, 1): 0.5,
    (-1, 1): -1.0,
    (-1, 0, 1): 0.0,
}
"""`U (1 - (S - 1) / 2)` of a layer, by the categories in it."""


def adjusted_rand_index(one: ArrayLike, other: ArrayLike) -> float:
    """Return how alike two partitions of the same people are (Hubert and Arabie 1985).

    Returns
    -------
    float
        1 for the same partition, about 0 for two by chance; negative where they are less alike
        than that.

    Examples
    --------
    >>> adjusted_rand_index([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    _, a = np.unique(np.asarray(one), return_inverse=True)
    _, b = np.unique(np.asarray(other), return_inverse=True)
    table = np.zeros((a.max(initial=0) + 1, b.max(initial=0) + 1))
    np.add.at(table, (a, b), 1)

    def pairs(counts: ArrayLike) -> float:
        numbers = np.asarray(counts, dtype=float)
        return float((numbers * (numbers - 1) / 2).sum())

    both, in_a, in_b = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    by_chance = in_a * in_b / pairs([len(a)]) if len(a) > 1 else 0.0
    most = (in_a + in_b) / 2
    return 1.0 if most == by_chance else (both - by_chance) / (most - by_chance)
