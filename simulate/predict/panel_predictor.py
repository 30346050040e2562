"""Predicts the stance after a text, in studies of tables: the graph is learned from other people.

An item is a stance question of the role "scenario"; its `scenario_id` names the text. The own
stance and the own weights of reasons before it must be known (*state-given*), and other people's
answers before and after it teach the graph (`beliefgraph.simulate.predict.panel`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from beliefgraph.errors import SurveyError
from beliefgraph.simulate.engine import intervene
from beliefgraph.simulate.predict.panel import Panel, PanelModel, fit_panel
from beliefgraph.simulate.predict.readout import Loss, decide, from_scale
from beliefgraph.survey import Item, Person, Prediction, Response

__all__ = ["PanelPredictor"]

_Place = tuple[str, str | None]
"""Task and reason code: what a question has in common before and after."""


@dataclass(frozen=True)
class PanelPredictor:
    """Puts a person into a graph pooled over others, and lets the text act on it.

    Parameters
    ----------
    controls
        Scenarios in which nothing that bears on the topic was read.
    causes
        Reason code, or "stance", to the codes of its causes; every reason acts on the stance, and
        nothing else, by default.
    ridge, z
        As for `beliefgraph.simulate.predict.panel.fit_panel`.
    loss
        Which point to name (see `beliefgraph.simulate.predict.readout.decide`).
    """

    controls: tuple[str, ...] = ()
    causes: Mapping[str, Sequence[str]] | None = None
    ridge: float = 1.0
    z: float = 2.0
    loss: Loss = "absolute"
    model: PanelModel | None = None
    """What was learned; None until fitted."""
    left_out: int = 0
    """People who could not be learned from, because an answer is missing."""

    @property
    def name(self) -> str:
        """What reports call it."""
        return "learned-graph"

    @property
    def settings(self) -> dict[str, Any]:
        """What shapes the answers."""
        causes = self.causes and {name: list(own) for name, own in self.causes.items()}
        return {
            "controls": list(self.controls),
            "causes": causes,
            "ridge": self.ridge,
            "z": self.z,
            "loss": self.loss,
        }

    def fit(self, people: Sequence[Person]) -> PanelPredictor:
        """Return a predictor that has learned from these people.

        Raises
        ------
        SurveyError
            Nobody answered all questions before and after a scenario.
        """
        asked = [_before_and_after(person) for person in people]
        codes = dict.fromkeys(
            code for before, _, _ in asked for task, code in before if task == "bdu_reason" and code
        )
        places: list[_Place] = [*(("bdu_reason", code) for code in codes), ("bdu_stance", None)]
        whole = [
            (before, after, arm)
            for before, after, arm in asked
            if arm is not None and all(place in before and place in after for place in places)
        ]
        if not whole:
            raise SurveyError(
                f"{len(people)} people: nobody answered the stance and all of {', '.join(codes)} "
                "both before and after a scenario"
            )
        panel = Panel(
            names=(*codes, "stance"),
            before=np.array(
                [[_level(before[place]) for place in places] for before, _, _ in whole]
            ),
            after=np.array([[_level(after[place]) for place in places] for _, after, _ in whole]),
            arms=tuple(arm for _, _, arm in whole),
            stance_scale=whole[0][0]["bdu_stance", None].question.scale,
            controls=frozenset(self.controls),
        )
        model = fit_panel(panel, causes=self.causes, ridge=self.ridge, z=self.z)
        return replace(self, model=model, left_out=len(people) - len(whole))

    def predict(self, item: Item, person: Person) -> Prediction:
        """Answer from the person's own levels, the pooled influences and what the text does."""
        if self.model is None:
            return Prediction(could_not="not fitted: it needs other people's answers")
        question, learned = item.question, self.model.learned
        if question.task != "bdu_stance" or question.role == "baseline":
            return Prediction(could_not="only the stance after a scenario is predicted")
        own = _before_and_after(person)[0]
        levels = {code or "stance": _level(answer) for (_, code), answer in own.items()}
        missing = [name for name in learned.names if name not in levels]
        if missing:
            return Prediction(could_not=f"not known from before: {', '.join(missing)}")
        arm = question.scenario_id or ""
        if arm not in self.controls and arm not in self.model.texts:
            return Prediction(could_not=f"nobody was seen to read {arm!r}")
        graph = learned.of_person(levels, participant=person.participant)
        pushes = learned.pushes(self.model.texts.get(arm, {}))
        found = intervene(graph, shift=pushes, mechanism="linear", n_samples=0).stance.shift
        row = np.array([[levels[name] for name in learned.names]])
        implied = learned.implied(row)[:, -1]
        odds = self.model.reevaluation.probabilities(
            [own["bdu_stance", None].value], implied, [found], question.scale
        )[0]
        return Prediction(
            value=decide(odds, question.scale, self.loss),
            distribution=tuple((odds / odds.sum()).tolist()),
            explanation=_explanation(pushes, found, levels["stance"], float(implied[0])),
            details={"shift": found, "implied": float(implied[0]), "pushes": pushes},
        )


def _before_and_after(
    person: Person,
) -> tuple[dict[_Place, Response], dict[_Place, Response], str | None]:
    """Sort a person's answers into those before and after the scenario, and name it."""
    before: dict[_Place, Response] = {}
    after: dict[_Place, Response] = {}
    arm = None
    for response in person.responses:
        question = response.question
        if question.task == "bsi":
            continue
        place = (str(question.task), question.reason_code)
        if question.role == "baseline":
            before[place] = response
        elif question.role == "scenario":
            after[place] = response
            arm = question.scenario_id
    return before, after, arm


def _level(response: Response) -> float:
    return from_scale(float(response.value), response.question.scale)


def _explanation(pushes: Mapping[str, float], shift: float, own: float, implied: float) -> str:
    addressed = ", ".join(f"{name} {push:+.2f}" for name, push in pushes.items()) or "no reason"
    return (
        f"the text moves {addressed}, and so the stance by {shift:+.2f}; the reasons speak for a "
        f"stance of {implied:+.2f}, and it was {own:+.2f}."
    )
