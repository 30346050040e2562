"""From an item and what may be known of its person to the text of a prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from beliefgraph.baselines.llm.examples import Example, choose_examples
from beliefgraph.baselines.llm.graphs import Graphs
from beliefgraph.baselines.llm.options import Option, options_of
from beliefgraph.baselines.llm.prompts import EXPERTS, Prompts
from beliefgraph.baselines.llm.retrieval import Similarity, TfIdf, query_of, top_turns
from beliefgraph.survey import Item, Person, Question, Response
from beliefgraph.transcript import Transcript, Turn

__all__ = ["Composer", "Written"]

_EXAMPLE_TURNS = 3
"""Turns of another person's interview that stand beside an example answer."""


@dataclass(frozen=True)
class Written:
    """A prompt, and what of it a run should keep."""

    user: str
    kept: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Composer:
    """Writes prompts by a strategy; the parts that an interview's items share stand first."""

    prompts: Prompts
    similarity: Similarity
    top: int
    """Turns that are retrieved."""
    examples: int
    """Most examples of other people."""
    seed: int
    """Of the order of examples."""
    graphs: Graphs

    @property
    def role(self) -> str:
        """What the model is here for; alike for all items."""
        return self.prompts.render("role")

    def reflecting(self, item: Item, person: Person) -> tuple[str, ...]:
        """Return the prompts of the experts' reflections; alike for all items of an interview."""
        if "reflections" not in self.prompts.strategy.parts:
            return ()
        written = _Writer(self, item, person, (), ())
        before = [written.part(name) for name in ("background", "conversation", "graph", "earlier")]
        shared = _joined(before)
        return tuple(f"{shared}\n\n{self.prompts.render(f'expert_{name}')}" for name in EXPERTS)

    def write(
        self,
        item: Item,
        person: Person,
        *,
        people: Sequence[Person] = (),
        reflections: Sequence[str] = (),
    ) -> Written:
        """Write the prompt of an item.

        Parameters
        ----------
        item, person
            What is asked, and what may be known.
        people
            Others, for examples.
        reflections
            What the experts wrote, in their order.
        """
        writer = _Writer(self, item, person, people, reflections)
        parts = [writer.part(name) for name in self.prompts.strategy.parts]
        letters = ", ".join(option.letter for option in options_of(item.question))
        reasoned = self.prompts.strategy.chain_of_thought
        form = self.prompts.render("answer_reasoned" if reasoned else "answer", letters=letters)
        return Written(_joined([*parts, form]), writer.kept)


class _Writer:
    """Writes the parts of one prompt; `kept` gathers what the run should know of them."""

    def __init__(
        self,
        composer: Composer,
        item: Item,
        person: Person,
        people: Sequence[Person],
        reflections: Sequence[str],
    ) -> None:
        self._composer, self._item, self._person = composer, item, person
        self._people, self._said = people, reflections
        self._shows = composer.prompts.strategy.parts
        self.kept: dict[str, Any] = {}

    def part(self, name: str) -> str:
        """Return a part; empty where the strategy or the protocol gives nothing for it."""
        if name not in self._shows:
            return ""
        makers: dict[str, Callable[[], dict[str, Any] | None]] = {
            "background": self._background,
            "conversation": self._conversation,
            "graph": self._graph,
            "earlier": self._earlier,
            "reflections": self._reflections,
            "excerpts": self._excerpts,
            "examples": self._examples,
            "item": self._question,
        }
        values = makers[name]()
        return "" if values is None else self._composer.prompts.render(name, **values)

    def _background(self) -> dict[str, Any]:
        return {"demographics": self._person.demographics}

    def _conversation(self) -> dict[str, Any]:
        return {"topic": self._item.topic, "turns": _shown(_turns(self._item.context))}

    def _graph(self) -> dict[str, Any]:
        graph = self._composer.graphs.of(self._item.context)
        self.kept["graph"] = graph.problem or graph.extractor
        return {"topic": self._item.topic, **vars(graph)}

    def _earlier(self) -> dict[str, Any] | None:
        own = [r for r in self._person.responses if r.question.topic == self._item.topic]
        if not own:
            return None
        answers = [
            {
                "question": _whole_question(each.question),
                "value": each.value,
                "low": each.question.scale.low,
                "high": each.question.scale.high,
            }
            for each in own
        ]
        return {"answers": answers}

    def _reflections(self) -> dict[str, Any]:
        experts = [name.replace("_", " ") for name in EXPERTS]
        pairs = zip(experts, self._said, strict=True)
        return {"reflections": [{"expert": name, "text": text} for name, text in pairs]}

    def _excerpts(self) -> dict[str, Any]:
        composer, item = self._composer, self._item
        turns = _turns(item.context)
        found = top_turns(turns, query_of(item.question), composer.similarity, composer.top)
        self.kept["retrieved"] = [turn.qa_id for turn in found]
        return {"turns": _shown(found, turns), "whole": "conversation" in self._shows}

    def _examples(self) -> dict[str, Any] | None:
        composer = self._composer
        chosen = choose_examples(self._people, self._item, composer.examples, composer.seed)
        self.kept["examples"] = [each.person.participant for each in chosen]
        if not chosen:
            return None
        profiles = composer.prompts.strategy.profiles
        return {"examples": [self._example(each, profiles) for each in chosen]}

    def _example(self, example: Example, profiles: bool) -> dict[str, Any]:
        response, person = example.response, example.person
        question = response.question
        heard = response.context or person.transcripts.get(question.topic)
        turns = () if profiles or heard is None else _turns(heard)
        near = top_turns(turns, query_of(question), TfIdf(), _EXAMPLE_TURNS)
        return {
            "demographics": person.demographics,
            "turns": _shown(near, turns),
            "question": _whole_question(question),
            "answer": _called(response, options_of(question)),
        }

    def _question(self) -> dict[str, Any]:
        question = self._item.question
        stance = question.task == "bdu_stance"
        return {
            "topic": question.topic,
            "question": question.text.strip(),
            "after": stance and question.role == "scenario",
            "scenario": _unless_said(question.scenario, question),
            "reason": _unless_said(question.reason, question),
            "factor": question.factor,
            "outcome": question.outcome,
            "options": options_of(question),
        }


def _turns(transcript: Transcript) -> tuple[Turn, ...]:
    """Return the turns of the interview itself, without the interviewing system's tutorial."""
    return tuple(turn for turn in transcript.turns if turn.role == "interview")


def _shown(turns: Sequence[Turn], all_turns: Sequence[Turn] | None = None) -> list[dict[str, Any]]:
    """Number turns by their place in the interview, and put every text on one line."""
    places = {turn.qa_id: n for n, turn in enumerate(all_turns or turns, start=1)}
    return [
        {
            "number": places[turn.qa_id],
            "question": _one_line(turn.question),
            "answer": _one_line(turn.answer),
        }
        for turn in turns
    ]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _unless_said(text: str | None, question: Question) -> str | None:
    """Return a text that the wording of the question does not hold already."""
    if text is None:
        return None
    said = _one_line(question.text).casefold()
    return None if _one_line(text).casefold().rstrip(".") in said else text


def _whole_question(question: Question) -> str:
    """Return a question with scenario and reason, on one line."""
    scenario, reason = (
        _unless_said(text, question) for text in (question.scenario, question.reason)
    )
    parts = (scenario and f"Suppose this: {scenario}", question.text, reason and f"({reason})")
    return _one_line(" ".join(filter(None, parts)))


def _called(response: Response, options: Sequence[Option]) -> str:
    """Return how the options call an answer, as in "G = 7"."""
    option = next(each for each in options if each.point == response.value)
    return f"{option.letter} = {option.meaning}"


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part)
