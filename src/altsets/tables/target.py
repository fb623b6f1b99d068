"""The target of a table: classes or amounts, checked and in numbers."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError, reason_of
from altsets.tables.column_conversion import NUMERIC_KINDS, is_missing

__all__ = ["TASKS", "Target", "labels_of", "target_of", "vector_of"]

TASKS = ("auto", "classification", "regression")

#: Whole numbers are amounts, not classes, if there are more than this many different ones ...
MOST_CLASSES = 20
#: ... and fewer than this many rows for each of them, on average.
ROWS_PER_CLASS = 10

DATES = (
    "the target holds dates or times, which have no single meaning as numbers; turn it into numbers, such as days "
    "since a start."
)


@dataclass(frozen=True)
class Target:
    """What is to be predicted.

    Attributes
    ----------
    task : str
        ``"classification"`` or ``"regression"``.
    values : ndarray
        Class codes 0, 1, ... or amounts.
    amounts : ndarray or None
        The target as it came, if it came as numbers.
    n_distinct : int
        How many different values it has.
    """

    task: str
    values: npt.NDArray[Any]
    amounts: Floats | None
    n_distinct: int

    @property
    def is_classes(self) -> bool:
        """Whether the target names classes."""
        return self.task == "classification"


def target_of(y: Any, n_rows: int, task: str = "auto") -> Target:
    """Check a target and decide whether it names classes or amounts.

    Text, booleans and categories (also of numbers) are classes. Numbers are what
    :func:`sklearn.utils.multiclass.type_of_target` says, with one exception: it calls every column of whole numbers
    classes, so that a blood pressure in mmHg would become a hundred classes. Whole numbers are therefore amounts if
    there are more than 20 different ones with fewer than 10 rows each on average, or if no two rows agree. ``task``
    overrules.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Numbers, booleans, text or categories; a list, an array, or a column of a frame (pandas, polars, Arrow).
    n_rows : int
        The number of rows of the table.
    task : {"auto", "classification", "regression"}
        What the target is.

    Examples
    --------
    >>> target_of(["ill", "well", "ill"], 3).values
    array([0, 1, 0])
    >>> target_of([0.5, 1.25, 7.0], 3).task
    'regression'
    """
    if task not in TASKS:
        raise InputError(f"task={task!r} is unknown; choose one of {', '.join(map(repr, TASKS))}.")
    labels = vector_of(y, n_rows)
    if n_rows == 1:
        raise InputError("the table has only one row (n_samples = 1); there is nothing to compare.")
    amounts = _amounts(labels)
    if amounts is None and task == "regression":
        raise InputError(
            "task='regression' needs a target of numbers, but the target is text; use classification."
        )
    distinct, codes = np.unique(labels if amounts is None else amounts, return_inverse=True)
    if len(distinct) < 2:
        classes = task != "regression" and (amounts is None or float(distinct[0]).is_integer())
        raise InputError(
            f"the target has only one value ({distinct[0]}){', one class' if classes else ''}; there is nothing to "
            "predict."
        )
    if task == "auto":
        task = _guess(amounts, len(distinct))
    if task == "classification" and len(distinct) == len(codes):
        raise InputError(
            f"each of the {len(codes)} rows has a class of its own, so no feature can tell classes apart; "
            "check the target, or say that it is an amount (task='regression')."
        )
    values = codes if task == "classification" or amounts is None else amounts
    return Target(task, values, amounts, len(distinct))


def labels_of(y: Any, target: Target) -> npt.NDArray[Any]:
    """The target for models and scorers, which may ask for a class by its name; amounts as numbers.

    Examples
    --------
    >>> y = ["ill", "well", "ill"]
    >>> labels_of(y, target_of(y, 3)).tolist()
    ['ill', 'well', 'ill']
    """
    if not target.is_classes:
        return target.values
    labels = vector_of(y, len(target.values), as_text=False)
    # Numbers among objects are numbers; scikit-learn would not know.
    return labels if labels.dtype != object or target.amounts is None else target.amounts


def vector_of(y: Any, n_rows: int, *, as_text: bool = True) -> npt.NDArray[Any]:
    """The values of a target as one array: numbers, truth values or objects; categories become text, if they are to.

    Examples
    --------
    >>> vector_of([[1], [2]], 2).tolist()
    [1, 2]
    """
    if y is None:
        raise InputError("this requires y to be passed, but the target y is None.")
    values = _array(_one_column(y), as_text)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(
            f"the target must be one column; got shape {values.shape} (several targets are not supported)."
        )
    if len(values) != n_rows:
        raise InputError(f"the table has {n_rows} rows, but the target has {len(values)} values.")
    return values


def _one_column(y: Any) -> Any:
    """The only column of a frame; anything else as it is."""
    columns = getattr(y, "columns", None)
    if columns is None or callable(columns):
        return y
    if len(columns) != 1:
        raise InputError(
            f"the target must be one column; got {len(columns)} columns (several targets are not supported)."
        )
    if hasattr(y, "iloc"):
        return y.iloc[:, 0]
    return y.column(0) if hasattr(y, "column_names") else y.get_columns()[0]


def _array(y: Any, as_text: bool) -> npt.NDArray[Any]:
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

    if hasattr(y, "categories") and hasattr(y, "codes"):
        # Categories of pandas without the series around them.
        return _texts(y.tolist()) if as_text else np.array(y.tolist())
    series = nw.from_native(y, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        # An Arrow array is a list of values, too, but for its dates.
        return np.asarray(y.to_pylist() if hasattr(y, "to_pylist") else y)
    kind = series.dtype
    if kind.is_temporal():
        raise InputError(DATES)
    if kind == nw.Categorical or kind == nw.Enum:
        return _texts(series.to_list()) if as_text else np.array(series.to_list())
    if kind.is_numeric() and not kind.is_decimal() and not series.null_count():
        return np.asarray(series.to_numpy())
    return np.array(
        series.to_list(), dtype=bool if kind == nw.Boolean and not series.null_count() else object
    )


def _texts(labels: Iterable[Any]) -> npt.NDArray[Any]:
    return np.array([None if is_missing(label) else str(label) for label in labels], dtype=object)


def _amounts(values: npt.NDArray[Any]) -> Floats | None:
    """The target as floats, or None if it is text; anything else is refused."""
    if values.dtype.kind in "mM":
        raise InputError(DATES)
    if values.dtype.kind not in NUMERIC_KINDS:
        plain = values.tolist()
        n_missing = sum(map(is_missing, plain))
        if n_missing:
            raise InputError(f"the target misses {n_missing} of {len(values)} values; drop these rows.")
        if all(isinstance(value, str) for value in plain):
            return None
        _refuse_other_things(plain)
    amounts = values.astype(np.float64)
    for what, wrong in (("missing", np.isnan(amounts)), ("infinite", np.isinf(amounts))):
        if wrong.any():
            raise InputError(
                f"the target has {wrong.sum()} {what} value(s) of {len(amounts)}; drop these rows."
            )
    return amounts


def _refuse_other_things(plain: list[Any]) -> None:
    """Refuse a target that is neither all numbers nor all text."""
    # Decimal is a number that does not register as Real.
    odd = [value for value in plain if not isinstance(value, numbers.Real | Decimal)]
    if not odd:
        return
    if any(hasattr(value, "year") or hasattr(value, "total_seconds") for value in odd):
        raise InputError(DATES)
    if any(isinstance(value, list | tuple | dict | set) for value in odd):
        raise InputError(
            f"the target must be one value per row, but it holds a {type(odd[0]).__name__} (several targets are not "
            "supported); choose one."
        )
    kinds = sorted({type(value).__name__ for value in plain})
    raise InputError(f"the target must be all numbers or all text; it holds {', '.join(kinds)}.")


def _guess(amounts: Floats | None, n_distinct: int) -> str:
    if amounts is None:
        return "classification"
    from sklearn.utils.multiclass import type_of_target

    with warnings.catch_warnings():
        # "More than half of the values are unique" is one of the cases that the rule below decides.
        warnings.simplefilter("ignore")
        kind = type_of_target(amounts)
    many = n_distinct > MOST_CLASSES and len(amounts) < ROWS_PER_CLASS * n_distinct
    many = many or n_distinct == len(amounts)
    return "classification" if kind in ("binary", "multiclass") and not many else "regression"
