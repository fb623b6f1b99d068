"""This version beside an older one, search by search in one run: machines are too noisy for anything else.

Each version works in a process of its own, which answers one search at a time while the other one waits; who is first
changes with every search.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import altsets
from benchmarks.grid import grid
from benchmarks.report import Check, Section, duration, geometric_mean, table
from benchmarks.searches import REPEAT_BELOW, Scores, Search

#: How much longer than the old version the new one may take in all.
SLOWER = 1.05
#: Objectives that differ by no more than this are the same.
SAME = 1e-9
WORST = 12
#: How often each version is asked for a short search: other processes slow down whatever runs beside them.
ROUNDS = 6


@dataclass(frozen=True)
class Pair:
    """One search and what each version answered: seconds, status, objective."""

    scores: Scores
    search: Search
    old: dict[str, Any]
    new: dict[str, Any]

    @property
    def group(self) -> str:
        """What is reported together."""
        return f"{self.scores.measure}, {self.search.kind}, k = {self.search.k}"

    @property
    def ratio(self) -> float:
        """How many times as long the new version took."""
        return float(self.new["seconds"] / self.old["seconds"])

    @property
    def difference(self) -> str:
        """What the new version says less or otherwise; empty if nothing."""
        if self.old["status"] != self.new["status"]:
            return f"{self.old['status']} -> {self.new['status']}"
        old, new = self.old["objective"], self.new["objective"]
        # The later sets of a sequential search depend on which of several best sets came first.
        if self.search.search == "sequential" or old is None or new is None or abs(old - new) <= SAME:
            return ""
        return f"objective {old:.12g} -> {new:.12g}"


class Version:
    """A process that measures searches with the altsets of one source folder."""

    def __init__(self, source: Path) -> None:
        here = Path(__file__).resolve().parent.parent
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(source), str(here)])}
        command = [sys.executable, "-m", "benchmarks.versions_worker"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=here
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.communicate()

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """One line there, one line back."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process ended with {self._process.wait()}")
        return dict(json.loads(answer))


def run(old_source: Path, asked: Sequence[tuple[Scores, Sequence[int]]], limit: float, every: int) -> Section:
    """Every so many searches of the grid, on each of the scores, for the sizes given with them."""
    new_source = Path(altsets.__file__).resolve().parent.parent
    with Version(old_source) as old, Version(new_source) as new:
        found = list(_pairs(old, new, asked, limit, every))
    section = Section("versions")
    total = sum(pair.new["seconds"] for pair in found) / sum(pair.old["seconds"] for pair in found)
    mean = geometric_mean([pair.ratio for pair in found])
    changed = [pair for pair in found if pair.difference]
    section.checks = [
        Check(
            f"all time, new / old ({len(found)} searches)", f"<= {SLOWER}", f"{total:.3f}", total <= SLOWER
        ),
        Check("geometric mean of new / old", f"<= {SLOWER}", f"{mean:.3f}", mean <= SLOWER),
        Check("other status or objective", "0", str(len(changed)), not changed),
    ]
    section.body = _body(found, changed)
    return section


def _pairs(
    old: Version, new: Version, asked: Sequence[tuple[Scores, Sequence[int]]], limit: float, every: int
) -> Iterator[Pair]:
    count = 0
    for scores, sizes in asked:
        numbers = {
            "measure": scores.measure,
            "data": scores.data,
            "values": scores.values.tolist(),
            "pairs": None if scores.pairs is None else scores.pairs.tolist(),
            "method": scores.method,
        }
        for version in (old, new):
            version.ask({"scores": numbers})
        for search in (search for k in sizes if scores.n >= k for search in grid(k)):
            count += 1
            if count % every:
                continue
            message = {"search": asdict(search), "limit": limit}
            first, second = (old, new) if count // every % 2 else (new, old)
            one, other = _in_turn(first, second, message)
            yield Pair(scores, search, *((one, other) if first is old else (other, one)))
        print(f"versions: {scores.name} done", file=sys.stderr)


def _in_turn(
    first: Version, second: Version, message: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Both answers; of searches that are short, each is asked for several times in turn, and the fastest counts."""
    both = first.ask(message), second.ask(message)
    # If one of them is, the other was perhaps held up.
    if min(answer["seconds"] for answer in both) < REPEAT_BELOW:
        for _ in range(ROUNDS - 1):
            again = first.ask(message), second.ask(message)
            for answer, other in zip(both, again, strict=True):
                answer["seconds"] = min(answer["seconds"], other["seconds"])
    return both


def _body(found: Sequence[Pair], changed: Sequence[Pair]) -> list[str]:
    groups: dict[str, list[Pair]] = {}
    for pair in found:
        groups.setdefault(pair.group, []).append(pair)
    rows = [
        (
            group,
            len(pairs),
            duration(math.fsum(pair.old["seconds"] for pair in pairs)),
            duration(math.fsum(pair.new["seconds"] for pair in pairs)),
            f"{math.fsum(p.new['seconds'] for p in pairs) / math.fsum(p.old['seconds'] for p in pairs):.3f}",
            f"{geometric_mean([pair.ratio for pair in pairs]):.3f}",
        )
        for group, pairs in groups.items()
    ]
    body = [table(("searches", "number", "old", "new", "new / old", "geometric mean"), rows)]
    worst = sorted(found, key=lambda pair: pair.old["seconds"] - pair.new["seconds"])[:WORST]
    body += [
        "Most time lost:",
        table(
            ("scores", "search", "old", "new"),
            [
                (p.scores.name, p.search, duration(p.old["seconds"]), duration(p.new["seconds"]))
                for p in worst
            ],
        ),
    ]
    if changed:
        body += [
            "Answers that differ:",
            table(("scores", "search", "what"), [(p.scores.name, p.search, p.difference) for p in changed]),
        ]
    return body
