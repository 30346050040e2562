"""Score, resample and compare saved runs: everything that a report says, as one structure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count
from math import isclose, nan
from typing import Literal

import numpy as np

from beliefgraph.benchmark.metrics import METRICS, Scores, change_confusion, reliability_table
from beliefgraph.benchmark.report.figures import Figure
from beliefgraph.benchmark.report.plots import Bin
from beliefgraph.benchmark.report.published import PublishedRow, read_published
from beliefgraph.benchmark.report.report import (
    HEADLINE,
    Difference,
    Entry,
    Figures,
    Report,
    Twins,
    unit_of,
)
from beliefgraph.benchmark.report.robustness import rank_runs, stability
from beliefgraph.benchmark.run import Outcome, Run
from beliefgraph.benchmark.uncertainty import Bootstrap, bootstrap, compare_runs, holm
from beliefgraph.benchmark.uncertainty.bootstrap import check_options
from beliefgraph.errors import SurveyError, suggestions

__all__ = ["build_report"]

_ALIKE = "no interval: all draws alike"


def build_report(
    runs: Sequence[Run],
    *,
    against: str | None = None,
    published: Sequence[PublishedRow] | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Report:
    """Score saved runs and compare them.

    A run that carries its strict twin gives two entries, one behind the other.

    Parameters
    ----------
    runs
        At least one, each with outcomes.
    against
        Predictor, name or number of the run that the others are compared with; the first where
        not given.
    published
        Rows to stand below as reference; those that come with the package where not given.
    n_resamples, seed, level
        Of the intervals, as for `beliefgraph.benchmark.uncertainty.bootstrap`.

    Returns
    -------
    Report

    Raises
    ------
    SurveyError
        There is no run, one has no outcomes, or none is called `against`.
    """
    check_options(n_resamples, level)
    every = _with_twins(runs)
    if not every:
        raise SurveyError("there is no run to report; give at least one saved run")
    names = _names(every)
    for run, name in zip(every, names, strict=True):
        if not run.outcomes:
            raise SurveyError(f"run {name!r} holds no outcomes, so there is nothing to score")
    reference = _reference(against, every, names)
    entries = tuple(
        _entry(number, name, run, n_resamples, seed, level)
        for number, name, run in zip(count(1), names, every, strict=False)
    )
    compare = _Comparer(n_resamples, seed, level)
    differences, notes = _differences(entries, reference, compare)
    ranks, ranking = rank_runs(entries, n_resamples, seed, level)
    return Report(
        entries=entries,
        domains=tuple(sorted({o.topic for run in every for o in run.outcomes})),
        metrics=tuple(METRICS.values()),
        against=reference,
        differences=differences,
        twins=tuple(_twins(entries, compare)),
        stability=tuple(each for entry in entries for each in stability(entry)),
        ranks=ranks,
        ranking=ranking,
        published=tuple(read_published() if published is None else published),
        n_resamples=n_resamples,
        seed=seed,
        level=level,
        notes=tuple(notes),
    )


class _Comparer:
    """Compares two runs on the items of both."""

    def __init__(self, n_resamples: int, seed: int, level: float) -> None:
        self._n_resamples, self._seed, self._level = n_resamples, seed, level

    def __call__(self, a: Entry, b: Entry) -> tuple[dict[str, Figure], dict[str, float], int]:
        """Return a less b and its p-values by headline metric, and the number of items."""
        ours, theirs = (
            {o.item_id: (o.participant, o.topic, o.gold) for o in each.run.outcomes}
            for each in (a, b)
        )
        shared = set(ours) & set(theirs)
        reason = "" if shared else "the runs have no item in common"
        if any(ours[item] != theirs[item] for item in shared):
            reason = "the runs are of different studies: one item's id stands for two answers"
        if reason:
            nothing = {m: Figure(nan, reason=reason) for m in HEADLINE}
            return nothing, dict.fromkeys(HEADLINE, nan), 0
        found = compare_runs(
            {each.name: _only(each.run.outcomes, shared) for each in (a, b)},
            metrics=tuple(HEADLINE),
            against=b.name,
            seed=self._seed,
            n_resamples=self._n_resamples,
            level=self._level,
        )
        people = {o.participant for o in a.run.outcomes if o.item_id in shared}
        figures, p_values = {}, {}
        for one in found:
            low, high, p = one.low, one.high, one.p_value
            if len(people) < 2:
                low = high = p = nan
            reason = "" if one.value == one.value else "not scored in both runs"
            figures[one.metric] = Figure(one.value, low, high, unit_of(one.metric), reason)
            p_values[one.metric] = p
        return figures, p_values, len(shared)


def _only(outcomes: Sequence[Outcome], ids: set[str]) -> list[Outcome]:
    return [o for o in outcomes if o.item_id in ids]


def _entry(number: int, name: str, run: Run, n_resamples: int, seed: int, level: float) -> Entry:
    drawn = bootstrap(run.outcomes, seed=seed, n_resamples=n_resamples, level=level)
    scores = drawn.scores
    everyone = len({o.participant for o in run.outcomes})
    people = {"overall": everyone, "pooled": everyone}
    for topic in drawn.topics:
        people[topic] = len({o.participant for o in run.outcomes if o.topic == topic})
    return Entry(
        number=number,
        name=name,
        run=run,
        scores=scores,
        figures={
            "overall": _figures(drawn, scores.not_scored["overall"], None),
            "pooled": _figures(drawn, scores.not_scored["pooled"], None, pooled=True),
            **{t: _figures(drawn, scores.not_scored["per_domain"][t], t) for t in drawn.topics},
        },
        people=people,
        items=dict(Counter(o.task for o in run.outcomes)),
        unanswered=_unanswered(run.outcomes),
        confusion=change_confusion(run.outcomes),
        reliability=_reliability(run.outcomes),
        few=_few(scores),
        incomplete={m: n for m in HEADLINE if (n := drawn.interval(m).incomplete)},
        controls=run.controls,
    )


def _figures(
    drawn: Bootstrap, reasons: dict[str, str], domain: str | None, *, pooled: bool = False
) -> Figures:
    figures = {}
    for metric in METRICS:
        one = drawn.interval(metric, "pooled" if pooled else "overall", domain)
        low, high, reason = one.low, one.high, reasons.get(metric, "")
        if isclose(low, high, abs_tol=1e-9):  # an interval without width would claim to know
            low = high = nan
            reason = reason or _ALIKE
        figures[metric] = Figure(one.value, low, high, unit_of(metric), reason)
    return figures


def _differences(
    entries: Sequence[Entry], reference: int, compare: _Comparer
) -> tuple[tuple[Difference, ...], list[str]]:
    """Compare every run with the reference, or with its twin on the same context."""
    target = entries[reference - 1]
    found, notes = [], []
    for entry in entries:
        if entry.number == reference or _is_twin(entry, target):
            continue
        same = [e for e in entries if _is_twin(e, target) and e.run.context == entry.run.context]
        other = same[0] if same and entry.run.context != target.run.context else target
        figures, p_values, n_items = compare(entry, other)
        found += [
            Difference(entry.number, other.number, m, figures[m], p_values[m], nan, n_items)
            for m in HEADLINE
        ]
        if 0 < n_items < max(len(entry.run.outcomes), len(other.run.outcomes)):
            notes.append(
                f"Runs {entry.number} and {other.number} answer different items; they are "
                f"compared on the {n_items} of both."
            )
    corrected = holm(np.array([each.p for each in found], dtype=np.float64))
    return tuple(
        replace(each, p_holm=float(p)) for each, p in zip(found, corrected, strict=True)
    ), notes


def _twins(entries: Sequence[Entry], compare: _Comparer) -> Iterator[Twins]:
    for strict in entries:
        if strict.run.context != "strict":
            continue
        released = next(
            (e for e in entries if e.run.context == "released" and _is_twin(e, strict)), None
        )
        if released is not None:
            figures, _, n_items = compare(released, strict)
            changed = released.run.strict_changed
            yield Twins(released.number, strict.number, changed, n_items, figures)


def _is_twin(one: Entry, other: Entry) -> bool:
    """Whether two runs are of one predictor with the same settings, on different contexts."""
    a, b = one.run, other.run
    return (
        (a.predictor, a.protocol, a.seed) == (b.predictor, b.protocol, b.seed)
        and a.configuration.get("settings") == b.configuration.get("settings")
        and a.context != b.context
    )


def _with_twins(runs: Sequence[Run]) -> list[Run]:
    """Put the strict twin that a run carries right behind it."""
    every: list[Run] = []
    for run in runs:
        every.append(run)
        twin = run.strict()
        if twin is not None:
            every.append(twin)
    return every


def _names(runs: Sequence[Run]) -> list[str]:
    """Name every run so that no two are called alike."""
    labels = [run.label for run in runs]
    counts = Counter(labels)
    names = [
        f"{label}, seed {run.seed}" if counts[label] > 1 else label
        for label, run in zip(labels, runs, strict=True)
    ]
    seen: Counter[str] = Counter()
    unique = []
    for name in names:
        seen[name] += 1
        unique.append(f"{name}, no. {seen[name]}" if names.count(name) > 1 else name)
    return unique


def _reference(against: str | None, runs: Sequence[Run], names: Sequence[str]) -> int:
    """Find the run that the others are compared with, by name or by number."""
    if against is None:
        return 1
    for number, (run, name) in enumerate(zip(runs, names, strict=True), start=1):
        if against in (name, run.label, run.predictor, str(number)):
            return number
    known = dict.fromkeys([*(run.predictor for run in runs), *names])
    raise SurveyError(f"no run is called {against!r}. {suggestions(against, known)}")


def _reliability(outcomes: Sequence[Outcome]) -> dict[str, tuple[Bin, ...]]:
    events: tuple[Literal["bsi", "bdu"], ...] = ("bsi", "bdu")
    return {
        event: tuple(
            Bin(each["predicted"], each["observed"], each["n"])
            for each in reliability_table(outcomes, event)
            if each["n"]
        )
        for event in events
    }


def _unanswered(outcomes: Sequence[Outcome]) -> dict[str, int]:
    reasons = Counter(o.could_not or "no reason given" for o in outcomes if o.value is None)
    return dict(reasons.most_common())


def _few(scores: Scores) -> dict[str, str]:
    """Name the tasks in which a domain has few people."""
    few: dict[str, list[str]] = {}
    words = {"bsi": "BSI", "bdu": "BDU", "pairs": "stance pairs"}
    for flag in scores.flags:
        few.setdefault(flag["domain"], []).append(f"{words[flag['what']]}: {flag['people']}")
    return {domain: ", ".join(parts) for domain, parts in few.items()}
