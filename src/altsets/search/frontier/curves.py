"""What a curve is drawn over and where its points are, with the defaults of each kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from altsets.dissimilarity import Grouped, declared_groups
from altsets.errors import InputError
from altsets.features import one_of, whole_number
from altsets.problem import counts_features
from altsets.quality import Quality
from altsets.request import DEFAULT_SIZE, Request
from altsets.result import Frontier, Result
from altsets.search.frontier.against import by_costs
from altsets.search.frontier.balance import by_balance
from altsets.search.frontier.penalties import by_penalty
from altsets.search.frontier.plan import numbers_in, only_value
from altsets.search.frontier.progress import Callback
from altsets.search.frontier.sweep import by_tau
from altsets.wording import by_interface, parameter

#: What the points of a curve may differ in.
BY = ("tau", "penalty", "balance")
#: Sets besides the first one, and tau, where the user gives none; by tau, every tau that matters.
DEFAULTS: dict[str, tuple[int, Any]] = {
    "tau": (3, None),
    "penalty": (3, 0),
    "balance": (3, 0.5),
    "against": (0, 0.5),
}


@dataclass(frozen=True)
class CurveAsked:
    """A kind of curve, and the sizes, numbers of sets and values of tau of its points."""

    kind: str
    n_features: Any
    n_alternatives: Any
    tau: Any
    search: str
    against: Any = None
    #: The groups that ``against`` pays for once.
    groups: Grouped | str | None = None

    @classmethod
    def of(
        cls,
        n_features: Any = None,
        n_alternatives: Any = None,
        tau: Any = None,
        *,
        search: str | None = None,
        by: str = "tau",
        against: Any = None,
        dissimilarity: Any = "dice",
        feature_groups: Any = None,
    ) -> CurveAsked:
        """Check what the user gave, and fill in the rest."""
        if counts_features(dissimilarity):
            raise InputError(
                f"a frontier compares sets by shares of features, and {parameter('dissimilarity', 'absolute')} counts "
                f"them; use {parameter('dissimilarity', 'dice')}."
            )
        kind = one_of("by", by, BY)
        if against is not None:
            if kind != "tau":
                costs = by_interface("against", "--costs")
                raise InputError(f"{parameter('by', by)} and {costs} were both given; give one of them.")
            kind = "against"
        count, difference = DEFAULTS[kind]
        given = count if n_alternatives is None else n_alternatives
        if kind == "tau":
            sizes = [DEFAULT_SIZE] if n_features is None else numbers_in("n_features", n_features, least=1)
            counts = numbers_in("n_alternatives", given, least=0)
            return cls(kind, sizes, counts, tau, search or "sequential")
        curve = by_interface("against costs", "with --costs") if kind == "against" else f"by {kind}"
        if search not in (None, "simultaneous"):
            raise InputError(
                f"a frontier {curve} takes {parameter('search', 'simultaneous')} only, not "
                f"{parameter('search', search)}."
            )
        count = whole_number("n_alternatives", only_value("n_alternatives", given, curve), 0)
        size = only_value("n_features", n_features, curve)
        value = only_value("tau", difference if tau is None else tau, curve)
        groups = None if against is None or isinstance(against, Quality) else declared_groups(feature_groups)
        return cls(kind, size, count, value, "simultaneous", against, groups)

    @property
    def first(self) -> dict[str, Any]:
        """The fields of the request for the first point."""
        fields = {"search": self.search, "n_features": self.n_features, "n_alternatives": self.n_alternatives}
        if self.kind == "tau":
            return fields | {
                "n_features": self.n_features[0],
                "n_alternatives": self.n_alternatives[0],
                "tau": None,
            }
        return fields | {"tau": self.tau}

    def draw(
        self,
        request: Request,
        quality: Quality,
        *,
        measured: Request | None = None,
        callback: Callback | None = None,
        known: Result | None = None,
    ) -> Frontier:
        """Search for the points; ``measured`` is the request with numbers of a table, if it needs one."""
        how: Any = {"measured": measured, "callback": callback}
        if self.kind == "against":
            return by_costs(request, quality, self.against, groups=self.groups, **how)
        if self.kind != "tau":
            return (by_penalty if self.kind == "penalty" else by_balance)(request, quality, **how)
        places = (self.n_features, self.n_alternatives, self.tau)
        return by_tau(request, quality, *places, **how, known=known)
