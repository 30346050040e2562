"""Run a predictor over items under a protocol, and keep every prediction.

A protocol that allows other people's answers fits once a fold: every participant is left out in
turn, or `folds` groups of them are. Finished predictions go to a journal at once, so that a killed
run goes on where it stopped and nothing is paid for twice.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from time import perf_counter
from typing import Any, Final, get_args

import numpy as np

import beliefgraph
from beliefgraph.benchmark.contexts import apply_context
from beliefgraph.benchmark.journal import Journal
from beliefgraph.benchmark.protocols import asked, training_people, visible_person
from beliefgraph.benchmark.run import Outcome, Protocol, Run
from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.llm import in_order
from beliefgraph.survey import FittablePredictor, Item, ItemSet, Prediction, Predictor

__all__ = ["evaluate", "outcome_of", "plan_run", "with_strict_twin"]

_STANDS_ON: Final = ("numpy", "scipy", "networkx", "pydantic", "spacy")
_SELECTED: Final = (
    "population-informed: fitted on other people's answers to these items; where the items were "
    "selected by how a model did on them, the fit learns that selection, and the figures do not "
    "compare with a language model's that saw nobody's answers"
)


def evaluate(
    predictor: Predictor,
    items: ItemSet,
    *,
    protocol: Protocol = "zero-shot",
    folds: int | None = None,
    fit_on: ItemSet | None = None,
    seed: int = 0,
    workers: int = 1,
    journal: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
    configuration: dict[str, Any] | None = None,
) -> Run:
    """Predict every item, and return the predictions beside the answers.

    Parameters
    ----------
    predictor
        What answers; a `FittablePredictor` is fitted where the protocol allows other people's
        answers, and must not need it where it does not.
    items
        Items with answers; the context policy is the one they were made under.
    protocol
        What the predictor may know: see `beliefgraph.benchmark.protocols`.
    folds
        Number of groups of participants that are left out in turn; None leaves out one at a time.
    fit_on
        Items whose answers are fitted on, of the same people; `items` by default. A control changes
        what is asked with, not what was learnt from.
    seed
        Of the assignment to folds.
    workers
        Predictions under way at once, in threads: for predictors that wait for a server.
    journal
        File that keeps finished predictions; a rerun with the same configuration goes on from it.
        It is removed when the run is done.
    progress
        Called with the number done and the total.
    configuration
        What else the run should say of itself.

    Returns
    -------
    Run

    Raises
    ------
    SurveyError
        There are no items, the protocol is unknown, or a prediction does not fit its scale.
    """
    run = plan_run(
        predictor,
        items,
        protocol=protocol,
        folds=folds,
        seed=seed,
        configuration=configuration,
    )
    todo, fits = asked(items, protocol), run.configuration["fitted_on_others"]
    with Journal.open(journal, run) as done:
        for group, fitted in _folds(
            predictor, fit_on or items, todo, done.outcomes, fits, folds, seed
        ):
            known = len(done.outcomes)

            def answer(item: Item, chosen: Predictor = fitted) -> None:
                done.add(outcome_of(chosen, items, item, protocol))

            def report(n: int, _: int, known: int = known) -> None:
                if progress is not None:
                    progress(known + n, len(todo))

            in_order(answer, group, max_concurrency=workers, progress=report)
        return run.replace(outcomes=tuple(done.outcomes[item.item_id] for item in todo))


def plan_run(
    predictor: Predictor,
    items: ItemSet,
    *,
    protocol: Protocol = "zero-shot",
    folds: int | None = None,
    seed: int = 0,
    configuration: dict[str, Any] | None = None,
) -> Run:
    """Return the run that `evaluate` would make of the same arguments, still without outcomes.

    Raises
    ------
    SurveyError
        There are no items, or the protocol is unknown.
    """
    if protocol not in get_args(Protocol):
        raise SurveyError(
            f"no protocol is called {protocol!r}. {suggestions(protocol, get_args(Protocol))}"
        )
    todo = asked(items, protocol)
    if not todo:
        raise SurveyError("there are no items to predict under this protocol")
    fits = protocol != "zero-shot" and isinstance(predictor, FittablePredictor)
    return Run(
        predictor=predictor.name,
        protocol=protocol,
        context=items.context_policy,
        configuration={
            "settings": predictor.settings,
            "items": items.source,
            "n_items": len(todo),
            "participants": len({item.participant for item in todo}),
            "fitted_on_others": fits,
            "folds": ("leave one participant out" if folds is None else folds) if fits else None,
            **(configuration or {}),
        },
        seed=seed,
        versions=_versions(),
        notes=(_SELECTED,) if fits else (),
        outcomes=(),
    )


def with_strict_twin(run: Run, predictor: Predictor, items: ItemSet, **options: Any) -> Run:
    """Return a run with the same items predicted under the strict context policy beside it.

    Where nothing was fitted, only the items whose context changes are predicted again.

    Parameters
    ----------
    run
        A run of `evaluate` on these items.
    predictor, items, options
        What it was made with.
    """
    strict = apply_context(items, "strict")
    changed = {
        each.item.item_id
        for each in strict.answered
        if each.item.context != items.by_id[each.item.item_id].item.context
    }
    again = strict
    if not run.configuration["fitted_on_others"]:
        only = tuple(each for each in strict.answered if each.item.item_id in changed)
        again = strict.replace_items(only, "strict")
    known = {outcome.item_id: outcome for outcome in run.outcomes}
    if changed and asked(again, run.protocol):
        twin = evaluate(predictor, again, protocol=run.protocol, fit_on=strict, **options)
        known |= {outcome.item_id: outcome for outcome in twin.outcomes}
    return run.replace(
        strict_outcomes=tuple(known[outcome.item_id] for outcome in run.outcomes),
        strict_changed=len(changed & set(known)),
    )


def _folds(
    predictor: Predictor,
    fit_on: ItemSet,
    todo: Sequence[Item],
    known: Mapping[str, Outcome],
    fits: bool,
    folds: int | None,
    seed: int,
) -> Iterator[tuple[list[Item], Predictor]]:
    """Yield items that are not yet known with the predictor that may answer them."""
    missing = _by_interview([item for item in todo if item.item_id not in known])
    if not fits:
        yield missing, predictor
        return
    assert isinstance(predictor, FittablePredictor)
    for group in _groups([item.participant for item in todo], folds, seed):
        own = [item for item in missing if item.participant in group]
        if own:
            yield own, predictor.fit(training_people(fit_on, group))


def _by_interview(items: Sequence[Item]) -> list[Item]:
    """Put items of one interview together: a server that keeps prefixes then reads it once."""
    first: dict[tuple[str, str], int] = {}
    for n, item in enumerate(items):
        first.setdefault((item.participant, item.topic), n)
    return sorted(
        items,
        key=lambda item: (
            first[item.participant, item.topic],
            [turn.answer for turn in item.context.turns],
        ),
    )


def _groups(participants: Sequence[str], folds: int | None, seed: int) -> list[list[str]]:
    people = sorted(set(participants))
    if folds is None:
        return [[name] for name in people]
    if not 2 <= folds <= len(people):
        raise SurveyError(
            f"folds must lie in 2..{len(people)} (the number of participants), got {folds}"
        )
    order = np.random.default_rng(seed).permutation(len(people))
    return [[people[i] for i in part] for part in np.array_split(order, folds)]


def outcome_of(predictor: Predictor, items: ItemSet, item: Item, protocol: Protocol) -> Outcome:
    """Predict one item from what the protocol allows, and set the answer beside it."""
    person = visible_person(items, item, protocol)
    start = perf_counter()
    prediction: Prediction = predictor.predict(item, person)
    seconds = perf_counter() - start
    prediction.check(item.scale, f"{predictor.name}, item {item.item_id!r}")
    question = item.question
    return Outcome(
        item_id=item.item_id,
        participant=item.participant,
        topic=item.topic,
        task=question.task,
        role=question.role,
        question_id=question.question_id,
        scale=item.scale,
        gold=items.by_id[item.item_id].values,
        previous=_previous(items, item),
        value=prediction.value,
        distribution=prediction.distribution,
        could_not=prediction.could_not,
        evidence=prediction.evidence,
        explanation=prediction.explanation,
        details=prediction.details,
        seconds=seconds,
    )


def _previous(items: ItemSet, item: Item) -> int | None:
    """Return the true baseline stance, for a stance item that is not the baseline itself."""
    if item.question.task != "bdu_stance" or item.question.role == "baseline":
        return None
    for each in items.answered_by(item.participant):
        asked_first = each.item.question
        if (asked_first.topic, asked_first.task, asked_first.role) == (
            item.topic, "bdu_stance", "baseline",
        ):  # fmt: skip
            return each.values[0]
    return None


def _versions() -> dict[str, str]:
    found = {"beliefgraph": beliefgraph.__version__, "python": platform.python_version()}
    for name in _STANDS_ON:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # an optional one
            continue
    return found
