"""Questions on their way and the threads that answer them, for the server and for notebooks.

An *engine* answers one question at a time. A question that is cancelled ends with the best so far. If its thread does
not come back soon, it is left behind: the page gets what was told last, and another thread answers the next question.
"""

from __future__ import annotations

import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from contextvars import ContextVar
from functools import partial
from typing import Any

from altsets.app.gate import Refused
from altsets.app.messages import FILES, Ask, Question
from altsets.errors import AltsetsError, reason_of

Known = dict[str, Any]
Tell = Callable[[Known], None]
#: Takes a question, a function to tell what is known so far, and one that says whether to stop; returns the answer.
Engine = Callable[[Ask, Tell, Callable[[], bool]], Known]
OpenEngine = Callable[[], Engine]

#: Seconds that an engine has to stop by itself.
PATIENCE = 1.0
#: Seconds until a reply says what is known so far, and until the next change is waited for.
FIRST_REPLY, NEXT_REPLY = 0.3, 0.25
#: Seconds until a file is overdue, and until a search that was cancelled has ended for sure.
FILE_READY, CANCELLED = 120.0, 5.0
#: Questions whose answers are kept, for a page that is late.
KEPT = 8

#: The name of threads that answer.
THREAD = "altsets explorer"

STOPPED = "The search was stopped before it found anything."


class Cancelled(AltsetsError):
    """Nobody waits for an answer any more, or there is no best so far."""

    def __init__(self) -> None:
        super().__init__("It was stopped.")


class Asked:
    """A question on its way: what is known of the answer so far, and whether that is all."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.finished = self.superseded = self._is_cancelled = False
        self._known: Known = {}
        self.error = ""
        self._asked, self._seconds = time.perf_counter(), 0.0
        self._changed, self._changes = threading.Condition(), 0

    def tell(self, known: Known) -> None:
        with self._changed:
            if not self.finished:
                self._known = known
                self._change()

    def finish(self, known: Known | None = None, *, error: str = "", superseded: bool = False) -> None:
        """Set the final answer: ``known``, or what was told last; nothing after an error."""
        with self._changed:
            if self.finished:
                return
            self._known = {} if error or superseded else known or self._known
            self.finished, self.error, self.superseded = True, error, superseded
            self._seconds = time.perf_counter() - self._asked
            self._change()

    def cancel(self) -> None:
        """Ask for the best so far instead of the whole answer."""
        self._is_cancelled = True

    def give_up(self) -> None:
        self.finish(error="" if self._known else STOPPED)

    def is_stopped(self) -> bool:
        """Whether to end with the best so far; raises :class:`Cancelled` if nobody waits even for that."""
        if self.finished:
            raise Cancelled
        return self._is_cancelled

    def _change(self) -> None:
        self._changes += 1
        self._changed.notify_all()

    def supersedes(self, older: Asked) -> bool:
        """Whether an older question needs no answer any more."""
        new, old = self.ask, older.ask
        if old.verb == "download":
            return False
        if new.client == old.client:
            return new.verb in ("answer", old.verb)
        # Pages of a notebook: one that asks where the session is takes nothing from others; one that leads it
        # elsewhere does.
        return new.verb == "answer" and new.state is not None

    def run(self, engine: Engine) -> None:
        """Find the answer, however that ends."""
        ANSWERED_HERE.set(self)
        try:
            self.finish(engine(self.ask, self.tell, self.is_stopped))
        except Exception as error:
            self.finish(error=_in_words(error))

    def reply_within(self, seconds: float, *, for_all: bool = False) -> dict[str, Any]:
        """Return what the page gets, after the next change or with the whole answer, after at most these seconds."""
        with self._changed:
            before = self._changes
            self._changed.wait_for(
                lambda: self.finished or (not for_all and self._changes > before), timeout=seconds
            )
            seconds = self._seconds if self.finished else time.perf_counter() - self._asked
            return {
                "number": self.ask.number,
                "finished": self.finished,
                "superseded": self.superseded,
                "error": self.error or None,
                "seconds": round(seconds, 4),
                "state": self._known.get("state"),
                "view": self._known.get("view"),
            }

    def file(self) -> dict[str, Any]:
        self.reply_within(FILE_READY, for_all=True)
        if "text" not in self._known:
            return {"error": self.error or f"The file was not ready after {FILE_READY:g} s."}
        name, kind = FILES[self.ask.more["kind"]]
        return {"name": name, "type": kind, "content": self._known["text"]}


#: What the current thread answers.
ANSWERED_HERE: ContextVar[Asked | None] = ContextVar("ANSWERED_HERE", default=None)


def _in_words(error: Exception) -> str:
    """What went wrong, as a sentence; what nobody expected is also printed where the explorer was started."""
    if isinstance(error, AltsetsError):
        return str(error)
    traceback.print_exc()
    return f"altsets failed ({type(error).__name__}: {reason_of(error)}); please report this."


def in_background(work: Callable[..., object], *arguments: Any) -> threading.Thread:
    """Start a thread that does not keep the process from ending."""
    thread = threading.Thread(target=work, args=arguments, name=THREAD, daemon=True)
    thread.start()
    return thread


def background_ends(seconds: float) -> bool:
    """Wait for all of these threads; whether they end within this time."""
    until = time.perf_counter() + seconds
    threads = [thread for thread in threading.enumerate() if thread.name == THREAD]
    for thread in threads:
        thread.join(max(until - time.perf_counter(), 0.0))
    return not any(thread.is_alive() for thread in threads)


class Lane:
    """Answers questions one after the other, in a thread that ends when there are no more."""

    def __init__(self, open_engine: OpenEngine) -> None:
        self._open_engine = open_engine
        self._engine: Engine | None = None
        self._lock = threading.Lock()
        self._waiting: list[Asked] = []
        self._current: Asked | None = None
        self._thread: threading.Thread | None = None

    def add(self, asked: Asked) -> None:
        """Answer a question, in the place of those before it that need no answer any more."""
        with self._lock:
            for older in self._all:
                if not older.finished and asked.supersedes(older):
                    older.finish(superseded=True)
                    self._expect_end(older)
            self._waiting = [one for one in self._waiting if not one.finished] + [asked]
            if self._thread is None:
                self._start()

    def cancel(self, asked: Asked) -> None:
        """Stop a question and keep the best it has; one that waits has nothing to keep."""
        asked.cancel()
        with self._lock:
            if asked is not self._current:
                asked.give_up()
            self._expect_end(asked)

    def close(self) -> None:
        """Leave all questions without an answer; the thread ends as soon as it notices."""
        with self._lock:
            for asked in self._all:
                asked.finish(error=STOPPED)
            self._waiting, self._current, self._thread = [], None, None

    @property
    def _all(self) -> list[Asked]:
        return [one for one in (self._current, *self._waiting) if one is not None]

    def _expect_end(self, asked: Asked) -> None:
        if asked is self._current:
            timer = threading.Timer(PATIENCE, self._leave_behind, [asked])
            timer.daemon = True
            timer.start()

    def _leave_behind(self, asked: Asked) -> None:
        """Go on with another engine in another thread if a question that should have ended still runs."""
        asked.give_up()
        with self._lock:
            if asked is self._current:
                self._current = self._engine = self._thread = None
                if self._waiting:
                    self._start()

    def _start(self) -> None:
        self._thread = in_background(self._answer)

    def _answer(self) -> None:
        while (asked := self._next()) is not None:
            asked.run(self._opened)

    def _opened(self, ask: Ask, tell: Tell, stopped: Callable[[], bool]) -> Known:
        """Answer a question by the engine, which is opened for the first one: that may fail as well."""
        engine = self._engine or self._open_engine()
        with self._lock:
            if self._thread is threading.current_thread():
                self._engine = engine
        return engine(ask, tell, stopped)

    def _next(self) -> Asked | None:
        with self._lock:
            if self._thread is not threading.current_thread():
                # Left behind, or closed.
                return None
            self._waiting = [one for one in self._waiting if not one.finished]
            self._current = self._waiting.pop(0) if self._waiting else None
            if self._current is None:
                self._thread = None
            return self._current


class Questions:
    """What is asked about one session: the lanes in which it is answered, and the latest answers."""

    def __init__(self, open_engine: OpenEngine, kept: int = KEPT) -> None:
        # Models are fitted beside searches.
        self._lanes = {name: Lane(open_engine) for name in ("search", "evaluate")}
        self._asked: OrderedDict[tuple[str, int], Asked] = OrderedDict()
        self._kept = kept

    def reply_to(self, message: Ask | Question, route: str) -> Callable[[], dict[str, Any]]:
        """Begin to work on a message; what is returned waits for the reply."""
        asked: Asked | None
        if isinstance(message, Ask):
            asked = self._begin(message)
            return (
                asked.file if route == "download" else partial(asked.reply_within, FIRST_REPLY, for_all=True)
            )
        asked = self._asked.get((message.client, message.number))
        if asked is None:
            raise unknown(message)
        if route == "wait":
            return partial(asked.reply_within, NEXT_REPLY)
        self._lane(asked.ask).cancel(asked)
        return partial(asked.reply_within, CANCELLED, for_all=True)

    def _begin(self, ask: Ask) -> Asked:
        asked = self._asked[ask.client, ask.number] = Asked(ask)
        while len(self._asked) > self._kept:
            self._asked.popitem(last=False)
        self._lane(ask).add(asked)
        return asked

    def _lane(self, ask: Ask) -> Lane:
        return self._lanes["evaluate" if ask.verb == "evaluate" else "search"]

    def close(self) -> None:
        for lane in self._lanes.values():
            lane.close()


def unknown(message: Question) -> Refused:
    """The refusal of a question that is forgotten."""
    return Refused(404, f"Question {message.number} of this page is not known any more; ask again.")
