"""Warnings of several threads, each heard by the piece of work that gave it."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Said", "heard", "unheard"]

#: The kind of a warning, and what it says.
Said = tuple[type[Warning], str]


class _Listening(threading.local):
    """What the current thread has been warned of; None if nobody asks."""

    said: list[Said] | None = None


class _Ears:
    """Python has one place that shows warnings for all threads, so the first who listens takes it, and the last one
    gives it back.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._before = warnings.catch_warnings()

    def open(self) -> None:
        with self._lock:
            self._count += 1
            if self._count > 1:
                return
            self._before = warnings.catch_warnings()
            self._before.__enter__()
            shown = warnings.showwarning
            warnings.simplefilter("always")

            def show(message: Any, category: Any, *where: Any, **more: Any) -> None:
                if _here.said is None:
                    shown(message, category, *where, **more)
                else:
                    _here.said.append((category, str(message)))

            warnings.showwarning = show

    def close(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count:
                self._before.__exit__(None, None, None)


_here = _Listening()
_ears = _Ears()


@contextmanager
def heard() -> Iterator[list[Said]]:
    """The warnings of this thread, instead of showing them; other threads may do the same at the same time.

    Examples
    --------
    >>> with heard() as said:
    ...     warnings.warn("so few rows")
    >>> said
    [(<class 'UserWarning'>, 'so few rows')]
    """
    before = _here.said
    _ears.open()
    _here.said = []
    try:
        yield _here.said
    finally:
        _here.said = before
        _ears.close()


@contextmanager
def unheard() -> Iterator[None]:
    """No warnings of this thread at all."""
    with heard():
        yield
