"""A table of features as one matrix of floats, or a clear refusal."""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.errors import InputError

__all__ = ["FloatArray", "column_mask", "is_missing", "listed", "matrix_of"]

FloatArray = npt.NDArray[np.float64]

NUMERIC_KINDS = "biuf"


def matrix_of(X: Any, feature_names: Sequence[str] | None = None) -> tuple[FloatArray, list[str] | None]:
    """The values of a table as a float matrix, and the names of its columns if it has names.

    Frames are recognised by their ``columns`` (pandas, polars) or ``column_names`` (Arrow), so that none of
    these packages needs to be installed.

    Parameters
    ----------
    X : table of shape (n_samples, n_features)
        A NumPy array, a nested list or a frame.
    feature_names : sequence of str, optional
        Names of the columns, if the table does not bring them or they are to be called differently.

    Returns
    -------
    matrix : ndarray of shape (n_samples, n_features)
        Finite numbers.
    names : list of str or None
        None for a table without column names.

    Examples
    --------
    >>> matrix, names = matrix_of([[1, 2], [3, 4]])
    >>> matrix.shape, names
    ((2, 2), None)
    """
    names = _names_of(X)
    if hasattr(X, "tocsr"):
        raise InputError("X is a sparse matrix, which is not supported; pass X.toarray().")
    matrix = _homogeneous(X)
    if matrix is None and names is not None:
        matrix = _by_column(X, names)
    if matrix is None:
        matrix = _from_objects(X)
    if matrix.ndim != 2:
        raise InputError(f"X must be a table with rows and columns; got {matrix.ndim} dimension(s).")
    if not matrix.shape[0] or not matrix.shape[1]:
        raise InputError(f"X is empty: it has {matrix.shape[0]} rows and {matrix.shape[1]} columns.")
    if feature_names is not None:
        names = _distinct([str(name) for name in feature_names])
        if len(names) != matrix.shape[1]:
            raise InputError(f"{len(names)} feature names were given for {matrix.shape[1]} columns.")
    _check_finite(matrix, names)
    # One memory layout for all tables: sums in another order differ in the last bit, and may break ties.
    return np.ascontiguousarray(matrix), names


def column_mask(what: str, given: npt.ArrayLike, n_columns: int) -> npt.NDArray[np.bool_]:
    """One bool per column, from one for all or one for each.

    Examples
    --------
    >>> column_mask("discrete", True, 2).tolist()
    [True, True]
    """
    mask = np.asarray(given)
    if mask.dtype != bool or mask.shape not in ((), (n_columns,)):
        raise InputError(f"{what} must be 'auto', True, False or {n_columns} bools; got {given!r}.")
    return np.broadcast_to(mask, n_columns).copy()


def listed(labels: Sequence[str], most: int = 8) -> str:
    """The labels in one line, the first few of them if they are many.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    shown = ", ".join(labels[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most} more"


def is_missing(value: Any) -> bool:
    """Whether a value stands for "not known": None, nan, or the missing value of a frame library."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and value != value


def _names_of(X: Any) -> list[str] | None:
    labels = getattr(X, "column_names", None)
    if labels is None:
        labels = getattr(X, "columns", None)
    if labels is None or callable(labels):
        return None
    return _distinct([str(label) for label in labels])


def _distinct(names: list[str]) -> list[str]:
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise InputError(f"column names must be distinct; these occur more than once: {listed(twice)}.")
    return names


def _homogeneous(X: Any) -> FloatArray | None:
    """The fast road: everything is already numbers of one type."""
    if isinstance(X, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(X.astype(np.float64), np.nan))
    try:
        values = np.asarray(X)
    except (TypeError, ValueError):
        return None
    return values.astype(np.float64, copy=False) if values.dtype.kind in NUMERIC_KINDS else None


def _by_column(X: Any, names: list[str]) -> FloatArray:
    labels = getattr(X, "column_names", None) or X.columns
    columns = [_numbers(np.asarray(X[label])) for label in labels]
    _refuse_text([name for name, column in zip(names, columns, strict=True) if column is None])
    return np.column_stack([column for column in columns if column is not None])


def _from_objects(X: Any) -> FloatArray:
    """Arrays and lists of mixed values: numbers are welcome, anything else is named and refused."""
    try:
        values = np.asarray(X, dtype=object)
    except ValueError as error:
        raise InputError(f"X is no table of numbers: {error}.") from error
    if values.ndim != 2:
        raise InputError(f"X must be a table with rows and columns; got {values.ndim} dimension(s).")
    columns = [_numbers(values[:, index]) for index in range(values.shape[1])]
    _refuse_text([f"column {index}" for index, column in enumerate(columns) if column is None])
    return np.column_stack([column for column in columns if column is not None])


def _numbers(values: npt.NDArray[Any]) -> FloatArray | None:
    """One column as floats with nan for missing values; None if it holds anything but numbers."""
    if values.dtype.kind in NUMERIC_KINDS:
        return values.astype(np.float64)
    if values.dtype.kind != "O":
        return None
    plain = [np.nan if is_missing(value) else value for value in values.tolist()]
    # Decimal is a number that does not register as Real.
    if not all(isinstance(value, numbers.Real) or type(value).__name__ == "Decimal" for value in plain):
        return None
    return np.array([float(value) for value in plain], dtype=np.float64)


def _refuse_text(labels: list[str]) -> None:
    if labels:
        raise InputError(
            f"{len(labels)} column(s) of X are not numeric ({listed(labels)}); "
            "drop them or encode them as numbers."
        )


def _check_finite(matrix: FloatArray, names: list[str] | None) -> None:
    # One sum tells whether there is anything to look for, without a matrix of booleans.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(matrix.sum()):
            return
    for what, wrong, advice in (
        ("missing values", np.isnan(matrix), "fill them in, or drop these columns or rows"),
        ("infinite values", np.isinf(matrix), "drop these columns or rows, or put in finite numbers"),
    ):
        counts = wrong.sum(axis=0)
        if counts.any():
            labels = [
                f"{names[index] if names else f'column {index}'}: {counts[index]}"
                for index in np.flatnonzero(counts)
            ]
            raise InputError(f"X holds {what} ({listed(labels)}); {advice}.")
