"""View of a trade-off: quality over the second criterion."""

from __future__ import annotations

from typing import Any

from altsets.errors import InputError
from altsets.result import Status
from altsets.search.tradeoff import Tradeoff, TradeoffPoint
from altsets.views.records import CurveLine, CurveMark, CurvePoint, Curves, check_answer
from altsets.wording import list_some, paragraph

#: Features of a set that a label names.
MOST_NAMED = 8


def curve_over_criterion(tradeoff: Any) -> Curves:
    """Quality over the criterion, as a share of the best quality unless that is worth nothing or less."""
    found = check_answer(tradeoff, Tradeoff, "a plot of a trade-off")
    if not found.points:
        raise InputError("this trade-off has no point to be shown; explain() says why.")
    best = found.points[0].quality
    shares, scale = best > 0, best if best > 0 else 1.0
    order = sorted(found.points, key=lambda point: point.criterion)
    points = tuple(
        CurvePoint(
            point.criterion, point.quality / scale, _described(point), point.status is not Status.OPTIMAL
        )
        for point in order
    )
    elbow = found.elbow
    mark = None if elbow is None else CurveMark(0, order.index(elbow), "suggested: the elbow of the curve")
    several = len(found.points[0].sets) > 1
    better = "more is better" if found.more_is_better else "less is better"
    worst = "the set with the worst criterion counts" if several else ""
    return Curves(
        x_name=f"criterion ({'; '.join(filter(None, (better, worst)))})",
        y_name="quality, share of the best" if shares else "quality",
        series=(CurveLine("sets" if several else "best set", points),),
        shares=shares,
        mark=mark,
        note=paragraph("" if found.complete else "There may be further points."),
    )


def _described(point: TradeoffPoint) -> str:
    sets = "; ".join(list_some(names, MOST_NAMED) for names in point.named_sets)
    return f"criterion {point.criterion:.6g}, quality {point.quality:.6g}: {sets}"
