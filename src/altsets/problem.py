"""What is asked: sizes, how different the sets must be, which search; and the check of every answer.

Glossary, from the paper's symbols to the names used here:

========================  =====================================================================
``n``                     ``n_features_in``, the number of features to choose from
``k``                     ``n_features``, the size of each set
``a``                     ``n_alternatives``; ``n_sets`` = a + 1 counts the first set too
``tau``                   ``tau``, the least dissimilarity of two sets; engines see ``max_overlap``
``d(F, G)``               ``dissimilarity``
``Q(s, X, y)``            the quality (see :mod:`altsets.quality`)
``F`` (blackboard)        ``existing``, sets that every new set must differ from
========================  =====================================================================
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from altsets.errors import InputError, VerificationError

__all__ = ["FeatureSet", "Problem", "dissimilarity_of", "verify"]

#: A pair of sets is compatible if its dissimilarity is at least tau minus this.
TOLERANCE = Fraction(1, 10**9)

SEARCHES = ("sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth")
AGGREGATIONS = ("sum", "min")
DISSIMILARITIES = ("dice", "jaccard")

#: Indices of features, ascending.
FeatureSet = tuple[int, ...]


@dataclass(frozen=True)
class Problem:
    """A request for ``n_alternatives + 1`` feature sets, checked and exact.

    Build it with :meth:`Problem.create`, which refuses what makes no sense. The threshold ``tau`` is a
    fraction, so that the number of features which two sets may share is an exact integer.

    Examples
    --------
    >>> problem = Problem.create(30, n_features=10, n_alternatives=3, tau=0.9)
    >>> problem.max_overlap
    1
    >>> Problem.create(30, n_features=10, min_difference=3).max_overlap
    7
    """

    n_features_in: int
    n_features: int
    n_alternatives: int
    tau: Fraction | None
    min_difference: int | None
    dissimilarity: str
    search: str
    aggregation: str
    existing: tuple[FeatureSet, ...] = ()

    @classmethod
    def create(
        cls,
        n_features_in: int,
        *,
        n_features: int = 5,
        n_alternatives: int = 3,
        tau: Any = None,
        min_difference: int | None = None,
        dissimilarity: str = "dice",
        search: str = "sequential",
        aggregation: str = "sum",
        existing: Sequence[Sequence[int]] = (),
    ) -> Problem:
        """Check the request and turn it into a problem; ``tau`` is 0.5 unless one of the two limits is given."""
        n = _integer("the number of features", n_features_in, least=1)
        k = _integer("n_features", n_features, least=1)
        if k > n:
            raise InputError(
                f"n_features={k}, but there are only {n} features to choose from; ask for at most {n}."
            )
        a = _integer("n_alternatives", n_alternatives, least=0)
        if tau is not None and min_difference is not None:
            raise InputError("tau and min_difference were both given; give one of them.")
        exact_tau = None
        if min_difference is None:
            exact_tau = _exact_tau(Fraction(1, 2) if tau is None else tau)
        else:
            min_difference = _integer("min_difference", min_difference, least=0)
            if min_difference > k:
                raise InputError(
                    f"min_difference={min_difference}, but sets of {k} features differ in at most {k}; "
                    f"ask for at most {k}."
                )
        if callable(dissimilarity):
            raise InputError(
                "a callable dissimilarity is not supported for additive quality yet; use 'dice' or 'jaccard'."
            )
        return cls(
            n_features_in=n,
            n_features=k,
            n_alternatives=a,
            tau=exact_tau,
            min_difference=min_difference,
            dissimilarity=_one_of("dissimilarity", dissimilarity, DISSIMILARITIES),
            search=_one_of("search", search, SEARCHES),
            aggregation=_one_of("aggregation", aggregation, AGGREGATIONS),
            existing=tuple(_feature_set(indices, n) for indices in existing),
        )

    @property
    def n_sets(self) -> int:
        """All sets, the first one and its alternatives."""
        return self.n_alternatives + 1

    @cached_property
    def max_overlap(self) -> int:
        """How many features two new sets may share; ``n_features`` means that they may be equal."""
        return self.max_overlap_of(self.n_features, self.n_features)

    @cached_property
    def existing_overlaps(self) -> tuple[int, ...]:
        """How many features a new set may share with each existing set; negative if no size-k set fits."""
        return tuple(self.max_overlap_of(self.n_features, len(given)) for given in self.existing)

    def max_overlap_of(self, size: int, other_size: int) -> int:
        """How many features two sets of these sizes may share, as an exact integer.

        Dice: 1 - 2o / (s + t) >= tau; Jaccard: 1 - o / (s + t - o) >= tau; both solved for the overlap o.
        """
        smaller, total = min(size, other_size), size + other_size
        if self.tau is None:
            assert self.min_difference is not None
            return smaller - self.min_difference
        tau = self.tau - TOLERANCE
        limit = (1 - tau) * total / 2 if self.dissimilarity == "dice" else (1 - tau) * total / (2 - tau)
        return min(smaller, math.floor(limit))

    def objective(self, qualities: Sequence[float]) -> float:
        """Sum or minimum of the qualities, as asked; nan if there are none."""
        if not qualities:
            return math.nan
        smallest = self.aggregation == "min" and self.search in ("simultaneous", "greedy-balancing")
        return min(qualities) if smallest else math.fsum(qualities)

    def parameters(self) -> dict[str, Any]:
        """The request as plain numbers and strings."""
        return {
            "n_features_in": self.n_features_in,
            "n_features": self.n_features,
            "n_alternatives": self.n_alternatives,
            "tau": None if self.tau is None else float(self.tau),
            "min_difference": self.min_difference,
            "max_overlap": self.max_overlap,
            "dissimilarity": self.dissimilarity,
            "search": self.search,
            "aggregation": self.aggregation,
            "existing": [list(given) for given in self.existing],
        }


def dissimilarity_of(kind: str, first: Sequence[int], second: Sequence[int]) -> float:
    """Dice or Jaccard dissimilarity of two feature sets, between 0 (equal) and 1 (disjoint).

    Examples
    --------
    >>> dissimilarity_of("dice", (0, 1, 2, 3), (0, 1, 4, 5))
    0.5
    >>> dissimilarity_of("jaccard", (0, 1), (0, 1, 2, 3))
    0.5
    """
    shared = len(set(first) & set(second))
    total = len(set(first)) + len(set(second))
    return 1 - 2 * shared / total if kind == "dice" else 1 - shared / (total - shared)


def verify(
    problem: Problem,
    sets: Sequence[FeatureSet],
    evaluate: Callable[[FeatureSet], float],
    bound: float,
) -> list[float]:
    """Check an answer from first principles and return the qualities computed anew.

    It shares no code with any engine: sizes, range and pairwise dissimilarity are read off the sets themselves,
    never off ``max_overlap``.

    Parameters
    ----------
    problem : Problem
        What was asked.
    sets : sequence of tuples of int
        What an engine answered.
    evaluate : callable
        The quality of one set.
    bound : float
        What the engine claims that no objective exceeds.

    Returns
    -------
    list of float
        The quality of each set.

    Raises
    ------
    VerificationError
        If the answer breaks the request in any way.
    """
    for position, chosen in enumerate(sets):
        distinct = set(chosen)
        if len(distinct) != problem.n_features or len(chosen) != problem.n_features:
            raise VerificationError(
                f"set {position} is not a set of {problem.n_features} features: {chosen}."
            )
        if list(chosen) != sorted(chosen) or min(distinct) < 0 or max(distinct) >= problem.n_features_in:
            raise VerificationError(f"set {position} is not a sorted tuple of feature indices: {chosen}.")
        for name, others in (("set", sets[:position]), ("existing set", problem.existing)):
            for other_position, other in enumerate(others):
                if not _far_enough(problem, distinct, set(other)):
                    raise VerificationError(
                        f"set {position} is too similar to {name} {other_position}: {chosen} and {other}."
                    )
    qualities = [evaluate(chosen) for chosen in sets]
    if qualities:
        objective = problem.objective(qualities)
        if bound < objective - 1e-9 * max(1.0, abs(objective)):
            raise VerificationError(f"the objective {objective} exceeds the claimed bound {bound}.")
    return qualities


def _far_enough(problem: Problem, first: set[int], second: set[int]) -> bool:
    if problem.tau is None:
        assert problem.min_difference is not None
        return min(len(first), len(second)) - len(first & second) >= problem.min_difference
    if not second:
        return True
    return dissimilarity_of(problem.dissimilarity, sorted(first), sorted(second)) >= float(problem.tau) - 1e-9


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
    if -TOLERANCE <= exact <= 1 + TOLERANCE:
        return min(max(exact, Fraction(0)), Fraction(1))
    raise InputError(
        f"tau={tau} is outside [0, 1]; 0 allows equal sets and 1 asks for sets that share no feature."
    )


def _integer(name: str, value: Any, least: int) -> int:
    number = float(value) if isinstance(value, numbers.Real) and not isinstance(value, bool) else math.nan
    if not number.is_integer():
        raise InputError(f"{name}={value!r} is not a whole number.")
    if number < least:
        raise InputError(f"{name}={value!r} is too small; it must be at least {least}.")
    return int(value)


def _one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise InputError(f"{name}={value!r} is unknown; choose one of {choices}.")
    return value


def _feature_set(indices: Sequence[int], n_features_in: int) -> FeatureSet:
    chosen = tuple(sorted(_integer("a feature index", index, least=0) for index in indices))
    if not chosen:
        raise InputError("an existing set is empty; leave it out.")
    if len(set(chosen)) != len(chosen):
        raise InputError(f"existing set {list(chosen)} holds a feature twice.")
    if chosen[-1] >= n_features_in:
        raise InputError(
            f"existing set {list(chosen)} names feature {chosen[-1]}; there are {n_features_in}."
        )
    return chosen
