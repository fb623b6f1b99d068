"""What searches for families of good sets may spend, in one place."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FAMILY_LIMITS", "FamilyLimits"]


@dataclass(frozen=True)
class FamilyLimits:
    """Limits that decide about time alone, never about what is right. Steps are those of a run."""

    #: Sets that are good enough are listed if they are no more than this: each is compared with each other.
    listed_sets: int = 2_000
    #: The same where a user's own function compares them.
    listed_for_own: int = 300
    #: Of more features than this nobody lists sets: all of them are candidates.
    listed_features: int = 3_000
    #: Nodes of the branch and bound that lists them.
    list_nodes: int = 500_000
    #: Sets of the list that are coloured before a search in the list is left to the engines, which know more bounds.
    #: In a first pass, and when there is as much time as it takes.
    coloured_sets: int = 300_000
    coloured_sets_later: int = 10_000_000
    #: Steps for each question in a first pass, so that one that is hard does not keep others from being answered.
    first_steps: int = 4_000
    #: Steps for one good set after the other, as a first family.
    growth_steps: int = 20_000
    #: Steps for better sets when all questions are answered.
    better_steps: int = 500
    #: Features of which each pair is looked at for a bound on the number of sets, and sets that it is asked about.
    paired_features: int = 3_000
    counted_sets: int = 64
    #: Values of tau that are told apart where its values are not known: every thousandth.
    tau_steps: int = 1_000
    #: More values than this are not told apart one by one either.
    most_taus: int = 100_000


#: What holds where nobody says otherwise.
FAMILY_LIMITS = FamilyLimits()
