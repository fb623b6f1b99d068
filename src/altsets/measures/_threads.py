"""Work on many pieces in threads, in any order or one result after the other; progress is told, the end is prompt."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, TypeVar

import numpy as np

from altsets.arrays import Ints
from altsets.errors import InputError

__all__ = ["OnProgress", "in_order", "in_threads", "n_threads"]

Piece = TypeVar("Piece")
Outcome = TypeVar("Outcome")
#: Called with the share of the work that is done, from 0 to 1; whatever it raises ends the work.
OnProgress = Callable[[float], Any]

#: Seconds between two calls of progress, and the longest that an interruption goes unnoticed.
PAUSE = 0.1


def n_threads(n_jobs: int | None) -> int:
    """How many threads to use: as many as asked for; all the cores there are for None, -1 (one less for -2, ...).

    Examples
    --------
    >>> n_threads(3)
    3
    """
    if n_jobs is not None and (
        not isinstance(n_jobs, int | np.integer) or isinstance(n_jobs, bool) or not n_jobs
    ):
        raise InputError(f"n_jobs={n_jobs!r} must be a whole number other than 0, or None for all cores.")
    if n_jobs is not None and n_jobs > 0:
        return int(n_jobs)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + int(-1 if n_jobs is None else n_jobs))


def in_threads(
    pieces: Iterable[tuple[Piece, int]],
    total: int,
    worker: Callable[[Ints], Callable[[Piece], None]],
    n_jobs: int | None,
    progress: OnProgress | None,
) -> None:
    """Do all pieces of some work.

    The calling thread only waits: whatever ``progress`` raises, and Ctrl-C, ends the work soon and is raised again.

    Parameters
    ----------
    pieces : iterable of (piece, size)
        What is to be done, and how much of the total it is.
    total : int
        The sum of all sizes.
    worker : callable
        Called in each thread with the flag that asks kernels to stop; returns the function that does a piece.
    n_jobs : int or None
        As for :func:`n_threads`.
    progress : callable, optional
        Called with the share done, from 0 to 1.
    """
    stop = np.zeros(1, dtype=np.intc)
    queue: Iterator[tuple[Piece, int]] = iter(pieces)
    lock = threading.Lock()
    done = [0]

    def work() -> None:
        do = worker(stop)
        while not stop[0]:
            with lock:
                piece, size = next(queue, (None, 0))
            if piece is None:
                return
            do(piece)
            with lock:
                done[0] += size

    # Few pieces need no more threads than there are pieces, but their number is not known; threads are cheap.
    with ThreadPoolExecutor(n_threads(n_jobs)) as pool:
        try:
            running = {pool.submit(work) for _ in range(n_threads(n_jobs))}
            while running:
                ended, running = wait(running, timeout=PAUSE, return_when=FIRST_EXCEPTION)
                for future in ended:
                    future.result()
                if progress is not None:
                    progress(done[0] / total if total else 1.0)
        except BaseException:
            stop[0] = 1
            raise


def in_order(
    work: Callable[[int], Outcome],
    n_chunks: int,
    n_jobs: int | None = None,
    progress: OnProgress | None = None,
) -> Iterator[Outcome]:
    """The results of ``work(0)``, ``work(1)``, ..., in this order, however many threads there are.

    Examples
    --------
    >>> list(in_order(lambda chunk: chunk**2, 4, n_jobs=2))
    [0, 1, 4, 9]
    """
    stopped = threading.Event()

    def unless_stopped(chunk: int) -> Outcome:
        if stopped.is_set():
            raise RuntimeError("the work was stopped")
        return work(chunk)

    pool = ThreadPoolExecutor(min(n_threads(n_jobs), n_chunks))
    tell = _sparingly(progress)
    try:
        # Each result is let go of once it is used.
        futures = deque(pool.submit(unless_stopped, chunk) for chunk in range(n_chunks))
        for done in range(n_chunks):
            future = futures.popleft()
            tell(done / n_chunks)
            # With a limit, since waiting for a thread without one hides Ctrl-C on some systems.
            while not wait([future], timeout=PAUSE).done:
                tell(done / n_chunks)
            yield future.result()
        if progress is not None:
            progress(1.0)
    finally:
        # Chunks that have begun are short; what has not begun never will.
        stopped.set()
        pool.shutdown(wait=True, cancel_futures=True)


def _sparingly(progress: OnProgress | None) -> OnProgress:
    """The same function, but not called more often than every now and then."""
    told = -PAUSE

    def tell(share: float) -> None:
        nonlocal told
        if progress is not None and time.monotonic() - told >= PAUSE:
            progress(share)
            told = time.monotonic()

    return tell
