"""Work done side by side: where and how many at a time, how processes start, and what Ctrl-C means to them."""

from __future__ import annotations

import numbers
import os
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from altsets.errors import InputError

__all__ = ["at_a_time", "checked_jobs", "ctrl_c_later", "in_workers", "is_configured"]


def is_configured() -> bool:
    """Whether the user has said where to work, with joblib's ``parallel_config``, or somebody is at work already."""
    from joblib.parallel import get_active_backend  # type: ignore[import-untyped]

    backend, n_jobs = get_active_backend()
    return n_jobs is not None or not _is_default(backend)


def at_a_time(n_jobs: int | None) -> int:
    """How many calls are made at a time, as joblib and its ``parallel_config`` have it; 1 means here.

    Examples
    --------
    >>> at_a_time(None), at_a_time(3)
    (1, 3)
    """
    from joblib import Parallel  # type: ignore[import-untyped]
    from joblib.parallel import get_active_backend

    if n_jobs == 1:
        return 1
    backend, _ = get_active_backend()
    return int(backend.effective_n_jobs(Parallel(n_jobs=n_jobs).n_jobs))


def in_workers(calls: Iterable[Any], n_jobs: int | None, **how: Any) -> Generator[Any, None, None]:
    """The outcomes of joblib's delayed calls, one by one; closing it ends the work.

    The user's ``parallel_config`` says who works; without one it is processes that leave Ctrl-C to this one. In all of
    them scikit-learn is set as it is here.

    Parameters
    ----------
    calls : iterable of delayed calls
        What is to be done.
    n_jobs : int or None
        How many at a time, as joblib takes it.
    **how
        In which order, and what else ``joblib.Parallel`` takes.
    """
    from sklearn import get_config

    config = get_config()
    parallel = _parallel(n_jobs, how)
    work = None
    # What threads do to the filters of warnings, which all threads share, ends here.
    with warnings.catch_warnings():
        try:
            with ctrl_c_later():
                work = parallel((_as_here, (config, *call), {}) for call in calls)
            # Handed on one by one, so that nobody but the lines below closes it.
            yield from (outcome for outcome in work)
        finally:
            if work is not None and hasattr(work, "close"):
                # joblib regrets work that nobody waits for; here somebody wanted the end.
                warnings.simplefilter("ignore")
                work.close()


def _parallel(n_jobs: int | None, how: dict[str, Any]) -> Any:
    """Whom the user wants to do the work, or processes of ours."""
    from joblib import Parallel
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    if _is_default(backend):
        # Before the workers, as starting this helper of Python's unblocks Ctrl-C.
        if os.name == "posix":
            from multiprocessing.resource_tracker import ensure_running

            ensure_running()
        return Parallel(n_jobs=n_jobs, backend="loky", initializer=leave_ctrl_c_alone, **how)
    if not backend.supports_return_generator:
        how = {**how, "return_as": "list"}
    return Parallel(n_jobs=n_jobs, **how)


def _is_default(backend: Any) -> bool:
    from joblib.parallel import BACKENDS, DEFAULT_BACKEND

    return type(backend) is BACKENDS[DEFAULT_BACKEND]


def _as_here(config: dict[str, Any], function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A call under the same settings of scikit-learn as in the process that sent it."""
    from sklearn import config_context

    with config_context(**config):
        return function(*args, **kwargs)


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
