"""Plot-ready records, and what several views need to make them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from altsets.errors import InputError
from altsets.evaluation import Evaluation, Evaluations
from altsets.features import whole_number
from altsets.result import Frontier, FrontierPoint, NearBest, Result
from altsets.wording import counted

#: The label of an x-axis.
TAU = "tau: least difference of two sets"

#: Numbers in rows and columns; None where there is none.
Cells = tuple[tuple[float | None, ...], ...]
Flags = tuple[tuple[bool, ...], ...]
#: The ends of a range; None where there is none.
Limits = tuple[float | None, float | None]


@dataclass(frozen=True)
class Membership:
    """Which features are in which sets: those in the most sets first, and of these the ones with the highest scores."""

    features: tuple[str, ...]
    #: None if only whole sets are scored.
    scores: tuple[float, ...] | None
    #: For each feature, whether each set has it.
    members: Flags
    #: None if the noise floor was not measured.
    above_noise: tuple[bool, ...] | None
    set_names: tuple[str, ...]
    qualities: tuple[float, ...]
    note: str = ""
    #: The score that the best feature may reach by chance.
    noise_floors: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Grid:
    """Numbers in rows and columns, all between ``low`` and ``high``."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Cells
    low: float
    high: float
    value_name: str
    row_name: str = ""
    column_name: str = ""
    #: Whether the numbers are shares of a whole, so that 1 is 100 %.
    shares: bool = False
    #: Digits after the point that are worth showing; two less in per cent.
    digits: int = 2
    #: Which numbers are not proven; empty if that does not apply.
    open: Flags = ()
    #: The row and the column of the number that is suggested.
    mark: tuple[int, int] | None = None
    note: str = ""


@dataclass(frozen=True)
class ReferenceLine:
    """A number that others are compared with, such as a baseline or a bound, and what it is."""

    label: str
    value: float


@dataclass(frozen=True)
class Bars:
    """One number for each of several things, with what it is compared with."""

    labels: tuple[str, ...]
    values: tuple[float | None, ...]
    value_name: str
    #: The ends of an interval for each number; None if there are none.
    low: tuple[float | None, ...] | None = None
    high: tuple[float | None, ...] | None = None
    interval_name: str = ""
    #: The numbers that each one is the mean of; empty if there are none.
    dots: tuple[tuple[float, ...], ...] = ()
    lines: tuple[ReferenceLine, ...] = ()
    #: Which of the things are special, and in what way; empty if none is.
    marked: tuple[bool, ...] = ()
    mark_means: str = ""
    #: Whether the numbers are shares of a whole, so that 1 is 100 %.
    shares: bool = False
    #: Where an axis begins and where it ends at the latest, if numbers have such ends.
    limits: Limits = (None, None)
    note: str = ""


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve."""

    x: float
    #: None where sets are missing.
    y: float | None
    label: str
    #: Whether it is not proven.
    open: bool = False
    #: The ends of its interval; None if there is none to show.
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class CurveLine:
    """A curve: its name, and its points from left to right."""

    name: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class CurveMark:
    """The point that is suggested: the number of its curve, its number there, and its label."""

    series: int
    point: int
    label: str


@dataclass(frozen=True)
class Curves:
    """Some curves over the same axis."""

    x_name: str
    y_name: str
    series: tuple[CurveLine, ...]
    #: Whether the numbers upward are shares of a whole, so that 1 is 100 %.
    shares: bool = False
    mark: CurveMark | None = None
    note: str = ""
    lines: tuple[ReferenceLine, ...] = ()
    #: Where the axes begin and end, if numbers have such ends.
    x_limits: Limits = (None, None)
    y_limits: Limits = (None, None)


Answer = TypeVar("Answer", Result, Frontier, Evaluations, Evaluation, NearBest)
Thing = TypeVar("Thing")

#: Where each kind of answer comes from.
SOURCES = {
    Result: "a Result, such as altsets.find(...) or selector.result_",
    Frontier: "a Frontier, such as altsets.frontier(...)",
    Evaluations: "the Evaluations of a frontier, such as altsets.evaluate(frontier, X, y)",
    Evaluation: "an Evaluation, such as altsets.evaluate(...)",
    NearBest: "a NearBest, such as altsets.near_best(...)",
}


def check_answer(given: Any, kind: type[Answer], about: str) -> Answer:
    """An answer of the right kind, or one sentence that says which kind it takes."""
    if isinstance(given, kind):
        return given
    name = type(given).__name__
    article = "an" if name[:1].lower() in "aeiou" else "a"
    raise InputError(f"{about} takes {SOURCES[kind]}, not {article} {name}.")


def check_most(most: Any) -> int | None:
    """A number of things to show at most; None for all of them."""
    return None if most is None else whole_number("most", most, least=1)


def cap(things: Sequence[Thing], most: Any, noun: str, which: str) -> tuple[list[Thing], str]:
    """The first of many things, and a sentence about the others; all of them and no sentence if they are not many."""
    limit = check_most(most)
    if limit is None or len(things) <= limit:
        return list(things), ""
    said = f"{limit:,} of {len(things):,} {noun}s are shown: {which}."
    return list(things[:limit]), said if limit > 1 else f"Only one of {len(things):,} {noun}s is shown."


def spread(values: Sequence[Thing], most: int, keep: Iterable[Thing | None] = ()) -> list[Thing]:
    """A limited number of values, evenly spread from the first to the last, and those that must be kept."""
    if len(values) <= most:
        return list(values)
    last = len(values) - 1
    places = {round(place * last / max(most - 1, 1)) for place in range(most)}
    places |= {values.index(value) for value in keep if value in values}
    return [values[place] for place in sorted(places)]


def describe_point(point: FrontierPoint) -> str:
    return f"{counted(point.n_features, 'feature')}, {counted(point.n_alternatives + 1, 'set')}, tau = {point.tau:.3g}"


def baseline_line(evaluation: Evaluation, scorer: str) -> tuple[ReferenceLine, ...]:
    baseline = evaluation.baselines()[scorer]
    label = f"baseline: {evaluation.guess(scorer)}"
    return (ReferenceLine(label, baseline),) if math.isfinite(baseline) else ()


#: Scores by the beginning of their names, and the range that they cannot leave.
RANGES: dict[str, tuple[float, float]] = {
    "matthews_corrcoef": (-1.0, 1.0),
    **dict.fromkeys(("accuracy", "balanced_accuracy", "roc_auc", "average_precision"), (0.0, 1.0)),
    **dict.fromkeys(("f1", "precision", "recall", "jaccard", "top_k_accuracy"), (0.0, 1.0)),
    **dict.fromkeys(("r2", "explained_variance", "d2_"), (-math.inf, 1.0)),
    **dict.fromkeys(("neg_", "max_error"), (-math.inf, 0.0)),
}


def score_range(scorer: str) -> tuple[float, float]:
    """The smallest and the largest score there can be; infinite where that is not known."""
    known = (limits for name, limits in RANGES.items() if scorer.startswith(name))
    return next(known, (-math.inf, math.inf))


def clipped(value: float, scorer: str) -> float | None:
    """The end of an interval, within the range of the score; None if it is not finite."""
    if not math.isfinite(value):
        return None
    low, high = score_range(scorer)
    return min(max(value, low), high)


def top_score(scorer: str) -> float | None:
    """The best score there can be; None if that is not known."""
    high = score_range(scorer)[1]
    return high if math.isfinite(high) else None
