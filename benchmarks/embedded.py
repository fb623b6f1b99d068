"""Models that choose their features, beside the paper's Greedy Wrapper.

On the training part of fold 0 of each data set, a Lasso, logistic regression with an L1 penalty and a tree of depth 3
choose sets with four alternatives each, and the Greedy Wrapper searches sets for the same model, scored on the same
folds. The Greedy Wrapper needs a size, and gets that of the first set that the model chooses.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets.quality import Embedded, Wrapper
from benchmarks.report import Check, Section, table
from benchmarks.scores import SEED
from benchmarks.wrapper import Data, data_sets

DATA = ("wdbc", "sonar", "ionosphere")
#: Each model with its scorer; the Lasso takes the two classes as numbers.
MODELS: dict[str, tuple[Any, str]] = {
    "Lasso": (make_pipeline(StandardScaler(), Lasso(alpha=0.03)), "r2"),
    "L1 logistic": (
        make_pipeline(StandardScaler(), LogisticRegression(C=0.1, l1_ratio=1.0, solver="liblinear")),
        "matthews_corrcoef",
    ),
    "tree, depth 3": (DecisionTreeClassifier(max_depth=3, random_state=SEED), "matthews_corrcoef"),
}
TAU, ALTERNATIVES, FOLDS, MAX_ITERS = 0.5, 4, 5, 60
HEADER = (
    "data",
    "model",
    "sizes",
    "scores of the sets",
    "mean",
    "test",
    "seconds",
    "k",
    "wrapper: scores",
    "wrapper: mean",
    "wrapper: test",
    "wrapper: seconds",
)


@dataclass(frozen=True)
class Outcome:
    """One search: its sets, what they are worth on folds and on the test part, and how long it took."""

    sets: Sequence[tuple[int, ...]]
    scores: Sequence[float]
    test: float
    seconds: float


def searched(data: Data, name: str, size: int | None) -> Outcome:
    """The sets that the model chooses, or, of a given size, those that the Greedy Wrapper finds for it."""
    model, scoring = MODELS[name]
    options = {"scoring": scoring, "cv": FOLDS, "task": "regression" if scoring == "r2" else "classification"}
    begun = time.perf_counter()
    made = (Embedded if size is None else Wrapper)(model, data.X, data.y, **options)
    result = altsets.find(
        made,
        n_features=size,
        n_alternatives=ALTERNATIVES,
        tau=TAU,
        max_iters=MAX_ITERS,
        engine="best-first" if size is None else "greedy-wrapper",
    )
    seconds = time.perf_counter() - begun
    scorer = get_scorer(scoring)
    tests = [
        scorer(clone(model).fit(data.X[:, one], data.y), data.X_test[:, one], data.y_test)
        for one in result.sets
    ]
    return Outcome(result.sets, result.qualities, float(np.mean(tests)), seconds)


def is_valid(data: Data, name: str, sets: Sequence[tuple[int, ...]]) -> bool:
    """Whether there are enough sets, which differ enough, and each is what the model uses of it."""
    far = all(
        1 - 2 * len({*one} & {*other}) / (len(one) + len(other)) >= TAU - 1e-9
        for one, other in itertools.combinations(sets, 2)
    )
    return far and len(sets) == ALTERNATIVES + 1 and all(_uses_all(data, name, one) for one in sets)


def _uses_all(data: Data, name: str, chosen: tuple[int, ...]) -> bool:
    fitted = clone(MODELS[name][0]).fit(data.X[:, chosen], data.y)
    if isinstance(fitted, DecisionTreeClassifier):
        return {*fitted.tree_.feature} - {-2} == {*range(len(chosen))}
    return bool(np.all(fitted[-1].coef_ != 0))


def run(folder: Path) -> Section:
    """All models on the data sets that are there."""
    section = Section("embedded")
    section.body = [
        f"tau = {TAU:g}, {ALTERNATIVES} alternatives, training part of fold 0, at most {MAX_ITERS} choices of the "
        "model for each set (Greedy Wrapper: swaps). Scores are means over "
        f"{FOLDS} folds of the training part: R² for the Lasso, which takes the classes as numbers, else Matthews "
        "correlation. Test: mean of the sets on the test part. The Greedy Wrapper gets the size of set 0 as k."
    ]
    lines, pairs, valid = [], [], []
    for data in data_sets(folder, DATA):
        for name in MODELS:
            ours = searched(data, name, None)
            paper = searched(data, name, len(ours.sets[0]))
            pairs.append((ours, paper))
            valid.append(is_valid(data, name, ours.sets))
            lines.append(_line(data, name, ours, paper))
    means = [float(np.mean([np.mean(one.scores) for one in side])) for side in zip(*pairs, strict=True)]
    tests = [float(np.mean([one.test for one in side])) for side in zip(*pairs, strict=True)]
    seconds = [sum(one.seconds for one in side) for side in zip(*pairs, strict=True)]
    section.body.append(table(HEADER, lines))
    section.checks = [
        Check(
            "answers with five valid sets",
            f"{len(valid)} of {len(valid)}",
            f"{sum(valid)} of {len(valid)}",
            all(valid),
        ),
        Check("mean score of sets (Greedy Wrapper's)", "", f"{means[0]:.3f} ({means[1]:.3f})", True),
        Check("mean test score of sets (Greedy Wrapper's)", "", f"{tests[0]:.3f} ({tests[1]:.3f})", True),
        Check("seconds in all (Greedy Wrapper's)", "", f"{seconds[0]:.0f} ({seconds[1]:.0f})", True),
    ]
    return section


def _line(data: Data, name: str, ours: Outcome, paper: Outcome) -> tuple[object, ...]:
    def of(outcome: Outcome) -> tuple[str, ...]:
        scores = " ".join(f"{value:.3f}" for value in outcome.scores)
        return scores, f"{np.mean(outcome.scores):.3f}", f"{outcome.test:.3f}", f"{outcome.seconds:.1f}"

    sizes = " ".join(str(len(one)) for one in ours.sets)
    return (data.name, name, sizes, *of(ours), len(ours.sets[0]), *of(paper))
