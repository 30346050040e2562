"""The data of a report, from which the page, Markdown, CSV and leaderboard rows are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from beliefgraph.benchmark.metrics import Metric, Scores, get_metric
from beliefgraph.benchmark.report.figures import Figure, Unit
from beliefgraph.benchmark.report.plots import Bin
from beliefgraph.benchmark.report.published import PublishedRow
from beliefgraph.benchmark.run import ControlResult, Run

__all__ = [
    "HEADLINE",
    "Difference",
    "Entry",
    "Figures",
    "Rank",
    "Ranking",
    "Report",
    "Stability",
    "Twins",
    "unit_of",
]

HEADLINE: Final = {
    "bsi_acc": "BSI accuracy, %",
    "bdu_acc": "BDU accuracy, %",
    "bdu_mae": "BDU MAE, points of 5",
    "bdu_dir_acc": "Directional accuracy, %",
    "ati": "ATI",
}
"""The five published figures, and what a column calls them; the MAE is better when lower."""

Figures = Mapping[str, Figure]


@dataclass(frozen=True)
class Entry:
    """A run with its figures."""

    number: int
    """From 1, in the order of the report."""
    name: str
    """What tells it from the other runs."""
    run: Run
    figures: Mapping[str, Figures]
    """By scope (overall, pooled, every domain) and metric."""
    scores: Scores
    """As `beliefgraph.benchmark.metrics.score` gives them."""
    people: Mapping[str, int]
    """Participants by scope."""
    items: Mapping[str, int]
    """Items by task."""
    unanswered: Mapping[str, int]
    """Items without an answer, by reason."""
    confusion: Mapping[str, Mapping[str, int]]
    """Pairs by true change and predicted change."""
    reliability: Mapping[str, tuple[Bin, ...]]
    """By kind of prediction; empty where the predictor gives no distribution."""
    few: Mapping[str, str]
    """Domains with fewer than five people in a task, and how many."""
    incomplete: Mapping[str, int]
    """Draws that lack a domain which a headline figure is a mean over, where there are any."""
    controls: tuple[ControlResult, ...] = ()
    """What became of the headline figures when the interview was changed."""

    @property
    def participants(self) -> Mapping[str, Mapping[str, float]]:
        """Headline figures of every participant; NaN where not scored."""
        return {
            person: {name: own[name] for name in HEADLINE}
            for person, own in self.scores.per_participant.items()
        }

    @property
    def label(self) -> str:
        """Number and predictor."""
        return f"{self.number} {self.run.predictor}"

    @property
    def conditions(self) -> str:
        """What it was allowed to know and read."""
        return f"{self.run.protocol}, {self.run.context} context"


@dataclass(frozen=True)
class Difference:
    """How one run's overall figure differs from another's, on the items of both."""

    number: int
    against: int
    metric: str
    figure: Figure
    p: float
    p_holm: float
    """Corrected over all differences of the report."""
    n_items: int


@dataclass(frozen=True)
class Twins:
    """One predictor on released and on strict contexts."""

    released: int
    strict: int
    changed: int | None
    """Items whose context differs; None where the run does not say."""
    n_items: int
    differences: Figures
    """Released less strict, by headline metric."""


@dataclass(frozen=True)
class Stability:
    """Between which values an overall figure moves when one part is left out."""

    number: int
    metric: str
    what: str
    """"participant" or "domain"."""
    least: Figure
    most: Figure
    without: tuple[str, str]
    """Who or what is left out where the figure is least, and where it is greatest."""


@dataclass(frozen=True)
class Rank:
    """The ATI of all runs under one way of scoring, and how far it ranks them alike."""

    variant: str
    figures: tuple[Figure, ...]
    """One a run, in their order."""
    tau: Figure
    """Kendall's tau-b with the published way; not scored with fewer than two runs."""


@dataclass(frozen=True)
class Ranking:
    """How far the order of the runs by ATI holds when people are drawn anew."""

    tau: Figure
    """Mean Kendall's tau-b between the draws and the order as it is."""
    first: tuple[float, ...]
    """Share of the draws in which each run is the best of those on the first one's contexts; NaN
    for the others, and where not scored."""


@dataclass(frozen=True)
class Report:
    """Runs, scored and compared."""

    entries: tuple[Entry, ...]
    domains: tuple[str, ...]
    metrics: tuple[Metric, ...]
    """All registered ones."""
    against: int
    differences: tuple[Difference, ...]
    twins: tuple[Twins, ...]
    stability: tuple[Stability, ...]
    ranks: tuple[Rank, ...]
    ranking: Ranking | None
    """None with fewer than two runs."""
    published: tuple[PublishedRow, ...]
    n_resamples: int
    seed: int
    level: float
    notes: tuple[str, ...] = ()
    """What could not be done, and why."""

    def entry(self, number: int) -> Entry:
        """Return the run with a number."""
        return self.entries[number - 1]

    @property
    def title(self) -> str:
        """The predictors."""
        return ", ".join(dict.fromkeys(entry.run.predictor for entry in self.entries))

    @property
    def summary(self) -> str:
        """What the report holds, in a sentence."""
        people = len({o.participant for entry in self.entries for o in entry.run.outcomes})
        items = len({o.item_id for entry in self.entries for o in entry.run.outcomes})
        return (
            f"{_count(len(self.entries), 'run')} over {_count(items, 'item')} of "
            f"{_count(people, 'participant')} in {_count(len(self.domains), 'domain')}; "
            f"{self.level:.0%} intervals from {self.n_resamples} draws of participants."
        )

    @property
    def made(self) -> tuple[str, ...]:
        """What the intervals rest on."""
        return (f"{self.n_resamples} resamples", f"seed {self.seed}")


def unit_of(metric: str) -> Unit:
    """Return how a metric's numbers are written.

    >>> unit_of("bsi_acc"), unit_of("bdu_mae"), unit_of("bdu_icc")
    ('percent', 'points', 'coefficient')
    """
    said = get_metric(metric).unit
    if said == "percent":
        return "percent"
    if said.startswith("index"):
        return "index"
    return "points" if said.startswith("points") else "coefficient"


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"
