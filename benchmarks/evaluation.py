"""Evaluation: against a loop written by hand, with any number of processes, with a leak, and under the null."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import matthews_corrcoef
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

import altsets
from altsets.evaluation import corrected_t_test
from benchmarks.report import Check, Section, share, table
from benchmarks.scores import SEED, read_data

DATA = ("wdbc", "sonar", "ionosphere", "backache", "spectf")
N_NULL = 600
#: False alarms at 5 %, at most.
LEVEL = 0.08


def run(folder: Path) -> Section:
    """All four."""
    section = Section("evaluation")
    for checks, body in (_loops(folder), _leak(), _level()):
        section.checks += checks
        section.body += body
    return section


Found = tuple[list[Check], list[str]]


def _loops(folder: Path) -> Found:
    lines = [line for name in DATA for line in _loop(folder / f"{name}.csv.gz")]
    if not lines:
        return [], []
    largest = max(difference for *_, difference, _ in lines)
    same = all(agree == "yes" for *_, agree in lines)
    checks = [
        Check("largest difference to a hand-written loop", "0", f"{largest:g}", largest == 0),
        Check("the same document with 1 and 2 processes", "yes", "yes" if same else "no", same),
    ]
    text = (
        "Search in the training rows (mutual information, 5 features, 3 alternatives, tau = 0.5), a decision tree for "
        "each set, Matthews correlation on the test rows, 5 folds: `altsets.evaluate` and a loop written by hand."
    )
    header = ("data", "rows", "columns", "mean score of each set", "difference", "n_jobs agree")
    return checks, [text, table(header, lines)]


def _loop(path: Path) -> Iterator[tuple[object, ...]]:
    if not path.exists():
        return
    X, y = read_data(path)
    by_hand = []
    for train, test in StratifiedKFold(5, shuffle=True, random_state=SEED).split(X, y):
        scores = altsets.quality.Additive.from_data(X[train], y[train])
        found = altsets.find(scores, n_features=5, n_alternatives=3, tau=0.5).sets
        line = []
        for chosen in found:
            tree = DecisionTreeClassifier(criterion="entropy", random_state=SEED)
            tree.fit(X[train][:, chosen], y[train])
            line.append(matthews_corrcoef(y[test], tree.predict(X[test][:, chosen])))
        by_hand.append(line)
    selector = altsets.SelectAlternatives(n_features=5, n_alternatives=3, tau=0.5)
    alone, together = (altsets.evaluate(selector, X, y, n_jobs=n_jobs) for n_jobs in (1, 2))
    measured = np.transpose([alone.scores(number) for number in range(4)])
    difference = float(np.abs(measured - by_hand).max())
    means = ", ".join(f"{score:.3f}" for score in alone.mean_scores())
    name = path.name.removesuffix(".csv.gz")
    yield name, *X.shape, means, difference, "yes" if alone == together else "no"


def _leak() -> Found:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 2000)), np.repeat([0, 1], 60)
    selector = altsets.SelectAlternatives("f")
    inside = float(np.mean(altsets.evaluate(selector, X, y).mean_scores()))
    outside = float(np.mean(altsets.evaluate(selector.fit(X, y).result_, X, y).mean_scores()))
    what = "score of pure noise: search on all rows, inside folds"
    check = Check(what, "0.2 apart", f"{outside:.2f}, {inside:.2f}", outside > inside + 0.2)
    text = (
        "Leak: 120 rows and 2,000 columns of pure noise, 4 sets of 5 features, decision trees. Mean Matthews "
        f"correlation {inside:.3f} if the search runs inside each fold, {outside:.3f} if it runs once on all rows."
    )
    return [check], [text]


SPLITTERS: tuple[tuple[str, Any], ...] = (
    ("5", 5),
    ("5 times 5", RepeatedStratifiedKFold(n_splits=5, n_repeats=5, random_state=0)),
)


def _level() -> Found:
    alarms = [(title, *_alarms(cv)) for title, cv in SPLITTERS]
    worst = max(corrected for _, corrected, _ in alarms)
    target = f"<= {100 * LEVEL:g} %"
    what = "false alarms of the corrected test at 5 %, at most"
    check = Check(what, target, share(worst, N_NULL), worst <= LEVEL * N_NULL)
    text = (
        f"False alarms in {N_NULL} simulated tables (80 rows) on which two sets say the same about the target: a "
        "decision tree, accuracy, 5 %."
    )
    lines = ((title, *(share(count, N_NULL) for count in counts)) for title, *counts in alarms)
    return [check], [text, table(("folds", "corrected t-test", "plain t-test"), lines)]


def _alarms(cv: Any) -> tuple[int, int]:
    corrected = plain = 0
    for seed in range(N_NULL):
        rng = np.random.default_rng([seed, 1])
        X = rng.normal(size=(80, 4))
        y = (X.sum(axis=1) + rng.normal(size=80) > 0).astype(int)
        evaluation = altsets.evaluate([[0, 1], [2, 3]], X, y, scoring="accuracy", cv=cv)
        corrected += evaluation.comparisons[0].p_value < 0.05
        differences = np.subtract(evaluation.scores(1), evaluation.scores(0))
        plain += corrected_t_test(differences, 0).p_value < 0.05
    return corrected, plain
