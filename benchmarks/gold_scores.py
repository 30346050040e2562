"""The figures of one gold set: sums by cluster, ratios with intervals over the clusters."""

from __future__ import annotations

import csv
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from beliefgraph.intervals import Estimate, estimate_ratio
from beliefgraph.text import content_words, stem

Row = dict[str, str]


@dataclass
class Tally:
    """Sums by cluster (sentence, interview, belief) of one ratio."""

    parts: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    wholes: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def add(self, cluster: str, part: float, whole: float) -> None:
        """Add to a cluster's sums."""
        self.parts[cluster] += part
        self.wholes[cluster] += whole

    def estimate(self) -> Estimate:
        """Return the ratio, its interval over clusters."""
        names = sorted(self.wholes)
        return estimate_ratio([self.parts[n] for n in names], [self.wholes[n] for n in names])

    @property
    def n(self) -> int:
        """Number of cases."""
        return int(sum(self.wholes.values()))


class Board:
    """The figures of one set, in the order in which they were first counted."""

    def __init__(self) -> None:
        self.tallies: dict[str, Tally] = defaultdict(Tally)
        self.quoted: dict[str, float] = {}
        """Figures that the data's README gives, to stand beside ours."""

    def add(self, name: str, cluster: str, part: float, whole: float = 1.0) -> None:
        """Count one case."""
        self.tallies[name].add(cluster, part, whole)

    def to_dict(self) -> dict[str, Any]:
        """Return every figure, F1 beside precision and recall."""
        figures: dict[str, Any] = {
            name: {"n": tally.n, **tally.estimate().to_dict()}
            for name, tally in self.tallies.items()
        }
        for name in [name for name in figures if name.endswith(" precision")]:
            kind = name.removesuffix(" precision")
            p, r = figures[name]["value"], figures.get(f"{kind} recall", {}).get("value")
            if p is not None and r is not None:
                f1 = 2 * p * r / (p + r) if p + r else 0.0
                figures[f"{kind} F1"] = {"n": None, "value": f1, "interval": None}
        for name, value in self.quoted.items():
            figures[f"{name} (README)"] = {"n": None, "value": value, "interval": None}
        return dict(sorted(figures.items(), key=lambda item: _place(item[0], list(self.tallies))))


def _place(figure: str, names: list[str]) -> tuple[str, int]:
    """Sort figures by the set of them that they belong to."""
    group = re.split(r"[,:]| (?:recall|precision|direction|F1|\()", figure)[0]
    return group, names.index(figure) if figure in names else len(names)


def read_rows(path: Path, limit: int | None) -> list[Row]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))[:limit]


def stems(text: str) -> list[str]:
    return [stem(w) for w in content_words(text)]
