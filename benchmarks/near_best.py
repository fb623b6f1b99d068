"""Near-best sets: how many there are, counted in what time, and how long their shares and samples take."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import altsets
from altsets import quality
from benchmarks.report import Check, Section, duration, table
from benchmarks.searches import Scores

#: Features in each set, and how far below the best they may be, by data set and measure.
ASKED = {
    ("wdbc", "MI"): ((5, 0.1), (5, 0.3)),
    ("wdbc", "mRMR"): ((5, 0.1), (5, 0.3)),
    ("spambase", "MI"): ((10, 0.1), (10, 0.3)),
    ("spambase", "mRMR"): ((10, 0.1), (10, 0.3)),
}
DATA = tuple({data for data, _ in ASKED})
#: What must be exact within so many seconds; and what may also be an interval of so much.
EXACT_WITHIN = {"wdbc": 1.0}
WITHIN = {("spambase", "MI"): 10.0}
INTERVAL = 0.01
#: Larger ones, of uniform scores: features, features in a set, how far below the best.
UNIFORM = ((200, 10, 0.3), (1000, 10, 0.3), (1_000_000, 5, 0.1))
TIME_LIMIT = 60.0
#: Sets that are drawn, and that are taken from the top.
DRAWN, TOP = 1000, 1000


@dataclass(frozen=True)
class Counted:
    """One answer and the seconds that each part of it took."""

    what: str
    near: altsets.results.NearBest
    seconds: tuple[float, ...]

    @property
    def width(self) -> float:
        """The interval as a part of its lower end."""
        low, high = self.near.count_bounds
        return (high - low) / max(low, 1)

    @property
    def line(self) -> tuple[Any, ...]:
        """A row of the table."""
        low, high = self.near.count_bounds
        number = f"{low:,}" if self.near.exact and low < 10**12 else f"{low:.6g}"
        known = "exact" if self.near.exact else f"to {high:.6g} ({100 * self.width:.2f} %)"
        return self.what, number, known, *map(duration, self.seconds)


def run(information: Sequence[Scores], mrmr: Sequence[Scores]) -> Section:
    """All counts, on data and on uniform scores."""
    section = Section("near-best")
    lines = []
    for scores in (*information, *mrmr):
        for k, within in ASKED.get((scores.data, scores.measure), ()):
            counted = _counted(f"{scores.name}, k = {k}, within {within:.0%}", scores.quality, k, within)
            section.checks += _checks(scores, counted)
            lines.append(counted.line)
    for n, k, within in UNIFORM:
        uniform = quality.Additive(np.random.default_rng(0).random(n))
        lines.append(_counted(f"{n:,} uniform scores, k = {k}, within {within:.0%}", uniform, k, within).line)
    section.body = [
        "`near_best` counts, then come the shares of single features, of pairs (but for a million features), "
        f"{DRAWN:,} sets drawn at random and the {TOP:,} best ones. Shares come from "
        f"10,000 sets drawn at random where there are too many for exact ones. Time limit {TIME_LIMIT:g} s.",
        table(("sets", "number", "", "count", "features", "pairs", "draws", "best"), lines),
    ]
    return section


def _counted(what: str, searched: quality.Quality, k: int, within: float) -> Counted:
    seconds = []

    def timed(work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        done = work()
        seconds.append(time.perf_counter() - start)
        return done

    near = timed(lambda: altsets.near_best(searched, k, within=within, time_limit=TIME_LIMIT))
    timed(lambda: near.frequencies)
    timed(lambda: near.pair_frequencies if searched.n_features_in <= 10_000 else None)
    timed(lambda: near.sample(DRAWN, random_state=0))
    timed(lambda: near.top(TOP))
    return Counted(what.replace("%", " %"), near, tuple(seconds))


def _checks(scores: Scores, counted: Counted) -> list[Check]:
    exact = "exact" if counted.near.exact else f"an interval of {100 * counted.width:.2f} %"
    said = f"{counted.near.count:,} sets, {exact}, {duration(counted.seconds[0])}"
    if scores.data in EXACT_WITHIN:
        most = EXACT_WITHIN[scores.data]
        ok = counted.near.exact and counted.seconds[0] < most
        return [Check(counted.what, f"exact in {most:g} s", said, ok)]
    if (scores.data, scores.measure) in WITHIN:
        most = WITHIN[scores.data, scores.measure]
        ok = counted.width <= INTERVAL and counted.seconds[0] < most
        return [Check(counted.what, f"exact or 1 % in {most:g} s", said, ok)]
    return []
