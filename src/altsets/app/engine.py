"""A session on the table of the explorer: asked by messages, answered by views."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextvars import copy_context
from copy import copy
from typing import Any

from altsets.app import views
from altsets.app.messages import Ask
from altsets.app.questions import Cancelled, Engine, OpenEngine, Tell
from altsets.app.scoring import TELL_EVERY, PendingScores
from altsets.errors import InputError
from altsets.problem import counts_features
from altsets.report.document import to_plain
from altsets.session import Session
from altsets.wording import counted, parameter, percent


def engines_of(session: Session, begin: dict[str, Any], **origin: str) -> OpenEngine:
    """Return a function that opens an engine for each lane: each has steps of its own, on the same table and scores.

    ``begin`` is what pages begin with, where that is not the state of the session; ``origin`` are the names of the
    table (``file``) and of its ``target``, of survival also those of ``time`` and ``event``. Messages write parameters
    as they do where this is called.
    """
    refuse_counts(session)
    scores, context, start = PendingScores(session), copy_context(), session.state | begin

    def open_engine() -> Engine:
        engine, own = SessionEngine(copy(session), scores, start, origin), context.copy()
        return lambda *question: own.run(engine, *question)

    return open_engine


def refuse_counts(session: Session) -> None:
    """Refuse a tau that is a number of features: on the page it is a share."""
    if counts_features(session.request.dissimilarity):
        raise InputError(
            f"the explorer compares sets by shares of features, and {parameter('dissimilarity', 'absolute')} counts "
            f"them; use {parameter('dissimilarity', 'dice')}."
        )


class SessionEngine:
    """Answers questions from a session; pages begin with a state, ``origin`` says what table and target are called."""

    def __init__(
        self, session: Session, scores: PendingScores, begin: dict[str, Any], origin: Mapping[str, str]
    ) -> None:
        self._session, self._scores, self._begin, self._origin = session, scores, begin, dict(origin)
        self._searched: dict[str, Any] | None = None

    def __call__(self, ask: Ask, tell: Tell, stopped: Callable[[], bool]) -> dict[str, Any]:
        state, given = self._state_of(ask), ask.more | self._origin
        self._score(state, tell, stopped)
        if ask.verb == "prepare":
            return {"state": state, "view": None}
        if ask.verb == "answer" or not self._is_at(state):
            self._search(state, given, tell, stopped)
            self._searched = state
        if ask.verb == "download":
            return {"text": file_text(self._session, **given)}
        return {"state": self._session.state, "view": self._view(ask.verb, given, tell, stopped)}

    def _state_of(self, ask: Ask) -> dict[str, Any]:
        return self._begin | (ask.state or {})

    def _is_at(self, state: dict[str, Any]) -> bool:
        """Whether the session has the answer for a state; one that was cut short stays the one that the page shows."""
        return state == self._searched

    def _score(self, state: dict[str, Any], tell: Tell, stopped: Callable[[], bool]) -> None:
        n_features = counted(len(self._session.feature_names), "feature")
        what = f"Scoring {n_features} for {state['quality'] or 'the quality'}"

        def share_done(share: float) -> None:
            tell({"state": state, "view": views.only_words(f"{what}: {share:.0%}.") | {"certain": False}})

        self._scores.wait_for(state, share_done, stopped)

    def _search(
        self, state: dict[str, Any], given: Mapping[str, Any], tell: Tell, stopped: Callable[[], bool]
    ) -> None:
        told = time.perf_counter()

        def best_so_far(progress: Any) -> None:
            nonlocal told
            if time.perf_counter() - told >= TELL_EVERY and not stopped():
                view = views.progress_view(self._session, state, progress, given)
                tell({"state": state, "view": to_plain(view)})
                told = time.perf_counter()

        self._session.go_to(state, callback=best_so_far, stop=stopped)

    def _view(self, verb: str, given: Mapping[str, Any], tell: Tell, stopped: Callable[[], bool]) -> Any:
        def watch(progress: Any) -> None:
            if stopped():
                raise Cancelled
            if isinstance(progress, float):
                view = views.only_words(f"Fitting models to the sets: {percent(progress)} done.")
                tell({"state": self._session.state, "view": view | {"share": progress}})

        return to_plain(views.VERBS[verb](self._session, given, watch))


# --- Files ------------------------------------------------------------------------------------------------


def file_text(
    session: Session,
    kind: str,
    file: str = "TABLE",
    target: str = "TARGET",
    time: str | None = None,
    event: str | None = None,
) -> str:
    """The answer of a session as the text of a file."""
    from altsets.files.writing import encode_csv, rows_of_result
    from altsets.report import summarise
    from altsets.report.render import page

    result = session.result
    if kind == "python":
        return session.to_python()
    if kind == "command":
        return session.to_command(file, target, time=time, event=event) + "\n"
    if kind == "json":
        return result.to_json()
    if kind == "report":
        return page(summarise(result=result, quality=session.quality))
    rows, columns = rows_of_result(result)
    pinned = [
        {"set": f"pinned {number}", "feature": name, "quality": quality, "status": "pinned"}
        for number, (names, quality) in enumerate(
            zip(session.sets[: len(session.state["pinned"])], session.qualities, strict=False), start=1
        )
        for name in names
    ]
    return encode_csv([dict.fromkeys(columns) | row for row in pinned] + list(rows), columns).decode()
