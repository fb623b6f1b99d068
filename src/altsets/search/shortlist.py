"""The engine for wide tables, whose pairs of columns are computed on demand.

Sets are constructed from all features first. Then an exact search looks through a shortlist: the features with the
highest scores, and those that would add most to the sets found so far. The rest of the table stays in the bound: a
relaxed search may fill up sets with stand-ins, which score as well as the best features outside the shortlist and have
nothing in common with any other feature. No set of the whole table is better than the best relaxed one. The shortlist
grows for as long as there is time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from altsets.arrays import Bools, Floats, Indices
from altsets.dissimilarity import Matched
from altsets.problem import FeatureSet, Problem
from altsets.quality import Form, Quality
from altsets.result import Shortlist, Status
from altsets.search.engine import (
    PROVEN,
    Answer,
    declines_checks,
    declines_heuristics,
    declines_joint,
    on_demand,
)
from altsets.search.enumeration import EnumerationEngine
from altsets.search.milp.engine import proven_empty
from altsets.search.relaxation import Relaxation
from altsets.search.run import Run, Stopped
from altsets.search.sequential import SequentialSearch
from altsets.search.subset.construction import Construction
from altsets.search.subset.kernel_call import UNLIMITED
from altsets.search.subset.pricing import PricingOracle

#: Features of the first shortlist, how it grows, and of the longest one: its pairs take 130 MB.
FIRST, GROWTH, LONGEST = 250, 2, 4_000
#: The longest one for linear models, which need the inverse of its Gram matrix.
LONGEST_FITTED = 1_000
#: Nodes of the first search through a shortlist, how they grow, and the most for one set where there is no time limit.
FIRST_NODES, NODE_GROWTH, MOST_NODES = 20_000, 4, 6_000_000
#: The part of the time that simultaneous search spends on sets one after the other, with which it begins; and the part
#: of the rest that it keeps for the bound.
IN_TURN, FOR_BOUND = 0.4, 0.4


class ShortlistEngine:
    """Sets at once, then the best of a growing shortlist, with a bound over the whole table."""

    name = "shortlist"

    def declines(self, quality: Quality, problem: Problem) -> str | None:
        """A reason why this engine does not solve the problem, or None."""
        if not on_demand(quality, problem):
            return "it is for tables with so many columns that their pairs are computed on demand"
        who = f"a table whose pairs of {quality.n_features_in:,} features are computed on demand"
        return (
            declines_heuristics(problem)
            or declines_checks(problem)
            or declines_joint(problem, who, "one with fewer columns")
        )

    def solve(self, quality: Quality, problem: Problem, run: Run) -> Answer:
        """Search until done, out of time or interrupted; sets that are not found are constructed."""
        search = WideSearch(quality, problem, run)
        if not search.pricing.sizes:
            return Answer.infeasible(problem, "no set keeps to the constraints")
        return search.in_turn() if problem.search == "sequential" else search.together()


class WideSearch:
    """The search for one request; ``pricing`` knows all features that sets may have."""

    def __init__(self, quality: Quality, problem: Problem, run: Run) -> None:
        self.quality, self.problem, self.run = quality, problem, run
        self.pricing = PricingOracle(quality, problem, run)
        #: No set that is still to come is better than this, and none at all.
        self._lowest = self.first_bound = self.pricing.ceiling
        #: For each set found one after the other, the longest shortlist that was looked through completely.
        self._searched: list[int] = []

    @cached_property
    def construction(self) -> Construction:
        """Constructs sets from all features, or from a shortlist where even single rows of pairs take long."""
        if self._form.has_cheap_rows:
            return Construction(self.pricing)
        few = self._shortlist(FIRST, ())
        return Construction(PricingOracle(self.quality, self.problem, self.run, few))

    @property
    def _form(self) -> Form:
        return self.quality.form(self.problem.k_max)

    @cached_property
    def _linear(self) -> Floats:
        """What each feature alone adds to a set of the largest size."""
        form = self._form
        if form.fit is None:
            return form.linear
        return form.linear + form.fit.with_each([], np.arange(len(form.linear)))

    @cached_property
    def _by_score(self) -> Indices:
        """All features that sets may have, the best first."""
        features = np.array(self.pricing.features, dtype=np.intp)
        return features[np.lexsort((features, -self._linear[features]))]

    # --- Sets one after the other ------------------------------------------------------------------------

    def in_turn(self) -> Answer:
        """One set after the other, each with its share of the time."""
        evaluate = self.quality.evaluate
        search = SequentialSearch(self.problem, self.run, self._next_set, evaluate, lambda: self.construction)
        return self._described(search.solve(""))

    def _next_set(self, others: Sequence[FeatureSet]) -> tuple[FeatureSet | None, float]:
        """The best set that was found, and a bound on every set of the table."""
        others = others[len(self.problem.existing) :]
        chosen, bound = self.construction.one(others), self._lowest
        if chosen is not None:
            # Shown at once; to prove something about it takes longer.
            sets = [*others, chosen]
            self.run.publish(sets, math.fsum(map(self.quality.evaluate, sets)))
        looked_through = 0
        for n_features, max_nodes in self._stages():
            before = chosen
            value = -math.inf if chosen is None else self.quality.evaluate(chosen)
            if bound - value <= PROVEN:
                break
            shortlist = self._shortlist(n_features, [*others, *([chosen] if chosen else [])])
            try:
                chosen, complete = self._best_of(shortlist, chosen, others, max_nodes)
                looked_through = max(looked_through, len(shortlist)) if complete else looked_through
                value = -math.inf if chosen is None else self.quality.evaluate(chosen)
                beyond, bound_complete = self._bound_beyond(shortlist, others, value, max_nodes)
                bound = min(bound, beyond)
            except Stopped:
                break
            if n_features == self._longest and complete and bound_complete and chosen == before:
                # The next stage would look through the same sets again.
                break
        if not self._searched:
            self.first_bound = bound
        self._searched.append(looked_through)
        # A set that has to differ from more sets is no better.
        self._lowest = bound
        if chosen is None and not self.run.stopped and self._no_set(others):
            bound = -math.inf
        return chosen, bound

    def _no_set(self, others: Sequence[FeatureSet]) -> bool:
        """Whether it is proven that constraints and other sets leave no set at all."""
        problem = replace(self.problem, existing=(*self.problem.existing, *others))
        return proven_empty(problem, self.run, allowed=self.quality.form(problem.k_max).allowed)

    @cached_property
    def _longest(self) -> int:
        """Features of the longest shortlist."""
        return min(LONGEST if self._form.fit is None else LONGEST_FITTED, len(self._by_score))

    def _stages(self) -> Iterator[tuple[int, int]]:
        """Longer shortlists and more nodes in turn, for as long as there is time."""
        n_features, max_nodes, spent, most = FIRST, FIRST_NODES, 0, self._longest
        while not self.run.stopped and (self.run.remaining < math.inf or spent < MOST_NODES):
            yield min(n_features, most), max_nodes
            spent += max_nodes
            # Where all of a short list was looked through quickly, a longer one is worth more than more nodes.
            n_features, max_nodes = min(n_features * GROWTH, most), min(max_nodes * NODE_GROWTH, UNLIMITED)

    def _shortlist(self, length: int, known: Iterable[FeatureSet]) -> Indices:
        """The best features alone, those that add most to known sets, and those that rules name."""
        form, usable, known = self._form, self._by_score, list(known)
        adding = form.fit is not None or (form.has_pairs and form.has_cheap_rows)
        chosen: list[Indices] = [usable[: length // 2]]
        for one in known:
            chosen.append(np.array(one, dtype=np.intp))
            if adding:
                gains = self._gains_beside(one)
                share = max(length // 2 // len(known), 1)
                chosen.append(usable[np.argsort(-gains[usable], kind="stable")[:share]])
        chosen.append(np.array(self._named_by_rules, dtype=np.intp))
        few = np.unique(np.concatenate(chosen))
        if len(few) < length:
            more = usable[: length + len(few)]
            few = np.unique(np.concatenate([few, more[~np.isin(more, few)][: length - len(few)]]))
        return few[np.isin(few, usable)]

    def _gains_beside(self, chosen: FeatureSet) -> Floats:
        """What each feature adds to a set, up to a constant."""
        form = self._form
        if form.fit is not None:
            return form.linear + form.fit.with_each(chosen, np.arange(len(form.linear)))
        gains: Floats = self._linear - np.sum([form.pairs_of(j) for j in chosen], axis=0)
        return gains

    @cached_property
    def _named_by_rules(self) -> list[int]:
        """Features without which rules may not be met: the best of each group of which some must be there."""
        named: set[int] = set(self.pricing.required).union(*self.problem.existing)
        place = np.full(self.problem.n_features_in, -1)
        place[self._by_score] = np.arange(len(self._by_score))
        for rule in self.problem.rules.counts:
            if rule.lower:
                inside = [feature for feature in rule.group if place[feature] >= 0]
                named.update(
                    sorted(inside, key=lambda feature: int(place[feature]))[: 4 * self.problem.k_max]
                )
        for need in self.problem.rules.needs:
            named.update((need.feature, need.needed))
        return sorted(named)

    def _best_of(
        self, shortlist: Indices, chosen: FeatureSet | None, others: Sequence[FeatureSet], max_nodes: int
    ) -> tuple[FeatureSet | None, bool]:
        """The best set of a shortlist, or the one known if it is better; and whether none was left out."""
        # A part of the run, as what searches share is about all features.
        pricing = PricingOracle(self.quality, self.problem, self.run.part(), shortlist)
        value = -math.inf if chosen is None else self.quality.evaluate(chosen)
        found = pricing.k_best(1, others=others, threshold=value, max_nodes=max_nodes)
        better = found.sets[0] if found.sets else None
        if better is not None and self.quality.evaluate(better) > value:
            chosen = self.construction.improved(better, others)
            value = self.quality.evaluate(chosen)
        return chosen, found.bound <= value + PROVEN

    def _bound_beyond(
        self, shortlist: Indices, others: Sequence[FeatureSet], value: float, max_nodes: int
    ) -> tuple[float, bool]:
        """A bound on every set of the table, given the best value found; and whether more nodes change nothing."""
        if self._form.fit is not None:
            # What linear models explain is no sum that stand-ins could add to; all columns together explain more.
            return max(value, self.pricing.ceiling), True
        bound, complete = value, True
        for relaxed in Relaxation.all_for(self.quality, self.problem, shortlist, self._by_score, value):
            pricing = PricingOracle(relaxed, relaxed.problem_of_one(others), self.run.part())
            found = pricing.k_best(1, threshold=value, max_nodes=max_nodes)
            bound = max([bound, found.bound, *found.values])
            complete = complete and found.bound == -math.inf
        return bound, complete

    # --- All sets at once --------------------------------------------------------------------------------

    def together(self) -> Answer:
        """Sets one after the other, then the best sets of a shortlist together; whichever is better."""
        problem = self.problem
        alone = WideSearch(self.quality, replace(problem, search="sequential"), self.run)
        with self.run.keep_back(1 - IN_TURN):
            first = alone.in_turn()
        bound = problem.objective([alone.first_bound] * problem.n_sets)
        shortlist = self._shortlist(FIRST * GROWTH, first.sets)
        allowed = np.zeros(problem.n_features_in, dtype=bool)
        allowed[shortlist] = True
        with self.run.keep_back(FOR_BOUND):
            found = self._packed(Among(self.quality, allowed), problem)
        complete = found.statuses[0] is Status.OPTIMAL
        best = max(first.sets, found.sets, key=self._objective)
        comparable = problem.counts_shared or isinstance(problem.dissimilarity, Matched)
        # One family may have sets below and above zero, and no relaxation of a ratio is a bound on both.
        comparable = comparable and not (self._form.ratio and self._linear[self._by_score[-1]] < 0)
        if comparable and self._form.fit is None and bound - self._objective(best) > PROVEN:
            relaxed = Relaxation(self.quality, problem, shortlist, self._by_score, problem.n_sets)
            bound = min(bound, self._packed(relaxed, relaxed.problem()).bound)
        value = self._objective(best)
        sets, proven = (best, bound - value <= PROVEN) if value > -math.inf else ([], False)
        answer = Answer.simultaneous(problem, sets, max(bound, value), "", proven=proven)
        self._searched = [len(shortlist) if complete else 0] * len(sets)
        return self._described(answer)

    def _packed(self, quality: Quality, problem: Problem) -> Answer:
        try:
            return EnumerationEngine().solve(quality, problem, self.run.part())
        except Stopped:
            return Answer.without_sets(problem, math.inf, "")

    def _objective(self, sets: Sequence[FeatureSet]) -> float:
        """What is maximised; minus infinity for fewer sets than requested."""
        if len(sets) < self.problem.n_sets:
            return -math.inf
        return self.problem.objective([self.quality.evaluate(one) for one in sets])

    def _described(self, answer: Answer) -> Answer:
        proof = "exact search over a shortlist, and a bound over all features"
        lengths = self._searched[: len(answer.sets)]
        return replace(answer, proof=proof, shortlist=Shortlist(lengths, len(self._by_score)))


class Among(Quality):
    """A quality of sets of some features only."""

    def __init__(self, quality: Quality, allowed: Bools) -> None:
        super().__init__(quality.n_features_in, None)
        self.size_normalised = quality.size_normalised
        self._quality, self._allowed = quality, allowed

    def evaluate(self, indices: Sequence[int]) -> float:
        """The quality of one set."""
        return self._quality.evaluate(indices)

    def form(self, size: int) -> Form:
        """The quality of sets of one size, in numbers."""
        form = self._quality.form(size)
        allowed = self._allowed if form.allowed is None else form.allowed & self._allowed
        return replace(form, allowed=allowed)
