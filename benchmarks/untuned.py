"""Searches on data that no limit was chosen on: other folds, other measures, other tables, and random numbers.

The limits of the search were chosen on the mutual information of fold 0. Everything here is something else.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import StratifiedKFold

from altsets import measures
from altsets.search.find import ENGINES
from altsets.search.packing.engine import PackingEngine
from benchmarks.scores import SEED, Numbers, read_data
from benchmarks.searches import Measured, Scores, Search, measure, warm_up

#: The data sets of the sample with sets of ten, and those that other measures are taken of.
FOLD_DATA = (
    "Hill_Valley_with_noise",
    "backache",
    "chess",
    "churn",
    "clean1",
    "credit_g",
    "hypothyroid",
    "ionosphere",
    "sonar",
    "spambase",
    "spect",
    "wdbc",
)
OTHER_DATA = ("ionosphere", "ring", "sonar", "spectf", "tokyo1", "twonorm")
FOLDS = (1, 2)
SIZE = 10
ALTERNATIVES = (1, 3, 5)
#: How the paper estimates mutual information.
PAPER = {"method": "sklearn", "discrete": False, "random_state": SEED}
#: Rows of bundled tables that are used.
MOST_ROWS = 800


def untuned(folder: Path) -> list[Scores]:
    """All of them; without the folder of data sets, those that need none."""
    return [*_other_folds(folder), *_other_measures(folder), *_bundled(), *_random()]


def sample(all_scores: Sequence[Scores], count: int) -> list[tuple[Scores, Search]]:
    """So many searches with sets of ten, spread evenly over scores, thresholds, numbers of sets and aggregations."""
    everything = [
        (scores, Search("simultaneous", aggregation, SIZE, diff, a))
        for scores in all_scores
        for diff, a, aggregation in product(range(1, SIZE + 1), ALTERNATIVES, ("sum", "min"))
        if scores.n >= SIZE + diff * a or diff < SIZE
    ]
    places = np.linspace(0, len(everything) - 1, min(count, len(everything))).round().astype(int)
    return [everything[place] for place in places.tolist()]


def measured(
    label: str,
    engine: Callable[[], PackingEngine],
    asked: Sequence[tuple[Scores, Search]],
    seconds: Sequence[float],
    jobs: int,
) -> list[Measured]:
    """Every search with that engine, some at a time; says on standard error how it went. Seconds are CPU time."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin) as pool:
        futures = [
            pool.submit(_measure, engine, *one, limit) for one, limit in zip(asked, seconds, strict=True)
        ]
        found = [future.result() for future in futures]
    n_proven, total = sum(one.proven for one in found), sum(one.seconds for one in found)
    print(f"{label}: {n_proven} of {len(found)} proven, {total:.1f} s", file=sys.stderr, flush=True)
    return found


def _begin() -> None:
    """Count the seconds of this process alone: other work on the machine is not to decide what is proven in time."""
    warm_up()
    time.perf_counter = time.process_time


def _measure(engine: Callable[[], PackingEngine], scores: Scores, search: Search, limit: float) -> Measured:
    ENGINES[PackingEngine.name] = engine()
    return measure(scores, search, limit)


def _other_folds(folder: Path) -> Iterator[Scores]:
    for name in FOLD_DATA:
        for fold, X, y in _folds(folder / f"{name}.csv.gz"):
            relevance = measures.score(X, y, "mutual_info", task="regression", **PAPER)[0]
            yield _mrmr(f"MI, fold {fold}", name, relevance, measures.pairwise(X, "mutual_info", **PAPER))


def _other_measures(folder: Path) -> Iterator[Scores]:
    for name in OTHER_DATA:
        for fold, X, y in _folds(folder / f"{name}.csv.gz"):
            if fold == FOLDS[0]:
                rank = np.abs(measures.score(X, y, "spearman")[0])
                yield _mrmr("Spearman", name, rank, np.abs(measures.pairwise(X, "spearman")))
                forest = ExtraTreesClassifier(200, random_state=SEED).fit(X, y)
                gain = np.asarray(forest.feature_importances_, dtype=np.float64)
                yield _mrmr("forest", name, gain / gain.max(), np.abs(measures.pairwise(X, "pearson")))


def _bundled() -> Iterator[Scores]:
    for load in (load_breast_cancer, load_digits):
        bunch = load()
        X, y = _varying(bunch.data[:MOST_ROWS]), bunch.target[:MOST_ROWS]
        relevance = measures.score(X, y, "mutual_info")[0]
        yield _mrmr("MI", load.__name__.removeprefix("load_"), relevance, measures.pairwise(X, "mutual_info"))


def _random() -> Iterator[Scores]:
    for seed, n in enumerate((30, 60)):
        rng = np.random.default_rng(seed)
        uniform = rng.random((n, n))
        yield _mrmr("random", f"uniform-{n}", rng.random(n), (uniform + uniform.T) / 2)
        loadings = rng.normal(size=(n, 5))
        products = np.abs(np.corrcoef(loadings + 0.3 * rng.normal(size=(n, 5))))
        yield _mrmr("random", f"five-factors-{n}", rng.random(n), products)


def _folds(path: Path) -> Iterator[tuple[int, Numbers, Numbers]]:
    """Training parts of other folds than the first one."""
    if not path.exists():
        return
    X, y = read_data(path)
    splits = StratifiedKFold(n_splits=5, shuffle=True, random_state=SEED).split(X, y)
    for fold, (train, _) in enumerate(splits):
        if fold in FOLDS:
            yield fold, _varying(X[train]), y[train]


def _varying(X: Numbers) -> Numbers:
    """Without constant columns, which say nothing."""
    varying: Numbers = X[:, np.ptp(X, axis=0) > 0]
    return varying


def _mrmr(measure: str, data: str, relevance: Numbers, redundancy: Numbers) -> Scores:
    """As in the paper: without self-information, divided by the largest number."""
    redundancy = np.array(redundancy, dtype=np.float64)
    np.fill_diagonal(redundancy, 0.0)
    largest = max(relevance.max(), redundancy.max())
    return Scores(measure, data, relevance / largest, redundancy / largest, "mrmr")
