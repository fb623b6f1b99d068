"""The elbow of a curve: up to where more difference, or fewer features, cost little.

With line(x) the straight line from the first to the last point of a curve and h = (y - line(x)) / (max y - min y), the
elbow is where h is largest, if that is 0.1 or more (the "knee" of Satopaa et al., 2011).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from altsets.result import Status
from altsets.search.frontier.points import FrontierPoint, Suggestion
from altsets.wording import counted

#: Points that a curve with an elbow has at least, and its least height above the straight line, relative to its own.
FEWEST_POINTS, LEAST_ELBOW = 4, 0.1
#: Values of tau that differ by less are the same.
SAME_TAU = 1e-9
#: A curve that is no higher than this fraction of its largest value is flat.
FLAT = 0.01


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


def suggest_tau(
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
