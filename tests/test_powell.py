"""Real tables of people asked twice: read where they are, skipped where they are not."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.conftest import ROOT


def folder(name: str) -> Path:
    home = Path(os.environ.get("PUBLIC_DATA") or ROOT.parent / "shared" / "data" / "public")
    if not list((home / name).glob("*.csv")):
        pytest.skip(f"no {name} here (set PUBLIC_DATA to the folder that holds it)")
    return home / name


def benchmark(name: str) -> ModuleType:
    path = ROOT / "benchmarks" / f"{name}.py"
    if not path.exists():
        pytest.skip("the benchmarks are not part of the package")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_graph_beats_persistence_and_chance_on_vaccines_and_loses_without_its_parts() -> None:
    where, vaccine = folder("powell_vaccine"), benchmark("powell_vaccine")
    panel = vaccine.read(where).panel
    folds = vaccine.folds_of(len(panel.arms), k=2)
    rows = {
        "graph": vaccine.graph(True),
        "persistence": vaccine.persistence,
        "still": vaccine.graph(True, let_text_act=False),
        "another": vaccine.graph(True, instead=vaccine.another_person),
        "turned": vaccine.graph(True, instead=vaccine.other_signs),
    }
    found = {name: vaccine.out_of_fold(panel, method, folds) for name, method in rows.items()}
    for name in set(rows) - {"graph"}:
        assert vaccine.difference(panel, found["graph"], found[name], "MAE").high < 0, name
    above, below = vaccine.scores(panel, found["graph"])["direction"]
    assert above.sum() / below.sum() > 0.7


def test_figures_of_the_vaccine_table_are_those_counted_by_hand() -> None:
    vaccine = benchmark("powell_vaccine")
    answers = np.array([[-1.0], [0.0], [1.0]])
    later = np.array([[-1.0], [1 / 3], [0.0]])
    panel = vaccine.Panel(("s",), answers, later, ("c",) * 3, vaccine.SCALE, frozenset("c"))
    # 1, 5.5 and 10 become 1, 7 and 5.5; rounded 1, 6 and 10 become 1, 7 and 6
    row = vaccine.Row(np.array([1.0, 6.0, 9.0]), np.array([0.1, 0.1, 0.1]))
    parts = vaccine.scores(panel, row)
    ratios = {name: above.sum() / below.sum() for name, (above, below) in parts.items()}
    assert ratios["MAE"] == pytest.approx((0 + 1 + 3.5) / 3)
    assert ratios["within one"] == pytest.approx(2 / 3)
    assert ratios["direction"] == pytest.approx(1 / 2)


def test_own_climate_graphs_say_what_probability_says() -> None:
    where, climate = folder("powell_climate"), benchmark("powell_climate")
    people = climate.read(where)
    some = people.take(np.arange(len(people.before)) < 12)
    implied, by_cause, by_root = climate.say(some, some.weight, some.bias)
    p, later = (some.before + 1) / 2, (some.after + 1) / 2
    cause = np.array([climate.EVENTS.index(c) for c in climate.CAUSES.values()])
    low = (some.bias + 1 - some.weight) / 2
    total = low + some.weight * p[:, cause]  # the law of total probability
    assert (implied + 1) / 2 == pytest.approx(total)
    assert by_cause / 2 == pytest.approx(some.weight * (later - p)[:, cause])
    assert by_root[:, 1] == pytest.approx(by_root[:, 0] * some.weight[:, 1])


def test_own_climate_graphs_do_better_than_other_peoples() -> None:
    where, climate = folder("powell_climate"), benchmark("powell_climate")
    people = climate.read(where)
    place = np.arange(len(people.before)) % 2
    folds = [place == fold for fold in range(2)]
    own, another = (
        climate.errors(climate.ROWS[f"{whose} graph"], people, folds)
        for whose in ("own", "another person's")
    )
    assert own.mean() < another.mean()
