"""What an interview's words say of the answers: a ridge regression on sentence vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beliefgraph.baselines.answer_vectors import encoder_name, find_answer_encoder, interview_vector
from beliefgraph.baselines.regression import ALPHAS, Fit, fit_ridge, need_sklearn
from beliefgraph.baselines.standardised import AnswerScales, clear_responses
from beliefgraph.survey import Item, Person, Prediction, Predictor, Question
from beliefgraph.text import Encoder
from beliefgraph.transcript import Transcript

__all__ = ["VectorRidgePredictor"]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class _Fitted:
    mean: FloatArray
    spread: FloatArray
    """1 for a column that is the same everywhere."""
    scales: AnswerScales
    fit: Fit


@dataclass(frozen=True)
class VectorRidgePredictor:
    """Answers as people did who spoke alike.

    A row is the mean vector of the interview's answers, the vector of the question's text, and
    their product, element by element, since one way of speaking goes with high answers to one
    question and low ones to another. Columns are standardised, answers standardised within their
    question, and the penalty chosen by cross-validation over people. Of the interview only what
    the item shows is read.

    Protocol: population-informed or state-given (the person's own answers are not used). Under
    zero-shot, and where nobody else answered, there is no prediction. Signs are predicted too: the
    question's text names the factor.

    Parameters
    ----------
    encoder
        What makes vectors; None for the default sentence encoder where its packages are installed,
        else hashed words (scikit-learn). `settings` says which it was.
    alphas
        Penalties to choose from.
    """

    encoder: Encoder | None = None
    alphas: tuple[float, ...] = ALPHAS
    fitted: _Fitted | None = None
    """Empty until fitted."""

    name = "vector-ridge"

    @property
    def settings(self) -> dict[str, Any]:
        """Which vectors, and the penalties."""
        return {"vectors": encoder_name(self.encoder), "alphas": list(self.alphas)}

    def fit(self, people: Sequence[Person]) -> Predictor:
        """Return a predictor fitted to these people's answers and interviews.

        Raises
        ------
        MissingPackageError
            scikit-learn is not installed.
        """
        need_sklearn(f"the predictor {self.name}")
        encoder = self._encoder()
        found = []
        for person in people:
            for response in clear_responses(person):
                question = response.question
                said = response.context or person.transcripts.get(question.topic)
                row = None if said is None else _row(said, question, encoder)
                if row is not None:
                    found.append((row, response, person.participant))
        if len({who for *_, who in found}) < 2:
            return self
        scales = AnswerScales.of(response for _, response, _ in found)
        x = np.array([row for row, *_ in found])
        y = np.array([scales.standardise(r.question, r.value) for _, r, _ in found])
        mean, spread = x.mean(axis=0), x.std(axis=0)
        spread[spread < 1e-9] = 1.0
        fit = fit_ridge((x - mean) / spread, y, [who for *_, who in found], self.alphas)
        return replace(self, encoder=encoder, fitted=_Fitted(mean, spread, scales, fit))

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer as the fit says; `details` holds the penalty chosen and the spread."""
        if self.fitted is None:
            return Prediction(
                could_not="no two other people's answers are known: needs the protocol "
                "population-informed"
            )
        row = _row(item.context, item.question, self._encoder())
        if row is None:
            return Prediction(could_not="the interview holds no answers")
        fit = self.fitted.fit
        z = fit.predict(((row - self.fitted.mean) / self.fitted.spread)[None])
        made = self.fitted.scales.predict(item.question, z, fit.spread)
        return made.replace(details={"z": z, "chosen": fit.chosen, "spread": fit.spread})

    def _encoder(self) -> Encoder:
        return self.encoder or find_answer_encoder()


def _row(said: Transcript, question: Question, encoder: Encoder) -> FloatArray | None:
    answers = interview_vector(said, encoder)
    if answers is None:
        return None
    asked = encoder.encode([question.text])[0]
    return np.concatenate([answers, asked, answers * asked])
