"""Every limit and tolerance of the integer-programming engine, in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MilpLimits:
    """How the solver (HiGHS) is asked, and how much it is asked.

    Its tolerances are absolute, so programmes have numbers of order one.
    """

    # The solver

    #: What the solver calls feasible. Any tighter, presolve has been seen to cut off optima; its default is 1e-6.
    feasibility_tolerance: float = 1e-7
    #: By how much the objective is enlarged: an improvement by less than the tolerance is none to the solver.
    objective_factor: float = 1e5
    #: By how many tolerances its bound may be off, in the enlarged objective: what it cut off as no improvement may
    #: still be one, and each programme on the way was solved but for as much.
    bound_error: int = 100
    #: Coefficients below this are dropped. Its default, 1e-9, drops the difference of nearly equal scores.
    dropped_coefficient: float = 1e-12
    #: The absolute gap at which it stops, in the enlarged objective. Its default, 1e-6, is too much.
    absolute_gap: float = 1e-11
    #: The tolerance of linear programmes, primal and dual.
    lp_tolerance: float = 1e-9
    #: What is added to a bound that no second argument confirms, in units of the programme: presolve has been seen to
    #: be off by its tolerance.
    unconfirmed: float = 5e-7
    #: Steps of the run that a node of the solver's search counts as.
    steps_per_node: int = 10
    #: Seconds that it gets at least, even if time is up.
    min_seconds: float = 0.01

    # Programmes

    #: How far a row of a budget stays clear of what is meant, well above the solver's tolerance.
    clearance: float = 1e-6
    #: By how much the smallest quality may fall when the sum is maximised after it, as dividing by the scale rounds.
    minimum_slack: float = 1e-12

    # Whether there is a set at all

    #: With more sizes than this, or after so many nodes of a search for a set, the solver is asked.
    max_sizes: int = 16
    search_nodes: int = 10_000
    #: Beyond this many features it is not asked either, as the programme takes too long.
    max_features: int = 20_000


#: Default limits.
MILP_LIMITS = MilpLimits()
