"""What users hand over to be shown: refused in one sentence where it cannot be; and words that several views need."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from altsets.errors import InputError
from altsets.evaluation import EvaluatedFrontier, EvaluatedPoint, Evaluation
from altsets.features import whole_number
from altsets.result import Result
from altsets.search.frontier import Frontier, FrontierPoint
from altsets.search.near_best import NearBest

__all__ = [
    "capped",
    "checked",
    "checked_most",
    "in_features",
    "in_point",
    "in_sets",
    "joined",
    "number_or_none",
    "set_name",
    "spread",
]

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


def checked(given: Any, kind: type[Answer], about: str) -> Answer:
    """An answer of the right kind, or one sentence that says which kind it takes.

    Parameters
    ----------
    given : object
        What the user handed over.
    kind : type
        What it must be.
    about : str
        What is shown, as the beginning of the sentence.
    """
    if isinstance(given, kind):
        return given
    name = type(given).__name__
    article = "an" if name[:1].lower() in "aeiou" else "a"
    raise InputError(f"{about} takes {SOURCES[kind]}, not {article} {name}.")


def checked_most(most: Any) -> int | None:
    """A number of things to show at most; None for all of them."""
    return None if most is None else whole_number("most", most, least=1)


def capped(things: Sequence[Thing], most: Any, noun: str, which: str) -> tuple[list[Thing], str]:
    """The first of many things, and a sentence about the others; all of them and no sentence if they are not many.

    Examples
    --------
    >>> capped("abc", 2, "feature", "those in the most sets")
    (['a', 'b'], '2 of 3 features are shown: those in the most sets.')
    """
    limit = checked_most(most)
    if limit is None or len(things) <= limit:
        return list(things), ""
    shown = f"{limit:,} of {len(things):,} {noun}s"
    return list(
        things[:limit]
    ), f"{shown} are shown: {which}." if limit > 1 else f"Only one of {len(things):,} {noun}s is shown."


def spread(values: Sequence[Thing], most: int, keep: Iterable[Thing] = ()) -> list[Thing]:
    """So many of the values, evenly spread from the first to the last, and those that must be kept.

    Examples
    --------
    >>> spread(range(2, 11), 3), spread(range(2, 11), 3, keep=[5])
    ([2, 6, 10], [2, 5, 6, 10])
    """
    if len(values) <= most:
        return list(values)
    last = len(values) - 1
    places = {round(place * last / max(most - 1, 1)) for place in range(most)}
    places |= {values.index(value) for value in keep if value in values}
    return [values[place] for place in sorted(places)]


def joined(*sentences: str) -> str:
    """Sentences that are there, one after the other."""
    return " ".join(filter(None, sentences))


def set_name(number: int) -> str:
    """A set as texts call it."""
    return f"set {number}"


def in_features(size: int) -> str:
    """The size of a set in words."""
    return f"{size} feature{'' if size == 1 else 's'}"


def in_sets(n_alternatives: int) -> str:
    """A number of alternatives in words: with the first set, there is one set more."""
    return f"{n_alternatives + 1} set{'s' if n_alternatives else ''}"


def in_point(point: FrontierPoint | EvaluatedPoint) -> str:
    """A point of a frontier in words."""
    return f"{in_features(point.n_features)}, {in_sets(point.n_alternatives)}, tau = {point.tau:.3g}"


def number_or_none(value: float) -> float | None:
    """A number that can be drawn; None for what is not finite."""
    return float(value) if math.isfinite(value) else None
