"""The scikit-learn estimator: scikit-learn's own checks, what the shell costs, grids on real tables."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import sklearn
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import altsets
from altsets import SelectAlternatives, quality
from benchmarks.report import Check, Section, duration, table
from benchmarks.scores import read_data

#: Seconds that the shell may add to scoring and searching.
SHELL = 0.005
GRID_DATA = ("wdbc", "ionosphere", "sonar")
GRID = {
    "selectalternatives__quality": ["mutual_info", "mrmr"],
    "selectalternatives__tau": [0.4, 1.0],
    "selectalternatives__alternative": [0, 2],
}
REPEATS = 20


def run(folder: Path) -> Section:
    """All three."""
    section = Section("estimator")
    checks, names = _checks()
    shell, costs = _shell()
    section.checks = [
        Check("checks of scikit-learn that fail", "0", str(checks["failed"]), not checks["failed"]),
        Check("what the shell adds, at most", f"<= {duration(SHELL)}", duration(shell), shell <= SHELL),
    ]
    counts = ", ".join(f"{count} {status}" for status, count in sorted(checks.items()))
    section.body = [
        f"`check_estimator(SelectAlternatives())` of scikit-learn {sklearn.__version__}: {counts} (skipped: arrays of "
        f"other libraries, which need an environment variable). They are: {', '.join(names)}.",
        f"What `fit` costs beyond scoring and `find` on the same table; the best of {REPEATS}.",
        table(("table", "rows", "columns", "score and find", "fit", "added"), costs),
    ]
    grids = [line for name in GRID_DATA for line in _grid(folder / f"{name}.csv.gz")]
    if grids:
        section.body += [
            "`GridSearchCV` over quality, tau and alternative in a pipeline with logistic regression, 5 folds.",
            table(("data", "rows", "columns", "fits", "time", "best accuracy", "best", "its sets"), grids),
        ]
    return section


def _checks() -> tuple[Counter[str], list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reports = check_estimator(SelectAlternatives(), on_fail=None, on_skip=None)
    names = dict.fromkeys(report["check_name"].removeprefix("check_") for report in reports)
    return Counter(report["status"] for report in reports), list(names)


def _shell() -> tuple[float, list[tuple[object, ...]]]:
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(200, 2000))
    tables = {
        "wine": load_wine(return_X_y=True, as_frame=True),
        "breast cancer": load_breast_cancer(return_X_y=True, as_frame=True),
        "noise": (wide, rng.integers(0, 2, 200)),
    }
    lines, most = [], 0.0
    for name, (X, y) in tables.items():

        def bare(X: object = X, y: object = y) -> object:
            return altsets.find(quality.Additive.from_data(X, y, measure="f"))

        def shell(X: object = X, y: object = y) -> object:
            return SelectAlternatives("f").fit(X, y)

        plain, fitted = _fastest(bare), _fastest(shell)
        most = max(most, fitted - plain)
        lines.append((name, *X.shape, duration(plain), duration(fitted), duration(fitted - plain)))
    return most, lines


def _fastest(call: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def _grid(path: Path) -> list[tuple[object, ...]]:
    if not path.exists():
        return []
    X, y = read_data(path)
    model = make_pipeline(SelectAlternatives(), StandardScaler(), LogisticRegression())
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "some columns are constant")
        grid = GridSearchCV(model, GRID, cv=5, error_score="raise").fit(X, y)
    seconds = time.perf_counter() - start
    best = ", ".join(str(value) for value in grid.best_params_.values())
    fits = 5 * len(grid.cv_results_["params"]) + 1
    status = grid.best_estimator_[0].result_.status
    name = path.name.removesuffix(".csv.gz")
    return [(name, *X.shape, fits, duration(seconds), f"{grid.best_score_:.3f}", best, status)]
