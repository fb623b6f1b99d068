"""One run of a search: its clock, its best answer so far, and who wants to hear of it."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any, Self, TypeVar

from altsets.problem import FeatureSet
from altsets.result import Progress
from altsets.search.known import NOTHING, Known, SharedWork, Turn

__all__ = ["MAX_ITERS", "Run", "Stopped"]

Reply = TypeVar("Reply")

#: Seconds between two calls of a user's callback from inside a kernel.
CALLBACK_EVERY = 0.1

#: Swaps that are tried, or sets that are evaluated, in one search of a black box; as in the paper.
MAX_ITERS = 1000


class Stopped(Exception):
    """Time is up, or the user pressed Ctrl-C, where there is nothing to return: what was found before is in the run."""


class Run:
    """What engines write to while they work.

    Loops ask ``stopped`` or ``tick`` and return the best they have; where something is only being prepared, ``check``
    leaves it. Each tick is a step, and steps are what parts of the work are limited by: their number is the same on
    every machine, so that only the user's own time limit makes an answer depend on the clock.

    As a context manager it turns the first Ctrl-C into a polite request to stop: every loop asks ``stopped``, and
    the engine returns its best answer so far with its bound. What else ends a search, a second Ctrl-C or an exception
    in the user's callback, is kept in ``error`` until the compiled code has returned, and raised on the way out.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        callback: Callable[[Progress], object] | None = None,
        max_iters: int = MAX_ITERS,
    ) -> None:
        self.max_iters = max_iters
        #: Engines' numbers times two to this power are the user's, who hears of no others.
        self.exponent = 0
        #: Steps so far, also those of parts; the number after which a part ends.
        self.steps, self.max_steps = 0, math.inf
        self.started = time.perf_counter()
        self.deadline = math.inf if time_limit is None else self.started + time_limit
        self.sets: list[FeatureSet] = []
        self.objective = math.nan
        self.bound = math.inf
        self.interrupted = False
        #: Whether the best objective and the bound, in the user's numbers, say all that somebody wants to know.
        self.enough: Callable[[float, float], bool] | None = None
        self._is_enough = False
        #: What was known before, in the user's numbers until an engine begins; and what other searches left here.
        self.known: Known = NOTHING
        self.shared: SharedWork | None = None
        #: What sequential search found, set by set; in the numbers of engines until the end.
        self.in_turn: list[Turn] = []
        self.error: BaseException | None = None
        self._callback = callback
        self._called = self.started
        self._previous: Any = None
        self._whole: Run | None = None
        self._is_turn = False

    def part(self, max_steps: float = math.inf) -> Run:
        """A run of its own for a part of the work, which ends with this one or before; nobody hears what it finds."""
        part = Run(max_iters=self.max_iters)
        part._whole, part.max_steps = self, max_steps
        return part

    def turn(self, seconds: float = math.inf) -> Run:
        """A run for one of several answers in turn: with a clock of its own, and ended whenever this one is."""
        turn = self.part()
        turn.deadline, turn._is_turn = turn.started + seconds, True
        return turn

    def __enter__(self) -> Self:
        # Signals reach the main thread alone, and a handler that somebody else has set is theirs to keep.
        if threading.current_thread() is threading.main_thread():
            current = signal.getsignal(signal.SIGINT)
            if current is signal.default_int_handler:
                self._previous = current
                signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
            self._previous = None
        if self.error is not None:
            raise self.error

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted and self.error is None:
            self.error = KeyboardInterrupt()
        self.interrupted = True

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.perf_counter() - self.started

    @property
    def remaining(self) -> float:
        """Seconds until the time limit; inf without one."""
        own = self.deadline - time.perf_counter()
        return own if self._whole is None else min(own, self._whole.remaining)

    @property
    def is_part(self) -> bool:
        """Whether somebody else goes on when this run ends."""
        return self._whole is not None and not self._is_turn

    @property
    def was_interrupted(self) -> bool:
        """Whether Ctrl-C ended this run, or the whole that it is a part of."""
        return self.interrupted or (self._whole is not None and self._whole.was_interrupted)

    @property
    def steps_left(self) -> float:
        """Steps until a part of the work ends; inf without a limit."""
        own = self.max_steps - self.steps
        return own if self._whole is None else min(own, self._whole.steps_left)

    @property
    def stopped(self) -> bool:
        """Whether to end the search: time is up, the user pressed Ctrl-C, a part had its steps or has found enough."""
        if self._whole is not None and self._whole.stopped:
            return True
        if self._is_enough or self.interrupted or self.error is not None or self.steps >= self.max_steps:
            return True
        return self.deadline < math.inf and time.perf_counter() >= self.deadline

    def update_incumbent(self, sets: Sequence[FeatureSet], objective: float) -> bool:
        """Keep these sets if they beat the best so far; say whether they did."""
        if self.sets and objective <= self.objective:
            return False
        self.sets, self.objective = list(sets), objective
        self._look_whether_enough()
        self.report()
        return True

    def update_bound(self, bound: float) -> None:
        """No solution is better than ``bound``."""
        if bound < self.bound:
            self.bound = bound
            self._look_whether_enough()
            self.report()

    def _look_whether_enough(self) -> None:
        if self.enough is not None and self.enough(*self._in_users_numbers):
            self._is_enough = True

    @property
    def _in_users_numbers(self) -> tuple[float, float]:
        """The best objective and the bound."""
        return math.ldexp(self.objective, self.exponent), math.ldexp(self.bound, self.exponent)

    def finish(self, sets: list[FeatureSet], objective: float, bound: float) -> None:
        """The final answer, in the user's numbers; reported if it is news."""
        known = (self.sets, *self._in_users_numbers)
        self.in_turn = [(chosen, math.ldexp(bound, self.exponent)) for chosen, bound in self.in_turn]
        self.exponent = 0
        self.sets, self.objective, self.bound = sets, objective, bound
        if (sets, objective, bound) != known:
            self.report()

    def report(self) -> None:
        """Tell the callback what is known."""
        if self._callback is None or self.error is not None:
            return
        self._called = time.perf_counter()
        try:
            self._callback(Progress(*self._in_users_numbers, self.elapsed, list(self.sets)))
        except BaseException as error:
            self.error = error

    def guarded(self, ask: Callable[..., Reply], otherwise: Reply) -> Callable[..., Reply]:
        """A question from compiled code, which knows no exceptions: what it raises ends the run."""

        def answer(*arguments: Any) -> Reply:
            if self.error is not None:
                return otherwise
            try:
                return ask(*arguments)
            except BaseException as error:
                self.error = error
                return otherwise

        return answer

    def tick(self, steps: int = 1) -> bool:
        """One more step, or so many: called by kernels and loops after a certain amount of work; true means stop."""
        run: Run | None = self
        while run is not None:
            run.steps += steps
            if run._callback is not None and time.perf_counter() - run._called > CALLBACK_EVERY:
                run.report()
            run = run._whole
        return self.stopped

    def check(self) -> None:
        """One more step; leave what is only being prepared if it is time to stop."""
        if self.tick():
            raise Stopped
