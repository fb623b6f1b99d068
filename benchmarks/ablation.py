"""Ablation: each phase, cut and bound of the exact searches is switched off in turn, on data that nothing was tuned on.

What gains little, alone and together with its neighbours, has no place in the search: it costs every reader time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from altsets.search.additive.engine import AdditiveEngine
from altsets.search.enumeration import EnumerationEngine
from benchmarks.report import Section, duration, share, table
from benchmarks.searches import Measured
from benchmarks.untuned import (
    Asked,
    fresh,
    fresh_additive,
    limited,
    measured,
    set_limit,
    traced,
)

#: Seconds of CPU time for each search, and for those that are not proven then.
SECONDS, MANY_SECONDS = 3.0, 60.0
EVERYTHING = "everything"


@dataclass(frozen=True)
class Variant:
    """The simultaneous search without some phases, or with other limits."""

    without: Sequence[str] = ()
    limits: Mapping[str, Any] = field(default_factory=dict)

    def touches(self, gone_through: Set[str]) -> bool:
        """Whether a search in which something happened in these phases can be another one without it."""
        return bool(self.limits) or not gone_through.isdisjoint(self.without)


#: What is switched off, and neighbours together.
VARIANTS: dict[str, Variant] = {
    EVERYTHING: Variant(),
    "all sets listed where they are few": Variant(["enumerate_all"]),
    "additive relaxation": Variant(["additive_relaxation"]),
    "short lists without prices": Variant(["list_without_prices"]),
    "lists with prices, early": Variant(["list_early"]),
    "long lists": Variant(["list_long"]),
    "improving before the first lists": Variant(["improve"]),
    "walks from random sets": Variant(["walk_shortly", "walk_long"]),
    "lists to the incumbent": Variant(["list_full", "list_in_part"]),
    "clique cuts": Variant(["cut_cliques"]),
    "sets that are not listed": Variant(limits={"search.LISTED_PARTS": (1.0,)}),
    "local search": Variant(limits={"state.RESPONSE_NODES": 0}),
    "annealing": Variant(limits={"search.SHORT_ANNEALING": 0, "search.GROWING_ANNEALINGS": ()}),
    "thresholds": Variant(["refute_shortly", "refute_long", "refute_in_part"]),
    "branching on columns": Variant(["branch_on_columns"]),
    "cuts on pairs of features": Variant(limits={"master.PAIR_CUTS": False}),
    "pricing by exchanges": Variant(limits={"fixed_size.MAX_EXCHANGES": 0}),
}

#: The same for the additive engine.
ADDITIVE_VARIANTS: dict[str, dict[str, Any]] = {
    EVERYTHING: {},
    "sum: exact arrangement of degree sequences": {"max_sum.ARRANGEMENT_NODES": 0},
    "sum: randomised arrangement": {"max_sum.DEAL_ATTEMPTS": 0},
    "integer programme over patterns": {"pattern_milp.FEW_VARIABLES": 0},
    "sum: all good sets listed (meet in the middle)": {"windows.SUM_LENGTH": 0},
    "minimum: annealing": {"completion.ANNEALING_STEPS": 0},
    "minimum: ever wider windows at the root": {"windows.WIDEN_NODES": -1},
}


def run(folder: Path, jobs: int, variants: Sequence[str] = ()) -> Section:
    """Every variant on the same searches."""
    section = Section("ablation")
    found = ablate(fresh(folder), jobs, variants)
    additive = ablate_additive(fresh_additive(folder), jobs)
    section.body = [
        f"{len(found[EVERYTHING])} searches on data that neither limits nor earlier ablations were measured on: mutual "
        "information of folds 3 and 4, Spearman, Pearson and forest importances, eight more tables, random numbers; "
        "mRMR with k = 10 and k = 5, FCBF, groups, exclusions, implications and budgets, features that are alike "
        f"counting as the same. {SECONDS:g} s of CPU time per search, {jobs} at a time. What is named is switched "
        "off; searches that do not go through it are not run again. The ratio of times is over the searches that are "
        "proven with and without it; better and worse say how many objectives are.",
        lines(found),
        f"The additive engine, {len(additive[EVERYTHING])} searches:",
        lines(additive),
    ]
    return section


def ablate(
    asked: Sequence[Asked], jobs: int, variants: Sequence[str] = (), seconds: float = SECONDS
) -> dict[str, list[Measured]]:
    """Each variant of the simultaneous search; a search that never goes through what is removed is not run again."""
    usual = traced(f"with {EVERYTHING}", partial(_variant, EVERYTHING), asked, [seconds] * len(asked), jobs)
    found = {EVERYTHING: [one for one, _ in usual]}
    for name in variants or [name for name in VARIANTS if name != EVERYTHING]:
        again = [place for place, (_, past) in enumerate(usual) if VARIANTS[name].touches(past)]
        some = [asked[place] for place in again]
        found[name] = list(found[EVERYTHING])
        for place, one in zip(
            again,
            measured(f"without {name}", partial(_variant, name), some, [seconds] * len(some), jobs),
            strict=True,
        ):
            found[name][place] = one
    return found


def ablate_additive(asked: Sequence[Asked], jobs: int) -> dict[str, list[Measured]]:
    """Each variant of the additive engine."""
    return {
        name: measured(
            f"additive without {name}", partial(_additive, name), asked, [SECONDS] * len(asked), jobs
        )
        for name in ADDITIVE_VARIANTS
    }


def lines(found: Mapping[str, Sequence[Measured]]) -> str:
    """The table: one line for each variant."""
    header = ("without", "proven", "mean time", "ratio of times", "better", "worse")
    return table(header, (_line(name, some, found[EVERYTHING]) for name, some in found.items()))


def _variant(name: str) -> EnumerationEngine:
    return limited(VARIANTS[name].limits, VARIANTS[name].without)


def _additive(name: str) -> AdditiveEngine:
    for limit, value in ADDITIVE_VARIANTS[name].items():
        set_limit(limit, value)
    return AdditiveEngine()


def _line(name: str, found: Sequence[Measured], usual: Sequence[Measured]) -> tuple[str, ...]:
    both = [(one, other) for one, other in zip(found, usual, strict=True) if one.proven and other.proven]
    ratio = sum(one.seconds for one, _ in both) / sum(other.seconds for _, other in both)
    gains = [one.objective - other.objective for one, other in zip(found, usual, strict=True)]
    better = sum(gain > 1e-9 for gain in gains if not math.isnan(gain))
    worse = sum(gain < -1e-9 for gain in gains if not math.isnan(gain))
    mean = float(np.mean([one.seconds for one in found]))
    return (
        f"({name})" if name == EVERYTHING else name,
        share(sum(one.proven for one in found), len(found)),
        duration(mean),
        f"{ratio:.2f}",
        str(better),
        str(worse),
    )
