"""What the searches run on: mutual information as scores, FCBF and mRMR; tree importances."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.searches import Scores

Numbers = npt.NDArray[np.float64]
#: The data sets whose tree importances are searched: small and large, few and many zeros.
IMPORTANCE_DATA = (
    "wdbc",
    "sonar",
    "spectf",
    "ionosphere",
    "backache",
    "credit_g",
    "spambase",
    "chess",
    "clean1",
    "Hill_Valley_with_noise",
)
#: The paper's seed.
SEED = 25


def mutual_information(folder: Path) -> list[Scores]:
    """The mutual information of each feature with the target, divided by its sum as in the paper."""
    return [Scores("MI", name, q / q.sum()) for name, (q, _) in _matrices(folder).items()]


def fcbf(folder: Path) -> list[Scores]:
    """Mutual information with the target and between features: conflicts are decided on values as they are."""
    return [Scores("FCBF", name, q, R, "fcbf") for name, (q, R) in _matrices(folder).items()]


def mrmr(folder: Path) -> list[Scores]:
    """The same without self-information, divided by its largest value as in the paper."""
    found = []
    for name, (q, R) in _matrices(folder).items():
        np.fill_diagonal(R, 0.0)
        largest = max(q.max(), R.max())
        found.append(Scores("mRMR", name, q / largest, R / largest, "mrmr"))
    return found


def _matrices(folder: Path) -> dict[str, tuple[Numbers, Numbers]]:
    """By data set: information of each feature on the target, and of each feature on each other."""
    found = {}
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as matrices:
            found[path.stem] = (np.array(matrices["q"], np.float64), np.array(matrices["R"], np.float64))
    return found


def read_data(path: Path) -> tuple[Numbers, npt.NDArray[np.int_]]:
    """Features and target of a data set."""
    with gzip.open(path, "rt") as lines:
        header = lines.readline().strip().split(",")
        table = np.loadtxt(lines, delimiter=",", ndmin=2)
    target = header.index("target")
    return np.delete(table, target, axis=1), table[:, target].astype(int)


def first_fold(y: npt.NDArray[np.int_]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Rows of the training part and of the test part of fold 0, as in the paper."""
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=SEED)
    train, test = next(iter(folds.split(y[:, None], y)))
    return train, test


def training_part(path: Path) -> tuple[Numbers, npt.NDArray[np.int_]]:
    """Features and target of the training part of fold 0."""
    X, y = read_data(path)
    train, _ = first_fold(y)
    return X[train], y[train]


def tree_importances(folder: Path) -> list[Scores]:
    """Importances in a decision tree on the training part of fold 0: skewed scores, mostly zeros."""
    found = []
    for name in IMPORTANCE_DATA:
        path = folder / f"{name}.csv.gz"
        if not path.exists():
            continue
        tree = DecisionTreeClassifier(criterion="entropy", random_state=SEED).fit(*training_part(path))
        found.append(Scores("Model Gain", name, np.asarray(tree.feature_importances_, dtype=np.float64)))
    return found
