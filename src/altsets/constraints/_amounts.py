"""Conditions on sums over the features of a set, such as what they cost; sums are exact."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Self

from altsets.amounts import (
    Amounts,
    amount,
    amounts_in,
    exact_sum,
    exact_text,
    for_each,
    nonzero,
    whole_numbers,
)
from altsets.constraints.base import (
    Constraint,
    CostRule,
    Option,
    OptionReader,
    Rule,
    feature_literal,
    number_in,
    split_option,
)
from altsets.constraints.prices import group_prices, paid_together
from altsets.errors import InputError, NotExpressedError
from altsets.features import Feature, FeatureNames
from altsets.wording import parameter, plural

#: The forms of their options.
PRICED, SUMMED = "LIMIT:FILE.csv", "[LOWER]..[UPPER]:FILE.csv"


@dataclass(frozen=True, init=False)
class Budget(Constraint):
    """The features of each set cost no more than a limit together.

    Sums are exact for the decimals as printed: six features that cost 0.1 each are within a limit of 0.6.

    Parameters
    ----------
    costs : sequence of float, or mapping from feature to float
        What each feature costs, 0 or more. Features that a mapping (or a pandas Series) leaves out cost 0.
    limit : float
        The most that a set may cost.
    groups : mapping from feature to group, sequence of sequences of features, or Grouped, default=None
        Features that are paid for together: a sensor costs the same whether a set has one of its columns or all of
        them. A feature without a group pays for itself. In a list, all features of a group cost the same; in a mapping
        it is enough to name the group, or some of its features. None: the ``feature_groups`` of the request, if any.

    See Also
    --------
    altsets.dissimilarity.Grouped : Compare sets by groups of features; also accepted as ``groups``.

    Examples
    --------
    >>> tests = Budget({"MRI": 900, "blood": 30}, limit=500).resolve(["MRI", "blood", "age"])
    >>> tests.holds((1, 2)), tests.holds((0,))
    (True, False)

    Two columns of one sensor, which is paid for once:

    >>> paid = Budget([5, 5, 7], limit=10, groups=[[0, 1], [2]]).resolve(["left__mean", "left__max", "right__mean"])
    >>> paid.holds((0, 1)), paid.holds((0, 2))
    (True, False)
    """

    kind = "budget"
    option = Option(
        "--budget",
        PRICED,
        "The features of a set cost at most LIMIT together. The file has two columns, feature and cost; what it does "
        "not name costs nothing. With a header feature,cost,group, a group is paid once, however many of its features "
        "a set has.",
    )
    costs: Any
    limit: float
    groups: Any

    def __init__(
        self, costs: Iterable[float] | Mapping[Any, float], limit: float, groups: Any = None
    ) -> None:
        together = None if groups is None else paid_together(groups, self.title)
        costs = amounts_in(costs, self.title, least=0.0)
        self._set(costs=costs, limit=amount(limit, self.title, "limit", 0.0), groups=together)

    def resolve(self, names: Sequence[str]) -> Self:
        known, costs = FeatureNames.of(names), self.costs
        if isinstance(self.groups, Mapping):
            costs, groups = group_prices(costs, self.groups, known, self.title)
            return self._changed(costs=costs, groups=groups)
        costs = for_each(costs, known, self.title)
        return self if costs is self.costs else self._changed(costs=costs)

    @property
    def takes_groups(self) -> bool:
        return self.groups is None

    def with_groups(self, groups: Any) -> Self:
        return self._changed(groups=paid_together(groups, self.title)) if self.takes_groups else self

    def holds(self, chosen: Sequence[int]) -> bool:
        return self._paid(chosen) <= Decimal(repr(self.limit))

    def cost(self, chosen: Sequence[int]) -> float:
        """Return what a set costs, each group paid once; for resolved constraints."""
        return float(self._paid(chosen))

    def _paid(self, chosen: Sequence[int]) -> Decimal:
        paid = chosen if self.groups is None else {self.groups[index]: index for index in chosen}.values()
        return exact_sum([self.costs[index] for index in paid])

    def describe(self, names: Sequence[str]) -> str:
        once = "" if self.groups is None else ", each group paid once"
        return f"budget {exact_text(self.limit)}{once}"

    def rules(self) -> tuple[Rule, ...]:
        return (CostRule(self.costs, self.limit, self.groups),)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        limit, path = split_option(read, text, PRICED)
        costs, groups = read.prices(path)
        return cls(costs, number_in(read, text, limit), groups=groups)

    def option_text(self, names: Sequence[str]) -> str:
        raise NotExpressedError("the option for a budget takes a file of costs")

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        if self.groups is not None:
            raise NotExpressedError("it has a budget in which groups are paid once")
        return [_literal(self.costs, names), repr(self.limit)]

    def sentence(self, names: Sequence[str]) -> str:
        once = "" if self.groups is None else ", where each group is paid once"
        priced = _count(self.costs, "a cost")
        return f"The features of a set cost at most {self.limit:g} together{once}; {priced}."

    def as_dict(self) -> dict[str, Any]:
        features, costs = nonzero(self.costs)
        plain = {"kind": self.kind, "limit": self.limit, "features": features, "costs": costs}
        if self.groups is None:
            return plain
        # Pairs of a feature and its group; once the features are known, one number for each that costs something.
        if isinstance(self.groups, dict):
            return plain | {"groups": [[feature, _label(group)] for feature, group in self.groups.items()]}
        return plain | {"groups": [self.groups[feature] for feature in features]}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        # Without features that cost something there are no groups to pay.
        features, groups = entry["features"], entry.get("groups") or None
        if groups and isinstance(groups[0], list):
            groups = dict(groups)
        elif groups is not None:
            # By their features: the number of a group could be taken for the index of a feature.
            members: dict[Any, list[Feature]] = {}
            for number, feature in zip(groups, features, strict=True):
                members.setdefault(number, []).append(feature)
            groups = list(members.values())
        return cls(dict(zip(features, entry["costs"], strict=True)), entry["limit"], groups)


def _label(group: Hashable) -> Any:
    if not isinstance(group, str | int):
        raise NotExpressedError(f"a group of its budget is called {group!r:.40}, neither text nor a number")
    return group


@dataclass(frozen=True, init=False)
class Linear(Constraint):
    """The coefficients of the features of each set add up to a number between two bounds.

    Use it for a rule that counts or weighs features: at least as many from one source as from another, or an average
    cost of at most 2 (coefficients cost - 2, upper bound 0). Coefficients may have any sign; sums are exact, in the
    decimals that numbers are printed as.

    Parameters
    ----------
    coefficients : sequence of float, or mapping from feature to float
        The coefficient of each feature; 0 for those that a mapping (or a pandas Series) leaves out.
    lower, upper : float, default=None
        The least and the most that the coefficients of a set may add up to; None for no such bound.

    See Also
    --------
    altsets.constraints.Budget : Costs of at least 0, which groups of features may pay once.

    Examples
    --------
    At least as many questions from the first questionnaire as from the second:

    >>> balance = Linear({"a1": 1, "a2": 1, "b1": -1, "b2": -1}, lower=0).resolve(["a1", "a2", "b1", "b2"])
    >>> balance.holds((0, 2)), balance.holds((0, 2, 3))
    (True, False)
    >>> Linear([0.1, 0.2, 0.4], lower=0.3, upper=0.3).holds((0, 1))
    True
    """

    kind = "linear"
    option = Option(
        "--linear",
        SUMMED,
        "Each feature has a coefficient in the file (columns feature and coefficient; others have 0), and those of a "
        "set add up to LOWER or more and UPPER at most. With 1 for features from a laboratory and -1 for those from a "
        "form, 0..:FILE.csv asks for at least as many from the laboratory.",
    )
    coefficients: Any
    lower: float | None
    upper: float | None

    def __init__(
        self,
        coefficients: Iterable[float] | Mapping[Any, float],
        lower: float | None = None,
        upper: float | None = None,
    ) -> None:
        self._set(
            coefficients=amounts_in(coefficients, self.title, noun="coefficient", nouns="coefficients"),
            lower=None if lower is None else amount(lower, self.title, "lower"),
            upper=None if upper is None else amount(upper, self.title, "upper"),
        )
        if self.lower is None and self.upper is None:
            raise InputError(
                f"{self.title} has no bound; give {parameter('lower')}, {parameter('upper')}, or both."
            )
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            low, high = parameter("lower", self.lower), parameter("upper", self.upper)
            raise InputError(f"{self.title}: {low} is larger than {high}.")

    def resolve(self, names: Sequence[str]) -> Self:
        listed = for_each(self.coefficients, FeatureNames.of(names), self.title, "coefficients")
        return self if listed is self.coefficients else self._changed(coefficients=listed)

    def holds(self, chosen: Sequence[int]) -> bool:
        total = exact_sum([self.coefficients[index] for index in chosen])
        above = self.lower is None or Decimal(repr(self.lower)) <= total
        return above and (self.upper is None or total <= Decimal(repr(self.upper)))

    def describe(self, names: Sequence[str]) -> str:
        return f"sum of coefficients {self._bounds('at least {}', 'at most {}', 'from {} to {}')}"

    def sentence(self, names: Sequence[str]) -> str:
        bounds = self._bounds("at least {}", "at most {}", "at least {} and at most {}")
        return f"The coefficients of the features of a set add up to {bounds}; {_count(self.coefficients, 'one')}."

    def _bounds(self, least: str, most: str, both: str) -> str:
        bounds = [exact_text(bound) for bound in (self.lower, self.upper) if bound is not None]
        return (both if len(bounds) == 2 else least if self.upper is None else most).format(*bounds)

    def rules(self) -> tuple[CostRule, ...]:
        return self._rules

    @cached_property
    def _rules(self) -> tuple[CostRule, ...]:
        # In whole numbers of any length, which as floats would be rounded.
        *whole, lower, upper = whole_numbers([*self.coefficients, self.lower or 0.0, self.upper or 0.0])
        found = [] if self.upper is None else [_at_most(whole, upper)]
        if self.lower is not None:
            found.append(_at_most([-number for number in whole], -lower))
        return tuple(found)

    @classmethod
    def parse(cls, text: str, read: OptionReader) -> Self:
        bounds, path = split_option(read, text, SUMMED)
        first, dots, second = (part.strip() for part in bounds.partition(".."))
        if not dots:
            raise InputError(f"{read.option} {text!r} must have the form {SUMMED}.")
        coefficients, groups = read.prices(path, "coefficient")
        if groups is not None:
            raise InputError(f"{read.option} {text!r}: {path} has groups, which only costs have.")
        lower, upper = (number_in(read, text, bound) if bound else None for bound in (first, second))
        return cls(coefficients, lower, upper)

    def option_text(self, names: Sequence[str]) -> str:
        raise NotExpressedError("the option for a sum of coefficients takes a file")

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        bounds = {"lower": self.lower, "upper": self.upper}.items()
        return [
            _literal(self.coefficients, names),
            *(f"{name}={bound!r}" for name, bound in bounds if bound is not None),
        ]

    def as_dict(self) -> dict[str, Any]:
        features, numbers = nonzero(self.coefficients)
        bounds = {"lower": self.lower, "upper": self.upper}
        return {"kind": self.kind, **bounds, "features": features, "coefficients": numbers}

    @classmethod
    def from_dict(cls, entry: Mapping[str, Any]) -> Self:
        coefficients = dict(zip(entry["features"], entry["coefficients"], strict=True))
        return cls(coefficients, entry["lower"], entry["upper"])


def _at_most(whole: Sequence[int], upper: int) -> CostRule:
    """The sum is at most a bound: costs of at least 0, and a limit that grows with the size of a set."""
    least = min(0, *whole)
    return CostRule(tuple([number - least for number in whole]), upper, each=-least)


def _literal(amounts: Amounts, names: Sequence[str] | None) -> str:
    """Amounts other than 0 as a dictionary in Python."""
    given = zip(*nonzero(amounts), strict=True)
    return f"{{{', '.join(f'{feature_literal(feature, names)}: {number!r}' for feature, number in given)}}}"


def _count(amounts: Amounts, what: str) -> str:
    count = len(nonzero(amounts)[0])
    return f"{count} {plural(count, 'feature has', 'features have')} {what}"
