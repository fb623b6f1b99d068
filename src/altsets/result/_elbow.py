"""The elbow of a curve over tau: up to where more difference, or fewer features, cost little.

With line(x) the straight line from the first to the last point of a curve and h = (y - line(x)) / (max y - min y), the
elbow is where h is largest, if that is 0.1 or more (the "knee" of Satopaa et al., 2011).
"""

from __future__ import annotations

from collections.abc import Sequence

from altsets.result._points import Curve, FrontierPoint, Suggestion
from altsets.result._status import Status
from altsets.wording import counted, plural

#: Points that a curve with an elbow has at least, and its least height above the straight line, relative to its own.
FEWEST_POINTS, LEAST_ELBOW = 4, 0.1
#: Values of tau that differ by less are the same.
SAME_TAU = 1e-9
#: A curve that is no higher than this fraction of its largest value is flat.
FLAT = 0.01

#: Why there is no elbow, by what a curve lacks.
NO_ELBOW = {
    "impossible": "No elbow: there are no sets that differ from each other.",
    "not found": "No elbow: no sets were found that differ from each other.",
    "short": f"No elbow: {{what}} {{be}} too few to show one; it takes {FEWEST_POINTS}.",
    "flat sizes": "No elbow: {sizes} the quality of the best set stays about the same.",
    "even sizes": "No elbow: {sizes} the quality of the best set changes evenly or falls at once.",
    "flat": "No elbow: {what} hardly changes over tau, and is {end}.",
    "even": "No elbow: {what} changes evenly or falls at once, from {start} to {end}.",
}
#: Where the elbow is.
ELBOW = "The elbow is at tau = {tau:.4g}: up to there {what} is still {kept}, after that it falls to {end}."
LAST_SIZE = "The best set gains up to {size} features, and nothing after that"
SIZE = (
    "Sets of {size} features reach {share:.0f} % of what {last} reach{what}, and each further one adds less"
)


def is_flat(ys: Sequence[float]) -> bool:
    """Whether all values are about the same."""
    return max(ys) - min(ys) <= FLAT * max(map(abs, ys))


def elbow_of(xs: Sequence[float], ys: Sequence[float]) -> int | None:
    """The position of the elbow of ``ys`` over ascending ``xs``; None if there is none."""
    if len(xs) < FEWEST_POINTS or is_flat(ys):
        return None
    (first, last), (start, end), height = (xs[0], xs[-1]), (ys[0], ys[-1]), max(ys) - min(ys)
    above = [
        (y - start - (end - start) * (x - first) / (last - first)) / height
        for x, y in zip(xs, ys, strict=True)
    ]
    highest = max(range(len(above)), key=above.__getitem__)
    return highest if above[highest] >= LEAST_ELBOW else None


def suggest_tau(curve: Curve) -> Suggestion:
    """A size where further features add little, and at that size a tau up to which difference costs little.

    Nothing is suggested that is less different than was asked for.
    """
    points, least_tau = curve.points, curve.parameters.get("least_tau")
    found = _suggest(points, mean_quality=bool(curve.parameters.get("mean_quality")))
    if least_tau is None or found.point is None or found.point.tau >= least_tau - SAME_TAU:
        return found
    asked = [point for point in points if point.is_complete and abs(point.tau - least_tau) <= SAME_TAU]
    costs = f": {asked[0].kept_name} is {_relative(asked[0].kept, _top(points))}" if asked else ""
    return Suggestion(None, f"tau = {least_tau:.4g}, as requested{costs}.")


def _suggest(points: Sequence[FrontierPoint], *, mean_quality: bool) -> Suggestion:
    # Of several numbers of sets, the largest with different sets counts. Means are multiplied by the size.
    complete = [point for point in points if point.is_complete]
    counts = {point.n_alternatives for point in complete if point.tau > 0 or not point.n_alternatives}
    if not counts:
        proven = all(point.status is Status.INFEASIBLE for point in points if point.tau > 0)
        return _none("impossible" if proven else "not found")
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
    sizes = sorted({point.n_features for point in points})
    values = [
        _top([point for point in points if point.n_features == size]) * (size if mean_quality else 1)
        for size in sizes
    ]
    last, place = sizes[-1], elbow_of(sizes, values)
    if len(sizes) < FEWEST_POINTS:
        return _none("short", what=counted(len(sizes), "size"), be=plural(len(sizes), "is", "are"))
    if place is None:
        kind = "flat sizes" if is_flat(values) else "even sizes"
        return _none(kind, sizes=f"from {sizes[0]} to {last} features")
    size = sizes[place]
    if size == last or values[place] >= values[-1] or values[-1] <= 0:
        return size, LAST_SIZE.format(size=size)
    what = ", quality times the number of features" if mean_quality else ""
    return size, SIZE.format(size=size, share=100 * values[place] / values[-1], last=last, what=what)


def _elbow_over_tau(points: Sequence[FrontierPoint]) -> Suggestion:
    """The point where quality begins to fall."""
    xs, ys = [point.tau for point in points], [point.kept for point in points]
    if len(points) < FEWEST_POINTS:
        what = counted(len(points), "value of tau with sets", "values of tau with sets")
        return _none("short", what=what, be=plural(len(points), "is", "are"))
    top, what, place = _top(points), points[-1].kept_name, elbow_of(xs, ys)
    start, end = (
        f"{_relative(point.kept, top)} at tau = {point.tau:.4g}" for point in (points[0], points[-1])
    )
    if place is None:
        return _none("flat" if is_flat(ys) else "even", what=what, start=start, end=end)
    chosen = points[place]
    kept = _relative(chosen.kept, top)
    return Suggestion(chosen, ELBOW.format(tau=chosen.tau, what=what, kept=kept, end=end))


def _none(kind: str, **facts: str) -> Suggestion:
    return Suggestion(None, NO_ELBOW[kind].format(**facts))


def _top(points: Sequence[FrontierPoint]) -> float:
    """The largest quality of any set."""
    return max(max(point.result.qualities) for point in points if point.result.sets)


def _relative(value: float, top: float) -> str:
    """A quality as a share of the best one, where that makes sense."""
    return f"{100 * value / top:.1f} % of the best" if top > 0 else f"{value:.6g}"
