"""The explorer in a notebook: the page as a widget, answered in the kernel by the session of the user.

Messages are those of the server. The kernel reads them between cells, on its main thread; searches run on threads of
their own, so that a newer question can stop an older one. Steps of the page are steps of the session, and the page
follows those that are taken in cells.
"""

from __future__ import annotations

import html
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from altsets.app.assets import module_text
from altsets.app.engine import Job, SessionEngine, refuse_counts
from altsets.app.gate import Refused
from altsets.app.messages import FILES, Ask, Download, Question
from altsets.app.workers import STOPPED, reason_in_words
from altsets.errors import InputError, MissingExtraError
from altsets.session import Session

#: Seconds until a reply says what is known so far, until the next change is waited for, and for the rest.
FIRST_REPLY, NEXT_REPLY, CANCELLED, FILE_READY = 0.3, 0.25, 5.0, 120.0
#: Questions whose answers are kept.
KEPT = 64
MOVED = "The session has gone to other settings since; ask again."


class LiveEngine(SessionEngine):
    """Answers jobs from a session that cells change as well: only a new answer moves it, no question about one."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, {}, {})

    def _state_of(self, job: Job) -> dict[str, Any]:
        """Without a state, a page wants to be where the session is."""
        return self._session.state | (job.get("state") or {})

    def _is_at(self, state: dict[str, Any]) -> bool:
        if state != self._session.state:
            raise InputError(MOVED)
        return True


class LiveQuestion:
    """A question on its way: what is known of the answer so far, and whether that is all."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.finished = self.superseded = False
        self._known: dict[str, Any] = {}
        self._error = ""
        self._asked, self._seconds = time.perf_counter(), 0.0
        self._stop, self._changed, self._changes = threading.Event(), threading.Condition(), 0

    def tell(self, known: dict[str, Any]) -> None:
        """Something is known."""
        with self._changed:
            if not self.finished:
                self._known = known
                self._change()

    def finish(
        self, known: dict[str, Any] | None = None, *, error: str = "", superseded: bool = False
    ) -> None:
        """All is known that ever will be; what was told before stands unless there is something new."""
        with self._changed:
            if self.finished:
                return
            self._known = known or self._known
            self.finished, self._error, self.superseded = True, error, superseded
            self._seconds = time.perf_counter() - self._asked
            self._change()

    def _change(self) -> None:
        self._changes += 1
        self._changed.notify_all()

    def supersedes(self, older: LiveQuestion) -> bool:
        """Whether an older question needs no answer any more."""
        new, old = self.ask, older.ask
        if old.verb == "download":
            return False
        if new.client == old.client:
            return new.verb in ("answer", old.verb)
        # A page that asks where the session is takes nothing from others; one that leads it elsewhere does.
        return new.verb == "answer" and new.state is not None

    def stop(self) -> None:
        """Nobody wants more than the best so far."""
        self._stop.set()

    def run(self, engine: SessionEngine) -> None:
        """Find the answer, however that ends."""
        if self._stop.is_set():
            self.finish(error=STOPPED)
            return
        job = {"verb": self.ask.verb, "state": self.ask.state, "with": self.ask.more}
        try:
            self.finish(engine(job, self.tell, self._stop.is_set))
        except Exception as error:
            self.finish(error=reason_in_words(error))

    def reply_within(self, seconds: float, *, for_all: bool = False) -> dict[str, Any]:
        """What the page gets: after the next change, or the whole answer, but not later than this."""
        with self._changed:
            before = self._changes
            self._changed.wait_for(
                lambda: self.finished or (not for_all and self._changes > before), timeout=seconds
            )
            seconds = self._seconds if self.finished else time.perf_counter() - self._asked
            known = {} if self.superseded else self._known
            return {
                "number": self.ask.number,
                "finished": self.finished,
                "superseded": self.superseded,
                "error": self._error or None,
                "seconds": round(seconds, 4),
                "state": known.get("state"),
                "view": known.get("view"),
            }

    def file(self) -> dict[str, Any]:
        """What the page gets that has asked for a file, once that is there."""
        self.reply_within(FILE_READY, for_all=True)
        if not self.finished or "text" not in self._known:
            return {"error": self._error or f"The file was not ready after {FILE_READY:g} s."}
        return {"name": FILES[self.ask.more["kind"]][0], "content": self._known["text"]}


class LiveLane(threading.Thread):
    """Questions that are answered one after the other."""

    def __init__(self, engine: SessionEngine) -> None:
        super().__init__(daemon=True, name="altsets explorer")
        self._engine = engine
        self._waiting: list[LiveQuestion] = []
        self._added = threading.Condition()
        self._is_over = False
        #: What is being answered.
        self.current: LiveQuestion | None = None

    def add(self, question: LiveQuestion) -> None:
        """Answer a question, in the place of those before it that nobody wants any more."""
        with self._added:
            older = [one for one in (self.current, *self._waiting) if one is not None]
            for one in older:
                if question.supersedes(one):
                    one.finish(superseded=True)
                    one.stop()
            self._waiting = [one for one in self._waiting if not one.finished] + [question]
            self._added.notify()

    def run(self) -> None:
        """Answer questions until the end."""
        while True:
            with self._added:
                self._added.wait_for(lambda: self._is_over or self._waiting)
                if self._is_over:
                    return
                self.current = self._waiting.pop(0)
            self.current.run(self._engine)
            self.current = None

    def close(self) -> None:
        """End the thread, and what it does, soon."""
        with self._added:
            self._is_over = True
            if self.current is not None:
                self.current.stop()
            self._added.notify()


class LiveSession:
    """A session that pages ask about; ``send`` takes replies, and states that pages are to follow."""

    def __init__(self, session: Session, send: Callable[[dict[str, Any]], object]) -> None:
        self._session, self._send = session, send
        # Models are fitted beside searches.
        self._lanes = {name: LiveLane(LiveEngine(session)) for name in ("search", "evaluate")}
        self._asked: OrderedDict[tuple[str, int], LiveQuestion] = OrderedDict()
        for lane in self._lanes.values():
            lane.start()
        session.watch(self._moved)

    def close(self) -> None:
        """No page asks any more."""
        self._session.unwatch(self._moved)
        for lane in self._lanes.values():
            lane.close()

    def _moved(self) -> None:
        """The session has gone elsewhere: pages follow, but for the one that has led it there."""
        here = threading.current_thread()
        leader = here.current if isinstance(here, LiveLane) else None
        if leader is None or leader.ask.verb == "answer":
            self._send({"state": self._session.state, "by": None if leader is None else leader.ask.client})

    def receive(self, content: Any) -> None:
        """Take a message; the reply comes when there is something to say, from a thread of its own."""
        message = dict(content["message"])
        try:
            reply = self._reply_to(message.pop("route"), message)
        except Refused as refused:
            self._send({"id": content["id"], "reply": {"error": str(refused), "finished": True}})
            return
        threading.Thread(
            target=lambda: self._send({"id": content["id"], "reply": reply()}), daemon=True
        ).start()

    def _reply_to(self, route: str, message: dict[str, Any]) -> Callable[[], dict[str, Any]]:
        """Begin to work on a message; what comes back waits for the reply."""
        if route == "ask":
            question = self._begin(Ask.of(message))
            return partial(question.reply_within, FIRST_REPLY, for_all=True)
        if route == "download":
            return self._begin(Download.of(message).ask).file
        known = Question.of(message)
        found = self._asked.get((known.client, known.number))
        if found is None:
            raise Refused(404, f"Question {known.number} of this page is not known any more; ask again.")
        if route == "wait":
            return partial(found.reply_within, NEXT_REPLY)
        found.stop()
        return partial(found.reply_within, CANCELLED, for_all=True)

    def _begin(self, ask: Ask) -> LiveQuestion:
        question = LiveQuestion(ask)
        self._asked[ask.client, ask.number] = question
        while len(self._asked) > KEPT:
            self._asked.popitem(last=False)
        self._lanes["evaluate" if ask.verb == "evaluate" else "search"].add(question)
        return question


# --- The widget -------------------------------------------------------------------------------------------


@cache
def widget_class() -> type[Any]:
    """The class of widgets, which takes anywidget."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise MissingExtraError("explore()", "anywidget", "notebook") from error

    class SessionExplorer(anywidget.AnyWidget):
        """The explorer of a session."""

        _esm = module_text()
        #: The id of the picture that replaces the page in exported notebooks.
        picture = traitlets.Unicode().tag(sync=True)

        def __init__(self, session: Session) -> None:
            refuse_counts(session)
            super().__init__()
            self.picture = f"altsets-{self.model_id}"
            self._session = session
            self._live = LiveSession(session, self.send)
            self.on_msg(lambda _, content, buffers: self._live.receive(content))

        def close(self) -> None:
            """End the widget, and what it does."""
            if hasattr(self, "_live"):
                self._live.close()
            super().close()

        def __repr__(self) -> str:
            return repr(self._session)

        def _static(self) -> str:
            shown = self._session._repr_mimebundle_()["text/html"]
            return f'<div id="{html.escape(self.picture)}">{shown}</div>'

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            # First, as it searches if nobody has yet.
            picture = self._static()
            data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
            return {**data, "text/html": picture}, metadata

        def _ipython_display_(self, **kwargs: Any) -> None:
            """Show the picture and the page, which hides the picture as soon as it works.

            In one output, an export would show the page alone, which is dead there.
            """
            from IPython import display

            publish: Any = display.publish_display_data
            data, metadata = self._repr_mimebundle_(**kwargs)
            picture = data.pop("text/html")
            publish({"text/html": picture, "text/plain": data["text/plain"]})
            data["text/plain"] = "The explorer needs a running notebook."
            publish(data, metadata)

    return SessionExplorer


def explore(session: Session) -> Any:
    """The widget of a session."""
    return widget_class()(session)
