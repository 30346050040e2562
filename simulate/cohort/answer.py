"""One chunk of a cohort answered: from graphs in any form to rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beliefgraph.errors import BeliefGraphError, GraphError, MissingPackageError
from beliefgraph.graph import BeliefGraph
from beliefgraph.simulate.cohort.batched import Answers, NumpyArrays, exact_batch, sampled_batch
from beliefgraph.simulate.cohort.files import GroupOf, groups_of
from beliefgraph.simulate.cohort.model import CohortModel, compile_table, person_keys
from beliefgraph.simulate.cohort.plans import NamedPlan, Touches, find_touches
from beliefgraph.simulate.cohort.rows import KINDS, NUMBERS, Rows
from beliefgraph.simulate.cohort.source import Chunk, graphs_of
from beliefgraph.simulate.cohort.table import GraphTable, make_table
from beliefgraph.simulate.engine import intervene_many
from beliefgraph.simulate.noise import own_level_push

__all__ = ["ChunkConfig", "answer_chunk"]

_ROOM: Final = 2**24
"""Numbers in one array of a piece: what bounds memory within a chunk."""


@dataclass(frozen=True, eq=False)
class ChunkConfig:
    """Everything a worker needs to know, checked."""

    plans: tuple[NamedPlan, ...]
    """The scenarios."""
    seed: np.random.SeedSequence
    """Person k has the seed with k behind its spawn key."""
    exact: bool
    """Whether means and standard deviations are exact and nothing is sampled."""
    every: bool
    """Whether every concept is answered, or the stance alone."""
    columnar: bool
    """Whether people are answered side by side, or one by one through `intervene_many`."""
    backend: str
    """"numba", "numpy" or "torch"."""
    device: str
    """Device of torch."""
    options: Mapping[str, Any]
    """Options of `intervene`."""
    group: GroupOf
    """Group of a person."""


def answer_chunk(chunk: Chunk, config: ChunkConfig) -> Rows:
    """Answer every scenario for every person of a chunk."""
    if isinstance(chunk.content, GraphTable):
        return _answer_table(_grouped(chunk.content, config.group), chunk.first, config)
    graphs = graphs_of(chunk.content or [], chunk.first)
    groups: list[Any] = []
    for k, graph in enumerate(graphs):
        try:
            groups += groups_of([graph], config.group)
        except Exception as problem:  # a function of the user's: what it raises is not known
            groups.append(None)
            graphs[k] = GraphError(
                f"person {chunk.first + k}: group: {type(problem).__name__}: {problem}"
            )
    if config.columnar:
        return _answer_table(make_table(graphs, groups), chunk.first, config)
    return _one_by_one(graphs, groups, chunk.first, config)


def _grouped(table: GraphTable, group: GroupOf) -> GraphTable:
    """Return the table with groups looked up by participant, where a mapping is given."""
    if not isinstance(group, Mapping):
        return table
    people = table.person
    named = people.to_pylist() if hasattr(people, "to_pylist") else list(people)
    found = [group.get(name) if name is not None else None for name in named]
    fields = {name: getattr(table, name) for name in table.__dataclass_fields__}
    labels = [None if label is None else str(label) for label in found]
    return GraphTable(**{**fields, "group": labels})


def _answer_table(table: GraphTable, first: int, config: ChunkConfig) -> Rows:
    touches = find_touches(table, config.plans)
    asked = touches.askable(table.usable)
    model = compile_table(table, config.options["mechanism"], config.options["noise_sd"])
    n_rows = len(table.name) if config.every else len(table)
    shape = (len(config.plans), n_rows)
    before = np.full(n_rows, np.nan)
    found = {name: np.full(shape, np.nan) for name in ("shift", "sd", "low", "high", "positive")}
    if config.exact and config.backend == "numba":
        _exact_compiled(model, touches, asked, config.every, before, found)
    else:
        for begin, end in _pieces(table, config):
            part = model if (begin, end) == (0, len(table)) else _part(table, begin, end, config)
            own = touches if part is model else _own(touches, begin, end)
            answers = _answer_piece(part, own, asked[:, begin:end], first + begin, config)
            rows = slice(int(table.first[begin]), int(table.first[end]))
            rows = rows if config.every else slice(begin, end)
            before[rows] = answers.before
            for name, values in found.items():
                given = getattr(answers, name)
                if given is not None:
                    values[:, rows] = given
    if config.exact:
        _normal_intervals(found, config.options["level"])
    se = found["sd"] / np.sqrt(config.options["n_samples"]) if not config.exact else None
    numbers = {
        "before": np.broadcast_to(before, shape), "after": before + found["shift"],
        "shift": found["shift"], "sd": found["sd"], "low": found["low"], "high": found["high"],
        "p_positive": found["positive"], "se": 0 * found["sd"] if se is None else se,
    }  # fmt: skip
    return _rows(table, touches, asked, numbers, first, config)


def _part(table: GraphTable, begin: int, end: int, config: ChunkConfig) -> CohortModel:
    options = config.options
    return compile_table(table.people(begin, end), options["mechanism"], options["noise_sd"])


def _own(touches: Touches, begin: int, end: int) -> Touches:
    fields = {name: getattr(touches, name) for name in touches.__dataclass_fields__}
    return Touches(**{**fields, "place": touches.place[:, begin:end]})


def _pieces(table: GraphTable, config: ChunkConfig) -> Iterator[tuple[int, int]]:
    """Cut a chunk so that no array of a piece is too large; cuts change no number."""
    n = int(np.diff(table.first).max(initial=1))
    samples = 1 if config.exact else int(config.options["n_samples"])
    if config.backend == "numba":
        levels = int((table.baseline_sd > 0).sum() / max(len(table), 1)) + 1
        room = levels * samples
    else:
        room = n * n * 4 if config.exact else n * samples * 2
    size = max(1, _ROOM // max(room, 1))
    for begin in range(0, len(table), size):
        yield begin, min(begin + size, len(table))


def _answer_piece(
    model: CohortModel,
    touches: Touches,
    asked: NDArray[np.bool_],
    first: int,
    config: ChunkConfig,
) -> Answers:
    if config.exact:
        return exact_batch(_arrays(config), model, touches, every=config.every)
    n_samples, tail = int(config.options["n_samples"]), (1 - config.options["level"]) / 2
    keys = person_keys(config.seed, np.arange(first, first + len(model.table)))
    levels = _level_pushes(model, first, n_samples, config)
    if config.backend == "numba":
        return _sampled_compiled(model, touches, asked, keys, levels, n_samples, tail, config.every)
    return sampled_batch(
        _arrays(config), model, touches, keys, levels, n_samples, tail, every=config.every
    )


def _arrays(config: ChunkConfig) -> Any:
    if config.backend != "torch":
        return NumpyArrays()
    from beliefgraph.simulate.torch_backend import torch_arrays

    return torch_arrays(config.device)


def _level_pushes(
    model: CohortModel, first: int, n_samples: int, config: ChunkConfig
) -> dict[int, NDArray[np.float32]]:
    """Return the pushes of the concepts whose level is uncertain, by flat number."""
    table = model.table
    kinds = {item.code: item for item in model.mechanisms}  # no threshold matters for a level
    found = {}
    for at in np.flatnonzero(table.baseline_sd > 0).tolist():
        person = first + int(table.owner[at])
        own = np.random.SeedSequence(
            config.seed.entropy, spawn_key=(*config.seed.spawn_key, person)
        )
        mechanism = kinds[int(model.code[at])]
        found[at] = own_level_push(
            float(table.baseline[at]), float(table.baseline_sd[at]), mechanism, own,
            int(table.position[at]), n_samples,
        )  # fmt: skip
    return found


def _exact_compiled(
    model: CohortModel,
    touches: Touches,
    asked: NDArray[np.bool_],
    every: bool,
    before: NDArray[np.float64],
    found: dict[str, NDArray[np.float64]],
) -> None:
    from beliefgraph.simulate.cohort import kernels as cohort_kernels

    table = model.table
    width = -(-int(np.diff(table.first).max(initial=1)) // 8) * 8
    given = _frozen(
        table.first, table.edges, table.source, table.target, model.mean, model.spread,
        model.bias, model.variance, model.noise_sd, table.stance, table.usable, touches.first,
        touches.place, touches.held, touches.mean, touches.variance, touches.noise, asked,
    )  # fmt: skip
    kernel: Any = cohort_kernels.exact_people
    kernel(*given, every, width, before, found["shift"], found["sd"])


def _frozen(*arrays: NDArray[Any]) -> list[NDArray[Any]]:
    """Return read-only views in one layout: numba compiles once, also for arrays of a file."""
    views = [np.ascontiguousarray(array).view() for array in arrays]
    for view in views:
        view.flags.writeable = False
    return views


def _sampled_compiled(
    model: CohortModel,
    touches: Touches,
    asked: NDArray[np.bool_],
    keys: NDArray[np.uint64],
    levels: dict[int, NDArray[np.float32]],
    n_samples: int,
    tail: float,
    every: bool,
) -> Answers:
    from beliefgraph.simulate.cohort import kernels as cohort_kernels

    table, coins = model.table, model.coins
    extra_of = np.full(len(table.name), -1, dtype=np.int64)
    extra_of[list(levels)] = np.arange(len(levels))
    extra = np.array(list(levels.values()), dtype=np.float32).reshape(len(levels), n_samples)
    n_rows = len(table.name) if every else len(table)
    shape = (len(asked), n_rows)
    out = [np.full(n_rows, np.nan), *(np.full(shape, np.nan) for _ in range(5))]
    given = _frozen(
        table.first, table.edges, table.source, table.target, model.mean, coins.certain,
        coins.row, table.mentions, coins.limit, table.weight.astype(np.float32), table.position,
        model.bias, model.noise_sd, model.code, model.theta, extra_of, extra, keys, table.stance,
        table.usable, touches.first, touches.place, touches.held, touches.mean, touches.noise,
        asked,
    )  # fmt: skip
    kernel: Any = cohort_kernels.sampled_people
    kernel(*given, every, n_samples, float(tail), *out)
    return Answers(*out)


def _normal_intervals(found: dict[str, NDArray[np.float64]], level: float) -> None:
    """Fill intervals and probabilities of a normal distribution, as `intervene` does."""
    from scipy.special import ndtr

    shift, sd = found["shift"], found["sd"]
    z = NormalDist().inv_cdf((1 + level) / 2)
    found["low"][...] = shift - z * sd
    found["high"][...] = shift + z * sd
    with np.errstate(invalid="ignore", divide="ignore"):
        found["positive"][...] = np.where(sd > 0, ndtr(shift / sd), shift > 0)


def _rows(
    table: GraphTable,
    touches: Touches,
    asked: NDArray[np.bool_],
    numbers: dict[str, NDArray[np.float64]],
    first: int,
    config: ChunkConfig,
) -> Rows:
    """Put (S, R) numbers into rows: person by person, scenario by scenario, in graph order."""
    people, scenarios = len(table), len(config.plans)
    size = np.diff(table.first) if config.every else np.ones(people, dtype=np.int64)
    counts = np.where(asked.T, size[:, None], 1)
    starts = (np.cumsum(counts) - counts.ravel()).reshape(people, scenarios)
    total = int(counts.sum())
    who = np.repeat(np.repeat(np.arange(people), scenarios), counts.ravel())
    scenario = np.repeat(np.tile(np.arange(scenarios), people), counts.ravel())
    concept = np.full(total, -1, dtype=np.int64)
    out = {name: np.full(total, np.nan) for name in NUMBERS}
    kind = np.full(total, KINDS.index("error"), dtype=np.int64)
    owner = table.owner if config.every else np.arange(people)
    offset = table.position if config.every else np.zeros(people, dtype=np.int32)
    is_stance = np.zeros(len(table.name), dtype=bool)
    at_stance = (table.first[:-1] + table.stance)[table.usable]
    is_stance[at_stance] = True
    flat = np.arange(len(table.name))
    if not config.every:
        flat = np.zeros(people, dtype=np.int64)
        flat[table.usable] = at_stance
    for s in range(scenarios):
        here = np.flatnonzero(asked[s, owner])
        to = starts[owner[here], s] + offset[here]
        concept[to] = table.name[flat[here]]
        kind[to] = is_stance[flat[here]]  # 0 is a concept, 1 the stance
        for name in NUMBERS:
            out[name][to] = numbers[name][s, here]
    errors: dict[int, str] = {}
    for s, wrong in enumerate(touches.problems):
        for person, reason in {**wrong, **table.problems}.items():
            errors[int(starts[person, s])] = reason
    return Rows(
        first=first,
        person=table.person,
        group=table.group,
        scenarios=tuple(plan.name for plan in config.plans),
        concepts=table.names,
        who=who,
        scenario=scenario,
        concept=concept,
        kind=kind,
        numbers=out,
        errors=dict(sorted(errors.items())),
    )


def _one_by_one(
    graphs: list[BeliefGraph | BeliefGraphError],
    groups: list[Any],
    first: int,
    config: ChunkConfig,
) -> Rows:
    """Answer people through `intervene_many`, each with a seed of their own."""
    names: dict[str, int] = {}
    who, scenario, concept, kind = [], [], [], []
    numbers: dict[str, list[float]] = {name: [] for name in NUMBERS}
    errors: dict[int, str] = {}
    nothing = [np.nan] * len(NUMBERS)

    def add(k: int, s: int, name: str | None, what: str, values: list[float]) -> None:
        who.append(k)
        scenario.append(s)
        concept.append(-1 if name is None else names.setdefault(name, len(names)))
        kind.append(KINDS.index(what))
        for column, value in zip(numbers.values(), values, strict=True):
            column.append(value)

    for k, graph in enumerate(graphs):
        results = _results(graph, first + k, config)
        for s, result in enumerate(results):
            if isinstance(result, str):
                errors[len(who)] = result
                add(k, s, None, "error", nothing)
                continue
            for item in result.concepts if config.every else (result.stance,):
                values = [item.before, item.after, item.shift, item.sd, *item.interval,
                          item.p_positive, item.se]  # fmt: skip
                is_stance = item.name == result.stance.name
                add(k, s, item.name, "stance" if is_stance else "concept", values)
            for name, what, answer in _answers_of(result):
                values = [answer.before, answer.after, answer.shift, np.nan, *answer.interval,
                          answer.p_positive, np.nan]  # fmt: skip
                add(k, s, name, what, values)
    return Rows(
        first=first,
        person=[getattr(graph, "participant", None) for graph in graphs],
        group=[None if label is None else str(label) for label in groups],
        scenarios=tuple(plan.name for plan in config.plans),
        concepts=list(names),
        who=np.array(who, dtype=np.int64),
        scenario=np.array(scenario, dtype=np.int64),
        concept=np.array(concept, dtype=np.int64),
        kind=np.array(kind, dtype=np.int64),
        numbers={name: np.array(column, dtype=float) for name, column in numbers.items()},
        errors=errors,
    )


def _answers_of(result: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield name, kind and answer of a survey's stance and reasons, where a survey was given."""
    if result.survey_stance is not None:
        yield result.survey_stance.text, "survey_stance", result.survey_stance
    for reason in result.reasons or ():
        yield reason.code, "reason", reason


def _results(graph: BeliefGraph | BeliefGraphError, number: int, config: ChunkConfig) -> list[Any]:
    """Return a result for each scenario, or the text that says why there is none."""
    if isinstance(graph, BeliefGraphError):
        return [str(graph)] * len(config.plans)
    known = set(graph.names)
    found: list[Any] = []
    for plan in config.plans:
        lacking = [name for name in plan.concepts if name not in known]
        found.append(f"the graph has no concept called {lacking[0]!r}" if lacking else None)
    options: dict[str, Any] = {
        name: {key: item for key, item in value.items() if key in known}
        if name in ("mechanism", "noise_sd", "bias") and isinstance(value, Mapping)
        else value
        for name, value in config.options.items()
    }
    own = np.random.SeedSequence(config.seed.entropy, spawn_key=(*config.seed.spawn_key, number))
    asked = [k for k, wrong in enumerate(found) if wrong is None]
    try:
        results: list[Any] = list(
            intervene_many(graph, [config.plans[k].parts() for k in asked], seed=own, **options)
        )
    except MissingPackageError:
        raise
    except Exception as problem:  # one graph must not end the cohort; the row says what happened
        own_kind = isinstance(problem, BeliefGraphError)
        reason = str(problem) if own_kind else f"{type(problem).__name__}: {problem}"
        results = [reason] * len(asked)
    for k, result in zip(asked, results, strict=True):
        found[k] = result
    return found
