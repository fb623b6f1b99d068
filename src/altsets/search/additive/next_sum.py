"""The next best sum of scores, where sets depend on each other by more than how different each two are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from altsets.arrays import Floats
from altsets.constraints import Constraint
from altsets.constraints.base import CostRule, CountRule, ReserveRule, TotalRule, UsageRule
from altsets.problem import Problem
from altsets.quality import Additive, Quality
from altsets.search.additive.best_set import MAX_SPLITS, best_set
from altsets.search.engine import PROVEN, declines_extras, forbids_only
from altsets.search.run import Run
from altsets.search.steps import NO_SET, NextStep, Proven
from altsets.search.subset.candidates import Candidates
from altsets.search.subset.rules import Cap, Rules, in_units, preselected
from altsets.wording import parameter

#: The largest weight in a budget: prices for larger ones leave too few digits for scores.
MOST_WEIGHT = 1_000


def declines_steps(quality: Quality, problem: Problem) -> str | None:
    """Decline sequential searches whose steps are more than prices, single features and sums of weights."""
    if problem.is_plain:
        return declines_extras(quality, problem)
    if problem.difference == "average" and problem.tau is not None and problem.dissimilarity != "dice":
        return f"{parameter('difference', 'average')} is a sum with dice only"
    return declines_extras(quality, problem, _weighs, ("Forbid", "constraints on all sets together"))


def _weighs(constraint: Constraint) -> bool:
    joint = constraint.joint_rules()
    if not joint:
        return forbids_only(constraint)
    return all(rule.budget.groups is None for rule in joint if isinstance(rule, TotalRule))


class NextSum:
    """Best sums of scores in turn, by Lagrangian branch and bound over features that are selected once."""

    def __init__(self, quality: Additive, problem: Problem, run: Run) -> None:
        self._scores, self._problem, self._run = quality.scores, problem, run

    @classmethod
    def of(cls, quality: Quality, problem: Problem, run: Run) -> NextSum | None:
        """None if this is not about sums, or steps are more than a sum can keep to."""
        if not isinstance(quality, Additive) or declines_steps(quality, problem):
            return None
        return cls(quality, problem, run)

    @cached_property
    def _candidates(self) -> Candidates:
        """Of features that are alike until they are used, the best for all places; all that rules name."""
        scores, problem = self._scores, self._problem
        named: set[int] = set()
        for rule in problem.rules.joint:
            if isinstance(rule, ReserveRule):
                named.update(rule.group)
            elif isinstance(rule, UsageRule) and rule.lower:
                named.update(rule.features or ())
        totals = [in_units(rule.budget) for rule in problem.rules.joint if isinstance(rule, TotalRule)]
        if not totals:
            return Candidates.select(scores, problem, named)
        # What costs less is no worse, so a feature is left out for others that cost no more.
        allowed = np.delete(np.arange(len(scores)), sorted(problem.forbidden))
        groups = [Cap(given, 0) for given in problem.existing]
        rules = Rules(frozenset(), frozenset(), dict.fromkeys(named, frozenset()), groups, totals)
        return Candidates.of(scores, preselected(scores, allowed, rules, problem.n_sets * problem.n_features))

    @property
    def ceiling(self) -> float:
        """No set is better than this, whatever comes before it."""
        return math.fsum(self._candidates.scores[: self._problem.n_features].tolist())

    def best(self, step: NextStep) -> Proven | None:
        """The proven best set after prices, if there is one; None if nothing is proven."""
        problem, k = self._problem, self._problem.n_features
        budgets = [rule for rule in step.rules if isinstance(rule, CostRule)]
        counts = [rule for rule in step.rules if isinstance(rule, CountRule)]
        required = sorted({feature for rule in counts if rule.requires for feature in rule.group})
        forbidden = problem.forbidden.union(*(rule.group for rule in counts if rule.forbids))
        if len(required) > k or not forbidden.isdisjoint(required):
            return NO_SET
        candidates = self._open(step, forbidden.union(required), budgets)
        weighed = [
            ([int(rule.costs[feature]) for feature in candidates.indices.tolist()], _left(rule, required))
            for rule in budgets
        ]
        if any(max(weights, default=0) > MOST_WEIGHT for weights, _ in weighed):
            return None
        others = () if problem.difference == "average" else step.before
        overlaps = [
            problem.max_overlap_of(k, len(other)) - len({*other}.intersection(required)) for other in others
        ]
        base = math.fsum(self._priced(step)[required].tolist())
        if len(required) == k:
            fits = min([*overlaps, *(limit for _, limit in weighed)], default=0) >= 0
            return Proven(tuple(required), base) if fits else NO_SET
        rest, bound = best_set(
            candidates, k - len(required), others, overlaps, self._run.tick, MAX_SPLITS, weighed
        )
        if rest is None:
            return NO_SET if bound == -math.inf else None
        value = math.fsum(candidates.scores[candidates.positions(rest)].tolist())
        return None if bound - value > PROVEN else Proven(tuple(sorted((*required, *rest))), base + bound)

    def _open(self, step: NextStep, taken: frozenset[int], budgets: Sequence[CostRule]) -> Candidates:
        """What a set may have besides the features that are settled, after prices."""
        selected = self._candidates.indices.tolist()
        # Sets that another search has found may have other features.
        more = {feature for other in step.before for feature in other}.difference(selected)
        features = [feature for feature in (*selected, *more) if feature not in taken]
        for rule in budgets:
            features = [feature for feature in features if rule.costs[feature] <= rule.limit]
        return Candidates.of(self._priced(step), np.array(features, dtype=np.intp))

    def _priced(self, step: NextStep) -> Floats:
        return self._scores if step.prices is None else self._scores - step.prices


def _left(rule: CostRule, required: Sequence[int]) -> int:
    """What is left of a budget in whole units besides required features."""
    return int(rule.limit - sum(rule.costs[feature] for feature in required))
