"""Searches that run out of time: as many sets as exist, and none clearly worse than greedy choice plus exchanges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import altsets
from altsets import constraints, quality
from benchmarks.report import Check, Section, table

REQUESTS = 300
#: The least share of the quality of a greedy set with exchanges that a set has.
LEAST_SHARE = 0.9
LIMITS = (0.1, 0.3, 1.0, 2.0)
#: Features, and how many requests in ten have so many.
WIDTHS = (60, 200, 200, 600, 600, 1500, 1500, 3000, 3000, 5000)


@dataclass(frozen=True)
class Case:
    """One request: numbers, conditions in plain form, and a time limit."""

    name: str
    relevance: np.ndarray
    redundancy: np.ndarray | None
    k: int
    n_sets: int
    max_shared: int
    time_limit: float
    forbidden: np.ndarray
    required: tuple[int, ...] = ()
    #: Groups of which a set has at most ``per_group`` features; -1: in no group.
    groups: np.ndarray | None = None
    per_group: int = 1
    costs: np.ndarray | None = None
    budget: float = math.inf

    def value(self, chosen: Sequence[int]) -> float:
        """The quality of a set, from its definition."""
        some = np.array(chosen, dtype=np.intp)
        total = float(self.relevance[some].sum())
        if self.redundancy is None:
            return total
        among = self.redundancy[np.ix_(some, some)]
        return total / len(some) - float(among.sum() - np.trace(among)) / len(some) / (len(some) - 1)

    def answer(self) -> altsets.Result:
        """What altsets finds within the limit."""
        what: Any = (
            quality.Additive(self.relevance)
            if self.redundancy is None
            else quality.MRMR(self.relevance, self.redundancy)
        )
        conditions: list[Any] = []
        if self.forbidden.any():
            conditions.append(constraints.Forbid(np.flatnonzero(self.forbidden).tolist()))
        if self.required:
            conditions.append(constraints.Require(list(self.required)))
        if self.groups is not None:
            for group in np.unique(self.groups[self.groups >= 0]):
                members = np.flatnonzero(self.groups == group).tolist()
                conditions.append(constraints.AtMost(self.per_group, members))
        if self.costs is not None:
            conditions.append(constraints.Budget(self.costs, self.budget))
        return altsets.find(
            what,
            n_features=self.k,
            n_alternatives=self.n_sets - 1,
            tau=self.k - self.max_shared,
            dissimilarity="absolute",
            constraints=conditions,
            time_limit=self.time_limit,
        )


@dataclass
class Greedy:
    """A set grown feature by feature and then improved by exchanges: what eight lines of NumPy do."""

    case: Case
    others: Sequence[Sequence[int]]
    chosen: list[int] = field(default_factory=list)

    def grown(self) -> tuple[int, ...] | None:
        """The set, or None where greedy choice gets stuck."""
        case = self.case
        self.chosen = list(case.required)
        while len(self.chosen) < case.k:
            best = self._best()
            if best is None:
                return None
            self.chosen.append(best)
        for _ in range(20):
            before = case.value(self.chosen)
            for place in range(len(case.required), case.k):
                out = self.chosen.pop(place)
                self.chosen.insert(place, self._best(beside=out) or out)
            if case.value(self.chosen) <= before * (1 + 1e-9):
                break
        return tuple(sorted(self.chosen))

    def _best(self, beside: int | None = None) -> int | None:
        case, chosen = self.case, self.chosen
        gains = case.relevance.copy()
        if case.redundancy is not None and chosen:
            gains = gains / case.k - case.redundancy[chosen].sum(axis=0) * 2 / case.k / (case.k - 1)
        fits = ~case.forbidden
        fits[chosen] = False
        for other in self.others:
            if len(set(other) & set(chosen)) >= case.max_shared:
                fits[list(other)] = False
        if case.groups is not None:
            counts = np.bincount(
                case.groups[chosen][case.groups[chosen] >= 0], minlength=case.groups.max() + 1
            )
            fits &= (case.groups < 0) | (counts[case.groups] < case.per_group)
        if case.costs is not None:
            left = case.budget - case.costs[chosen].sum()
            rest = np.sort(case.costs[fits])[: case.k - len(chosen) - 1].sum()
            fits &= case.costs <= left - rest
        if beside is not None and fits[beside]:
            gains[beside] += 1e-12
        gains[~fits] = -math.inf
        best = int(np.argmax(gains))
        return best if fits[best] else None


def cases(number: int = REQUESTS, seed: int = 0) -> Iterator[Case]:
    """Random requests, each from its own stream."""
    for index in range(number):
        rng = np.random.default_rng((seed, index))
        n = WIDTHS[index % len(WIDTHS)]
        k = int(rng.choice([5, 8, 10, 15]))
        additive = rng.random() < 0.2
        rows = int(rng.choice([60, 200]))
        relevance, redundancy = _numbers(rng, rows, n)
        kind = ("plain", "forbid", "require", "groups", "budget")[int(rng.integers(5))]
        forbidden = np.zeros(n, dtype=bool)
        if kind == "forbid":
            # The features that matter most, as a user does who wants others.
            forbidden[np.argsort(-relevance)[: n // 10]] = True
        groups = None
        if kind == "groups":
            groups = np.where(rng.random(n) < 0.9, rng.integers(0, max(n // 8, 2 * k), n), -1)
        costs, budget = None, math.inf
        if kind == "budget":
            costs = rng.integers(1, 20, n).astype(float)
            budget = float(np.sort(costs)[: 3 * k].mean() * k * 1.5)
        n_sets = int(rng.integers(2, 6))
        tau = float(rng.choice([0.2, 0.5, 0.8, 1.0]))
        max_shared = math.floor((1 - tau) * k + 1e-9)
        required = (int(np.argsort(-relevance)[n // 3]),) if kind == "require" and max_shared else ()
        yield Case(
            f"{'additive' if additive else 'mRMR'}, {kind}",
            relevance,
            None if additive else redundancy,
            k,
            n_sets,
            max_shared,
            LIMITS[index // len(WIDTHS) % len(LIMITS)],
            forbidden,
            required,
            groups,
            1,
            costs,
            budget,
        )


def _numbers(rng: np.random.Generator, rows: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Correlations of a table with blocks of similar columns."""
    block = int(rng.choice([1, 5, 20]))
    factors = rng.normal(size=(rows, -(-n // block)))
    X = np.repeat(factors, block, axis=1)[:, :n] + rng.normal(size=(rows, n))
    y = X[:, rng.choice(n, 10)].sum(axis=1) + 2 * rng.normal(size=rows)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (y - y.mean()) / y.std()
    redundancy = np.abs(X.T @ X / rows)
    redundancy = (redundancy + redundancy.T) / 2
    np.fill_diagonal(redundancy, 1.0)
    return np.abs(y @ X / rows), redundancy


def run() -> Section:
    """All requests; where fewer sets came back than asked, greedy choice is tried for one more."""
    section = Section("time-limits")
    rows: dict[str, list[tuple[float, int, float]]] = {}
    for case in cases():
        result = case.answer()
        shares, missing = [], case.n_sets - len(result.sets)
        for number in range(len(result.sets)):
            known = Greedy(case, result.sets[:number]).grown()
            if known is not None:
                shares.append(result.qualities[number] / case.value(known))
        if missing and Greedy(case, result.sets).grown() is None:
            missing = 0
        late = result.elapsed - case.time_limit
        rows.setdefault(case.name, []).append((min(shares, default=1.0), missing, late))
    lines: list[Sequence[Any]] = []
    for name, found in sorted(rows.items()):
        worst = min(share for share, _, _ in found)
        lines.append(
            (
                name,
                len(found),
                f"{worst:.1%}",
                sum(missing > 0 for _, missing, _ in found),
                f"{max(late for _, _, late in found):.2f} s",
            )
        )
    every = [each for found in rows.values() for each in found]
    worst, fewer = min(share for share, _, _ in every), sum(missing > 0 for _, missing, _ in every)
    section.checks = [
        Check(
            "least share of a greedy set with exchanges",
            f"{LEAST_SHARE:.0%}",
            f"{worst:.1%}",
            worst >= LEAST_SHARE,
        ),
        Check("requests with fewer sets than greedy choice finds", "0", str(fewer), not fewer),
    ]
    section.body = [
        f"{len(every)} random sequential requests (60 to 5,000 features, 2 to 5 sets of 5 to 15 features, tau from "
        f"0.2 to 1) under time limits of {LIMITS[0]:g} to {LIMITS[-1]:g} s. Each set is compared with a greedy set "
        "plus exchanges that differs from the same sets before it.",
        table(("request", "number", "least share", "with fewer sets", "latest"), lines),
    ]
    return section
