"""Sets of groups: features of a group are chosen together, and sizes and differences count groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from altsets.constraints import Constraint, Linear, Size, Together
from altsets.dissimilarity import Grouped
from altsets.errors import InputError
from altsets.request._fields import DEFAULT_SIZE, RequestFields
from altsets.wording import parameter

#: What rounding may take away from a share of groups.
TOLERANCE = 1e-9


def in_groups(
    request: RequestFields, groups: Grouped, constraints: Sequence[Constraint]
) -> tuple[tuple[Constraint, ...], Any]:
    """Return constraints on features that say the same as a request for groups, and tau for Dice over groups."""
    assert groups.labels is not None
    order = np.argsort(groups.labels, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(groups.labels[order])) + 1)
    least, most = _counts(request, constraints, len(members))
    sizes = sorted(map(len, members))
    # One feature of each group counts it.
    firsts = {int(listed[0]): 1 for listed in members}
    kept = [one for one in constraints if not isinstance(one, Size)]
    whole = [Together(listed.tolist()) for listed in members if len(listed) > 1]
    limits = Size(sum(sizes[:least]), sum(sizes[len(sizes) - most :]))
    return (*kept, *whole, limits, Linear(firsts, lower=least, upper=most)), _tau(request, least, most)


def _counts(request: RequestFields, constraints: Sequence[Constraint], n_groups: int) -> tuple[int, int]:
    """The least and the largest number of groups in a set."""
    given = next((one for one in constraints if isinstance(one, Size)), None)
    asked = DEFAULT_SIZE if request.n_features is None else request.n_features
    if given is not None:
        least, most = given.k_min, min(given.k_max, n_groups)
    elif isinstance(asked, float):
        least = most = max(1, math.floor(asked * n_groups + TOLERANCE))
    else:
        least = most = asked
    if least > n_groups:
        raise InputError(
            f"{parameter('n_features', least)} counts groups ({parameter('unit', 'group')}), and there are {n_groups}; "
            "ask for fewer."
        )
    return least, most


def _tau(request: RequestFields, least: int, most: int) -> Any:
    """Dice of sets that differ in a number of groups, where that was asked for."""
    tau: Any = request.least_tau
    if request.dissimilarity != "absolute":
        return tau
    if least != most:
        raise InputError(
            f"{parameter('dissimilarity', 'absolute')} with {parameter('unit', 'group')} is for sets of one size; "
            "leave it out, and give tau as a share."
        )
    if tau > least:
        raise InputError(f"{parameter('tau', tau)} is more than the {least} groups of a set; ask for fewer.")
    return Fraction(int(tau), least)
