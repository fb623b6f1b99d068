"""Work in processes of their own: how many at a time, how they start, and what Ctrl-C means to them."""

from __future__ import annotations

import numbers
import os
import signal
import threading
import warnings
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from altsets.errors import InputError

__all__ = ["checked_jobs", "ctrl_c_later", "in_workers"]


def in_workers(calls: Iterable[Any], n_jobs: int | None, **how: Any) -> Generator[Any, None, None]:
    """The outcomes of joblib's delayed calls in processes of their own, one by one; closing it ends the work.

    Parameters
    ----------
    calls : iterable of delayed calls
        What is to be done.
    n_jobs : int or None
        How many at a time, as joblib takes it.
    **how
        In which order, and what else ``joblib.Parallel`` takes.
    """
    from joblib import Parallel  # type: ignore[import-untyped]

    # Before the workers, as starting this helper of Python's unblocks Ctrl-C.
    if os.name == "posix":
        from multiprocessing.resource_tracker import ensure_running

        ensure_running()
    parallel = Parallel(n_jobs=n_jobs, backend="loky", initializer=leave_ctrl_c_alone, **how)
    work = None
    try:
        with ctrl_c_later():
            work = parallel(calls)
        # Handed on one by one, so that nobody but the lines below closes it.
        yield from (outcome for outcome in work)
    finally:
        if work is not None:
            with warnings.catch_warnings():
                # joblib regrets work that nobody waits for; here somebody wanted the end.
                warnings.simplefilter("ignore")
                work.close()


def leave_ctrl_c_alone() -> None:
    """Ctrl-C reaches every process, and the one that searches is to decide what it means."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def ctrl_c_later() -> Iterator[None]:
    """Start processes in here: Ctrl-C is none of their business from the first, and for this one it waits.

    A process that has just begun cannot ignore anything yet; but it inherits which signals are blocked. And half a
    pool of processes is no good to anybody, so that Ctrl-C counts when all are there.
    """
    came: list[tuple[int, FrameType | None]] = []
    meant = signal.getsignal(signal.SIGINT)
    # Only the main thread hears of signals, and may say what becomes of them.
    ours = threading.current_thread() is threading.main_thread() and callable(meant)
    if ours:
        signal.signal(signal.SIGINT, lambda number, frame: came.append((number, frame)))
    # Windows has no such thing.
    can_block = hasattr(signal, "pthread_sigmask")
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if can_block else set()
    try:
        yield
    finally:
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        if ours and callable(meant):
            signal.signal(signal.SIGINT, meant)
            if came:
                meant(*came[0])


def checked_jobs(n_jobs: Any) -> int | None:
    """How many at a time: a whole number as joblib takes it, or None."""
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InputError(f"n_jobs={n_jobs!r} must be a whole number other than 0, or None.")
    return int(n_jobs)
