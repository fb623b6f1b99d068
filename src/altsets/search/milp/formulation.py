"""Sets of features as variables and rows of an integer programme."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from altsets.arrays import Bools, Floats
from altsets.constraints import AtLeast, AtMost, Budget, Constraint, Exclusive, Forbid, Implies, Require, Size
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Form, Quality
from altsets.search.compatibility import may_repeat
from altsets.search.milp.highs import Programme
from altsets.search.milp.limits import MILP_LIMITS, MilpLimits
from altsets.search.run import Run
from altsets.search.subset.budgets import WholeBudget, in_units
from altsets.search.subset.candidates import Candidates
from altsets.search.subset.forms import form_of

__all__ = ["Formulation", "SetVariables"]

#: Variables and their coefficients.
Terms = dict[int, float]


@dataclass(frozen=True)
class SetVariables:
    """One set: a binary for each candidate, and what size and quality are in terms of variables.

    ``size`` is a variable of its own where sizes are open, else None.
    """

    chosen: list[int]
    quality: Terms
    size: int | None


class Formulation:
    """An integer programme about sets of one problem; qualities in it are divided by ``scale``.

    Parameters
    ----------
    quality : Quality
        One whose form is linear, but for products of two features.
    problem : Problem
        What is asked; its dissimilarity must be one that counts shared features.
    candidates : Candidates, optional
        The features to choose from, if the caller has selected them.
    run : Run, optional
        Building a large programme takes long: raises :class:`altsets.search.run.Stopped` when it is time to stop.
    limits : MilpLimits, optional
    """

    def __init__(
        self,
        quality: Quality,
        problem: Problem,
        candidates: Candidates | None = None,
        run: Run | None = None,
        limits: MilpLimits = MILP_LIMITS,
    ) -> None:
        self.problem, self.limits = problem, limits
        self._check = Run().check if run is None else run.check
        self.programme = Programme(self.limits)
        self.sets: list[SetVariables] = []
        form = form_of(quality, problem, problem.k_max)
        self.candidates = _candidates(quality, form, problem) if candidates is None else candidates
        inside = self.candidates.indices
        self._pairs = form.pairs_among(inside, self._check) if form.has_pairs else None
        if self._pairs is not None and not self._pairs.any():
            self._pairs = None
        self._cliques: list[list[int]] = []
        if form.conflicts is not None:
            for clique in _cliques(form.conflicts[np.ix_(inside, inside)]):
                self._check()
                self._cliques.append(clique)
        # The solver's tolerances are absolute and mean something for numbers of order one.
        largest = float(np.max(np.abs(self.candidates.scores), initial=0.0))
        self.scale = max(largest, 0.0 if self._pairs is None else float(np.max(np.abs(self._pairs)))) or 1.0

    @property
    def too_few(self) -> bool:
        """Whether there are not enough features for a single set."""
        return len(self.candidates) < self.problem.k_min

    @property
    def linear(self) -> bool:
        """Whether the quality is a plain sum over the features of a set."""
        return self._pairs is None

    @property
    def reach(self) -> float:
        """No quality in the programme is larger than this, nor smaller than its negative."""
        k = self.problem.k_max
        return float(k + k * (k - 1) // 2)

    def add_set(self, others: Sequence[FeatureSet]) -> SetVariables:
        """Variables for one more set, with everything that it has to keep to; it differs from the others."""
        self._check()
        programme, problem = self.programme, self.problem
        chosen = [programme.variable(1) for _ in range(len(self.candidates))]
        members, size = dict.fromkeys(chosen, 1.0), None
        if problem.fixed_size:
            programme.row(members, lower=problem.k_min, upper=problem.k_max)
        else:
            size = programme.variable(problem.k_max, lower=problem.k_min)
            programme.row(members | {size: -1.0}, lower=0, upper=0)
        quality = {
            v: score / self.scale for v, score in zip(chosen, self.candidates.scores, strict=True) if score
        }
        added = SetVariables(chosen, quality | self._products(chosen), size)
        for clique in self._cliques:
            programme.row({chosen[position]: 1.0 for position in clique}, upper=1)
        for constraint in problem.constraints:
            self._constrain(constraint, chosen)
        for other in others:
            self._check()
            self._limit(self._sum(chosen, other), [size], len(other))
        self.sets.append(added)
        return added

    def _products(self, chosen: Sequence[int]) -> Terms:
        """One product for each pair of features, and its part in the quality.

        In a set of k features, the products with a chosen one add up to k - 1 and all others to 0. As no product
        exceeds 1, these few rows say it all, for terms of either sign; the row for each costly product makes the
        relaxation tighter still.
        """
        if self._pairs is None:
            return {}
        row = self.programme.row
        sums: list[Terms] = [{variable: 1.0 - self.problem.k_max} for variable in chosen]
        terms = {}
        for first, second in itertools.combinations(range(len(chosen)), 2):
            if second == first + 1:
                self._check()
            product = self.programme.variable(1, integer=False)
            sums[first][product] = sums[second][product] = 1.0
            cost = float(self._pairs[first, second]) / self.scale
            if cost:
                terms[product] = -cost
            if cost > 0:
                row({chosen[first]: 1.0, chosen[second]: 1.0, product: -1.0}, upper=1)
        for products in sums:
            row(products, lower=0, upper=0)
        return terms

    def _constrain(self, constraint: Constraint, chosen: Sequence[int]) -> None:
        """One constraint on one set; forbidden features and sizes are seen to elsewhere."""
        row = self.programme.row
        match constraint:
            case Require(features=features):
                row(self._sum(chosen, features), lower=len(features))
            case AtMost(most=most, group=group):
                row(self._sum(chosen, group), upper=most)
            case AtLeast(least=least, group=group):
                row(self._sum(chosen, group), lower=least)
            case Exclusive(group=group):
                row(self._sum(chosen, group), upper=1)
            case Implies(feature=feature, needed=needed) if feature != needed:
                excess = self._sum(chosen, [feature]) | {v: -1.0 for v in self._sum(chosen, [needed])}
                row(excess, upper=0)
            case Budget():
                self._pay(in_units(constraint), chosen)

    def _pay(self, budget: WholeBudget, chosen: Sequence[int]) -> None:
        """One set keeps to a budget.

        In units of the limit, and a little more than it: where the cost of a set was nearly the limit, the solver has
        been seen to lose other sets. Those that cost too much by so little are excluded later.
        """
        priced, too_dear = {}, {}
        paid: dict[int, int] = {}
        for variable, feature in zip(chosen, self.candidates.indices.tolist(), strict=True):
            cost = budget.costs[feature]
            group = -1 if budget.groups is None else budget.groups[feature]
            if cost > budget.limit:
                too_dear[variable] = 1.0
            elif cost and group < 0:
                priced[variable] = cost / budget.limit
            elif cost:
                # A variable for the group, which is paid once, is at least as large as that of each of its features.
                if group not in paid:
                    paid[group] = self.programme.variable(1, integer=False)
                    priced[paid[group]] = cost / budget.limit
                self.programme.row({variable: 1.0, paid[group]: -1.0}, upper=0)
        self.programme.row(priced, upper=1.0 + self.limits.clearance)
        self.programme.row(too_dear, upper=0)

    def _sum(self, chosen: Sequence[int], features: Iterable[int]) -> Terms:
        return {chosen[position]: 1.0 for position in self.candidates.positions(features)}

    def differ(self, first: SetVariables, second: SetVariables) -> None:
        """Keep two sets apart: their products count the features they share."""
        if may_repeat(self.problem):
            return
        self._check()
        shared = {}
        for one, other in zip(first.chosen, second.chosen, strict=True):
            product = self.programme.variable(1, integer=False)
            self.programme.row({one: 1.0, other: 1.0, product: -1.0}, upper=1)
            shared[product] = 1.0
        self._limit(shared, [first.size, second.size], 0)

    def _limit(self, shared: Terms, sizes: Sequence[int | None], given: int) -> None:
        """Limit the features that two sets share; ``given`` is the size of the other set if it is fixed."""
        problem, k = self.problem, self.problem.k_max
        if problem.fixed_size:
            self.programme.row(shared, upper=problem.max_overlap_of(k, given or k))
            return
        variables = [size for size in sizes if size is not None]
        if problem.min_difference is not None:
            for size in variables:
                self.programme.row(shared | {size: -1.0}, upper=-problem.min_difference)
            if given:
                self.programme.row(shared, upper=given - problem.min_difference)
            return
        totals = [sum(pair) for pair in itertools.product(problem.sizes, [given] if given else problem.sizes)]
        share = _overlap_share(problem, totals)
        self.programme.row(shared | dict.fromkeys(variables, -share), upper=share * given)

    def in_order(self) -> None:
        """Sets are interchangeable: ask for them in the order of the ranks of their features.

        The order of their qualities would do as well, but rows of nearly equal numbers made the solver's presolve cut
        off optima; any whole numbers are safe.
        """
        ranks = range(len(self.candidates), 0, -1)
        for first, second in itertools.pairwise(self.sets):
            self._check()
            ordered = {variable: -float(rank) for variable, rank in zip(first.chosen, ranks, strict=True)}
            ordered |= {variable: float(rank) for variable, rank in zip(second.chosen, ranks, strict=True)}
            self.programme.row(ordered, upper=0)

    def maximise_sum(self) -> None:
        """Ask for the largest sum of qualities."""
        for one in self.sets:
            for variable, value in one.quality.items():
                self.programme.set_cost(variable, value)

    def exclude(self, features: FeatureSet) -> None:
        """No set may have all of these features."""
        for one in self.sets:
            self.programme.row(self._sum(one.chosen, features), upper=len(features) - 1)

    def features_of(self, values: Floats) -> list[FeatureSet]:
        """The sets that a solution stands for."""
        return [self.candidates.features(np.flatnonzero(values[one.chosen] > 0.5)) for one in self.sets]


def _candidates(quality: Quality, form: Form, problem: Problem) -> Candidates:
    """A short list where pre-selection loses nothing, else all features that may be used."""
    if isinstance(quality, Additive) and all(isinstance(c, Forbid | Size) for c in problem.constraints):
        return Candidates.select(quality.scores, problem)
    usable = np.ones(problem.n_features_in, dtype=bool) if form.allowed is None else form.allowed.copy()
    usable[list(problem.forbidden)] = False
    indices = np.flatnonzero(usable)
    indices = indices[np.lexsort((indices, -form.linear[indices]))]
    return Candidates(indices, np.ascontiguousarray(form.linear[indices]))


def _cliques(conflicts: Bools) -> Iterator[list[int]]:
    """Groups of positions that all exclude each other, such that every conflict lies in one of them."""
    open_pairs = conflicts.copy()
    for first in range(len(conflicts)):
        while open_pairs[first].any():
            clique = [first, int(np.argmax(open_pairs[first]))]
            common = conflicts[clique[0]] & conflicts[clique[1]]
            while common.any():
                # One that covers many open conflicts at once.
                covered = np.where(common, open_pairs[clique].sum(axis=0), -1)
                clique.append(int(np.argmax(covered)))
                common &= conflicts[clique[-1]]
            open_pairs[np.ix_(clique, clique)] = False
            yield clique


def _overlap_share(problem: Problem, totals: Iterable[int]) -> float:
    """A factor c such that c times the sizes of two sets, rounded down, is the number of features they may share.

    Many factors say the same about so few sizes; the one in the middle stays clear of the solver's tolerance.
    """
    low, high = Fraction(0), Fraction(1)
    for total in totals:
        most = problem.max_overlap_of(total // 2, total - total // 2)
        low, high = max(low, Fraction(most, total)), min(high, Fraction(most + 1, total))
    return float((low + high) / 2)
