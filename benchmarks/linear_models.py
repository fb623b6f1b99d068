"""Sets for linear models: how long a proof takes, with and without a target, and what greedy choice misses.

Whole tables, classes as the target. Beside them are sets of fastcan, which maximises the same criterion feature by
feature or with a beam; the best set of each size by R's leaps, which is exact; and for near-best sets and frontiers of
small sets, brute force.
"""

from __future__ import annotations

import itertools
import json
import math
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import altsets
from altsets import constraints
from altsets.quality import LinearFit
from benchmarks.reference import ReferenceUnavailableError, prepare_environment
from benchmarks.report import Check, Section, duration, table
from benchmarks.scores import read_data
from benchmarks.searches import REPEATS
from benchmarks.wide import PEERS, REQUIREMENTS

TAU, ALTERNATIVES = 0.5, 2
#: Seconds for one set, and for sets that are searched together.
PER_SET, TOGETHER = 60.0, 10.0
#: Slower sequences are run once: below this, other processes blur the times.
REPEAT_BELOW = 1.0
#: Tables with more columns are not searched simultaneously.
MOST_COLUMNS = 85
PROVEN_TOGETHER = 0.9
SIZE, SMALL_SIZE, WITHIN, TOLERANCE = 5, 3, 0.05, 1e-9
BRUTE_FORCE_DATA = "wdbc"
#: Data for R's leaps, which takes a minute for the second; and the largest size.
LEAPS_DATA, LEAPS_SIZE = ("wdbc", "spectf"), 10
LEAPS = Path(__file__).with_name("leaps_worker.R")
#: Generated data to choose a size on: columns, those that matter, rows; and the seconds that the authors of R's
#: lmSubsets report for the best sets of all sizes of as many columns.
COLUMNS, USEFUL, ROWS, LM_SUBSETS = 40, 20, 1000, 0.3


class Case(NamedTuple):
    """Sets one after the other, and the seconds of processor time that the slowest of them should take at most."""

    data: str
    k: int
    most: float
    has_target: bool = True

    @property
    def name(self) -> str:
        """As a line of the table calls it."""
        return f"{self.data}, k = {self.k}" + ("" if self.has_target else ", no target")


#: Twice what a prototype of the search alone took, in C and without checks.
CASES = (
    Case("wdbc", 5, 0.004),
    Case("wdbc", 10, math.inf),
    Case("spambase", 5, 0.07),
    Case("spambase", 10, 10.0),
    Case("sonar", 5, 0.148),
    Case("coil2000", 5, 0.084),
    Case("clean1", 5, 0.8),
    Case("wdbc", 5, 0.2, has_target=False),
    Case("ionosphere", 5, 0.5, has_target=False),
    Case("sonar", 3, 0.08, has_target=False),
)


@dataclass(frozen=True)
class Timed:
    """What came back, in how many seconds of the clock and of the processor."""

    answer: Any
    seconds: float
    cpu: float

    def __str__(self) -> str:
        return f"{duration(self.seconds)} ({duration(self.cpu)})"


def timed(call: Callable[[], Any]) -> Timed:
    """One call."""
    begun, cpu = time.perf_counter(), time.process_time()
    answer = call()
    return Timed(answer, time.perf_counter() - begun, time.process_time() - cpu)


class Tables:
    """The tables of a folder, and the qualities that are made of them, each once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, tuple[Any, Any]] = {}
        self._made: dict[tuple[str, bool], LinearFit] = {}

    def __contains__(self, name: str) -> bool:
        return (self._folder / f"{name}.csv.gz").exists()

    def __getitem__(self, name: str) -> tuple[Any, Any]:
        if name not in self._read:
            self._read[name] = read_data(self._folder / f"{name}.csv.gz")
        return self._read[name]

    def quality(self, name: str, has_target: bool = True) -> LinearFit:
        """The share of the target that sets explain, or of the table."""
        if (name, has_target) not in self._made:
            X, y = self[name]
            made = LinearFit.from_data(X, y if has_target else None, task="classification")
            self._made[name, has_target] = made
        return self._made[name, has_target]


# --- Sequential and simultaneous sets -----------------------------------------------------------------


def one_by_one(quality: LinearFit, k: int) -> list[Timed]:
    """Each set with its time; the fastest of several runs, unless they are slow."""
    runs: list[list[Timed]] = []
    while len(runs) < REPEATS:
        sets = altsets.iterate(quality, k, ALTERNATIVES, TAU, time_limit=PER_SET)
        runs.append([timed(partial(next, sets)) for _ in range(ALTERNATIVES + 1)])
        if sum(one.seconds for one in runs[-1]) >= REPEAT_BELOW:
            break
    return min(runs, key=lambda run: sum(one.cpu for one in run))


def together(quality: LinearFit, aggregation: str) -> Timed:
    """Sets that are chosen together."""
    return timed(
        lambda: altsets.find(
            quality,
            n_features=SIZE,
            n_alternatives=ALTERNATIVES,
            tau=TAU,
            search="simultaneous",
            aggregation=aggregation,
            time_limit=TOGETHER,
        )
    )


def _sequential(tables: Tables, section: Section) -> None:
    lines, proven = [], []
    for case in (case for case in CASES if case.data in tables):
        quality = tables.quality(case.data, case.has_target)
        sets = one_by_one(quality, case.k)
        proven += [one.answer.status == "optimal" for one in sets]
        values = " ".join(f"{one.answer.qualities[0]:.4f}" for one in sets)
        slowest = max(one.cpu for one in sets)
        lines.append(
            (
                case.name,
                quality.n_features_in,
                values,
                "; ".join(map(str, sets)),
                " ".join(one.answer.status for one in sets),
            )
        )
        if math.isfinite(case.most):
            target = f"<= {duration(case.most)} of processor time"
            section.checks.append(
                Check(f"{case.name}: slowest set", target, duration(slowest), slowest <= case.most)
            )
    section.checks.insert(
        0, Check("sequential sets proven", "all", f"{sum(proven)} of {len(proven)}", all(proven))
    )
    section.body += [
        f"tau = {TAU:g}, {ALTERNATIVES} alternatives, whole tables. Times are those of the clock and, in brackets, of "
        "the processor, for each set; of three runs if they take less than a second, the fastest. Quality: share of "
        "the classes that is explained (with two classes R²), or without a target share of the variance that is kept.",
        table(("search", "n", "quality of the sets", "times", "status"), lines),
    ]


def _simultaneous(tables: Tables, section: Section) -> None:
    lines, proven = [], []
    for name in dict.fromkeys(case.data for case in CASES if case.has_target and case.data in tables):
        quality = tables.quality(name)
        if quality.n_features_in > MOST_COLUMNS:
            continue
        for aggregation in ("sum", "min"):
            found = together(quality, aggregation)
            proven.append(found.answer.status == "optimal")
            lines.append((name, aggregation, f"{found.answer.objective:.4f}", found, found.answer.status))
    section.body += [
        f"Simultaneous, k = {SIZE}, {TOGETHER:g} s:",
        table(("data", "aggregation", "objective", "time", "status"), lines),
    ]
    share = sum(proven) / max(1, len(proven))
    section.checks.append(
        Check(
            f"simultaneous sets proven within {TOGETHER:g} s",
            f">= {100 * PROVEN_TOGETHER:g} %",
            f"{sum(proven)} of {len(proven)}",
            share >= PROVEN_TOGETHER,
        )
    )


# --- Beside others ------------------------------------------------------------------------------------


def _brute_force(tables: Tables, section: Section) -> None:
    """Near-best sets are counted, and a frontier is drawn, as brute force does it."""
    if BRUTE_FORCE_DATA not in tables:
        return
    quality = tables.quality(BRUTE_FORCE_DATA)
    sets = list(itertools.combinations(range(quality.n_features_in), SMALL_SIZE))
    values = np.array([quality.evaluate(one) for one in sets])
    near = timed(lambda: altsets.near_best(quality, n_features=SMALL_SIZE, within=WITHIN))
    expected = int(np.sum(values >= values.max() * (1 - WITHIN) - TOLERANCE))
    curve = timed(lambda: altsets.frontier(quality, n_features=SMALL_SIZE, n_alternatives=1))
    best = sets[int(values.argmax())]
    right = all(
        abs(point.result.qualities[1] - _second(sets, values, best, point.max_overlap)) <= TOLERANCE
        for point in curve.answer.points
    )
    section.checks += [
        Check(
            f"near-best sets of {BRUTE_FORCE_DATA}, k = {SMALL_SIZE}, within {100 * WITHIN:g} %",
            f"{expected:,} as by brute force",
            f"{near.answer.count:,} in {near}",
            near.answer.count == expected,
        ),
        Check(
            f"frontier of {BRUTE_FORCE_DATA}, k = {SMALL_SIZE}, one alternative",
            "as by brute force",
            f"{len(curve.answer.points)} points in {curve}",
            right,
        ),
    ]


def _second(sets: list[tuple[int, ...]], values: Any, best: tuple[int, ...], most: int) -> float:
    """The best quality of a set that shares at most so many features with the first one."""
    return float(max(value for one, value in zip(sets, values, strict=True) if len({*one} & {*best}) <= most))


def _peers(python: Path, X: Any, y: Any, k: int) -> list[dict[str, Any]]:
    """Sets of fastcan by its defaults: names, seconds, and the columns."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.npz"
        np.savez(path, X=X, y=y.astype(np.float64))
        command = [python, PEERS, path, str(k), "fastcan", "fastcan_beam"]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ended.stdout.splitlines()]


def _beside_fastcan(tables: Tables, section: Section, environment: Path) -> None:
    try:
        python = prepare_environment(environment, REQUIREMENTS, PEERS)
    except ReferenceUnavailableError as error:
        section.body.append(f"Not beside fastcan: {error}")
        return
    lines, lower = [], []
    for case in (case for case in CASES if case.has_target and case.data in tables):
        X, y = tables[case.data]
        ours = timed(partial(_from_table, X, y, case.k))
        objective = ours.answer.objective
        for found in _peers(python, X, y, case.k):
            value = tables.quality(case.data).evaluate(sorted(found["chosen"]))
            lower.append(objective < value - TOLERANCE)
            time_of_peer = duration(found["seconds"])
            line = (case.data, case.k, found["name"], time_of_peer, f"{value:.5f}", ours, f"{objective:.5f}")
            lines.append(line)
    section.body += [
        "One set, the same criterion, from the table to the set. fastcan has its defaults: a greedy search, or a beam.",
        table(("data", "k", "package", "its time", "its quality", "our time", "our quality"), lines),
    ]
    section.checks.append(
        Check("objective below fastcan's", "0", f"{sum(lower)} of {len(lower)}", not any(lower))
    )


def _from_table(X: Any, y: Any, k: int) -> altsets.Result:
    made = LinearFit.from_data(X, y, task="classification")
    return altsets.find(made, n_features=k, n_alternatives=0, time_limit=PER_SET)


# --- Sets of each size --------------------------------------------------------------------------------


def of_each_size(quality: LinearFit, most: int) -> list[tuple[int, ...]]:
    """The best set of each size."""
    sizes = range(1, most + 1)
    return [altsets.find(quality, n_features=size, n_alternatives=0).sets[0] for size in sizes]


def leaps(rscript: str, X: Any, y: Any, most: int) -> tuple[float, list[tuple[int, ...]]]:
    """The same by R's leaps, and the seconds that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        np.savetxt(path, np.column_stack([X, np.unique(y, return_inverse=True)[1]]), delimiter=",")
        command = [rscript, LEAPS, path, str(most)]
        seconds, *sets = subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.splitlines()
    return float(seconds), [tuple(map(int, line.split())) for line in sets]


def _beside_leaps(tables: Tables, section: Section) -> None:
    rscript = shutil.which("Rscript")
    if rscript is None or subprocess.run([rscript, "-e", "library(leaps)"], capture_output=True).returncode:
        section.body.append("Not beside leaps: there is no R with this package (Debian: `r-cran-leaps`).")
        return
    lines, same = [], []
    for name in filter(tables.__contains__, LEAPS_DATA):
        X, y = tables[name]
        quality = tables.quality(name)
        ours = timed(partial(of_each_size, quality, LEAPS_SIZE))
        seconds, sets = leaps(rscript, X, y, LEAPS_SIZE)
        pairs = zip(ours.answer, sets, strict=True)
        same += [abs(quality.evaluate(one) - quality.evaluate(other)) <= TOLERANCE for one, other in pairs]
        lines.append((name, quality.n_features_in, duration(seconds), ours))
    section.body += [
        f"The best set of each size from 1 to {LEAPS_SIZE}, as by `regsubsets` of R's leaps, which is exact, too.",
        table(("data", "n", "its time", "our time"), lines),
    ]
    section.checks.append(
        Check("best sets of each size: as good as by leaps", "all", f"{sum(same)} of {len(same)}", all(same))
    )


def _which_size(section: Section) -> None:
    """The best set of all sizes by BIC, and of each size, on generated data."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, COLUMNS))
    y = X[:, :USEFUL] @ rng.normal(scale=0.3, size=USEFUL) + rng.normal(size=ROWS)
    by_bic, by_share = LinearFit.from_data(X, y, criterion="bic"), LinearFit.from_data(X, y)
    sizes = [constraints.Size(1, COLUMNS)]
    best = timed(lambda: altsets.find(by_bic, n_alternatives=0, constraints=sizes, time_limit=PER_SET))
    each = timed(partial(of_each_size, by_share, COLUMNS))
    chosen = max(each.answer, key=by_bic.evaluate)
    section.body.append(
        f"Generated data of {ROWS:,} rows and {COLUMNS} columns, {USEFUL} of which matter. The best of all sizes by "
        f"BIC: {len(best.answer.sets[0])} features in {best}, {best.answer.status}. The best sets of all {COLUMNS} "
        f"sizes: {each}. For these the authors of R's lmSubsets report {LM_SUBSETS:g} s, on another machine and "
        "other data of as many columns."
    )
    section.checks += [
        Check(
            "the best of all sizes by BIC",
            "that of the best sets of each size",
            "the same" if best.answer.sets[0] == chosen else "another",
            best.answer.sets[0] == chosen,
        ),
        Check(
            f"the best sets of {COLUMNS} sizes",
            f"<= {LM_SUBSETS:g} s, as published for lmSubsets",
            duration(each.cpu),
            each.cpu <= LM_SUBSETS,
        ),
    ]


def run(folder: Path, environment: Path) -> Section:
    """All searches on the data sets that are there."""
    tables, section = Tables(folder), Section("linear-models")
    _sequential(tables, section)
    _simultaneous(tables, section)
    _brute_force(tables, section)
    _beside_fastcan(tables, section, environment)
    _beside_leaps(tables, section)
    _which_size(section)
    return section
