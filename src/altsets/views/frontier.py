"""Views of a frontier: quality and scores over tau, over the size of sets, over both, and over other numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

from altsets.documents import finite
from altsets.errors import InputError
from altsets.evaluation import Evaluation, Evaluations, overall
from altsets.result import Frontier, FrontierPoint, Status
from altsets.views.records import (
    TAU,
    CurveLine,
    CurveMark,
    CurvePoint,
    Curves,
    Grid,
    baseline_line,
    check_answer,
    check_most,
    clipped,
    describe_point,
    spread,
    top_score,
)
from altsets.wording import counted, list_some, paragraph, plural

#: How different sets are on the curves over sizes: half of their features, and all of them.
LEVELS = (0.5, 1.0)
#: Values of tau that all have a column of their own; of more, there is a column for each tenth.
MOST_TAUS = 12
#: Shares that differ by less need a digit more.
NARROW = 0.1
#: What is this close counts as the same tau.
CLOSE = 1e-9

#: What qualities of each size are multiplied with to be shown.
Factors = dict[int, float]
Value = Callable[[FrontierPoint], float]
#: The requested quality.
KEPT: Value = attrgetter("kept")


def curve_over_tau(frontier: Any, n_alternatives: int | None = None, most: int = 6) -> Curves:
    """Quality over tau: one curve for each size or number of sets, else the mean and the worst set.

    Qualities are shares of the best set of that size, unless one of these is worth nothing or less.
    """
    found = _over_tau(frontier)
    factors, left_out, y_name = _shares(found), "", _kept_name(found)
    first, suggested = found.sizes[0], found.suggestion
    if len(found.sizes) > 1:
        count = _count(found, n_alternatives)
        kept = spread(found.sizes, check_most(most) or 1, keep=[suggested.n_features])
        curves = [(counted(size, "feature"), KEPT, found.curve(size, count)) for size in kept]
        left_out = _some(kept, found.sizes, "sizes")
    elif len(found.counts) > 1 and n_alternatives is None:
        kept = spread(found.counts, check_most(most) or 1, keep=[suggested.n_alternatives])
        curves = [(counted(count + 1, "set"), KEPT, found.curve(first, count)) for count in kept]
        left_out = _some(kept, found.counts, "numbers of alternatives")
    else:
        points, y_name = found.curve(first, _count(found, n_alternatives)), _quality_name(found, "")
        curves = [("mean", attrgetter("mean"), points), ("worst set", attrgetter("worst"), points)]
    # Of the mean and the worst set, the suggested point is on the one that was maximised.
    marked = curves
    if curves[0][0] == "mean":
        marked = curves[1:] if _by_worst(found) else curves[:1]
    return Curves(
        TAU,
        y_name,
        tuple(_line(name, points, factors, value) for name, value, points in curves),
        _are_shares(found),
        _mark([points for *_, points in marked], found, curves.index(marked[0])),
        paragraph(left_out, _unproven([point for *_, points in curves for point in points])),
        x_limits=(0.0, 1.0),
        y_limits=(0.0, 1.0) if _are_shares(found) else (None, None),
    )


def curve_over_size(frontier: Any, n_alternatives: int | None = None) -> Curves:
    """Quality of the best set, and of sets that differ by half or all of their features, over their size.

    A quality that is a mean over features (mRMR) is multiplied by their number, to show what each further one adds.
    """
    found = _over_tau(frontier)
    if len(found.sizes) < 2:
        raise InputError(
            f"all sets of this frontier have {counted(found.sizes[0], 'feature')}; ask for several sizes, such as "
            "n_features=range(2, 11)."
        )
    count = _count(found, n_alternatives)
    factors = {size: float(size) if found.parameters.get("mean_quality") else 1.0 for size in found.sizes}
    best = [(size, finite(found.best(size) * factors[size])) for size in found.sizes]
    named = (CurvePoint(size, value, f"{counted(size, 'feature')}, best set") for size, value in best)
    series = [CurveLine("best set", tuple(named))]
    levels = LEVELS if count or any(point.tau > 0 for point in found.points) else ()
    what = "worst" if _by_worst(found) else "mean"
    shown = []
    for level in levels:
        points = list(filter(None, (_at(found, size, count, level) for size in found.sizes)))
        shown += points
        name = f"{what} of {counted(count + 1, 'set')}, tau = {level:g}"
        series.append(_line(name, points, factors, KEPT, over_size=True))
    mark = None
    if found.suggestion.n_features is not None:
        place = found.sizes.index(found.suggestion.n_features)
        mark = CurveMark(0, place, f"suggested: {counted(found.sizes[place], 'feature')}")
    y_name = "quality \N{MULTIPLICATION SIGN} features" if found.parameters.get("mean_quality") else "quality"
    return Curves("features in a set", y_name, tuple(series), mark=mark, note=_unproven(shown))


def heat(frontier: Any, n_alternatives: int | None = None) -> Grid:
    """The share of the best quality of each size that is kept, over sizes and tau; a column per tenth of many taus."""
    found = _over_tau(frontier)
    count = _count(found, n_alternatives)
    taus = _columns(found, count)
    points = [[_at(found, size, count, tau) for tau in taus] for size in found.sizes]
    factors = _shares(found)
    values = tuple(
        tuple(None if point is None else finite(point.kept * factors[point.n_features]) for point in row)
        for row in points
    )
    numbers = [value for row in values for value in row if value is not None]
    return Grid(
        rows=tuple(map(str, found.sizes)),
        columns=tuple(f"{tau:.3g}" for tau in taus),
        values=values,
        low=min(numbers, default=0.0),
        high=1.0 if _are_shares(found) else max(numbers, default=1.0),
        value_name=_kept_name(found),
        row_name="features in a set",
        column_name=TAU,
        shares=_are_shares(found),
        # One more where shares are close to each other.
        digits=3 if _are_shares(found) and max(numbers, default=1) - min(numbers, default=1) < NARROW else 2,
        open=tuple(tuple(point is not None and _is_open(point) for point in row) for row in points),
        mark=_cell(points, found),
        note=_unproven([point for row in points for point in row if point is not None]),
    )


def _with_points(given: Any) -> Frontier:
    plain = given.frontier if isinstance(given, Evaluations) else given
    found = check_answer(plain, Frontier, "a plot of a frontier")
    if not found.points:
        raise InputError("this frontier has no point to show; explain() says why.")
    return found


def _over_tau(given: Any) -> Frontier:
    found = _with_points(given)
    if found.by != "tau":
        raise InputError("this plot is about a frontier over tau; draw others with altsets.plots.frontier.")
    return found


def _count(found: Frontier, asked: Any) -> int:
    """The number of alternatives: as requested, or of the suggested point, or the most for which there are sets."""
    if asked is None:
        suggested = found.suggestion.n_alternatives
        complete = [point.n_alternatives for point in found.points if point.is_complete]
        return max(complete, default=found.counts[-1]) if suggested is None else suggested
    if asked not in found.counts:
        known = ", ".join(map(str, found.counts))
        raise InputError(f"n_alternatives={asked!r} is not in this frontier; choose from {known}.")
    return int(asked)


def _at(found: Frontier, size: int, count: int, tau: float) -> FrontierPoint | None:
    """The point of a size whose tau is the least that is at least the given one."""
    enough = [point for point in found.curve(size, count) if point.tau >= tau - CLOSE]
    return min(enough, key=lambda point: point.tau, default=None)


def _columns(found: Frontier, count: int) -> list[float]:
    taus = sorted({round(point.tau, 9) for size in found.sizes for point in found.curve(size, count)})
    if len(taus) <= MOST_TAUS:
        return taus
    tenths = [step / 10 for step in range(11) if taus[0] - CLOSE <= step / 10 <= taus[-1] + CLOSE]
    shown = {id(_at(found, size, count, tau)) for size in found.sizes for tau in tenths}
    point = found.suggestion.point
    extra = [round(point.tau, 9)] if point is not None and id(point) not in shown else []
    return sorted({*tenths, *extra})


def _cell(points: Sequence[Sequence[FrontierPoint | None]], found: Frontier) -> tuple[int, int] | None:
    """Where the suggested point is: of several columns the one that asks for most."""
    suggested = found.suggestion.point
    cells = ((row, column) for row, entries in enumerate(points) for column in range(len(entries)))
    places = [place for place in cells if suggested is not None and points[place[0]][place[1]] is suggested]
    return places[-1] if places else None


def _mark(curves: Sequence[Sequence[FrontierPoint]], found: Frontier, line: int = 0) -> CurveMark | None:
    """The suggested point on the curves; ``line`` is the number of the first one."""
    place = _cell(curves, found)
    if place is None:
        return None
    point = curves[place[0]][place[1]]
    size = f"{counted(point.n_features, 'feature')}, " if len(found.sizes) > 1 else ""
    return CurveMark(line + place[0], place[1], f"suggested: {size}tau = {point.tau:.3g}")


def _line(
    name: str, points: Sequence[FrontierPoint], factors: Factors, value: Value, *, over_size: bool = False
) -> CurveLine:
    made = [
        CurvePoint(
            x=float(point.n_features if over_size else point.tau),
            y=finite(value(point) * factors[point.n_features]),
            label=f"{describe_point(point)}, {name}",
            open=_is_open(point),
        )
        for point in points
    ]
    return CurveLine(name, tuple(made))


def _shares(found: Frontier) -> Factors:
    """What makes qualities shares of the best set of their size; 1 where that makes no sense."""
    if not _are_shares(found):
        return dict.fromkeys(found.sizes, 1.0)
    return {size: 1 / found.best(size) if found.best(size) > 0 else 1.0 for size in found.sizes}


def _are_shares(found: Frontier) -> bool:
    """Whether qualities can be told as shares of the best set of their size, wherever there is one."""
    return all(not found.best(size) <= 0 for size in found.sizes)


def _quality_name(found: Frontier, which: str) -> str:
    return f"{which}quality{', share of the best set' if _are_shares(found) else ''}"


def _kept_name(found: Frontier) -> str:
    return _quality_name(found, "worst " if _by_worst(found) else "mean ")


def _by_worst(found: Frontier) -> bool:
    asked = found.parameters
    return asked.get("aggregation") in ("min", "leximin") and asked.get("search") != "sequential"


def _is_open(point: FrontierPoint) -> bool:
    return point.status in (Status.FEASIBLE, Status.NOT_FOUND)


def _unproven(points: Sequence[FrontierPoint]) -> str:
    several = {id(point): point for point in points}.values()
    n_open = sum(map(_is_open, several))
    n_missing = sum(not point.is_complete for point in several)
    of_all = f"of {len(several)} points"
    return paragraph(
        f"{n_open} {of_all} {plural(n_open, 'is', 'are')} not proven." if n_open else "",
        f"{n_missing} {of_all} {plural(n_missing, 'has', 'have')} too few sets." if n_missing else "",
    )


def _some(kept: Sequence[int], every: Sequence[int], what: str) -> str:
    return "" if len(kept) == len(every) else f"{len(kept)} of {len(every)} {what} are shown."


def scores_along(
    evaluated: Any, scorer: str | None = None, n_alternatives: int | None = None, most: int = 6
) -> Curves:
    """Mean test score of the sets of each point over tau, or over the size where each size has one tau."""
    found = check_answer(evaluated, Evaluations, "a plot of scores along a frontier")
    frontier, shared = found.frontier, found[0]
    name = scorer or shared.scorers[0]
    if name not in shared.scorers:
        raise InputError(f"scorer={scorer!r} was not measured; choose from {', '.join(shared.scorers)}.")
    count = frontier.counts[-1] if n_alternatives is None else _count(frontier, n_alternatives)
    pairs = [pair for pair in found.pairs if pair[0].n_alternatives == count]
    sizes = sorted({point.n_features for point, _ in pairs})
    by_tau = frontier.by == "tau"
    over_size = by_tau and len(sizes) == len(pairs) > 1
    kept = sizes if over_size else spread(sizes, check_most(most) or 1)
    if not by_tau:
        curves = {counted(count + 1, "set"): pairs}
    elif over_size:
        curves = {f"tau = {pairs[0][0].tau:.3g}": pairs}
    else:
        curves = {
            counted(size, "feature"): [pair for pair in pairs if pair[0].n_features == size] for size in kept
        }
    with_intervals, mean = len(curves) == 1, f"Mean of {counted(count + 1, 'set')}"
    searched = f"{mean}, searched anew in each of {len(shared.folds)} folds."
    fixed = f"{mean} over {len(shared.folds)} folds; the sets stay the same."

    def seen(point: FrontierPoint, evaluation: Evaluation) -> CurvePoint:
        measured = overall(evaluation, name)
        low, high = clipped(measured.low, name), clipped(measured.high, name)
        interval = "" if low is None or high is None else f", interval {low:.3f} to {high:.3f}"
        return CurvePoint(
            x=float(point.n_features if over_size else frontier.second_of(point)),
            y=finite(measured.difference),
            label=f"{describe_point(point)}{interval}",
            low=low if with_intervals else None,
            high=high if with_intervals else None,
        )

    picked = found.one_standard_error if name == shared.scorers[0] else None
    marks = [
        CurveMark(line, place, "within one standard error of the best score")
        for line, curve in enumerate(curves.values())
        for place, (point, _) in enumerate(curve)
        if picked is not None and point is frontier.points[picked]
    ]
    return Curves(
        x_name="features in a set" if over_size else TAU if by_tau else _x_name(frontier),
        y_name=name,
        mark=next(iter(marks), None),
        series=tuple(
            CurveLine(label, tuple(seen(*pair) for pair in curve)) for label, curve in curves.items()
        ),
        lines=baseline_line(shared, name),
        note=paragraph(_some(kept, sizes, "sizes"), fixed if found.notes else searched),
        x_limits=(None, None) if over_size or not by_tau else (0.0, 1.0),
        y_limits=(finite(shared.baselines()[name]), top_score(name)),
    )


# --- Curves over another number than tau --------------------------------------------------------------

#: Features of a set that a label names.
MOST_NAMED = 8
#: What the numbers of these curves are called: on an axis, and in the label of a point.
AXES = {
    "penalty": ("features that pairs of sets share", "shared", "sum of the qualities", "sum"),
    "balance": ("quality of the worst set", "worst", "sum of the qualities", "sum"),
    "against": ("costs (less is better{several})", "cost", "quality", "quality"),
}
SECOND_QUALITY = ("second quality (more is better{several})", "second quality", "quality", "quality")


def curve(frontier: Any, n_alternatives: int | None = None, most: int = 6) -> Curves:
    found = _with_points(frontier)
    if found.by == "tau":
        return curve_over_tau(frontier, n_alternatives, most)
    return _traded(found)


def _traded(found: Frontier) -> Curves:
    """Quality over what it is traded for, as a share of the best quality unless that is worth nothing or less."""
    _, second, y_name, first = _axes(found)
    best = found.points[0].quality
    shares, scale = best > 0, best if best > 0 else 1.0
    order = sorted(found.points, key=found.second_of)
    points = []
    for point in order:
        x, y = found.second_of(point), point.quality
        sets = "; ".join(list_some(names, MOST_NAMED) for names in point.result.texts)
        label = f"{second} {x:.6g}, {first} {y:.6g}: {sets}"
        points.append(CurvePoint(x, y / scale, label, not point.proven))
    elbow, several = found.suggestion.point, len(order[0].named_sets) > 1
    mark = None if elbow is None else CurveMark(0, order.index(elbow), "suggested: the elbow of the curve")
    return Curves(
        x_name=_x_name(found),
        y_name=f"{y_name}, share of the best" if shares else y_name,
        series=(CurveLine("sets" if several else "best set", tuple(points)),),
        shares=shares,
        mark=mark,
        note=paragraph("" if found.complete else "There may be further points."),
    )


def _axes(found: Frontier) -> tuple[str, str, str, str]:
    return SECOND_QUALITY if found.more_is_better else AXES[found.by]


def _x_name(found: Frontier) -> str:
    return _axes(found)[0].format(several="; the worst set counts" if found.counts[-1] else "")
