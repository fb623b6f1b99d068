"""Many searches in two passes: a short limit for all, a long one for what is left unproven."""

from __future__ import annotations

import math
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass

from benchmarks.report import duration
from benchmarks.searches import SLACK, Measured, Scores, Search, measure, warm_up

#: A line of progress every so many searches.
PROGRESS = 100


@dataclass(frozen=True)
class Limits:
    """Seconds: for each search at first, for each set of a search the second time, for the whole part.

    What is not tried a second time within ``part`` keeps the answer of the first pass.
    """

    short: float
    per_set: float
    part: float = math.inf

    def long(self, search: Search) -> float:
        """The second limit."""
        return self.per_set * search.n_sets


@dataclass(frozen=True)
class Task:
    """One search and the seconds it is given."""

    scores: Scores
    search: Search
    limit: float


@dataclass(frozen=True)
class Passes:
    """The last answer to each search, and what became of the second pass."""

    found: list[Measured]
    again: int
    closed: int
    not_again: int
    late: list[Measured]

    def __str__(self) -> str:
        text = f"{self.again} searches were given the long limit, which proved {self.closed} of them"
        if self.not_again:
            text += (
                f"; {self.not_again} more would have needed it, but the part's own time was over: they are "
                "reported as the short limit left them"
            )
        return text + "."


def two_passes(part: str, asked: Sequence[tuple[Scores, Search]], limits: Limits, jobs: int) -> Passes:
    """Every search under the short limit, then those left open under the long one."""
    deadline = time.perf_counter() + limits.part
    tasks = [Task(scores, search, limits.short) for scores, search in asked]
    found = [one for one in measure_all(f"{part}, first pass", tasks, jobs, wide=PROGRESS) if one is not None]
    open_ = [
        position
        for position, one in enumerate(found)
        if not one.proven and one.status != "error" and limits.long(one.search) > limits.short
    ]
    # Should the part's time run out, most of them have had their second chance by then.
    open_.sort(key=lambda position: (limits.long(found[position].search), found[position].relative_gap))
    late = [one for one in found if one.seconds > limits.short + SLACK]
    longer = [Task(*asked[position], limits.long(asked[position][1])) for position in open_]
    again = measure_all(f"{part}, second pass", longer, jobs, deadline, wide=1)
    for position, task, one in zip(open_, longer, again, strict=True):
        if one is not None:
            found[position] = one
            late += [one] if one.seconds > task.limit + SLACK else []
    tried = [one for one in again if one is not None]
    closed = sum(one.proven for one in tried)
    return Passes(found, len(tried), closed, len(again) - len(tried), late)


def measure_all(
    what: str, tasks: Sequence[Task], jobs: int, deadline: float = math.inf, *, wide: int
) -> list[Measured | None]:
    """The answers in the order of the tasks; None for what had not begun at the deadline."""
    progress = _Progress(what, len(tasks), wide)
    if jobs > 1 and len(tasks) > 1:
        return _side_by_side(tasks, jobs, deadline, progress)
    found: list[Measured | None] = []
    for task in tasks:
        if time.perf_counter() >= deadline:
            found.append(None)
            continue
        one = measure(task.scores, task.search, task.limit)
        progress(one)
        found.append(one)
    return found


def _side_by_side(
    tasks: Sequence[Task], jobs: int, deadline: float, progress: Callable[[Measured], None]
) -> list[Measured | None]:
    """In processes of their own, started afresh: solvers have threads, which do not survive a fork."""
    context = multiprocessing.get_context("spawn")

    def tell(future: Future[Measured]) -> None:
        if not future.cancelled() and future.exception() is None:
            progress(future.result())

    with ProcessPoolExecutor(jobs, mp_context=context, initializer=warm_up) as pool:
        futures = [pool.submit(measure, task.scores, task.search, task.limit) for task in tasks]
        for future in futures:
            future.add_done_callback(tell)
        wait(futures, None if math.isinf(deadline) else max(0.0, deadline - time.perf_counter()))
        for future in futures:
            future.cancel()
    return [None if future.cancelled() else future.result() for future in futures]


class _Progress:
    """Lines on standard error, so that somebody who waits knows what for."""

    def __init__(self, what: str, count: int, wide: int) -> None:
        self._what = what
        self._count = count
        self._wide = wide
        self._done = 0
        self._open = 0
        self._seconds = 0.0

    def __call__(self, one: Measured) -> None:
        self._done += 1
        self._open += not one.proven
        self._seconds += one.seconds
        if self._done % self._wide == 0 or self._done == self._count:
            said = f"{self._what}: {self._done}/{self._count}, {self._open} open, {duration(self._seconds)}"
            print(f"{said}; last {one}: {one.status} in {duration(one.seconds)}", file=sys.stderr)
