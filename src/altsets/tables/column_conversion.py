"""One column of a frame or an array, as numbers or as the codes of categories."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from altsets.arrays import Floats
from altsets.errors import InputError
from altsets.tables.feature_matrix import category_codes

__all__ = ["DATES", "LARGEST_EXACT", "NUMERIC_KINDS", "converted", "floats_hold", "is_missing"]

NUMERIC_KINDS = "biuf"

#: Whole numbers up to this are the same as floats.
LARGEST_EXACT = 2**53

DATES = (
    "holds dates or times, which have no single meaning as numbers; turn it into numbers (such as days since a "
    "start, or the month) or drop it"
)


def is_missing(value: Any) -> bool:
    """Whether a value stands for "not known": None, nan, or the missing value of a frame library."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and value != value


def converted(column: Any, name: str) -> tuple[Floats, tuple[str, ...] | None]:
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


def _from_array(values: npt.NDArray[Any], name: str) -> tuple[Floats, tuple[str, ...] | None]:
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


def floats_hold(values: npt.NDArray[Any]) -> bool:
    """Whether floats can hold all of these numbers."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return True
    return int(values.min()) >= -LARGEST_EXACT and int(values.max()) <= LARGEST_EXACT


def _as_floats(values: npt.NDArray[Any], name: str) -> Floats:
    if not floats_hold(values):
        _refuse_inexact(name, int(values.min()), int(values.max()))
    return values.astype(np.float64)


def _floats_of_objects(plain: Sequence[Any], name: str) -> Floats:
    whole = [value for value in plain if isinstance(value, numbers.Integral)]
    if whole:
        _refuse_inexact(name, int(min(whole)), int(max(whole)))
    return np.array([np.nan if value is None else float(value) for value in plain], dtype=np.float64)


def _refuse_inexact(name: str, smallest: int, largest: int) -> None:
    if smallest < -LARGEST_EXACT or largest > LARGEST_EXACT:
        extreme = largest if largest > LARGEST_EXACT else smallest
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
