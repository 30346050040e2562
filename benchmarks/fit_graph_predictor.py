"""Fit the graph predictor's parameters on synthetic people, with intervals over people.

Usage: python benchmarks/fit_graph_predictor.py [--people 300] [--bootstrap 100] [--write]

Nobody's real answers are used. The interviews are read by the offline reader without sentence
vectors. A third of the people are read whole, a third without their opening question, as many real
interviews have none, and a third are asked about a topic with their interview on another one. What
scenarios do through concepts that a person lacks comes from the graphs of the other half of the
people. Three things are declared and not fitted, and the file says so: the starting odds of a
positive effect, the lean of a stance of which nothing is known, and how experiences are answered
(synthetic surveys ask about none). `--write` puts the parameters into the package.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import TypeVar

import numpy as np

import beliefgraph as bg
from beliefgraph.benchmark.synth import generate_people
from beliefgraph.simulate.predict.fit_parameters import fit_answers, fit_signs
from beliefgraph.simulate.predict.graph_predictor import GraphPredictor, Rows
from beliefgraph.simulate.predict.parameters import (
    AnswerParameters,
    PredictorParameters,
    SignParameters,
)
from beliefgraph.survey import Person
from beliefgraph.transcript import Transcript

START = AnswerParameters(
    stance_start=0.0, stance_level=1.0, stance_elsewhere=0.0, stance_trust=0.0,
    acquiescence=0.0, stance_sd=0.8,
    stay=0.5, openness=0.2, pull=0.2, effect=0.5, effect_pooled=0.5, after_sd=0.5,
    experience_start=0.0, experience_stance=0.5, experience_stay=0.3, experience_sd=1.0,
    reason_start=-0.4, reason_known=0.2, reason_size=0.2, reason_stance=0.2, reason_valued=0.0,
    reason_moved=0.2, reason_sd=0.8,
)  # fmt: skip
"""Where the search begins, and what is shrunk towards; the experiences' parameters stay there."""
PRIOR_SD = 0.5
"""Standard deviation of the normal prior around `START`, in fitted units. It hardly moves what the
answers tell; what they do not tell, such as acquiescence, stays near 0."""
ODDS = 0.56
"""Declared log-odds of a positive effect: 63.6%, the published row of the constant answer A over
the whole release. Causal sentences at large are nearer to nine in ten (BECAUSE)."""
LEAN = 0.1
"""Declared stance of a person whose graph says nothing: a little agreement (acquiescence), 0.45 of
ten points. The synthetic people lean nowhere, and a coin would decide between 3 and 8."""
SIGNS = SignParameters(start=0.0, near=1.0, net=0.5, crowd=0.0)
PARAMETERS = PredictorParameters(
    answers=START,
    signs=SIGNS,
    fitted_on="nobody",
)
Parameters = TypeVar("Parameters", AnswerParameters, SignParameters)
PLACE = Path(str(resources.files("beliefgraph.simulate.predict"))) / "graph_predictor.json"


def read_people(people: list[Person]) -> list[Rows]:
    """Return for each person what the graphs say, and what the person answered."""
    reader = GraphPredictor(lambda t: bg.extract(t, vectors=None), PARAMETERS, profile=True)
    halves = [
        replace(reader, topic_graphs=reader.pool(people[1 - n :: 2]), _beside={}) for n in (0, 1)
    ]
    return [halves[n % 2].rows([shown(person, n % 3)]) for n, person in enumerate(people)]


def shown(person: Person, how: int) -> Person:
    """Return a person whose interviews are shown whole, without their opening, or on other topics.

    The first turn of a synthetic interview is its opening question.
    """
    if how == 0:
        return person
    if how == 1:
        told = {topic: silenced(t) for topic, t in person.transcripts.items()}
        responses = [r.replace(context=silenced(r.context)) for r in person.responses if r.context]
        return person.replace(transcripts=told, responses=tuple(responses))
    topics = sorted(person.transcripts)
    following = dict(zip(topics, [*topics[1:], topics[0]], strict=True))
    responses = [
        r.replace(context=person.transcripts[following[r.question.topic]]) for r in person.responses
    ]
    return person.replace(transcripts={}, responses=tuple(responses))


def silenced(context: Transcript) -> Transcript:
    """Return the interview without its opening question."""
    return context.replace(turns=context.turns[1:])


def fit(people: list[Rows], begin: AnswerParameters) -> tuple[AnswerParameters, SignParameters]:
    asked = [each for rows in people for each in rows.asked]
    values = [value for rows in people for value in rows.values]
    traits = [each for rows in people for each in rows.traits]
    signs = [sign for rows in people for sign in rows.signs]
    answers = fit_answers(asked, values, start=START, prior_sd=PRIOR_SD, begin=begin)
    alone = [replace(each, crowd=0.0) for each in traits]
    own = fit_signs(alone, signs, start=SIGNS, prior_sd=PRIOR_SD)
    # what others hold comes on top of what the person says, and takes nothing of its weight
    return answers, fit_signs(traits, signs, start=own, prior_sd=PRIOR_SD, only=["crowd"])


def intervals(
    people: list[Rows], fitted: AnswerParameters, n: int, seed: int
) -> dict[str, tuple[float, float]]:
    """Return 95% percentile intervals over people, each draw fitted anew."""
    rng, drawn = np.random.default_rng(seed), list[dict[str, float]]()
    for _ in range(n):
        chosen = [people[int(k)] for k in rng.integers(len(people), size=len(people))]
        answers, signs = fit(chosen, fitted)
        drawn.append({**answers.model_dump(), **{f"sign_{k}": v for k, v in signs}})
    found = {}
    for name in drawn[0] if drawn else ():
        if not name.startswith("experience") and name not in ("sign_start", "stance_start"):
            low, high = np.quantile([each[name] for each in drawn], [0.025, 0.975])
            found[name] = (round(float(low), 4), round(float(high), 4))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--bootstrap", type=int, default=100)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    study = generate_people(options.people, 3, seed=options.seed)
    people = read_people([study.items.answered_person(name) for name in study.items.people])
    answers, signs = fit(people, START)
    found = PredictorParameters(
        answers=rounded(answers).replace(stance_start=LEAN),
        signs=rounded(signs).replace(start=ODDS),
        fitted_on=(
            f"{options.people} synthetic people (seed {options.seed}, development phrases); "
            "starting odds of signs, the lean of stances and the answers about experiences declared"
        ),
        intervals=intervals(people, answers, options.bootstrap, options.seed),
    )
    text = found.model_dump_json(indent=1) + "\n"
    print(text, end="")
    if options.write:
        PLACE.write_text(text, encoding="utf-8")


def rounded(parameters: Parameters) -> Parameters:
    return parameters.replace(**{name: round(value, 4) for name, value in parameters})


if __name__ == "__main__":
    main()
