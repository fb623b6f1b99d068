"""What counting sets may spend: every limit with its unit and its reason."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NEAR_BEST_LIMITS", "NearBestLimits"]


@dataclass(frozen=True)
class NearBestLimits:
    """Limits of :func:`altsets.near_best`."""

    # --- Meeting in the middle ----------------------------------------------------------------------

    #: Half sets of one size that are listed: a few hundred megabytes. Beyond it, scores are rounded.
    max_half_sets: int = 3_000_000
    #: Sets that are counted even if time is up.
    unchecked_sets: int = 1_000
    #: Sets so close to the threshold that their qualities are computed one by one.
    max_doubtful: int = 50_000

    # --- Rounded scores -----------------------------------------------------------------------------

    #: Steps from the best quality to the threshold in the first table; each further table has twice as many.
    first_steps: int = 256
    #: The largest number of steps, and of additions for one table: some ten seconds.
    max_steps: int = 2**20
    max_additions: float = 1e10
    #: Additions that are made whether or not there is time.
    unchecked_additions: float = 1e7
    #: How far apart the ends of the interval may be, as a part of the lower one.
    precision: float = 0.01
    #: Additions of whole numbers of any length, which take a hundred times as long.
    max_long_additions: float = 5e7
    #: Numbers that are kept to draw sets from: a sixth of a gigabyte.
    max_kept: int = 20_000_000
    #: How many times the true number of sets those may be that are drawn from: the others are drawn in vain.
    max_in_vain: float = 2.0
    #: Sets that are drawn to estimate how often features occur: that is half a per cent off at most, mostly.
    n_draws: int = 10_000
    #: Sets that are drawn at a time, and how many of these times may bring nothing.
    draws_at_a_time: int = 100_000
    max_rounds: int = 200

    # --- Lists --------------------------------------------------------------------------------------

    #: Sets that are listed, and the features of all of them: a gigabyte at its peak.
    max_listed: int = 10_000_000
    max_listed_features: int = 100_000_000
    #: Nodes of a first search for all sets; if it takes longer, the best ones are listed before.
    trial_nodes: int = 500_000
    #: Parts of the way from the best quality to the threshold within which sets are listed before the rest.
    parts: tuple[float, ...] = (1 / 16, 1 / 8, 1 / 4, 3 / 8, 1 / 2, 3 / 4)
    #: Sets of almost equal quality that are put in order at a time.
    max_in_order: int = 10_000
    #: Rows of a list that are looked at in one go.
    rows_at_a_time: int = 1_000_000

    # --- Sums under constraints ---------------------------------------------------------------------

    #: Sets without constraints that are drawn to see how many keep to them, and the least share of them that makes it
    #: worth while to draw from these.
    trial_draws: int = 1000
    min_kept: float = 0.02

    # --- Black boxes --------------------------------------------------------------------------------

    #: Sets that a function is asked about.
    max_asked: int = 10_000


#: What holds where nobody says otherwise.
NEAR_BEST_LIMITS = NearBestLimits()
