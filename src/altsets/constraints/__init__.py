"""Conditions on sets: what every set must hold, must not hold, may hold, may cost; and all sets together.

=======================  ==========================================================================
``Require(f)``           every set has f
``Forbid(f)``            no set has f; with ``proxies=0.8``, nor a feature that predicts f that well
``AtMost(r, group)``     a set has at most r features of the group
``AtLeast(r, group)``    a set has at least r features of the group
``Exclusive(group)``     a set has at most one feature of the group
``Implies(f, g)``        a set that has f has g too
``Together(features)``   a set has all of these features or none
``Budget(c, limit)``     the features of a set cost no more than the limit together
``Linear(c, l, u)``      the coefficients of the features of a set add up to a number from l to u
``MaxSimilarity(s, l)``  no two features of a set are more alike than l
``AboveNoise()``         the features of a set score above the noise floor
``Custom(check)``        a function of the indices of a set returns True
``Size(k, l)``           a set has k to l features, instead of exactly ``n_features``
=======================  ==========================================================================

About all sets together, those that exist already included:

=========================  ========================================================================
``AtMostSets(u, f)``       each of these features, or of all, is in at most u of the sets
``AtLeastSets(l, f)``      each of these features is in at least l of the sets
``Reserve(group)``         at most one of the sets has features of the group
``TotalBudget(c, limit)``  the features of all sets cost no more than the limit, each paid once
``Spread(s)``              the best set is at most s better than the worst, in simultaneous search
=========================  ========================================================================

Features are indices, names or patterns: ``"S004_*"`` means all features whose names match, ``?`` for one
character, unless a feature has just this name. Several conditions are met together.
A constraint that makes no sense by itself raises; whether a combination can be met is found by the search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from altsets.constraints._amounts import Budget, Linear
from altsets.constraints._custom import Custom
from altsets.constraints._joint import AtLeastSets, AtMostSets, Reserve, Spread, TotalBudget
from altsets.constraints._kinds import (
    AboveNoise,
    AtLeast,
    AtMost,
    Exclusive,
    Implies,
    Require,
    Size,
    Together,
)
from altsets.constraints._measured import Forbid, MaxSimilarity
from altsets.constraints._measured import ForbidConstant as ForbidConstant
from altsets.constraints.base import Constraint
from altsets.errors import NotExpressedError

__all__ = [
    "AboveNoise",
    "AtLeast",
    "AtLeastSets",
    "AtMost",
    "AtMostSets",
    "Budget",
    "Constraint",
    "Custom",
    "Exclusive",
    "Forbid",
    "Implies",
    "Linear",
    "MaxSimilarity",
    "Require",
    "Reserve",
    "Size",
    "Spread",
    "Together",
    "TotalBudget",
]

#: Constraints with an option, in the order of these: a new one is a class in a file, and its line here.
KINDS: tuple[type[Constraint], ...] = (
    Require,
    Forbid,
    AtMost,
    AtLeast,
    Exclusive,
    Implies,
    Together,
    Budget,
    Linear,
    MaxSimilarity,
    AboveNoise,
    Size,
    AtMostSets,
    AtLeastSets,
    Reserve,
    TotalBudget,
    Spread,
)


def constraint_from(entry: Mapping[str, Any]) -> Constraint:
    """The constraint that ``as_dict`` wrote."""
    if entry["kind"] == Custom.kind:
        raise NotExpressedError("a condition of your own is known to you alone")
    for kind in KINDS:
        if kind.kind == entry["kind"]:
            return kind.from_dict(entry)
    raise ValueError(f"a constraint of kind {entry['kind']!r} is unknown")
