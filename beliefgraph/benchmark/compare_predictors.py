"""Several predictors on the same items: a run file each, kept from one start to the next.

A run file's name ends in the digest of all that makes the run: predictor, settings, items,
protocol, seed, versions. What is there under that name is the run, and is not made again; other
settings are another file. An unfinished run leaves a journal, from which the next start goes on.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from beliefgraph.benchmark.evaluate import evaluate, plan_run, with_strict_twin
from beliefgraph.benchmark.journal import configuration_digest
from beliefgraph.benchmark.run import Protocol, Run
from beliefgraph.errors import BeliefGraphError, SurveyError
from beliefgraph.survey import ItemSet, Predictor

__all__ = ["Comparison", "Progress", "compare_predictors", "items_digest", "run_to_file"]

Progress: TypeAlias = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Opens a bar under a label, which is moved with the number done and the number of all."""


@dataclass(frozen=True)
class Comparison:
    """What became of every predictor, by the name it was given under."""

    runs: Mapping[str, Run]
    """Finished runs."""
    paths: Mapping[str, Path]
    """Their files."""
    kept: tuple[str, ...]
    """Those that were there already."""
    failed: Mapping[str, str]
    """Predictors that could not finish, and why; what they answered is in their journals."""


def compare_predictors(
    predictors: Mapping[str, Predictor],
    items: ItemSet,
    folder: str | Path,
    *,
    protocol: Protocol = "zero-shot",
    folds: int | None = None,
    seed: int = 0,
    workers: int = 1,
    configuration: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Run predictors one after the other, and keep each run in a file.

    Released items are predicted under the strict context policy as well. A predictor that fails
    does not stop the others.

    Parameters
    ----------
    predictors
        By name, in the order in which they run.
    items, protocol, folds, seed, workers, configuration
        As for `evaluate`; the seed and workers are those of every run.
    folder
        Where the run files go; it is made where it is missing.
    progress
        Makes a progress bar for every run.

    Raises
    ------
    SurveyError
        There are no items, or two of the predictors are the same.
    """
    options: dict[str, Any] = {"protocol": protocol, "folds": folds, "seed": seed}
    said = {**(configuration or {}), "items_digest": items_digest(items)}
    paths: dict[str, Path] = {}
    for name, predictor in predictors.items():
        path = _run_path(folder, plan_run(predictor, items, configuration=said, **options))
        if path in paths.values():
            raise SurveyError(f"{name!r} is the same as another of the predictors; give it once")
        paths[name] = path
    Path(folder).mkdir(parents=True, exist_ok=True)
    runs, kept, failed = {}, [], {}
    for name, predictor in predictors.items():
        try:
            run, was_there = run_to_file(
                predictor, items, paths[name], reuse=True, workers=workers, configuration=said,
                progress=progress, **options,
            )  # fmt: skip
        except (BeliefGraphError, OSError) as problem:
            failed[name] = str(problem)
            continue
        runs[name] = run
        kept += [name] if was_there else []
    return Comparison(runs, {name: paths[name] for name in runs}, tuple(kept), failed)


def run_to_file(
    predictor: Predictor,
    items: ItemSet,
    path: str | Path | None,
    *,
    reuse: bool = False,
    protocol: Protocol = "zero-shot",
    folds: int | None = None,
    seed: int = 0,
    workers: int = 1,
    configuration: dict[str, Any] | None = None,
    progress: Progress | None = None,
) -> tuple[Run, bool]:
    """Predict all items, released ones under strict contexts as well, and save the run on the way.

    Parameters
    ----------
    predictor, items, protocol, folds, seed, workers, configuration
        As for `evaluate`.
    path
        The run's file; a rerun goes on from the journals beside it. None saves nothing.
    reuse
        Whether a finished run of the same configuration that stands there is returned as it is.
    progress
        Makes a progress bar.

    Returns
    -------
    Run
    bool
        Whether it was there already.

    Raises
    ------
    BeliefGraphError
        The predictor could not finish.
    OSError
        A file could not be written.
    """
    options: dict[str, Any] = {"folds": folds, "seed": seed}
    planned = plan_run(predictor, items, protocol=protocol, configuration=configuration, **options)
    bar = progress or (lambda label: nullcontext(lambda done, total: None))
    target = None if path is None else Path(path)
    twin_wanted = items.context_policy == "released"
    saved = None if target is None else _saved(target, planned)
    unfinished = saved is not None and twin_wanted and saved.strict_outcomes is None
    run = saved if unfinished or reuse else None
    if run is not None and not unfinished:
        return run, True
    if run is None:
        with bar(predictor.name) as report:
            run = evaluate(
                predictor, items, protocol=protocol, workers=workers, configuration=configuration,
                journal=target and f"{target}.journal", progress=report, **options,
            )  # fmt: skip
        if target is not None:
            run.save(target)
    if twin_wanted:
        with bar(f"{predictor.name}, strict contexts") as report:
            run = with_strict_twin(
                run, predictor, items, workers=workers,
                journal=target and f"{target}.strict.journal", progress=report, **options,
            )  # fmt: skip
        if target is not None:
            run.save(target)
    return run, False


def items_digest(items: ItemSet) -> str:
    """Return twelve digits of the SHA-256 of items, answers and people.

    The name of a folder does not say whether its items are still the same; this does.
    """
    digest = hashlib.sha256(items.context_policy.encode())
    for each in items.answered:
        digest.update(each.model_dump_json().encode())
    for name in sorted(items.people):
        digest.update(json.dumps([name, dict(items.people[name].demographics)]).encode())
    return digest.hexdigest()[:12]


def _run_path(folder: str | Path, planned: Run) -> Path:
    slug = re.sub(r"[^\w.+-]+", "-", planned.predictor, flags=re.ASCII).strip("-.")[:60]
    return Path(folder) / f"{slug}-{configuration_digest(planned)[:8]}.json"


def _saved(path: Path, planned: Run) -> Run | None:
    """Return the run in a file if it is of the same configuration and has all its outcomes."""
    try:
        run = Run.load(path)
    except (FileNotFoundError, SurveyError):
        return None
    same = configuration_digest(run) == configuration_digest(planned)
    return run if same and run.outcomes else None
