"""Ctrl-C while worker processes start, and while they work: finished folds stay, no traceback, nobody is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from clocks import wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="signals to groups of processes are sent here"),
]

PROGRAM = """
import numpy as np, altsets
X = np.random.default_rng(0).normal(size=(200, 20))
y = (X[:, 0] > 0).astype(int)
done = []
def tell(progress):
    done.append(progress)
    print("done", flush=True)
print("ready", flush=True)
try:
    found = altsets.evaluate([list(range(20))] * 40, X, y, estimator="forest", cv=20, n_jobs=2, callback=tell)
    print("folds", len(found.folds), len(done), flush=True)
except KeyboardInterrupt:
    print("folds", 0, len(done), flush=True)
"""


@pytest.mark.parametrize("seconds", [0.05, 0.9, None])
def test_ctrl_c_at_any_time(seconds):
    """After so many seconds, or after the first fold."""
    # To the whole group, as a terminal does it.
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        if seconds is None:
            assert process.stdout.readline() == "done\n"
        else:
            time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate()
        assert err == ""
        # Python remembers an interruption of exec(), as in imports of dataclasses, and ends by it even if caught.
        assert process.returncode in (0, -signal.SIGINT)
        kept, seen = map(int, out.split()[-2:])
        assert kept == seen
        assert (seconds is None) <= kept < 20
        wait_until(lambda: all_gone(process.pid))
    finally:
        if not all_gone(process.pid):
            os.killpg(process.pid, signal.SIGKILL)


def all_gone(group):
    """Whether all processes of a group have ended."""
    try:
        os.killpg(group, 0)
    except (ProcessLookupError, PermissionError):
        return True
    return Path("/proc").is_dir() and not living(group)


def living(group):
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = entry.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(its_group) == group and state != "Z":
            found.append(entry)
    return found
