"""Reports of runs: the numbers are those of the scores, and every writer shows them."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from math import isnan
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

from beliefgraph.benchmark.metrics import HEADLINE, METRICS, score
from beliefgraph.benchmark.report import (
    COMPARABLE,
    Figure,
    Report,
    build_report,
    read_published,
    report_csv,
    report_html,
    report_leaderboard,
    report_markdown,
    report_sections,
)
from beliefgraph.benchmark.report.plots import (
    Bin,
    Curve,
    Dots,
    Group,
    Mark,
    interval_plot,
    participant_plot,
    reliability_plot,
)
from beliefgraph.benchmark.run import ControlResult, Outcome, Run
from beliefgraph.benchmark.uncertainty import compare_runs
from beliefgraph.cli import main
from beliefgraph.errors import SurveyError
from beliefgraph.graph import Evidence
from beliefgraph.survey import SIGN_SCALE, Scale

TEN, FIVE = Scale.between(1, 10), Scale.between(1, 5)
FEW_DRAWS = 50
PUBLISHED = "Published rows, as reference"
Triple: TypeAlias = tuple[float | None, float | None, float | None]


def outcomes(
    topics: Sequence[str] = ("parks", "ferries"),
    people: int = 6,
    shift: int = 0,
    more: int = 2,
    **changes: Any,
) -> tuple[Outcome, ...]:
    """Invented answers with predictions that are sometimes off; `more` people in later topics."""
    made = []
    for t, topic in enumerate(topics):
        for p in range(people + more * t):
            own = {"participant": f"P{p}", "topic": topic}
            sign = 1 if (p + t) % 3 else -1
            guess = 1 if (p + shift) % 2 else -1
            made.append(
                Outcome(item_id=f"{topic}-{p}-sign", task="bsi", role="baseline",
                        question_id="s", scale=SIGN_SCALE, gold=(sign,), value=guess,
                        distribution=(0.3, 0.7) if guess > 0 else (0.6, 0.4), **own)
            )  # fmt: skip
            for k, role in enumerate(("baseline", "scenario", "experience")):
                gold = 1 + (3 * p + 2 * k + t) % 10
                value = min(10, max(1, gold + ((p + k + shift) % 5) - 2))
                made.append(
                    Outcome(item_id=f"{topic}-{p}-{k}", task="bdu_stance", role=role,
                            question_id=f"q{k}", scale=TEN, gold=(gold,), value=value, **own)
                )  # fmt: skip
            made.append(
                Outcome(item_id=f"{topic}-{p}-why", task="bdu_reason", role="scenario",
                        question_id="r", scale=FIVE, gold=(1 + p % 5,),
                        value=1 + (p + shift) % 5, **own)
            )  # fmt: skip
    return tuple(each.replace(**changes) for each in made)


def run(name: str = "steady", **changes: Any) -> Run:
    fields: dict[str, Any] = {
        "predictor": name,
        "protocol": "zero-shot",
        "configuration": {"items": "/somewhere/else/invented", "settings": {"k": 3}},
        "seed": 4,
        "versions": {"beliefgraph": "0.0.test"},
        "outcomes": outcomes(),
    }
    return Run(**{**fields, **changes})


def report_of(*runs: Run, **options: Any) -> Report:
    return build_report(runs, n_resamples=FEW_DRAWS, **options)


class Page(HTMLParser):
    """The tables of a page by section, its tags, and whether they are balanced."""

    VOID = frozenset({"meta", "circle", "line", "polygon", "polyline", "br", "hr"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: dict[str, list[list[str]]] = {}
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.section = ""
        self.names: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        self.names.append(tag)
        if tag == "section":
            self.section = dict(attrs)["id"] or ""
        if tag == "tr":
            self.rows.setdefault(self.section, []).append([])
        if tag in ("td", "th") and self.section:
            self.rows[self.section][-1].append("")
        if tag == "span" and self.open[-1:] and self.open[-1] in ("td", "th"):
            self.rows[self.section][-1][-1] += " "
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += attrs
        self.names.append(tag)

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[self.section][-1][-1] += data


def markdown_rows(text: str, title: str) -> list[list[str]]:
    part = text.split(f"## {title}\n")[1].split("\n## ")[0]
    rows = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in rows]


def as_shown(metric: str, value: float) -> str:
    digits = 2 if metric == "bdu_mae" else 1
    return f"{value:.{digits}f}".replace("-", "\u2212")


@pytest.fixture(scope="module")
def two() -> Report:
    return report_of(run(), run("wild", outcomes=outcomes(shift=1)))


def test_the_page_and_markdown_show_the_scores(two: Report) -> None:
    page = Page(report_html(two))
    text = report_markdown(two)
    assert page.open == []
    for rows in (page.rows["headline"], markdown_rows(text, "Headline figures")):
        numbers = [
            [cell.split(" ")[0] for cell in cells[1:]]
            for cells in rows
            if cells[0].startswith(("1 steady", "2 wild", "pooled"))
        ]
        expected = []
        for each in (outcomes(), outcomes(shift=1)):
            scores = score(each)
            expected += [
                [as_shown(name, figures[name]) for name in HEADLINE]
                for figures in (scores.overall, scores.pooled)
            ]
        assert numbers == expected


def test_the_csv_holds_every_score(two: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(report_csv(two))))
    for number, each in ((1, outcomes()), (2, outcomes(shift=1))):
        scores = score(each)
        scopes = {"overall": scores.overall, "pooled": scores.pooled}
        scopes |= {f"domain: {topic}": own for topic, own in scores.per_domain.items()}
        scopes |= {f"participant: {name}": own for name, own in scores.per_participant.items()}
        for scope, figures in scopes.items():
            shown = {
                row["metric"]: row
                for row in rows
                if row["run"] == str(number) and row["scope"] == scope
            }
            assert set(shown) == set(METRICS)
            for metric, value in figures.items():
                if isnan(value):
                    assert shown[metric]["value"] == ""
                    assert shown[metric]["reason"]
                else:
                    assert float(shown[metric]["value"]) == pytest.approx(value, abs=1e-6)


def test_leaderboard_rows_have_the_published_form(two: Report) -> None:
    rows = json.loads(report_leaderboard(two))
    assert [row["model"] for row in rows] == ["steady", "wild"]
    scores = score(outcomes(shift=1))
    assert list(rows[1])[:7] == ["model", *HEADLINE, "source"]
    for name in HEADLINE:
        assert rows[1][name] == pytest.approx(scores.overall[name], abs=1e-6)
        low, high = rows[1]["intervals"][name]
        assert low <= rows[1][name] <= high
    assert (rows[1]["protocol"], rows[1]["context"]) == ("zero-shot", "released")
    assert rows[1]["source"] == "beliefgraph 0.0.test"


def test_every_run_stands_in_every_output(two: Report) -> None:
    for text in (
        report_html(two),
        report_markdown(two),
        report_csv(two),
        report_leaderboard(two),
    ):
        assert "steady" in text
        assert "wild" in text


def test_what_is_comparable_stands_wherever_published_rows_do(two: Report) -> None:
    sentence = "Figures on synthetic people are not comparable with the published rows at all."
    assert sentence in COMPARABLE
    assert any("population-informed" in text and "never" in text for text in COMPARABLE)
    for text in (report_html(two), report_markdown(two)):
        assert sentence in text
        assert "LLaMA 3.3 70B" in text
    shown = {cells[0]: cells[1:] for cells in markdown_rows(report_markdown(two), PUBLISHED)}
    assert shown["Claude Sonnet 4.5"] == "76.04 68.61 1.18 78.73 67.39 70.10 paper".split()
    assert shown["Random guess"][4:6] == ["\u22120.68", "\u22120.68"]
    without = report_of(run(), published=())
    for text in (report_html(without), report_markdown(without)):
        assert sentence not in text
        assert "LLaMA" not in text


@pytest.mark.parametrize(
    ("model", "printed", "recomputed"),
    [
        ("Human (test-retest)", 100.0, 100.0),
        ("gpt-4o, released data", 70.07, 70.07),
        ("Global majority (A, 1)", 2.02, 2.02),
        ("Random guess", -0.68, -0.68),
        ("Claude Sonnet 4.5", 67.39, 70.10),  # printed lower than its figures give
    ],
)
def test_published_rows_are_as_printed_and_recomputed(
    model: str, printed: float, recomputed: float
) -> None:
    row = next(row for row in read_published() if row.model == model)
    assert row.ati == printed
    assert row.recomputed_ati == pytest.approx(recomputed, abs=0.006)


def test_the_published_rows_are_those_of_the_data(hugagent: Path) -> None:
    assert read_published(hugagent / "leaderboard.json") == read_published()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"),
        ("{}", "expected a list of rows, got dict"),
        ("[1]", "row 1: expected an object with the model's name"),
        ('[{"model": "m", "bsi_acc": true}]', r"row 1 \(m\): bsi_acc must be a number, got True"),
        ('[{"model": "m"}]', "bsi_acc must be a number, got None"),
    ],
)
def test_a_broken_file_of_published_rows_is_refused(
    text: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "rows.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SurveyError, match=message):
        read_published(path)


def test_differences_are_paired_and_corrected(two: Report) -> None:
    runs = {"wild": outcomes(shift=1), "steady": outcomes()}
    expected = compare_runs(runs, against="steady", n_resamples=FEW_DRAWS)
    assert [(d.number, d.against) for d in two.differences] == [(2, 1)] * len(HEADLINE)
    for ours, theirs in zip(two.differences, expected, strict=True):
        assert ours.metric == theirs.metric
        assert ours.figure.value == pytest.approx(theirs.value)
        assert (ours.figure.low, ours.figure.high) == (theirs.low, theirs.high)
        assert (ours.p, ours.p_holm) == (theirs.p_value, theirs.p_holm)
    bsi = score(outcomes(shift=1)).overall["bsi_acc"] - score(outcomes()).overall["bsi_acc"]
    assert two.differences[0].figure.value == pytest.approx(bsi)


@pytest.mark.parametrize("against", ["wild", "2", "wild (zero-shot, released context)"])
def test_a_reference_is_found_by_name_and_number(against: str) -> None:
    made = report_of(run(), run("wild"), against=against)
    assert made.against == 2
    assert {d.number for d in made.differences} == {1}
    with pytest.raises(SurveyError, match=r"no run is called 'wld'\. Did you mean 'wild'"):
        report_of(run(), run("wild"), against="wld")


def test_runs_on_different_items_are_compared_on_those_of_both() -> None:
    made = report_of(run(), run("narrow", outcomes=outcomes(["parks"], shift=1)))
    parks = score(outcomes(["parks"], shift=1)).overall["bdu_acc"]
    both = score(outcomes(["parks"])).overall["bdu_acc"]
    by_metric = {d.metric: d for d in made.differences}
    assert by_metric["bdu_acc"].figure.value == pytest.approx(parks - both)
    assert by_metric["bdu_acc"].n_items == len(outcomes(["parks"]))
    assert any("different items" in note for note in made.notes)
    text = report_markdown(made)
    assert f"compared on the {len(outcomes(['parks']))} of both" in text
    row = next(
        cells for cells in markdown_rows(text, "By domain") if cells[0] == "ferries, 2 narrow"
    )
    assert set(row[1:6]) == {"not scored (no items in this domain)"}
    apart = report_of(run(), run("other", outcomes=outcomes(["trams"])))
    assert all(isnan(d.figure.value) for d in apart.differences)
    assert "no item in common" in report_markdown(apart)
    other_study = tuple(o.replace(participant=f"{o.participant}x") for o in outcomes())
    mixed = report_of(run(), run("other", outcomes=other_study))
    assert all(isnan(d.figure.value) for d in mixed.differences)
    assert "different studies" in report_markdown(mixed)


def test_a_run_without_any_answer_is_wrong_everywhere_and_says_why() -> None:
    silent = outcomes(value=None, distribution=None, could_not="the server was down")
    made = report_of(run(outcomes=silent))
    text = report_markdown(made)
    row = markdown_rows(text, "Items without an answer")[-1]
    n = len(silent)
    assert row == ["1 steady", f"{n} of {n}", "100.0", f"the server was down ({n})"]
    headline = markdown_rows(text, "Headline figures")[2]
    assert headline[1].startswith("0.0")
    assert "no run gives a distribution" in text
    rows = json.loads(report_leaderboard(made))
    assert rows[0]["no_answer"] == n
    assert Page(report_html(made)).open == []


def test_one_participant_gives_figures_without_intervals() -> None:
    made = report_of(
        run(outcomes=outcomes(people=1, more=0)), run("b", outcomes=outcomes(people=1, more=0))
    )
    overall = made.entry(1).figures["overall"]
    assert overall["bdu_acc"].value == score(outcomes(people=1, more=0)).overall["bdu_acc"]
    assert not any(figure.has_interval for figure in overall.values())
    assert all(isnan(d.p) and not d.figure.has_interval for d in made.differences)
    text = report_markdown(made)
    assert "no interval" in text
    assert "nothing can be scored without one participant" in text
    assert json.loads(report_leaderboard(made))[0]["intervals"]["bdu_acc"] is None
    assert Page(report_html(made)).open == []


def test_few_people_in_a_domain_are_flagged() -> None:
    made = report_of(run(outcomes=outcomes(["parks"]) + outcomes(["trams"], people=2)))
    text = report_markdown(made)
    assert "Domains with fewer than five people: trams (BSI: 2, BDU: 2, stance pairs: 2)" in text
    assert "trams, 1 steady (fewer than five people)" in text
    assert "trams (fewer than five people)" in report_html(made)
    assert "fewer than five people" not in report_markdown(report_of(run(), published=()))
    # two of six people: (4/6)^6 of the draws hold neither
    assert 0 < made.entry(1).incomplete["bdu_acc"] < FEW_DRAWS
    assert "the mean is then over the rest" in text


def test_the_strict_twin_stands_beside_its_run() -> None:
    strict = outcomes(shift=2)
    made = report_of(run(strict_outcomes=strict, strict_changed=7), run("wild"))
    assert [entry.run.context for entry in made.entries] == ["released", "strict", "released"]
    (twins,) = made.twins
    assert (twins.released, twins.strict, twins.changed) == (1, 2, 7)
    fall = score(outcomes()).overall["bdu_mae"] - score(strict).overall["bdu_mae"]
    assert twins.differences["bdu_mae"].value == pytest.approx(fall)
    assert {(d.number, d.against) for d in made.differences} == {(3, 1)}
    assert f"7 of {len(strict)}" in report_markdown(made)
    apart = report_of(run(), run(context="strict", outcomes=strict))
    assert [(t.released, t.strict, t.changed) for t in apart.twins] == [(1, 2, None)]
    assert "not said" in report_html(apart)
    assert not made.twins[0].differences["ati"].reason
    alone = [section.key for section in report_sections(report_of(run(strict_outcomes=strict)))]
    assert "strict" in alone
    assert "differences" not in alone


def test_strict_runs_are_compared_with_the_strict_twin_of_the_reference() -> None:
    strict = outcomes(shift=2)
    made = report_of(
        run(strict_outcomes=strict), run("wild", outcomes=outcomes(shift=1), strict_outcomes=strict)
    )
    assert {(d.number, d.against) for d in made.differences} == {(3, 1), (4, 2)}


def test_controls_stand_below_their_run() -> None:
    three: dict[str, Triple] = dict.fromkeys(HEADLINE, (40.0, 35.0, 45.0))
    one: dict[str, Triple] = dict.fromkeys(HEADLINE, (40.0, 40.0, 40.0))
    one["bsi_acc"] = (None, None, None)
    controls = (
        ControlResult(control="cross-person:both", draws=20, items=60, changed=60, figures=three),
        ControlResult(control="cross-domain:parks>ferries", draws=1, items=30, changed=30,
                      figures=one, note="saturated"),
    )  # fmt: skip
    made = report_of(run(controls=controls))
    text = report_markdown(made)
    rows = {cells[0]: cells[1:] for cells in markdown_rows(text, "Controls")}
    drawn = rows["cross-person: both (20 draws)"]
    assert drawn[0] == r"40.0 \[35.0, 45.0\]"
    assert drawn[5] == "60 of 60"
    moved = rows[r"cross-domain: parks \> ferries"]
    own = score(outcomes()).per_domain["ferries"]["bdu_acc"]
    assert moved[0] == "not scored (no such items)"
    assert moved[1] == f"40.0 own: {own:.1f}"
    assert moved[6] == "saturated"
    assert "no run holds controls" in report_markdown(report_of(run()))


def test_the_direction_of_change_is_counted() -> None:
    def stance(item: str, role: Any, gold: int, value: int | None) -> Outcome:
        return Outcome(
            item_id=item, participant="P1", topic="parks", task="bdu_stance", role=role,
            question_id=item, scale=TEN, gold=(gold,), value=value,
        )  # fmt: skip

    given = (
        stance("before", "baseline", 5, 4),
        stance("up", "scenario", 7, 2),
        stance("same", "scenario", 5, 4),
        stance("none", "experience", 9, None),
    )
    text = report_markdown(report_of(run(outcomes=given)))
    rows = markdown_rows(text, "Direction of change")
    assert rows[0] == ["Person", "down", "same", "up", "no answer"]
    assert rows[2:] == [
        ["down", "0", "0", "0", "0"],
        ["same", "0 0%", "1 100%", "0 0%", "0 0%"],
        ["up", "1 50%", "0 0%", "0 0%", "1 50%"],
    ]
    signs = tuple(o for o in outcomes() if o.task == "bsi")
    assert "no pair of stances in run 1" in report_markdown(report_of(run(outcomes=signs)))


def test_leaving_one_out_gives_the_range() -> None:
    def sign(person: str, topic: str, right: bool) -> Outcome:
        return Outcome(
            item_id=f"{person}{topic}", participant=person, topic=topic, task="bsi",
            role="baseline", question_id="s", scale=SIGN_SCALE, gold=(1,),
            value=1 if right else -1,
        )  # fmt: skip

    given = (
        sign("P1", "parks", True),
        sign("P2", "parks", False),
        sign("P1", "trams", True),
        sign("P2", "trams", True),
    )
    made = report_of(run(outcomes=given))
    people, domains = (s for s in made.stability if s.metric == "bsi_acc")
    assert (people.least.value, people.most.value) == (50.0, 100.0)
    assert people.without == ("P1", "P2")
    assert (domains.least.value, domains.most.value) == (50.0, 100.0)
    assert domains.without == ("trams", "parks")


def test_the_ways_of_scoring_are_those_of_the_scores(two: Report) -> None:
    from beliefgraph.benchmark.metrics import VARIANTS, variant_grid

    assert [rank.variant for rank in two.ranks[:-1]] == [variant.name for variant in VARIANTS]
    for rank, variant in zip(two.ranks, VARIANTS, strict=False):
        for figure, each in zip(rank.figures, (outcomes(), outcomes(shift=1)), strict=True):
            assert figure.value == pytest.approx(score(each, variant).headline()["ati"])
    values = [score(outcomes(), variant).headline()["ati"] for variant in variant_grid()]
    grid = two.ranks[-1].figures[0]
    assert (grid.low, grid.high) == pytest.approx((min(values), max(values)))
    assert two.ranks[0].tau.value == 1.0
    orders = [np.sign(rank.figures[1].value - rank.figures[0].value) for rank in two.ranks[:-1]]
    assert [rank.tau.value for rank in two.ranks[:-1]] == [o * orders[0] for o in orders]
    assert two.ranking is not None
    assert sum(two.ranking.first) == pytest.approx(1)
    assert report_of(run()).ranking is None


def test_a_run_is_no_rival_of_its_twin_on_strict_contexts() -> None:
    first = run().replace(strict_outcomes=outcomes())
    assert report_of(first).ranking is None
    both = report_of(first, run(outcomes=outcomes(shift=1), predictor="other")).ranking
    assert both is not None
    released = [share for share in both.first if share == share]
    assert len(released) == 2
    assert sum(released) == pytest.approx(1)


SCRIPT = "<script>alert(1)</script>"


def test_text_from_runs_is_escaped() -> None:
    nasty = outcomes([SCRIPT, "a|b"], value=None, distribution=None, could_not=f"{SCRIPT}|x")
    given = run(SCRIPT, outcomes=nasty, notes=(f"*{SCRIPT}*\x1b[31m",), context=SCRIPT)
    page = Page(report_html(report_of(given)))
    assert "script" not in page.names
    assert page.open == []
    assert "\x1b" not in report_html(report_of(given))
    text = report_markdown(report_of(given))
    assert "<script" not in text.replace(r"\<script", "")
    assert len({len(cells) for cells in markdown_rows(text, "By domain")}) == 1
    formula = report_csv(report_of(run("=1+1")))
    assert all(row["predictor"] != "=1+1" for row in csv.DictReader(io.StringIO(formula)))


def test_no_words_of_people_are_in_a_report() -> None:
    said = Evidence(qa_id="1", start=0, end=7, quote="PLANTED", extractor="x")
    given = run(
        outcomes=outcomes(evidence=(said,), explanation="PLANTED", details={"raw": "PLANTED"})
    )
    made = report_of(given)
    for write in (report_html, report_markdown, report_csv, report_leaderboard):
        assert "PLANTED" not in write(made)


def test_the_page_asks_the_network_for_nothing(two: Report) -> None:
    text = report_html(two)
    page = Page(text)
    links = [value for name, value in page.attributes if name in ("href", "src", "data")]
    assert links
    assert all(value is not None and value.startswith("#") for value in links)
    ids = {value for name, value in page.attributes if name == "id"}
    assert {str(link)[1:] for link in links} <= ids
    assert not re.search(r"https?://|@import|url\(", text)
    assert {"script", "link", "iframe", "img"}.isdisjoint(page.names)
    assert "default-src 'none'" in text


def test_the_page_is_accessible(two: Report) -> None:
    text = report_html(two)
    assert '<html lang="en">' in text
    assert len(re.findall("<table", text)) == len(re.findall("<caption", text))
    for svg in re.findall(r"<svg[^>]*>", text):
        assert 'role="img" aria-label="' in svg or 'aria-hidden="true"' in svg
    for header in re.findall(r"<th [^>]*>", text):
        assert 'scope="col"' in header or 'scope="row"' in header


def test_the_same_runs_give_the_same_report(two: Report) -> None:
    again = report_of(run(), run("wild", outcomes=outcomes(shift=1)))
    other = report_of(run(), run("wild", outcomes=outcomes(shift=1)), seed=1)
    for write in (report_html, report_markdown, report_csv, report_leaderboard):
        assert write(again) == write(two)
        assert write(other) != write(two)


def test_what_a_run_lacks_is_said_without_the_folders_of_the_machine() -> None:
    lacking = {"items": "/home/someone/study/items", "limit": 9, "n_left_out": 2,
               "fitted_on_others": True}  # fmt: skip
    text = report_markdown(report_of(run(), run("b", configuration=lacking)))
    assert "Run 2: only the first items were predicted" in text
    assert "could not be read as items, left out: 2" in text
    assert "evaluate --refit" in text
    row = markdown_rows(text, "What was run")[3]
    assert row == ["2 b", "zero-shot", "released", "14", "56", "8", "study/items"]
    assert "someone" not in text
    assert "evaluate --refit" not in report_markdown(report_of(run()))


def test_runs_alike_are_told_apart() -> None:
    made = report_of(run(), run(seed=5), run(seed=5))
    names = [entry.name for entry in made.entries]
    assert len(set(names)) == 3
    assert names[0] == "steady (zero-shot, released context), seed 4"


def test_a_report_needs_runs_with_outcomes() -> None:
    with pytest.raises(SurveyError, match="no run to report"):
        build_report([])
    with pytest.raises(SurveyError, match=r"'steady \(zero-shot.* holds no outcomes"):
        build_report([run(outcomes=())])


def test_sections_in_which_nothing_can_be_said_are_left_out() -> None:
    keys = [section.key for section in report_sections(report_of(run(), published=()))]
    assert keys == [
        "runs", "headline", "domains", "participants", "reliability", "direction", "unanswered",
        "controls", "robustness", "metrics",
    ]  # fmt: skip


def numbers_in(svg: str) -> list[tuple[float, float]]:
    """Every point of a picture."""
    points = []
    for element in ElementTree.fromstring(svg).iter():
        get = element.attrib.get
        for x, y in (("x1", "y1"), ("x2", "y2"), ("cx", "cy"), ("x", "y")):
            if get(x) is not None:
                points.append((float(get(x, "")), float(get(y, ""))))
        for pair in get("points", "").split():
            points.append((float(pair.split(",")[0]), float(pair.split(",")[1])))
    return points


@pytest.mark.parametrize("values", [(-40.0, 60.0), (0.0, 0.0), (99.9, 140.0)])
def test_everything_drawn_is_inside_the_picture(values: tuple[float, float]) -> None:
    marks = [Mark(n, Figure(v, v - 5, v + 5)) for n, v in enumerate(values, start=1)]
    marks.append(Mark(3, Figure(float("nan"), reason="none")))
    drawn = [
        interval_plot("ATI", [Group("overall & all", tuple(marks))], (0.0, 100.0)),
        participant_plot("x", [Dots(n, (v,) * 9, Figure(v)) for n, v in enumerate(values, start=1)],
                         (0.0, 100.0)),
        participant_plot("x", [Dots(1, (), Figure(float("nan")))], (0.0, 100.0)),
        reliability_plot("r", [Curve(7, (Bin(0.0, 1.0, 3), Bin(1.0, 0.0, 90)))]),
    ]  # fmt: skip
    for svg in drawn:
        width, height = map(float, ElementTree.fromstring(svg).attrib["viewBox"].split()[2:])
        for x, y in numbers_in(svg):
            assert -1 <= x <= width
            assert -1 <= y <= height
    assert "not scored" in drawn[0]


def test_a_mark_lies_where_its_number_is() -> None:
    marks = (Mark(1, Figure(50.0, 25.0, 100.0)),)
    svg = ElementTree.fromstring(interval_plot("x", [Group("g", marks)], (0.0, 100.0)))
    (circle,) = (e for e in svg.iter() if e.tag == "circle")
    (bar,) = (e for e in svg.iter() if "bp-bar" in e.attrib.get("class", ""))
    left, right = 46.0, 346.0  # 0 and 100
    assert float(circle.attrib["cx"]) == pytest.approx((left + right) / 2)
    assert float(bar.attrib["x1"]) == pytest.approx(left + 0.25 * (right - left))
    assert float(bar.attrib["x2"]) == pytest.approx(right)


def test_a_calibrated_bin_lies_on_the_broken_line() -> None:
    svg = ElementTree.fromstring(
        reliability_plot("x", [Curve(1, (Bin(0.25, 0.25, 5), Bin(0.5, 0.75, 5)))])
    )
    on, above = [e.attrib for e in svg.iter() if e.tag == "circle"]
    (line,) = (e.attrib for e in svg.iter() if e.attrib.get("class") == "bp-whole")
    x, y, x2, y2 = (float(line[name]) for name in ("x1", "y1", "x2", "y2"))

    def height(at: float) -> float:
        return y + (at - x) / (x2 - x) * (y2 - y)

    assert float(on["cy"]) == pytest.approx(height(float(on["cx"])), abs=0.1)
    assert float(above["cy"]) < height(float(above["cx"])) - 10  # up is less in a picture


def test_the_command_writes_what_the_library_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, two: Report
) -> None:
    monkeypatch.chdir(tmp_path)
    run().save("a.json")
    run("wild", outcomes=outcomes(shift=1)).save("b.json")
    draws = ["--n-resamples", str(FEW_DRAWS)]
    files = {
        "--html": report_html,
        "--markdown": report_markdown,
        "--csv": report_csv,
        "--leaderboard": report_leaderboard,
    }
    wanted = [part for n, option in enumerate(files) for part in (option, f"out{n}")]
    done = CliRunner().invoke(main, ["report", "a.json", "b.json", *wanted, *draws])
    assert done.exit_code == 0, done.output
    for n, write in enumerate(files.values()):
        assert Path(f"out{n}").read_text(encoding="utf-8") == write(two)
    done = CliRunner().invoke(main, ["report", "a.json", "b.json", *draws])
    assert done.exit_code == 0, done.output
    for name in HEADLINE:
        assert two.entry(2).figures["overall"][name].number in done.output
    assert two.differences[0].figure.signed().split(" ")[0] in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.json", "--html", "a.json"], "this is the input itself"),
        (["a.json", "--html", "o", "--csv", "o"], "two outputs would go to this file"),
        (["a.json", "--against", "nobody"], "no run is called 'nobody'"),
        (["absent.json"], "absent.json"),
        (["a.json", "--published", "b.txt"], "no JSON"),
        (["b.txt"], "not a saved run"),
    ],
)
def test_the_command_says_what_is_wrong(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run().save("a.json")
    Path("b.txt").write_text("no", encoding="utf-8")
    done = CliRunner().invoke(main, ["report", *arguments])
    assert done.exit_code == 2
    assert message in done.output
    assert "Traceback" not in done.output


def test_the_examples_of_the_help_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from beliefgraph.cli.command_report import EXAMPLES

    monkeypatch.chdir(tmp_path)
    for name, predictor in (("run", "graph"), ("run1", "graph"), ("run2", "majority")):
        run(predictor).save(f"{name}.json")
    for example in EXAMPLES:
        arguments = example.split()[1:]
        done = CliRunner().invoke(main, [*arguments, "--n-resamples", str(FEW_DRAWS)])
        assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} >= {"report.html", "report.md"}
