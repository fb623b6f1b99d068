"""The values of a target column, from whatever holds them: an array, a list, a series of any frame."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError, reason_of
from altsets.tables.conversion import NUMERIC_KINDS, is_missing
from altsets.wording import counted as count_of

DATES = (
    "holds dates or times, which have no single meaning as numbers; turn it into numbers, such as days "
    "since a start."
)


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
    kind, complete = series.dtype, not series.null_count()
    if kind.is_temporal():
        raise InputError(f"the target {DATES}")
    if kind == nw.Categorical or kind == nw.Enum:
        return _texts(series.to_list()) if as_text else np.array(series.to_list())
    if kind.is_numeric() and not kind.is_decimal() and complete:
        return np.asarray(series.to_numpy())
    return np.array(series.to_list(), dtype=bool if kind == nw.Boolean and complete else object)


def _texts(labels: Iterable[Any]) -> npt.NDArray[Any]:
    return np.array([None if is_missing(label) else str(label) for label in labels], dtype=object)


def as_numbers(values: npt.NDArray[Any], who: str = "the target") -> Floats | None:
    """A target as floats, or None if it is text; anything else is refused."""
    if values.dtype.kind in "mM":
        raise InputError(f"{who} {DATES}")
    if values.dtype.kind not in NUMERIC_KINDS:
        plain = values.tolist()
        n_missing = sum(map(is_missing, plain))
        if n_missing:
            raise InputError(f"{who} has {count_of(n_missing, 'missing value')}; drop these rows.")
        if all(isinstance(value, str) for value in plain):
            return None
        _refuse_mixed(plain, who)
    numeric = values.astype(np.float64)
    for what, wrong in (("missing", np.isnan(numeric)), ("infinite", np.isinf(numeric))):
        if wrong.any():
            raise InputError(f"{who} has {count_of(int(wrong.sum()), f'{what} value')}; drop these rows.")
    return numeric


def _refuse_mixed(plain: list[Any], who: str) -> None:
    """Refuse a target that is neither all numbers nor all text."""
    # Decimal is a number that does not register as Real.
    odd = [value for value in plain if not isinstance(value, numbers.Real | Decimal)]
    if not odd:
        return
    if any(hasattr(value, "year") or hasattr(value, "total_seconds") for value in odd):
        raise InputError(f"{who} {DATES}")
    if any(isinstance(value, list | tuple | dict | set) for value in odd):
        raise InputError(
            f"{who} must be one value per row, but it holds a {type(odd[0]).__name__} (several targets are not "
            "supported); choose one."
        )
    kinds = sorted({type(value).__name__ for value in plain})
    raise InputError(f"{who} must be all numbers or all text; it holds {', '.join(kinds)}.")


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
