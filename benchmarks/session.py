"""Sessions: what a step costs beyond the search itself, step by step."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

import altsets
from altsets import Session, quality
from benchmarks.report import Check, Section, duration, table
from benchmarks.scores import read_data

#: Seconds that a step may take longer than the search, in the median.
OVERHEAD = 0.001
REPEATS = 5
#: Columns of the wide table.
WIDE = 20_000

#: What people do, one after the other: each gives what is to be called, and is a search of its own.
STEPS: dict[str, Callable[[Session], Callable[[], object]]] = {
    "start": lambda session: partial(session.go_to, {}),
    "tau = 0.6": lambda session: partial(session.set, tau=0.6),
    "tau = 1": lambda session: partial(session.set, tau=1),
    "4 features": lambda session: partial(session.set, n_features=4),
    "one more set": lambda session: session.more,
    "tau = 0.5": lambda session: partial(session.set, tau=0.5),
    "require": lambda session: partial(session.require, session.feature_names[7]),
    "forbid": lambda session: partial(session.forbid, [session.sets[0][0], session.feature_names[3]]),
    "pin": lambda session: partial(session.pin, 1),
    "reject": lambda session: partial(session.reject, 1),
    "allow": lambda session: partial(session.allow, session.feature_names[7]),
}


@dataclass(frozen=True)
class Walk:
    """Seconds of each step and of each search, the least of all repeats."""

    data: str
    rows: int
    columns: int
    quality: str
    steps: Sequence[float]
    searches: Sequence[float]
    same: bool

    @property
    def added(self) -> list[float]:
        """What each step takes longer than its search."""
        return [step - search for step, search in zip(self.steps, self.searches, strict=True)]


def run(folder: Path) -> Section:
    """A walk through the steps on each table."""
    section = Section("session")
    walks = [
        _walk(name, X, y, how)
        for name in ("wdbc", "spambase")
        if (path := folder / f"{name}.csv.gz").is_file()
        for X, y in [read_data(path)]
        for how in ("mutual_info", "mrmr")
    ]
    walks.append(_wide())
    added = statistics.median(value for walk in walks for value in walk.added)
    section.checks = [
        Check(
            "what a step adds, in the median", f"<= {duration(OVERHEAD)}", duration(added), added <= OVERHEAD
        ),
        Check(
            "steps with other sets than `find`",
            "0",
            str(sum(not walk.same for walk in walks)),
            all(walk.same for walk in walks),
        ),
    ]
    section.body = [
        f"{len(STEPS)} steps ({', '.join(STEPS)}), sets of 5 features at first, and `altsets.find` for the same "
        f"request; CPU time, the best of {REPEATS}. Scores are there.",
        table(
            (
                "data",
                "rows",
                "columns",
                "quality",
                "step: median",
                "slowest",
                "find: median",
                "added: median",
                "most",
            ),
            (
                (
                    walk.data,
                    f"{walk.rows:,}" if walk.rows else "",
                    f"{walk.columns:,}",
                    walk.quality,
                    duration(statistics.median(walk.steps)),
                    duration(max(walk.steps)),
                    duration(statistics.median(walk.searches)),
                    duration(statistics.median(walk.added)),
                    duration(max(walk.added)),
                )
                for walk in walks
            ),
        ),
    ]
    return section


def _walk(name: str, X: object, y: object, how: str) -> Walk:
    first = Session(X, y, how, time_limit=60)
    scored = first.quality

    def begin() -> Session:
        session = Session(X, y, how, time_limit=60)
        session.add_scores(session.state, scored)
        return session

    return _measure(begin, name, first.n_rows or 0, how)


def _wide() -> Walk:
    rng = np.random.default_rng(0)
    names = [f"gene {number}" for number in range(WIDE)]
    scored = quality.Additive(rng.random(WIDE), feature_names=names)
    return _measure(lambda: Session(scored, time_limit=60), "random scores", 0, "additive")


def _measure(begin: Callable[[], Session], data: str, rows: int, how: str) -> Walk:
    steps, searches, same = [], [], True
    for _ in range(REPEATS):
        session = begin()
        taken, found = [], []
        for step in STEPS.values():
            take = step(session)
            started = time.process_time()
            take()
            taken.append(time.process_time() - started)
            asked = session.request
            started = time.process_time()
            result = altsets.find(
                session.quality,
                asked.n_features,
                asked.n_alternatives,
                asked.tau,
                constraints=asked.constraints,
                existing=asked.existing,
                time_limit=asked.time_limit,
            )
            found.append(time.process_time() - started)
            same = (
                same and result.sets == session.result.sets and result.qualities == session.result.qualities
            )
        steps.append(taken)
        searches.append(found)
    least = [[min(values) for values in zip(*runs, strict=True)] for runs in (steps, searches)]
    return Walk(data, rows, len(session.feature_names), how, *least, same)
