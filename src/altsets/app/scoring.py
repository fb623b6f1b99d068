"""Scores on their way: each quality is scored once, for all who wait, so that a page that moves on restarts nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextvars import copy_context
from typing import TYPE_CHECKING, Any

from altsets.app.questions import Cancelled, in_background

if TYPE_CHECKING:
    from altsets.session import Session

#: Seconds between two times that it is told how far scores are.
TELL_EVERY = 0.25
#: Seconds after which scores are given up that nobody waits for.
UNWANTED = 2.0


class PendingScores:
    """The scores of a session and its copies; each quality has a thread of its own."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._pending: dict[str | None, _Scoring] = {}

    def wait_for(
        self, state: Mapping[str, Any], tell: Callable[[float], None], stopped: Callable[[], bool]
    ) -> None:
        """Return once there are the scores of a state's quality, or raise what went wrong.

        Until then, ``tell`` gets the share of the work that is done now and then.
        """
        while not self._session.has_scores(state):
            scoring = self._scoring(state)
            while True:
                scoring.wanted = time.monotonic()
                if stopped():
                    raise Cancelled
                tell(scoring.share)
                if scoring.finished.wait(TELL_EVERY):
                    break
            # One that was given up at the moment when somebody wanted it begins again.
            if scoring.error is not None and not isinstance(scoring.error, Cancelled):
                raise scoring.error

    def _scoring(self, state: Mapping[str, Any]) -> _Scoring:
        """The work on a quality, begun now unless it goes on; what went wrong is tried again."""
        with self._lock:
            scoring = self._pending.get(state["quality"])
            if scoring is None or scoring.finished.is_set() or scoring.is_unwanted:
                scoring = self._pending[state["quality"]] = _Scoring(self._session, state)
            return scoring


class _Scoring:
    def __init__(self, session: Session, state: Mapping[str, Any]) -> None:
        self.share = 0.0
        self.error: Exception | None = None
        self.finished, self.wanted = threading.Event(), time.monotonic()
        # Messages are in the words of whoever asks first.
        in_background(copy_context().run, self._score, session, state)

    @property
    def is_unwanted(self) -> bool:
        return time.monotonic() - self.wanted > UNWANTED

    def _score(self, session: Session, state: Mapping[str, Any]) -> None:
        try:
            session.scored_for(state, callback=self._progress)
        except Exception as error:
            self.error = error
        finally:
            self.finished.set()

    def _progress(self, share: float) -> None:
        self.share = share
        if self.is_unwanted:
            raise Cancelled
