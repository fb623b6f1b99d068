"""Every definition beside the plain searches: what is proven in what time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import altsets
from altsets import constraints
from benchmarks.report import Check, Section, duration, table
from benchmarks.searches import Scores

#: Data sets, features in each set, alternatives, least dissimilarity.
N_DATA, SIZE, ALTERNATIVES, TAU = 12, 5, 3, 0.6
TIME_LIMIT = 10.0
#: Sequential searches take milliseconds on one thread. On a busy machine the wall clock measures how often they are
#: interrupted, which longer ones are far more often: so their processor time counts, the least of some.
REPEATS = 15

#: Makes the options of a definition from the scores of the best set and the number of features.
Options = Callable[[float, int], dict[str, Any]]


def _costs(n: int) -> list[float]:
    return np.random.default_rng(0).integers(1, 10, n).astype(float).tolist()


SEQUENTIAL: dict[str, Options] = {
    "plain": lambda best, n: {"tau": TAU},
    "average difference": lambda best, n: {"tau": TAU, "difference": "average"},
    "penalty": lambda best, n: {"overlap_penalty": abs(best) / (4 * SIZE)},
    "penalty and tau": lambda best, n: {"tau": TAU, "overlap_penalty": abs(best) / (4 * SIZE)},
    "in at most 2 sets": lambda best, n: {"tau": TAU, "constraints": constraints.AtMostSets(2)},
    "total budget": lambda best, n: {"tau": TAU, "constraints": constraints.TotalBudget(_costs(n), 60)},
}
SIMULTANEOUS: dict[str, Options] = {
    "plain sum": lambda best, n: {"tau": TAU},
    "plain min": lambda best, n: {"tau": TAU, "aggregation": "min"},
    "leximin": lambda best, n: {"tau": TAU, "aggregation": "leximin"},
    "penalty": lambda best, n: {"overlap_penalty": abs(best) / (4 * SIZE)},
    "penalty and tau": lambda best, n: {"tau": TAU, "overlap_penalty": abs(best) / (4 * SIZE)},
    "least quality": lambda best, n: {"tau": TAU, "min_quality": best - 0.3 * abs(best)},
    "spread": lambda best, n: {"tau": TAU, "constraints": constraints.Spread(0.05 * abs(best))},
    "in at most 2 sets": lambda best, n: {"tau": TAU, "constraints": constraints.AtMostSets(2)},
    "in at least 1 set": lambda best, n: {"tau": TAU, "constraints": constraints.AtLeastSets(1, [n - 1])},
    "reserved": lambda best, n: {"tau": TAU, "constraints": constraints.Reserve(list(range(0, n, 7)))},
    "total budget": lambda best, n: {"tau": TAU, "constraints": constraints.TotalBudget(_costs(n), 60)},
}


@dataclass(frozen=True)
class Answered:
    """One request, and what came of it."""

    scores: Scores
    search: str
    definition: str
    result: altsets.Result
    seconds: float

    @property
    def proven(self) -> bool:
        """Whether no other sets are better, or there are none."""
        return self.result.status in (altsets.Status.OPTIMAL, altsets.Status.INFEASIBLE)

    def row(self, part: str) -> dict[str, Any]:
        """For the CSV file."""
        result = self.result
        return {
            "part": part,
            "scores": self.scores.name,
            "n": self.scores.n,
            "search": self.search,
            "aggregation": self.definition,
            "k": SIZE,
            "tau": result.parameters["tau"],
            "a": ALTERNATIVES,
            "seconds": self.seconds,
            "status": str(result.status),
            "sets": len(result.sets),
            "objective": result.objective,
            "bound": result.bound,
            "engine": result.engine,
        }


def run(information: Sequence[Scores], mrmr: Sequence[Scores]) -> Section:
    """All definitions on some data sets, sequential and simultaneous."""
    section = Section("definitions")
    for search, definitions in (("sequential", SEQUENTIAL), ("simultaneous", SIMULTANEOUS)):
        lines = []
        answers: list[Answered] = []
        for scores in (*_some(information), *_some(mrmr)):
            best = altsets.find(scores.quality, SIZE, 0).qualities[0]
            for name, options in definitions.items():
                answers.append(_answer(scores, search, name, options(best, scores.n)))
        for name in definitions:
            cells = [
                _cell([one for one in answers if one.definition == name and one.scores.method == method])
                for method in ("additive", "mrmr")
            ]
            lines.append((name, *(cell for pair in cells for cell in pair)))
        section.body += [
            f"### {search.capitalize()}",
            f"Proven of {N_DATA} data sets, and the median and the longest "
            f"{'processor time' if search == 'sequential' else 'time'}; at most {TIME_LIMIT:g} s.",
            table(("definition", "MI: proven", "median, longest", "mRMR: proven", "median, longest"), lines),
        ]
        section.rows += [one.row(section.part) for one in answers]
        section.checks += _checks(search, answers)
    section.body += _curves(_some(information))
    return section


def _curves(some: Sequence[Scores]) -> list[str]:
    """All penalties that matter, and all trade-offs between sum and minimum, of additive qualities."""
    lines = []
    for scores in some:
        started = time.perf_counter()
        priced = altsets.frontier(
            scores.quality,
            SIZE,
            ALTERNATIVES,
            by="penalty",
            search="simultaneous",
            time_limit=TIME_LIMIT,
        )
        between = time.perf_counter()
        balanced = altsets.frontier(
            scores.quality, SIZE, ALTERNATIVES, TAU, by="balance", time_limit=TIME_LIMIT
        )
        ended = time.perf_counter()
        lines.append(
            (
                scores.name,
                *_curve(priced, between - started),
                *_curve(balanced, ended - between),
            )
        )
    return [
        "### Curves, MI",
        '`frontier(by="penalty")` without a tau, and `by="balance"`: points, the time for all of them, and whether it '
        f"is proven that there are no others; at most {TIME_LIMIT:g} s.",
        table(("scores", "penalties", "time", "proven", "balance", "time", "proven"), lines),
    ]


def _curve(found: altsets.results.Frontier, seconds: float) -> tuple[str, str, str]:
    return str(len(found)), duration(seconds), "yes" if found.complete else "no"


def _some(every: Sequence[Scores]) -> Sequence[Scores]:
    """Some data sets, evenly over their sizes."""
    ordered = sorted(every, key=lambda scores: scores.n)
    places = np.linspace(0, len(ordered) - 1, min(N_DATA, len(ordered))).round().astype(int)
    return [ordered[place] for place in dict.fromkeys(places.tolist())]


def _answer(scores: Scores, search: str, name: str, options: dict[str, Any]) -> Answered:
    alone, times = search == "sequential", []
    for _ in range(REPEATS if alone else 1):
        started = time.process_time()
        result = altsets.find(
            scores.quality, SIZE, ALTERNATIVES, search=search, time_limit=TIME_LIMIT, **options
        )
        times.append(time.process_time() - started if alone else result.elapsed)
    return Answered(scores, search, name, result, min(times))


def _cell(answers: Sequence[Answered]) -> tuple[str, str]:
    times = [one.seconds for one in answers]
    if not times:
        return "-", "-"
    proven = sum(one.proven for one in answers)
    return f"{proven} of {len(answers)}", f"{duration(statistics.median(times))}, {duration(max(times))}"


def _checks(search: str, answers: Sequence[Answered]) -> list[Check]:
    if search == "simultaneous":
        further = [one for one in answers if not one.definition.startswith("plain")]
        proven = sum(one.proven for one in further)
        return [
            Check(
                f"simultaneous definitions proven within {TIME_LIMIT:g} s",
                ">= 80 %",
                f"{proven} of {len(further)}",
                proven >= 0.8 * len(further),
            )
        ]
    checks = []
    for method in ("additive", "mrmr"):
        of_method = [one for one in answers if one.scores.method == method]
        plain = statistics.median(one.seconds for one in of_method if one.definition == "plain")
        slowest = max(
            (statistics.median(one.seconds for one in of_method if one.definition == name), name)
            for name in SEQUENTIAL
            if name != "plain"
        )
        checks.append(
            Check(
                f"sequential definitions beside the plain search, {'MI' if method == 'additive' else 'mRMR'}",
                "<= 2 times its median processor time",
                f"{slowest[0] / plain:.1f} times ({slowest[1]}; plain {duration(plain)})",
                slowest[0] <= 2 * plain,
            )
        )
    return checks
