"""What a frontier is limited by, in one place."""

from __future__ import annotations

from dataclasses import dataclass, field

from altsets.search.families.limits import FamilyLimits

__all__ = ["FRONTIER_LIMITS", "FrontierLimits"]


@dataclass(frozen=True)
class FrontierLimits:
    """Limits on what is asked, and from when on a curve is said to bend."""

    #: Points of one frontier: each is a search.
    most_points: int = 10_000
    #: Where dissimilarities have no values of their own, or more than ``most_taus``, tau takes this many steps.
    tau_steps: int = 10
    most_taus: int = 100
    #: Points that a curve must have to bend.
    fewest_points: int = 4
    #: How far above the straight line from end to end it must come, as a part of its height.
    least_bend: float = 0.1
    #: A curve that is no higher than this part of its largest value is flat.
    flat: float = 0.01

    #: The same for those who know the values of tau.
    taus: FamilyLimits = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "taus", FamilyLimits(tau_steps=self.tau_steps))


#: What holds where nobody says otherwise.
FRONTIER_LIMITS = FrontierLimits()
