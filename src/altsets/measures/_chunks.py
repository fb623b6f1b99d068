"""Work in chunks on several threads: the results in order, progress told, and an end within a chunk if asked for."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from altsets.errors import InputError

__all__ = ["Tell", "in_order", "n_workers"]

#: Gets the share that is done, from 0 to 1; whatever it raises ends the work.
Tell = Callable[[float], object]
T = TypeVar("T")

#: Seconds between two calls of a user's progress function.
PAUSE = 0.1


def n_workers(n_jobs: int | None) -> int:
    """How many threads to use: all processors that this process may use, for None and -1.

    Examples
    --------
    >>> n_workers(3)
    3
    """
    if n_jobs is None or n_jobs == -1:
        usable = getattr(os, "sched_getaffinity", None)
        return len(usable(0)) if usable else os.cpu_count() or 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or n_jobs < 1:
        raise InputError(
            f"n_jobs={n_jobs!r} is no number of workers; give 1 or more, or None for all processors."
        )
    return n_jobs


def in_order(
    work: Callable[[int], T], n_chunks: int, n_jobs: int | None = None, progress: Tell | None = None
) -> Iterator[T]:
    """The results of ``work(0)``, ``work(1)``, ..., in this order, however many threads there are.

    Examples
    --------
    >>> list(in_order(lambda chunk: chunk**2, 4, n_jobs=2))
    [0, 1, 4, 9]
    """
    stopped = threading.Event()

    def unless_stopped(chunk: int) -> T:
        if stopped.is_set():
            raise RuntimeError("the work was stopped")
        return work(chunk)

    pool = ThreadPoolExecutor(min(n_workers(n_jobs), n_chunks))
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


def _sparingly(progress: Tell | None) -> Tell:
    """The same function, but not called more often than every now and then."""
    told = -PAUSE

    def tell(share: float) -> None:
        nonlocal told
        if progress is not None and time.monotonic() - told >= PAUSE:
            progress(share)
            told = time.monotonic()

    return tell
