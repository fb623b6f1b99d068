"""Convert frames, arrays and lists into one form: numeric columns, coded categories, missing values as nan.

What becomes of a column, whatever library the table comes from:

- Whole numbers, fractions and booleans are numeric (false 0, true 1). Ordered categories are numeric, too: their
  ranks 0, 1, ...
- Text and unordered categories are **categories**: labels without order. Their codes only say which rows
  agree. A missing label is a category of its own.
- A missing number stays missing (nan). Each measure handles it in its own way; nothing is ever filled in.
- Refused, with the name of the column and what to do: dates and times, complex and infinite numbers, whole numbers that
  floats cannot tell apart, text that reads as numbers, numbers mixed with text, and categories that name single rows.
"""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats
from altsets.errors import InputError, reason_of
from altsets.features import FeatureNames, name_of
from altsets.tables import sparse
from altsets.tables.feature_matrix import Features, Original, category_codes
from altsets.wording import by_interface, counted, list_some, plural, shorten

#: Kinds of NumPy types that are numeric: booleans, integers, floats.
NUMERIC_KINDS = "biuf"

#: Whole numbers up to this are exact as floats.
LARGEST_EXACT = 2**53

#: What to do with columns that no measure can use.
UNUSABLE = ("error", "drop")
#: Columns of which a message says what is wrong with them; the others are counted.
MOST_REFUSED = 5

#: What is wrong with a column of dates, after its name.
DATES = (
    "holds dates or times, which have no single meaning as numbers; turn it into numbers, such as days since a start "
    "or the month"
)


#: Raises an error about a column of text, given its name and how often it has each label.
CheckText = Callable[[str, Mapping[str, int]], None]


class UsableColumns(NamedTuple):
    """The columns of a table that measures can use, their places among all, and what is wrong with dropped ones."""

    #: Of a table that is read in passes, this table.
    features: Any
    places: list[int]
    all_names: FeatureNames
    dropped: dict[str, str]
    #: Sentences on what was left out.
    notes: Sequence[str] = ()


def features_of(X: Any, feature_names: Sequence[str] | None = None) -> Features:
    """The columns of a table in one form; what no measure can use is refused by name.

    ``X`` is a NumPy array, a nested list, a frame (pandas, polars, Arrow) or a sparse matrix, which stays sparse;
    ``feature_names`` replace its names.
    """
    if isinstance(X, Features):
        return X if feature_names is None else _renamed(X, feature_names)
    found, wrong = _converted(X, feature_names, _refuse_written_numbers)
    if wrong:
        raise _refusal(list(wrong.values()), "drop them")
    return found


def check_unusable(unusable: str) -> None:
    if unusable not in UNUSABLE:
        raise InputError(f"unusable={unusable!r} is unknown; choose 'error' or 'drop'.")


def usable_columns(
    X: Any,
    unusable: str = "error",
    feature_names: Sequence[str] | None = None,
    check_text: CheckText | None = None,
) -> UsableColumns:
    """The columns of a table in one form; those that no measure can use are refused, or dropped.

    ``check_text`` says which text is no category; by default, text that reads as numbers.
    """
    check_unusable(unusable)
    if isinstance(X, Features):
        return UsableColumns(X, list(range(X.n_features)), X.feature_names, {})
    found, wrong = _converted(X, feature_names, check_text or _refuse_written_numbers)
    places = [index for index in range(found.n_features) if index not in wrong]
    if not places:
        raise _refusal(list(wrong.values()), "choose others")
    dropped, notes = leave_out({found.label(index): error for index, error in wrong.items()}, unusable)
    usable = found.columns(places) if wrong else found
    return UsableColumns(usable, places, found.feature_names, dropped, notes)


def leave_out(
    wrong: Mapping[str, InputError], unusable: str, kind: type[InputError] = InputError
) -> tuple[dict[str, str], list[str]]:
    """Return what is wrong with columns by their names, and a note on them; with ``unusable="error"`` refuse them."""
    if not wrong:
        return {}, []
    if unusable == "error":
        how = by_interface("unusable='drop'", "--drop-unusable")
        raise _refusal(list(wrong.values()), f"leave them out with {how}", kind)
    dropped = {name: _clause_of(error) for name, error in wrong.items()}
    these = plural(len(dropped), "column that cannot be used was", "columns that cannot be used were")
    return dropped, [f"{len(dropped)} {these} left out: {list_some(list(dropped.values()))}."]


def _refusal(wrong: Sequence[InputError], remedy: str, kind: type[InputError] = InputError) -> InputError:
    """Return one error about all columns that cannot be used; about a single one, its own."""
    if len(wrong) == 1:
        return wrong[0]
    more = f"; and {len(wrong) - MOST_REFUSED} more" if len(wrong) > MOST_REFUSED else ""
    problems = f"{'; '.join(map(_clause_of, wrong[:MOST_REFUSED]))}{more}"
    return kind(f"{len(wrong)} columns cannot be used: {problems}; change these columns, or {remedy}.")


def _clause_of(error: InputError) -> str:
    """The problem of a column, without advice."""
    return str(error).partition(";")[0]


def is_anndata(X: Any) -> bool:
    """Whether this is an AnnData object; the package itself is not imported for that."""
    return all(hasattr(X, part) for part in ("obs", "var", "uns", "layers", "obs_names", "var_names"))


def row_labels(table: Any) -> Any:
    index = getattr(table, "index", None)
    return index if hasattr(index, "equals") else None


def refuse_lazy(what: str, given: Any) -> None:
    if type(given).__name__ == "LazyFrame":
        raise InputError(f"{what} is a LazyFrame, which has no values yet; pass what its .collect() returns.")


def _converted(
    X: Any, feature_names: Sequence[str] | None, check_text: CheckText
) -> tuple[Features, dict[int, InputError]]:
    """All columns of a table, and what is wrong with some of them."""
    refuse_lazy("X", X)
    if is_anndata(X):
        raise InputError(
            "X is an AnnData object; take its matrix and a column of obs with data = altsets.io.from_anndata(adata, "
            "target), and pass data.X and data.y."
        )
    if sparse.is_sparse_matrix(X) or sparse.is_sparse_frame(X):
        return _from_sparse(X, feature_names)
    if type(X).__name__ == "RecordBatch":
        from narwhals.dependencies import get_pyarrow

        X = get_pyarrow().Table.from_batches([X])
    labels = getattr(X, "column_names", None)
    labels = getattr(X, "columns", None) if labels is None else labels
    names = None if labels is None or callable(labels) else _distinct(labels)
    X = _as_array(X) if names is None else X
    plain = _all_numbers(X, names)
    found, wrong = (Features(plain, names), {}) if plain is not None else _by_column(X, names, check_text)
    if names is not None or plain is None or X.dtype != plain.dtype:
        found = replace(found, original=Original(X))
    found = found if feature_names is None else _renamed(found, feature_names)
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = np.isfinite(found.values.sum())
    if not is_finite:
        wrong |= _infinite(found, np.isinf(found.values).sum(axis=0))
    return found, dict(sorted(wrong.items()))


def _from_sparse(X: Any, feature_names: Sequence[str] | None) -> tuple[Features, dict[int, InputError]]:
    _refuse_shape(X, X.shape)
    found, beyond = sparse.columns_of(X, LARGEST_EXACT)
    # Rows and columns are taken of these formats only; others are no faster for models either.
    kept = X if getattr(X, "format", "csr") in ("csr", "csc") else X.tocsr()
    names = _distinct(X.columns) if hasattr(X, "columns") else None
    features = Features(found, names, original=Original(kept))
    features = features if feature_names is None else _renamed(features, feature_names)
    wrong = {index: _inexact(features.label(index), extreme) for index, extreme in beyond.items()}
    wrong |= _infinite(features, sparse.count_stored(found, np.isinf(found.data)))
    return features, dict(sorted(wrong.items()))


def _infinite(features: Features, counts: npt.NDArray[Any]) -> dict[int, InputError]:
    return {
        index: InputError(
            f"{features.label(index)} holds {counted(int(counts[index]), 'infinite value')}; drop the column or these "
            "rows, or put in finite numbers."
        )
        for index in np.flatnonzero(counts).tolist()
    }


def _renamed(features: Features, feature_names: Sequence[str]) -> Features:
    names = _distinct(feature_names)
    if len(names) != features.n_features:
        raise InputError(f"{len(names)} feature names were given for {features.n_features} columns.")
    return replace(features, names=names)


def _distinct(labels: Iterable[Any]) -> list[str]:
    names = [name_of(label) for label in labels]
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise InputError(f"column names must be distinct; these occur more than once: {list_some(twice)}.")
    return names


def _as_array(X: Any) -> npt.NDArray[Any]:
    """An array or a list of rows as an array with rows and columns."""
    if isinstance(X, np.ma.MaskedArray):
        X = np.ma.filled(X.astype(np.float64), np.nan)
    try:
        values = np.asarray(X)
        if not isinstance(X, np.ndarray) and values.dtype.kind not in NUMERIC_KINDS:
            # NumPy turns a list of numbers and text into text.
            values = np.asarray(X, dtype=object)
    except (TypeError, ValueError) as error:
        raise InputError(
            "X is not a table of single values; its rows must all have the same length."
        ) from error
    _refuse_shape(X, values.shape)
    return values


def _refuse_shape(X: Any, shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        got = f"{len(shape)} dimension(s)" if shape else f"a value of type {type(X).__name__}"
        raise InputError(f"X must be a table with rows and columns, such as a frame or an array; got {got}.")
    if 0 in shape:
        what = "feature(s)" if shape[0] else "sample(s)"
        raise InputError(
            f"X is empty: 0 {what} (shape={shape}) while a minimum of 1 is required; a table needs rows and columns."
        )


def _all_numbers(X: Any, names: list[str] | None) -> Floats | None:
    """The fast path: every column holds numbers of a NumPy type."""
    if names is not None and not _has_plain_types(X):
        return None
    try:
        values = np.asarray(X)
    except (TypeError, ValueError):
        return None
    if values.dtype.kind not in NUMERIC_KINDS or not values.size:
        return None
    # Whole numbers of a frame that also has floats may have been rounded.
    if (names is not None or values.dtype.kind in "iu") and not _are_small(values):
        return None
    # One memory layout for all tables: sums in another order differ in the last bit, and may break ties.
    return np.ascontiguousarray(values, dtype=np.float64)


def _are_small(values: npt.NDArray[Any]) -> bool:
    """Whether all whole numbers among these are exact as floats, and were not rounded to them."""
    largest, smallest = np.fmax.reduce(values, axis=None), np.fmin.reduce(values, axis=None)
    return not (largest >= LARGEST_EXACT or smallest <= -LARGEST_EXACT)


def _has_plain_types(X: Any) -> bool:
    kinds = getattr(X, "dtypes", None)
    if kinds is None:
        return False
    # pandas has NumPy types, and its own for missing values and categories; polars has its own.
    return all(
        kind.kind in NUMERIC_KINDS
        if isinstance(kind, np.dtype)
        else callable(getattr(kind, "is_numeric", None)) and kind.is_numeric() and not kind.is_decimal()
        for kind in kinds
    )


def _by_column(
    X: Any, names: list[str] | None, check_text: CheckText
) -> tuple[Features, dict[int, InputError]]:
    columns = _columns_of(X, names)
    _refuse_shape(X, (len(columns[0]) if columns else 0, len(columns)))
    values = np.empty((len(columns[0]), len(columns)))
    categories: dict[int, tuple[str, ...]] = {}
    wrong: dict[int, InputError] = {}
    for index, column in enumerate(columns):
        try:
            called = names[index] if names else f"column {index}"
            values[:, index], labels = _convert_column(column, called, check_text)
        except InputError as error:
            values[:, index], labels, wrong[index] = np.nan, None, error
        if labels is not None:
            categories[index] = labels
    return Features(values, names, categories), wrong


def _columns_of(X: Any, names: list[str] | None) -> list[Any]:
    if names is None:
        return [X[:, index] for index in range(X.shape[1])]
    if hasattr(X, "iloc"):
        return [X.iloc[:, index] for index in range(len(names))]
    if hasattr(X, "column"):
        return [X.column(index) for index in range(len(names))]
    return list(X.get_columns() if hasattr(X, "get_columns") else (X[name] for name in X.columns))


# --- Single columns -----------------------------------------------------------------------------------


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, nan, or the missing value of a frame library."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and value != value


def missing_cells(table: Any) -> Bools:
    """Which cells of a table of any kind are missing."""
    if hasattr(table, "isna"):
        return table.isna().to_numpy()  # type: ignore[no-any-return]
    if hasattr(table, "toarray"):
        table = table.toarray()
    if isinstance(table, np.ndarray):
        if table.dtype.kind in "biu":
            return np.zeros(table.shape, dtype=bool)
        return np.isnan(table) if table.dtype.kind == "f" else np.vectorize(is_missing, otypes=[bool])(table)
    import narwhals as nw

    def of(column: Any) -> Any:
        # polars and Arrow tell nan from null.
        return column.is_null() | column.is_nan() if column.dtype.is_float() else column.is_null()

    columns = nw.from_native(table, eager_only=True).iter_columns()
    return np.column_stack([of(column).fill_null(True).to_numpy() for column in columns])


def _convert_column(column: Any, name: str, check_text: CheckText) -> tuple[Floats, tuple[str, ...] | None]:
    """One column as numbers, or as codes with their labels."""
    if isinstance(column, np.ndarray):
        return _from_array(column, name, check_text)
    # What Arrow has most often, also in its tables of thousands of columns.
    kind = getattr(column, "type", None)
    if str(kind) == "double":
        return column.to_numpy(), None
    if str(kind) == "string":
        labels = column.to_pylist()
        check_text(name, Counter(label for label in labels if label is not None))
        return category_codes(labels, name)
    import narwhals as nw

    series = nw.from_native(column, series_only=True)
    if series.dtype.is_temporal():
        raise InputError(f"{name} {DATES}.")
    if series.dtype not in (nw.Categorical, nw.Enum):
        return _from_array(_cells_of(series), name, check_text)
    ranks = _ranks(column)
    if ranks is not None:
        return ranks, None
    labels = [None if is_missing(label) else label for label in series.to_list()]
    # Labels of one type can be sorted; of several types, as text.
    if len({type(label) for label in labels if label is not None}) > 1:
        labels = [None if label is None else str(label) for label in labels]
    return category_codes(labels, name)


def _cells_of(series: Any) -> npt.NDArray[Any]:
    """The cells of a series of narwhals: numbers, or objects if some are missing or something else."""
    if not series.null_count():
        values = np.asarray(series.to_numpy())
        if values.dtype.kind in NUMERIC_KINDS:
            return values
    return object_array(series.to_list())


def _ranks(column: Any) -> Floats | None:
    """The ranks of ordered categories, nan where missing; None if there is no order."""
    accessor: Any = getattr(column, "cat", None)
    if getattr(accessor, "ordered", False):
        codes = np.asarray(accessor.codes, dtype=np.float64)
        codes[codes < 0] = np.nan
        return codes
    if getattr(getattr(column, "type", None), "ordered", False):
        # Arrow: the chunks of a column may have separate dictionaries.
        codes = column.unify_dictionaries().combine_chunks().indices.to_pylist()
        return np.array([np.nan if code is None else code for code in codes], dtype=np.float64)
    return None


def object_array(values: Sequence[Any]) -> npt.NDArray[Any]:
    """One object for each value, whatever it is."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _from_array(
    values: npt.NDArray[Any], name: str, check_text: CheckText
) -> tuple[Floats, tuple[str, ...] | None]:
    found = numbers_or_text(values, name)
    if isinstance(found, np.ndarray):
        return found, None
    check_text(name, Counter(label for label in found if label is not None))
    return category_codes(found, name)


def numbers_or_text(values: npt.NDArray[Any], name: str) -> Floats | list[str | None]:
    """The cells of a column as numbers (nan = missing) or as text (None = missing); anything else is refused."""
    if values.dtype.kind in "mM":
        raise InputError(f"{name} {DATES}.")
    if values.dtype.kind in NUMERIC_KINDS:
        if values.dtype.kind in "iu" and values.size:
            _refuse_inexact(name, int(values.min()), int(values.max()))
        return values.astype(np.float64)
    plain = [None if is_missing(value) else value for value in values.tolist()]
    known = [value for value in plain if value is not None]
    text = [value for value in known if isinstance(value, str)]
    # Decimal is a number that does not register as Real.
    real = [value for value in known if isinstance(value, numbers.Real | Decimal)]
    if len(real) == len(known):
        whole = [int(value) for value in real if isinstance(value, numbers.Integral)]
        _refuse_inexact(name, min(whole, default=0), max(whole, default=0))
        return np.array([np.nan if value is None else float(value) for value in plain])
    if len(text) == len(known):
        return plain
    if len(text) + len(real) == len(known):
        raise InputError(
            f"{name} mixes numbers ({len(real)}) with text ({len(text)}), such as "
            f"{shorten(text[0] if len(text) <= len(real) else real[0])}; make it one or the other."
        )
    odd = next(value for value in known if not isinstance(value, str | numbers.Real))
    if any(hasattr(odd, part) for part in ("year", "total_seconds", "hour")):
        raise InputError(f"{name} {DATES}.")
    if isinstance(odd, complex):
        raise InputError(
            f"Complex data not supported: {name} holds complex numbers; split it into two columns."
        )
    raise InputError(
        f"{name} holds a value of type {type(odd).__name__}, such as {shorten(odd)}; a column must hold numbers, "
        "text or categories."
    )


def _refuse_inexact(name: str, smallest: int, largest: int) -> None:
    if smallest < -LARGEST_EXACT or largest > LARGEST_EXACT:
        raise _inexact(name, largest if largest > LARGEST_EXACT else smallest)


def _inexact(name: str, extreme: int) -> InputError:
    text = str(extreme) if abs(extreme) < 10**30 else f"{str(extreme)[:12]}..."
    return InputError(
        f"{name} holds whole numbers as large as {text}, which floats cannot tell apart; drop the column if it "
        "names rows, make it a category, or rescale it."
    )


def _refuse_written_numbers(name: str, text: Mapping[str, int]) -> None:
    labels = set(text)
    written = {label for label in labels if is_float(label.replace(",", ".", 1))}
    if 2 * len(written) > len(labels):
        share, but = "all", ""
        if written != labels:
            share, but = "most", f" (but not {shorten(min(labels - written))})"
        raise InputError(
            f"{name} is text, but {share} of it reads as numbers, such as {shorten(min(written))}{but}; make it "
            "numbers, or say that it is a category."
        )


def is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# --- Targets ------------------------------------------------------------------------------------------


def column_values(y: Any, as_text: bool = True) -> npt.NDArray[Any]:
    """The values of a column as an array of numbers, booleans or objects; categories become text, if ``as_text``."""
    if isinstance(y, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(y)
        y = np.ma.getdata(y).astype(object)
        y[hidden] = None
    if isinstance(y, np.ndarray | list | tuple):
        try:
            return np.asarray(y)
        except ValueError as error:
            raise InputError(f"the target must be one list of values: {reason_of(error)}.") from error
    import narwhals as nw

    series = nw.from_native(y, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        # A pandas Categorical without a series, an Arrow array, or another list of values.
        is_category = hasattr(y, "categories") and hasattr(y, "codes")
        values = y.tolist() if is_category else y.to_pylist() if hasattr(y, "to_pylist") else y
        return _texts(values) if is_category and as_text else np.asarray(values)
    if series.dtype.is_temporal():
        raise InputError(f"the target {DATES}.")
    if series.dtype in (nw.Categorical, nw.Enum):
        return _texts(series.to_list()) if as_text else np.array(series.to_list())
    return _cells_of(series)


def _texts(labels: Iterable[Any]) -> npt.NDArray[Any]:
    return object_array([None if is_missing(label) else str(label) for label in labels])


def as_numbers(values: npt.NDArray[Any], who: str = "the target") -> Floats | None:
    """A target as floats, or None if it is text; anything else is refused."""
    found = numbers_or_text(values, who)
    numeric = found if isinstance(found, np.ndarray) else None
    n_missing = sum(map(is_missing, found)) if numeric is None else int(np.isnan(numeric).sum())
    n_infinite = 0 if numeric is None else int(np.isinf(numeric).sum())
    for what, count in (("missing", n_missing), ("infinite", n_infinite)):
        if count:
            raise InputError(f"{who} has {counted(count, f'{what} value')}; drop these rows.")
    return numeric


# --- Back to frames -----------------------------------------------------------------------------------


def in_frame_of(X: Any, square: Floats) -> Any:
    """Numbers of pairs of columns as a frame with the labels of a frame; as they are for any other table."""
    if not hasattr(X, "columns"):
        return square
    import narwhals as nw

    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return square
    is_pandas = hasattr(X, "iloc")
    names = [f"x{place}" for place in range(len(square))] if is_pandas else [*frame.columns]
    made = nw.from_dict(dict(zip(names, square.T, strict=True)), backend=frame.implementation).to_native()
    if is_pandas:
        made.columns, made.index = X.columns, X.columns
    return made


def pandas_frame(X: Any) -> Any:
    """A pandas frame that columns can be added to, for packages that take nothing else."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        return X.copy()
    import narwhals as nw

    columns = {f"x{place}": column for place, column in enumerate(np.asarray(X).T)}
    return nw.from_dict(columns, backend="pandas").to_native()
