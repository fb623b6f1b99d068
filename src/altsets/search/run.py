"""Run: the clock, the incumbent, the bound and the progress callback of one search; and what it knows beforehand."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any, Self

from altsets.problem import FeatureSet
from altsets.result import Progress, StopReason

#: Seconds between two calls of a user's callback from inside a kernel.
CALLBACK_EVERY = 0.1
#: Seconds between two questions whether to stop, which may take a while to answer where processes are asked.
STOP_EVERY = 0.005

#: Whether the best objective and the bound, in user units, settle the question of a part of a search.
Enough = Callable[[float, float], bool]


#: The best set of a search in turn, None if there is none, and a bound on every such set.
Turn = tuple[FeatureSet | None, float]


@dataclass(frozen=True)
class Known:
    """Proven facts about one request, used as a warm start."""

    #: A solution, if there is one: as many sets as asked, which differ enough.
    sets: Sequence[FeatureSet] = ()
    #: No solution has a larger objective; -inf if there is none. And the argument behind it, as shown to users.
    bound: float = math.inf
    proof: str = ""
    #: The first sets of a sequential search, one after the other; None after the last one there is.
    in_turn: Sequence[Turn] = ()

    def in_units(self, exponent: int) -> Known:
        """The same in engine units: user units divided by two to this power, which rounds nothing."""
        if not exponent or self is NOTHING:
            return self
        turns = [(chosen, _bound_in_units(bound, exponent)) for chosen, bound in self.in_turn]
        return replace(self, bound=_bound_in_units(self.bound, exponent), in_turn=turns)


def _bound_in_units(bound: float, exponent: int) -> float:
    """A bound divided by a power of two; one that is too large for a number becomes a weaker one."""
    try:
        return math.ldexp(bound, -exponent)
    except OverflowError:
        return math.inf if bound > 0 else -sys.float_info.max


#: No warm start.
NOTHING = Known()


@dataclass
class SharedWork:
    """Work shared by searches that differ in tau and number of sets only; in engine units. Decides nothing."""

    #: The best sets that k_best gave for a single set of any kind: the sets, their values, and the bound.
    best: tuple[list[FeatureSet], list[float], float] | None = None
    #: Sets that are worth a column in the next programme: solutions, and the columns of the last one.
    columns: list[FeatureSet] = field(default_factory=list)
    #: Whether there are too many sets to list them all.
    too_many: bool = False
    #: Prepared searches for single sets, by the number of features in all sets together; private to pricing.
    oracles: dict[int, Any] = field(default_factory=dict)
    #: Numbers of sets for which lists without prices became too long.
    long_lists: set[int] = field(default_factory=set)


class Stopped(Exception):
    """Time is up or the user pressed Ctrl-C while there is nothing to return; the run holds what was found before."""


class Run:
    """The state of one search that engines share: limits, incumbent, bound, progress. Only its methods write it.

    Loops check ``stopped`` or call ``tick`` and return the best they have; preparations call ``check``, which raises
    :class:`Stopped`. Each tick is one step. Parts of a search are limited in steps, the same on every machine, so that
    only the time limit (in seconds) makes an answer depend on the clock.

    As a context manager it turns the first Ctrl-C into a request to stop: the engine returns its best answer so far
    with its bound. So does ``stop``, a function that says whether to. A second Ctrl-C, or an exception in a function of
    the user's, is kept in ``error`` until compiled code has returned, and raised on exit.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        callback: Callable[[Progress], object] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        #: Power of two between engine units and user units.
        self.exponent = 0
        #: Steps so far, those of parts included, and the number after which this run ends.
        self.steps, self.max_steps = 0, math.inf
        self.started = time.perf_counter()
        self.deadline = math.inf if time_limit is None else self.started + time_limit
        self.sets: list[FeatureSet] = []
        self.objective = math.nan
        self.bound = math.inf
        #: What these two are about, as in :class:`altsets.results.Progress`.
        self.goal = "quality"
        self.interrupted = False
        self._enough: Enough | None = None
        self._is_enough = False
        #: Proven facts, in user units until an engine begins; and what other searches left to this one.
        self.known: Known = NOTHING
        self.shared: SharedWork | None = None
        #: What sequential search found, set by set; in engine units until the end.
        self.in_turn: list[Turn] = []
        #: In engine units: sets in turn are no worse than the first one, and a bound below the second one is a proof
        #: that none is left.
        self.least, self.refuted_below = -math.inf, -math.inf
        self.error: BaseException | None = None
        self._callback = callback
        self._called = self.started
        self._stop, self._asked = stop, -math.inf
        self._previous: Any = None
        self._whole: Run | None = None
        self._is_turn = False
        self._share_ended = False
        self._features: Sequence[int] | None = None

    def part(self, max_steps: float = math.inf, enough: Enough | None = None) -> Run:
        """A run for a part of the work: ends with this one, after ``max_steps`` or with ``enough``; no callback."""
        part = Run()
        part._whole, part.max_steps, part._enough = self, max_steps, enough
        return part

    def same_part(self, max_steps: float) -> Run:
        """A part that answers the same request, with the same limit on the quality of sets in turn."""
        part = self.part(max_steps)
        part.least, part.refuted_below = self.least, self.refuted_below
        return part

    def turn(
        self,
        seconds: float = math.inf,
        known: Known = NOTHING,
        shared: SharedWork | None = None,
        max_steps: float = math.inf,
    ) -> Run:
        """A run for one of several answers: with a clock of its own and what is known about it; ends with this one."""
        turn = self.part(max_steps)
        turn.deadline, turn._is_turn = turn.started + seconds, True
        turn.known, turn.shared = known, shared
        return turn

    def start_from(self, known: Known) -> None:
        """Begin with proven facts about the request, in user units."""
        self.known = known

    def keep_back(self, part: float) -> AbstractContextManager[None]:
        """Inside, this run ends early, so that a part of the time that is left remains for what follows."""
        left = self.remaining
        return nullcontext() if left == math.inf else self._ending_in((1 - part) * left)

    @contextmanager
    def _ending_in(self, seconds: float) -> Iterator[None]:
        last = self.deadline
        self.deadline = min(last, time.perf_counter() + seconds)
        early = self.deadline < last
        try:
            yield
        finally:
            self._share_ended = self._share_ended or (early and time.perf_counter() >= self.deadline)
            self.deadline = last

    def begin(self, exponent: int) -> None:
        """An engine begins: its numbers, times two to this power, are those of the user."""
        self.exponent, self.known = exponent, self.known.in_units(exponent)

    def require(self, least: float, refuted_below: float) -> None:
        """Sets in turn, and those of heuristics, have at least this quality, in engine units."""
        self.least, self.refuted_below = least, refuted_below

    @contextmanager
    def numbering(self, features: Sequence[int]) -> Iterator[None]:
        """Inside, an engine gives features other numbers: their places among these."""
        self._features, known = features, self.known
        place = {feature: number for number, feature in enumerate(features)}
        # A known solution with other features is left to whoever merges it with the answer.
        inside = all(feature in place for chosen in known.sets for feature in chosen)
        sets = [tuple([place[feature] for feature in chosen]) for chosen in known.sets] if inside else []
        self.known = replace(known, sets=sets)
        try:
            yield
        finally:
            self.known = known
            self.sets = self._in_features(self.sets)
            self.in_turn = [
                (chosen and self._in_features([chosen])[0], bound) for chosen, bound in self.in_turn
            ]
            self._features = None

    def _in_features(self, sets: Sequence[FeatureSet]) -> list[FeatureSet]:
        """Sets by the numbers that the user knows."""
        features = self._features
        return list(sets) if features is None else [tuple([features[j] for j in one]) for one in sets]

    def __enter__(self) -> Self:
        # Signals reach the main thread only, and a handler that the application has set stays.
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
        """Whether a larger search goes on when this run ends."""
        return self._whole is not None and not self._is_turn

    @property
    def was_interrupted(self) -> bool:
        """Whether the user ended this run, or the whole that it is a part of."""
        return self.interrupted or (self._whole is not None and self._whole.was_interrupted)

    @property
    def stop_reason(self) -> StopReason:
        """Why a search that has not finished ended here."""
        if not self.stopped and not self._share_ended:
            return StopReason.ENGINE_LIMIT
        return StopReason.INTERRUPTED if self.was_interrupted else StopReason.TIME_LIMIT

    @property
    def steps_left(self) -> float:
        """Steps until a part of the work ends; inf without a limit."""
        own = self.max_steps - self.steps
        return own if self._whole is None else min(own, self._whole.steps_left)

    @property
    def stopped(self) -> bool:
        """Whether to end: time is up, the user wants it, a part has used its steps or has found enough."""
        if self._whole is not None and self._whole.stopped:
            return True
        if self._stop is not None:
            self._ask_whether_to_stop(self._stop)
        if self._is_enough or self.interrupted or self.error is not None or self.steps >= self.max_steps:
            return True
        return self.deadline < math.inf and time.perf_counter() >= self.deadline

    def _ask_whether_to_stop(self, stop: Callable[[], bool]) -> None:
        now = time.perf_counter()
        if now - self._asked < STOP_EVERY or self.error is not None:
            return
        self._asked = now
        try:
            self.interrupted = self.interrupted or bool(stop())
        except BaseException as error:
            self.error = error

    def update_incumbent(self, sets: Sequence[FeatureSet], objective: float) -> bool:
        """Keep these sets if they beat the best so far; say whether they did."""
        if self.sets and objective <= self.objective:
            return False
        self.sets, self.objective = list(sets), objective
        self._check_enough()
        self.report()
        return True

    def publish(
        self,
        sets: Sequence[FeatureSet],
        objective: float,
        bound: float | None = None,
        goal: str = "quality",
    ) -> None:
        """Replace what is shown, whether it is better or not: sets found one after the other, tau, or a number."""
        self.sets, self.objective, self.goal = list(sets), objective, goal
        if bound is not None:
            self.bound = bound
        self.report()

    def add_turn(self, turn: Turn) -> None:
        """Sequential search has settled one more set."""
        self.in_turn.append(turn)

    def update_bound(self, bound: float) -> None:
        """No solution is better than ``bound``."""
        if bound < self.bound:
            self.bound = bound
            self._check_enough()
            self.report()

    def _check_enough(self) -> None:
        if self._enough is not None and self._enough(*self.in_user_units):
            self._is_enough = True

    @property
    def in_user_units(self) -> tuple[float, float]:
        """The best objective and the bound."""
        return math.ldexp(self.objective, self.exponent), math.ldexp(self.bound, self.exponent)

    def finish(self, sets: list[FeatureSet], objective: float, bound: float) -> None:
        """The final answer, in user units; reported if it is new."""
        known = (self.sets, *self.in_user_units, self.goal)
        self.in_turn = [(chosen, math.ldexp(bound, self.exponent)) for chosen, bound in self.in_turn]
        self.exponent = 0
        self.sets, self.objective, self.bound, self.goal = sets, objective, bound, "quality"
        if (sets, objective, bound, self.goal) != known:
            self.report()

    def report(self) -> None:
        """Tell the callback what is known."""
        if self._callback is None or self.error is not None:
            return
        self._called = time.perf_counter()
        try:
            sets = self._in_features(self.sets)
            self._callback(Progress(*self.in_user_units, self.elapsed, sets, self.goal))
        except BaseException as error:
            self.error = error

    def guarded(self, test: Callable[..., bool]) -> Callable[..., bool]:
        """A test that compiled code can call: an exception is kept in ``error``, ends the run and counts as false."""

        def answer(*arguments: Any) -> bool:
            try:
                return self.error is None and test(*arguments)
            except BaseException as error:
                run: Run | None = self
                while run is not None:
                    run.error = error
                    run = run._whole
                return False

        return answer

    def tick(self, steps: int = 1) -> bool:
        """Count steps, after a certain amount of work in kernels and loops; true means stop."""
        run: Run | None = self
        while run is not None:
            run.steps += steps
            if run._callback is not None and time.perf_counter() - run._called > CALLBACK_EVERY:
                run.report()
            run = run._whole
        return self.stopped

    def check(self) -> None:
        """Count a step; raises :class:`Stopped` if it is time to stop."""
        if self.tick():
            raise Stopped
