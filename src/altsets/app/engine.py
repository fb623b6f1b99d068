"""A session on the table of the explorer, asked by messages and answered by views: in workers, and in notebooks.

For workers, the table and the scores are files in a private folder, which all of them map into their memory, so that
ten clients need the memory of one. Scores of a quality are computed by the worker that is asked for it first.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from altsets.app.gate import GO_ON
from altsets.app.workers import OpenEngine
from altsets.errors import AltsetsError, InputError, reason_of
from altsets.problem import counts_features
from altsets.wording import Spelling, counted, parameter, spelled

if TYPE_CHECKING:
    from altsets.session import Session

Job = Mapping[str, Any]
Tell = Callable[[dict[str, Any]], None]

#: Seconds between two times that the best so far is told.
TELL_EVERY = 0.25
SESSION = "session.joblib"


class Cancelled(AltsetsError):
    """Nothing is wanted any more of what has no best so far."""

    def __init__(self) -> None:
        super().__init__("It was stopped.")


class SharedSession:
    """A session in a folder that only its owner can read, for workers to open; ``close`` removes it.

    ``begin`` is what pages begin with, where that is not the state of the session; ``origin`` are the names of the
    table (``file``) and of its ``target``, of survival also those of ``time`` and ``event``. ``spelling`` is how
    messages write parameters: as who opened the page writes them.
    """

    def __init__(
        self, session: Session, begin: dict[str, Any], *, spelling: Spelling | None = None, **origin: str
    ) -> None:
        import joblib  # type: ignore[import-untyped]

        refuse_counts(session)
        self._folder = tempfile.TemporaryDirectory(prefix="altsets-", ignore_cleanup_errors=True)
        shared = (session, session.state | begin, origin, spelling)
        try:
            joblib.dump(shared, Path(self._folder.name) / SESSION)
        except OSError as error:
            self.close()
            raise InputError(
                f"the table does not fit into the folder for temporary files, {tempfile.gettempdir()} "
                f"({reason_of(error)}); set TMPDIR to another one."
            ) from None

    @property
    def open_engine(self) -> OpenEngine:
        """What a worker calls."""
        return partial(SharedEngine, self._folder.name)

    def entrance(self, address: str) -> str:
        """The address of a file that leads to another one, for a browser: everybody may see what programs are given."""
        page = Path(self._folder.name) / "explorer.html"
        page.write_text(GO_ON.format(address), encoding="utf-8")
        return page.as_uri()

    def close(self) -> None:
        """Remove the folder."""
        self._folder.cleanup()


def refuse_counts(session: Session) -> None:
    """Refuse a tau that is a number of features: on the page it is a share."""
    if counts_features(session.request.dissimilarity):
        raise InputError(
            f"the explorer compares sets by shares of features, and {parameter('dissimilarity', 'absolute')} counts "
            f"them; use {parameter('dissimilarity', 'dice')}."
        )


class SessionEngine:
    """Answers jobs from a session; pages begin with a state, ``origin`` says what table and target are called."""

    def __init__(self, session: Session, begin: dict[str, Any], origin: Mapping[str, str]) -> None:
        from altsets.app import views

        self._views, self._session, self._begin, self._origin = views, session, begin, dict(origin)
        self._searched: dict[str, Any] | None = None

    def __call__(self, job: Job, tell: Tell, stopped: Callable[[], bool]) -> dict[str, Any]:
        """Answer a job; what is known before is told."""
        state, given = self._state_of(job), (job.get("with") or {}) | self._origin
        self._score(state, tell, stopped)
        if job["verb"] == "prepare":
            return {"state": state, "view": None}
        if job["verb"] == "answer" or not self._is_at(state):
            self._search(state, given, tell, stopped)
            self._searched = state
        if job["verb"] == "download":
            return {"text": file_text(self._session, **given)}
        return {"state": self._session.state, "view": self._view(job["verb"], given, tell, stopped)}

    def _state_of(self, job: Job) -> dict[str, Any]:
        """The state that a job is about."""
        return self._begin | (job.get("state") or {})

    def _is_at(self, state: dict[str, Any]) -> bool:
        """Whether the session has the answer for a state; one that was cut short stays the one that the page shows."""
        return state == self._searched

    def _search(
        self, state: dict[str, Any], given: Mapping[str, Any], tell: Tell, stopped: Callable[[], bool]
    ) -> None:
        told = time.perf_counter()

        def best_so_far(progress: Any) -> None:
            nonlocal told
            if time.perf_counter() - told >= TELL_EVERY and not stopped():
                tell(
                    {"state": state, "view": self._views.progress_view(self._session, state, progress, given)}
                )
                told = time.perf_counter()

        self._session.go_to(state, callback=best_so_far, stop=stopped)

    def _view(
        self, verb: str, given: Mapping[str, Any], tell: Tell, stopped: Callable[[], bool]
    ) -> dict[str, Any]:
        views = self._views
        view: dict[str, Any]
        if verb == "answer":
            view = views.answer_view(self._session, given)
        elif verb == "frontier":
            view = views.frontier_view(self._session, given, callback=lambda _: _unless(stopped))
        elif verb == "evaluate":

            def progress(share: float) -> None:
                _unless(stopped)
                tell({"state": self._session.state, "view": views.evaluating_view(share)})

            view = views.evaluate_view(self._session, given, callback=progress)
        else:
            view = views.VERBS[verb](self._session, given)
        return view

    # --- Scores -------------------------------------------------------------------------------------------

    def _score(self, state: dict[str, Any], tell: Tell, stopped: Callable[[], bool]) -> None:
        """Have the scores of a state's quality, and tell how far that is if they have to be computed."""
        session = self._session
        if session.has_scores(state):
            return
        what = f"Scoring {counted(len(session.feature_names), 'feature')} for {state['quality'] or 'the quality'}"
        told = -TELL_EVERY

        def progress(share: float) -> None:
            nonlocal told
            _unless(stopped)
            if time.perf_counter() - told >= TELL_EVERY:
                view = {"words": [f"{what}: {share:.0%}."], "certain": False, "blocks": []}
                tell({"state": state, "view": view})
                told = time.perf_counter()

        progress(0.0)
        session.scored_for(state, callback=progress)


class SharedEngine(SessionEngine):
    """Answers jobs from the session in a folder, where workers find the scores that others have computed."""

    def __init__(self, folder: str) -> None:
        # Where processes are not forked, it comes before the rest for the same reasons.
        from altsets.app import preload  # noqa: F401

        self._folder = Path(folder)
        *shared, self._spelling = _load(self._folder / SESSION)
        super().__init__(*shared)

    def __call__(self, job: Job, tell: Tell, stopped: Callable[[], bool]) -> dict[str, Any]:
        """Answer a job, in the words of those who opened the page."""
        with spelled(self._spelling):
            return super().__call__(job, tell, stopped)

    def _score(self, state: dict[str, Any], tell: Tell, stopped: Callable[[], bool]) -> None:
        """Have the scores of a state's quality: known here, computed by another worker, or computed now."""
        import joblib

        from altsets.quality import Embedded, Wrapper

        session = self._session
        if session.has_scores(state):
            return
        file = self._folder / f"scores-{state['quality']}.joblib"
        if file.exists():
            session.add_scores(state, _load(file))
            return
        super()._score(state, tell, stopped)
        quality = session.scored_for(state)
        if not isinstance(quality, Wrapper | Embedded):
            # These hold the table, and no scores. Without a place for them, each process computes its own.
            with suppress(OSError):
                written = file.with_suffix(f".{os.getpid()}")
                joblib.dump(quality, written)
                os.replace(written, file)


def _load(file: Path) -> Any:
    import joblib

    # Written by another process of this explorer, in a folder that is closed to others.
    try:
        return joblib.load(file, mmap_mode="r")
    except FileNotFoundError:
        raise InputError(
            f"The explorer's temporary folder, {file.parent}, was removed while it ran; start the explorer again."
        ) from None


def _unless(stopped: Callable[[], bool]) -> None:
    if stopped():
        raise Cancelled


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
