"""How good a set must be to count as nearly the best: within a part of the best quality, or from a given one on."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

from altsets.errors import InputError

__all__ = ["DEFAULT_WITHIN", "Nearness"]

DEFAULT_WITHIN = 0.01


@dataclass(frozen=True)
class Nearness:
    """What makes a set nearly the best.

    Attributes
    ----------
    within : float or None
        Which part of the best quality it may lack; None if there is a least quality instead.
    min_quality : float or None
        The least quality, if that was asked.
    """

    within: float | None
    min_quality: float | None

    @classmethod
    def of(cls, within: Any, min_quality: Any) -> Nearness:
        """What users give, checked.

        Examples
        --------
        >>> Nearness.of(0.5, None).threshold(-8.0), Nearness.of(0.01, 3).threshold(-8.0)
        (-12.0, 3.0)
        """
        part = _number(within)
        if not 0 <= part < math.inf:
            raise InputError(
                f"within={within!r} is not a number of at least 0; 0.01 allows for one per cent."
            )
        if min_quality is None:
            return cls(part, None)
        if part != DEFAULT_WITHIN:
            raise InputError("within and min_quality were both given; give one of them.")
        least = _number(min_quality)
        if not math.isfinite(least):
            raise InputError(f"min_quality={min_quality!r} is not a finite number.")
        return cls(None, least)

    def threshold(self, best: float) -> float:
        """The least quality that counts."""
        if self.within is None:
            assert self.min_quality is not None
            return self.min_quality
        return best - self.within * abs(best)


def _number(value: Any) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return math.inf
    return math.nan
