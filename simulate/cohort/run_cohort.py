"""The verb: every scenario for everybody of a cohort, on one core or on many.

Each person has a seed of their own, `SeedSequence(seed, spawn_key=(number,))` with the person's
number in the input, and is answered on their own. So no result depends on how the cohort is cut
into chunks, on how many processes work on it or on where they run.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

import beliefgraph
from beliefgraph.errors import InterventionError, MissingPackageError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.cohort.answer import ChunkConfig
from beliefgraph.simulate.cohort.files import GroupOf
from beliefgraph.simulate.cohort.groups import Distribution, Gathered
from beliefgraph.simulate.cohort.plans import NamedPlan, named_plans
from beliefgraph.simulate.cohort.rows import COLUMNS, KINDS, Rows, frame_of, stacked
from beliefgraph.simulate.cohort.run import Progress, answers, check_jobs, progress_bar
from beliefgraph.simulate.cohort.source import Source, source_of
from beliefgraph.simulate.cohort.store import Store, digest_of
from beliefgraph.simulate.mechanisms import MechanismLike
from beliefgraph.simulate.noise import Seed, seed_sequence
from beliefgraph.simulate.options import DEFAULTS, checked_options
from beliefgraph.simulate.predict.reasons import SurveyLike
from beliefgraph.survey import Survey, SurveyTopic, read_survey

__all__ = ["Cohort", "simulate_cohort"]

_BACKENDS: Final = ("auto", "numpy", "numba", "torch")
_STANCE, _ERROR = KINDS.index("stance"), KINDS.index("error")
_REASONS: Final = 100
"""Different reasons that are counted by themselves."""


@dataclass(frozen=True, eq=False)
class Cohort:
    """The answers for a cohort.

    Examples
    --------
    >>> g = BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    >>> cheaper = {"cheaper": {"do": {"rents": -0.4}}}
    >>> cohort = simulate_cohort([g], cheaper, mechanism="linear", concepts="stance")
    >>> [(row["person"], row["scenario"], row["shift"]) for row in cohort.records()]
    [('0', 'cheaper', 0.2)]
    """

    n_people: int
    """People in the input."""
    n_errors: int
    """Pairs of person and scenario that have no answer."""
    reasons: Mapping[str, int]
    """How many of them, by reason; beyond 100 different ones the others count together."""
    distributions: tuple[Distribution, ...]
    """Shift of the stance over people, by group and scenario."""
    configuration: Mapping[str, Any]
    """Every option, the seed and the package version: what it takes to repeat it."""
    folder: Path | None = None
    """Where the parts are, where `out` was given."""
    _rows: list[Rows] = field(default_factory=list, repr=False)
    _store: Store | None = field(default=None, repr=False)

    @property
    def parts(self) -> tuple[Path, ...]:
        """The files with the rows, in order; none where `out` was not given."""
        return tuple(self._store.parts()) if self._store is not None else ()

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield one row at a time as a mapping; None stands for no number."""
        if self._store is not None:
            yield from self._store.records()
        for rows in self._rows:
            yield from rows.records()

    def to_frame(self) -> Any:
        """Return all rows as a pandas frame, one a person, scenario and concept.

        Columns: number (of the person in the input), person, group, scenario, kind ("stance",
        "concept", "survey_stance", "reason" or "error"), concept, before, after, shift, sd, low and
        high (the interval of the shift), p_positive, se, error. A row with an error has no concept
        and NaN for numbers.

        Raises
        ------
        MissingPackageError
            pandas is not installed.
        """
        if self._store is None:
            if find_spec("pyarrow") is not None and self._rows:
                import pyarrow as pa

                return frame_of(pa.concat_tables([rows.to_arrow() for rows in self._rows]))
            return frame_of(stacked(self._rows) if self._rows else {name: [] for name in COLUMNS})
        if self._store.form == "parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            return frame_of(pa.concat_tables([pq.read_table(path) for path in self.parts]))
        found = frame_of({name: [] for name in COLUMNS})
        rows = list(self.records())
        return frame_of({name: [row[name] for row in rows] for name in COLUMNS}) if rows else found

    def by_group(self) -> Any:
        """Return the distributions as a pandas frame, one row a group and scenario.

        Raises
        ------
        MissingPackageError
            pandas is not installed.
        """
        found = [item.to_dict() for item in self.distributions]
        return frame_of({name: [row[name] for row in found] for name in found[0]} if found else {})

    def __repr__(self) -> str:
        where = f", in {str(self.folder)!r}" if self.folder is not None else ""
        lost = f", {self.n_errors} without an answer" if self.n_errors else ""
        return f"<Cohort of {self.n_people} people{lost}{where}>"


def simulate_cohort(
    graphs: Iterable[BeliefGraph] | str | Path,
    scenarios: Mapping[str, Any],
    *,
    mechanism: MechanismLike | Mapping[str, MechanismLike] = "tanh",
    n_samples: int = 1_000,
    seed: Seed = 0,
    level: float = 0.90,
    method: str = "auto",
    noise_sd: float | Mapping[str, float] = 0.25,
    on_cycle: str = "drop_weakest",
    concepts: str = "all",
    survey: SurveyLike | None = None,
    group: GroupOf = None,
    out: str | Path | None = None,
    file_format: str = "jsonl",
    chunk_size: int | None = None,
    n_jobs: int | None = None,
    backend: str = "auto",
    device: str = "cpu",
    progress: Progress = True,
    **options: Any,
) -> Cohort:
    """Predict how the stance of everybody in a cohort would move, under several scenarios.

    Parameters
    ----------
    graphs
        Belief graphs, or the path of a file: JSON lines of saved graphs (.jsonl, one
        `g.model_dump_json()` a line) or a graph table (.parquet or .arrow, see
        `write_graph_table`). Read
        chunk by chunk.
    scenarios
        Name to scenario: a `Scenario` or a mapping with any of the keys "do", "shift", "noise".
    mechanism, seed, level, noise_sd, on_cycle
        As for `intervene`. Mappings by concept hold for the graphs that have the concept. Person k
        (from 0, by place in the input) gets the numbers that `intervene` gives with
        `seed=numpy.random.SeedSequence(seed, spawn_key=(k,))`.
    n_samples
        Sampled worlds a person, where anything is sampled.
    method
        "auto" is exact where it can be (linear mechanism, no loops) and then samples nothing:
        intervals are those of a normal distribution. "sample" samples all, "exact" refuses what is
        not exact.
    concepts
        "all", or "stance": one row a person and scenario.
    survey
        As for `intervene`: rows of the kinds "survey_stance" and "reason" (named by its code) hold
        the answers on the survey's own scales. People are then answered one by one.
    group
        Group of a person: a mapping of participants to it, or a function of the graph. A graph
        table may hold groups of its own.
    out
        Folder for the rows. Without it they are kept in memory; with it a part is written for each
        chunk, memory stays bounded, and the same call goes on after it was ended.
    file_format
        "jsonl" or "parquet" (extra `parquet`).
    chunk_size
        People a chunk. Default: 10,000 from a graph table, 500 otherwise.
    n_jobs
        Processes, by joblib (extra `cluster`): -1 is one a core; None leaves it to
        `joblib.parallel_config`, where one is in force, and else is this process alone.
    backend
        "numba" (extra `fast`), "numpy", "torch" (extra `torch`), or "auto": numba where it is
        installed. They agree to float32 rounding.
    device
        Device of torch: "cpu", "cuda", "cuda:1", ...
    progress
        Whether to show a bar where stderr is a terminal; or a function that is called with the
        number of people done and the number of all (None where it is not known).
    **options
        `bias`, `passes`, `target_se`, `max_samples` and `fcm` of `intervene`. With any of them,
        with another `on_cycle` than "drop_weakest", or where sampled scenarios hold ranges or
        distributions, people are answered one by one, which takes longer.

    Returns
    -------
    Cohort
        A person or scenario that cannot be answered is a row with the reason, and is counted.

    Raises
    ------
    InterventionError
        A scenario or an option is not allowed, or `out` holds another run.
    GraphError
        The file cannot be read at all.
    OSError
        The disk is full or the folder cannot be written: finished parts are kept.

    Examples
    --------
    >>> a = BeliefGraph.from_edges([("rents", "support", -0.5)], stance="support")
    >>> b = BeliefGraph.from_edges([("rents", "support", 0.25)], stance="support")
    >>> cohort = simulate_cohort(
    ...     [a, b], {"cheaper": {"do": {"rents": -0.4}}}, mechanism="linear", concepts="stance"
    ... )
    >>> [row["shift"] for row in cohort.records()]
    [0.2, -0.1]
    >>> cohort.distributions[0].up
    0.5
    """
    plans = named_plans(scenarios)
    if concepts not in ("all", "stance"):
        raise InterventionError(f"concepts: 'all' or 'stance', got {concepts!r}")
    if group is not None and not callable(group) and not isinstance(group, Mapping):
        raise InterventionError(
            "group: give a mapping of participants to groups or a function of the graph, got "
            f"{group!r}"
        )
    if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size < 1):
        raise InterventionError(f"chunk_size: give a whole number from 1, got {chunk_size!r}")
    check_jobs(n_jobs)
    given = {
        "mechanism": mechanism, "n_samples": n_samples, "seed": seed_sequence(seed),
        "level": level, "on_cycle": on_cycle, "noise_sd": noise_sd, "method": method, **options,
    }  # fmt: skip
    if isinstance(survey, (str, Path)):
        survey = read_survey(survey)
    config, record = _checked(plans, given, concepts, survey, group, backend, device)
    source = source_of(graphs, chunk_size, group)
    if not config.columnar and not source.whole_graphs:
        raise InterventionError(
            "graphs: a graph table is answered column by column, and these options need whole "
            "graphs (feedback, or values drawn for each world); give JSON lines of saved graphs"
        )
    record |= {"chunk_size": chunk_size, "input": source.identity}
    store = Store(out, file_format, record) if out is not None else None
    return _gather(source, config, record, store, n_jobs, progress)


def _checked(
    plans: tuple[NamedPlan, ...],
    given: dict[str, Any],
    concepts: str,
    survey: Survey | SurveyTopic | None,
    group: GroupOf,
    backend: str,
    device: str,
) -> tuple[ChunkConfig, dict[str, Any]]:
    """Check the options on a graph that has every concept they name; say how to compute."""
    mappings = [given[name] for name in ("mechanism", "noise_sd", "bias") if name in given]
    named = [str(key) for item in mappings if isinstance(item, Mapping) for key in item]
    stand_in = BeliefGraph.from_edges([("a", "b", 0.5)], stance="b", concepts=dict.fromkeys(named))
    checked = checked_options(stand_in, {**given, "backend": "numpy"})
    # a concept that a mapping leaves out follows tanh, so a mapping is never sure to be exact
    exact = checked.exact and not isinstance(given["mechanism"], Mapping)
    if given["method"] == "exact" and not exact:
        raise InterventionError("method='exact' needs mechanism='linear' for every concept")
    own = {name: value for name, value in given.items() if value != DEFAULTS.get(name)}
    columnar = (
        given["on_cycle"] == "drop_weakest"
        and not set(own) & {"bias", "passes", "target_se", "max_samples", "fcm"}
        and (exact or not any(plan.drawn for plan in plans))
        and survey is None
    )
    chosen = _backend(backend, device)
    seed = given.pop("seed")
    if not columnar:
        # one by one, "auto" depends on each graph's size, as in `intervene`
        chosen = f"torch:{device}" if backend == "torch" else backend
        given["backend"] = chosen
        if survey is not None:
            given["survey"] = survey
        elif exact:
            given["n_samples"] = 0
    record = {
        **{key: value for key, value in checked.record.items() if key != "backend"},
        "method": "exact" if exact else "sample",
        "target_se": checked.target_se,
        "concepts": concepts,
        "backend": chosen,
        "columnar": columnar,
        "survey": None if survey is None else survey.model_dump(mode="json"),
        "group": _name_of(group),
        "scenarios": {plan.name: plan.to_json() for plan in plans},
        "version": beliefgraph.__version__,
    }
    if chosen == "torch":
        record["device"] = device
    config = ChunkConfig(
        plans=plans, seed=seed, exact=exact, every=concepts == "all", columnar=columnar,
        backend=chosen, device=device, options=given, group=group,
    )  # fmt: skip
    return config, record


def _backend(backend: str, device: str) -> str:
    """Choose once, here, so that all workers do the same."""
    if backend not in _BACKENDS:
        raise InterventionError(f"backend: one of {', '.join(_BACKENDS)}, got {backend!r}")
    if device != "cpu" and backend != "torch":
        raise InterventionError(f"device: {device!r} needs backend='torch', got {backend!r}")
    if backend == "torch":
        from beliefgraph.simulate.torch_backend import torch_arrays

        torch_arrays(device)
    installed = find_spec("numba") is not None
    if backend == "numba" and not installed:
        raise MissingPackageError("numba", "backend='numba'", 'pip install "beliefgraph[fast]"')
    return ("numba" if installed else "numpy") if backend == "auto" else backend


def _name_of(group: GroupOf) -> Any:
    """Return what the record keeps of the groups: not who is in which."""
    if isinstance(group, Mapping):
        labels = {str(who): None if label is None else str(label) for who, label in group.items()}
        return {"people": len(labels), "digest": digest_of(labels)}
    if isinstance(group, functools.partial):
        group = group.func
    return None if group is None else getattr(group, "__qualname__", type(group).__name__)


def _gather(
    source: Source,
    config: ChunkConfig,
    record: dict[str, Any],
    store: Store | None,
    n_jobs: int | None,
    progress: Progress,
) -> Cohort:
    """Answer all chunks that are not finished and put the answers together."""
    kept: dict[int, Rows] = {}
    gathered, reasons = Gathered(), Counter[str]()
    done = parts = 0
    scenarios = tuple(plan.name for plan in config.plans)
    if store is not None:
        store.open()
    skip = store.has if store is not None else _never
    try:
        with progress_bar(progress) as report:
            for chunk, rows in answers(source.chunks(skip), config, n_jobs):
                if rows is not None and store is not None:
                    store.write(chunk.index, rows)
                if rows is None:
                    assert store is not None
                    _add_finished(store, chunk, gathered, reasons, scenarios)
                else:
                    _add(rows, gathered, reasons)
                    if store is None:
                        kept[chunk.index] = rows
                done, parts = done + chunk.people, parts + 1
                report(done, source.total)
    except BaseException as problem:
        if store is not None:
            problem.add_note(
                f"{len(store.parts())} finished parts are kept in {store.folder}; the same call "
                "goes on from there"
            )
        raise
    if store is not None:
        store.finish(done, parts)
    return Cohort(
        n_people=done,
        n_errors=sum(reasons.values()),
        reasons=_most(reasons),
        distributions=gathered.distributions(scenarios),
        configuration=record,
        folder=None if store is None else store.folder,
        _rows=[kept[index] for index in sorted(kept)],
        _store=store,
    )


def _never(index: int) -> bool:
    return False


def _add(rows: Rows, gathered: Gathered, reasons: Counter[str]) -> None:
    at = np.flatnonzero((rows.kind == _STANCE) | (rows.kind == _ERROR))
    _, groups = rows.labels
    gathered.add(groups, rows.who[at], rows.scenarios, rows.scenario[at], rows.numbers["shift"][at])
    _count(reasons, rows.errors.values())


def _add_finished(
    store: Store, chunk: Any, gathered: Gathered, reasons: Counter[str], names: tuple[str, ...]
) -> None:
    """Add a part that an earlier run wrote."""
    found = store.stance_columns(chunk.index)
    people = np.unique(found["number"])
    if not np.array_equal(people, np.arange(chunk.first, chunk.first + chunk.people)):
        raise InterventionError(
            f"out: {store.part(chunk.index)} holds other people than the input has there; give the "
            "graphs that the run began with, or name another folder"
        )
    place = {name: k for k, name in enumerate(names)}
    which = np.array([place[name] for name in found["scenario"].tolist()], dtype=np.int64)
    groups = found["group"].tolist()
    gathered.add(groups, np.arange(len(groups)), names, which, found["shift"])
    _count(reasons, [reason for reason in found["error"].tolist() if reason is not None])


def _count(reasons: Counter[str], found: Iterable[str]) -> None:
    for reason, count in Counter(found).items():
        known = reason in reasons or len(reasons) < _REASONS
        reasons[reason if known else "other reasons"] += count


def _most(reasons: Counter[str]) -> dict[str, int]:
    return dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0])))
