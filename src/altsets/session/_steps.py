"""Steps from state to state, each with its answer; back and forth."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Self

from altsets.errors import InputError
from altsets.features import Feature
from altsets.quality import Quality
from altsets.request import Request
from altsets.result import Progress, Result
from altsets.session._searcher import Searcher
from altsets.session._state import NamedSet, SessionState, SessionStep, StateChange, checked_set, named
from altsets.wording import counted, documented, parameter

#: Steps that can be taken back; the oldest go first.
MOST_STEPS = 1_000
#: What the first step is called.
FIRST = "start"


#: For methods that take a step: parts of their docstrings.
step = documented(
    named="""
    name : str, default=None
        A name for the step.

    Returns
    -------
    Session
        Itself.
    """,
    watched="""
    callback : callable, default=None
        Called with a :class:`altsets.results.Progress` now and then, as for :meth:`go_to`.
    stop : callable, default=None
        Asked now and then whether to end the search and keep the best so far, as for :meth:`go_to`.
    """,
)


class SessionSteps:
    """The steps of a session; :class:`altsets.Session` documents them and adds what can be done with answers."""

    def __init__(self, searcher: Searcher, steps: Sequence[SessionStep] = (), position: int = -1) -> None:
        self._searcher = searcher
        self._steps = list(steps)
        self._position = position
        #: Told after each step, and at each way back and forth; a page in a notebook follows the session.
        self._watchers: list[Callable[[], object]] = []
        #: A page takes steps from a thread of its own.
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_lock", "_watchers")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A copy goes its own way.
        vars(self).update(state, _steps=list(state["_steps"]), _lock=threading.Lock(), _watchers=[])

    # --- What is asked, and the answer -------------------------------------------------------------------------------

    @property
    def state(self) -> dict[str, Any]:
        """All that steps can change, as plain values that JSON knows; a copy.

        ``quality`` (a name; None for one that was given and has none); parameters of :func:`altsets.find` about sets,
        such as ``n_features``, ``n_alternatives``, ``tau``, ``search``, ``aggregation`` and ``within``;
        ``distinct`` (None, or the similarity at which features count as the same, such as ``"0.9:spearman"``),
        ``require`` and ``forbid`` (names), ``pinned`` and ``rejected`` (lists of names).
        """
        return self._state.as_dict()

    @property
    def request(self) -> Request:
        """What is asked now; the same question as a :class:`altsets.Request`, for other searches."""
        return self._searcher.request_of(self._state)

    @property
    def result(self) -> Result:
        """The answer to :attr:`request`: the sets that were searched for, without those that are pinned."""
        return self._current.result

    @property
    def sets(self) -> list[NamedSet]:
        """The names of the features of each set; pinned sets come first."""
        return self._current.sets

    @property
    def qualities(self) -> list[float]:
        """The quality of each of :attr:`sets`."""
        return self._current.qualities

    @property
    def feature_names(self) -> list[str]:
        """The names of all features."""
        return list(self._searcher.names)

    @property
    def quality(self) -> Quality:
        """The quality in numbers by which sets are searched now."""
        return self._searcher.quality_of(self._state)

    def scored_for(self, state: Any, callback: Callable[[float], object] | None = None) -> Quality:
        """Get the quality in numbers of a state, computed if no state with it was there before.

        Parameters
        ----------
        state : dict
            As :attr:`state` has it; what it does not say is as the session began.
        callback : callable, default=None
            Called now and then with the share of the work that is done, from 0 to 1, by measures that take long. What
            it raises ends the work.

        Returns
        -------
        Quality
            The quality.
        """
        return self._searcher.quality_of(self._from_start(state), callback)

    def has_scores(self, state: Any) -> bool:
        """Whether a step to this state needs no scores to be computed.

        Parameters
        ----------
        state : dict
            As :attr:`state` has it; what it does not say is as the session began.

        Returns
        -------
        bool
            Whether the quality of the state is known in numbers.
        """
        return self._from_start(state).quality in self._searcher.qualities

    @property
    def quality_names(self) -> list[str]:
        """Qualities that a step can go to on this table, by their names: those that are computed quickly.

        Steps also take the others that :class:`altsets.SelectAlternatives` knows by a name.
        """
        return self._searcher.quality_names

    @property
    def n_rows(self) -> int | None:
        """The rows of the table; None if the session has a quality in numbers only."""
        data = self._searcher.data
        return None if data is None else data.features.n_rows

    @property
    def history(self) -> list[SessionStep]:
        """All steps, also those that were taken back and not replaced since; :attr:`position` says where we are."""
        self._begin()
        return list(self._steps)

    @property
    def position(self) -> int:
        """The number of the current step in :attr:`history`."""
        self._begin()
        return self._position

    # --- Steps -------------------------------------------------------------------------------------------------------

    def go_to(
        self,
        state: Any,
        name: str | None = None,
        *,
        callback: Callable[[Progress], object] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Self:
        """Go to a state, such as one of another step or of a file.

        Parameters
        ----------
        state : dict
            As :attr:`state` has it. What it does not say is as the session began.
        name : str, default=None
            A name for the step; by default it says what has changed.
        callback : callable, default=None
            Called with a :class:`altsets.results.Progress` now and then. What it raises ends the search; the session
            stays where it was.
        stop : callable, default=None
            Asked now and then, without arguments, whether to end the search: the best so far is the answer then, with
            its bound. Also asked before the step is taken. What it raises ends the search; the session stays where it
            was.

        Returns
        -------
        Session
            Itself.

        Raises
        ------
        altsets.errors.InputError
            If the state has an unknown part, feature or quality, or values that cannot be; the session stays where it
            was.
        """
        return self._go(self._from_start(state), name, callback, stop)

    @step
    def answer_for(
        self,
        state: Any,
        name: str = "aside",
        *,
        callback: Callable[[Progress], object] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> SessionStep:
        """The answer for another state, as a step that is not taken: the session stays where it is.

        Parameters
        ----------
        state : dict
            As :attr:`state` has it. What it does not say is as the session began.
        name : str, default="aside"
            What to call it.
        <watched>

        Returns
        -------
        SessionStep
            The sets for this state, for :meth:`compare` for example.
        """
        started = time.perf_counter()
        asked = self._from_start(state)
        result = self._searcher.answer(asked, callback, stop)
        return SessionStep(name, asked, result, time.perf_counter() - started)

    @step
    def set(
        self,
        *,
        name: str | None = None,
        callback: Callable[[Progress], object] | None = None,
        stop: Callable[[], bool] | None = None,
        **changes: Any,
    ) -> Self:
        """Change settings.

        Parameters
        ----------
        name : str, default=None
            A name for the step; by default it says what has changed.
        <watched>
        **changes : any part of :attr:`state`
            Such as ``tau=0.4`` or ``quality="mrmr"``; the others stay as they are.

        Returns
        -------
        Session
            Itself.
        """
        return self._go(self._searcher.changed(self._now, changes), name, callback, stop)

    @step
    def require(self, features: Feature | Sequence[Feature], *, name: str | None = None) -> Self:
        """Ask for sets that all have these features.

        Parameters
        ----------
        features : int, str or sequence of them
            One feature or several, by index, name or pattern. They are no longer forbidden.
        <named>
        """
        return self._go(self._now.requiring(named(features, self._searcher.names, "require")), name)

    @step
    def forbid(self, features: Feature | Sequence[Feature], *, name: str | None = None) -> Self:
        """Ask for sets without these features.

        Parameters
        ----------
        features : int, str or sequence of them
            One feature or several, by index, name or pattern. They are no longer required.
        <named>
        """
        return self._go(self._now.forbidding(named(features, self._searcher.names, "forbid")), name)

    @step
    def allow(self, features: Feature | Sequence[Feature], *, name: str | None = None) -> Self:
        """Neither require nor forbid these features any more.

        Parameters
        ----------
        features : int, str or sequence of them
            One feature or several, by index, name or pattern.
        <named>
        """
        return self._go(self._now.allowing(named(features, self._searcher.names, "allow")), name)

    @step
    def pin(self, which: int | Sequence[Feature], *, name: str | None = None) -> Self:
        """Keep a set as it is: it comes first from now on, and the others are searched to differ from it.

        A set that is pinned stays, also if it is not as large, or not as different from other pinned ones, as sets that
        are searched for have to be.

        Parameters
        ----------
        which : int or sequence of features
            The number of a set in :attr:`sets`, or any set, by names or indices.
        <named>

        Raises
        ------
        altsets.errors.InputError
            If there is no such set, it is pinned already, or no set would be left to search for.
        """
        chosen = self._set(which, "pin")
        if chosen in self._now.pinned:
            raise InputError(f"pin: the set {', '.join(chosen)} is pinned already; unpin() lets it go.")
        return self._go(self._now.pinning(chosen), name)

    @step
    def unpin(self, which: int | Sequence[Feature], *, name: str | None = None) -> Self:
        """Let a pinned set go: the search may find it again, or a better one.

        Parameters
        ----------
        which : int or sequence of features
            The number of a set in :attr:`sets`, where pinned ones come first, or its features.
        <named>

        Raises
        ------
        altsets.errors.InputError
            If this set is not pinned.
        """
        chosen = self._set(which, "unpin")
        if chosen not in self._now.pinned:
            raise InputError(f"unpin: the set {', '.join(chosen)} is not pinned; pin() keeps a set.")
        return self._go(self._now.unpinning(chosen), name)

    @step
    def reject(self, which: int | Sequence[Feature], *, name: str | None = None) -> Self:
        """Ask for other sets than this one: no set has all of its features from now on.

        Parameters
        ----------
        which : int or sequence of features
            The number of a set in :attr:`sets`, or any set, by names or indices.
        <named>

        Raises
        ------
        altsets.errors.InputError
            If there is no such set, or it is rejected already.
        """
        chosen = self._set(which, "reject")
        if chosen in self._now.rejected:
            raise InputError(
                f"reject: the set {', '.join(chosen)} is rejected already; undo() takes a step back."
            )
        return self._go(self._now.rejecting(chosen), name)

    @step
    def more(self, *, name: str | None = None) -> Self:
        """Ask for one more set.

        Parameters
        ----------
        <named>

        Raises
        ------
        altsets.errors.InputError
            If the session has as many sets as there are.
        """
        if self._now.request.n_alternatives == "max":
            raise InputError(
                "more: the session asks for as many sets as there are; set(n_alternatives=...) asks for a number."
            )
        return self._go(self._now.with_more(), name)

    def undo(self) -> Self:
        """Take the last step back.

        Returns
        -------
        Session
            Itself.

        Raises
        ------
        altsets.errors.InputError
            If there is no step before.
        """
        if self.position == 0:
            raise InputError("there is no step to take back.")
        self._position -= 1
        return self._moved()

    def redo(self) -> Self:
        """Take a step again that was taken back.

        Returns
        -------
        Session
            Itself.

        Raises
        ------
        altsets.errors.InputError
            If no step was taken back, or another one was taken since.
        """
        if self.position == len(self._steps) - 1:
            raise InputError("there is no step to take again.")
        self._position += 1
        return self._moved()

    # --- How it is done ----------------------------------------------------------------------------------------------

    @property
    def _state(self) -> SessionState:
        """The current state, whether it was searched or not."""
        return self._steps[self._position].asked if self._steps else self._searcher.start

    def _from_start(self, state: Any) -> SessionState:
        """A state as users have it; what it does not say is as the session began."""
        return self._searcher.changed(self._searcher.start, state)

    @property
    def _current(self) -> SessionStep:
        self._begin()
        return self._steps[self._position]

    @property
    def _now(self) -> SessionState:
        """The state that a step starts from, which has an answer to come back to."""
        return self._current.asked

    def _begin(self) -> None:
        if not self._steps:
            self._go(self._searcher.start)

    def _go(
        self,
        state: SessionState,
        name: str | None = None,
        callback: Callable[[Progress], object] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Self:
        started = time.perf_counter()
        if name is not None and (not isinstance(name, str) or not name.strip()):
            raise InputError(f"{parameter('name', name)} must be text.")
        result = self._searcher.answer(state, callback, stop)
        if stop is not None:
            # A caller that has stopped waiting must not move the session: it raises here.
            stop()
        with self._lock:
            if name is None and self._steps and self._steps[self._position].result is result:
                # Nothing has changed, so there is nothing to take back.
                return self
            is_first = not self._steps and state == self._searcher.start
            name = name or (FIRST if is_first else StateChange.between(self._state, state).words)
            del self._steps[self._position + 1 :]
            self._steps.append(SessionStep(name, state, result, time.perf_counter() - started))
            del self._steps[:-MOST_STEPS]
            self._position = len(self._steps) - 1
        return self._moved()

    def watch(self, watcher: Callable[[], object]) -> None:
        """Call a function after each step, and each time that one is taken back or again.

        Parameters
        ----------
        watcher : callable
            Called without arguments, on the thread that takes the step.

        Returns
        -------
        None
            Until :meth:`unwatch`.
        """
        self._watchers.append(watcher)

    def unwatch(self, watcher: Callable[[], object]) -> None:
        """Call a function no more that was given to :meth:`watch`.

        Parameters
        ----------
        watcher : callable
            The function.

        Returns
        -------
        None
            Also if it is not known.
        """
        self._watchers = [one for one in self._watchers if one != watcher]

    def _moved(self) -> Self:
        for watcher in list(self._watchers):
            watcher()
        return self

    def _set(self, which: Any, who: str) -> NamedSet:
        """A set by its number among those that there are, or by its features."""
        if isinstance(which, int) and not isinstance(which, bool):
            sets = self.sets
            if not 0 <= which < len(sets):
                raise InputError(
                    f"{who}: there is no set number {which} among {counted(len(sets), 'set')}; the first is number 0."
                )
            return sets[which]
        return checked_set(which, self._searcher.names, who)
