"""Points of a curve, what they have in common, and the one that is suggested."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from altsets import documents
from altsets.result._result import Result
from altsets.result._status import Status, StopReason

#: Numbers of a point that follow from its result, in its document.
DERIVED = ("n_features", "n_alternatives", "tau", "quality", "mean", "worst", "shared")


@dataclass(frozen=True)
class FrontierPoint(documents.DocumentPart):
    """One point of a frontier; numbers that do not apply to its curve are None.

    Attributes
    ----------
    result : Result
        The sets, with their certificate.
    status : Status
        Over tau, that of the search. On other curves ``OPTIMAL`` if it is proven that no other sets are better in one
        number and as good in the other, else ``FEASIBLE``.
    penalty : tuple of float or None
        By penalty: the lowest and the highest price of a shared feature at which these sets are the best.
    against : float or None
        What the quality is traded for: the costs of the set, or its second quality; of several sets that of the set
        with the worst one.

    See Also
    --------
    altsets.frontier : Makes them.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1])
    >>> point = altsets.frontier(scores, n_features=2, n_alternatives=1).points[-1]
    >>> point.tau, point.result.sets, point.mean, point.worst
    (1.0, [(0, 1), (2, 3)], 13.5, 10.0)
    """

    result: Result
    status: Status
    penalty: tuple[float, float] | None = None
    against: float | None = None

    @property
    def n_features(self) -> int:
        """Features in each set; the largest number of them where ``constraints.Size`` leaves the size open."""
        size: int = self.result.parameters["n_features"]
        return size

    @property
    def n_alternatives(self) -> int:
        """Sets besides the first one."""
        count: int = self.result.parameters["n_alternatives"]
        return count

    @property
    def tau(self) -> float:
        """The least dissimilarity of two sets."""
        tau: float = self.result.parameters["tau"]
        return tau

    @property
    def quality(self) -> float:
        """The objective, on a curve by penalty without the price of shared features; nan if there are no sets."""
        return self.result.objective if self.penalty is None else math.fsum(self.result.qualities)

    @property
    def mean(self) -> float:
        """The mean quality of the sets; nan if sets are missing."""
        values = self.result.qualities
        return math.fsum(values) / len(values) if values and self.is_complete else math.nan

    @property
    def worst(self) -> float:
        """The smallest quality of a set; nan if sets are missing."""
        return min(self.result.qualities) if self.result.sets and self.is_complete else math.nan

    @property
    def shared(self) -> int | None:
        """How many features all pairs of sets share, those with existing sets included; None for a set alone."""
        existing = self.result.parameters["existing"]
        uses = Counter(feature for given in existing for feature in given)
        shared = 0
        for chosen in self.result.sets:
            shared += sum(uses[feature] for feature in chosen)
            uses.update(chosen)
        return shared if len(existing) + len(self.result.sets) > 1 else None

    @property
    def max_overlap(self) -> int | None:
        """How many features two sets may share at most; None where that is not what makes them differ."""
        most: int | None = self.result.parameters.get("max_overlap")
        return most

    @property
    def is_complete(self) -> bool:
        """Whether all requested sets were found."""
        return len(self.result.sets) == len(self.result.statuses)

    @property
    def proven(self) -> bool:
        """Whether the sets are proven optimal."""
        return self.status is Status.OPTIMAL

    @property
    def named_sets(self) -> list[tuple[Any, ...]]:
        """The names of the features of each set."""
        return self.result.named_sets

    @property
    def kept(self) -> float:
        """The quality that counts: of the worst set if that was maximised, else the mean."""
        return self.worst if self._by_worst else self.mean

    @property
    def kept_name(self) -> str:
        """What ``kept`` is; set 0 counts in the mean."""
        return "the quality of the worst set" if self._by_worst else "the mean quality of all sets"

    @property
    def _by_worst(self) -> bool:
        asked = self.result.parameters
        return asked.get("aggregation") in ("min", "leximin") and asked.get("search") != "sequential"

    def _numbers(self) -> dict[str, Any]:
        return documents.plain_fields(self, DERIVED)

    def to_dict(self) -> dict[str, Any]:
        """The fields and the numbers that follow from them; numbers that are not finite become None."""
        return super().to_dict() | self._numbers()

    @classmethod
    def from_dict(cls, entry: Any) -> FrontierPoint:
        """Read what :meth:`to_dict` wrote; there is a status for each set."""
        if entry["penalty"] is not None:
            low, high = entry["penalty"]
            entry = entry | {"penalty": [low, math.inf if high is None else high]}
        point = super().from_dict(entry)
        n_sets, n_statuses = point.n_alternatives + 1, len(point.result.statuses)
        if n_statuses != n_sets:
            raise ValueError(f"a point for {n_sets} sets has {n_statuses} statuses")
        if any(entry[name] != value for name, value in point._numbers().items()):
            raise ValueError("a point has other numbers than its sets")
        return point

    def __repr__(self) -> str:
        names = ("tau", "n_features", "n_alternatives", "against", "quality")
        given = {name: getattr(self, name) for name in names}
        said = ", ".join(f"{name}={value:.6g}" for name, value in given.items() if value is not None)
        return f"FrontierPoint({said}, {self.status})"


@dataclass(frozen=True)
class Suggestion:
    """The point at the elbow of the curve, if there is one, and why; it counts as false if there is none.

    Attributes
    ----------
    point : FrontierPoint or None
        None if there is no elbow; ``tau``, ``n_features``, ``n_alternatives`` and ``result`` are those of the point.
    reason : str
        One sentence.

    See Also
    --------
    altsets.results.Frontier : Its ``suggestion``.
    altsets.frontier : Computes one.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 8, 8, 7, 3, 1, 1])
    >>> found = altsets.frontier(scores, n_features=4, n_alternatives=1).suggestion
    >>> bool(found), found.tau
    (True, 0.5)
    """

    point: FrontierPoint | None
    reason: str

    def __bool__(self) -> bool:
        return self.point is not None

    @property
    def tau(self) -> float | None:
        """The least dissimilarity of two sets."""
        return self.point.tau if self.point else None

    @property
    def n_features(self) -> int | None:
        """Features in each set."""
        return self.point.n_features if self.point else None

    @property
    def n_alternatives(self) -> int | None:
        """Sets besides the first one."""
        return self.point.n_alternatives if self.point else None

    @property
    def result(self) -> Result | None:
        """The sets."""
        return self.point.result if self.point else None


@dataclass(frozen=True)
class Curve:
    """The points of a curve and what was asked; :class:`altsets.results.Frontier` documents the fields."""

    points: list[FrontierPoint]
    parameters: dict[str, Any]
    by: str = "tau"
    n_asked: int | None = None
    complete: bool = True
    more_is_better: bool = False
    reason: str = ""
    notes: list[str] = field(default_factory=list)
    stop_reason: StopReason = StopReason.FINISHED
    elapsed: float = field(default=0.0, compare=False)

    def __iter__(self) -> Iterator[FrontierPoint]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def proven(self) -> bool:
        """Whether every point is proven, and that there are no others."""
        return self.complete and all(point.proven for point in self.points)

    @property
    def sizes(self) -> list[int]:
        """The numbers of features in a set, ascending."""
        return sorted({point.n_features for point in self.points})

    @property
    def counts(self) -> list[int]:
        """The numbers of alternatives, ascending."""
        return sorted({point.n_alternatives for point in self.points})

    def curve(self, n_features: int, n_alternatives: int) -> list[FrontierPoint]:
        """The points of one size and number of alternatives, by tau; empty if there are none.

        Parameters
        ----------
        n_features : int
            Features in each set.
        n_alternatives : int
            Sets besides the first one.
        """
        asked = n_features, n_alternatives
        return [point for point in self.points if (point.n_features, point.n_alternatives) == asked]

    def best(self, n_features: int) -> float:
        """The largest quality of any set of this size, by which others are measured; nan if none was found.

        Parameters
        ----------
        n_features : int
            Features in each set.
        """
        same_size = (point for point in self.points if point.n_features == n_features)
        return max((value for point in same_size for value in point.result.qualities), default=math.nan)

    def second_of(self, point: FrontierPoint) -> float:
        """The number that the curve is drawn over: the tau, shared features, worst quality or costs of a point.

        Parameters
        ----------
        point : FrontierPoint
            One of the points.
        """
        shared = float(point.shared or 0)
        against = math.nan if point.against is None else point.against
        return {"tau": point.tau, "penalty": shared, "balance": point.worst, "against": against}[self.by]
