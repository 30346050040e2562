"""Make a study of synthetic people: interviews, survey answers, items, and the truth beside them.

Every person is drawn from a random stream of the own, `[seed, number]`, so that a person stays the
same however many others there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from beliefgraph.benchmark.items import build_items
from beliefgraph.benchmark.items.signs import SignAnswer
from beliefgraph.benchmark.synth.answers import latent_answers, noise_free_answers, noisy_answers
from beliefgraph.benchmark.synth.beliefs import draw_graph
from beliefgraph.benchmark.synth.interviews import Probe, interview, to_transcript
from beliefgraph.benchmark.synth.questionnaire import make_survey
from beliefgraph.benchmark.synth.render import load_bank, load_topics
from beliefgraph.benchmark.synth.selection import select_items
from beliefgraph.benchmark.synth.speaker import Bank, RenderedTurn, Style, Topic
from beliefgraph.benchmark.synth.truth import PersonTruth, SignTruth, Truth
from beliefgraph.benchmark.synth.values import (
    DEFAULT_STYLES,
    draw_demographics,
    draw_response_style,
    draw_topic_values,
    draw_values,
    load_loadings,
)
from beliefgraph.errors import SurveyError, suggestions
from beliefgraph.graph import BeliefGraph
from beliefgraph.survey import ItemSet, Question, Survey
from beliefgraph.transcript import Transcript

__all__ = ["SyntheticStudy", "generate_people"]


@dataclass(frozen=True)
class SyntheticStudy:
    """Synthetic people, in the shape of real ones, and their truth."""

    settings: Mapping[str, Any]
    """The arguments that made it."""
    survey: Survey
    """What was asked."""
    items: ItemSet
    """Questions with answers and contexts; people with interviews."""
    first: Mapping[str, Mapping[str, int]]
    """First wave: participant, then question to answer."""
    second: Mapping[str, Mapping[str, int]]
    """Second wave, the same questions."""
    signs: tuple[SignAnswer, ...]
    """What turns of the interviews say of single effects."""
    truth: Truth
    """What the people believe, value and would answer without noise."""


def generate_people(
    n_people: int,
    n_topics: int = 3,
    seed: int = 1,
    bank: Literal["development", "held_out"] = "development",
    styles: Mapping[Style, float] | None = None,
    *,
    noise: float = 1.0,
    carry_over: float = 0.8,
    signs_a_topic: int = 5,
    selection: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> SyntheticStudy:
    """Generate people whose beliefs are known.

    Parameters
    ----------
    n_people
        How many people.
    n_topics
        How many of the six invented topics, in the order of `load_topics`; every person is
        interviewed on all of them.
    seed
        The only source of randomness.
    bank
        Phrase bank of the interviews.
    styles
        Shares of the speaking styles (they need not sum to 1); None takes `DEFAULT_STYLES`.
    noise
        Multiplies what is random in answers and slips of the tongue; 0 takes it away.
    carry_over
        Correlation of a person's values between two topics, from 0 to 1.
    signs_a_topic
        At most so many sign items of one interview.
    selection
        Keep items as though they had been selected like the published ones
        (`beliefgraph.benchmark.synth.selection`).
    progress
        Called with the number of people done and of all.

    Raises
    ------
    SurveyError
        An argument is out of its range.

    Examples
    --------
    >>> study = generate_people(2, n_topics=1, seed=7)
    >>> study.items.people["S0001"].transcripts.keys(), len(study.truth.graphs)
    (dict_keys(['bus_lanes']), 2)
    """
    mix = _check(n_people, n_topics, bank, styles, noise, carry_over, signs_a_topic)
    maker = _Maker(load_topics()[:n_topics], load_bank(bank), mix, noise, carry_over, signs_a_topic)
    drafts = []
    for number in range(1, n_people + 1):
        rng = np.random.default_rng([seed, number])
        drafts.append(maker.person(f"S{number:04d}", rng))
        if progress is not None:
            progress(number, n_people)
    signs = [sign for draft in drafts for sign in draft.signs]
    stated = tuple(_stated(sign) for sign in signs)
    first = {draft.truth.participant: draft.first for draft in drafts}
    items = build_items(
        maker.survey,
        first,
        [transcript for draft in drafts for transcript in draft.transcripts],
        {draft.truth.participant: draft.demographics for draft in drafts},
        signs=stated,
    )
    if selection:
        kept = select_items(items.answered, np.random.default_rng([seed, 0]))
        items = items.replace_items(kept, items.context_policy)
    return SyntheticStudy(
        settings={
            "n_people": n_people,
            "n_topics": n_topics,
            "seed": seed,
            "bank": bank,
            "styles": {name: float(share) for name, share in mix.items()},
            "noise": noise,
            "carry_over": carry_over,
            "signs_a_topic": signs_a_topic,
            "selection": selection,
        },
        survey=maker.survey,
        items=items,
        first=first,
        second={draft.truth.participant: draft.truth.second for draft in drafts},
        signs=stated,
        truth=Truth(
            graphs={(d.truth.participant, t): g for d in drafts for t, g in d.graphs.items()},
            people={d.truth.participant: d.truth for d in drafts},
            signs={sign.item_id: sign for sign in signs},
            turns={(d.truth.participant, t): turns for d in drafts for t, turns in d.turns.items()},
        ),
    )


@dataclass(frozen=True)
class _Draft:
    """One person, with everything."""

    truth: PersonTruth
    demographics: dict[str, str]
    graphs: dict[str, BeliefGraph]
    turns: dict[str, tuple[RenderedTurn, ...]]
    transcripts: list[Transcript]
    signs: list[SignTruth]
    first: dict[str, int]


class _Maker:
    """Makes one person after the other from the same ingredients."""

    def __init__(
        self,
        topics: Sequence[Topic],
        bank: Bank,
        styles: Mapping[Style, float],
        noise: float,
        carry_over: float,
        signs_a_topic: int,
    ) -> None:
        self.topics, self.bank, self.noise = topics, bank, noise
        self.styles, self.carry_over, self.signs_a_topic = styles, carry_over, signs_a_topic
        self.survey = make_survey(topics)
        self.questions: dict[str, dict[str, Question]] = {
            part.topic: {question.question_id: question for question in part.questions()}
            for part in self.survey.topics
        }
        self.loadings = load_loadings()["topics"]

    def person(self, name: str, rng: np.random.Generator) -> _Draft:
        """Make a person."""
        values = draw_values(rng)
        demographics = draw_demographics(values, rng)
        answering = draw_response_style(rng, self.noise)
        shares = np.array(list(self.styles.values()))
        style = list(self.styles)[int(rng.choice(len(shares), p=shares / shares.sum()))]
        own: dict[str, dict[str, float]] = {}
        graphs: dict[str, BeliefGraph] = {}
        turns: dict[str, tuple[RenderedTurn, ...]] = {}
        transcripts: list[Transcript] = []
        free, first, second = dict[str, int](), dict[str, int](), dict[str, int]()
        signs: list[SignTruth] = []
        for topic, part in zip(self.topics, self.survey.topics, strict=True):
            key = part.topic
            own[key] = draw_topic_values(values, self.carry_over, rng)
            graphs[key] = draw_graph(topic, self.loadings[key], own[key], rng, name)
            said, probes = interview(topic, graphs[key], style, self.bank, rng, self.noise)
            turns[key] = tuple(said)
            transcripts.append(to_transcript(said, name, key))
            latent = latent_answers(graphs[key], topic, part, answering)
            asked = self.questions[key]
            free |= noise_free_answers(latent, asked)
            first |= noisy_answers(latent, asked, answering, rng)
            second |= noisy_answers(latent, asked, answering, rng)
            signs += self._signs(name, key, probes, rng)
        truth = PersonTruth(
            participant=name,
            values=values,
            topic_values=own,
            response_style=answering,
            speaking_style=style,
            noise_free=free,
            second=second,
        )
        return _Draft(truth, demographics, graphs, turns, transcripts, signs, first)

    def _signs(
        self, name: str, topic: str, probes: Sequence[Probe], rng: np.random.Generator
    ) -> list[SignTruth]:
        """Choose the turns that sign items hide."""
        chosen = sorted(rng.permutation(len(probes))[: self.signs_a_topic].tolist())
        return [
            SignTruth(
                item_id=f"{name}-{topic}-sign-{number}",
                participant=name,
                topic=topic,
                **vars(probes[place]),
            )
            for number, place in enumerate(chosen, start=1)
        ]


def _stated(sign: SignTruth) -> SignAnswer:
    """Return what a study of real people would have of a sign."""
    return SignAnswer(
        participant=sign.participant,
        topic=sign.topic,
        factor=sign.source.lower(),
        outcome=sign.target.lower(),
        values=(sign.said,),
        qa_id=sign.qa_id,
    )


def _check(
    n_people: int,
    n_topics: int,
    bank: str,
    styles: Mapping[Style, float] | None,
    noise: float,
    carry_over: float,
    signs_a_topic: int,
) -> dict[Style, float]:
    """Check the arguments of `generate_people`; return the mix of styles."""
    most = len(load_topics())
    for what, value, ok, rule in (
        ("n_people", n_people, n_people >= 1, "at least 1"),
        ("n_topics", n_topics, 1 <= n_topics <= most, f"in 1..{most}"),
        ("noise", noise, 0 <= noise <= 5, "from 0 (none) to 5"),
        ("carry_over", carry_over, 0 <= carry_over <= 1, "from 0 to 1"),
        ("signs_a_topic", signs_a_topic, signs_a_topic >= 0, "at least 0"),
    ):
        if not ok:
            raise SurveyError(f"generate_people: {what} must be {rule}, got {value!r}")
    if bank not in ("development", "held_out"):
        raise SurveyError(
            f"generate_people: bank must be 'development' or 'held_out', got {bank!r}"
        )
    mix = dict(DEFAULT_STYLES if styles is None else styles)
    for name, share in mix.items():
        if name not in get_args(Style):
            raise SurveyError(
                f"generate_people: no style is called {name!r}. "
                f"{suggestions(name, get_args(Style))}"
            )
        if not (np.isfinite(share) and share >= 0):
            raise SurveyError(f"generate_people: the share of {name!r} must be >= 0, got {share!r}")
    if sum(mix.values()) <= 0:
        raise SurveyError("generate_people: the shares of the styles are all 0; give one above 0")
    return mix
