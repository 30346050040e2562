"""Synthetic people beside real ones: how long they talk, what they answer, how much they change.

    python benchmarks/synthetic_realism.py [--items ../shared/data/hugagent] [--people 200]

Figures over all people only; nothing that anybody said is shown. The real items were selected by
how a language model did on them, so the third column selects the synthetic ones likewise.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from beliefgraph.benchmark.items import read_items
from beliefgraph.benchmark.synth import generate_people
from beliefgraph.survey import ItemSet, Task

PROBE = re.compile(
    r"positive(?: effect)? or (?:a )?negative|relationship between|link between|are connected"
    r"|immediate|straight away|how quickly|at once|small(?:er)? change|slightly more|sensitive"
    r"|how (?:confident|sure|certain)",
    re.IGNORECASE,
)
"""Questions about one influence, in the templates of both kinds of interview."""
POLARITY = re.compile(
    r"\b(?:positiv|negativ|increas|decreas|reduc|improv|wors|better|more|less|fewer|higher|lower"
    r"|rais|ris|rose|fall|fell|drop|grow|help|hurt|harm|good|bad|benefi|damag|boost|cut|up|down"
    r"|against|favou?r|yes|no\b)",
    re.IGNORECASE,
)
"""Words that say which way something goes."""


def figures(items: ItemSet) -> dict[str, str]:
    """Return the figures of a set of items, as shown."""
    interviews = [t for person in items.people.values() for t in person.transcripts.values()]
    turns = [turn for interview in interviews for turn in interview.turns]
    words = [len(turn.answer.split()) for turn in turns]
    probes = [turn for turn in turns if PROBE.search(turn.question)]
    silent = [not POLARITY.search(turn.answer) for turn in probes]
    signs = [each.values[0] for each in items.answered if each.item.question.task == "bsi"]
    stances = _answers(items, "bdu_stance", "baseline")
    reasons = [each.values[0] for each in items.answered if each.item.question.task == "bdu_reason"]
    changes = _changes(items)
    moved = np.abs(changes[changes != 0])
    return {
        "people": str(len({item.participant for item in items})),
        "interviews": str(len(interviews)),
        "sign items an interview": _mean(_per_interview(items, ("bsi",))),
        "stance and reason items an interview": _mean(
            _per_interview(items, ("bdu_stance", "bdu_reason"))
        ),
        "turns an interview (10%, 50%, 90%)": _deciles([len(t.turns) for t in interviews]),
        "words an answer (10%, 50%, 90%)": _deciles(words),
        "words an answer, mean": f"{np.mean(words):.1f}",
        "turns that probe one influence": _share([bool(PROBE.search(t.question)) for t in turns]),
        "probe answers without a word of direction": _share(silent),
        "answers without a full stop": _share(["." not in turn.answer for turn in turns]),
        "sign items answered A (positive)": _share([sign > 0 for sign in signs]),
        "stance before, 1": _share([s == 1 for s in stances]),
        "stance before, 2-5": _share([2 <= s <= 5 for s in stances]),
        "stance before, 6-9": _share([6 <= s <= 9 for s in stances]),
        "stance before, 10": _share([s == 10 for s in stances]),
        "reason weights 1 / 2 / 3 / 4 / 5": " / ".join(
            f"{100 * Counter(reasons)[k] / len(reasons):.0f}" for k in range(1, 6)
        )
        + "%",
        "stance pairs before and after a scenario": str(len(changes)),
        "stance the same after a scenario": _share((changes == 0).tolist()),
        "stance within 2 points after a scenario": _share((np.abs(changes) <= 2).tolist()),
        "size of a change (10%, 50%, 90%)": _deciles(moved.tolist()),
        "changes that go up": _share((changes[changes != 0] > 0).tolist()),
    }


def _answers(items: ItemSet, task: Task, role: str) -> list[int]:
    return [
        each.values[0]
        for each in items.answered
        if (each.item.question.task, each.item.question.role) == (task, role)
    ]


def _changes(items: ItemSet) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return answers after scenarios less the person's answer before."""
    before = {}
    for each in items.answered:
        question = each.item.question
        if (question.task, question.role) == ("bdu_stance", "baseline"):
            before[each.item.participant, each.item.topic] = each.values[0]
    return np.array(
        [
            each.values[0] - before[each.item.participant, each.item.topic]
            for each in items.answered
            if (each.item.question.task, each.item.question.role) == ("bdu_stance", "scenario")
            and (each.item.participant, each.item.topic) in before
        ],
        dtype=np.int64,
    )


def _per_interview(items: ItemSet, tasks: tuple[Task, ...]) -> list[int]:
    counts = Counter(
        (item.participant, item.topic) for item in items if item.question.task in tasks
    )
    return list(counts.values())


def _mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.1f}" if len(values) else "none"


def _share(values: Sequence[bool]) -> str:
    return f"{np.mean(values):.0%} of {len(values)}" if len(values) else "none"


def _deciles(values: Sequence[float]) -> str:
    if not len(values):
        return "none"
    return ", ".join(f"{value:.0f}" for value in np.quantile(values, [0.1, 0.5, 0.9]))


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", default="../shared/data/hugagent", help="folder of real items")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(argv)
    columns = {"real (selected)": figures(read_items(given.items, strict=False))}
    for name, selection in (("synthetic", False), ("synthetic, selected", True)):
        made = generate_people(given.people, 3, given.seed, selection=selection)
        columns[name] = figures(made.items)
    print("| | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for row in next(iter(columns.values())):
        print(f"| {row} | " + " | ".join(column[row] for column in columns.values()) + " |")


if __name__ == "__main__":
    main()
