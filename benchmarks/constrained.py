"""Constraints: what they cost where there are none, and a hard mix of them on one data set."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import altsets
from altsets.constraints import AtMost, Budget, Constraint, Forbid, Require
from benchmarks.report import Check, Section, duration, geometric_mean, row_of, table
from benchmarks.searches import Scores, Search, measure

DATA = "spambase"
SIZE = 10
SEARCHES = (
    Search("sequential", "sum", SIZE, diff=5, a=3),
    Search("simultaneous", "sum", SIZE, diff=5, a=3),
    Search("simultaneous", "min", SIZE, diff=5, a=3),
)
PROVEN_WITHIN = 1.0
#: Beyond its target a search may go on, so that a miss says by how much.
TIME_LIMIT = 20.0

#: Data sets on which unconstrained searches are timed with and without the argument.
UNCONSTRAINED_DATA = ("wdbc", "spambase")
UNCONSTRAINED = (
    Search("sequential", "sum", 5, diff=3, a=3),
    Search("simultaneous", "sum", 5, diff=3, a=3),
    Search("simultaneous", "min", 5, diff=3, a=3),
)
#: Rounds of alternating runs, and the seconds after which there are no more; the best time of each way counts.
ROUNDS = 20
ENOUGH = 5.0
#: How much slower than without the argument may still be noise.
NOISE = 1.1

GROUP = 10
MOST_OF_GROUP = 2
COSTS = (1, 5)
SEED = 0
BUDGET = 0.6


def run(additive: Sequence[Scores], mrmr: Sequence[Scores]) -> Section:
    """Both, on additive quality and mRMR."""
    section = Section("constraints")
    every = [*additive, *mrmr]
    _unconstrained(section, [scores for scores in every if scores.data in UNCONSTRAINED_DATA])
    _mixed(section, [scores for scores in every if scores.data == DATA])
    return section


def _unconstrained(section: Section, all_scores: Sequence[Scores]) -> None:
    lines, ratios, others = [], [], 0
    for scores in all_scores:
        for search in UNCONSTRAINED:
            (plain, engine), (empty, same) = _best_times(scores, search)
            ratios.append(empty / plain)
            others += engine != same
            idle = measure(scores, search, TIME_LIMIT, [Budget([1] * scores.n, search.k)])
            times = (duration(plain), duration(empty), f"{empty / plain:.3f}", engine)
            lines.append((scores.name, search, *times, duration(idle.seconds), idle.who))
    mean = geometric_mean(ratios)
    section.checks += [
        Check(
            f"no constraints: time with `constraints=()` / without it ({len(ratios)} searches)",
            f"<= {NOISE:g}",
            f"{mean:.3f}",
            mean <= NOISE,
        ),
        Check("no constraints: another engine than without the argument", "0", str(others), not others),
    ]
    section.body += [
        "### No constraints",
        f"The same search without the argument and with `constraints=()`, the best of up to {ROUNDS} "
        "alternating runs of each. Beside them, for comparison, what a constraint costs that rules nothing "
        "out: a budget that every set meets.",
        table(
            ("scores", "search", "without", "empty", "ratio", "engine", "idle budget", "its engine"),
            lines,
        ),
    ]


def _best_times(scores: Scores, search: Search) -> list[tuple[float, str]]:
    """Best time and engine without the argument and with an empty one, in turns: a slow moment hits both."""
    ways: list[dict[str, Any]] = [{}, {"constraints": ()}]
    best = [(math.inf, "")] * len(ways)
    began = time.perf_counter()
    for turn in range(ROUNDS):
        for position in (0, 1) if turn % 2 else (1, 0):
            start = time.perf_counter()
            result = altsets.find(
                scores.quality,
                search.k,
                search.a,
                search.tau,
                search=search.search,
                aggregation=search.aggregation,
                time_limit=TIME_LIMIT,
                **ways[position],
            )
            best[position] = min(best[position], (time.perf_counter() - start, result.engine))
        if time.perf_counter() - began > ENOUGH:
            break
    return best


def _mixed(section: Section, all_scores: Sequence[Scores]) -> None:
    lines, said = [], []
    for scores in all_scores:
        best = altsets.find(scores.quality, SIZE, 0).sets[0]
        constraints = mix(scores, best)
        broken = sum(not constraint.holds(best) for constraint in constraints)
        said.append(
            f"{scores.name}: {', '.join(_words(constraint, scores) for constraint in constraints)}; the best "
            f"set without them breaks {broken} of the {len(constraints)}."
        )
        for search in SEARCHES:
            one = measure(scores, search, TIME_LIMIT, constraints)
            fine = one.status == "optimal" and one.seconds <= PROVEN_WITHIN
            said_here = f"{one.status} in {duration(one.seconds)}, gap {one.relative_gap:.3g}"
            target = f"proven within {duration(PROVEN_WITHIN)}"
            section.checks.append(
                Check(f"{scores.name}, {search.kind}, four constraints", target, said_here, fine)
            )
            free = measure(scores, search, TIME_LIMIT)
            lines.append(
                (
                    scores.name,
                    search,
                    one.status,
                    duration(one.seconds),
                    one.relative_gap,
                    one.objective,
                    one.who,
                    duration(free.seconds),
                    free.objective,
                )
            )
            section.rows.append(row_of(section.part, one))
    section.body += [
        "### Four constraints together",
        f"A required and a forbidden feature, at most {MOST_OF_GROUP} of a group of {GROUP}, and a budget: "
        f"costs of {COSTS[0]} to {COSTS[1]} drawn with seed {SEED}, and {BUDGET:.0%} of what the best set "
        "without constraints costs.".replace("%", " %"),
        "\n".join(f"- {line}" for line in said),
        table(
            (
                "scores",
                "search",
                "status",
                "time",
                "relative gap",
                "objective",
                "engine or error",
                "time without",
                "objective without",
            ),
            lines,
        ),
    ]


def mix(scores: Scores, best: Sequence[int]) -> list[Constraint]:
    """One of each kind, made so that the best unconstrained set breaks all of them."""
    others = [int(index) for index in np.argsort(-scores.values, kind="stable") if index not in best]
    half = GROUP // 2
    costs = np.random.default_rng(SEED).integers(COSTS[0], COSTS[1], scores.n, endpoint=True).astype(float)
    constraints: list[Constraint] = [
        Require(others[half]),
        Forbid(best[0]),
        AtMost(MOST_OF_GROUP, [*best[1 : half + 1], *others[:half]]),
        Budget(costs.tolist(), float(np.floor(BUDGET * costs[list(best)].sum()))),
    ]
    return [constraint.resolve(scores.quality.feature_names) for constraint in constraints]


def _words(constraint: Constraint, scores: Scores) -> str:
    return constraint.describe(scores.quality.feature_names)
