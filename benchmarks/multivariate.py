"""Every search of the paper's study on additive, FCBF and mRMR quality, and a sample with larger sets."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from itertools import product
from typing import TypeVar

import numpy as np

from benchmarks.consistency import contradictions
from benchmarks.grid import ALTERNATIVES, SEQUENTIAL_ALTERNATIVES, SMALL_GAP, grid
from benchmarks.passes import Limits, Passes, two_passes
from benchmarks.report import Check, Section, duration, row_of, share, table
from benchmarks.searches import SLACK, Measured, Scores, Search

SIZE = 5
#: Mean seconds at most, by quality and search, and what the paper needed.
MEANS = (
    ("MI", "", 0.010, ""),
    ("FCBF", "", 0.010, ""),
    ("mRMR", "sequential", 0.050, "34 s"),
    ("mRMR", "simultaneous", 1.0, "156 to 189 s"),
)

LARGE_SIZE = 10
LARGE_ALTERNATIVES = (1, 3, 5)
LARGE_SHARE = 0.95
#: Small and large, easy and hard; Hill_Valley_with_noise and chess are the hardest.
LARGE_DATA = (
    "Hill_Valley_with_noise",
    "backache",
    "chess",
    "churn",
    "clean1",
    "credit_g",
    "hypothyroid",
    "ionosphere",
    "sonar",
    "spambase",
    "spect",
    "wdbc",
)
EXCEPTIONS = (
    "scores",
    "n",
    "search",
    "status",
    "objective",
    "bound",
    "relative gap",
    "time",
    "engine or error",
)
Key = TypeVar("Key", bound=Hashable)


def run(all_scores: Sequence[Scores], limits: Limits, jobs: int) -> Section:
    """Sets of five features: the whole grid on all scores."""
    section = Section("multivariate")
    passes = two_passes(
        section.part, [(scores, search) for scores in all_scores for search in grid(SIZE)], limits, jobs
    )
    measures = {scores.name: scores.measure for scores in all_scores}
    wrong = _contradictions(passes)
    for measure, group in _grouped(passes, lambda one: measures[one.scores]).items():
        section.checks.append(_all_proven(measure, group))
    for measure, search, target, paper in MEANS:
        group = [o for o in passes.found if measures[o.scores] == measure and search in ("", o.search.search)]
        if group:
            section.checks.append(_mean_check(f"{measure} {search}".strip(), group, target, paper))
    section.checks += _correctness(passes, wrong)
    counts = Counter(scores.measure for scores in all_scores)
    section.body = [
        f"{', '.join(f'{name} on {count} data sets' for name, count in counts.items())}; k = {SIZE}, every "
        f"tau in {{1/{SIZE}, ..., 1}}, sequential with a = {SEQUENTIAL_ALTERNATIVES}, simultaneous with a in "
        f"{ALTERNATIVES}. {_limits(limits, jobs)} {passes}",
        table(
            ("quality", "search", "searches", "statuses", "proven", "mean", "median", "worst", "engines"),
            (
                _group_line(key, group)
                for key, group in _grouped(
                    passes, lambda one: (measures[one.scores], one.search.kind)
                ).items()
            ),
        ),
        *_exceptions(passes, wrong),
    ]
    section.rows = [row_of(section.part, one) for one in passes.found]
    return section


def run_large(all_scores: Sequence[Scores], limits: Limits, jobs: int) -> Section:
    """Sets of ten features: every tau, on the sample of data sets."""
    section = Section("multivariate10")
    sampled = [scores for scores in all_scores if scores.data in LARGE_DATA]
    passes = two_passes(section.part, [(s, search) for s in sampled for search in large_grid()], limits, jobs)
    wrong = _contradictions(passes)
    proven = sum(one.proven for one in passes.found)
    section.checks = [
        Check(
            f"mRMR, k = {LARGE_SIZE}: proven ({len(passes.found)} searches)",
            f">= {LARGE_SHARE:.0%}".replace("%", " %"),
            share(proven, len(passes.found)),
            proven >= LARGE_SHARE * len(passes.found),
        ),
        *_correctness(passes, wrong),
    ]
    header = ("searches", "statuses", "proven", "sum", "min", "mean", "median", "worst", "largest gap")
    section.body = [
        f"mRMR on {', '.join(f'{scores.data} (n={scores.n})' for scores in sampled)}; k = {LARGE_SIZE}, every tau in "
        f"{{1/{LARGE_SIZE}, ..., 1}}, simultaneous with a in {LARGE_ALTERNATIVES}, sum and min. "
        f"{_limits(limits, jobs)} {passes}",
        table(
            ("tau", *header),
            (_large_line(k, g) for k, g in _grouped(passes, lambda one: one.search.tau).items()),
        ),
        table(
            ("data", *header),
            (_large_line(k, g) for k, g in _grouped(passes, lambda one: one.scores).items()),
        ),
        *_exceptions(passes, wrong),
    ]
    section.rows = [row_of(section.part, one) for one in passes.found]
    return section


def large_grid() -> list[Search]:
    """The searches on one data set of the sample."""
    return [
        Search("simultaneous", aggregation, LARGE_SIZE, diff, a)
        for diff, a, aggregation in product(range(1, LARGE_SIZE + 1), LARGE_ALTERNATIVES, ("sum", "min"))
    ]


def _limits(limits: Limits, jobs: int) -> str:
    text = (
        f"First at most {limits.short:g} s per search, then, for what is left unproven, {limits.per_set:g} s "
        "per set; times and answers are the last ones."
    )
    if jobs > 1:
        text += f" {jobs} searches were run at a time, so times are less exact."
    return text


def _grouped(passes: Passes, key: Callable[[Measured], Key]) -> dict[Key, list[Measured]]:
    groups: dict[Key, list[Measured]] = {}
    for one in passes.found:
        groups.setdefault(key(one), []).append(one)
    return groups


def _contradictions(passes: Passes) -> list[str]:
    return [
        line for group in _grouped(passes, lambda one: one.scores).values() for line in contradictions(group)
    ]


def _all_proven(measure: str, group: Sequence[Measured]) -> Check:
    left = sum(not one.proven for one in group)
    return Check(f"{measure}: proven ({len(group)} searches)", "all", f"all but {left}", not left)


def _mean_check(name: str, group: Sequence[Measured], target: float, paper: str) -> Check:
    mean = float(np.mean([one.seconds for one in group]))
    said = f"< {duration(target)}" + (f" (the paper: {paper})" if paper else "")
    return Check(f"{name}: mean time", said, duration(mean), mean < target)


def _correctness(passes: Passes, wrong: Sequence[str]) -> list[Check]:
    errors = [one for one in passes.found if one.status == "error"]
    return [
        Check("searches that raised", "0", str(len(errors)), not errors),
        Check("answers that contradict each other", "0", str(len(wrong)), not wrong),
        Check(
            f"searches over the time limit by more than {SLACK:g} s",
            "0",
            str(len(passes.late)),
            not passes.late,
        ),
    ]


def _statuses(group: Sequence[Measured]) -> str:
    return ", ".join(f"{count} {status}" for status, count in Counter(one.status for one in group).items())


def _times(group: Sequence[Measured]) -> tuple[str, ...]:
    """Mean, median, worst."""
    seconds = np.array([one.seconds for one in group])
    return tuple(duration(float(x)) for x in (seconds.mean(), np.median(seconds), seconds.max()))


def _proven(group: Sequence[Measured]) -> str:
    return share(sum(one.proven for one in group), len(group))


def _group_line(key: tuple[str, str], group: Sequence[Measured]) -> tuple[object, ...]:
    engines = ", ".join(sorted({one.result.engine for one in group if one.result is not None}))
    return (*key, len(group), _statuses(group), _proven(group), *_times(group), engines)


def _large_line(key: object, group: Sequence[Measured]) -> tuple[object, ...]:
    by_aggregation = [[one for one in group if one.search.aggregation == which] for which in ("sum", "min")]
    return (
        key,
        len(group),
        _statuses(group),
        _proven(group),
        *(_proven(part) for part in by_aggregation),
        *_times(group),
        max(one.relative_gap for one in group),
    )


def _exceptions(passes: Passes, wrong: Sequence[str]) -> list[str]:
    """Every search that is not proven, with its gap; every contradiction."""
    unproven = sorted((one for one in passes.found if not one.proven), key=lambda one: -one.relative_gap)
    body = ["### Neither proven optimal nor infeasible"]
    if unproven:
        close = sum(one.relative_gap <= SMALL_GAP for one in unproven)
        body.append(
            f"{len(unproven)} searches, {close} of them with a relative gap of at most {SMALL_GAP:g}. The gap "
            "is that between bound and objective, relative to the larger one; inf where sets are missing."
        )
        body.append(table(EXCEPTIONS, (_exception(one) for one in unproven)))
    else:
        body.append("None.")
    if passes.late:
        body.append(f"### Over the time limit by more than {SLACK:g} s")
        body.append("\n".join(f"- {one}: {one.status} after {duration(one.seconds)}" for one in passes.late))
    body.append("### Contradictions between answers")
    body.append("\n".join(f"- {line}" for line in wrong) or "None.")
    return body


def _exception(one: Measured) -> tuple[object, ...]:
    bound = math.nan if one.result is None else one.result.bound
    return (
        one.scores,
        one.n,
        one.search,
        one.status,
        one.objective,
        bound,
        one.relative_gap,
        duration(one.seconds),
        one.who,
    )
