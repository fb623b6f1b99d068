"""Quality against costs: whole fronts of quality and random costs in what time, and whether they equal brute force."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

import altsets
from benchmarks.report import Check, Section, duration, table
from benchmarks.searches import Scores

DATA = ("wdbc", "spambase", "sonar")
SIZES = (3, 5, 10)
#: Seconds that a whole front may take at sizes up to 5.
SECONDS = {"MI": 5.0, "mRMR": 30.0}
#: The size that brute force goes through, and what counts as equal.
SMALL, EQUAL = 3, 1e-9


def run(information: Sequence[Scores], mrmr: Sequence[Scores]) -> Section:
    """All fronts whose scores are there: one set of each size, two sets that share little, and ranges."""
    section, lines = Section("costs"), []
    for scores in (*information, *mrmr):
        if scores.data not in DATA:
            continue
        costs = np.random.default_rng(0).random(scores.quality.n_features_in).round(4)
        for size in SIZES:
            lines.append(_measured(section, scores, costs, size, {}))
        lines.append(
            _measured(section, scores, costs, 5, {"n_alternatives": 1, "tau": 0.6, "time_limit": 60})
        )
        lines.append(_range(scores, costs))
    section.body = [
        "Quality against costs that are random numbers of four digits: the whole front in one call of `frontier`, each "
        "point by an exact search; and the least and the largest cost among all sets within 5 % of the best "
        "(`near_best(...).range`). Fronts of sets of three features are compared with brute force.",
        table(("asked", "points", "proven", "complete", "time", "brute force"), lines),
    ]
    return section


def _measured(
    section: Section, scores: Scores, costs: Any, size: int, more: dict[str, Any]
) -> tuple[Any, ...]:
    started = time.perf_counter()
    found = altsets.frontier(scores.quality, size, against=costs, **more)
    seconds = time.perf_counter() - started
    proven = sum(point.status == "optimal" for point in found)
    sets = "2 sets, tau = 0.6, " if more else ""
    label = f"{scores.measure} {scores.data}, {sets}k = {size}"
    if not more and size <= 5:
        limit = SECONDS[scores.measure]
        section.checks.append(
            Check(label, f"proven in {limit:g} s", duration(seconds), found.proven and seconds <= limit)
        )
    same = ""
    if not more and size == SMALL:
        truth = _brute_force(scores.quality, costs)
        points = [(point.against, point.quality) for point in reversed(found.points)]
        equal = len(truth) == len(points) and np.allclose(truth, points, rtol=0, atol=EQUAL)
        section.checks.append(
            Check(f"{label}, brute force", "equal", "equal" if equal else "different", equal)
        )
        same = "equal" if equal else "different"
    return label, len(found), proven, "yes" if found.complete else "no", duration(seconds), same


def _brute_force(quality: Any, costs: Any) -> list[tuple[float, float]]:
    every = itertools.combinations(range(quality.n_features_in), SMALL)
    pairs = sorted((round(float(costs[list(one)].sum()), 4), -quality.evaluate(one)) for one in every)
    kept: list[tuple[float, float]] = []
    for cost, negative in pairs:
        if not kept or -negative > kept[-1][1] + EQUAL:
            kept.append((cost, -negative))
    return kept


def _range(scores: Scores, costs: Any) -> tuple[Any, ...]:
    near = altsets.near_best(scores.quality, 10, within=0.05, time_limit=60)
    started = time.perf_counter()
    found = near.range(costs, time_limit=60)
    seconds = time.perf_counter() - started
    label = f"{scores.measure} {scores.data}, range of {near.count:,} sets, k = 10"
    return (
        label,
        2,
        (found.low.status == "optimal") + (found.high.status == "optimal"),
        "",
        duration(seconds),
        "",
    )
