"""Answers checked again: by the definitions, and by a second engine."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import altsets
from altsets import constraints, quality
from benchmarks.report import Check, Section, table
from benchmarks.searches import Scores

N_RANDOM = 200
#: Seconds for a search, and for the second opinion on it.
SEARCH_LIMIT, OPINION_LIMIT = 10.0, 10.0
SEARCHES = ("sequential", "simultaneous", "greedy-replacement", "greedy-balancing")
TAUS = (0.3, 0.5, 0.8, 1.0)

Request = tuple[quality.Quality, dict[str, Any]]


def run(scores: Sequence[Scores]) -> Section:
    """Random requests, and one for each data set."""
    section = Section("second-opinion")
    lines, unavailable, violated = [], [], 0
    for name, requests in (("random", _random()), ("data sets", _real(scores))):
        said, violations, reasons = _opinions(requests)
        violated += violations
        lines.append(
            (name, said.total(), *(said[one] for one in ("agrees", "disagrees", "unavailable")), violations)
        )
        unavailable += [(name, reason, count) for reason, count in reasons.items()]
    section.checks.append(
        Check("answers that a second engine contradicts", "0", str(violated), violated == 0)
    )
    section.body = [
        "`verify(result, quality, second_opinion=True)`: small tables are listed exhaustively, others are solved as "
        f"an integer programme within {OPINION_LIMIT:g} s. Random requests have 6 to 30 features, sets of 2 to 5, "
        "up to 4 alternatives, all searches, and half of them constraints; each data set has one request.",
        table(("requests", "asked", "agrees", "disagrees", "unavailable", "violated claims"), lines),
        table(("requests", "unavailable, as", "how often"), unavailable),
    ]
    return section


def _opinions(requests: Iterator[Request]) -> tuple[Counter[str], int, Counter[str]]:
    said: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    violations = 0
    for asked, options in requests:
        with warnings.catch_warnings(action="ignore"):
            result = altsets.find(asked, time_limit=SEARCH_LIMIT, **options)
        checked = altsets.verify(result, asked, second_opinion=True, time_limit=OPINION_LIMIT)
        opinion, _, reason = checked.second_opinion.partition(": ")
        said[opinion or "disagrees"] += 1
        violations += not checked.ok
        if reason:
            reasons[reason.partition(": ")[2] or reason] += 1
    return said, violations, reasons


def _random() -> Iterator[Request]:
    for seed in range(N_RANDOM):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(6, 31))
        relevance, columns = rng.normal(1, 1, n), rng.normal(size=(n, n))
        redundancy = np.abs(columns + columns.T) / 3
        kinds: tuple[quality.Quality, ...] = (
            quality.Additive(relevance),
            quality.MRMR(relevance, redundancy),
            quality.FCBF(np.abs(relevance), redundancy / 2),
            quality.CFS(relevance, redundancy),
        )
        options: dict[str, Any] = {
            "n_features": int(rng.integers(2, 6)),
            "n_alternatives": int(rng.integers(0, 5)),
            "tau": float(rng.choice(TAUS)),
            "search": str(rng.choice(SEARCHES)),
            "aggregation": str(rng.choice(["sum", "min"])),
        }
        if rng.random() < 0.5:
            few = rng.permutation(n)[:4].tolist()
            costs = constraints.Budget(rng.integers(1, 9, n).tolist(), 5.0 * options["n_features"])
            options["constraints"] = [constraints.Forbid(few[:1]), constraints.AtMost(1, few[1:]), costs]
        kind = seed % len(kinds)
        if options["search"].startswith("greedy"):
            # For sums of scores, with features that are forbidden and no other constraints.
            kind, options["constraints"] = 0, options.get("constraints", [])[:1]
        yield kinds[kind], options


def _real(scores: Sequence[Scores]) -> Iterator[Request]:
    """One for each data set; qualities, searches and limits take turns."""
    by_data: dict[str, list[Scores]] = {}
    for one in scores:
        by_data.setdefault(one.data, []).append(one)
    for number, found in enumerate(by_data.values()):
        options = {"n_features": 3 + number % 3, "n_alternatives": 1 + number % 3, "tau": TAUS[number % 4]}
        yield found[number % len(found)].quality, {**options, "search": SEARCHES[number // 2 % 2]}
