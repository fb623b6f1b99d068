"""Parallel work: processes by joblib with prompt Ctrl-C, tasks with their warnings, threads for kernels."""

from __future__ import annotations

import itertools
import numbers
import os
import re
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from contextvars import copy_context
from functools import partial
from types import FrameType
from typing import Any, TypeVar

import numpy as np

from altsets.arrays import Ints
from altsets.errors import InputError, warn_user
from altsets.wording import by_interface, parameter, plural

Outcome = TypeVar("Outcome")
#: Called with the share of the work that is done, from 0 to 1; what it raises ends the work.
OnProgress = Callable[[float], Any]

#: A function and its arguments; all of it can be sent to another process.
Task = tuple[Callable[..., Any], tuple[Any, ...]]
#: The category and the text of a warning.
Caught = tuple[type[Warning], str]
#: The parts of a warning that may differ from fold to fold: what stands in brackets or quotes, and numbers.
DETAILS = re.compile(r"\(.*\)|\[.*\]|'[^']*'|-?\d[\d.,]*(?:e[+-]?\d+)?")
#: Seconds between two calls of a callback, and the longest that an interruption goes unnoticed.
PAUSE = 0.1
#: Seconds between two looks of a worker at whether its parent is there.
WATCH = 1.0


def is_configured() -> bool:
    """Whether joblib's ``parallel_config`` is in use, or this is inside a worker already."""
    from joblib.parallel import get_active_backend  # type: ignore[import-untyped]

    backend, n_jobs = get_active_backend()
    return n_jobs is not None or not _is_default(backend)


def n_workers(n_jobs: int | None) -> int:
    """The number of calls at a time, as joblib and its ``parallel_config`` have it; 1 means in this process."""
    from joblib import Parallel  # type: ignore[import-untyped]
    from joblib.parallel import get_active_backend

    if n_jobs == 1:
        return 1
    backend, _ = get_active_backend()
    return int(backend.effective_n_jobs(Parallel(n_jobs=n_jobs).n_jobs))


def run_in_workers(calls: Iterable[Any], n_jobs: int | None, **how: Any) -> Generator[Any, None, None]:
    """The results of joblib's delayed calls, one by one; closing the generator ends the work.

    The user's ``parallel_config`` applies; by default the workers are processes that leave Ctrl-C to this one. All
    of them have the scikit-learn configuration of this process. ``how`` is passed on to ``joblib.Parallel``.
    """
    from sklearn import get_config

    config = get_config()
    parallel = _parallel(n_jobs, how)
    work = None
    # Threads share the warning filters; undo what workers do to them.
    with warnings.catch_warnings():
        try:
            with defer_ctrl_c():
                work = parallel((_as_here, (config, *call), {}) for call in calls)
            # Not "yield from work": only the lines below may close it.
            yield from (outcome for outcome in work)
        finally:
            if work is not None and hasattr(work, "close"):
                # joblib warns of results that are not used; here that is intended.
                warnings.simplefilter("ignore")
                work.close()


def _parallel(n_jobs: int | None, how: dict[str, Any]) -> Any:
    """The workers of the user's configuration, or processes that ignore Ctrl-C."""
    from joblib import Parallel
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    if _is_default(backend):
        # Start it before the workers: starting the resource tracker unblocks Ctrl-C.
        if os.name == "posix":
            from multiprocessing.resource_tracker import ensure_running

            ensure_running()
        return Parallel(
            n_jobs=n_jobs, backend="loky", initializer=begin_worker, initargs=(os.getpid(),), **how
        )
    if not backend.supports_return_generator:
        how = {**how, "return_as": "list"}
    return Parallel(n_jobs=n_jobs, **how)


def _is_default(backend: Any) -> bool:
    from joblib.parallel import BACKENDS, DEFAULT_BACKEND

    return type(backend) is BACKENDS[DEFAULT_BACKEND]


def _as_here(config: dict[str, Any], function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A call with the scikit-learn configuration of the process that sent it."""
    from sklearn import config_context

    with config_context(**config):
        return function(*args, **kwargs)


def begin_worker(parent: int) -> None:
    """Leave Ctrl-C, which reaches every process, to the parent, and end with it, even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process when its parent is gone; a process that has lost its parent gets another one."""
    while os.getppid() == parent:
        time.sleep(WATCH)
    os._exit(1)


@contextmanager
def defer_ctrl_c() -> Iterator[None]:
    """Start processes in here: they never see Ctrl-C, and this process handles it at the end.

    A new process cannot ignore signals yet, but it inherits which ones are blocked. Half a pool of processes is
    of no use, so Ctrl-C is handled once all of them have started.
    """
    received: list[tuple[int, FrameType | None]] = []
    handler = signal.getsignal(signal.SIGINT)
    # Only the main thread receives signals and may set handlers.
    ours = threading.current_thread() is threading.main_thread() and callable(handler)
    if ours:
        signal.signal(signal.SIGINT, lambda number, frame: received.append((number, frame)))
    # Windows has no signal masks.
    can_block = hasattr(signal, "pthread_sigmask")
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if can_block else set()
    try:
        yield
    finally:
        if can_block:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        if ours and callable(handler):
            signal.signal(signal.SIGINT, handler)
            if received:
                handler(*received[0])


def check_jobs(n_jobs: Any) -> int | None:
    if n_jobs is None:
        return None
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InputError(
            f"{parameter('n_jobs', n_jobs)} must be a whole number other than "
            f"0{by_interface(', or None', '')}."
        )
    return int(n_jobs)


# --- Tasks --------------------------------------------------------------------------------------------


def run_tasks(
    tasks: Sequence[Task], n_jobs: int | None, callback: Callable[[float], object] | None
) -> list[Any]:
    """What all tasks return, in their order, whatever the number of processes; each kind of warning comes once.

    Ctrl-C ends the work and keeps what is done. Anything else that ``callback`` or a task raises is raised again.
    ``n_jobs`` is as in joblib, whose ``parallel_config`` applies; 1 (or None without a configuration) stays in this
    process. ``callback`` is called with the share of finished tasks.
    """
    done: dict[int, tuple[Any, list[Caught]]] = {}
    errors: dict[int, Exception] = {}
    # Nothing new is started after an error.
    queue = (
        (position, *task) for position, task in itertools.takewhile(lambda _: not errors, enumerate(tasks))
    )
    outcomes: Generator[tuple[int, Any, list[Caught]], None, None]
    if n_workers(n_jobs) == 1 or len(tasks) < 2:
        outcomes = (_run_one(*task) for task in queue)
    else:
        # Unordered, so that nothing finished is lost while an earlier task takes long; and no task waits in a
        # queue, where it would delay an early end.
        how = {"return_as": "generator_unordered", "pre_dispatch": "n_jobs", "batch_size": 1}
        outcomes = run_in_workers(((_run_one, task, {}) for task in queue), n_jobs, **how)
    try:
        with closing(outcomes):
            for position, outcome, messages in outcomes:
                if isinstance(outcome, Exception):
                    errors[position] = outcome
                    continue
                done[position] = outcome, messages
                if callback is not None:
                    callback(len(done) / len(tasks))
    except KeyboardInterrupt:
        pass
    if errors:
        raise errors[min(errors)]
    finished = [done[position] for position in sorted(done)]
    warn_once([entry for _, messages in finished for entry in messages])
    return [outcome for outcome, _ in finished]


def warn_once(messages: Sequence[Caught]) -> None:
    """Issue the first warning of each kind; say how many others differ from it in names and numbers only."""
    kinds: dict[Caught, dict[str, None]] = {}
    for category, message in messages:
        kinds.setdefault((category, DETAILS.sub("", message)), {})[message] = None
    for (category, _), (first, *others) in kinds.items():
        more = f" ({len(others)} more such {plural(len(others), 'warning')} with other names or numbers)"
        warn_user(first + more if others else first, category)


def _run_one(
    position: int, function: Callable[..., Any], arguments: tuple[Any, ...]
) -> tuple[int, Any, list[Caught]]:
    with WarningCapture() as caught:
        try:
            outcome = function(*arguments)
        except Exception as error:
            outcome = error
    return position, outcome, caught


#: The warnings of this thread, as ``caught``; None while they are shown as usual.
_thread = threading.local()
#: Python shows warnings in one place for all threads: the first capture replaces it, the last one restores it.
_replaced, _lock = ExitStack(), threading.Lock()


class WarningCapture:
    """Collect the warnings of the current thread instead of showing them; other threads may do so at the same time."""

    n_active = 0

    def __enter__(self) -> list[Caught]:
        caught: list[Caught] = []
        self._outer = getattr(_thread, "caught", None)
        with _lock:
            WarningCapture.n_active += 1
            if WarningCapture.n_active == 1:
                _replaced.enter_context(warnings.catch_warnings())
                warnings.simplefilter("always")
                warnings.showwarning = partial(_show, warnings.showwarning)
        _thread.caught = caught
        return caught

    def __exit__(self, *_: object) -> None:
        _thread.caught = self._outer
        with _lock:
            WarningCapture.n_active -= 1
            if not WarningCapture.n_active:
                _replaced.close()


def _show(as_usual: Callable[..., None], message: Any, category: Any, *where: Any, **more: Any) -> None:
    caught = getattr(_thread, "caught", None)
    if caught is None:
        as_usual(message, category, *where, **more)
    else:
        caught.append((category, str(message)))


# --- Threads ------------------------------------------------------------------------------------------


def n_threads(n_jobs: int | None) -> int:
    """The number of threads: as requested; all cores for None and -1 (one less for -2, ...)."""
    asked = check_jobs(n_jobs) or -1
    if asked > 0:
        return asked
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores + 1 + asked)


def map_in_order(
    work: Callable[[int], Outcome],
    n_chunks: int,
    n_jobs: int | None = None,
    callback: OnProgress | None = None,
    stop: Ints | None = None,
) -> Iterator[Outcome]:
    """The results of ``work(0)``, ``work(1)``, ... in this order, whatever the number of threads.

    The calling thread only waits: what ``callback`` raises, and Ctrl-C, ends the work soon and is raised again;
    ``stop`` becomes 1 then, which kernels look at.
    """
    stop = np.zeros(1, dtype=np.intc) if stop is None else stop

    def unless_stopped(chunk: int) -> Outcome:
        if stop[0]:
            raise RuntimeError("the work was stopped")
        return work(chunk)

    pool = ThreadPoolExecutor(max(1, min(n_threads(n_jobs), n_chunks)))
    tell = _throttle(callback)
    try:
        # popleft, so that each result is freed once it is used.
        futures = deque(pool.submit(copy_context().run, unless_stopped, chunk) for chunk in range(n_chunks))
        for done in range(n_chunks):
            future = futures.popleft()
            tell(done / n_chunks)
            # With a limit, since waiting for a thread without one hides Ctrl-C on some systems.
            while not wait([future], timeout=PAUSE).done:
                tell(done / n_chunks)
            yield future.result()
        if callback is not None:
            callback(1.0)
    finally:
        # Running chunks are short; the others never start.
        stop[0] = 1
        pool.shutdown(wait=True, cancel_futures=True)


def _throttle(callback: OnProgress | None) -> OnProgress:
    last = -PAUSE

    def tell(share: float) -> None:
        nonlocal last
        if callback is not None and time.monotonic() - last >= PAUSE:
            callback(share)
            last = time.monotonic()

    return tell
