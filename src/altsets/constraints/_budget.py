"""The condition on what a set costs, with sums that are exact."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal, Inexact
from typing import Any, Self

from altsets.constraints._constraint import Constraint, one_feature
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
            position = known.position(one_feature(self, feature), self.title)
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
