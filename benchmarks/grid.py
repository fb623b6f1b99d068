"""Every search of the project's target grid: statuses, gaps, times."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.consistency import contradictions
from benchmarks.report import Check, Section, duration, row_of, table
from benchmarks.searches import SLACK, Measured, Scores, Search, measure

SIZES = (5, 10)
ALTERNATIVES = (1, 2, 3, 4, 5)
SEQUENTIAL_ALTERNATIVES = 10
#: A gap that counts as closed where the minimum is maximised.
SMALL_GAP = 1e-6
WORST = 20


def grid(k: int) -> Iterator[Search]:
    """All searches with sets of size k."""
    for diff in range(1, k + 1):
        yield Search("sequential", "sum", k, diff, SEQUENTIAL_ALTERNATIVES)
        for aggregation in ("sum", "min"):
            for a in ALTERNATIVES:
                yield Search("simultaneous", aggregation, k, diff, a)


def run(all_scores: Sequence[Scores], time_limit: float) -> Section:
    """The whole grid on all scores, and whether the answers agree with each other."""
    section = Section("grid")
    found: list[Measured] = []
    wrong: list[str] = []
    left_out: list[str] = []
    for scores in all_scores:
        for k in SIZES:
            if scores.n < k:
                left_out.append(f"{scores.name} with k={k} (it has {scores.n} features)")
                continue
            here = [measure(scores, search, time_limit) for search in grid(k)]
            wrong += contradictions(here)
            found += here
        worst = max(found, key=lambda one: one.seconds).seconds
        print(f"grid: {scores.name} done, worst so far {duration(worst)}", file=sys.stderr)
    section.rows = [row_of("grid", one) for one in found]
    section.checks = _checks(found, wrong, time_limit)
    section.body = _body(all_scores, found, wrong, left_out, time_limit)
    return section


def _exceptions(found: Sequence[Measured]) -> list[Measured]:
    """Neither proven nor, where the minimum is maximised, closed up to a small gap."""
    return [
        one
        for one in found
        if not one.proven and not (one.search.aggregation == "min" and one.relative_gap <= SMALL_GAP)
    ]


def _checks(found: Sequence[Measured], wrong: Sequence[str], time_limit: float) -> list[Check]:
    seconds = np.array([one.seconds for one in found])
    errors = [one for one in found if one.status == "error"]
    exceptions = _exceptions(found)
    late = [one for one in found if one.seconds > time_limit + SLACK]
    median, worst = float(np.median(seconds)), float(seconds.max())
    return [
        Check(
            f"proven, or min within {SMALL_GAP:g} ({len(found)} searches)",
            "all",
            f"all but {len(exceptions)}",
            not exceptions,
        ),
        Check("searches that raised", "0", str(len(errors)), not errors),
        Check("answers that contradict each other", "0", str(len(wrong)), not wrong),
        Check(f"searches over the time limit by more than {SLACK:g} s", "0", str(len(late)), not late),
        Check("median time", "< 5 ms", duration(median), median < 0.005),
        Check("worst time", "< 1 s", duration(worst), worst < 1),
    ]


def _body(
    all_scores: Sequence[Scores],
    found: Sequence[Measured],
    wrong: Sequence[str],
    left_out: Sequence[str],
    time_limit: float,
) -> list[str]:
    counts = Counter(scores.measure for scores in all_scores)
    which = " and ".join(f"{name} on {count} data sets" for name, count in counts.items())
    body = [
        f"{which}; k in {SIZES}, every tau = l/k with l >= 1, simultaneous with a in {ALTERNATIVES}, "
        f"sequential with a = {SEQUENTIAL_ALTERNATIVES}; at most {time_limit:g} s per search. A sequential "
        "search that proves that its next set does not exist counts as infeasible."
    ]
    if left_out:
        body.append("Left out, too few features: " + "; ".join(left_out) + ".")
    measures = {scores.name: scores.measure for scores in all_scores}
    groups: dict[tuple[str, int, str], list[Measured]] = {}
    for one in found:
        groups.setdefault((measures[one.scores], one.search.k, one.search.kind), []).append(one)
    body.append(
        table(
            ("scores", "k", "search", "searches", "statuses", "median", "99 %", "worst", "largest gap"),
            (_group_line(key, group) for key, group in groups.items()),
        )
    )
    body.append("### Neither proven optimal nor infeasible")
    unproven = [one for one in found if not one.proven]
    body.append(
        table(
            ("scores", "search", "status", "relative gap", "time", "engine or error"),
            (
                (one.scores, one.search, one.status, one.relative_gap, duration(one.seconds), one.who)
                for one in sorted(unproven, key=lambda one: -one.relative_gap)
            ),
        )
        if unproven
        else "None."
    )
    body.append("### Contradictions between answers")
    body.append("\n".join(f"- {line}" for line in wrong) or "None.")
    body.append(f"### The {WORST} slowest")
    body.append(
        table(
            ("scores", "n", "search", "status", "time", "engine or error"),
            (
                (one.scores, one.n, one.search, one.status, duration(one.seconds), one.who)
                for one in sorted(found, key=lambda one: -one.seconds)[:WORST]
            ),
        )
    )
    return body


def _group_line(key: tuple[str, int, str], group: Sequence[Measured]) -> tuple[object, ...]:
    seconds = np.array([one.seconds for one in group])
    statuses = ", ".join(f"{count} {status}" for status, count in Counter(o.status for o in group).items())
    return (
        *key,
        len(group),
        statuses,
        duration(float(np.median(seconds))),
        duration(float(np.quantile(seconds, 0.99))),
        duration(float(seconds.max())),
        max(one.relative_gap for one in group),
    )
