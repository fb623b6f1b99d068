"""Every limit of the additive engine, in one place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class AdditiveLimits:
    """How far each part of the additive engine goes before another one takes over; counted, never in seconds."""

    # One best set

    #: Nodes of one branch and bound with fixed prices, before the problem is split in two with prices of their own.
    best_set_nodes: int = 20_000
    #: Splits in one sequential step before the solver takes over, whose cutting planes get further with many sets.
    max_splits: int = 30
    #: The largest weight in a budget: prices for larger ones leave too few digits for scores.
    max_weight: int = 1_000

    # Largest sum

    #: Nodes of the exact arrangement of one degree sequence.
    arrangement_nodes: int = 20_000
    #: Exchanges of one randomised arrangement, and how many of these with other random numbers.
    deal_steps: int = 20_000
    deal_attempts: int = 2
    #: Degree sequences to try before the integer programme is used.
    max_sequences: int = 2_000
    #: Shares of the gap below the bound for which sequences are listed in turn, as long as they are not too many.
    sequence_shares: tuple[float, ...] = (1 / 16384, 1 / 2048, 1 / 256, 1 / 32, 1 / 4, 1.0)
    #: Sequences that could neither be arranged nor ruled out, before giving up.
    max_undecided: int = 8
    #: For sequences that are easier to arrange, one more part in so many of what pairs may share is left unused.
    slack_parts: int = 12
    #: To pick the largest sum from a list: sets and half sets that may be listed, and nodes of the search.
    sum_max_listed: int = 1_000
    sum_max_half_sets: int = 50_000
    sum_nodes: int = 100_000
    #: Integer variables of the programme over membership patterns; beyond this it is no longer small.
    max_pattern_variables: int = 600

    # Largest minimum: local improvement

    #: Annealing runs for a first solution, and steps of each.
    anneal_runs: int = 3
    anneal_steps: int = 20_000
    #: Steps of the very first annealing run, for each place in the sets: most problems need no more.
    first_anneal_steps: int = 150
    #: Nodes of the exact search that deals a few sets out anew.
    part_nodes: int = 3
    #: The share of the gap that a large gain closes: after a smaller one other groups of sets are tried first.
    large_gain: float = 0.1
    #: Nodes after which another first solution is tried; the next one after ``restart_growth`` times as many.
    restart_after: int = 100
    restart_growth: float = 2.5

    # Largest minimum: tree search

    #: A gap up to this share of the largest score ends the search; PROVEN is an upper limit in any case.
    proven_gap: float = 1e-9
    #: A relative gap up to this is too small for users to care: only so many more nodes are spent on it.
    small_gap: float = 1e-6
    max_late_nodes: int = 12
    #: How far from best the sets that are fitted around the needy ones may be, relatively: annealing improves them.
    completion_gap: float = 0.02

    # Largest minimum: windows of good sets

    #: Half sets that may be listed for one window, at the root and elsewhere.
    root_max_half_sets: int = 1_700_000
    max_half_sets: int = 300_000
    #: Collections of half sets that are kept, as narrowing a window often leaves them as they are.
    kept_half_sets: int = 9
    #: Nodes of the search for compatible listed sets: at the root; elsewhere a multiple of the usual, within limits.
    root_pick_nodes: int = 300_000
    pick_nodes_factor: float = 10.0
    min_pick_nodes: int = 2_000
    max_pick_nodes: int = 40_000
    #: What is assumed to be usual at first, and the share by which it follows each search (exponential smoothing).
    usual_pick_nodes: float = 2_000.0
    smoothing: float = 0.05
    #: The length of lists at first, at least and at most; it grows by this factor after a finished search, else halves.
    first_length: int = 1_500
    min_length: int = 1_000
    max_length: int = 12_000
    length_growth: float = 1.1
    #: Windows reach down from a node's bound by these shares of the gap; the widest that is small enough is searched.
    window_shares: tuple[float, ...] = (1.0, 1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 1024)
    #: The first windows at the root reach below the bound by this share of the gap and grow by this factor, until a
    #: search takes more nodes than this or more half sets than this have been listed.
    first_share: float = 2.0**-16
    window_growth: float = 1.5
    widen_nodes: int = 10_000
    widen_half_sets: int = 4_000_000


#: Default limits.
ADDITIVE_LIMITS = AdditiveLimits()
