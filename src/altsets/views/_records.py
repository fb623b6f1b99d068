"""Plot-ready records, and what several views need to make them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from altsets.errors import InputError
from altsets.evaluation import EvaluatedFrontier, EvaluatedPoint, Evaluation
from altsets.features import whole_number
from altsets.result import Result
from altsets.search.frontier import Frontier, FrontierPoint
from altsets.search.near_best import NearBest
from altsets.wording import counted

#: The label of an x-axis.
TAU = "tau: least difference of two sets"

#: Numbers in rows and columns; None where there is none.
Cells = tuple[tuple[float | None, ...], ...]
Flags = tuple[tuple[bool, ...], ...]


@dataclass(frozen=True)
class Membership:
    """Which features are in which sets.

    Attributes
    ----------
    features : tuple of str
        The features that are in some set: those in the most sets first, and of these the ones with the highest scores.
    scores : tuple of float, or None
        What each feature alone is worth; None if only sets can be judged.
    members : tuple of tuples of bool
        For each feature, whether each set has it.
    above_noise : tuple of bool, or None
        Whether the score of each feature is above the noise floor; None if that was not measured.
    set_names : tuple of str
        "set 0", "set 1" and so on.
    qualities : tuple of float
        How good each set is.
    note : str
        What was left out, and what a mark stands for; empty if there is nothing to say.
    noise_floor : float or None
        The score that the best feature may reach by chance.
    """

    features: tuple[str, ...]
    scores: tuple[float, ...] | None
    members: Flags
    above_noise: tuple[bool, ...] | None
    set_names: tuple[str, ...]
    qualities: tuple[float, ...]
    note: str = ""
    noise_floor: float | None = None


@dataclass(frozen=True)
class Grid:
    """Numbers in rows and columns, between a lowest and a highest one.

    Attributes
    ----------
    rows, columns : tuple of str
        Their names.
    values : tuple of tuples of float or None
        The numbers, row by row; None where there is none.
    low, high : float
        The ends of the scale; all numbers lie between them.
    value_name, row_name, column_name : str
        What the numbers, the rows and the columns are.
    shares : bool
        Whether the numbers are shares of a whole, so that 1 is 100 %.
    digits : int
        Digits after the point that are worth showing; two less in per cent.
    open : tuple of tuples of bool
        Which of them are not proven; empty if that is no question here.
    mark : tuple of int, or None
        The row and the column of the number that is suggested.
    note : str
        What was left out, and what is special; empty if there is nothing to say.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: Cells
    low: float
    high: float
    value_name: str
    row_name: str = ""
    column_name: str = ""
    shares: bool = False
    digits: int = 2
    open: Flags = ()
    mark: tuple[int, int] | None = None
    note: str = ""


@dataclass(frozen=True)
class ReferenceLine:
    """A number that others are compared with, and what it is."""

    label: str
    value: float


@dataclass(frozen=True)
class Bars:
    """One number for each of several things, with what it is compared with.

    Attributes
    ----------
    labels : tuple of str
        What the numbers are about.
    values : tuple of float or None
        The numbers; None where there is none.
    value_name : str
        What they are.
    low, high : tuple of float or None, or None
        The ends of an interval for each number; None if there are none.
    interval_name : str
        What the intervals are; empty if there are none.
    dots : tuple of tuples of float
        The numbers that each one is the mean of; empty if there are none.
    lines : tuple of ReferenceLine
        A baseline, a bound.
    marked : tuple of bool
        Which of the things are special; empty if none is.
    mark_means : str
        In what way.
    note : str
        What was left out, and what is proven; empty if there is nothing to say.
    """

    labels: tuple[str, ...]
    values: tuple[float | None, ...]
    value_name: str
    low: tuple[float | None, ...] | None = None
    high: tuple[float | None, ...] | None = None
    interval_name: str = ""
    dots: tuple[tuple[float, ...], ...] = ()
    lines: tuple[ReferenceLine, ...] = ()
    marked: tuple[bool, ...] = ()
    mark_means: str = ""
    note: str = ""


@dataclass(frozen=True)
class CurvePoint:
    """A point of a curve.

    Attributes
    ----------
    x : float
    y : float or None
        None where sets are missing.
    label : str
        The point in words.
    open : bool
        Whether it is not proven.
    low, high : float or None
        The ends of its interval; None if there is none to show.
    """

    x: float
    y: float | None
    label: str
    open: bool = False
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class CurveLine:
    """A curve: its name, and its points from left to right."""

    name: str
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True)
class CurveMark:
    """The point that is suggested: the number of its curve, its number there, and what to write beside it."""

    series: int
    point: int
    label: str


@dataclass(frozen=True)
class Curves:
    """Some curves over the same thing.

    Attributes
    ----------
    x_name, y_name : str
        What grows to the right, and upward.
    series : tuple of CurveLine
    shares : bool
        Whether the numbers upward are shares of a whole, so that 1 is 100 %.
    mark : CurveMark or None
        The point that is suggested.
    note : str
        What was left out, and what is special; empty if there is nothing to say.
    lines : tuple of ReferenceLine
        A baseline.
    """

    x_name: str
    y_name: str
    series: tuple[CurveLine, ...]
    shares: bool = False
    mark: CurveMark | None = None
    note: str = ""
    lines: tuple[ReferenceLine, ...] = ()


@dataclass(frozen=True)
class FeatureStability:
    """Whether other rows would have led to the same features.

    Attributes
    ----------
    shares : Grid
        How often each feature was chosen, for each set and for any of them.
    index : Bars
        The index of stability of each set, and of all sets together: 1 if features are always the same, 0 if they agree
        no more than by chance.
    """

    shares: Grid
    index: Bars


Answer = TypeVar("Answer", Result, Frontier, EvaluatedFrontier, Evaluation, NearBest)
Thing = TypeVar("Thing")

#: Where each kind of answer comes from.
SOURCES = {
    Result: "a Result, such as altsets.find(...) or selector.result_",
    Frontier: "a Frontier, such as altsets.frontier(...)",
    EvaluatedFrontier: "an EvaluatedFrontier, such as altsets.evaluate_frontier(...)",
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
    shown = f"{limit:,} of {len(things):,} {noun}s"
    return list(
        things[:limit]
    ), f"{shown} are shown: {which}." if limit > 1 else f"Only one of {len(things):,} {noun}s is shown."


def spread(values: Sequence[Thing], most: int, keep: Iterable[Thing] = ()) -> list[Thing]:
    """So many of the values, evenly spread from the first to the last, and those that must be kept."""
    if len(values) <= most:
        return list(values)
    last = len(values) - 1
    places = {round(place * last / max(most - 1, 1)) for place in range(most)}
    places |= {values.index(value) for value in keep if value in values}
    return [values[place] for place in sorted(places)]


def set_name(number: int) -> str:
    """A set as texts call it."""
    return f"set {number}"


def describe_point(point: FrontierPoint | EvaluatedPoint) -> str:
    """A point of a frontier in words."""
    return f"{counted(point.n_features, 'feature')}, {counted(point.n_alternatives + 1, 'set')}, tau = {point.tau:.3g}"


def finite_or_none(value: float) -> float | None:
    """A number that can be drawn; None for what is not finite."""
    return float(value) if math.isfinite(value) else None
