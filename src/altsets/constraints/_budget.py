"""The condition on what a set costs, with sums that are exact."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Self

from altsets.amounts import amount, amounts_in, exact_sum, exact_text, for_each, nonzero
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
from altsets.errors import NotExpressedError
from altsets.features import Feature, FeatureNames


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
        "LIMIT:FILE.csv",
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
        limit, path = split_option(read, text, "LIMIT:FILE.csv")
        costs, groups = read.prices(path)
        return cls(costs, number_in(read, text, limit), groups=groups)

    def option_text(self, names: Sequence[str]) -> str:
        raise NotExpressedError("the option for a budget takes a file of costs")

    def arguments(self, names: Sequence[str] | None) -> list[str]:
        if self.groups is not None:
            raise NotExpressedError("it has a budget in which groups are paid once")
        priced = zip(*nonzero(self.costs), strict=True)
        costs = ", ".join(f"{feature_literal(feature, names)}: {cost!r}" for feature, cost in priced)
        return [f"{{{costs}}}", repr(self.limit)]

    def sentence(self, names: Sequence[str]) -> str:
        once = "" if self.groups is None else ", where each group is paid once"
        n_priced = len(nonzero(self.costs)[0])
        has = "feature has a cost" if n_priced == 1 else "features have a cost"
        return f"The features of a set cost at most {self.limit:g} together{once}; {n_priced} {has}."

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
