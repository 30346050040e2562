"""Extraction against known truth: interviews rendered from known graphs, style by style.

Usage: python benchmarks/extraction_synthetic.py [--bank development] [--people 10] [--json]

Every figure is a mean over people with a 95% bootstrap interval over people. The truth's concepts
carry what the topic calls them as aliases: `--wordings spoken` the ways of naming them, `all` also
their more and less ("faster buses"). The held-out bank is for the one number that is reported; it
must not be run while an extractor is being written.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

import beliefgraph as bg
from beliefgraph.benchmark.synth import render
from beliefgraph.benchmark.synth.speaker import Style, Topic, TrueEdge
from beliefgraph.cli.base import console
from beliefgraph.cli.tables import table
from beliefgraph.compare import Comparison, compare_graphs
from beliefgraph.intervals import Estimate, estimate_ratio

Wordings = Literal["spoken", "all"]

STRENGTHS = {"weak": 0.25, "unstated": 0.5, "strong": 0.8}
FIGURES = (
    "edge F1",
    "signed-edge F1",
    "sign accuracy",
    "concept F1",
    "edge precision",
    "edge recall",
)
SHOWN = FIGURES[:4]


@dataclass(frozen=True)
class Person:
    """One synthetic person's extraction beside the truth."""

    style: str
    figures: dict[bool, dict[str, float]]
    """By `one_to_one`; NaN where a figure is not scored."""


def truth_graph(topic: Topic, edges: Sequence[TrueEdge], wordings: Wordings) -> bg.BeliefGraph:
    """Make the graph that a person was rendered from."""
    used = {name for edge in edges for name in (edge.source, edge.target)}
    concepts = []
    for concept in (*topic["concepts"], topic["stance"]):
        aliases = [bg.Alias(label=label) for label in concept["spoken"]]
        if wordings == "all":
            aliases += [
                bg.Alias(label=concept["more"]),
                bg.Alias(label=concept["less"], polarity=-1),
            ]
        if concept["label"] in used or concept is topic["stance"]:
            concepts.append(bg.Concept(name=concept["label"], aliases=tuple(aliases)))
    return bg.BeliefGraph(
        stance=topic["stance"]["label"],
        concepts=tuple(concepts),
        influences=tuple(
            bg.Influence(source=e.source, target=e.target, weight=e.sign * STRENGTHS[e.strength])
            for e in edges
        ),
    )


def figures_of(found: Comparison) -> dict[str, float]:
    score = found.influences
    return dict(
        zip(
            FIGURES,
            (
                score.f1,
                found.signed_influences.f1,
                found.sign_accuracy,
                found.concepts.f1,
                score.precision,
                score.recall,
            ),
            strict=True,
        )
    )


def run(bank_name: str, people: int, seed: int, wordings: Wordings) -> list[Person]:
    bank = render.load_bank("held_out" if bank_name == "held_out" else "development")
    topics = render.load_topics()
    results = []
    for place, style in enumerate(get_args(Style)):
        for number in range(people):
            rng = np.random.default_rng([seed, place, number])
            topic = topics[number % len(topics)]
            edges, level = render.random_person(topic, rng)
            turns = render.render_interview(topic, edges, level, style, bank, rng)
            transcript = bg.Transcript(
                turns=tuple(
                    bg.Turn(qa_id=t.qa_id, question=t.question, answer=t.answer) for t in turns
                )
            )
            graph = bg.extract(transcript)
            truth = truth_graph(topic, edges, wordings)
            results.append(
                Person(
                    style,
                    {
                        strict: figures_of(compare_graphs(graph, truth, one_to_one=strict))
                        for strict in (True, False)
                    },
                )
            )
    return results


def estimate(people: Sequence[Person], one_to_one: bool, figure: str, seed: int) -> Estimate:
    """Mean over the people for whom the figure is scored."""
    values = [person.figures[one_to_one][figure] for person in people]
    scored = [value for value in values if not math.isnan(value)]
    return estimate_ratio(scored, [1.0] * len(scored), seed=seed)


def summary(results: Sequence[Person], seed: int) -> dict[str, Any]:
    groups = {"all": list(results)}
    for person in results:
        groups.setdefault(person.style, []).append(person)
    return {
        ("one_to_one" if strict else "many_to_one"): {
            style: {"people": len(people)}
            | {name: estimate(people, strict, name, seed).to_dict() for name in FIGURES}
            for style, people in groups.items()
        }
        for strict in (True, False)
    }


def show(figures: dict[str, Any], title: str) -> None:
    out = console()
    for matching, styles in figures.items():
        names = [f">{name}" for name in ("edge F1", "signed F1", "signs", "concept F1")]
        shown = table(f"{title}, concepts {matching}", [">style", ">n", *names])
        for style, own in styles.items():
            cells = [_cell(**own[name]) for name in SHOWN]
            shown.add_row(style, str(own["people"]), *cells)
        out.print(shown)


def _cell(value: float | None, interval: list[float] | None) -> str:
    if value is None or interval is None:
        return "not scored"
    low, high = interval
    return f"{_two(value)} {_two(low)}-{_two(high)}"


def _two(share: float) -> str:
    """Show a share in three characters."""
    return f"{share:.2f}"[1:] if share < 0.995 else "1.0"


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bank", choices=("development", "held_out"), default="development")
    parser.add_argument("--people", type=int, default=10, help="people a style (default 10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--wordings", choices=get_args(Wordings), default="spoken")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(argv)
    if given.people < 1:
        parser.error("--people must be at least 1")
    results = run(given.bank, given.people, given.seed, given.wordings)
    figures = summary(results, given.seed)
    configuration = {
        "bank": given.bank,
        "people_a_style": given.people,
        "seed": given.seed,
        "wordings": given.wordings,
        "interval": "95%, bootstrap over people",
        "version": bg.__version__,
    }
    if given.json:
        print(json.dumps({"figures": figures, "configuration": configuration}, indent=2))
    else:
        show(figures, f"{given.bank} bank, wordings {given.wordings}")


if __name__ == "__main__":
    main()
