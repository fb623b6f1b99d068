"""The check of every answer, from the definitions; it shares no code with any engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from altsets.arrays import Floats
from altsets.dissimilarity import Grouped, Matched
from altsets.errors import InputError, VerificationError
from altsets.features import FeatureNames
from altsets.problem._checks import TOLERANCE, Dissimilarity, FeatureSet, own_dissimilarity
from altsets.problem._problem import Problem

#: A bound may lie below the objective by this, times the scale of the problem, and by no more.
BOUND_TOLERANCE = 1e-9


def verify(
    problem: Problem,
    sets: Sequence[FeatureSet],
    evaluate: Callable[[FeatureSet], float],
    bound: float,
    scale: float = 1.0,
    hurry: Callable[[], bool] = lambda: False,
) -> list[float]:
    """Check an answer from first principles, and return the qualities computed anew.

    Sizes, range, constraints and pairwise dissimilarity are read off the sets themselves, never off ``max_overlap``.
    No objective exceeds ``bound``, by the claim of the engine; ``scale`` is the largest absolute number among the
    features that can be used. Once ``hurry`` says that time is up, a user's own dissimilarity is not computed again for
    pairs that have a value, nor the other way round.
    """
    for position, chosen in enumerate(sets):
        _verify_one(problem, f"set {position}", chosen)
    if problem.difference == "average":
        _verify_average(problem, sets)
    pair = _too_similar(problem, sets, hurry) if problem.difference == "each" else None
    if pair is not None:
        position, other = pair
        name, number = ("set", other) if other < len(sets) else ("existing set", other - len(sets))
        second = [*sets, *problem.existing][other]
        raise VerificationError(
            f"set {position} is too similar to {name} {number}: {sets[position]} and {second}."
        )
    qualities = [evaluate(chosen) for chosen in sets]
    for position, value in enumerate(qualities):
        if not math.isfinite(value):
            raise VerificationError(f"set {position} has no finite quality ({value}): {sets[position]}.")
    _verify_qualities(problem, qualities, scale)
    _verify_together(problem, sets)
    if qualities:
        objective = problem.objective(qualities) - problem.overlap_penalty * _pairs_shared(problem, sets)
        if bound < objective - BOUND_TOLERANCE * scale:
            raise VerificationError(f"the objective {objective} exceeds the claimed bound {bound}.")
    return qualities


def _verify_qualities(problem: Problem, qualities: Sequence[float], scale: float) -> None:
    slack = BOUND_TOLERANCE * scale
    for position, value in enumerate(qualities):
        if problem.min_quality is not None and value < problem.min_quality - slack:
            raise VerificationError(f"set {position} has quality {value}, below {problem.min_quality}.")
    if qualities and problem.max_spread is not None:
        spread = max(qualities) - min(qualities)
        if spread > problem.max_spread + slack:
            most = problem.max_spread
            raise VerificationError(f"the qualities of the sets differ by {spread}, more than {most}.")


def _verify_together(problem: Problem, sets: Sequence[FeatureSet]) -> None:
    """Constraints on all sets together; what features need at least, only all sets can give them."""
    for constraint in problem.constraints:
        least = any(getattr(rule, "lower", 0) for rule in constraint.joint_rules())
        is_due = len(sets) == problem.n_sets or not least
        if sets and is_due and not constraint.holds_together(sets, problem.existing):
            words = constraint.describe(FeatureNames.unnamed(problem.n_features_in))
            raise VerificationError(f"the sets together break a constraint ({words}): {list(sets)}.")


def _pairs_shared(problem: Problem, sets: Sequence[FeatureSet]) -> int:
    """The features that pairs of sets share, pair by pair; two existing sets are none of our business."""
    if not problem.overlap_penalty:
        return 0
    every = [*problem.existing, *sets]
    return sum(
        len(set(every[later]) & set(every[earlier]))
        for later in range(len(problem.existing), len(every))
        for earlier in range(later)
    )


def _verify_average(problem: Problem, sets: Sequence[FeatureSet]) -> None:
    every = [*problem.existing, *sets]
    for position in range(len(problem.existing), len(every)):
        differences = [_difference(problem, every[position], other) for other in every[:position]]
        if differences and not _is_enough(problem, math.fsum(differences) / len(differences)):
            raise VerificationError(
                f"set {position - len(problem.existing)} is on average too similar to the sets before it: "
                f"{every[position]}."
            )


def _difference(problem: Problem, one: FeatureSet, other: FeatureSet) -> float:
    """The dissimilarity of two sets; with a number of features instead of tau, those in which they differ."""
    kind, shared, total = problem.dissimilarity, float(len(set(one) & set(other))), len(one) + len(other)
    if isinstance(kind, Matched):
        shared = _matched_overlap(kind, one, other)
    elif isinstance(kind, Grouped):
        assert kind.labels is not None
        left, right = {int(kind.labels[j]) for j in one}, {int(kind.labels[j]) for j in other}
        shared, total = len(left & right), len(left) + len(right)
    elif callable(kind):
        return own_dissimilarity(kind, min(one, other), max(one, other))
    return float(_by_shared(problem, min(len(one), len(other)), total, shared))


def _by_shared(problem: Problem, smaller: Any, total: Any, shared: Any) -> Any:
    """The same by the smaller size, both sizes together and what is shared; also of many pairs at once."""
    if problem.tau is None:
        return smaller - shared
    return 1 - shared / (total - shared) if problem.dissimilarity == "jaccard" else 1 - 2 * shared / total


def _is_enough(problem: Problem, difference: Any) -> Any:
    """Whether sets that differ so much differ enough; also of many pairs at once."""
    least = problem.min_difference if problem.tau is None else float(problem.tau)
    assert least is not None
    return difference >= least - TOLERANCE


def verify_scores(
    sets: Sequence[FeatureSet], scores: Sequence[Sequence[float]], feature_scores: Floats | None
) -> None:
    """Check that the scores beside the features of an answer are those of the quality."""
    expected: list[tuple[float, ...]] = []
    if feature_scores is not None:
        expected = [tuple(map(feature_scores.item, chosen)) for chosen in sets]
    if list(map(tuple, scores)) != expected:
        raise VerificationError("the scores beside the features of an answer are not those of the quality.")


def _verify_one(problem: Problem, name: str, chosen: FeatureSet) -> None:
    sized = bool(problem.rules.sizes)
    wanted = "distinct" if sized else str(problem.n_features)
    size = len(set(chosen))
    if size != len(chosen) or not size or not (sized or size == problem.n_features):
        raise VerificationError(f"{name} is not a set of {wanted} features: {chosen}.")
    if list(chosen) != sorted(chosen) or chosen[0] < 0 or chosen[-1] >= problem.n_features_in:
        raise VerificationError(f"{name} is not a sorted tuple of feature indices: {chosen}.")
    for constraint in problem.constraints:
        if not constraint.holds(chosen):
            words = constraint.describe(FeatureNames.unnamed(problem.n_features_in))
            raise VerificationError(f"{name} breaks a constraint ({words}): {chosen}.")


def _too_similar(
    problem: Problem, sets: Sequence[FeatureSet], hurry: Callable[[], bool]
) -> tuple[int, int] | None:
    """The first pair that differs too little: a set and one before it, or an existing one."""
    kind, every = problem.dissimilarity, [*sets, *problem.existing]
    if not callable(kind):
        return _counted_too_similar(problem, sets, every)
    most = _most_matched(kind, sets, every) if isinstance(kind, Matched) else None
    for i, chosen in enumerate(sets):
        for j in (*range(i), *range(len(sets), len(every))):
            sizes = len(chosen), len(every[j])
            if isinstance(kind, Matched | Grouped):
                far = most is not None and _is_enough(
                    problem, _by_shared(problem, min(sizes), sum(sizes), float(most[i, j]))
                )
                far = far or _is_enough(problem, _difference(problem, chosen, every[j]))
            else:
                far = _own_far_enough(problem, kind, chosen, every[j], hurry)
            if not far:
                return i, j
    return None


def _most_matched(kind: Matched, sets: Sequence[FeatureSet], every: Sequence[FeatureSet]) -> Any:
    """What sets match at most: all that is alike in them, whether or not a feature is matched twice."""
    import numpy as np

    inside = sorted({feature for one in every for feature in one})
    members = np.array([[feature in one for feature in inside] for one in map(set, every)], dtype=np.float64)
    worth = kind.similarity[np.ix_(inside, inside)]
    if kind.threshold is not None:
        worth = np.where(worth >= kind.threshold, 1.0, 0.0)
    # A feature is the same as itself, whether or not the similarities say so.
    worth = np.where(np.eye(len(inside), dtype=bool), 1.0, worth)
    return members[: len(sets)].reshape(len(sets), len(inside)) @ worth @ members.T


def _matched_overlap(kind: Matched, one: FeatureSet, other: FeatureSet) -> float:
    """The largest matching, from the similarities themselves."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    worth = kind.similarity[np.ix_(one, other)]
    if kind.threshold is not None:
        worth = np.where(worth >= kind.threshold, 1.0, 0.0)
    worth = np.where(np.equal.outer(one, other), 1.0, worth)
    return float(worth[linear_sum_assignment(-worth)].sum())


def _own_far_enough(
    problem: Problem, kind: Dissimilarity, one: FeatureSet, other: FeatureSet, hurry: Callable[[], bool]
) -> bool:
    assert problem.tau is not None
    first, second = min(one, other), max(one, other)
    if hurry() and problem.was_compatible(first, second):
        return True
    value = own_dissimilarity(kind, first, second)
    other_way = value if hurry() else own_dissimilarity(kind, second, first)
    if abs(value - other_way) > TOLERANCE:
        raise InputError(
            f"the dissimilarity of {first} and {second} is {value} one way and {other_way} the other; "
            "it must be symmetric."
        )
    return bool(_is_enough(problem, value))


def _counted_too_similar(
    problem: Problem, sets: Sequence[FeatureSet], every: Sequence[FeatureSet]
) -> tuple[int, int] | None:
    """The first pair that shares too many features; each set is compared with all others at once."""
    import numpy as np

    sizes = np.array([len(one) for one in every], dtype=np.int64)
    # In which sets each feature lies; two sets share as many features as lie in both.
    inside: dict[int, list[int]] = {}
    for number, one in enumerate(every):
        for feature in one:
            inside.setdefault(feature, []).append(number)
    holders = {feature: np.array(numbers) for feature, numbers in inside.items()}
    for position, chosen in enumerate(sets):
        numbers = np.concatenate([holders[feature] for feature in chosen])
        shared = np.bincount(numbers, minlength=len(every))
        smaller, total = np.minimum(sizes[position], sizes), sizes[position] + sizes
        far = _is_enough(problem, _by_shared(problem, smaller, total, shared))
        far[position : len(sets)] = True
        if not far.all():
            return position, int(np.argmin(far))
    return None
