"""What a person's demographics say of the answers: ridge regression, or boosted trees.

Both need other people's answers to fit on (protocol population-informed or state-given; the
person's own answers are not used) and scikit-learn. Answers are standardised within their question
(`beliefgraph.baselines.standardised`), so that one fit serves all questions: where demographics say
nothing, the prediction is the question's mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from beliefgraph.baselines.demographic_features import DemographicEncoder
from beliefgraph.baselines.regression import (
    ALPHAS,
    Fit,
    boosting_rows,
    fit_boosting,
    fit_ridge,
    need_sklearn,
)
from beliefgraph.baselines.standardised import AnswerScales, clear_responses, question_key
from beliefgraph.survey import Item, Person, Prediction, Predictor

__all__ = ["DemographicPredictor"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class _Fitted:
    encoder: DemographicEncoder
    scales: AnswerScales
    questions: dict[tuple[str, ...], int]
    """Number of every question, the most answered first."""
    fit: Fit


@dataclass(frozen=True)
class DemographicPredictor:
    """Answers with what people of such demographics answered.

    The ridge has one slope a column for all questions and one that is the question's own, both
    drawn to 0 (multi-task ridge: Evgeniou and Pontil 2004, KDD). The trees have the question as a
    category. Signs are one question a topic, whatever the factor.

    Protocol: population-informed or state-given. Under zero-shot, where nobody else answered, where
    people have no demographics, or where they do not differ, there is no prediction.

    Parameters
    ----------
    model
        "ridge" or "boosting".
    alphas
        Penalties of the ridge to choose from, by cross-validation over people.
    least
        Levels that fewer people hold are pooled.
    seed
        Of the trees.
    """

    model: Literal["ridge", "boosting"] = "ridge"
    alphas: tuple[float, ...] = ALPHAS
    least: int = 3
    seed: int = 0
    fitted: _Fitted | None = None
    """Empty until fitted."""
    why_not: str = "nobody else's answers are known: needs the protocol population-informed"
    """Why there is no fit."""

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"demographic-{self.model}"

    @property
    def settings(self) -> dict[str, Any]:
        """What it chooses from."""
        own = {"alphas": list(self.alphas)} if self.model == "ridge" else {"seed": self.seed}
        return {"model": self.model, "least": self.least, **own}

    def fit(self, people: Sequence[Person]) -> Predictor:
        """Return a predictor fitted to these people's answers.

        Raises
        ------
        MissingPackageError
            scikit-learn is not installed.
        """
        need_sklearn(f"the predictor {self.name}")
        known = [person for person in people if person.demographics]
        encoder = DemographicEncoder.of([person.demographics for person in known], self.least)
        rows = [(n, r) for n, person in enumerate(known) for r in clear_responses(person)]
        if not len(encoder) or len({n for n, _ in rows}) < 2:
            return replace(self, why_not="no two other people answered and differ in demographics")
        scales = AnswerScales.of(response for _, response in rows)
        counts = Counter(question_key(response.question) for _, response in rows)
        questions = {key: n for n, (key, _) in enumerate(counts.most_common())}
        columns = np.array([encoder.encode(person.demographics) for person in known])
        x = columns[[n for n, _ in rows]]
        asked = np.array([questions[question_key(r.question)] for _, r in rows])
        y = np.array([scales.standardise(r.question, r.value) for _, r in rows])
        who = [known[n].participant for n, _ in rows]
        if self.model == "ridge":
            fit = fit_ridge(_blocks(x, asked, len(questions)), y, who, self.alphas)
        else:
            fit = fit_boosting(x, asked, y, who, self.seed)
        return replace(self, fitted=_Fitted(encoder, scales, questions, fit))

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer as the fit says; `details` holds what was chosen and the spread."""
        if self.fitted is None:
            return Prediction(could_not=self.why_not)
        if not person.demographics:
            return Prediction(could_not="the person's demographics are not known")
        encoder, fit, questions = self.fitted.encoder, self.fitted.fit, self.fitted.questions
        x = encoder.encode(person.demographics)[None]
        asked = np.array([questions.get(question_key(item.question), -1)])
        if self.model == "ridge":
            z = fit.predict(_blocks(x, asked, len(questions)))
        else:
            z = fit.predict(boosting_rows(x, asked))
        made = self.fitted.scales.predict(item.question, z, fit.spread)
        return made.replace(details={"z": z, "chosen": fit.chosen, "spread": fit.spread})


def _blocks(x: FloatArray, asked: NDArray[np.int64], n_questions: int) -> csr_array:
    """Return the columns once for all questions and once in the block of each row's own."""
    n, width = x.shape
    shared = np.tile(np.arange(width), (n, 1))
    own = width * (1 + asked[:, None]) + shared
    indices = np.concatenate([shared, own], axis=1)
    data = np.concatenate([x, np.where(asked[:, None] >= 0, x, 0.0)], axis=1)
    shape = (n, width * (1 + n_questions))
    return csr_array(
        (data.ravel(), np.maximum(indices, 0).ravel(), np.arange(n + 1) * 2 * width), shape=shape
    )
