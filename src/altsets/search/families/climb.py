"""How far one can go, where what is possible further on is possible before."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Climb", "Step"]


@dataclass(frozen=True)
class Step:
    """What came of trying a level: the level that was reached, and that from which on none can be, if any."""

    reached: int | None = None
    refuted: int | None = None


#: A level and how many steps may be spent on it -> what came of it.
Try = Callable[[int, float], Step]


@dataclass
class Climb:
    """Levels up to ``reached`` are possible, those from ``refuted`` on are not; ``top`` is the last one there is.

    Examples
    --------
    >>> climb = Climb(reached=0, refuted=8, top=7)
    >>> climb.go(lambda level, steps: Step(level) if level <= 5 else Step(refuted=level), first_steps=100)
    >>> climb.reached, climb.refuted
    (5, 6)
    """

    reached: int
    refuted: int
    top: int

    def go(
        self,
        attempt: Try,
        first_steps: float,
        *,
        doubling: bool = False,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Go as far as one can, first with few steps for each level, then with as many as it takes.

        With ``doubling`` levels are tried at distances that double, because far ones take long; else by halving.
        """
        untold, distance = self.reached, 1
        last = min(self.top, self.refuted - 1)
        while untold < last and not stop():
            halfway = (untold + last + 1) // 2
            level = min(untold + distance, halfway) if doubling else halfway
            self._try(attempt, level, first_steps)
            distance *= 2
            untold = max(untold if level >= self.refuted else level, self.reached)
            last = min(last, self.refuted - 1)
        while self.reached < min(self.top, self.refuted - 1) and not stop():
            level = self.reached + 1
            self._try(attempt, level, math.inf)
            if self.reached < level < self.refuted:
                return

    def _try(self, attempt: Try, level: int, max_steps: float) -> None:
        step = attempt(level, max_steps)
        if step.reached is not None:
            self.reached = max(self.reached, step.reached)
        if step.refuted is not None:
            self.refuted = min(self.refuted, step.refuted)
