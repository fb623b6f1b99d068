"""Sets that are close to given ones, the closest first, and the best that go together out of several such families."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from altsets.problem import FeatureSet
from altsets.search.black_box.feasibility import Feasibility, Features

__all__ = ["Change", "RankedFamily", "best_combination", "changes_of", "in_order"]


class Change:
    """One set before and after features are flipped."""

    def __init__(self, before: Features, flips: Features) -> None:
        self.before, self.flips = before, flips
        self.forced_in, self.forced_out = flips - before, flips & before
        self.after = before ^ flips
        self.n_forced = len(flips)
        self.kept = len(before - flips)

    def distance(self, chosen: FeatureSet | Features) -> int:
        """In how many features a set differs from the one before."""
        return len(self.before.symmetric_difference(chosen))


def changes_of(sets: Sequence[FeatureSet], flips: Sequence[Sequence[int]]) -> list[Change]:
    """One change for each set and the features that are flipped in it."""
    return [Change(frozenset(one), frozenset(two)) for one, two in zip(sets, flips, strict=True)]


class RankedFamily:
    """Sets that are made up as they are asked for, and only so many."""

    def __init__(self, source: Iterator[tuple[float, Features]], most: int) -> None:
        self._source, self._made, self._most = source, list[tuple[float, Features]](), most
        self.cut_short = False

    def __iter__(self) -> Iterator[tuple[float, Features]]:
        for place in itertools.count():
            if place == len(self._made):
                entry = None if place >= self._most else next(self._source, None)
                if entry is None:
                    self.cut_short = self.cut_short or place >= self._most
                    return
                self._made.append(entry)
            yield self._made[place]


def in_order(values: Sequence[float], count: int) -> Iterator[tuple[int, ...]]:
    """Places of ``count`` out of descending values, the largest sum first."""
    start = tuple(range(count))
    heap = [(-math.fsum(values[:count]), start)] if count <= len(values) else []
    seen = {start}
    while heap:
        _, places = heapq.heappop(heap)
        yield places
        for moved, place in enumerate(places):
            following = (*places[:moved], place + 1, *places[moved + 1 :])
            limit = len(values) if moved == count - 1 else places[moved + 1]
            if place + 1 < limit and following not in seen:
                seen.add(following)
                heapq.heappush(heap, (-math.fsum(values[j] for j in following), following))


def best_combination(
    families: Sequence[Iterable[tuple[float, Features]]],
    feasibility: Feasibility,
    tick: Callable[[], bool],
    max_steps: int,
    valid: Callable[[Features], bool] | None = None,
) -> tuple[Sequence[Features] | None, bool]:
    """One valid set of each family such that all differ enough, with the largest sum of values.

    Returns None if there are none, and whether the search came to its end: there may be far more combinations than
    steps.
    """
    first = [next(iter(family), None) for family in families]
    best: list[Features] | None = None
    best_value = -math.inf
    if None in first:
        return None, True
    top = [entry[0] for entry in first if entry is not None]
    rest = [math.fsum(top[level:]) for level in range(len(families) + 1)]
    apart = feasibility.all_apart

    # Depth first; there may be more families than functions can call themselves.
    picked: list[Features] = []
    values, waiting = [0.0], [iter(families[0])]
    steps = itertools.count()
    while waiting:
        if next(steps) >= max_steps or tick():
            return best, False
        level, value = len(picked), values[-1]
        more, one = next(waiting[-1], (-math.inf, frozenset()))
        if value + more + rest[level + 1] <= best_value:
            waiting.pop()
            values.pop()
            del picked[-1:]
        elif not apart(one, picked) or not (valid is None or valid(one)):
            continue
        elif level + 1 == len(families):
            best, best_value = [*picked, one], value + more
        else:
            picked.append(one)
            values.append(value + more)
            waiting.append(iter(families[level + 1]))
    return best, True
