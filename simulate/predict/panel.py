r"""People asked twice, some of whom read a text in between: a table, and the graph it teaches.

A text is an intervention whose targets and doses are learned from other people: it addresses the
reasons whose mean change among those who read it differs from that among the control group by more
than `z` standard errors, by that difference (a difference in differences of randomised groups).
The others are left alone. On a new person's graph it acts as a `shift` on the addressed reasons;
control groups get none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from beliefgraph.errors import SurveyError
from beliefgraph.simulate.predict.learned_graph import LearnedGraph, learn_graph
from beliefgraph.simulate.predict.readout import from_scale
from beliefgraph.simulate.predict.reevaluation import Reevaluation, fit_reevaluation
from beliefgraph.survey import Scale

__all__ = ["Panel", "PanelModel", "fit_panel", "text_changes"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Panel:
    """Levels of every concept before and after, by person, and what was read in between."""

    names: tuple[str, ...]
    """Concepts; the stance is the last."""
    before: Floats
    """(people, concepts) levels in [-1, 1]."""
    after: Floats
    """(people, concepts) levels in [-1, 1]."""
    arms: tuple[str, ...]
    """Text that each person read, by name; see `controls`."""
    stance_scale: Scale
    """Scale on which the stance was answered."""
    controls: frozenset[str] = frozenset()
    """Arms in which nothing that bears on the concepts was read."""

    def __post_init__(self) -> None:
        shape = (len(self.arms), len(self.names))
        for name in ("before", "after"):
            found = getattr(self, name)
            if found.shape != shape:
                raise SurveyError(
                    f"panel, {name}: {shape[0]} people and {shape[1]} concepts need the shape "
                    f"{shape}, got {found.shape}"
                )
            if not (np.abs(found) <= 1).all():
                raise SurveyError(
                    f"panel, {name}: every level must lie in [-1, 1]; map the scale's ends onto "
                    "-1 and 1, and leave out people with missing answers"
                )

    @property
    def stance(self) -> str:
        """Name of the stance."""
        return self.names[-1]

    def take(self, rows: ArrayLike) -> Panel:
        """Return the panel of some of its people, by place or by a mask."""
        chosen = np.arange(len(self.arms))[np.asarray(rows)]
        arms = tuple(self.arms[i] for i in chosen)
        return Panel(
            self.names,
            self.before[chosen],
            self.after[chosen],
            arms,
            self.stance_scale,
            self.controls,
        )

    def stance_answers(self, levels: Floats) -> NDArray[np.int64]:
        """Return the stance column of `before` or `after` as answers on its scale."""
        points = np.array(self.stance_scale.points)
        at = from_scale(points.astype(float), self.stance_scale)
        nearest: NDArray[np.int64] = points[np.abs(levels[:, -1, None] - at).argmin(axis=1)]
        return nearest


@dataclass(frozen=True, eq=False)
class PanelModel:
    """What other people's panel teaches: influences, what each text does, how answers change."""

    learned: LearnedGraph
    """Influences pooled over people and both times."""
    texts: Mapping[str, Mapping[str, float]]
    """Arm to reason to mean change; controls have none."""
    reevaluation: Reevaluation
    """What becomes of the stance."""
    given: bool
    """Whether the reasons' own changes are known."""

    def stance_shift(self, panel: Panel) -> Floats:
        """Return every person's stance shift by the graph, (people,) in [-1, 1] units.

        Where changes are given, `do` holds all reasons at their levels after; otherwise the text
        shifts those that it addresses. Texts that nobody was seen to read shift nothing.
        """
        return _stance_shift(self.learned, self.texts, self.given, panel)

    def probabilities(self, panel: Panel) -> Floats:
        """Return the probability of every answer after, (people, points)."""
        return self.reevaluation.probabilities(
            panel.stance_answers(panel.before),
            self.learned.implied(panel.before)[:, -1],
            self.stance_shift(panel),
            panel.stance_scale,
        )


def fit_panel(
    panel: Panel,
    *,
    causes: Mapping[str, Sequence[str]] | None = None,
    given: bool = False,
    ridge: float = 1.0,
    z: float = 2.0,
) -> PanelModel:
    """Learn from people asked twice.

    Parameters
    ----------
    panel
        The people.
    causes
        Concept to its causes; every reason acts on the stance, and nothing else, by default.
    given
        Whether the reasons' changes will be known of the people to predict.
    ridge
        As for `learn_graph`; the levels before and after are one table.
    z
        As for `text_changes`.
    """
    both = np.vstack([panel.before, panel.after])
    learned = learn_graph(
        {name: both[:, j] for j, name in enumerate(panel.names)},
        causes or {panel.stance: panel.names[:-1]},
        stance=panel.stance,
        ridge=ridge,
    )
    texts = text_changes(panel, z=z)
    reevaluation = fit_reevaluation(
        panel.stance_answers(panel.before),
        learned.implied(panel.before)[:, -1],
        _stance_shift(learned, texts, given, panel),
        panel.stance_answers(panel.after),
        panel.stance_scale,
    )
    return PanelModel(learned, texts, reevaluation, given)


def text_changes(panel: Panel, *, z: float = 2.0) -> dict[str, dict[str, float]]:
    """Return what each text does to the reasons it addresses: arm to reason to mean change.

    Parameters
    ----------
    panel
        The people; the stance is never addressed.
    z
        Standard errors by which a mean change must differ from the control groups'.

    Raises
    ------
    SurveyError
        There is a text, and nobody in a control group.
    """
    change = panel.after - panel.before
    arms = np.array(panel.arms)
    control = change[np.isin(arms, sorted(panel.controls))]
    found: dict[str, dict[str, float]] = {}
    for arm in dict.fromkeys(panel.arms):
        if arm in panel.controls:
            continue
        read = change[arms == arm]
        if len(control) < 2 or len(read) < 2:
            raise SurveyError(
                f"arm {arm!r}: the effect of a text needs two people who read it and two in a "
                f"control group, got {len(read)} and {len(control)}; name the arms without a text "
                f"in `controls` (arms: {', '.join(sorted(set(panel.arms)))})"
            )
        mean = read.mean(axis=0) - control.mean(axis=0)
        error = np.sqrt(
            read.var(axis=0, ddof=1) / len(read) + control.var(axis=0, ddof=1) / len(control)
        )
        found[arm] = {
            name: float(mean[j])
            for j, name in enumerate(panel.names[:-1])
            if abs(mean[j]) > z * error[j]
        }
    return found


def _stance_shift(
    learned: LearnedGraph,
    texts: Mapping[str, Mapping[str, float]],
    given: bool,
    panel: Panel,
) -> Floats:
    place = {name: panel.names.index(name) for name in panel.names}
    if given:
        held = {name: panel.after[:, place[name]] for name in panel.names[:-1]}
        return np.asarray(learned.shifts(panel.before, held)[:, -1])
    by_arm = {arm: _text_shift(learned, texts.get(arm, {})) for arm in set(panel.arms)}
    return np.array([by_arm[arm] for arm in panel.arms])


def _text_shift(learned: LearnedGraph, changes: Mapping[str, float]) -> float:
    """Return what the pushes of a text do to the stance: the same for all, the model is linear."""
    effects = learned.effects_on_stance()
    return float(sum(push * effects[name] for name, push in learned.pushes(changes).items()))
