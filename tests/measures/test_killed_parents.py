"""What is left of parallel work after the process that began it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import psutil
import pytest

#: Begins two tasks that never end, in workers of the kind that everything in altsets uses, and says which these are.
ENDLESS = """
import os, sys, time
from joblib import delayed
from altsets.measures.workers import run_in_workers

def endless(path):
    with open(path, "w") as file:
        file.write(f"{os.getpid()}\\n")
    while True:
        time.sleep(1)

for _ in run_in_workers((delayed(endless)(path) for path in sys.argv[1:]), 2, return_as="generator_unordered"):
    pass
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="processes keep their parent there")
def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    script, files = tmp_path / "endless.py", [tmp_path / name for name in "ab"]
    script.write_text(ENDLESS)
    begun = subprocess.Popen([sys.executable, script, *files])
    try:
        while not all(path.exists() and path.read_text().endswith("\n") for path in files):
            assert begun.poll() is None
        family = psutil.Process(begun.pid).children(recursive=True)
        assert {int(path.read_text()) for path in files} <= {process.pid for process in family}
    finally:
        begun.send_signal(signal.SIGKILL)
        begun.wait()
    _, left = psutil.wait_procs(family, timeout=120)
    for process in left:
        process.kill()
    assert not left
