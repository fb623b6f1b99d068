"""The processes that search, from both sides.

A worker opens an *engine* and gives it one job at a time. Jobs and answers are bytes of JSON, which this side passes on
without looking into them, so that the process of the server stays small and quick. A search is asked to stop first, so
that it can return the best it has; if it does not, its process is ended, and what it told last is the answer.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from altsets.app.messages import Ask
from altsets.errors import AltsetsError, reason_of
from altsets.wording import sentence

#: Takes a job, a function to tell what is known so far, and one that says whether to stop; returns the answer.
Engine = Callable[[dict[str, Any], Callable[[dict[str, Any]], None], Callable[[], bool]], dict[str, Any]]
#: Opens an engine in a worker; it is sent there, so it is a function of a module, perhaps with arguments.
OpenEngine = Callable[[], Engine]

#: Seconds that a search has to stop by itself.
PATIENCE = 0.3
#: Seconds until a process must have started, and until one that was ended must be gone.
STARTED, GONE = 60.0, 10.0
#: The first byte of what a worker sends.
OPENED, TOLD, ANSWERED, FAILED = b"o", b"t", b"a", b"f"
#: What is sent to a worker instead of a job, to stop the one it has.
STOP = b""
#: Where it is safe, workers are forked from a process that has loaded everything, which takes milliseconds.
METHOD = "forkserver" if sys.platform == "linux" else "spawn"

ENDED = "The process that searched has ended{how}; the next step starts a new one."
STOPPED = "The search was stopped before it found anything."
NOT_STARTED = "no process could be started to search: {reason}"
NO_SOCKET = "the explorer's temporary files were removed while it ran; start the explorer again"


def warm_up() -> None:
    """Begin to load what workers need, in a process of its own; call it before anything else that takes long."""
    global METHOD
    if METHOD == "forkserver":
        from multiprocessing import forkserver

        forkserver.set_forkserver_preload(["altsets.app.preload"])
        try:
            forkserver.ensure_running()
        except OSError:
            # Such as a folder for temporary files whose name is too long for a socket in it.
            METHOD = "spawn"


# --- In a worker ------------------------------------------------------------------------------------------


def work(connection: Connection, open_engine: OpenEngine) -> None:
    """Run jobs until the server goes away."""
    # Ctrl-C reaches every process; the server handles it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    jobs: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    stop = threading.Event()
    threading.Thread(target=_listen, args=(connection, jobs, stop), daemon=True).start()

    def tell(known: dict[str, Any]) -> None:
        connection.send_bytes(TOLD + _encode(known))

    with suppress(BrokenPipeError):
        try:
            engine = open_engine()
        except Exception as error:
            connection.send_bytes(FAILED + reason_in_words(error).encode(errors="replace"))
            return
        connection.send_bytes(OPENED)
        while True:
            job = json.loads(jobs.get())
            try:
                sent = ANSWERED + _encode(engine(job, tell, stop.is_set))
            except BrokenPipeError:
                return
            except Exception as error:
                sent = FAILED + reason_in_words(error).encode(errors="replace")
            connection.send_bytes(sent)


def reason_in_words(error: Exception) -> str:
    """What went wrong, as a sentence; what nobody expected is also printed where the server was started."""
    if isinstance(error, AltsetsError):
        return str(error)
    traceback.print_exc()
    return f"altsets failed ({type(error).__name__}: {reason_of(error)}); please report this."


def _encode(known: dict[str, Any]) -> bytes:
    return json.dumps(known, ensure_ascii=False, allow_nan=False).encode(errors="replace")


def _listen(connection: Connection, jobs: queue.SimpleQueue[bytes], stop: threading.Event) -> None:
    """Receive jobs and requests to stop; the end of the server is the end of the worker, whatever it does."""
    while True:
        try:
            received = connection.recv_bytes()
        except (EOFError, OSError):
            os._exit(0)
        if received == STOP:
            stop.set()
        else:
            stop.clear()
            jobs.put(received)


# --- In the server ----------------------------------------------------------------------------------------


class Job:
    """A question on its way: what is known of the answer so far, and whether it is all."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self._asked, self._seconds = time.perf_counter(), 0.0
        self.finished = self.superseded = self.is_cancelled = False
        #: State and view as the worker sent them, without the brace they begin with; and what went wrong.
        self._known, self.error = b"", ""
        self._changed = asyncio.Event()

    def tell(self, known: bytes) -> None:
        """Something is known, a JSON object with "state" and "view"."""
        if not self.finished:
            self._known = known[1:]
            self._change()

    def finish(self, known: bytes = b"", *, error: str = "", superseded: bool = False) -> None:
        """All is known that ever will be; what was told before stands unless there is something new, or an error."""
        if self.finished:
            return
        self._known = b"" if superseded or error else known[1:] or self._known
        self.finished, self.error, self.superseded = True, error, superseded
        self._seconds = time.perf_counter() - self._asked
        self._change()

    def finish_cancelled(self) -> None:
        """The user wants no more: the best so far is the answer."""
        self.finish(error="" if self._known else STOPPED)

    def _change(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def wait(self, seconds: float, *, for_all: bool = False) -> None:
        """Wait for the next change, or for the whole answer, but not longer than this."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not self.finished:
                    await self._changed.wait()
                    if not for_all:
                        return

    @property
    def known(self) -> dict[str, Any]:
        """What is known, as an object."""
        found: dict[str, Any] = json.loads(b"{" + self._known) if self._known else {}
        return found

    def encode(self) -> bytes:
        """The reply."""
        seconds = self._seconds if self.finished else time.perf_counter() - self._asked
        said = {
            "number": self.ask.number,
            "finished": self.finished,
            "superseded": self.superseded,
            "error": self.error or None,
            "seconds": round(seconds, 4),
        }
        known = self._known or b'"state": null, "view": null}'
        return json.dumps(said).encode()[:-1] + b", " + known


class Worker:
    """A process with an engine, seen from the server. It runs one job at a time."""

    def __init__(self, open_engine: OpenEngine) -> None:
        context: Any = multiprocessing.get_context(METHOD)
        self._loop = asyncio.get_running_loop()
        self._connection, self._theirs = context.Pipe()
        self._process = context.Process(target=work, args=(self._theirs, open_engine), daemon=True)
        self._job: Job | None = None
        self._is_sent = False
        self._kill: asyncio.TimerHandle | None = None
        #: Set once the engine is open, and while there is no job; both also at the end.
        self._opened, self._free = asyncio.Event(), asyncio.Event()
        self._started, self._ended = asyncio.Event(), asyncio.Event()
        self._failure = ""
        # Starting takes long enough to notice, and for ever if what processes are forked from has been stopped or
        # killed; nothing waits for this thread, so that the server can still be ended.
        threading.Thread(target=self._start, daemon=True).start()
        reason = f"none was there after {STARTED:g} s"
        self._overdue = self._loop.call_later(
            STARTED, self._lost, sentence(NOT_STARTED.format(reason=reason))
        )

    def _start(self) -> None:
        from altsets.measures.workers import defer_ctrl_c

        try:
            with defer_ctrl_c():
                self._process.start()
        # EOFError: what processes are forked from was killed at this moment.
        except (OSError, EOFError) as error:
            # FileNotFoundError: it is reached by a socket among the temporary files.
            reason = NO_SOCKET if isinstance(error, FileNotFoundError) else reason_of(error)
            self._call(self._lost, sentence(NOT_STARTED.format(reason=reason)))
            return
        # The only copy is the child's now: when it ends, this side notices.
        self._theirs.close()
        self._call(self._begun)
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        """Pass on what the process sends; in a thread of its own, which works on every system."""
        with suppress(EOFError, OSError):
            while True:
                self._call(self._take, self._connection.recv_bytes())
        self._process.join(GONE)
        code = self._process.exitcode or 0
        how = f" (signal {-code}, perhaps for lack of memory)" if code < 0 else ""
        self._call(self._lost, ENDED.format(how=how))

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        # At the end, the loop may be closed before the threads are.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)

    def _begun(self) -> None:
        self._overdue.cancel()
        self._started.set()

    def _take(self, received: bytes) -> None:
        kind, known = received[:1], received[1:]
        if kind == OPENED:
            self._opened.set()
        elif self._job is None or not self._is_sent:
            self._failure = known.decode()
        elif kind == TOLD:
            self._job.tell(known)
        else:
            if kind == ANSWERED:
                self._job.finish(known)
            else:
                self._job.finish(error=known.decode())
            self._release()

    def _lost(self, reason: str) -> None:
        """The process is gone, or never was."""
        self._begun()
        self._ended.set()
        if self._job is not None:
            if self._job.is_cancelled:
                self._job.finish_cancelled()
            self._job.finish(error=self._failure or reason)
        self._opened.set()
        self._release()

    def _release(self) -> None:
        self._job, self._is_sent = None, False
        if self._kill is not None:
            self._kill.cancel()
            self._kill = None
        self._free.set()

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._ended.is_set()

    async def run(self, job: Job) -> None:
        """Run a job to its end, however it ends."""
        self._job = job
        self._free.clear()
        await self._opened.wait()
        if self.has_ended or job.finished:
            job.finish(error=self._failure or ENDED.format(how=""))
            self._release()
            return
        self._is_sent = True
        # If the process is gone, the thread that listens to it says so.
        with suppress(OSError):
            self._connection.send_bytes(job.ask.encode())
        await self._free.wait()

    def stop(self, job: Job) -> None:
        """Ask a job to stop, and end the process if it does not; one that does not run yet has nothing to keep."""
        if job is not self._job or not self._is_sent:
            job.finish_cancelled()
        elif self._kill is None:
            with suppress(OSError):
                self._connection.send_bytes(STOP)
            self._kill = self._loop.call_later(PATIENCE, self._end)

    def _end(self) -> None:
        """End the process; multiprocessing takes it for ended once the process that it was forked from is gone."""
        if METHOD == "forkserver" and self._process.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    async def close(self) -> None:
        """End the process and wait until it has gone; one that starts late ends itself without the connection."""
        with suppress(TimeoutError):
            async with asyncio.timeout(GONE):
                await self._started.wait()
                if not self.has_ended:
                    self._end()
                    await self._ended.wait()
        self._begun()
        self._connection.close()
