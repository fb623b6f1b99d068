"""Proven facts used as a warm start, and work shared between searches of the same features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from altsets.problem import FeatureSet

#: The best set of a search in turn, None if there is none, and a bound on every such set.
Turn = tuple[FeatureSet | None, float]


@dataclass(frozen=True)
class Known:
    """Proven facts about one request.

    Attributes
    ----------
    sets : sequence of FeatureSet
        A solution, if there is one: as many sets as asked, which differ enough.
    bound : float
        No solution has a larger objective; -inf if there is none.
    proof : str
        The argument behind the bound, in words for users.
    in_turn : sequence of Turn
        The first sets of a sequential search, one after the other; None after the last one there is.
    """

    sets: Sequence[FeatureSet] = ()
    bound: float = math.inf
    proof: str = ""
    in_turn: Sequence[Turn] = ()

    def in_units(self, exponent: int) -> Known:
        """The same in engine units: user units divided by two to this power, which rounds nothing."""
        if not exponent or self is NOTHING:
            return self
        turns = [(chosen, math.ldexp(bound, -exponent)) for chosen, bound in self.in_turn]
        return replace(self, bound=math.ldexp(self.bound, -exponent), in_turn=turns)


#: No warm start.
NOTHING = Known()


@dataclass
class SharedWork:
    """Work shared by searches that differ in tau and in the number of sets only, in engine units.

    It saves time and decides nothing: without it, a search does the same again.

    Attributes
    ----------
    best : tuple or None
        The best sets that k_best gave for a single set of any kind: the sets, their values, and the bound.
    columns : list of FeatureSet
        Sets that are worth a column in the next programme: solutions, and the columns of the last one.
    too_many : bool
        Whether there are too many sets to list them all.
    oracles : dict
        Prepared searches for single sets, by the number of features in all sets together; private to pricing.
    long_lists : set of int
        Numbers of sets for which lists without prices became too long.
    """

    best: tuple[list[FeatureSet], list[float], float] | None = None
    columns: list[FeatureSet] = field(default_factory=list)
    too_many: bool = False
    oracles: dict[int, Any] = field(default_factory=dict)
    long_lists: set[int] = field(default_factory=set)
