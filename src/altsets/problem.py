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
(further constraints)     ``constraints`` (see :mod:`altsets.constraints`)
========================  =====================================================================
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from altsets.constraints import Constraint, Forbid, Size
from altsets.errors import InputError, VerificationError
from altsets.features import FeatureNames, whole_number

__all__ = ["Dissimilarity", "FeatureSet", "Problem", "dissimilarity_of", "verify"]

#: A pair of sets is compatible if its dissimilarity is at least tau minus this.
TOLERANCE = Fraction(1, 10**9)

#: Pairs of sets that are remembered as far enough apart.
MOST_REMEMBERED = 200_000

#: So many sets are compared pair by pair by the verifier, more of them each with all others at once.
FEW_SETS = 40

SEARCHES = ("sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth")
AGGREGATIONS = ("sum", "min")
DISSIMILARITIES = ("dice", "jaccard")

#: Indices of features, ascending.
FeatureSet = tuple[int, ...]

#: A user's own dissimilarity of two sets: symmetric, between 0 and 1.
Dissimilarity = Callable[[FeatureSet, FeatureSet], float]


@dataclass(frozen=True)
class Problem:
    """A request for ``n_alternatives + 1`` feature sets, checked and exact.

    Build it with :meth:`Problem.create`, which refuses what makes no sense. The threshold ``tau`` is a
    fraction, so that the number of features which two sets may share is an exact integer. Where a
    :class:`altsets.constraints.Size` is among the constraints, sizes come from there and ``n_features`` is the largest.

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
    dissimilarity: str | Dissimilarity
    search: str
    aggregation: str
    existing: tuple[FeatureSet, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    #: Pairs that a user's own dissimilarity has found far enough apart: it may take its time.
    far_apart: set[tuple[FeatureSet, FeatureSet]] = field(default_factory=set, repr=False, compare=False)

    @classmethod
    def create(
        cls,
        n_features_in: int,
        *,
        n_features: int = 5,
        n_alternatives: int = 3,
        tau: Any = None,
        min_difference: int | None = None,
        dissimilarity: str | Dissimilarity = "dice",
        search: str = "sequential",
        aggregation: str = "sum",
        existing: Sequence[Sequence[int]] = (),
        constraints: Sequence[Constraint] | Constraint = (),
        feature_names: Sequence[str] | None = None,
    ) -> Problem:
        """Check the request and turn it into a problem; ``tau`` is 0.5 unless one of the two limits is given.

        Constraints may name features if ``feature_names`` says which are which.
        """
        n = whole_number("the number of features", n_features_in, least=1)
        names = FeatureNames.unnamed(n) if feature_names is None else FeatureNames.of(feature_names)
        if len(names) != n:
            raise InputError(f"{len(names)} feature names were given for {n} features.")
        resolved = _resolved(constraints, names)
        k = _largest_size(n_features, n, resolved)
        if not callable(dissimilarity):
            _one_of("dissimilarity", dissimilarity, DISSIMILARITIES)
        elif min_difference is not None:
            raise InputError(
                "min_difference counts shared features and does not go with a dissimilarity of your own; give tau."
            )
        exact_tau, difference = _limits(tau, min_difference, k)
        return cls(
            n_features_in=n,
            n_features=k,
            n_alternatives=whole_number("n_alternatives", n_alternatives, least=0),
            tau=exact_tau,
            min_difference=difference,
            dissimilarity=dissimilarity,
            search=_one_of("search", search, SEARCHES),
            aggregation=_one_of("aggregation", aggregation, AGGREGATIONS),
            existing=tuple(_feature_set(indices, n) for indices in existing),
            constraints=resolved,
        )

    @property
    def n_sets(self) -> int:
        """All sets, the first one and its alternatives."""
        return self.n_alternatives + 1

    @cached_property
    def k_min(self) -> int:
        """The smallest size of a set."""
        return max((size.k_min for size in self._size_constraints), default=self.n_features)

    @cached_property
    def k_max(self) -> int:
        """The largest size of a set; below ``k_min`` where two constraints on the size contradict each other."""
        largest = min((size.k_max for size in self._size_constraints), default=self.n_features)
        return min(largest, self.n_features_in)

    @property
    def sizes(self) -> range:
        """The sizes that a set may have."""
        return range(self.k_min, self.k_max + 1)

    @property
    def fixed_size(self) -> bool:
        """Whether all sets have ``n_features`` features."""
        return self.k_min == self.k_max

    @cached_property
    def forbidden(self) -> frozenset[int]:
        """Features that no set may have."""
        return frozenset(
            index
            for constraint in self.constraints
            if isinstance(constraint, Forbid)
            for index in constraint.features
        )

    @property
    def _size_constraints(self) -> list[Size]:
        return [constraint for constraint in self.constraints if isinstance(constraint, Size)]

    @cached_property
    def max_overlap(self) -> int:
        """How many features two new sets may share; ``n_features`` means that they may be equal."""
        return self.max_overlap_of(self._only_size, self._only_size)

    @cached_property
    def existing_overlaps(self) -> tuple[int, ...]:
        """How many features a new set may share with each existing set; negative if no size-k set fits."""
        return tuple(self.max_overlap_of(self._only_size, len(given)) for given in self.existing)

    @property
    def _only_size(self) -> int:
        if not self.fixed_size:
            raise RuntimeError(
                "sets of several sizes have no single overlap limit; call max_overlap_of(size, other_size)."
            )
        return self.n_features

    def max_overlap_of(self, size: int, other_size: int) -> int:
        """How many features two sets of these sizes may share, as an exact integer.

        Dice: 1 - 2o / (s + t) >= tau; Jaccard: 1 - o / (s + t - o) >= tau; both solved for the overlap o.
        """
        if callable(self.dissimilarity):
            raise RuntimeError(
                "a user's own dissimilarity has no overlap limit; call compatible(first, second)."
            )
        smaller, total = min(size, other_size), size + other_size
        if self.tau is None:
            assert self.min_difference is not None
            return smaller - self.min_difference
        known = self._overlaps.get((size, other_size))
        if known is not None:
            return known
        tau = self.tau - TOLERANCE
        limit = (1 - tau) * total / 2 if self.dissimilarity == "dice" else (1 - tau) * total / (2 - tau)
        self._overlaps[size, other_size] = min(smaller, math.floor(limit))
        return self._overlaps[size, other_size]

    @cached_property
    def _overlaps(self) -> dict[tuple[int, int], int]:
        """What is known by now: fractions take their time, and some ask for each of a thousand sets."""
        return {}

    def compatible(self, first: FeatureSet, second: FeatureSet) -> bool:
        """Whether two sets differ enough.

        Examples
        --------
        >>> problem = Problem.create(9, n_features=3, tau=0.5, dissimilarity=lambda F, G: float(F[0] != G[0]))
        >>> problem.compatible((0, 1, 2), (1, 2, 3)), problem.compatible((0, 1, 2), (0, 7, 8))
        (True, False)
        """
        if callable(self.dissimilarity):
            assert self.tau is not None
            # In one order, so that the last digit of the user's sums decides nothing.
            smaller, larger = sorted((first, second))
            if (smaller, larger) in self.far_apart:
                return True
            far = own_dissimilarity(self.dissimilarity, smaller, larger) >= float(self.tau) - 1e-9
            if far and len(self.far_apart) < MOST_REMEMBERED:
                self.far_apart.add((smaller, larger))
            return far
        return len(set(first) & set(second)) <= self.max_overlap_of(len(first), len(second))

    def objective(self, qualities: Sequence[float]) -> float:
        """Sum or minimum of the qualities, as asked; nan if there are none."""
        if not qualities:
            return math.nan
        smallest = self.aggregation == "min" and self.search in ("simultaneous", "greedy-balancing")
        return min(qualities) if smallest else math.fsum(qualities)

    def parameters(self) -> dict[str, Any]:
        """The request as plain numbers and strings."""
        own = callable(self.dissimilarity)
        return {
            "n_features_in": self.n_features_in,
            "n_features": self.n_features,
            "n_alternatives": self.n_alternatives,
            "tau": None if self.tau is None else float(self.tau),
            "min_difference": self.min_difference,
            "max_overlap": self.max_overlap if self.fixed_size and not own else None,
            "dissimilarity": getattr(self.dissimilarity, "__name__", repr(self.dissimilarity))
            if own
            else self.dissimilarity,
            "search": self.search,
            "aggregation": self.aggregation,
            "existing": [list(given) for given in self.existing],
            "sizes": [self.k_min, self.k_max],
            "constraints": [constraint.as_dict() for constraint in self.constraints],
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


def own_dissimilarity(measure: Dissimilarity, first: FeatureSet, second: FeatureSet) -> float:
    """What a user's own dissimilarity says about two sets, if it is between 0 and 1."""
    value = measure(first, second)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    # As floats: fractions would take longer than most functions.
    if not -1e-9 <= number <= 1 + 1e-9:
        raise InputError(
            f"the dissimilarity of {first} and {second} is {value!r}; it must be a number between 0 and 1."
        )
    return number


def verify(
    problem: Problem,
    sets: Sequence[FeatureSet],
    evaluate: Callable[[FeatureSet], float],
    bound: float,
    scale: float = 1.0,
    hurry: Callable[[], bool] = lambda: False,
) -> list[float]:
    """Check an answer from first principles and return the qualities computed anew.

    It shares no code with any engine: sizes, range, constraints and pairwise dissimilarity are read off the sets
    themselves, never off ``max_overlap``. Where features are counted, many sets are compared at a time.

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
    scale : float
        The largest absolute number among the features that can be used.
    hurry : callable
        Whether time is up: then a user's own dissimilarity is not asked again about pairs that it has judged, nor the
        other way round, which tells nothing about the answer.

    Returns
    -------
    list of float
        The quality of each set.

    Raises
    ------
    VerificationError
        If the answer breaks the request in any way.
    InputError
        If a user's own dissimilarity is not symmetric or not between 0 and 1.
    """
    for position, chosen in enumerate(sets):
        _verify_one(problem, f"set {position}", chosen)
    too_similar = _own_too_similar if callable(problem.dissimilarity) else _counted_too_similar
    pair = too_similar(problem, sets, hurry)
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
    if qualities:
        objective = problem.objective(qualities)
        if bound < objective - 1e-9 * scale:
            raise VerificationError(f"the objective {objective} exceeds the claimed bound {bound}.")
    return qualities


def _verify_one(problem: Problem, name: str, chosen: FeatureSet) -> None:
    sized = any(isinstance(constraint, Size) for constraint in problem.constraints)
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


def _own_too_similar(
    problem: Problem, sets: Sequence[FeatureSet], hurry: Callable[[], bool]
) -> tuple[int, int] | None:
    """The first pair that a user's own dissimilarity calls too similar: a set and one before it, or an existing one."""
    assert callable(problem.dissimilarity)
    assert problem.tau is not None
    for position, chosen in enumerate(sets):
        existing = range(len(sets), len(sets) + len(problem.existing))
        for number in (*range(position), *existing):
            other = sets[number] if number < len(sets) else problem.existing[number - len(sets)]
            first, second = min(chosen, other), max(chosen, other)
            if hurry() and (first, second) in problem.far_apart:
                continue
            value = own_dissimilarity(problem.dissimilarity, first, second)
            other_way = value if hurry() else own_dissimilarity(problem.dissimilarity, second, first)
            if abs(value - other_way) > TOLERANCE:
                raise InputError(
                    f"the dissimilarity of {first} and {second} is {value} one way and {other_way} the other; "
                    "it must be symmetric."
                )
            if value < float(problem.tau) - 1e-9:
                return position, number
    return None


def _counted_too_similar(
    problem: Problem, sets: Sequence[FeatureSet], hurry: Callable[[], bool]
) -> tuple[int, int] | None:
    """The first pair that shares too many features: a set and one before it, or an existing one."""
    every = [*sets, *problem.existing]
    if len(every) <= FEW_SETS:
        chosen_sets = [frozenset(one) for one in every]
        for position, one in enumerate(chosen_sets[: len(sets)]):
            for number, other in enumerate(chosen_sets):
                if position <= number < len(sets):
                    continue
                sizes = len(one), len(other)
                if not _far_enough(problem, min(sizes), sum(sizes), len(one & other)):
                    return position, number
        return None
    return _first_of_many_too_similar(problem, sets, every)


def _far_enough(problem: Problem, smaller: Any, total: Any, shared: Any) -> Any:
    """Whether two sets, given the smaller size and both together, may share so many; also of many pairs at once."""
    if problem.tau is None:
        return smaller - shared >= problem.min_difference
    if problem.dissimilarity == "dice":
        return 1 - 2 * shared / total >= float(problem.tau) - 1e-9
    return 1 - shared / (total - shared) >= float(problem.tau) - 1e-9


def _first_of_many_too_similar(
    problem: Problem, sets: Sequence[FeatureSet], every: Sequence[FeatureSet]
) -> tuple[int, int] | None:
    """The same for many sets: each is held against all others at once."""
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
        far = _far_enough(problem, smaller, total, shared)
        far[position : len(sets)] = True
        if not far.all():
            return position, int(np.argmin(far))
    return None


def _resolved(constraints: Any, names: FeatureNames) -> tuple[Constraint, ...]:
    several = isinstance(constraints, Iterable) and not isinstance(constraints, str)
    listed: list[Any] = list(constraints) if several else [constraints]
    for constraint in listed:
        if not isinstance(constraint, Constraint):
            raise InputError(
                f"constraints holds {constraint!r}; give objects such as altsets.constraints.Require(feature)."
            )
    return tuple(constraint.resolve(names) for constraint in listed)


def _largest_size(n_features: Any, n_features_in: int, constraints: Sequence[Constraint]) -> int:
    """The size of sets: as asked, or the largest that constraints allow."""
    largest = [constraint.k_max for constraint in constraints if isinstance(constraint, Size)]
    if largest:
        return min(*largest, n_features_in)
    k = whole_number("n_features", n_features, least=1)
    if k > n_features_in:
        raise InputError(
            f"n_features={k}, but there are only {n_features_in} features to choose from; "
            f"ask for at most {n_features_in}."
        )
    return k


def _limits(tau: Any, min_difference: Any, k: int) -> tuple[Fraction | None, int | None]:
    """How different sets must be: by tau or by a number of features, never both."""
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
    if -TOLERANCE <= exact <= 1 + TOLERANCE:
        return min(max(exact, Fraction(0)), Fraction(1))
    raise InputError(
        f"tau={tau} is outside [0, 1]; 0 allows equal sets and 1 asks for sets that share no feature."
    )


def _one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    if not isinstance(value, str) or value not in allowed:
        choices = ", ".join(repr(choice) for choice in allowed)
        raise InputError(f"{name}={value!r} is unknown; choose one of {choices}.")
    return value


def _feature_set(indices: Sequence[int], n_features_in: int) -> FeatureSet:
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
