"""A clock for tests of time limits, on which seconds pass by looking at it: the same on every machine.

The fixture ``clock`` puts one in the place of ``time.perf_counter``.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

__all__ = ["Clock", "within"]


class Clock:
    """Seconds that pass only when somebody looks: ``step`` of them at each look.

    A search is cut off after the same number of looks wherever it runs. Tests may change ``now`` and ``step`` at any
    time, also from a callback.
    """

    def __init__(self, step: float = 1e-4) -> None:
        self.step, self.now, self.looks = step, 0.0, 0

    def __call__(self) -> float:
        """Look at the clock."""
        self.looks += 1
        self.now += self.step
        return self.now

    def limit(self, looks: int) -> float:
        """Return the time limit that is over after so many looks."""
        return (looks - 0.5) * self.step


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if what is inside takes longer than that."""
    start = time.perf_counter()
    yield
    taken = time.perf_counter() - start
    assert taken < seconds, f"{taken:.2f} s instead of {seconds} s"
