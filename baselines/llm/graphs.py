"""The belief graph of an item's interview, as a prompt can hold it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass

from beliefgraph.baselines.llm.once import Once
from beliefgraph.errors import BeliefGraphError, LLMError, MissingPackageError
from beliefgraph.graph import BeliefGraph, Influence
from beliefgraph.transcript import Transcript

__all__ = ["GraphPart", "GraphReader", "Graphs"]

GraphReader = Callable[[Transcript], BeliefGraph]
"""Makes a graph of an interview; `beliefgraph.extract` is one."""


@dataclass(frozen=True)
class GraphPart:
    """What the template `graph.jinja` is given."""

    stance: str = ""
    level: float = 0.0
    level_sd: float = 0.0
    influences: tuple[Influence, ...] = ()
    left_out: tuple[Influence, ...] = ()
    problem: str | None = None
    extractor: str | None = None


class Graphs:
    """Graphs by interview, each read once and one at a time (a spaCy pipeline is not shared).

    An interview of which no graph can be made, such as one without turns, gives a part that says
    so; a package that is missing is an error.

    Parameters
    ----------
    read
        Makes the graphs; `beliefgraph.extract` where it is not given.
    """

    def __init__(self, read: GraphReader | None = None) -> None:
        self._read = read
        self._once: Once[GraphPart] = Once()
        self._one_at_a_time = threading.Lock()

    def of(self, transcript: Transcript) -> GraphPart:
        """Return the graph of an interview."""
        key = hashlib.sha256(transcript.model_dump_json().encode()).hexdigest()
        return self._once.get(key, lambda: self._part(transcript))[0]

    def _part(self, transcript: Transcript) -> GraphPart:
        try:
            with self._one_at_a_time:
                graph = (self._read or _extract)(transcript)
        except (MissingPackageError, LLMError):
            raise  # another run would get further
        except BeliefGraphError as problem:
            return GraphPart(problem=str(problem))
        stance = graph.concept(graph.stance)
        return GraphPart(
            stance=graph.stance,
            level=stance.baseline,
            level_sd=stance.baseline_sd,
            influences=graph.influences,
            left_out=tuple(each.influence for each in graph.feedback),
            extractor=graph.extractor,
        )


def _extract(transcript: Transcript) -> BeliefGraph:
    from beliefgraph.extractors import extract

    return extract(transcript)
