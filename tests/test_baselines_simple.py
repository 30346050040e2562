"""The simple baselines: known answers recovered, nothing of the target's own answers used."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from beliefgraph import Transcript
from beliefgraph.baselines.anchors import AnchorPredictor, stance_object
from beliefgraph.baselines.answer_vectors import (
    HashingEncoder,
    interview_vector,
)
from beliefgraph.baselines.demographic import DemographicPredictor
from beliefgraph.baselines.demographic_features import (
    DemographicEncoder,
    NumericRanges,
    parse_number,
)
from beliefgraph.baselines.leans import VectorLean, WordLean
from beliefgraph.baselines.nearest import NearestPersonPredictor
from beliefgraph.baselines.standardised import AnswerScales
from beliefgraph.baselines.vectors import VectorRidgePredictor
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.run import Run
from beliefgraph.errors import SurveyError
from beliefgraph.survey import (
    SIGN_SCALE,
    AnsweredItem,
    Item,
    ItemSet,
    Person,
    Prediction,
    Predictor,
    Question,
    Response,
    Scale,
)
from tests.items_invented import ANSWERS, invented_items

TEN = Scale.between(1, 10)
STANCE = Question(
    question_id="s1",
    topic="trams",
    task="bdu_stance",
    text="How far do you support or oppose new tram lines?",
    scale=TEN,
)


def talk(*answers: str, topic: str = "trams") -> Transcript:
    return Transcript.from_pairs([("What do you think?", each) for each in answers], topic=topic)


def sign(factor: str) -> Question:
    return Question(
        question_id=f"trams: {factor}",
        topic="trams",
        task="bsi",
        text=f"How much does {factor} affect support for trams?",
        scale=SIGN_SCALE,
        factor=factor,
        outcome="support for trams",
    )


def study(
    answers: Mapping[str, Mapping[Question, int]],
    demographics: Mapping[str, dict[str, str]] | None = None,
    said: Mapping[str, str] | None = None,
) -> ItemSet:
    """Make one item of every answer; people by name."""
    contexts = {who: talk((said or {}).get(who, "Something.")) for who in answers}
    answered = tuple(
        AnsweredItem(
            item=Item(
                item_id=f"{who}-{question.question_id}",
                participant=who,
                question=question,
                context=contexts[who],
            ),
            values=(value,),
        )
        for who, own in answers.items()
        for question, value in own.items()
    )
    people = {
        who: Person(
            participant=who,
            demographics=(demographics or {}).get(who, {}),
            transcripts={"trams": contexts[who]},
        )
        for who in answers
    }
    return ItemSet(answered, people)


def values(run: Run) -> dict[str, int | None]:
    return {o.item_id: o.value for o in run.outcomes}


# --- standardised answers ---


def test_mean_and_variance_are_drawn_to_the_wider_group() -> None:
    known = AnswerScales.of(Response(question=STANCE, values=(v,)) for v in (1, 10))
    # mean (0 + 1 + 1/2) / 3; every group holds the same two answers
    wide = (0.5, (0.5 + 2 / 12) / 4)
    role = (0.5, (0.5 + 2 * wide[1]) / 4)
    mean, variance = 0.5, (0.5 + 2 * role[1]) / 4
    assert known.standardise(STANCE, 10) == pytest.approx((1 - mean) / math.sqrt(variance))


def test_a_standardised_answer_comes_back() -> None:
    known = AnswerScales.of(Response(question=STANCE, values=(v,)) for v in (2, 3, 7, 9))
    for value in TEN.points:
        made = known.predict(STANCE, known.standardise(STANCE, value), 0.1)
        assert made.value == value
        assert made.distribution is not None
        assert max(made.distribution) == made.distribution[value - 1]


def test_the_distribution_is_the_normal_one_between_the_middles() -> None:
    stats = pytest.importorskip("scipy.stats")
    known = AnswerScales({})  # nothing known: mean 1/2, variance 1/12
    made = known.predict(STANCE, 0.3, 0.8)
    normal = stats.norm(0.5 + 0.3 / math.sqrt(12), 0.8 / math.sqrt(12))
    expected = normal.cdf((4.5 - 1) / 9) - normal.cdf((3.5 - 1) / 9)
    assert made.distribution is not None
    assert made.distribution[3] == pytest.approx(expected)
    sure = known.predict(sign("cost"), 10.0, 0.8)
    assert sure.value == 1
    assert sure.distribution == pytest.approx((0.02, 0.98))


# --- demographics ---


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("34", 34),
        ("$40,000 - $59,999", 49999.5),
        ("<$5,000", 5000),
        ("more than 3", 3),
        ("12.5 to 17.5 percent", 15),
        ("6 to 12 years old", 9),
        ("70+", 70),
        ("2 or more", 2),
        ("Flat 4", None),
        ("2024-01-02", None),
        ("", None),
        ("Under 5 years old, 6 to 12 years old", None),
    ],
)
def test_numbers_and_ranges_are_read(text: str, number: float | None) -> None:
    assert parse_number(text) == number


def test_columns_are_standardised_numbers_and_levels_with_the_rare_pooled() -> None:
    people = [
        {"age": "20", "home": "flat", "town": "Aston"},
        {"age": "40", "home": "flat", "town": "Aston"},
        {"age": "60", "home": "flat", "town": "Aston"},
        {"age": "", "home": "boat", "town": "Aston"},
        {"age": "40", "home": "tent", "town": "Aston"},
    ]
    encoder = DemographicEncoder.of(people, least=2)
    spread = math.sqrt(200)  # of 20, 40, 60, 40
    assert encoder.levels == {"age": ("(missing)",), "home": ("(other)", "flat")}
    assert encoder.encode(people[0]) == pytest.approx([-20 / spread, 0, 0, 1])
    assert encoder.encode(people[3]) == pytest.approx([0, 1, 1, 0])
    assert encoder.encode({"age": "40", "home": "cave"}) == pytest.approx([0, 0, 1, 0])
    assert len(encoder) == 4


def test_likeness_is_gowers() -> None:
    ranges = NumericRanges.of([{"age": "20"}, {"age": "60"}])
    one = {"age": "30", "home": "flat", "car": ""}
    other = {"age": "40", "home": "boat", "car": "yes"}
    assert ranges.likeness(one, other) == pytest.approx((0.75 + 0) / 2)
    assert ranges.likeness(one, one) == 1
    assert math.isnan(ranges.likeness(one, {}))


def aged(n: int) -> tuple[dict[str, dict[Question, int]], dict[str, dict[str, str]]]:
    """People of 20, 25, ..., whose answers rise by a point with every five years."""
    answers = {f"P{i:02}": {STANCE: 1 + i % 10} for i in range(n)}
    demographics = {
        f"P{i:02}": {"age": str(20 + 5 * (i % 10)), "home": ("flat", "house")[i // 10 % 2]}
        for i in range(n)
    }
    return answers, demographics


def test_the_ridge_finds_what_is_linear_in_age() -> None:
    pytest.importorskip("sklearn")
    answers, demographics = aged(20)
    run = evaluate(
        DemographicPredictor(),
        study(answers, demographics),
        protocol="population-informed",
        folds=5,
    )
    assert [o.value for o in run.outcomes] == [o.gold[0] for o in run.outcomes]
    assert all(o.details["chosen"] <= 0.1 for o in run.outcomes)


def test_the_ridge_equals_the_closed_form() -> None:
    pytest.importorskip("sklearn")
    answers, demographics = aged(10)
    people = [
        study(answers, demographics).answered_person(who).replace(demographics={"age": d["age"]})
        for who, d in demographics.items()
    ]
    fitted = DemographicPredictor(alphas=(3.0,)).fit(people)
    # one column, once shared and once the question's own: w (x'x + alpha / 2) = x'y for the sum
    scales = AnswerScales.of(r for p in people for r in p.responses)
    ages = np.array([float(p.demographics["age"]) for p in people])
    x = (ages - ages.mean()) / ages.std()
    y = np.array([scales.standardise(STANCE, p.responses[0].value) for p in people])
    slope = x @ y / (x @ x + 1.5)
    item = next(iter(study(answers)))
    asked = Person(participant="N", demographics={"age": "31"})
    found = fitted.predict(item, asked).details["z"]
    assert found == pytest.approx(slope * (31 - ages.mean()) / ages.std(), rel=1e-4)


def test_an_outcome_that_demographics_do_not_tell_gets_the_questions_mean() -> None:
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(3)
    _, demographics = aged(20)
    answers = {who: {STANCE: int(rng.integers(4, 7))} for who in demographics}
    run = evaluate(
        DemographicPredictor(alphas=(1e5,)),
        study(answers, demographics),
        protocol="population-informed",
    )
    assert {o.value for o in run.outcomes} <= {4, 5, 6}
    assert all(abs(o.details["z"]) < 0.01 for o in run.outcomes)


def test_boosted_trees_find_a_step() -> None:
    pytest.importorskip("sklearn")
    demographics = {f"P{i:02}": {"home": ("flat", "house")[i % 2]} for i in range(24)}
    answers = {who: {STANCE: 9 if d["home"] == "flat" else 2} for who, d in demographics.items()}
    items = study(answers, demographics)
    run = evaluate(DemographicPredictor("boosting"), items, protocol="population-informed", folds=4)
    assert all(abs(int(o.value or 0) - o.gold[0]) <= 1 for o in run.outcomes)
    assert min(o.details["chosen"] for o in run.outcomes) > 0


def test_signs_are_learnt_a_topic() -> None:
    pytest.importorskip("sklearn")
    _, demographics = aged(20)
    cost = sign("cost")
    answers = {who: {cost: 1 if d["home"] == "flat" else -1} for who, d in demographics.items()}
    run = evaluate(
        DemographicPredictor(),
        study(answers, demographics),
        protocol="population-informed",
        folds=5,
    )
    assert [o.value for o in run.outcomes] == [o.gold[0] for o in run.outcomes]


# --- the nearest person ---


def test_the_most_alike_person_who_answered_is_taken() -> None:
    later = STANCE.replace(question_id="s2")
    answers = {
        "A": {STANCE: 4, later: 4},
        "B": {STANCE: 9, later: 8},
        "C": {STANCE: 2},
    }
    demographics = {"A": {"age": "30"}, "B": {"age": "60"}, "C": {"age": "32"}}
    found = values(
        evaluate(
            NearestPersonPredictor(), study(answers, demographics), protocol="population-informed"
        )
    )
    assert found["A-s1"] == 2  # C is nearest
    assert found["A-s2"] == 8  # C was not asked
    assert found["B-s1"] == 2
    assert found["C-s1"] == 4


def test_several_people_give_their_lower_median_and_ties_go_by_name() -> None:
    answers = {"A": {STANCE: 1}, "B": {STANCE: 3}, "C": {STANCE: 7}, "D": {STANCE: 10}}
    same = {who: {"age": "30"} for who in answers}
    for k, expected in ((1, 3), (2, 3), (3, 7)):
        run = evaluate(
            NearestPersonPredictor(k=k), study(answers, same), protocol="population-informed"
        )
        assert values(run)["A-s1"] == expected
        first = run.outcomes[0]
        assert list(first.details["nearest"]) == ["B", "C", "D"][:k]
        assert first.distribution is not None
        assert first.distribution[2] == pytest.approx((1 + 0.1) / (k + 1))


def test_own_answers_count_before_demographics_where_the_protocol_gives_them() -> None:
    later = STANCE.replace(question_id="s2", role="scenario", scenario_id="s2", scenario="!")
    answers = {
        "A": {STANCE: 8, later: 5},
        "B": {STANCE: 8, later: 10},
        "C": {STANCE: 2, later: 1},
        "D": {later: 6},
    }
    demographics = {"A": {"age": "30"}, "B": {"age": "70"}, "C": {"age": "30"}, "D": {"age": "30"}}
    items = study(answers, demographics)
    assert values(evaluate(NearestPersonPredictor(), items, protocol="state-given"))["A-s2"] == 10
    informed = evaluate(NearestPersonPredictor(), items, protocol="population-informed")
    assert values(informed)["A-s2"] == 1


def test_interviews_compare_people_who_speak_alike() -> None:
    pytest.importorskip("sklearn")
    answers = {"A": {STANCE: 5}, "B": {STANCE: 1}, "C": {STANCE: 10}}
    said = {
        "A": "Trams ring loudly at night.",
        "B": "Tickets cost money.",
        "C": "At night trams ring and ring.",
    }
    predictor = NearestPersonPredictor(by="interview", encoder=HashingEncoder())
    run = evaluate(predictor, study(answers, said=said), protocol="population-informed")
    assert values(run)["A-s1"] == 10
    assert values(run)["C-s1"] == 5


def test_the_sign_of_a_like_factor_is_taken_and_turned_where_it_is_opposite() -> None:
    answers = {
        "A": {sign("noise"): 1},
        "B": {sign("noise"): -1, sign("ticket price"): 1},
        "C": {sign("price of tickets"): -1, sign("quiet"): -1},
    }
    demographics = {"A": {"age": "30"}, "B": {"age": "60"}, "C": {"age": "31"}}
    items = study(answers, demographics)
    found = values(evaluate(NearestPersonPredictor(), items, protocol="population-informed"))
    assert found["A-trams: noise"] == 1  # C is nearest and says quiet lowers it
    assert found["B-trams: ticket price"] == -1  # from the same words in another order
    assert found["C-trams: quiet"] == -1  # A is nearest, and says noise raises it
    alone = evaluate(
        NearestPersonPredictor(),
        study({"A": answers["A"], "B": {STANCE: 2}}, demographics),
        protocol="population-informed",
    )
    assert alone.outcomes[0].could_not == "nobody else answered the question"


def test_a_wrong_argument_is_an_error() -> None:
    with pytest.raises(SurveyError, match="Did you mean 'demographics'"):
        NearestPersonPredictor(by="demographic")  # type: ignore[arg-type]
    with pytest.raises(SurveyError, match="1 or more, got 0"):
        NearestPersonPredictor(k=0)
    with pytest.raises(SurveyError, match="Did you mean 'words'"):
        AnchorPredictor(by="word")  # type: ignore[arg-type]


# --- sentence vectors ---


def test_words_that_go_with_an_answer_are_learnt() -> None:
    pytest.importorskip("sklearn")
    fillers = ("river", "market", "clinic", "garden", "museum", "harbour")
    said = {
        f"P{i}": f"Trams are {('wonderful', 'dreadful')[i % 2]} near the {fillers[i % 6]}."
        for i in range(12)
    }
    answers = {f"P{i}": {STANCE: (9, 2)[i % 2]} for i in range(12)}
    run = evaluate(
        VectorRidgePredictor(encoder=HashingEncoder()),
        study(answers, said=said),
        protocol="population-informed",
        folds=5,
    )
    for outcome in run.outcomes:
        assert (outcome.value or 0) > 5 if outcome.gold[0] == 9 else (outcome.value or 10) < 5
    assert run.configuration["settings"]["vectors"] == HashingEncoder.name


def test_an_interviews_vector_is_the_mean_of_its_answers() -> None:
    pytest.importorskip("sklearn")
    encoder = HashingEncoder()
    one, two = encoder.encode(["night trams", "empty market"])
    vector = interview_vector(talk("night trams", " ", "empty market"), encoder)
    assert vector is not None
    assert vector == pytest.approx((one + two) / 2)
    assert interview_vector(talk(" "), encoder) is None


# --- anchors ---


class Planar:
    """An encoder made by hand: texts at angles in a plane."""

    name = "planar"

    def __init__(self, angle: Callable[[str], float]) -> None:
        self.angle = angle

    def encode(self, labels: Sequence[str]) -> np.ndarray:
        angles = np.radians([self.angle(label) for label in labels])
        return np.column_stack([np.cos(angles), np.sin(angles)])


PRO, CON = ["for 1", "for 2"], ["against 1", "against 2"]
ANGLES = {"for 1": 0, "for 2": 0, "against 1": 90, "against 2": 90, "yes": 0, "no": 90}


def test_the_unit_of_a_lean_is_the_statements_own() -> None:
    lean = VectorLean(Planar(lambda text: ANGLES.get(text, 45)))
    assert lean.judgement(["yes"], "", PRO, CON) == pytest.approx(1)
    assert lean.judgement(["no"], "", PRO, CON) == pytest.approx(-1)
    assert lean.judgement(["well"], "", PRO, CON) == pytest.approx(0)
    assert lean.judgement(["yes", "well"], "", PRO, CON) == pytest.approx(0.5)
    blind = VectorLean(Planar(lambda text: 10))
    assert blind.judgement(["yes"], "", PRO, CON) == 0
    assert lean.nearest(["no", "well", "yes"], "for 1", 2) == [1, 2]


def test_vectors_put_a_clear_stance_at_the_end_of_the_scale() -> None:
    def angle(text: str) -> float:
        against = ("oppose", "against", "not need", "worse", "hate")
        return 90.0 if any(word in text for word in against) else 0.0

    predictor = AnchorPredictor(by="vectors", encoder=Planar(angle))
    for said, expected in (("I love them", 10), ("I hate them", 1)):
        item = Item(item_id="1", participant="A", question=STANCE, context=talk(said))
        made = predictor.predict(item, Person(participant="A"))
        assert (made.value, made.details["about"]) == (expected, "new tram lines")


@pytest.mark.parametrize(
    ("said", "lean"),
    [
        ("I support it, a good idea", 2 / 3),
        ("I am not against it", 1 / 2),
        ("I don't support it.", -1 / 2),
        ("It is a tram.", 0),
    ],
)
def test_words_for_and_against_are_balanced(said: str, lean: float) -> None:
    assert WordLean().judgement([said], "the tram", [], []) == pytest.approx(lean)


def test_words_answer_every_kind_of_item() -> None:
    def answer(question: Question, *said: str) -> Prediction:
        item = Item(item_id="1", participant="A", question=question, context=talk(*said))
        return AnchorPredictor(by="words").predict(item, Person(participant="A"))

    assert (answer(STANCE, "I support it.", "A good idea.", "I like it.").value or 0) >= 8
    assert (answer(STANCE, "I oppose it.", "A bad idea.", "I hate it.").value or 9) <= 3
    experience = STANCE.replace(role="experience")
    assert answer(experience, "I support it.").value == 5
    reason = STANCE.replace(
        task="bdu_reason", reason_code="A", reason="noise at night", scale=Scale.between(1, 5)
    )
    assert answer(reason, "The noise, every night.").value == 5
    assert answer(reason, "Tickets.").value == 1
    assert answer(sign("cost"), "I like trams.", "The cost makes me oppose them.").value == 1
    assert answer(sign("cost"), "Trams.", "Cost reduces it.", "Trams.", "Trams.").value == -1
    assert answer(STANCE, " ").could_not == "the interview holds no answers"


def test_probes_of_an_effect_are_no_opening() -> None:
    probe = "Does noise have a positive or negative effect on support for trams?"
    context = Transcript.from_pairs([("And trams?", "I support them."), (probe, "Negative, bad.")])
    item = Item(item_id="1", participant="A", question=STANCE, context=context)
    made = AnchorPredictor(by="words").predict(item, Person(participant="A"))
    assert made.details["lean"] == pytest.approx(1 / 2)
    only = item.replace(context=Transcript(turns=context.turns[1:]))
    made = AnchorPredictor(by="words").predict(only, Person(participant="A"))
    assert made.details["lean"] < 0


@pytest.mark.parametrize(
    ("text", "asked", "expected"),
    [
        ("How far do you oppose or support the new tram?", "And?", "the new tram"),
        ("How would this change your stance?", "Is the effect of Noise on Support for wider roads"
         " immediate, or not?", "wider roads"),
        ("How would this change your stance?", "And?", "night trams"),
        ("Do you support wide, green parks in the U.S.? Say why.", "And?",
         "wide, green parks in the U.S."),
    ],
)  # fmt: skip
def test_the_object_of_a_stance_is_found(text: str, asked: str, expected: str) -> None:
    question = STANCE.replace(text=text, topic="night_trams")
    assert stance_object(question, Transcript.from_pairs([(asked, "-")])) == expected


# --- what every one of them keeps to ---


def every_predictor() -> list[Predictor]:
    return [
        NearestPersonPredictor(),
        NearestPersonPredictor(k=2, by="both", encoder=HashingEncoder()),
        DemographicPredictor(),
        DemographicPredictor("boosting", seed=1),
        VectorRidgePredictor(encoder=HashingEncoder()),
        AnchorPredictor(by="words"),
    ]


@pytest.mark.parametrize("number", range(6))
def test_swapping_the_targets_answers_changes_nothing_about_the_target(number: int) -> None:
    pytest.importorskip("sklearn")
    predictor = every_predictor()[number]
    swapped: dict[str, tuple[int, ...]] = {**ANSWERS, "P1": (1, 1, 5, 2, 1)}
    first, second = (
        evaluate(predictor, invented_items(answers), protocol="population-informed")
        for answers in (ANSWERS, swapped)
    )
    own = [
        (a, b)
        for a, b in zip(first.outcomes, second.outcomes, strict=True)
        if a.participant == "P1"
    ]
    kept = {"gold", "previous", "seconds"}
    assert own
    assert all(a.model_dump(exclude=kept) == b.model_dump(exclude=kept) for a, b in own)
    if predictor.name not in ("anchors", "demographic-boosting"):
        assert values(first) != values(second)  # others' predictions do use them


@pytest.mark.parametrize("number", range(6))
def test_a_run_is_repeated_exactly_and_says_why_where_it_cannot_answer(number: int) -> None:
    pytest.importorskip("sklearn")
    items = invented_items()
    runs = [
        evaluate(every_predictor()[number], items, protocol="population-informed") for _ in range(2)
    ]
    unmeasured = {"outcomes": {"__all__": {"seconds"}}}
    assert runs[0].model_dump(exclude=unmeasured) == runs[1].model_dump(exclude=unmeasured)
    zero = evaluate(every_predictor()[number], items)
    if zero.predictor == "anchors":
        assert all(o.value is not None for o in zero.outcomes)
    else:
        assert {o.value for o in zero.outcomes} == {None}
        assert all("population-informed" in str(o.could_not) for o in zero.outcomes)


@pytest.mark.parametrize("model", ["ridge", "boosting"])
def test_people_without_demographics_are_not_guessed_at(model: str) -> None:
    pytest.importorskip("sklearn")
    answers, demographics = aged(10)
    demographics["P00"] = {}
    predictor = DemographicPredictor(model)  # type: ignore[arg-type]
    run = evaluate(predictor, study(answers, demographics), protocol="population-informed", folds=5)
    assert [o.could_not for o in run.outcomes if o.value is None] == [
        "the person's demographics are not known"
    ]
    nobody = evaluate(predictor, study(answers), protocol="population-informed")
    assert all("differ in demographics" in str(o.could_not) for o in nobody.outcomes)
