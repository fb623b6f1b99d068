"""Searches on data that no limit was chosen on: other folds, other measures, other tables, and random numbers.

The limits of the search were chosen on the mutual information of fold 0. Everything here is something else.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.model_selection import StratifiedKFold

from altsets import measures
from altsets.constraints import AtMost, Budget, Constraint, Exclusive, Implies
from altsets.dissimilarity import Matched
from altsets.search.enumeration import EnumerationEngine
from altsets.search.simultaneous import search as simultaneous
from altsets.search.simultaneous.search import Phase
from altsets.search.simultaneous.state import SimultaneousSearch
from altsets.search.solving import ENGINES
from benchmarks.scores import SEED, Numbers, read_data
from benchmarks.searches import Dissimilarity, Measured, Scores, Search, measure, warm_up

#: The data sets of the sample with sets of ten, those that other measures are taken of, and tables that the search
#: was never run on.
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
OTHER_TABLES = (
    "coil2000",
    "credit_a",
    "dis",
    "hepatitis",
    "horse_colic",
    "house_votes_84",
    "molecular_biology_promoters",
    "mushroom",
)
FOLDS = (1, 2)
#: Folds for the ablation, which earlier tables were not measured on either.
FRESH_FOLDS = (3, 4)
SIZE = 10
ALTERNATIVES = (1, 3, 5)
#: How the paper estimates mutual information.
PAPER = {"method": "sklearn", "discrete": False, "random_state": SEED}
#: Rows of bundled tables and of fresh folds that are used.
MOST_ROWS = 800
#: Absolute rank correlation from which on two features count as the same.
SAME = 0.8


class Asked(NamedTuple):
    """One search on one table of scores."""

    scores: Scores
    search: Search
    constraints: tuple[Constraint, ...] = ()
    dissimilarity: Dissimilarity = "dice"


def untuned(folder: Path) -> list[Scores]:
    """All scores with pairs; without the folder of data sets, those that need none."""
    return [*_other_folds(folder, FOLDS), *_other_measures(folder, FOLDS[0]), *_bundled(), *_random(0)]


def fresh(folder: Path) -> list[Asked]:
    """Searches of every kind on scores that neither limits nor earlier ablations were measured on."""
    folds = list(_other_folds(folder, FRESH_FOLDS, MOST_ROWS))
    others = [*_other_measures(folder, FRESH_FOLDS[0]), *_random(10)]
    tables = list(_other_tables(folder))
    return [
        *sample([*folds, *others, *tables], 64),
        *_of_five([*folds, *others, *tables], 24),
        *_with_conflicts([*folds[::2], *others[-4:]]),
        *_constrained([*folds[1::2], *tables], SIZE),
        *_constrained([*others[::2], *tables], 5),
        *_matched(folder),
    ]


def fresh_additive(folder: Path) -> list[Asked]:
    """Searches on plain scores, which the additive engine answers."""
    scores = [
        Scores(one.measure, one.data, one.values)
        for one in [
            *_other_folds(folder, FRESH_FOLDS, MOST_ROWS),
            *_other_measures(folder, FRESH_FOLDS[0]),
            *_random(10),
        ]
    ]
    every = [
        Asked(one, Search("simultaneous", aggregation, k, diff, a))
        for one in scores
        for k, a, aggregation in product((5, SIZE), (2, 4, 6), ("sum", "min"))
        for diff in range(1, k + 1)
        if one.n >= k + diff
    ]
    return _spread(every, 120)


def sample(all_scores: Sequence[Scores], count: int) -> list[Asked]:
    """So many searches with sets of ten, spread evenly over scores, thresholds, numbers of sets and aggregations."""
    everything = [
        Asked(scores, Search("simultaneous", aggregation, SIZE, diff, a))
        for scores in all_scores
        for diff, a, aggregation in product(range(1, SIZE + 1), ALTERNATIVES, ("sum", "min"))
        if scores.n >= SIZE + diff * a or diff < SIZE
    ]
    return _spread(everything, count)


def _spread(everything: Sequence[Asked], count: int) -> list[Asked]:
    places = np.linspace(0, len(everything) - 1, min(count, len(everything))).round().astype(int)
    return [everything[place] for place in places.tolist()]


def _of_five(all_scores: Sequence[Scores], count: int) -> list[Asked]:
    """Sets of five that may share little, and many of them."""
    every = [
        Asked(scores, Search("simultaneous", aggregation, 5, diff, a))
        for scores in all_scores
        for aggregation, diff, a in product(("sum", "min"), (4, 5), (3, 5))
        if scores.n >= 5 + diff * a
    ]
    return _spread(every, count)


def _with_conflicts(all_scores: Sequence[Scores]) -> Iterator[Asked]:
    """Sets of five under FCBF, whose conflicts are what branching on usage is for."""
    kinds = [("sum", 4, 5), ("min", 5, 4), ("sum", 3, 3), ("min", 4, 3), ("sum", 5, 4)]
    for number, one in enumerate(all_scores):
        assert one.pairs is not None
        aggregation, diff, a = kinds[number % len(kinds)]
        conflicts = Scores(f"FCBF, {one.measure}", one.data, one.values, 0.3 * one.pairs, "fcbf")
        yield Asked(conflicts, Search("simultaneous", aggregation, 5, diff, a))


def _constrained(all_scores: Sequence[Scores], k: int) -> Iterator[Asked]:
    """Groups, exclusions, implications and a budget, drawn for each table; every third on plain scores."""
    for number, one in enumerate(all_scores):
        rng = np.random.default_rng(number)
        order = rng.permutation(one.n).tolist()
        costs = rng.integers(1, 6, one.n).astype(float)
        rules = [
            Budget(costs.tolist(), 2.6 * k),
            Exclusive(order[:4]),
            Implies(order[4], order[5]),
            *(AtMost(2, order[at : at + 6]) for at in range(0, one.n - 6, 6)),
        ]
        searched = Scores(one.measure, one.data, one.values) if number % 3 == 0 else one
        aggregation = "sum" if number % 2 else "min"
        search = Search("simultaneous", aggregation, k, k // 2 + number % (k // 2 + 1), 2 + number % 3)
        if one.n >= 2 * k:
            resolved = tuple(rule.resolve(searched.quality.feature_names) for rule in rules)
            yield Asked(searched, search, resolved)


def _matched(folder: Path) -> Iterator[Asked]:
    """Sets of five that differ by features that are not alike."""
    kinds = [("sum", 3, 2), ("min", 4, 2), ("sum", 4, 4), ("min", 5, 3)]
    parts = [
        (data, *_thinned(X, y, MOST_ROWS))
        for data in (*OTHER_TABLES, *OTHER_DATA)
        for _, X, y in _folds(folder / f"{data}.csv.gz", FRESH_FOLDS)
    ]
    for number, (name, X, y) in enumerate(parts):
        rank = np.abs(measures.pairwise(X, "spearman"))
        scores = _mrmr("Matched", name, np.abs(measures.score(X, y, "spearman")[0]), rank)
        aggregation, diff, a = kinds[number % len(kinds)]
        yield Asked(scores, Search("simultaneous", aggregation, 5, diff, a), (), Matched(rank, SAME))


def measured(
    label: str,
    engine: Callable[[], Any],
    asked: Sequence[Asked],
    seconds: Sequence[float],
    jobs: int,
) -> list[Measured]:
    """Every search with that engine, some at a time; says on standard error how it went. Seconds are CPU time."""
    return [one for one, _ in traced(label, engine, asked, seconds, jobs)]


def traced(
    label: str,
    engine: Callable[[], Any],
    asked: Sequence[Asked],
    seconds: Sequence[float],
    jobs: int,
) -> list[tuple[Measured, set[str]]]:
    """The same, with the names of the phases in which something happened."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_begin) as pool:
        futures = [
            pool.submit(_measure, engine, one, limit) for one, limit in zip(asked, seconds, strict=True)
        ]
        found = [future.result() for future in futures]
    n_proven, total = sum(one.proven for one, _ in found), sum(one.seconds for one, _ in found)
    print(f"{label}: {n_proven} of {len(found)} proven, {total:.1f} s", file=sys.stderr, flush=True)
    return found


def limited(changes: Mapping[str, Any], without: Sequence[str] = ()) -> EnumerationEngine:
    """The engine without some phases, in a process where limits, named by their module, have other values."""
    for name, value in changes.items():
        set_limit(name, value)
    return EnumerationEngine([getattr(simultaneous, name) for name in without])


def limit(name: str) -> Any:
    """A limit of a search, a constant named by its module."""
    return getattr(*_place(name))


def set_limit(name: str, value: Any) -> None:
    """Let the searches of this process keep within another limit."""
    setattr(*_place(name), value)


def _place(name: str) -> tuple[Any, str]:
    module, constant = name.split(".")
    packages = ("simultaneous", "subset", "additive")
    (found,) = (one for one in packages if find_spec(f"altsets.search.{one}.{module}"))
    return import_module(f"altsets.search.{found}.{module}"), constant


#: The phases of the search under way in which something happened.
_PHASES: set[str] = set()


def _begin() -> None:
    """Count the seconds of this process alone: other work on the machine is not to decide what is proven in time."""
    warm_up()
    time.perf_counter = time.process_time

    def go_through(search: SimultaneousSearch, phases: Iterable[Phase]) -> None:
        for phase in phases:
            if search.state.is_over:
                return
            before = _state(search)
            phase(search)
            if _state(search) != before:
                _PHASES.add(phase.__name__)

    simultaneous.go_through = go_through


def _state(search: SimultaneousSearch) -> tuple[Any, ...]:
    """What a phase changes if it does anything."""
    return search.run.steps, search.state.value, search.state.bound, search.dual_bound, search.state.is_proven


def _measure(engine: Callable[[], Any], asked: Asked, limit: float) -> tuple[Measured, set[str]]:
    replaced = engine()
    ENGINES[replaced.name] = replaced
    _PHASES.clear()
    found = measure(asked.scores, asked.search, limit, asked.constraints, asked.dissimilarity)
    return found, set(_PHASES)


def _other_folds(folder: Path, folds: Sequence[int], rows: int | None = None) -> Iterator[Scores]:
    for name in FOLD_DATA:
        for fold, X, y in _folds(folder / f"{name}.csv.gz", folds):
            if rows is not None:
                X, y = _thinned(X, y, rows)
            relevance = measures.score(X, y, "mutual_info", task="regression", **PAPER)[0]
            yield _mrmr(f"MI, fold {fold}", name, relevance, measures.pairwise(X, "mutual_info", **PAPER))


def _other_measures(folder: Path, fold: int) -> Iterator[Scores]:
    for name in OTHER_DATA:
        for _, X, y in _folds(folder / f"{name}.csv.gz", (fold,)):
            rank = np.abs(measures.score(X, y, "spearman")[0])
            yield _mrmr("Spearman", name, rank, np.abs(measures.pairwise(X, "spearman")))
            forest = ExtraTreesClassifier(200, random_state=SEED).fit(X, y)
            gain = np.asarray(forest.feature_importances_, dtype=np.float64)
            yield _mrmr("forest", name, gain / gain.max(), np.abs(measures.pairwise(X, "pearson")))


def _other_tables(folder: Path) -> Iterator[Scores]:
    for name in OTHER_TABLES:
        path = folder / f"{name}.csv.gz"
        if path.exists():
            X, y = _thinned(*read_data(path), MOST_ROWS)
            linear = np.abs(measures.score(X, y, "pearson")[0])
            yield _mrmr("Pearson", name, linear, np.abs(measures.pairwise(X, "pearson")))


def _bundled() -> Iterator[Scores]:
    for load in (load_breast_cancer, load_digits):
        bunch = load()
        X, y = _varying(bunch.data[:MOST_ROWS]), bunch.target[:MOST_ROWS]
        relevance = measures.score(X, y, "mutual_info")[0]
        yield _mrmr("MI", load.__name__.removeprefix("load_"), relevance, measures.pairwise(X, "mutual_info"))


def _random(first_seed: int) -> Iterator[Scores]:
    for seed, n in enumerate((30, 60), first_seed):
        rng = np.random.default_rng(seed)
        uniform = rng.random((n, n))
        yield _mrmr("random", f"uniform-{n}", rng.random(n), (uniform + uniform.T) / 2)
        loadings = rng.normal(size=(n, 5))
        products = np.abs(np.corrcoef(loadings + 0.3 * rng.normal(size=(n, 5))))
        yield _mrmr("random", f"five-factors-{n}", rng.random(n), products)


def _folds(path: Path, folds: Sequence[int]) -> Iterator[tuple[int, Numbers, Numbers]]:
    """Training parts of some folds."""
    if not path.exists():
        return
    X, y = read_data(path)
    splits = StratifiedKFold(n_splits=5, shuffle=True, random_state=SEED).split(X, y)
    for fold, (train, _) in enumerate(splits):
        if fold in folds:
            yield fold, _varying(X[train]), y[train]


def _thinned(X: Numbers, y: Numbers, rows: int) -> tuple[Numbers, Numbers]:
    """About so many rows at equal distances, as some tables are sorted by the target."""
    step = -(-len(X) // rows)
    return _varying(X[::step]), y[::step]


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
