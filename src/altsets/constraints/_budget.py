"""The condition on what a set costs, with sums that are exact."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import Any, Self

from altsets.constraints._constraint import Constraint, one_feature
from altsets.constraints._group_prices import GroupPrices, paid_together
from altsets.constraints.groups import group_numbers
from altsets.errors import InputError
from altsets.features import Feature, FeatureNames

__all__ = ["Budget"]

#: Room for the digits of all doubles from the largest to the smallest; what did not fit in would be an error.
EXACT_DECIMALS = Context(prec=1000, traps=[Inexact])


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
    groups : mapping from feature to group, sequence of sequences of features, or Grouped, optional
        Features that are paid for together: whoever has one sensor has all of its columns, so a group costs the same
        whether a set has one of its features or all of them. Features by name or index; one without a group pays for
        itself. The price of a group is what one of its features costs, by the costs: in a list, all features of a group
        cost the same; in a mapping it is enough to name the group, or some of its features.

    Examples
    --------
    >>> tests = Budget({"MRI": 900, "blood": 30}, limit=500).resolve(["MRI", "blood", "age"])
    >>> tests.costs
    (900.0, 30.0, 0.0)
    >>> tests.holds((1, 2)), tests.holds((0,))
    (True, False)
    >>> Budget([0.1, 0.2], limit=0.3).holds((0, 1)), 0.1 + 0.2 <= 0.3
    (True, False)

    Two columns of one sensor, which is paid for once:

    >>> columns = ["left__mean", "left__max", "right__mean"]
    >>> sensors = {"left__mean": "left", "left__max": "left", "right__mean": "right"}
    >>> paid = Budget({"left": 5, "right": 7}, limit=10, groups=sensors).resolve(columns)
    >>> paid.holds((0, 1)), paid.holds((0, 2))
    (True, False)
    """

    kind = "budget"
    costs: Any
    limit: float
    groups: Any

    def __init__(
        self, costs: Iterable[float] | Mapping[Any, float], limit: float, groups: Any = None
    ) -> None:
        self._set(costs=_costs(costs), limit=_amount(limit, "limit"), groups=None)
        if groups is not None:
            self._set(groups=paid_together(groups))

    def resolve(self, names: Sequence[str]) -> Self:
        """The same constraint with one cost and one group for each feature; refuses features that do not exist."""
        if isinstance(self.costs, tuple) and len(self.costs) != len(names):
            raise InputError(
                f"Budget has {len(self.costs)} costs for {len(names)} features; give one for each, "
                "or a mapping from feature to cost."
            )
        if isinstance(self.costs, tuple) and not isinstance(self.groups, Mapping):
            return self
        resolved = copy(self)
        if self.groups is None:
            resolved._set(costs=_by_feature(self, self.costs, FeatureNames.of(names)))
        else:
            numbers = tuple(group_numbers(self.groups, names, self.title))
            prices = GroupPrices(self, self.groups, numbers, FeatureNames.of(names))
            resolved._set(costs=prices.of(self.costs), groups=numbers)
        return resolved

    def holds(self, chosen: Sequence[int]) -> bool:
        """Whether the set is within the limit, to the last digit."""
        paid = chosen if self.groups is None else {self.groups[index]: index for index in chosen}.values()
        return _total([self.costs[index] for index in paid]) <= Decimal(repr(self.limit))

    def describe(self, names: Sequence[str]) -> str:
        """Such as "budget 20" or "budget 20, each group paid once"."""
        # Two limits that differ are not to read alike.
        short = f"{self.limit:g}"
        once = "" if self.groups is None else ", each group paid once"
        return f"budget {short if float(short) == self.limit else repr(self.limit)}{once}"

    def as_dict(self) -> dict[str, Any]:
        """The constraint as plain numbers; only features that cost something, with the number of their group."""
        priced = [index for index, cost in enumerate(self.costs) if cost]
        costs = [self.costs[index] for index in priced]
        plain = {"kind": self.kind, "limit": self.limit, "features": priced, "costs": costs}
        return plain if self.groups is None else {**plain, "groups": [self.groups[index] for index in priced]}


def _by_feature(budget: Budget, costs: Mapping[Any, float], names: FeatureNames) -> tuple[float, ...]:
    """One cost for each feature, out of a mapping."""
    listed = [0.0] * len(names)
    for feature, cost in costs.items():
        position = names.position(one_feature(budget, feature), budget.title)
        # A feature may be named twice, by its name and by its index.
        listed[position] = float(_total([listed[position], cost])) if listed[position] else cost
    return tuple(listed)


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
