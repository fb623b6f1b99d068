"""Deadlines: how late hard requests come back, whoever searches and whatever is asked, by ``find`` or another verb."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

import altsets
from altsets.constraints import (
    AtLeast,
    AtMost,
    AtMostSets,
    Budget,
    Constraint,
    Exclusive,
    Forbid,
    Require,
    Size,
    TotalBudget,
)
from altsets.dissimilarity import Grouped, Matched
from altsets.errors import UnsupportedError
from altsets.quality import CFS, FCBF, MRMR, Additive, BlackBox, LinearFit, Quality
from benchmarks.report import Check, Section, duration, table

LIMITS = (1e-4, 0.05, 0.5, 3.0)
#: The limits and the numbers of features for the other verbs.
VERB_LIMITS, SIZES = (1e-4, 0.05, 0.5, 1.0), (10**4, 10**5, 10**6)
#: How late an answer may come.
SLACK = 0.3
#: How often each is asked; the median counts, since other work on the machine makes single answers late.
REPEATS = 3
REFUSED = "refused"
TOGETHER = {"search": "simultaneous"}
SMALLEST = {"search": "simultaneous", "aggregation": "min"}


@dataclass(frozen=True)
class Request:
    """A hard one: what it is called, the quality, n_features, n_alternatives, tau and more."""

    name: str
    quality: Callable[[], Quality]
    asked: tuple[int, int | str, float]
    more: dict[str, Any]


def run() -> Section:
    """Every request under every limit."""
    section = Section("deadlines")
    lines, late = [], []
    for request in requests():
        quality = request.quality()
        said, times, counts = "", [], []
        for limit in LIMITS:
            seconds, said, n_sets = sorted(_timed(request, quality, limit) for _ in range(REPEATS))[
                REPEATS // 2
            ]
            times.append(seconds)
            counts.append(n_sets)
            late.append((seconds - limit, f"{request.name}, {limit:g} s"))
        asked = request.asked[1]
        few = "" if said == REFUSED else f"{min(counts)} of {asked if isinstance(asked, str) else asked + 1}"
        lines.append((request.name, *map(duration, times), few, said))
    section.checks = [_kept(late)]
    section.body = [
        "Each request under each time limit: the processor time until `find` returned (the median of three), the least "
        "number of sets that it returned under any of them, and what it returned in the longest time. Requests that "
        "cannot fit into memory are refused at once.",
        table(("request", *(f"{limit:g} s" for limit in LIMITS), "sets", "answer"), lines),
    ]
    return section


def _kept(late: list[tuple[float, str]]) -> Check:
    """Whether the latest answer came in time."""
    most, which = max(late)
    return Check("time limits", f"kept within {SLACK:g} s", f"worst {most:+.2f} s ({which})", most <= SLACK)


def run_verbs() -> Section:
    """Every other verb under every limit, among few and many features, with and without a budget."""
    section = Section("deadlines-verbs")
    lines, late = [], []
    for n in SIZES:
        quality = _scores(n)()
        for conditions, more in _conditions(n).items():
            quick = altsets.find(quality, 10, 3, 0.5, time_limit=VERB_LIMITS[0], **more)
            for verb, ask in _verb_calls(quality, quick, more).items():
                times = []
                for limit in VERB_LIMITS:
                    started = time.process_time()
                    ask(limit)
                    seconds = time.process_time() - started
                    times.append(seconds)
                    late.append(
                        (seconds - limit, f"{verb}, {n:,} features, {conditions or 'plain'}, {limit:g} s")
                    )
                lines.append((verb, f"{n:,}", conditions, *map(duration, times)))
    section.checks = [_kept(late)]
    section.body = [
        "The verbs besides `find` under each time limit, over sums of scores for sets of 10 features, or of 3 to 8 "
        "with a budget: the processor time until they returned.",
        table(("verb", "features", "conditions", *(f"{limit:g} s" for limit in VERB_LIMITS)), lines),
    ]
    return section


def _conditions(n: int) -> dict[str, dict[str, Any]]:
    """Arguments of every verb."""
    return {"": {}, "sizes and budget": {"constraints": [Size(3, 8), Budget(_costs(n), 300)]}}


def _verb_calls(
    quality: Quality, found: altsets.Result, more: dict[str, Any]
) -> dict[str, Callable[[float], object]]:
    """What is asked of each verb, by its name."""
    costs = np.random.default_rng(2).random(quality.n_features_in)
    return {
        "frontier": lambda limit: altsets.frontier(quality, 10, 3, [0.2, 0.5, 0.8], time_limit=limit, **more),
        "penalty frontier": lambda limit: altsets.frontier(
            quality, 10, 3, search="simultaneous", by="penalty", time_limit=limit, **more
        ),
        "near_best": lambda limit: altsets.near_best(quality, 10, within=0.01, time_limit=limit, **more),
        "what_if": lambda limit: altsets.what_if(quality, found, time_limit=limit),
        "balance": lambda limit: altsets.frontier(quality, 10, 3, by="balance", time_limit=limit, **more),
        "largest number": lambda limit: altsets.find(
            quality, 10, "max", 0.5, within=0.05, search="simultaneous", time_limit=limit, **more
        ),
        "largest tau": lambda limit: altsets.find(
            quality, 10, 3, "max", within=0.05, search="simultaneous", time_limit=limit, **more
        ),
        "costs": lambda limit: altsets.frontier(quality, 10, against=costs, time_limit=limit, **more),
    }


def _timed(request: Request, quality: Quality, limit: float) -> tuple[float, str, int]:
    # Other work on the machine makes answers late by the clock on the wall, which says nothing about the search.
    started = time.process_time()
    try:
        found = altsets.find(quality, *request.asked, **request.more, time_limit=limit)
        said, n_sets = f"{found.status}, {found.engine}", len(found.sets)
    except UnsupportedError:
        said, n_sets = REFUSED, 0
    return time.process_time() - started, said, n_sets


def requests() -> list[Request]:
    """Some forty of them, for every engine and every kind of search."""
    some = [_own, _sizes, _many_sets, _many_features, _budgets, _alike, _rules, _black_boxes]
    return [request for kind in some for request in kind()]


def _own() -> list[Request]:
    return [
        Request("mRMR, own dissimilarity, in turn", mrmr(40), (10, 5, 0.7), {"dissimilarity": _dice}),
        Request("mRMR, own dissimilarity", mrmr(40), (10, 5, 0.7), {"dissimilarity": _dice, **TOGETHER}),
        Request(
            "additive min, own dissimilarity", _scores(40), (10, 5, 0.7), {"dissimilarity": _dice, **SMALLEST}
        ),
        Request("mRMR, groups of sensors", mrmr(60), (6, 9, 0.9), {"dissimilarity": _sensors, **TOGETHER}),
    ]


def _sizes() -> list[Request]:
    any_size = {"constraints": [Size(1, 1000)]}
    some_sizes = {"constraints": [Size(2, 20)]}
    return [
        Request("additive, 1,000 sizes", _scores(1000), (5, 3, 0.5), any_size),
        Request("mRMR, 1,000 sizes", mrmr(1000), (5, 3, 0.5), any_size),
        Request("mRMR, 1,000 sizes, together", mrmr(1000), (5, 3, 0.5), any_size | TOGETHER),
        Request("CFS, 19 sizes", cfs(100), (5, 3, 0.5), some_sizes),
        Request("CFS, 19 sizes, together", cfs(100), (5, 3, 0.5), some_sizes | TOGETHER),
    ]


def _many_sets() -> list[Request]:
    return [
        Request("additive, 1,000 sets in turn", _scores(100), (10, 999, 0.5), {}),
        Request("additive, 1,000 sets", _scores(10_000), (5, 999, 0.5), TOGETHER),
        Request("additive min, 201 sets", _scores(200), (5, 200, 0.5), SMALLEST),
        Request("additive min, 10,001 sets", _scores(10_000), (5, 10_000, 0.5), SMALLEST),
        Request("milp, 1,000 sets", _scores(1000), (5, 999, 0.5), {"engine": "milp", **TOGETHER}),
        Request("milp, 10,001 sets", _scores(200), (5, 10_000, 0.5), {"engine": "milp", **TOGETHER}),
        Request("mRMR, 200 sets", mrmr(100), (5, 199, 0.5), TOGETHER),
        Request("greedy replacement, max", _scores(10**6), (10, "max", 0.5), _greedy("replacement")),
        Request("greedy balancing, 1,000 sets", _scores(10_000), (10, 999, 0.5), _greedy("balancing")),
        Request("greedy depth, 1,000 sets", _scores(10_000), (10, 999, 0.5), _greedy("depth")),
    ]


def _many_features() -> list[Request]:
    return [
        Request("mRMR, 10,000 features", mrmr(10_000), (10, 9, 0.5), TOGETHER),
        Request("CFS, 5,000 features, in turn", cfs(5000), (10, 9, 0.5), {}),
        Request("FCBF, 2,000 features", fcbf(2000), (5, 9, 0.5), TOGETHER),
        Request("additive min, a million features", _scores(10**6), (10, 9, 0.5), SMALLEST),
    ]


def _budgets() -> list[Request]:
    """Costs that follow the scores, and many features with conditions on all sets together."""
    equal, many, most = _worth(5000), 10**5, 10**6
    both = [TotalBudget(_costs(many), 5000), Budget(_costs(many), 300)]
    total = {"constraints": [both[0]]}
    follow: list[Constraint] = [TotalBudget(equal, 100_000), Budget(equal, 5000)]
    return [
        Request(
            "budget like scores, sizes",
            _scores(5000),
            (8, 5, 0.5),
            {"constraints": [Size(3, 8), Budget(equal, 3000)]},
        ),
        Request("budgets like scores, 31 sets", _scores(5000), (10, 30, 0.5), {"constraints": follow}),
        Request("budget like scores", _scores(5000), (10, 5, 0.5), {"constraints": [Budget(equal, 5000)]}),
        Request(
            "budget like scores, one set",
            _scores(300),
            (10, 0, 0.5),
            {"constraints": [Budget(_worth(300), 3000)]},
        ),
        Request("two budgets, 31 sets", _scores(many), (10, 30, 0.5), {"constraints": both}),
        Request("one budget for 31 sets", _scores(many), (10, 30, 0.5), total),
        Request("one budget for 31 sets, together", _scores(many), (10, 30, 0.5), total | TOGETHER),
        Request(
            "each feature in two sets",
            _scores(many),
            (10, 30, 0.5),
            {"constraints": [AtMostSets(2)], **TOGETHER},
        ),
        Request("different on average, 51 sets", _scores(many), (10, 50, 0.5), {"difference": "average"}),
        Request("with a penalty, 51 sets", _scores(many), (10, 50, 0.5), {"overlap_penalty": 0.1}),
        Request(
            "a million features, sizes and budget",
            _scores(most),
            (8, 5, 0.5),
            {"constraints": [Size(3, 8), Budget(_costs(most), 300)]},
        ),
        Request(
            "a million features, two budgets",
            _scores(most),
            (10, 30, 0.5),
            {"constraints": [TotalBudget(_costs(most), 5000), Budget(_costs(most), 300)]},
        ),
        *(
            Request(
                f"linear fit, 20,000 columns{', survival' if survival else ''}",
                partial(_linear_fit, survival=survival),
                (13, 3, 0.5),
                {"constraints": [Require([5, 6, 7])]},
            )
            for survival in (False, True)
        ),
    ]


def _worth(n: int) -> Any:
    return np.round(np.random.default_rng(0).random(n) * 1000)


def _costs(n: int) -> Any:
    return np.random.default_rng(1).integers(1, 100, n)


def _linear_fit(*, survival: bool) -> Quality:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300, 20_000))
    risk = table[:, :3].sum(axis=1) + rng.normal(size=300)
    times = altsets.io.survival_target(time=np.exp(-risk), event=rng.random(300) < 0.7)
    return LinearFit.from_data(table, times if survival else risk)


def _alike() -> list[Request]:
    """Sets that differ through groups or similarity of very many features."""
    n = 10**6
    tens = {"dissimilarity": Grouped({feature: feature // 10 for feature in range(n)}), **TOGETHER}
    table = np.random.default_rng(0).normal(size=(300, 1500))
    matched = {"dissimilarity": Matched.from_data(table, "pearson", threshold=0.1), **TOGETHER}
    return [
        Request("a million features, groups", _scores(n), (10, 5, 0.5), tens),
        Request("1,500 features, matched", _scores(1500), (10, 5, 0.5), matched),
    ]


def _rules() -> list[Request]:
    groups = [AtMost(2, range(start, start + 10)) for start in range(0, 300, 10)]
    pigeons = [AtMost(1, range(start, start + 10)) for start in range(0, 190, 10)]
    none: list[Constraint] = [*pigeons, Forbid(range(190, 200))]
    pairs = np.random.default_rng(0).choice(1000, (5000, 2)).tolist()
    apart = [Exclusive([i, j]) for i, j in pairs if i != j]
    return [
        Request(
            "additive, groups, 100 sets", _scores(300), (10, 99, 0.5), {"constraints": groups, **TOGETHER}
        ),
        Request(
            "additive min, budget",
            _scores(300),
            (10, 9, 0.5),
            {"constraints": [Budget(np.arange(300) + 1.0, 900.0)], **SMALLEST},
        ),
        Request("mRMR, 5,000 constraints", mrmr(1000), (10, 3, 0.5), {"constraints": apart, **TOGETHER}),
        Request("no set keeps to all constraints", _scores(200), (20, 3, 0.5), {"constraints": none}),
    ]


def _black_boxes() -> list[Request]:
    listed = {"engine": "exhaustive", "constraints": [AtLeast(2, range(10))]}
    return [
        Request("exhaustive, constraints", black_box(40), (5, 3, 0.5), listed),
        Request("local search, 100 sets", black_box(200, 10**6), (5, 99, 0.5), SMALLEST),
        Request(
            "greedy wrapper, 100 sets",
            black_box(200, 10**5),
            (5, 99, 0.5),
            {"engine": "greedy-wrapper", **TOGETHER},
        ),
    ]


def _greedy(kind: str) -> dict[str, Any]:
    return {"search": f"greedy-{kind}"}


def _scores(n: int) -> Callable[[], Quality]:
    return lambda: Additive(np.random.default_rng(0).random(n))


def _numbers(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    relevance, pairs = rng.random(n), rng.random((n, n))
    return relevance, (pairs + pairs.T) / 2


def mrmr(n: int) -> Callable[[], Quality]:
    return lambda: MRMR(*_numbers(n))


def cfs(n: int) -> Callable[[], Quality]:
    return lambda: CFS(*_numbers(n))


def fcbf(n: int) -> Callable[[], Quality]:
    relevance, pairs = _numbers(n)
    return lambda: FCBF(relevance, 0.8 * pairs)


def black_box(n: int, max_iters: int = 1000) -> Callable[[], Quality]:
    worth = np.random.default_rng(1).random(n)
    return lambda: BlackBox(
        lambda chosen: float(worth[list(chosen)].sum()) - 0.1 * (sum(chosen) % 7),
        n_features_in=n,
        max_iters=max_iters,
    )


def _dice(first: tuple[int, ...], second: tuple[int, ...]) -> float:
    return 1 - 2 * len(set(first) & set(second)) / (len(first) + len(second))


def _sensors(first: tuple[int, ...], second: tuple[int, ...]) -> float:
    one, other = {feature // 4 for feature in first}, {feature // 4 for feature in second}
    return 1 - len(one & other) / len(one | other)
