"""What a user feels before and beside the search: start-up, deadlines, Ctrl-C."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.report import Check, Section, duration, row_of, table
from benchmarks.searches import SLACK, Scores, Search, measure

#: The installed command, whatever the environment; a shell may have started us with Ctrl-C ignored.
COMMAND = (
    sys.executable,
    "-c",
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from altsets.cli import main; sys.exit(main())",
)
HELP_SECONDS = 0.5
TIME_LIMIT = 1.0
#: Imports, reading and scoring are over by then, and the search is not.
INTERRUPT_AFTER = 6.0
HARD_N = 40
HARD = (
    Search("simultaneous", "min", k=15, diff=9, a=8),
    Search("simultaneous", "min", k=12, diff=8, a=5),
    Search("simultaneous", "sum", k=15, diff=9, a=8),
    Search("sequential", "sum", k=15, diff=8, a=30),
)
#: Like the importances of a small tree: one strong feature, some weak ones, more than half of them zero.
SKEWED = (0.629, 0.163, 0.0532, 0.0342, 0.0228, 0.0184, 0.015, 0.0148, 0.014, 0.0114, 0.0089, 0.0083, 0.0075)
SKEWED_N = 30
HARD_SKEWED = (
    Search("simultaneous", "min", k=10, diff=8, a=4),
    Search("simultaneous", "min", k=10, diff=8, a=5),
)


def run() -> Section:
    """All three, on searches that take longer than they are given."""
    section = Section("startup")
    _deadline(section)
    if importlib.util.find_spec("altsets.cli") is None:
        section.body.append("The command line was not measured: this version of altsets has none.")
        return section
    _help(section)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hard.csv"
        _write_hard_table(path)
        interrupted = [_interrupt(path, ()), _interrupt(path, ("--json",))]
    for one in interrupted:
        section.checks.append(
            Check(f"Ctrl-C during `altsets find{one.option}`", "best sets and bound", one.said, one.ok)
        )
    shown = "\n".join(line.rstrip() for line in interrupted[0].output.splitlines())
    section.body += ["What Ctrl-C leaves on the screen:", f"```text\n{shown}\n```"]
    return section


def _deadline(section: Section) -> None:
    rng = np.random.default_rng(0)
    uniform = Scores("uniform", f"n={HARD_N}", rng.random(HARD_N))
    skewed = Scores("skewed", f"n={SKEWED_N}", np.pad(SKEWED, (0, SKEWED_N - len(SKEWED))))
    found = [measure(uniform, search, TIME_LIMIT) for search in HARD]
    found += [measure(skewed, search, TIME_LIMIT) for search in HARD_SKEWED]
    late = [one for one in found if one.seconds > TIME_LIMIT + SLACK or one.status == "error"]
    worst = max(one.seconds for one in found)
    target = f"kept within {SLACK:g} s"
    section.checks.append(
        Check(f"time limit of {TIME_LIMIT:g} s", target, f"worst {duration(worst)}", not late)
    )
    section.body += [
        f"Searches under a time limit of {TIME_LIMIT:g} s:",
        table(
            ("scores", "search", "time", "status", "relative gap", "error"),
            ((o.scores, o.search, duration(o.seconds), o.status, o.relative_gap, o.error) for o in found),
        ),
    ]
    section.rows = [row_of("startup", one) for one in found]


def _help(section: Section) -> None:
    """The best of three: the first run may still have to compile the modules."""
    seconds = []
    for _ in range(3):
        process = subprocess.Popen([*COMMAND, "--help"], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds.append(usage.ru_utime + usage.ru_stime)
    ok = process.returncode == 0 and min(seconds) < HELP_SECONDS
    said = f"{duration(min(seconds))} of CPU time, exit status {process.returncode}"
    section.checks.append(Check("`altsets --help`", f"< {HELP_SECONDS:g} s of CPU time", said, ok))


def _write_hard_table(path: Path) -> None:
    """Columns of falling relevance and nothing to tell many combinations apart."""
    rng = np.random.default_rng(0)
    target = rng.integers(0, 2, 200)
    noise = np.linspace(0.5, 2.0, HARD_N)
    columns = target[:, None] + noise * rng.standard_normal((200, HARD_N))
    header = ",".join([*(f"x{index}" for index in range(HARD_N)), "target"])
    table = np.column_stack([columns, target])
    np.savetxt(path, table, delimiter=",", header=header, comments="", fmt=["%.6f"] * HARD_N + ["%d"])


@dataclass(frozen=True)
class _Interrupted:
    """What an interrupted command left behind."""

    option: str
    output: str
    said: str
    ok: bool


def _interrupt(path: Path, options: Sequence[str]) -> _Interrupted:
    hard = HARD[0]
    command = [*COMMAND, "find", str(path), "--target", "target", "-k", str(hard.k), "-a", str(hard.a)]
    command += ["--tau", str(hard.tau), "--search", hard.search, "--aggregation", hard.aggregation, *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    option = "".join(f" {option}" for option in options)
    try:
        output, errors = process.communicate(timeout=INTERRUPT_AFTER)
        return _Interrupted(option, output, f"ended by itself with exit status {process.returncode}", False)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        sent = time.perf_counter()
    try:
        output, errors = process.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return _Interrupted(option, "", "still running 30 s later", False)
    waited = time.perf_counter() - sent
    ok = process.returncode == 0 and (_complete(output) if options else "bound" in output + errors)
    shown = "sets and bound" if ok else "incomplete"
    said = f"exit status {process.returncode} after {duration(waited)}, {shown}"
    return _Interrupted(option, output + errors, said, ok)


def _complete(output: str) -> bool:
    """Whether the JSON document holds sets and a finite bound."""
    try:
        document = json.loads(output)
    except json.JSONDecodeError:
        return False
    return bool(document["sets"]) and document["bound"] is not None
