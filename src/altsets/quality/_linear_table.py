"""Tables and targets of linear models: columns centred and of length one, and models on some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from altsets.arrays import Floats, Indices
from altsets.errors import InputError
from altsets.measures.covariates import EXPLAINED, basis_of, orthonormal, unexplained
from altsets.measures.risk_sets import InformationRoot, cox_model, fit_cox
from altsets.tables.feature_matrix import Features, encode
from altsets.tables.survival import Survival
from altsets.tables.target import has_several, in_one_form, labels_for_models, target_of
from altsets.wording import join_words, plural


@dataclass(frozen=True, eq=False)
class LinearTable:
    """The columns of a table: centred, weighed and of length one (``units``)."""

    n_rows: int

    #: Of the columns of categories; empty for numbers.
    labels: tuple[str, ...]
    starts: Indices
    means: Floats
    lengths: Floats
    units: Floats
    #: Square roots of the weights of rows; None if all count the same.
    roots: Floats | None
    #: The columns as they are, of survival, whose units are not rows of the table.
    matrix: Floats | None = None
    #: What covariates span, of which nothing is left in the units; None without covariates.
    basis: Floats | None = None

    @classmethod
    def of(
        cls, features: Features, missing: str, weights: Floats | None, survival: CoxRows | None = None
    ) -> LinearTable:
        """Categories become columns of 0 and 1, one for each label but the last."""
        if missing == "mean":
            features = _with_means(features, weights)
        features.refuse_missing(
            "linear_fit", advice="fill them in, drop these rows, or pass missing='mean' to put in the means"
        )
        encoded = encode(features)
        widths = np.bincount(encoded.owners, minlength=features.n_features)
        kept = np.ones(len(encoded.owners), dtype=bool)
        kept[np.cumsum(widths)[widths > 1] - 1] = False
        matrix = encoded.matrix[:, kept] if not kept.all() else encoded.matrix
        starts = np.concatenate([[0], np.cumsum(np.where(widths > 1, widths - 1, widths))])
        labels = [
            str(label)
            for index in range(features.n_features)
            for label in (features.categories[index][:-1] if widths[index] > 1 else [""])
        ]
        roots = None if weights is None or survival is not None else np.sqrt(weights)
        # In units of about the largest value, or squares may be infinite; powers of two round nothing.
        largest = np.max(np.abs(matrix), axis=0, initial=0.0)
        sizes = np.exp2(np.round(np.log2(np.where(largest > 0, largest, 1.0))))
        scaled = matrix / sizes
        means = np.average(scaled, axis=0, weights=weights)
        units = scaled - means
        if survival is not None:
            units = survival.root.turned(units)
        elif roots is not None:
            units *= roots[:, None]
        lengths = np.linalg.norm(units, axis=0)
        # What is left of a constant column is rounding.
        noise = np.sqrt(len(matrix)) * 1e-14 * np.abs(means)
        lengths = np.where(lengths > noise, lengths, 0.0)
        units *= np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        basis = None
        if features.covariates is not None:
            basis = basis_of(features.covariates, weights) if survival is None else survival.basis
            assert basis is not None
            whole, units = units, unexplained(units, basis)
            lengths = lengths * np.sum(whole * units, axis=0)
        columns = (tuple(labels), starts.astype(np.intp), means * sizes, lengths * sizes, units, roots)
        return cls(len(matrix), *columns, None if survival is None else matrix, basis)

    @property
    def rows(self) -> int:
        return len(self.units)

    def centred(self, values: Floats) -> Floats:
        """Other columns for the same rows: less their means, and weighed."""
        centred = values - self.averages(values)
        if self.roots is not None:
            centred *= self.roots[:, None]
        if self.basis is None:
            return centred
        left: Floats = centred - self.basis @ (self.basis.T @ centred)
        if np.any(np.linalg.norm(left, axis=0) <= EXPLAINED * np.linalg.norm(centred, axis=0)):
            raise InputError(
                "the covariates explain the target, or a class of it, completely; leave one of them out."
            )
        return left

    def averages(self, values: Floats) -> Floats:
        averages: Floats = np.average(values, axis=0, weights=None if self.roots is None else self.roots**2)
        return averages

    @property
    def weight(self) -> float:
        return float(self.rows) if self.roots is None else float(np.sum(self.roots**2))

    @property
    def gram(self) -> Floats:
        """Correlations of the columns; constant ones have none."""
        gram = self.units.T @ self.units
        np.fill_diagonal(gram, 1.0)
        return gram


@dataclass(frozen=True, eq=False)
class Predicted:
    """What models predict: columns with names.

    They are divided by ``sizes``, so that squares do not overflow, then have these ``means`` and, less those and
    weighed, are ``centred``, with these sums of ``squares``.
    """

    names: tuple[str, ...]
    sizes: Floats
    means: Floats
    centred: Floats
    squares: Floats

    @classmethod
    def of(cls, columns: Floats, names: tuple[str, ...], table: LinearTable) -> Predicted:
        largest = np.max(np.abs(columns), axis=0)
        # Powers of two, by which nothing is rounded.
        sizes = np.exp2(np.round(np.log2(np.where(largest > 0, largest, 1.0))))
        columns = columns / sizes
        centred = table.centred(columns)
        return cls(names, sizes, table.averages(columns), centred, np.sum(centred**2, axis=0))

    def fitted(self, table: LinearTable, columns: Indices, ridge: float) -> dict[str, Any]:
        """Least squares on some columns, in the units of the table: what a :class:`FittedSet` has in numbers."""
        units, wanted, size = table.units[:, columns], self.centred, self.sizes
        values, vectors = np.linalg.eigh(units.T @ units + ridge * np.eye(len(columns)))
        # Of columns that add up to others nothing is left but rounding.
        kept = values > len(values) * np.finfo(np.float64).eps * max(values[-1], 0.0)
        inverse = vectors[:, kept] / values[kept] @ vectors[:, kept].T
        weights = inverse @ (units.T @ wanted)
        lengths = table.lengths[columns]
        scale = np.divide(1.0, lengths, out=np.zeros(len(columns)), where=lengths > 0)
        missed = np.sum((wanted - units @ weights) ** 2, axis=0)
        left = table.rows - len(columns) - (1 if table.basis is None else table.basis.shape[1])
        # What a ridge does to errors depends on the true coefficients.
        variances = missed / left if left > 0 and not ridge else np.full(len(missed), np.nan)
        # With covariates, rows have an intercept each.
        middle = table.means[columns] * scale if table.basis is None else np.full(len(columns), np.nan)
        spread = 1 / table.weight + middle @ inverse @ middle
        return {
            "coefficients": weights * scale[:, None] * size,
            "standard_errors": np.sqrt(np.maximum(np.diag(inverse), 0.0)[:, None] * variances)
            * scale[:, None]
            * size,
            "intercept": (self.means - middle @ weights) * size,
            "intercept_errors": np.sqrt(spread * variances) * size,
            "target_r2": 1 - missed / self.squares,
        }


class CoxRows:
    """A survival target: its score tests as least squares, and Cox models on some columns."""

    def __init__(self, target: Survival, weights: Floats | None, covariates: Floats | None = None) -> None:
        self._target, self._weights = target, weights
        null, self._beside = cox_model(target, weights, covariates)
        self.root = InformationRoot(null)
        #: What covariates span, among the rows of the root; None without covariates.
        self.basis = None if self._beside is None else orthonormal(self.root.turned(self._beside))
        self.names = (target.event_name,)

    def fitted(self, table: LinearTable, columns: Indices, ridge: float) -> dict[str, Any]:
        """The Cox model on some columns, in the units of the table: what a :class:`FittedSet` has in numbers."""
        assert table.matrix is not None
        lengths = table.lengths[columns]
        scale = np.divide(1.0, lengths, out=np.zeros(len(columns)), where=lengths > 0)
        matrix = table.matrix[:, columns] * scale
        if self._beside is not None:
            matrix = np.hstack([matrix, self._beside])
        coefficients, errors, c_index = fit_cox(matrix, self._target, self._weights, ridge)
        nothing = np.full(1, np.nan)
        return {
            "coefficients": (coefficients[: len(columns)] * scale)[:, None],
            "standard_errors": (errors[: len(columns)] * scale)[:, None],
            **dict.fromkeys(("intercept", "intercept_errors", "target_r2"), nothing),
            "c_index": c_index,
        }


@dataclass(frozen=True, eq=False)
class LinearTargets:
    """What sets explain: columns whose squares add up to ``total``; and what models predict, if there is a target."""

    units: Floats
    total: float
    predicted: Predicted | CoxRows | None = None
    is_classes: bool = False

    @classmethod
    def of(cls, y: Any, table: LinearTable, task: str) -> LinearTargets:
        """The targets of a table; its own columns if there are none."""
        if y is None:
            return cls(_compressed(table.units), float(np.count_nonzero(table.lengths)))
        if isinstance(y, CoxRows):
            return cls(y.root.target[:, None], float(np.sum(y.root.target**2)), y)
        several = _several(y, table.rows)
        if several is not None:
            predicted = Predicted.of(*several, table)
            lengths = np.sqrt(predicted.squares)
            if not lengths.all():
                constant = predicted.names[int(np.argmin(lengths))]
                raise InputError(f"target {constant!r} is the same in all rows; leave it out.")
            return cls(predicted.centred / lengths, float(len(lengths)), predicted)
        target = target_of(y, table.rows, task)
        if not target.is_classes:
            column = np.asarray(target.values, dtype=np.float64)[:, None]
            predicted = Predicted.of(column, ("target",), table)
            return cls(predicted.centred, float(predicted.squares[0]), predicted)
        labels = labels_for_models(y, target)
        codes = np.asarray(target.values)
        first = [codes.tolist().index(code) for code in range(target.n_distinct)]
        columns = (codes[:, None] == np.arange(1, target.n_distinct)).astype(np.float64)
        predicted = Predicted.of(columns, tuple(str(labels[place]) for place in first[1:]), table)
        # Of length one and at right angles to each other.
        units = np.linalg.qr(predicted.centred)[0]
        return cls(units, float(units.shape[1]), predicted, is_classes=True)

    @property
    def is_one_number(self) -> bool:
        return (
            isinstance(self.predicted, Predicted) and not self.is_classes and len(self.predicted.names) == 1
        )


def _several(y: Any, n_rows: int) -> tuple[Floats, tuple[str, ...]] | None:
    """Several columns of numbers with their names; None if there is one column."""
    if not has_several(y):
        return None
    fields = in_one_form(y)
    names = tuple(fields.dtype.names)
    if len(fields) != n_rows:
        raise InputError(f"the targets have {len(fields)} rows, but the table has {n_rows}.")
    text = [name for name in names if fields.dtype[name].kind == "O"]
    if text:
        raise InputError(
            f"linear_fit with several targets takes numbers, but {join_words(text)} {plural(len(text), 'is', 'are')} "
            "text; turn them into numbers."
        )
    return np.column_stack([fields[name] for name in names]), names


def _compressed(units: Floats) -> Floats:
    """Columns with the same products among rows, no more than there are rows."""
    if units.shape[1] <= len(units):
        return units
    values, vectors = np.linalg.eigh(units @ units.T)
    kept = values > values[-1] * len(values) * np.finfo(np.float64).eps
    compressed: Floats = vectors[:, kept] * np.sqrt(values[kept])
    return compressed


def _with_means(features: Features, weights: Floats | None) -> Features:
    values = features.values.copy()
    for column in np.flatnonzero(features.incomplete).tolist():
        known = ~np.isnan(values[:, column])
        if not known.any():
            raise InputError(f"{features.label(column)} has no values at all; drop it.")
        counted_rows = None if weights is None else weights[known]
        values[~known, column] = np.average(values[known, column], weights=counted_rows)
    return replace(features, cells=values)
