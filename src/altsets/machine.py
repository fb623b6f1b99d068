"""The memory of the machine, and sizes in words."""

from __future__ import annotations

import os
from pathlib import Path

#: Where a container says how much memory it may use.
CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def memory() -> int:
    """The bytes of memory of this machine, or of the container; 8 GiB if that is not known."""
    known = []
    try:
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        # Not on Windows.
        known.append(8 * 2**30)
    for path in CONTAINER_LIMITS:
        try:
            known.append(int(Path(path).read_text(encoding="ascii")))
        except (OSError, ValueError):
            # No container, or no limit.
            continue
    return min(known)


def size(n_bytes: float) -> str:
    """A number of bytes in words: ``"512 MB"``, ``"6.5 GB"``."""
    return f"{n_bytes / 1e6:,.0f} MB" if n_bytes < 1e9 else f"{n_bytes / 1e9:,.1f} GB"
