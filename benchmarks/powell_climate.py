"""Whether own stated influences say how a person's beliefs change (Powell, climate).

    python benchmarks/powell_climate.py ../shared/data/public/powell_climate

Everybody gave the probabilities of six events on two days, and of five of them given the event that
causes it and given its absence (A -> B, B -> C, B -> D, B -> E, A -> F). Both are one linear
mechanism: P(child) = P(child | not cause) + (P(child | cause) - P(child | not cause)) P(cause), so
the own weight of an influence is the difference of the two, and the own bias follows. What is
predicted are the five children on the second day, given those of the first day and, where the row
says so, their causes on the second. Nothing that people read had an effect.

Figures are mean absolute errors, 0 to 100 read as 1 to 10, with 95% intervals from drawing people;
whatever is fitted or pooled is so on others (ten folds of people).
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import beliefgraph as bg
from beliefgraph.intervals import estimate_ratio
from beliefgraph.simulate import Result, Scenario, intervene_many
from beliefgraph.simulate.predict.learned_graph import learn_graph
from beliefgraph.simulate.predict.reevaluation import best_points, fit_reevaluation
from beliefgraph.survey import Scale

CAUSES = {"B": "A", "C": "B", "D": "B", "E": "B", "F": "A"}
CHILDREN = tuple(CAUSES)
EVENTS = ("A", *CHILDREN)
SCALE = Scale.between(0, 100)
DRAWS = 2000
Floats = NDArray[np.float64]
Rows = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Answers:
    """Levels of all people in [-1, 1], and the mechanism that each stated."""

    before: Floats
    """(people, 6) the events, on the first day."""
    after: Floats
    """(people, 6) on the second day."""
    weight: Floats
    """(people, 5) own weight of the influence on every child, on the first day."""
    weight_after: Floats
    """(people, 5) the same on the second day; used for the retest only."""
    bias: Floats
    """(people, 5) own constant of every child, in [-1, 1] units."""
    attentive: Rows
    """(people,) whether the check of attention was passed."""

    def take(self, rows: Rows) -> Answers:
        """Return the answers of some people."""
        return Answers(
            *(
                getattr(self, name)[rows]
                for name in ("before", "after", "weight", "weight_after", "bias", "attentive")
            )
        )


def read(folder: Path) -> Answers:
    """Read the table."""
    with (folder / "climate_prepost.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    def column(name: str) -> Floats:
        return np.array([float(row[name]) / 100 for row in rows])

    def level(day: str) -> Floats:
        return 2 * np.column_stack([column(f"{event}_{day}") for event in EVENTS]) - 1

    def given(day: str, other: str) -> Floats:
        pairs = CAUSES.items()
        return np.column_stack([column(f"{child}g{other}{cause}_{day}") for child, cause in pairs])

    high, low = given("pre", ""), given("pre", "not")
    return Answers(
        before=level("pre"),
        after=level("post"),
        weight=high - low,
        weight_after=given("post", "") - given("post", "not"),
        # P = low + w P(cause) in units of [-1, 1]: x = (high + low - 1) + w x(cause)
        bias=high + low - 1,
        attentive=np.array([row["attention_ok"] == "True" for row in rows]),
    )


def graph_of(weight: Sequence[float], level: Sequence[float]) -> bg.BeliefGraph:
    """Return a person's graph from five weights and six levels."""
    edges = [(CAUSES[child], child, w) for child, w in zip(CHILDREN, weight, strict=True)]
    plain = bg.BeliefGraph.from_edges(edges, stance="E", concepts=EVENTS)
    concepts = tuple(
        concept.replace(baseline=x) for concept, x in zip(plain.concepts, level, strict=True)
    )
    return plain.replace(concepts=concepts)


def say(people: Answers, weight: Floats, bias: Floats) -> tuple[Floats, Floats, Floats]:
    """Return what graphs say of the children: (implied, shift by causes, shift by the root).

    Parameters
    ----------
    people
        Their levels.
    weight, bias
        (people, 5) of the graphs, own or not.
    """
    said = [
        _say_one(*(tuple(row.tolist()) for row in rows))
        for rows in zip(weight, bias, people.before, people.after[:, :2], strict=True)
    ]
    implied, by_cause, by_root = np.array(said).transpose(1, 0, 2)
    return implied, by_cause, by_root


@lru_cache(maxsize=100_000)  # folds and rows ask the same of the same person
def _say_one(
    weight: tuple[float, ...],
    bias: tuple[float, ...],
    before: tuple[float, ...],
    after: tuple[float, ...],
) -> tuple[list[float], list[float], list[float]]:
    graph = graph_of(weight, before)

    def ask(values: tuple[float, ...], **options: Any) -> tuple[Result, Result]:
        # B follows A; what B's own answer moves is below it
        scenarios = [Scenario(do={"A": values[0]}), Scenario(do={"A": values[0], "B": values[1]})]
        first, second = intervene_many(graph, scenarios, mechanism="linear", n_samples=0, **options)
        return first, second

    root, both = ask(after)
    # the same graph with the constants that it states instead of those that explain the levels
    anew = ask(before, bias=dict(zip(CHILDREN, bias, strict=True)))
    below = CHILDREN[1:]
    return (
        [anew[0].concept("B").after, *(anew[1].concept(child).after for child in below)],
        [root.concept("B").shift, *(both.concept(child).shift for child in below)],
        [root.concept(child).shift for child in CHILDREN],
    )


Pool = Callable[[Answers, Answers], tuple[Floats, Floats]]
"""Weights and biases for the second people, from the first and their own."""


def own(_: Answers, people: Answers) -> tuple[Floats, Floats]:
    """Everybody's own."""
    return people.weight, people.bias


def pooled(others: Answers, people: Answers) -> tuple[Floats, Floats]:
    """The mean of the weights and biases that other people stated."""
    shape = people.weight.shape
    means = others.weight.mean(axis=0), others.bias.mean(axis=0)
    return np.broadcast_to(means[0], shape), np.broadcast_to(means[1], shape)


def learned(others: Answers, people: Answers) -> tuple[Floats, Floats]:
    """Weights learned from other people's levels."""
    found = learn_graph(
        dict(zip(EVENTS, others.before.T, strict=True)),
        {child: [cause] for child, cause in CAUSES.items()},
        stance="E",
    )
    matrix = found.graph.weight_matrix()
    weight = [matrix[EVENTS.index(cause), EVENTS.index(child)] for child, cause in CAUSES.items()]
    shape = people.weight.shape
    bias = [found.bias[child] for child in CHILDREN]
    return np.broadcast_to(weight, shape), np.broadcast_to(bias, shape)


def another(_: Answers, people: Answers) -> tuple[Floats, Floats]:
    """Another person's own (a cyclic shift of shuffled people)."""
    order = np.random.default_rng(0).permutation(len(people.weight))
    other = np.empty(len(order), dtype=np.int64)
    other[order] = np.roll(order, 1)
    return people.weight[other], people.bias[other]


def own_without_causes(_: Answers, people: Answers) -> tuple[Floats, Floats]:
    """The mean of the own two conditionals: everything of the own answers but the influence."""
    return np.zeros_like(people.weight), people.bias


def slope_one(others: Answers, people: Answers) -> tuple[Floats, Floats]:
    """One weight for all influences: the shift is that of the cause, times what is fitted."""
    return np.ones_like(people.weight), people.bias


@dataclass(frozen=True)
class Row:
    """One method: whose graph, and which parts of it may act."""

    pool: Pool
    reevaluate: bool = False
    causes: str = "none"
    """Whose second day is known: "none", "causes" or "root"."""
    fitted: bool = True
    """Whether what becomes of answers is fitted; otherwise the shift is added as it stands."""


ROWS = {
    "persistence": Row(own, fitted=False),
    "own weights, as stated": Row(own, causes="causes", fitted=False),
    "pooled weights, as stated": Row(pooled, causes="causes", fitted=False),
    "one shared slope, fitted": Row(slope_one, causes="causes"),
    "own weights": Row(own, causes="causes"),
    "pooled weights": Row(pooled, causes="causes"),
    "learned weights": Row(learned, causes="causes"),
    "own graph, re-evaluation only": Row(own, reevaluate=True),
    "pooled graph, re-evaluation only": Row(pooled, reevaluate=True),
    "learned graph, re-evaluation only": Row(learned, reevaluate=True),
    "own conditionals without the cause, re-evaluation only": Row(
        own_without_causes, reevaluate=True
    ),
    "another person's graph, re-evaluation only": Row(another, reevaluate=True),
    "own graph": Row(own, reevaluate=True, causes="causes"),
    "pooled graph": Row(pooled, reevaluate=True, causes="causes"),
    "learned graph": Row(learned, reevaluate=True, causes="causes"),
    "another person's graph": Row(another, reevaluate=True, causes="causes"),
    "own graph, only the root's second day known": Row(own, reevaluate=True, causes="root"),
    "pooled graph, only the root's second day known": Row(pooled, reevaluate=True, causes="root"),
}


def predict(row: Row, others: Answers, people: Answers) -> Floats:
    """Return predicted levels of the children, (people, 5)."""
    parts = [_parts(row, others, group) for group in (others, people)]
    (implied, shift), (implied_here, shift_here) = parts
    start = people.before[:, 1:]
    if not row.fitted:
        return np.clip(start + shift_here, -1, 1)
    known, asked = (_points(group.before[:, 1:]).ravel() for group in (others, people))
    fitted = fit_reevaluation(
        known, implied.ravel(), shift.ravel(), _points(others.after[:, 1:]).ravel(), SCALE
    )
    odds = fitted.probabilities(asked, implied_here.ravel(), shift_here.ravel(), SCALE)
    answer: Floats = (best_points(odds, SCALE) / 50 - 1).reshape(start.shape)
    return answer


def _parts(row: Row, others: Answers, people: Answers) -> tuple[Floats, Floats]:
    start = people.before[:, 1:]
    implied, by_cause, by_root = say(people, *row.pool(others, people))
    shift = {"none": np.zeros_like(start), "causes": by_cause, "root": by_root}[row.causes]
    return (implied if row.reevaluate else start), shift


def _points(levels: Floats) -> NDArray[np.int64]:
    return np.rint(50 * (levels + 1)).astype(np.int64)


def errors(row: Row, people: Answers, folds: Iterable[Rows]) -> Floats:
    """Return the mean absolute error of every person over the five children, 1 to 10."""
    found = np.full((len(people.before), 5), np.nan)
    for held in folds:
        found[held] = predict(row, people.take(~held), people.take(held))
    off: Floats = 4.5 * np.abs(found - people.after[:, 1:]).mean(axis=1)
    return off


def mean(values: Floats) -> str:
    """Return a mean over people with its interval."""
    return str(estimate_ratio(values.tolist(), [1.0] * len(values), n_resamples=DRAWS))


def main() -> None:
    """Print the table, for all and for the attentive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    answers = read(parser.parse_args().folder)
    retest = [np.corrcoef(answers.weight[:, j], answers.weight_after[:, j])[0, 1] for j in range(5)]
    print(f"retest of own weights: {min(retest):.2f} to {max(retest):.2f}")
    for title, people in (
        ("everybody", answers),
        ("those who passed the check of attention", answers.take(answers.attentive)),
    ):
        place = np.random.default_rng(0).permutation(len(people.before)) % 10
        folds = [place == fold for fold in range(10)]
        print(f"\n### {title}, {len(place)} people\n")
        print("| | MAE | less persistence's | less the pooled counterpart's |\n|---|---|---|---|")
        found = {name: errors(row, people, folds) for name, row in ROWS.items()}
        for name, off in found.items():
            twin = name.replace("own", "pooled")
            pair = mean(off - found[twin]) if twin in found and twin != name else ""
            less = mean(off - found["persistence"]) if name != "persistence" else ""
            print(f"| {name} | {mean(off)} | {less} | {pair} |", flush=True)
        whole = found["own graph, re-evaluation only"]
        bare = found["own conditionals without the cause, re-evaluation only"]
        print(f"\nre-evaluation, own graph less own conditionals alone: {mean(whole - bare)}")
        apart = found["own graph"] - found["another person's graph"]
        print(f"own graph less another person's: {mean(apart)}")


if __name__ == "__main__":
    main()
