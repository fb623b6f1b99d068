"""The condition on a sum of coefficients, with sums that are exact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Self

from altsets.amounts import amount, amounts_in, exact_sum, exact_text, for_each, nonzero, whole_numbers
from altsets.constraints.base import (
    Constraint,
    CostRule,
    Option,
    OptionReader,
    feature_literal,
    number_in,
    split_option,
)
from altsets.errors import InputError, NotExpressedError
from altsets.features import FeatureNames
from altsets.wording import parameter

FORM = "[LOWER]..[UPPER]:FILE.csv"


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
        FORM,
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
        count = len(nonzero(self.coefficients)[0])
        has = "feature has" if count == 1 else "features have"
        bounds = self._bounds("at least {}", "at most {}", "at least {} and at most {}")
        return f"The coefficients of the features of a set add up to {bounds}; {count} {has} one."

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
        bounds, path = split_option(read, text, FORM)
        first, dots, second = (part.strip() for part in bounds.partition(".."))
        if not dots:
            raise InputError(f"{read.option} {text!r} must have the form {FORM}.")
        coefficients, groups = read.prices(path, "coefficient")
        if groups is not None:
            raise InputError(f"{read.option} {text!r}: {path} has groups, which only costs have.")
        lower, upper = (number_in(read, text, bound) if bound else None for bound in (first, second))
        return cls(coefficients, lower, upper)

    def option_text(self, names: Sequence[str]) -> str:
        raise NotExpressedError("the option for a sum of coefficients takes a file")

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        given = zip(*nonzero(self.coefficients), strict=True)
        listed = ", ".join(f"{feature_literal(feature, names)}: {number!r}" for feature, number in given)
        bounds = {"lower": self.lower, "upper": self.upper}.items()
        return [f"{{{listed}}}", *(f"{name}={bound!r}" for name, bound in bounds if bound is not None)]

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
