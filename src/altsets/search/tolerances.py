"""What counts as equal, in the numbers of order one that engines see (:mod:`altsets.search.scaling`)."""

from __future__ import annotations

from altsets.result import optimality_tolerance

__all__ = ["PROVEN"]

#: What an engine calls proven: a bound no further above the value than this, where the scale is between 1/2 and 1.
PROVEN = optimality_tolerance(0.5)
