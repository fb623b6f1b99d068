"""Where the curve bends: the point up to which more difference, or fewer features, cost little.

Let line(x) be the straight line from the first point of a curve to its last one, and h = (y - line(x)) / (highest y -
lowest y). The curve bends where h is largest, if that is 0.1 or more (the "knee" of Satopaa et al., 2011). So a curve
that first falls slowly and then steeply bends where it begins to fall, and one that first rises steeply bends where it
stops to; a straight one does not bend, nor one that falls at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from altsets.result import Result
from altsets.search.frontier.limits import FRONTIER_LIMITS, FrontierLimits
from altsets.search.frontier.point import FrontierPoint

__all__ = ["Curve", "Suggestion", "suggested"]


@dataclass(frozen=True)
class Suggestion:
    """The point where the curve bends, if it does, and why; it counts as false if it does not.

    Attributes
    ----------
    point : FrontierPoint or None
        None if there is no bend; ``tau``, ``n_features``, ``n_alternatives`` and ``result`` are those of the point.
    reason : str
        One sentence.
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
    """Values over something that grows.

    Examples
    --------
    >>> Curve([0, 1, 2, 3, 4], [1.0, 0.98, 0.95, 0.6, 0.2]).bend
    2
    >>> Curve([0, 1, 2, 3], [4.0, 3.0, 2.0, 1.0]).bend is None
    True
    """

    xs: Sequence[float]
    ys: Sequence[float]
    limits: FrontierLimits = FRONTIER_LIMITS

    @property
    def is_short(self) -> bool:
        """Whether it has too few points to bend."""
        return len(self.xs) < self.limits.fewest_points

    @property
    def is_flat(self) -> bool:
        """Whether its values are all about the same."""
        return self._height <= self.limits.flat * max(map(abs, self.ys))

    @property
    def _height(self) -> float:
        return max(self.ys) - min(self.ys)

    @property
    def bend(self) -> int | None:
        """The number of the point where it bends; None if it does not."""
        if self.is_short or self.is_flat:
            return None
        (first, last), (start, end) = (self.xs[0], self.xs[-1]), (self.ys[0], self.ys[-1])
        above = [
            (y - start - (end - start) * (x - first) / (last - first)) / self._height
            for x, y in zip(self.xs, self.ys, strict=True)
        ]
        highest = max(range(len(above)), key=above.__getitem__)
        return highest if above[highest] >= self.limits.least_bend else None


def suggested(points: Sequence[FrontierPoint], *, mean_quality: bool) -> Suggestion:
    """A size where further features add little, and there a tau up to which difference costs little.

    Of several numbers of sets, the largest one counts for which there are sets that differ at all. ``mean_quality``
    says that the quality of a set is a mean over its features; it is multiplied by their number to see what each adds.
    """
    found = [point for point in points if point.is_complete]
    counts = sorted({point.n_alternatives for point in found if point.tau > 0 or not point.n_alternatives})
    if not counts:
        return Suggestion(None, "No bend: there are no sets that differ from each other.")
    usable = [point for point in found if point.n_alternatives == counts[-1]]
    sizes = sorted({point.n_features for point in usable})
    said = ""
    size: int | None = sizes[0]
    if len({point.n_features for point in points}) > 1:
        size, said = _best_size(usable, sizes, mean_quality=mean_quality)
        if size is None:
            return Suggestion(None, said)
    there = sorted((point for point in usable if point.n_features == size), key=lambda point: point.tau)
    same_size = {
        point.tau for point in points if (point.n_features, point.n_alternatives) == (size, counts[-1])
    }
    if len(same_size) == 1 and said:
        return Suggestion(there[0], f"{said}.")
    chosen, sentence = _best_tau(there)
    return Suggestion(chosen, f"{said}; {sentence[0].lower()}{sentence[1:]}" if said else sentence)


def _best_size(
    points: Sequence[FrontierPoint], sizes: Sequence[int], *, mean_quality: bool
) -> tuple[int | None, str]:
    """The size from which on further features add little, and a clause that says so; or why there is none."""
    best = {
        size: max(max(point.result.qualities) for point in points if point.n_features == size)
        for size in sizes
    }
    worth = [value * size if mean_quality else value for size, value in best.items()]
    curve, last = Curve(sizes, worth), sizes[-1]
    if curve.is_short:
        return None, _too_few(len(sizes), ("size", "sizes"))
    bend = curve.bend
    if bend is None:
        how = "stays about the same" if curve.is_flat else "changes evenly or falls at once"
        return None, f"No bend: from {sizes[0]} to {last} features the quality of the best set {how}."
    size = sizes[bend]
    if size == last or worth[bend] >= worth[-1] or worth[-1] <= 0:
        return size, f"The best set gains up to {size} features, and nothing after that"
    share = f"{100 * worth[bend] / worth[-1]:.0f} %"
    what = ", quality times the number of features" if mean_quality else ""
    return (
        size,
        f"Sets of {size} features reach {share} of what {last} reach{what}, and each further one adds less",
    )


def _best_tau(points: Sequence[FrontierPoint]) -> tuple[FrontierPoint | None, str]:
    """The point where quality begins to fall, and a sentence that says so."""
    curve = Curve([point.tau for point in points], [point.kept for point in points])
    if curve.is_short:
        return None, _too_few(len(points), ("value of tau with sets", "values of tau with sets"))
    first, last = points[0], points[-1]
    top = max(max(point.result.qualities) for point in points)
    end = f"{_of(last.kept, top)} at tau = {last.tau:.4g}"
    if curve.is_flat:
        return None, f"No bend: quality hardly changes over tau, and is {end}."
    bend = curve.bend
    if bend is None:
        start = f"{_of(first.kept, top)} at tau = {first.tau:.4g}"
        return None, f"No bend: quality changes evenly or falls at once, from {start} to {end}."
    chosen = points[bend]
    return chosen, (
        f"The curve bends at tau = {chosen.tau:.4g}: up to there quality is still {_of(chosen.kept, top)}, "
        f"after that it falls to {end}."
    )


def _of(value: float, top: float) -> str:
    """A quality as a share of the best one, where that makes sense."""
    return f"{100 * value / top:.1f} % of the best" if top > 0 else f"{value:.6g}"


def _too_few(count: int, what: tuple[str, str]) -> str:
    few = f"one {what[0]} is" if count == 1 else f"{count} {what[1]} are"
    return f"No bend: {few} too few to show one; it takes {FRONTIER_LIMITS.fewest_points}."
