"""What is known before a search begins, from searches about the same features that asked for more or for less."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from altsets.problem import FeatureSet

__all__ = ["NOTHING", "Known", "SharedWork", "Turn"]

#: The best set of a search in turn, None if there is none, and a bound on every such set.
Turn = tuple[FeatureSet | None, float]


@dataclass(frozen=True)
class Known:
    """Facts about one request; whoever says them has a proof.

    Attributes
    ----------
    sets : sequence of FeatureSet
        A solution, if there is one: as many sets as asked, which differ enough.
    bound : float
        No solution has a larger objective; -inf if there is none.
    proof : str
        The argument behind the bound, in words for users.
    in_turn : sequence of Turn
        What sequential search finds first, one set after the other; None after the last one there is.
    """

    sets: Sequence[FeatureSet] = ()
    bound: float = math.inf
    proof: str = ""
    in_turn: Sequence[Turn] = ()

    def in_units(self, exponent: int) -> Known:
        """The same in the numbers of engines: those of the user divided by two to this power, which rounds nothing."""
        if not exponent or self is NOTHING:
            return self
        turns = [(chosen, math.ldexp(bound, -exponent)) for chosen, bound in self.in_turn]
        return replace(self, bound=math.ldexp(self.bound, -exponent), in_turn=turns)


#: What a search begins with that nobody has told anything.
NOTHING = Known()


@dataclass
class SharedWork:
    """What searches leave to each other that differ in tau and in the number of sets alone, in the numbers of engines.

    None of it decides what is right: without it, a search does the same again.

    Attributes
    ----------
    best : tuple or None
        The best sets that k_best gave for a single set of any kind: the sets, their values, and the bound.
    columns : list of FeatureSet
        Sets that are worth a column in the next programme: solutions, and the columns of the last one.
    too_many : bool
        Whether there are too many sets to list them all.
    oracles : dict
        What was prepared for single sets, by the number of features in all sets together; only pricing looks inside.
    long_lists : set of int
        How many sets were asked for where lists without prices became too long.
    """

    best: tuple[list[FeatureSet], list[float], float] | None = None
    columns: list[FeatureSet] = field(default_factory=list)
    too_many: bool = False
    oracles: dict[int, Any] = field(default_factory=dict)
    long_lists: set[int] = field(default_factory=set)
