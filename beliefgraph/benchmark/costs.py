"""What a language model's run will ask, and about what it will cost, before anything is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from beliefgraph.baselines.llm import (
    Estimate,
    FewShotPredictor,
    LLMPredictor,
    about_tokens,
    estimate_requests,
)
from beliefgraph.benchmark.protocols import asked, training_people, visible_person
from beliefgraph.benchmark.run import Protocol
from beliefgraph.errors import SurveyError
from beliefgraph.llm import Prices
from beliefgraph.survey import Item, ItemSet, Person

__all__ = ["estimate", "first_prompt"]


def estimate(
    predictor: LLMPredictor,
    items: ItemSet,
    *,
    protocol: Protocol = "zero-shot",
    prices: Prices | None = None,
    count_tokens: Callable[[str], int] = about_tokens,
) -> Estimate:
    """Count requests and tokens of a run, without asking the model.

    Every prompt is written as the run would write it (leaving one participant out at a time where
    it is fitted), so that belief graphs are read for the strategies that show one.

    Parameters
    ----------
    predictor, items, protocol
        Of the run.
    prices
        For the cost.
    count_tokens
        Counts the tokens of a text; a quarter of its characters by default.
    """
    return estimate_requests(
        _asked(predictor, items, protocol), prices=prices, count_tokens=count_tokens
    )


def first_prompt(
    predictor: LLMPredictor, items: ItemSet, *, protocol: Protocol = "zero-shot"
) -> str:
    """Return the prompts of the first item as text, for a dry run.

    Raises
    ------
    SurveyError
        The protocol asks no item.
    """
    for chosen, item, person in _asked(predictor, items, protocol):
        return chosen.show(item, person)
    raise SurveyError("there are no items to predict under this protocol")


def _asked(
    predictor: LLMPredictor, items: ItemSet, protocol: Protocol
) -> Iterator[tuple[LLMPredictor, Item, Person]]:
    fits = protocol != "zero-shot" and isinstance(predictor, FewShotPredictor)
    fitted: dict[str, LLMPredictor] = {}
    for item in asked(items, protocol):
        who = item.participant
        if who not in fitted:
            fitted[who] = predictor
            if fits and isinstance(predictor, FewShotPredictor):
                fitted[who] = predictor.fit(training_people(items, [who]))
        yield fitted[who], item, visible_person(items, item, protocol)
