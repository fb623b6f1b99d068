"""Quality of linear models: the share of the targets, or of the table itself, that a set explains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats, Indices
from altsets.errors import InputError
from altsets.features import FeatureNames, as_number, one_of, real_numbers
from altsets.measures.large.table import is_large
from altsets.measures.redundancy import MATRIX_COLUMNS
from altsets.quality._fitted_set import FittedSet
from altsets.quality._linear_table import CoxRows, LinearTable, LinearTargets, Predicted
from altsets.quality._quality import Quality, common_names
from altsets.quality.explained import Explained, Products
from altsets.quality.form import Form
from altsets.tables.conversion import features_of
from altsets.tables.feature_matrix import warn_of_constants
from altsets.tables.survival import Survival, is_survival
from altsets.tables.target import vector_of
from altsets.tables.weights import counted
from altsets.wording import join_words, parameter

#: Gram matrices of columns of length one whose smallest eigenvalue is below this have columns that add up to others.
DEPENDENT = 1e-9
#: Below this, too few digits are left to prove which of two sets is better; then, and where columns are more than rows,
#: there is a ridge that is small beside the lengths of columns, which are one.
NEARLY_DEPENDENT, AUTOMATIC_RIDGE = 1e-6, 1e-5
#: By how much a Gram matrix may differ from its transpose, relative to its largest number.
ASYMMETRY = 1e-9
#: Sets whose shares are kept: those of one answer are asked for several times.
MOST_SHARES = 100
CRITERIA = ("bic", "aic", "adjusted_r2")
MISSING = ("error", "mean")


class LinearFit(Quality):
    """Quality of a set = the share of the targets that the best linear model on the set explains.

    With the Gram matrix G of the features and their products C with the targets, it is
    trace(C_S' G_SS^-1 C_S) / total. For one numeric target that is R^2 of least squares; for several, its mean; for
    classes the mean squared canonical correlation, which is Pillai's trace divided by the number of classes minus one;
    without a target the share of all variance of the table that the set keeps. For survival it is the score statistic
    of a Cox model, divided by the largest that any column could have.

    Parameters
    ----------
    gram : array-like of shape (n_columns, n_columns)
        Products of the (centred) columns with each other: symmetric, positive definite with the ridge.
    cross : array-like of shape (n_columns,) or (n_columns, n_targets)
        Products of the columns with the targets.
    total : float, default=None
        What explains everything: the sum of the squares of the targets. None leaves the trace undivided.
    ridge : float, default=0.0
        Added to the diagonal of the Gram matrix; needed where columns add up to others.
    feature_names : sequence of str, default=None
    owners : sequence of int, default=None
        The feature that each column belongs to, ascending from 0; None if each column is a feature. A category is one
        feature with several columns.

    See Also
    --------
    altsets.quality.LinearFit.fit : Coefficients of the model on a set.

    References
    ----------
    Furnival, G. M. and Wilson, R. W. (1974): Regressions by leaps and bounds. Technometrics 16(4).

    Examples
    --------
    >>> quality = LinearFit([[1, 0.5, 0], [0.5, 1, 0], [0, 0, 1]], [0.6, 0.5, 0.4])
    >>> round(quality.evaluate((0, 2)), 3)
    0.52
    """

    size_normalised = False

    def __init__(
        self,
        gram: npt.ArrayLike,
        cross: npt.ArrayLike,
        total: float | None = None,
        ridge: float = 0.0,
        feature_names: Sequence[str] | None = None,
        owners: Sequence[int] | None = None,
    ) -> None:
        matrix = _gram(gram)
        products = real_numbers("cross", cross)
        products = products[:, None] if products.ndim == 1 else products
        if products.ndim != 2 or len(products) != len(matrix) or not np.isfinite(products).all():
            raise InputError(
                f"cross must hold finite numbers, one row for each of the {len(matrix)} columns of the Gram matrix; "
                f"got shape {np.shape(cross)}."
            )
        whole = 1.0 if total is None else _not_negative("total", total, zero=False)
        starts = _starts(owners, len(matrix))
        super().__init__(len(starts) - 1, common_names(feature_names, len(starts) - 1))
        self.ridge = _not_negative("ridge", ridge)
        diagonal = np.diag(matrix) + self.ridge
        # Columns of length about one: powers of two, by which nothing is rounded. A column of zeros explains nothing,
        # whatever stands beside it.
        scale = np.exp2(np.round(np.log2(np.where(diagonal > 0, diagonal, 1.0)) / 2))
        matrix[np.diag_indices(len(matrix))] = np.where(diagonal > 0, diagonal, 1.0)
        matrix /= scale * scale[:, None]
        values, vectors = np.linalg.eigh(matrix)
        if values[0] < DEPENDENT:
            raise _refuse_dependent(vectors[:, 0], starts, FeatureNames.of_quality(self))
        self._set(matrix, products / scale[:, None], starts, float(values[0]), 1 / whole)
        self._total = whole

    def _set(
        self, gram: Floats | Products, cross: Floats, starts: Indices, smallest: float, factor: float = 1.0
    ) -> None:
        if isinstance(gram, Products):
            self.pairs_on_demand, ceiling = True, gram.explained_by_all
        else:
            ceiling = float(np.sum(cross * np.linalg.solve(gram, cross)))
        self._explained = Explained(gram, np.ascontiguousarray(cross), starts, ceiling, smallest, factor)
        self._total, self._penalty, self._rows = 1.0, 0.0, 0
        self._criterion: str | None = None
        self._table: LinearTable | None = None
        self._predicted: Predicted | CoxRows | None = None
        self._alone: Floats | None = None
        self._shares: dict[tuple[int, ...], float] = {}
        self.notes: tuple[str, ...] = ()

    @classmethod
    def from_data(
        cls,
        X: Any,
        y: Any = None,
        *,
        task: str = "auto",
        ridge: float | str = "auto",
        missing: str = "error",
        criterion: str | None = None,
        sample_weight: Any = None,
    ) -> LinearFit:
        """Make the quality of a table: columns and targets are centred and standardised.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Numbers and categories; a category is one feature with a column for each label but the last.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), default=None
            Numbers, classes, or several columns of numbers. Or survival: then the quality is the score statistic of a
            Cox model on the set, as a share of the largest that any column could have. None for the table itself: how
            much of its variance a set keeps.
        task : {"auto", "classification", "regression"}, default="auto"
            Whether a target in one column is classes or numbers.
        ridge : float or "auto", default="auto"
            Added to the diagonal of the correlation matrix. "auto" adds 0.00001 where there are more columns than
            rows or columns nearly add up to others, with a note, and else nothing.
        missing : {"error", "mean"}, default="error"
            Whether missing numbers are refused, or replaced by the mean of their column.
        criterion : {"bic", "aic", "adjusted_r2"}, default=None
            For sets of different sizes, which R^2 cannot compare: by how much the criterion is better than that of a
            model without features. For one numeric target.
        sample_weight : array-like of shape (n_samples,), default=None
        """
        if criterion is not None:
            one_of("criterion", criterion, CRITERIA)
        one_of("missing", missing, MISSING)
        if is_large(X):
            raise InputError(
                "linear_fit needs a table in memory; choose fewer columns, or use f, or mrmr with pearson."
            )
        features = features_of(X)
        features.refuse_sparse("linear_fit", "use f, or mrmr with pearson")
        features, y, weights = counted(features, y, sample_weight, task)
        warn_of_constants(features)
        events = Survival.of(vector_of(y, features.n_rows)) if is_survival(y) else None
        survival = None if events is None else CoxRows(events, weights, features.covariates)
        table = LinearTable.of(features, missing, weights, survival)
        targets = LinearTargets.of(survival or y, table, task)
        if criterion is not None and features.covariates is not None:
            raise InputError(
                f"{parameter('criterion', criterion)} does not support covariates; leave it out."
            )
        if criterion is not None and not targets.is_one_number:
            raise InputError(
                f"{parameter('criterion', criterion)} is for one numeric target; leave it out, or choose one size."
            )
        made = cls.__new__(cls)
        Quality.__init__(made, features.n_features, features.names)
        made._of_table(table, targets, ridge)
        made._table, made._predicted = table, targets.predicted
        if criterion is not None:
            made._take_criterion(criterion, table)
        return made

    def _of_table(self, table: LinearTable, targets: LinearTargets, ridge: float | str) -> None:
        n_columns, shares = table.units.shape[1], targets.units / math.sqrt(targets.total)
        wide, smallest, why = n_columns > MATRIX_COLUMNS, 0.0, ""
        if not wide:
            correlations = table.gram
            smallest = float(np.linalg.eigvalsh(correlations)[0])
        if ridge == "auto":
            if n_columns >= table.rows:
                why = f"there are {n_columns:,} columns and {table.n_rows:,} rows"
            elif wide:
                why = f"there are {n_columns:,} columns"
            elif smallest < NEARLY_DEPENDENT:
                why = "some columns nearly add up to others"
            ridge = AUTOMATIC_RIDGE if why else 0.0
        self.ridge = chosen = _not_negative("ridge", ridge)
        cross = table.units.T @ (shares / math.sqrt(1 + chosen))
        if wide:
            if not chosen:
                raise InputError(
                    f"a table of {n_columns:,} columns needs a ridge above 0, such as {AUTOMATIC_RIDGE:g}."
                )
            gram: Floats | Products = Products(table.units, chosen, shares)
            smallest = chosen / (1 + chosen)
        else:
            gram = (correlations + chosen * np.eye(n_columns)) / (1 + chosen)
            np.fill_diagonal(gram, 1.0)
            smallest = (smallest + chosen) / (1 + chosen)
            if smallest < DEPENDENT:
                _, vectors = np.linalg.eigh(correlations)
                raise _refuse_dependent(vectors[:, 0], table.starts, FeatureNames.of_quality(self))
        self._set(gram, cross, table.starts, smallest)
        self.notes = (f"Linear models have a ridge of {chosen:g}, as {why}.",) if why else ()

    def _take_criterion(self, criterion: str, table: LinearTable) -> None:
        rows, widths = table.rows, np.diff(table.starts)
        if criterion == "adjusted_r2" and widths.max() > 1:
            raise InputError(
                f"{parameter('criterion', criterion)} is for numbers; with categories choose 'bic' or 'aic'."
            )
        self._criterion, self._rows = criterion, rows
        self.size_normalised = True
        if criterion != "adjusted_r2":
            self._penalty = math.log(rows) if criterion == "bic" else 2.0

    @property
    def feature_scores(self) -> Floats:
        if self._alone is None:
            scores: Floats = self._explained.with_each([], np.arange(self.n_features_in))
            scores.setflags(write=False)
            self._alone = scores
        return self._alone

    @property
    def criterion(self) -> str | None:
        """The criterion that compares sets of different sizes; None if the share itself does."""
        return self._criterion

    def share(self, indices: Sequence[int]) -> float:
        """Return the share of the targets that a set explains, whatever the criterion."""
        chosen = tuple(sorted(indices))
        known = self._shares.get(chosen)
        if known is None:
            known = self._share(chosen)
            if len(self._shares) >= MOST_SHARES:
                self._shares.clear()
            self._shares[chosen] = known
        return known

    def _share(self, chosen: Sequence[int]) -> float:
        columns = self._explained.columns_of(chosen)
        gram, cross = self._explained.gram[np.ix_(columns, columns)], self._explained.cross[columns]
        # By eigenvectors, as answers of engines, which use factors and inverses, are checked with this. An error of the
        # weights counts only by its square in the last line, whose sums have more digits.
        values, vectors = np.linalg.eigh(gram)
        weights = (vectors @ ((vectors.T @ cross) / values[:, None])).astype(np.longdouble)
        explained = 2 * np.sum(weights * cross) - np.sum(weights * (gram.astype(np.longdouble) @ weights))
        return float(explained / self._total)

    def evaluate(self, indices: Sequence[int]) -> float:
        share, size = self.share(indices), len(indices)
        if self._criterion is None:
            return share
        if self._criterion == "adjusted_r2":
            intercept, slope = self._adjusted(size)
            return intercept + slope * share
        n_columns = len(self._explained.columns_of(indices))
        return -self._rows * math.log1p(-min(share, 1 - 1e-15)) - self._penalty * n_columns

    def form(self, size: int) -> Form:
        nothing = np.zeros(self.n_features_in)
        if self._criterion is None:
            return Form(nothing, fit=self._explained)
        if self._criterion == "adjusted_r2":
            intercept, slope = self._adjusted(size)
            return Form(nothing + intercept / max(size, 1), fit=self._explained.times(slope))
        widths = np.diff(self._explained.starts)
        return Form(-self._penalty * widths, fit=self._explained.times(self._rows, in_logs=True))

    def _adjusted(self, size: int) -> tuple[float, float]:
        """Adjusted R^2 as a line: 1 - (1 - share) (rows - 1) / (rows - size - 1)."""
        if self._rows - size - 1 <= 0:
            raise InputError(
                f"adjusted R^2 of {size} features needs more than {size + 1} rows, and there are {self._rows}; choose "
                "smaller sets."
            )
        slope = (self._rows - 1) / (self._rows - size - 1)
        return 1.0 - slope, slope

    def fit(self, features: Sequence[int | str]) -> FittedSet:
        """Fit the linear model on one set of indices or names, in the units of the table; for survival, the Cox model.

        For several targets there is a column each. A Cox model has logarithms of hazard ratios and the C index.
        """
        if self._table is None or self._predicted is None:
            raise InputError("there is no model without a table and a target; use LinearFit.from_data(X, y).")
        chosen = sorted(set(FeatureNames.of_quality(self).positions(features, "fit")))
        return self._fitted(self._table, self._predicted, chosen)

    def _fitted(self, table: LinearTable, predicted: Predicted | CoxRows, chosen: Sequence[int]) -> FittedSet:
        names, columns = [], self._explained.columns_of(chosen)
        owners = np.searchsorted(table.starts, columns, side="right") - 1
        for owner, column in zip(owners.tolist(), columns.tolist(), strict=True):
            label = table.labels[column]
            names.append(f"{self._name(owner)}={label}" if label else self._name(owner))
        # The ridge that keeps a search from dividing by zero is no choice of the user.
        ridge = self.ridge if self.ridge > AUTOMATIC_RIDGE else 0.0
        return FittedSet(
            features=self.names_of(chosen),
            columns=tuple(names),
            r2=self.share(chosen),
            targets=predicted.names,
            **predicted.fitted(table, columns, ridge),
        )

    def models_in(self, sets: Sequence[Sequence[int]]) -> list[FittedSet]:
        if self._table is None or self._predicted is None:
            return []
        return [self._fitted(self._table, self._predicted, chosen) for chosen in sets]


# --- Checks -------------------------------------------------------------------------------------------


def _gram(gram: Any) -> Floats:
    matrix = real_numbers("gram", gram)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not len(matrix):
        shape = " x ".join(map(str, matrix.shape)) or "a single number"
        raise InputError(
            f"gram is {shape}, not square; give one row and one column for each column of the table."
        )
    if not np.isfinite(matrix).all():
        raise InputError("gram holds numbers that are not finite; fill in or drop what they come from.")
    if np.max(np.abs(matrix - matrix.T)) > ASYMMETRY * max(float(np.max(np.abs(matrix))), 1e-300):
        raise InputError("gram is not symmetric, as products of columns are; give X.T @ X.")
    if np.any(np.diag(matrix) < 0):
        raise InputError("gram has negative numbers on the diagonal, where squares are; give X.T @ X.")
    return np.asarray((matrix + matrix.T) / 2)


def _starts(owners: Sequence[int] | None, n_columns: int) -> Indices:
    if owners is None:
        return np.arange(n_columns + 1)
    given = np.asarray(owners)
    n_features = int(given[-1]) + 1 if given.shape == (n_columns,) and n_columns else 0
    if (
        not n_features
        or not np.array_equal(np.unique(given), np.arange(n_features))
        or np.any(np.diff(given) < 0)
    ):
        raise InputError(
            f"owners must name a feature for each of the {n_columns} columns: 0 for the first ones, then 1, and so on."
        )
    return np.searchsorted(given, np.arange(n_features + 1)).astype(np.intp)


def _refuse_dependent(vector: Floats, starts: Indices, names: FeatureNames) -> InputError:
    """What to say about columns that add up to others: those that do."""
    owners = np.searchsorted(starts, np.arange(len(vector)), side="right") - 1
    involved = sorted(set(owners[np.abs(vector) > 0.1 * np.max(np.abs(vector))].tolist()))
    named = join_words([names[one] for one in involved])
    return InputError(
        f"{named} depend on each other: one of them is a sum of the others, up to rounding; drop one, or give "
        f"{parameter('ridge', AUTOMATIC_RIDGE)}."
    )


def _not_negative(what: str, value: Any, *, zero: bool = True) -> float:
    number = as_number(value)
    if not 0 <= number < math.inf or (number == 0 and not zero):
        raise InputError(f"{parameter(what, value)} must be a number {'from 0 up' if zero else 'above 0'}.")
    return number
