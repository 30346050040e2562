"""Controls: what becomes of a predictor's figures when the interview is changed.

A predictor that reads the person does worse without the person's interview, with another person's,
with the interview on another topic, or with less of it. A control changes the items; the predictor,
the protocol and what it was fitted on stay as they are.

| control | what is changed |
|---|---|
| `no-context` | no interview |
| `no-context-no-demographics` | no interview, no demographics |
| `cross-person:interview`, `:demographics`, `:both` | another person's, by derangement |
| `cross-domain:FROM>TO` | items on TO are asked with the person's interview on FROM |
| `length:K` | the first K turns (5, 7, 10, 13, 16) |
| `early:moved`, `early:removed`, `early:replaced` | the first turns at the end, gone, another's |
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Final

import numpy as np

from beliefgraph.benchmark.contexts import apply_context
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.metrics import HEADLINE, score
from beliefgraph.benchmark.run import ControlResult, Protocol
from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey import AnsweredItem, ItemSet, Person, Predictor
from beliefgraph.transcript import Transcript

__all__ = ["CONTROLS", "control_names", "run_controls"]

LENGTHS: Final = (5, 7, 10, 13, 16)
EARLY: Final = 5
"""Turns that count as early."""
CONTROLS: Final = (
    "no-context",
    "no-context-no-demographics",
    "cross-person",
    "cross-domain",
    "length",
    "early",
)
"""Families of controls; every family has the members that the module's docstring lists."""


@dataclass(frozen=True)
class _Control:
    name: str
    make: Callable[[ItemSet, int], ItemSet]
    """Items and the number of the draw give changed items."""
    random: bool = False
    note: str | None = None


def run_controls(
    predictor: Predictor,
    items: ItemSet,
    *,
    names: Sequence[str] = CONTROLS,
    protocol: Protocol = "zero-shot",
    folds: int | None = None,
    draws: int = 20,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> list[ControlResult]:
    """Predict changed items, and return what became of the headline figures.

    Parameters
    ----------
    predictor, items, protocol, folds
        As in `evaluate`.
    names
        Families of controls (see `CONTROLS`) or single members.
    draws
        How many derangements are drawn for a control that draws one.
    seed
        Of the derangements.
    progress
        Called with the name of each control before it runs.

    Raises
    ------
    SurveyError
        A name is unknown.
    """
    known = {control.name: control for control in _controls(items)}
    results = []
    for name in _chosen(names, list(known)):
        if progress is not None:
            progress(name)
        results.append(_run(known[name], predictor, items, protocol, folds, draws, seed))
    return results


def control_names(items: ItemSet) -> list[str]:
    """Return the names of all controls that these items allow."""
    return [control.name for control in _controls(items)]


def _chosen(names: Sequence[str], known: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    for name in names:
        members = [k for k in known if k == name or k.startswith(f"{name}:")]
        if not members and name not in CONTROLS:
            raise SurveyError(f"no control is called {name!r}. {suggestions(name, known)}")
        chosen += members
    return list(dict.fromkeys(chosen))


def _run(
    control: _Control,
    predictor: Predictor,
    items: ItemSet,
    protocol: Protocol,
    folds: int | None,
    draws: int,
    seed: int,
) -> ControlResult:
    figures: dict[str, list[float]] = {name: [] for name in HEADLINE}
    n = draws if control.random else 1
    asked = reached = 0
    for draw in range(n):
        changed = control.make(items, seed + draw)
        run = evaluate(predictor, changed, protocol=protocol, folds=folds, fit_on=items, seed=seed)
        for name, value in score(run.outcomes).overall.items():
            if name in figures:
                figures[name].append(value)
        if draw == 0:
            asked, reached = len(run.outcomes), _reached(items, changed)
    return ControlResult(
        control=control.name,
        draws=n,
        items=asked,
        changed=reached,
        figures={name: _summary(values) for name, values in figures.items()},
        note=control.note,
    )


def _summary(values: Sequence[float]) -> tuple[float | None, float | None, float | None]:
    scored = [value for value in values if value == value]  # NaN is not scored
    if not scored:
        return (None, None, None)
    return (float(np.mean(scored)), min(scored), max(scored))


def _reached(before: ItemSet, after: ItemSet) -> int:
    """Count the items that the change reached."""
    return sum(
        each.item.context.turns != before.by_id[each.item.item_id].item.context.turns
        or after.people[each.item.participant].demographics
        != before.people[each.item.participant].demographics
        for each in after.answered
    )


def _controls(items: ItemSet) -> Iterator[_Control]:
    yield _Control("no-context", partial(_without, demographics=True))
    yield _Control("no-context-no-demographics", partial(_without, demographics=False))
    for what in ("interview", "demographics", "both"):
        yield _Control(f"cross-person:{what}", partial(_cross_person, what=what), random=True)
    topics = sorted({item.topic for item in items})
    for source, target in permutations(topics, 2):
        name = f"cross-domain:{source}>{target}"
        yield _Control(name, partial(_cross_domain, source=source, target=target))
    lengths = [len(item.context.turns) for item in items]
    for k in LENGTHS:
        full = sum(n <= k for n in lengths)
        saturated = f"saturated: {full} of {len(lengths)} interviews have no more turns"
        make = partial(_by_policy, policy=f"first:{k}")
        yield _Control(f"length:{k}", make, note=saturated if full else None)
    for name, policy in (("moved", "moved"), ("removed", "drop-first"), ("replaced", "replaced")):
        yield _Control(f"early:{name}", partial(_by_policy, policy=f"{policy}:{EARLY}"))


def _by_policy(items: ItemSet, seed: int, *, policy: str) -> ItemSet:
    """Apply a context policy, and take away the interviews on other topics."""
    changed = apply_context(items, policy, seed=seed)
    people = {name: person.replace(transcripts={}) for name, person in items.people.items()}
    return _replaced(changed, changed.answered, people, policy)


def _without(items: ItemSet, seed: int, *, demographics: bool) -> ItemSet:
    answered = tuple(_with_context(each, _empty(each.item.context)) for each in items.answered)
    people = {
        name: person.replace(
            transcripts={}, demographics=person.demographics if demographics else {}
        )
        for name, person in items.people.items()
    }
    return _replaced(items, answered, people, "no-context")


def _cross_person(items: ItemSet, seed: int, *, what: str) -> ItemSet:
    """Give everyone another person's interviews, demographics or both, within each topic."""
    rng = np.random.default_rng(seed)
    topics = sorted({item.topic for item in items})
    donors: dict[str, dict[str, str]] = {}
    for topic in topics:
        donors[topic] = _derangement(
            sorted({i.participant for i in items if i.topic == topic}), rng
        )
    everyone = _derangement(sorted(items.people), rng)
    answered, people = items.answered, dict(items.people)
    if what != "demographics":
        shown = {(i.participant, i.topic): i.context for i in items}
        answered = tuple(
            _with_context(
                each, shown[donors[each.item.topic][each.item.participant], each.item.topic]
            )
            for each in items.answered
        )
        people = {name: person.replace(transcripts={}) for name, person in people.items()}
    if what != "interview":
        people = {
            name: person.replace(demographics=items.people[everyone[name]].demographics)
            for name, person in people.items()
        }
    return _replaced(items, answered, people, f"cross-person:{what}")


def _derangement(names: Sequence[str], rng: np.random.Generator) -> dict[str, str]:
    """Draw a permutation without a fixed point (a lone name keeps itself)."""
    order = np.arange(len(names))
    while len(names) > 1 and (order == np.arange(len(names))).any():
        order = rng.permutation(len(names))
    return {name: names[int(k)] for name, k in zip(names, order, strict=True)}


def _cross_domain(items: ItemSet, seed: int, *, source: str, target: str) -> ItemSet:
    answered = []
    for each in items.answered:
        person = items.people[each.item.participant]
        if each.item.topic == target and source in person.transcripts:
            answered.append(_with_context(each, person.transcripts[source]))
    people = {name: person.replace(transcripts={}) for name, person in items.people.items()}
    return _replaced(items, tuple(answered), people, f"cross-domain:{source}>{target}")


def _with_context(each: AnsweredItem, context: Transcript) -> AnsweredItem:
    return each.replace(item=each.item.replace(context=context))


def _empty(transcript: Transcript) -> Transcript:
    return transcript.replace(turns=())


def _replaced(
    items: ItemSet, answered: tuple[AnsweredItem, ...], people: dict[str, Person], policy: str
) -> ItemSet:
    return ItemSet(answered, people, items.left_out, items.source, policy)
