"""Sets of ten, the hardest of the paper's sizes: how many of a grid of simultaneous searches are proven.

Mutual information of a fold on which no limit was chosen, seven tables with 30 to 168 features, every fifth of tau.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np

from altsets.search.enumeration import EnumerationEngine
from benchmarks.report import Check, Section, duration, share, table
from benchmarks.searches import Search
from benchmarks.untuned import SIZE, Asked, measured, untuned

TABLES = ("backache", "chess", "clean1", "ionosphere", "sonar", "spambase", "wdbc")
FOLD = "MI, fold 1"
#: What is maximised, and how many alternatives there are.
GOALS = (("sum", 2), ("sum", 4), ("min", 5))
#: Seconds of CPU time for each set, and the share that is to be proven.
SECONDS, TARGET = 5.0, 0.9


def run(folder: Path, jobs: int) -> Section:
    """The whole grid."""
    section = Section("tens")
    asked = [
        Asked(scores, Search("simultaneous", aggregation, SIZE, diff, a))
        for scores in untuned(folder)
        if scores.measure == FOLD and scores.data in TABLES
        for diff, (aggregation, a) in product(range(2, SIZE + 1, 2), GOALS)
    ]
    found = measured(
        "sets of ten", EnumerationEngine, asked, [SECONDS * one.search.n_sets for one in asked], jobs
    )
    proven = [one.seconds for one in found if one.proven]
    section.checks = [
        Check(
            f"mRMR, k = {SIZE}, fold 1: proven ({len(found)} searches)",
            f">= {TARGET:.0%}".replace("%", " %"),
            share(len(proven), len(found)),
            len(proven) >= TARGET * len(found),
        )
    ]
    section.body = [
        f"{len(found)} searches, {SECONDS:g} s of CPU time per set, {jobs} at a time: {len(proven)} are proven, half "
        f"of these within {duration(float(np.median(proven)))}, nine tenths within "
        f"{duration(float(np.quantile(proven, 0.9)))}. Open:",
        table(
            ("scores", "n", "search", "gap"),
            [
                (one.scores, one.n, one.search, f"{one.relative_gap:.2%}".replace("%", " %"))
                for one in found
                if not one.proven
            ],
        ),
    ]
    return section
