"""Sets that are good enough: the quality required, a list of all such sets, and how many of them go together."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.errors import InputError
from altsets.problem import FeatureSet, Problem
from altsets.quality import Form, Quality
from altsets.result import Result, Status, StopReason
from altsets.search.comparison import SetComparison, comparison_of
from altsets.search.degree_bounds import count_bound, sum_bound
from altsets.search.engine import PROVEN, on_demand
from altsets.search.narrowing import MANY_FEATURES
from altsets.search.resources import ONE_THREAD
from altsets.search.run import NOTHING, Known, Run, Stopped
from altsets.search.scaling import Scaling
from altsets.search.solving import solve
from altsets.search.subset.candidates import Candidates
from altsets.search.subset.pricing import PricingOracle
from altsets.wording import parameter

#: The part of the time that stays for what follows the search for the best set.
KEPT_BACK = 0.5
#: Features beyond which sets are not listed, and nodes of the branch and bound that lists them.
LISTED_FEATURES, LIST_NODES = 3_000, 500_000
#: Features whose pairs are used for a bound on the number of sets, and the largest number that it is tried for.
PAIRED_FEATURES, COUNTED_SETS = 3_000, 64


@dataclass(frozen=True)
class GoodSetLimits:
    """Limits on time alone, never on what is right."""

    #: Good sets are listed if they are no more than this, as each is compared with each other.
    listed_sets: int = 2_000
    #: The same where a user's own function compares them.
    listed_for_own: int = 300
    #: Vertices coloured in the clique search before the engines take over, in a first pass and in the last one.
    coloured_sets: int = 300_000
    coloured_sets_later: int = 10_000_000
    #: Steps for each level in a first pass, so that a hard one does not keep others from being settled.
    first_steps: int = 4_000
    #: Steps for adding one good set after the other to a first solution.
    growth_steps: int = 20_000


@dataclass(frozen=True)
class Nearness:
    """How good sets must be: at least ``min_quality``, or within a fraction of the best; one of the two is None."""

    within: float | None
    min_quality: float | None

    @classmethod
    def of(cls, within: Any, min_quality: Any) -> Nearness:
        """Check what the user gave."""
        if within is not None and min_quality is not None:
            raise InputError(
                f"{parameter('within')} and {parameter('min_quality')} were both given; give one of them."
            )
        if min_quality is not None:
            return cls(None, _finite("min_quality", min_quality, "the least quality of a set"))
        if within is None:
            raise InputError(
                f"neither {parameter('min_quality')} nor {parameter('within')} was given; say how good sets must be, "
                f"as {parameter('within', 0.05)} does."
            )
        part = _finite("within", within, "a part of the best quality, such as 0.05")
        if part < 0:
            raise InputError(
                f"{parameter('within', within)} is negative; give a part of the best quality, such as 0.05."
            )
        return cls(part, None)

    def least(self, best: float) -> float:
        """The quality that a set must have, given that of the best one."""
        if self.min_quality is not None:
            return self.min_quality
        assert self.within is not None
        return best - self.within * abs(best)


def _finite(name: str, value: Any, meaning: str) -> float:
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        # A whole number may be too large for a float.
        with suppress(OverflowError):
            if math.isfinite(value):
                return float(value)
    raise InputError(f"{parameter(name, value)} is not a finite number; give {meaning}.")


@dataclass(frozen=True)
class Requirement:
    """The quality that sets must reach, and the best single set."""

    asked: Nearness
    #: The search for the best set, regardless of existing sets, and that set, if there is one.
    found: Result
    best: FeatureSet | None
    #: The quality that sets must have, -inf if there is no set; and by how much they may fall short of it.
    least: float
    tolerance: float
    #: Whether ``least`` is certain: it was given, or the best set is proven to be the best.
    proven: bool

    @classmethod
    def of(cls, asked: Nearness, quality: Quality, problem: Problem, run: Run, engine: str) -> Requirement:
        """Search for the best set, which need not differ from any other."""
        heuristic = problem.search.startswith("greedy-")
        alone = replace(
            problem.plain,
            n_alternatives=0,
            existing=(),
            dissimilarity="dice",
            tau=Fraction(0),
            min_difference=None,
            search="sequential" if problem.search == "sequential" else "simultaneous",
            aggregation="sum",
        )
        with run.keep_back(KEPT_BACK), run.part() as part:
            found = solve(quality, alone, part, "auto" if heuristic else engine)
        best = found.sets[0] if found.sets else None
        least = asked.least(found.objective) if best is not None else -math.inf
        proven = asked.min_quality is not None or found.status is Status.OPTIMAL
        return cls(asked, found, best, least, Scaling.of(quality, alone).tolerance, proven)

    def within_it(self, problem: Problem) -> Problem:
        """The problem with the quality needed as a number; without one if no set is known at all."""
        least = self.least if self.best is not None else None
        return replace(problem, within=None if least is None else problem.within, min_quality=least)

    def known(self, quality: Quality, problem: Problem) -> Known:
        """What the search for the best set tells about the first set in turn, which is the same search."""
        same = problem.search == "sequential" and not (problem.existing or problem.rules.joint)
        cheap = quality.has_form and not on_demand(quality, problem) and problem.n_features_in < MANY_FEATURES
        if not (same and cheap) or self.found.status is not Status.OPTIMAL:
            return NOTHING
        return Known(in_turn=[(self.best, self.found.objective)])

    def judged(self, result: Result) -> Result:
        """An answer to a problem with this requirement; unproven where another best set might change it."""
        if self.asked.within is None or (self.proven and self.best is not None):
            return result
        if self.best is None:
            result = replace(result, parameters={**result.parameters, "within": self.asked.within})
            if self.found.status is Status.INFEASIBLE:
                return result
        weaker = {Status.OPTIMAL: Status.FEASIBLE}
        bound = result.bound
        # A better set would ask for as much or more, which rules out no less, unless any part of it may be missing.
        if self.asked.within > 1:
            weaker[Status.INFEASIBLE], bound = Status.NOT_FOUND, math.inf
        ended = result.stop_reason is StopReason.FINISHED and result.status is not Status.INFEASIBLE
        return replace(
            result,
            statuses=[weaker.get(status, status) for status in result.statuses],
            status=weaker.get(result.status, result.status),
            bound=bound,
            stop_reason=self.found.stop_reason if ended else result.stop_reason,
        )

    def met_by(self, value: float) -> bool:
        """Whether a quality is high enough."""
        return value >= self.least - self.tolerance

    @property
    def is_met(self) -> bool:
        """Whether the best set is good enough; with ``within`` it always is."""
        return self.best is not None and self.met_by(self.found.objective)


class GoodSets:
    """All sets that meet a requirement, best first; they may be too similar to each other or to existing ones."""

    def __init__(self, sets: Sequence[FeatureSet], run: Run) -> None:
        self.sets, self._run = list(sets), run

    @classmethod
    def of(
        cls, quality: Quality, problem: Problem, requirement: Requirement, run: Run, limits: GoodSetLimits
    ) -> GoodSets | None:
        """The list; None if there are too many sets, if it takes too long, or for a black box."""
        if not quality.has_form or problem.n_features_in > LISTED_FEATURES:
            return None
        # As if all features were wanted: where few are, sets of features like others would not be listed.
        every = replace(
            problem, n_alternatives=problem.n_features_in, dissimilarity="dice", tau=Fraction(0), existing=()
        )
        own = not problem.counts_shared and comparison_of(problem) is None
        most = limits.listed_for_own if own else limits.listed_sets
        scaling = Scaling.of(quality, every)
        # Lower by rounding errors of the search; each set is evaluated afterwards.
        least = requirement.least - requirement.tolerance
        threshold = math.ldexp(least, -scaling.exponent) - PROVEN
        with run.part() as part, ONE_THREAD:
            try:
                listing = PricingOracle(scaling.quality, every, part).all_above(
                    threshold, most, max_nodes=LIST_NODES
                )
            except Stopped:
                return None
        if not listing.complete:
            return None
        good = {}
        for number in range(len(listing)):
            if run.stopped:
                return None
            chosen = listing.set_at(number)
            value = quality.evaluate(chosen)
            if requirement.met_by(value):
                good[chosen] = value
        return cls(sorted(good, key=lambda chosen: (-good[chosen], chosen)), run)

    def compatible(
        self, problem: Problem, wanted: int, max_coloured: int, *, repeat: bool
    ) -> tuple[list[FeatureSet], float]:
        """Up to ``wanted`` compatible listed sets, and a bound on their number; colours ``max_coloured`` vertices."""
        allowed = self._differing(problem)
        alone = np.flatnonzero(self._apart_from_existing(problem)).tolist()
        if self._run.stopped:
            return [], math.inf
        repeated = [number for number in alone if allowed[number, number]] if repeat else []
        if repeated:
            return [self.sets[repeated[0]]] * wanted, math.inf
        np.fill_diagonal(allowed, val=False)
        # Those that go with many others first, which takes fewer colours; then the better ones.
        joined = allowed[np.ix_(alone, alone)]
        order = np.argsort(-joined.sum(axis=1), kind="stable")
        joined = joined[np.ix_(order, order)]
        bits = [int.from_bytes(np.packbits(row, bitorder="little").tobytes(), "little") for row in joined]
        coloured = 0

        def spend(vertices: int) -> bool:
            nonlocal coloured
            coloured += vertices
            return self._run.tick() or coloured > max_coloured

        members, most = largest_clique(bits, wanted, spend)
        return [self.sets[alone[order[member]]] for member in members], most

    @cached_property
    def _shared(self) -> Floats:
        """How many features each pair of sets shares."""
        features, places = np.unique([j for chosen in self.sets for j in chosen], return_inverse=True)
        member = np.zeros((len(self.sets), len(features)))
        member[np.repeat(np.arange(len(self.sets)), [len(chosen) for chosen in self.sets]), places] = 1.0
        shared: Floats = member @ member.T
        return shared

    def _differing(self, problem: Problem) -> Bools:
        n, comparison = len(self.sets), comparison_of(problem)
        if comparison is not None:
            return self._by_comparison(comparison)
        if not problem.counts_shared:
            allowed = np.zeros((n, n), dtype=bool)
            for i in range(n):
                for j in range(i + 1):
                    if self._run.tick():
                        return allowed
                    allowed[i, j] = allowed[j, i] = problem.compatible(self.sets[i], self.sets[j])
            return allowed
        sizes = [len(chosen) for chosen in self.sets]
        caps = np.zeros((max(sizes, default=0) + 1, max(sizes, default=0) + 1))
        for size in set(sizes):
            for other in set(sizes):
                caps[size, other] = problem.max_overlap_of(size, other)
        far: Bools = self._shared <= caps[np.ix_(sizes, sizes)]
        return far

    def _by_comparison(self, comparison: SetComparison) -> Bools:
        """The same where a kernel compares sets by more than what they share."""
        by_size: dict[int, list[int]] = {}
        for number, chosen in enumerate(self.sets):
            by_size.setdefault(len(chosen), []).append(number)
        test = comparison.going_together(
            [np.array([self.sets[i] for i in some], dtype=np.intc) for some in by_size.values()]
        )
        order = np.array([number for some in by_size.values() for number in some], dtype=np.intp)
        allowed = np.zeros((len(order), len(order)), dtype=bool)
        every = np.arange(len(order), dtype=np.intc)
        for place, number in enumerate(order.tolist()):
            if self._run.tick():
                break
            allowed[number, order] = test(place, every) > 0
        return allowed

    def _apart_from_existing(self, problem: Problem) -> Bools:
        apart = [
            not self._run.stopped and all(problem.compatible(chosen, given) for given in problem.existing)
            for chosen in self.sets
        ]
        return np.array(apart, dtype=bool)


#: A vertex, and a bound on the cliques of it and the vertices before it.
Coloured = tuple[int, int]


def largest_clique(
    neighbours: Sequence[int], wanted: int, spend: Callable[[int], bool]
) -> tuple[list[int], int]:
    """A largest clique, or one of ``wanted`` vertices; and a size that no clique exceeds."""
    # Branch and bound with colours (Tomita) on bit strings. ``spend`` gets the number of coloured vertices; true: stop.
    best: list[int] = []
    chosen: list[int] = []
    everything = (1 << len(neighbours)) - 1
    open_nodes: list[tuple[int, list[Coloured]]] = [(everything, _colour(everything, neighbours))]
    bound = open_nodes[0][1][-1][1] if neighbours else 0
    if spend(len(neighbours)):
        return best, bound
    while open_nodes:
        possible, order = open_nodes[-1]
        if not order or len(chosen) + order[-1][1] <= len(best):
            open_nodes.pop()
            if chosen:
                chosen.pop()
            continue
        vertex, colours = order.pop()
        if len(open_nodes) == 1:
            # Vertices are taken from the last one on: cliques that are still to come have no more colours than it.
            bound = max(colours, len(best))
        possible &= ~(1 << vertex)
        open_nodes[-1] = (possible, order)
        chosen.append(vertex)
        if len(chosen) > len(best):
            best = sorted(chosen)
            if len(best) >= wanted:
                return best, max(bound, len(best))
        rest = possible & neighbours[vertex]
        if not rest:
            chosen.pop()
            continue
        open_nodes.append((rest, _colour(rest, neighbours)))
        if spend(rest.bit_count()):
            return best, max(bound, len(best))
    return best, len(best)


def _colour(possible: int, neighbours: Sequence[int]) -> list[Coloured]:
    """The vertices colour by colour, each with the number of its colour; neighbours have different colours."""
    order, colour = [], 0
    while possible:
        colour += 1
        of_this_colour = possible
        while of_this_colour:
            vertex = (of_this_colour & -of_this_colour).bit_length() - 1
            order.append((vertex, colour))
            possible &= ~(1 << vertex)
            of_this_colour &= ~(neighbours[vertex] | (1 << vertex))
    return order


def bound_on_number(
    quality: Quality, problem: Problem, requirement: Requirement, listed: GoodSets | None, run: Run
) -> int:
    """An upper bound on the number of compatible sets that are good enough, regardless of existing sets."""
    n = problem.n_features_in - len(problem.forbidden)
    most = sum(math.comb(n, size) for size in problem.sizes)
    if listed is not None:
        most = len(listed.sets)
        n = len({feature for chosen in listed.sets for feature in chosen})
    if not problem.fixed_size or not problem.caps_shared or not most:
        return most
    most = count_bound(n, problem.n_features, problem.max_overlap, most)
    if not quality.has_form or most < 2:
        return most
    scaling = Scaling.of(quality, replace(problem, existing=()))
    candidates = _optimistic_scores(scaling.quality.form(problem.n_features), problem)
    if candidates is None or requirement.least == -math.inf:
        return most
    # Twice the tolerance, as bounds are rounded as well.
    least = math.ldexp(requirement.least - 2 * requirement.tolerance, -scaling.exponent)
    return _bound_by_scores(candidates, problem, least, most, run)


def _optimistic_scores(form: Form, problem: Problem) -> Candidates | None:
    """A bound on what each feature adds to a set, with half of its smallest pair terms; None if there is none."""
    usable = np.ones(problem.n_features_in, dtype=bool) if form.allowed is None else form.allowed.copy()
    usable[list(problem.forbidden)] = False
    features: Indices = np.flatnonzero(usable)
    others = problem.n_features - 1
    if (
        form.ratio
        or form.fit is not None
        or len(features) <= others
        or (form.has_pairs and len(features) > PAIRED_FEATURES)
    ):
        return None
    scores: Floats = form.linear[features]
    if form.has_pairs and others:
        pairs = form.pairs_among(features)
        np.fill_diagonal(pairs, math.inf)
        scores = scores - np.partition(pairs, others - 1, axis=1)[:, :others].sum(axis=1) / 2
    order = np.lexsort((features, -scores))
    return Candidates(features[order], np.ascontiguousarray(scores[order]))


def _bound_by_scores(candidates: Candidates, problem: Problem, least: float, most: int, run: Run) -> int:
    """How many sets can be good enough, by trials at doubling distances: more would need better features."""
    possible, refuted, distance = 1, most + 1, 1
    while refuted - possible > 1 and not run.stopped:
        n_sets = min(possible + distance, (possible + refuted) // 2)
        if n_sets > COUNTED_SETS:
            break
        n_used = n_sets * problem.n_features
        best = Candidates(candidates.indices[:n_used], candidates.scores[:n_used])
        bound = sum_bound(best, replace(problem, n_alternatives=n_sets - 1), tick=run.tick)
        if bound.value < n_sets * least:
            refuted = n_sets
        else:
            possible = n_sets
        distance *= 2
    return refuted - 1
