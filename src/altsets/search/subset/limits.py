"""Limits of the search for one set, each with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass

#: Nodes of a search without limit.
UNLIMITED = 2**62


@dataclass(frozen=True)
class PricingLimits:
    """Limits of :class:`altsets.search.subset.pricing.PricingOracle`."""

    #: Numbers: what one size counts for at least while the oracle is prepared, besides its pair terms.
    min_work_per_size: int = 50_000
    #: Numbers that are prepared whether or not there is time: sets that have to be constructed are made of them.
    unchecked_work: int = 5_000_000
    #: Pair terms that are kept in memory for several sizes: half a gigabyte, and as much for searches.
    max_pair_terms: int = 2**26

    #: Nodes of a search that is tried with either bound; shorter ones are not worth the low-rank bound.
    trial_nodes: int = 10_000
    #: Searches that are tried with both bounds; what they say holds for the later ones.
    n_trials: int = 3
    #: How many times further the plain bound must get to be preferred: the low-rank bound has less left to search.
    decisive_progress: float = 8.0
    #: The part of the tree that the plain bound must finish to be preferred; else the lower bound is the better guess.
    least_progress: float = 1e-3
    #: Open features from which on there is a low-rank bound: the kernel uses it only far enough from the leaves.
    low_rank_min_open: int = 5
    #: Candidates for which a low-rank bound is prepared; an eigendecomposition of more of them takes too long.
    low_rank_max_features: int = 500
    #: Rounds of fitting loadings to pair terms; they change little after these.
    low_rank_rounds: int = 3
    #: The share of the loadings' products that is used: the last part is fitted to chance.
    low_rank_share: float = 0.9

    #: Windows for the upper part of a ratio; in each of them a secant is close enough to its square.
    n_windows: int = 6
    #: Nodes of a first search for a good ratio: each better one makes the next searches shorter.
    first_ratio_nodes: int = 300
    #: By how much the nodes of such a search grow when it has found nothing better.
    ratio_node_growth: int = 8

    #: Rounds of exchanges, one feature of each set for a better one, in the pricing heuristic.
    max_exchanges: int = 30
    #: Nodes beyond which a search counts as laborious; phases avoid such searches.
    laborious_nodes: int = 50_000


#: Default limits.
PRICING_LIMITS = PricingLimits()
