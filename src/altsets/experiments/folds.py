"""Training and test rows of a data set, and the mutual information that several methods need of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from altsets import measures
from altsets.arrays import Floats
from altsets.experiments.design import Settings
from altsets.tables.constant_columns import constant_columns

if TYPE_CHECKING:
    from altsets.experiments.datasets import StudyTable

__all__ = ["Information", "Rows", "StudyFold", "fold_of", "information_of"]


@dataclass(frozen=True, eq=False)
class Information:
    """Mutual information of some rows: of each feature with the target, and of each feature with each other."""

    relevance: Floats
    pairs: Floats


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of a table: features, codes of the two classes, names of the features.

    Attributes
    ----------
    known : Information or None
        Their mutual information, for methods that use it.
    """

    X: Floats
    y: npt.NDArray[np.intp]
    feature_names: tuple[str, ...]
    known: Information | None = None

    @property
    def information(self) -> Information:
        """Their mutual information, for methods that said that they use it."""
        assert self.known is not None
        return self.known


@dataclass(frozen=True, eq=False)
class StudyFold:
    """One part of a cross-validation."""

    train: Rows
    test: Rows

    def knowing(self, train: Information, test: Information) -> StudyFold:
        """The same with the mutual information of either part."""
        return StudyFold(replace(self.train, known=train), replace(self.test, known=test))


def fold_of(table: StudyTable, number: int, settings: Settings) -> StudyFold:
    """The rows of one fold of a stratified cross-validation."""
    from sklearn.model_selection import StratifiedKFold

    folds = StratifiedKFold(n_splits=settings.n_folds, shuffle=True, random_state=settings.seed)
    train, test = list(folds.split(table.X, table.y))[number]
    parts = (Rows(table.X[rows], table.y[rows], tuple(table.feature_names)) for rows in (train, test))
    return StudyFold(*parts)


def information_of(rows: Rows, settings: Settings) -> Information:
    """All that three methods need, computed once; on one thread, as other folds run beside it."""
    options: dict[str, Any] = {"n_jobs": 1, "random_state": settings.seed}
    as_in_paper = settings.information == "paper"
    if as_in_paper:
        # Classes count as numbers there, as all features do.
        options |= {"method": "sklearn", "discrete": False}
    task = "regression" if as_in_paper else "classification"
    with warnings.catch_warnings():
        # Copies and constants of these data sets are well known.
        warnings.simplefilter("ignore")
        relevance, _ = measures.score(rows.X, rows.y, "mutual_info", task=task, **options)
        pairs = measures.pairwise(rows.X, "mutual_info", **options)
    if as_in_paper:
        _let_constants_speak(rows, relevance, pairs, settings.seed)
    return Information(relevance, pairs)


# --- Constant columns ---------------------------------------------------------------------------------


def _let_constants_speak(rows: Rows, relevance: Floats, pairs: Floats, seed: int) -> None:
    """Give constant columns what the paper's estimator gives them: the information of the noise that it adds.

    It means nothing, and altsets says 0; but a few features of the study would be ranked otherwise.
    """
    constant = np.flatnonzero(constant_columns(rows.X))
    if not len(constant):
        return
    noise = np.random.RandomState(seed)
    features = _noisy(rows.X, noise)
    state = noise.get_state()
    for number, target in enumerate([rows.y, *rows.X.T], start=-1):
        # For each target the estimator starts from the seed again, and draws for the features first.
        noise.set_state(state)
        said = features[:, constant if number not in constant else slice(None)]
        target_column = _noisy(np.asarray(target, dtype=np.float64)[:, None], noise)[:, 0]
        values = [_nearest_neighbour_information(column, target_column) for column in said.T]
        if number < 0:
            relevance[constant] = values
        else:
            pairs[number, constant if number not in constant else slice(None)] = values


def _noisy(columns: Floats, noise: np.random.RandomState) -> Floats:
    """Columns of standard deviation 1, but for constants, with the noise that breaks ties."""
    spread = columns.std(axis=0)
    scaled = columns / np.where(spread > 0, spread, 1.0)
    size = np.maximum(1.0, np.mean(np.abs(scaled), axis=0))
    noisy: Floats = scaled + 1e-10 * size * noise.standard_normal(scaled.shape)
    return noisy


def _nearest_neighbour_information(x: Floats, y: Floats, n_neighbours: int = 3) -> float:
    """The estimate of Kraskov, Stoegbauer and Grassberger (2004): how many points are as near in x and in y alone."""
    from scipy.special import digamma
    from sklearn.neighbors import KDTree

    points = np.column_stack([x, y])
    distances, _ = KDTree(points, metric="chebyshev").query(points, k=n_neighbours + 1)
    radius = np.nextafter(distances[:, -1], 0)
    counts = [
        KDTree(one[:, None], metric="chebyshev").query_radius(one[:, None], radius, count_only=True)
        for one in (x, y)
    ]
    mean = sum(float(np.mean(digamma(count))) for count in counts)
    return max(0.0, float(digamma(len(x)) + digamma(n_neighbours)) - mean)
