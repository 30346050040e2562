"""What a scenario means for a person: sizes in numbers, negations, worries answered, and edits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import beliefgraph as bg
from beliefgraph.errors import InterventionError, UnknownConceptError
from beliefgraph.simulate.scenario import read_scenario
from beliefgraph.simulate.scenario.doses import dose_of_percent, stated_percent
from beliefgraph.simulate.scenario.reading import ScenarioReading, map_scenario

STANCE = "Support for the ring road"
LABELS = Path(__file__).parent / "data" / "scenarios_labelled.json"


@pytest.fixture(scope="module")
def graph() -> bg.BeliefGraph:
    return bg.BeliefGraph.from_edges(
        [
            ("Noise", STANCE, -0.5),
            ("Loss of parking spaces", STANCE, -0.6),
            ("Privacy", STANCE, 0.4),
            ("Faster buses", STANCE, 0.3),
            ("Water bills", STANCE, -0.2),
            ("Using less water", STANCE, 0.3),
            ("Delivery lorries", STANCE, -0.3),
        ],
        stance=STANCE,
    )


@pytest.mark.parametrize(
    ("text", "percent", "sign"),
    [
        ("falls by 12%", 12.0, 0),
        ("10-15 per cent more", 12.5, 0),
        ("cut by a fifth", 20.0, 0),
        ("two thirds less", 200 / 3, 0),
        ("three quarters of it", 75.0, 0),
        ("from eight to ten hours", 25.0, 1),
        ("from 6 turbines to 3", 50.0, -1),
        ("four days rather than five", 20.0, -1),
        ("every five minutes instead of every ten", 50.0, 1),
    ],
)
def test_sizes_in_numbers(text: str, percent: float, sign: int) -> None:
    found = stated_percent(text)
    assert found is not None
    assert found[0] == pytest.approx(percent)
    assert found[1] == sign


@pytest.mark.parametrize("text", ["", "a third floor", "from Monday to Friday", "from 3 to 3"])
def test_no_size_in_numbers(text: str) -> None:
    assert stated_percent(text) is None


def test_doses_rise_with_percentages() -> None:
    assert [dose_of_percent(p) for p in (0, 5, 15, 30, 50, 200)] == [0.01, 0.25, 0.5, 0.8, 1, 1]
    doses = [dose_of_percent(p) for p in range(0, 60)]
    assert doses == sorted(doses)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("No parking space is removed.", {}),
        ("without a rise in noise", {}),
        ("Parking space is lost.", {"Loss of parking spaces": 0.5}),
        ("No noise at night.", {"Noise": -0.5}),
        ("There would no longer be any noise.", {"Noise": -1.0}),
        ("Delivery lorries are not allowed in.", {"Delivery lorries": -0.5}),
        ("noise drops by a quarter", {"Noise": -0.7}),
        ("Noise would be the same.", {}),
        ("One bus every five minutes.", {}),  # a bus is not its speed
        ("The buses slow down.", {"Faster buses": -0.5}),
        ("tax bills rise", {}),  # another kind of bill
        ("bills rise", {"Water bills": 0.5}),
        ("people using less water", {"Using less water": 0.5}),
    ],
)
def test_what_general_english_says(
    graph: bg.BeliefGraph, text: str, meant: dict[str, float]
) -> None:
    got = {match.concept: match.value for match in read_scenario(graph, text)}
    assert got == pytest.approx(meant)


@pytest.mark.parametrize(
    ("text", "do", "answers"),
    [
        ("Noise falls slightly.", {"Noise": -0.25}, {"Noise": -0.25}),
        ("Noise rises.", {"Noise": 0.5}, {}),
        ("No parking space is removed.", {}, {"Loss of parking spaces": -0.5}),
        ("Worries about privacy are met.", {"Privacy": 0.5}, {"Privacy": 0.5}),
        ("Worries about privacy grow.", {"Privacy": -0.5}, {}),
        ("Worries about noise are met.", {"Noise": -0.5}, {"Noise": -0.5}),
        ("Fears of noise grow sharply.", {"Noise": 0.8}, {}),
        ("Privacy improves.", {"Privacy": 0.5}, {}),
        ("Pigs fly.", {}, {}),
    ],
)
def test_worries_that_a_scenario_answers(
    graph: bg.BeliefGraph, text: str, do: dict[str, float], answers: dict[str, float]
) -> None:
    reading = map_scenario(graph, text)
    assert reading.do == pytest.approx(do)
    assert reading.answers == pytest.approx(answers)


def test_whose_worry_it_is_hangs_on_the_person() -> None:
    for weight, answered in ((-0.5, {"Noise": -0.5}), (0.5, {})):
        g = bg.BeliefGraph.from_edges([("Noise", "s", weight)], stance="s")
        assert map_scenario(g, "noise falls").answers == answered


def test_a_reading_is_edited_saved_and_passed_on(graph: bg.BeliefGraph, tmp_path: Path) -> None:
    first = map_scenario(graph, "Noise falls, and no parking space is removed.")
    assert first.values == {"Noise": -0.5, "Loss of parking spaces": -0.5}
    edited = first.moving("Noise", -0.9).leaving_out("Loss of parking spaces")
    edited = edited.moving("Privacy", 0.3).replace(note="as the residents were told")
    assert edited.values == {"Noise": -0.9, "Privacy": 0.3}
    assert first.values["Noise"] == -0.5
    path = tmp_path / "scenario.json"
    edited.save(path)
    assert ScenarioReading.load(path) == edited
    scenario = edited.to_scenario()
    r = bg.intervene(graph, do=scenario.do, mechanism="linear", n_samples=0)
    assert r.stance.shift == pytest.approx(-0.9 * -0.5 + 0.3 * 0.4)


def test_a_reading_written_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps({"text": "noise falls", "do": {"Noise": -0.5}}), encoding="utf-8")
    assert ScenarioReading.load(path).values == {"Noise": -0.5}
    for content, said in (("{", "not JSON"), ("[]", "an object such as"), ('{"text": 3}', "text")):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(InterventionError, match=said):
            ScenarioReading.load(path)


def test_what_a_reading_refuses() -> None:
    with pytest.raises(InterventionError, match=r"do\.Noise"):
        ScenarioReading(text="t", do={"Noise": 1.5})
    with pytest.raises(UnknownConceptError, match="Noise"):
        ScenarioReading(text="t", do={"Noise": 0.5}).leaving_out("Nois")


class _Meanings:
    """Vectors by hand: texts about quiet point one way, texts about money another."""

    name = "by hand"

    def encode(self, labels: Sequence[str]) -> NDArray[np.float64]:
        rows = []
        for label in labels:
            quiet = sum(word in label.lower() for word in ("noise", "din"))
            money = sum(word in label.lower() for word in ("bill", "tariff"))
            row = np.array([quiet, money, 0.2 * (not quiet and not money) + 1e-3])
            rows.append(row / np.linalg.norm(row))
        return np.array(rows)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("The din falls by 15%.", {"Noise": -0.5}),
        ("No tariff goes up.", {}),
        ("Tariffs go up sharply, while the din fades.", {"Water bills": 0.8, "Noise": -0.5}),
        ("The din was heard in May.", {}),  # no change is said
    ],
)
def test_clauses_without_a_common_word(
    graph: bg.BeliefGraph, text: str, meant: dict[str, float]
) -> None:
    assert read_scenario(graph, text) == []
    got = {m.concept: m.value for m in read_scenario(graph, text, encoder=_Meanings())}
    assert got == pytest.approx(meant)


def test_labels_stand_and_words_alone_name_few_but_right_ones() -> None:
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    assert len(labels["scenarios"]) >= 36
    right = read = turned = 0
    for topic in labels["topics"]:
        if topic["split"] != "development":
            continue
        for person in topic["graphs"]:
            g = bg.BeliefGraph.from_edges(
                [(c["wording"], topic["stance"], c["weight"]) for c in person["concepts"]],
                stance=topic["stance"],
            )
            for scenario in (s for s in labels["scenarios"] if s["topic"] == topic["id"]):
                doses = {each["concept"]: each["dose"] for each in scenario["means"]}
                meant = {
                    c["wording"]: c["polarity"] * doses.get(c["concept"], 0.0)
                    for c in person["concepts"]
                }
                for match in read_scenario(g, scenario["text"]):
                    read += 1
                    right += meant[match.concept] != 0
                    turned += meant[match.concept] * match.value < 0
    assert turned == 0
    assert right >= 8
    assert right / read >= 0.8
