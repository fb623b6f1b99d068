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

import numbers
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Bools, Floats
from altsets.errors import InputError
from altsets.features import FeatureNames

__all__ = [
    "DATES",
    "EXACT",
    "MISSING_LABEL",
    "NUMERIC_KINDS",
    "Features",
    "category_codes",
    "column_mask",
    "features_of",
    "is_missing",
    "listed",
]


NUMERIC_KINDS = "biuf"
#: What a missing label is called, beside the others.
MISSING_LABEL = "(missing)"
#: Whole numbers up to this are the same as floats.
EXACT = 2**53
#: More categories than this, and than half of the rows, are names of rows.
FEW_CATEGORIES = 10

DATES = (
    "holds dates or times, which have no single meaning as numbers; turn it into numbers (such as days since a "
    "start, or the month) or drop it"
)


@dataclass(frozen=True, eq=False)
class Features:
    """The columns of a table.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_features)
        Numbers (nan = missing), and the codes 0, 1, ... of categories.
    names : list of str or None
        The names of the columns; None if nobody named them.
    categories : mapping of int to tuple of str
        The labels of each column that is a category, by its index; a code is a position among them. A missing label
        is ``"(missing)"``, the last one.

    Examples
    --------
    >>> table = features_of([[1.5, "red"], [None, "blue"], [2.0, "red"]])
    >>> table.values.tolist()
    [[1.5, 1.0], [nan, 0.0], [2.0, 1.0]]
    >>> table.categories, table.incomplete.tolist()
    ({1: ('blue', 'red')}, [True, False])
    """

    values: Floats
    names: list[str] | None = None
    categories: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return int(self.values.shape[1])

    @cached_property
    def nominal(self) -> Bools:
        """Which columns are categories."""
        mask = np.zeros(self.n_features, dtype=bool)
        mask[list(self.categories)] = True
        return mask

    @cached_property
    def incomplete(self) -> Bools:
        """Which columns miss numbers."""
        # One sum tells whether there is anything to look for, without a matrix of booleans.
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isnan(self.values.sum()):
                return np.zeros(self.n_features, dtype=bool)
        return np.asarray(np.isnan(self.values).any(axis=0))

    @property
    def is_plain(self) -> bool:
        """Whether all columns are numbers and complete."""
        return not self.categories and not self.incomplete.any()

    @property
    def feature_names(self) -> FeatureNames:
        """The names of all columns: ``x0``, ``x1``, ... if nobody named them."""
        if self.names is not None:
            return FeatureNames.of(self.names)
        count = self.n_features
        return FeatureNames(count, lambda index: f"x{index}", lambda: [f"x{index}" for index in range(count)])

    def label(self, index: int) -> str:
        """What to call a column in a message."""
        return self.names[index] if self.names else f"column {index}"

    def labels(self, mask: Bools, most: int = 8) -> str:
        """What to call some columns in a message; only the first ones of many."""
        return listed([self.label(int(index)) for index in np.flatnonzero(mask)], most)

    def rows(self, chosen: npt.NDArray[Any]) -> Features:
        """The same columns with some of the rows."""
        return Features(np.ascontiguousarray(self.values[chosen]), self.names, self.categories)

    def columns(self, chosen: Sequence[int]) -> Features:
        """Some of the columns with all rows."""
        names = None if self.names is None else [self.names[index] for index in chosen]
        categories = {
            place: self.categories[index] for place, index in enumerate(chosen) if index in self.categories
        }
        return Features(np.ascontiguousarray(self.values[:, list(chosen)]), names, categories)

    def refuse_categories(self, who: str, *, most: int, advice: str) -> None:
        """Refuse categories of more than so many labels, on behalf of a measure that needs numbers."""
        wrong = [index for index, labels in self.categories.items() if len(labels) > most]
        if wrong:
            first = self.categories[wrong[0]]
            mask = np.zeros(self.n_features, dtype=bool)
            mask[wrong] = True
            named = "two categories" if most == 2 else f"up to {most} categories"
            raise InputError(
                f"{who} needs numbers{'' if most < 2 else f' or {named}'}, but {self.labels(mask)} "
                f"{'is' if len(wrong) == 1 else 'are'} text or categories ({len(first)} different ones, such as "
                f"{first[0]!r}); {advice}."
            )

    def refuse_missing(self, who: str, *, advice: str) -> None:
        """Refuse missing numbers, on behalf of a measure that cannot deal with them."""
        if self.incomplete.any():
            counts = np.isnan(self.values).sum(axis=0)
            named = [f"{self.label(int(index))}: {counts[index]}" for index in np.flatnonzero(counts)]
            raise InputError(f"{who} cannot deal with missing values ({listed(named)}); {advice}.")


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
    found = found if feature_names is None else _renamed(found, feature_names)
    _refuse_infinite(found)
    return found


def category_codes(labels: Sequence[Any], name: str) -> tuple[Floats, tuple[str, ...]]:
    """Labels (None = missing) as codes in the order of the labels, a missing one last.

    Examples
    --------
    >>> codes, categories = category_codes(["b", None, "a"], "x")
    >>> codes.tolist(), categories
    ([1.0, 2.0, 0.0], ('a', 'b', '(missing)'))
    """
    known = sorted({label for label in labels if label is not None})
    if len(known) > FEW_CATEGORIES and 2 * len(known) > len(labels):
        raise InputError(
            f"{name} has {len(known):,} categories in {len(labels):,} rows, which name rows instead of grouping them; "
            "drop it, or merge categories."
        )
    positions: dict[Any, int] = {label: code for code, label in enumerate(known)}
    has_missing = any(label is None for label in labels)
    codes = np.array([positions.get(label, len(known)) for label in labels], dtype=np.float64)
    return codes, (*map(str, known), *([MISSING_LABEL] if has_missing else []))


def column_mask(what: str, given: npt.ArrayLike, n_columns: int) -> Bools:
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


# --- Names -------------------------------------------------------------------------------------------


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
    return Features(features.values, names, features.categories)


def _distinct(names: list[str]) -> list[str]:
    twice = sorted(name for name, count in Counter(names).items() if count > 1)
    if twice:
        raise InputError(f"column names must be distinct; these occur more than once: {listed(twice)}.")
    return names


# --- Whole tables ------------------------------------------------------------------------------------


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
                "X is no table of single values; its rows must all have the same length."
            ) from error
        return None
    if values.ndim != 2:
        got = f"{values.ndim} dimension(s)" if values.ndim else f"a value of type {type(X).__name__}"
        raise InputError(f"X must be a table with rows and columns, such as a frame or an array; got {got}.")
    if not values.shape[0] or not values.shape[1]:
        raise _empty(*values.shape)
    if values.dtype.kind not in NUMERIC_KINDS or not _exact(values):
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
        found, labels = _column(column, names[index] if names else f"column {index}")
        values[:, index] = found
        if labels is not None:
            categories[index] = labels
    return Features(values, names, categories)


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


# --- Single columns ----------------------------------------------------------------------------------

Column = tuple[Floats, tuple[str, ...] | None]


def _column(column: Any, name: str) -> Column:
    """Numbers, or codes and their labels."""
    if isinstance(column, np.ndarray):
        return _from_array(column, name)
    import narwhals as nw

    series = nw.from_native(column, series_only=True)
    kind = series.dtype
    if kind.is_temporal():
        raise InputError(f"{name} {DATES}.")
    if kind == nw.Boolean or kind.is_numeric():
        return _from_array(_with_nan(series), name)
    if kind == nw.Categorical or kind == nw.Enum:
        ranks = _ranks(column)
        if ranks is not None:
            return ranks, None
        labels = [None if is_missing(label) else label for label in series.to_list()]
        # Labels of one type can be sorted; of several types, as text.
        known = {type(label) for label in labels if label is not None}
        comparable = (
            labels if len(known) <= 1 else [None if label is None else str(label) for label in labels]
        )
        return category_codes(comparable, name)
    return _from_array(_objects(series.to_list()), name)


def _with_nan(series: Any) -> npt.NDArray[Any]:
    """Numbers of a frame as an array; whole numbers stay whole unless some are missing."""
    if series.null_count():
        return np.array([np.nan if is_missing(value) else float(value) for value in series.to_list()])
    values = np.asarray(series.to_numpy())
    return values if values.dtype.kind in NUMERIC_KINDS else _objects(series.to_list())


def _ranks(column: Any) -> Floats | None:
    """The ranks of ordered categories, nan where missing; None if there is no order."""
    accessor: Any = getattr(column, "cat", None)
    if getattr(accessor, "ordered", False):
        codes = np.asarray(accessor.codes, dtype=np.float64)
        codes[codes < 0] = np.nan
        return codes
    if getattr(getattr(column, "type", None), "ordered", False):
        # Arrow: the chunks of a column may have dictionaries of their own until they are made one.
        whole = column.unify_dictionaries().combine_chunks()
        return np.array(
            [np.nan if code is None else code for code in whole.indices.to_pylist()], dtype=np.float64
        )
    return None


def _objects(values: Sequence[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _from_array(values: npt.NDArray[Any], name: str) -> Column:
    if values.dtype.kind in NUMERIC_KINDS:
        return _as_floats(values, name), None
    if values.dtype.kind in "mM":
        raise InputError(f"{name} {DATES}.")
    if values.dtype.kind == "c":
        raise InputError(
            f"Complex data not supported: {name} holds complex numbers; split it into two columns."
        )
    plain = [None if is_missing(value) else value for value in values.tolist()]
    known = [value for value in plain if value is not None]
    # Decimal is a number that does not register as Real.
    n_numbers = sum(isinstance(value, numbers.Real) or type(value).__name__ == "Decimal" for value in known)
    if n_numbers == len(known):
        return _floats_of_objects(plain, name), None
    n_text = sum(isinstance(value, str) for value in known)
    if n_text == len(known):
        _refuse_written_numbers(known, name)
        return category_codes(plain, name)
    if n_text + n_numbers == len(known):
        odd = next(value for value in known if isinstance(value, str) == (n_text <= n_numbers))
        raise InputError(
            f"{name} mixes numbers ({n_numbers}) with text ({n_text}), such as {_shown(odd)}; make it one or the other."
        )
    odd = next(value for value in known if not isinstance(value, str | numbers.Real))
    if hasattr(odd, "year") or hasattr(odd, "total_seconds") or hasattr(odd, "hour"):
        raise InputError(f"{name} {DATES}.")
    if isinstance(odd, complex):
        raise InputError(
            f"Complex data not supported: {name} holds complex numbers; split it into two columns."
        )
    raise InputError(
        f"{name} holds a value of type {type(odd).__name__}, such as {_shown(odd)}; a column must hold numbers, "
        "text or categories."
    )


def _exact(values: npt.NDArray[Any]) -> bool:
    """Whether floats can hold all of these numbers."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return True
    return int(values.min()) >= -EXACT and int(values.max()) <= EXACT


def _exact_as_floats(X: Any, values: npt.NDArray[Any]) -> bool:
    """Whether whole numbers of a frame that also has floats have come through as they were."""
    largest, smallest = np.fmax.reduce(values, axis=None), np.fmin.reduce(values, axis=None)
    if smallest > -EXACT and largest < EXACT:
        return True
    # The names of types take long to make, so they are asked for only if there are huge numbers.
    whole = [index for index, kind in enumerate(X.dtypes) if "int64" in str(kind).lower()]
    return not (np.abs(values[:, whole]) >= EXACT).any()


def _as_floats(values: npt.NDArray[Any], name: str) -> Floats:
    if not _exact(values):
        _refuse_inexact(name, int(values.min()), int(values.max()))
    return values.astype(np.float64)


def _floats_of_objects(plain: Sequence[Any], name: str) -> Floats:
    whole = [value for value in plain if isinstance(value, numbers.Integral)]
    if whole:
        _refuse_inexact(name, int(min(whole)), int(max(whole)))
    return np.array([np.nan if value is None else float(value) for value in plain], dtype=np.float64)


def _refuse_inexact(name: str, smallest: int, largest: int) -> None:
    if smallest < -EXACT or largest > EXACT:
        extreme = largest if largest > EXACT else smallest
        text = str(extreme) if abs(extreme) < 10**30 else f"{str(extreme)[:12]}..."
        raise InputError(
            f"{name} holds whole numbers as large as {text}, which floats cannot tell apart; drop the column if it "
            "names rows, make it a category, or rescale it."
        )


def _refuse_written_numbers(known: Sequence[str], name: str) -> None:
    labels = set(known)
    written = {label for label in labels if _reads_as_number(label)}
    if 2 * len(written) > len(labels):
        raise InputError(
            f"{name} is text, but {'all' if len(written) == len(labels) else 'most'} of it reads as numbers, such as "
            f"{_shown(min(written))}"
            f"{'' if written == labels else f' (but not {_shown(min(labels - written))})'}; make it numbers, or say "
            "that it is a category."
        )


def _reads_as_number(text: str) -> bool:
    try:
        float(text.replace(",", ".", 1))
    except ValueError:
        return False
    return True


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
