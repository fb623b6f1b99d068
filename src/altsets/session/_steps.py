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
from altsets.session._state import NamedSet, SessionState, SessionStep, change_between, checked_set, named
from altsets.wording import counted, parameter

#: Steps that can be taken back; the oldest go first.
MOST_STEPS = 1_000
#: What the first step is called.
FIRST = "start"
#: Why a step about a set is refused.
ALREADY = {
    "pin": "is pinned already; unpin() lets it go",
    "unpin": "is not pinned; pin() keeps a set",
    "reject": "is rejected already; undo() takes a step back",
}

Watch = Callable[[Progress], object] | None
Stop = Callable[[], bool] | None


class SessionSteps:
    """The steps of a session; :class:`altsets.Session` documents them and adds what can be done with answers."""

    def __init__(self, searcher: Searcher, steps: Sequence[SessionStep] = (), position: int = -1) -> None:
        self._searcher = searcher
        self._steps = list(steps)
        self._position = position
        #: Called after each step, and at each way back and forth; a page in a notebook follows the session.
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
        """All that steps can change, as a new dictionary that can be written as JSON.

        ``quality`` (a name; None for one that has none); parameters of :func:`altsets.find` about sets, such as
        ``n_features``, ``n_alternatives``, ``tau``, ``search``, ``aggregation`` and ``within``; ``distinct`` (None, or
        the similarity at which features count as the same, such as ``"0.9:spearman"``), ``require`` and ``forbid``
        (names), ``pinned`` and ``rejected`` (lists of names).
        """
        return self._state.as_dict()

    @property
    def request(self) -> Request:
        """The current state as a :class:`altsets.Request`, for other searches."""
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
        """Get the quality in numbers of a state, computed unless that was done before.

        Measures that take long call ``callback`` now and then with the share of the work that is done; what it raises
        ends the work.
        """
        return self._searcher.quality_of(self._from_start(state), callback)

    def has_scores(self, state: Any) -> bool:
        """Whether the quality of a state is known in numbers, so that a step to it needs no scores."""
        return self._from_start(state).quality in self._searcher.qualities

    @property
    def quality_names(self) -> list[str]:
        """Names of qualities that are computed quickly on this table; steps take all others with a name as well."""
        return self._searcher.quality_names

    @property
    def n_rows(self) -> int | None:
        """The rows of the table; None if the session has a quality in numbers only."""
        data = self._searcher.data
        return None if data is None else data.features.n_rows

    @property
    def history(self) -> list[SessionStep]:
        """All steps, also those that were taken back and not replaced since; :attr:`position` is the current one."""
        self._begin()
        return list(self._steps)

    @property
    def position(self) -> int:
        """The number of the current step in :attr:`history`."""
        self._begin()
        return self._position

    # --- Steps -------------------------------------------------------------------------------------------------------

    def go_to(
        self, state: Any, name: str | None = None, *, callback: Watch = None, stop: Stop = None
    ) -> Self:
        """Go to a state, such as one of another step or of a file; missing parts are those of the first step."""
        return self._go(self._from_start(state), name, callback, stop)

    def answer_for(
        self, state: Any, name: str = "aside", *, callback: Watch = None, stop: Stop = None
    ) -> SessionStep:
        """Return the answer for another state, as :meth:`go_to` takes it, as a step that is not taken."""
        started = time.perf_counter()
        asked = self._from_start(state)
        result = self._searcher.answer(asked, callback, stop)
        return SessionStep(name, asked, result, time.perf_counter() - started)

    def set(
        self, *, name: str | None = None, callback: Watch = None, stop: Stop = None, **changes: Any
    ) -> Self:
        """Change parts of :attr:`state`, such as ``tau=0.4`` or ``quality="mrmr"``; the others stay as they are."""
        return self._go(self._searcher.changed(self._now, changes), name, callback, stop)

    def require(self, features: Feature | Sequence[Feature], *, name: str | None = None) -> Self:
        """Require features, by index, name or pattern, in every set; they are no longer forbidden."""
        return self._about_features("require", features, name)

    def forbid(self, features: Feature | Sequence[Feature], *, name: str | None = None) -> Self:
        """Forbid features, by index, name or pattern, in all sets; they are no longer required."""
        return self._about_features("forbid", features, name)

    def allow(self, features: Feature | Sequence[Feature], *, name: str | None = None) -> Self:
        """Neither require nor forbid features, by index, name or pattern, any more."""
        return self._about_features("allow", features, name)

    def pin(self, which: int | Sequence[Feature], *, name: str | None = None) -> Self:
        """Keep a set: it comes first from now on, and the others are searched to differ from it.

        ``which`` is the number of a set in :attr:`sets`, or any set, by names or indices. A pinned set stays even if
        its size, or its difference from other pinned sets, is not what the search requires.
        """
        return self._about_set("pin", which, name)

    def unpin(self, which: int | Sequence[Feature], *, name: str | None = None) -> Self:
        """Let a pinned set go, by number or features: the search may find it again, or a better one."""
        return self._about_set("unpin", which, name)

    def reject(self, which: int | Sequence[Feature], *, name: str | None = None) -> Self:
        """Exclude a set, by number or features: no set has all of its features from now on."""
        return self._about_set("reject", which, name)

    def more(self, *, name: str | None = None) -> Self:
        """Ask for one more set."""
        if self._now.request.n_alternatives == "max":
            raise InputError(
                "more: the session asks for as many sets as there are; set(n_alternatives=...) asks for a number."
            )
        return self._go(self._now.one_more(), name)

    def undo(self) -> Self:
        """Take the last step back."""
        return self._go_along(-1, "back")

    def redo(self) -> Self:
        """Take a step again that was taken back."""
        return self._go_along(1, "again")

    def watch(self, watcher: Callable[[], object]) -> None:
        """Call a function after each step, undo and redo, on the thread that takes it, until :meth:`unwatch`."""
        self._watchers.append(watcher)

    def unwatch(self, watcher: Callable[[], object]) -> None:
        """No longer call a function that was given to :meth:`watch`."""
        self._watchers = [one for one in self._watchers if one != watcher]

    # --- How it is done ----------------------------------------------------------------------------------------------

    @property
    def _state(self) -> SessionState:
        """The current state, whether it was searched or not."""
        return self._steps[self._position].asked if self._steps else self._searcher.start

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

    def _from_start(self, state: Any) -> SessionState:
        return self._searcher.changed(self._searcher.start, state)

    def _about_features(self, step: str, features: Any, name: str | None) -> Self:
        return self._go(self._now.after(step, named(features, self._searcher.names, step)), name)

    def _about_set(self, step: str, which: Any, name: str | None) -> Self:
        chosen = self._set(which, step)
        known = self._now.rejected if step == "reject" else self._now.pinned
        if (chosen in known) is (step != "unpin"):
            raise InputError(f"{step}: the set {', '.join(chosen)} {ALREADY[step]}.")
        return self._go(self._now.after(step, (chosen,)), name)

    def _set(self, which: Any, who: str) -> NamedSet:
        """A set by its number among those that there are, or by its features."""
        if not isinstance(which, int) or isinstance(which, bool):
            return checked_set(which, self._searcher.names, who)
        sets = self.sets
        if not 0 <= which < len(sets):
            raise InputError(
                f"{who}: there is no set number {which} among {counted(len(sets), 'set')}; the first is number 0."
            )
        return sets[which]

    def _go(
        self, state: SessionState, name: str | None = None, callback: Watch = None, stop: Stop = None
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
            name = name or (FIRST if is_first else change_between(self._state, state)[-1])
            del self._steps[self._position + 1 :]
            self._steps.append(SessionStep(name, state, result, time.perf_counter() - started))
            del self._steps[:-MOST_STEPS]
            self._position = len(self._steps) - 1
        return self._moved()

    def _go_along(self, by: int, how: str) -> Self:
        if not 0 <= self.position + by < len(self._steps):
            raise InputError(f"there is no step to take {how}.")
        self._position += by
        return self._moved()

    def _moved(self) -> Self:
        for watcher in list(self._watchers):
            watcher()
        return self
