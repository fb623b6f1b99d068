"""The condition that no set has a constant column, which a table brings along: nobody asks for it, or saves it."""

from __future__ import annotations

from collections.abc import Sequence

from altsets.constraints._measured import Forbid
from altsets.features import FeatureNames


class ForbidConstant(Forbid):
    """No set has a column that holds one value only; a condition of the table, which nobody has to ask for."""

    kind = "forbid_constant"

    def describe(self, names: Sequence[str]) -> str:
        return f"no constant column ({FeatureNames.of(names).listed(self.features)})"
