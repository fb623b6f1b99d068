"""The target of a table: classes or amounts, checked and in numbers."""

from __future__ import annotations

import numbers
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.errors import InputError
from altsets.measures._features import NUMERIC_KINDS, FloatArray, is_missing

__all__ = ["TASKS", "Target", "target_of"]

TASKS = ("auto", "classification", "regression")

#: Whole numbers are amounts, not classes, if there are more than this many different ones ...
MOST_CLASSES = 20
#: ... and fewer than this many rows for each of them, on average.
ROWS_PER_CLASS = 10


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
    amounts: FloatArray | None
    n_distinct: int

    @property
    def is_classes(self) -> bool:
        """Whether the target names classes."""
        return self.task == "classification"


def target_of(y: Any, n_rows: int, task: str = "auto") -> Target:
    """Check a target and decide whether it names classes or amounts.

    Text and booleans are classes. Numbers are what :func:`sklearn.utils.multiclass.type_of_target` says,
    with one exception: it calls every column of whole numbers classes, so that a blood pressure in mmHg
    would become a hundred classes. Whole numbers are therefore amounts if there are more than 20 different
    ones with fewer than 10 rows each on average, or if no two rows agree. ``task`` overrules.

    Parameters
    ----------
    y : array-like of shape (n_rows,)
        Numbers, booleans or text.
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
    labels = _vector(y, n_rows)
    amounts = _amounts(labels)
    if amounts is None and task == "regression":
        raise InputError(
            "task='regression' needs a target of numbers, but the target is text; use classification."
        )
    distinct, codes = np.unique(labels if amounts is None else amounts, return_inverse=True)
    if len(distinct) < 2:
        raise InputError(f"the target has only one value ({distinct[0]}); there is nothing to predict.")
    if task == "auto":
        task = _guess(amounts, len(distinct))
    if task == "classification" and len(distinct) == len(codes):
        raise InputError(
            f"each of the {len(codes)} rows has a class of its own, so no feature can tell classes apart; "
            "check the target, or say that it is an amount (task='regression')."
        )
    values = codes if task == "classification" or amounts is None else amounts
    return Target(task, values, amounts, len(distinct))


def _vector(y: Any, n_rows: int) -> npt.NDArray[Any]:
    if isinstance(y, np.ma.MaskedArray):
        hidden = np.ma.getmaskarray(y)
        y = np.ma.getdata(y).astype(object)
        y[hidden] = None
    try:
        values = np.asarray(y)
    except ValueError as error:
        raise InputError(f"the target must be one list of values: {error}.") from error
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise InputError(
            f"the target must be one column; got shape {values.shape} (several targets are not supported)."
        )
    if len(values) != n_rows:
        raise InputError(f"the table has {n_rows} rows, but the target has {len(values)} values.")
    return values


def _amounts(values: npt.NDArray[Any]) -> FloatArray | None:
    """The target as floats, or None if it is text; anything else is refused."""
    if values.dtype.kind not in NUMERIC_KINDS:
        plain = values.tolist()
        n_missing = sum(map(is_missing, plain))
        if n_missing:
            raise InputError(f"the target misses {n_missing} of {len(values)} values; drop these rows.")
        if all(isinstance(value, str) for value in plain):
            return None
        if not all(isinstance(value, numbers.Real) for value in plain):
            kinds = sorted({type(value).__name__ for value in plain})
            raise InputError(f"the target must be all numbers or all text; it holds {', '.join(kinds)}.")
    amounts = values.astype(np.float64)
    for what, wrong in (("missing", np.isnan(amounts)), ("infinite", np.isinf(amounts))):
        if wrong.any():
            raise InputError(
                f"the target has {wrong.sum()} {what} value(s) of {len(amounts)}; drop these rows."
            )
    return amounts


def _guess(amounts: FloatArray | None, n_distinct: int) -> str:
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
