"""Features that a set has together or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from altsets.constraints._kinds import OfFeatures
from altsets.constraints.base import NeedRule, Option, Rule


@dataclass(frozen=True, init=False)
class Together(OfFeatures):
    """Each set has all of these features, or none of them.

    Parameters
    ----------
    features : sequence of int or str
        Features, by index, name or pattern (``"S004_*"``).

    See Also
    --------
    altsets.constraints.Implies : The one needs the other, and not the other way round.
    altsets.constraints.Exclusive : At most one feature of a group.

    Examples
    --------
    >>> import altsets
    >>> pair = Together([0, 4])
    >>> pair.holds((0, 1)), pair.holds((0, 4)), pair.holds((1, 2))
    (False, True, True)
    >>> altsets.find([9, 8, 7, 3, 1], n_features=2, n_alternatives=0, constraints=pair).sets
    [(1, 2)]
    """

    kind = "together"
    option = Option("--together", "COL[,COL]", "Features that a set has all together, or none of them.")
    _words, _sentence = "all or none of {{{features}}}", "Every set has all of these or none: {features}."

    def holds(self, chosen: Sequence[int]) -> bool:
        return len(self._members.intersection(chosen)) in (0, len(self._members))

    def rules(self) -> tuple[Rule, ...]:
        members = sorted(self._members)
        if len(members) < 2:
            return ()
        return tuple(map(NeedRule, members, [*members[1:], members[0]]))
