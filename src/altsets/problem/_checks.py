"""What users ask for, checked and made exact."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from altsets.constraints import Constraint, Spread
from altsets.constraints.base import SizeRule
from altsets.dissimilarity import DISSIMILARITIES
from altsets.errors import InputError
from altsets.features import as_number, one_of, whole_number
from altsets.wording import by_interface, parameter

#: A pair of sets is compatible if its dissimilarity is at least tau minus this; rounding errors of floats are smaller.
TOLERANCE = 1e-9

#: The same where numbers are fractions.
EXACT_TOLERANCE = Fraction(1, 10**9)

#: Indices of features, ascending.
FeatureSet = tuple[int, ...]

#: A user's own dissimilarity of two sets: symmetric, between 0 and 1.
Dissimilarity = Callable[[FeatureSet, FeatureSet], float]
SEARCHES = ("sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth")
AGGREGATIONS = ("sum", "min", "leximin")
DIFFERENCES = ("each", "average")
#: Numbers with a larger exponent are nothing beside 1, or far above it.
LARGEST_EXPONENT = 400


def dissimilarity_of(kind: str, first: Sequence[int], second: Sequence[int]) -> float:
    """Dissimilarity of two feature sets: from 0 (equal) to 1 (disjoint), or a number of features if it is absolute."""
    shared = len(set(first) & set(second))
    if kind == "absolute":
        return min(len(set(first)), len(set(second))) - shared
    total = len(set(first)) + len(set(second))
    return 1 - 2 * shared / total if kind == "dice" else 1 - shared / (total - shared)


def own_dissimilarity(measure: Dissimilarity, first: FeatureSet, second: FeatureSet) -> float:
    value = measure(first, second)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    # As floats: fractions would take longer than most functions.
    if not -TOLERANCE <= number <= 1 + TOLERANCE:
        raise InputError(
            f"the dissimilarity of {first} and {second} is {value!r}; it must be a number between 0 and 1."
        )
    return number


def list_constraints(constraints: Any) -> tuple[Constraint, ...]:
    # Nearly always; checks against abstract types are slow.
    listed_already = isinstance(constraints, tuple | list)
    several = listed_already or (isinstance(constraints, Iterable) and not isinstance(constraints, str))
    listed: tuple[Any, ...] = tuple(constraints) if several else (constraints,)
    for constraint in listed:
        if not isinstance(constraint, Constraint):
            raise InputError(
                f"constraints holds {constraint!r}; give objects such as altsets.constraints.Require(feature)."
            )
    return listed


def largest_size(n_features: Any, n_features_in: int, constraints: Sequence[Constraint]) -> int:
    rules = [rule for constraint in constraints for rule in constraint.rules()]
    largest = [rule.k_max for rule in rules if isinstance(rule, SizeRule)]
    if largest:
        return min(*largest, n_features_in)
    k = whole_number("n_features", n_features, least=1)
    if k > n_features_in:
        raise InputError(
            f"{parameter('n_features', k)}, but there are only {n_features_in} features to choose from; "
            f"ask for at most {n_features_in}."
        )
    return k


def counts_features(dissimilarity: Any) -> bool:
    """Whether tau is a number of features; an unknown name is refused."""
    return (
        not callable(dissimilarity) and one_of("dissimilarity", dissimilarity, DISSIMILARITIES) == "absolute"
    )


def limits_of_difference(dissimilarity: Any, tau: Any, k: int) -> tuple[Fraction | None, int | None]:
    """How different sets must be: by a share or by a number of features."""
    if not counts_features(dissimilarity):
        return exact_tau(Fraction(1, 2) if tau is None else tau), None
    difference = exact_count(tau)
    if difference > k:
        raise InputError(
            f"{parameter('tau', difference)}, but sets of {k} features differ in at most {k}; ask for at most {k}."
        )
    return None, difference


def exact_count(tau: Any) -> int:
    """The number of features in which two sets must differ."""
    if tau is None:
        raise InputError(
            f"{parameter('dissimilarity', 'absolute')} counts features; give {parameter('tau')}, the number in which "
            "two sets must differ."
        )
    is_text = isinstance(tau, str) and tau.strip().isdecimal()
    return whole_number("tau", int(tau) if is_text else tau, least=0)


def exact_tau(tau: Any) -> Fraction:
    """The threshold as a fraction: floats carry their rounding error, which ``max_overlap`` forgives."""
    if type(tau) is float and 0.0 <= tau <= 1.0:
        # Nearly always; comparing fractions costs more than a short search may take.
        return Fraction(tau)
    try:
        if isinstance(tau, bool):
            raise TypeError
        if isinstance(tau, str | Decimal):
            exact = _fraction_in(tau)
        elif isinstance(tau, Fraction | numbers.Integral):
            exact = Fraction(tau if isinstance(tau, Fraction) else int(tau))
        elif isinstance(tau, numbers.Real):
            exact = Fraction(float(tau))
        else:
            raise TypeError
    except (TypeError, ValueError, ArithmeticError) as error:
        find = by_interface("altsets.find()", "altsets find")
        raise InputError(
            f"{parameter('tau', tau)} is not a number; give one between 0 and 1, such as 0.5 ({find} takes "
            f"{parameter('tau', 'max')} as well)."
        ) from error
    if -EXACT_TOLERANCE <= exact <= 1 + EXACT_TOLERANCE:
        return min(max(exact, Fraction(0)), Fraction(1))
    raise InputError(
        f"{parameter('tau', tau)} is outside [0, 1]; 0 allows equal sets and 1 asks for sets that share no feature."
    )


def _fraction_in(tau: str | Decimal) -> Fraction:
    """A decimal or a text such as ``1/3``; of exponents that would take gigabytes to write out, the sign is enough."""
    if isinstance(tau, str) and "/" in tau:
        return Fraction(tau)
    decimal = Decimal(tau.strip() if isinstance(tau, str) else tau)
    if decimal.is_finite() and decimal and abs(decimal.adjusted()) > LARGEST_EXPONENT:
        return Fraction(0) if decimal.adjusted() < 0 else Fraction(-2 if decimal < 0 else 2)
    return Fraction(decimal)


def check_definition(
    search: str,
    aggregation: str,
    difference: str,
    overlap_penalty: Any,
    min_quality: Any,
    within: Any,
    constraints: Sequence[Constraint],
) -> tuple[float, float | None, float | None, float | None]:
    """The penalty and the limits on qualities as numbers; refused where they do not go with each other."""
    one_of("difference", difference, DIFFERENCES)
    penalty = 0.0 if overlap_penalty is None else _amount("overlap_penalty", overlap_penalty, least=0.0)
    lowest = None if min_quality is None else _amount("min_quality", min_quality)
    spread = min((one.limit for one in constraints if isinstance(one, Spread)), default=None)
    if difference == "average" and search != "sequential":
        raise InputError(
            f"{parameter('difference', difference)} compares a set with those before it, so it needs "
            f"{parameter('search', 'sequential')}, not with {parameter('search', search)}."
        )
    part = None if within is None else _amount("within", within, least=0.0)
    if part is not None and lowest is not None:
        raise InputError(
            f"{parameter('within')} and {parameter('min_quality')} were both given; give one of them."
        )
    if penalty and search == "sequential" and (part is not None or lowest is not None):
        name = "min_quality" if part is None else "within"
        raise InputError(
            f"{parameter(name)} limits qualities, and in sequential search {parameter('overlap_penalty')} changes what "
            f"a set is worth; leave one of them out, or use {parameter('search', 'simultaneous')}."
        )
    if spread is not None and search != "simultaneous":
        raise InputError(
            f"{parameter('Spread')} needs {parameter('search', 'simultaneous')}, not "
            f"{parameter('search', search)}."
        )
    if penalty and search == "simultaneous" and aggregation != "sum":
        raise InputError(
            f"{parameter('overlap_penalty')} is taken off the sum of the qualities, so it needs "
            f"{parameter('aggregation', 'sum')}, not with {parameter('aggregation', aggregation)}."
        )
    if aggregation == "leximin" and spread is not None:
        raise InputError(
            f"{parameter('Spread')} needs {parameter('aggregation', 'sum')} or "
            f"{parameter('aggregation', 'min')}; {parameter('aggregation', aggregation)} levels sets by itself."
        )
    return penalty, lowest, part, spread


def _amount(name: str, value: Any, least: float = -math.inf) -> float:
    number = as_number(value)
    if not (math.isfinite(number) and number >= least):
        at_least = f" of at least {least:g}" if least > -math.inf else ""
        raise InputError(f"{parameter(name, value)} must be a finite number{at_least}.")
    return number


def existing_set(indices: Sequence[int], n_features_in: int) -> FeatureSet:
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
