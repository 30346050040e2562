"""Predictions of drawn people by a predictor fitted on the others that were drawn.

A bootstrap that only resamples predictions leaves out what a fit hangs on; this one fits anew for
every draw, as often as there are different people in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from beliefgraph.benchmark.evaluate import outcome_of
from beliefgraph.benchmark.protocols import asked, training_people
from beliefgraph.benchmark.run import Outcome, Protocol
from beliefgraph.benchmark.uncertainty import Refit
from beliefgraph.survey import FittablePredictor, ItemSet

__all__ = ["refitter"]


def refitter(predictor: FittablePredictor, items: ItemSet, protocol: Protocol) -> Refit:
    """Return what `bootstrap` calls with the people of a draw.

    Whoever is predicted is left out of the fit; whoever was drawn several times counts as often.
    """
    todo = asked(items, protocol)

    def predict(drawn: Sequence[str]) -> list[Outcome]:
        outcomes = []
        for who in sorted(set(drawn)):
            people = {p.participant: p for p in training_people(items, [who])}
            fitted = predictor.fit([people[name] for name in drawn if name != who])
            own = [item for item in todo if item.participant == who]
            outcomes += [outcome_of(fitted, items, item, protocol) for item in own]
        return outcomes

    return predict
