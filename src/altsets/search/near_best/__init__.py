"""How many sets are nearly as good as the best one, which features they have, and what they look like."""

from altsets.search.near_best.answer import NearBest
from altsets.search.near_best.extent import Range, RangeEnd

__all__ = ["NearBest", "Range", "RangeEnd"]
