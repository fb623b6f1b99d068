"""A request, checked and exact."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

from altsets.arrays import Bools
from altsets.constraints import Constraint
from altsets.constraints.base import ConstraintRules, SizeRule
from altsets.dissimilarity import DISSIMILARITIES, Grouped, Matched
from altsets.errors import InputError
from altsets.features import FeatureNames, whole_number
from altsets.measures.redundancy import Conflicts
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
AGGREGATIONS = ("sum", "min")
#: Numbers with a larger exponent are nothing beside 1, or far above it.
LARGEST_EXPONENT = 400
#: Pairs of sets that are remembered as far enough apart.
MOST_REMEMBERED = 200_000


@dataclass(frozen=True)
class Problem:
    """A request for ``n_alternatives + 1`` feature sets, checked and exact.

    Build it with :meth:`Problem.create`, which refuses what makes no sense. The threshold ``tau`` is a
    fraction, so that the number of features which two sets may share is an exact integer. Where a
    :class:`altsets.constraints.Size` is among the constraints, sizes come from there and ``n_features`` is the largest.

    Attributes
    ----------
    n_features_in : int
        How many features there are to choose from.
    n_features : int
        Features in each set; the largest number where the size is open.
    n_alternatives : int
        Sets besides the first one.
    tau : Fraction or None
        The least dissimilarity of two sets; None if ``min_difference`` is given.
    min_difference : int or None
        The number of features in which two sets must differ; None if ``tau`` is given.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable
        What tau refers to.
    search : str
        How sets are searched for, such as ``"sequential"``.
    aggregation : {"sum", "min"}
        What is maximised over the sets.
    existing : tuple of tuple of int
        Sets that new ones must differ from as well.
    constraints : tuple of Constraint
        What every set must keep to, on indices.

    See Also
    --------
    altsets.Request : The same as a user asks it, with names.
    altsets.find : Solves a problem.

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
        """Check a request and turn it into a problem.

        Parameters
        ----------
        n_features_in : int
            How many features there are to choose from.
        n_features : int, default=5
            Features in each set.
        n_alternatives : int, default=3
            Sets besides the first one.
        tau : float, fraction or string, default=None
            The least dissimilarity of two sets; 0.5 if ``min_difference`` is None as well.
        min_difference : int, default=None
            Instead of tau: the number of features in which two sets must differ at least.
        dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable, default="dice"
            What tau refers to, as for :func:`altsets.find`.
        search : {"sequential", "simultaneous", "greedy-replacement", "greedy-balancing", "greedy-depth"}, \
                default="sequential"
            One set after the other, all at once, or a heuristic.
        aggregation : {"sum", "min"}, default="sum"
            What to maximise over simultaneous sets.
        existing : sequence of sets, default=()
            Sets of indices that every new set must differ from as well.
        constraints : sequence of constraints, default=()
            What every set must keep to; they may name features if ``feature_names`` is given.
        feature_names : sequence of str, default=None
            The names of all features.

        Returns
        -------
        Problem
            With names turned into indices, and limits into exact numbers.

        Raises
        ------
        altsets.errors.InputError
            If a parameter is out of range or contradicts another one, or a name is not one of the features.
        """
        n = whole_number("the number of features", n_features_in, least=1)
        names = FeatureNames.unnamed(n) if feature_names is None else FeatureNames.of(feature_names)
        if len(names) != n:
            raise InputError(f"{len(names)} feature names were given for {n} features.")
        conditions = tuple(one.resolve(names) for one in list_constraints(constraints))
        k = largest_size(n_features, n, conditions)
        least, difference = limits_of_difference(dissimilarity, tau, min_difference, k)
        if isinstance(dissimilarity, Matched | Grouped):
            dissimilarity = dissimilarity.resolve(names)
        return cls(
            n_features_in=n,
            n_features=k,
            n_alternatives=whole_number("n_alternatives", n_alternatives, least=0),
            tau=least,
            min_difference=difference,
            dissimilarity=dissimilarity,
            search=one_of("search", search, SEARCHES),
            aggregation=one_of("aggregation", aggregation, AGGREGATIONS),
            existing=tuple(existing_set(indices, n) for indices in existing),
            constraints=conditions,
        )

    @property
    def n_sets(self) -> int:
        """All sets, the first one and its alternatives."""
        return self.n_alternatives + 1

    @cached_property
    def rules(self) -> ConstraintRules:
        """What the constraints demand, for engines."""
        return ConstraintRules.of(self.constraints)

    @cached_property
    def k_min(self) -> int:
        """The smallest size of a set."""
        return max((size.k_min for size in self.rules.sizes), default=self.n_features)

    @cached_property
    def k_max(self) -> int:
        """The largest size of a set; below ``k_min`` where two constraints on the size contradict each other."""
        largest = min((size.k_max for size in self.rules.sizes), default=self.n_features)
        return min(largest, self.n_features_in)

    @property
    def sizes(self) -> range:
        """The sizes that a set may have."""
        return range(self.k_min, self.k_max + 1)

    @property
    def fixed_size(self) -> bool:
        """Whether all sets have ``n_features`` features."""
        return self.k_min == self.k_max

    @property
    def forbidden(self) -> frozenset[int]:
        """Features that no set may have."""
        return self.rules.forbidden

    @property
    def conflicts(self) -> Bools | Conflicts | None:
        """Pairs of features that constraints rule out; None if there are none."""
        return self.rules.conflicts

    @property
    def without_pairs_on_demand(self) -> Problem:
        """The same without constraints on pairs of features that are computed on demand: other sets are valid, too."""
        if not isinstance(self.conflicts, Conflicts):
            return self
        kept = [
            one for one in self.constraints if not isinstance(ConstraintRules.of([one]).conflicts, Conflicts)
        ]
        return replace(self, constraints=tuple(kept))

    @property
    def counts_shared(self) -> bool:
        """Whether the number of shared features alone tells if two sets differ enough."""
        return not callable(self.dissimilarity)

    @property
    def caps_shared(self) -> bool:
        """Whether two sets that differ enough share no more than ``max_overlap_of`` features.

        Matched features count on top of the shared ones, so that much is necessary there, but not enough.
        """
        return self.counts_shared or isinstance(self.dissimilarity, Matched)

    @property
    def may_repeat(self) -> bool:
        """Whether the same set may be chosen more than once."""
        if not self.caps_shared:
            return self.tau == 0
        return self.max_overlap_of(self.k_max, self.k_max) >= self.k_max

    @property
    def any_sets_differ_enough(self) -> bool:
        """Whether any two sets that are not equal differ enough."""
        if not self.counts_shared:
            return self.may_repeat
        # Of two different sets the smaller one may be a subset of the larger, if the sizes differ.
        return all(
            self.max_overlap_of(s, t) >= (s - 1 if s == t else min(s, t))
            for s in self.sizes
            for t in self.sizes
        )

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

        Parameters
        ----------
        size, other_size : int
            Features in the one set and in the other one.

        Returns
        -------
        int
            The number; negative if no two sets of these sizes differ enough.

        Raises
        ------
        RuntimeError
            If the dissimilarity is a function of your own or compares groups.
        """
        if not self.caps_shared:
            raise RuntimeError("this dissimilarity has no overlap limit; call compatible(first, second).")
        smaller, total = min(size, other_size), size + other_size
        if self.tau is None:
            assert self.min_difference is not None
            return smaller - self.min_difference
        if (size, other_size) not in self._overlaps:
            tau = self.tau - EXACT_TOLERANCE
            limit = (1 - tau) * total / (2 - tau if self.dissimilarity == "jaccard" else 2)
            self._overlaps[size, other_size] = min(smaller, math.floor(limit))
        return self._overlaps[size, other_size]

    @cached_property
    def _overlaps(self) -> dict[tuple[int, int], int]:
        """Limits by the two sizes: fractions are slow, and a search may ask for each of a thousand sets."""
        return {}

    @cached_property
    def _far_apart(self) -> set[tuple[FeatureSet, FeatureSet]]:
        """Pairs that were found to differ enough: a user's own function may take its time."""
        return set()

    def was_compatible(self, first: FeatureSet, second: FeatureSet) -> bool:
        """Whether :meth:`compatible` has found these two far enough apart before.

        Parameters
        ----------
        first, second : tuple of int
            Two sets, as sorted indices.

        Returns
        -------
        bool
            False also if the two have not been compared yet.
        """
        return (first, second) in self._far_apart

    def compatible(self, first: FeatureSet, second: FeatureSet) -> bool:
        """Whether two sets differ enough.

        Parameters
        ----------
        first, second : tuple of int
            Two sets, as sorted indices.

        Returns
        -------
        bool
            Whether their dissimilarity reaches the limit.

        Examples
        --------
        >>> problem = Problem.create(9, n_features=3, tau=0.5, dissimilarity=lambda F, G: float(F[0] != G[0]))
        >>> problem.compatible((0, 1, 2), (1, 2, 3)), problem.compatible((0, 1, 2), (0, 7, 8))
        (True, False)
        """
        kind = self.dissimilarity
        if not callable(kind):
            return len(set(first) & set(second)) <= self.max_overlap_of(len(first), len(second))
        # In one order, so that the last digit of the user's sums decides nothing.
        pair = min(first, second), max(first, second)
        if pair in self._far_apart:
            return True
        if self.tau is not None:
            far = own_dissimilarity(kind, *pair) >= float(self.tau) - TOLERANCE
        else:
            assert isinstance(kind, Matched)
            far = kind.overlap(first, second) <= self.max_overlap_of(len(first), len(second)) + TOLERANCE
        if far and len(self._far_apart) < MOST_REMEMBERED:
            self._far_apart.add(pair)
        return far

    def objective(self, qualities: Sequence[float]) -> float:
        """Sum or minimum of the qualities, as asked.

        Parameters
        ----------
        qualities : sequence of float
            The quality of each set.

        Returns
        -------
        float
            nan if there are none.
        """
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
            "max_overlap": self.max_overlap if self.fixed_size and self.caps_shared else None,
            "dissimilarity": self._dissimilarity_in_words(),
            "search": self.search,
            "aggregation": self.aggregation,
            "existing": [list(given) for given in self.existing],
            "sizes": [self.k_min, self.k_max],
            "constraints": [constraint.as_dict() for constraint in self.constraints],
        }

    def _dissimilarity_in_words(self) -> str | dict[str, Any]:
        kind = self.dissimilarity
        if isinstance(kind, Matched | Grouped):
            return kind.as_dict()
        return kind if isinstance(kind, str) else getattr(kind, "__name__", repr(kind))


# --- What users ask for, checked and made exact ----------------------------------------------------------------------


def dissimilarity_of(kind: str, first: Sequence[int], second: Sequence[int]) -> float:
    """Dice or Jaccard dissimilarity of two feature sets, between 0 (equal) and 1 (disjoint)."""
    shared = len(set(first) & set(second))
    total = len(set(first)) + len(set(second))
    return 1 - 2 * shared / total if kind == "dice" else 1 - shared / (total - shared)


def own_dissimilarity(measure: Dissimilarity, first: FeatureSet, second: FeatureSet) -> float:
    """The value of a user's own dissimilarity for two sets, if it is between 0 and 1."""
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


def one_of(name: str, value: Any, allowed: Sequence[str]) -> str:
    """A word that is among those that are allowed."""
    if not isinstance(value, str) or value not in allowed:
        choices = by_interface(", ".join(map(repr, allowed)), ", ".join(allowed))
        raise InputError(f"{parameter(name, value)} is unknown; choose one of {choices}.")
    return value


def list_constraints(constraints: Any) -> tuple[Constraint, ...]:
    """One constraint or several, as a tuple."""
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
    """The size of sets: as asked, or the largest that constraints allow."""
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


def check_limit(dissimilarity: Any, tau: Any, min_difference: Any) -> None:
    """Refuse two limits at once, and a limit that does not go with the dissimilarity."""
    if not callable(dissimilarity):
        one_of("dissimilarity", dissimilarity, DISSIMILARITIES)
    elif min_difference is not None and not isinstance(dissimilarity, Matched):
        raise InputError(
            f"{parameter('min_difference')} counts shared features, and does not go with a dissimilarity of your own "
            f"or of groups; give {parameter('tau')}."
        )
    if tau is not None and min_difference is not None:
        raise InputError(
            f"{parameter('tau')} and {parameter('min_difference')} were both given; give one of them."
        )


def limits_of_difference(
    dissimilarity: Any, tau: Any, min_difference: Any, k: int
) -> tuple[Fraction | None, int | None]:
    """How different sets must be: by tau or by a number of features, never both."""
    check_limit(dissimilarity, tau, min_difference)
    if min_difference is None:
        return exact_tau(Fraction(1, 2) if tau is None else tau), None
    difference = whole_number("min_difference", min_difference, least=0)
    if difference > k:
        raise InputError(
            f"{parameter('min_difference', difference)}, but sets of {k} features differ in at most {k}; ask for at "
            f"most {k}."
        )
    return None, difference


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
        raise InputError(
            f"{parameter('tau', tau)} is not a number; give one between 0 and 1, such as 0.5."
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
