"""Conditions on sets: what every set must hold, must not hold, may hold, may cost.

=======================  ==========================================================================
``Require(f)``           every set has f
``Forbid(f)``            no set has f; with ``proxies=0.8``, nor a feature that predicts f that well
``AtMost(r, group)``     a set has at most r features of the group
``AtLeast(r, group)``    a set has at least r features of the group
``Exclusive(group)``     a set has at most one feature of the group
``Implies(f, g)``        a set that has f has g too
``Budget(c, limit)``     the features of a set cost no more than the limit together
``MaxSimilarity(s, l)``  no two features of a set are more alike than l
``Size(k, l)``           a set has k to l features, instead of exactly ``n_features``
=======================  ==========================================================================

Features are indices, names or patterns: ``"S004_*"`` stands for all features whose names match, ``?`` for one
character, unless a feature has just this name. Each condition is for each set on its own; several are met together.
What makes no sense by itself is refused at once; whether a combination can be met, the search finds out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from altsets.constraints._budget import Budget
from altsets.constraints._kinds import AtLeast, AtMost, Exclusive, Implies, Require, Size
from altsets.constraints._measured import Forbid, MaxSimilarity
from altsets.constraints.base import Constraint

__all__ = [
    "AtLeast",
    "AtMost",
    "Budget",
    "Constraint",
    "Exclusive",
    "Forbid",
    "Implies",
    "MaxSimilarity",
    "Require",
    "Size",
]

#: Every constraint, in the order of its command-line options: a new one is a class in a file, and its line here.
KINDS: tuple[type[Constraint], ...] = (
    Require,
    Forbid,
    AtMost,
    AtLeast,
    Exclusive,
    Implies,
    Budget,
    MaxSimilarity,
    Size,
)


def constraint_from(entry: Mapping[str, Any]) -> Constraint:
    """The constraint that ``as_dict`` wrote."""
    for kind in KINDS:
        if kind.kind == entry["kind"]:
            return kind.from_dict(entry)
    raise ValueError(f"a constraint of kind {entry['kind']!r} is unknown")
