"""The survey of the invented topics, and what its scenarios do to a person's graph."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_uppercase

from beliefgraph.benchmark.synth.speaker import Topic
from beliefgraph.graph import BeliefGraph
from beliefgraph.survey import Survey, SurveyQuestion, SurveyScenario, SurveyTopic

__all__ = ["interventions", "make_survey", "reason_codes"]

_REASONS_A_SCENARIO = 3


def reason_codes(topic: Topic) -> dict[str, str]:
    """Return the code of every reason's id: A, B, C, ... in the topic's order."""
    return dict(zip((r["id"] for r in topic["reasons"]), ascii_uppercase, strict=False))


def make_survey(topics: Sequence[Topic]) -> Survey:
    """Make the survey of some topics: stance, reasons, and scenarios with reasons weighed again.

    After a scenario those reasons are weighed again whose concepts it moves, then those whose
    concepts usually follow from these, then others in order: three in all.
    """
    return Survey(name="synthetic people", topics=tuple(_survey_topic(topic) for topic in topics))


def _survey_topic(topic: Topic) -> SurveyTopic:
    name, thing, codes = topic["id"], topic["stance_object"], reason_codes(topic)
    stance = SurveyQuestion(
        id=f"{name}_1",
        text=f"From 1 to 10, how far are you for or against {thing}?",
    )
    return SurveyTopic(
        topic=name,
        stance=stance,
        reasons={codes[reason["id"]]: reason["text"] for reason in topic["reasons"]},
        reason_text=f"On a scale from 1 to 5, how much does this influence your view on {thing}:",
        scenarios=tuple(
            SurveyScenario(
                id=f"{name}_{number}",
                scenario=scenario["text"],
                text=f"From 1 to 10, how far would you then be for or against {thing}?",
                reasons=tuple(_weighed_again(topic, [m["concept"] for m in scenario["moves"]])),
            )
            for number, scenario in enumerate(topic["scenarios"], start=2)
        ),
    )


def _weighed_again(topic: Topic, moved: Sequence[str]) -> list[str]:
    after = {b for a, b in topic["usual_links"] if a in moved}
    reasons, codes = topic["reasons"], reason_codes(topic)

    def rank(concept: str) -> int:
        return 0 if concept in moved else 1 if concept in after else 2

    ranked = sorted(reasons, key=lambda reason: rank(reason["concept"]))  # stable
    return sorted(codes[reason["id"]] for reason in ranked[:_REASONS_A_SCENARIO])


def interventions(topic: Topic, graph: BeliefGraph) -> dict[str, dict[str, float]]:
    """Return what each scenario holds fixed in a person's graph, by the scenario's question.

    A scenario moves the concepts that the person has. Where it answers a worry (the person expects
    the concept to turn out for the worse), that concept goes back to 0: as things are now.
    """
    valences = {concept["label"]: concept["valence"] for concept in topic["concepts"]}
    expected = {concept.name: concept.baseline for concept in graph.concepts}
    found = {}
    for asked, scenario in zip(_survey_topic(topic).scenarios, topic["scenarios"], strict=True):
        do = {m["concept"]: float(m["dose"]) for m in scenario["moves"]}
        worry = scenario["answers_worry"]
        if worry not in do and valences.get(worry, 0) * expected.get(worry, 0.0) < 0:
            do[worry] = 0.0
        found[asked.id] = {name: value for name, value in do.items() if name in expected}
    return found
