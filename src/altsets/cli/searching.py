"""A search as commands run it: the request checked first, then scores, then sets, all under one time limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from altsets.cli.printing import NO_SET, Waiting, console_for, fail
from altsets.cli.sources import Source
from altsets.constraints.named import any_named, computed, without_named

if TYPE_CHECKING:
    from altsets.problem import Problem
    from altsets.quality import Quality
    from altsets.result import Result

__all__ = ["SECONDS_PER_SET", "Searched", "check_request", "run_on_scores", "run_search"]

Answered = TypeVar("Answered")

#: The time limit for each set that is asked for, where the user gives none.
SECONDS_PER_SET = 60.0


class Searched(NamedTuple):
    """The answer of a search, and what was searched with: the quality, and the request with all its numbers."""

    result: Result
    quality: Quality
    request: dict[str, Any]


def run_search(
    source: Source, asked: dict[str, Any], *, time_limit: float | None = None, **more: Any
) -> Searched:
    """Score the features and find the sets, with a sign of life if it takes long."""
    n_sets = check_request(source, asked).n_sets

    def search(scored: Quality, *, time_limit: float, callback: Any, **request: Any) -> Searched:
        from altsets.search.find import find

        found = find(scored, **request, time_limit=time_limit, callback=callback, **more)
        return Searched(found, scored, request)

    searched = run_on_scores(source, search, asked, time_limit, SECONDS_PER_SET * n_sets)
    return searched._replace(result=_with_background(searched.result, source))


def _with_background(result: Result, source: Source) -> Result:
    """The sets with what is behind them: what features score by chance, and notes on the table and the sets."""
    from altsets.selector.notes import COMMAND_LINE, notes_on

    background = source.background
    if background is None or not result.sets:
        return result
    floor = None
    if not result.interrupted:
        with Waiting(console_for(stderr=True)) as waiting:
            floor = source.noise_floor(waiting)
    return replace(result, noise_floor=floor, notes=notes_on(result, background, COMMAND_LINE))


def check_request(source: Source, asked: dict[str, Any]) -> Problem:
    """Say what is wrong with a request before features are scored, which takes long on a wide table."""
    from altsets.dissimilarity.named import before_table
    from altsets.problem import Problem

    checked = {**asked, "constraints": without_named(asked.get("constraints", ()))}
    checked["dissimilarity"] = before_table(asked.get("dissimilarity", "dice"))
    return Problem.create(len(source.names), feature_names=source.names, **checked)


def run_on_scores(
    source: Source,
    search: Callable[..., Answered],
    asked: dict[str, Any],
    time_limit: float | None,
    otherwise: float,
    reporting: Callable[[Waiting], Callable[[Any], object]] = lambda waiting: waiting.report,
) -> Answered:
    """Score the features and search, with a sign of life if it takes long.

    ``search`` takes the quality, what is asked, ``time_limit`` and ``callback``; without a time limit it has
    ``otherwise`` seconds. ``reporting`` makes a line of what the callback is told.
    """
    clock = _Clock(time_limit)
    with Waiting(console_for(stderr=True)) as waiting:
        asked = _on_table(asked, source, waiting)
        scored = source.quality(waiting, clock.check)
        clock.check()
        waiting.say("Searching")
        return search(scored, **asked, time_limit=clock.left or otherwise, callback=reporting(waiting))


def _on_table(asked: dict[str, Any], source: Source, waiting: Waiting) -> dict[str, Any]:
    """The same request with numbers, where it only names how alike features are."""
    from altsets.dissimilarity.named import is_named, on_table

    kind, conditions = asked.get("dissimilarity", "dice"), asked.get("constraints", ())
    if is_named(kind) or any_named(conditions):
        waiting.say(f"Comparing {len(source.names)} features with each other")
    if is_named(kind):
        asked = {**asked, "dissimilarity": on_table(kind, source.table)}
    if any_named(conditions):
        asked = {**asked, "constraints": computed(conditions, source.table)}
    return asked


class _Clock:
    """The time limit of the user, if there is one: it covers scores as well as the search."""

    def __init__(self, time_limit: float | None) -> None:
        self._limit, self._started = time_limit, time.perf_counter()

    @property
    def left(self) -> float | None:
        """Seconds that are left."""
        return None if self._limit is None else self._limit - (time.perf_counter() - self._started)

    def check(self) -> None:
        """End the command if time was up before the scores were there."""
        if self.left is not None and self.left <= 0:
            fail(
                f"The scores were not ready within {self._limit:g} s: give a larger --time-limit, or save scores once "
                "with --save-scores and search with --scores.",
                NO_SET,
            )
