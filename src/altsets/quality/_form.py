"""A quality in numbers, for those who search."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Form", "form_in_use"]


@dataclass(frozen=True, eq=False)
class Form:
    """A quality at one set size, in numbers: what exact engines work with.

    The quality of a set F of that size is the sum of ``linear[j]`` over j in F, minus the sum of ``pairs[i, j]``
    over the pairs i < j in F. With ``ratio`` it is the first sum divided by the square root of the size plus the
    second sum. A set with a conflict, or with a feature that is not allowed, has none (minus infinity).

    Parameters
    ----------
    linear : ndarray of shape (n,)
        One number per feature.
    pairs : ndarray of shape (n, n), optional
        One number per pair: symmetric, with a zero diagonal; None if there are no pair terms.
    conflicts : ndarray of bool of shape (n, n), optional
        Pairs that exclude each other: symmetric, with a false diagonal; None if there are none.
    allowed : ndarray of bool of shape (n,), optional
        Features that may be used at all; None if all may.
    ratio : bool
        Whether the pair terms divide instead of being subtracted.

    Examples
    --------
    >>> from altsets.quality import MRMR
    >>> form = MRMR([0.75, 0.5, 0.25], [[0, 0.25, 0], [0.25, 0, 0], [0, 0, 0]]).form(2)
    >>> float(form.linear[0] + form.linear[1] - form.pairs[0, 1])
    0.375
    """

    linear: npt.NDArray[np.float64]
    pairs: npt.NDArray[np.float64] | None = None
    conflicts: npt.NDArray[np.bool_] | None = None
    allowed: npt.NDArray[np.bool_] | None = None
    ratio: bool = False

    def __post_init__(self) -> None:
        # Shared by the quality and every engine, so nobody may write into them.
        for values in (self.linear, self.pairs, self.conflicts, self.allowed):
            if values is not None:
                values.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        # Copies of arrays can be written into.
        self.__post_init__()


def form_in_use(quality: Any, size: int, make: Callable[[], Form]) -> Form:
    """The form that somebody works with already, or a new one: of many features it holds a large matrix."""
    forms = _IN_USE.setdefault(quality, weakref.WeakValueDictionary())
    form = forms.get(size)
    if form is None:
        form = forms[size] = make()
    return form


#: Forms that somebody works with, for each quality by their size.
_IN_USE: weakref.WeakKeyDictionary[Any, weakref.WeakValueDictionary[int, Form]] = weakref.WeakKeyDictionary()
