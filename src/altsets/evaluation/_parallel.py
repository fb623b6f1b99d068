"""Run folds one after the other or in worker processes; keep finished ones after Ctrl-C, collect their warnings."""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from altsets.errors import warn_user
from altsets.measures.workers import n_workers, run_in_workers

#: A function and its arguments; all of it can be sent to another process.
Task = tuple[Callable[..., Any], tuple[Any, ...]]
#: The category and the text of a warning.
Caught = tuple[type[Warning], str]


@dataclass(frozen=True)
class Outcomes:
    """What tasks returned, by position (after Ctrl-C only those that had finished), and their distinct warnings."""

    returned: dict[int, Any]
    warnings: list[Caught]

    def warn(self) -> None:
        """Issue each of the warnings once."""
        for category, message in self.warnings:
            warn_user(message, category)


def run_tasks(
    tasks: Sequence[Task], n_jobs: int | None, progress: Callable[[float], object] | None
) -> Outcomes:
    """Run all tasks; what they return does not depend on the number of processes.

    Ctrl-C ends the work and keeps what is done. Anything else that ``progress`` or a task raises is raised again.
    ``n_jobs`` is as in joblib, whose ``parallel_config`` applies; 1 (or None without a configuration) stays in this
    process. ``progress`` is called with the share of finished tasks.
    """
    returned: dict[int, Any] = {}
    caught: dict[int, list[Caught]] = {}
    errors: dict[int, Exception] = {}
    # Nothing new is started after an error.
    queue = (
        (position, *task) for position, task in itertools.takewhile(lambda _: not errors, enumerate(tasks))
    )
    serial = n_workers(n_jobs) == 1 or len(tasks) < 2
    try:
        with closing(_run_here(queue) if serial else _run_in_workers(queue, n_jobs)) as work:
            for position, outcome, messages in work:
                if isinstance(outcome, Exception):
                    errors[position] = outcome
                    continue
                returned[position], caught[position] = outcome, messages
                if progress is not None:
                    progress(len(returned) / len(tasks))
    except KeyboardInterrupt:
        pass
    if errors:
        raise errors[min(errors)]
    in_order = itertools.chain.from_iterable(caught[position] for position in sorted(caught))
    return Outcomes(dict(sorted(returned.items())), list(dict.fromkeys(in_order)))


_Queue = Iterable[tuple[int, Callable[..., Any], tuple[Any, ...]]]
_Outcome = tuple[int, Any, list[Caught]]


def _run_here(queue: _Queue) -> Generator[_Outcome, None, None]:
    for task in queue:
        yield _run_one(*task)


def _run_in_workers(queue: _Queue, n_jobs: int | None) -> Generator[_Outcome, None, None]:
    from joblib import delayed  # type: ignore[import-untyped]

    # Unordered, so that nothing finished is lost while an earlier task takes long; and no task waits in a
    # queue, where it would delay an early end.
    calls = (delayed(_run_one)(*task) for task in queue)
    return run_in_workers(calls, n_jobs, return_as="generator_unordered", pre_dispatch="n_jobs", batch_size=1)


def _run_one(position: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> _Outcome:
    """What a task returns, or the exception it raises, with its warnings: all can cross a process boundary."""
    with WarningCapture() as caught:
        try:
            outcome = function(*arguments)
        except Exception as error:
            outcome = error
    return position, outcome, caught


# --- Warnings -----------------------------------------------------------------------------------------


class WarningCapture:
    """Collect the warnings of the current thread instead of showing them; other threads may do so at the same time."""

    def __enter__(self) -> list[Caught]:
        self._outer = _thread.caught
        _hook.install()
        _thread.caught = []
        return _thread.caught

    def __exit__(self, *_: object) -> None:
        _thread.caught = self._outer
        _hook.remove()


class _ThreadState(threading.local):
    """The warnings of this thread; None while they are shown as usual."""

    caught: list[Caught] | None = None


class _WarningHook:
    """Python shows warnings in one place for all threads: the first capture replaces it, the last one restores it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before = warnings.catch_warnings()

    def install(self) -> None:
        with self._lock:
            self._count += 1
            if self._count > 1:
                return
            self._before = warnings.catch_warnings()
            self._before.__enter__()
            show_as_usual = warnings.showwarning
            warnings.simplefilter("always")

            def show(message: Any, category: Any, *where: Any, **more: Any) -> None:
                if _thread.caught is None:
                    show_as_usual(message, category, *where, **more)
                else:
                    _thread.caught.append((category, str(message)))

            warnings.showwarning = show

    def remove(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                self._before.__exit__(None, None, None)


_thread = _ThreadState()
_hook = _WarningHook()
