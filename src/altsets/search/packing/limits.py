"""How much the packing search may spend on each of its phases, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from altsets.search.subset.limits import PRICING_LIMITS, PricingLimits


@dataclass(frozen=True)
class PackingLimits:
    """Limits of the exact search for several sets of any quality; they decide about time, never about what is right.

    Nodes are those of a branch and bound over one set, steps those of a clique search or of annealing: counted, never
    timed, so that a slow machine takes the same path.
    """

    #: Sets in a list, and steps of the clique search in it: without prices, before anything else is prepared.
    short_list_sets: int = 2_000
    short_list_steps: int = 200_000
    #: The same where it has to be asked what complete solutions cost, which takes much longer than a step.
    asking_steps: int = 5_000
    #: With prices, before anything that takes seconds.
    priced_list_sets: int = 50_000
    priced_list_steps: int = 5_000_000
    #: All sets in better solutions than the incumbent, before clique cuts and after them; or those within the largest
    #: part of the budget that is few enough, and one set of each solution is searched for, so many times.
    full_list_sets: int = 150_000
    full_list_steps: int = 5_000_000
    cut_list_sets: int = 300_000
    cut_list_steps: int = 1_000_000_000
    listed_parts: tuple[float, ...] = (1.0, 0.85, 0.7, 0.6, 0.5)
    last_sets: int = 100_000
    last_set_nodes: int = 1_000_000
    last_set_steps: int = 1_000_000_000
    #: A round of clique cuts closes this part of the gap, or is the last one.
    least_closed: float = 0.01
    #: The best sets after prices to pick from, nodes to find them, and steps of the clique search.
    best_priced_sets: int = 2_000
    best_priced_nodes: int = 200_000
    best_priced_steps: int = 500_000
    #: When all else is done: as long as memory allows, to the end.
    long_list_sets: int = 1_000_000
    long_list_steps: int = 10**12
    #: Nodes for making a list; for each set that it may have, if these are more.
    list_nodes: int = 3_000_000
    nodes_per_set: int = 10
    #: How many times further below the bound the next list goes, at least and at most: short lists can take as long as
    #: longer ones, but the last one should not exceed this part of what is allowed.
    slow_growth: float = 1.4
    fast_growth: float = 8.0
    part_of_list: float = 1 / 8
    #: How far below the bound the first list goes, as a part of the gap; and where even a short list takes long.
    first_part: float = 1 / 32
    first_part_if_laborious: float = 1 / 4

    #: Nodes for each set of the first incumbent.
    incumbent_nodes: int = 5_000
    #: With more features a single node takes long; then so many nodes come before the first annealing.
    many_features: int = 500
    few_nodes: int = 200
    #: Nodes for one set that replaces another in local search.
    response_nodes: int = 2_000
    #: Steps of annealing for each set, before the first priced lists.
    short_annealing: int = 20_000
    #: Walks from random sets and their steps: before the first full list, and before the bound is tightened.
    few_walks: int = 3
    short_walk: int = 100_000
    many_walks: int = 20
    long_walk: int = 1_000_000
    #: First and last temperature: the harm that a step may do, as a part of the gap.
    first_temperature: float = 0.1
    last_temperature: float = 0.005
    #: A factor on both while the bound is weak, and steps for each set then: ever more, as unfinished runs are useless.
    low_temperature: float = 0.05
    growing_annealings: tuple[int, ...] = (80_000, 400_000)

    #: Rounds of column generation.
    rounds: int = 1_000
    #: New columns in each round; and those that one programme takes over from another.
    columns_per_round: int = 30
    inherited_columns: int = 200
    #: Nodes of the first search for columns in a round; each that finds none is followed by one of so many times more.
    column_nodes: int = 1_000
    column_node_growth: int = 8
    #: Whether cuts may be about pairs of features.
    pair_cuts: bool = True
    #: Columns that are branched on before the programme is solved again without them; twice as many the next time.
    first_columns: int = 4
    #: A list that saves the branching on one column: sets, nodes for making it, steps of the clique search.
    sets_per_column: int = 5_000
    nodes_per_column: int = 50_000
    steps_per_column: int = 400_000
    #: Steps among the columns of the programme alone.
    steps_among_columns: int = 20_000

    #: For prices at a threshold: new columns in each round, nodes to find them, and rounds.
    threshold_columns: int = 200
    threshold_nodes: int = 20_000_000
    threshold_rounds: int = 30_000
    #: The sets above a threshold: how many, nodes to list them, and steps of the clique search.
    refuted_sets: int = 700_000
    refuted_nodes: int = 30_000_000
    refuted_steps: int = 30_000_000

    #: Steps of the additive engine for the same request without constraints and conflicts.
    relaxation_steps: int = 400
    #: For sums of scores: variables of a programme over membership patterns that comes early, and nodes of its search.
    pattern_variables: int = 1_500
    pattern_nodes: int = 20_000
    #: The part of the time that stays for other phases.
    time_after_patterns: float = 0.1
    #: With one budget for all sets: so many purchases of features may bring nothing better before it ends.
    purchases_in_vain: int = 5
    #: The largest number of variables for the solver, one for each feature and set.
    solver_variables: int = 20_000
    #: Nodes to find a first set, before the search for a proof that there is none.
    existence_nodes: int = 5_000
    #: What the search for one set may spend.
    pricing: PricingLimits = PRICING_LIMITS


#: Default limits.
PACKING_LIMITS = PackingLimits()
