"""Pages as clients: the requests of each, the process that works on them, and scores that all of them use."""

from __future__ import annotations

import asyncio
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any

from altsets.app.messages import Ask
from altsets.app.workers import PATIENCE, STOPPED, Job, OpenEngine, Worker

#: Clients at a time, and seconds after which one that says nothing has gone.
MOST_CLIENTS, IDLE = 16, 30 * 60.0
#: Questions of a client whose answers are kept, for a page that is late.
KEPT = 8
#: Seconds until there is a new spare process: starting one takes a core from the search that was asked for.
SPARE_AFTER = 1.0
#: Seconds after which scores are given up that nobody waits for.
UNWANTED = 2.0


class Lane:
    """Jobs of a client that run one after the other, in a process of their own."""

    def __init__(self, pool: Clients, *, keeps_worker: bool) -> None:
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

    def __init__(self, pool: Clients) -> None:
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
        """An earlier question, if it is still known."""
        return self._jobs.get(number)

    def cancel(self, job: Job) -> None:
        """Stop a job and keep the best it has."""
        if not job.finished:
            self._lane(job).cancel(job)

    async def close(self) -> None:
        """End everything."""
        for lane in self._lanes.values():
            await lane.close()


class PendingScores:
    """The scores of a quality on their way, and how many jobs wait for them."""

    def __init__(self, quality: str | None) -> None:
        self.quality, self.n_waiting = quality, 0
        state = None if quality is None else {"quality": quality}
        self.job = Job(Ask("", -1, "prepare", state, {}))


class Clients:
    """All clients and their processes, and a spare process that is ready for the next one."""

    def __init__(self, open_engine: OpenEngine, on_failure: Callable[[str], None]) -> None:
        self._open_engine, self._on_failure = open_engine, on_failure
        self._clients: OrderedDict[str, Client] = OrderedDict()
        self._all: set[Worker] = set()
        self._spare: Worker | None = None
        self._scorings: dict[str | None, PendingScores] = {}
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

    def _scoring(self, quality: str | None) -> PendingScores:
        """The computation of the scores of a quality, begun now unless it was before; None: what pages begin with."""
        if quality not in self._scorings:
            self._scorings[quality] = scoring = PendingScores(quality)
            self._background(self._score(scoring))
        return self._scorings[quality]

    async def _score(self, scoring: PendingScores) -> None:
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
        """An earlier question, with its client."""
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
