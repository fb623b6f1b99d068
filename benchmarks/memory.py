"""The memory that a process took at most."""

from __future__ import annotations

import resource
from pathlib import Path


def peak_memory() -> float:
    """Peak resident memory of this process in MB.

    The kernel hands the parent's peak down through ``getrusage``, so its own figure is preferred.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
