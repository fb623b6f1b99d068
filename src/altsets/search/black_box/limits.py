"""Every limit of the engines for black boxes, in one place."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BLACK_BOX_LIMITS", "BlackBoxLimits"]


@dataclass(frozen=True)
class BlackBoxLimits:
    """How the engines for black boxes spend evaluations and steps.

    The number of evaluations, or of swaps, is the user's: ``max_iters``.
    """

    # Evaluations

    #: Sets that are evaluated before the search looks at what came out, where several can be evaluated at a time.
    parallel_sets: int = 8

    # Exhaustive search

    #: Sets that are listed at most: more take long to list, let alone to evaluate.
    max_sets: int = 2_000_000
    #: Nodes of the listing for each set that it may hold: rules may be so tight that a list takes long without getting
    #: long; then it is given up.
    nodes_per_set: int = 20
    #: Nodes for picking compatible sets from the list: as good as no limit, the clock is what ends it.
    exhaustive_pick_nodes: int = 10**12
    #: Sets of the list that are handed to the black box at a time.
    block: int = 1_000
    #: Sets of a search that was cut short from which the best are picked, and seconds for that after its end.
    max_known_when_cut_short: int = 10_000
    grace_seconds: float = 0.1
    #: Sets that are looked at between two looks at the clock.
    tick_every: int = 100

    # Initial sets

    #: Nodes in which a valid set should be found, before the integer-programming solver is asked.
    initial_set_nodes: int = 200_000

    # Repair

    #: Nodes of the search for one closest set, or for a list of close ones.
    repair_nodes: int = 200_000
    #: Sets in a list of close ones.
    max_close_sets: int = 20_000
    #: Changes, in features, beyond the fewest until the solver is asked.
    max_further_changes: int = 4
    #: Sets with the fewest changes that are looked through without a search.
    max_direct_sets: int = 1_000
    #: Steps of a search for close sets that go together, until the solver is asked: about as long as its answer takes.
    max_combinations: int = 20_000
    #: Features of all pairs of sets together beyond which the solver is not asked, as it takes seconds to notice that
    #: time is up.
    max_solver_products: int = 20_000

    # Surrogate

    #: The prior variance of a feature's coefficient, and of the constant that all sets share, in units of the noise:
    #: next to nothing is known of the constant.
    coefficient_variance: float = 1.0
    constant_variance: float = 100.0
    #: Above this many features their covariances are left out, as the matrix grows with the square.
    max_covariance_features: int = 1_000

    # Local search

    #: The seed of all random numbers: the same request has the same answer.
    seed: int = 25
    #: How often each feature is in a random set to begin with, and the share of the budget that this may take.
    exploration_rounds: int = 2
    exploration_share: float = 0.25
    #: A loss that is accepted with probability 1/e to begin with, in standard deviations of the evaluated sets.
    initial_temperature: float = 0.3
    #: Exchanges that are evaluated before the search moves on; one number, so that answers do not depend on n_jobs.
    batch: int = 4
    #: Exchanges that are drawn before a broken rule is repaired.
    exchange_attempts: int = 10
    #: Rounds without a new set after which features are drawn more evenly, after which one more feature is exchanged at
    #: a time, and after which the search ends.
    idle_rounds_to_flatten: int = 4
    idle_rounds_to_perturb: int = 10
    max_idle_rounds: int = 40
    #: Draws of a feature that is not in the set yet, before those that are in it are left out.
    sampling_attempts: int = 3
    #: The logarithm of how much less likely than the best a feature is drawn at most, so that nothing overflows.
    max_log_odds: float = 50.0
    #: The share of moves that only drop a feature, and of those that only add one, where sizes are open.
    one_sided_share: float = 0.25
    #: Where the smallest quality counts: the share of moves on the worst set, and what the mean counts beside it.
    worst_set_share: float = 0.5
    mean_weight: float = 0.05
    #: Nodes for a set that the surrogate holds to be best.
    surrogate_nodes: int = 20_000
    #: Nodes for picking sets that go together, out of so many; by so many fewer where compatibility is a function of
    #: the user's, which takes its time.
    pick_nodes: int = 500_000
    max_known: int = 2_000
    own_dissimilarity_factor: int = 20


#: What holds where nobody says otherwise.
BLACK_BOX_LIMITS = BlackBoxLimits()
