"""A table as people have it, brought into one form: numbers, categories, and holes that stay holes.

What becomes of a column, whatever library the table comes from:

- Whole numbers, fractions and truth values are numbers (false 0, true 1). Ordered categories are numbers, too: their
  ranks 0, 1, ...
- Text and unordered categories are **categories**: labels without order. They have codes here, which only say which
  rows agree. A missing label is a category of its own.
- A missing number stays missing (nan). What that means is up to the measure; nothing is ever filled in.
- Refused, with the name of the column and what to do: dates and times, complex and infinite numbers, whole numbers that
  floats cannot tell apart, text that reads as numbers, numbers mixed with text, and categories that name single rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.tables.column_conversion import LARGEST_EXACT, NUMERIC_KINDS, converted, floats_hold
from altsets.tables.feature_matrix import Features, listed
from altsets.tables.original import Original

__all__ = ["features_of"]


def features_of(X: Any, feature_names: Sequence[str] | None = None) -> Features:
    """The columns of a table in one form; what no measure can use is refused by name.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        A NumPy array, a nested list, or a frame (pandas, polars, Arrow).
    feature_names : sequence of str, optional
        Names of the columns, if the table does not bring them or they are to be called differently.

    Examples
    --------
    >>> features_of([[1, 2], [3, 4]]).is_plain
    True
    """
    if isinstance(X, Features):
        return X if feature_names is None else _renamed(X, feature_names)
    if hasattr(X, "tocsr"):
        raise InputError("X is a sparse matrix or array, which is not supported; pass X.toarray().")
    names = _names_of(X)
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    plain = _all_numbers(X, names)
    found = Features(plain, names) if plain is not None else _by_column(X, names)
    found = replace(found, original=_original(X, names, plain))
    found = found if feature_names is None else _renamed(found, feature_names)
    _refuse_infinite(found)
    return found


def _names_of(X: Any) -> list[str] | None:
    labels = getattr(X, "column_names", None)
    if labels is None:
        labels = getattr(X, "columns", None)
    if labels is None or callable(labels):
        return None
    return _distinct([str(label) for label in labels])


def _renamed(features: Features, feature_names: Sequence[str]) -> Features:
    names = _distinct([str(name) for name in feature_names])
    if len(names) != features.n_features:
        raise InputError(f"{len(names)} feature names were given for {features.n_features} columns.")
    return replace(features, names=names)


def _distinct(names: list[str]) -> list[str]:
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise InputError(f"column names must be distinct; these occur more than once: {listed(twice)}.")
    return names


def _all_numbers(X: Any, names: list[str] | None) -> Floats | None:
    """The fast road: every column holds numbers of a plain type."""
    if names is not None and not _has_plain_types(X):
        return None
    try:
        # Of a list that mixes numbers and text NumPy would make text.
        values = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=None if names else object)
        if names is None and values.dtype == object and not isinstance(X, np.ndarray):
            values = _of_one_type(X, values)
    except (TypeError, ValueError) as error:
        if names is None:
            raise InputError(
                "X is not a table of single values; its rows must all have the same length."
            ) from error
        return None
    if values.ndim != 2:
        got = f"{values.ndim} dimension(s)" if values.ndim else f"a value of type {type(X).__name__}"
        raise InputError(f"X must be a table with rows and columns, such as a frame or an array; got {got}.")
    if not values.shape[0] or not values.shape[1]:
        raise _empty(*values.shape)
    if values.dtype.kind not in NUMERIC_KINDS or not floats_hold(values):
        return None
    if names is not None and values.dtype.kind == "f" and not _exact_as_floats(X, values):
        return None
    # One memory layout for all tables: sums in another order differ in the last bit, and may break ties.
    return np.ascontiguousarray(values, dtype=np.float64)


def _of_one_type(X: Any, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A nested list of numbers alone as an array of numbers, anything else as the objects that it holds."""
    typed = np.asarray(X)
    return typed if typed.dtype.kind in NUMERIC_KINDS else values


def _has_plain_types(X: Any) -> bool:
    """Whether all columns of a frame are of a type that NumPy has for numbers."""
    kinds = getattr(X, "dtypes", None)
    if kinds is None:
        return False
    # pandas has the types of NumPy, and its own for columns with holes or categories; polars asks itself.
    return all(
        kind.kind in NUMERIC_KINDS if isinstance(kind, np.dtype) else _is_numeric_type(kind) for kind in kinds
    )


def _is_numeric_type(kind: Any) -> bool:
    ask = getattr(kind, "is_numeric", None)
    return bool(callable(ask) and ask() and not kind.is_decimal())


def _by_column(X: Any, names: list[str] | None) -> Features:
    columns = _columns_of(X, names)
    if not columns or not len(columns[0]):
        raise _empty(len(columns[0]) if columns else 0, len(columns))
    values = np.empty((len(columns[0]), len(columns)))
    categories: dict[int, tuple[str, ...]] = {}
    for index, column in enumerate(columns):
        found, labels = converted(column, names[index] if names else f"column {index}")
        values[:, index] = found
        if labels is not None:
            categories[index] = labels
    return Features(values, names, categories)


def _original(X: Any, names: list[str] | None, plain: Floats | None) -> Original | None:
    """The table as it came, unless that is the matrix of its values."""
    if names is not None:
        return Original(X)
    # Of a list that mixes numbers and text NumPy would make text.
    table = np.asarray(X, dtype=None if plain is not None or isinstance(X, np.ndarray) else object)
    return None if plain is not None and table.dtype == plain.dtype else Original(table)


def _empty(n_rows: int, n_columns: int) -> InputError:
    what = "feature(s)" if n_rows else "sample(s)"
    return InputError(
        f"X is empty: 0 {what} (shape=({n_rows}, {n_columns})) while a minimum of 1 is required; a table needs rows "
        "and columns."
    )


def _columns_of(X: Any, names: list[str] | None) -> list[Any]:
    """The columns of a table, each as the library that it comes from has it."""
    if names is None:
        values = X if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
        return [values[:, index] for index in range(values.shape[1])]
    if hasattr(X, "iloc"):
        return [X.iloc[:, index] for index in range(len(names))]
    if hasattr(X, "column"):
        return [X.column(index) for index in range(len(names))]
    return list(X.get_columns() if hasattr(X, "get_columns") else (X[name] for name in X.columns))


def _refuse_infinite(features: Features) -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(features.values.sum()):
            return
    counts = np.isinf(features.values).sum(axis=0)
    if counts.any():
        named = [f"{features.label(int(index))}: {counts[index]}" for index in np.flatnonzero(counts)]
        raise InputError(
            f"X holds infinite values ({listed(named)}); drop these columns or rows, or put in finite numbers."
        )


def _exact_as_floats(X: Any, values: npt.NDArray[Any]) -> bool:
    """Whether whole numbers of a frame that also has floats have come through as they were."""
    largest, smallest = np.fmax.reduce(values, axis=None), np.fmin.reduce(values, axis=None)
    if smallest > -LARGEST_EXACT and largest < LARGEST_EXACT:
        return True
    # The names of types take long to make, so they are asked for only if there are huge numbers.
    whole = [index for index, kind in enumerate(X.dtypes) if "int64" in str(kind).lower()]
    return not (np.abs(values[:, whole]) >= LARGEST_EXACT).any()
