"""Points of a frontier, and the elbow of its curve: up to where more difference, or fewer features, cost little.

With line(x) the straight line from the first to the last point of a curve and h = (y - line(x)) / (max y - min y), the
elbow is where h is largest, if that is 0.1 or more (the "knee" of Satopaa et al., 2011).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar

from altsets import documents
from altsets.display import Shown
from altsets.result import Result, Status, Verdict, frame_of, framed
from altsets.wording import counted, paragraph, percent, plural, sentence, span

#: Points that a curve with an elbow has at least, and its least height above the straight line, relative to its own.
FEWEST_POINTS, LEAST_ELBOW = 4, 0.1
#: Values of tau that differ by less are the same.
SAME_TAU = 1e-9
#: A curve that is no higher than this fraction of its largest value is flat.
FLAT = 0.01


@dataclass(frozen=True)
class FrontierPoint(documents.DocumentPart):
    """One search of a frontier; :func:`altsets.find` with the same numbers gives as good an answer.

    Attributes
    ----------
    n_features : int
        Features in each set; the largest number of them where ``constraints.Size`` leaves the size open.
    n_alternatives : int
        Sets besides the first one.
    tau : float
        The least dissimilarity of two sets.
    result : Result
        The sets, with their certificate.

    See Also
    --------
    altsets.frontier : Makes them.
    altsets.EvaluatedPoint : A point with test scores.

    Examples
    --------
    >>> import altsets
    >>> scores = altsets.quality.Additive([9, 8, 7, 3, 2, 1])
    >>> point = altsets.frontier(scores, n_features=2, n_alternatives=1).points[-1]
    >>> point.tau, point.result.sets, point.mean, point.worst
    (1.0, [(0, 1), (2, 3)], 13.5, 10.0)
    """

    n_features: int
    n_alternatives: int
    tau: float
    result: Result

    @property
    def status(self) -> Status:
        """The proven status of the sets at this point."""
        return self.result.status

    @property
    def max_overlap(self) -> int | None:
        """How many features two sets may share at most; None where that is not what makes them differ."""
        most: int | None = self.result.parameters.get("max_overlap")
        return most

    @property
    def is_complete(self) -> bool:
        """Whether all sets are there that were asked for."""
        return len(self.result.sets) == len(self.result.statuses)

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

    @classmethod
    def from_dict(cls, entry: Any) -> FrontierPoint:
        """Read what :meth:`to_dict` wrote; there is a status for each set."""
        point = super().from_dict(entry)
        n_sets, n_statuses = point.n_alternatives + 1, len(point.result.statuses)
        if n_statuses != n_sets:
            raise ValueError(f"a point for {n_sets} sets has {n_statuses} statuses")
        return point

    def __repr__(self) -> str:
        said = f"tau={self.tau:.4g}, n_features={self.n_features}, n_alternatives={self.n_alternatives}"
        return f"FrontierPoint({said}, objective={self.result.objective:.6g}, {self.status})"


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
    altsets.Frontier : Its ``suggestion``.
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
    """Values ``ys`` over ascending ``xs``."""

    xs: Sequence[float]
    ys: Sequence[float]

    @property
    def is_short(self) -> bool:
        """Whether it has too few points to have an elbow."""
        return len(self.xs) < FEWEST_POINTS

    @property
    def is_flat(self) -> bool:
        """Whether its values are all about the same."""
        return self._height <= FLAT * max(map(abs, self.ys))

    @property
    def _height(self) -> float:
        return max(self.ys) - min(self.ys)

    @property
    def elbow(self) -> int | None:
        """The position of the elbow; None if there is none."""
        if self.is_short or self.is_flat:
            return None
        (first, last), (start, end) = (self.xs[0], self.xs[-1]), (self.ys[0], self.ys[-1])
        above = [
            (y - start - (end - start) * (x - first) / (last - first)) / self._height
            for x, y in zip(self.xs, self.ys, strict=True)
        ]
        highest = max(range(len(above)), key=above.__getitem__)
        return highest if above[highest] >= LEAST_ELBOW else None


def suggest(
    points: Sequence[FrontierPoint], *, mean_quality: bool, least_tau: float | None = None
) -> Suggestion:
    """A size where further features add little, and at that size a tau up to which difference costs little.

    Nothing is suggested that is less different than ``least_tau``, which was asked for.
    """
    found = _suggest(points, mean_quality=mean_quality)
    if least_tau is None or found.point is None or found.point.tau >= least_tau - SAME_TAU:
        return found
    top = max(max(point.result.qualities) for point in points if point.result.sets)
    asked = [point for point in points if point.is_complete and abs(point.tau - least_tau) <= SAME_TAU]
    costs = f": {asked[0].kept_name} is {_relative(asked[0].kept, top)}" if asked else ""
    return Suggestion(None, f"tau = {least_tau:.4g}, as requested{costs}.")


def _suggest(points: Sequence[FrontierPoint], *, mean_quality: bool) -> Suggestion:
    # Of several numbers of sets, the largest with different sets counts. Means are multiplied by the size.
    complete = [point for point in points if point.is_complete]
    counts = {point.n_alternatives for point in complete if point.tau > 0 or not point.n_alternatives}
    if not counts:
        proven = all(point.status is Status.INFEASIBLE for point in points if point.tau > 0)
        none = "there are no sets that differ" if proven else "no sets were found that differ"
        return Suggestion(None, f"No elbow: {none} from each other.")
    usable = [point for point in complete if point.n_alternatives == max(counts)]
    size, clause = min(point.n_features for point in usable), ""
    if len({point.n_features for point in points}) > 1:
        over_sizes = _elbow_over_sizes(usable, mean_quality=mean_quality)
        if isinstance(over_sizes, Suggestion):
            return over_sizes
        size, clause = over_sizes
    same_size = sorted((p for p in usable if p.n_features == size), key=lambda point: point.tau)
    asked = {p.tau for p in points if (p.n_features, p.n_alternatives) == (size, max(counts))}
    if clause and len(asked) == 1:
        return Suggestion(same_size[0], f"{clause}.")
    found = _elbow_over_tau(same_size)
    if not clause:
        return found
    return Suggestion(found.point, f"{clause}; {found.reason[0].lower()}{found.reason[1:]}")


def _elbow_over_sizes(points: Sequence[FrontierPoint], *, mean_quality: bool) -> tuple[int, str] | Suggestion:
    """The size from which on further features add little, and a clause that says so; or why there is none."""
    best: dict[int, float] = {}
    for point in points:
        best[point.n_features] = max(max(point.result.qualities), best.get(point.n_features, -math.inf))
    sizes = sorted(best)
    values = [best[size] * size if mean_quality else best[size] for size in sizes]
    curve, last = Curve(sizes, values), sizes[-1]
    if curve.is_short:
        return _too_few(counted(len(sizes), "size"), len(sizes))
    elbow = curve.elbow
    if elbow is None:
        how = "stays about the same" if curve.is_flat else "changes evenly or falls at once"
        return Suggestion(
            None, f"No elbow: from {sizes[0]} to {last} features the quality of the best set {how}."
        )
    size = sizes[elbow]
    if size == last or values[elbow] >= values[-1] or values[-1] <= 0:
        return size, f"The best set gains up to {size} features, and nothing after that"
    share = f"{100 * values[elbow] / values[-1]:.0f} %"
    what = ", quality times the number of features" if mean_quality else ""
    return (
        size,
        f"Sets of {size} features reach {share} of what {last} reach{what}, and each further one adds less",
    )


def _elbow_over_tau(points: Sequence[FrontierPoint]) -> Suggestion:
    """The point where quality begins to fall."""
    curve = Curve([point.tau for point in points], [point.kept for point in points])
    if curve.is_short:
        return _too_few(
            counted(len(points), "value of tau with sets", "values of tau with sets"), len(points)
        )
    first, last = points[0], points[-1]
    top = max(max(point.result.qualities) for point in points)
    end, what = f"{_relative(last.kept, top)} at tau = {last.tau:.4g}", last.kept_name
    if curve.is_flat:
        return Suggestion(None, f"No elbow: {what} hardly changes over tau, and is {end}.")
    elbow = curve.elbow
    if elbow is None:
        start = f"{_relative(first.kept, top)} at tau = {first.tau:.4g}"
        return Suggestion(None, f"No elbow: {what} changes evenly or falls at once, from {start} to {end}.")
    chosen = points[elbow]
    return Suggestion(
        chosen,
        f"The elbow is at tau = {chosen.tau:.4g}: up to there {what} is still {_relative(chosen.kept, top)}, "
        f"after that it falls to {end}.",
    )


def _relative(value: float, top: float) -> str:
    """A quality as a share of the best one, where that makes sense."""
    return f"{100 * value / top:.1f} % of the best" if top > 0 else f"{value:.6g}"


def _too_few(what: str, count: int) -> Suggestion:
    be = "is" if count == 1 else "are"
    return Suggestion(None, f"No elbow: {what} {be} too few to show one; it takes {FEWEST_POINTS}.")


# --- Points that are proven or marked -----------------------------------------------------------------


class ProvenPoint(documents.DocumentPart):
    """Some numbers, whether they are proven, and the result with the sets."""

    result: Result

    @property
    def named_sets(self) -> list[tuple[str, ...]]:
        """The names of the features of each set."""
        return self.result.named_sets


class TradeoffCurve(documents.Document, Shown):
    """Points of which each has more of one number and less of another than the one before, and sets by name."""

    #: The fields of a point that are traded: the quality, and what it is traded for.
    first: ClassVar[str] = "sum"
    second: ClassVar[str]

    points: list[Any]
    complete: bool
    reason: str

    def __iter__(self) -> Iterator[Any]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    @property
    def proven(self) -> bool:
        """Whether every point is proven, and that there are no others."""
        return self.complete and all(point.proven for point in self.points)

    @cached_property
    def elbow(self) -> Any:
        """The point up to which the second number improves for little quality; None if the curve has no such point.

        It is where the curve lies highest above the straight line from its first to its last point, if that is a tenth
        of its height or more, and if it has four points or more.
        """
        order = sorted(self.points, key=attrgetter(self.second))
        if not order:
            return None
        found = Curve(
            *([getattr(point, name) for point in order] for name in (self.second, self.first))
        ).elbow
        return None if found is None else order[found]

    @property
    def _scope(self) -> str:
        """The sets of the points in words, and the range of each number, without a full stop."""
        if not self.points:
            return "no points"
        sizes = sorted({len(names) for point in self.points for names in point.named_sets})
        features = f"{span(sizes)} {plural(1 if sizes == [1] else 2, 'feature')}"
        n_sets = len(self.points[0].named_sets)
        sets = f"{n_sets} sets of {features} each" if n_sets > 1 else f"sets of {features}"
        over = [
            f"{name} {span(sorted(getattr(point, name) for point in self.points), '.6g')}"
            for name in (self.first, self.second)
        ]
        return f"{counted(len(self.points), 'point')}: {sets}, {', '.join(over)}"

    @property
    def _proof(self) -> str:
        """Which points are proven, after their scope; and a sentence on others."""
        n_proven = sum(point.proven for point in self.points)
        proven = "all proven" if n_proven == len(self.points) else f"{n_proven} of them proven"
        return paragraph(sentence(f"{self._scope}; {proven}"), "No others exist." if self.complete else "")

    @property
    def _unproven(self) -> str:
        """A caution about points that are not proven; empty if all are."""
        n_open = sum(not point.proven for point in self.points)
        are = f"{counted(n_open, 'point')} {plural(n_open, 'is', 'are')} not proven"
        return f"{are}: something better may exist." if n_open else ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._scope})"

    def _on_page(self) -> dict[str, Any]:
        return {"tradeoff": self}


@dataclass(frozen=True, repr=False)
class ProvenPoints(TradeoffCurve):
    """The sum of qualities against a second number of the same sets; each point has a result."""

    #: The class of the points.
    of: ClassVar[Any]

    points: list[Any]
    complete: bool
    reason: str = ""

    @property
    def parameters(self) -> dict[str, Any]:
        """What was asked for at the first point; empty if there is none."""
        return self.points[0].result.parameters if self.points else {}

    @property
    def verdict(self) -> Verdict:
        """What the other end of the trade-off costs, where its elbow is, and what is proven, with cautions."""
        if not self.points:
            return Verdict((self.reason or "No sets were found.",))
        these = f"these {len(self.points)}" if len(self.points) > 1 else "this one"
        further = "" if self.complete else "There may be further points."
        return Verdict((self._ends,)).add(
            self._at_elbow,
            f"Proven: there are no other points than {these}." if self.proven else "",
            cautions=(self._unproven, further),
        )

    @property
    def _ends(self) -> str:
        """A sentence on the first and the last point."""
        raise NotImplementedError

    @property
    def _at_elbow(self) -> str:
        return "" if self.elbow is None else f"The elbow is at {self._described(self.elbow)}."

    def _described(self, point: Any) -> str:
        """The numbers of a point, without a full stop."""
        raise NotImplementedError

    def _kept(self, point: Any) -> str:
        """The sum of a point, as a share of the largest one where that makes sense."""
        largest = self.points[0].sum
        return (
            f"{percent(point.sum / largest)} of the largest sum"
            if largest > 0
            else f"a sum of {point.sum:.6g}"
        )

    def explain(self) -> str:
        """Say how many points there are, what is proven, and where the elbow is, in plain words.

        Returns
        -------
        str
            A few sentences.
        """
        if not self.points:
            return str(self.verdict)
        return paragraph(self._proof, "" if self.complete else "There may be others.", self._at_elbow)

    @framed
    def to_frame(self) -> Any:
        """One row for each point: its numbers, whether it is proven, and the names in its sets.

        <frame>
        """
        names = [field.name for field in fields(self.of) if field.name != "result"]
        numbers = {name: [getattr(point, name) for point in self.points] for name in names}
        return frame_of({**numbers, "sets": [list(map(list, point.named_sets)) for point in self.points]})
