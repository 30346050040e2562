"""The HTML page: nothing unescaped, nothing fetched, nothing lost, no boxes over each other."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beliefgraph.formats.html import graph_figure, graph_page, write_page
from beliefgraph.formats.layout import Box, Layout, lay_out
from beliefgraph.formats.outcome import levels, marks
from beliefgraph.formats.svg import signed, wrap
from beliefgraph.graph import BeliefGraph, Concept, Evidence, Feedback, Influence, Reading
from beliefgraph.simulate import intervene
from beliefgraph.transcript import Transcript, Turn

EVIL = "<script>alert('x')</script>\" onload=\"y & ]]> {{ 7*7 }}"


def evidence(turn: Turn, sign: int | None = 1, strength: float | None = None) -> Evidence:
    assert sign in (-1, 0, 1, None)
    return Evidence(
        qa_id=turn.qa_id,
        start=0,
        end=len(turn.answer),
        quote=turn.answer,
        sign=sign,
        strength=strength,
    )


@pytest.fixture
def graph() -> BeliefGraph:
    turns = tuple(
        Turn(qa_id=f"q{number}", question=f"Question {number} <b>?", answer=answer)
        for number, answer in enumerate(
            [
                "Cheaper homes, yes & I'd back it <i>fully</i>",
                "more building brings rents down",
                "no, building pushes rents up",
                "when rents fall they stop building",
                "no effect",
                "mumble mumble",
                EVIL,
            ],
            start=1,
        )
    )
    return BeliefGraph(
        stance="support",
        concepts=tuple(Concept(name=name) for name in ("building", "rents", "support", EVIL)),
        influences=(
            Influence.from_evidence("rents", "support", [evidence(turns[0], -1, 0.8)], 0.9),
            Influence.from_evidence(
                "building", "rents", [evidence(turns[1], -1, 0.8), evidence(turns[2], 1)], 0.6
            ),
            Influence.from_evidence(EVIL, "support", [evidence(turns[6])], 0.5),
        ),
        feedback=(
            Feedback(
                influence=Influence.from_evidence("rents", "building", [evidence(turns[3])], 0.3),
                reason="closes building -> rents -> building",
            ),
        ),
        readings=(Reading(kind="no_effect", evidence=evidence(turns[4], 0), note=EVIL),),
        transcript=Transcript(turns=turns),
        participant="P01",
        topic=EVIL,
    )


def shift(name: str, before: float, after: float) -> SimpleNamespace:
    move = after - before
    return SimpleNamespace(
        name=name,
        before=before,
        after=after,
        shift=move,
        interval=(move - 0.1, move + 0.1),
        before_interval=(before - 0.1, before + 0.1),
        after_interval=(after - 0.1, after + 0.1),
    )


@pytest.fixture
def result() -> SimpleNamespace:
    concepts = [
        shift("building", 0, 0.8),
        shift("rents", 0, -0.25),
        shift("support", 0.1, 0.35),
        shift(EVIL, 0, 0),
    ]
    path = SimpleNamespace(concepts=("building", "rents", "support"), contribution=0.25, share=1.0)
    return SimpleNamespace(
        stance=concepts[2],
        concepts=concepts,
        configuration={"do": {"building": 0.8}, "shift": {"rents": [0.1, 0.2]}, "level": 0.8},
        notes=[EVIL],
        explain=lambda: SimpleNamespace(paths=[path]),
    )


class Checker(HTMLParser):
    """Collects tags, attributes and text; complains about tags that are not closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


def svg_of(page: str) -> ET.Element:
    found = re.search(r'<svg class="bg-svg" role=.*?</svg>', page, re.DOTALL)
    assert found is not None
    return ET.fromstring(found.group())


def test_names_quotes_and_notes_are_escaped(graph: BeliefGraph, result: SimpleNamespace) -> None:
    for page in (graph_page(graph, result), graph_figure(graph, result)):
        checker = Checker(page)
        assert "<script>alert" not in page
        assert "<i>fully" not in page
        assert not any(name.startswith("on") for _, attrs in checker.tags for name in attrs)
    checker = Checker(graph_page(graph, result))
    assert sum(tag == "script" for tag, _ in checker.tags) == 1
    assert " ".join(EVIL.split()) in checker.text


def test_nothing_is_fetched(graph: BeliefGraph, result: SimpleNamespace) -> None:
    page = graph_page(graph, result)
    checker = Checker(page)
    links = [
        value
        for _, attrs in checker.tags
        for name, value in attrs.items()
        if name in ("src", "href", "srcset", "data", "action", "poster", "xlink:href")
    ]
    assert links
    assert all(link is not None and link.startswith("#") for link in links)
    assert not re.search(r"https?://|@import|url\(", page)
    assert not {"link", "img", "iframe", "object", "base", "form"} & {t for t, _ in checker.tags}
    assert "default-src 'none'" in page


def test_every_link_has_its_target_and_ids_are_unique(
    graph: BeliefGraph, result: SimpleNamespace
) -> None:
    tags = Checker(graph_page(graph, result)).tags
    ids = [attrs["id"] for _, attrs in tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs["href"] for tag, attrs in tags if tag == "a"]
    assert len(links) == len(graph.concepts) + len(graph.influences) + len(graph.feedback)
    assert {link[1:] for link in links if link} <= set(ids)
    for _, attrs in tags:
        assert attrs.get("aria-labelledby", "h-picture") in ids


def test_every_quote_question_and_reading_stands_on_the_page(graph: BeliefGraph) -> None:
    text = Checker(graph_page(graph)).text
    assert graph.transcript is not None
    for turn in graph.transcript.turns:
        assert " ".join(turn.answer.split()) in text
        assert turn.question in text
    assert "closes building -> rents -> building" in text
    assert "“No effect”" in text
    assert "Nothing was read" in text
    assert "50%" in text


def test_the_outcome_stands_on_the_page(graph: BeliefGraph, result: SimpleNamespace) -> None:
    text = Checker(graph_page(graph, result)).text
    for part in (
        "do(building = +0.80)",
        "shift(rents by +0.10 to +0.20)",
        "+0.10+0.35+0.25[+0.15, +0.35]",
        "do(+0.80)",
        "0.00 → \u22120.25",
        "+0.25, 100% of what all paths carry",
        "80% interval of the shift",
    ):
        assert part in text, part


def test_signs_are_told_by_class_and_conflicts_are_marked(graph: BeliefGraph) -> None:
    edges = {
        (edge.get("data-from"), edge.get("data-to")): edge
        for edge in svg_of(graph_page(graph)).iter("a")
        if edge.get("data-from")
    }
    assert edges["rents", "support"].get("class") == "bg-edge bg-neg"
    assert edges[EVIL, "support"].get("class") == "bg-edge bg-pos"
    assert edges["rents", "building"].get("class") == "bg-edge bg-back"
    assert edges["building", "rents"].find("circle") is not None
    assert edges["rents", "support"].find("circle") is None
    label = edges["rents", "support"].get("aria-label")
    assert label == "rents lowers support: weight \u22120.80, confidence 0.90, 1 mention"
    wide = [
        float(line.get("stroke-width", "0"))
        for pair in (("rents", "support"), (EVIL, "support"))
        for line in edges[pair].findall("path[@class='bg-line']")
    ]
    assert wide[0] > wide[1]


def test_the_same_graph_gives_the_same_page(graph: BeliefGraph, result: SimpleNamespace) -> None:
    again = BeliefGraph.model_validate(graph.model_dump())
    assert graph_page(graph, result) == graph_page(again, result)


EMPTY = [
    BeliefGraph(stance="support", concepts=(Concept(name="support"),)),
    BeliefGraph.from_edges([], stance="support", concepts=["rents"]),
    BeliefGraph(
        stance="c",
        concepts=tuple(Concept(name=name) for name in "abcd"),
        feedback=(
            Feedback(influence=Influence(source="a", target="b", weight=0.5), reason="a loop"),
            Feedback(influence=Influence(source="b", target="a", weight=-0.5), reason="a loop"),
            Feedback(influence=Influence(source="c", target="a", weight=0), reason="a loop"),
        ),
    ),
    BeliefGraph.from_edges(
        [("住宅の手頃さ" * 9, "поддержка 🏘️", 0.5), ("a" * 200, "e\u0301tat \x00\x0b", 0.0)],
        stance="поддержка 🏘️",
        topic="مساكن",
    ),
    BeliefGraph.from_edges([(" ", "b", 0.1), ("b", "dead end", 0.2)], stance="b"),
]


@pytest.mark.parametrize("graph", EMPTY, ids=["stance", "apart", "feedback", "unicode", "blank"])
def test_odd_graphs_get_a_sensible_page(graph: BeliefGraph) -> None:
    page = graph_page(graph)
    Checker(page)
    svg = svg_of(page)
    assert sum(node.get("data-name") is not None for node in svg.iter("a")) == len(graph.concepts)
    ET.fromstring(graph_figure(graph).replace("&nbsp;", " "))
    if not graph.influences:
        assert "No influence was found" in page


def test_the_notebook_shows_the_figure_and_plot_writes_the_page(
    graph: BeliefGraph, tmp_path: Path
) -> None:
    figure = graph._repr_html_()
    assert figure == graph_figure(graph)
    titles = [title.text or "" for title in ET.fromstring(figure).iter("title")]
    assert any("“more building brings rents down” (turn q2)" in title for title in titles)
    target = tmp_path / "page.html"
    assert graph.plot(target) == target.read_text(encoding="utf-8")


def test_a_page_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    write_page("first", target)
    with pytest.raises(UnicodeEncodeError):
        write_page("second \ud800", target)
    assert target.read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_results_are_read_without_interventions() -> None:
    bare = SimpleNamespace(stance=shift("a", 0, 0), concepts={"b": shift("b", 0, 1)})
    assert levels(bare) == {"a": (0, 0), "b": (0, 1)}
    assert marks(bare) == {}
    assert (levels(None), marks(None)) == ({}, {})


@given(st.text(max_size=200))
def test_wrapped_lines_are_few_and_keep_the_words(text: str) -> None:
    lines = wrap(text)
    assert 1 <= len(lines) <= 3
    if text.split() and not lines[-1].endswith("…"):
        assert "".join(lines).replace(" ", "") == "".join(text.split())


def test_numbers_have_signs() -> None:
    shown = [signed(value) for value in (0.004, -0.004, 1, -1)]
    assert shown == ["0.00", "0.00", "+1.00", "\u22121.00"]


@st.composite
def dags(draw: st.DrawFn) -> BeliefGraph:
    count = draw(st.integers(1, 30))
    names = [f"concept {number}" for number in range(count)]
    possible = list(combinations(range(count), 2))
    chosen = draw(st.lists(st.sampled_from(possible), unique=True, max_size=60)) if possible else []
    direct = draw(st.sets(st.integers(0, count - 1))) if draw(st.booleans()) else set()
    last = count - 1
    pairs = dict.fromkeys([*chosen, *((i, last) for i in direct if i != last)])
    back = [pair for pair in pairs if draw(st.integers(0, 9)) == 0]
    return BeliefGraph(
        stance=names[draw(st.integers(0, last)) if draw(st.booleans()) else last],
        concepts=tuple(Concept(name=name) for name in names),
        influences=tuple(
            Influence(
                source=names[i], target=names[j], weight=draw(st.sampled_from([-0.8, 0.0, 0.5]))
            )
            for i, j in pairs
        ),
        feedback=tuple(
            Feedback(
                influence=Influence(source=names[j], target=names[i], weight=0.5), reason="a loop"
            )
            for i, j in back
        ),
    )


def overlap(a: Box, b: Box) -> bool:
    return (
        a.x < b.x + b.width - 1e-6
        and b.x < a.x + a.width - 1e-6
        and a.y < b.y + b.height - 1e-6
        and b.y < a.y + a.height - 1e-6
    )


def check_layout(graph: BeliefGraph, layout: Layout) -> None:
    assert set(layout.boxes) == set(graph.names)
    for box in layout.boxes.values():
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= layout.width
        assert box.y + box.height <= layout.height
    for a, b in combinations(layout.boxes.values(), 2):
        assert not overlap(a, b)
    for edge in graph.influences:
        points = layout.routes[edge.source, edge.target]
        here, there = layout.boxes[edge.source], layout.boxes[edge.target]
        assert points[0][0] == here.x + here.width
        assert points[-1][0] == there.x
        assert here.y <= points[0][1] <= here.y + here.height
        assert there.y <= points[-1][1] <= there.y + there.height
        assert all(a[0] < b[0] for a, b in pairwise(points))
        # Level stretches are the lanes: no box stands on one.
        for (x, y), (x2, _) in list(pairwise(points))[1::2]:
            lane = Box(x, y - 3, x2 - x, 6)
            assert not any(overlap(lane, box) for box in layout.boxes.values())


@settings(deadline=None, max_examples=60)
@given(dags(), st.sampled_from([30.0, 52.0, 107.0]))
def test_boxes_never_overlap_and_arrows_run_to_the_right_between_them(
    graph: BeliefGraph, height: float
) -> None:
    layout = lay_out(graph, dict.fromkeys(graph.names, height))
    check_layout(graph, layout)
    assert layout == lay_out(graph, dict.fromkeys(graph.names, height))


@settings(deadline=None, max_examples=20)
@given(dags())
def test_any_graph_gives_valid_xml(graph: BeliefGraph) -> None:
    svg = svg_of(graph_page(graph))
    assert len(list(svg.iter("a"))) == (
        len(graph.concepts) + len(graph.influences) + len(graph.feedback)
    )


def test_forty_causes_of_one_stance_stay_compact() -> None:
    graph = BeliefGraph.from_edges(
        [(f"cause number {i}", "stance", (-1) ** i * 0.5) for i in range(39)], stance="stance"
    )
    layout = lay_out(graph, dict.fromkeys(graph.names, 52.0) | {"stance": 480.0})
    assert layout.height < 1300
    assert layout.width < 1400


def test_causes_that_raise_stand_above_those_that_lower() -> None:
    graph = BeliefGraph.from_edges([("a", "s", -0.5), ("b", "s", 0.5), ("c", "s", 0.1)], stance="s")
    boxes = lay_out(graph, dict.fromkeys(graph.names, 40.0)).boxes
    assert boxes["b"].y < boxes["c"].y < boxes["a"].y


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_a_browser_runs_the_page_without_complaint(graph: BeliefGraph, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    graph.plot(page)
    done = subprocess.run(
        [
            "chromium",
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--no-first-run",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--enable-logging=stderr",
            "--dump-dom",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Content Security Policy" not in done.stderr
    assert "Uncaught" not in done.stderr
    assert "Every influence" in done.stdout


def test_a_real_result_fits_the_page(graph: BeliefGraph) -> None:
    result = intervene(
        graph, do={"building": (0.4, 0.8)}, shift={EVIL: -0.2}, n_samples=200, seed=7
    )
    checker = Checker(graph_page(graph, result))
    assert "do(building = +0.40 to +0.80)" in checker.text
    assert "90% interval of the shift" in checker.text
    assert "seed 7" in checker.text
    for note in (*result.notes, *result.explain().notes):
        assert " ".join(note.split()) in checker.text
    path = checker.text.partition("The paths that carried it")[2]
    assert "building → rents → support" in path
    assert "more building brings rents down" in path
