"""The harness: what a protocol hands out, folds, resuming, and the simple predictors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from beliefgraph.baselines.constant import (
    MajorityPredictor,
    MidScalePredictor,
    PersistencePredictor,
    RandomPredictor,
)
from beliefgraph.baselines.population import PopulationPredictor
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.predictors import make_predictor, predictor_names
from beliefgraph.benchmark.run import Run
from beliefgraph.errors import SurveyError
from beliefgraph.survey import Item, Person, Prediction, Predictor
from tests.items_invented import ANSWERS, invented_items

OTHER: dict[str, tuple[int, ...]] = {**ANSWERS, "P1": (1, 1, 5, 2, 1)}
"""The answers of P1 swapped for others."""


@dataclass
class Spy:
    """Records all that it is shown."""

    name: str = "spy"
    settings: dict[str, Any] = field(default_factory=dict)
    seen: dict[str, str] = field(default_factory=dict)
    fitted: str = ""

    def fit(self, people: Sequence[Person]) -> Predictor:
        return Spy(seen=self.seen, fitted="".join(p.model_dump_json() for p in people))

    def predict(self, item: Item, person: Person) -> Prediction:
        self.seen[item.item_id] = item.model_dump_json() + person.model_dump_json() + self.fitted
        return Prediction(value=item.scale.low)


def seen(protocol: str, answers: dict[str, tuple[int, ...]]) -> dict[str, str]:
    spy = Spy()
    evaluate(spy, invented_items(answers), protocol=protocol)  # type: ignore[arg-type]
    return spy.seen


@pytest.mark.parametrize("protocol", ["zero-shot", "population-informed"])
def test_the_targets_answers_reach_no_prediction_about_the_target(protocol: str) -> None:
    before, after = seen(protocol, ANSWERS), seen(protocol, OTHER)
    own = [item_id for item_id in before if item_id.startswith("P1-")]
    assert own
    assert all(before[item_id] == after[item_id] for item_id in own)


def test_only_a_fit_sees_other_peoples_answers() -> None:
    before, after = seen("zero-shot", ANSWERS), seen("zero-shot", OTHER)
    assert before == after
    before, after = seen("population-informed", ANSWERS), seen("population-informed", OTHER)
    others = [item_id for item_id in before if not item_id.startswith("P1-")]
    assert all(before[item_id] != after[item_id] for item_id in others)


def test_state_given_hands_out_the_answers_from_before_and_no_later_one() -> None:
    before, after = seen("state-given", ANSWERS), seen("state-given", OTHER)
    assert set(before) == set(after)
    assert all(key.endswith(("2", "2r_A")) for key in before)  # no sign has a start
    assert len(before) == 12
    assert before["P1-trams2"] != after["P1-trams2"]
    later = {**ANSWERS, "P1": (8, 5, 1, 2, 1)}  # only the answers after the scenario differ
    own = [key for key in before if key.startswith("P1-")]
    changed = seen("state-given", later)
    assert all(before[key] == changed[key] for key in own)


def test_a_sign_item_shows_its_own_context_and_no_other_interview() -> None:
    shown = seen("zero-shot", ANSWERS)["P1-trams-sign"]
    assert "hides turn 9" in shown
    assert "P1 says 1 of parks" not in shown
    assert "The hidden answer" not in shown
    stance = seen("zero-shot", ANSWERS)["P1-trams1"]
    assert "P1 says 1 of parks" in stance
    assert "hides turn 9" not in stance


def test_a_fold_is_left_out_of_its_own_fit() -> None:
    for key, shown in seen("population-informed", ANSWERS).items():
        who, fitted = key[:2], shown.split('"responses":[]}')[-1]
        assert f'"participant":"{who}"' not in fitted
        assert fitted.count('"transcripts"') == 2


def test_folds_group_participants() -> None:
    items = invented_items()
    run = evaluate(Spy(), items, protocol="population-informed", folds=2, seed=3)
    assert run.configuration["folds"] == 2
    assert [o.item_id for o in run.outcomes] == [i.item_id for i in items]
    with pytest.raises(SurveyError, match=r"folds must lie in 2\.\.3"):
        evaluate(Spy(), items, protocol="population-informed", folds=4)


def test_outcomes_hold_gold_and_the_true_previous_stance() -> None:
    run = evaluate(MajorityPredictor(), invented_items())
    by_id = {o.item_id: o for o in run.outcomes}
    assert by_id["P3-parks2"].gold == (7,)
    assert by_id["P3-parks2"].previous == 5
    assert by_id["P3-parks1"].previous is None
    assert by_id["P3-parks2r_A"].previous is None


def test_an_unknown_protocol_and_predictor_get_suggestions() -> None:
    with pytest.raises(SurveyError, match="Did you mean 'zero-shot'"):
        evaluate(Spy(), invented_items(), protocol="zero shot")  # type: ignore[arg-type]
    with pytest.raises(SurveyError, match="Did you mean 'majority'"):
        make_predictor("majorty")


def test_a_value_off_the_scale_is_an_error_that_says_which() -> None:
    class Seven(MajorityPredictor):
        def predict(self, item: Item, person: Person) -> Prediction:
            return Prediction(value=7)

    with pytest.raises(SurveyError, match=r"majority, item 'P1-trams1r_A': must be one of 1\.\.5"):
        evaluate(Seven(), invented_items())


class Failing(Spy):
    """Breaks down at an item, until it is repaired."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at

    def predict(self, item: Item, person: Person) -> Prediction:
        if len(self.seen) == self.at:
            raise RuntimeError("out of service")
        return super().predict(item, person)


def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    journal, items = tmp_path / "run.journal", invented_items()
    first, second = Failing(at=5), Failing(at=1000)
    with pytest.raises(RuntimeError):
        evaluate(first, items, journal=journal)
    with journal.open("a", encoding="utf-8") as file:
        file.write('{"item_id": "P1-tr')  # the kill came in the middle of a line
    run = evaluate(second, items, journal=journal)
    assert len(second.seen) == len(items) - 5
    whole = evaluate(Spy(), items)
    unmeasured = {"outcomes": {"__all__": {"seconds"}}}
    assert run.model_dump(exclude=unmeasured) == whole.model_dump(exclude=unmeasured)
    assert not journal.exists()


def test_threads_give_the_same_run() -> None:
    items = invented_items()
    one, four = (evaluate(RandomPredictor(), items, workers=n) for n in (1, 4))
    unmeasured = {"outcomes": {"__all__": {"seconds"}}}
    assert one.model_dump(exclude=unmeasured) == four.model_dump(exclude=unmeasured)


def test_the_journal_of_another_run_is_not_taken(tmp_path: Path) -> None:
    journal, items = tmp_path / "run.journal", invented_items()
    with pytest.raises(RuntimeError):
        evaluate(Failing(at=5), items, journal=journal)
    spy = Spy()
    evaluate(spy, items, journal=journal, configuration={"note": "another run"})
    assert len(spy.seen) == len(items)


def test_a_run_is_saved_and_read_back(tmp_path: Path) -> None:
    run = evaluate(RandomPredictor(seed=4), invented_items(), seed=4)
    run.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json") == run
    (tmp_path / "no.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SurveyError, match=r"no\.json: not a saved run"):
        Run.load(tmp_path / "no.json")


def values(predictor: Predictor, protocol: str = "zero-shot") -> dict[str, int | None]:
    run = evaluate(predictor, invented_items(), protocol=protocol)  # type: ignore[arg-type]
    return {o.item_id: o.value for o in run.outcomes}


def test_constants_answer_their_constant() -> None:
    majority, middle = values(MajorityPredictor()), values(MidScalePredictor())
    assert {majority["P2-trams1"], majority["P2-trams1r_A"], majority["P2-trams-sign"]} == {1}
    assert (middle["P2-trams1"], middle["P2-trams1r_A"], middle["P2-trams-sign"]) == (5, 3, 1)


def test_random_answers_depend_on_seed_and_item_alone() -> None:
    assert values(RandomPredictor(1)) == values(RandomPredictor(1))
    assert values(RandomPredictor(1)) != values(RandomPredictor(2))


def test_persistence_repeats_the_own_answer_from_before() -> None:
    found = values(PersistencePredictor(), "state-given")
    assert found["P1-trams2"] == 8
    assert found["P2-parks2r_A"] == 2
    assert set(values(PersistencePredictor()).values()) == {None}


def test_population_answers_with_the_others_median() -> None:
    found = values(PopulationPredictor(), "population-informed")
    assert found["P1-trams1"] == 3  # the lower of 3 and 5
    assert found["P2-trams2"] == 7  # of 9 and 7
    assert found["P2-trams-sign"] == 1
    assert found["P1-trams-sign"] == 1  # a tie is a plus
    mean = values(PopulationPredictor("mean"), "population-informed")
    assert mean["P2-trams2"] == 8
    assert set(values(PopulationPredictor()).values()) == {None}


def test_every_named_predictor_is_one() -> None:
    for name in predictor_names():
        predictor = make_predictor(name, seed=3)
        assert isinstance(predictor, Predictor)
        assert predictor.name == name
