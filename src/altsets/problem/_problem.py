"""A request, checked and exact."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from altsets.arrays import Bools
from altsets.constraints import Constraint, ForbidConstant, Spread
from altsets.constraints.base import ConstraintRules
from altsets.dissimilarity import Grouped, Matched
from altsets.errors import InputError
from altsets.features import FeatureNames, one_of, whole_number
from altsets.measures.redundancy import Conflicts
from altsets.problem._checks import (
    AGGREGATIONS,
    EXACT_TOLERANCE,
    SEARCHES,
    TOLERANCE,
    Dissimilarity,
    FeatureSet,
    check_definition,
    dissimilarity_of,
    existing_set,
    largest_size,
    limits_of_difference,
    list_constraints,
    own_dissimilarity,
)
from altsets.wording import parameter

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
    n_features_in, n_features, n_alternatives : int
        The features to choose from; the (largest) size of a set; and the sets besides the first one.
    tau : Fraction or None
        The least dissimilarity of two sets; None if features are counted.
    min_difference : int or None
        The number of features in which two sets must differ, for ``"absolute"``; else None.
    dissimilarity : {"dice", "jaccard"}, Matched, Grouped or callable
    search, aggregation, difference : str
        As for :func:`altsets.find`.
    existing : tuple of tuple of int
    constraints : tuple of Constraint
        On indices.
    overlap_penalty : float
    min_quality, within, max_spread : float or None
        Limits on qualities: the least one, known for ``within`` once the best set is; the share by which a set may fall
        short of the best one; how much better than the worst set the best one may be.

    See Also
    --------
    altsets.Request : The same as a user asks it, with names.
    altsets.find : Solves a problem.

    Examples
    --------
    >>> problem = Problem.create(30, n_features=10, n_alternatives=3, tau=0.9)
    >>> problem.max_overlap
    1
    >>> Problem.create(30, n_features=10, tau=3, dissimilarity="absolute").max_overlap
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
    difference: str = "each"
    overlap_penalty: float = 0.0
    min_quality: float | None = None
    max_spread: float | None = None
    within: float | None = None

    @classmethod
    def create(
        cls,
        n_features_in: int,
        *,
        n_features: int = 5,
        n_alternatives: int = 3,
        tau: Any = None,
        dissimilarity: str | Dissimilarity = "dice",
        search: str = "sequential",
        aggregation: str = "sum",
        existing: Sequence[Sequence[int]] = (),
        constraints: Sequence[Constraint] | Constraint = (),
        feature_names: Sequence[str] | None = None,
        difference: str = "each",
        overlap_penalty: float = 0.0,
        min_quality: float | None = None,
        within: float | None = None,
    ) -> Problem:
        """Check a request and turn it into a problem.

        What :func:`altsets.find` has as well is the same here: ``n_features``, ``n_alternatives``, ``dissimilarity``,
        ``search``, ``aggregation``, ``existing``, ``constraints``, ``difference``, ``overlap_penalty``, ``min_quality``
        and ``within``. By default ``tau`` is 0.5, with a penalty 0; with ``"absolute"``, which needs it, it is a number
        of features. Constraints may name features if ``feature_names`` is given.
        """
        n = whole_number("the number of features", n_features_in, least=1)
        names = FeatureNames.unnamed(n) if feature_names is None else FeatureNames.of(feature_names)
        if len(names) != n:
            raise InputError(f"{len(names)} feature names were given for {n} features.")
        conditions = tuple(one.resolve(names) for one in list_constraints(constraints))
        k = largest_size(n_features, n, conditions)
        penalty, lowest, part, spread = check_definition(
            search, aggregation, difference, overlap_penalty, min_quality, within, conditions
        )
        if penalty and tau is None and dissimilarity != "absolute":
            tau = Fraction(0)
        least, count = limits_of_difference(dissimilarity, tau, k)
        if isinstance(dissimilarity, Matched | Grouped):
            dissimilarity = dissimilarity.resolve(names)
        return cls(
            n_features_in=n,
            n_features=k,
            n_alternatives=whole_number("n_alternatives", n_alternatives, least=0),
            tau=least,
            min_difference=count,
            dissimilarity=dissimilarity if count is None else "dice",
            search=one_of("search", search, SEARCHES),
            aggregation=one_of("aggregation", aggregation, AGGREGATIONS),
            existing=tuple(existing_set(indices, n) for indices in existing),
            constraints=tuple(one for one in conditions if not isinstance(one, Spread)),
            difference=difference,
            overlap_penalty=penalty,
            min_quality=lowest,
            max_spread=spread,
            within=part,
        )

    @property
    def n_sets(self) -> int:
        return self.n_alternatives + 1

    @cached_property
    def rules(self) -> ConstraintRules:
        return ConstraintRules.of(self.constraints)

    @cached_property
    def k_min(self) -> int:
        return max((size.k_min for size in self.rules.sizes), default=self.n_features)

    @cached_property
    def k_max(self) -> int:
        """The largest size of a set; below ``k_min`` where two constraints on the size contradict each other."""
        largest = min((size.k_max for size in self.rules.sizes), default=self.n_features)
        return min(largest, self.n_features_in)

    @property
    def sizes(self) -> range:
        return range(self.k_min, self.k_max + 1)

    @property
    def fixed_size(self) -> bool:
        return self.k_min == self.k_max

    @property
    def forbidden(self) -> frozenset[int]:
        return self.rules.forbidden

    @property
    def constant(self) -> tuple[int, ...]:
        """Constant columns of the table, which no set may have."""
        columns = [one.features for one in self.constraints if isinstance(one, ForbidConstant)]
        return tuple(index for each in columns for index in each)

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
    def max_min(self) -> bool:
        """Whether the worst set counts, and not the sum."""
        return self.aggregation != "sum" and self.search in ("simultaneous", "greedy-balancing")

    @property
    def further(self) -> tuple[str, ...]:
        """What is asked beyond sets that are good by their sum or minimum and pairwise different, as users write it."""
        asked = {
            parameter("difference", self.difference): self.difference != "each",
            parameter("overlap_penalty"): self.overlap_penalty,
            parameter("within"): self.within is not None,
            parameter("min_quality"): self.within is None and self.min_quality is not None,
            parameter("Spread"): self.max_spread is not None,
            parameter("aggregation", self.aggregation): self.aggregation == "leximin" and self.max_min,
        }
        joint = [constraint.title for constraint in self.constraints if constraint.joint_rules()]
        return (*(name for name, given in asked.items() if given), *dict.fromkeys(joint))

    @cached_property
    def is_plain(self) -> bool:
        """Whether nothing is asked beyond good sets that are pairwise different."""
        return not self.further

    @cached_property
    def plain(self) -> Problem:
        """The same without what :attr:`further` names: a relaxation, unless sets need to differ on average only."""
        if self.is_plain:
            return self
        single = [constraint.alone() for constraint in self.constraints]
        return replace(
            self,
            constraints=tuple(one for one in single if one is not None),
            difference="each",
            overlap_penalty=0.0,
            within=None,
            min_quality=None,
            max_spread=None,
            aggregation="min" if self.aggregation == "leximin" else self.aggregation,
        )

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
        """Return how many features two sets of these sizes may share; negative if none of these sizes differ enough.

        Dice: 1 - 2o / (s + t) >= tau; Jaccard: 1 - o / (s + t - o) >= tau; both solved for the overlap o. A
        dissimilarity of your own and one of groups have no such limit: RuntimeError.
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
        """Whether :meth:`compatible` has already found these two far enough apart."""
        return (first, second) in self._far_apart

    def compatible(self, first: FeatureSet, second: FeatureSet) -> bool:
        """Whether two sets differ enough."""
        kind = self.dissimilarity
        if not callable(kind):
            return len(set(first) & set(second)) <= self.max_overlap_of(len(first), len(second))
        # In one order, so that the last digit of the user's sums decides nothing.
        pair = min(first, second), max(first, second)
        if pair in self._far_apart:
            return True
        assert self.tau is not None
        far = own_dissimilarity(kind, *pair) >= float(self.tau) - TOLERANCE
        if far and len(self._far_apart) < MOST_REMEMBERED:
            self._far_apart.add(pair)
        return far

    def apart(self, first: FeatureSet, second: FeatureSet) -> float:
        """Return the dissimilarity of two sets, from 0 to 1."""
        kind = self.dissimilarity
        if callable(kind):
            return own_dissimilarity(kind, min(first, second), max(first, second))
        return dissimilarity_of(kind, first, second)

    def objective(self, qualities: Sequence[float], sets: Sequence[FeatureSet] = ()) -> float:
        """Return the sum or minimum of the qualities, as requested; nan if there are none.

        With ``sets`` less what they pay for shared features; without them, what sets of such qualities reach at most.
        """
        if not qualities:
            return math.nan
        if self.max_min:
            return min(qualities)
        if not (self.overlap_penalty and sets):
            return math.fsum(qualities)
        return math.fsum([*qualities, -self.overlap_penalty * self.n_shared(sets)])

    def n_shared(self, sets: Sequence[FeatureSet]) -> int:
        """Return how many features all pairs of sets share, those with existing sets included."""
        uses = Counter(feature for given in self.existing for feature in given)
        shared = 0
        for chosen in sets:
            shared += sum(uses[feature] for feature in chosen)
            uses.update(chosen)
        return shared

    def parameters(self) -> dict[str, Any]:
        """The request as plain numbers and strings."""
        kind = self.dissimilarity
        if isinstance(kind, Matched | Grouped):
            named: Any = kind.as_dict()
        else:
            named = kind if isinstance(kind, str) else getattr(kind, "__name__", repr(kind))
            named = named if self.min_difference is None else "absolute"
        asked = [one for one in self.constraints if not isinstance(one, ForbidConstant)]
        spread = [] if self.max_spread is None else [Spread(self.max_spread)]
        needed: dict[str, float | None] = {"within": self.within, "quality_needed": self.min_quality}
        if self.within is None:
            needed = {} if self.min_quality is None else {"min_quality": self.min_quality}
        return {
            "n_features_in": self.n_features_in,
            "n_features": self.n_features,
            "n_alternatives": self.n_alternatives,
            "tau": self.min_difference if self.tau is None else float(self.tau),
            "max_overlap": self.max_overlap if self.fixed_size and self.caps_shared else None,
            "dissimilarity": named,
            "search": self.search,
            "aggregation": self.aggregation,
            "existing": [list(given) for given in self.existing],
            "sizes": [self.k_min, self.k_max],
            "constraints": [one.as_dict() for one in (*asked, *spread)],
            **({"constant": list(self.constant)} if self.constant else {}),
            **({"difference": self.difference} if self.difference != "each" else {}),
            **({"overlap_penalty": self.overlap_penalty} if self.overlap_penalty else {}),
            **needed,
        }
