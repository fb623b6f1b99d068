"""Conditions on sets: what every set must hold, must not hold, may hold, may cost.

=====================  ==========================================================================
``Require(f)``         every set has f
``Forbid(f)``          no set has f
``AtMost(r, group)``   a set has at most r features of the group
``AtLeast(r, group)``  a set has at least r features of the group
``Exclusive(group)``   a set has at most one feature of the group
``Implies(f, g)``      a set that has f has g too
``Budget(c, limit)``   the features of a set cost no more than the limit together
``Size(k, l)``         a set has k to l features, instead of exactly ``n_features``
=====================  ==========================================================================

Features are indices or names. Each condition is for each set on its own; several are met together. What makes no
sense by itself is refused at once; whether a combination can be met, the search finds out.
"""

from __future__ import annotations

import math
import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Context, Decimal, Inexact
from functools import cached_property
from typing import Any, ClassVar, Self

from altsets.errors import InputError
from altsets.features import Feature, FeatureNames, whole_number

__all__ = [
    "AtLeast",
    "AtMost",
    "Budget",
    "Constraint",
    "Exclusive",
    "Forbid",
    "Implies",
    "Require",
    "Size",
]

#: Room for the digits of all doubles from the largest to the smallest; what did not fit in would be an error.
EXACT_DECIMALS = Context(prec=1000, traps=[Inexact])


class Constraint(ABC):
    """A condition on each set; the base of all others.

    A constraint is made of what the user gives, and ``resolve`` turns names into indices. Everything else is for
    resolved constraints. Engines know the kinds in this module and no others.
    """

    kind: ClassVar[str]

    @abstractmethod
    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint on sorted indices; refuses features that do not exist.

        Parameters
        ----------
        names : sequence of str
            The names of all features.
        """

    @abstractmethod
    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether a set keeps to this, from the definition."""

    @abstractmethod
    def describe(self, names: Sequence[str]) -> str:
        """A few words with the names of the features."""

    def as_dict(self) -> dict[str, Any]:
        """The constraint as plain numbers and strings."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        plain = {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
        return {"kind": self.kind, **plain}

    @property
    def title(self) -> str:
        """Who speaks in a message."""
        return type(self).__name__

    def _set(self, **values: Any) -> None:
        # How a frozen dataclass is filled in.
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, init=False)
class OfFeatures(Constraint):
    """A condition on one feature or several, each on its own."""

    features: tuple[Any, ...]

    def __init__(self, features: Feature | Iterable[Feature]) -> None:
        several = [features] if isinstance(features, str | numbers.Real) else features
        self._set(features=_group(self, several))

    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint on sorted indices; refuses features that do not exist."""
        return replace(self, features=_indices(self, self.features, names))

    @cached_property
    def _members(self) -> frozenset[Any]:
        return frozenset(self.features)


class OfGroup(Constraint):
    """A condition on how many features of a group there are."""

    group: tuple[Any, ...]

    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint on sorted indices; refuses features that do not exist."""
        return replace(self, group=_indices(self, self.group, names))  # type: ignore[type-var]

    @cached_property
    def _members(self) -> frozenset[Any]:
        return frozenset(self.group)


@dataclass(frozen=True, init=False)
class Require(OfFeatures):
    """Every set has these features.

    Parameters
    ----------
    features : int, str or sequence of them
        One feature or several, by index or name.

    Examples
    --------
    >>> from altsets import constraints
    >>> age = constraints.Require("age").resolve(["sex", "age"])
    >>> age.features, age.holds((0, 1)), age.holds((0,))
    ((1,), True, False)
    """

    kind = "require"

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has all of them."""
        return self._members <= set(chosen)

    def describe(self, names: Sequence[str]) -> str:
        """Such as "require age, sex"."""
        return f"require {FeatureNames.of(names).listed(self.features)}"


@dataclass(frozen=True, init=False)
class Forbid(OfFeatures):
    """No set has any of these features.

    Parameters
    ----------
    features : int, str or sequence of them
        One feature or several, by index or name.

    Examples
    --------
    >>> Forbid(["id", "phone"]).resolve(["id", "age", "phone"]).holds((1,))
    True
    """

    kind = "forbid"

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has none of them."""
        return self._members.isdisjoint(chosen)

    def describe(self, names: Sequence[str]) -> str:
        """Such as "forbid id, phone"."""
        return f"forbid {FeatureNames.of(names).listed(self.features)}"


@dataclass(frozen=True, init=False)
class AtMost(OfGroup):
    """Each set has at most so many features of a group.

    Parameters
    ----------
    most : int
        The largest number; 0 forbids the whole group.
    group : sequence of int or str
        Features, by index or name.

    Examples
    --------
    >>> genes = AtMost(1, ["g1", "g2"]).resolve(["g1", "age", "g2"])
    >>> genes.holds((0, 1)), genes.holds((0, 2))
    (True, False)
    """

    kind = "at_most"
    most: int
    group: tuple[Any, ...]

    def __init__(self, most: int, group: Iterable[Feature]) -> None:
        self._set(most=whole_number("AtMost: most", most, least=0), group=_group(self, group))

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has few enough of the group."""
        return len(self._members & set(chosen)) <= self.most

    def describe(self, names: Sequence[str]) -> str:
        """Such as "at most 1 of {g1, g2}"."""
        return f"at most {self.most} of {{{FeatureNames.of(names).listed(self.group)}}}"


@dataclass(frozen=True, init=False)
class AtLeast(OfGroup):
    """Each set has at least so many features of a group.

    Parameters
    ----------
    least : int
        The smallest number.
    group : sequence of int or str
        Features, by index or name; at least ``least`` of them.

    Examples
    --------
    >>> AtLeast(1, ["age", "sex"]).resolve(["age", "sex", "id"]).holds((2,))
    False
    """

    kind = "at_least"
    least: int
    group: tuple[Any, ...]

    def __init__(self, least: int, group: Iterable[Feature]) -> None:
        self._set(least=whole_number("AtLeast: least", least, least=0), group=_group(self, group))
        there = len(set(self.group))
        if self.least > there:
            raise InputError(
                f"AtLeast: least={self.least}, but its group has only {there} features; ask for at most {there}."
            )

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has enough of the group."""
        return len(self._members & set(chosen)) >= self.least

    def describe(self, names: Sequence[str]) -> str:
        """Such as "at least 1 of {age, sex}"."""
        return f"at least {self.least} of {{{FeatureNames.of(names).listed(self.group)}}}"


@dataclass(frozen=True, init=False)
class Exclusive(OfGroup):
    """Each set has at most one feature of a group: they exclude each other.

    Parameters
    ----------
    group : sequence of int or str
        Features, by index or name.

    Examples
    --------
    >>> Exclusive([0, 1, 2]).holds((0, 2))
    False
    """

    kind = "exclusive"
    group: tuple[Any, ...]

    def __init__(self, group: Iterable[Feature]) -> None:
        self._set(group=_group(self, group))

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set has one of the group or none."""
        return len(self._members & set(chosen)) <= 1

    def describe(self, names: Sequence[str]) -> str:
        """Such as "exclusive {cm, inch}"."""
        return f"exclusive {{{FeatureNames.of(names).listed(self.group)}}}"


@dataclass(frozen=True, init=False)
class Implies(Constraint):
    """A set that has one feature has another one too.

    Parameters
    ----------
    feature : int or str
        The feature that does not come alone.
    needed : int or str
        The feature that comes with it.

    Examples
    --------
    >>> squared = Implies("age squared", "age").resolve(["age", "age squared"])
    >>> squared.holds((0,)), squared.holds((1,))
    (True, False)
    """

    kind = "implies"
    feature: Any
    needed: Any

    def __init__(self, feature: Feature, needed: Feature) -> None:
        self._set(feature=_one(self, feature), needed=_one(self, needed))

    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint on indices; refuses features that do not exist."""
        known = FeatureNames.of(names)
        feature, needed = (known.position(given, self.title) for given in (self.feature, self.needed))
        return replace(self, feature=feature, needed=needed)

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the second is there if the first is."""
        return self.feature not in chosen or self.needed in chosen

    def describe(self, names: Sequence[str]) -> str:
        """Such as "if age squared then age"."""
        known = FeatureNames.of(names)
        return f"if {known.listed([self.feature])} then {known.listed([self.needed])}"


@dataclass(frozen=True, init=False)
class Budget(Constraint):
    """The features of each set cost no more than a limit together.

    Costs and limit are added up and compared exactly, as the decimals that they are printed as: six features that cost
    0.1 each are within a limit of 0.6, and not within 0.599999999.

    Parameters
    ----------
    costs : sequence of float, or mapping from feature to float
        What each feature costs, 0 or more. In a mapping (or a pandas Series) by name or index, every feature that
        is left out costs 0. Numbers of lower precision are taken as they are printed, too: ``np.float32(0.1)`` is 0.1.
        Of longer ones, as decimals and fractions may be, the nearest double counts.
    limit : float
        The most that a set may cost.

    Examples
    --------
    >>> tests = Budget({"MRI": 900, "blood": 30}, limit=500).resolve(["MRI", "blood", "age"])
    >>> tests.costs
    (900.0, 30.0, 0.0)
    >>> tests.holds((1, 2)), tests.holds((0,))
    (True, False)
    >>> Budget([0.1, 0.2], limit=0.3).holds((0, 1)), 0.1 + 0.2 <= 0.3
    (True, False)
    """

    kind = "budget"
    costs: Any
    limit: float

    def __init__(self, costs: Iterable[float] | Mapping[Any, float], limit: float) -> None:
        self._set(costs=_costs(costs), limit=_amount(limit, "limit"))

    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint with one cost for each feature; refuses features that do not exist."""
        if isinstance(self.costs, tuple):
            if len(self.costs) != len(names):
                raise InputError(
                    f"Budget has {len(self.costs)} costs for {len(names)} features; give one for each, "
                    "or a mapping from feature to cost."
                )
            return self
        known, costs = FeatureNames.of(names), [0.0] * len(names)
        for feature, cost in self.costs.items():
            position = known.position(_one(self, feature), self.title)
            # A feature may be named twice, by its name and by its index.
            costs[position] = float(_total([costs[position], cost])) if costs[position] else cost
        return replace(self, costs=tuple(costs))

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set is within the limit, to the last digit."""
        return _total([self.costs[index] for index in chosen]) <= Decimal(repr(self.limit))

    def describe(self, names: Sequence[str]) -> str:
        """Such as "budget 20"."""
        # Two limits that differ are not to read alike.
        short = f"{self.limit:g}"
        return f"budget {short if float(short) == self.limit else repr(self.limit)}"

    def as_dict(self) -> dict[str, Any]:
        """The constraint as plain numbers; only features that cost something."""
        priced = [index for index, cost in enumerate(self.costs) if cost]
        costs = [self.costs[index] for index in priced]
        return {"kind": self.kind, "limit": self.limit, "features": priced, "costs": costs}


@dataclass(frozen=True, init=False)
class Size(Constraint):
    """Each set has from ``k_min`` to ``k_max`` features; this replaces ``n_features``.

    Mind what the quality does with the size. Sums, as :class:`altsets.quality.Additive` and
    :class:`altsets.quality.FCBF` make them, grow with it: where scores are positive, a larger set is always better,
    and smaller ones come about only where the difference or another constraint asks for them. Qualities that are
    normalised by the size (mRMR, CFS) compare sets of different sizes fairly. Dice and Jaccard dissimilarity are
    meant for sets of any size.

    Parameters
    ----------
    k_min, k_max : int
        The smallest and the largest size. A ``k_max`` beyond the number of features is no limit.

    Examples
    --------
    >>> from altsets import constraints
    >>> sizes = constraints.Size(2, 4)
    >>> sizes.holds((0, 3, 5)), sizes.holds((0,))
    (True, False)
    """

    kind = "size"
    k_min: int
    k_max: int

    def __init__(self, k_min: int, k_max: int) -> None:
        smallest = whole_number("Size: k_min", k_min, least=1)
        largest = whole_number("Size: k_max", k_max, least=1)
        if smallest > largest:
            raise InputError(f"Size: k_min={smallest} is larger than k_max={largest}; exchange the two.")
        self._set(k_min=smallest, k_max=largest)

    def resolve(self, names: Sequence[str]) -> Self:
        """The constraint itself; refuses sizes that no set can have."""
        if self.k_min > len(names):
            raise InputError(
                f"Size: k_min={self.k_min}, but there are only {len(names)} features to choose from; "
                f"ask for at most {len(names)}."
            )
        return self

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set is neither too small nor too large."""
        return self.k_min <= len(chosen) <= self.k_max

    def describe(self, names: Sequence[str]) -> str:
        """Such as "size 3 to 5"."""
        return f"size {self.k_min}" + (f" to {self.k_max}" if self.k_max > self.k_min else "")


def _one(constraint: Constraint, feature: Any) -> Feature:
    """A feature as it was given: a name, or an index that can be one."""
    if isinstance(feature, str):
        return str(feature)
    if isinstance(feature, numbers.Real) and not isinstance(feature, bool):
        return whole_number(f"{constraint.title}: a feature index", feature, least=0)
    raise InputError(f"{constraint.title} names {feature!r}; a feature is an index or a name.")


def _group(constraint: Constraint, features: Any) -> tuple[Feature, ...]:
    """Several features, in a list or anything like one."""
    try:
        if isinstance(features, str):
            raise TypeError
        listed = tuple(_one(constraint, feature) for feature in features)
    except TypeError:
        raise InputError(f"{constraint.title} takes a list of features, not {features!r}.") from None
    if not listed:
        raise InputError(f"{constraint.title} names no feature at all; leave it out.")
    return listed


def _indices(constraint: Constraint, features: Iterable[Feature], names: Sequence[str]) -> tuple[int, ...]:
    known = FeatureNames.of(names)
    return tuple(sorted({known.position(feature, constraint.title) for feature in features}))


def _total(amounts: Iterable[float]) -> Decimal:
    """The exact sum of numbers as they are printed."""
    total = Decimal(0)
    for amount in amounts:
        total = EXACT_DECIMALS.add(total, Decimal(repr(amount)))
    return total


def _costs(costs: Any) -> tuple[float, ...] | dict[Feature, float]:
    # Series make Python's floats of their numbers, which are printed with other digits if they were shorter.
    values = costs.to_numpy() if hasattr(costs, "to_numpy") else costs if hasattr(costs, "dtype") else None
    if callable(getattr(costs, "items", None)):
        items = costs.items() if values is None else zip(costs.keys(), values, strict=True)
        return {feature: _amount(cost, f"the cost of {feature}") for feature, cost in items}
    try:
        if isinstance(costs, str):
            raise TypeError
        return tuple(_amount(cost, "a cost") for cost in (costs if values is None else values))
    except TypeError:
        raise InputError(f"Budget takes a list of costs or a mapping to them, not {costs!r}.") from None


def _amount(value: Any, name: str) -> float:
    number = math.nan
    if not isinstance(value, bool | str):
        try:
            # A number of another precision is printed with the digits that it has.
            other = getattr(getattr(value, "dtype", None), "kind", "") == "f" and not isinstance(value, float)
            number = float(str(value) if other else value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
    if not 0 <= number < math.inf:
        raise InputError(f"Budget: {name}={value!r} is not a finite number of at least 0.")
    return number
