"""The largest sum of scores where all that matters is how many sets have each feature.

Sets may be as much alike as they like, but sharing costs quality, or the number of sets that have a feature is limited.
What a feature adds falls with each set that has it, so the largest additions are the best together (a sum of concave
functions under one limit on the total). Any such counts can be dealt out: a feature goes to as many sets in a row.
"""

from __future__ import annotations

import heapq

import numpy as np

from altsets.constraints import Constraint
from altsets.constraints.base import UsageRule
from altsets.problem import FeatureSet, Problem
from altsets.quality import Additive, Quality
from altsets.search.engine import Answer, declines_extras, declines_joint, forbids_only
from altsets.search.steps import UsageLimits, uses_of
from altsets.search.subset.candidates import best_of
from altsets.wording import parameter


def declines_usage(quality: Quality, problem: Problem) -> str | None:
    """Decline simultaneous searches in which more than how many sets have a feature matters."""
    if (
        not problem.may_repeat
        or problem.max_min
        or problem.min_quality is not None
        or problem.max_spread is not None
    ):
        return declines_joint(problem, knows=parameter("engine", "enumerate"))
    return declines_extras(quality, problem, _counts_sets, ("Forbid", "AtMostSets", "AtLeastSets"))


def _counts_sets(constraint: Constraint) -> bool:
    joint = constraint.joint_rules()
    return all(isinstance(rule, UsageRule) for rule in joint) if joint else forbids_only(constraint)


def best_usage(quality: Additive, problem: Problem) -> Answer:
    """The best sets, or the proof that there are none."""
    n_sets, n_places = problem.n_sets, problem.n_sets * problem.n_features
    usage, penalty = UsageLimits.of(problem), problem.overlap_penalty
    scores = quality.scores - penalty * uses_of(problem, problem.existing)
    most = usage.upper | dict.fromkeys(problem.forbidden, 0)
    counts = dict(usage.lower)
    if any(count > most.get(feature, n_sets) for feature, count in counts.items()):
        return Answer.infeasible(problem, "a feature may not be in as many sets as it has to be")
    # No more features than places are used: the best ones, and those that have to be.
    outside = np.delete(np.arange(len(scores)), [feature for feature, count in most.items() if not count])
    features = {*best_of(scores, outside, n_places).tolist(), *counts}
    left = n_places - sum(counts.values())
    room = sum(most.get(feature, n_sets) - counts.get(feature, 0) for feature in features)
    if not 0 <= left <= room:
        return Answer.infeasible(problem, "counting in how many sets features may be")
    # What each feature adds as it goes to one more set; the largest first.
    offers = [(penalty * counts.get(feature, 0) - scores[feature], feature) for feature in features]
    heapq.heapify(offers)
    while left:
        _, feature = heapq.heappop(offers)
        count = counts.get(feature, 0)
        if count < most.get(feature, n_sets):
            counts[feature] = count + 1
            left -= 1
            heapq.heappush(offers, (penalty * (count + 1) - scores[feature], feature))
    ranked = sorted(counts, key=lambda feature: (-scores[feature], feature))
    dealt = [feature for feature in ranked for _ in range(counts[feature])]
    sets: list[FeatureSet] = [tuple(sorted(dealt[place::n_sets])) for place in range(n_sets)]
    objective = problem.objective([quality.evaluate(chosen) for chosen in sets], sets)
    return Answer.simultaneous(problem, sets, objective, "the largest additions", proven=True)
