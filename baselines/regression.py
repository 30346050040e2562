"""Fits that choose their own strength by cross-validation over people, with scikit-learn.

Answers of one person hang together, so a person is never on both sides of a split. Inside a run
that leaves a participant out, this is the inner loop of a nested cross-validation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import MissingPackageError

__all__ = ["ALPHAS", "Fit", "boosting_rows", "fit_boosting", "fit_ridge", "need_sklearn"]

FloatArray = NDArray[np.float64]

ALPHAS: Final = (0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5)
"""Strengths of the ridge penalty that are tried."""
_FOLDS: Final = 5
_MOST_CATEGORIES: Final = 254
"""Most values of a category that scikit-learn's histograms hold, beside "missing"."""


@dataclass(frozen=True)
class Fit:
    """A fitted model of standardised answers."""

    model: Any
    """Something with `predict`; None where predicting the mean did best."""
    chosen: float
    """Penalty or number of trees with the least squared error in cross-validation."""
    spread: float
    """Root mean squared error in cross-validation, in the unit of the target."""

    def predict(self, x: Any) -> float:
        """Return the expected target of one row."""
        return 0.0 if self.model is None else float(self.model.predict(x)[0])


def need_sklearn(purpose: str) -> None:
    """Raise a MissingPackageError where scikit-learn is not installed."""
    if find_spec("sklearn") is None:
        raise MissingPackageError("scikit-learn", purpose, 'pip install "beliefgraph[baselines]"')


def fit_ridge(
    x: Any, y: FloatArray, people: Sequence[str], alphas: Sequence[float] = ALPHAS
) -> Fit:
    """Fit a ridge regression without intercept (the target is centred).

    Parameters
    ----------
    x
        Shape (n, columns), dense or sparse.
    y
        Target, shape (n,).
    people
        Whose answer each row is; at least two people.
    alphas
        Penalties to choose from; the greater of equals is taken.
    """
    need_sklearn("a ridge regression")
    from sklearn.linear_model import Ridge

    def make(alpha: float) -> Any:
        return Ridge(alpha=alpha, fit_intercept=False, tol=1e-6)

    squares = dict.fromkeys(sorted(alphas, reverse=True), 0.0)
    for train, test in _splits(people):
        for alpha in squares:
            model = make(alpha).fit(x[train], y[train])
            squares[alpha] += float(np.sum((model.predict(x[test]) - y[test]) ** 2))
    best = min(squares, key=lambda alpha: squares[alpha])
    return Fit(make(best).fit(x, y), best, float(np.sqrt(squares[best] / len(y))))


def fit_boosting(
    x: FloatArray, category: NDArray[np.int64], y: FloatArray, people: Sequence[str], seed: int
) -> Fit:
    """Fit boosted trees; how many, from none to 100, is chosen.

    Parameters
    ----------
    x
        Shape (n, columns).
    category
        Code of a category, by frequency from 0, shape (n,); those past the 254th count as missing.
    y
        Target, shape (n,).
    people
        Whose answer each row is; at least two people.
    seed
        Of the trees.
    """
    need_sklearn("boosted trees")
    from sklearn.ensemble import HistGradientBoostingRegressor

    full = boosting_rows(x, category)

    def make(trees: int) -> Any:
        return HistGradientBoostingRegressor(
            learning_rate=0.1,
            max_iter=trees,
            max_leaf_nodes=8,
            min_samples_leaf=5,
            l2_regularization=1.0,
            categorical_features=[full.shape[1] - 1],
            early_stopping=False,
            random_state=seed,
        )

    squares = np.zeros(101)
    for train, test in _splits(people):
        squares[0] += np.sum(y[test] ** 2)
        stages = make(100).fit(full[train], y[train]).staged_predict(full[test])
        for n, predicted in enumerate(stages, start=1):
            squares[n] += np.sum((predicted - y[test]) ** 2)
    best = int(squares.argmin())
    model = make(best).fit(full, y) if best else None
    return Fit(model, float(best), float(np.sqrt(squares[best] / len(y))))


def boosting_rows(x: FloatArray, category: NDArray[np.int64]) -> FloatArray:
    """Put the category beside the columns, as `fit_boosting` and its model want them."""
    codes = np.where((category < 0) | (category >= _MOST_CATEGORIES), np.nan, category)
    return np.column_stack([x, codes.astype(np.float64)])


def _splits(people: Sequence[str]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    from sklearn.model_selection import GroupKFold

    splitter = GroupKFold(n_splits=min(_FOLDS, len(set(people))))
    return list(splitter.split(np.zeros(len(people)), groups=np.array(people)))
