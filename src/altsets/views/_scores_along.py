"""What is to be seen in a frontier with scores: how well sets predict, the more they differ and the larger they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from altsets.errors import InputError
from altsets.evaluation import EvaluatedFrontier, EvaluatedPoint
from altsets.views._given import (
    checked,
    checked_most,
    in_features,
    in_point,
    in_sets,
    joined,
    number_or_none,
    spread,
)
from altsets.views._shapes import TAU, CurveLine, CurvePoint, Curves, ReferenceLine

__all__ = ["scores_along"]


def scores_along(
    evaluated: Any, scorer: str | None = None, n_alternatives: int | None = None, most: int = 6
) -> Curves:
    """How well the sets of each point predict rows that they have not seen: the mean score of all its sets over tau.

    A curve for each size; over the size instead where each size has one value of tau. The line is the baseline, a model
    that knows no features. A single curve has the confidence intervals of its points.

    Parameters
    ----------
    evaluated : EvaluatedFrontier
    scorer : str, optional
        Which score; by default the first one.
    n_alternatives : int, optional
        Of several numbers of alternatives, this one; by default the largest.
    most : int
        Curves to show at most; the smallest and the largest size are among them.

    Examples
    --------
    >>> import altsets
    >>> X = [[0, 5, 1], [1, 4, 0], [0, 5, 0], [1, 4, 1], [0, 5, 1], [1, 4, 0]] * 5
    >>> found = altsets.evaluate_frontier("f", X, ["no", "yes"] * 15, n_features=1, n_alternatives=2)
    >>> seen = scores_along(found)
    >>> seen.x_name, seen.y_name, seen.lines[0].value
    ('tau: least difference of two sets', 'matthews_corrcoef', 0.0)
    >>> [(point.x, round(point.y, 2)) for point in seen.series[0].points]
    [(0.0, 1.0), (1.0, 0.8)]
    """
    found = checked(evaluated, EvaluatedFrontier, "a picture of scores along a frontier")
    shared = found.any_evaluation
    name = scorer or shared.scorers[0]
    if name not in shared.scorers:
        raise InputError(f"scorer={scorer!r} was not measured; choose from {', '.join(shared.scorers)}.")
    counts = found.frontier.counts
    if n_alternatives is not None and n_alternatives not in counts:
        known = ", ".join(map(str, counts))
        raise InputError(f"n_alternatives={n_alternatives!r} is not in this frontier; choose from {known}.")
    count = counts[-1] if n_alternatives is None else n_alternatives
    points = [point for point in found if point.n_alternatives == count]
    sizes = sorted({point.n_features for point in points})
    over_size = len(sizes) == len(points) > 1
    kept = sizes if over_size else spread(sizes, checked_most(most) or 1)
    curves = [points] if over_size else [[p for p in points if p.n_features == size] for size in kept]
    baseline = shared.baselines()[name]
    return Curves(
        x_name="features in a set" if over_size else TAU,
        y_name=name,
        series=tuple(_line(curve, name, over_size, with_intervals=len(curves) == 1) for curve in curves),
        lines=(ReferenceLine(f"baseline: {shared.guess(name)}", baseline),)
        if math.isfinite(baseline)
        else (),
        note=joined(
            "" if len(kept) == len(sizes) else f"{len(kept)} of {len(sizes)} sizes are shown.",
            f"Mean of {in_sets(count)}, searched anew in each of {len(shared.folds)} folds.",
        ),
    )


def _line(
    curve: Sequence[EvaluatedPoint], scorer: str, over_size: bool, *, with_intervals: bool
) -> CurveLine:
    name = f"tau = {curve[0].tau:.3g}" if over_size else in_features(curve[0].n_features)
    return CurveLine(name, tuple(_point(point, scorer, over_size, with_intervals) for point in curve))


def _point(point: EvaluatedPoint, scorer: str, over_size: bool, with_intervals: bool) -> CurvePoint:
    measured = point.measured(scorer)
    low, high = number_or_none(measured.low), number_or_none(measured.high)
    interval = "" if low is None or high is None else f", interval {low:.3f} to {high:.3f}"
    return CurvePoint(
        x=float(point.n_features if over_size else point.tau),
        y=number_or_none(measured.difference),
        label=f"{in_point(point)}{interval}",
        low=low if with_intervals else None,
        high=high if with_intervals else None,
    )
