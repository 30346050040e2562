"""What people answer after reading a text, predicted by pooled belief graphs (Powell, vaccines).

    python benchmarks/powell_vaccine.py ../shared/data/public/powell_vaccine

Thirteen reasons and an intention before and after a text, three studies with control groups. The
influences of the reasons on the intention are learned from other people; the text shifts the
reasons whose mean, in other people's answers, moved against controls (never by its wording, which
the table does not hold). Figures are out of fold, ten folds of people, on a scale of 1 to 10:
mean absolute error, share within one point, and the share of people whose rounded answer changed
for whom the sign of the expected change is right. Intervals are 95%, from drawing people.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.items import table_items
from beliefgraph.benchmark.uncertainty import bootstrap
from beliefgraph.intervals import Estimate, estimate_ratio
from beliefgraph.simulate.predict.panel import Panel, PanelModel, fit_panel
from beliefgraph.simulate.predict.panel_predictor import PanelPredictor
from beliefgraph.simulate.predict.readout import from_scale
from beliefgraph.simulate.predict.reevaluation import (
    Reevaluation,
    best_points,
    expected_change,
    fit_reevaluation,
)
from beliefgraph.survey import ItemSet, Question, Role, Scale

STANCE = "vaccIntent"
CONTROL = "noInterv"
OUTLOOK = ("hb", "nat", "medSkept", "parentExpert", "overpar", "infantImmLimCap", "infantImmWeak")
"""Reasons whose items speak neither of vaccines nor of the diseases they prevent."""
SCALE = Scale.between(0, 30)
"""Five items of seven points each: the intention's mean lies on 31 points."""
DRAWS = 2000
Floats = NDArray[np.float64]
Rows = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Study:
    """The table: people asked twice, and the study each was in."""

    panel: Panel
    people: tuple[str, ...]
    studies: NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class Row:
    """Predictions of one method: answers, and expected changes for their sign; in 1 to 10."""

    answer: Floats
    change: Floats


def read(folder: Path) -> Study:
    """Read the table; an arm is a text in a study, or control."""
    with (folder / "vaccine_prepost.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    reasons = [
        name.removesuffix("_pre")
        for name in rows[0]
        if name.endswith("_pre") and STANCE not in name
    ]
    names = (*reasons, STANCE)
    panel = Panel(
        names=names,
        before=np.array([[2 * float(row[f"{n}_pre"]) - 1 for n in names] for row in rows]),
        after=np.array([[2 * float(row[f"{n}_post"]) - 1 for n in names] for row in rows]),
        arms=tuple(
            CONTROL if row["condition"] == CONTROL else f"{row['condition']} {row['study']}"
            for row in rows
        ),
        stance_scale=SCALE,
        controls=frozenset([CONTROL]),
    )
    people = tuple(row["person"] for row in rows)
    return Study(panel, people, np.array([row["study"] for row in rows]))


def folds_of(n: int, k: int = 10, seed: int = 0) -> list[Rows]:
    """Return masks of the people left out in turn."""
    place = np.random.default_rng(seed).permutation(n) % k
    return [place == fold for fold in range(k)]


def ten(levels: Floats) -> Floats:
    """Map [-1, 1] onto 1 to 10."""
    found: Floats = 5.5 + 4.5 * levels
    return found


Fitted = Callable[[Panel], tuple[Floats, Floats]]
"""Predicts levels and expected changes in [-1, 1] of people it was not fitted on."""
Method = Callable[[Panel], Fitted]


def read_out(odds: Floats, panel: Panel) -> tuple[Floats, Floats]:
    """Return the median answer and the expected change of every person."""
    middle = best_points(odds, SCALE) / 15 - 1
    return middle, expected_change(odds, panel.stance_answers(panel.before), SCALE) / 15


def graph(
    given: bool,
    *,
    causes: dict[str, tuple[str, ...]] | None = None,
    evaluate_anew: bool = True,
    let_text_act: bool = True,
    instead: Callable[[Panel], Panel] | None = None,
) -> Method:
    """Return the graph's method, whole or with a part taken out or replaced.

    What becomes of answers is fitted again after the change, so that it may do without the graph.
    `instead` gives people other reasons than their own, after the influences were learned.
    """

    def parts(model: PanelModel, panel: Panel) -> tuple[Floats, Floats]:
        seen = instead(panel) if instead else panel
        # on the scale's points, so that nothing is fitted to the table's rounding
        own = from_scale(panel.stance_answers(panel.before).astype(float), SCALE)
        implied = model.learned.implied(seen.before)[:, -1] if evaluate_anew else own
        shift = model.stance_shift(seen) if let_text_act else np.zeros(len(own))
        return implied, shift

    def fit(panel: Panel) -> Fitted:
        model = fit_panel(panel, causes=causes, given=given)
        fitted = fit_reevaluation(
            panel.stance_answers(panel.before), *parts(model, panel),
            panel.stance_answers(panel.after), SCALE,
        )  # fmt: skip

        def predict(panel: Panel) -> tuple[Floats, Floats]:
            before = panel.stance_answers(panel.before)
            return read_out(fitted.probabilities(before, *parts(model, panel), SCALE), panel)

        return predict

    return fit


def another_person(panel: Panel) -> Panel:
    """Give everybody another's reasons (a cyclic shift of shuffled people), and the own stance."""
    order = np.random.default_rng(0).permutation(len(panel.arms))
    other = np.empty(len(order), dtype=np.int64)
    other[order] = np.roll(order, 1)
    before, after = panel.before.copy(), panel.after.copy()
    before[:, :-1], after[:, :-1] = panel.before[other, :-1], panel.after[other, :-1]
    return replace(panel, before=before, after=after)


def other_signs(panel: Panel) -> Panel:
    """Turn half of the reasons round, so that their influences have the wrong sign."""
    turned = np.random.default_rng(0).permutation(len(panel.names) - 1) % 2 == 0
    sign = np.append(np.where(turned, -1.0, 1.0), 1.0)
    return replace(panel, before=panel.before * sign, after=panel.after * sign)


def ridge(given: bool, *, plain: bool = False) -> Method:
    """Ridge on the same knowledge, predicting the change; `plain` has no read-out."""

    def features(panel: Panel, arms: list[str]) -> Floats:
        which = np.array([[float(arm == other) for other in arms] for arm in panel.arms])
        parts = [panel.before, which]
        if given:
            parts.append((panel.after - panel.before)[:, :-1])
        return np.hstack(parts)

    def fit(panel: Panel) -> Fitted:
        from sklearn.linear_model import RidgeCV
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        arms = sorted(set(panel.arms))
        model = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-1, 4, 25)))
        moved = (panel.after - panel.before)[:, -1]
        model.fit(features(panel, arms), moved)
        shift = model.predict(features(panel, arms))
        fitted = Reevaluation(openness=0, effect=1, sd=0.2, stay=0.0)
        if not plain:
            fitted = fit_reevaluation(
                panel.stance_answers(panel.before), panel.before[:, -1], shift,
                panel.stance_answers(panel.after), SCALE,
            )  # fmt: skip

        def predict(panel: Panel) -> tuple[Floats, Floats]:
            found = np.asarray(model.predict(features(panel, arms)))
            own = panel.before[:, -1]
            if plain:
                return np.clip(own + found, -1, 1), found
            odds = fitted.probabilities(panel.stance_answers(panel.before), own, found, SCALE)
            return read_out(odds, panel)

        return predict

    return fit


def persistence(_: Panel) -> Fitted:
    """Everybody answers as before."""
    return lambda panel: (panel.before[:, -1], np.zeros(len(panel.arms)))


def out_of_fold(panel: Panel, method: Method, folds: Iterable[Rows]) -> Row:
    """Predict everybody from the others."""
    answer, change = (np.full(len(panel.arms), np.nan) for _ in range(2))
    for held in folds:
        found = method(panel.take(~held))(panel.take(held))
        answer[held], change[held] = found
    return Row(ten(answer), change)


RIDGE = "ridge, with the graph's read-out"
LAYERED = {
    **dict.fromkeys(
        ("diseaseRare", "diseaseSevere", "vaccEff", "vaccDanger", "vaccTox", "vaccStrain"), OUTLOOK
    ),
    STANCE: (
        "diseaseRare", "diseaseSevere", "vaccEff", "vaccDanger", "vaccTox", "vaccStrain", *OUTLOOK
    ),
}  # fmt: skip


def methods(given: bool) -> dict[str, Method]:
    """Return the rows of a table."""
    found = {
        "persistence": persistence,
        "ridge": ridge(given, plain=True),
        RIDGE: ridge(given),
        "graph": graph(given),
        "graph, text or changes do not act": graph(given, let_text_act=False),
        "graph, no re-evaluation": graph(given, evaluate_anew=False),
        "graph, another person's reasons": graph(given, instead=another_person),
        "graph, half of the signs turned": graph(given, instead=other_signs),
        "graph, no influences": graph(given, causes={STANCE: ()}),
    }
    if not given:  # with every reason held, what lies behind them changes nothing
        found["graph, outlook behind the reasons"] = graph(given, causes=LAYERED)
    return found


def scores(panel: Panel, row: Row, rows: Rows | None = None) -> dict[str, tuple[Floats, Floats]]:
    """Return numerators and denominators of every figure, by person."""
    keep = np.ones(len(panel.arms), dtype=bool) if rows is None else rows
    gold, old = ten(panel.after[:, -1]), ten(panel.before[:, -1])
    off = np.abs(row.answer - gold)
    moved = np.rint(gold) != np.rint(old)
    right = np.sign(row.change) == np.sign(np.rint(gold) - np.rint(old))
    one = keep.astype(float)
    return {
        "MAE": (np.where(keep, off, 0), one),
        "within one": ((keep & (off <= 1 + 1e-9)).astype(float), one),
        "direction": ((keep & moved & right).astype(float), (keep & moved).astype(float)),
    }


def ratio(above: Floats, below: Floats) -> Estimate:
    """Return a ratio of sums over people with its interval."""
    return estimate_ratio(above.tolist(), below.tolist(), n_resamples=DRAWS)


def difference(panel: Panel, a: Row, b: Row, figure: str, rows: Rows | None = None) -> Estimate:
    """Return figure of a less that of b, people drawn together."""
    (above, below), (other, _) = (scores(panel, row, rows)[figure] for row in (a, b))
    return ratio(above - other, below)


def table(title: str, panel: Panel, found: dict[str, Row], rows: Rows | None = None) -> None:
    """Print figures with intervals, and paired differences in error from the ridge."""
    print(f"\n### {title}\n")
    print("| | MAE | within one | direction | MAE less persistence's | MAE less ridge's |")
    print("|---|---|---|---|---|---|")
    for name, row in found.items():
        figures = [str(ratio(*pair)) for pair in scores(panel, row, rows).values()]
        if name == "persistence":
            figures[2] = "none named"
        against = [
            str(difference(panel, row, found[other], "MAE", rows)) if name != other else ""
            for other in ("persistence", RIDGE)
        ]
        print(f"| {name} | {' | '.join([*figures, *against])} |", flush=True)


def items_of(study: Study) -> ItemSet:
    """Make items of the table: what the library's own harness and metrics take."""
    panel = study.panel
    questions: dict[str, Question] = {}
    answers: dict[str, dict[str, int | None]] = {who: {} for who in study.people}
    steps = {name: _steps(panel, j) for j, name in enumerate(panel.names)}
    for n, (who, arm) in enumerate(zip(study.people, panel.arms, strict=True)):
        for j, name in enumerate(panel.names):
            asked: tuple[tuple[Role, Floats], ...] = (
                ("baseline", panel.before),
                ("scenario", panel.after),
            )
            for role, levels in asked:
                question = _question(name, role, arm, steps[name])
                questions[question.question_id] = question
                value = int(np.rint((levels[n, j] + 1) / 2 * steps[name]))
                answers[who][question.question_id] = value
    return table_items(answers, list(questions.values()), source="powell_vaccine")


def _steps(panel: Panel, j: int) -> int:
    """Return the number of steps of a concept's scale: six for every item in it."""
    levels = np.unique(np.concatenate([panel.before[:, j], panel.after[:, j]]))
    return next(
        s for s in (6 * n for n in range(1, 9))
        if np.abs((levels + 1) / 2 * s - np.rint((levels + 1) / 2 * s)).max() < 0.01
    )  # fmt: skip


def _question(name: str, role: Role, arm: str, steps: int) -> Question:
    later, stance = role == "scenario", name == STANCE
    return Question(
        question_id=f"{name} after {arm}" if later else name,
        topic="vaccines",
        task="bdu_stance" if stance else "bdu_reason",
        role=role,
        text=name,
        scale=Scale.between(0, steps),
        scenario_id=arm if later else None,
        reason_code=None if stance else name,
    )


def through_the_harness(study: Study) -> None:
    """Run the same predictor as any other: items, protocol state-given, folds, metrics."""
    items = items_of(study)
    stances = [
        each for each in items.answered
        if each.item.question.task == "bdu_stance" or each.item.question.role == "baseline"
    ]  # fmt: skip
    asked = items.replace_items(tuple(stances), items.context_policy)
    chosen = PanelPredictor(controls=(CONTROL,))
    run = evaluate(chosen, asked, protocol="state-given", folds=10, fit_on=items)
    stance_only = [outcome for outcome in run.outcomes if outcome.task == "bdu_stance"]
    drawn = bootstrap(stance_only)
    print("\n### through `beliefgraph.benchmark.evaluate` (31 points; tolerance a fifth)\n")
    for name in ("bdu_acc", "bdu_mae", "bdu_dir_acc", "bdu_crps"):
        print(f"{name}: {drawn.interval(name)}")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--harness", action="store_true", help="also run it as a predictor")
    options = parser.parse_args()
    study = read(options.folder)
    panel = study.panel
    everybody = fit_panel(panel), fit_panel(panel, given=True)
    print(f"{len(panel.arms)} people; stance {STANCE!r}")
    for model in everybody:
        print(f"given={model.given}: {model.reevaluation!r}")
    for arm, changes in everybody[0].texts.items():
        print(f"{arm}: " + ", ".join(f"{name} {x / 2:+.3f}" for name, x in changes.items()))
    people = folds_of(len(panel.arms))
    studies = [study.studies == name for name in np.unique(study.studies)]
    control = np.array([arm == CONTROL for arm in panel.arms])
    for given in (False, True):
        what = "the reasons' own changes given" if given else "reasons before only"
        found = {name: out_of_fold(panel, m, people) for name, m in methods(given).items()}
        table(f"{what}, ten folds of people", panel, found)
        table(f"{what}, those who read a text", panel, found, ~control)
        table(f"{what}, controls", panel, found, control)
        print(f"\nmean expected change of controls, 1 to 10: "
              f"{4.5 * found['graph'].change[control].mean():+.3f}; of readers "
              f"{4.5 * found['graph'].change[~control].mean():+.3f}; seen "
              f"{_seen(panel, control):+.3f} and {_seen(panel, ~control):+.3f}")  # fmt: skip
        found = {name: out_of_fold(panel, m, studies) for name, m in methods(given).items()}
        table(f"{what}, the third study from two", panel, found)
    if options.harness:
        through_the_harness(study)


def _seen(panel: Panel, rows: Rows) -> float:
    return float(4.5 * (panel.after - panel.before)[rows, -1].mean())


if __name__ == "__main__":
    main()
