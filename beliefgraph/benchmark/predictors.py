"""Predictors by name, for the command line and for configuration files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, Final

from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.survey import Predictor

__all__ = ["make_predictor", "predictor_names"]

_MADE_BY: Final[dict[str, tuple[str, str, dict[str, Any]]]] = {
    "anchors": ("baselines.anchors", "AnchorPredictor", {}),
    "demographic-boosting": (
        "baselines.demographic",
        "DemographicPredictor",
        {"model": "boosting"},
    ),
    "demographic-ridge": ("baselines.demographic", "DemographicPredictor", {}),
    "graph": ("benchmark.graph_variants", "graph_predictor", {}),
    "majority": ("baselines.constant", "MajorityPredictor", {}),
    "mid-scale": ("baselines.constant", "MidScalePredictor", {}),
    "nearest-person": ("baselines.nearest", "NearestPersonPredictor", {}),
    "persistence": ("baselines.constant", "PersistencePredictor", {}),
    "population-mean": (
        "baselines.population",
        "PopulationPredictor",
        {"centre": "mean"},
    ),
    "population-median": ("baselines.population", "PopulationPredictor", {}),
    "random": ("baselines.constant", "RandomPredictor", {}),
    "scripted": ("baselines.llm", "scripted_predictor", {"name": "scripted"}),
    "vector-ridge": ("baselines.vectors", "VectorRidgePredictor", {}),
}
"""Module, class and arguments of every predictor."""
_SEEDED: Final = frozenset({"demographic-boosting", "random", "scripted"})


_GRAPH: Final = "graph-"
"""What the names of the graph's losses and ablations begin with."""
_READ_BY_MODEL: Final = "graph-llm:"
"""What the names of graphs that a language model has read begin with."""
_LANGUAGE_MODEL: Final = re.compile(r"llm(?P<how>[-+][^:]*)?:(?P<rest>.*)", re.DOTALL)
_FORM: Final = "llm:MODEL@URL or llm-STRATEGY:MODEL@URL, with +cot before the colon for reasoning"


def predictor_names() -> list[str]:
    """Return the names of all predictors that need no address."""
    return sorted(_MADE_BY)


def make_predictor(
    name: str, *, seed: int = 0, llm_options: Mapping[str, Any] | None = None
) -> Predictor:
    """Return the predictor of that name.

    Parameters
    ----------
    name
        One of `predictor_names()`; `graph-LOSS` or `graph-ABLATION`; or `llm:MODEL@URL`,
        `llm-STRATEGY:MODEL@URL`, `llm-STRATEGY+cot:MODEL@URL` for a language model, and
        `graph-llm:MODEL@URL` for the graph predictor on what a model reads. Without `@URL` the
        address comes from OPENAI_BASE_URL; the key always comes from OPENAI_API_KEY.
    seed
        Of what is drawn, or sampled by a model.
    llm_options
        For language models only: what `beliefgraph.baselines.llm.llm_predictor` takes, such as
        `cache`, `prices`, `template_dir` or `temperature`.

    Raises
    ------
    SurveyError
        There is none; suggests the nearest.

    Examples
    --------
    >>> make_predictor("llm-rag+cot:tiny@http://localhost:8080/v1").name
    'llm-rag+cot:tiny'
    """
    address = _LANGUAGE_MODEL.fullmatch(name)
    if address is not None:
        return _language_model(address["how"] or "", address["rest"], seed, llm_options or {})
    if name.startswith(_READ_BY_MODEL):
        model, url = _address(name.removeprefix(_READ_BY_MODEL), _READ_BY_MODEL)
        return _read_by_model(model, url, llm_options or {})
    if name.startswith(_GRAPH):
        from beliefgraph.benchmark.graph_variants import graph_predictor

        return graph_predictor(name.removeprefix(_GRAPH))
    if name not in _MADE_BY:
        shown = name.partition("@")[0]  # a URL may hold a password
        raise SurveyError(
            f"no predictor is called {shown!r}. {suggestions(shown, predictor_names())} A language "
            f"model: {_FORM}."
        )
    module, attribute, arguments = _MADE_BY[name]
    make: Callable[..., Predictor] = getattr(import_module(f"beliefgraph.{module}"), attribute)
    return make(**arguments, **({"seed": seed} if name in _SEEDED else {}))


def _language_model(how: str, rest: str, seed: int, options: Mapping[str, Any]) -> Predictor:
    """Make the predictor of a strategy, a model and a URL."""
    from beliefgraph.baselines.llm import llm_predictor

    model, url = _address(rest, f"llm{how}:")
    strategy = f"interview{how}" if how.startswith("+") else how[1:] or "interview"
    given = {"seed": seed, **options}
    return llm_predictor(strategy=strategy, model=model, base_url=url, **given)


def _read_by_model(model: str | None, url: str | None, options: Mapping[str, Any]) -> Predictor:
    """Make the graph predictor on graphs that a language model reads; the rest stays as it is."""
    from beliefgraph.benchmark.graph_variants import graph_predictor
    from beliefgraph.extractors import extract, llm_reader

    taken = {
        key: options[key] for key in ("api_key", "cache", "prices", "timeout") if key in options
    }
    reader = llm_reader(model=model, base_url=url, **taken)
    return replace(
        graph_predictor(),
        graph_of=lambda transcript: extract(transcript, reader=reader),
        name=f"{_READ_BY_MODEL}{reader.chat.model}",
        reader=reader.name,
    )


def _address(rest: str, start: str) -> tuple[str | None, str | None]:
    """Return model and URL of "MODEL@URL"; None for what is not given."""
    model, at, url = rest.partition("@http")
    if not at and "@" in rest:
        raise SurveyError(
            f"predictor '{start}{rest.partition('@')[0]}@...': what follows '@' must be a URL "
            f"that starts with http:// or https://. The form is {_FORM}"
        )
    return model or None, f"http{url}" if at else None
