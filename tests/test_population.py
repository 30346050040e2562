"""Populations: hand-computed figures, closed forms, brute force, and planted truths."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import beliefgraph as bg
from beliefgraph.errors import GraphError, InterventionError, StanceError, UnknownConceptError
from beliefgraph.simulate.linear_effects import effects
from beliefgraph.simulate.population import (
    GroupDifference,
    PopulationGraph,
    adjusted_rand_index,
    belief_distances,
    cluster_people,
    compare_groups,
    newcombe_interval,
    population_graph,
    sign_agreement,
    simulate_population,
    wilson_interval,
)
from beliefgraph.simulate.population.permutation import total_effects_of

Edge = tuple[str, str, float] | tuple[str, str, float, float]


def person(name: str, *edges: Edge, concepts: Sequence[str] = ()) -> bg.BeliefGraph:
    return bg.BeliefGraph.from_edges(
        edges, stance="Support", concepts=concepts, participant=name, topic="lanes"
    )


def random_people(seed: int, n: int, n_concepts: int = 5, density: float = 0.4) -> list[Any]:
    """People with their own order of causes, levels, confidences and a missing concept or two."""
    rng = np.random.default_rng(seed)
    people = []
    for number in range(n):
        names = [f"thing{i}" for i in rng.permutation(n_concepts)][: rng.integers(2, n_concepts)]
        names = [*names, "Support"]
        edges = [
            (a, b, float(np.round(rng.uniform(-1, 1), 2)), float(np.round(rng.uniform(0.2, 1), 2)))
            for a, b in combinations(names, 2)
            if rng.random() < density
        ]
        graph = person(f"p{number:03d}", *edges, concepts=names)
        levelled = tuple(
            c.replace(baseline=float(np.round(rng.uniform(-0.5, 0.5), 2))) for c in graph.concepts
        )
        people.append(graph.replace(concepts=levelled))
    return people


# --- closed forms


@pytest.mark.parametrize(("part", "whole"), [(0, 5), (5, 5), (3, 10), (1, 1), (170, 1000)])
def test_wilson_is_scipys(part: int, whole: int) -> None:
    other = stats.binomtest(part, whole).proportion_ci(0.9, method="wilson")
    assert wilson_interval(part, whole, 0.9) == pytest.approx((other.low, other.high), abs=1e-12)


def test_newcombe_is_the_published_example() -> None:
    """Newcombe (1998), table II: 56/70 and 48/80, method 10."""
    assert newcombe_interval(56, 70, 48, 80) == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert np.isnan(newcombe_interval(0, 0, 1, 2)).all()


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((0, 0, 9), 1.0),
        ((4, 0, 4), -1.0),
        ((3, 3, 3), 0.0),
        ((0, 5, 5), 0.5),
        ((2, 1, 3), -1 / 6),  # layers 111 (A 0), 101 (A -1), 001 (A 1)
        ((1, 4, 1), 0.5),  # layers 111 and 010: (0 * 3 + 1 * 3) / 6
        ((5, 0, 15), 0.0),
    ],
)
def test_agreement_by_hand(counts: tuple[int, int, int], expected: float) -> None:
    assert sign_agreement(*counts) == pytest.approx(expected)
    assert sign_agreement(*counts[::-1]) == pytest.approx(expected)
    assert sign_agreement(*(c / sum(counts) for c in counts)) == pytest.approx(expected)


@pytest.mark.parametrize("positive", [0.0, 0.1, 0.25, 0.5, 0.8])
def test_agreement_without_zero_has_a_closed_form(positive: float) -> None:
    expected = 1 - 4 * min(positive, 1 - positive)
    assert sign_agreement(1 - positive, 0, positive) == pytest.approx(expected)


def test_adjusted_rand_by_hand_and_by_scikit_learn() -> None:
    assert adjusted_rand_index([0, 0, 1, 1], [0, 0, 1, 2]) == pytest.approx(4 / 7)
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 3, 12), rng.integers(0, 4, 12)
        assert adjusted_rand_index(a, b) == pytest.approx(metrics.adjusted_rand_score(a, b))


# --- concepts made one


class Vectors:
    """An encoder that places labels on given unit vectors."""

    name = "by hand"

    def __init__(self, **angles: float) -> None:
        self.angles = {label.replace("_", " "): angle for label, angle in angles.items()}

    def encode(self, labels: Sequence[str]) -> NDArray[np.float64]:
        angles = np.array([self.angles.get(label, 90.0) for label in labels])
        return np.column_stack([np.cos(np.radians(angles)), np.sin(np.radians(angles))])


def test_a_planted_rename_is_made_one() -> None:
    people = [
        person("p1", ("Bus speed", "Support", 0.5)),
        person("p2", ("Bus speed", "Support", 0.5)),
        person("p3", ("speed of the buses", "Support", 0.3)),
    ]
    p = population_graph(people)
    assert [(c.name, c.n_people) for c in p.concepts] == [("Bus speed", 3), ("Support", 3)]
    assert p.graph.concept("Bus speed").aliases[0].label == "speed of the buses"
    again = p.unmerge("speed of the buses")
    assert [(c.name, c.n_people) for c in again.concepts] == [
        ("Bus speed", 2), ("speed of the buses", 1), ("Support", 3)
    ]  # fmt: skip
    assert again.kept_apart[0].n_people == 0
    with pytest.raises(UnknownConceptError):
        p.unmerge("Bus speed")


def test_opposite_ends_are_tied_by_sign() -> None:
    costly = person("p1", ("Housing costs", "Support", -0.6))
    costly = costly.replace(concepts=(costly.concepts[0].replace(baseline=0.4), costly.concepts[1]))
    p = population_graph(
        [
            costly,
            person("p2", ("Housing costs", "Support", -0.6)),
            person("p3", ("Housing affordability", "Support", 0.6)),
        ]
    )
    (item,) = p.influences
    assert (item.n_people, item.agreement) == (3, 1.0)
    assert item.weight == pytest.approx(-0.6)
    assert [(w.label, w.polarity) for w in p.concepts[0].wordings] == [
        ("Housing costs", 1), ("Housing affordability", -1)
    ]  # fmt: skip
    assert p.concepts[0].baseline == pytest.approx(0.4 / 3)


def test_vectors_join_other_words_and_never_antonyms() -> None:
    people = [
        *(person(f"p{i}", ("Motoring", "Support", 0.5)) for i in range(3)),
        person("q1", ("Use of automobiles", "Support", 0.5)),
        *(person(f"t{i}", ("Tolerance", "Support", 0.5)) for i in range(2)),
        person("q2", ("Intolerance", "Support", -0.5)),
        person("q3", ("Sadness", "Support", -0.5)),
        person("q4", ("Joy of living", "Support", 0.5)),
        person("q5", ("Harm to shops", "Support", -0.5)),
        person("q6", ("Benefit to trade", "Support", 0.5)),
    ]
    encoder = Vectors(
        Motoring=0, Use_of_automobiles=10, Tolerance=200, Intolerance=201, Sadness=120,
        Joy_of_living=121, Harm_to_shops=280, Benefit_to_trade=281,
    )  # fmt: skip
    p = population_graph(people, encoder=encoder)
    joined = {w.label: w.concept for c in p.concepts for w in c.wordings if w.label != c.name}
    assert joined == {"Use of automobiles": "Motoring"}
    alone = population_graph(people)
    assert len(alone.concepts) == len(p.concepts) + 1
    assert p.unmerge("Use of automobiles").influence("Use of automobiles", "Support") is not None


def test_what_one_person_holds_side_by_side_is_two_things() -> None:
    people = [
        *(person(f"p{i}", ("Traffic", "Support", 0.5)) for i in range(3)),
        person("q1", ("Road traffic", "Support", 0.5)),
    ]
    assert len(population_graph(people).concepts) == 2
    both = person("q2", ("Road traffic", "Support", 0.5), ("Traffic", "Support", -0.5))
    p = population_graph([*people, both])
    assert len(p.concepts) == 3
    assert [(k.label, k.concept, k.n_people) for k in p.kept_apart] == [
        ("Road traffic", "Traffic", 1)
    ]
    p = population_graph(people, keep_apart=[("Traffic", "Road traffic")])
    assert len(p.concepts) == 3


def stanced(name: str, stance: str, weight: float, level: float = 0.0) -> bg.BeliefGraph:
    graph = bg.BeliefGraph.from_edges([("Noise", stance, weight)], stance=stance, participant=name)
    return graph.replace(concepts=(graph.concepts[0], graph.concepts[1].replace(baseline=level)))


def test_stances_are_one_and_opposite_ones_are_turned() -> None:
    people = [
        stanced("p1", "Support for bus lanes", -0.5, 0.2),
        stanced("p2", "Support for bus lanes", -0.5, 0.2),
        stanced("p3", "Opposition to bus lanes", 0.5, -0.2),
    ]
    p = population_graph(people)
    assert p.stance == "Support for bus lanes"
    assert p.influences[0].weight == pytest.approx(-0.5)
    assert p.concepts[-1].baseline == pytest.approx(0.2)
    r = simulate_population(p, do={"Noise": 1}, mechanism="linear")
    assert [m.shift for m in r.members] == pytest.approx([-0.5] * 3)
    assert r.members[2].before == pytest.approx(0.2)
    apart = [*people, stanced("p4", "Faith in the mayor", 0.5)]
    with pytest.raises(StanceError, match="p4"):
        population_graph(apart)
    assert population_graph(apart, stance="Support").influences[0].n_people == 4


@pytest.mark.parametrize(
    ("people", "options", "match"),
    [
        ([], {}, "at least one"),
        ([person("p"), person("p")], {}, "more than once"),
        ([person("p"), person("q").replace(topic="rents")], {}, "one topic"),
        ([person("p")], {"word_threshold": 0.0}, "word_threshold"),
        ([person("p")], {"level": 1.0}, "level"),
        ([person("p")], {"keep_apart": ["ab"]}, "pairs"),
        ([person("p"), stanced("q", "Aim", 0.1), stanced("r", "Aim", 0.1)], {}, "must be one"),
        (
            [person("p"), person("r"),
             bg.BeliefGraph.from_edges([("support", "Backing", 0.1)], stance="Backing")],
            {"stance": "Support"},
            "beside the stance",
        ),
    ],
)  # fmt: skip
def test_what_is_no_population(people: list[Any], options: dict[str, Any], match: str) -> None:
    with pytest.raises((GraphError, StanceError), match=match):
        population_graph(people, **options)


# --- the pooled graph


def test_figures_by_hand() -> None:
    p = population_graph(
        [
            person("p1", ("Noise", "Support", -0.8, 1.0)),
            person("p2", ("Noise", "Support", 0.4, 0.5)),
            person("p3", ("Noise", "Support", -0.2, 0.5)),
            person("p4"),
        ]
    )
    (item,) = p.influences
    assert (item.n_people, item.prevalence) == (3, 0.75)
    assert (item.low, item.high) == wilson_interval(3, 4)
    assert (item.share_positive, item.share_negative) == pytest.approx((1 / 3, 2 / 3))
    assert item.agreement == pytest.approx(1 - 4 / 3)
    assert item.weight == pytest.approx(-0.2)
    assert item.weight_sd == pytest.approx(0.6)
    assert item.confidence == pytest.approx(2 / 3)
    edge = p.graph.influences[0]
    assert edge.confidence == pytest.approx(2 / 4)
    assert edge.weight == pytest.approx((-0.8 + 0.2 - 0.1) / 2)


def test_the_pooled_matrix_is_the_mean_of_the_members() -> None:
    people = random_people(3, 12)
    p = population_graph(people)
    expected: dict[tuple[str, str], float] = {}
    for graph in people:
        for e in graph.influences:
            at = (e.source, e.target)
            expected[at] = expected.get(at, 0.0) + e.weight * e.confidence / len(people)
    found = [*p.graph.influences, *(f.influence for f in p.graph.feedback)]
    assert {(e.source, e.target) for e in found} == set(expected)
    for e in found:
        assert e.weight * e.confidence == pytest.approx(expected[e.source, e.target])
    assert len(p.graph.feedback) == sum(not i.in_graph for i in p.influences)
    assert p.graph.feedback, "people of different orders of causes make loops"


def test_an_influence_in_feedback_is_held() -> None:
    a = person("p1", ("Noise", "Waste", 0.5), ("Waste", "Support", 0.5))
    left_out = bg.Feedback(
        influence=bg.Influence(source="Waste", target="Noise", weight=0.3), reason="a loop"
    )
    p = population_graph([a.replace(feedback=(left_out,))])
    back = p.influence("Waste", "Noise")
    assert back is not None
    assert not back.in_graph
    assert p.graph.feedback[0].influence.weight == pytest.approx(0.3)


def test_frames_and_networkx() -> None:
    p = population_graph(random_people(5, 6))
    made = p.to_networkx()
    assert set(made.edges) == {(i.source, i.target) for i in p.influences}
    assert made.edges[p.influences[0].source, p.influences[0].target]["n_people"] == (
        p.influences[0].n_people
    )
    assert made.nodes["Support"]["prevalence"] == 1.0
    pytest.importorskip("pandas")
    frame = p.to_frame()
    assert list(frame["n_people"]) == sorted(frame["n_people"], reverse=True)
    assert len(simulate_population(p, do={"Support": 0.1}).to_frame()) == 6


# --- simulated as a whole and beside its members


def test_links_of_different_people_are_chained() -> None:
    a = person("p1", ("Noise", "Stress", 0.8), concepts=["Noise", "Stress"])
    b = person("p2", ("Stress", "Support", 0.5), concepts=["Noise", "Stress"])
    r = simulate_population([a, b], do={"Noise": 1}, mechanism="linear")
    assert r.pooled.stance.shift == pytest.approx(0.4 * 0.25)
    assert (r.mean_of_all, r.n_unmoved) == (0.0, 2)
    assert r.difference.mixing == pytest.approx(0.1)
    assert r.chains[0].n_people == 0
    assert r.chains[0].pooled == pytest.approx(0.1)
    assert "held whole by 0" in r.explain()


def test_links_that_go_together_are_missed_by_the_mean() -> None:
    """Covariance by hand: half hold both links at 0.8, half at 0.2."""
    people = [
        person(f"p{i}", ("Noise", "Stress", w), ("Stress", "Support", w))
        for i, w in enumerate((0.8, 0.2))
    ]
    r = simulate_population(people, do={"Noise": 1}, mechanism="linear")
    assert r.pooled.stance.shift == pytest.approx(0.25)
    assert r.mean.value == pytest.approx((0.64 + 0.04) / 2)
    assert r.difference.mixing == pytest.approx(0.25 - 0.34)
    assert r.difference.levels == pytest.approx(0)
    assert r.chains[0].members == pytest.approx(0.34)


def test_levels_that_go_with_the_effect() -> None:
    people = []
    for name, weight, level in (("p1", 0.8, 0.5), ("p2", 0.2, -0.5)):
        graph = person(name, ("Noise", "Support", weight))
        people.append(
            graph.replace(concepts=(graph.concepts[0].replace(baseline=level), graph.concepts[1]))
        )
    r = simulate_population(people, do={"Noise": 1}, mechanism="linear")
    # 0.5 (1 - 0) pooled; (0.8 * 0.5 + 0.2 * 1.5) / 2 over the members
    assert r.difference.total == pytest.approx(0.5 - 0.35)
    assert r.difference.levels == pytest.approx(0.15)
    assert simulate_population(people, shift={"Noise": 1}).difference.levels == 0


def test_loops_opened_elsewhere() -> None:
    forth = person("p1", ("Noise", "Stress", 0.9), ("Stress", "Support", 0.5))
    back = person("p2", ("Stress", "Noise", 0.8), ("Noise", "Support", 0.5))
    r = simulate_population([forth, back], do={"Stress": 1}, mechanism="linear")
    # the pooled graph leaves out Stress -> Noise, by which the second person's stance moves
    assert r.difference.loops == pytest.approx(-0.8 * 0.5 / 2)
    assert r.difference.mixing == pytest.approx(0.0)


@pytest.mark.parametrize("seed", range(8))
def test_the_parts_add_up_and_the_linear_model_leaves_none(seed: int) -> None:
    p = population_graph(random_people(seed, 9))
    names = [name for name in p.graph.names if name != p.stance]
    for options in ({"do": {names[0]: 0.7}}, {"do": {names[0]: -0.5, names[1]: 0.9}},
                    {"shift": {names[1]: 0.3}}, {"do": {names[2]: (0.2, 0.6)}}):  # fmt: skip
        r = simulate_population(p, mechanism="linear", **options)
        assert r.difference.mechanism == pytest.approx(0, abs=1e-9)
        for member, graph in zip(r.members, p.members, strict=True):
            held = {
                kind: {k: v for k, v in amounts.items() if k in graph.names}
                for kind, amounts in options.items()
            }
            if not any(held.values()):
                assert np.isnan(member.shift)
                assert "has no" in member.reason
                continue
            alone = bg.intervene(graph, mechanism="linear", n_samples=0, **held)  # type: ignore[arg-type]
            assert member.shift == pytest.approx(alone.stance.shift)
            assert (member.before, member.after) == pytest.approx(
                (alone.stance.before, alone.stance.after)
            )
        parts = r.difference
        assert parts.total == pytest.approx(r.pooled.stance.shift - r.mean_of_all)
        assert parts.total == pytest.approx(
            parts.mixing + parts.levels + parts.loops + parts.mechanism
        )


def test_counts_and_spread() -> None:
    people = [person(f"p{i}", ("Noise", "Support", w)) for i, w in enumerate((0.5, 0.3, -0.2, 0.0))]
    r = simulate_population([*people, person("q")], do={"Noise": 1}, mechanism="linear")
    assert (r.n_up, r.n_down, r.n_unmoved, r.n_not_reached) == (2, 1, 1, 1)
    assert r.mean.value == pytest.approx(0.15)
    assert r.mean_of_all == pytest.approx(0.12) == pytest.approx(r.pooled.stance.shift)
    assert r.sd == pytest.approx(np.std([0.5, 0.3, -0.2, 0], ddof=1))
    assert r.quantiles[0.5] == pytest.approx(0.15)


def test_a_member_who_names_the_other_end_is_moved_the_other_way() -> None:
    people = [
        person("p1", ("Housing costs", "Support", -0.6)),
        person("p2", ("Housing costs", "Support", -0.6)),
        person("p3", ("Housing affordability", "Support", 0.6)),
    ]
    for amount in (0.5, (0.4, 0.6)):
        r = simulate_population(people, do={"Housing costs": amount}, mechanism="linear")
        assert [m.shift for m in r.members] == pytest.approx([-0.3] * 3)
        assert r.difference.total == pytest.approx(0)
    with pytest.raises(InterventionError, match="cannot be turned"):
        simulate_population(people, do={"Housing costs": stats.uniform(0, 0.5)})


def test_a_members_draws_are_the_same_whoever_else_is_there() -> None:
    people = random_people(2, 6)
    known = [g for g in people if "thing1" in g.names]
    both = [simulate_population(group, do={"thing1": 0.8}).members for group in (known, known[:2])]
    assert [m.shift for m in both[0][:2]] == [m.shift for m in both[1]]


@pytest.mark.parametrize(
    "options",
    [{}, {"do": {"Noise": 2}}, {"do": {"Noise": 1}, "seed": -1},
     {"do": {"Noise": 1}, "mechanism": {"Noise": "tanh"}}],
)  # fmt: skip
def test_what_cannot_be_simulated(options: dict[str, Any]) -> None:
    with pytest.raises(InterventionError):
        simulate_population([person("p", ("Noise", "Support", 0.5))], **options)
    with pytest.raises(UnknownConceptError):
        simulate_population([person("p")], do={"Noise": 1})


# --- groups


def difference(found: Sequence[GroupDifference], kind: str, source: str) -> GroupDifference:
    return next(d for d in found if (d.kind, d.source) == (kind, source))


def small_groups() -> tuple[list[bg.BeliefGraph], list[str]]:
    rng = np.random.default_rng(4)
    people = []
    for i in range(9):
        edges = [("Noise", "Support", float(rng.uniform(-1, 1)))] if i != 3 else []
        edges += [("Waste", "Support", float(rng.uniform(-1, 1)))] if i % 2 else []
        edges += [("Waste", "Noise", 0.5)] if i in (1, 2, 7) else []
        people.append(person(f"p{i}", *edges))
    return people, ["a"] * 4 + ["b"] * 5


def test_permutation_by_brute_force() -> None:
    """Every statistic and both p-values again, person by person, over all 126 dealings."""
    people, groups = small_groups()
    found = compare_groups(people, groups, min_people=3)
    assert found.exact
    assert found.n_permutations == 126
    tests: dict[tuple[str, str, str], dict[int, float]] = {}
    for i, graph in enumerate(people):
        for e in graph.influences:
            tests.setdefault(("prevalence", e.source, e.target), {})[i] = 1.0
            tests.setdefault(("weight", e.source, e.target), {})[i] = e.weight
        for effect in effects(graph):
            tests.setdefault(("effect", effect.concept, "Support"), {})[i] = effect.total
        for name in graph.names:
            if name != "Support":
                tests.setdefault(("effect", name, "Support"), {}).setdefault(i, 0.0)
    made = [d for d in found.differences if not d.reason]
    tests = {(d.kind, d.source, d.target): tests[d.kind, d.source, d.target] for d in made}

    def statistic(key: tuple[str, str, str], a: set[int]) -> float:
        values = tests[key]
        if key[0] == "prevalence":
            values = {i: values.get(i, 0.0) for i in range(9)}
        ours, theirs = (
            [v for i, v in values.items() if (i in a) is side] for side in (True, False)
        )
        spread = np.std(list(values.values())).item()
        if not ours or not theirs or spread < 1e-12:
            return 0.0
        scale = spread * np.sqrt(1 / len(ours) + 1 / len(theirs))
        return float(abs(np.mean(ours) - np.mean(theirs)) / scale)

    observed = {key: statistic(key, {0, 1, 2, 3}) for key in tests}
    drawn = [{k: statistic(k, set(a)) for k in tests} for a in combinations(range(9), 4)]
    ranked = sorted(tests, key=lambda k: -observed[k])
    last = 0.0
    for place, key in enumerate(ranked):
        d = next(d for d in made if (d.kind, d.source, d.target) == key)
        alone = np.mean([s[key] >= observed[key] - 1e-9 for s in drawn])
        rest = ranked[place:]
        beyond = [max(s[k] for k in rest) >= observed[key] - 1e-9 for s in drawn]
        last = max(last, sum(beyond) / len(drawn))
        assert d.p_value == pytest.approx(alone)
        assert d.p_corrected == pytest.approx(last)
    assert found.p_any == min(d.p_corrected for d in made)


def test_opposite_signs_in_two_groups_are_found() -> None:
    rng = np.random.default_rng(0)
    people, groups = [], {}
    for i in range(40):
        sign = 1 if i < 20 else -1
        edges: list[Edge] = [("Noise", "Support", sign * float(rng.uniform(0.3, 0.7)))]
        edges += [("Waste", "Support", float(rng.uniform(-0.7, 0.7)))]
        people.append(person(f"p{i}", *edges))
        groups[f"p{i}"] = "tenant" if i < 20 else "owner"
    p = population_graph(people)
    assert p.influences[0].agreement == -1.0
    found = compare_groups(p, groups, pair=("tenant", "owner"), n_permutations=999)
    weight = difference(found.differences, "weight", "Noise")
    assert weight.p_corrected == pytest.approx(1 / 1000)
    assert 0 < weight.low < weight.difference < weight.high
    assert weight.effect_size > 3
    assert difference(found.differences, "effect", "Noise").p_corrected == pytest.approx(1 / 1000)
    assert difference(found.differences, "prevalence", "Noise").p_value == 1.0
    assert difference(found.differences, "weight", "Waste").p_corrected > 0.05
    turned = compare_groups(p, groups, pair=("owner", "tenant"), n_permutations=999)
    other = difference(turned.differences, "weight", "Noise")
    assert (other.difference, other.low, other.effect_size) == pytest.approx(
        (-weight.difference, -weight.high, -weight.effect_size)
    )


def test_intervals_and_effect_sizes() -> None:
    people, groups = small_groups()
    found = compare_groups(people, groups, level=0.9).differences
    weights = [
        [
            e.weight
            for g in part
            for e in g.influences
            if (e.source, e.target) == ("Noise", "Support")
        ]
        for part in (people[:4], people[4:])
    ]
    d = difference(found, "weight", "Noise")
    interval = stats.ttest_ind(*weights, equal_var=False).confidence_interval(0.9)
    assert (d.low, d.high) == pytest.approx((interval.low, interval.high))
    n_a, n_b = map(len, weights)
    pooled = np.sqrt(
        ((n_a - 1) * np.var(weights[0], ddof=1) + (n_b - 1) * np.var(weights[1], ddof=1))
        / (n_a + n_b - 2)
    )
    g = (np.mean(weights[0]) - np.mean(weights[1])) / pooled * (1 - 3 / (4 * (n_a + n_b) - 9))
    assert d.effect_size == pytest.approx(g)
    share = difference(found, "prevalence", "Noise")
    assert (share.low, share.high) == newcombe_interval(3, 4, 5, 5, 0.9)
    assert share.effect_size == pytest.approx(2 * np.arcsin(np.sqrt(3 / 4)) - np.pi)


def test_without_a_difference_p_is_uniform_and_errors_are_held() -> None:
    rng = np.random.default_rng(7)
    alone, any_of_them = [], []
    for trial in range(150):
        people = [
            person(
                f"p{i}",
                ("Noise", "Support", float(rng.uniform(-0.5, 0.5))),
                ("Waste", "Support", float(rng.uniform(-0.5, 0.5))),
                ("Waste", "Noise", float(rng.uniform(-0.5, 0.5))),
            )
            for i in range(14)
        ]
        found = compare_groups(people, ["a"] * 7 + ["b"] * 7, n_permutations=199, seed=trial)
        alone.append(difference(found.differences, "weight", "Noise").p_value)
        any_of_them.append(found.p_any)
    assert stats.kstest(alone, "uniform").pvalue > 0.01
    share = np.mean(np.array(any_of_them) <= 0.1)
    # binomial: 0.1 within three standard errors of 150 trials
    assert abs(share - 0.1) < 3 * np.sqrt(0.09 / 150)


def test_total_effects_are_those_of_single_graphs() -> None:
    people = random_people(11, 6)
    p = population_graph(people)
    found = total_effects_of(p)
    for number, graph in enumerate(people):
        for effect in effects(graph):
            assert found[effect.concept][number] == pytest.approx(effect.total)


@pytest.mark.parametrize(
    ("groups", "options", "match"),
    [
        (["a"] * 9, {}, "two can be compared"),
        (["a", "b"], {}, "one a person"),
        ({"p1": "a"}, {}, "have none"),
        (["a"] * 4 + ["b"] * 5, {"pair": ("a", "c")}, "two of the groups"),
        (["a"] * 4 + ["b"] * 5, {"n_permutations": 0}, "n_permutations"),
        (["a"] * 4 + ["b"] * 5, {"level": 2.0}, "level"),
    ],
)
def test_what_are_no_groups(groups: Any, options: dict[str, Any], match: str) -> None:
    with pytest.raises(GraphError, match=match):
        compare_groups(small_groups()[0], groups, **options)


def test_what_is_too_rare_is_named_and_not_tested() -> None:
    people, groups = small_groups()
    found = compare_groups(people, groups, min_people=5)
    rare = next(d for d in found.differences if (d.source, d.target) == ("Waste", "Noise"))
    assert np.isnan(rare.p_value)
    assert "3 people" in rare.reason
    assert found.differences[-1].reason
    pytest.importorskip("pandas")
    assert len(found.to_frame()) == len(found.differences)


# --- clusters


def two_systems(seed: int, n: int, strength: float) -> PopulationGraph:
    """People of whom the first half believe one thing of six causes, the others the reverse."""
    rng = np.random.default_rng(seed)
    people = []
    for i in range(n):
        side = 1 if i < n // 2 else -1
        edges = [
            (f"cause{c}", "Support", float(rng.uniform(0.2, 0.8) * (
                side * (-1) ** c if rng.random() < strength else rng.choice([-1, 1]))))
            for c in range(6) if rng.random() < 0.8
        ]  # fmt: skip
        people.append(person(f"p{i:03d}", *edges))
    return population_graph(people)


def test_distances_by_hand() -> None:
    d = belief_distances(
        [
            person("p1", ("Noise", "Support", 0.5)),
            person("p2", ("Noise", "Support", 0.1, 0.3)),
            person("p3", ("Noise", "Support", -0.5)),
            person("p4", ("Waste", "Support", -0.5)),
            person("p5", ("Noise", "Support", 0.4), ("Waste", "Support", 0.8, 0.5)),
            person("p6"),
        ]
    )
    assert d[0, :3].tolist() == [0.0, 0.0, 1.0]
    assert d[0, 3] == pytest.approx(np.sqrt(0.5))
    assert d[0, 4] == pytest.approx(np.sqrt((1 - np.sqrt(0.5)) / 2))
    assert np.isnan(d[5]).all()


def test_two_planted_belief_systems_are_found() -> None:
    p = two_systems(0, 40, 0.95)
    found = cluster_people(p, n_permutations=39, n_bootstrap=20)
    truth = [0] * 20 + [1] * 20
    assert found.k == 2
    assert adjusted_rand_index(found.labels, truth) > 0.9
    assert found.p_value == pytest.approx(1 / 40)
    assert found.stability > 0.9
    assert {p.participants.index(m) < 20 for m in found.medoids} == {True, False}
    best = found.telling[0]
    assert np.sign(best.inside) == -np.sign(best.outside)
    assert abs(best.difference) > 0.5
    fixed = cluster_people(p, 3, n_permutations=0, n_bootstrap=0)
    assert fixed.k == 3
    assert np.isnan(fixed.p_value)
    assert len(fixed.medoids) == 3


def test_people_without_belief_systems_are_one_cluster() -> None:
    answers = [cluster_people(two_systems(s, 24, 0.0), n_permutations=19).k for s in range(20)]
    assert sum(k > 1 for k in answers) <= 4  # level 0.05: five of 20 have a chance of 0.003
    one = cluster_people(two_systems(0, 24, 0.0), n_permutations=19)
    assert (one.k, one.labels.tolist(), one.telling) == (1, [0] * 24, ())
    assert np.isnan(one.stability)


def test_a_division_on_one_cause_is_no_belief_system() -> None:
    rng = np.random.default_rng(1)
    people = [
        person(
            f"p{i}",
            ("Noise", "Support", 0.9 if i % 2 else -0.9),
            *((f"cause{c}", "Support", float(rng.uniform(0.2, 0.4))) for c in range(3)),
        )
        for i in range(24)
    ]
    found = cluster_people(people, n_permutations=19)
    assert max(found.silhouettes.values()) > 0.8
    assert found.k == 1


def test_silhouettes_are_scikit_learns() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    p = two_systems(3, 30, 0.5)
    found = cluster_people(p, 3, n_permutations=0)
    expected = metrics.silhouette_score(belief_distances(p), found.labels, metric="precomputed")
    assert found.silhouettes[3] == pytest.approx(expected)


def test_people_who_hold_nothing_belong_nowhere() -> None:
    p = population_graph([*two_systems(0, 20, 1.0).members, person("z1"), person("z2")])
    found = cluster_people(p, n_permutations=19)
    assert found.labels[-2:].tolist() == [-1, -1]
    assert "2 people" in found.notes[0]
    with pytest.raises(GraphError, match="can be clustered"):
        cluster_people([person("z1"), person("z2")])
    with pytest.raises(GraphError, match="k_max"):
        cluster_people(p, k_max=1)


def test_people_all_alike_cannot_be_cut() -> None:
    people = [person(f"p{i}", ("Noise", "Support", 0.5)) for i in range(6)]
    assert cluster_people(people).k == 1
    found = cluster_people(people, 2)
    assert found.k == 1
    assert "too few different" in found.notes[0]
