"""What counts as equal, in the numbers of order one that engines see (:mod:`altsets.search.scaling`)."""

from __future__ import annotations

from altsets.result import optimality_tolerance

#: What an engine calls proven: a bound no further above the value than this, where the scale is between 1/2 and 1.
PROVEN = optimality_tolerance(0.5)

#: The same inside a search, which leaves the other half for what the value itself is rounded by.
CLOSED = PROVEN / 2
#: A part of a search that comes so close to its target has reached it: parts add up, so less than that.
REACHED = PROVEN / 4

#: Thresholds are lower by so many times the tolerance of single sets, so that no set is lost to the rounding of a
#: threshold that is a difference of three numbers.
ROUNDED = 4
