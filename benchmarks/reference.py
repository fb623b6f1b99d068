"""The reference implementation as a subprocess: its environment, its answers, and the cap on its time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from benchmarks.searches import Scores, Search

#: The frozen results come from this version; another one is taken only where the index does not have it.
REQUIREMENTS = ("alfese==1.1.0", "alfese")
WORKER = Path(__file__).with_name("reference_worker.py")


class ReferenceUnavailableError(Exception):
    """The reference cannot be run here; the message is the reason for skipping."""


@dataclass(frozen=True)
class ReferenceAnswer:
    """What the reference found, in its own time."""

    seconds: float
    solver_seconds: float | None
    statuses: tuple[str, ...]
    sets: tuple[tuple[int, ...], ...]
    stopped: bool = False

    @property
    def status(self) -> str:
        """One word, or all of them where the sets differ."""
        return " / ".join(dict.fromkeys(self.statuses))

    @classmethod
    def from_record(cls, record: dict[str, Any], stopped: bool = False) -> ReferenceAnswer:
        """From the worker's JSON answer, which is also the format of the frozen records."""
        return cls(
            seconds=float(record["wall_s"]),
            solver_seconds=record.get("solver_s"),
            statuses=tuple(record["statuses"]),
            sets=tuple(tuple(chosen) for chosen in record.get("sets", ()) if chosen),
            stopped=stopped,
        )

    def valid(self, search: Search) -> bool:
        """Whether its sets are what was asked for: a feature counts for it however small its variable is."""
        for position, chosen in enumerate(self.sets):
            shared = [len(set(chosen) & set(other)) for other in self.sets[:position]]
            if len(set(chosen)) != search.k or max(shared, default=0) > search.k - search.diff:
                return False
        return True

    def qualities(self, search: Search, scores: Scores) -> list[float]:
        """The qualities of its sets by our arithmetic: the solver's own values carry its tolerances."""
        return [scores.quality.evaluate(chosen) for chosen in self.sets] if self.valid(search) else []


def prepare_environment(
    folder: Path, requirements: Sequence[str] = REQUIREMENTS, worker: Path = WORKER
) -> Path:
    """The reference's Python interpreter; the environment is built on first use."""
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not _works(python, worker):
        print(f"building {folder.name} for the reference ...", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        if not any(_installed(python, one) for one in requirements) or not _works(python, worker):
            raise ReferenceUnavailableError(
                f"{requirements[0]} could not be installed into {folder.name}; see the output of pip."
            )
    return python


def _installed(python: Path, requirement: str) -> bool:
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += requirement.split()
    return subprocess.run(command, check=False).returncode == 0


def _works(python: Path, worker: Path) -> bool:
    """Asked of the environment each time: a half-finished installation must never pass for a good one."""
    if not python.exists():
        return False
    command = [python, worker]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


class Reference:
    """A running worker; a search that exceeds the cap costs its life, and the next search gets a new one."""

    def __init__(self, python: Path, cap: float) -> None:
        self._command: Sequence[str | Path] = (python, WORKER)
        self._cap = cap
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.versions: dict[str, str] = json.loads(self._read())

    def _read(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise ReferenceUnavailableError(f"the reference ended with exit status {self._process.wait()}.")
        return line

    def ask(self, search: Search, scores: Scores) -> ReferenceAnswer:
        """Its answer to one search, or the cap as a lower limit of its time."""
        request = {
            "method": scores.method,
            "numbers": [part.tolist() for part in (scores.values, scores.pairs) if part is not None],
            "k": search.k,
            "diff": search.diff,
            "a": search.a,
            "search": search.search,
            "aggregation": search.aggregation,
        }
        assert self._process.stdin is not None
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            self._process.kill()

        timer = threading.Timer(self._cap, stop)
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        timer.start()
        try:
            return ReferenceAnswer.from_record(json.loads(self._read()))
        except ReferenceUnavailableError:
            if not stopped.is_set():
                raise
        finally:
            timer.cancel()
        self.close()
        self._start()
        return ReferenceAnswer(self._cap, None, (f"stopped after {self._cap:g} s",), (), stopped=True)

    def close(self) -> None:
        """End the worker."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()

    def __enter__(self) -> Reference:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
