"""Survival: how long scores and searches take, whether planted features come first, and what shuffled times show."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import altsets
from altsets import measures
from benchmarks.report import Check, Section, duration, table

#: Rows and columns of the table that is scored, and of the one that is searched with mRMR.
SCORED, SEARCHED = (1_000, 20_000), (300, 2_000)
#: Seconds that each measure may take, and that mRMR may: scores, and four sets of five features with a proof.
SECONDS = {"concordance": 20.0, "cox": 10.0}
SECONDS_MRMR = 5.0
#: Tables with an effect, and without one: how many there are, and the share that must be right.
REPEATS, FEWER, SHARE = 100, 10, 0.95
ROWS, COLUMNS = 200, 50
#: Columns that decide the risk: the first ones.
PLANTED = (0, 1)


def run(quick: bool) -> Section:
    """Times, and answers on many tables."""
    section, repeats = Section("targets"), FEWER if quick else REPEATS
    lines = [*_scores(section), _search(section)]
    rights = [
        _right(section, "planted features come first", _finds_planted, repeats),
        _right(section, "shuffled times: not better than a guess", _sees_nothing, repeats),
    ]
    section.body = [
        "Survival with exponential times; two columns decide the risk, about a third of the rows are censored, and the "
        "other columns are noise. mRMR: concordance with the target, rank correlation between features; four sets of "
        "five features, tau = 0.5.",
        table(("what", "rows", "columns", "time", "outcome"), lines),
        f"Tables of {ROWS} rows and {COLUMNS} columns, each with another seed. Planted: the two columns are the best "
        "set of two by concordance. Shuffled: times and events are dealt out anew, sets are searched in each of five "
        "folds, and the best set's Cox model is compared with a guess.",
        table(("what", "tables", "right"), rights),
    ]
    return section


def _patients(shape: tuple[int, int], seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=shape)
    until_event = rng.exponential(size=len(X)) * np.exp(-X[:, PLANTED].sum(axis=1))
    until_left = 2 * rng.exponential(size=len(X))
    y = altsets.io.survival_target(time=np.minimum(until_event, until_left), event=until_event <= until_left)
    return X, y


def _scores(section: Section) -> list[tuple[Any, ...]]:
    X, y = _patients(SCORED, seed=0)
    lines = []
    for measure, limit in SECONDS.items():
        started = time.perf_counter()
        scores, _ = measures.score(X, y, measure)
        seconds = time.perf_counter() - started
        first = {*np.argsort(-scores)[: len(PLANTED)].tolist()} == {*PLANTED}
        what = f"{measure}, {SCORED[0]:,} x {SCORED[1]:,}"
        section.checks.append(Check(what, f"{limit:g} s", duration(seconds), seconds <= limit))
        lines.append((measure, *SCORED, duration(seconds), "planted first" if first else "others first"))
    return lines


def _search(section: Section) -> tuple[Any, ...]:
    X, y = _patients(SEARCHED, seed=0)
    selector = altsets.SelectAlternatives("mrmr", n_features=5, n_alternatives=3, tau=0.5)
    started = time.perf_counter()
    found = selector.fit(X, y).result_
    seconds = time.perf_counter() - started
    what = f"mRMR, {SEARCHED[0]:,} x {SEARCHED[1]:,}"
    section.checks.append(
        Check(what, f"{SECONDS_MRMR:g} s", duration(seconds), bool(found.sets) and seconds <= SECONDS_MRMR)
    )
    return "mRMR", *SEARCHED, duration(seconds), found.status.value


def _right(
    section: Section, what: str, is_right: Callable[[int], bool], repeats: int
) -> tuple[str, int, int]:
    right = sum(is_right(seed) for seed in range(repeats))
    enough = right >= SHARE * repeats
    section.checks.append(Check(what, f"{SHARE:.0%}", f"{right} of {repeats}", enough))
    return what, repeats, right


def _finds_planted(seed: int) -> bool:
    X, y = _patients((ROWS, COLUMNS), seed)
    return altsets.SelectAlternatives("concordance", n_features=2, n_alternatives=0).fit(
        X, y
    ).result_.sets == [PLANTED]


def _sees_nothing(seed: int) -> bool:
    X, y = _patients((ROWS, COLUMNS), seed)
    shuffled = np.random.default_rng(seed).permutation(y)
    selector = altsets.SelectAlternatives("concordance", n_features=2, n_alternatives=0)
    (entry,) = altsets.evaluate(selector, X, shuffled, n_repeats=1).against_baseline
    return entry.beats_baseline is False
