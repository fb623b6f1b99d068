"""The processes that search: one for each client, stopped when a client does not want the answer any more.

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
from collections import OrderedDict
from collections.abc import Callable, Coroutine
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
#: Clients at a time, and seconds after which one that says nothing has gone.
MOST_CLIENTS, IDLE = 16, 30 * 60.0
#: Questions of a client whose answers are kept, for a page that is late.
KEPT = 8
#: Seconds until there is a new spare process: starting one takes a core from the search that was asked for.
SPARE_AFTER = 1.0
#: Seconds after which scores are given up that nobody waits for.
UNWANTED = 2.0
#: The first byte of what a worker sends.
OPENED, TOLD, ANSWERED, FAILED = b"o", b"t", b"a", b"f"
#: What is sent to a worker instead of a job, to stop the one it has.
STOP = b""
#: Where it is safe, workers are forked from a process that has loaded everything, which takes milliseconds.
METHOD = "forkserver" if sys.platform == "linux" else "spawn"

ENDED = "The process that searched has ended{how}; the next step starts a new one."
STOPPED = "The search was stopped before it found anything."


def warm_up() -> None:
    """Begin to load what workers need, in a process of its own; call it before anything else that takes long."""
    if METHOD == "forkserver":
        from multiprocessing import forkserver

        forkserver.set_forkserver_preload(["altsets.app.preload"])
        forkserver.ensure_running()


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
            connection.send_bytes(FAILED + _reason(error))
            return
        connection.send_bytes(OPENED)
        while True:
            job = json.loads(jobs.get())
            try:
                sent = ANSWERED + _encode(engine(job, tell, stop.is_set))
            except BrokenPipeError:
                return
            except Exception as error:
                sent = FAILED + _reason(error)
            connection.send_bytes(sent)


def _reason(error: Exception) -> bytes:
    """What went wrong, as a sentence; what nobody expected is also printed where the server was started."""
    said = str(error)
    if not isinstance(error, AltsetsError):
        traceback.print_exc()
        said = f"altsets failed ({type(error).__name__}: {reason_of(error)}); please report this."
    return said.encode(errors="replace")


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
        self.ask, self._body = ask, ask.encode()
        self._asked, self._seconds = time.perf_counter(), 0.0
        self.finished = self.superseded = self.is_cancelled = False
        #: State and view as the worker sent them, without the brace they begin with; and what went wrong.
        self._known, self.error = b"", ""
        self._changed = asyncio.Event()

    @property
    def body(self) -> bytes:
        """What a worker gets."""
        return self._body

    def tell(self, known: bytes) -> None:
        """Something is known, a JSON object with "state" and "view"."""
        if not self.finished:
            self._known = known[1:]
            self._change()

    def finish(self, known: bytes = b"", *, error: str = "", superseded: bool = False) -> None:
        """All is known that ever will be; what was told before stands unless there is something new."""
        if self.finished:
            return
        self._known = b"" if superseded else known[1:] or self._known
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
        self._ended = asyncio.Event()
        self._failure = ""
        # Kept, as the loop does not keep its tasks; and starting takes long enough to notice.
        self._starting = asyncio.create_task(asyncio.to_thread(self._start))

    def _start(self) -> None:
        from altsets.measures.workers import defer_ctrl_c

        try:
            with defer_ctrl_c():
                self._process.start()
        except OSError as error:
            self._call(self._lost, sentence(f"no process could be started to search: {reason_of(error)}"))
            return
        # The only copy is the child's now: when it ends, this side notices.
        self._theirs.close()
        threading.Thread(target=self._receive, daemon=True).start()

    def _receive(self) -> None:
        """Pass on what the process sends; in a thread of its own, which works on every system."""
        with suppress(EOFError, OSError):
            while True:
                self._call(self._take, self._connection.recv_bytes())
        self._process.join()
        code = self._process.exitcode or 0
        how = f" (signal {-code}, perhaps for lack of memory)" if code < 0 else ""
        self._call(self._lost, ENDED.format(how=how))

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        # At the end, the loop may be closed before the threads are.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(function, *arguments)

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
        """The process is gone."""
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
            self._connection.send_bytes(job.body)
        await self._free.wait()

    def stop(self, job: Job) -> None:
        """Ask a job to stop, and end the process if it does not; one that does not run yet has nothing to keep."""
        if job is not self._job or not self._is_sent:
            job.finish_cancelled()
        elif self._kill is None:
            with suppress(OSError):
                self._connection.send_bytes(STOP)
            self._kill = self._loop.call_later(PATIENCE, self._process.kill)

    async def close(self) -> None:
        """End the process and wait until it has gone."""
        await self._starting
        if not self.has_ended:
            self._process.kill()
            await self._ended.wait()
        self._connection.close()


class Lane:
    """Jobs of a client that run one after the other, in a process of their own."""

    def __init__(self, pool: Workers, *, keeps_worker: bool) -> None:
        self._pool, self._keeps_worker = pool, keeps_worker
        self._jobs: list[Job] = []
        self._runner: asyncio.Task[None] | None = None
        self._worker: Worker | None = None

    def add(self, job: Job) -> None:
        """Run a job; a newer one of its kind, or any newer answer, takes the place of those before it."""
        for older in self._jobs:
            if job.ask.verb in ("answer", older.ask.verb) and older.ask.verb != "download":
                older.finish(superseded=True)
                self.cancel(older)
        self._jobs.append(job)
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._run())

    def cancel(self, job: Job) -> None:
        """Stop a job and keep the best it has."""
        job.is_cancelled = True
        if self._worker is None:
            job.finish_cancelled()
        else:
            self._worker.stop(job)

    async def _run(self) -> None:
        while self._jobs:
            job = self._jobs[0]
            await self._pool.scored(job)
            if not job.finished:
                if self._worker is None or self._worker.has_ended:
                    self._worker = self._pool.take()
                await self._worker.run(job)
            self._jobs.remove(job)
        if not self._keeps_worker:
            await self._end_worker()

    async def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            await self._pool.drop(worker)

    async def close(self) -> None:
        """End everything."""
        for job in self._jobs:
            job.finish(error=STOPPED)
        if self._runner is not None:
            self._runner.cancel()
        await self._end_worker()


class Client:
    """A page: its questions, and the processes that work on them."""

    def __init__(self, pool: Workers) -> None:
        #: What is asked while the user waits, and what runs beside it.
        self._lanes = {
            "search": Lane(pool, keeps_worker=True),
            "evaluate": Lane(pool, keeps_worker=False),
        }
        self._jobs: OrderedDict[int, Job] = OrderedDict()
        self.last_used = time.monotonic()

    def ask(self, ask: Ask) -> Job:
        """Begin to work on a question."""
        job = Job(ask)
        self._jobs[ask.number] = job
        while len(self._jobs) > KEPT:
            self._jobs.popitem(last=False)
        self._lane(job).add(job)
        return job

    def _lane(self, job: Job) -> Lane:
        return self._lanes["evaluate" if job.ask.verb == "evaluate" else "search"]

    def job(self, number: int) -> Job | None:
        """A question that was asked, if it is known still."""
        return self._jobs.get(number)

    def cancel(self, job: Job) -> None:
        """Stop a job and keep the best it has."""
        if not job.finished:
            self._lane(job).cancel(job)

    async def close(self) -> None:
        """End everything."""
        for lane in self._lanes.values():
            await lane.close()


class Scoring:
    """The scores of a quality on their way, and how many jobs wait for them."""

    def __init__(self, quality: str | None) -> None:
        self.quality, self.n_waiting = quality, 0
        state = None if quality is None else {"quality": quality}
        self.job = Job(Ask("", -1, "prepare", state, {}))


class Workers:
    """All clients and their processes, and a spare process that is ready for the next one."""

    def __init__(self, open_engine: OpenEngine, on_failure: Callable[[str], None]) -> None:
        self._open_engine, self._on_failure = open_engine, on_failure
        self._clients: OrderedDict[str, Client] = OrderedDict()
        self._all: set[Worker] = set()
        self._spare: Worker | None = None
        self._scorings: dict[str | None, Scoring] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Begin with the scores that pages begin with."""
        self._scoring(None)
        self._background(self._watch())

    def _background(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- Scores -------------------------------------------------------------------------------------------

    async def scored(self, job: Job) -> None:
        """Wait until there are the scores that a job needs, telling its client how far they are."""
        scoring = self._scoring(job.ask.quality)
        scoring.n_waiting += 1
        while not scoring.job.finished and not job.finished:
            known = scoring.job.known
            if known:
                job.tell(json.dumps(known | {"state": job.ask.state}).encode())
            await scoring.job.wait(PATIENCE)
        scoring.n_waiting -= 1
        if scoring.job.error:
            job.finish(error=scoring.job.error)

    def _scoring(self, quality: str | None) -> Scoring:
        """The computation of the scores of a quality, begun now unless it was before; None: what pages begin with."""
        if quality not in self._scorings:
            self._scorings[quality] = scoring = Scoring(quality)
            self._background(self._score(scoring))
        return self._scorings[quality]

    async def _score(self, scoring: Scoring) -> None:
        """Compute scores in a process of their own, so that a page that moves on meanwhile does not end that."""
        job, worker = scoring.job, self.take()
        running = asyncio.create_task(worker.run(job))
        idle_since = time.monotonic()
        while not running.done():
            await asyncio.wait({running}, timeout=PATIENCE)
            if scoring.n_waiting or scoring.quality is None:
                idle_since = time.monotonic()
            elif time.monotonic() - idle_since > UNWANTED:
                job.is_cancelled = True
                worker.stop(job)
        if job.error:
            # The next one who asks for them has them tried again.
            del self._scorings[scoring.quality]
            if scoring.quality is None:
                self._on_failure(job.error)
        elif scoring.quality is None:
            self._scorings[job.known["state"]["quality"]] = scoring
        if self._spare is None and not worker.has_ended:
            # It has everything loaded.
            self._spare = worker
        else:
            await self.drop(worker)

    # --- Processes ----------------------------------------------------------------------------------------

    def _new(self) -> Worker:
        worker = Worker(self._open_engine)
        self._all.add(worker)
        return worker

    def take(self) -> Worker:
        """A process for a client; another one becomes the spare, as soon as the client may have its answer."""
        worker, self._spare = self._spare, None
        self._background(self._have_spare())
        return worker if worker is not None and not worker.has_ended else self._new()

    async def _have_spare(self) -> None:
        await asyncio.sleep(SPARE_AFTER)
        if self._spare is None:
            self._spare = self._new()

    async def drop(self, worker: Worker) -> None:
        """End a process."""
        await worker.close()
        self._all.discard(worker)

    def client(self, name: str) -> Client:
        """A client by its name, perhaps a new one; the one that was silent for longest makes room."""
        client = self._clients.setdefault(name, Client(self))
        client.last_used = time.monotonic()
        self._clients.move_to_end(name)
        if len(self._clients) > MOST_CLIENTS:
            _, oldest = self._clients.popitem(last=False)
            self._background(oldest.close())
        return client

    def job(self, client: str, number: int) -> tuple[Client, Job] | None:
        """A question that was asked before, with its client."""
        job = self._clients[client].job(number) if client in self._clients else None
        return None if job is None else (self.client(client), job)

    async def _watch(self) -> None:
        """End clients that have gone, and forget processes that have ended."""
        while True:
            await asyncio.sleep(min(60.0, IDLE))
            for name, client in list(self._clients.items()):
                if time.monotonic() - client.last_used > IDLE:
                    await self._clients.pop(name).close()
            for worker in [worker for worker in self._all if worker.has_ended]:
                await self.drop(worker)

    async def close(self) -> None:
        """End all processes."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*(client.close() for client in self._clients.values()))
        await asyncio.gather(*map(self.drop, list(self._all)))
