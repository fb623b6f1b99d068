"""Searches that fit models.

On the training part of fold 0 of each data set, sets are searched by the paper's Greedy Wrapper and by our local
search, which may fit no more models than the first one did. Reported are the share of time that the Greedy Wrapper does
not spend on fitting models, the quality of the sets that both find, and what these sets are worth on the test part.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import matthews_corrcoef
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets.quality import BlackBox, Wrapper
from benchmarks.report import Check, Section, table
from benchmarks.scores import SEED, Numbers, first_fold, read_data

#: Small and large; with and without single features that tell much. Local search was developed on most of these ...
DATA = (
    "GAMETES_Epistasis_2_Way_20atts_0.4H_EDM_1_1",
    "backache",
    "clean1",
    "credit_a",
    "hepatitis",
    "horse_colic",
    "ionosphere",
    "sonar",
    "spectf",
    "wdbc",
)
#: ... and not on these.
OTHER_DATA = (
    "spect",
    "house_votes_84",
    "credit_g",
    "GAMETES_Epistasis_3_Way_20atts_0.2H_EDM_1_1",
    "dis",
    "churn",
)
SIZE, TAU, MAX_ITERS = 5, 0.6, 1000
SEARCHES: tuple[dict[str, Any], ...] = (
    {"search": "sequential", "n_alternatives": 3},
    {"search": "simultaneous", "n_alternatives": 2},
)
MOST_OVERHEAD = 0.10
HEADER = (
    "data",
    "n",
    "fits: paper",
    "fits: ours",
    "outside: paper",
    "outside: ours",
    "validation: paper",
    "validation: ours",
    "test: paper",
    "test: ours",
)


@dataclass(frozen=True)
class Data:
    """One data set: rows that are searched, rows that only judge."""

    name: str
    X: Numbers
    y: npt.NDArray[np.intp]
    X_test: Numbers
    y_test: npt.NDArray[np.intp]

    def test_score(self, chosen: Sequence[int]) -> float:
        """Matthews correlation of a tree on the test part."""
        tree = DecisionTreeClassifier(criterion="entropy", random_state=SEED)
        tree.fit(self.X[:, chosen], self.y)
        return float(matthews_corrcoef(self.y_test, tree.predict(self.X_test[:, chosen])))


@dataclass(frozen=True)
class Outcome:
    """One search: models fitted, seconds in all and outside of fits, mean qualities of the sets."""

    fits: int
    seconds: float
    overhead: float
    validation: float
    test: float


def data_sets(folder: Path, names: Sequence[str]) -> Iterator[Data]:
    """Fold 0 of each data set that is there."""
    for name in names:
        path = folder / f"{name}.csv.gz"
        if path.exists():
            X, y = read_data(path)
            train, test = first_fold(y)
            yield Data(name, X[train], y[train], X[test], y[test])


def searched(data: Data, engine: str, max_iters: int, search: dict[str, Any]) -> Outcome:
    """One search with an engine, timed inside and outside of fits."""
    wrapper, fitting = Wrapper(None, data.X, data.y), 0.0

    def score(chosen: tuple[int, ...]) -> float:
        nonlocal fitting
        begun = time.perf_counter()
        value = wrapper.score(chosen)
        fitting += time.perf_counter() - begun
        return value

    box = BlackBox(score, n_features_in=data.X.shape[1])
    begun = time.perf_counter()
    result = altsets.find(box, n_features=SIZE, tau=TAU, engine=engine, max_iters=max_iters, **search)
    seconds = time.perf_counter() - begun
    return Outcome(
        box.n_evaluations,
        seconds,
        1 - fitting / seconds,
        float(np.mean(result.qualities)),
        float(np.mean([data.test_score(chosen) for chosen in result.sets])),
    )


def compared(data: Data, search: dict[str, Any]) -> tuple[Outcome, Outcome]:
    """The paper's algorithm, and local search with as many fits."""
    paper = searched(data, "greedy-wrapper", MAX_ITERS, search)
    # Sequential search has this budget for each set.
    searches = search["n_alternatives"] + 1 if search["search"] == "sequential" else 1
    return paper, searched(data, "local-search", max(1, paper.fits // searches), search)


def checks_of(pairs: Sequence[tuple[Outcome, Outcome]], kind: str) -> list[Check]:
    """What is asked of the searches of one kind."""
    papers, ours = zip(*pairs, strict=True)
    seconds = sum(one.seconds for one in papers)
    overhead = sum(one.overhead * one.seconds for one in papers) / seconds
    means = [
        float(np.mean([getattr(one, what) for one in group]))
        for what in ("validation", "test")
        for group in (papers, ours)
    ]
    fits = [sum(one.fits for one in group) for group in (papers, ours)]
    return [
        Check(
            f"{kind}: time of the Greedy Wrapper outside of fits",
            f"< {MOST_OVERHEAD:.0%}",
            f"{overhead:.1%}",
            overhead < MOST_OVERHEAD,
        ),
        Check(f"{kind}: fits of local search", f"<= {fits[0]}", str(fits[1]), fits[1] <= fits[0]),
        Check(
            f"{kind}: mean validation MCC of local search",
            f">= {means[0]:.3f}",
            f"{means[1]:.3f}",
            means[1] >= means[0],
        ),
        Check(
            f"{kind}: mean test MCC of local search", "", f"{means[3]:.3f} (paper's: {means[2]:.3f})", True
        ),
    ]


def run(folder: Path) -> Section:
    """All searches on the data sets that are there."""
    section = Section("wrapper")
    section.body = [
        f"k = {SIZE}, tau = {TAU:g}, training part of fold 0, decision trees; the paper's Greedy Wrapper with at most "
        f"{MAX_ITERS} swaps, and local search with no more fits. Validation: mean quality of the sets, Matthews "
        "correlation on held-out rows of the training part. Test: the same on the test part. Outside: the share of "
        "time that is not spent on fits. Local search was developed while looking at folds 0 and 1 of most of the "
        "first data sets; the others were not looked at."
    ]
    for title, names in (("", DATA), ("other data, ", OTHER_DATA)):
        found = list(data_sets(folder, names))
        if not found:
            continue
        # Imports are nobody's overhead.
        for engine in ("greedy-wrapper", "local-search"):
            searched(found[0], engine, 2, SEARCHES[1])
        for search in SEARCHES:
            kind = f"{title}{search['search']}, a = {search['n_alternatives']}"
            pairs = [compared(data, search) for data in found]
            lines = [_line(data, *pair) for data, pair in zip(found, pairs, strict=True)]
            section.body += [f"{kind[0].upper()}{kind[1:]}:", table(HEADER, lines)]
            section.checks += checks_of(pairs, kind)
    return section


def _line(data: Data, paper: Outcome, ours: Outcome) -> tuple[object, ...]:
    scores = (paper.validation, ours.validation, paper.test, ours.test)
    return (
        data.name,
        data.X.shape[1],
        paper.fits,
        ours.fits,
        f"{paper.overhead:.1%}",
        f"{ours.overhead:.1%}",
        *(f"{value:.3f}" for value in scores),
    )
