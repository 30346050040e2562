"""The script that fits the graph predictor: what it reads of people, and where it writes."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from beliefgraph.benchmark.synth import generate_people
from beliefgraph.simulate.predict.parameters import shipped_parameters

SCRIPT = Path(__file__).resolve().parent.parent / "benchmarks" / "fit_graph_predictor.py"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    if not SCRIPT.is_file():
        pytest.skip("benchmarks/ is not in a wheel")
    return runpy.run_path(str(SCRIPT))


def test_it_writes_where_the_package_reads(script: dict[str, Any]) -> None:
    assert script["PLACE"].is_file()
    shipped = shipped_parameters()
    assert (shipped.signs.start, shipped.answers.stance_start) == (script["ODDS"], script["LEAN"])
    assert set(shipped.intervals) <= {
        *type(shipped.answers).model_fields,
        *(f"sign_{name}" for name in type(shipped.signs).model_fields),
    }


def test_a_third_each_is_read_whole_without_opening_and_on_other_topics(
    script: dict[str, Any], bus_graph: object
) -> None:
    """`bus_graph` skips where no pipeline is installed."""
    study = generate_people(3, 2, seed=3, signs_a_topic=1)
    people = [study.items.answered_person(name) for name in study.items.people]
    whole, silent, elsewhere = script["read_people"](people)
    assert {t.elsewhere for t in _traits(whole)} == {t.elsewhere for t in _traits(silent)} == {0.0}
    assert any(t.elsewhere for t in _traits(elsewhere))
    assert all(abs(t.level) < 0.01 and t.known == 0 for t in _traits(elsewhere))
    answers, signs = script["fit"]([whole, silent, elsewhere], script["START"])
    assert np.isfinite([value for _, value in [*answers, *signs]]).all()


def _traits(rows: Any) -> list[Any]:
    return [each.traits for each in rows.asked]
