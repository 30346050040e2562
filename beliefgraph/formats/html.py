"""One belief graph, and what an intervention does to it, as one self-contained HTML page.

The page asks the network for nothing: its style, script and picture stand in it, and its content
security policy forbids the rest. Everything it says stands in it without the script as well; the
script only shows the words behind a box or an arrow beside the picture. Names and quotes are
untrusted text and are escaped everywhere.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import tempfile
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

import beliefgraph
from beliefgraph.formats.legend import keys
from beliefgraph.formats.outcome import Row, levels, marks, outcome
from beliefgraph.formats.svg import STYLE, draw, signed
from beliefgraph.graph import BeliefGraph, Concept, Evidence, Influence, Kind

if TYPE_CHECKING:
    import jinja2

__all__ = ["graph_figure", "graph_page", "write_page"]

_NOT_TEXT = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that neither XML nor HTML may hold."""

_KINDS: dict[Kind | None, str] = {
    "no_effect": "“No effect”",
    "dont_know": "“I don't know”",
    "not_understood": "The question made no sense to the person",
    "mixed": "“It depends”, or both directions",
    "unstated": "An effect whose direction was not said",
    "positive": "A raising effect that gave no influence",
    "negative": "A lowering effect that gave no influence",
    "off_topic": "Off the topic",
    "nothing": "No effect spoken of",
    None: "Nothing was read",
}


def graph_page(graph: BeliefGraph, result: Any = None) -> str:
    """Make the page of a graph, with the outcome of an intervention where one is given.

    Parameters
    ----------
    graph
        What the person believes.
    result
        What `beliefgraph.intervene` returned for that graph.

    Examples
    --------
    >>> from beliefgraph import BeliefGraph
    >>> g = BeliefGraph.from_edges([("rents", "support", -0.5, 0.9)], stance="support")
    >>> page = graph_page(g)
    >>> page.startswith("<!DOCTYPE html>") and "rents" in page
    True
    """
    anchors: dict[str | tuple[str, str], str] = {}
    for number, concept in enumerate(graph.concepts, start=1):
        anchors[concept.name] = f"concept-{number}"
    for number, edge in enumerate(_every_influence(graph), start=1):
        anchors[edge.source, edge.target] = f"influence-{number}"
    values, done = levels(result), marks(result)
    picture, layout = draw(graph, values, done, anchors)
    view = outcome(graph, result, done, lambda edge: _influence(graph, edge, anchors))
    environment = _environment()
    script = environment.get_template("page.js.jinja").render()
    strongest = sorted(graph.influences, key=lambda edge: -abs(edge.weight) * edge.confidence)
    people = [part for part in (graph.participant, graph.topic) if part]
    page = environment.get_template("page.html.jinja").render(
        title=": ".join(people),
        participant=graph.participant,
        topic=graph.topic,
        stance=graph.stance,
        level=_level(graph.concept(graph.stance)),
        counts=_counts(graph),
        svg=picture,
        style=Markup(
            f"{STYLE}\n"
            + environment.get_template("page.css.jinja").render(
                svg_width=round(layout.width), landscape=layout.width > layout.height
            )
        ),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        landscape=layout.width > layout.height,
        version=beliefgraph.__version__,
        key=keys(),
        neutral=any(edge.weight == 0 for edge in graph.influences),
        conflicts=any(edge.disagreement > 0 for edge in graph.influences),
        result=view,
        interview=graph.transcript is not None,
        influences=[_influence(graph, edge, anchors) for edge in strongest],
        feedback=[
            _influence(graph, item.influence, anchors) | {"reason": item.reason}
            for item in graph.feedback
        ],
        concepts=[_concept(graph, item, anchors, values, done) for item in graph.concepts],
        silent=_silent(graph),
        made=_made(graph, result),
    )
    return _clean(page)


def graph_figure(graph: BeliefGraph, result: Any = None) -> str:
    """Draw the graph as an HTML fragment for notebooks: the picture, with quotes as tool tips."""
    picture, _ = draw(graph, levels(result), marks(result))
    style = Markup("<style>{}</style>").format(Markup(STYLE))
    return _clean(
        Markup('<div class="bg-figure" style="overflow-x:auto">{}{}</div>').format(style, picture)
    )


def write_page(page: str, path: str | Path) -> None:
    """Write a page to a file, whole or not at all."""
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
        # mkstemp keeps others out; a page is read like any other file the user makes.
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("beliefgraph.formats", package_path="."),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=False,
    )


def _clean(text: str) -> str:
    return _NOT_TEXT.sub("\ufffd", text)


def _every_influence(graph: BeliefGraph) -> Iterable[Influence]:
    yield from graph.influences
    yield from (item.influence for item in graph.feedback)


def _counts(graph: BeliefGraph) -> str:
    parts = [
        (len(graph.concepts), "concept"),
        (len(graph.influences), "influence"),
    ]
    text = ", ".join(f"{count} {what}{'s' * (count != 1)}" for count, what in parts)
    if graph.feedback:
        text += f", {len(graph.feedback)} more left out because they would close a loop"
    return text


def _made(graph: BeliefGraph, result: Any) -> list[str]:
    made = [f"beliefgraph {beliefgraph.__version__}"]
    if graph.extractor:
        made.append(f"read by {graph.extractor}")
    if graph.transcript is not None:
        turns = len(graph.transcript.turns)
        made.append(f"{turns} turn{'s' * (turns != 1)}")
    configuration = getattr(result, "configuration", {})
    for field in ("mechanism", "n_samples", "seed", "on_cycle"):
        value = configuration.get(field)
        if isinstance(value, (str, int)):
            made.append(f"{field} {value}")
    return made


def _quote(graph: BeliefGraph, item: Evidence, says: str = "") -> Row:
    question = graph.transcript.turn(item.qa_id).question if graph.transcript else ""
    return {"turn": item.qa_id, "question": question, "text": item.quote, "says": says}


def _mentions(graph: BeliefGraph, edge: Influence) -> list[Row]:
    rows = []
    for item in edge.evidence:
        word = {1: "raises", -1: "lowers", 0: "no effect", None: "direction not said"}[item.sign]
        size = "" if item.strength is None or not item.sign else f" {item.strength:.2f}"
        rows.append(_quote(graph, item, f"{word}{size}") if edge.n > 1 else _quote(graph, item))
    return rows


def _influence(
    graph: BeliefGraph, edge: Influence, anchors: Mapping[str | tuple[str, str], str]
) -> Row:
    sign = "pos" if edge.weight > 0 else "neg" if edge.weight < 0 else "nil"
    return {
        "id": anchors[edge.source, edge.target],
        "source": edge.source,
        "target": edge.target,
        "sign": sign,
        "verb": {"pos": "raises", "neg": "lowers", "nil": "has no net effect on"}[sign],
        "weight": signed(edge.weight),
        "confidence": f"{edge.confidence:.2f}",
        "n": edge.n,
        "disagree": f"{edge.disagreement:.0%}" if edge.n else "",
        "quotes": _mentions(graph, edge),
    }


def _level(concept: Concept) -> str:
    spread = f" ± {concept.baseline_sd:.2f}" if concept.baseline_sd else ""
    return signed(concept.baseline) + spread


def _concept(
    graph: BeliefGraph,
    concept: Concept,
    anchors: Mapping[str | tuple[str, str], str],
    values: Mapping[str, tuple[float, float]],
    done: Mapping[str, str],
) -> Row:
    name = concept.name
    tags = ["stance"] * (name == graph.stance) + ([done[name]] if name in done else [])
    if name in values:
        level = " → ".join(signed(value) for value in values[name])
    else:
        level = _level(concept)
    return {
        "id": anchors[name],
        "name": name,
        "tags": tags,
        "level": level,
        "aliases": ", ".join(
            f"{alias.label}{' (reversed)' * (alias.polarity < 0)}" for alias in concept.aliases
        ),
        "quotes": [_quote(graph, item) for item in concept.evidence],
    }


def _silent(graph: BeliefGraph) -> list[Row]:
    """List the turns from which no influence came, by what was read in them."""
    if graph.transcript is None:
        return []
    heard = {item.qa_id for edge in _every_influence(graph) for item in edge.evidence}
    groups: dict[Kind | None, list[Row]] = {kind: [] for kind in _KINDS}
    read = set()
    for reading in graph.readings:
        if reading.evidence.qa_id not in heard:
            read.add(reading.evidence.qa_id)
            pair = " → ".join(end for end in (reading.source, reading.target) if end)
            says = "; ".join(part for part in (pair, reading.note) if part)
            groups[reading.kind].append(_quote(graph, reading.evidence, says))
    for turn in graph.transcript.turns:
        if turn.role == "interview" and turn.qa_id not in heard | read:
            row = {"turn": turn.qa_id, "question": turn.question, "text": turn.answer, "says": ""}
            groups[None].append(row)
    return [{"title": _KINDS[kind], "quotes": quotes} for kind, quotes in groups.items() if quotes]
