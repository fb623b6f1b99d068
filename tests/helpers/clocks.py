"""Time in tests: a clock on which seconds pass by looking at it, and waiting for what other threads and processes do.

The fixture ``clock`` puts the clock in the place of ``time.perf_counter``. Nothing here reads a real one.
"""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["Clock", "wait_until"]

#: Seconds between two questions, and how many are asked: enough for a machine with a lot else to do.
PAUSE, MOST_QUESTIONS = 0.01, 12_000


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


def wait_until(
    condition: Callable[[], object], pause: Callable[[], object] = lambda: time.sleep(PAUSE)
) -> None:
    """Return once a condition holds that no event tells; fail after so many questions, not after so many seconds."""
    for _ in range(MOST_QUESTIONS):
        if condition():
            return
        pause()
    raise AssertionError("what was waited for did not happen")
