"""A feed is lost: fallback models beside imputation, and beside boosting that takes missing values.

The columns of each table are cut into feeds of neighbouring columns. Models are fitted to complete rows; then each feed
in its turn is removed from 30 % of the test rows, and these rows are predicted.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from altsets import FallbackEstimator, SelectAlternatives
from benchmarks.report import Check, Section, duration, table

#: Tables that are read from the folder, if there is one.
NAMES = ("ionosphere", "sonar", "spambase", "spectf", "ring", "tokyo1")
FEEDS, FOLDS, REMOVED = 4, 5, 0.3
#: Features of a set, at most: half of the columns, as the rest must do without a feed.
SIZE = 10
#: The fallback, and the model of the same form and size with imputed values.
OURS, OTHER = "fallback, linear", "IterativeImputer, few features, linear"


class WithLosses(BaseEstimator):  # type: ignore[misc]
    """Boosting that is fitted to rows from which feeds were removed as they will be: it learns what to do then."""

    def __init__(self, feeds: Any) -> None:
        self.feeds = feeds

    def fit(self, X: Any, y: Any) -> WithLosses:
        rng, X = np.random.default_rng(0), X.copy()
        lost = rng.integers(len(self.feeds), size=len(X))
        for number, columns in enumerate(self.feeds.values()):
            X.loc[(lost == number) & (rng.random(len(X)) < REMOVED), columns] = np.nan
        self.model_ = _boosting().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)


def run(folder: Path) -> Section:
    """Scores on the rows that have lost a feed, by table and by what is done about it."""
    section, seconds, lines = Section("fallback"), defaultdict(float), []
    every: dict[str, list[float]] = defaultdict(list)
    for name, X, y in _tables(folder):
        intact, found = _scores(X, y, seconds)
        lines.append((name, *X.shape, f"{intact:.3f}", *(f"{value:.3f}" for value in found.values())))
        for how, value in found.items():
            every[how].append(value)
    means = {how: float(np.mean(values)) for how, values in every.items()}
    lines.append(("mean", "", "", "", *(f"{value:.3f}" for value in means.values())))
    lines.append(("time", "", "", "", *(duration(seconds[how]) for how in means)))
    section.checks.append(
        Check(
            f"{OURS}, beside {OTHER}",
            "",
            f"{means[OURS]:.3f} and {means[OTHER]:.3f}",
            means[OURS] >= means[OTHER],
        )
    )
    section.body = [
        f"Columns are cut into {FEEDS} feeds of neighbours. In {FOLDS} folds, models are fitted to complete training "
        f"rows; each feed in its turn is removed from {REMOVED:.0%} of the test rows, drawn at random. Matthews "
        "correlation of the rows that have lost a feed, the mean over folds and feeds; intact: of the same rows "
        "before, with a linear model of all columns. The fallback has the best "
        f"{SIZE} features (linear_fit; half of the columns if that is less) and the best without each feed; few "
        "features: the same first set. Boosting, trained so: feeds were removed from training rows as well. Time: of "
        "fitting and predicting, all tables together.",
        table(("table", "rows", "columns", "intact", *means), lines),
    ]
    return section


def _tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame, Any]]:
    for name, load in {"breast_cancer": load_breast_cancer, "wine": load_wine}.items():
        yield name, *load(return_X_y=True, as_frame=True)
    for name in NAMES:
        if (path := folder / f"{name}.csv.gz").exists():
            data = pd.read_csv(path)
            yield name, data.drop(columns="target").astype(float), data["target"]


def _linear() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def _boosting() -> Any:
    return HistGradientBoostingClassifier(random_state=0)


def _models(feeds: dict[str, list[str]]) -> dict[str, Any]:
    size = min(SIZE, sum(map(len, feeds.values())) // 2)
    search = SelectAlternatives("linear_fit", n_features=size, n_alternatives=0)
    frame = {"transform": "pandas"}
    imputer = IterativeImputer(random_state=0).set_output(**frame)
    return {
        OURS: FallbackEstimator(_linear(), search, feeds),
        "fallback, boosting": FallbackEstimator(_boosting(), search, feeds),
        "mean, linear": make_pipeline(SimpleImputer().set_output(**frame), _linear()),
        "IterativeImputer, linear": make_pipeline(imputer, _linear()),
        OTHER: make_pipeline(clone(imputer), search, _linear()),
        "boosting": _boosting(),
        "boosting, trained so": WithLosses(feeds),
    }


def _scores(X: pd.DataFrame, y: Any, seconds: dict[str, float]) -> tuple[float, dict[str, float]]:
    """Scores of a linear model on intact rows, and of each model when these have lost a feed."""
    blocks = np.array_split(np.array(X.columns), FEEDS)
    feeds = {f"feed {number}": block.tolist() for number, block in enumerate(blocks)}
    intact, found = [], defaultdict(list)
    for fold, (train, test) in enumerate(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y)):
        fitted = {}
        for how, model in _models(feeds).items():
            started = time.process_time()
            fitted[how] = model.fit(X.iloc[train], y.iloc[train])
            seconds[how] += time.process_time() - started
        whole = _linear().fit(X.iloc[train], y.iloc[train])
        rng = np.random.default_rng(fold)
        for columns in feeds.values():
            rows = test[rng.random(len(test)) < REMOVED]
            before, true = X.iloc[rows], y.iloc[rows]
            after = before.copy()
            after[columns] = np.nan
            intact.append(matthews_corrcoef(true, whole.predict(before)))
            for how, model in fitted.items():
                started = time.process_time()
                found[how].append(matthews_corrcoef(true, model.predict(after)))
                seconds[how] += time.process_time() - started
    return float(np.mean(intact)), {how: float(np.mean(values)) for how, values in found.items()}
