"""What users ask for, checked and made exact; what makes no sense is refused."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from altsets.constraints import Constraint
from altsets.constraints.base import Rules
from altsets.dissimilarity import Matched
from altsets.errors import InputError
from altsets.features import FeatureNames, whole_number
from altsets.problem._dissimilarity import EXACT_TOLERANCE, FeatureSet

__all__ = [
    "AGGREGATIONS",
    "DISSIMILARITIES",
    "SEARCHES",
    "existing_set",
    "largest_size",
    "limits_of_difference",
    "one_of",
    "resolved",
]

SEARCHES = ("sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth")
AGGREGATIONS = ("sum", "min")
DISSIMILARITIES = ("dice", "jaccard")


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    """A word that is among those that are allowed."""
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise InputError(f"{name}={value!r} is unknown; choose one of {choices}.")
    return value


def resolved(constraints: Any, names: FeatureNames) -> tuple[Constraint, ...]:
    """One constraint or several, on indices."""
    several = isinstance(constraints, Iterable) and not isinstance(constraints, str)
    listed: list[Any] = list(constraints) if several else [constraints]
    for constraint in listed:
        if not isinstance(constraint, Constraint):
            raise InputError(
                f"constraints holds {constraint!r}; give objects such as altsets.constraints.Require(feature)."
            )
    return tuple(constraint.resolve(names) for constraint in listed)


def largest_size(n_features: Any, n_features_in: int, constraints: Sequence[Constraint]) -> int:
    """The size of sets: as asked, or the largest that constraints allow."""
    largest = [size.k_max for size in Rules.of(constraints).sizes]
    if largest:
        return min(*largest, n_features_in)
    k = whole_number("n_features", n_features, least=1)
    if k > n_features_in:
        raise InputError(
            f"n_features={k}, but there are only {n_features_in} features to choose from; "
            f"ask for at most {n_features_in}."
        )
    return k


def limits_of_difference(
    dissimilarity: Any, tau: Any, min_difference: Any, k: int
) -> tuple[Fraction | None, int | None]:
    """How different sets must be: by tau or by a number of features, never both."""
    if not callable(dissimilarity):
        one_of("dissimilarity", dissimilarity, DISSIMILARITIES)
    elif min_difference is not None and not isinstance(dissimilarity, Matched):
        raise InputError(
            "min_difference counts shared features, and does not go with a dissimilarity of your own or of groups; "
            "give tau."
        )
    if tau is not None and min_difference is not None:
        raise InputError("tau and min_difference were both given; give one of them.")
    if min_difference is None:
        return _exact_tau(Fraction(1, 2) if tau is None else tau), None
    difference = whole_number("min_difference", min_difference, least=0)
    if difference > k:
        raise InputError(
            f"min_difference={difference}, but sets of {k} features differ in at most {k}; ask for at most {k}."
        )
    return None, difference


def _exact_tau(tau: Any) -> Fraction:
    """The threshold as a fraction: floats carry their rounding error, which ``max_overlap`` forgives."""
    try:
        if isinstance(tau, bool):
            raise TypeError
        if isinstance(tau, str | Decimal | Fraction | numbers.Integral):
            exact = Fraction(tau if not isinstance(tau, numbers.Integral) else int(tau))
        elif isinstance(tau, numbers.Real):
            exact = Fraction(float(tau))
        else:
            raise TypeError
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        raise InputError(f"tau={tau!r} is not a number; give one between 0 and 1, such as 0.5.") from error
    if -EXACT_TOLERANCE <= exact <= 1 + EXACT_TOLERANCE:
        return min(max(exact, Fraction(0)), Fraction(1))
    raise InputError(
        f"tau={tau} is outside [0, 1]; 0 allows equal sets and 1 asks for sets that share no feature."
    )


def existing_set(indices: Sequence[int], n_features_in: int) -> FeatureSet:
    """A set that new ones must differ from, as sorted indices."""
    chosen = tuple(sorted(whole_number("a feature index", index, least=0) for index in indices))
    if not chosen:
        raise InputError("an existing set is empty; leave it out.")
    if len(set(chosen)) != len(chosen):
        raise InputError(f"existing set {list(chosen)} holds a feature twice.")
    if chosen[-1] >= n_features_in:
        raise InputError(
            f"existing set {list(chosen)} names feature {chosen[-1]}; there are {n_features_in}."
        )
    return chosen
