"""Tables in one form (numbers, coded categories, nan for missing), what models get of them, checks of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError, warn_user
from altsets.features import FeatureNames
from altsets.tables import sparse
from altsets.wording import by_interface, list_some

#: The label of missing values among categories.
MISSING_LABEL = "(missing)"
#: The message of measures and models that need complete columns.
MISSING_VALUES = "cannot deal with missing values"

#: A column with more labels than this, and than half of the rows, identifies rows instead of grouping them.
FEW_CATEGORIES = 10
#: The most categories of a column that is encoded.
MOST_CATEGORIES = 255
#: Trees use single precision: infinite beyond this, 0 below its inverse.
LARGEST_VALUE = 1e38
#: Values that are hashed together.
CELLS_AT_A_TIME = 100_000
#: Measures that use a feature only in rows where it is known.
LEAVE_OUT_ROWS = ("f", "pearson", "spearman", "chi2", "concordance", "cox", "logrank")
#: How a warning of constant columns begins.
CONSTANT = "some columns are constant"
#: Measures that take sparse tables.
SPARSE_MEASURES = ("f", "pearson", "spearman", "chi2", "mutual_info", "symmetrical_uncertainty")


@dataclass(frozen=True, eq=False)
class Original:
    """Some rows and columns (None: all) of a table as it was passed; nothing is copied before a model is fitted."""

    table: Any
    chosen_rows: Indices | None = None
    chosen_columns: tuple[int, ...] | None = None

    def rows(self, chosen: npt.NDArray[Any]) -> Original:
        known = self.chosen_rows
        places = np.flatnonzero(chosen) if chosen.dtype == bool else np.asarray(chosen, dtype=np.intp)
        return replace(self, chosen_rows=places if known is None else known[places])

    def columns(self, chosen: Sequence[int]) -> Original:
        known = self.chosen_columns
        places = tuple(int(index) if known is None else known[index] for index in chosen)
        return replace(self, chosen_columns=places)

    def part(self, chosen: Indices) -> Original:
        # Rows first, then columns: the other order may have another memory layout, and sums over it may differ in the
        # last digit.
        return Original(_take(self.table, self.rows(chosen).chosen_rows, axis=0), None, self.chosen_columns)

    def __call__(self, indices: Sequence[int]) -> Any:
        """The columns of some features, with all rows of the table."""
        some = _take(self.table, list(self.columns(indices).chosen_columns or ()), axis=1)
        return np.ascontiguousarray(some) if isinstance(some, np.ndarray) else some

    def shuffled(self, index: int, order: Indices) -> Any:
        """All columns, that of one feature with its rows in another order."""
        known = self.chosen_columns
        table = self.table if known is None else _take(self.table, list(known), axis=1)
        if isinstance(table, np.ndarray):
            table = table.copy()
            table[:, index] = table[order, index]
            return table
        import narwhals as nw

        frame = nw.from_native(table, eager_only=True)
        column = frame.get_column(frame.columns[index])
        return frame.with_columns(column[order]).to_native()


def _take(table: Any, places: Any, axis: int) -> Any:
    # scikit-learn takes rows of Arrow tables since 1.7.
    if type(table).__module__.partition(".")[0] == "pyarrow":
        return table.take(places) if axis == 0 else table.select(list(places))
    # The function of scikit-learn's cross-validation, for pandas, polars and arrays.
    from sklearn.utils import _safe_indexing

    return _safe_indexing(table, places, axis=axis)


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of a table.

    ``cells`` are numbers (nan = missing) and the codes 0, 1, ... of categories: an array, or a sparse one as
    :mod:`altsets.tables.sparse` makes it, without categories. ``categories`` has the labels of each category by the
    index of its column; a missing label is ``"(missing)"``, the last one. ``original`` is the same table as it was
    passed; None if that was ``cells``, or a file.
    """

    cells: Any
    names: list[str] | None = None
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    original: Original | None = None
    covariates: Floats | None = None

    @property
    def values(self) -> Floats:
        """The cells as an array, for what needs a dense table; a sparse one is refused."""
        if self.is_sparse:
            self.refuse_sparse("this")
        return self.cells  # type: ignore[no-any-return]

    @property
    def is_sparse(self) -> bool:
        return not isinstance(self.cells, np.ndarray)

    @property
    def n_rows(self) -> int:
        return int(self.cells.shape[0])

    @property
    def n_features(self) -> int:
        return int(self.cells.shape[1])

    def __getstate__(self) -> dict[str, Any]:
        # Nothing that was computed since: a memory compares what is pickled.
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def dense(self) -> Floats:
        """The cells as an array, also of a sparse table; for some columns at a time, as all may not fit into memory."""
        return sparse.to_array(self.cells) if self.is_sparse else self.values

    def column(self, index: int) -> Floats:
        if self.is_sparse:
            return sparse.column_of(self.cells, index)
        return self.values[:, index]

    @cached_property
    def constant(self) -> Bools:
        """Which columns hold one value only; missing counts as a value."""
        return sparse.constant_columns(self.cells) if self.is_sparse else constant_columns(self.values)

    @cached_property
    def nominal(self) -> Bools:
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(self.categories)] = True
        return mask

    @cached_property
    def incomplete(self) -> Bools:
        # A sum is cheaper than a boolean matrix, and nan if anything is missing.
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isnan(self.cells.sum()):
                return np.zeros(self.n_features, dtype=bool)
        return self._count_missing() > 0

    def _count_missing(self) -> Indices:
        if self.is_sparse:
            return sparse.count_stored(self.cells, np.isnan(self.cells.data))
        return np.asarray(np.isnan(self.values).sum(axis=0))

    @property
    def feature_names(self) -> FeatureNames:
        """The names of all columns: ``x0``, ``x1``, ... if they have none."""
        if self.names is not None:
            return FeatureNames.of(self.names)
        names = [f"x{index}" for index in range(self.n_features)]
        return FeatureNames(len(names), names.__getitem__, lambda: names, given=False)

    def label(self, index: int) -> str:
        return self.names[index] if self.names else f"column {index}"

    def labels(self, mask: Bools, most: int = 8) -> str:
        """The names of some columns in a message; only the first ones of many."""
        return list_some([self.label(int(index)) for index in np.flatnonzero(mask)], most)

    def missing_by_label(self) -> str:
        counts = self._count_missing()
        return list_some([f"{self.label(int(index))}: {counts[index]}" for index in np.flatnonzero(counts)])

    def rows(self, chosen: npt.NDArray[Any]) -> Features:
        original = None if self.original is None else self.original.rows(chosen)
        some = sparse.take_rows(self.cells, chosen) if self.is_sparse else self.values[chosen]
        covariates = None if self.covariates is None else self.covariates[chosen]
        return Features(_contiguous(some), self.names, self.categories, original, covariates)

    def columns(self, chosen: Sequence[int]) -> Features:
        names = None if self.names is None else [self.names[index] for index in chosen]
        categories = {
            place: self.categories[index] for place, index in enumerate(chosen) if index in self.categories
        }
        original = None if self.original is None else self.original.columns(chosen)
        some = _contiguous(self.cells[:, list(chosen)])
        return Features(some, names, categories, original, self.covariates)

    def refuse_categories(self, who: str, *, advice: str) -> None:
        """Refuse categories of more than two labels, on behalf of a measure that needs numbers."""
        refuse_categories(self.categories, self.label, who, advice)

    def refuse_missing(self, who: str, *, advice: str) -> None:
        if self.incomplete.any():
            raise InputError(f"{who} {MISSING_VALUES} ({self.missing_by_label()}); {advice}.")

    def refuse_sparse(self, who: str, advice: str = "") -> None:
        if self.is_sparse:
            works = advice or f"use {list_some(SPARSE_MEASURES, len(SPARSE_MEASURES), last='or')}"
            dense = by_interface("pass X.toarray() if that fits into memory", "save the table as a dense one")
            raise InputError(
                f"{who} needs a dense table, and this one is sparse ({self.n_rows:,} rows, {self.n_features:,} "
                f"columns); {works}, or {dense}."
            )


def refuse_categories(
    categories: Mapping[int, tuple[str, ...]], label: Callable[[int], str], who: str, advice: str
) -> None:
    """Refuse columns of more than two labels, on behalf of a measure that needs numbers."""
    wrong = {index: labels for index, labels in categories.items() if len(labels) > 2}
    if wrong:
        first = next(iter(wrong.values()))
        named = list_some([label(index) for index in sorted(wrong)])
        raise InputError(
            f"{who} needs numbers or two categories, but {named} {'is' if len(wrong) == 1 else 'are'} text or "
            f"categories ({len(first)} different ones, such as {first[0]!r}); {advice}."
        )


def _contiguous(cells: Any) -> Any:
    return np.ascontiguousarray(cells) if isinstance(cells, np.ndarray) else cells


def category_codes(labels: Sequence[Any], name: str) -> tuple[Floats, tuple[str, ...]]:
    """Labels (None = missing) as codes in the order of the labels, a missing one last."""
    known = sorted({label for label in labels if label is not None})
    if len(known) > FEW_CATEGORIES and 2 * len(known) > len(labels):
        raise InputError(
            f"{name} has {len(known):,} categories in {len(labels):,} rows, which name rows instead of grouping them; "
            "drop it, or merge categories."
        )
    positions: dict[Any, int] = {label: code for code, label in enumerate(known)}
    has_missing = any(label is None for label in labels)
    codes = np.array([positions.get(label, len(known)) for label in labels], dtype=np.float64)
    return codes, (*map(written, known), *([MISSING_LABEL] if has_missing else []))


def written(label: Any) -> str:
    """A label as text: whole numbers without a point, whatever their type."""
    return str(int(label) if isinstance(label, float) and label.is_integer() else label)


def column_mask(what: str, given: npt.ArrayLike, n_columns: int) -> Bools:
    """One bool per column: from one for all, one for each, or the indices of columns, as scikit-learn takes them."""
    mask = np.asarray(given)
    if mask.dtype == bool and mask.shape in ((), (n_columns,)):
        return np.broadcast_to(mask, n_columns).copy()
    listed = set(mask.tolist()) if mask.ndim == 1 and mask.dtype.kind in "iu" else set()
    if not listed <= set(range(n_columns)) or len(listed) != mask.size:
        raise InputError(
            f"{what} must be 'auto', True, False, {n_columns} bools, or different indices of columns; got {given!r}."
        )
    return np.isin(np.arange(n_columns), mask)


# --- Categories as columns of 0 and 1 -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Encoded:
    """The columns that a model gets, and the features that they belong to (``owners``, in ascending order).

    Numbers are as they are (nan = missing); a category has one column of 0 and 1 for each label, or a single one for
    two labels. Models get rows of a :meth:`part`.
    """

    matrix: Any
    owners: Indices
    n_features: int
    chosen: Any = None

    @cached_property
    def _is_one_to_one(self) -> bool:
        return len(self.owners) == self.n_features

    @cached_property
    def _starts(self) -> Indices:
        return np.searchsorted(self.owners, np.arange(self.n_features + 1))

    def columns_of(self, indices: Sequence[int]) -> Indices:
        if self._is_one_to_one:
            return np.asarray(indices, dtype=np.intp)
        starts = self._starts
        return np.concatenate([np.arange(starts[index], starts[index + 1]) for index in indices])

    def part(self, chosen: Indices) -> Encoded:
        return replace(self, chosen=chosen)

    def total(self, per_column: npt.ArrayLike) -> Floats:
        values = np.asarray(per_column, dtype=np.float64)
        if self._is_one_to_one:
            return values
        return np.asarray(np.add.reduceat(values, self._starts[:-1], axis=-1))

    def __call__(self, indices: Sequence[int]) -> Floats:
        """The columns of some features."""
        if not isinstance(self.matrix, np.ndarray):
            # Those of one set, as an array: a set is small.
            return sparse.to_array(sparse.take_rows(self.matrix[:, self.columns_of(indices)], self.chosen))
        return np.ascontiguousarray(self.matrix[np.ix_(self.chosen, self.columns_of(indices))])

    def shuffled(self, index: int, order: Indices) -> Floats:
        """All columns, those of one feature with their rows in another order."""
        matrix: Floats = self.matrix[self.chosen]
        columns = self.columns_of([index])
        matrix[:, columns] = matrix[np.ix_(order, columns)]
        return matrix


def encode(features: Features, *, at_once: bool = False) -> Encoded:
    """Categories as columns of 0 and 1, beside the numbers as they are; more than 255 categories are refused.

    With ``at_once``, one of our models gets all columns together, and numbers beyond its range are refused as well.
    """
    widths = np.ones(features.n_features, dtype=np.intp)
    for index, labels in features.categories.items():
        if len(labels) > MOST_CATEGORIES:
            raise InputError(
                f"{features.label(index)} has {len(labels):,} categories, more than the {MOST_CATEGORIES} that become "
                "columns for a model; merge rare ones, drop it, or use mutual_info."
            )
        widths[index] = len(labels) if len(labels) > 2 else 1
    if at_once:
        _refuse_extremes(features)
    owners = np.repeat(np.arange(features.n_features), widths)
    if len(owners) == features.n_features:
        # Codes of up to two labels are 0 and 1 already.
        return Encoded(features.cells, owners, features.n_features)
    matrix = np.empty((features.n_rows, len(owners)))
    matrix[:, widths[owners] == 1] = features.values[:, widths == 1]
    for wide in np.flatnonzero(widths > 1):
        matrix[:, owners == wide] = features.values[:, [wide]] == np.arange(widths[wide])
    return Encoded(matrix, owners, features.n_features)


def _refuse_extremes(features: Features) -> None:
    if features.is_sparse:
        largest = sparse.largest_values(features.cells)
    else:
        largest = np.fmax.reduce(np.abs(features.values), axis=0, initial=0.0)
    extreme = (largest > LARGEST_VALUE) | ((largest > 0) & (largest < 1 / LARGEST_VALUE))
    if extreme.any():
        raise InputError(
            f"models take columns with largest values between {1 / LARGEST_VALUE:g} and {LARGEST_VALUE:g}, but "
            f"{features.labels(extreme)} goes up to {largest[extreme][0]:g}; choose another unit, or use mutual_info."
        )


# --- Checks of columns --------------------------------------------------------------------------------


def constant_columns(matrix: Floats) -> Bools:
    """Which columns hold one value only; missing counts as a value."""
    lowest = matrix.min(axis=0)
    constant = np.asarray(lowest == matrix.max(axis=0))
    missing = np.flatnonzero(np.isnan(lowest))
    constant[missing] = np.isnan(matrix[:, missing]).all(axis=0)
    return constant


def warn_of_constants(features: Features, constant: Bools | None = None) -> None:
    """Warn of constant columns by name; ``constant`` says which they are, if that is known."""
    constant = features.constant if constant is None else constant
    if constant.any():
        warn_that_constant(features.labels(constant, most=5))


def warn_that_constant(named: str) -> None:
    warn_user(f"{CONSTANT} ({named}); they carry no information about the target and score 0, so drop them.")


def warn_of_left_out_rows(features: Features, measure: Any) -> None:
    """Warn of columns with missing numbers, if the measure leaves out their rows."""
    if isinstance(measure, str) and measure in LEAVE_OUT_ROWS and features.incomplete.any():
        named = features.missing_by_label()
        warn_user(f"missing values ({named}): {measure} leaves out these rows, feature by feature.")


def copies_in(features: Features) -> list[list[int]]:
    """Groups of columns with the same values in every row, found in one pass over the table.

    Numbers that are missing in the same rows are equal there. Categories are copies if the same rows have equal
    labels, whatever their names. Constant columns are left out.
    """
    groups: dict[Any, list[int]] = {}
    varied = np.flatnonzero(~features.constant)
    if features.is_sparse:
        for index, column in sparse.columns_as_bytes(features.cells, varied):
            groups.setdefault(_digest(column), []).append(index)
        return [group for group in groups.values() if len(group) > 1]
    for start in range(0, len(varied), step := max(1, CELLS_AT_A_TIME // features.n_rows)):
        some = varied[start : start + step]
        # Equal numbers with equal bytes: adding zero turns -0.0 into 0.0, and there is more than one nan.
        columns = np.add(features.values[:, some].T, 0.0, order="C")
        columns[np.isnan(columns)] = np.nan
        for index, column in zip(some.tolist(), columns, strict=True):
            is_category = index in features.categories
            alike = column
            if is_category:
                # Codes in the order of their first rows, which does not depend on the names of labels.
                _, first, inverse = np.unique(column, return_index=True, return_inverse=True)
                alike = np.argsort(np.argsort(first))[inverse].astype(np.float64)
            groups.setdefault((is_category, _digest(alike.tobytes())), []).append(index)
    return [group for group in groups.values() if len(group) > 1]


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()
