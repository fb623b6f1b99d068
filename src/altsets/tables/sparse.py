"""Sparse tables in one form: compressed columns of double precision, sorted, each cell once, no stored zeros.

Nothing here makes a whole table dense. Missing values are stored as nan.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError, reason_of


def is_sparse_matrix(X: Any) -> bool:
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def is_sparse_frame(X: Any) -> bool:
    """Whether this is a pandas frame whose columns all are sparse, with zeros left out."""
    # The accessor is there only if all columns are sparse; other fill values than 0 make other tables.
    if not hasattr(X, "iloc") or not hasattr(X, "sparse"):
        return False
    return all(kind.fill_value == 0 for kind in X.dtypes)


def columns_of(X: Any, most: int) -> tuple[Any, dict[int, int]]:
    """A sparse matrix or frame in one form, and an extreme number of each column with integers beyond ``most``.

    X itself does not change.
    """
    found, stored = _of_frame(X) if hasattr(X, "iloc") else _of_matrix(X)
    beyond: dict[int, int] = {}
    for first, values in stored:
        if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
            beyond |= _extremes(found, first, values, most)
    found = found.astype(np.float64)
    found.eliminate_zeros()
    found.sort_indices()
    return found, beyond


def _of_matrix(X: Any) -> tuple[Any, list[tuple[int, npt.NDArray[Any]]]]:
    from scipy import sparse

    if X.dtype.kind == "c":
        raise InputError("Complex data not supported: X holds complex numbers; split them into two columns.")
    if X.dtype.kind not in "biuf":
        raise InputError(
            f"X is a sparse matrix of type {X.dtype}; it must hold numbers, so convert it with X.astype(float)."
        )
    try:
        if X.format in ("csr", "csc"):
            # Without this, numbers of rows that are out of range would make the conversion crash.
            kind = sparse.csr_array if X.format == "csr" else sparse.csc_array
            kind(X).check_format(full_check=True)
        found = sparse.csc_array(X, copy=True)
        found.sum_duplicates()
    except (ValueError, IndexError) as error:
        raise InputError(f"X is a damaged sparse matrix: {reason_of(error)}; make it anew.") from error
    return found, [(0, found.data)]


def _of_frame(X: Any) -> tuple[Any, list[tuple[int, npt.NDArray[Any]]]]:
    """The columns of a frame as floats, and what is stored in each."""
    from scipy import sparse

    columns = [X.iloc[:, index].array for index in range(X.shape[1])]
    stored = [np.asarray(column.sp_values) for column in columns]
    starts = np.cumsum([0, *map(len, stored)])
    if not len(stored):
        return sparse.csc_array(X.shape), []
    rows = np.concatenate([column.sp_index.to_int_index().indices for column in columns])
    data = np.concatenate([values.astype(np.float64) for values in stored])
    return sparse.csc_array((data, rows, starts), shape=X.shape), list(enumerate(stored))


def _extremes(columns: Any, first: int, values: npt.NDArray[Any], most: int) -> dict[int, int]:
    """An extreme number of each column with integers beyond ``most``; ``values`` begin with those of the first one."""
    start = columns.indptr[first]
    found: dict[int, int] = {}
    for place in np.flatnonzero((values > most) | (values < -most)).tolist():
        column = int(np.searchsorted(columns.indptr, start + place, side="right")) - 1
        found[column] = max(found.get(column, 0), int(values[place]), key=abs)
    return found


def count_stored(columns: Any, mask: Bools) -> Indices:
    return np.bincount(owners(columns)[mask], minlength=columns.shape[1])


def owners(columns: Any) -> Indices:
    return np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))


def ranges(ends: Indices, most: int) -> Iterator[slice]:
    """Ranges of columns, given their running total of sizes, of limited size each; at least one column each."""
    start = 0
    while start < len(ends):
        before = int(ends[start - 1]) if start else 0
        stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield slice(start, stop)
        start = stop


def constant_columns(columns: Any) -> Bools:
    n_stored = np.diff(columns.indptr)
    constant = np.asarray(n_stored == 0)
    full = np.flatnonzero(n_stored == columns.shape[0])
    for index in full:
        values = columns.data[columns.indptr[index] : columns.indptr[index + 1]]
        first = values[0]
        constant[index] = np.isnan(values).all() if first != first else (values == first).all()
    return constant


def largest_values(columns: Any) -> Floats:
    largest = np.zeros(columns.shape[1])
    np.fmax.at(largest, owners(columns), np.abs(columns.data))
    return largest


def take_rows(columns: Any, chosen: npt.NDArray[Any]) -> Any:
    places = np.flatnonzero(chosen) if chosen.dtype == bool else chosen
    some = columns[places]
    some.sort_indices()
    return some


def to_array(columns: Any) -> Floats:
    """The cells of a few columns, one row after the other in memory as in every table."""
    return np.ascontiguousarray(columns.toarray())


def column_of(columns: Any, index: int) -> Floats:
    part = slice(columns.indptr[index], columns.indptr[index + 1])
    values = np.zeros(columns.shape[0])
    values[columns.indices[part]] = columns.data[part]
    return values


def as_bytes(columns: Any) -> Iterator[bytes]:
    """All that is stored, as bytes that are equal for equal tables."""
    for part in (columns.indptr, columns.indices):
        yield part.astype("<i8").tobytes()
    yield _plain_data(columns).astype("<f8").tobytes()


def _plain_data(columns: Any) -> Floats:
    """The stored values, equal ones with equal bytes: there is more than one nan."""
    data = np.array(columns.data)
    data[np.isnan(data)] = np.nan
    return data


def columns_as_bytes(columns: Any, some: Indices) -> Iterator[tuple[int, bytes]]:
    """Columns by number as bytes that are equal where the columns are; without most of those that have no copy."""
    of, n_columns = owners(columns), columns.shape[1]
    sums = [np.bincount(of, columns.indices, n_columns), np.bincount(of, columns.data, n_columns)]
    keys = np.column_stack([np.diff(columns.indptr), *sums])[some]
    # A column with missing values may be a copy of any other one.
    _, key_of, counts = np.unique(np.nan_to_num(keys), axis=0, return_inverse=True, return_counts=True)
    data, rows = _plain_data(columns), columns.indices.astype(np.int64)
    for index in some[counts[key_of.ravel()] > 1].tolist():
        part = slice(columns.indptr[index], columns.indptr[index + 1])
        yield index, rows[part].tobytes() + data[part].tobytes()


def shuffled_columns(columns: Any, rng: np.random.Generator) -> Any:
    shuffled = columns.copy()
    for start, stop in pairwise(columns.indptr.tolist()):
        shuffled.indices[start:stop] = rng.choice(columns.shape[0], stop - start, replace=False)
    # Values went along with the rows, so that they must be sorted with them.
    shuffled.has_sorted_indices = False
    shuffled.sort_indices()
    return shuffled
