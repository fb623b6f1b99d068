"""A search as commands run it: the request checked first, then scores, then sets, all under one time limit."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from altsets.cli.printing import NO_SET, Waiting, console_for, fail
from altsets.cli.sources import Source
from altsets.constraints.named import any_named, computed, without_named

if TYPE_CHECKING:
    from altsets.result import Result

__all__ = ["SECONDS_PER_SET", "note_on", "run_search"]

#: The time limit for each set that is asked for, where the user gives none.
SECONDS_PER_SET = 60.0


def run_search(
    source: Source, asked: dict[str, Any], *, time_limit: float | None = None, **more: Any
) -> Result:
    """Score the features and find the sets, with a sign of life if it takes long."""
    from altsets.dissimilarity.named import before_table, is_named, on_table
    from altsets.problem import Problem

    kind = asked.get("dissimilarity", "dice")
    # Scoring a wide table takes long; what is wrong with the request is said before.
    conditions = asked.get("constraints", ())
    checked = {**asked, "dissimilarity": before_table(kind), "constraints": without_named(conditions)}
    n_sets = Problem.create(len(source.names), feature_names=source.names, **checked).n_sets
    clock = _Clock(time_limit)
    with Waiting(console_for(stderr=True)) as waiting:
        from altsets.search.find import find

        if is_named(kind) or any_named(conditions):
            waiting.say(f"Comparing {len(source.names)} features with each other")
            kind, conditions = on_table(kind, source.table), computed(conditions, source.table)
        scored = source.quality(waiting, clock.check)
        clock.check()
        waiting.say("Searching")
        return find(
            scored,
            **{**asked, "dissimilarity": kind, "constraints": conditions},
            **more,
            time_limit=clock.left or SECONDS_PER_SET * n_sets,
            callback=waiting.report,
        )


def note_on(result: Result, source: Source) -> str:
    """What to say about sets whose features have other names and say the same; mostly nothing."""
    from altsets.selector.near_copies import near_copies

    alike = None if source.data is None else near_copies(result, source.data.X)
    if alike is None:
        return ""
    remedy = "--distinct 0.9" if alike.ranked else "--distinct with a threshold for symmetrical_uncertainty"
    return f"{alike.sentence(remedy)} {alike.details}"


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
