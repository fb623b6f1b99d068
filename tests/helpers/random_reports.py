"""Reports on random requests, as the command line makes them: their sections must agree, whatever the limits.

``python tests/helpers/random_reports.py 2000`` makes as many and prints how often each section was there.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from consistency import contradictions
from random_requests import random_request

import altsets
from altsets import Result
from altsets.cli import outputs
from altsets.cli.searching import Searched
from altsets.errors import InputError, UnsupportedError
from altsets.report import summarise
from altsets.request import Request
from altsets.search.answering import answer

#: Seconds for the search, and for each section that is computed for the report alone.
LIMITS = (1e-6, 0.001, 0.01, 0.1, 0.5)
SECONDS = (1e-6, 0.005, 0.02, 0.1)


def random_searched(rng: np.random.Generator) -> Searched:
    """A random request with its answer, some of them cut short."""
    while True:
        asked = random_request(rng, large=bool(rng.random() < 0.3))
        if asked.own:
            continue
        if rng.random() < 0.05:
            asked = replace(asked, boxed=True)
        quality = asked.quality
        request = Request(**asked.options, time_limit=LIMITS[rng.integers(len(LIMITS))])
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return Searched(answer(request, quality), quality, request)
        except (InputError, UnsupportedError):
            continue


def random_evaluation(
    result: Result, n_features_in: int, rng: np.random.Generator
) -> altsets.results.Evaluation:
    """How well the sets predict numbers that have little to do with them."""
    from sklearn.linear_model import LinearRegression

    X = rng.normal(size=(24, n_features_in))
    y = X[:, 0] + rng.normal(size=24)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return altsets.evaluate(result.sets, X, y, estimator=LinearRegression(), cv=3)


def random_report(rng: np.random.Generator) -> tuple[Searched, dict]:
    """A random answer, and what the command line adds to it for the report."""
    searched = random_searched(rng)
    seconds, outputs.SECONDS = outputs.SECONDS, SECONDS[rng.integers(len(SECONDS))]
    try:
        beside = outputs.extras_of(searched)
    finally:
        outputs.SECONDS = seconds
    if searched.result.sets and rng.random() < 0.2:
        n = searched.quality.n_features_in
        beside["evaluation"] = random_evaluation(searched.result, n, rng)
    return searched, beside


def random_reports(seeds: range) -> Iterator[tuple[int, list[str], list[str]]]:
    """The sections of one report for each seed, and what is wrong with it."""
    for seed in seeds:
        searched, beside = random_report(np.random.default_rng(seed))
        wrong = contradictions(searched.result, beside.get("frontier"), beside.get("near_best"))
        made = summarise(searched.result, quality=searched.quality, **beside)
        yield seed, [part["id"] for part in made["sections"]], wrong


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    there: Counter[str] = Counter()
    failed = 0
    for number, (seed, sections, wrong) in enumerate(random_reports(range(count)), start=1):
        if number % 100 == 0:
            print(f"{number} reports", file=sys.stderr, flush=True)
        there.update(sections)
        if wrong:
            failed += 1
            print(f"seed {seed}: {' '.join(wrong)}", flush=True)
    print(f"{count} reports, {failed} with contradictions; sections: {dict(there)}")
    sys.exit(failed > 0)
