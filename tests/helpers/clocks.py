"""A real clock around a call. What a result says about its own time proves nothing.

Tests with it depend on how fast a machine is and on what else it does, so they are marked ``timing``, ask for a few
times as much as is needed, and are left out by ``pytest -m "not timing"``.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

__all__ = ["within"]


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Fail if what is inside takes longer than that."""
    start = time.perf_counter()
    yield
    taken = time.perf_counter() - start
    assert taken < seconds, f"{taken:.2f} s instead of {seconds} s"
