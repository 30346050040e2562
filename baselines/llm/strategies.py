"""What a language model is shown, by strategy: the parts of its prompt, in one fixed order.

Parts that are the same for all items of one interview stand first, so that a server that keeps
prefixes evaluates them once; the question stands last.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from beliefgraph.errors import SurveyError, suggestions

__all__ = ["PARTS", "STRATEGIES", "Strategy", "find_strategy"]

PARTS: Final = (
    "background",
    "conversation",
    "graph",
    "earlier",
    "reflections",
    "excerpts",
    "examples",
    "item",
)
"""All parts in the order in which a prompt holds them; `item` is always there."""


@dataclass(frozen=True)
class Strategy:
    """Which parts a prompt has.

    Raises
    ------
    SurveyError
        A part is not known.
    """

    name: str
    """What the predictor's name says."""
    shows: frozenset[str]
    """Parts beside the item."""
    says: str = ""
    """One line for lists and reports."""
    vectors: bool = False
    """Turns are found by sentence vectors in place of TF-IDF."""
    profiles: bool = False
    """Other people stand in the examples by their demographics only."""
    chain_of_thought: bool = False
    """The model reasons before it answers."""

    def __post_init__(self) -> None:
        for part in self.shows:
            if part not in PARTS:
                raise SurveyError(
                    f"strategy {self.name!r}: no part of a prompt is called {part!r}. "
                    f"{suggestions(part, PARTS)}"
                )

    @property
    def parts(self) -> tuple[str, ...]:
        """Parts in the order of the prompt."""
        return tuple(part for part in PARTS if part in self.shows or part == "item")

    @property
    def learns(self) -> bool:
        """Whether it needs other people's answers."""
        return "examples" in self.shows

    @property
    def full_name(self) -> str:
        """The name, with `+cot` where the model reasons first."""
        return f"{self.name}+cot" if self.chain_of_thought else self.name


def _strategy(name: str, shows: str, says: str, **how: bool) -> Strategy:
    return Strategy(name, frozenset(shows.split()) | {"background", "earlier"}, says, **how)


STRATEGIES: Final = {
    each.name: each
    for each in (
        _strategy("interview", "conversation", "the whole interview, nothing else"),
        _strategy("no-context", "", "demographics only, no interview"),
        _strategy("few-shot", "conversation examples", "others' answers, with their words"),
        _strategy(
            "few-shot-profiles",
            "conversation examples",
            "others' answers, with their demographics only",
            profiles=True,
        ),
        _strategy("rag", "excerpts", "the nearest turns in place of the interview"),
        _strategy("rag-plus", "conversation excerpts", "the interview, then its nearest turns"),
        _strategy("rag-vectors", "excerpts", "as rag, by sentence vectors", vectors=True),
        _strategy(
            "rag-plus-vectors",
            "conversation excerpts",
            "as rag-plus, by sentence vectors",
            vectors=True,
        ),
        _strategy(
            "generative-agents",
            "conversation reflections",
            "the interview, and what three experts make of it",
        ),
        _strategy("graph", "graph", "the belief graph in words, no interview"),
        _strategy("graph-interview", "conversation graph", "the interview and its belief graph"),
    )
}
"""The strategies by name. `earlier`: own answers from before, where the protocol gives them."""


def find_strategy(name: str) -> Strategy:
    """Return the strategy of a name; `+cot` behind it lets the model reason first.

    Raises
    ------
    SurveyError
        There is none; suggests the nearest.

    Examples
    --------
    >>> find_strategy("rag-plus+cot").parts
    ('background', 'conversation', 'earlier', 'excerpts', 'item')
    """
    plain, plus, how = name.partition("+")
    if plain not in STRATEGIES:
        raise SurveyError(
            f"no strategy is called {plain!r}. {suggestions(plain, STRATEGIES)} '+cot' behind a "
            "name lets the model reason first."
        )
    if plus and how != "cot":
        raise SurveyError(
            f"strategy {name!r}: what stands behind '+' must be 'cot' (reasoning before the "
            f"answer), got {how!r}"
        )
    return replace(STRATEGIES[plain], chain_of_thought=bool(plus))
