"""Arguments and answers of :mod:`altsets._kernels.subset_search`; positions number the open features from 0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from altsets._kernels import subset_search as kernel
from altsets.arrays import Floats, Ints
from altsets.search.comparison import Fitting

#: A test of a complete set, by the positions of its features.
Accept = Callable[[Ints], bool]
#: Called now and then; true means stop.
Tick = Callable[[], bool]


#: Nodes of a search without limit.
UNLIMITED = 2**62


class Terms(NamedTuple):
    """Value of a set: its linear terms minus its pair terms (symmetric). No pairs or conflicts: empty arrays."""

    linear: Floats
    pairs: Floats
    conflicts: npt.NDArray[np.uint8]


class KernelRules(NamedTuple):
    """Caps, budgets and implications: ``first[j]:first[j + 1]`` is the part of a flat array that belongs to j."""

    #: Which caps each feature counts for, and what is left of each cap.
    cap_first: Ints
    cap_member: Ints
    cap_room: Ints
    #: Costs, one row for each budget, and what is left of it.
    costs: Floats
    budget_room: Floats
    #: Which other features each feature needs, directly or not.
    needs_first: Ints
    needs: Ints
    #: The group that pays for each feature (-1: it pays for itself), one row for each budget; empty without groups.
    payers: Ints


class CliqueCutTerms(NamedTuple):
    """Which clique cuts each feature counts for, how many features of each are enough, and what that costs."""

    first: Ints
    member: Ints
    missing: Ints
    prices: Floats


class RatioTerms(NamedTuple):
    """A ratio N / sqrt(D), by which complete sets are evaluated."""

    #: What each feature adds to N and to D, and what each pair adds to D.
    upper: Floats
    lower: Floats
    lower_pairs: Floats
    #: N and D of the features that are in every set.
    start: tuple[float, float]
    #: Where N is to lie: above the first number, up to the second.
    window: tuple[float, float]
    threshold: float


class FitTerms(NamedTuple):
    """What the open features explain of the targets, besides those that are in every set; columns of length one."""

    #: The columns of position j are those from ``first[j]`` to ``first[j + 1]``.
    first: Ints
    #: Products of columns, and of columns with targets.
    gram: Floats
    cross: Floats
    #: The inverse of the Gram matrix, that times ``cross``, and what all columns together explain.
    inverse: Floats
    weights: Floats
    all_explain: float
    #: By how much rounding may make a superset look worse than it is.
    slack: float
    #: What the features that are in every set explain; a share counts times the factor, or its logarithm does.
    base_share: float
    factor: float
    in_logs: bool


class ExactBudgets(NamedTuple):
    """How much of each budget a set must leave to keep to it for sure, and the test of one that leaves less."""

    least_room: Floats
    pays: Accept


class SubsetsFound(NamedTuple):
    """The answer of the kernel."""

    #: One row of positions for each set: best first, or in the order in which they were found.
    rows: Ints
    values: Floats
    #: No other set is better; -inf if the search ran to its end.
    bound: float
    nodes: int


class Objective(NamedTuple):
    """What sets are worth, and from which value on they count."""

    terms: Terms
    #: The value of the features that are in every set.
    start: float
    #: Sets up to this value do not count.
    threshold: float
    clique_cuts: CliqueCutTerms | None = None
    fit: FitTerms | None = None
    #: For a ratio, where the terms serve for the bound alone.
    ratio: RatioTerms | None = None


@dataclass(frozen=True)
class KernelRequest:
    """What all searches for one request have in common."""

    rules: KernelRules
    n_open: int
    #: Whether the best sets are wanted, and not all above the threshold.
    keeping: bool
    tick: Tick
    accept: Accept | None = None
    fitting: Fitting | None = None
    exact_budgets: ExactBudgets | None = None
    #: Whether sets that cost no less than one found before do not count, by the last budget.
    cheaper: bool = False
    #: Differences in value up to this do not count.
    tolerance: float = 0.0

    def search(self, objective: Objective, most: int, max_nodes: int) -> SubsetsFound:
        """The sets that the kernel finds, at most so many."""
        return SubsetsFound(*kernel.subset_search(self, objective, most, max_nodes))
